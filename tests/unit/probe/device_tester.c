// SPDX-License-Identifier: BSD-3-Clause
// The testers of the switch of unit tests: which frames they send, and which they see.
#include <stdlib.h>
#include <string.h>

#include "device_inside.h"

static void see(struct device *d, unsigned port, const struct parcel *f, bool sent)
{
	struct tester *t = &d->tester[port];
	struct tester_seen *e;

	if (t->n_seen == t->room) {
		t->room = t->room ? 2 * t->room : 4096;
		t->seen = realloc(t->seen, t->room * sizeof(*t->seen));
	}
	e = &t->seen[t->n_seen++];
	*e = (struct tester_seen){.at = d->now - d->start,
		.number = f->number,
		.source = f->source,
		.len = f->len,
		.frame = f->kind == TESTER_OURS && f->step != d->lab.steps ? TESTER_EARLIER
									   : f->kind,
		.tos = f->tos,
		.sent = sent,
		.pcp = f->pcp};
	if (f->kind != TESTER_CONTROL)
		return;
	if (t->n_control == t->control_room) {
		t->control_room = t->control_room ? 2 * t->control_room : 64;
		t->control = realloc(t->control, t->control_room * sizeof(*t->control));
	}
	e->number = t->n_control;
	t->control[t->n_control++] = f->control;
}

static bool item_is_endless(const struct tester_item *i)
{
	return i->kind == TESTER_HOLD || (i->kind != TESTER_RELEASE && !i->count);
}

static void wake(struct device *d, unsigned port, tstamp at)
{
	device_event(d, (struct event){.at = at, .kind = SEND, .port = port});
}

static struct parcel *parcel_of(struct device *d, unsigned port, const struct tester_item *i)
{
	struct parcel *f = calloc(1, sizeof(*f));

	f->in = port;
	f->len = i->len;
	f->pcp = TESTER_UNTAGGED;
	if (i->kind != TESTER_DATA) {
		f->kind = TESTER_CONTROL;
		f->control = (struct tester_control){.opcode = i->opcode, .pfc = i->pfc};
		memcpy(f->control.dst, i->dst, 6);
		return f;
	}
	f->to = i->to;
	f->step = d->lab.steps;
	f->source = i->source;
	f->number = d->number[i->source]++;
	f->tos = i->tos;
	f->pcp = i->pcp;
	return f;
}

// A hold begins; a release ends holds.
static void holds_change(struct device *d, struct tester *t, const struct tester_item *i)
{
	if (i->kind == TESTER_HOLD) {
		t->hold[t->holds++] = (struct hold){*i, d->now};
		return;
	}
	for (unsigned k = 0; k < t->holds; k++) {
		t->hold[k].item.pfc.enable &= (uint8_t)~i->pfc.enable;
		if (!t->hold[k].item.pfc.enable)
			t->hold[k--] = t->hold[--t->holds];
	}
}

static bool item_may_go(const struct device *d, const struct tester *t, const struct tester_item *i)
{
	return i->kind != TESTER_DATA || d->now >= t->stopped[d->p.cls[i->tos >> 2]];
}

// The item that may send now; -1: none, and *next is when one may.
static int item_pick(const struct device *d, const struct tester *t, tstamp *next)
{
	int best = -1;

	*next = TSTAMP_NEVER;
	for (unsigned k = 0; k < t->n; k++) {
		const struct item_state *s = &t->state[k];

		if (s->is_over)
			continue;
		if (s->due > d->now)
			*next = tstamp_min(*next, s->due);
		else if (!item_may_go(d, t, &t->item[k]))
			*next = tstamp_min(*next, d->now + PS_PER_US);
		else if (best < 0 ||
			 (t->item[best].kind == TESTER_DATA && t->item[k].kind != TESTER_DATA))
			best = (int)k;
	}
	return best;
}

static void item_is_sent(struct tester *t, unsigned k, tstamp last)
{
	const struct tester_item *i = &t->item[k];
	struct item_state *s = &t->state[k];

	s->due = i->gap ? s->due + i->gap : last;
	if (item_is_endless(i) || (s->left && --s->left))
		return;
	s->is_over = true;
	s->end = last;
	for (unsigned j = k + 1; j < t->n; j++)
		if (t->item[j].after == (int32_t)k)
			t->state[j].due = last + t->item[j].at;
}

static void transmit(struct device *d, unsigned port, struct parcel *f)
{
	struct tester *t = &d->tester[port];

	t->free_at = d->now + device_wire(d, f->len);
	see(d, port, f, true);
	device_event(
		d, (struct event){
			   .at = t->free_at + d->p.cable, .kind = ARRIVE, .port = port, .f = f});
	wake(d, port, t->free_at);
}

void device_tester_send(struct device *d, unsigned port)
{
	struct tester *t = &d->tester[port];
	tstamp next, held = TSTAMP_NEVER;
	int k;

	if (d->now < t->free_at)
		return;
	for (unsigned h = 0; h < t->holds; h++) {
		if (t->hold[h].next <= d->now) {
			t->hold[h].next += t->hold[h].item.gap;
			transmit(d, port, parcel_of(d, port, &t->hold[h].item));
			return;
		}
		held = tstamp_min(held, t->hold[h].next);
	}
	k = item_pick(d, t, &next);
	if (k >= 0 && t->item[k].kind == TESTER_HOLD) {
		holds_change(d, t, &t->item[k]);
		t->state[k].is_over = true;
		device_tester_send(d, port);
		return;
	}
	if (k < 0) {
		next = tstamp_min(next, held);
		if (next != TSTAMP_NEVER && (t->wake <= d->now || next < t->wake)) {
			t->wake = next;
			wake(d, port, next);
		}
		return;
	}
	if (t->item[k].kind == TESTER_RELEASE)
		holds_change(d, t, &t->item[k]);
	{
		struct parcel *f = parcel_of(d, port, &t->item[k]);

		if (f->kind == TESTER_OURS)
			f->tos = (uint8_t)(f->tos + (t->item[k].count - t->state[k].left) *
							    t->item[k].tos_step);
		item_is_sent(t, (unsigned)k, d->now + device_wire(d, f->len));
		transmit(d, port, f);
	}
}

void device_tester_gets(struct device *d, unsigned port, struct parcel *f)
{
	if (f->kind == TESTER_CONTROL && d->p.port_obeys) {
		d->p.port_obeys--;
		for (unsigned c = 0; c < PKT_CLASSES; c++)
			if (f->control.pfc.enable >> c & 1)
				d->tester[port].stopped[c] =
					d->now + f->control.pfc.quanta[c] * d->quantum;
	}
	if (f->kind != TESTER_CONTROL || !d->p.port_eats_pfc)
		see(d, port, f, false);
	free(f);
}

void device_lists_begin(struct device *d, const struct lab_step *step)
{
	memset(d->number, 0, sizeof(d->number));
	for (unsigned p = 0; p < d->p.ports; p++) {
		struct tester *t = &d->tester[p];

		t->item = step->port[p].item;
		t->n = step->port[p].n < ITEMS ? step->port[p].n : ITEMS;
		t->n_seen = t->n_control = 0;
		for (unsigned k = 0; k < t->n; k++)
			t->state[k] = (struct item_state){t->item[k].after == TESTER_AT_START
								  ? d->now + t->item[k].at
								  : TSTAMP_NEVER,
				0, t->item[k].kind == TESTER_RELEASE ? 1 : t->item[k].count, false};
		wake(d, p, d->now);
	}
}

// The last bit of the last finite item; TSTAMP_NEVER: one is still to come.
tstamp device_lists_end(const struct device *d)
{
	tstamp end = d->start;

	for (unsigned p = 0; p < d->p.ports; p++)
		for (unsigned k = 0; k < d->tester[p].n; k++) {
			if (item_is_endless(&d->tester[p].item[k]))
				continue;
			if (!d->tester[p].state[k].is_over)
				return TSTAMP_NEVER;
			end = tstamp_max(end, d->tester[p].state[k].end);
		}
	return end;
}
