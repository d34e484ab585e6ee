// SPDX-License-Identifier: BSD-3-Clause
// The seed draws when traffic starts: open-loop sources of equal rate meet at random instants, not
// in step, unless their start is given.
#include "scn.h"

#include <math.h>

#define SEEDS 100

static double mean_queue(unsigned seed, const char *start)
{
	char number[32], path[64];
	struct scn s;
	double mean;

	snprintf(number, sizeof(number), "seed=%u", seed);
	snprintf(path, sizeof(path), "defaults.flows.start=%s", start);
	s = scn_run("eight-sources.yaml", number, path, NULL);
	mean = scn_value(&s, "queue.s1:r.0.mean_bytes");
	scn_free(&s);
	return mean;
}

// Seven frames wait while the first one leaves, six while the second does, and so on: 28 frames for
// one frame's time each, which is 10 % of the gap.
static void in_step_the_queue_is_the_same_for_all_seeds(void **state)
{
	double first = mean_queue(1, "0us");

	(void)state;
	assert_true(fabs(first - 28 * 0.1 * 1086) < 5);
	for (unsigned seed = 2; seed <= 5; seed++)
		assert_true(mean_queue(seed, "0us") == first);
}

// A model of eight periodic arrivals at random phases (20,000 draws) has a mean queue of 627 bytes,
// with a standard deviation of 336 from phases to phases, and 90 % of them between 196 and 1286.
// The range of `start` is ten gaps.
static void spread_sources_meet_at_random(void **state)
{
	static const char *const start[] = {"auto", "0..35392ns"};

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		double sum = 0, least = INFINITY, most = 0;
		unsigned inside = 0;

		for (unsigned seed = 1; seed <= SEEDS; seed++) {
			double mean = mean_queue(seed, start[i]);

			sum += mean;
			least = fmin(least, mean);
			most = fmax(most, mean);
			inside += mean > 196 && mean < 1286;
		}
		// Five standard deviations of the mean of 100, and of the number of 100.
		assert_true(fabs(sum / SEEDS - 627) < 5 * 336 / 10.0);
		assert_true(inside > 90 - 15);
		assert_true(least < 400 && most > 900);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(in_step_the_queue_is_the_same_for_all_seeds),
		cmocka_unit_test(spread_sources_meet_at_random),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
