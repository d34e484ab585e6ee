// SPDX-License-Identifier: BSD-3-Clause
// The profile connectx against the worked examples of standards.md 4.4 items 6 and 7 and the words
// of 4.3.
#include "algo/dcqcn_rp.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <cmocka.h>

#define MBPS RATE_MBPS
#define US   PS_PER_US
#define LINE (100000 * MBPS)

static void setup(struct dcqcn_rp *rp, struct dcqcn_rp_cfg *cfg, const struct dcqcn_rp_params *p)
{
	assert_int_equal(dcqcn_rp_cfg_init(cfg, p), 0);
	dcqcn_rp_init(rp, cfg);
}

static struct dcqcn_rp_params connectx(void)
{
	struct dcqcn_rp_params p;

	assert_int_equal(dcqcn_rp_profile(&p, "connectx", LINE), 0);
	return p;
}

static uint64_t alpha10(const struct dcqcn_rp *rp)
{
	return rp->alpha >> 50;
}

static void expire_all(struct dcqcn_rp *rp, tstamp now)
{
	while (dcqcn_rp_expire(rp, now) != RP_NONE)
		;
}

// standards.md 4.4 item 6: alpha in 1024ths, rounded down, below 1024.
static void alpha_counts_in_1024ths(void **state)
{
	static const unsigned want[] = {1018, 1013, 1008, 1003, 998, 993};
	struct dcqcn_rp_params p = connectx();
	struct dcqcn_rp_cfg cfg;
	struct dcqcn_rp rp;

	(void)state;
	setup(&rp, &cfg, &p);
	dcqcn_rp_cnp(&rp, 0);
	assert_int_equal(alpha10(&rp), 1023);
	dcqcn_rp_cnp(&rp, 1);
	expire_all(&rp, US);
	assert_int_equal(alpha10(&rp), 1023); // 1018 + 5
	for (unsigned i = 0; i < 6; i++) {
		dcqcn_rp_expire(&rp, (i + 2) * US);
		assert_int_equal(alpha10(&rp), want[i]);
		expire_all(&rp, (i + 2) * US);
	}
	expire_all(&rp, PS_PER_S); // it ends at 0, not above
	assert_int_equal(rp.alpha, 0);
}

// standards.md 4.4 item 6: 85000 Mb/s, alpha 1023, gd 11: min(42458, 42500) off.
static void cut_is_in_whole_megabits(void **state)
{
	struct dcqcn_rp_params p = connectx();
	struct dcqcn_rp_cfg cfg;
	struct dcqcn_rp rp;

	(void)state;
	p.first_cnp_rate = 85000 * MBPS;
	p.alpha_timer_ps = PS_PER_S; // alpha stands
	setup(&rp, &cfg, &p);
	assert_int_equal(dcqcn_rp_cnp(&rp, 0), RP_START);
	assert_int_equal(rp.rc, 85000 * MBPS);
	assert_int_equal(rp.rt, 85000 * MBPS);
	assert_int_equal(dcqcn_rp_cnp(&rp, 1 * US), RP_CNP);
	assert_true(dcqcn_rp_deadline(&rp) == 4 * US);
	assert_int_equal(dcqcn_rp_expire(&rp, 4 * US), RP_DECREASE);
	assert_int_equal(rp.rc, 42542 * MBPS);
	// gd 10 would take 84916: min_dec_fac holds it at half
	p.cut_shift = 0;
	setup(&rp, &cfg, &p);
	dcqcn_rp_cnp(&rp, 0);
	dcqcn_rp_cnp(&rp, 1);
	assert_int_equal(dcqcn_rp_expire(&rp, 4 * US), RP_DECREASE);
	assert_int_equal(rp.rc, 42500 * MBPS);
	p.min_dec_fac = 0;
	setup(&rp, &cfg, &p);
	dcqcn_rp_cnp(&rp, 0);
	dcqcn_rp_cnp(&rp, 1);
	assert_int_equal(dcqcn_rp_expire(&rp, 4 * US), RP_DECREASE);
	assert_int_equal(rp.rc, (85000 - 84916) * MBPS);
}

// The first CNP sets rates and starts all three timers and the byte counter, and flags nothing.
static void first_cnp_sets_the_rate(void **state)
{
	struct dcqcn_rp_params p = connectx();
	struct dcqcn_rp_cfg cfg;
	struct dcqcn_rp rp;

	(void)state;
	setup(&rp, &cfg, &p);
	assert_int_equal(dcqcn_rp_cnp(&rp, 0), RP_START);
	assert_int_equal(rp.rc, LINE); // rate_to_set_on_first_cnp 0
	p.first_cnp_rate = 85000 * MBPS;
	setup(&rp, &cfg, &p);
	dcqcn_rp_cnp(&rp, 10 * US);
	assert_true(dcqcn_rp_deadline(&rp) == 310 * US);
	expire_all(&rp, 310 * US - 1);
	assert_int_equal(rp.rc, 85000 * MBPS);
	assert_int_equal(rp.bytes_left, 2097088);
}

// standards.md 4.4 item 7, and the walk that rpg_threshold 1 gives: the old stage decides, then
// counts.
static void stages_are_counted_after_they_decide(void **state)
{
	struct dcqcn_rp_params p = connectx();
	struct dcqcn_rp_cfg cfg;
	struct dcqcn_rp rp;

	(void)state;
	p.first_cnp_rate = 50000 * MBPS;
	setup(&rp, &cfg, &p);
	dcqcn_rp_cnp(&rp, 0);
	for (int i = 1; i < 2098; i++)
		assert_int_equal(dcqcn_rp_sent(&rp, 1000, 2), RP_NONE);
	assert_int_equal(dcqcn_rp_sent(&rp, 1000, 2), RP_BC_FAST_RECOVERY);
	assert_int_equal(rp.bytes_left, 2097088 - 912);
	rp.bytes_left = 1;
	assert_int_equal(dcqcn_rp_sent(&rp, 1, 2), RP_BC_ADDITIVE_INCREASE); // max 1
	assert_int_equal(rp.rt, 50005 * MBPS);
	assert_int_equal(rp.rc, 50002 * MBPS); // 50002.5, whole megabits
	expire_all(&rp, 300 * US);
	assert_int_equal(rp.rt, 50010 * MBPS); // T 0, BC 2
	expire_all(&rp, 600 * US);
	assert_int_equal(rp.rt, 50015 * MBPS); // T 1, BC 2
	rp.rc = rp.rt;
	expire_all(&rp, 900 * US);
	assert_int_equal(rp.rt, 50065 * MBPS); // T 2, BC 2: min above the threshold
	assert_int_equal(rp.rc, 50040 * MBPS);
}

// clamp_tgt_rate and clamp_tgt_rate_after_time_inc: Rt after a cut from 60 where Rt is 80 (Gb/s).
static void clamp_follows_its_two_switches(void **state)
{
	static const struct {
		enum rp_clamp_target clamp;
		int timer, bytes, want;
	} row[] = {
		{RP_CLAMP_ALWAYS, 0, 0, 60},
		{RP_CLAMP_AFTER_INCREASE, 0, 0, 80},
		{RP_CLAMP_AFTER_INCREASE, 1, 0, 60},
		{RP_CLAMP_AFTER_INCREASE, 0, 1, 60},
		{RP_CLAMP_AFTER_BYTES, 0, 0, 80},
		{RP_CLAMP_AFTER_BYTES, 1, 0, 80},
		{RP_CLAMP_AFTER_BYTES, 0, 1, 60},
		{RP_CLAMP_AFTER_BYTES, 1, 1, 60},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		struct dcqcn_rp_params p = connectx();
		struct dcqcn_rp_cfg cfg;
		struct dcqcn_rp rp;

		p.clamp_target = row[i].clamp;
		p.cut_interval_ps = 400 * US;
		setup(&rp, &cfg, &p);
		dcqcn_rp_cnp(&rp, 0);
		dcqcn_rp_cnp(&rp, 1);
		rp.rc = 40000 * MBPS;
		rp.rt = 80000 * MBPS;
		if (!row[i].timer)
			rp.rate_at = TSTAMP_NEVER;
		else
			expire_all(&rp, 300 * US);
		rp.bytes_left = row[i].bytes ? 1 : INT64_MAX;
		dcqcn_rp_sent(&rp, 1, 300 * US);
		rp.rc = 60000 * MBPS;
		rp.rate_at = TSTAMP_NEVER;
		while (dcqcn_rp_expire(&rp, 400 * US) != RP_DECREASE)
			;
		assert_int_equal(rp.rt, (uint64_t)row[i].want * RATE_GBPS);
		assert_int_equal(rp.t_stage + rp.bc_stage, 0);
		assert_int_equal(rp.bytes_left, 2097088);
	}
}

// Rates stay whole and come back to the line though halving rounds down; the floor is rpg_min_rate.
static void rates_stay_whole_between_floor_and_line(void **state)
{
	struct dcqcn_rp_params p = connectx();
	struct dcqcn_rp_cfg cfg;
	struct dcqcn_rp rp;
	tstamp now = 0;

	(void)state;
	p.min_rate = 100 * MBPS;
	setup(&rp, &cfg, &p);
	for (int i = 0; i < 100; i++) {
		now += 4 * US;
		expire_all(&rp, now);
		dcqcn_rp_cnp(&rp, now);
		assert_int_equal(rp.rc % MBPS, 0);
	}
	assert_int_equal(rp.rc, 100 * MBPS);
	for (int i = 0; i < 20000 && rp.rc < LINE; i++) {
		now = dcqcn_rp_deadline(&rp);
		expire_all(&rp, now);
		assert_int_equal(rp.rc % MBPS, 0);
		dcqcn_rp_sent(&rp, 2097088, now);
	}
	assert_int_equal(rp.rc, LINE);
	assert_true(dcqcn_rp_deadline(&rp) == TSTAMP_NEVER);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(alpha_counts_in_1024ths),
		cmocka_unit_test(cut_is_in_whole_megabits),
		cmocka_unit_test(first_cnp_sets_the_rate),
		cmocka_unit_test(stages_are_counted_after_they_decide),
		cmocka_unit_test(clamp_follows_its_two_switches),
		cmocka_unit_test(rates_stay_whole_between_floor_and_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
