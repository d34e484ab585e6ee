// SPDX-License-Identifier: BSD-3-Clause
// Requesters that wait for a place (nic_params.live_pairs). The first that came gets the next
// place. While others wait, a requester that has one posts one message at a time, and then goes
// behind them.
#include <errno.h>
#include <stdlib.h>

#include "int.h"

#define NOBODY UINT32_MAX

// The action of a requester that gets a place.
enum then { NOTHING, START, OBEY, POST, GO };

struct nic_wait {
	tstamp since;
	uint32_t next;
	uint8_t then; // enum then
	bool queued;
};

struct nic_waits {
	uint32_t head, tail; // by index; NOBODY
	tstamp at;           // no place is free before; TSTAMP_NEVER: not until one is given back
	struct nic_wait of[];
};

int nic_wait_init(struct nic *nic)
{
	struct nic_waits *w = nic->waits;

	if (!nic->p.live_pairs || nic->p.large)
		return 0;
	w = calloc(1, sizeof(*w) + nic->p.max_qps * sizeof(w->of[0]));
	if (!w)
		return -ENOMEM;
	w->head = w->tail = NOBODY;
	w->at = TSTAMP_NEVER;
	nic->waits = w;
	nic->s.has_live_pairs = true;
	return 0;
}

static void put(struct nic *nic, uint32_t i, enum then then, tstamp now)
{
	struct nic_waits *w = nic->waits;
	struct nic_wait *x = &w->of[i];

	x->then = (uint8_t)then;
	if (x->queued)
		return;
	*x = (struct nic_wait){.since = now, .next = NOBODY, .then = (uint8_t)then, .queued = true};
	if (w->head == NOBODY)
		w->head = i;
	else
		w->of[w->tail].next = i;
	w->tail = i;
	nic->n_wanting++;
	nic->s.place_waits++;
}

// A place may be free from `at` on.
static void look_at(struct nic *nic, tstamp at)
{
	nic->waits->at = tstamp_min(nic->waits->at, at);
	nic->slow_at = tstamp_min(nic->slow_at, nic->waits->at);
}

static bool has_to_wait(struct nic *nic, uint32_t i, enum then then, tstamp now)
{
	struct nic_waits *w = nic->waits;
	tstamp at = TSTAMP_NEVER;

	if (w->head == NOBODY && nic_place_is_free(nic, &at))
		return false;
	put(nic, i, then, now);
	look_at(nic, at);
	return true;
}

bool nic_wait_start(struct nic *nic, unsigned i, tstamp now)
{
	return nic->waits && nic_requests(nic, i) && has_to_wait(nic, i, START, now);
}

bool nic_wait_message(struct nic *nic, unsigned i, tstamp now)
{
	return nic->waits && (nic->waits->of[i].queued || has_to_wait(nic, i, GO, now));
}

bool nic_wait_command(struct nic *nic, unsigned i, bool on, tstamp now)
{
	const struct nic_idle *d = &nic->idle[i];

	if (!nic->waits || nic->qp[i])
		return false;
	if (!on) {
		nic->waits->of[i].then = NOTHING;
		return false;
	}
	if (d->was_used && nic_idle_rest(nic, i)->running)
		return false;
	return has_to_wait(nic, i, OBEY, now);
}

// Whether a requester gives its place away when it has nothing to send.
static bool passes(const struct nic *nic, const struct nic_qp *qp)
{
	return nic->waits && nic->waits->head != NOBODY && qp->lends && rp_is_new(qp->req.rp);
}

bool nic_wait_holds(const struct nic *nic, const struct nic_qp *qp)
{
	return qp->wants_place || (qp->req.tx.messages && passes(nic, qp));
}

void nic_wait_look(struct nic *nic, const struct nic_qp *qp, tstamp at)
{
	if (passes(nic, qp) && qp->state == NIC_QP_IDLE && !qp->req.tx.messages)
		look_at(nic, tstamp_max(at, qp->req.pacer.next));
}

void nic_wait_pass(struct nic *nic, struct nic_qp *qp, tstamp now)
{
	if (!passes(nic, qp))
		return;
	if (nic_req_may_post(nic, qp, now)) {
		put(nic, qp->index, POST, now);
		qp->wants_place = true;
	}
	nic_wait_look(nic, qp, now);
}

// Takes requester `i`, which comes behind `before`, out of the queue. It goes on.
static void go_on(struct nic *nic, uint32_t before, uint32_t i, tstamp now)
{
	struct nic_waits *w = nic->waits;
	struct nic_wait *x = &w->of[i];
	struct nic_qp *qp;

	if (before == NOBODY)
		w->head = x->next;
	else
		w->of[before].next = x->next;
	if (w->tail == i)
		w->tail = before;
	x->queued = false;
	nic->n_wanting--;
	nic->s.place_wait_ps += now - x->since;
	if (x->then == NOTHING)
		return;
	qp = nic_qp_at(nic, i);
	qp->wants_place = false;
	if (x->then == OBEY) {
		nic_req_run(nic, qp, true, now);
	} else if (x->then == POST) {
		nic_req_post(nic, qp, now);
	} else if (x->then == GO) {
		nic_load_go(nic, qp, now);
	} else {
		qp->timer_at = nic_req_timer(nic, qp, now);
		wheel_set(&nic->timers, i, qp->timer_at);
	}
}

static bool can_go_on(struct nic *nic, uint32_t i, tstamp *at)
{
	return nic->waits->of[i].then == NOTHING || nic->qp[i] || nic_place_is_free(nic, at);
}

void nic_wait_timer(struct nic *nic, tstamp now)
{
	struct nic_waits *w = nic->waits;
	uint32_t before = NOBODY, next;
	tstamp at = TSTAMP_NEVER;

	if (!w)
		return;
	if (now >= w->at) {
		w->at = TSTAMP_NEVER;
		while (w->head != NOBODY && can_go_on(nic, w->head, &at))
			go_on(nic, NOBODY, w->head, now);
		// Of those behind it, a requester whose reaction point was reached meanwhile keeps
		// its place.
		for (uint32_t i = w->head; i != NOBODY; i = next) {
			next = w->of[i].next;
			if (nic->qp[i] && !rp_is_new(nic->qp[i]->req.rp))
				go_on(nic, before, i, now);
			else
				before = i;
		}
		if (w->head != NOBODY)
			look_at(nic, at);
	}
	nic->slow_at = tstamp_min(nic->slow_at, w->at);
}

void nic_wait_account(struct nic *nic, tstamp now)
{
	struct nic_waits *w = nic->waits;

	for (uint32_t i = w ? w->head : NOBODY; i != NOBODY; i = w->of[i].next) {
		nic->s.place_wait_ps += now - w->of[i].since;
		w->of[i].since = now;
	}
}
