// SPDX-License-Identifier: BSD-3-Clause
// Groups of flows in the summary of a run, their convergence and stages: what must hold whatever
// the flows did.
#include "record_lab.h"

#include <math.h>

#include "report/int.h"
#include "summary/summary.h"

static struct lab l;

static int run(void **state)
{
	static const struct scene_set set[] = {{"duration", "8ms"}};

	(void)state;
	lab_open(&l, LAB_TWO_TO_ONE);
	return lab_run(&l, set, 1, false);
}

static int end(void **state)
{
	(void)state;
	lab_close(&l);
	return 0;
}

static double v(const char *kind, const char *figure)
{
	char path[80];

	snprintf(path, sizeof(path), "%s.%s", kind, figure);
	return report_value(l.rec, path);
}

static double stages(const char *kind)
{
	return v(kind, "line_rate_percent") + v(kind, "fast_recovery_percent") +
	       v(kind, "additive_increase_percent") + v(kind, "hyper_increase_percent");
}

static void stages_add_up_to_the_window(void **state)
{
	(void)state;
	assert_float_equal(stages("flow.incast[h1>r.0]"), 100, 1e-9);
	assert_float_equal(stages("group.incast"), 100, 1e-9);
	assert_float_equal(v("group.incast", "fast_recovery_percent"),
		(v("flow.incast[h1>r.0]", "fast_recovery_percent") +
			v("flow.incast[h2>r.0]", "fast_recovery_percent")) /
			2,
		1e-9);
	assert_true(v("group.incast", "fast_recovery_percent") > 0);
}

static void shares_are_of_the_bottleneck(void **state)
{
	char name[KIND_NAME];

	(void)state;
	assert_string_equal(summary_label(l.rec->sum, KIND_GROUP, 0, "bottleneck", name), "s1:r");
	assert_true(v("group.incast", "fair_gbps") == v("flow.incast[h1>r.0]", "fair_gbps"));
	assert_true(v("group.incast", "mean_gbps") <= v("group.incast", "fair_gbps") * 1.001);
}

static void converged_or_not(void **state)
{
	double converged = v("group.incast", "converged");

	(void)state;
	assert_true(converged == 0 || converged == 1);
	assert_int_equal(isinf(v("group.incast", "t_conv_us_total")) != 0, converged == 0);
	assert_int_equal(isnan(v("group.incast", "osc_converged_total")) != 0, converged == 0);
	assert_true(v("group.incast", "osc") > 0);
	assert_int_equal(
		l.rec->rec->group[0].share.periods, 2 * 7); // the first began before the window
}

// A limiter that may catch up on nothing and waits for a busy wire sends less than it allows: its
// group counts it, and names the worst.
static void limiters_that_are_off(void **state)
{
	char name[KIND_NAME], path[96];
	double worst = 0;
	unsigned off = 0;
	struct lab own;

	(void)state;
	lab_open(&own, "duration: 2ms\nswitches: {s1: {buffer: 4MB}}\nhosts: {h1: , r: }\n"
		       "links: [{between: [[h1, r], s1], rate: 25Gbps, delay: 1us}]\n"
		       "flows: {f: {from: h1, to: r, qps: 4, class: 3, rate: 10Gbps}}\n");
	assert_int_equal(lab_run(&own, NULL, 0, false), 0);
	for (unsigned i = 0; i < 4; i++) {
		double percent;

		snprintf(path, sizeof(path), "flow.f[h1>r.%u].pace_err_percent", i);
		percent = report_value(own.rec, path);
		snprintf(path, sizeof(path), "flow.f[h1>r.%u].pace_err_frames", i);
		off += host_off_pace(percent, report_value(own.rec, path));
		worst = fabs(percent) > fabs(worst) ? percent : worst;
	}
	assert_true(off > 0);
	assert_true(report_value(own.rec, "group.f.off_pace") == off);
	assert_true(report_value(own.rec, "group.f.worst_pace_percent") == worst);
	snprintf(path, sizeof(path), "flow.%s.pace_err_percent",
		summary_label(own.rec->sum, KIND_GROUP, 0, "worst_pace", name));
	assert_true(report_value(own.rec, path) == worst);
	assert_non_null(strstr(report_text(own.rec), "    pace: "));
	lab_close(&own);
}

// In a window shorter than its gap a limiter sends a frame or none, whatever it allows.
static void a_frame_more_is_not_off_pace(void **state)
{
	char path[64];
	unsigned off = 0;
	struct lab own;

	(void)state;
	lab_open(&own, "duration: 100us\nswitches: {s1: {buffer: 4MB}}\nhosts: {h1: , r: }\n"
		       "links: [{between: [[h1, r], s1], rate: 25Gbps, delay: 1us}]\n"
		       "flows: {f: {from: h1, to: r, qps: 4, class: 3, rate: 10Mbps}}\n");
	assert_int_equal(lab_run(&own, NULL, 0, false), 0);
	for (unsigned i = 0; i < 4; i++) {
		snprintf(path, sizeof(path), "flow.f[h1>r.%u].pace_err_percent", i);
		off += fabs(report_value(own.rec, path)) > 50;
	}
	assert_true(off > 0);
	assert_true(report_value(own.rec, "group.f.off_pace") == 0);
	assert_null(strstr(report_text(own.rec), "    pace: "));
	lab_close(&own);
}

// Where the reaction point asks for the RTT, all its quantiles in their order; else none.
static void round_trips_are_in_order(void **state)
{
	static const char *const which[] = {"min", "p50", "p90", "p99", "p999", "max"};
	const struct scene_set set[] = {{"controls.dcqcn", "{profile: timely}"}};
	double least = 4; // four cables of 1 us
	struct lab own;

	(void)state;
	assert_true(isnan(v("group.incast", "rtt_p90_us")));
	lab_open(&own, LAB_TWO_TO_ONE);
	assert_int_equal(lab_run(&own, set, 1, false), 0);
	for (unsigned i = 0; i < 6; i++) {
		char path[64];
		double is;

		snprintf(path, sizeof(path), "group.incast.rtt_%s_us", which[i]);
		is = report_value(own.rec, path);
		if (!(is >= least))
			fail_msg("%s: %g after %g", path, is, least);
		least = is;
	}
	lab_close(&own);
}

static void the_table_says_it(void **state)
{
	(void)state;
	assert_non_null(strstr(report_text(l.rec), " fair shares "));
}

// So many rows of so many queue pairs each, in a run of a few frames.
static void many_groups(struct lab *own, unsigned n, const char *qps, const char *flows)
{
	const struct scene_set set[] = {
		{"duration", "3us"}, {"warmup", "0us"}, {"record.flows", flows}};
	char *text = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);

	fputs(LAB_TWO_TO_ONE, f);
	for (unsigned i = 1; i < n; i++)
		fprintf(f, "  f%u: {from: h1, to: r, qps: %s}\n", i, qps);
	fclose(f);
	lab_open(own, text);
	free(text);
	assert_int_equal(lab_run(own, set, 3, false), 0);
}

// How often a word stands in summary.json behind its groups began, and before the next list.
static unsigned in_groups(const struct lab *own, const char *word)
{
	char *text = lab_file(own, "summary.json"), *at = strstr(text, "\"groups\": [");
	unsigned n = 0;

	assert_non_null(at);
	*strstr(at, "\n  ]") = '\0';
	while ((at = strstr(at, word))) {
		at++;
		n++;
	}
	free(text);
	return n;
}

// More than 256 groups of more than 4096 flows: the table and summary.json have the first of them,
// paths lead to all. With fewer of either, or where flows are listed by number, all are listed.
static void of_very_many_groups_some_are_listed(void **state)
{
	static const struct {
		unsigned rows;
		const char *qps, *flows;
		bool all;
	} c[] = {{257, "16", "auto", false}, {257, "16", "top 3", false}, {256, "17", "auto", true},
		{257, "15", "auto", true}, {257, "16", "one in 512", true}};

	(void)state;
	for (unsigned i = 0; i < sizeof(c) / sizeof(c[0]); i++) {
		struct lab own;
		char more[128];

		many_groups(&own, c[i].rows, c[i].qps, c[i].flows);
		assert_int_equal(in_groups(&own, "\"listed_for\": ") > 0, !c[i].all);
		if (c[i].all)
			assert_int_equal(in_groups(&own, "{\"group\": "), c[i].rows);
		else
			assert_in_range(in_groups(&own, "{\"group\": "), 3, 20);
		assert_false(isnan(report_value(own.rec, "group.f200.goodput_gbps")));
		snprintf(more, sizeof(more), "\n  %u groups more; summary.json has %s",
			c[i].rows - 24, c[i].all ? "each\n" : "the fastest, ");
		assert_non_null(strstr(report_text(own.rec), more));
		assert_non_null(strstr(report_text(own.rec), "\n  f23: "));
		assert_null(strstr(report_text(own.rec), "\n  f24: "));
		lab_close(&own);
	}
}

// A flow has a rate if it has several messages, or if its only one lasts through the window. Others
// have no part in Jain's index, and their limiters have no error.
static void one_message_makes_no_rate(void **state)
{
	static const struct {
		const char *flows;
		unsigned rates;
	} want[] = {
		{"f1: {from: h1, message: 20KB, count: 1}, f2: {from: h2, message: 90KB, count: 1}",
			0},
		{"f1: {from: h1, message: 20KB, count: 2}, f2: {from: h2, message: 20KB}", 2},
		{"f1: {from: h1, message: 9MB, count: 1}, f2: {from: h2, message: 9MB, count: 1}",
			2},
		{"f1: {from: h1, message: 9MB, count: 1, start: 1ms}, f2: {from: h2}", 1}};

	(void)state;
	for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		struct lab own;
		char text[640];
		unsigned paced = 0;

		snprintf(text, sizeof(text),
			"duration: 2ms\nwarmup: 10us\nswitches: {s1: {buffer: 4MB}}\n"
			"hosts: {h1: , h2: , r: }\n"
			"links: [{between: [[h1, h2, r], s1], rate: 25Gbps, delay: 1us}]\n"
			"defaults: {flows: {to: r, class: 3, rate: 10Gbps, group: g}}\n"
			"flows: {%s}\n",
			want[i].flows);
		lab_open(&own, text);
		assert_int_equal(lab_run(&own, NULL, 0, false), 0);
		assert_int_equal(isnan(report_value(own.rec, "group.g.jain")), want[i].rates < 2);
		assert_true(report_value(own.rec, "group.g.goodput_gbps") > 0);
		for (unsigned k = 0; k < 2; k++) {
			static const char *const figure[] = {
				"rate_gbps", "pace_err_percent", "pace_err_frames"};
			char path[80];
			bool has[3];

			for (unsigned n = 0; n < 3; n++) {
				snprintf(path, sizeof(path), "flow.%s.%s", own.scene->flow[k]->name,
					figure[n]);
				has[n] = !isnan(report_value(own.rec, path));
			}
			assert_true(has[0] == has[1] && has[1] == has[2]);
			paced += has[0];
		}
		assert_int_equal(paced, want[i].rates);
		lab_close(&own);
	}
}

static void groups(void **state)
{
	struct lab m;
	double sum;

	(void)state;
	lab_open(&m, LAB_TWO_TO_ONE
		"  other: {from: h1, to: [h2, r], class: 3, verb: send, message: 10KB}\n");
	assert_int_equal(lab_run(&m, NULL, 0, true), 0);
	assert_true(report_value(m.rec, "group.incast.flows") == 2);
	assert_true(report_value(m.rec, "group.other>h2.flows") == 1);
	assert_true(report_value(m.rec, "group.other>r.flows") == 1);
	assert_true(isnan(report_value(m.rec, "group.other>r.jain")));
	assert_true(report_value(m.rec, "jain") == report_value(m.rec, "group.incast.jain"));
	sum = report_value(m.rec, "group.incast.goodput_gbps") +
	      report_value(m.rec, "group.other>h2.goodput_gbps") +
	      report_value(m.rec, "group.other>r.goodput_gbps");
	assert_float_equal(sum, report_value(m.rec, "total.goodput_gbps"), 1e-9);
	lab_close(&m);
}

// A group that the scenario names has flows of several names and destinations, and one index.
static void groups_by_their_name(void **state)
{
	double sum = 0, squares = 0;
	struct lab m;
	char *json;

	(void)state;
	lab_open(&m, LAB_TWO_TO_ONE
		"  bulk: {from: h1, to: h2, class: 3, rate: 2Gbps, group: slow}\n"
		"  slow: {from: h1, to: r, class: 3, rate: 1Gbps}\n"
		"  other: {from: h2, to: [h1, r], class: 3, rate: 500Mbps, group: slow}\n");
	assert_int_equal(lab_run(&m, NULL, 0, true), 0);
	assert_true(report_value(m.rec, "group.slow.flows") == 4);
	assert_true(report_value(m.rec, "group.incast.flows") == 2);
	assert_int_equal(m.rec->rec->n_groups, 2);
	for (unsigned i = 0; i < m.scene->n_flows; i++) {
		char path[KIND_NAME + 32];
		double gbps;

		snprintf(path, sizeof(path), "flow.%s.goodput_gbps", m.scene->flow[i]->name);
		gbps = report_value(m.rec, path);
		if (strcmp(m.scene->flow[i]->group, "slow") != 0)
			continue;
		sum += gbps;
		squares += gbps * gbps;
	}
	assert_float_equal(report_value(m.rec, "group.slow.goodput_gbps"), sum, 1e-9);
	assert_float_equal(report_value(m.rec, "group.slow.jain"), sum * sum / (4 * squares), 1e-9);
	assert_true(report_value(m.rec, "jain") == report_value(m.rec, "group.slow.jain"));
	json = lab_file(&m, "summary.json");
	assert_non_null(strstr(json, "{\"group\": \"slow\", \"to\": null, "));
	assert_non_null(strstr(json, "{\"group\": \"incast\", \"to\": \"r\", "));
	free(json);
	lab_close(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(groups),
		cmocka_unit_test(groups_by_their_name),
		cmocka_unit_test(one_message_makes_no_rate),
		cmocka_unit_test(stages_add_up_to_the_window),
		cmocka_unit_test(shares_are_of_the_bottleneck),
		cmocka_unit_test(converged_or_not),
		cmocka_unit_test(the_table_says_it),
		cmocka_unit_test(limiters_that_are_off),
		cmocka_unit_test(a_frame_more_is_not_off_pace),
		cmocka_unit_test(round_trips_are_in_order),
		cmocka_unit_test(of_very_many_groups_some_are_listed),
	};

	return cmocka_run_group_tests(tests, run, end);
}
