// SPDX-License-Identifier: BSD-3-Clause
// CNPs in the summary (measuring.md M4): by key, against what was to be expected, and which key
// seems to pace them.
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "int.h"

// CNPs of one notification point by one key.
struct cnp {
	enum np_key by;
	unsigned first; // a flow of it
	uint64_t close_gaps;
	const struct scene_node *np;
	const char *key, *node, *label;
	char name[REC_LABEL]; // "f[h1>r.0]", "r>h1", "r"
	bool configured;      // the key that its interval speaks of
	bool listed;          // in summary.json
	uint64_t ce, naks, cnps, nak_cnps, made, expected;
	uint64_t cnp_rx;
	uint64_t missing, extra; // of the expected CNPs
	double per_ce, gap_min_us;
	double pass; // 1, 0; NAN: nothing to judge
	struct kind_dist gap_us, np_delay_us, way_us;
};

// A notification point that saw CE or sent a CNP.
struct np {
	const char *node, *mode, *key;
	uint64_t ce, cnps;
	double interval_us;
	struct kind_dist np_delay_us, way_us;
	uint64_t capped;
	bool paced;        // its mode and interval space CNPs; else each CE is to have one
	bool every_ce;     // not paced: and each had one
	unsigned paced_by; // paced: bitmap of enum np_key: what was seen agrees with them
	double pass;       // of its configured key
};

static const char *key_name(enum np_key key)
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

static void name_it(struct cnp *c, const struct record *r)
{
	const struct scene_flow *f = r->scene->flow[c->first];
	const char *rp = r->scene->node[scene_host_of(r->scene, f->from)].name;

	if (c->by == NP_KEY_QP)
		snprintf(c->name, sizeof(c->name), "%s", f->name);
	else if (c->by == NP_KEY_PORT)
		snprintf(c->name, sizeof(c->name), "%s", c->np->name);
	else
		snprintf(c->name, sizeof(c->name), "%s>%s", c->np->name, rp);
}

bool host_is_spaced(uint64_t cnps, uint64_t close)
{
	return 1000 * close <= cnps;
}

// The least time between two CNPs of the notification point, ps; 0: it answers each CE.
static tstamp interval_of(const struct scene_node *np)
{
	const struct dcqcn_np_params *p = &np->u.nic.np;

	return p->mode == NP_PER_PACKET ? 0 : p->interval_ps;
}

// No more CNPs than reasons for them (one may have come before the window), none sooner after
// another than configured; in real time a timer is as exact as the poll loop.
static double judge_cnps(const struct cnp *c, const struct rec_cnp *rec, bool exact)
{
	tstamp interval = interval_of(c->np);
	bool spaced = exact ? rec->gap_min >= interval
			    : !interval || host_is_spaced(rec->cnps, rec->close_gaps);

	if (!c->configured || !rec->cnps)
		return NAN;
	return rec->cnps <= rec->ce + rec->naks + 1 && spaced;
}

static void cnp_make(struct summary *s, struct set *to, const struct rec_cnp *rec, uint64_t cnp_rx)
{
	const struct record *r = s->rec;
	const struct scene_node *np = &r->scene->node[r->scene->flow[rec->first]->to];
	struct cnp *c;

	if (!(rec->ce + rec->naks + rec->cnps + rec->made) || np->kind != SCENE_NIC ||
		!scene_is_here(r->scene, r->scene->flow[rec->first]->to))
		return;
	c = set_add(to);
	*c = (struct cnp){
		.by = rec->key,
		.first = rec->first,
		.close_gaps = rec->close_gaps,
		.np = np,
		.configured = np->u.nic.np.key == rec->key,
		.ce = rec->ce,
		.naks = rec->naks,
		.cnps = rec->cnps,
		.nak_cnps = rec->nak_cnps,
		.made = rec->made,
		.expected = rec->due.n,
		.cnp_rx = cnp_rx,
		.missing = less(rec->due.n, rec->cnps),
		.extra = less(rec->cnps, rec->due.n),
		.per_ce = kind_ratio(rec->cnps, rec->ce),
		.gap_min_us = rec->gap_min != TSTAMP_NEVER ? (double)rec->gap_min / 1e6 : NAN,
		.gap_us = kind_dist(rec->gap, 1e6),
		.np_delay_us = kind_dist(rec->np_delay, 1e6),
		.way_us = kind_dist(rec->way, 1e6),
	};
	name_it(c, r);
	c->key = key_name(rec->key);
	c->node = np->name;
	c->label = c->name;
	c->listed = rec->key != NP_KEY_QP || record_flow_kept(r, rec->first);
	c->pass = judge_cnps(c, rec, !strcmp(s->run.clock, "virtual"));
}

static int make_cnps(struct summary *s, struct set *to)
{
	const struct record *r = s->rec;
	const struct set *flows = kind_set(s, KIND_FLOW);
	struct rec_cnp *so_far = s->live ? calloc(r->n_cnps + 1ul, sizeof(*so_far)) : NULL;
	const struct rec_cnp *rows = s->live ? so_far : r->cnp;
	uint64_t *rx = calloc(r->n_cnps + 1, sizeof(*rx));

	if (!rx || !rows || set_room(to, &kind_cnp, r->n_cnps)) {
		free(so_far);
		free(rx);
		return -ENOMEM;
	}
	if (s->live)
		record_cnp_so_far(r, so_far);
	for (unsigned i = 0; i < flows->n; i++) {
		const struct host_flow *f = set_at(flows, i);

		for (unsigned k = 0; k < REC_CNP_KEYS; k++)
			rx[r->flow[i].cnp[k]] += f->tx.cnp_rx;
	}
	for (unsigned i = 0; i < r->n_cnps; i++)
		cnp_make(s, to, &rows[i], rx[i]);
	free(so_far);
	free(rx);
	return 0;
}

// The properties that the rows of a notification point's key share.
struct together {
	uint64_t cnps, close;
	bool off; // a row has CNPs missing or extra, more than one, for the window's edges
};

static const char *const modes[] = {
	[NP_WINDOW] = "window", [NP_NEXT_MARKED] = "next_marked", [NP_PER_PACKET] = "per_packet"};

static void np_make(struct summary *s, struct set *to, const struct cnp *all,
	const struct together of[REC_CNP_KEYS], double pass)
{
	const struct record *r = s->rec;
	struct np *np = set_add(to);
	unsigned node = (unsigned)(all->np - r->scene->node);

	*np = (struct np){
		.node = all->np->name,
		.mode = modes[all->np->u.nic.np.mode],
		.key = key_name(all->np->u.nic.np.key),
		.ce = all->ce,
		.cnps = all->cnps,
		.interval_us = (double)all->np->u.nic.np.interval_ps / 1e6,
		.np_delay_us = all->np_delay_us,
		.way_us = all->way_us,
		.capped = host_nic_window(r, node).np_cnp_capped,
		.paced = interval_of(all->np) != 0,
		.pass = pass,
	};
	np->every_ce = !np->paced && all->missing + all->extra <= 1;
	for (unsigned key = 0; np->paced && all->cnps > 1 && key < REC_CNP_KEYS; key++)
		if (!of[key].off && host_is_spaced(of[key].cnps, of[key].close))
			np->paced_by |= 1u << key;
}

static int make_nps(struct summary *s, struct set *to)
{
	const struct set *cnps = kind_set(s, KIND_CNP);
	unsigned n = s->rec->net->n_nodes;
	struct together(*of)[REC_CNP_KEYS] = calloc(n + 1ul, sizeof(*of));
	double *pass = calloc(n + 1ul, sizeof(*pass));

	if (!of || !pass || set_room(to, &kind_np, n)) {
		free(of);
		free(pass);
		return -ENOMEM;
	}
	for (unsigned i = 0; i < n; i++)
		pass[i] = NAN;
	for (unsigned i = 0; i < cnps->n; i++) {
		const struct cnp *c = set_at(cnps, i);
		unsigned node = (unsigned)(c->np - s->rec->scene->node);
		struct together *t = &of[node][c->by];

		t->cnps += c->cnps;
		t->close += c->close_gaps;
		t->off |= c->missing + c->extra > 1;
		if (!isnan(c->pass))
			pass[node] = isnan(pass[node]) ? c->pass : pass[node] * c->pass;
	}
	for (unsigned i = 0; i < cnps->n; i++) {
		const struct cnp *c = set_at(cnps, i);
		unsigned node = (unsigned)(c->np - s->rec->scene->node);

		if (c->by == NP_KEY_PORT)
			np_make(s, to, c, of[node], pass[node]);
	}
	free(of);
	free(pass);
	return 0;
}

static const char *cnp_path(const void *object, char *buf)
{
	const struct cnp *c = object;

	snprintf(buf, KIND_NAME, "%s.%s", c->key, c->name);
	return buf;
}

#define N(field, name, unit, ...) ROW_COUNT(struct cnp, field, name, unit, __VA_ARGS__)
#define V(field, name, unit, decimals, ...) \
	ROW_VALUE(struct cnp, field, name, unit, decimals, __VA_ARGS__)

static const struct figure cnp_figures[] = {
	ROW_TEXT(struct cnp, key, "key",
		"the key that spaces CNPs of a notification point: `qp` is each queue pair, "
		"`ip_pair` both addresses, `dst_ip` the sender's, `port` the whole NIC"),
	ROW_TEXT(struct cnp, label, "name", "of the flow, of both hosts (`r>h1`), of the NIC"),
	ROW_TEXT(struct cnp, node, "node", "the notification point"),
	ROW_BOOL(struct cnp, configured, "configured", "whether the scenario sets this key"),
	N(ce, "ce_rx", "frames", "data that came with CE"),
	N(cnps, "cnp_tx", "frames", "CNPs that the notification point sent"),
	N(made, "cnp_switch_tx", "frames",
		"CNPs that switches sent for these flows (iQCN, Fast CNP): the other origin"),
	N(cnp_rx, "cnp_rx", "frames", "CNPs that the senders took, from wherever"),
	V(per_ce, "cnp_per_ce", "", 6, "`cnp_tx` / `ce_rx`"),
	N(expected, "cnp_expected", "frames",
		"CNPs that the notification point's mode asks for where this key has one interval "
		"T: `next_marked`, one for each CE that comes T or more after the last that asked "
		"for one (Lumina's rule); `window`, one at the first CE and one at the end of each "
		"T in which CE came; `per_packet`, one for each CE. Reckoned by the recorder from "
		"the CE frames alone"),
	N(missing, "cnp_missing", "frames", "`cnp_expected` less `cnp_tx`"),
	N(extra, "cnp_extra", "frames", "`cnp_tx` less `cnp_expected`"),
	N(naks, "nak_tx", "frames", "NAKs that count as CE (`np: {with_nak: true}`)"),
	N(nak_cnps, "cnp_with_nack", "frames", "CNPs that answer one of these"),
	V(gap_min_us, "cnp_gap_min_us", "us", 6, "minimum of the time between two CNPs"),
	ROW_DIST(struct cnp, gap_us, p1, "cnp_gap_p1_us", "us", "p1 of the time between two CNPs"),
	ROW_SPREAD(struct cnp, gap_us, "cnp_gap", "_us", "us", "the time between two CNPs", ""),
	ROW_SPREAD(struct cnp, np_delay_us, "np_delay", "_us", "us",
		"the delay of the notification point",
		", from the CE that a CNP answers (in a window: its first) until the CNP is handed "
		"to the port"),
	ROW_SPREAD(struct cnp, way_us, "cnp_delay", "_us", "us", "the CNPs' way to the sender",
		", from the port, or from the switch that made it: waiting and the way (a CNP "
		"that came as bytes: the way from where it came in)"),
	V(pass, "pass", "0, 1", 0,
		"configured key only: no more CNPs than CE, no gap below the interval (in real "
		"time: below 95 % of it, but for one in a thousand)"),
};

static void could_cnps(struct kind_look *l)
{
	for (unsigned i = 0; i < l->s->n_flows && !l->enough; i++) {
		const struct scene_flow *f = l->s->flow[i];
		const char *np = l->s->node[scene_host_of(l->s, f->to)].name;
		const char *rp = l->s->node[scene_host_of(l->s, f->from)].name;

		look_tell(l, "%s.%s", key_name(NP_KEY_QP), f->name);
		look_tell(l, "%s.%s>%s", key_name(NP_KEY_IP_PAIR), np, rp);
		look_tell(l, "%s.%s>%s", key_name(NP_KEY_DST_IP), np, rp);
		look_tell(l, "%s.%s", key_name(NP_KEY_PORT), np);
	}
}

const struct kind kind_cnp = {
	.key = "cnps",
	.path = "cnp",
	.title = "CNPs",
	.about = "CNPs of a notification point by each key by which it may space them. Quantiles "
		 "of queue pairs are there with at most 64 flows.",
	.example = "ip_pair.r>h1",
	.if_any = true,
	.size = sizeof(struct cnp),
	KIND_FIGURES(cnp_figures),
	.make = make_cnps,
	.name = cnp_path,
	.listed_at = offsetof(struct cnp, listed),
	.could = could_cnps,
};

static void put_paced_by(
	struct jw *w, const struct summary *s, const void *object, const char *name)
{
	unsigned by = ((const struct np *)object)->paced_by;

	(void)s;
	jw_array(w, name, true);
	for (unsigned k = 0; k < REC_CNP_KEYS; k++)
		if (by >> k & 1)
			jw_str(w, NULL, key_name((enum np_key)k));
	jw_end(w);
}

static const struct figure_list paced_by = {
	put_paced_by, "{\"type\": \"array\", \"items\": {\"type\": \"string\"}}"};

const char *host_paced_by(const struct summary *s, unsigned i, char buf[static KIND_NAME])
{
	unsigned by = ((const struct np *)set_at(&s->set[KIND_NP], i))->paced_by;
	size_t n = 0;

	*buf = '\0';
	for (unsigned k = 0; k < REC_CNP_KEYS; k++)
		if (by >> k & 1)
			n += (size_t)snprintf(
				buf + n, KIND_NAME - n, " %s", key_name((enum np_key)k));
	return buf;
}

static const struct figure np_figures[] = {
	ROW_TEXT(struct np, node, "node", "the NIC"),
	ROW_TEXT(struct np, mode, "mode", "its mode"),
	ROW_TEXT(struct np, key, "key", "the key by which it spaces CNPs"),
	ROW_VALUE(struct np, interval_us, "interval_us", "us", 6, "its interval"),
	ROW_COUNT(struct np, ce, "ce_rx", "frames", "data that came with CE"),
	ROW_COUNT(struct np, cnps, "cnp_tx", "frames", "CNPs that it sent"),
	ROW_COUNT(struct np, capped, "cnp_capped", "events", "CNPs that `cnps_per_s` refused"),
	ROW_SPREAD(struct np, np_delay_us, "np_delay", "_us", "us",
		"the delay of the notification point",
		", from the CE that a CNP answers until the CNP is handed to the port"),
	ROW_SPREAD(struct np, way_us, "cnp_delay", "_us", "us", "the CNPs' way to the sender", ""),
	ROW_VALUE(
		struct np, pass, "pass", "0, 1", 0, "whether all rows of its configured key pass"),
	ROW_BOOL(struct np, paced, "paced", "whether its mode and interval space CNPs"),
	ROW_BOOL(struct np, every_ce, "every_ce", "not paced: whether each CE had its CNP"),
	ROW_LIST(&paced_by, "paced_by",
		"the keys that agree with the CNPs sent, by Lumina's test: no row of such a key "
		"has CNPs missing or extra (but for one, for the window's edges), and less than a "
		"thousandth of its gaps is under 95 % of the interval"),
};

static bool is_nic(const struct scene_node *n, unsigned port, unsigned cls)
{
	(void)port;
	(void)cls;
	return n->kind == SCENE_NIC;
}

static void could_nps(struct kind_look *l)
{
	look_nodes(l, is_nic);
}

const struct kind kind_np = {
	.key = "notification_points",
	.path = "np",
	.title = "Notification points",
	.about = "Each NIC that saw CE or sent a CNP.",
	.example = "r",
	.if_any = true,
	.size = sizeof(struct np),
	KIND_FIGURES(np_figures),
	.make = make_nps,
	.name_at = offsetof(struct np, node),
	.could = could_nps,
};
