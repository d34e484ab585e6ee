// SPDX-License-Identifier: BSD-3-Clause
// The adaptive retransmission timeout: the values of one wait after the other (standards.md 3.9).
#include "transport/rc.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/prng.h"
#include "rounds.h"

#define BASE (4 * PS_PER_US)

static void values(const struct rc_adaptive *a, const unsigned *want, unsigned n)
{
	assert_true(rc_adaptive_is_valid(a));
	for (unsigned i = 0; i < n; i++)
		assert_int_equal(rc_adaptive_value(a, i), want[i]);
}

static void ranges_follow_each_other(void **state)
{
	// The first value is in a range, before all of them, behind all of them.
	const struct rc_adaptive in = {.first = 9, .n = 1, .range = {{9, 12, 1}}};
	const struct rc_adaptive before = {.first = 3, .n = 2, .range = {{9, 10, 2}, {14, 15, 1}}};
	const struct rc_adaptive second = {.first = 14, .n = 2, .range = {{9, 10, 2}, {14, 15, 3}}};
	const struct rc_adaptive last = {.first = 12, .n = 1, .range = {{9, 12, 1}}};
	const struct rc_adaptive behind = {.first = 20, .n = 1, .range = {{9, 10, 1}}};

	(void)state;
	values(&in, (unsigned[]){9, 10, 11, 12, 12, 12}, 6);
	values(&before, (unsigned[]){3, 9, 9, 10, 10, 14, 15, 15}, 8);
	values(&second, (unsigned[]){14, 15, 15, 15, 15}, 5);
	values(&last, (unsigned[]){12, 12, 12}, 3);
	values(&behind, (unsigned[]){20, 9, 10, 10}, 4);
}

static void wrong_ranges_are_refused(void **state)
{
	const struct rc_adaptive wrong[] = {
		{.first = RC_ADAPTIVE_MAX + 1},
		{.n = 1, .range = {{10, 9, 1}}},
		{.n = 1, .range = {{9, 12, 0}}},
		{.n = 1, .range = {{9, RC_ADAPTIVE_MAX + 1, 1}}},
		{.n = 2, .range = {{9, 12, 1}, {12, 13, 1}}},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_false(rc_adaptive_is_valid(&wrong[i]));
}

// A value is used as often as its range says, and none is left out.
static void each_value_is_used_as_often_as_its_range_says(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= rounds_of(200); seed++) {
		struct rc_adaptive a = {0};
		uint32_t at = 0;
		struct prng g;

		print_message("seed %llu\n", (unsigned long long)seed);
		prng_init(&g, seed, "rc_adaptive");
		a.n = (uint8_t)(1 + prng_below(&g, 4));
		for (unsigned i = 0, low = 1; i < a.n; i++) {
			low += (unsigned)prng_below(&g, 3);
			a.range[i].low = (uint8_t)low;
			a.range[i].high = (uint8_t)(low += (unsigned)prng_below(&g, 4));
			a.range[i].each = (uint8_t)(1 + prng_below(&g, 5));
			low++;
		}
		a.first = 0;
		assert_int_equal(rc_adaptive_value(&a, at++), 0);
		for (unsigned i = 0; i < a.n; i++)
			for (unsigned v = a.range[i].low; v <= a.range[i].high; v++)
				for (unsigned k = 0; k < a.range[i].each; k++)
					assert_int_equal(rc_adaptive_value(&a, at++), v);
		assert_int_equal(rc_adaptive_value(&a, UINT32_MAX), a.range[a.n - 1].high);
	}
}

// NVIDIA's example: 2, 4, 8 and 16 ms. Progress begins with the first value again.
static void a_requester_waits_longer_each_time(void **state)
{
	const struct rc_params p = {.verb = RC_SEND,
		.mtu = 1024,
		.window = 16,
		.ack_every = 1,
		.rto_ps = BASE << 9,
		.adaptive = {.first = 9, .n = 1, .range = {{9, 12, 1}}},
		.retries = RC_NO_LIMIT};
	static const unsigned waits[] = {9, 10, 11, 12, 12};
	struct rc_message ring[2];
	struct rc_past past = {0};
	struct rc_segment s;
	struct rc_cfg cfg;
	struct rc_tx tx;
	tstamp now = 0;

	(void)state;
	assert_int_equal(rc_cfg_init(&cfg, &p), 0);
	rc_tx_init(&tx, &cfg, &past, 0);
	rc_tx_lend(&tx, ring, 2);
	assert_int_equal(rc_tx_post(&tx, 2048, now), 0);
	rc_tx_next(&tx, &s, now);
	for (unsigned i = 0; i < 5; i++) {
		assert_true(rc_tx_rto_at(&tx) == now + (BASE << waits[i]));
		now = rc_tx_rto_at(&tx);
		assert_int_equal(rc_tx_expire(&tx, now), RC_TIMEOUT);
		rc_tx_next(&tx, &s, now);
	}
	rc_tx_next(&tx, &s, now);
	assert_int_equal(rc_tx_ack(&tx, 0, 0, now), 0);
	assert_true(rc_tx_rto_at(&tx) == now + (BASE << 9));
}

static void a_wrong_configuration_is_refused(void **state)
{
	struct rc_params p = {.verb = RC_SEND,
		.mtu = 1024,
		.window = 16,
		.ack_every = 1,
		.rto_ps = BASE << 9,
		.adaptive = {.first = 9, .n = 1, .range = {{9, 12, 0}}}};
	struct rc_cfg cfg;

	(void)state;
	assert_int_equal(rc_cfg_init(&cfg, &p), -EINVAL);
	p.adaptive.range[0].each = 1;
	assert_int_equal(rc_cfg_init(&cfg, &p), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ranges_follow_each_other),
		cmocka_unit_test(wrong_ranges_are_refused),
		cmocka_unit_test(each_value_is_used_as_often_as_its_range_says),
		cmocka_unit_test(a_requester_waits_longer_each_time),
		cmocka_unit_test(a_wrong_configuration_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
