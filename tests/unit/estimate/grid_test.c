// SPDX-License-Identifier: BSD-3-Clause
// Periods of instants on a grid.
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>

#include "base/prng.h"
#include "estimate/grid.h"
#include "rounds.h"

#define N 10

// Instants on a grid of `period`, each up to `error` late. The first two differences have no factor
// in common, so no longer period fits.
static void draw(struct prng *r, tstamp period, tstamp error, tstamp *at)
{
	tstamp t = prng_below(r, period);

	for (unsigned i = 0; i < N; i++) {
		t += period * (i < 3 ? i + 4 : 3 + prng_below(r, 40));
		at[i] = t + (error ? prng_below(r, error) : 0);
	}
}

static void a_period_is_found_to_the_nanosecond(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= rounds_of(200); seed++) {
		tstamp at[N], period, found;
		struct prng r;

		prng_init(&r, seed, "grid");
		period = (50 + prng_below(&r, 100000)) * PS_PER_US;
		draw(&r, period, 0, at);
		found = grid_period(at, N, 20 * PS_PER_US, 4 * PS_PER_US);
		if (found < period - PS_PER_NS || found > period + PS_PER_NS)
			printf("seed %lu: %lu, not %lu\n", seed, found, period);
		assert_in_range(found, period - PS_PER_NS, period + PS_PER_NS);
	}
}

static void late_instants_move_a_period_little(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= rounds_of(200); seed++) {
		tstamp at[N], period, found;
		struct prng r;

		prng_init(&r, seed, "late");
		period = (100 + prng_below(&r, 1000)) * PS_PER_US;
		draw(&r, period, 3 * PS_PER_US, at);
		found = grid_period(at, N, 32 * PS_PER_US, 4 * PS_PER_US);
		if (found < period - PS_PER_US || found > period + PS_PER_US)
			printf("seed %lu: %lu, not %lu\n", seed, found, period);
		assert_in_range(found, period - PS_PER_US, period + PS_PER_US);
	}
}

static void instants_of_no_clock_have_no_period(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= rounds_of(200); seed++) {
		tstamp at[N], t = 0;
		struct prng r;

		prng_init(&r, seed, "none");
		for (unsigned i = 0; i < N; i++)
			at[i] = t += prng_below(&r, 10 * PS_PER_MS);
		assert_int_equal(grid_period(at, N, 100 * PS_PER_US, 4 * PS_PER_US), 0);
	}
	assert_int_equal(grid_period((tstamp[]){0, 100}, 2, 1, 1), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_period_is_found_to_the_nanosecond),
		cmocka_unit_test(late_instants_move_a_period_little),
		cmocka_unit_test(instants_of_no_clock_have_no_period),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
