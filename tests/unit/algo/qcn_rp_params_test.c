// SPDX-License-Identifier: BSD-3-Clause
// The QCN reaction point's parameters: the MIB's defaults, their ranges, and the names of its
// events.
#include "algo/qcn_rp.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#define MBPS  RATE_MBPS
#define MS    PS_PER_MS
#define LINE  (10000 * MBPS)
#define NEVER TSTAMP_NEVER

// Without randomisation, so that every cycle has its nominal length.
static struct qcn_rp_params nominal(void)
{
	struct qcn_rp_params p;

	qcn_rp_defaults(&p, LINE);
	p.randomise_percent = 0;
	return p;
}

static void defaults_are_the_mibs(void **state)
{
	struct qcn_rp_params p;
	struct qcn_rp_cfg cfg;

	(void)state;
	qcn_rp_defaults(&p, LINE);
	assert_int_equal(p.max_rate, LINE);
	assert_int_equal(p.min_rate, 5 * MBPS);
	assert_int_equal(p.ai_rate, 5 * MBPS);
	assert_int_equal(p.hai_rate, 50 * MBPS);
	assert_true(p.time_reset_ps == 15 * MS);
	assert_int_equal(p.byte_reset, 150000);
	assert_int_equal(p.threshold, 5);
	assert_int_equal(p.gd, 7);
	assert_int_equal(p.min_dec_fac, 50);
	assert_int_equal(p.randomise_percent, 15);
	assert_int_equal(qcn_rp_cfg_init(&cfg, &p), 0);
	qcn_rp_defaults(&p, MBPS); // a link slower than rpgMinRate
	assert_int_equal(p.min_rate, MBPS);
	assert_int_equal(qcn_rp_cfg_init(&cfg, &p), 0);
}

static void values_out_of_range_are_refused(void **state)
{
	struct qcn_rp_cfg cfg;

	(void)state;
#define REFUSED(field, value)                                         \
	do {                                                          \
		struct qcn_rp_params p = nominal();                   \
                                                                      \
		p.field = (value);                                    \
		assert_int_equal(qcn_rp_cfg_init(&cfg, &p), -EINVAL); \
	} while (0)
	REFUSED(max_rate, 1ull << 45);
	REFUSED(max_rate, 4 * MBPS);
	REFUSED(min_rate, 0);
	REFUSED(ai_rate, 1ull << 45);
	REFUSED(hai_rate, 1ull << 45);
	REFUSED(time_reset_ps, PS_PER_US - 1);
	REFUSED(time_reset_ps, 11 * PS_PER_S);
	REFUSED(byte_reset, 63);
	REFUSED(byte_reset, 1ull << 32);
	REFUSED(threshold, 0);
	REFUSED(threshold, 32);
	REFUSED(gd, 17);
	REFUSED(min_dec_fac, 0);
	REFUSED(min_dec_fac, 101);
	REFUSED(randomise_percent, 100);
	REFUSED(fr_convention, 3);
	REFUSED(half_from, 2);
	REFUSED(target_test, 2);
	REFUSED(hai_after_ps, 11 * PS_PER_S);
	REFUSED(hai_after_octets, 1ull << 32);
#undef REFUSED
}

static void every_event_has_a_name(void **state)
{
	(void)state;
	for (int e = 0; e < QCN_RP_EVENTS; e++)
		assert_true(strlen(qcn_rp_event_name((enum qcn_rp_event)e)) > 3);
	assert_string_equal(qcn_rp_event_name(QCN_RP_EVENTS), "?");
}

static enum qcn_rp_event cycle(struct qcn_rp *rp, tstamp now)
{
	return qcn_rp_sent(rp, (uint32_t)rp->bytes_left + 1, now);
}

// A start below the line's rate is that of a rate limiter: it is there before any CNM.
static void a_limited_start_has_a_limiter(void **state)
{
	struct qcn_rp_params p = nominal();
	struct qcn_rp_cfg cfg;
	struct qcn_rp rp;

	(void)state;
	p.initial_rate = 1000 * MBPS;
	assert_int_equal(qcn_rp_cfg_init(&cfg, &p), 0);
	qcn_rp_init(&rp, &cfg, NULL);
	assert_int_equal(qcn_rp_rate(&rp), 1000 * MBPS);
	assert_true(qcn_rp_deadline(&rp) == NEVER); // not begun
	qcn_rp_start(&rp, 5 * MS);
	qcn_rp_start(&rp, 6 * MS);
	assert_true(rp.active && rp.created == 1);
	assert_true(qcn_rp_deadline(&rp) == 20 * MS);
	for (unsigned i = 0; i < 5; i++)
		assert_int_equal(cycle(&rp, 7 * MS), QCN_RP_BC_FAST_RECOVERY);
	assert_int_equal(rp.rc, 1000 * MBPS);
	assert_int_equal(cycle(&rp, 7 * MS), QCN_RP_BC_ACTIVE_INCREASE);
	assert_int_equal(rp.rt, 1005 * MBPS);
	assert_int_equal(qcn_rp_cnm(&rp, 63, 8 * MS), QCN_RP_DECREASE);
	assert_int_equal(rp.rt, 1002500000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(defaults_are_the_mibs),
		cmocka_unit_test(values_out_of_range_are_refused),
		cmocka_unit_test(every_event_has_a_name),
		cmocka_unit_test(a_limited_start_has_a_limiter),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
