// SPDX-License-Identifier: BSD-3-Clause
// The RDMA IP's reaction point against the worked examples of standards.md 6.1 and 4.4, and the
// cores and registers that it accepts.
#include "rp/rdma_ip_rp.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <cmocka.h>

#include <errno.h>

#define US          PS_PER_US
#define CLOCK       322265625ull
#define WHOLE(rate) ((rate) << RDMA_IP_RP_RATE_FRAC)

static const struct rdma_ip_rp_core core = {
	.clock_hz = CLOCK,
	.byte_unit = 1,
	.alpha_bits = 10,
	.fr_convention = RP_FR_X,
};

static const struct rdma_ip_rp_regs regs = {
	.hw_en = 1,
	.nocnp_timer_th = 55,
	.byte_cnt_th = 524287,
	.alpha_timer_th = 55,
	.rx_cnp_merge_period = 0,
	.max_rate = 60000,
	.min_rate = 16,
	.rate_ai = 16,
	.rate_hai = 80,
	.upd_alpha_g = 4,
	.alpha_rate_shift = 1,
	.phase_threshold = 5,
};

static void setup(struct rdma_ip_rp *rp, struct rdma_ip_rp_cfg *cfg,
	const struct rdma_ip_rp_core *c, const struct rdma_ip_rp_regs *r)
{
	assert_int_equal(rdma_ip_rp_cfg_init(cfg, c, r), 0);
	rdma_ip_rp_init(rp, cfg);
}

static enum rp_event expire(struct rdma_ip_rp *rp, tstamp now)
{
	tstamp at;

	return rdma_ip_rp_expire(rp, now, &at);
}

static enum rp_event next_rate_event(struct rdma_ip_rp *rp)
{
	tstamp due = rdma_ip_rp_deadline(rp), at;
	enum rp_event e;

	do
		e = rdma_ip_rp_expire(rp, due, &at);
	while (e == RP_ALPHA);
	assert_true(at == due);
	return e;
}

static void expire_all(struct rdma_ip_rp *rp, tstamp now)
{
	while (expire(rp, now) != RP_NONE)
		;
}

// Item 1: the summand is g, not g / 1024.
static void alpha_rises_by_g(void **state)
{
	static const unsigned want[][2] = {{0, 4}, {4, 7}, {500, 502}, {512, 514}, {768, 769},
		{769, 769}, {800, 800}, {1023, 1023}};
	struct rdma_ip_rp_cfg cfg;
	struct rdma_ip_rp rp;

	(void)state;
	for (unsigned i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		setup(&rp, &cfg, &core, &regs);
		rp.alpha = want[i][0];
		assert_int_equal(rdma_ip_rp_cnp(&rp, 0), RP_DECREASE);
		assert_int_equal(rp.alpha, want[i][1]);
	}
}

// Item 2: 10 bits stall on the way up; with more bits behind them they do not.
static void ten_bits_stall_and_more_do_not(void **state)
{
	struct rdma_ip_rp_core ext = core;
	struct rdma_ip_rp_regs r = regs;
	struct rdma_ip_rp_cfg cfg;
	struct rdma_ip_rp rp;
	unsigned steps = 0;
	uint32_t before;

	(void)state;
	setup(&rp, &cfg, &core, &r);
	rp.alpha = 0;
	do {
		before = rp.alpha;
		rdma_ip_rp_cnp(&rp, steps);
		steps += rp.alpha != before;
	} while (rp.alpha != before);
	assert_int_equal(rp.alpha, 769);
	assert_int_equal(steps, 469);
	r.upd_alpha_g = 5;
	setup(&rp, &cfg, &core, &r);
	rp.alpha = 0;
	for (tstamp t = 0; t < 2000; t++)
		rdma_ip_rp_cnp(&rp, t);
	assert_int_equal(rp.alpha, 820);
	ext.alpha_bits = 18;
	setup(&rp, &cfg, &ext, &regs);
	rp.alpha = 0;
	for (tstamp t = 0; t < 3000; t++)
		rdma_ip_rp_cnp(&rp, t);
	assert_true(rp.alpha >> 8 >= 1022);
}

// 4.4 item 6: what is kept of alpha, 1019 / 1024, is 1 - g with g 5.
static void alpha_decays_by_its_timer(void **state)
{
	static const unsigned want[] = {1018, 1013, 1008, 1003, 998, 993};
	struct rdma_ip_rp_regs r = regs;
	struct rdma_ip_rp_cfg cfg;
	struct rdma_ip_rp rp;
	tstamp at;

	(void)state;
	r.upd_alpha_g = 5;
	r.nocnp_timer_th = 0;
	setup(&rp, &cfg, &core, &r);
	rdma_ip_rp_cnp(&rp, 0);
	assert_int_equal(rp.alpha, 1023);
	assert_true(rdma_ip_rp_deadline(&rp) == TSTAMP_NEVER);
	for (unsigned i = 0; i < 6; i++) {
		assert_int_equal(rdma_ip_rp_expire(&rp, PS_PER_S, &at), RP_ALPHA);
		assert_true(at == (i + 1) * 55 * US);
		assert_int_equal(rp.alpha, want[i]);
	}
	expire_all(&rp, 1000 * PS_PER_S);
	assert_int_equal(rp.alpha, 0);
	assert_true(rp.alpha_at > 1000 * PS_PER_S);
}

static void cut_from_40000(unsigned alpha, unsigned shift, unsigned want)
{
	struct rdma_ip_rp_regs r = regs;
	struct rdma_ip_rp_cfg cfg;
	struct rdma_ip_rp rp;

	r.alpha_rate_shift = shift;
	setup(&rp, &cfg, &core, &r);
	rdma_ip_rp_set_rate(&rp, WHOLE(40000u), 0);
	rp.alpha = alpha;
	assert_int_equal(rdma_ip_rp_cnp(&rp, 0), RP_DECREASE);
	assert_int_equal(rp.rc, WHOLE(want));
	assert_int_equal(rp.rt, WHOLE(40000u)); // item 4: the target is the rate of before
}

// Item 3.
static void cut_is_alpha_over_2_to_the_shift_and_10(void **state)
{
	struct rdma_ip_rp_core ext = core;
	struct rdma_ip_rp_regs r = regs;
	struct rdma_ip_rp_cfg cfg;
	struct rdma_ip_rp rp;

	(void)state;
	cut_from_40000(1023, 1, 20020);
	cut_from_40000(1023, 0, 40);
	cut_from_40000(512, 1, 30000);
	cut_from_40000(1, 1, 39981);
	// the cut takes the alpha of before, which rises after it
	setup(&rp, &cfg, &core, &r);
	rp.alpha = 0;
	rdma_ip_rp_cnp(&rp, 0);
	assert_int_equal(rp.rc, WHOLE(60000u));
	assert_int_equal(rp.alpha, 4);
	// at most half, where that is asked for
	r.min_dec_fac = 50;
	r.alpha_rate_shift = 0;
	setup(&rp, &cfg, &core, &r);
	rdma_ip_rp_cnp(&rp, 0);
	assert_int_equal(rp.rc, WHOLE(30000u));
	// with more bits the fraction stays: 40000 (1 - 1 / 2048) = 39980.46875
	ext.alpha_bits = 18;
	setup(&rp, &cfg, &ext, &regs);
	rdma_ip_rp_set_rate(&rp, WHOLE(40000u), 0);
	rp.alpha = 1 << 8;
	rdma_ip_rp_cnp(&rp, 0);
	assert_int_equal(rp.rc, WHOLE(39980u) + 120);
}

// 4.4 items 3 and 4 in rate units; item 5: the target moves.
static void increase_moves_the_target(void **state)
{
	static const unsigned fr[] = {30000, 35000, 37500, 38750, 39375};
	struct rdma_ip_rp_regs r = regs;
	struct rdma_ip_rp_cfg cfg;
	struct rdma_ip_rp rp;

	(void)state;
	r.rate_ai = 40;
	r.rate_hai = 200;
	r.byte_cnt_th = 1000;
	setup(&rp, &cfg, &core, &r);
	rdma_ip_rp_set_rate(&rp, WHOLE(20000u), WHOLE(40000u));
	rdma_ip_rp_start_timer(&rp, 7 * US);
	for (unsigned i = 0; i < 5; i++) {
		assert_true(rdma_ip_rp_deadline(&rp) == (i + 1) * 55 * US + 7 * US);
		assert_int_equal(next_rate_event(&rp), RP_T_FAST_RECOVERY);
		assert_int_equal(rp.rc, WHOLE(fr[i]));
	}
	rp.rc = WHOLE(19687u) + 128;
	rp.rt = WHOLE(20000u);
	assert_int_equal(rdma_ip_rp_sent(&rp, 1000), RP_BC_ADDITIVE_INCREASE); // T 5
	assert_int_equal(rp.rt, WHOLE(20040u));
	assert_int_equal(rp.rc, WHOLE(19863u) + 192); // .75
	assert_int_equal(rdma_ip_rp_sent(&rp, 1000), RP_BC_ADDITIVE_INCREASE);
	assert_int_equal(rp.rt, WHOLE(20080u));
	assert_int_equal(rp.rc, WHOLE(19971u) + 224); // .875
	rp.bc_stage = rp.t_stage = 6;
	assert_int_equal(rdma_ip_rp_sent(&rp, 1000), RP_BC_HYPER_INCREASE);
	assert_int_equal(rp.rt, WHOLE(20280u));
	assert_int_equal(rp.rc, WHOLE(20125u) + 240); // .9375
	// two hundred steps rise by R_AI each: the literal formula would end at 20040
	rp.bc_stage = 0;
	rp.rt = WHOLE(20000u);
	for (int i = 0; i < 200; i++)
		next_rate_event(&rp);
	assert_int_equal(rp.rt, WHOLE(28000u));
	assert_true(rp.rc > WHOLE(27950u));
}

// Item 7: additive from max(T, BC) >= F on, hyper from min(T, BC) > F; T and BC as they were before
// the expiry.
static void phases_follow_the_stages(void **state)
{
	char got[16], *out = got;
	struct rdma_ip_rp_cfg cfg;
	struct rdma_ip_rp rp;

	(void)state;
	setup(&rp, &cfg, &core, &regs);
	rdma_ip_rp_cnp(&rp, 0);
	for (int i = 0; i < 9; i++)
		*out++ = "FAH"[next_rate_event(&rp) - RP_T_FAST_RECOVERY];
	rp.bc_stage = 9;
	for (int i = 0; i < 3; i++)
		*out++ = "FAH"[next_rate_event(&rp) - RP_T_FAST_RECOVERY];
	*out = 0;
	assert_string_equal(got, "FFFFFAAAAHHH");
}

// Item 9.
static void rates_count_bytes_in_1024_cycles(void **state)
{
	(void)state;
	assert_int_equal(rdma_ip_rp_units(100 * RATE_GBPS, CLOCK), 39719);
	assert_int_equal(rdma_ip_rp_units(40 * RATE_MBPS, CLOCK), 16);
	assert_int_equal(rdma_ip_rp_units(100 * RATE_GBPS, 250000000), 51200);
	assert_int_equal(rdma_ip_rp_units(40 * RATE_GBPS, 250000000), 20480);
	assert_int_equal(rdma_ip_rp_bps(1, 250000000), 1953125);
	assert_int_equal(rdma_ip_rp_bps(1, CLOCK), 2517700);
	assert_int_equal(rdma_ip_rp_bps(20480, 250000000), 40 * RATE_GBPS);
	assert_true(rdma_ip_rp_units(100 * RATE_GBPS, 156250000) > RDMA_IP_RP_RATE_MAX);
	assert_int_equal(rdma_ip_rp_bps(RDMA_IP_RP_RATE_MAX, 156250000) / RATE_MBPS, 79998);
	assert_int_equal(rdma_ip_rp_bps(RDMA_IP_RP_RATE_MAX, 250000000) / RATE_GBPS, 127);
	assert_int_equal(rdma_ip_rp_bps(RDMA_IP_RP_RATE_MAX, CLOCK) / RATE_GBPS, 164);
}

// 4.4 item 7 by item 10: 32767 units of 64 bytes.
static void byte_counter_has_a_unit(void **state)
{
	struct rdma_ip_rp_core c = core;
	struct rdma_ip_rp_regs r = regs;
	struct rdma_ip_rp_cfg cfg;
	struct rdma_ip_rp rp;

	(void)state;
	c.byte_unit = 64;
	r.byte_cnt_th = 32767;
	setup(&rp, &cfg, &c, &r);
	for (int i = 0; i < 3000; i++) // at max_rate nothing counts
		assert_int_equal(rdma_ip_rp_sent(&rp, 1000), RP_NONE);
	assert_int_equal(rdma_ip_rp_bytes(&rp), 0);
	rdma_ip_rp_cnp(&rp, 1);
	for (int i = 1; i < 2098; i++)
		assert_int_equal(rdma_ip_rp_sent(&rp, 1000), RP_NONE);
	assert_int_equal(rdma_ip_rp_bytes(&rp), 2097000);
	assert_int_equal(rdma_ip_rp_sent(&rp, 1000), RP_BC_FAST_RECOVERY);
	assert_int_equal(rdma_ip_rp_bytes(&rp), 912);
	r.byte_cnt_th = 0; // none
	setup(&rp, &cfg, &c, &r);
	rdma_ip_rp_cnp(&rp, 1);
	assert_int_equal(rdma_ip_rp_sent(&rp, UINT32_MAX), RP_NONE);
	assert_int_equal(rdma_ip_rp_bytes(&rp), 0);
}

static const tstamp cnps[] = {0, 10, 49, 50, 120};

// Item 11: period 50, CNPs at 0, 10, 49, 50, 120 cut at 0, 50, 120.
static void first_cnp_of_a_period_cuts(void **state)
{
	static const enum rp_event want[] = {RP_DECREASE, RP_CNP, RP_CNP, RP_DECREASE, RP_DECREASE};
	struct rdma_ip_rp_core c = core;
	struct rdma_ip_rp_regs r = regs;
	struct rdma_ip_rp_cfg cfg;
	struct rdma_ip_rp rp;

	(void)state;
	r.rx_cnp_merge_period = 50;
	for (int restart = 0; restart < 2; restart++) {
		c.merged_restart = restart;
		setup(&rp, &cfg, &c, &r);
		for (int i = 0; i < 5; i++) {
			expire_all(&rp, cnps[i] * US);
			assert_int_equal(rdma_ip_rp_cnp(&rp, cnps[i] * US), want[i]);
			if (i == 2)
				assert_true(rp.rate_at == (restart ? 104 : 55) * US);
		}
	}
}

// The other flavour: a flag is looked at as each period ends, from the first CNP on: cuts at 50,
// 100, 150.
static void flag_cuts_as_its_period_ends(void **state)
{
	static const tstamp want[] = {50, 100, 150};
	struct rdma_ip_rp_core c = core;
	struct rdma_ip_rp_regs r = regs;
	struct rdma_ip_rp_cfg cfg;
	struct rdma_ip_rp rp;
	unsigned cuts = 0;

	(void)state;
	c.merge = RDMA_IP_RP_PERIOD_END;
	r.rx_cnp_merge_period = 50;
	r.nocnp_timer_th = 0;
	setup(&rp, &cfg, &c, &r);
	for (int i = 0; i < 6; i++) {
		tstamp to = i < 5 ? cnps[i] * US : 1000 * US, at;

		for (enum rp_event e; (e = rdma_ip_rp_expire(&rp, to, &at)) != RP_NONE;) {
			if (e == RP_DECREASE)
				assert_true(at == want[cuts++] * US);
		}
		if (i < 5)
			assert_int_equal(rdma_ip_rp_cnp(&rp, to), RP_CNP);
	}
	assert_int_equal(cuts, 3);
	assert_true(rdma_ip_rp_deadline(&rp) == TSTAMP_NEVER);
	rdma_ip_rp_cnp(&rp, 1000 * US + 1); // periods have gone on
	assert_true(rdma_ip_rp_deadline(&rp) == 1050 * US);
}

// Item 12: never below min_rate, never above max_rate, and at max_rate the timer is off.
static void rate_stays_between_its_bounds(void **state)
{
	struct rdma_ip_rp_regs r = regs;
	struct rdma_ip_rp_cfg cfg;
	struct rdma_ip_rp rp;

	(void)state;
	for (unsigned min = 0; min < 17; min += 16) {
		r.min_rate = min;
		r.alpha_rate_shift = 0;
		setup(&rp, &cfg, &core, &r);
		for (tstamp t = 0; t < 20; t++)
			rdma_ip_rp_cnp(&rp, t);
		assert_int_equal(rdma_ip_rp_rate(&rp), min ? min : 1);
		for (int i = 0; i < 20000 && rdma_ip_rp_deadline(&rp) != TSTAMP_NEVER; i++) {
			next_rate_event(&rp);
			rdma_ip_rp_sent(&rp, 400000);
			assert_true(rp.rc <= rp.rt && rp.rt <= WHOLE(60000u));
		}
		assert_int_equal(rp.rc, WHOLE(60000u));
		assert_true(rp.rate_at == TSTAMP_NEVER);
		assert_true(rp.bytes_left > RDMA_IP_RP_BYTES_MAX);
		rdma_ip_rp_start_timer(&rp, 1); // nothing to raise
		assert_true(rp.rate_at == TSTAMP_NEVER);
	}
}

static void nothing_happens_where_hardware_is_off(void **state)
{
	struct rdma_ip_rp_regs r = regs;
	struct rdma_ip_rp_cfg cfg;
	struct rdma_ip_rp rp;

	(void)state;
	r.hw_en = 0;
	setup(&rp, &cfg, &core, &r);
	rdma_ip_rp_set_rate(&rp, WHOLE(500u), 0);
	rdma_ip_rp_start_timer(&rp, 0);
	assert_int_equal(rdma_ip_rp_cnp(&rp, 0), RP_CNP);
	assert_int_equal(rdma_ip_rp_sent(&rp, 100000000), RP_NONE);
	assert_int_equal(expire(&rp, PS_PER_S), RP_NONE);
	assert_true(rdma_ip_rp_deadline(&rp) == TSTAMP_NEVER);
	assert_int_equal(rdma_ip_rp_rate(&rp), 500);
}

// Running timers keep the instants they began at.
static void parameters_change_while_timers_run(void **state)
{
	struct rdma_ip_rp_regs r = regs;
	struct rdma_ip_rp_cfg cfg, old;
	struct rdma_ip_rp rp;

	(void)state;
	r.rx_cnp_merge_period = 50;
	setup(&rp, &cfg, &core, &r);
	rdma_ip_rp_cnp(&rp, 10 * US);
	rdma_ip_rp_sent(&rp, 1000);
	old = cfg;
	r.nocnp_timer_th = 100;
	r.alpha_timer_th = 20;
	r.rx_cnp_merge_period = 30;
	r.byte_cnt_th = 3000;
	assert_int_equal(rdma_ip_rp_cfg_init(&cfg, &core, &r), 0);
	rdma_ip_rp_reload(&rp, &old, 35 * US);
	assert_true(rp.rate_at == 110 * US);
	assert_true(rp.alpha_at == 35 * US); // 30 is past: now
	assert_true(rp.merge_at == 40 * US);
	assert_int_equal(rdma_ip_rp_bytes(&rp), 1000);
	assert_int_equal(rdma_ip_rp_sent(&rp, 1999), RP_NONE);
	assert_int_equal(rdma_ip_rp_sent(&rp, 1), RP_BC_FAST_RECOVERY);
	old = cfg;
	r.max_rate = 1000;
	r.nocnp_timer_th = r.alpha_timer_th = 0;
	assert_int_equal(rdma_ip_rp_cfg_init(&cfg, &core, &r), 0);
	rdma_ip_rp_reload(&rp, &old, 36 * US);
	assert_int_equal(rdma_ip_rp_rate(&rp), 1000);
	assert_true(rp.rate_at == TSTAMP_NEVER && rp.alpha_at == TSTAMP_NEVER);
	assert_int_equal(rdma_ip_rp_bytes(&rp), 0); // at max_rate
	old = cfg;
	r.max_rate = 2000;
	assert_int_equal(rdma_ip_rp_cfg_init(&cfg, &core, &r), 0);
	rdma_ip_rp_reload(&rp, &old, 37 * US);
	assert_int_equal(rdma_ip_rp_sent(&rp, 3000), RP_BC_FAST_RECOVERY);
	old = cfg;
	r.hw_en = 0;
	assert_int_equal(rdma_ip_rp_cfg_init(&cfg, &core, &r), 0);
	rdma_ip_rp_reload(&rp, &old, 39 * US);
	assert_true(rp.merge_at == 0);
	assert_int_equal(rdma_ip_rp_sent(&rp, 3000), RP_NONE);
}

static void the_ends_of_the_ranges_are_taken(void **state)
{
	struct rdma_ip_rp_core c = core;
	struct rdma_ip_rp_regs r = regs;
	struct rdma_ip_rp_cfg cfg;

	(void)state;
	assert_int_equal(rdma_ip_rp_cfg_init(&cfg, &c, &r), 0);
	c.clock_hz = 1000000;
	c.alpha_bits = 32;
	c.byte_unit = 4096;
	r.byte_cnt_th = 524287;
	r.max_rate = 0; // below min_rate: taken as that
	r.min_rate = 0; // taken as 1
	r.nocnp_timer_th = 65535;
	assert_int_equal(rdma_ip_rp_cfg_init(&cfg, &c, &r), 0);
	assert_int_equal(cfg.min, 256);
	assert_int_equal(cfg.max, 256);
	assert_true(cfg.byte_counter < RDMA_IP_RP_BYTES_MAX);
	assert_true(cfg.alpha_max == UINT32_MAX);
}

static void values_out_of_range_are_refused(void **state)
{
	struct rdma_ip_rp_cfg cfg;

	(void)state;
#define CORE(field, value)                                                       \
	do {                                                                     \
		struct rdma_ip_rp_core c = core;                                 \
		c.field = (value);                                               \
		assert_int_equal(rdma_ip_rp_cfg_init(&cfg, &c, &regs), -EINVAL); \
	} while (0)
#define REGS(field, value)                                                       \
	do {                                                                     \
		struct rdma_ip_rp_regs r = regs;                                 \
		r.field = (value);                                               \
		assert_int_equal(rdma_ip_rp_cfg_init(&cfg, &core, &r), -EINVAL); \
	} while (0)
	CORE(clock_hz, 999999);
	CORE(clock_hz, 2000000001);
	CORE(byte_unit, 0);
	CORE(byte_unit, 4097);
	CORE(alpha_bits, 9);
	CORE(alpha_bits, 17);
	CORE(alpha_bits, 33);
	CORE(merge, 2);
	CORE(fr_convention, 3);
	CORE(clamp_target, 4);
	REGS(hw_en, 2);
	REGS(nocnp_timer_th, 1 << 16);
	REGS(alpha_timer_th, 1 << 16);
	REGS(rx_cnp_merge_period, 1 << 16);
	REGS(byte_cnt_th, 1 << 19);
	REGS(max_rate, 1 << 16);
	REGS(min_rate, 1 << 16);
	REGS(rate_ai, 1 << 16);
	REGS(rate_hai, 1 << 16);
	REGS(upd_alpha_g, 1 << 10);
	REGS(alpha_rate_shift, 16);
	REGS(phase_threshold, 32);
	REGS(min_dec_fac, 128);
#undef CORE
#undef REGS
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(alpha_rises_by_g),
		cmocka_unit_test(ten_bits_stall_and_more_do_not),
		cmocka_unit_test(alpha_decays_by_its_timer),
		cmocka_unit_test(cut_is_alpha_over_2_to_the_shift_and_10),
		cmocka_unit_test(increase_moves_the_target),
		cmocka_unit_test(phases_follow_the_stages),
		cmocka_unit_test(rates_count_bytes_in_1024_cycles),
		cmocka_unit_test(byte_counter_has_a_unit),
		cmocka_unit_test(first_cnp_of_a_period_cuts),
		cmocka_unit_test(flag_cuts_as_its_period_ends),
		cmocka_unit_test(rate_stays_between_its_bounds),
		cmocka_unit_test(nothing_happens_where_hardware_is_off),
		cmocka_unit_test(parameters_change_while_timers_run),
		cmocka_unit_test(the_ends_of_the_ranges_are_taken),
		cmocka_unit_test(values_out_of_range_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
