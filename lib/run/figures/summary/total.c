// SPDX-License-Identifier: BSD-3-Clause
// Totals of a run.
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "int.h"

// Returns the sum of figure `name` over all objects of a kind, which are made if necessary.
static double sum_of(struct summary *s, enum kind_id kind, const char *name)
{
	kind_set(s, kind);
	return summary_sum(s, kind, name);
}

struct total {
	double goodput_gbps;
	double marks, not_ect_marks, ect, marking_ratio, ce_rx, cnp_tx, cnp_rx, cuts;
	double cnm_tx, cnm_rx, iqcn_cnp_tx, fast_cnp_tx;
	double pauses, xoff_tx, xon_tx, lossless_drops, lossless_drops_total;
	double lossless_exempt, lossless_exempt_total;
	double retransmitted, naks, replay_unsent;
	double timeouts;
	bool has_faults;
	uint64_t fault_drops, fault_copies, fault_forged;
	uint64_t pause_ps, pause_tx, drops, drops_total, filtered, failed_qps, unfinished_qps;
	struct kind_among goodput_of, rc_of, alpha_of; // all flows
	struct host_messages messages;
	struct host_split split;
};

// Figures of the run that are the sum of a figure over all objects of a kind.
static const struct sum {
	size_t offset; // of a double in struct total
	enum kind_id kind;
	const char *figure;
} sums[] = {
	{offsetof(struct total, goodput_gbps), KIND_FLOW, "goodput_gbps"},
	{offsetof(struct total, ce_rx), KIND_FLOW, "ecn_ce_rx"},
	{offsetof(struct total, cnp_tx), KIND_FLOW, "cnp_tx"},
	{offsetof(struct total, cnp_rx), KIND_FLOW, "cnp_rx"},
	{offsetof(struct total, cnm_rx), KIND_FLOW, "cnm_rx"},
	{offsetof(struct total, cuts), KIND_FLOW, "rate_cuts"},
	{offsetof(struct total, retransmitted), KIND_FLOW, "data_frames_retransmitted"},
	{offsetof(struct total, naks), KIND_FLOW, "nak_rx"},
	{offsetof(struct total, marks), KIND_QUEUE, "ecn_marked_frames"},
	{offsetof(struct total, ect), KIND_QUEUE, "ect_frames"},
	{offsetof(struct total, pauses), KIND_PFC, "pauses"},
	{offsetof(struct total, xoff_tx), KIND_PFC_TX, "xoff_frames"},
	{offsetof(struct total, xon_tx), KIND_PFC_TX, "xon_frames"},
	{offsetof(struct total, lossless_drops), KIND_PG, "dropped_frames"},
	{offsetof(struct total, lossless_drops_total), KIND_PG, "dropped_frames_total"},
	{offsetof(struct total, lossless_exempt), KIND_PG, "pfcwd_dropped_frames"},
	{offsetof(struct total, lossless_exempt_total), KIND_PG, "pfcwd_dropped_frames_total"},
	{offsetof(struct total, cnm_tx), KIND_CP, "cnm_tx"},
	{offsetof(struct total, iqcn_cnp_tx), KIND_IQCN, "cnp_tx"},
	{offsetof(struct total, fast_cnp_tx), KIND_FAST_CNP, "cnp_tx"},
	{offsetof(struct total, timeouts), KIND_NIC, "local_ack_timeout_err"},
	{offsetof(struct total, replay_unsent), KIND_REPLAY, "unsent_frames_total"},
};

// Completion times of all flows together.
static int messages(struct total *t, const struct record *r)
{
	struct hist *h = calloc(3, sizeof(*h));
	struct rec_split split = {0};

	if (!h)
		return -ENOMEM;
	for (unsigned i = 0; i < r->n_groups; i++) {
		const struct rec_group *g = &r->group[i];

		if (!g->fct)
			continue;
		for (unsigned k = 0; k < REC_CAUSES; k++)
			split.ps[k] += g->split.ps[k];
		split.messages += g->split.messages;
		hist_merge(&h[0], g->fct);
		hist_merge(&h[1], g->fct_posted);
		if (g->slowdown)
			hist_merge(&h[2], g->slowdown);
	}
	t->messages = host_messages(&h[0], &h[1], &h[2]);
	t->split = host_split(&split, t->messages.fct_us.n);
	t->messages.fct_us.from = t->messages.fct_posted_us.from = NULL;
	t->messages.slowdown.from = NULL;
	free(h);
	return 0;
}

// Marks of Not-ECT frames, and the time stopped, in whole ps.
static void of_queues_and_ports(struct total *t, struct summary *s, const struct record *r)
{
	const struct set *queues = kind_set(s, KIND_QUEUE);

	for (unsigned i = 0; i < queues->n; i++) {
		const struct fabric_queue *q = set_at(queues, i);

		t->not_ect_marks += (double)q->w.ecn_marked_not_ect_frames;
	}
	for (unsigned i = 0; i < r->n_ports; i++) {
		const struct rec_port *p = &r->port[i];

		t->pause_tx += p->pause_tx ? *p->pause_tx - p->warm->pause_tx : 0;
		for (unsigned k = 0; p->rx && k < PAUSE_PRIOS; k++)
			t->pause_ps += fabric_pause_window(p, k, false).pause_effective_ps;
	}
}

static void of_queue_pairs(struct total *t, const struct record *r)
{
	for (unsigned i = 0; i < r->n_flows; i++) {
		const struct rc_tx *rc = rec_flow_rc(&r->flow[i]);

		t->failed_qps += rc && rc->failed;
		t->unfinished_qps += rc && !rc->failed && rc->messages;
	}
}

static void of_drops(struct total *t, struct summary *s)
{
	struct ledger_row row;

	kind_set(s, KIND_DROP);
	kind_set(s, KIND_NIC_DROP);
	for (unsigned i = 0; summary_ledger(s, i, &row); i++) {
		if (row.fate == DROP_FILTERED) {
			t->filtered += row.window;
			continue;
		}
		t->drops += row.window;
		t->drops_total += row.whole;
	}
}

static void of_faults(struct total *t, const struct record *r)
{
	struct fault_stats f = net_fault_stats(r->net);

	t->has_faults = net_n_faults(r->net);
	t->fault_drops = f.dropped_frames;
	t->fault_copies = f.copied_frames;
	t->fault_forged = f.forged_frames;
}

// All flows' values of one figure. `x` is room for them.
static struct kind_among among(struct summary *s, double *x, const char *figure)
{
	const struct set *flows = kind_set(s, KIND_FLOW);
	struct figure f;

	kind_figure(&kind_flow, figure, &f);
	for (unsigned i = 0; i < flows->n; i++)
		x[i] = figure_value(&f, set_at(flows, i));
	return kind_among(x, flows->n);
}

static int of_flows(struct total *t, struct summary *s)
{
	double *x = calloc(s->rec->n_flows + 1ul, sizeof(*x));

	if (!x)
		return -ENOMEM;
	t->goodput_of = among(s, x, "goodput_gbps");
	t->rc_of = among(s, x, "rc_gbps");
	t->alpha_of = among(s, x, "alpha");
	free(x);
	return 0;
}

static int make_total(struct summary *s, struct set *to)
{
	struct total *t;

	if (set_room(to, &kind_total, 1))
		return -ENOMEM;
	t = set_add(to);
	for (unsigned i = 0; i < sizeof(sums) / sizeof(sums[0]); i++)
		*(double *)((char *)t + sums[i].offset) = sum_of(s, sums[i].kind, sums[i].figure);
	of_queues_and_ports(t, s, s->rec);
	of_queue_pairs(t, s->rec);
	of_drops(t, s);
	of_faults(t, s->rec);
	t->marking_ratio = t->ect > 0 ? (t->marks - t->not_ect_marks) / t->ect : NAN;
	if (of_flows(t, s))
		return -ENOMEM;
	if (s->rec->n_flows && isnan(t->goodput_of.p50)) // all are received elsewhere
		t->goodput_gbps = NAN;
	return messages(t, s->rec);
}

#define N(field, name, unit, ...) \
	ROW_COUNT(struct total, field, name, unit, __VA_ARGS__, .merge = FIGURE_SUM)
#define FAULTS(field, name, ...) \
	ROW_COUNT_IF(            \
		struct total, has_faults, field, name, "frames", __VA_ARGS__, .merge = FIGURE_SUM)
// A sum of counters.
#define SUM(field, name, unit, ...) \
	ROW_VALUE(struct total, field, name, unit, 0, __VA_ARGS__, .merge = FIGURE_SUM)

static const struct figure figures[] = {
	ROW_VALUE(struct total, goodput_gbps, "goodput_gbps", "Gb/s", 6,
		"payload that arrived in order, all flows", .merge = FIGURE_SUM),
	N(drops, "drops", "frames", "frames dropped for any reason but ordinary filtering"),
	N(drops_total, "drops_total", "frames",
		"frames dropped for any reason but ordinary filtering, whole run"),
	SUM(lossless_drops, "lossless_drops", "frames",
		"frames of lossless classes that switches lost, except by the PFC watchdog"),
	SUM(lossless_drops_total, "lossless_drops_total", "frames",
		"frames of lossless classes that switches lost, except by the PFC watchdog, "
		"whole run"),
	SUM(lossless_exempt, "lossless_exempt", "frames",
		"frames of lossless classes that the PFC watchdog dropped, which is exempt from "
		"the verdict on losslessness"),
	SUM(lossless_exempt_total, "lossless_exempt_total", "frames",
		"frames of lossless classes that the PFC watchdog dropped, whole run"),
	N(filtered, "filtered", "frames",
		"frames discarded as a bridge or a host ordinarily does (`reserved`, `same_port`, "
		"`not_for_us`): no loss"),
	SUM(marks, "marks", "frames", "CE set by switches"),
	SUM(not_ect_marks, "not_ect_marks", "frames",
		"of `marks`, those of Not-ECT frames (`not_ect: h3c`, framing `hpcc_sim`)"),
	SUM(ect, "ect_frames", "frames", "ECT frames that a marker looked at"),
	ROW_VALUE(struct total, marking_ratio, "ecn_marking_ratio", "", 6,
		"of `ect_frames`, those marked; `not_ect_marks` do not count",
		.merge = FIGURE_NEVER),
	SUM(ce_rx, "ecn_ce_rx", "frames", "data that reached a receiver with CE"),
	SUM(cnp_tx, "cnp_tx", "frames", "CNPs that notification points sent"),
	SUM(cnp_rx, "cnp_rx", "frames",
		"CNPs that senders received, whether a reaction point takes them or ignores them "
		"(framing `hpcc_sim`, and reaction points that read ACKs: ACKs that echo CE)",
		.was = "cnps"),
	SUM(cuts, "rate_cuts", "events",
		"decreases of all reaction points that lowered a rate or window"),
	SUM(cnm_tx, "cnm_tx", "frames", "QCN: CNMs that switches sent"),
	SUM(cnm_rx, "cnm_rx", "frames", "QCN: CNMs that reaction points received", .was = "cnms"),
	SUM(iqcn_cnp_tx, "iqcn_cnp_tx", "frames", "CNPs that switches sent themselves (iQCN)",
		.was = "iqcn_tx_cnp"),
	SUM(fast_cnp_tx, "fast_cnp_tx", "frames", "CNPs that switches sent themselves (Fast CNP)"),
	SUM(pauses, "pauses", "events",
		"pauses of ports' classes of which a part lies in the window"),
	N(pause_ps, "pause_ps", "ps", "time stopped, summed over ports and classes"),
	SUM(xoff_tx, "xoff_tx", "frames", "XOFF sent, counted for each priority that they name"),
	SUM(xon_tx, "xon_tx", "frames", "XON sent, counted for each priority that they name"),
	N(pause_tx, "pause_tx", "frames", "802.3x PAUSE sent, XOFF and XON"),
	SUM(retransmitted, "data_frames_retransmitted", "frames", "data frames sent again"),
	SUM(naks, "nak_rx", "frames", "NAKs received"),
	SUM(timeouts, "timeouts", "events", "retransmission timeouts"),
	N(failed_qps, "failed_qps", "", "queue pairs that gave up"),
	N(unfinished_qps, "unfinished_qps", "",
		"queue pairs with messages that are posted and not done, at the end, or now while "
		"the run goes on"),
	SUM(replay_unsent, "replay_unsent_frames", "frames",
		"of captures: due, but not sent when the run ended, whole run"),
	FAULTS(fault_drops, "fault_drops_total",
		"frames that faults of the scenario dropped, whole run: no node had them, and they "
		"are exempt from the verdict on losslessness"),
	FAULTS(fault_copies, "fault_copies_total",
		"copies of frames that faults of the scenario made, whole run"),
	FAULTS(fault_forged, "fault_forged_total",
		"frames that faults of the scenario forged, whole run"),
	HOST_AMONG_FLOWS(struct total, goodput_of, rc_of, alpha_of),
	HOST_MESSAGES(struct total, messages),
	HOST_SPLIT(struct total, split, .merge = FIGURE_MEAN, .weight = "messages"),
};

const struct kind kind_total = {
	.key = "total",
	.path = "total",
	.title = "Totals",
	.about = "The run as a whole. These figures need no word before them: `drops`.",
	.single = true,
	.size = sizeof(struct total),
	KIND_FIGURES(figures),
	.make = make_total,
};
