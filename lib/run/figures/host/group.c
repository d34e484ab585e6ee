// SPDX-License-Identifier: BSD-3-Clause
// Groups of flows that compete: their rates, how they came to their fair share, and the stages that
// their reaction points were in (measuring.md M5).
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "int.h"

#define FEW_GROUPS 256  // up to this many groups are listed in any case
#define FEW_FLOWS  4096 // up to this many flows all groups are listed

struct group {
	const struct rec_group *rec;
	const char *name, *to, *bottleneck, *worst; // NULL: none
	bool has_rtt;
	double worst_percent, cnp_per_ce;
	uint64_t flows;
	unsigned receive;     // flows whose responder is ours
	bool sends, receives; // a requester is ours, a responder is
	double goodput_gbps, mean_gbps, min_gbps, max_gbps;
	unsigned compared;                 // flows that have a rate
	double sum, squares;               // of these rates, and of their squares
	double jain;                       // NAN: fewer than two flows have a rate
	double rc_mean_gbps;               // of the flows that have a reaction point; NAN: none
	double stage_percent[RP_STAGES];   // mean over these flows; NAN: none
	unsigned points;                   // how many these are
	double fair_gbps;                  // mean of their fair shares; NAN: a flow has no way
	const struct scene_port *tightest; // the port that sets all of them; NULL: several do
	double converged;                  // 1, 0; NAN: no time in which all flows were there
	double t_conv_us;                  // INFINITY: not converged; NAN: as above
	double off_percent;                // of the window's ms of its flows: off the fair share
	// (p95 - p5) / mean of their goodput: in the window, since it converged; NAN
	double osc, osc_since;
	uint64_t ce, cnp_tx, cnp_rx, cuts, retransmitted, sequence_errors, nak, failed;
	struct kind_among goodput_of, rc_of, alpha_of; // its flows
	struct host_messages messages;
	struct host_split split; // of their mean completion time
	struct kind_dist cnp_gap_us;
	double rate_err_p1, rate_err_p50, rate_err_p99; // (wire rate - Rc) / Rc; NAN
	struct kind_dist cut_us;            // CNP in until the first frame that the cut holds back
	struct kind_dist rtt_us;            // of the frames that are timed
	struct kind_dist latency_us;        // of data that came
	uint64_t off_pace;                  // of its flows: host_off_pace
	const struct host_flow *worst_pace; // of these; NULL: none
	struct rank rank;
};

static double oscillation(const struct rec_spread *s)
{
	if (!s || !s->sum)
		return NAN;
	return ((double)record_spread_at(s, 950) - record_spread_at(s, 50)) * (double)s->n /
	       (double)s->sum;
}

static void convergence(struct group *g, const struct record *r)
{
	const struct rec_share *s = &g->rec->share;
	tstamp onset;

	g->converged = g->t_conv_us = g->off_percent = NAN;
	g->osc = oscillation(s->window);
	g->osc_since = oscillation(s->since);
	if (s->periods)
		g->off_percent = 100 * (double)s->periods_off / (double)s->periods;
	if (!s->judged || isnan(g->fair_gbps))
		return;
	g->converged = s->settled < s->judged;
	onset = r->component[s->component].onset;
	g->t_conv_us = g->converged > 0 ? (double)(s->settled - onset) / 1e6 : INFINITY;
}

// Compares the bytes sent with the bytes that the reaction points allowed.
static void rates(struct group *g)
{
	const struct rec_spread *w = g->rec->wire;

	g->rate_err_p1 = w ? record_spread_at(w, 10) / 1e3 - 1 : NAN;
	g->rate_err_p50 = w ? record_spread_at(w, 500) / 1e3 - 1 : NAN;
	g->rate_err_p99 = w ? record_spread_at(w, 990) / 1e3 - 1 : NAN;
	g->cut_us = kind_dist(g->rec->cut, 1e6);
	g->rtt_us = kind_dist(g->rec->rtt, 1e6);
	g->latency_us = kind_dist(g->rec->latency, 1e6);
	g->cnp_gap_us = kind_dist(g->rec->cnp_gap, 1e6);
	g->messages = host_messages(g->rec->fct, g->rec->fct_posted, g->rec->slowdown);
	g->split = host_split(&g->rec->split, g->messages.fct_us.n);
}

static void begin_group(struct group *g, const struct summary *s, const struct rec_group *rec)
{
	const struct rec_flow *first = &s->rec->flow[rec->first];

	*g = (struct group){.rec = rec, .flows = rec->n, .min_gbps = INFINITY};
	g->tightest = first->fair_gbps > 0 ? route_port(s->rec->scene, &first->tightest) : NULL;
}

static void add_counters(struct group *g, const struct host_flow *f)
{
	g->ce += f->rx.ecn_ce_rx;
	g->cnp_tx += f->rx.cnp_tx;
	g->cnp_rx += f->tx.cnp_rx;
	g->cuts += f->tx.rate_cuts;
	g->retransmitted += f->tx.data_frames_retransmitted;
	g->sequence_errors += f->rx.frame_sequence_error;
	g->nak += f->tx.nak_rx;
	g->failed += f->tx.message_fail;
}

static void add_flow(struct group *g, const struct summary *s, const struct host_flow *f)
{
	const struct rec_flow *rec = f->rec, *first = &s->rec->flow[g->rec->first];
	double gbps = f->goodput_gbps;

	g->sends |= scene_is_here(s->rec->scene, rec->scene->from);
	if (!isnan(gbps)) {
		g->receive++;
		g->goodput_gbps += gbps;
		g->min_gbps = gbps < g->min_gbps ? gbps : g->min_gbps;
		g->max_gbps = gbps > g->max_gbps ? gbps : g->max_gbps;
	}
	if (!isnan(f->rate_gbps)) {
		g->compared++;
		g->sum += f->rate_gbps;
		g->squares += f->rate_gbps * f->rate_gbps;
	}
	add_counters(g, f);
	g->fair_gbps += rec->fair_gbps > 0 ? rec->fair_gbps / g->rec->n : NAN;
	if (memcmp(&rec->tightest, &first->tightest, sizeof(rec->tightest)) != 0)
		g->tightest = NULL;
	if (rec->rp) {
		g->points++;
		g->rc_mean_gbps += isnan(f->rc_mean_gbps) ? 0 : f->rc_mean_gbps;
		for (unsigned i = 0; i < RP_STAGES; i++)
			g->stage_percent[i] += f->stage_percent[i];
	}
	if (!host_off_pace(f->pace.percent, f->pace.frames))
		return;
	g->off_pace++;
	if (!g->worst_pace || fabs(f->pace.percent) > fabs(g->worst_pace->pace.percent))
		g->worst_pace = f;
}

static void end(struct group *g, const struct summary *s)
{
	unsigned n = g->receive;

	g->receives = n;
	if (!n)
		g->goodput_gbps = g->min_gbps = g->max_gbps = NAN;
	g->mean_gbps = g->goodput_gbps / n;
	g->jain = g->compared > 1 && g->squares > 0 ? g->sum * g->sum / (g->compared * g->squares)
						    : NAN;
	g->rc_mean_gbps = g->points ? g->rc_mean_gbps / g->points : NAN;
	for (unsigned i = 0; i < RP_STAGES; i++)
		g->stage_percent[i] = g->points ? g->stage_percent[i] / g->points : NAN;
	convergence(g, s->rec);
	rates(g);
	g->name = g->rec->name;
	g->to = g->rec->several ? NULL : s->rec->scene->node[g->rec->to].name;
	g->bottleneck = g->tightest ? g->tightest->name : NULL;
	g->worst = g->worst_pace ? g->worst_pace->rec->scene->name : NULL;
	g->worst_percent = g->worst_pace ? g->worst_pace->pace.percent : NAN;
	g->has_rtt = g->rtt_us.n;
	g->cnp_per_ce = kind_ratio(g->cnp_tx, g->ce);
}

// The flows' values of one figure, group by group: the values of group i begin at first[i]. `x` has
// room for all.
static void among_flows(struct set *to, const struct set *flows, const struct record *r,
	unsigned *first, double *x, const char *figure, size_t offset)
{
	unsigned at = 0;
	struct figure f;

	kind_figure(&kind_flow, figure, &f);
	for (unsigned g = 0; g < to->n; g++) {
		first[g] = at;
		at += r->group[g].n;
	}
	for (unsigned i = 0; i < flows->n; i++)
		x[first[r->flow[i].group]++] = figure_value(&f, set_at(flows, i));
	for (unsigned g = 0; g < to->n; g++) {
		unsigned n = r->group[g].n;

		*(struct kind_among *)((char *)set_at(to, g) + offset) =
			kind_among(x + first[g] - n, n);
	}
}

static int among(struct set *to, const struct set *flows, const struct record *r)
{
	unsigned *first = calloc(to->n + 1ul, sizeof(*first));
	double *x = calloc(flows->n + 1ul, sizeof(*x));
	bool ok = first && x;

	if (ok) {
		among_flows(
			to, flows, r, first, x, "goodput_gbps", offsetof(struct group, goodput_of));
		among_flows(to, flows, r, first, x, "rc_gbps", offsetof(struct group, rc_of));
		among_flows(to, flows, r, first, x, "alpha", offsetof(struct group, alpha_of));
	}
	free(first);
	free(x);
	return ok ? 0 : -ENOMEM;
}

// Sort keys for the groups that summary.json lists first if it does not list all.
static double fastest(const void *g)
{
	const struct group *o = g;

	return o->receives ? -o->goodput_gbps : 0;
}

static double slowest(const void *g)
{
	const struct group *o = g;

	return o->receives ? o->goodput_gbps : INFINITY;
}

static double most_cut(const void *g)
{
	return -(double)((const struct group *)g)->cuts;
}

static const struct rank_order orders[] = {
	{"fastest", fastest, false}, {"slowest", slowest, false}, {"most_cut", most_cut, true}};

bool host_groups_listed(const struct summary *s)
{
	return s->rec->n_groups <= FEW_GROUPS || s->rec->n_flows <= FEW_FLOWS ||
	       record_flow_step(s->rec) || s->live;
}

static int list_groups(const struct summary *s, struct set *to)
{
	const struct scene_record *want = &s->rec->scene->record;
	bool all = host_groups_listed(s);

	for (unsigned i = 0; i < to->n; i++)
		((struct group *)set_at(to, i))->rank.listed = all;
	if (all)
		return 0;
	return rank_list(to, offsetof(struct group, rank),
		want->flows == SCENE_FLOWS_TOP ? want->flows_n : RANK_FIRST, orders,
		sizeof(orders) / sizeof(orders[0]));
}

static int make_groups(struct summary *s, struct set *to)
{
	const struct record *r = s->rec;
	const struct set *flows = kind_set(s, KIND_FLOW);

	if (set_room(to, &kind_group, r->n_groups))
		return -ENOMEM;
	for (unsigned i = 0; i < r->n_groups; i++)
		begin_group(set_add(to), s, &r->group[i]);
	for (unsigned i = 0; i < flows->n; i++)
		add_flow(set_at(to, r->flow[i].group), s, set_at(flows, i));
	for (unsigned i = 0; i < to->n; i++)
		end(set_at(to, i), s);
	s->main_group = r->steady.group;
	return among(to, flows, r) || list_groups(s, to) ? -ENOMEM : 0;
}

#define TX(field, name, unit, ...) \
	ROW_COUNT_IF(struct group, sends, field, name, unit, __VA_ARGS__, .merge = FIGURE_SUM)
#define RX(field, name, unit, ...) \
	ROW_COUNT_IF(struct group, receives, field, name, unit, __VA_ARGS__, .merge = FIGURE_SUM)
// Figures that no part knows for all flows; some of them are computed again from all flows.
#define V(field, name, unit, decimals, ...) \
	ROW_VALUE(struct group, field, name, unit, decimals, __VA_ARGS__, .merge = FIGURE_NEVER)
#define OF_ALL(how, field, name, ...) \
	ROW_VALUE(struct group, field, name, "Gb/s", 6, __VA_ARGS__, .merge = how)
#define RTT(which, name, ...) \
	ROW_DIST_IF(struct group, has_rtt, rtt_us, which, name, "us", __VA_ARGS__)

static const struct figure figures[] = {
	ROW_TEXT(struct group, name, "group", "its name"),
	ROW_TEXT(struct group, to, "to", "the destination; `null` where its flows have several"),
	ROW_TEXT(struct group, bottleneck, "bottleneck",
		"the port that sets the fair share, if that is one for the whole group"),
	ROW_COUNT(struct group, flows, "flows", "", "number of its flows", .merge = FIGURE_SAME),
	OF_ALL(FIGURE_SUM, goodput_gbps, "goodput_gbps", "goodput of its flows together"),
	V(mean_gbps, "mean_gbps", "Gb/s", 6, "mean goodput of its flows"),
	OF_ALL(FIGURE_LEAST, min_gbps, "min_gbps", "least goodput of a flow"),
	OF_ALL(FIGURE_MOST, max_gbps, "max_gbps", "largest goodput of a flow"),
	V(jain, "jain", "", 6,
		"Jain's index of the goodput of its flows that have a rate (`rate_gbps`), (sum "
		"r)^2 / (n sum r^2): 1 is equal, 1/n is one alone"),
	OF_ALL(FIGURE_SAME, fair_gbps, "fair_gbps", "mean of its flows' fair shares"),
	V(converged, "converged", "0, 1", 0,
		"1: from some millisecond on every flow stayed within 10 % of its fair share; "
		"`null`: there was no millisecond to judge"),
	V(t_conv_us, "t_conv_us_total", "us", 3,
		"convergence time: from the onset to the end of the last millisecond in which a "
		"flow of the group was further off; `null` where none was judged or it never "
		"converged"),
	V(off_percent, "off_share_percent", "%", 4,
		"of the window's milliseconds of its flows: further off than 10 %"),
	V(osc, "osc", "", 4,
		"oscillation: (p95 - p5) / mean of the flows' goodput by the millisecond, in the "
		"window"),
	V(osc_since, "osc_converged_total", "", 4,
		"oscillation since convergence: (p95 - p5) / mean of the flows' goodput by the "
		"millisecond"),
	V(rc_mean_gbps, "rc_mean_gbps", "Gb/s", 6, "mean of the flows' mean Rc"),
	V(stage_percent[RP_STAGE_LINE_RATE], "line_rate_percent", "%", 4,
		"share of the time at line rate, mean over the flows that have a reaction point"),
	V(stage_percent[RP_STAGE_FAST_RECOVERY], "fast_recovery_percent", "%", 4,
		"share of the time in fast recovery, mean over these flows"),
	V(stage_percent[RP_STAGE_ADDITIVE_INCREASE], "additive_increase_percent", "%", 4,
		"share of the time in additive increase, mean over these flows"),
	V(stage_percent[RP_STAGE_HYPER_INCREASE], "hyper_increase_percent", "%", 4,
		"share of the time in hyper increase, mean over these flows"),
	V(rate_err_p1, "rate_err_p1", "", 3,
		"p1 of the rate's error, (wire rate - Rc) / Rc, of each flow with a reaction point "
		"in each sampling period (of 100 us at least) in which it had something to send: 0 "
		"is as allowed; far below 0: something else holds it back, a pause or the wire"),
	V(rate_err_p50, "rate_err_p50", "", 3, "p50 of the rate's error"),
	V(rate_err_p99, "rate_err_p99", "", 3, "p99 of the rate's error"),
	ROW_DIST(struct group, cut_us, p50, "t_cut_p50_us", "us",
		"p50 of the time to a cut, from a CNP (or CNM) to the first frame that the cut "
		"holds back. Where cuts wait for a timer: from the first CNP since the last one. A "
		"CNP that QCN ignores begins none. Cuts that found no gap running are left out"),
	ROW_DIST(struct group, cut_us, p99, "t_cut_p99_us", "us", "p99 of the time to a cut"),
	ROW_LATENCY(struct group, latency_us, "data frames (repetitions too)"),
	RTT(min, "rtt_min_us",
		"minimum of the RTT, where the reaction point asks for it: from the first bit of a "
		"frame that asked for an ACK to the arrival of that ACK. Frames that were sent "
		"again have none"),
	RTT(p50, "rtt_p50_us", "p50 of the RTT"),
	RTT(p90, "rtt_p90_us", "p90 of the RTT"),
	RTT(p99, "rtt_p99_us", "p99 of the RTT"),
	RTT(p999, "rtt_p999_us", "p99.9 of the RTT"),
	RTT(max, "rtt_max_us", "maximum of the RTT"),
	TX(cuts, "rate_cuts", "events",
		"decreases of its flows' reaction points that lowered a rate or window"),
	RX(ce, "ecn_ce_rx", "frames", "data that its flows' receivers got with CE"),
	RX(cnp_tx, "cnp_tx", "frames", "CNPs that its flows' receivers sent"),
	TX(cnp_rx, "cnp_rx", "frames", "CNPs that its flows' senders received"),
	V(cnp_per_ce, "cnp_per_ce", "", 6, "`cnp_tx` / `ecn_ce_rx`"),
	ROW_DIST(struct group, cnp_gap_us, min, "cnp_gap_min_us", "us",
		"minimum of the time between two CNPs of one queue pair"),
	ROW_DIST(struct group, cnp_gap_us, p1, "cnp_gap_p1_us", "us",
		"p1 of the time between two CNPs of one queue pair"),
	ROW_SPREAD(struct group, cnp_gap_us, "cnp_gap", "_us", "us",
		"the time between two CNPs of one queue pair", ""),
	TX(retransmitted, "data_frames_retransmitted", "frames",
		"data frames that its flows sent again"),
	RX(sequence_errors, "frame_sequence_error", "frames", "data frames that came out of order"),
	TX(nak, "nak_rx", "frames", "NAKs that its flows' senders received"),
	TX(failed, "message_fail", "messages", "messages lost by failures of its queue pairs"),
	TX(off_pace, "off_pace", "flows",
		"flows whose limiter's error is 0.5 % or more, and more than a frame"),
	ROW_TEXT(struct group, worst, "worst_pace", "the flow whose limiter is off most"),
	V(worst_percent, "worst_pace_percent", "%", 4, "error of the limiter that is off most"),
	ROW_TEXT_IF(struct group, rank.ranked, rank.listed_for, "listed_for",
		"more than 256 groups of more than 4096 flows are listed by the first of each "
		"order, where `record.flows` lists no flow by its number: of which this is, "
		"`fastest`, `slowest`, `most_cut`"),
	HOST_AMONG_FLOWS(struct group, goodput_of, rc_of, alpha_of),
	HOST_MESSAGES(struct group, messages),
	HOST_SPLIT(struct group, split, .merge = FIGURE_MEAN, .weight = "messages"),
};

// If a name has several destinations, the destination is added, as in tally/group.c; not to a group
// that has flows of all destinations.
void host_look_groups(struct kind_look *l, host_tell_group *tell)
{
	const struct scene *s = l->s;

	for (unsigned i = 0, j; i < s->n_flows && !l->enough; i = j) {
		const struct scene_flow *first = s->flow[i];
		bool several = false;

		for (j = i; j < s->n_flows && !strcmp(s->flow[j]->group, first->group); j++)
			several |= !first->pooled &&
				   scene_host_of(s, s->flow[j]->to) != scene_host_of(s, first->to);
		if (!several)
			tell(l, first, first->group);
		for (unsigned k = i; several && k < j && !l->enough; k++) {
			char name[KIND_NAME];

			snprintf(name, sizeof(name), "%s>%s", first->group,
				s->node[scene_host_of(s, s->flow[k]->to)].name);
			tell(l, first, name);
		}
	}
}

static void tell_group(struct kind_look *l, const struct scene_flow *f, const char *name)
{
	(void)f;
	look_tell(l, "%s", name);
}

static void possible_groups(struct kind_look *l)
{
	host_look_groups(l, tell_group);
}

const struct kind kind_group = {
	.key = "groups",
	.path = "group",
	.title = "Groups",
	.about = "Flows that compete: they have the same name in the scenario and the same "
		 "destination, or name one `group`. Of very many summary.json has those at the "
		 "top; paths lead to all.",
	.example = "incast",
	.one_by = {"group", "to"},
	.size = sizeof(struct group),
	KIND_FIGURES(figures),
	.make = make_groups,
	.name_at = offsetof(struct group, name),
	.listed_at = offsetof(struct group, rank.listed),
	.could = possible_groups,
};
