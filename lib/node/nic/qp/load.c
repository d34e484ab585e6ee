// SPDX-License-Identifier: BSD-3-Clause
// Loads: messages that come by themselves (load/arrivals.h). Each joins the FIFO of its queue pair,
// which posts its messages in turn.
#include <errno.h>
#include <stdlib.h>

#include "int.h"

#define NOBODY UINT32_MAX

// A message that its queue pair has not posted.
struct waiting {
	tstamp at; // it came
	uint32_t bytes;
	uint32_t next; // behind it in its FIFO, or the next free place
};

// One of the queue pairs by which messages go to a host.
struct way {
	uint32_t to, qp; // its index; NOBODY: another lane has it
};

struct nic_load {
	struct arrivals a;
	uint32_t number; // in the scene
	uint32_t host;   // whose messages we send
	uint32_t each;   // queue pairs that take turns
	uint64_t n;      // messages of the host so far
	bool stopped;    // its messages are nobody's
	tstamp from;     // it went on then
	struct way *way; // by `to`, `each` of them in a row
	uint32_t n_ways;
};

struct fifo {
	uint32_t head, tail;
	uint32_t load; // in nic_loads.load
};

struct nic_loads {
	struct nic_load **load;
	unsigned n;
	struct fifo *fifo; // by index of the queue pair
	struct waiting *waiting;
	uint32_t lent, free; // places that were ever used; the first that is free again, or NOBODY
};

static int init(struct nic *nic)
{
	struct nic_loads *l = calloc(1, sizeof(*l));

	if (!l)
		return -ENOMEM;
	nic->loads = l;
	nic->s.has_loads = true;
	l->free = NOBODY;
	l->fifo = malloc((nic->p.max_qps + 1ul) * sizeof(*l->fifo));
	l->waiting = calloc(nic->p.waiting + 1ul, sizeof(*l->waiting));
	if (!l->fifo || !l->waiting)
		return -ENOMEM;
	for (uint32_t i = 0; i <= nic->p.max_qps; i++)
		l->fifo[i] = (struct fifo){NOBODY, NOBODY, NOBODY};
	return 0;
}

void nic_load_fini(struct nic *nic)
{
	struct nic_loads *l = nic->loads;

	if (!l)
		return;
	for (unsigned i = 0; i < l->n; i++) {
		free(l->load[i]->way);
		free(l->load[i]);
	}
	free(l->load);
	free(l->fifo);
	free(l->waiting);
	free(l);
}

// Finds the queue pairs of a load, which have been added.
static int find_ways(struct nic *nic, struct nic_load *one, const struct nic_load_params *p)
{
	one->way = calloc(p->n_pairs + 1ul, sizeof(*one->way));
	if (!one->way)
		return -ENOMEM;
	one->n_ways = p->n_pairs;
	for (uint32_t i = 0; i < p->n_pairs; i++) {
		const struct nic_load_pair *pair = &p->pair[i];
		int qp = pair->qp ? nic_index_of(nic, pair->qp) : -1;

		if (pair->qp && (qp < 0 || !nic_requests(nic, (unsigned)qp)))
			return -EINVAL;
		one->way[i] = (struct way){pair->to, pair->qp ? (uint32_t)qp : NOBODY};
		if (pair->qp)
			nic->loads->fifo[qp].load = nic->loads->n;
	}
	return 0;
}

// The instants of loads are in the wheel of timers, behind those of queue pairs.
static uint32_t timer_of(const struct nic *nic, unsigned i)
{
	return nic->p.max_qps + i;
}

int nic_load_add(struct nic *nic, const struct nic_load_params *p)
{
	int rc = nic->loads ? 0 : init(nic);
	struct nic_load *one;

	if (rc)
		return rc;
	if (!p->each || p->n_pairs % p->each || !nic_room(&nic->loads->load, nic->loads->n))
		return p->each && p->n_pairs % p->each == 0 ? -ENOMEM : -EINVAL;
	one = calloc(1, sizeof(*one));
	if (!one)
		return -ENOMEM;
	one->number = p->number;
	one->host = p->host;
	one->each = p->each;
	one->stopped = p->stopped;
	rc = arrivals_init(&one->a, p->arrivals);
	if (!rc)
		rc = find_ways(nic, one, p);
	if (!rc)
		rc = wheel_grow(&nic->timers, timer_of(nic, nic->loads->n) + 1);
	if (rc) {
		free(one->way);
		free(one);
		return rc;
	}
	wheel_set(&nic->timers, timer_of(nic, nic->loads->n), arrivals_at(&one->a));
	nic->loads->load[nic->loads->n++] = one;
	return 0;
}

// Puts a message into the FIFO of a queue pair. False: the host has no room for one more.
static bool put(struct nic *nic, uint32_t qp, uint32_t bytes, tstamp at)
{
	struct nic_loads *l = nic->loads;
	struct fifo *f = &l->fifo[qp];
	uint32_t i = l->free;

	if (i != NOBODY)
		l->free = l->waiting[i].next;
	else if (l->lent < nic->p.waiting)
		i = l->lent++;
	else
		return false;
	l->waiting[i] = (struct waiting){.at = at, .bytes = bytes, .next = NOBODY};
	if (f->head == NOBODY)
		f->head = i;
	else
		l->waiting[f->tail].next = i;
	f->tail = i;
	return true;
}

bool nic_load_waits(const struct nic *nic, const struct nic_qp *qp)
{
	return nic->loads->fifo[qp->index].head != NOBODY;
}

void nic_load_take(struct nic *nic, const struct nic_qp *qp, uint32_t *bytes, tstamp *at)
{
	struct nic_loads *l = nic->loads;
	struct fifo *f = &l->fifo[qp->index];
	struct waiting *w = &l->waiting[f->head];
	uint32_t next = w->next;

	*bytes = w->bytes;
	*at = w->at;
	w->next = l->free;
	l->free = f->head;
	f->head = next;
}

bool nic_load_look(const struct nic *nic, unsigned qp, uint32_t *place, uint32_t *bytes, tstamp *at)
{
	const struct nic_loads *l = nic->loads;
	uint32_t i;

	if (!l)
		return false;
	i = *place == NIC_LOAD_FIRST ? l->fifo[qp].head : *place;
	if (i == NOBODY)
		return false;
	*bytes = l->waiting[i].bytes;
	*at = l->waiting[i].at;
	*place = l->waiting[i].next;
	return true;
}

// Returns the queue pair of the host's next message, by index; NOBODY: it goes to no host of ours.
static uint32_t way_to(struct nic_load *one, uint32_t to)
{
	uint32_t turn = (uint32_t)(one->n++ % one->each), low = 0, high = one->n_ways / one->each;

	while (low < high) {
		uint32_t mid = low + (high - low) / 2;

		if (one->way[mid * one->each].to < to)
			low = mid + 1;
		else
			high = mid;
	}
	low = low * one->each + turn;
	return low < one->n_ways && one->way[low].to == to ? one->way[low].qp : NOBODY;
}

void nic_load_go(struct nic *nic, struct nic_qp *qp, tstamp now)
{
	if (qp->req.tx.failed)
		return;
	if (qp->running)
		nic_req_post(nic, qp, now);
	else
		nic_req_start(nic, qp, now);
}

// The message finds no room to wait.
static void drop(struct nic *nic, uint32_t qp, const struct arrival *m)
{
	struct ev *ev = ev_put(nic->events, EV_MSG_FAILED, nic->now);

	nic->s.messages_dropped++;
	if (ev)
		ev->message = (struct ev_message){.flow = nic_flow_at(nic, qp),
			.bytes = m->bytes,
			.begun = TSTAMP_NEVER,
			.posted = m->at};
}

// What would have come while the load was stopped does not come later. Of a closed load the next
// message waits until the load goes on.
static void give(struct nic *nic, struct nic_load *one, const struct arrival *m, tstamp now)
{
	uint32_t i = way_to(one, m->to);

	if (i == NOBODY || one->stopped || m->at >= nic->quiet_at ||
		(m->at < one->from && one->a.cfg->kind != ARRIVALS_CLOSED))
		return;
	if (!put(nic, i, m->bytes, tstamp_max(m->at, one->from))) {
		drop(nic, i, m);
		return;
	}
	nic_load_wake(nic, i, now);
}

void nic_load_wake(struct nic *nic, unsigned i, tstamp now)
{
	if (nic->qp[i] || !nic_wait_message(nic, i, now))
		nic_load_go(nic, nic_qp_at(nic, i), now);
}

// Messages of a closed load wait while senders begin nothing.
static bool is_held(const struct nic *nic, const struct nic_load *one)
{
	return one->a.cfg->kind == ARRIVALS_CLOSED && arrivals_at(&one->a) >= nic->quiet_at;
}

void nic_load_due(struct nic *nic, uint32_t timer, tstamp now)
{
	struct nic_load *one = nic->loads->load[timer - nic->p.max_qps];
	struct arrival m;

	while (arrivals_at(&one->a) <= now && !is_held(nic, one) && arrivals_next(&one->a, &m))
		if (m.from == one->host)
			give(nic, one, &m, now);
	wheel_set(&nic->timers, timer, is_held(nic, one) ? TSTAMP_NEVER : arrivals_at(&one->a));
}

void nic_load_done(struct nic *nic, const struct nic_qp *qp, tstamp now)
{
	uint32_t i = nic->loads->fifo[qp->index].load;
	struct nic_load *one = nic->loads->load[i];

	arrivals_done(&one->a, now);
	if (one->a.cfg->kind == ARRIVALS_CLOSED && !one->stopped)
		wheel_set(&nic->timers, timer_of(nic, i), arrivals_at(&one->a));
}

int nic_load_run(struct nic *nic, uint32_t number, bool on, tstamp from)
{
	for (unsigned i = 0; nic->loads && i < nic->loads->n; i++) {
		struct nic_load *one = nic->loads->load[i];

		if (one->number != number)
			continue;
		if (on && one->stopped)
			one->from = from;
		one->stopped = !on;
		wheel_set(&nic->timers, timer_of(nic, i), on ? arrivals_at(&one->a) : TSTAMP_NEVER);
		return 0;
	}
	return -ENOENT;
}

void nic_load_go_on(struct nic *nic, tstamp now)
{
	for (unsigned i = 0; nic->loads && i < nic->loads->n; i++) {
		struct nic_load *one = nic->loads->load[i];

		one->from = now;
		if (!one->stopped)
			wheel_set(&nic->timers, timer_of(nic, i), arrivals_at(&one->a));
	}
}

int nic_load_each(struct nic *nic, uint32_t number,
	void (*fn)(struct nic *nic, unsigned qp, bool on, tstamp now), bool on, tstamp now)
{
	for (unsigned i = 0; nic->loads && i < nic->loads->n; i++) {
		struct nic_load *one = nic->loads->load[i];

		if (one->number != number)
			continue;
		for (uint32_t k = 0; k < one->n_ways; k++)
			if (one->way[k].qp != NOBODY)
				fn(nic, one->way[k].qp, on, now);
		return 0;
	}
	return -ENOENT;
}
