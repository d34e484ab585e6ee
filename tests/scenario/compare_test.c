// SPDX-License-Identifier: BSD-3-Clause
// config/compare/: the same incast under each control, and what docs/compare.md says of the rows.
#include "rounds.h"
#include "scn.h"

#include <string.h>

enum { PFC_ONLY, QCN, PAPER, CONNECTX, RDMA_IP, SLOW_NP, IQCN, DCTCP, TIMELY, ROWS };

static const char *const files[ROWS] = {
	[PFC_ONLY] = "compare/1-pfc-only.yaml",
	[QCN] = "compare/2-qcn.yaml",
	[PAPER] = "compare/3-dcqcn-paper.yaml",
	[CONNECTX] = "compare/4-dcqcn-connectx.yaml",
	[RDMA_IP] = "compare/5-dcqcn-rdma-ip.yaml",
	[SLOW_NP] = "compare/6-dcqcn-slow-np.yaml",
	[IQCN] = "compare/7-dcqcn-iqcn.yaml",
	[DCTCP] = "compare/8-dctcp.yaml",
	[TIMELY] = "compare/9-timely.yaml",
};

static struct scn row[ROWS];

static int run_all(void **state)
{
	(void)state;
	for (unsigned i = 0; i < ROWS; i++)
		row[i] = scn_run(files[i], NULL);
	return 0;
}

static int free_all(void **state)
{
	(void)state;
	for (unsigned i = 0; i < ROWS; i++)
		scn_free(&row[i]);
	return 0;
}

static double of(unsigned i, const char *path)
{
	return scn_value(&row[i], path);
}

static void within(unsigned i, const char *path, double lo, double hi)
{
	scn_in(&row[i], path, of(i, path), lo, hi);
}

// By field: what stands between them is nobody's.
static bool same_channel(const struct rc_cfg *x, const struct rc_cfg *y)
{
	return x->p.verb == y->p.verb && x->p.mtu == y->p.mtu && x->p.window == y->p.window &&
	       x->p.ack_every == y->p.ack_every && x->p.rto_ps == y->p.rto_ps &&
	       x->p.retries == y->p.retries && x->p.recovery == y->p.recovery &&
	       x->first == y->first && x->middle == y->middle && x->last == y->last &&
	       x->only == y->only && x->ack_every == y->ack_every;
}

// Only control, marking and notification point may differ.
static void all_run_the_same_incast(void **state)
{
	const struct scene *a = row[0].scene;

	(void)state;
	for (unsigned i = 1; i < ROWS; i++) {
		const struct scene *b = row[i].scene;

		assert_int_equal(a->n_nodes, b->n_nodes);
		assert_int_equal(a->n_flows, b->n_flows);
		assert_true(
			a->duration == b->duration && a->warmup == b->warmup && a->seed == b->seed);
		for (unsigned k = 0; k < a->n_nodes; k++) {
			assert_string_equal(a->node[k].name, b->node[k].name);
			for (unsigned p = 0; p < a->node[k].n_ports; p++) {
				const struct scene_port *x = &a->node[k].port[p];
				const struct scene_port *y = &b->node[k].port[p];

				assert_string_equal(x->name, y->name);
				assert_true(x->rate == y->rate && x->delay == y->delay);
			}
		}
		for (unsigned k = 0; k < a->n_flows; k++) {
			assert_string_equal(a->flow[k]->name, b->flow[k]->name);
			assert_true(same_channel(a->flow[k]->rc, b->flow[k]->rc));
		}
	}
}

// All senders are equal for PFC, the link is full, and the flow beside it pays: v's frames stand
// among the others' in the queue from s0 to s1, one of nine, and so v gets what each of the eight
// gets: a share of 40 Gb/s.
static void pfc_alone_is_fair_and_full_and_stops_a_bystander(void **state)
{
	double share = 40.0 / 8 * 1024 / 1106;

	(void)state;
	within(PFC_ONLY, "jain", 0.9999, 1.0001);
	within(PFC_ONLY, "utilization", 99.9, 100);
	within(PFC_ONLY, "group.victim.goodput_gbps", 0.9 * share, 1.1 * share);
	within(PFC_ONLY, "bottleneck.mean_bytes", 500e3, 600e3); // at XOFF
	for (unsigned i = 1; i < ROWS; i++)
		assert_true(of(i, "pause_ps") < of(PFC_ONLY, "pause_ps"));
}

static void where_the_loop_closes_nobody_pauses_and_the_bystander_is_whole(void **state)
{
	static const unsigned closed[] = {QCN, PAPER, CONNECTX, RDMA_IP, IQCN, DCTCP};
	double whole = 20.0 * 1024 / 1106;

	(void)state;
	for (unsigned i = 0; i < sizeof(closed) / sizeof(closed[0]); i++) {
		within(closed[i], "pauses", 0, 0);
		within(closed[i], "group.victim.goodput_gbps", 0.99 * whole, 1.01 * whole);
		within(closed[i], "utilization", 95, 100);
		within(closed[i], "jain", closed[i] == IQCN ? 0.9 : 0.95, 1);
		within(closed[i], "drops", 0, 0);
	}
}

static void qcn_holds_its_set_point_with_the_shortest_queue(void **state)
{
	(void)state;
	within(QCN, "cp.s1:r.3.mean_over_set_point", 0.9, 1.1);
	within(QCN, "cp.s1:r.3.std_over_set_point", 0, 0.15);
	within(QCN, "cnm_rx", 100, 2000);
	for (unsigned i = 0; i < ROWS; i++)
		if (i != QCN)
			assert_true(of(QCN, "bottleneck.p99_bytes") <
				    0.5 * of(i, "bottleneck.p99_bytes"));
}

static void the_papers_values_stay_on_the_slope_of_red(void **state)
{
	(void)state;
	within(PAPER, "bottleneck.above_kmin_percent", 75, 100);
	within(PAPER, "bottleneck.above_kmax_percent", 0, 2);
}

// Small cuts, 4 us after each mark: the steadiest.
static void connectx_cuts_little_and_often(void **state)
{
	(void)state;
	within(CONNECTX, "main.cnp_per_ce", 0.9, 1);
	within(PAPER, "main.cnp_per_ce", 0.1, 0.8);
	for (unsigned i = QCN; i < ROWS; i++)
		if (i != CONNECTX)
			assert_true(of(CONNECTX, "main.osc") < of(i, "main.osc"));
}

// Ten bits of alpha, rounded down, forget between CNPs, and cuts that are too small let the queue
// run past Kmax again and again; with 18 bits the same registers do what the paper's engine does.
static void ten_bits_of_alpha_cost_the_rdma_ip_its_slope(void **state)
{
	double marks = 0, paper = 0, above = 0;

	(void)state;
	within(RDMA_IP, "bottleneck.above_kmax_percent", 5, 25);
	assert_true(of(RDMA_IP, "marks") > 5 * of(PAPER, "marks"));
	// Marks of one seed are up to twice another's.
	for (unsigned seed = 1; seed <= rounds_of(5); seed++) {
		char set[16];
		struct scn wide, narrow;

		snprintf(set, sizeof(set), "seed=%u", seed);
		wide = scn_run(files[RDMA_IP], "controls.cc.alpha_bits=18", set, NULL);
		narrow = scn_run(files[PAPER], set, NULL);
		marks += scn_value(&wide, "marks");
		above += scn_value(&wide, "bottleneck.above_kmax_percent") / 5;
		paper += scn_value(&narrow, "marks");
		if (seed == 5) {
			scn_in(&wide, "above Kmax with 18 bits, mean %", above, 0, 2);
			scn_in(&wide, "marks with 18 bits, of the paper's", marks / paper, 0.5, 2);
		}
		scn_free(&wide);
		scn_free(&narrow);
	}
}

// 2000 CNPs a second for eight flows that rise each 300 us are as good as none; iQCN sends those
// that lack.
static void a_slow_notification_point_is_no_control_and_iqcn_mends_it(void **state)
{
	double share = 40.0 / 8 * 1024 / 1106;

	(void)state;
	within(SLOW_NP, "main.cnp_tx", 155, 165); // 2000 a second, 80 ms
	assert_true(of(SLOW_NP, "pauses") > 0.5 * of(PFC_ONLY, "pauses"));
	within(SLOW_NP, "bottleneck.mean_bytes", 500e3, 600e3);
	within(SLOW_NP, "group.victim.goodput_gbps", 0.9 * share, 1.5 * share);
	within(IQCN, "iqcn_cnp_tx", 300, 3000);
	within(IQCN, "bottleneck.mean_bytes", 10e3, 100e3);

	// Jain of one seed is 0.90 to 0.99.
	double jain = of(IQCN, "jain");

	for (unsigned seed = 2; seed <= rounds_of(5); seed++) {
		char set[16];
		struct scn s;

		snprintf(set, sizeof(set), "seed=%u", seed);
		s = scn_run(files[IQCN], set, NULL);
		jain += scn_value(&s, "jain");
		if (seed == 5)
			scn_in(&s, "Jain, mean of five seeds", jain / 5, 0.94, 1);
		scn_free(&s);
	}
}

// K is 72 KB; all that stands there is marked.
static void dctcp_stands_at_k_and_starts_without_a_pause(void **state)
{
	struct scn s;

	(void)state;
	within(DCTCP, "bottleneck.mean_bytes", 60e3, 72e3);
	within(DCTCP, "bottleneck.p99_bytes", 72e3, 80e3);
	within(DCTCP, "bottleneck.empty_percent", 0, 0);
	within(DCTCP, "utilization", 99.9, 100);
	s = scn_run(files[DCTCP], "warmup=0us", NULL);
	scn_in(&s, "pauses, whole run", scn_value(&s, "pauses"), 0, 0);
	scn_free(&s);
}

// Below T_low every sender rises, above it a gradient takes most of its rate; delta is small, so
// that the start leaves the link empty for long. With a larger delta shares part.
static void timely_comes_back_slowly_and_the_rtt_is_low(void **state)
{
	struct scn s;

	(void)state;
	within(TIMELY, "utilization", 93, 98);
	within(TIMELY, "pauses", 0, 0);
	within(TIMELY, "group.incast.rtt_p50_us", 8.3, 10);
	within(TIMELY, "group.incast.rtt_p99_us", 50, 100);
	within(TIMELY, "group.victim.goodput_gbps", 0.99 * 20.0 * 1024 / 1106,
		1.01 * 20.0 * 1024 / 1106);
	s = scn_run(files[TIMELY], "warmup=20ms", "duration=50ms", NULL);
	scn_in(&s, "utilization, 20 to 50 ms", scn_value(&s, "utilization"), 10, 50);
	scn_free(&s);
	s = scn_run(files[TIMELY], "controls.cc.delta=50Mbps", NULL);
	scn_in(&s, "utilization with 50 Mb/s", scn_value(&s, "utilization"), 90, 100);
	scn_in(&s, "Jain with 50 Mb/s", scn_value(&s, "jain"), 0.1, 0.5);
	scn_free(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_run_the_same_incast),
		cmocka_unit_test(pfc_alone_is_fair_and_full_and_stops_a_bystander),
		cmocka_unit_test(where_the_loop_closes_nobody_pauses_and_the_bystander_is_whole),
		cmocka_unit_test(qcn_holds_its_set_point_with_the_shortest_queue),
		cmocka_unit_test(the_papers_values_stay_on_the_slope_of_red),
		cmocka_unit_test(connectx_cuts_little_and_often),
		cmocka_unit_test(ten_bits_of_alpha_cost_the_rdma_ip_its_slope),
		cmocka_unit_test(a_slow_notification_point_is_no_control_and_iqcn_mends_it),
		cmocka_unit_test(dctcp_stands_at_k_and_starts_without_a_pause),
		cmocka_unit_test(timely_comes_back_slowly_and_the_rtt_is_low),
	};

	return cmocka_run_group_tests_name("compare", tests, run_all, free_all);
}
