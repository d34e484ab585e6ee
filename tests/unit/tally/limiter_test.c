// SPDX-License-Identifier: BSD-3-Clause
// Flows that share a reaction point: what it tells once is counted for each of them, and is a line
// of each in events.csv.
#include "record_lab.h"

#include "tally/int.h"
#include "report/int.h"
#include "summary/summary.h"

// Five queue pairs of h1 and three of h2 without a tag; one of h1 has a reaction point of its own.
#define SHARED                                                                                   \
	"duration: 3ms\nwarmup: 500us\n"                                                         \
	"controls: {a: {qcn: {}}, b: {qcn: {cn_tag: false}}}\n"                                  \
	"switches: {s1: {buffer: 4MB, classes: {3: {qcn: {sample_base: 20KB}}}}}\n"              \
	"hosts: {h1..2: , r: }\n"                                                                \
	"links: [{between: [[h1..2, r], s1], rate: 10Gbps, delay: 1us}]\n"                       \
	"flows: {one: {from: h1, to: r, control: a}, f: {from: h1, to: r, control: b, qps: 5}, " \
	"g: {from: h2, to: r, control: b, qps: 3}}\n"

static struct lab l;

static unsigned lines_of(const char *text, const char *event, const char *flow)
{
	char what[80];
	unsigned n = 0;

	snprintf(what, sizeof(what), ",%s,", event);
	for (const char *at = text, *end; *at; at = *end ? end + 1 : end) {
		const char *hit = strstr(at, what), *named = strstr(at, flow);

		end = strchrnul(at, '\n');
		n += hit && hit < end && named && named < end;
	}
	return n;
}

static void each_has_its_lines_and_its_counts(void **state)
{
	const struct scene_set set[] = {{"warmup", "0us"}};
	char *text, name[2][32], path[64];

	(void)state;
	lab_open(&l, SHARED);
	assert_int_equal(lab_run(&l, set, 1, true), 0);
	assert_int_equal(l.rec->rec->n_limiters, 2);
	text = lab_file(&l, "events.csv");
	for (unsigned i = 0; i < 8; i++) {
		snprintf(name[1], sizeof(name[1]), i < 5 ? "f[h1>r.%u]" : "g[h2>r.%u]",
			i < 5 ? i : i - 5);
		snprintf(name[0], sizeof(name[0]), i < 5 ? "f[h1>r.0]" : "g[h2>r.0]");
		snprintf(path, sizeof(path), "flow.%s.cnm_rx", name[1]);
		assert_true(report_value(l.rec, path) > 0);
		assert_true(report_value(l.rec, path) == lines_of(text, "cnm_rx", name[1]));
		snprintf(path, sizeof(path), "flow.%s.rate_cuts", name[1]);
		assert_true(report_value(l.rec, path) == lines_of(text, "decrease", name[1]));
		assert_int_equal(lines_of(text, "rp", name[1]), lines_of(text, "rp", name[0]));
	}
	free(text);
	lab_close(&l);
}

// The window's counts are those of its time only; the file has all of the run.
static void counts_are_of_the_window(void **state)
{
	const struct scene_set set[] = {{"warmup", "2900us"}, {"record.flows", "one in 2"}};
	char *text;
	double late;

	(void)state;
	lab_open(&l, SHARED);
	assert_int_equal(lab_run(&l, set, 2, true), 0);
	late = report_value(l.rec, "flow.f[h1>r.3].cnm_rx");
	text = lab_file(&l, "events.csv"); // flow 0 and each second one behind it
	assert_true(late < lines_of(text, "cnm_rx", "f[h1>r.1]"));
	assert_int_equal(lines_of(text, "cnm_rx", "f[h1>r.0]"), 0);
	assert_int_equal(lines_of(text, "cnm_rx", "f[h1>r.2]"), 0);
	assert_true(lines_of(text, "cnm_rx", "f[h1>r.3]") > 0);
	free(text);
	lab_close(&l);
}

// Without lines nothing is lent to those that share, and the book is that of their reaction point.
static void the_book_is_one(void **state)
{
	const struct scene_set set[] = {{"record.events", "none"}};
	const struct record *r;

	(void)state;
	lab_open(&l, SHARED);
	assert_int_equal(lab_run(&l, set, 1, true), 0);
	r = l.rec->rec;
	assert_null(r->flow[0].limiter);
	for (unsigned i = 1; i < 9; i++) {
		assert_false(r->flow[i].lent);
		assert_ptr_equal(r->flow[i].limiter, &r->limiter[i > 5]);
		assert_ptr_equal(rec_flow_book(&r->flow[i]), &r->limiter[i > 5].book);
	}
	assert_int_equal(r->limiter[0].n, 5);
	assert_int_equal(r->limiter[0].flow[0], 5); // the last one first
	assert_true(r->limiter[0].book.events[RP_DECREASE] > 0);
	assert_true(report_value(l.rec, "flow.f[h1>r.2].rp_decrease") ==
		    (double)r->limiter[0].book.events[RP_DECREASE]);
	assert_true(report_value(l.rec, "flow.f[h1>r.2].rc_mean_gbps") ==
		    report_value(l.rec, "flow.f[h1>r.0].rc_mean_gbps"));
	lab_close(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_has_its_lines_and_its_counts),
		cmocka_unit_test(counts_are_of_the_window),
		cmocka_unit_test(the_book_is_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
