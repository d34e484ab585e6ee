// SPDX-License-Identifier: BSD-3-Clause
// The switch and the testers of unit tests, event by event.
#include "device.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "wire/pfc.h"

#define PORTS 8
#define ITEMS 4096

enum event_kind { SEND, ARRIVE, EGRESS, DELIVER, PAUSE, RESUME, REFRESH, POLL, TALK };

struct parcel {
	struct parcel *next;
	enum tester_frame kind;
	unsigned in, to, cls, cost, step;
	uint16_t source, len;
	uint32_t number;
	uint8_t tos, pcp;
	struct tester_control control;
	tstamp ready;
};

struct event {
	tstamp at;
	uint64_t order;
	enum event_kind kind;
	unsigned port, cls;
	uint64_t arg; // PAUSE: until when; REFRESH: which XOFF
	struct parcel *f;
};

struct item_state {
	tstamp due, end;
	uint32_t left;
	bool is_over;
};

struct hold {
	struct tester_item item;
	tstamp next;
};

struct tester {
	const struct tester_item *item;
	unsigned n;
	struct item_state state[ITEMS];
	struct hold hold[16];
	unsigned holds;
	tstamp free_at, wake;
	tstamp stopped[PKT_CLASSES]; // where our own port obeys PFC
	struct tester_seen *seen;
	uint32_t n_seen, room;
	struct tester_control *control;
	uint32_t n_control, control_room;
};

struct queue {
	struct parcel *head, **tail;
	uint64_t bytes;
	double average;
	tstamp empty; // since when, for the average
};

struct egress {
	struct queue q[PKT_CLASSES];
	struct parcel *control, **control_tail;
	tstamp free_at, until[PKT_CLASSES], since[PKT_CLASSES]; // paused until, from
	uint64_t asked[PKT_CLASSES], let[PKT_CLASSES];          // order of the last XOFF and XON
	bool shut[PKT_CLASSES];
	double credit[PKT_CLASSES];
	unsigned turn;
	bool visited;
};

struct group {
	uint64_t base, headroom;
	bool off;
	uint64_t xoffs;
};

struct device {
	struct lab lab;
	struct device_params p;
	struct prng rng;
	byte_ps ps;
	tstamp now, start, quantum;
	struct event *heap;
	unsigned n, space;
	uint64_t order;
	struct tester tester[PORTS];
	struct egress egress[PORTS];
	struct group group[PORTS][PKT_CLASSES];
	uint64_t shared, pooled;
	int64_t shift; // of thresholds in this step, where they vary
	tstamp *turn;  // of our loops
	uint32_t turns, turn_space;
	uint32_t number[65536];
};

static bool is_before(const struct event *a, const struct event *b)
{
	return a->at != b->at ? a->at < b->at : a->order < b->order;
}

static void event_add(struct device *d, struct event e)
{
	unsigned i;

	if (d->n == d->space) {
		d->space = d->space ? 2 * d->space : 1024;
		d->heap = realloc(d->heap, d->space * sizeof(*d->heap));
	}
	e.order = ++d->order;
	for (i = d->n++; i && is_before(&e, &d->heap[(i - 1) / 2]); i = (i - 1) / 2)
		d->heap[i] = d->heap[(i - 1) / 2];
	d->heap[i] = e;
}

static struct event event_take(struct device *d)
{
	struct event first = d->heap[0], last = d->heap[--d->n];
	unsigned i = 0, k;

	while ((k = 2 * i + 1) < d->n) {
		if (k + 1 < d->n && is_before(&d->heap[k + 1], &d->heap[k]))
			k++;
		if (!is_before(&d->heap[k], &last))
			break;
		d->heap[i] = d->heap[k];
		i = k;
	}
	d->heap[i] = last;
	return first;
}

static tstamp wire(const struct device *d, unsigned len)
{
	return rate_time(d->ps, len + PKT_WIRE);
}

// The instant at which our loop sees a frame that came at t.
static tstamp turn_at(struct device *d, tstamp t)
{
	uint32_t lo = 0, hi;

	if (!d->p.gap)
		return t;
	while (!d->turns || d->turn[d->turns - 1] < t) {
		tstamp gap = d->p.gap / 2 + prng_below(&d->rng, d->p.gap);

		if (d->turns == d->turn_space) {
			d->turn_space = d->turn_space ? 2 * d->turn_space : 1024;
			d->turn = realloc(d->turn, d->turn_space * sizeof(*d->turn));
		}
		if (!prng_below(&d->rng, 1000))
			gap *= 20;
		d->turn[d->turns] = (d->turns ? d->turn[d->turns - 1] : 0) + gap;
		d->turns++;
	}
	for (hi = d->turns - 1; lo < hi;) {
		uint32_t mid = (lo + hi) / 2;

		if (d->turn[mid] < t)
			lo = mid + 1;
		else
			hi = mid;
	}
	return d->turn[lo];
}

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

// Testers.

static bool item_is_endless(const struct tester_item *i)
{
	return i->kind == TESTER_HOLD || (i->kind != TESTER_RELEASE && !i->count);
}

static void wake(struct device *d, unsigned port, tstamp at)
{
	event_add(d, (struct event){.at = at, .kind = SEND, .port = port});
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
	return i->kind != TESTER_DATA || !d->p.port_obeys ||
	       d->now >= t->stopped[d->p.cls[i->tos >> 2]];
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

	t->free_at = d->now + wire(d, f->len);
	see(d, port, f, true);
	event_add(d, (struct event){
			     .at = t->free_at + d->p.cable, .kind = ARRIVE, .port = port, .f = f});
	wake(d, port, t->free_at);
}

static void tester_send(struct device *d, unsigned port)
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
		tester_send(d, port);
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
		item_is_sent(t, (unsigned)k, d->now + wire(d, f->len));
		transmit(d, port, f);
	}
}

// The device.

static void kick(struct device *d, unsigned port, tstamp at)
{
	event_add(d, (struct event){.at = at, .kind = EGRESS, .port = port});
}

static void tell(struct device *d, unsigned port, unsigned cls, uint16_t quanta)
{
	struct egress *e = &d->egress[port];
	struct parcel *f = calloc(1, sizeof(*f));

	f->kind = TESTER_CONTROL;
	f->len = PROBE_SHORT;
	f->pcp = TESTER_UNTAGGED;
	f->control = (struct tester_control){.src = {2, 1, [5] = (uint8_t)port},
		.opcode = MACCTL_PFC,
		.pfc.enable = (uint8_t)(1u << cls)};
	memcpy(f->control.dst, pfc_dst, sizeof(pfc_dst));
	f->control.pfc.quanta[cls] = quanta;
	if (!e->control)
		e->control_tail = &e->control;
	*e->control_tail = f;
	e->control_tail = &f->next;
	kick(d, port, d->now);
}

static void tell_xoff(struct device *d, unsigned port, unsigned cls)
{
	struct group *g = &d->group[port][cls];

	tell(d, port, cls, d->p.quanta);
	g->xoffs++;
	if (d->p.refresh > 0)
		event_add(d, (struct event){.at = d->now + (tstamp)(d->p.refresh * d->p.quanta *
								    (double)d->quantum),
				     .kind = REFRESH,
				     .port = port,
				     .cls = cls,
				     .arg = g->xoffs});
}

static bool is_lossless(const struct device *d, unsigned cls)
{
	return d->p.lossless >> cls & 1;
}

static uint64_t reserve_of(const struct device *d, unsigned cls)
{
	return is_lossless(d, cls) ? d->p.reserve : 0;
}

// The bytes of a group at which it sends XOFF, or, if it is lossy, drops.
static uint64_t limit_of(const struct device *d, unsigned cls)
{
	double alpha = is_lossless(d, cls) ? d->p.alpha : d->p.tail_alpha;
	uint64_t fixed = is_lossless(d, cls) ? d->p.xoff : d->p.tail;

	if (alpha <= 0)
		return (uint64_t)((int64_t)fixed + d->shift);
	return reserve_of(d, cls) + (uint64_t)(alpha * (double)(d->p.buffer - d->shared));
}

static void base_change(struct device *d, struct group *g, unsigned cls, int64_t by)
{
	uint64_t r = reserve_of(d, cls);

	d->shared -= g->base > r ? g->base - r : 0;
	g->base = (uint64_t)((int64_t)g->base + by);
	d->shared += g->base > r ? g->base - r : 0;
}

static bool headroom_takes(const struct device *d, const struct group *g, unsigned cost)
{
	return (!d->p.pool || d->pooled + cost <= d->p.pool) && g->headroom + cost <= d->p.headroom;
}

// Whether the buffer takes a frame of a group.
static bool admit(struct device *d, unsigned in, unsigned cls, unsigned cost)
{
	struct group *g = &d->group[in][cls];
	uint64_t limit = limit_of(d, cls);
	bool fits = g->base + cost <= limit && d->shared + cost <= d->p.buffer;

	if (!fits && (!is_lossless(d, cls) || !headroom_takes(d, g, cost)))
		return false;
	if (fits) {
		base_change(d, g, cls, cost);
	} else {
		g->headroom += cost;
		d->pooled += cost;
	}
	if (is_lossless(d, cls) && !g->off && (g->headroom || g->base >= limit)) {
		g->off = true;
		tell_xoff(d, in, cls);
	}
	return true;
}

static void give_back(struct device *d, const struct parcel *f)
{
	struct group *g = &d->group[f->in][f->cls];
	uint64_t h, limit;

	if (!f->cost)
		return;
	h = g->headroom < f->cost ? g->headroom : f->cost;
	g->headroom -= h;
	d->pooled -= h;
	base_change(d, g, f->cls, -(int64_t)(f->cost - h));
	limit = limit_of(d, f->cls);
	if (g->off && g->headroom + g->base + d->p.hyst <= limit) {
		g->off = false;
		g->xoffs++;
		tell(d, f->in, f->cls, 0);
	}
}

// Whether a frame at a length of its queue is to be marked.
static bool marks_at(struct device *d, unsigned cls, double len)
{
	double x;

	if (!(d->p.marked >> cls & 1) || len <= (double)d->p.kmin)
		return false;
	if (len > (double)d->p.kmax)
		return true;
	x = d->p.pmax * (len - (double)d->p.kmin) / (double)(d->p.kmax - d->p.kmin);
	return (double)(prng_u64(&d->rng) >> 11) * 0x1p-53 < x;
}

static uint64_t marked_bytes(const struct device *d, const struct parcel *f)
{
	unsigned bytes = f->len + PKT_FCS;

	return d->p.marks_count ? bytes : (bytes + d->p.cell - 1) / d->p.cell * d->p.cell;
}

// Marks a frame; false: it is dropped.
static bool mark(struct device *d, struct parcel *f, struct queue *q, bool arrives)
{
	double now = (double)(q->bytes + (arrives ? marked_bytes(d, f) : 0));

	if (arrives && !q->head) // as many frames found it empty as would have passed since
		q->average *= pow(1 - 1.0 / (double)(1u << d->p.average),
			(double)((d->now - q->empty) / wire(d, f->len)));
	if (arrives)
		q->average += (now - q->average) / (double)(1u << d->p.average);
	if (d->p.marks != (arrives ? DEVICE_AT_ENQUEUE : DEVICE_AT_DEQUEUE) ||
		!marks_at(d, f->cls, d->p.average ? q->average : now))
		return true;
	if (!(f->tos & 3))
		return !(arrives && d->p.drops_not_ect);
	f->tos |= ECN_CE;
	return true;
}

static void enqueue(struct device *d, unsigned port, struct parcel *f)
{
	struct egress *e = &d->egress[port];
	struct queue *q = &e->q[f->cls];

	if ((e->shut[f->cls] && !d->p.wd_forwards) ||
		(d->p.queue && q->bytes + f->len + PKT_FCS > d->p.queue) || !mark(d, f, q, true) ||
		(f->cost && !admit(d, f->in, f->cls, f->cost))) {
		free(f);
		return;
	}
	if (!q->head)
		q->tail = &q->head;
	*q->tail = f;
	q->tail = &f->next;
	q->bytes += marked_bytes(d, f);
	f->ready = d->now + d->p.forward;
	kick(d, port, f->ready);
}

static void forward(struct device *d, unsigned in, struct parcel *f)
{
	unsigned cells = (f->len + PKT_FCS + d->p.cell - 1) / d->p.cell;

	f->cls = d->p.cls[f->tos >> 2];
	f->cost = cells * d->p.cell;
	if (d->p.silent) {
		free(f);
		return;
	}
	for (unsigned k = 0; d->p.floods && k < d->p.ports; k++)
		if (k != in && k != f->to) {
			struct parcel *copy = malloc(sizeof(*copy));

			*copy = *f;
			copy->cost = 0;
			enqueue(d, k, copy);
		}
	enqueue(d, f->to, f);
}

// A MAC control frame of a tester.
static void obey(struct device *d, unsigned port, const struct parcel *f)
{
	static const uint8_t usual[6] = {1, 0x80, 0xc2, 0, 0, 1}, none[6];
	const struct pkt_pfc *pfc = &f->control.pfc;
	bool pause = f->control.opcode == MACCTL_PAUSE && d->p.obeys_pause;

	if ((memcmp(f->control.dst, none, 6) && memcmp(f->control.dst, usual, 6)) ||
		(f->control.opcode != MACCTL_PFC && !pause))
		return;
	for (unsigned c = 0; c < PKT_CLASSES; c++) {
		unsigned quanta = pfc->quanta[pause ? 0 : c];
		tstamp at = d->now + (quanta ? d->p.response : d->p.resume);

		if (pause || (pfc->enable & d->p.obeys) >> c & 1)
			event_add(d, (struct event){.at = at,
					     .kind = quanta ? PAUSE : RESUME,
					     .port = port,
					     .cls = c,
					     .arg = at + quanta * d->quantum});
	}
}

static void arrive(struct device *d, unsigned port, struct parcel *f)
{
	if (f->kind == TESTER_OURS) {
		forward(d, port, f);
		return;
	}
	obey(d, port, f);
	free(f);
}

// A pause of an egress begins, unless an XON came behind it.
static void pause_begins(struct device *d, const struct event *v)
{
	struct egress *e = &d->egress[v->port];

	if (v->order < e->let[v->cls])
		return;
	if (e->until[v->cls] <= d->now)
		e->since[v->cls] = d->now;
	e->until[v->cls] = v->arg;
	kick(d, v->port, v->arg);
}

static bool is_eligible(const struct device *d, const struct egress *e, unsigned c)
{
	const struct parcel *f = e->q[c].head;

	return f && f->ready <= d->now &&
	       (e->until[c] <= d->now || (e->shut[c] && d->p.wd_forwards));
}

static int strict_pick(const struct device *d, const struct egress *e)
{
	for (unsigned c = PKT_CLASSES; c-- > 0;)
		if (!d->p.weight[c] && is_eligible(d, e, c))
			return (int)c;
	return -1;
}

// Deficit round robin over the classes that are not strict.
static int turn_pick(struct device *d, struct egress *e)
{
	bool any = false;

	for (unsigned c = 0; c < PKT_CLASSES; c++)
		any |= d->p.weight[c] && is_eligible(d, e, c);
	while (any) {
		unsigned c = e->turn;

		if (d->p.weight[c] && is_eligible(d, e, c)) {
			double bytes = e->q[c].head->len + PKT_FCS;

			e->credit[c] += e->visited ? 0 : 1000.0 * d->p.weight[c];
			e->visited = true;
			if (e->credit[c] >= bytes) {
				e->credit[c] -= bytes;
				return (int)c;
			}
		} else {
			e->credit[c] = 0;
		}
		e->turn = (c + 1) % PKT_CLASSES;
		e->visited = false;
	}
	return -1;
}

static struct parcel *egress_take(struct device *d, struct egress *e)
{
	struct parcel *f = e->control;
	struct queue *q;
	int c;

	if (f) {
		e->control = f->next;
		return f;
	}
	c = strict_pick(d, e);
	if (c < 0)
		c = turn_pick(d, e);
	if (c < 0)
		return NULL;
	q = &e->q[c];
	f = q->head;
	mark(d, f, q, false);
	q->head = f->next;
	q->bytes -= marked_bytes(d, f);
	q->empty = d->now;
	give_back(d, f);
	return f;
}

static void egress_send(struct device *d, unsigned port)
{
	struct egress *e = &d->egress[port];
	struct parcel *f;

	if (d->now < e->free_at)
		return;
	f = egress_take(d, e);
	if (!f)
		return;
	f->next = NULL;
	e->free_at = d->now + wire(d, f->len);
	event_add(d, (struct event){.at = turn_at(d, e->free_at + d->p.cable),
			     .kind = DELIVER,
			     .port = port,
			     .f = f});
	kick(d, port, e->free_at);
}

static void deliver(struct device *d, unsigned port, struct parcel *f)
{
	if (f->kind == TESTER_CONTROL && d->p.port_obeys)
		for (unsigned c = 0; c < PKT_CLASSES; c++)
			if (f->control.pfc.enable >> c & 1)
				d->tester[port].stopped[c] =
					d->now + f->control.pfc.quanta[c] * d->quantum;
	if (f->kind != TESTER_CONTROL || !d->p.port_eats_pfc)
		see(d, port, f, false);
	free(f);
}

static void shut_queue(struct device *d, struct egress *e, unsigned c)
{
	struct parcel *f;

	e->shut[c] = true;
	while (!d->p.wd_forwards && (f = e->q[c].head) != NULL) {
		e->q[c].head = f->next;
		e->q[c].bytes -= marked_bytes(d, f);
		give_back(d, f);
		free(f);
	}
}

static void watchdog_poll(struct device *d)
{
	for (unsigned p = 0; p < d->p.ports; p++)
		for (unsigned c = 0; c < PKT_CLASSES; c++) {
			struct egress *e = &d->egress[p];
			bool paused = e->until[c] > d->now;

			if (e->shut[c] && !paused && d->now - e->until[c] >= d->p.wd_restore)
				e->shut[c] = false;
			else if (!e->shut[c] && paused && e->q[c].head &&
				 d->now - e->since[c] >= d->p.wd_detect)
				shut_queue(d, e, c);
			kick(d, p, d->now);
		}
	event_add(d, (struct event){.at = d->now + d->p.wd_poll, .kind = POLL});
}

static void talk(struct device *d)
{
	struct parcel *f = calloc(1, sizeof(*f));

	if (d->p.others > 0) {
		f->kind = TESTER_OTHER;
		f->len = 252;
		f->pcp = TESTER_UNTAGGED;
		f->cls = d->p.cls[0];
		event_add(d, (struct event){
				     .at = d->now + (tstamp)((double)wire(d, f->len) / d->p.others),
				     .kind = TALK});
		enqueue(d, 2, f);
		return;
	}
	free(f);
	event_add(d, (struct event){.at = d->now + PS_PER_MS, .kind = TALK});
}

static void handle(struct device *d, struct event *v)
{
	struct egress *e = &d->egress[v->port];

	switch (v->kind) {
	case SEND:
		tester_send(d, v->port);
		break;
	case ARRIVE:
		arrive(d, v->port, v->f);
		break;
	case EGRESS:
		egress_send(d, v->port);
		break;
	case DELIVER:
		deliver(d, v->port, v->f);
		break;
	case PAUSE:
		pause_begins(d, v);
		break;
	case RESUME:
		e->let[v->cls] = v->order;
		e->until[v->cls] = tstamp_min(e->until[v->cls], d->now);
		kick(d, v->port, d->now);
		break;
	case REFRESH:
		if (d->group[v->port][v->cls].off && d->group[v->port][v->cls].xoffs == v->arg)
			tell_xoff(d, v->port, v->cls);
		break;
	case POLL:
		watchdog_poll(d);
		break;
	case TALK:
		talk(d);
		break;
	}
}

// Steps.

static void lists_begin(struct device *d, const struct lab_step *step)
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
	if (d->p.varies)
		d->shift = ((int64_t)prng_below(&d->rng, 2 * d->p.varies + 1) - d->p.varies) *
			   (int64_t)(d->p.cell > 64 ? d->p.cell : 64);
}

// The last bit of the last finite item; TSTAMP_NEVER: one is still to come.
static tstamp lists_end(const struct device *d)
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

static void sight_fill(struct device *d, struct lab_sight *sight)
{
	*sight = (struct lab_sight){.took = d->now - d->start, .kept = 1};
	for (unsigned p = 0; p < d->p.ports; p++)
		sight->port[p] = (struct lab_seen){d->tester[p].seen, d->tester[p].n_seen,
			d->tester[p].control, d->tester[p].n_control};
	for (uint32_t k = 1; k < d->turns; k++)
		if (d->turn[k] > d->start && d->turn[k - 1] < d->now)
			sight->gap_longest =
				tstamp_max(sight->gap_longest, d->turn[k] - d->turn[k - 1]);
	sight->gap = d->p.gap + d->p.gap / 2;
	if (d->p.bad) {
		d->p.bad--;
		sight->lost = 1;
	}
}

static int device_step(
	struct lab *lab, const struct lab_step *step, struct lab_sight *sight, struct err *err)
{
	struct device *d = (struct device *)lab;
	tstamp end = TSTAMP_NEVER, cut;

	(void)err;
	d->start = d->now;
	d->ps = rate_byte_ps(d->p.rate);
	cut = step->longest ? d->now + step->longest : d->now + 10 * PS_PER_S;
	lists_begin(d, step);
	for (;;) {
		if (end == TSTAMP_NEVER && lists_end(d) != TSTAMP_NEVER)
			end = lists_end(d) + step->tail;
		if (!d->n || d->heap[0].at > tstamp_min(end, cut))
			break;
		struct event v = event_take(d);

		d->now = v.at;
		handle(d, &v);
	}
	d->now = tstamp_min(end, cut);
	for (unsigned p = 0; p < d->p.ports; p++)
		d->tester[p].n = 0;
	sight_fill(d, sight);
	sight->cut = cut < end;
	return 0;
}

struct device_params device_usual(void)
{
	struct device_params p = {.rate = 100 * RATE_GBPS,
		.ports = 4,
		.cable = 100 * PS_PER_NS,
		.forward = 500 * PS_PER_NS,
		.response = PS_PER_US,
		.obeys = 0x18,
		.lossless = 0x18,
		.cell = 1,
		.buffer = 4000000,
		.xoff = 100000,
		.hyst = 4096,
		.headroom = 60000,
		.quanta = 65535,
		.refresh = .5,
		.tail = 500000,
		.seed = 1};

	for (unsigned k = 0; k < 64; k++)
		p.cls[k] = (uint8_t)(k / 8);
	for (unsigned c = 0; c < PKT_CLASSES; c++)
		p.weight[c] = 1;
	return p;
}

struct device *device_new(const struct device_params *params)
{
	struct device *d = calloc(1, sizeof(*d));

	static const char *const name[PORTS] = {"p1", "p2", "p3", "p4", "p5", "p6", "p7", "p8"};

	d->p = *params;
	d->ps = rate_byte_ps(params->rate);
	d->quantum = 512 * PS_PER_S / params->rate;
	prng_init(&d->rng, params->seed, "device");
	d->lab.ports = params->ports;
	d->lab.step = device_step;
	d->lab.gap = params->gap + params->gap / 2;
	for (unsigned k = 0; k < params->ports; k++)
		d->lab.port[k] = (struct lab_port){.name = name[k],
			.mac = {2, [5] = (uint8_t)k},
			.rate = params->rate,
			.cable = params->cable};
	if (params->wd_poll)
		event_add(d,
			(struct event){.at = prng_below(&d->rng, params->wd_poll), .kind = POLL});
	event_add(d, (struct event){.kind = TALK});
	return d;
}

void device_free(struct device *d)
{
	while (d->n)
		free(event_take(d).f);
	for (unsigned k = 0; k < PORTS; k++) {
		struct egress *e = &d->egress[k];

		for (struct parcel *f; (f = e->control) != NULL; free(f))
			e->control = f->next;
		for (unsigned c = 0; c < PKT_CLASSES; c++)
			for (struct parcel *f; (f = e->q[c].head) != NULL; free(f))
				e->q[c].head = f->next;
		free(d->tester[k].seen);
		free(d->tester[k].control);
	}
	free(d->heap);
	free(d->turn);
	free(d);
}

struct lab *device_lab(struct device *d)
{
	return &d->lab;
}

struct device_params *device_params(struct device *d)
{
	return &d->p;
}

struct probe *device_probe(struct device *d, uint8_t classes)
{
	struct probe_cfg *cfg = calloc(1, sizeof(*cfg));
	struct probe *p = calloc(1, sizeof(*p));

	*cfg = (struct probe_cfg){.in = {0, 1, 3},
		.n_in = 3,
		.out = {2, 3},
		.n_out = 2,
		.classes = classes,
		.accuracy = .03,
		.steps = UINT32_MAX,
		.most_hold = 50 * PS_PER_MS,
		.most_step = 5 * PS_PER_S,
		.most_time = 600 * PS_PER_S,
		.most_frames = 4000000,
		.most_buffer = 128000000,
		.seed = d->p.seed};
	for (unsigned c = 0; c < PKT_CLASSES; c++) {
		cfg->dscp[c] = PROBE_NO_DSCP;
		for (unsigned k = 64; k-- > 0;)
			if (d->p.cls[k] == c)
				cfg->dscp[c] = (uint8_t)k;
	}
	p->found = calloc(1, sizeof(*p->found));
	p->err = calloc(1, sizeof(*p->err));
	probe_init(p, &d->lab, cfg, p->found, p->err);
	return p;
}

void device_probe_free(struct probe *p)
{
	probe_list_free(p);
	found_free(p->found);
	free(p->found);
	free(p->err);
	free((void *)(uintptr_t)p->cfg);
	free(p);
}
