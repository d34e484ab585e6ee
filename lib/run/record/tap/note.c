// SPDX-License-Identifier: BSD-3-Clause
// Comments of frames, from the events of their port: a frame that leaves is known by its header and
// PSN among the marks of its queue, a dropped one by its length and number.
#include "int.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define MARKS   4096 // of a port, whose frames have not left yet
#define DROPS   1024 // of a port, whose frames have not been looked at yet
#define HOLDERS 4    // queues that an XOFF names at most
#define MOMENTS 8    // marks and changes before one frame; later ones are left out

struct note_mark {
	tstamp t;
	struct ev_mark mark;
	uint8_t cls;
	bool cnp;  // a CNP was sent for the frame
	bool done; // its frame has left
};

struct note_drop {
	tstamp t;
	struct ev_drop drop;
	bool done;
};

// A sentence for the next frame from an instant on.
struct note_moment {
	tstamp t;
	char text[96];
};

struct tap_note {
	struct note_moment moment[MOMENTS];
	unsigned n_moments;
	struct note_mark mark[MARKS];
	struct note_drop drop[DROPS];
	uint32_t marks_from, marks_to, drops_from, drops_to;
	tstamp paused_at[PKT_CLASSES];  // TSTAMP_NEVER: the class goes
	tstamp paused_for[PKT_CLASSES]; // since a frame of the class left
	tstamp xoff_at;                 // the last XOFF whose holders are known
	struct ev_holder holder[HOLDERS];
	unsigned n_holders;
	struct tap_hits *hits;
};

struct tap_note *tap_note_new(void)
{
	struct tap_note *n = calloc(1, sizeof(*n));

	if (!n)
		return NULL;
	for (unsigned i = 0; i < PKT_CLASSES; i++)
		n->paused_at[i] = TSTAMP_NEVER;
	n->hits = tap_hits_new();
	if (!n->hits) {
		free(n);
		return NULL;
	}
	return n;
}

void tap_note_free(struct tap_note *n)
{
	if (n)
		tap_hits_free(n->hits);
	free(n);
}

static void note_mark(struct tap_note *n, const struct ev *e)
{
	n->mark[n->marks_to++ % MARKS] = (struct note_mark){
		.t = e->t, .mark = e->mark, .cls = e->cls, .cnp = e->type == EV_FAST_CNP_TX};
	if (n->marks_to - n->marks_from > MARKS)
		n->marks_from++;
}

static void note_drop(struct tap_note *n, const struct ev *e)
{
	n->drop[n->drops_to++ % DROPS] = (struct note_drop){.t = e->t, .drop = e->drop};
	if (n->drops_to - n->drops_from > DROPS)
		n->drops_from++;
}

// Class 0 may speak for all classes.
static void note_pause(struct tap_note *n, const struct ev *e)
{
	for (unsigned c = 0; c < PKT_CLASSES; c++) {
		if (c != e->cls && !e->pause.with_class_0)
			continue;
		if (e->type == EV_PAUSE_RX) {
			n->paused_at[c] = e->t;
		} else if (n->paused_at[c] != TSTAMP_NEVER) {
			n->paused_for[c] += tstamp_since(e->t, n->paused_at[c]);
			n->paused_at[c] = TSTAMP_NEVER;
		}
	}
}

static void note_holder(struct tap_note *n, const struct ev *e)
{
	if (n->xoff_at != e->t)
		n->n_holders = 0;
	n->xoff_at = e->t;
	if (n->n_holders < HOLDERS)
		n->holder[n->n_holders++] = e->holder;
}

void tap_note_moment(struct tap_note *n, tstamp t, const char *what, const char *text)
{
	struct note_moment *m = &n->moment[n->n_moments];

	if (n->n_moments == MOMENTS)
		return;
	m->t = t;
	snprintf(m->text, sizeof(m->text), "%s%s", what, text);
	n->n_moments++;
}

void tap_note_event(struct tap_note *n, const struct ev *e)
{
	switch (e->type) {
	case EV_MARK:
	case EV_FAST_CNP_TX:
		note_mark(n, e);
		break;
	case EV_DROP:
		note_drop(n, e);
		break;
	case EV_FAULT:
		tap_hits_take(n->hits, e);
		break;
	case EV_PAUSE_RX:
	case EV_RESUME_RX:
		note_pause(n, e);
		break;
	case EV_XOFF_HOLDER:
		note_holder(n, e);
		break;
	default:
		break;
	}
}

struct note_text {
	char *buf;
	size_t size, at;
};

__attribute__((format(printf, 2, 3))) static void say(struct note_text *x, const char *fmt, ...)
{
	va_list ap;

	if (x->at && x->at + 2 < x->size)
		x->at += (size_t)snprintf(x->buf + x->at, x->size - x->at, "; ");
	va_start(ap, fmt);
	x->at += (size_t)vsnprintf(x->buf + x->at, x->size - x->at, fmt, ap);
	va_end(ap);
	if (x->at >= x->size)
		x->at = x->size - 1;
}

static uint32_t psn_of(const struct pkt *p)
{
	return p->kind == PKT_DATA || p->kind == PKT_ACK || p->kind == PKT_ROCE ? p->u.rc.psn : 0;
}

static bool is_of(const struct note_mark *m, const struct pkt *p)
{
	return !m->done && m->cls == p->cls && m->mark.hdr == pkt_hdr_id(p) &&
	       m->mark.psn == psn_of(p) && (m->cnp || p->flags & PKT_F_CE);
}

// The number of the first mark about a frame that leaves. Frames of a class leave in the order in
// which the marker saw them, so marks of its class before it are of frames that were not seen.
// Returns n->marks_to if there is none.
static uint32_t find_mark(struct tap_note *n, const struct pkt *p)
{
	uint32_t at = n->marks_from;

	while (at != n->marks_to && !is_of(&n->mark[at % MARKS], p))
		at++;
	for (uint32_t i = n->marks_from; at != n->marks_to && i != at; i++)
		n->mark[i % MARKS].done |= n->mark[i % MARKS].cls == p->cls;
	return at;
}

static void forget_marks(struct tap_note *n)
{
	while (n->marks_from != n->marks_to && n->mark[n->marks_from % MARKS].done)
		n->marks_from++;
}

// The probability between Kmin and Kmax; below 0: the mark has another cause.
static double probability(const struct red_cfg *red, uint64_t queue_bytes)
{
	if (!red || !red->on || queue_bytes <= red->kmin_bytes)
		return -1;
	return queue_bytes > red->kmax_bytes
		       ? 1.0
		       : (double)red_odds(red, (uint32_t)queue_bytes) / 4294967296.0;
}

static void say_mark(struct note_text *x, const struct note_mark *m, const struct tap_frame *f)
{
	double p = probability(f->red, m->mark.queue_bytes);
	char odds[32] = "";

	if (p >= 0)
		snprintf(odds, sizeof(odds), ", probability %.6f", p);
	say(x, "%s at %llu bytes%s", m->cnp ? "CNP sent for it" : "marked here",
		(unsigned long long)m->mark.queue_bytes, odds);
}

// A CNP may be sent in place of the mark, or beside it: two events of one frame and instant.
static void say_marks(struct tap_note *n, struct note_text *x, const struct tap_frame *f)
{
	uint32_t at = find_mark(n, f->pkt);
	struct note_mark *first = &n->mark[at % MARKS];

	for (; at != n->marks_to; at++) {
		struct note_mark *m = &n->mark[at % MARKS];

		if (!is_of(m, f->pkt) || m->t != first->t || (m != first && m->cnp == first->cnp))
			break;
		say_mark(x, m, f);
		m->done = true;
	}
	forget_marks(n);
}

static void say_pause(struct tap_note *n, struct note_text *x, const struct tap_frame *f)
{
	unsigned cls = f->pkt->cls;

	if (n->paused_for[cls])
		say(x, "class %u was paused for %.3f us before it", cls,
			(double)n->paused_for[cls] / PS_PER_US);
	n->paused_for[cls] = 0;
}

static void say_holders(
	struct tap_note *n, struct note_text *x, const struct scene *s, const struct tap_frame *f)
{
	if (n->xoff_at != f->t)
		return;
	for (unsigned i = 0; i < n->n_holders; i++) {
		const struct ev_holder *h = &n->holder[i];

		say(x, "%s.%u holds %u of the group's %u bytes", s->node[f->node].port[h->out].name,
			h->out_cls, h->bytes, h->group_bytes);
	}
	n->n_holders = 0;
}

static bool is_pause(const struct pkt *p)
{
	return p->kind == PKT_PFC || p->kind == PKT_PAUSE;
}

static void say_sent(
	struct tap_note *n, struct note_text *x, const struct scene *s, const struct tap_frame *f)
{
	if (is_pause(f->pkt)) {
		say_holders(n, x, s, f);
		return;
	}
	if (f->has_queue)
		say(x, "queue %u: %u bytes behind it", f->pkt->cls, f->queue_bytes);
	say_marks(n, x, f);
	say_pause(n, x, f);
}

// Events before the frame are of earlier frames.
static const struct note_drop *find_drop(struct tap_note *n, const struct tap_frame *f)
{
	while (n->drops_from != n->drops_to &&
		(n->drop[n->drops_from % DROPS].done || n->drop[n->drops_from % DROPS].t < f->t))
		n->drops_from++;
	for (uint32_t at = n->drops_from; at != n->drops_to; at++) {
		struct note_drop *d = &n->drop[at % DROPS];

		if (d->done || d->drop.bytes != f->pkt->len || d->drop.number != pkt_number(f->pkt))
			continue;
		d->done = true;
		return d;
	}
	return NULL;
}

static void say_received(
	struct tap_note *n, struct note_text *x, const struct scene *s, const struct tap_frame *f)
{
	const struct scene_node *node = &s->node[f->node];
	const struct note_drop *d = find_drop(n, f);
	char faults[PCAPNG_COMMENT];
	const char *why;

	if (tap_hits_say(n->hits, f->pkt, f->t, faults, sizeof(faults)))
		say(x, "%s", faults);

	if (!d)
		return;
	why = node->kind == SCENE_SW ? sw_drop_name((enum sw_drop)d->drop.reason)
				     : nic_drop_name((enum nic_drop)d->drop.reason);
	if (d->drop.out < node->n_ports)
		say(x, "dropped here: %s, on its way to %s, %llu bytes held", why,
			node->port[d->drop.out].name, (unsigned long long)d->drop.held_bytes);
	else
		say(x, "dropped here: %s", why);
}

static void say_moments(struct tap_note *n, struct note_text *x, tstamp t)
{
	unsigned kept = 0;

	for (unsigned i = 0; i < n->n_moments; i++)
		if (n->moment[i].t > t)
			n->moment[kept++] = n->moment[i];
		else
			say(x, "%s", n->moment[i].text);
	n->n_moments = kept;
}

void tap_note_frame(struct tap_note *n, const struct scene *s, const struct tap_frame *f, char *buf,
	size_t size)
{
	struct note_text x = {.buf = buf, .size = size};

	*buf = '\0';
	say_moments(n, &x, f->t);
	if (f->dir)
		say_sent(n, &x, s, f);
	else
		say_received(n, &x, s, f);
}
