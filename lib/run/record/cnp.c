// SPDX-License-Identifier: BSD-3-Clause
// CNPs by whom they might be paced (measures.md M4): what came with CE, what was sent, what the
// notification point's mode asks for.
#include <errno.h>
#include <stdlib.h>

#include "base/index.h"
#include "int.h"

static const struct nic_params *np_of(const struct record *r, const struct rec_cnp *c)
{
	return &r->scene->node[r->scene->flow[c->first]->to].u.nic;
}

static uint32_t key_hash(enum np_key key, const struct scene_flow *f)
{
	const struct hdr *h = &f->hdr_cnp;
	uint32_t hash = index_hash(key, &f->to, sizeof(f->to));

	if (key != NP_KEY_PORT)
		hash = index_hash(hash, h->daddr, sizeof(h->daddr));
	return key == NP_KEY_IP_PAIR ? index_hash(hash, h->saddr, sizeof(h->saddr)) : hash;
}

static bool is_key(const struct rec_cnp *c, enum np_key key, const struct record *r,
	const struct scene_flow *f)
{
	const struct scene_flow *first = r->scene->flow[c->first];
	const struct hdr *a = &first->hdr_cnp, *b = &f->hdr_cnp;

	if (c->key != key || first->to != f->to)
		return false;
	if (key == NP_KEY_PORT)
		return true;
	if (memcmp(a->daddr, b->daddr, sizeof(a->daddr)))
		return false;
	return key == NP_KEY_DST_IP || !memcmp(a->saddr, b->saddr, sizeof(a->saddr));
}

// The row of a flow's key at its receiver, as they are known, or a new one; INDEX_NONE where memory
// is out.
static unsigned row_of(struct record *r, enum np_key key, unsigned flow, struct index *known)
{
	uint32_t hash = key_hash(key, r->scene->flow[flow]), at = hash, i;

	while (key != NP_KEY_QP && (i = index_next(known, hash, &at)) != INDEX_NONE)
		if (is_key(&r->cnp[i], key, r, r->scene->flow[flow]))
			return i;
	if (key != NP_KEY_QP && index_add(known, hash, r->n_cnps))
		return INDEX_NONE;
	r->cnp[r->n_cnps] = (struct rec_cnp){
		.key = key, .first = flow, .last = TSTAMP_NEVER, .gap_min = TSTAMP_NEVER};
	return r->n_cnps++;
}

int record_cnp_build(struct record *r)
{
	struct index known = {0};
	bool room = true;

	r->cnp = calloc(REC_CNP_KEYS * r->n_flows + 1ul, sizeof(*r->cnp));
	for (unsigned key = 0; r->cnp && key < REC_CNP_KEYS; key++)
		for (unsigned i = 0; i < r->n_flows && room; i++) {
			r->flow[i].cnp[key] = row_of(r, (enum np_key)key, i, &known);
			room = r->flow[i].cnp[key] != INDEX_NONE;
		}
	index_fini(&known);
	return r->cnp && room ? 0 : -ENOMEM;
}

void record_cnp_free(struct record *r)
{
	for (unsigned i = 0; r->cnp && i < r->n_cnps; i++) {
		free(r->cnp[i].gap);
		free(r->cnp[i].np_delay);
		free(r->cnp[i].way);
	}
	free(r->cnp);
}

// Whether the row is to have distributions.
static bool is_drawn(const struct record *r, const struct rec_cnp *c)
{
	return c->key != NP_KEY_QP || r->n_flows <= REC_CNP_QPS;
}

static void expect(struct record *r, struct rec_cnp *c, tstamp t)
{
	c->expected += t >= record_window(r);
}

// Windows that have ended by `now`: one in which CE came asks for a CNP, and another follows.
static void end_windows(struct record *r, struct rec_cnp *c, tstamp interval, tstamp now)
{
	while (c->end && c->end <= now) {
		if (c->end_seen)
			expect(r, c, c->end);
		c->end = c->end_seen ? c->end + interval : 0;
		c->end_seen = false;
	}
}

// What the mode asks for (standards.md 4.2), step by step. Next marked is Lumina's rule: a CNP for
// each CE that comes the interval or more after the last one that asked for one.
static void ask_cnp(struct record *r, struct rec_cnp *c, tstamp t)
{
	const struct nic_params *p = np_of(r, c);
	tstamp interval = p->np.interval_ps;

	if (p->np.mode == NP_PER_PACKET || !interval) {
		expect(r, c, t);
		return;
	}
	if (p->np.mode == NP_WINDOW)
		end_windows(r, c, interval, t);
	else if (c->end <= t)
		c->end = 0;
	if (c->end) {
		c->end_seen = true;
		return;
	}
	expect(r, c, t);
	c->end = t + interval;
	c->end_seen = false;
}

static void ce_came(struct record *r, struct rec_cnp *c, const struct ev *e)
{
	if (e->t >= record_window(r)) {
		c->ce += !e->ce_rx.is_nak;
		c->naks += e->ce_rx.is_nak;
	}
	ask_cnp(r, c, e->t);
}

static void cnp_sent(struct record *r, struct rec_cnp *c, const struct ev *e)
{
	tstamp gap = c->last == TSTAMP_NEVER ? 0 : tstamp_since(e->t, c->last);
	bool has_gap = c->last != TSTAMP_NEVER;

	c->last = e->t;
	if (e->t < record_window(r))
		return;
	c->cnps++;
	c->nak_cnps += e->cnp_tx.for_nak;
	if (is_drawn(r, c))
		record_hist_add(r, &c->np_delay, e->cnp_tx.since_ps);
	if (!has_gap)
		return;
	c->gap_min = tstamp_min(c->gap_min, gap);
	c->close_gaps += gap < np_of(r, c)->np.interval_ps / 100 * 95;
	if (is_drawn(r, c))
		record_hist_add(r, &c->gap, gap);
}

static void cnp_came(struct record *r, struct rec_cnp *c, const struct ev *e)
{
	if (e->t >= record_window(r) && is_drawn(r, c))
		record_hist_add(r, &c->way, e->cnp_rx.age_ps);
}

// A frame of a switch's own for the flow of a shared header.
static void switch_made(struct record *r, uint32_t hdr, const struct ev *e)
{
	struct evf_owner o = evf_owner(r->names, hdr);
	struct rec_flow *f = o.kind == EVF_FLOW ? &r->flow[o.i] : NULL;

	if (!f || e->t < record_window(r))
		return;
	for (unsigned k = 0; e->type != EV_CNM_TX && k < REC_CNP_KEYS; k++)
		r->cnp[f->cnp[k]].made++;
	for (unsigned i = 0; i < f->back.n; i++) {
		if (f->back.hop[i].node != e->node)
			continue;
		(e->type == EV_CNM_TX ? f->cnms_made : f->cnps_made)[i]++;
		return;
	}
}

// The same is done to each row that a flow counts in.
static inline void each_row(struct record *r, uint32_t flow, const struct ev *e,
	void (*to)(struct record *, struct rec_cnp *, const struct ev *))
{
	for (unsigned k = 0; flow < r->n_flows && k < REC_CNP_KEYS; k++)
		to(r, &r->cnp[r->flow[flow].cnp[k]], e);
}

void record_cnp_event(struct record *r, const struct ev *e)
{
	switch ((enum ev_type)e->type) {
	case EV_CNM_TX:
		switch_made(r, e->cnm_tx.hdr, e);
		break;
	case EV_IQCN_TX:
		switch_made(r, e->iqcn_tx.hdr, e);
		break;
	case EV_FAST_CNP_TX:
		switch_made(r, e->mark.hdr, e);
		break;
	case EV_CE_RX:
		each_row(r, e->ce_rx.flow, e, ce_came);
		break;
	case EV_CNP_TX:
		each_row(r, e->cnp_tx.flow, e, cnp_sent);
		break;
	case EV_CNP_RX:
		each_row(r, e->cnp_rx.flow, e, cnp_came);
		break;
	default:
		break;
	}
}

void record_cnp_finish(struct record *r, tstamp end)
{
	for (unsigned i = 0; i < r->n_cnps; i++) {
		const struct nic_params *p = np_of(r, &r->cnp[i]);

		if (p->np.mode == NP_WINDOW && p->np.interval_ps)
			end_windows(r, &r->cnp[i], p->np.interval_ps, end);
	}
}
