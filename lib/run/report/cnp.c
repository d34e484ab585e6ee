// SPDX-License-Identifier: BSD-3-Clause
// CNPs in the summary (measures.md M4): by key, against what was to be expected, and which key
// seems to pace them.
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "summary.h"

const char *summary_cnp_key(enum np_key key)
{
	static const char *const name[REC_CNP_KEYS] = {
		[NP_KEY_QP] = "qp",
		[NP_KEY_IP_PAIR] = "ip_pair",
		[NP_KEY_DST_IP] = "dst_ip",
		[NP_KEY_PORT] = "port",
	};

	return name[key];
}

static uint64_t less(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

static void name_it(struct summary_cnp *c, const struct record *r)
{
	const struct scene_flow *f = r->scene->flow[c->rec->first];
	const char *rp = r->scene->node[f->from].name;

	if (c->rec->key == NP_KEY_QP)
		snprintf(c->name, sizeof(c->name), "%s", f->name);
	else if (c->rec->key == NP_KEY_PORT)
		snprintf(c->name, sizeof(c->name), "%s", c->np->name);
	else
		snprintf(c->name, sizeof(c->name), "%s>%s", c->np->name, rp);
}

// No more than one gap in a thousand is shorter than 95 % of the interval.
static bool is_spaced(uint64_t cnps, uint64_t close)
{
	return 1000 * close <= cnps;
}

// What the notification point spaces CNPs by, ps; 0: it answers each CE.
static tstamp interval_of(const struct scene_node *np)
{
	const struct dcqcn_np_params *p = &np->u.nic.np;

	return p->mode == NP_PER_PACKET ? 0 : p->interval_ps;
}

// No more CNPs than reasons for them (one may have come before the window), none sooner after
// another than configured; in real time a timer is as exact as the poll loop.
static double judge(const struct summary_cnp *c, bool exact)
{
	tstamp interval = interval_of(c->np);
	bool spaced = exact ? c->rec->gap_min >= interval
			    : !interval || is_spaced(c->rec->cnps, c->rec->close_gaps);

	if (!c->configured || !c->rec->cnps)
		return NAN;
	return c->rec->cnps <= c->rec->ce + c->rec->naks + 1 && spaced;
}

static void cnp_make(struct summary *s, const struct record *r, unsigned i, uint64_t cnp_rx)
{
	const struct rec_cnp *rec = &r->cnp[i];
	const struct scene_node *np = &r->scene->node[r->scene->flow[rec->first]->to];
	struct summary_cnp *c = &s->cnp[s->n_cnps];

	if (!(rec->ce + rec->naks + rec->cnps + rec->made) || np->kind != SCENE_NIC)
		return;
	*c = (struct summary_cnp){
		.rec = rec,
		.np = np,
		.configured = np->u.nic.np.key == rec->key,
		.cnp_rx = cnp_rx,
		.missing = less(rec->expected, rec->cnps),
		.extra = less(rec->cnps, rec->expected),
		.gap_us = summary_dist(rec->gap, 1e6),
		.np_delay_us = summary_dist(rec->np_delay, 1e6),
		.way_us = summary_dist(rec->way, 1e6),
	};
	name_it(c, r);
	c->pass = judge(c, !strcmp(s->run.clock, "virtual"));
	s->n_cnps++;
}

// Whether all rows of a notification point and key have the CNPs that they should, one more or less
// at the window's edges, spaced by the interval.
static bool agrees(const struct summary *s, const struct scene_node *np, enum np_key key)
{
	uint64_t cnps = 0, close = 0;

	for (unsigned i = 0; i < s->n_cnps; i++) {
		const struct summary_cnp *c = &s->cnp[i];

		if (c->np != np || c->rec->key != key)
			continue;
		if (c->missing + c->extra > 1)
			return false;
		cnps += c->rec->cnps;
		close += c->rec->close_gaps;
	}
	return is_spaced(cnps, close);
}

static void np_make(struct summary *s, const struct record *r, const struct summary_cnp *all)
{
	struct summary_np *np = &s->np[s->n_nps++];
	unsigned node = (unsigned)(all->np - r->scene->node);

	*np = (struct summary_np){
		.all = all,
		.capped = nic_stats(r->net->node[node].u.nic)->np_cnp_capped -
			  r->node_warm[node].nic.np_cnp_capped,
		.paced = interval_of(all->np) != 0,
		.pass = NAN,
	};
	np->every_ce = !np->paced && all->missing + all->extra <= 1;
	for (unsigned key = 0; np->paced && all->rec->cnps > 1 && key < REC_CNP_KEYS; key++)
		np->paced_by |= agrees(s, all->np, (enum np_key)key) ? 1u << key : 0;
	for (unsigned i = 0; i < s->n_cnps; i++)
		if (s->cnp[i].np == all->np && !isnan(s->cnp[i].pass))
			np->pass = isnan(np->pass) ? s->cnp[i].pass : np->pass * s->cnp[i].pass;
}

int summary_cnps(struct summary *s, const struct record *r)
{
	uint64_t *rx = calloc(r->n_cnps + 1, sizeof(*rx));

	s->cnp = calloc(r->n_cnps + 1, sizeof(*s->cnp));
	s->np = calloc(r->net->n_nodes + 1, sizeof(*s->np));
	for (unsigned i = 0; rx && i < s->n_flows; i++)
		for (unsigned k = 0; k < REC_CNP_KEYS; k++)
			rx[r->flow[i].cnp[k]] += s->flow[i].tx.cnp_rx;
	for (unsigned i = 0; rx && s->cnp && i < r->n_cnps; i++)
		cnp_make(s, r, i, rx[i]);
	free(rx);
	if (!rx || !s->cnp || !s->np)
		return -ENOMEM;
	for (unsigned i = 0; i < s->n_cnps; i++)
		if (s->cnp[i].rec->key == NP_KEY_PORT)
			np_make(s, r, &s->cnp[i]);
	return 0;
}
