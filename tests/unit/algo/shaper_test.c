// SPDX-License-Identifier: BSD-3-Clause
// Buckets to the frame, the port's and the classes', what is guaranteed.
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>

#include "algo/shaper.h"
#include "base/prng.h"

#define LEN 1226 // with 24 bytes more: 1 us at 10 Gb/s

static struct shaper_cfg cfg;
static struct shaper s;

static void start(const struct shaper_params *p)
{
	assert_int_equal(shaper_cfg_init(&cfg, p), 0);
	shaper_init(&s, &cfg);
}

// Frames that a class may send at one instant.
static unsigned burst(unsigned cls, tstamp now)
{
	unsigned n = 0;

	for (shaper_look(&s, now); !(s.held >> cls & 1); n++)
		shaper_sent(&s, cls, LEN, now);
	return n;
}

// Depth 5000 bytes = 4 us at 10 Gb/s: the fifth frame still finds tokens, then one each us.
static void a_class_sends_its_burst_then_its_rate(void **state)
{
	struct shaper_params p = {.max[2] = 10 * RATE_GBPS, .burst_bytes = 5000, .wire_extra = 24};

	(void)state;
	start(&p);
	assert_true(cfg.on);
	assert_int_equal(burst(2, 0), 5);
	assert_int_equal(s.held, 1 << 2);
	assert_true(s.next == PS_PER_US);
	assert_int_equal(burst(2, PS_PER_US - 1), 0);
	assert_int_equal(burst(2, PS_PER_US), 1);
	assert_true(s.next == 2 * PS_PER_US);
	assert_int_equal(burst(2, 10 * PS_PER_US), 5); // full again, not more
	shaper_look(&s, PS_PER_MS);
	assert_int_equal(s.held, 0);
	assert_true(s.next == TSTAMP_NEVER);
}

static void the_port_holds_all_classes(void **state)
{
	struct shaper_params p = {.port = 20 * RATE_GBPS,
		.max[1] = 10 * RATE_GBPS,
		.burst_bytes = 1250,
		.wire_extra = 24};

	(void)state;
	start(&p);
	shaper_sent(&s, 0, LEN, 0);
	assert_int_equal(s.held, 0);
	shaper_sent(&s, 0, LEN, 0);
	assert_int_equal(s.held, 0xff); // 1 us booked, 0.5 us deep
	assert_true(s.next == PS_PER_US / 2);
	shaper_look(&s, PS_PER_US / 2);
	shaper_sent(&s, 1, LEN, PS_PER_US / 2);
	shaper_look(&s, PS_PER_US);
	assert_int_equal(s.held, 0);
	shaper_sent(&s, 1, LEN, PS_PER_US);
	assert_int_equal(s.held, 0xff);
	shaper_look(&s, 3 * PS_PER_US / 2);
	assert_int_equal(s.held, 0);
}

// A class is first until it has had its guarantee; what it gets beyond is not held against it.
static void a_guarantee_counts_what_is_served_for_it(void **state)
{
	struct shaper_params p = {.min[4] = 10 * RATE_GBPS, .burst_bytes = 1250, .wire_extra = 24};
	unsigned n = 0;

	(void)state;
	start(&p);
	assert_int_equal(s.first, 1 << 4);
	for (; s.first; n++)
		shaper_sent(&s, 4, LEN, 0);
	assert_int_equal(n, 2);
	for (unsigned i = 0; i < 100; i++)
		shaper_sent(&s, 4, LEN, 0); // excess
	assert_int_equal(s.held, 0);
	shaper_look(&s, PS_PER_US - 1);
	assert_int_equal(s.first, 0);
	shaper_look(&s, PS_PER_US);
	assert_int_equal(s.first, 1 << 4);
}

// Any sizes, for 10 ms: what leaves is rate * time, the burst and one frame more or less.
static void rates_hold_in_the_long_run(void **state)
{
	static const rate_t rates[] = {RATE_MIN, 7 * RATE_GBPS, 99 * RATE_GBPS};

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		struct shaper_params p = {
			.max[0] = rates[i], .burst_bytes = 3000, .wire_extra = 24};
		uint64_t bytes = 0;
		struct prng r;
		double want;
		tstamp now = 0;

		prng_init(&r, 5, "shaper");
		start(&p);
		while (now < 10 * PS_PER_MS) {
			uint32_t len = (uint32_t)(60 + prng_below(&r, 1455));

			shaper_look(&s, now);
			shaper_sent(&s, 0, len, now);
			bytes += len + 24;
			now = s.held ? s.next : now;
		}
		want = (double)rates[i] / 8 * (double)now / PS_PER_S + 3000;
		assert_in_range(bytes, (uint64_t)want - 2, (uint64_t)want + 1540);
	}
}

// 1226 bytes are 1250 on the wire, 1 us at this rate. The bucket holds 8 us of it.
static void what_a_late_call_takes_is_counted(void **state)
{
	struct shaper_params p = {.max[2] = 10 * RATE_GBPS,
		.burst_bytes = 64,
		.least_ps = 8 * PS_PER_US,
		.wire_extra = 24};

	(void)state;
	start(&p);
	assert_int_equal(burst(2, 0), 9);
	shaper_left(&s, 1u << 2 | 1u << 3); // class 3 has no shaper
	shaper_asked(&s, 0xff, 9 * PS_PER_US);
	assert_int_equal(s.lost_ps, 0); // it is just full again
	assert_int_equal(burst(2, 9 * PS_PER_US), 9);
	shaper_left(&s, 1u << 2);
	shaper_asked(&s, 0xff, 20 * PS_PER_US);
	assert_int_equal(s.lost_ps, 2 * PS_PER_US);
	assert_int_equal(burst(2, 20 * PS_PER_US), 9);
	shaper_left(&s, 1u << 2);
	shaper_asked(&s, (uint8_t) ~(1u << 2), 40 * PS_PER_US); // a pause stops it
	assert_int_equal(burst(2, 40 * PS_PER_US), 9);
	shaper_left(&s, 0); // nothing waits
	shaper_asked(&s, 0xff, 60 * PS_PER_US);
	assert_int_equal(s.lost_ps, 2 * PS_PER_US);
}

static void a_port_counts_what_its_bucket_lost(void **state)
{
	struct shaper_params p = {.port = 10 * RATE_GBPS, .burst_bytes = 1250, .wire_extra = 24};

	(void)state;
	start(&p);
	assert_int_equal(burst(5, 0), 2);
	shaper_left(&s, 1u << 5);
	shaper_asked(&s, 0xff, 5 * PS_PER_US);
	assert_int_equal(s.lost_ps, 3 * PS_PER_US);
}

// A bucket that is full meanwhile, as frames wait for another one, has lost nothing.
static void only_the_bucket_that_held_frames_has_lost(void **state)
{
	struct shaper_params port = {.port = 10 * RATE_GBPS,
		.max[2] = 100 * RATE_GBPS,
		.burst_bytes = 1250,
		.wire_extra = 24};
	struct shaper_params own = {.port = 100 * RATE_GBPS,
		.max[2] = 10 * RATE_GBPS,
		.burst_bytes = 1250,
		.wire_extra = 24};

	(void)state;
	start(&port);
	assert_int_equal(burst(5, 0), 2); // the port has tokens after 1 us
	shaper_left(&s, 1u << 2);
	shaper_asked(&s, 0xff, PS_PER_US);
	assert_int_equal(s.lost_ps, 0);
	start(&own);
	assert_int_equal(burst(2, 0), 2);
	shaper_left(&s, 1u << 2);
	shaper_asked(&s, 0xff, PS_PER_US);
	assert_int_equal(s.lost_ps, 0);
	shaper_left(&s, 1u << 5); // only the port holds it, which is full since 0.2 us
	shaper_asked(&s, 0xff, PS_PER_US);
	assert_int_equal(s.lost_ps, PS_PER_US * 8 / 10);
}

// Both hold a class. Its own bucket is full after 2 us, and the port has tokens after 4 us.
static void a_class_loses_nothing_before_the_port_has_tokens(void **state)
{
	struct shaper_params p = {.port = 5 * RATE_GBPS,
		.max[2] = 10 * RATE_GBPS,
		.burst_bytes = 1250,
		.wire_extra = 24};

	(void)state;
	start(&p);
	shaper_sent(&s, 2, LEN, 0);
	shaper_sent(&s, 2, LEN, 0);
	shaper_sent(&s, 5, LEN, 0);
	assert_true(s.all && s.own == 1u << 2);
	shaper_left(&s, 1u << 2);
	shaper_asked(&s, 0xff, 4 * PS_PER_US);
	assert_int_equal(s.lost_ps, 0);
	shaper_asked(&s, 0xff, 5 * PS_PER_US);
	assert_int_equal(s.lost_ps, PS_PER_US);
}

static void bad_parameters(void **state)
{
	struct shaper_params p = {.burst_bytes = 1};

	(void)state;
	assert_int_equal(shaper_cfg_init(&cfg, &p), 0);
	assert_false(cfg.on);
	p.port = RATE_GBPS;
	assert_int_equal(shaper_cfg_init(&cfg, &p), -EINVAL);
	p.burst_bytes = 64;
	assert_int_equal(shaper_cfg_init(&cfg, &p), 0);
	p.min[7] = RATE_MIN - 1;
	assert_int_equal(shaper_cfg_init(&cfg, &p), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_class_sends_its_burst_then_its_rate),
		cmocka_unit_test(the_port_holds_all_classes),
		cmocka_unit_test(a_guarantee_counts_what_is_served_for_it),
		cmocka_unit_test(rates_hold_in_the_long_run),
		cmocka_unit_test(what_a_late_call_takes_is_counted),
		cmocka_unit_test(a_port_counts_what_its_bucket_lost),
		cmocka_unit_test(only_the_bucket_that_held_frames_has_lost),
		cmocka_unit_test(a_class_loses_nothing_before_the_port_has_tokens),
		cmocka_unit_test(bad_parameters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
