// SPDX-License-Identifier: BSD-3-Clause
// The notification point of a NIC: which CNPs share an interval, when a CNP is due, and the limit
// of all CNPs.
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "int.h"
#include "wire/bth.h"

static bool same_key(enum np_key key, const struct hdr *a, const struct hdr *b)
{
	if (key == NP_KEY_PORT)
		return true;
	if (memcmp(a->daddr, b->daddr, sizeof(a->daddr)))
		return false;
	return key == NP_KEY_DST_IP || !memcmp(a->saddr, b->saddr, sizeof(a->saddr));
}

// A hash of the fields that same_key() compares.
static uint32_t key_hash(enum np_key key, const struct hdr *h)
{
	uint32_t hash = 0;

	if (key != NP_KEY_PORT)
		hash = index_hash(hash, h->daddr, sizeof(h->daddr));
	return key == NP_KEY_IP_PAIR ? index_hash(hash, h->saddr, sizeof(h->saddr)) : hash;
}

// Returns the notification point for a responder's key: one that an earlier responder has made, or
// a new one.
static struct nic_np *np_of(struct nic *nic, struct nic_qp *qp)
{
	uint32_t hash, at, i;
	struct nic_np *np;

	if (nic->np.key == NP_KEY_QP || !qp->rsp.cnp_hdr)
		return &nic_rsp_use(&qp->rsp)->np;
	hash = at = key_hash(nic->np.key, qp->rsp.cnp_hdr);
	while ((i = index_next(&nic->np_of, hash, &at)) != INDEX_NONE)
		if (same_key(nic->np.key, nic->np_shared[i]->cnp_hdr, qp->rsp.cnp_hdr))
			return nic->np_shared[i];
	if (!nic_room(&nic->np_shared, nic->n_np_shared))
		return NULL;
	np = calloc(1, sizeof(*np));
	if (!np || index_add(&nic->np_of, hash, nic->n_np_shared)) {
		free(np);
		return NULL;
	}
	np->cnp_hdr = qp->rsp.cnp_hdr;
	dcqcn_np_init(&np->np, &nic->np);
	nic->np_shared[nic->n_np_shared++] = np;
	return np;
}

int nic_np_init(struct nic *nic, struct nic_qp *qp)
{
	bool echo_ce = nic_kind(nic, qp->rsp.kind)->echo_ce;

	qp->rsp.np = echo_ce ? &nic_rsp_use(&qp->rsp)->np : np_of(nic, qp);
	return qp->rsp.np ? 0 : -ENOMEM;
}

// IBA A17.9.3; standards.md 3.2.
static void send_cnp(struct nic *nic, struct nic_qp *qp, tstamp now)
{
	struct pkt *p;
	struct ev *ev;

	if (!dcqcn_np_take(&nic->np_cap, &nic->np, now)) {
		nic->s.np_cnp_capped++;
		return;
	}
	p = pkt_get_ctl(nic->stack);
	if (!p) {
		nic_no_desc(nic, now);
		return;
	}
	*p = (struct pkt){
		.hdr = qp->rsp.cnp_hdr,
		.when = now,
		.born = now,
		.len = nic_kind(nic, qp->rsp.kind)->cnp_len,
		.kind = PKT_CNP,
		.tos = nic_kind(nic, qp->rsp.kind)->cnp_tos,
		.cls = nic->p.cnp_class,
		.in_port = PKT_NO_PORT,
		.u.rc = {.opcode = BTH_CNP, .bth = BTH_BECN, .qpn = qp->rsp.peer_qpn},
	};
	nic->s.np_cnp_sent++;
	nic_rsp_use(&qp->rsp)->s.cnp_tx++;
	ev = ev_put(nic->events, EV_CNP_TX, now);
	if (ev) {
		ev->cnp_tx.flow = qp->rsp.flow;
		ev->cnp_tx.for_nak = qp->rsp.np->by_nak;
		ev->cnp_tx.since_ps = tstamp_since(now, qp->rsp.np->asked);
	}
	nic_queue(nic, nic->p.cnp_class, p, now);
}

// The end of a window may owe a CNP and start another window. Of queue pairs that share a
// notification point the last one's timer goes on.
tstamp nic_np_timer(struct nic *nic, struct nic_qp *qp, tstamp now)
{
	struct nic_np *np = qp->rsp.np;

	while (now >= dcqcn_np_deadline(&np->np)) {
		if (dcqcn_np_expire(&np->np, now))
			send_cnp(nic, np->last, now);
	}
	return np->last == qp ? dcqcn_np_deadline(&np->np) : TSTAMP_NEVER;
}

// CE, or a NAK that counts as CE, came for a queue pair. The next CNP answers the first of a
// window.
void nic_np_notify(struct nic *nic, struct nic_qp *qp, bool nak, tstamp now)
{
	struct nic_np *np = qp->rsp.np;
	struct ev *ev = ev_put(nic->events, EV_CE_RX, now);
	bool first, due;

	if (ev) {
		ev->ce_rx.flow = qp->rsp.flow;
		ev->ce_rx.is_nak = nak;
	}
	if (!np->np.cfg)
		dcqcn_np_init(&np->np, &nic->np);
	nic_np_timer(nic, qp, now);
	np->last = qp;
	first = !np->np.seen;
	due = dcqcn_np_ce(&np->np, now);
	if (due || first) {
		np->asked = now;
		np->by_nak = nak;
	}
	if (due)
		send_cnp(nic, qp, now);
	nic_timer_by(nic, qp, dcqcn_np_deadline(&np->np));
}

static void adopt_one(
	struct nic *nic, struct nic_np *np, const struct dcqcn_np_cfg *old, tstamp now)
{
	if (!np->np.cfg)
		return;
	np->np.seen &= !nic->p.np_off;
	dcqcn_np_adopt(&np->np, old, now);
	if (np->np.seen)
		nic_timer_by(nic, np->last, dcqcn_np_deadline(&np->np));
}

void nic_np_adopt(struct nic *nic, const struct dcqcn_np_cfg *cfg, bool off, tstamp now)
{
	const struct dcqcn_np_cfg old = nic->np;

	nic->np = *cfg;
	nic->p.np_off = off;
	dcqcn_np_cap_adopt(&nic->np_cap, &old, cfg, now);
	for (unsigned i = 0; i < nic->n_np_shared; i++)
		adopt_one(nic, nic->np_shared[i], &old, now);
	for (unsigned i = 0; i < nic->n_qps; i++) {
		struct nic_qp *qp = nic->qp[i];

		if (qp && !qp->requester)
			adopt_one(nic, &nic_rsp_use(&qp->rsp)->np, &old, now);
	}
}
