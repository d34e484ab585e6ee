// SPDX-License-Identifier: BSD-3-Clause
// Rows of about a tenth of the messages: sizes stay whole, every message is in one row, quantiles
// are a row's own.
#include "record_lab.h"

#include <math.h>

#include "report/int.h"
#include "summary/summary.h"

#define MOST 40

static struct hist room[3 * MOST];

static struct summary sum;

// One row for each size, with as many messages as said; those of size i take i + 1 us, twice what
// is ideal.
static void rows(const unsigned *n, unsigned sizes)
{
	static struct rec_size size[MOST];
	static struct record r;

	r = (struct record){.size = size, .n_sizes = sizes};
	sum = (struct summary){.kind = summary_kind, .rec = &r};
	for (unsigned i = 0; i < sizes; i++) {
		size[i] = (struct rec_size){.bytes = 1000ull * (i + 1)};
		if (!n[i])
			continue;
		size[i].fct = &room[3 * i];
		size[i].fct_posted = &room[3 * i + 1];
		size[i].slowdown = &room[3 * i + 2];
		hist_init(size[i].fct);
		hist_init(size[i].fct_posted);
		hist_init(size[i].slowdown);
		hist_add(size[i].fct, (i + 1) * PS_PER_US, n[i]);
		hist_add(size[i].fct_posted, (i + 5) * PS_PER_US, n[i]);
		hist_add(size[i].slowdown, 2000, n[i]);
	}
	kind_set(&sum, KIND_SIZE);
	assert_false(sum.no_memory);
}

static double of(unsigned i, const char *figure)
{
	return summary_at(&sum, KIND_SIZE, i, figure);
}

static void done(void)
{
	free(sum.set[KIND_SIZE].object);
}

static void one_size_is_one_row(void **state)
{
	const unsigned n[] = {0, 7};

	(void)state;
	rows(n, 2);
	assert_int_equal(sum.set[KIND_SIZE].n, 1);
	assert_true(of(0, "from_bytes") == 2000);
	assert_true(of(0, "to_bytes") == 2000);
	assert_true(of(0, "up_to_percent") == 100);
	assert_true(of(0, "messages") == 7 && of(0, "fct_max_us") == 2);
	assert_true(of(0, "fct_posted_max_us") == 6);
	assert_true(of(0, "slowdown_max") == 2);
	done();
}

static void twenty_sizes_are_ten_rows(void **state)
{
	unsigned n[20];

	(void)state;
	for (unsigned i = 0; i < 20; i++)
		n[i] = 5;
	rows(n, 20);
	assert_int_equal(sum.set[KIND_SIZE].n, 10);
	for (unsigned i = 0; i < 10; i++) {
		assert_true(of(i, "from_bytes") == 1000 * (2 * i + 1));
		assert_true(of(i, "to_bytes") == 1000 * (2 * i + 2));
		assert_float_equal(of(i, "up_to_percent"), 10 * (i + 1), 1e-9);
		assert_true(of(i, "messages") == 10);
		// Half of them take 2 i + 1 us, half 2 i + 2.
		assert_float_equal(of(i, "fct_mean_us"), 2 * i + 1.5, 1e-9);
		assert_float_equal(of(i, "fct_p50_us"), 2 * i + 1, 0.008 * (2 * i + 1));
		assert_true(of(i, "fct_max_us") == 2 * i + 2);
		assert_float_equal(of(i, "fct_p90_us"), 2 * i + 2, 0.008 * (2 * i + 2));
		assert_true(of(i, "fct_p90_us") <= of(i, "fct_max_us"));
		assert_true(of(i, "fct_p999_us") == of(i, "fct_max_us"));
		assert_float_equal(of(i, "fct_posted_mean_us"), 2 * i + 5.5, 1e-9);
	}
	done();
}

// Most messages are small: those fill seven tenths, what is left shares three.
static void a_common_size_is_not_divided(void **state)
{
	const unsigned n[] = {72, 4, 4, 10, 1, 1, 0, 8};

	(void)state;
	rows(n, 8);
	assert_int_equal(sum.set[KIND_SIZE].n, 4);
	assert_true(of(0, "messages") == 72);
	assert_true(of(1, "to_bytes") == 3000 && of(1, "up_to_percent") == 80);
	assert_true(of(2, "to_bytes") == 4000 && of(2, "up_to_percent") == 90);
	assert_true(of(3, "from_bytes") == 5000 && of(3, "to_bytes") == 8000);
	assert_true(of(3, "up_to_percent") == 100 && of(3, "messages") == 10);
	done();
}

static void nothing_is_no_row(void **state)
{
	const unsigned n[] = {0};

	(void)state;
	rows(n, 1);
	assert_int_equal(sum.set[KIND_SIZE].n, 0);
	done();
}

// All figures of one distribution, in their order.
static void quantiles_are_in_order(void **state)
{
	static const char *const of_what[][2] = {
		{"fct", "_us"}, {"fct_posted", "_us"}, {"slowdown", ""}};
	static const char *const which[] = {"p50", "p90", "p95", "p99", "p999", "max"};
	struct lab l;

	(void)state;
	lab_open(&l, LAB_TWO_TO_ONE "  mice: {from: h1, to: r, message: 2KB, rate: 1Gbps}\n");
	assert_int_equal(lab_run(&l, NULL, 0, false), 0);
	for (unsigned d = 0; d < 3; d++) {
		double least = 0;

		for (unsigned i = 0; i < 6; i++) {
			char path[64];
			double is;

			snprintf(path, sizeof(path), "total.%s_%s%s", of_what[d][0], which[i],
				of_what[d][1]);
			is = report_value(l.rec, path);
			if (!(is >= least && is > 0))
				fail_msg("%s: %g after %g", path, is, least);
			least = is;
		}
	}
	// The slowest are incast's.
	assert_true(report_value(l.rec, "total.fct_p999_us") >
		    report_value(l.rec, "group.mice.fct_max_us"));
	lab_close(&l);
}

static void a_run_with_two_sizes(void **state)
{
	struct lab l;
	double n[2];
	char *json;

	(void)state;
	lab_open(&l, LAB_TWO_TO_ONE "  mice: {from: h1, to: r, message: 2KB, rate: 1Gbps}\n");
	assert_int_equal(lab_run(&l, NULL, 0, false), 0);
	for (unsigned i = 0; i < 2; i++) {
		char path[40];

		snprintf(path, sizeof(path), "size.%u.messages", i);
		n[i] = report_value(l.rec, path);
	}
	assert_true(report_value(l.rec, "size.0.to_bytes") == 2000);
	assert_true(report_value(l.rec, "size.1.from_bytes") == 100000);
	assert_true(n[0] > 10 && n[1] > 10);
	assert_true(n[0] + n[1] == report_value(l.rec, "total.messages"));
	assert_true(n[0] == report_value(l.rec, "group.mice.messages"));
	assert_true(report_value(l.rec, "size.1.slowdown_p99") ==
		    report_value(l.rec, "group.incast.slowdown_p99"));
	assert_true(isnan(report_value(l.rec, "size.2.messages")));
	json = lab_file(&l, "summary.json");
	assert_non_null(strstr(json, "\"messages_by_size\": ["));
	free(json);
	lab_close(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_size_is_one_row),
		cmocka_unit_test(twenty_sizes_are_ten_rows),
		cmocka_unit_test(a_common_size_is_not_divided),
		cmocka_unit_test(nothing_is_no_row),
		cmocka_unit_test(quantiles_are_in_order),
		cmocka_unit_test(a_run_with_two_sizes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
