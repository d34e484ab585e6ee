// SPDX-License-Identifier: BSD-3-Clause
// Senders that begin nothing new (a quiesce), and sources that a command holds where they are (a
// pause); whether the NIC has come to rest.
#include <errno.h>

#include "int.h"

static void set_gen(struct nic *nic, struct nic_gen *g, tstamp now)
{
	gen_until(&g->g, g->paused ? 0 : nic->quiet_at, now);
	if (!g->parked)
		wheel_set(&nic->gap, g->id, gen_deadline(&g->g));
}

static void set_capture(struct nic *nic, tstamp now)
{
	player_hold(&nic->play, nic->play_paused || nic->quiet_at != TSTAMP_NEVER, now);
	nic->replay_at = player_deadline(&nic->play);
}

// Sources of frames follow quiet_at and their pauses.
static void set_sources(struct nic *nic, tstamp now)
{
	for (unsigned i = 0; i < nic->n_gens; i++)
		set_gen(nic, nic->gen[i], now);
	set_capture(nic, now);
}

void nic_quiesce(struct nic *nic, bool goes_on, tstamp now)
{
	nic->quiet_at = tstamp_min(nic->quiet_at, now);
	nic->goes_on = goes_on;
	nic->rest_to = 0;
	set_sources(nic, now);
}

static bool is_running(const struct nic *nic, unsigned i)
{
	if (nic->qp[i])
		return nic->qp[i]->running;
	return nic->idle[i].was_used && nic_idle_rest(nic, i)->running;
}

void nic_go_on(struct nic *nic, tstamp now)
{
	nic->quiet_at = TSTAMP_NEVER;
	nic->rest_to = 0;
	set_sources(nic, now);
	nic_load_go_on(nic, now);
	for (unsigned i = 0; i < nic->n_qps; i++) {
		struct nic_qp *qp = nic->qp[i];

		if (nic_requests(nic, i) && is_running(nic, i))
			nic_load_wake(nic, i, now);
		else if (qp && !qp->requester && qp->rsp.read && qp->rsp.read->running)
			nic_read_run(nic, qp, true, now);
	}
}

static void pause_qp(struct nic *nic, unsigned i, bool on, tstamp now)
{
	struct nic_qp *qp = nic->qp[i];

	if (!qp)
		nic->idle[i].paused = on;
	else if (qp->requester)
		nic_req_pause(nic, qp, on, now);
	else if (qp->rsp.read)
		nic_read_pause(nic, qp, on, now);
}

static int pause_gen(struct nic *nic, uint32_t source, bool on, tstamp now)
{
	int i = nic_find_gen(nic, source);

	if (i < 0)
		return -ENOENT;
	nic->gen[i]->paused = on;
	set_gen(nic, nic->gen[i], now);
	return 0;
}

static int pause_flow(struct nic *nic, uint32_t flow, bool on, tstamp now)
{
	int sends = nic_find_qp(nic, flow, true), reads = nic_find_qp(nic, flow, false);

	if (sends < 0 && reads < 0)
		return -ENOENT;
	if (sends >= 0)
		pause_qp(nic, (unsigned)sends, on, now);
	if (reads >= 0)
		pause_qp(nic, (unsigned)reads, on, now);
	return 0;
}

static void pause_all(struct nic *nic, bool on, tstamp now)
{
	for (unsigned i = 0; i < nic->n_qps; i++)
		if (nic_requests(nic, i))
			pause_qp(nic, i, on, now);
	for (unsigned i = 0; i < nic->n_gens; i++)
		nic->gen[i]->paused = on;
	nic->play_paused = on;
	set_sources(nic, now);
}

int nic_pause(struct nic *nic, uint32_t id, bool on, tstamp now)
{
	nic->rest_to = 0;
	if (id & CTL_LOAD)
		return nic_load_each(nic, id & ~CTL_LOAD, pause_qp, on, now);
	if (id & CTL_SOURCE)
		return pause_gen(nic, id & ~CTL_SOURCE, on, now);
	if (!(id & CTL_HOST))
		return pause_flow(nic, id, on, now);
	pause_all(nic, on, now);
	return 0;
}

// Whether a queue pair has sent all that it has begun. A failed one has, and so has one that a
// pause holds.
static bool is_at_rest(const struct nic *nic, const struct nic_qp *qp)
{
	const struct nic_read *d = qp->requester ? NULL : qp->rsp.read;

	if (!qp->requester)
		return !d || d->paused || d->tx.failed || !d->tx.messages;
	if (qp->paused || qp->req.tx.failed)
		return true;
	if (nic_source(qp))
		return !nic_source(qp)->n;
	return !qp->req.tx.messages && !(qp->loaded && qp->running && nic_load_waits(nic, qp));
}

static bool sends_frames(const struct nic *nic)
{
	for (unsigned i = 0; i < nic->n_gens; i++)
		if (gen_deadline(&nic->gen[i]->g) != TSTAMP_NEVER)
			return true;
	return player_deadline(&nic->play) != TSTAMP_NEVER;
}

bool nic_is_quiet(struct nic *nic)
{
	for (; nic->rest_to < nic->n_qps; nic->rest_to++) {
		const struct nic_qp *qp = nic->qp[nic->rest_to];

		if (qp && !is_at_rest(nic, qp))
			return false;
	}
	for (unsigned c = 0; c <= EPORT_CTL; c++)
		if (nic->e.q[c].head)
			return false;
	return !nic->n_wanting && !sends_frames(nic);
}
