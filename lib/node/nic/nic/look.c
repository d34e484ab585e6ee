// SPDX-License-Identifier: BSD-3-Clause
// Looking into a NIC: its counters, the state of its queue pairs and sources, and whether it adds
// up.
#include <errno.h>
#include <stdio.h>

#include "int.h"

const struct nic_stats *nic_stats(const struct nic *nic)
{
	return &nic->s;
}

uint32_t nic_ring_bytes(unsigned outstanding)
{
	return (uint32_t)sizeof(struct rc_message) << nic_ring_size(outstanding);
}

unsigned nic_ring_room(unsigned outstanding)
{
	return 1u << nic_ring_size(outstanding);
}

unsigned nic_qps(const struct nic *nic)
{
	return nic->n_qps;
}

struct nic_qp_params nic_qp_params(const struct nic *nic, unsigned i)
{
	const struct nic_qp *qp = nic->qp[i];
	const struct nic_req *r;
	const struct nic_rsp *a;
	struct nic_qp_params p;

	if (!qp)
		return nic_idle_params(nic, i);
	r = &qp->req;
	a = &qp->rsp;
	p = nic_kind(nic, qp->requester ? r->kind : a->kind)->p;
	p.flow = qp->requester ? r->flow : a->flow;
	p.qpn = qp->requester ? r->qpn : a->qpn;
	p.peer_qpn = qp->requester ? r->peer_qpn : a->peer_qpn;
	p.phase = qp->requester ? r->phase : 0;
	p.data_hdr = qp->requester ? r->data_hdr : NULL;
	p.ack_hdr = qp->requester ? NULL : a->ack_hdr;
	p.cnp_hdr = qp->requester ? NULL : a->cnp_hdr;
	return p;
}

const struct nic_qp_stats *nic_qp_stats(const struct nic *nic, unsigned i)
{
	return nic->qp[i] ? nic_counts(nic->qp[i]) : &nic_idle_rest(nic, i)->s;
}

// The group whose reaction point the queue pair shares with others; NULL: it shares none.
static const struct nic_group *shared_of(const struct nic *nic, unsigned i)
{
	const struct nic_qp *qp = nic->qp[i];

	return qp && qp->requester ? nic_shared(qp) : NULL;
}

void nic_qp_counts(const struct nic *nic, unsigned i, struct nic_qp_stats *s)
{
	const struct nic_group *g = shared_of(nic, i);

	*s = *nic_qp_stats(nic, i);
	if (!g)
		return;
	s->cnm_rx = g->cnms;
	s->rate_cuts = g->cuts;
}

int nic_qp_shares(const struct nic *nic, unsigned i)
{
	const struct nic_group *g = shared_of(nic, i);

	return g ? (int)g->number : -1;
}

const struct rp *nic_qp_rp(const struct nic *nic, unsigned i)
{
	const struct nic_qp *qp = nic->qp[i];

	return qp && qp->requester && qp->req.rp->kind ? qp->req.rp : NULL;
}

// The reaction point that a queue pair without a place would begin with.
static bool look_at_idle(const struct nic *nic, unsigned i, struct rp_look *look, tstamp now)
{
	const struct nic_idle *d = &nic->idle[i];
	const struct rp_cfg *cfg = d->requester ? nic_kind(nic, d->kind)->p.rp : NULL;
	struct rp rp;

	if (!cfg)
		return false;
	rp_init(&rp, cfg, NULL, NULL);
	rp_look(&rp, now, look);
	return true;
}

bool nic_qp_look_at(const struct nic *nic, unsigned i, struct rp_look *look, tstamp now)
{
	if (!nic->qp[i])
		return look_at_idle(nic, i, look, tstamp_max(nic->now, now));
	if (!nic_qp_rp(nic, i))
		return false;
	nic_rp_look(nic, nic->qp[i], look, tstamp_max(nic->now, now));
	return true;
}

bool nic_qp_look(const struct nic *nic, unsigned i, struct rp_look *look)
{
	return nic_qp_look_at(nic, i, look, nic->now);
}

const struct rc_tx *nic_qp_rc_tx(const struct nic *nic, unsigned i)
{
	const struct nic_qp *qp = nic->qp[i];

	if (!qp)
		return NULL;
	if (!qp->requester)
		return qp->rsp.read ? &qp->rsp.read->tx : NULL;
	return nic_source(qp) ? NULL : &qp->req.tx;
}

void nic_messages(const struct nic *nic, nic_see_message *see, void *arg)
{
	for (unsigned q = 0; q < nic->n_qps; q++) {
		const struct rc_tx *tx = nic_qp_rc_tx(nic, q);
		struct nic_message one = {.flow = nic_flow_at(nic, q)};
		uint32_t place = NIC_LOAD_FIRST;

		for (unsigned i = 0; tx && !tx->failed && i < tx->messages; i++) {
			const struct rc_message *m = rc_tx_message(tx, i);

			one.bytes = m->bytes;
			one.posted = m->posted;
			see(arg, &one);
		}
		while (nic_load_look(nic, q, &place, &one.bytes, &one.posted))
			see(arg, &one);
	}
}

// Returns the first queue pair of this flow or of a later one. Queue pairs are sorted by flow, and
// the flows of a NIC are mostly consecutive, so the first guess is mostly right.
static unsigned first_of(const struct nic *nic, uint32_t flow)
{
	unsigned low = 0, high = nic->n_qps, guess;

	guess = high ? flow - nic_flow_at(nic, 0) : 0;
	if (guess < high && nic_flow_at(nic, guess) == flow &&
		(!guess || nic_flow_at(nic, guess - 1) < flow))
		return guess;
	while (low < high) {
		unsigned middle = low + (high - low) / 2;

		if (nic_flow_at(nic, middle) < flow)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

int nic_find_qp(const struct nic *nic, uint32_t flow, bool requester)
{
	for (unsigned i = nic->unsorted ? 0 : first_of(nic, flow); i < nic->n_qps; i++) {
		uint32_t at = nic_flow_at(nic, i);

		if (at == flow && nic_requests(nic, i) == requester)
			return (int)i;
		if (!nic->unsorted && at > flow)
			break;
	}
	return -1;
}

int nic_find_number(const struct nic *nic, uint32_t number)
{
	return nic_index_of(nic, number);
}

int nic_find_gen(const struct nic *nic, uint32_t source)
{
	uint32_t hash = index_hash(0, &source, sizeof(source)), at = hash, i;

	while ((i = index_next(&nic->gen_of, hash, &at)) != INDEX_NONE)
		if (nic->gen[i]->g.p.source == source)
			return (int)i;
	return -1;
}

tstamp nic_qp_whole_at(const struct nic *nic, unsigned i)
{
	assert(!nic_requests(nic, i));
	return nic->qp[i] ? nic->qp[i]->rsp.whole_at : nic_idle_rest(nic, i)->whole_at;
}

const struct gen *nic_gen(const struct nic *nic, unsigned i)
{
	return &nic->gen[i]->g;
}

const struct nic_gen_stats *nic_gen_stats(const struct nic *nic, uint32_t source)
{
	return source < nic->p.max_sources ? &nic->source[source].s : NULL;
}

const struct trip_stats *nic_trip_stats(const struct nic *nic, uint32_t source)
{
	const struct trips *t = source < nic->p.max_sources ? nic->source[source].trips : NULL;

	return t ? &t->s : NULL;
}

const struct nic_refusal *nic_refusal(const struct nic *nic, enum rc_refusal why)
{
	return nic->refusal[why].times ? &nic->refusal[why] : NULL;
}

uint32_t nic_qp_immediate(const struct nic *nic, unsigned i)
{
	assert(!nic_requests(nic, i));
	return nic->qp[i] ? nic->qp[i]->rsp.imm : (uint32_t)nic_idle_rest(nic, i)->imm;
}

enum nic_peer_state nic_qp_peer(const struct nic *nic, unsigned i, unsigned *reason)
{
	const struct nic_peer *r = nic_peer_find(nic, i);

	*reason = r ? r->reason : 0;
	return r ? r->state : NIC_PEER_NONE;
}

unsigned nic_qp_peer_unanswered(const struct nic *nic, unsigned i)
{
	const struct nic_peer *r = nic_peer_find(nic, i);

	return r ? r->unanswered : 0;
}

unsigned nic_qp_peer_lost(const struct nic *nic, unsigned i)
{
	const struct nic_peer *r = nic_peer_find(nic, i);

	return r ? r->lost : 0;
}

enum nic_peer_state nic_gen_target(const struct nic *nic, uint32_t source)
{
	return nic_target_state(nic, source);
}

struct nic_reach nic_reach(const struct nic *nic)
{
	struct nic_reach r = {0};

	nic_target_reach(nic, &r);
	nic_peer_reach(nic, &r);
	return r;
}

const struct nic_neigh_notes *nic_neigh_notes(const struct nic *nic)
{
	return nic->neigh ? nic_neigh_told(nic) : NULL;
}

void nic_qp_lend_book(struct nic *nic, unsigned i, struct rp_book *book)
{
	assert(nic_requests(nic, i) && !shared_of(nic, i));
	if (nic->qp[i])
		nic_use(&nic->qp[i]->req)->book = book;
	else
		nic->idle[i].lent = book;
}

void nic_qp_lend_latency(struct nic *nic, unsigned i, struct hist *latency)
{
	if (nic->qp[i])
		nic_rsp_use(&nic->qp[i]->rsp)->latency = latency;
	else
		nic->idle[i].lent = latency;
}

void nic_gen_lend_latency(struct nic *nic, uint32_t source, struct hist *latency)
{
	nic->source[source].latency = latency;
}

void nic_gen_lend_ahead(struct nic *nic, uint32_t source, const int64_t *ahead_ps)
{
	nic->source[source].ahead_ps = ahead_ps;
}

void nic_gen_lend_departures(struct nic *nic, uint32_t source, const struct departures *departed)
{
	nic->source[source].departed = departed;
}

void nic_trip_lend_rtt(struct nic *nic, uint32_t source, struct hist *rtt)
{
	nic->source[source].trips->rtt = rtt;
}

const struct eport *nic_eport(const struct nic *nic)
{
	return &nic->e;
}

const struct pause_rx *nic_pause_rx(const struct nic *nic)
{
	return &nic->pr;
}

const struct pause_tx *nic_pause_tx(const struct nic *nic)
{
	return &nic->pt;
}

// Brings rates up to date, too. That changes no frame: timers act at their nominal instants,
// whenever they are looked at, and timers that may all be caught up with at once later are left.
void nic_account(struct nic *nic, tstamp now)
{
	now = nic_now(nic, now);
	eport_account(&nic->e, now);
	player_want(&nic->play, now);
	pause_rx_account(&nic->pr, now);
	pause_tx_account(&nic->pt, now);
	nic_wait_account(nic, now);
	nic->s.map_misses = nic->maps.empty;
	for (unsigned i = 0; i < nic->n_qps; i++)
		if (nic->qp[i] && nic->qp[i]->requester && !nic->qp[i]->joined)
			nic_rp_account(nic, nic->qp[i], now);
	for (unsigned i = 0; i < nic->n_groups; i++)
		nic_rp_expire(nic, nic->group[i]->any, now);
	for (unsigned i = 0; i < nic->n_qps; i++) {
		struct nic_qp *qp = nic->qp[i];

		if (!qp || !qp->joined)
			continue;
		if (nic_shared(qp))
			nic_group_follow(qp);
		nic_req_set_owed(nic, qp, now);
	}
}

unsigned nic_settle(struct nic *nic, unsigned i, tstamp now)
{
	const struct ev_ring *r = nic->events;

	now = nic_now(nic, now);
	for (; i < nic->n_qps && r->head - r->tail <= r->mask / 2; i++) {
		struct nic_qp *qp = nic->qp[i];

		if (qp && qp->requester && !qp->joined && nic_rp_is_due(nic, qp, now) &&
			!nic_use(&qp->req)->book)
			nic_rp_account(nic, qp, now);
	}
	return i;
}

// rx + originated = tx + consumed + queued + dropped (design.md 2, Conservation).
int nic_conserve(const struct nic *nic, char *why, unsigned size)
{
	const struct nic_stats *s = &nic->s;
	uint64_t in = s->rx_frames + s->originated_frames;
	uint64_t out = s->tx_frames + s->consumed_frames, queued = nic->e.q[EPORT_CTL].frames,
		 dropped = 0;

	for (unsigned c = 0; c < PKT_CLASSES; c++)
		queued += nic->e.q[c].frames;
	for (unsigned d = 0; d < NIC_DROPS; d++)
		dropped += s->drop[d];
	if (in == out + queued + dropped)
		return 0;
	snprintf(why, size,
		"%s: %llu received + %llu originated != %llu sent + %llu consumed + %llu queued + "
		"%llu dropped",
		nic->p.name, (unsigned long long)s->rx_frames,
		(unsigned long long)s->originated_frames, (unsigned long long)s->tx_frames,
		(unsigned long long)s->consumed_frames, (unsigned long long)queued,
		(unsigned long long)dropped);
	return -EPROTO;
}
