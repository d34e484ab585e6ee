// SPDX-License-Identifier: BSD-3-Clause
// config/compare-recovery/: one incast with and without PFC, go-back-N and IRN, and the claims of
// docs/compare-recovery.md. Shorter runs than the page's.
#include "scn.h"

enum { PFC_BACK, IRN, PFC_IRN, BACK, DCQCN, ROWS };

static const char *const files[ROWS] = {
	[PFC_BACK] = "compare-recovery/1-pfc-go-back-n.yaml",
	[IRN] = "compare-recovery/2-irn.yaml",
	[PFC_IRN] = "compare-recovery/3-pfc-irn.yaml",
	[BACK] = "compare-recovery/4-go-back-n.yaml",
	[DCQCN] = "compare-recovery/5-irn-dcqcn.yaml",
};

#define SHORT "warmup=5ms", "duration=25ms"

static void within(const struct scn *s, const char *path, double lo, double hi)
{
	scn_in(s, path, scn_value(s, path), lo, hi);
}

// Payload of a link of 40 Gb/s and of the flow of 20 Gb/s, in Gb/s: with 1106 bytes of wire for
// 1024, and 1122 where each packet has a RETH.
static const double full = 40.0 * 1024 / 1106, full_irn = 40.0 * 1024 / 1122;
static const double whole = 20.0 * 1024 / 1106, whole_irn = 20.0 * 1024 / 1122;

static void only_pfc_pauses_and_only_without_it_queues_drop(void **state)
{
	(void)state;
	for (unsigned i = 0; i < ROWS; i++) {
		struct scn s = scn_run(files[i], "faults=[]", SHORT, NULL);
		bool pfc = i == PFC_BACK || i == PFC_IRN;

		within(&s, "pauses", pfc ? 100 : 0, pfc ? 1e6 : 0);
		if (i == DCQCN) // which brakes before the queue is full
			within(&s, "drops", 0, 0);
		else
			within(&s, "drops", pfc ? 0 : 100, pfc ? 0 : 1e9);
		within(&s, "group.incast.goodput_gbps", i == BACK ? 0.5 : 0.97 * full_irn,
			i == BACK ? 0.2 * full : full);
		scn_free(&s);
	}
}

// DCQCN beside IRN spares the timeouts, and leaves the flow beside the incast alone. FCT takes the
// page's whole run to settle.
static void dcqcn_spares_irn_the_drops(void **state)
{
	struct scn irn = scn_run(files[IRN], "faults=[]", NULL);
	struct scn both = scn_run(files[DCQCN], "faults=[]", NULL);

	(void)state;
	within(&both, "group.victim.goodput_gbps", 0.99 * whole_irn, 1.001 * whole_irn);
	assert_true(scn_value(&both, "fct_p99_us") < scn_value(&irn, "fct_p99_us"));
	scn_free(&irn);
	scn_free(&both);
}

// With PFC the flow beside the incast stands in the queue of the paused link. At most a BDP of each
// sender in flight pauses it less. Without PFC nobody stops it.
static void pfc_stops_a_bystander_and_a_window_stops_it_less(void **state)
{
	struct scn pfc = scn_run(files[PFC_BACK], "faults=[]", SHORT, NULL);
	struct scn pfc_irn = scn_run(files[PFC_IRN], "faults=[]", SHORT, NULL);
	struct scn irn = scn_run(files[IRN], "faults=[]", SHORT, NULL);
	struct scn back = scn_run(files[BACK], "faults=[]", SHORT, NULL);

	(void)state;
	within(&pfc, "group.victim.goodput_gbps", 0.8 * full / 8, 1.1 * full / 8);
	within(&pfc_irn, "group.victim.goodput_gbps", 0.5 * whole_irn, 0.65 * whole_irn);
	within(&irn, "group.victim.goodput_gbps", 0.99 * whole_irn, 1.001 * whole_irn);
	within(&back, "group.victim.goodput_gbps", 0.99 * whole, 1.001 * whole);
	assert_true(scn_value(&pfc_irn, "pauses") < 0.5 * scn_value(&pfc, "pauses"));
	assert_true(scn_value(&pfc_irn, "fct_p99_us") < scn_value(&pfc, "fct_p99_us"));
	assert_true(scn_value(&irn, "fct_p99_us") > scn_value(&pfc, "fct_p99_us"));
	scn_free(&pfc);
	scn_free(&pfc_irn);
	scn_free(&irn);
	scn_free(&back);
}

// A lost frame costs go-back-N all frames in the full buffers behind it, and IRN one.
static void loss_costs_go_back_n_most_and_irn_nothing_where_others_fill_the_link(void **state)
{
	struct scn pfc = scn_run(files[PFC_BACK], "faults.0.share=1%", SHORT, NULL);
	struct scn pfc_irn = scn_run(files[PFC_IRN], "faults.0.share=1%", SHORT, NULL);
	struct scn irn = scn_run(files[IRN], "faults.0.share=1%", SHORT, NULL);
	struct scn both = scn_run(files[DCQCN], "faults.0.share=1%", SHORT, NULL);

	(void)state;
	within(&pfc, "group.incast.goodput_gbps", 0.2 * full, 0.45 * full);
	within(&both, "group.incast.goodput_gbps", 0.95 * full_irn, 1.001 * full_irn);
	within(&pfc_irn, "group.incast.goodput_gbps", 0.99 * full_irn, 1.001 * full_irn);
	within(&irn, "group.incast.goodput_gbps", 0.99 * full_irn, 1.001 * full_irn);
	scn_free(&pfc);
	scn_free(&pfc_irn);
	scn_free(&irn);
	scn_free(&both);
}

// Without congestion a window of one BDP waits for the repair of each loss; one of three does not.
static void a_lone_sender_needs_more_than_a_bdp_to_go_on_through_a_loss(void **state)
{
	struct scn bdp =
		scn_run(files[IRN], "faults.0.share=1%", "flows.incast.from=h1", SHORT, NULL);
	struct scn more = scn_run(files[IRN], "faults.0.share=1%", "flows.incast.from=h1",
		"defaults.flows.cap=111", SHORT, NULL);
	struct scn back =
		scn_run(files[BACK], "faults.0.share=1%", "flows.incast.from=h1", SHORT, NULL);

	(void)state;
	within(&back, "group.incast.goodput_gbps", 0.55 * full, 0.75 * full);
	within(&bdp, "group.incast.goodput_gbps", 0.6 * full_irn, 0.75 * full_irn);
	within(&more, "group.incast.goodput_gbps", 0.8 * full_irn, 0.95 * full_irn);
	scn_free(&bdp);
	scn_free(&more);
	scn_free(&back);
}

// The window is what keeps the queue short: go-back-N with it loses nothing here, without PFC. With
// PFC it pauses the flow beside the incast less.
static void go_back_n_with_a_window_of_one_bdp_loses_nothing(void **state)
{
	struct scn s = scn_run(files[BACK], "faults=[]", "defaults.flows.window=38", SHORT, NULL);
	struct scn pfc =
		scn_run(files[PFC_BACK], "faults=[]", "defaults.flows.window=38", SHORT, NULL);

	(void)state;
	within(&pfc, "group.incast.goodput_gbps", 0.99 * full, full * 1.001);
	within(&pfc, "group.victim.goodput_gbps", 0.75 * whole, 0.9 * whole);
	within(&s, "drops", 0, 0);
	within(&s, "group.incast.goodput_gbps", 0.99 * full, full * 1.001);
	within(&s, "group.victim.goodput_gbps", 0.99 * whole, 1.001 * whole);
	scn_free(&s);
	scn_free(&pfc);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_pfc_pauses_and_only_without_it_queues_drop),
		cmocka_unit_test(dcqcn_spares_irn_the_drops),
		cmocka_unit_test(pfc_stops_a_bystander_and_a_window_stops_it_less),
		cmocka_unit_test(
			loss_costs_go_back_n_most_and_irn_nothing_where_others_fill_the_link),
		cmocka_unit_test(a_lone_sender_needs_more_than_a_bdp_to_go_on_through_a_loss),
		cmocka_unit_test(go_back_n_with_a_window_of_one_bdp_loses_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
