// SPDX-License-Identifier: BSD-3-Clause
// Ideal instants at a rate, late frames, rate changes while a gap runs or is over.
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "algo/pacer.h"
#include "base/prng.h"

#define WIRE 1106 // a WRITE middle frame with 1024 bytes of payload: 1082 + 24

// A frame leaves at `now`, as a NIC books it. Returns the bytes that are lost.
static uint64_t leaves(struct pacer *p, tstamp now, tstamp catch_up)
{
	uint64_t lost = 0;

	assert_true(p->next <= now);
	if (p->next < now)
		lost = pacer_bound(p, WIRE, now - p->next, catch_up);
	pacer_sent(p, WIRE);
	return lost;
}

static void the_gap_is_the_wire_time(void **state)
{
	struct pacer p;

	(void)state;
	pacer_init(&p, 10 * RATE_GBPS);
	assert_int_equal(p.next, 0);
	pacer_restart(&p, 5000);
	pacer_sent(&p, WIRE);
	assert_int_equal(p.next, 5000 + WIRE * 800);
}

static void a_late_frame_is_made_up_for(void **state)
{
	struct pacer p;

	(void)state;
	pacer_init(&p, 10 * RATE_GBPS);
	leaves(&p, 0, PACER_AUTO);
	assert_int_equal(leaves(&p, WIRE * 800 + 12345, PACER_AUTO), 0);
	assert_int_equal(p.next, 2 * WIRE * 800);
}

// auto: 20 us, or four gaps if they are longer. Time beyond the bound is lost and counted.
static void no_more_is_made_up_for_than_the_bound(void **state)
{
	const tstamp gap = WIRE * 800, late = PS_PER_MS;
	struct pacer p;

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		const tstamp bound[] = {0, 3 * PS_PER_US, PACER_AUTO};
		tstamp kept = i == 2 ? 20 * PS_PER_US : bound[i];

		pacer_init(&p, 10 * RATE_GBPS);
		assert_int_equal(leaves(&p, late, bound[i]), (late - kept) / 800);
		assert_int_equal(p.next, late - kept + gap);
	}
	pacer_init(&p, RATE_GBPS / 10);
	leaves(&p, late, PACER_AUTO);
	assert_int_equal(p.next, late - 4 * 100 * gap + 100 * gap);
}

// 399 Gb/s: a gap is no whole number of ps; a million of them are as long as they should be.
static void gaps_carry_what_is_below_a_ps(void **state)
{
	const uint64_t n = 1000000;
	struct pacer p;

	(void)state;
	pacer_init(&p, 399 * RATE_GBPS);
	for (uint64_t i = 0; i < n; i++)
		pacer_sent(&p, WIRE);
	// The time of a byte is held to 2^-21 ps, 24 ns in a million gaps of 22 ns.
	assert_in_range(p.next, n * WIRE * 8000 / 399 - 1000, n * WIRE * 8000 / 399 + 1000);
}

// 10 Gb/s, a quarter of the gap has passed, then 5 Gb/s: three quarters of the frame at the new
// rate.
static void a_change_of_rate_keeps_the_bytes_sent_ahead(void **state)
{
	struct pacer p;
	tstamp quarter = WIRE * 800 / 4;

	(void)state;
	pacer_init(&p, 10 * RATE_GBPS);
	pacer_sent(&p, WIRE);
	pacer_set_rate(&p, 5 * RATE_GBPS, quarter);
	assert_int_equal(p.next, quarter + 2 * 3 * quarter);
	pacer_set_rate(&p, 20 * RATE_GBPS, quarter);
	assert_int_equal(p.next, quarter + 3 * quarter / 2);
	pacer_sent(&p, WIRE);
	assert_int_equal(p.next, quarter + 3 * quarter / 2 + WIRE * 400);
}

// Half a frame behind at 10 Gb/s is half a frame behind at 20 Gb/s, and at 8 Gb/s.
static void a_change_of_rate_keeps_the_bytes_owed(void **state)
{
	const tstamp gap = WIRE * 800, now = 10 * gap;
	struct pacer p;

	(void)state;
	pacer_init(&p, 10 * RATE_GBPS);
	pacer_restart(&p, now - gap / 2 - gap);
	pacer_sent(&p, WIRE);
	assert_int_equal(pacer_set_rate(&p, 20 * RATE_GBPS, now), 0);
	assert_int_equal(p.next, now - gap / 4);
	assert_int_equal(pacer_set_rate(&p, 8 * RATE_GBPS, now), 0);
	assert_int_equal(p.next, now - gap * 5 / 8);
}

// Five frames behind, then a cut to a half: one gap at the new rate is left, four frames are lost.
static void a_cut_clips_what_is_owed_to_one_gap(void **state)
{
	const tstamp gap = WIRE * 800, now = 20 * gap;
	struct pacer p;

	(void)state;
	pacer_init(&p, 10 * RATE_GBPS);
	pacer_restart(&p, now - 6 * gap);
	pacer_sent(&p, WIRE);
	assert_int_equal(pacer_set_rate(&p, 5 * RATE_GBPS, now), 4 * WIRE);
	assert_int_equal(p.next, now - 2 * gap);
	// An increase clips nothing.
	assert_int_equal(pacer_set_rate(&p, 10 * RATE_GBPS, now), 0);
	assert_int_equal(p.next, now - gap);
}

// There is no instant before 0: a cut in the first gap of a run leaves less.
static void nothing_is_owed_from_before_the_run(void **state)
{
	struct pacer p;

	(void)state;
	pacer_init(&p, 10 * RATE_GBPS);
	pacer_sent(&p, WIRE);
	pacer_set_rate(&p, RATE_GBPS, WIRE * 800 + 1000);
	assert_int_equal(p.next, WIRE * 800 + 1000 - 10 * 1000);
	pacer_set_rate(&p, RATE_MIN, WIRE * 800 + 1000);
	assert_int_equal(p.next, 0);
}

static void the_next_rate_leaves_a_running_gap_alone(void **state)
{
	struct pacer p;

	(void)state;
	pacer_init(&p, 10 * RATE_GBPS);
	pacer_sent(&p, WIRE);
	pacer_set_next_rate(&p, RATE_GBPS);
	assert_int_equal(p.next, WIRE * 800);
	pacer_sent(&p, WIRE);
	assert_int_equal(p.next, WIRE * 800 + WIRE * 8000);
}

// A gap of 64 KiB at the lowest rate and back does not overflow: 5.24 s of 80 us a byte.
static void the_slowest_rate_fits(void **state)
{
	struct pacer p;

	(void)state;
	pacer_init(&p, RATE_MIN);
	pacer_sent(&p, 65535);
	assert_int_equal(p.next, 65535 * 80 * PS_PER_US);
	pacer_set_rate(&p, 400 * RATE_GBPS, 0);
	assert_int_equal(p.next, 65535 * 20);
	pacer_set_rate(&p, RATE_MIN, 0);
	assert_int_equal(p.next, 65535 * 80 * PS_PER_US);
}

static void unpaced_frames_have_no_gap(void **state)
{
	struct pacer p;

	(void)state;
	pacer_init(&p, 0);
	pacer_restart(&p, 77);
	pacer_sent(&p, WIRE);
	assert_int_equal(p.next, 77);
	pacer_set_rate(&p, 10 * RATE_GBPS, 50);
	assert_int_equal(p.next, 77);
	pacer_sent(&p, WIRE);
	assert_int_equal(p.next, 77 + WIRE * 800);
	pacer_set_rate(&p, 0, 200); // pacing ends: the gap too
	assert_int_equal(p.next, 200);
	assert_int_equal(pacer_bytes(p.ps, 1000), 0);
}

// Random rates, sizes and delays: bytes sent + bytes lost = bytes that the rates allowed, up to the
// frame whose gap is running and the bytes that are still to be made up for. Rates change at
// random, mostly by small steps, sometimes to an end of the range; frames leave on time, or late by
// up to the bound, or far beyond it.
static void nothing_is_lost_unseen(void **state)
{
	const char *env = getenv("QUENCH_SEED");
	uint64_t seed = env ? strtoull(env, NULL, 0) : 1;
	struct prng g;

	(void)state;
	prng_init(&g, seed, "pacer");
	for (unsigned round = 0; round < 200; round++) {
		rate_t rate = RATE_MBPS * (100 + prng_below(&g, 100000));
		double allowed = 0, sent = 0;
		uint64_t lost = 0;
		tstamp now = 0;
		struct pacer p;

		pacer_init(&p, rate);
		for (unsigned i = 0; i < 2000; i++) {
			static const tstamp most[] = {1, PS_PER_US, 30 * PS_PER_US, PS_PER_MS};
			uint32_t bytes = 84 + (uint32_t)prng_below(&g, 9000);
			tstamp at =
				tstamp_max(now, p.next) + prng_below(&g, most[prng_below(&g, 4)]);

			if (!prng_below(&g, 3)) {
				tstamp change = now + prng_below(&g, at - now + 1);

				allowed += (double)(change - now) * (double)rate / 8e12;
				rate = prng_below(&g, 8) ? rate * (50 + prng_below(&g, 100)) / 100
							 : RATE_MBPS << prng_below(&g, 18);
				rate = rate < RATE_MBPS ? RATE_MBPS : rate;
				lost += pacer_set_rate(&p, rate, change);
				now = change;
				at = tstamp_max(at, p.next);
			}
			allowed += (double)(at - now) * (double)rate / 8e12;
			now = at;
			if (p.next < now)
				lost += pacer_bound(&p, bytes, now - p.next, PACER_AUTO);

			double owed = (double)pacer_bytes(p.ps, now - p.next);
			double off = allowed - sent - (double)lost - owed;

			// Each step rounds by less than a byte; rates by 2^-21 ps a byte.
			if (off < -4 - i * 2.0 - allowed * 1e-6 ||
				off > 4 + i * 2.0 + allowed * 1e-6)
				fail_msg("QUENCH_SEED=%llu, round %u, frame %u: off by %f bytes",
					(unsigned long long)seed, round, i, off);
			pacer_sent(&p, bytes);
			sent += bytes;
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_gap_is_the_wire_time),
		cmocka_unit_test(a_late_frame_is_made_up_for),
		cmocka_unit_test(no_more_is_made_up_for_than_the_bound),
		cmocka_unit_test(gaps_carry_what_is_below_a_ps),
		cmocka_unit_test(a_change_of_rate_keeps_the_bytes_sent_ahead),
		cmocka_unit_test(a_change_of_rate_keeps_the_bytes_owed),
		cmocka_unit_test(a_cut_clips_what_is_owed_to_one_gap),
		cmocka_unit_test(nothing_is_owed_from_before_the_run),
		cmocka_unit_test(the_next_rate_leaves_a_running_gap_alone),
		cmocka_unit_test(the_slowest_rate_fits),
		cmocka_unit_test(unpaced_frames_have_no_gap),
		cmocka_unit_test(nothing_is_lost_unseen),
	};

	return cmocka_run_group_tests_name("pacer", tests, NULL, NULL);
}
