// SPDX-License-Identifier: BSD-3-Clause
// The actions of records on a frame.
#include "int.h"

static bool stays(const struct passage *a)
{
	return a->behind || a->until > a->now;
}

// Sends a frame or its copy on, or holds it.
void action_end(struct fault *f, const struct passage *a, struct pkt *p)
{
	const struct held it = {
		.pkt = p,
		.pair = a->pair,
		.seq = f->seq,
		.at = a->behind ? tstamp_max(a->until, a->within) : a->until,
		.until = a->until,
		.behind = a->behind,
	};

	if (stays(a))
		holds_put(&f->holds, &it, a->behind ? a->line : NULL);
	else
		exit_go_on(f, p, a->pair, f->seq, a->now);
}

static bool act_ecn(struct fault *f, struct passage *a)
{
	if (a->pkt->kind == PKT_BAD || !pkt_is_ip(a->pkt))
		return false;
	pkt_mark_ce(a->pkt);
	f->stats.marked_frames++;
	return true;
}

static bool act_drop(struct fault *f, struct passage *a)
{
	f->stats.dropped_frames++;
	f->stats.dropped_bytes += a->pkt->len + PKT_FCS;
	pkt_put(f->p.stack, a->pkt);
	a->pkt = NULL;
	return true;
}

static bool has_room(const struct fault *f, const struct passage *a)
{
	return stays(a) || f->holds.n < f->holds.room;
}

static bool act_delay(struct fault *f, struct passage *a, const struct fault_record *r)
{
	if (!has_room(f, a))
		return false;
	a->until = tstamp_add(a->until, r->delay);
	f->stats.delayed_frames++;
	return true;
}

static bool act_reorder(
	struct fault *f, struct passage *a, const struct fault_record *r, bool of_port)
{
	if (!has_room(f, a) || !(of_port || a->pair))
		return false;
	a->behind = r->reorder.behind;
	a->within = tstamp_add(a->now, r->reorder.within);
	a->line = of_port ? &f->waits : &a->pair->waits;
	f->stats.reordered_frames++;
	return true;
}

// A copy of a frame; NULL: there is no descriptor, or no room for the bytes.
static struct pkt *copy_of(struct pkt_stack *s, const struct pkt *p)
{
	struct pkt *copy;

	if (p->data_off && p->len > s->room && !s->longer)
		return NULL;
	copy = pkt_get_like(s, p);
	if (copy)
		pkt_clone(copy, p, s->data_off);
	return copy;
}

// Copies fare as the frame does up to here. One more place is kept for the frame if it is to stay.
static bool act_duplicate(struct fault *f, struct passage *a, const struct fault_record *r)
{
	for (uint32_t i = 0; i < r->copies; i++) {
		struct pkt *copy = NULL;

		if (!stays(a) || f->holds.n + 1 < f->holds.room)
			copy = copy_of(f->p.stack, a->pkt);
		if (!copy)
			return false;
		f->stats.copied_frames++;
		action_end(f, a, copy);
	}
	return true;
}

bool action_do(struct fault *f, struct passage *a, uint32_t record)
{
	const struct fault_record *r = &f->p.record[record];

	switch (r->action) {
	case FAULT_ECN:
		return act_ecn(f, a);
	case FAULT_DROP:
		return act_drop(f, a);
	case FAULT_DELAY:
		return act_delay(f, a, r);
	case FAULT_REORDER:
		return act_reorder(f, a, r, f->of_all[record]);
	case FAULT_DUPLICATE:
		return act_duplicate(f, a, r);
	case FAULT_CORRUPT:
		return bytes_corrupt(f, a->pkt, r);
	case FAULT_REWRITE:
		return bytes_rewrite(f, a->pkt, r);
	case FAULT_WATCH:
		return true;
	default:
		return false;
	}
}
