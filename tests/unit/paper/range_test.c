// SPDX-License-Identifier: BSD-3-Clause
// Where axes begin and end: at 0 unless the values are alike, by powers of ten where they are far
// apart.
#include "paper/int.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#define ROWS(...) ((const struct paper_row[]){__VA_ARGS__})

// Of values along y, by this scale.
static struct paper_range of(enum paper_scale scale, const struct paper_row *row, size_t n)
{
	struct paper_series s = {.style = PAPER_POINTS, .row = row, .n = n};
	struct paper p = {.y = {.scale = scale}, .series = &s, .n_series = 1};

	return paper_range_of(&p, true);
}

static void is(struct paper_range r, double from, double to, bool log)
{
	if (fabs(r.from - from) > 1e-9 * fabs(to) || fabs(r.to - to) > 1e-9 * fabs(to) ||
		r.log != log)
		fail_msg("%.10g to %.10g, log %d", r.from, r.to, r.log);
}

static void an_axis_begins_at_0(void **state)
{
	(void)state;
	is(of(PAPER_FIT, ROWS({.y = 30}, {.y = 97}), 2), 0, 100, false);
	is(of(PAPER_FIT, ROWS({.y = 0}, {.y = 20}), 2), 0, 21, false);
	is(of(PAPER_FIT, ROWS({.y = 0}, {.y = 100000}), 2), 0, 104000, false);
	is(of(PAPER_FIT, ROWS({.y = -5}, {.y = 5}), 2), -5.6, 5.6, false);
}

static void values_that_are_alike_fill_it(void **state)
{
	(void)state;
	is(of(PAPER_FIT, ROWS({.y = 0.97}, {.y = 0.99}), 2), 0.969, 0.991, false);
	is(of(PAPER_FIT, ROWS({.y = 100}), 1), 86, 114, false);
	is(of(PAPER_FIT, ROWS({.y = 0}), 1), 0, 1.04, false);
}

static void values_far_apart_are_drawn_by_powers_of_ten(void **state)
{
	(void)state;
	is(of(PAPER_FIT, ROWS({.y = 3}, {.y = 301}), 2), 2, 500, true);
	is(of(PAPER_FIT, ROWS({.y = 3}, {.y = 300}), 2), 0, 310, false);
	is(of(PAPER_LINEAR, ROWS({.y = 3}, {.y = 3000}), 2), 0, 3100, false);
	is(of(PAPER_LOG, ROWS({.y = 60}, {.y = 70}), 2), 50, 100, true);
	// 0 has no place on such an axis.
	is(of(PAPER_LOG, ROWS({.y = 0}, {.y = 1000}), 2), 0, 1040, false);
}

static void what_is_not_finite_does_not_count(void **state)
{
	(void)state;
	is(of(PAPER_FIT, ROWS({.y = NAN}, {.y = INFINITY}, {.y = 20}, {.y = 1}), 4), 0, 21, false);
	is(of(PAPER_FIT, NULL, 0), 0, 1.04, false);
}

static void limits_and_lines_count(void **state)
{
	const struct paper_row band = {.x = 1, .y = 9999, .low = 20, .high = 100};
	const struct paper_row span = {.x = 9999, .y = 1, .low = 2, .high = 8};
	struct paper_series s = {.style = PAPER_BAND, .row = &band, .n = 1};
	struct paper_line line[] = {
		{.at = 400, .label = "Kmax"}, {.vertical = true, .at = 10, .label = "storm"}};
	const char *lanes[] = {"a", "b", "c"};
	struct paper p = {.series = &s, .n_series = 1, .line = line, .n_lines = 2};

	(void)state;
	is(paper_range_of(&p, true), 0, 420, false);
	is(paper_range_of(&p, false), 0, 10.4, false);
	p.y.lane = lanes;
	p.y.n_lanes = 3;
	s = (struct paper_series){.style = PAPER_SPANS, .row = &span, .n = 1};
	is(paper_range_of(&p, true), -0.5, 2.5, false);
	is(paper_range_of(&p, false), 0, 10.4, false);
	p.x.from = 1;
	p.x.to = 9;
	is(paper_range_of(&p, false), 1, 9, false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_axis_begins_at_0),
		cmocka_unit_test(values_that_are_alike_fill_it),
		cmocka_unit_test(values_far_apart_are_drawn_by_powers_of_ten),
		cmocka_unit_test(what_is_not_finite_does_not_count),
		cmocka_unit_test(limits_and_lines_count),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
