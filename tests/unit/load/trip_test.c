// SPDX-License-Identifier: BSD-3-Clause
// Round trips: what came back, when it had left, and in which order; held against a plain model.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/prng.h"
#include "load/load.h"

static bool comes(struct trips *t, uint32_t seq, bool ce, tstamp now)
{
	const struct pkt p = {.kind = PKT_GEN, .len = 96, .tos = ce ? ECN_CE : 0, .u.gen.seq = seq};

	return trips_came(t, &p, now);
}

static void frames_that_come_back_are_timed(void **state)
{
	struct hist *h = calloc(1, sizeof(*h));
	struct trips t;

	(void)state;
	assert_int_equal(trips_init(&t, 8), 0);
	t.rtt = h;
	for (uint32_t i = 0; i < 4; i++)
		trips_left(&t, i, 100 * (i + 1));
	assert_true(comes(&t, 0, false, 400));
	assert_true(comes(&t, 2, true, 450)); // one is missing
	assert_int_equal(t.s.echo_lost, 1);
	assert_true(comes(&t, 1, false, 900));
	assert_int_equal(t.s.echo_rx_frames, 3);
	assert_int_equal(t.s.echo_lost, 0);
	assert_int_equal(t.s.echo_out_of_order, 1);
	assert_int_equal(t.s.echo_ce_rx, 1);
	assert_int_equal(t.s.echo_rx_bytes, 300);
	assert_int_equal(t.s.rtt_min, 150);
	assert_int_equal(t.s.rtt_max, 700);
	assert_int_equal(t.s.rtt_sum, 300 + 150 + 700);
	hist_bound(h, t.s.rtt_sum, t.s.rtt_min, t.s.rtt_max);
	hist_settle(h);
	assert_int_equal(h->n, 3);
	trips_fini(&t);
	free(h);
}

static void what_comes_again_is_a_duplicate(void **state)
{
	struct trips t;

	(void)state;
	assert_int_equal(trips_init(&t, 8), 0);
	trips_left(&t, 0, 10);
	assert_true(comes(&t, 0, true, 20));
	assert_true(comes(&t, 0, true, 30));
	assert_int_equal(t.s.echo_rx_frames, 1);
	assert_int_equal(t.s.echo_duplicates, 1);
	assert_int_equal(t.s.echo_ce_rx, 1);
	assert_int_equal(t.s.rtt_max, 10);
	trips_fini(&t);
}

static void what_has_not_left_is_of_another(void **state)
{
	struct trips t;

	(void)state;
	assert_int_equal(trips_init(&t, 4), 0);
	assert_false(comes(&t, 0, false, 10));
	assert_false(comes(&t, UINT32_MAX, false, 10));
	trips_left(&t, 0, 10);
	assert_false(comes(&t, 1, false, 20));
	assert_false(comes(&t, UINT32_MAX, false, 20));
	assert_false(comes(&t, 1u << 31, false, 20));
	assert_int_equal(t.s.echo_rx_frames, 0);
	trips_fini(&t);
}

// The ring has room for four: what is behind them came back late, and nobody knows how late.
static void a_frame_that_is_forgotten_is_late(void **state)
{
	struct trips t;

	(void)state;
	assert_int_equal(trips_init(&t, 3), 0);
	assert_int_equal(t.left.mask, 3);
	for (uint32_t i = 0; i < 6; i++)
		trips_left(&t, i, 100 * i);
	assert_true(comes(&t, 1, false, 1000));
	assert_int_equal(t.s.echo_late, 1);
	assert_int_equal(t.s.echo_rx_frames, 1);
	assert_int_equal(t.s.rtt_max, 0);
	assert_true(comes(&t, 2, false, 1000));
	assert_int_equal(t.s.echo_late, 1);
	assert_int_equal(t.s.rtt_min, 800);
	assert_int_equal(t.s.echo_lost, 1); // the first
	trips_fini(&t);
}

// A frame that was dropped in its own queue is lost, and is no duplicate of the one before it.
static void a_frame_that_never_left_is_lost(void **state)
{
	struct trips t;

	(void)state;
	assert_int_equal(trips_init(&t, 4), 0);
	for (uint32_t i = 0; i < 4; i++)
		trips_left(&t, i, 100);
	trips_left(&t, 6, 600);
	assert_true(comes(&t, 6, false, 650));
	assert_int_equal(t.s.rtt_max, 50);
	assert_int_equal(t.s.echo_lost, 6);
	assert_true(comes(&t, 3, false, 700));
	assert_int_equal(t.s.echo_lost, 5);
	trips_left(&t, 6 + 1000000, 800); // far more than the ring has
	assert_true(comes(&t, 6 + 1000000, false, 801));
	assert_int_equal(t.s.rtt_min, 1);
	trips_fini(&t);
}

static void numbers_wrap(void **state)
{
	struct trips t;

	(void)state;
	assert_int_equal(trips_init(&t, 16), 0);
	t.left.next = t.back = UINT32_MAX - 2ull;
	for (uint32_t i = 0; i < 6; i++)
		trips_left(&t, UINT32_MAX - 2 + i, i);
	for (uint32_t i = 0; i < 6; i++)
		assert_true(comes(&t, UINT32_MAX - 2 + i, false, 10 + i));
	assert_int_equal(t.s.echo_rx_frames, 6);
	assert_int_equal(t.s.echo_lost, 0);
	assert_int_equal(t.s.rtt_min, 10);
	assert_int_equal(t.s.rtt_max, 10);
	trips_fini(&t);
}

static void sizes_are_checked(void **state)
{
	struct trips t;

	(void)state;
	assert_int_equal(trips_init(&t, 0), -EINVAL);
	assert_int_equal(trips_init(&t, DEPARTURES_MOST + 1), -EINVAL);
	assert_int_equal(trips_init(&t, 1), 0);
	assert_int_equal(t.left.mask, 0);
	trips_fini(&t);
}

#define FRAMES 3000

// Frames that are lost, doubled and delayed by chance, against what each of them says by itself.
static void random_ways_agree_with_a_model(void **state)
{
	enum { ROOM = 256 };
	uint64_t seed = 7, sum = 0, came = 0, lost = 0, doubled = 0, behind = 0;
	bool back[FRAMES] = {0};
	struct {
		uint32_t seq;
		tstamp at;
	} way[2 * FRAMES];
	unsigned n = 0, first = 0;
	struct trips t;
	struct prng rng;
	uint32_t high = 0;

	(void)state;
	printf("seed %llu\n", (unsigned long long)seed);
	prng_init(&rng, seed, "trips");
	assert_int_equal(trips_init(&t, ROOM), 0);
	for (uint32_t i = 0; i < FRAMES; i++) {
		unsigned copies = prng_below(&rng, 10) ? 1 : prng_below(&rng, 3);

		trips_left(&t, i, 1000 * (i + 1));
		for (unsigned k = 0; k < copies; k++) {
			way[n].seq = i;
			way[n++].at = 1000 * (i + 1) + prng_below(&rng, 50000);
		}
		while (first < n) { // all that has come by the next frame, in order of time
			unsigned least = first;

			for (unsigned k = first; k < n; k++)
				least = way[k].at < way[least].at ? k : least;
			if (way[least].at >= 1000 * (i + 2))
				break;
			assert_true(comes(&t, way[least].seq, false, way[least].at));
			if (back[way[least].seq]) {
				doubled++;
			} else {
				back[way[least].seq] = true;
				came++;
				sum += way[least].at - 1000 * (way[least].seq + 1ull);
				behind += way[least].seq < high;
				high = way[least].seq >= high ? way[least].seq + 1 : high;
			}
			way[least] = way[first++];
		}
	}
	for (uint32_t i = 0; i < high; i++)
		lost += !back[i];
	assert_int_equal(t.s.echo_rx_frames, came);
	assert_int_equal(t.s.echo_lost, lost);
	assert_int_equal(t.s.echo_out_of_order, behind);
	assert_int_equal(t.s.echo_duplicates, doubled);
	assert_int_equal(t.s.echo_late, 0);
	assert_int_equal(t.s.rtt_sum, sum);
	assert_true(lost && doubled && behind);
	trips_fini(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frames_that_come_back_are_timed),
		cmocka_unit_test(what_comes_again_is_a_duplicate),
		cmocka_unit_test(what_has_not_left_is_of_another),
		cmocka_unit_test(a_frame_that_is_forgotten_is_late),
		cmocka_unit_test(a_frame_that_never_left_is_lost),
		cmocka_unit_test(numbers_wrap),
		cmocka_unit_test(sizes_are_checked),
		cmocka_unit_test(random_ways_agree_with_a_model),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
