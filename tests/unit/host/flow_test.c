// SPDX-License-Identifier: BSD-3-Clause
// Flows in the summary: what was sent against what came, rates against bytes, and the texts of a
// row.
#include "figure_lab.h"

#include <math.h>

#include "report/int.h"
#include "summary/summary.h"

static int run(void **state)
{
	(void)state;
	lab_open(&l, LAB_TWO_TO_ONE "  few: {from: h1, to: r, class: 3, message: 10KB, count: 4}\n"
				    "  hosts: {from: h2, to: h1, class: 0, control: dcqcn}\n");
	return lab_run(&l, NULL, 0, false);
}

// A figure of the first flow.
static double of(const char *figure)
{
	char path[80];

	snprintf(path, sizeof(path), "flow.incast[h1>r.0].%s", figure);
	return v(path);
}

static void rates_are_bytes_over_the_window(void **state)
{
	(void)state;
	assert_true(of("rx_bytes") > 0);
	assert_float_equal(of("data_rx_rate"), of("rx_bytes") * 8 / 1.5e6, 1e-9); // 1.5 ms
	assert_float_equal(of("data_tx_rate"), of("tx_bytes") * 8 / 1.5e6, 1e-9);
	assert_true(of("goodput_gbps") == of("data_rx_rate"));
	assert_true(of("frame_delta") == of("data_frames_tx") - of("data_frames_rx"));
	assert_true(of("min_latency") <= of("avg_latency"));
	assert_true(of("avg_latency") <= of("max_latency"));
	assert_true(of("min_latency") > 2000); // two cables of 1 us
	assert_true(of("first_timestamp") < of("last_timestamp"));
	assert_true(of("last_timestamp") <= 2000);
}

// Decreases are counted by its queue pair and told as events of its reaction point, whole run.
static void reaction_points_are_told(void **state)
{
	(void)state;
	assert_true(of("rate_cuts") > 0);
	assert_true(of("rp_decrease") >= of("rate_cuts"));
	assert_true(of("alpha") > 0 && of("alpha") <= 1);
	assert_true(of("rc_gbps") <= 25 && of("rc_gbps") <= of("rt_gbps"));
	assert_true(of("rc_mean_gbps") > 0 && of("rc_mean_gbps") <= 25);
	// A flow without a reaction point has no such figure.
	assert_true(isnan(v("flow.few[h1>r.0].rp_decrease")));
	assert_true(isnan(v("flow.few[h1>r.0].rc_gbps")));
	assert_true(isnan(v("flow.few[h1>r.0].line_rate_percent")));
}

// Four messages were done before the window: nothing in it, but a time from the first posting.
static void a_count_of_messages_has_an_end(void **state)
{
	(void)state;
	assert_true(v("flow.few[h1>r.0].message_tx") == 0);
	assert_true(v("flow.few[h1>r.0].flow_completion_time") > 40000 * 8 / 25e3);
	assert_true(v("flow.few[h1>r.0].flow_completion_time") < 500);
	assert_true(isnan(of("flow_completion_time"))); // it has no end
	assert_true(isnan(of("flow_receive_time")));
	// The receiver's begins a way later and ends a way earlier, each of two cables of 1 us.
	assert_true(v("flow.few[h1>r.0].flow_receive_time") > 40000 * 8 / 25e3);
	assert_true(v("flow.few[h1>r.0].flow_completion_time") -
			    v("flow.few[h1>r.0].flow_receive_time") >=
		    4);
}

static void a_row_has_its_texts(void **state)
{
	static const char *const text[][2] = {{"flow_name", "incast[h2>r.0]"}, {"group", "incast"},
		{"port_tx", "h2:s1"}, {"port_rx", "r:s1"}, {"src_ipv4", "10.0.0.2"},
		{"dest_ipv4", "10.0.0.3"}, {"control", "dcqcn"}};
	char buf[KIND_NAME];

	(void)state;
	for (unsigned i = 0; i < sizeof(text) / sizeof(text[0]); i++)
		assert_string_equal(
			summary_label(l.rec->sum, KIND_FLOW, 1, text[i][0], buf), text[i][1]);
	assert_true(summary_id(l.rec->sum, KIND_FLOW, 1, "class") == 3);
	assert_true(summary_id(l.rec->sum, KIND_FLOW, 1, "src_qp") == l.scene->flow[1]->req.qpn);
}

// Flows with a limiter that is off are counted by their group, which names the worst.
static void a_limiter_is_judged(void **state)
{
	double worst = 0;
	unsigned off = 0;
	char buf[KIND_NAME], path[80];

	(void)state;
	for (unsigned i = 1; i <= 2; i++) {
		double percent;

		snprintf(path, sizeof(path), "flow.incast[h%u>r.0].pace_err_percent", i);
		percent = fabs(v(path));
		assert_true(percent < 100);
		off += percent >= HOST_OFF_PACE_PERCENT;
		worst = fmax(worst, percent);
	}
	assert_true(v("group.incast.off_pace") == off);
	if (!off) {
		assert_true(isnan(v("group.incast.worst_pace_percent")));
		assert_string_equal(
			summary_label(l.rec->sum, KIND_GROUP, 0, "worst_pace", buf), "");
	} else {
		assert_true(fabs(v("group.incast.worst_pace_percent")) == worst);
		snprintf(path, sizeof(path), "flow.%s.pace_err_percent",
			summary_label(l.rec->sum, KIND_GROUP, 0, "worst_pace", buf));
		assert_true(v(path) == v("group.incast.worst_pace_percent"));
	}
	assert_true(isnan(v("flow.few[h1>r.0].pace_err_percent"))); // no limiter
}

// 40 flows of which summary.json lists those that `flows` asks for. Returns its text.
static char *listed(struct lab *other, const char *flows)
{
	const struct scene_set set[] = {{"flows.incast.qps", "20"}, {"record.flows", flows}};

	lab_open(other, LAB_TWO_TO_ONE);
	assert_int_equal(lab_run(other, set, 2, false), 0);
	return lab_file(other, "summary.json");
}

static void the_files_list_what_is_asked_for(void **state)
{
	static const struct {
		const char *flows;
		unsigned least, most, fastest; // flows
	} want[] = {{"all", 40, 40, 0}, {"one in 3", 14, 14, 0}, {"top 2", 4, 6, 2},
		{"summary", 20, 30, 10}};

	(void)state;
	for (unsigned i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		struct lab other;
		char *text = listed(&other, want[i].flows), *end = strstr(text, "\"links\": [");
		unsigned n;

		*end = '\0';
		n = times_in(text, "{\"flow_name\": ");
		assert_in_range(n, want[i].least, want[i].most);
		assert_int_equal(times_in(text, "\"fastest"), want[i].fastest);
		assert_int_equal(times_in(text, "slowest"), want[i].fastest);
		// By path each is there.
		assert_false(isnan(report_value(other.rec, "flow.incast[h2>r.19].goodput_gbps")));
		free(text);
		lab_close(&other);
	}
}

// The first of each order are those that no other flow passes.
static void the_fastest_is_first(void **state)
{
	struct lab other;
	char *text = listed(&other, "top 1"), name[64], path[128];
	double fastest, slowest;
	const char *at = strstr(text, "\"listed_for\": \"fastest");

	(void)state;
	assert_non_null(at);
	while (strncmp(at, "{\"flow_name\": \"", 15) != 0)
		at--;
	snprintf(name, sizeof(name), "%.*s", (int)strcspn(at + 15, "\""), at + 15);
	snprintf(path, sizeof(path), "flow.%s.goodput_gbps", name);
	fastest = report_value(other.rec, path);
	assert_true(fastest == report_value(other.rec, "group.incast.max_gbps"));
	assert_true(fastest >= report_value(other.rec, "total.goodput_p99_gbps"));
	slowest = report_value(other.rec, "group.incast.min_gbps");
	assert_true(slowest == report_value(other.rec, "group.incast.goodput_p1_gbps"));
	assert_true(report_value(other.rec, "group.incast.rc_p1_gbps") <=
		    report_value(other.rec, "group.incast.rc_p50_gbps"));
	assert_in_range(1e6 * report_value(other.rec, "group.incast.alpha_p99"), 1, 1000000);
	free(text);
	lab_close(&other);
}

#define STORM                                                                                 \
	"duration: 2ms\n"                                                                     \
	"switches: {s1: {buffer: 4MB, classes: {3: {lossless: true, pfc: {xoff: 300KB}}}}}\n" \
	"hosts: {h1: {}, r: {}}\n"                                                            \
	"links: [{between: [[h1, r], s1], rate: 25Gbps, delay: 1us}]\n"                       \
	"events: [{at: 1ms, pfc_storm: {port: \"s1:h1\", for: 300us}}]\n"                     \
	"flows:\n"                                                                            \
	"  early: {from: h1, to: r, message: 1KB, count: 1}\n"                                \
	"  late: {from: h1, to: r, message: 1KB, count: 1, start: 1.1ms}\n"                   \
	"  slow: {from: h1, to: r, rate: 1Gbps, count: 1}\n"                                  \
	"  full: {from: h1, to: r, class: 0}\n"

// The port is paused from 1 ms on for 300 us. A flow waits for it from when it has data to send:
// not if its message was done before, from its start if that is later, from the end of its gap.
static void the_time_in_pause_is_that_with_data_to_send(void **state)
{
	struct lab own;
	double port, begin;

	(void)state;
	lab_open(&own, STORM);
	assert_int_equal(lab_run(&own, NULL, 0, false), 0);
	port = report_value(own.rec, "pfc.h1:s1.3.pause_effective_us");
	assert_float_equal(port, 300, 5);
	begin = 1000 + 1 + 64 * 8 / 25e3; // XOFF has come
	assert_true(report_value(own.rec, "flow.early[h1>r.0].paused_us") == 0);
	assert_float_equal(
		report_value(own.rec, "flow.late[h1>r.0].paused_us"), begin + port - 1100, 2);
	assert_in_range(report_value(own.rec, "flow.slow[h1>r.0].paused_us"), port - 9, port);
	assert_true(report_value(own.rec, "flow.full[h1>r.0].paused_us") == 0);
	lab_close(&own);
}

// At line rate a flow has data all the time, but for its frame that is under way when XOFF comes.
static void a_flow_at_line_rate_waits_whenever_its_port_does(void **state)
{
	struct scene_set none = {"flows.incast.control", "none"};
	double flow, port, pauses;
	struct lab own;

	(void)state;
	lab_open(&own, LAB_TWO_TO_ONE);
	assert_int_equal(lab_run(&own, &none, 1, false), 0);
	flow = report_value(own.rec, "flow.incast[h1>r.0].paused_us");
	port = report_value(own.rec, "pfc.h1:s1.3.pause_effective_us");
	pauses = report_value(own.rec, "pfc.h1:s1.3.pauses");
	assert_true(pauses > 10);
	assert_true(flow <= port && flow >= port - pauses * 1130 * 8 / 25e3);
	lab_close(&own);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rates_are_bytes_over_the_window),
		cmocka_unit_test(reaction_points_are_told),
		cmocka_unit_test(a_count_of_messages_has_an_end),
		cmocka_unit_test(a_row_has_its_texts),
		cmocka_unit_test(a_limiter_is_judged),
		cmocka_unit_test(the_files_list_what_is_asked_for),
		cmocka_unit_test(the_fastest_is_first),
		cmocka_unit_test(the_time_in_pause_is_that_with_data_to_send),
		cmocka_unit_test(a_flow_at_line_rate_waits_whenever_its_port_does),
	};

	return cmocka_run_group_tests(tests, run, figures_end);
}
