// SPDX-License-Identifier: BSD-3-Clause
// The summary: Jain's index and distributions against known values, and a window that begins in the
// run.
#include "record_lab.h"

#include <math.h>

#include "report/int.h"
#include "summary/int.h"

static void jain(void **state)
{
	(void)state;
	assert_float_equal(summary_jain((double[]){5, 5, 5, 5}, 4), 1, 1e-12);
	assert_float_equal(summary_jain((double[]){1, 0, 0, 0}, 4), 0.25, 1e-12);
	// Two hosts beside one on an equal port: 1/2, 1/4, 1/4.
	assert_float_equal(summary_jain((double[]){0.5, 0.25, 0.25}, 3), 8.0 / 9, 1e-12);
	assert_true(isnan(summary_jain((double[]){0, 0}, 2)));
	assert_true(isnan(summary_jain(NULL, 0)));
}

// The least value that so many do not exceed; what is not known does not count.
static void among_flows(void **state)
{
	double x[205], none[] = {NAN, NAN};
	struct summary_among a;

	(void)state;
	for (unsigned i = 0; i < 205; i++)
		x[i] = i % 41 == 0 ? NAN : 1000 - i;
	a = summary_among(x, 205); // 200 are known: 1000 - 204 ... 1000 - 1
	assert_true(a.p1 == 797 && a.p99 == 997);
	assert_true(a.p50 == 897);
	a = summary_among(x, 1);
	assert_true(a.p1 == 796 && a.p50 == 796 && a.p99 == 796);
	a = summary_among(none, 2);
	assert_true(isnan(a.p1) && isnan(a.p50) && isnan(a.p99));
}

static void distributions(void **state)
{
	static struct hist h;
	struct summary_dist d = summary_dist(NULL, 1);

	(void)state;
	assert_int_equal(d.n, 0);
	hist_init(&h);
	for (unsigned v = 1; v <= 100; v++)
		hist_add(&h, v, 1);
	d = summary_dist(&h, 10);
	assert_int_equal(d.n, 100);
	assert_float_equal(d.min, 0.1, 1e-12);
	assert_float_equal(d.p1, 0.1, 1e-12);
	assert_float_equal(d.p50, 5, 1e-12);
	assert_float_equal(d.p90, 9, 1e-12);
	assert_float_equal(d.p95, 9.5, 1e-12);
	assert_float_equal(d.p99, 9.9, 1e-12);
	assert_float_equal(d.p999, 10, 1e-12);
	assert_float_equal(d.max, 10, 1e-12);
	assert_float_equal(d.mean, 5.05, 1e-12);
}

static void rates(void **state)
{
	(void)state;
	assert_float_equal(summary_gbps(1250, 100 * PS_PER_NS), 100, 1e-9);
	assert_float_equal(summary_gbps(1250, 0), 0, 0);
}

// The same run with and without warm-up: a sum over the whole is the sum before plus the sum in the
// window.
static void window_begins_with_warm_up(void **state)
{
	static const char *const sums[] = {"marks", "cnp_rx", "total.ect_frames", "total.xoff_tx",
		"flow.incast[h1>r.0].rx_bytes", "flow.incast[h2>r.0].data_frames_tx", "pauses",
		"queue.s1:r.3.tx_bytes", "total.messages", "pfc.h1:s1.3.xoff_frames"};
	struct scene_set whole[] = {{"warmup", "0us"}};
	struct scene_set before[] = {{"warmup", "0us"}, {"duration", "500us"}};
	double all[16], early[16], late[16], max;
	struct lab l;

	(void)state;
	lab_open(&l, LAB_TWO_TO_ONE);
	assert_int_equal(lab_run(&l, whole, 1, true), 0);
	max = report_value(l.rec, "queue.s1:r.3.max_bytes");
	for (unsigned i = 0; i < sizeof(sums) / sizeof(sums[0]); i++)
		all[i] = report_value(l.rec, sums[i]);
	lab_end(&l);
	assert_int_equal(lab_run(&l, before, 2, true), 0);
	for (unsigned i = 0; i < sizeof(sums) / sizeof(sums[0]); i++)
		early[i] = report_value(l.rec, sums[i]);
	lab_end(&l);
	assert_int_equal(lab_run(&l, NULL, 0, true), 0);
	for (unsigned i = 0; i < sizeof(sums) / sizeof(sums[0]); i++) {
		late[i] = report_value(l.rec, sums[i]);
		if (all[i] != early[i] + late[i] || all[i] <= 0)
			fail_msg("%s: %g is not %g + %g", sums[i], all[i], early[i], late[i]);
	}
	// The transient's peak is not the window's.
	assert_true(report_value(l.rec, "queue.s1:r.3.max_bytes") < max);
	lab_close(&l);
}

static void groups(void **state)
{
	struct lab l;
	double sum;

	(void)state;
	lab_open(&l, LAB_TWO_TO_ONE
		"  other: {from: h1, to: [h2, r], class: 3, verb: send, message: 10KB}\n");
	assert_int_equal(lab_run(&l, NULL, 0, true), 0);
	assert_true(report_value(l.rec, "group.incast.flows") == 2);
	assert_true(report_value(l.rec, "group.other>h2.flows") == 1);
	assert_true(report_value(l.rec, "group.other>r.flows") == 1);
	assert_true(isnan(report_value(l.rec, "group.other>r.jain")));
	assert_true(report_value(l.rec, "jain") == report_value(l.rec, "group.incast.jain"));
	sum = report_value(l.rec, "group.incast.goodput_gbps") +
	      report_value(l.rec, "group.other>h2.goodput_gbps") +
	      report_value(l.rec, "group.other>r.goodput_gbps");
	assert_float_equal(sum, report_value(l.rec, "total.goodput_gbps"), 1e-9);
	lab_close(&l);
}

// A group that the scenario names has flows of several names and destinations, and one index.
static void groups_by_their_name(void **state)
{
	double sum = 0, squares = 0;
	struct lab l;
	char *json;

	(void)state;
	lab_open(&l, LAB_TWO_TO_ONE
		"  bulk: {from: h1, to: h2, class: 3, rate: 2Gbps, group: slow}\n"
		"  slow: {from: h1, to: r, class: 3, rate: 1Gbps}\n"
		"  other: {from: h2, to: [h1, r], class: 3, rate: 500Mbps, group: slow}\n");
	assert_int_equal(lab_run(&l, NULL, 0, true), 0);
	assert_true(report_value(l.rec, "group.slow.flows") == 4);
	assert_true(report_value(l.rec, "group.incast.flows") == 2);
	assert_int_equal(l.rec->rec->n_groups, 2);
	for (unsigned i = 0; i < l.scene->n_flows; i++) {
		char path[SUMMARY_NAME + 32];
		double gbps;

		snprintf(path, sizeof(path), "flow.%s.goodput_gbps", l.scene->flow[i]->name);
		gbps = report_value(l.rec, path);
		if (strcmp(l.scene->flow[i]->group, "slow") != 0)
			continue;
		sum += gbps;
		squares += gbps * gbps;
	}
	assert_float_equal(report_value(l.rec, "group.slow.goodput_gbps"), sum, 1e-9);
	assert_float_equal(report_value(l.rec, "group.slow.jain"), sum * sum / (4 * squares), 1e-9);
	assert_true(report_value(l.rec, "jain") == report_value(l.rec, "group.slow.jain"));
	json = lab_file(&l, "summary.json");
	assert_non_null(strstr(json, "{\"group\": \"slow\", \"to\": null, "));
	assert_non_null(strstr(json, "{\"group\": \"incast\", \"to\": \"r\", "));
	free(json);
	lab_close(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(jain),
		cmocka_unit_test(distributions),
		cmocka_unit_test(among_flows),
		cmocka_unit_test(rates),
		cmocka_unit_test(window_begins_with_warm_up),
		cmocka_unit_test(groups),
		cmocka_unit_test(groups_by_their_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
