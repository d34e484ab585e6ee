// SPDX-License-Identifier: BSD-3-Clause
// Congestion points of QCN in the summary and in events.csv, against the counters behind them, and
// their samples against the table.
#include "figure_lab.h"

#include <math.h>

// Two senders into one port under QCN, none of it in the first half ms; h2 has no tag.
#define QCN                                                                         \
	"duration: 3ms\nwarmup: 500us\n"                                            \
	"controls: {a: {qcn: {}}, b: {qcn: {cn_tag: false}}}\n"                     \
	"switches: {s1: {buffer: 4MB, classes: {3: {qcn: {sample_base: 20KB}}}}}\n" \
	"hosts: {h1..2: , r: }\n"                                                   \
	"links: [{between: [[h1..2, r], s1], rate: 10Gbps, delay: 1us}]\n"          \
	"flows: {one: {from: h1, to: r, control: a}, two: {from: h2, to: r, control: b}}\n"

static void a_congestion_point_is_told(void **state)
{
	char *text;

	(void)state;
	lab_open(&l, QCN);
	assert_int_equal(lab_run(&l, NULL, 0, true), 0);
	assert_true(v("cp.s1:r.3.set_point_bytes") == 26000);
	assert_true(v("cp.s1:r.3.cnm_tx") > 10);
	assert_true(v("cp.s1:r.3.cnm_tx") == v("total.cnm_tx"));
	assert_true(fabs(v("cp.s1:r.3.cnm_tx_per_s") - v("cp.s1:r.3.cnm_tx") * 400) < 0.1);
	assert_true(fabs(v("cp.s1:r.3.mean_over_set_point") -
			    v("queue.s1:r.3.mean_bytes") / 26000) < 1e-6);
	assert_true(v("cp.s1:r.3.std_over_set_point") > 0);
	assert_true(v("cp.s1:r.3.discarded_frames") == 0);
	assert_true(v("cp.s1:r.3.samples_total") > v("cp.s1:r.3.cnm_tx"));
	assert_true(v("cp.s1:r.3.fb_mean_total") >= 1 && v("cp.s1:r.3.fb_mean_total") <= 63);
	assert_true(isnan(v("cp.s1:r.4.cnm_tx")));
	assert_true(
		v("flow.one[h1>r.0].cnm_rx") + v("flow.two[h2>r.0].cnm_rx") == v("total.cnm_rx"));
	assert_true(v("flow.two[h2>r.0].cnm_rx") > 0);
	assert_true(v("flow.one[h1>r.0].rc_gbps") < 10);
	assert_true(isnan(v("flow.one[h1>r.0].alpha")));
	assert_true(v("flow.one[h1>r.0].rp_decrease") > 0);
	text = lab_file(&l, "events.csv");
	assert_int_equal(times_in(text, ",cnm_tx,s1:r,3,"), times_in(text, ",cnm_rx,"));
	assert_true(times_in(text, ",cnm_tx,s1:r,3,one[h1>r.0],") > 0);
	assert_true(times_in(text, ",rp,h1:s1,,one[h1>r.0],decrease,") > 0);
	free(text);
	text = lab_file(&l, "summary.json");
	assert_int_equal(times_in(text, "\"congestion_points\""), 1);
	assert_int_equal(times_in(text, "\"samples_by_feedback_total\": ["), 1);
	assert_int_equal(times_in(text, "\"iqcn\""), 0);
	free(text);
	assert_int_equal(times_in(report_text(l.rec), "  QCN         s1:r class 3: mean "), 1);
	lab_close(&l);
}

// Numbers of a list of summary.json, added up. Returns how many there are.
static unsigned list_sum(const char *text, const char *key, double *sum)
{
	const char *at = strstr(text, key);
	unsigned n = 0;

	assert_non_null(at);
	at = strchr(at, '[') + 1;
	*sum = 0;
	for (char *end; *at != ']'; at = end + (*end == ','), n++) {
		*sum += strtod(at, &end);
		assert_true(end > at);
	}
	return n;
}

static void samples_are_told_by_feedback(void **state)
{
	double sum, pairs;
	char *text;

	(void)state;
	lab_open(&l, QCN);
	assert_int_equal(lab_run(&l, NULL, 0, true), 0);
	text = lab_file(&l, "summary.json");
	assert_int_equal(list_sum(text, "\"samples_by_feedback_total\"", &sum), 64);
	assert_true(sum == v("cp.s1:r.3.samples_total"));
	assert_int_equal(list_sum(text, "\"spacings_total\"", &pairs), 8);
	assert_true(pairs > 10 && pairs < sum);
	free(text);
	assert_float_equal(v("cp.s1:r.3.spacing_ratio_total"), 1, 0.1);
	assert_true(v("cp.s1:r.3.spacing_sigmas_total") < 5);
	lab_close(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_congestion_point_is_told),
		cmocka_unit_test(samples_are_told_by_feedback),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
