// SPDX-License-Identifier: BSD-3-Clause
// Places of queue pairs: one is lent at the first message, frame or command, and taken back from a
// queue pair that is at rest when another needs one. QPNs that do not follow from the numbers of
// queue pairs, because the scenario gives them, lead to places by an index.
#include <string.h>

#include "int.h"

// The NIC looks at this many places before it lends one that nobody has had. So at most about half
// of the places that were lent are at rest.
#define LOOKS 2

static struct nic_place place_at(struct nic *nic, bool requester, uint32_t i)
{
	return (struct nic_place){.qp = nic_slab_at(nic_place_lines(nic, requester), i),
		.use = nic_slab_at(nic_place_uses(nic, requester), i)};
}

struct nic_place nic_place_next(struct nic *nic, bool requester)
{
	return place_at(nic, requester, nic->placed[requester]++);
}

static void clear(struct nic *nic, bool requester, struct nic_place p)
{
	memset(p.use, 0, nic_place_uses(nic, requester)->size);
	memset(p.qp, 0, nic_place_lines(nic, requester)->size);
}

void nic_place_return(struct nic *nic, bool requester)
{
	clear(nic, requester, place_at(nic, requester, --nic->placed[requester]));
}

// Returns since when a requester is at rest: nothing is outstanding or due, nothing has reached its
// reaction point, and the gap after its last frame has ended. TSTAMP_NEVER: it is not.
static tstamp req_rests(const struct nic_qp *qp)
{
	const struct nic_req *r = &qp->req;
	bool rests = qp->state == NIC_QP_IDLE && !qp->wants_ring && r->start_at == TSTAMP_NEVER &&
		     rp_is_new(r->rp) && rc_tx_rests(&r->tx);

	return rests ? r->pacer.next : TSTAMP_NEVER;
}

// Whether a responder is at rest: it owes nothing, and no window of its notification point runs. A
// shared one goes on without it, unless it owes this responder's peer a CNP.
static bool rsp_rests(const struct nic *nic, const struct nic_qp *qp)
{
	const struct nic_rsp *r = &qp->rsp;
	const struct nic_np *np = r->np;

	if (!rc_rx_rests(&r->rx))
		return false;
	if (np != &nic_rsp_use(r)->np)
		return !np->np.seen || np->last != qp;
	return !np->np.seen && np->np.window_end <= nic->now;
}

// Most counters of a queue pair without a place are 0, and only the others are kept.
bool nic_kept_put(struct nic_kept *k, const struct nic_rest *r)
{
	uint64_t word[NIC_REST_WORDS], has = 0;
	unsigned n = 0;

	memcpy(word, r, sizeof(word));
	for (unsigned i = 0; i < NIC_REST_WORDS; i++) {
		has |= (uint64_t)(word[i] != 0) << i;
		n += word[i] != 0;
	}
	if (n > NIC_KEPT)
		return false;
	k->has = has;
	for (n = 0; has; has &= has - 1)
		k->word[n++] = word[__builtin_ctzll(has)];
	return true;
}

void nic_kept_get(const struct nic_kept *k, struct nic_rest *r)
{
	uint64_t word[NIC_REST_WORDS] = {0};
	unsigned n = 0;

	for (uint64_t has = k->has; has; has &= has - 1)
		word[__builtin_ctzll(has)] = k->word[n++];
	memcpy(r, word, sizeof(*r));
}

// All that a queue pair at rest has, and that a new one does not.
static struct nic_rest rest_of(const struct nic_qp *qp)
{
	struct nic_rest r = {.s = *nic_counts(qp)};

	if (qp->requester) {
		r.lost = nic_use(&qp->req)->lost;
		r.running = qp->running;
	} else {
		r.ce = qp->rsp.ce;
		r.imm = qp->rsp.imm;
		r.whole_at = qp->rsp.whole_at;
	}
	return r;
}

// Takes the place back from its queue pair, if that is at rest and has had no data for the time
// `quiet`. Pointers to queue pairs stay where a table has them.
static bool take_back(struct nic *nic, struct nic_place p, tstamp quiet)
{
	struct nic_qp *qp = p.qp;
	struct nic_idle *d = &nic->idle[qp->index];
	struct nic_rest rest;

	if (!qp->lends || nic->by_number)
		return false;
	if (nic_counts(qp)->last_timestamp + quiet > nic->now)
		return false;
	if (!(qp->requester ? req_rests(qp) <= nic->now : rsp_rests(nic, qp)))
		return false;
	if (qp->requester)
		nic_req_set_owed(nic, qp, nic->now);
	rest = rest_of(qp);
	if (!nic_kept_put(nic_slab_at(&nic->kept, d->kept), &rest))
		return false;
	d->was_used = true;
	d->paused = qp->paused;
	d->psn = qp->requester ? qp->req.tx.una : qp->rsp.rx.epsn;
	d->lent = qp->requester ? (void *)nic_use(&qp->req)->book
				: (void *)nic_rsp_use(&qp->rsp)->latency;
	nic->qp[qp->index] = NULL;
	clear(nic, d->requester, p);
	return true;
}

// Whether live_pairs leaves places that nobody has had.
static bool has_more(const struct nic *nic, bool requester)
{
	return !requester || !nic->waits || nic->placed[true] - nic->fixed < nic->p.live_pairs;
}

static void next_hand(struct nic *nic, bool requester)
{
	uint32_t *hand = &nic->hand[requester];

	*hand = *hand + 1 < nic->placed[requester] ? *hand + 1 : 0;
}

bool nic_place_is_free(struct nic *nic, tstamp *at)
{
	if (has_more(nic, true))
		return true;
	for (uint32_t n = nic->placed[true]; n--; next_hand(nic, true)) {
		const struct nic_qp *qp = place_at(nic, true, nic->hand[true]).qp;
		tstamp rests = qp->lends ? req_rests(qp) : TSTAMP_NEVER;

		if (rests <= nic->now)
			return true;
		*at = tstamp_min(*at, rests);
	}
	return false;
}

struct nic_place nic_place_lend(struct nic *nic, bool requester)
{
	uint32_t n = nic->placed[requester];
	const bool more = has_more(nic, requester);
	uint32_t looks = more && n > LOOKS ? LOOKS : n;

	while (looks--) {
		struct nic_place p = place_at(nic, requester, nic->hand[requester]);

		next_hand(nic, requester);
		if (take_back(nic, p, more ? nic->quiet : 0))
			return p;
	}
	return nic_place_next(nic, requester);
}

int nic_qpn_add(struct nic *nic, uint32_t qpn, unsigned i)
{
	return index_add(&nic->qpn_of, index_hash(0, &qpn, sizeof(qpn)), i);
}

static bool has_qpn(const struct nic_qp *qp, uint32_t qpn)
{
	return qp && (qp->requester ? qp->req.qpn : qp->rsp.qpn) == qpn;
}

struct nic_qp *nic_qpn_find(const struct nic *nic, uint32_t qpn)
{
	uint32_t hash = index_hash(0, &qpn, sizeof(qpn)), at = hash, i;
	struct nic_qp *qp;

	while ((i = index_next(&nic->qpn_of, hash, &at)) != INDEX_NONE)
		if (i < nic->n_qps && has_qpn(nic->qp[i], qpn))
			return nic->qp[i];
	qp = nic_by_number(nic, qpn - nic->p.qpn_base);
	return has_qpn(qp, qpn) ? qp : NULL;
}
