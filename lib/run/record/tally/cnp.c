// SPDX-License-Identifier: BSD-3-Clause
// CNPs by the keys that may space them (measuring.md M4): received frames with CE, sent CNPs, and
// the interval of the notification point's mode.
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
	uint32_t hash, at, i;

	// Most flows have the same keys as the flow before them.
	if (key != NP_KEY_QP && flow &&
		is_key(&r->cnp[r->flow[flow - 1].cnp[key]], key, r, r->scene->flow[flow]))
		return r->flow[flow - 1].cnp[key];
	hash = at = key == NP_KEY_QP ? 0 : key_hash(key, r->scene->flow[flow]);
	while (key != NP_KEY_QP && (i = index_next(known, hash, &at)) != INDEX_NONE)
		if (is_key(&r->cnp[i], key, r, r->scene->flow[flow]))
			return i;
	if (key != NP_KEY_QP && index_add(known, hash, r->n_cnps))
		return INDEX_NONE;
	r->cnp[r->n_cnps] = (struct rec_cnp){
		.key = key, .first = flow, .last = TSTAMP_NEVER, .gap_min = TSTAMP_NEVER};
	return r->n_cnps++;
}

// Returns whether the row's distribution of gaps is recorded.
static bool is_told(const struct record *r, const struct rec_cnp *c)
{
	return c->key != NP_KEY_QP || r->n_flows <= REC_CNP_QPS;
}

// The row of the next narrower key that has a flow of this one.
static struct rec_cnp *narrower(
	const struct record *r, struct rec_cnp *rows, const struct rec_cnp *c)
{
	return &rows[r->flow[c->first].cnp[c->key - 1]];
}

// Finds rows that have the same flows under several keys, for example if a host has one address and
// one queue pair. Their events go to the row of the narrowest key. The flows of a row all belong to
// one row of the next wider key.
static void find_alike(struct record *r)
{
	for (unsigned i = r->n_cnps; i-- > 0;) {
		struct rec_cnp *c = &r->cnp[i], *within = c->key ? narrower(r, r->cnp, c) : NULL;

		c->drawn |= is_told(r, c);
		c->alike = within && within->flows == c->flows;
		if (c->alike)
			within->drawn |= c->drawn;
	}
	for (unsigned i = 0; i < r->n_flows; i++)
		for (unsigned key = 0; key < REC_CNP_KEYS; key++)
			r->flow[i].cnp_own |= !r->cnp[r->flow[i].cnp[key]].alike << key;
}

int record_cnp_build(struct record *r)
{
	struct index known = {0};
	bool room = true;

	r->cnp = calloc(REC_CNP_KEYS * r->n_flows + 1ul, sizeof(*r->cnp));
	for (unsigned key = 0; r->cnp && key < REC_CNP_KEYS; key++)
		for (unsigned i = 0; i < r->n_flows && room; i++) {
			unsigned row = row_of(r, (enum np_key)key, i, &known);

			room = row != INDEX_NONE;
			if (!room)
				continue;
			r->flow[i].cnp[key] = row;
			r->cnp[row].flows++;
		}
	index_fini(&known);
	if (!r->cnp || !room)
		return -ENOMEM;
	find_alike(r);
	return 0;
}

// The row of the narrowest key that has distributions.
static struct rec_cnp *least_drawn(const struct record *r, const struct rec_flow *f)
{
	return &r->cnp[f->cnp[r->n_flows <= REC_CNP_QPS ? NP_KEY_QP : NP_KEY_IP_PAIR]];
}

void record_cnp_ce(struct record *r, const struct rec_flow *f, const struct ev *e)
{
	const struct dcqcn_np_params *np = &r->scene->node[f->scene->to].u.nic.np;
	struct rec_cnp *own = &r->cnp[f->cnp[NP_KEY_QP]];
	const tstamp window = record_window(r), t = e->t;

	if (t >= window) {
		own->ce += !e->ce_rx.is_nak;
		own->naks += e->ce_rx.is_nak;
	}
	for (unsigned k = 0; k < REC_CNP_KEYS; k++)
		if (f->cnp_own >> k & 1)
			np_due_ce(&r->cnp[f->cnp[k]].due, np->mode, np->interval_ps, window, t);
}

// The time since the last one of the row, in the window.
static inline void take_gap(struct record *r, struct rec_cnp *c, tstamp close, tstamp gap)
{
	c->gap_min = tstamp_min(c->gap_min, gap);
	c->close_gaps += gap < close;
	if (c->drawn)
		record_hist_add(r, &c->gap, gap);
}

void record_cnp_sent(struct record *r, const struct rec_flow *f, const struct ev *e)
{
	tstamp close = r->scene->node[f->scene->to].u.nic.np.interval_ps / 100 * 95;
	struct rec_cnp *own = &r->cnp[f->cnp[NP_KEY_QP]];
	const tstamp t = e->t;
	bool in_window = t >= record_window(r);

	if (!in_window) {
		for (unsigned k = 0; k < REC_CNP_KEYS; k++)
			r->cnp[f->cnp[k]].last = t;
		return;
	}
	if (own->last != TSTAMP_NEVER)
		record_hist_add(r, &r->group[f->group].cnp_gap, tstamp_since(t, own->last));
	for (unsigned k = 0; k < REC_CNP_KEYS; k++) {
		struct rec_cnp *c = &r->cnp[f->cnp[k]];

		if (!(f->cnp_own >> k & 1))
			continue;
		if (c->last != TSTAMP_NEVER)
			take_gap(r, c, close, tstamp_since(t, c->last));
		c->last = t;
	}
	own->cnps++;
	own->nak_cnps += e->cnp_tx.for_nak;
	record_hist_add(r, &least_drawn(r, f)->np_delay, e->cnp_tx.since_ps);
}

void record_cnp_came(struct record *r, const struct rec_flow *f, const struct ev *e)
{
	if (e->t >= record_window(r) && e->cnp_rx.age_ps != TSTAMP_NEVER)
		record_hist_add(r, &least_drawn(r, f)->way, e->cnp_rx.age_ps);
}

// A frame of a switch's own for the flow of a shared header.
void record_cnp_made(struct record *r, uint32_t hdr, const struct ev *e)
{
	struct evf_owner o = evf_owner(r->names, hdr);
	struct rec_flow *f = o.kind == EVF_FLOW ? &r->flow[o.i] : NULL;

	if (!f || e->t < record_window(r))
		return;
	r->cnp[f->cnp[NP_KEY_QP]].made += e->type != EV_CNM_TX;
	for (unsigned i = 0; i < f->back.n; i++) {
		if (f->back.hop[i].node != e->node)
			continue;
		if (!f->made)
			f->made = calloc(1, sizeof(*f->made));
		if (f->made)
			(e->type == EV_CNM_TX ? f->made->cnms : f->made->cnps)[i]++;
		else
			record_fail(r, -ENOMEM, "no memory for what switches made");
		return;
	}
}

static void add_dist(struct record *r, struct hist **into, const struct hist *from)
{
	if (!from)
		return;
	if (*into || record_hist_make(r, into))
		hist_merge(*into, from);
}

// Adds the counters of a row to the row of the next wider key: each key's rows lie within the rows
// of the next.
static struct rec_cnp *widen(const struct record *r, struct rec_cnp *rows, const struct rec_cnp *c)
{
	struct rec_cnp *into = &rows[r->flow[c->first].cnp[c->key + 1]];

	into->ce += c->ce;
	into->naks += c->naks;
	into->cnps += c->cnps;
	into->nak_cnps += c->nak_cnps;
	into->made += c->made;
	return into;
}

// Takes the results of the narrower row, which has the same flows. The distribution is lent.
static void take_over(const struct record *r, struct rec_cnp *c, struct rec_cnp *within)
{
	c->due.n = within->due.n;
	c->close_gaps = within->close_gaps;
	c->gap_min = within->gap_min;
	c->gap = within->gap;
	if (!is_told(r, within))
		within->gap = NULL;
}

void record_cnp_so_far(const struct record *r, struct rec_cnp *rows)
{
	memcpy(rows, r->cnp, r->n_cnps * sizeof(*rows));
	for (unsigned i = 0; i < r->n_cnps; i++) {
		if (rows[i].alike)
			take_over(r, &rows[i], narrower(r, rows, &rows[i]));
		if (rows[i].key != NP_KEY_PORT)
			widen(r, rows, &rows[i]);
	}
}

// Adds a distribution to the distribution of the next wider key. If that key has the same flows,
// both rows share one distribution, since a copy would be the same.
static void give_dist(
	struct record *r, const struct rec_cnp *wider, struct hist **into, struct hist *from)
{
	if (wider->alike && from)
		*into = from;
	else
		add_dist(r, into, from);
}

// Ends a row. The rows of narrower keys have ended before.
static void finish_row(struct record *r, struct rec_cnp *c, tstamp end)
{
	const struct dcqcn_np_params *np = &np_of(r, c)->np;
	struct rec_cnp *within = c->alike ? narrower(r, r->cnp, c) : NULL;

	if (!within) {
		if (np->mode == NP_WINDOW && np->interval_ps)
			np_due_end(&c->due, np->interval_ps, record_window(r), end);
		return;
	}
	take_over(r, c, within);
}

void record_cnp_finish(struct record *r, tstamp end)
{
	for (unsigned i = 0; i < r->n_cnps; i++) {
		struct rec_cnp *c = &r->cnp[i];

		finish_row(r, c, end);
		if (c->key != NP_KEY_PORT) {
			struct rec_cnp *into = widen(r, r->cnp, c);

			give_dist(r, into, &into->np_delay, c->np_delay);
			give_dist(r, into, &into->way, c->way);
		}
	}
}
