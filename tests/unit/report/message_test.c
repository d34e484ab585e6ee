// SPDX-License-Identifier: BSD-3-Clause
// Rows of about a tenth of the messages: sizes stay whole, every message is in one row, quantiles
// are a row's own.
#include "record_lab.h"

#include <math.h>

#include "report/summary.h"

#define MOST 40

static struct hist room[3 * MOST];

// One row for each size, with as many messages as said; those of size i take i + 1 us, twice what
// is ideal.
static struct summary rows(const unsigned *n, unsigned sizes)
{
	static struct rec_size size[MOST];
	struct record r = {.size = size, .n_sizes = sizes};
	struct summary s = {0};

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
	assert_int_equal(summary_sizes(&s, &r), 0);
	return s;
}

static void one_size_is_one_row(void **state)
{
	const unsigned n[] = {0, 7};
	struct summary s = rows(n, 2);

	(void)state;
	assert_int_equal(s.n_sizes, 1);
	assert_int_equal(s.size[0].from_bytes, 2000);
	assert_int_equal(s.size[0].to_bytes, 2000);
	assert_true(s.size[0].up_to_percent == 100);
	assert_true(s.size[0].messages.fct_us.n == 7 && s.size[0].messages.fct_us.max == 2);
	assert_true(s.size[0].messages.fct_posted_us.max == 6);
	assert_true(s.size[0].messages.slowdown.max == 2);
	free(s.size);
}

static void twenty_sizes_are_ten_rows(void **state)
{
	unsigned n[20];
	struct summary s;

	(void)state;
	for (unsigned i = 0; i < 20; i++)
		n[i] = 5;
	s = rows(n, 20);
	assert_int_equal(s.n_sizes, 10);
	for (unsigned i = 0; i < 10; i++) {
		assert_int_equal(s.size[i].from_bytes, 1000 * (2 * i + 1));
		assert_int_equal(s.size[i].to_bytes, 1000 * (2 * i + 2));
		assert_float_equal(s.size[i].up_to_percent, 10 * (i + 1), 1e-9);
		assert_true(s.size[i].messages.fct_us.n == 10);
		assert_true(s.size[i].messages.fct_us.min == 2 * i + 1);
	}
	free(s.size);
}

// Most messages are small: those fill seven tenths, what is left shares three.
static void a_common_size_is_not_divided(void **state)
{
	const unsigned n[] = {72, 4, 4, 10, 1, 1, 0, 8};
	struct summary s = rows(n, 8);

	(void)state;
	assert_int_equal(s.n_sizes, 4);
	assert_true(s.size[0].messages.fct_us.n == 72);
	assert_true(s.size[1].to_bytes == 3000 && s.size[1].up_to_percent == 80);
	assert_true(s.size[2].to_bytes == 4000 && s.size[2].up_to_percent == 90);
	assert_true(s.size[3].from_bytes == 5000 && s.size[3].to_bytes == 8000);
	assert_true(s.size[3].up_to_percent == 100 && s.size[3].messages.fct_us.n == 10);
	free(s.size);
}

static void nothing_is_no_row(void **state)
{
	const unsigned n[] = {0};
	struct summary s = rows(n, 1);

	(void)state;
	assert_int_equal(s.n_sizes, 0);
	free(s.size);
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
		cmocka_unit_test(a_run_with_two_sizes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
