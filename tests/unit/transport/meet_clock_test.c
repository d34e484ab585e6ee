// SPDX-License-Identifier: BSD-3-Clause
// Tests of algo/meet_clock: exchanges whose answer is known, and random clocks that drift and ways
// of any two lengths, where the true offset and rate always lie within their bounds.
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "transport/meet.h"
#include "base/prng.h"

#define S  1000000000ull // ns
#define MS 1000000ull

static struct meet_range at(const struct meet_clock *c, uint64_t now_ns)
{
	struct meet_range r = {0};

	assert_true(meet_clock_at(c, now_ns, &r));
	return r;
}

// RFC 5905 section 8: ((t1 - t0) + (t2 - t3)) / 2, to half of (t3 - t0) - (t2 - t1).
static void one_exchange_is_the_rfcs_formula(void **state)
{
	const struct meet_exchange x = {1000, 51300, 51500, 2000};
	struct meet_clock c = {0};
	struct meet_range r;

	(void)state;
	assert_false(meet_clock_at(&c, 0, &r));
	assert_true(meet_clock_take(&c, &x));
	r = at(&c, 2000);
	// Within a microsecond the clocks drift apart by less than 1 ns, which is rounded up.
	assert_int_equal(r.low_ns, 51500 - 2000);
	assert_int_equal(r.high_ns, 51300 - 1000 + 1);
	assert_int_equal(meet_range_middle(r), ((51300 - 1000) + (51500 - 2000)) / 2);
	assert_int_equal(meet_range_bound(r), (1000 - 200) / 2 + 1);
	assert_int_equal(c.round_trip_ns, 800);
	assert_int_equal(c.exchanges, 1);
}

// A peer that is behind, and instants that are large.
static void it_may_be_behind(void **state)
{
	const struct meet_exchange x = {400 * S, 100, 200, 400 * S + 300};
	struct meet_clock c = {0};
	struct meet_range r;

	(void)state;
	assert_true(meet_clock_take(&c, &x));
	r = at(&c, 400 * S + 300);
	assert_int_equal(r.low_ns, -400 * (int64_t)S - 100);
	assert_int_equal(r.high_ns, -400 * (int64_t)S + 101);
	assert_int_equal(meet_range_middle(r), -400 * (int64_t)S);
}

// 100 ppm: 100 ns in a millisecond, to either side.
static void time_widens_it(void **state)
{
	const struct meet_exchange x = {0, 10, 10, 20};
	struct meet_clock c = {0};
	struct meet_range r;

	(void)state;
	assert_true(meet_clock_take(&c, &x));
	r = at(&c, 20 + MS);
	assert_int_equal(r.low_ns, -10 - 100);
	assert_int_equal(r.high_ns, 11 + 100);
	r = meet_range_aged(r, 2 * S);
	assert_int_equal(r.low_ns, -110 - 200000);
	assert_int_equal(r.high_ns, 111 + 200000);
	assert_int_equal(meet_range_middle(r), 0);
}

// A longer round trip tells less, and changes only what it knows better.
static void the_shortest_round_trip_counts(void **state)
{
	static const struct meet_exchange quick = {0, 1010, 1010, 20},
					  slow = {100, 1600, 1600, 1100},
					  out = {2000, 3005, 3005, 20000};
	struct meet_clock c = {0};
	struct meet_range r;

	(void)state;
	assert_true(meet_clock_take(&c, &quick));
	assert_true(meet_clock_take(&c, &slow)); // at least 500, at most 1500
	r = at(&c, 1100);
	assert_int_equal(r.low_ns, 990 - 1);
	assert_int_equal(r.high_ns, 1011 + 1);
	assert_int_equal(c.round_trip_ns, 20);
	assert_true(meet_clock_take(&c, &out)); // its way out was short, its way back long
	r = at(&c, 20000);
	assert_int_equal(r.low_ns, 989 - 2);
	assert_int_equal(r.high_ns, 1005 + 2);
	assert_int_equal(c.exchanges, 3);
	assert_int_equal(c.broken, 0);
}

// The peer's clock has drifted while it held the hello.
static void what_is_held_long_tells_less(void **state)
{
	const struct meet_exchange x = {0, 10, 10 + S, 20 + S};
	struct meet_clock c = {0};
	struct meet_range r;

	(void)state;
	assert_true(meet_clock_take(&c, &x));
	r = at(&c, 20 + S);
	assert_int_equal(r.low_ns, -10);
	assert_int_equal(r.high_ns, 10 + 100001);
	assert_int_equal(c.round_trip_ns, 20);
}

// 1 ms in the second, so that the clocks contradict themselves; 60 us in it are told as a rate.
static void a_rate_is_told_or_refused(void **state)
{
	const struct meet_exchange first = {1 * S, 1 * S + 10, 1 * S + 10, 1 * S + 20};
	const struct meet_exchange drifts = {2 * S, 2 * S + 60010, 2 * S + 60010, 2 * S + 20};
	const struct meet_exchange jumps = {2 * S, 2 * S + MS + 10, 2 * S + MS + 10, 2 * S + 20};
	struct meet_clock c = {0}, other;
	uint64_t bound;
	int64_t ppb;

	(void)state;
	assert_true(meet_clock_take(&c, &first));
	assert_false(meet_clock_rate(&c, &ppb, &bound));
	other = c;
	assert_true(meet_clock_take(&c, &drifts));
	assert_true(meet_clock_rate(&c, &ppb, &bound));
	assert_true(ppb >= 59999 && ppb <= 60001);
	assert_true(bound >= 20 && bound <= 23);
	assert_true(meet_clock_take(&other, &jumps));
	assert_int_equal(other.broken, 1);
	assert_false(meet_clock_rate(&other, &ppb, &bound));

	struct meet_range r;

	assert_false(meet_clock_at(&other, 2 * S + 20, &r));
	assert_true(meet_clock_take(&other, &drifts)); // it is not believed again
	assert_false(meet_clock_at(&other, 2 * S + 20, &r));
}

static void what_cannot_be_is_not_taken(void **state)
{
	static const struct meet_exchange rows[] = {
		{2, 10, 10, 1},                 // it came back before it was sent
		{1, 10, 9, 2},                  // it was answered before it came
		{100, 10000, 10400, 200},       // held for longer than the round trip took
		{1, UINT64_MAX, UINT64_MAX, 2}, // no clock of ours counts so far
		{1, 1, UINT64_MAX / 2, 2},
		{1, 1, 1, UINT64_MAX},
	};
	struct meet_clock c = {0};

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_false(meet_clock_take(&c, &rows[i]));
	assert_int_equal(c.exchanges, 0);
}

static uint64_t seed(void)
{
	const char *given = getenv("QUENCH_SEED");
	uint64_t s = given ? strtoull(given, NULL, 0) : 1;

	print_message("QUENCH_SEED=%llu\n", (unsigned long long)s);
	return s;
}

// Two oscillators, whose rates wander within 50 ppm each; time is the first's own true time.
struct pair {
	struct prng g;
	double ppm[2];
	double clock[2]; // ns
	double real;     // ns
};

static void let_pass(struct pair *p, double ns)
{
	p->real += ns;
	for (unsigned i = 0; i < 2; i++)
		p->clock[i] += ns * (1 + p->ppm[i] * 1e-6);
}

static double wander(struct pair *p)
{
	return (double)prng_below(&p->g, 99000) / 1000 - 49.5;
}

// One direction may take a hundred thousand times as long as the other, and hellos are held for
// long.
static void random_clocks_are_within_their_bounds(void **state)
{
	struct pair p = {0};
	unsigned rates = 0;

	(void)state;
	prng_init(&p.g, seed(), "clock");
	for (unsigned round = 0; round < 400; round++) {
		struct meet_clock c = {0};
		double best = 1e18;
		bool steady = round % 2;

		p.clock[0] = 1e9 + (double)prng_below(&p.g, S);
		p.clock[1] = 1e9 + (double)prng_below(&p.g, 1000 * S);
		p.ppm[0] = wander(&p);
		p.ppm[1] = wander(&p);
		for (unsigned i = 0; i < 60; i++) {
			double out = (double)prng_below(&p.g, 1ull << prng_below(&p.g, 24));
			double held = (double)prng_below(&p.g, 1ull << prng_below(&p.g, 28));
			double back = (double)prng_below(&p.g, 1ull << prng_below(&p.g, 24));
			struct meet_exchange x = {.sent_ns = (uint64_t)p.clock[0]};
			struct meet_range r;
			uint64_t bound;
			int64_t ppb;

			let_pass(&p, out);
			x.arrived_ns = (uint64_t)p.clock[1] + 1;
			let_pass(&p, held);
			x.left_ns = (uint64_t)p.clock[1];
			x.left_ns = x.left_ns < x.arrived_ns ? x.arrived_ns : x.left_ns;
			let_pass(&p, back);
			x.back_ns = (uint64_t)p.clock[0] + 2;
			assert_true(meet_clock_take(&c, &x));
			assert_int_equal(c.broken, 0);
			best = fmin(best, out + back + (out + held + back) * 1e-4);
			r = at(&c, (uint64_t)p.clock[0]);
			assert_true((double)r.low_ns <= p.clock[1] - p.clock[0] + 1);
			assert_true((double)r.high_ns >= p.clock[1] - p.clock[0] - 1);
			// Never worse than the exchange that has just ended.
			assert_true((double)meet_range_bound(r) <=
				    (out + back) / 2 + (out + held + back) * 1e-4 + 4);
			assert_true((double)c.round_trip_ns <= best + 5);
			if (steady && meet_clock_rate(&c, &ppb, &bound)) {
				double real = (1 + p.ppm[1] * 1e-6) / (1 + p.ppm[0] * 1e-6) - 1;

				rates++;
				assert_true((double)ppb - (double)bound - 20 <= real * 1e9);
				assert_true((double)ppb + (double)bound + 20 >= real * 1e9);
			}
			let_pass(&p, (double)prng_below(&p.g, 200 * MS));
			r = at(&c, (uint64_t)p.clock[0]);
			assert_true((double)r.low_ns <= p.clock[1] - p.clock[0] + 1);
			assert_true((double)r.high_ns >= p.clock[1] - p.clock[0] - 1);
			p.ppm[1] = steady ? p.ppm[1] : wander(&p);
		}
	}
	assert_true(rates > 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_exchange_is_the_rfcs_formula),
		cmocka_unit_test(it_may_be_behind),
		cmocka_unit_test(time_widens_it),
		cmocka_unit_test(the_shortest_round_trip_counts),
		cmocka_unit_test(what_is_held_long_tells_less),
		cmocka_unit_test(a_rate_is_told_or_refused),
		cmocka_unit_test(what_cannot_be_is_not_taken),
		cmocka_unit_test(random_clocks_are_within_their_bounds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
