// SPDX-License-Identifier: BSD-3-Clause
// The ranks of a host: messages that come or are done, their sends, and their events.
#include <assert.h>

#include "int.h"

// A rank has acted: its next instant, and its turn to give its sends.
static void acted(struct nic_work *w, uint32_t rank)
{
	const struct work_rank *r = &w->rank[rank];

	assert(w->runs == NOBODY);
	w->runs = rank;
	wheel_set(&w->timers, rank, r->started ? job_deadline(r->r) : r->job->p.start);
}

static void tell_message(
	struct nic_work *w, const struct work_job *j, const struct job_message *m, tstamp now)
{
	struct ev *ev = ev_put(w->events, EV_JOB_MESSAGE, now);

	if (ev)
		ev->job_message = (struct ev_job_message){.rank = j->p.rank_at + m->to,
			.from = j->p.rank_at + m->from,
			.tag = m->tag,
			.bytes = m->bytes < UINT32_MAX ? (uint32_t)m->bytes : UINT32_MAX,
			.posted = m->posted};
}

void work_rank_arrived(struct nic_work *w, uint32_t to, const struct job_message *m,
	const struct job_split *took, tstamp now)
{
	struct work_rank *r = &w->rank[to];

	tell_message(w, r->job, m, now);
	r->job->lost += !job_arrived(r->r, m, took, now);
	acted(w, to);
}

void work_rank_sent(struct nic_work *w, uint32_t from, const struct job_message *m,
	const struct job_split *took, tstamp now)
{
	job_send_done(w->rank[from].r, m, took, now);
	acted(w, from);
}

void work_rank_due(struct nic_work *w, uint32_t rank, tstamp now)
{
	struct work_rank *r = &w->rank[rank];

	if (r->started)
		job_expire(r->r, now);
	else
		job_start(r->r, now);
	r->started = true;
	acted(w, rank);
}

static void tell_calc(struct nic_work *w, const struct work_rank *r, tstamp now)
{
	struct job_calc calc;
	struct ev *ev = job_take_calc(r->r, &calc) ? ev_put(w->events, EV_JOB_CALC, now) : NULL;

	if (ev)
		ev->job_calc =
			(struct ev_job_calc){r->job->p.rank_at + r->number, calc.op, calc.start};
}

static void tell_step(struct nic_work *w, const struct work_rank *r, tstamp now)
{
	uint32_t rank = r->job->p.rank_at + r->number;
	struct job_step s;
	struct ev *ev;

	if (!job_take_step(r->r, &s))
		return;
	ev = ev_put(w->events, EV_JOB_STEP, now);
	if (ev) {
		ev->cls = s.split.unknown;
		ev->job_step = (struct ev_job_step){rank, s.iteration, s.start, s.done};
	}
	for (unsigned i = 0; !s.split.unknown && i < JOB_PARTS; i++) {
		ev = ev_put(w->events, EV_JOB_PART, now);
		if (!ev)
			continue;
		ev->cls = (uint8_t)i;
		ev->job_part = (struct ev_job_part){rank, s.iteration, s.split.part[i]};
	}
}

// The way of a message that leaves a rank. There is one for each SEND of the graph.
static uint32_t way_of(
	const struct nic_work *w, const struct work_rank *r, const struct job_message *m)
{
	uint32_t low = r->first, high = r->first + r->n_out;

	while (low < high) {
		uint32_t mid = low + (high - low) / 2;
		const struct work_out *o = &w->out[mid];

		if (o->to < m->to || (o->to == m->to && o->nic < m->nic))
			low = mid + 1;
		else
			high = mid;
	}
	assert(low < r->first + r->n_out && w->out[low].to == m->to && w->out[low].nic == m->nic);
	return low;
}

// Puts a message into the FIFO of its queue pair, or among those of ranks on this host. Returns the
// queue pair.
static uint32_t put_send(struct nic_work *w, const struct job_message *m, tstamp now)
{
	uint32_t way = way_of(w, &w->rank[w->runs], m);
	struct work_out *o = &w->out[way];
	struct nic_fifo *to = o->qp == NOBODY ? &w->near : &w->fifos->fifo[o->qp];

	w->put = nic_fifo_put(w->fifos, to, (uint32_t)m->bytes, m->posted);
	assert(w->put != NOBODY); // there is room for all SENDs that may wait
	w->send[w->put] =
		(struct work_send){.m = *m, .since = work_message_sums(o, now), .way = way};
	return o->qp;
}

// The rank that has acted gives its next send to a queue pair, which is returned. NOBODY: it has
// none left.
static uint32_t give_send(struct nic_work *w, tstamp now)
{
	struct job_message m;
	uint32_t qp;

	while (job_take_send(w->rank[w->runs].r, &m)) {
		qp = put_send(w, &m, now);
		if (qp != NOBODY)
			return qp;
	}
	tell_calc(w, &w->rank[w->runs], now);
	tell_step(w, &w->rank[w->runs], now);
	w->runs = NOBODY;
	return NOBODY;
}

void work_rank_meet(struct nic_work *w, tstamp now)
{
	static const struct job_split none;

	if (w->meets) {
		w->meets = false;
		work_rank_sent(w, w->out[w->met.way].from, &w->met.m, &none, now);
		return;
	}
	w->met = w->send[nic_fifo_take(w->fifos, &w->near)];
	w->meets = true;
	work_rank_arrived(w, w->out[w->met.way].here, &w->met.m, &none, now);
}

uint32_t nic_work_next(struct nic_work *w, tstamp now)
{
	return w->runs == NOBODY ? NOBODY : give_send(w, now);
}
