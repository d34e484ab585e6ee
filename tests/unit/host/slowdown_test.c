// SPDX-License-Identifier: BSD-3-Clause
// Slowdown by size: closed forms, which messages count, when a percentile is not known.
#include "record_lab.h"

#include <math.h>

#include "report/int.h"
#include "summary/summary.h"

// A switch between two senders and a receiver; flows follow.
#define STAR(more)                                                          \
	"duration: 1ms\nswitches: {s1: {classes: {3: {lossless: true}}}}\n" \
	"hosts: {h1..2: , r: }\n"                                           \
	"links: [{between: [[h1..2, r], s1], rate: 25Gbps, delay: 1us}]\n" more
#define FLOWS(bins) \
	"defaults: {flows: {from: h1, to: r, count: 1, group: w, bins: " bins "}}\nflows:\n"

// On the wire a message of 1000 bytes has 58 + 16 bytes of headers and 24 of preamble, gap and FCS,
// and its ACK has 62 + 24. Both cross two links of 25 Gb/s and 1 us.
#define WIRE_NS  ((1000 + 58 + 16 + 24) * 8 / 25.0)
#define IDEAL_NS (2 * WIRE_NS + 2 * (62 + 24) * 8 / 25.0 + 4000)

static struct lab l;

static void run(const char *text)
{
	lab_open(&l, text);
	if (lab_run(&l, NULL, 0, false))
		fail_msg("%s", l.err.text);
}

static double of(unsigned bin, const char *figure)
{
	char path[80];

	snprintf(path, sizeof(path), "slowdown.w.%u.%s", bin, figure);
	return report_value(l.rec, path);
}

static void counts(unsigned bin, double posted, double unfinished)
{
	assert_true(of(bin, "posted") == posted);
	assert_true(of(bin, "unfinished") == unfinished);
	assert_true(of(bin, "messages") == posted - unfinished);
}

static void messages_alone_have_slowdown_1(void **state)
{
	(void)state;
	run(STAR(FLOWS("[1000, 50KB]") "  a: {message: 1000}\n"
				       "  b: {message: 1001, start: 100us}\n"
				       "  c: {message: 50000, start: 200us, count: 3}\n"));
	counts(0, 1, 0);
	counts(1, 4, 0);
	assert_true(of(0, "from_bytes") == 0 && of(0, "to_bytes") == 1000);
	assert_true(of(1, "from_bytes") == 1001 && of(1, "to_bytes") == 50000);
	for (unsigned i = 0; i < 2; i++)
		assert_true(of(i, "slowdown_max") == 1 && of(i, "slowdown_mean") == 1);
	assert_float_equal(of(0, "fct_posted_mean_us"), IDEAL_NS / 1000, 0.001);
	lab_close(&l);
}

// Eight queue pairs of one host post a message of one frame each at once: message i waits for i
// frames before it.
static void messages_at_once_wait_for_each_other(void **state)
{
	(void)state;
	run(STAR(FLOWS("[1KB]") "  a: {message: 1000, qps: 8, start: 10us}\n"));
	counts(0, 8, 0);
	assert_float_equal(of(0, "slowdown_mean"), 1 + 3.5 * WIRE_NS / IDEAL_NS, 0.001);
	assert_float_equal(of(0, "slowdown_max"), 1 + 7 * WIRE_NS / IDEAL_NS, 0.001);
	// Four of eight have waited for three frames or fewer.
	assert_float_equal(of(0, "slowdown_p50"), 1 + 3 * WIRE_NS / IDEAL_NS, 0.01);
	lab_close(&l);
}

// The same on one queue pair: the time behind its own messages counts here, but not in the group's
// slowdown.
static void messages_wait_behind_their_own(void **state)
{
	(void)state;
	run(STAR(FLOWS("[1KB]") "  a: {message: 1000, count: 4, outstanding: 4, start: 10us}\n"));
	counts(0, 4, 0);
	assert_float_equal(of(0, "slowdown_max"), 1 + 3 * WIRE_NS / IDEAL_NS, 0.001);
	assert_float_equal(report_value(l.rec, "group.w.slowdown_max"), 1, 0.001);
	lab_close(&l);
}

// The window of posting is from 50 us to 800 us. One message is posted before it and ends in it,
// one is posted in it and ends behind it, and one would be posted behind it.
static void only_messages_posted_in_the_window_count(void **state)
{
	(void)state;
	run(STAR("warmup: 50us\ndrain: 200us\n" FLOWS(
		"[1MB]") "  before: {message: 300KB, start: 0us}\n"
			 "  within: {message: 20KB, start: 200us}\n"
			 "  across: {message: 300KB, start: 790us}\n"
			 "  behind: {message: 100KB, start: 810us}\n"));
	counts(0, 2, 0);
	assert_true(report_value(l.rec, "group.w.messages") == 3);
	lab_close(&l);
}

static void percentiles_need_all_messages(void **state)
{
	char *json;

	(void)state;
	run(STAR(FLOWS("[1KB, 100MB]") "  mice: {message: 1KB, count: 20}\n"
				       "  more: {message: 90KB, from: h2, count: 8}\n"
				       "  late: {message: 100MB, start: 500us}\n"));
	counts(0, 20, 0);
	counts(1, 9, 1);
	assert_true(of(0, "slowdown_p50") >= 1);
	assert_true(isnan(of(1, "slowdown_p50")) && isnan(of(1, "fct_posted_p50_us")));
	assert_true(of(1, "slowdown_mean") >= 1 && of(1, "slowdown_max") >= 1);
	json = lab_file(&l, "summary.json");
	assert_non_null(strstr(json, "\"slowdown_p50\": null"));
	free(json);
	lab_close(&l);
}

static void a_percentile_needs_three_messages_beyond_it(void **state)
{
	static const struct {
		const char *count;
		unsigned known; // of the figures below
	} rows[] = {{"5", 0}, {"6", 1}, {"59", 1}, {"60", 2}, {"299", 2}, {"300", 3}, {"2999", 3},
		{"3000", 4}};
	static const char *const figures[] = {
		"slowdown_p50", "slowdown_p95", "slowdown_p99", "slowdown_p999"};

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct scene_set set[] = {
			{"flows.a.count", rows[i].count}, {"duration", "40ms"}};

		lab_open(&l, STAR(FLOWS("[1KB]") "  a: {message: 1000}\n"));
		assert_int_equal(lab_run(&l, set, 2, false), 0);
		assert_true(of(0, "messages") == atof(rows[i].count));
		for (unsigned k = 0; k < 4; k++)
			assert_int_equal(isnan(of(0, figures[k])), k >= rows[i].known);
		lab_close(&l);
	}
}

// The queue pair sends its two messages twice and fails.
static void lost_messages_are_unfinished(void **state)
{
	(void)state;
	run(STAR("events: [{at: 100us, link_down: s1:r}]\n" FLOWS(
		"[1MB]") "  a: {message: 1KB}\n"
			 "  b: {message: 2KB, start: 200us, count: 2, outstanding: 2, rto: 20us, "
			 "retries: 1}\n"));
	assert_true(report_value(l.rec, "group.w.message_fail") == 2);
	counts(0, 3, 2);
	lab_close(&l);
}

// Each message of a load that comes in the window counts once: it has ended, is under way, or waits
// behind others, because more come than the receiver's link carries.
static void every_message_of_a_load_counts(void **state)
{
	double posted = 0, ended = 0, unfinished = 0;
	struct scene_messages *all;
	struct scene_message m;
	unsigned n = 0;

	(void)state;
	run(STAR("warmup: 100us\ndrain: 200us\n"
		 "flows: {w: {from: h1..2, to: r, load: 90%, "
		 "sizes: {pareto: {shape: 2, min: 20KB, max: 100KB}}}}\n"));
	assert_int_equal(scene_messages(&all, l.scene), 0);
	while (scene_message(all, &m)) {
		assert_true(m.at < 800 * PS_PER_US);
		n += m.at >= 100 * PS_PER_US;
	}
	scene_messages_free(all);
	for (unsigned i = 0; i < 10; i++) {
		posted += of(i, "posted");
		ended += of(i, "messages");
		unfinished += of(i, "unfinished");
	}
	assert_true(posted == n && ended + unfinished == n);
	assert_true(ended > 5 && unfinished > 5);
	assert_true(isnan(report_value(l.rec, "size.0.messages")));
	// They wait for each other, and all their time counts.
	assert_true(report_value(l.rec, "group.w.fct_p50_us") ==
		    report_value(l.rec, "group.w.fct_posted_p50_us"));
	assert_true(report_value(l.rec, "group.w.slowdown_p50") > 2);
	lab_close(&l);
}

static void a_group_without_bins_has_no_row(void **state)
{
	char *json;

	(void)state;
	run(STAR(FLOWS("none") "  a: {message: 1000}\n"));
	assert_true(isnan(of(0, "posted")));
	json = lab_file(&l, "summary.json");
	assert_null(strstr(json, "slowdown_by_size"));
	free(json);
	lab_close(&l);
}

// Each destination is a group of its own, and has the bins of the row.
static void groups_of_several_destinations_have_their_own(void **state)
{
	(void)state;
	run(STAR(
		"flows: {w: {from: h1, to: [h2, r], count: 1, message: 2KB, bins: [1KB, 2KB]}}\n"));
	assert_true(report_value(l.rec, "slowdown.w>h2.1.posted") == 1);
	assert_true(report_value(l.rec, "slowdown.w>r.1.posted") == 1);
	assert_true(report_value(l.rec, "slowdown.w>r.0.posted") == 0);
	lab_close(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(messages_alone_have_slowdown_1),
		cmocka_unit_test(messages_at_once_wait_for_each_other),
		cmocka_unit_test(messages_wait_behind_their_own),
		cmocka_unit_test(only_messages_posted_in_the_window_count),
		cmocka_unit_test(percentiles_need_all_messages),
		cmocka_unit_test(a_percentile_needs_three_messages_beyond_it),
		cmocka_unit_test(lost_messages_are_unfinished),
		cmocka_unit_test(every_message_of_a_load_counts),
		cmocka_unit_test(a_group_without_bins_has_no_row),
		cmocka_unit_test(groups_of_several_destinations_have_their_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
