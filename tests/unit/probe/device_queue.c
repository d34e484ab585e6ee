// SPDX-License-Identifier: BSD-3-Clause
// The queues of the switch of unit tests: markers, the scheduler, the watchdog.
#include <math.h>
#include <stdlib.h>

#include "device_inside.h"

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
			(double)((d->now - q->empty) / device_wire(d, f->len)));
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

void device_enqueue(struct device *d, unsigned port, struct parcel *f)
{
	struct egress *e = &d->egress[port];
	struct queue *q = &e->q[f->cls];

	if ((e->shut[f->cls] && !d->p.wd_forwards) ||
		(d->p.queue && q->bytes + f->len + PKT_FCS > d->p.queue) || !mark(d, f, q, true) ||
		(f->cost && !device_admit(d, f->in, f->cls, f->cost))) {
		free(f);
		return;
	}
	if (!q->head)
		q->tail = &q->head;
	*q->tail = f;
	q->tail = &f->next;
	q->bytes += marked_bytes(d, f);
	f->ready = d->now + d->p.forward;
	device_kick(d, port, f->ready);
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
	device_give_back(d, f);
	return f;
}

void device_egress_send(struct device *d, unsigned port)
{
	struct egress *e = &d->egress[port];
	struct parcel *f;

	if (d->now < e->free_at)
		return;
	f = egress_take(d, e);
	if (!f)
		return;
	f->next = NULL;
	e->free_at = d->now + device_wire(d, f->len);
	device_event(d, (struct event){.at = device_turn_at(d, e->free_at + d->p.cable),
				.kind = DELIVER,
				.port = port,
				.f = f});
	device_kick(d, port, e->free_at);
}

static void shut_queue(struct device *d, struct egress *e, unsigned c)
{
	struct parcel *f;

	e->shut[c] = true;
	while (!d->p.wd_forwards && (f = e->q[c].head) != NULL) {
		e->q[c].head = f->next;
		e->q[c].bytes -= marked_bytes(d, f);
		device_give_back(d, f);
		free(f);
	}
}

void device_watchdog_poll(struct device *d)
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
			device_kick(d, p, d->now);
		}
	device_event(d, (struct event){.at = d->now + d->p.wd_poll, .kind = POLL});
}
