// SPDX-License-Identifier: BSD-3-Clause
// The reaction point against the worked examples of standards.md 4.4 and 6.1, and profile
// hpcc_sim_dcqcn against every event of a sender in that simulator.
#include "rp/rp.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#define MBPS     RATE_MBPS
#define US       PS_PER_US
#define ONE      (1ull << 60)
#define LINE_40G (40000 * MBPS)

static struct dcqcn_rp_params params(const char *profile, rate_t line_rate)
{
	struct dcqcn_rp_params p;

	assert_int_equal(dcqcn_rp_profile(&p, profile, line_rate), 0);
	return p;
}

static void setup(struct dcqcn_rp *rp, struct dcqcn_rp_cfg *cfg, const struct dcqcn_rp_params *p)
{
	assert_int_equal(dcqcn_rp_cfg_init(cfg, p), 0);
	dcqcn_rp_init(rp, cfg);
}

// As it was expired last.
static double alpha_of(const struct dcqcn_rp *rp)
{
	return ldexp((double)dcqcn_rp_alpha(rp, 0), -60);
}

static void assert_near(double got, double want, double within)
{
	if (fabs(got - want) > within)
		fail_msg("%.12g is not %.12g", got, want);
}

static enum rp_event expire(struct dcqcn_rp *rp, tstamp now)
{
	tstamp at;

	return dcqcn_rp_expire(rp, now, &at, true);
}

// Expires until the next event that is not alpha's; the instant is found by deadline alone.
static enum rp_event next_rate_event(struct dcqcn_rp *rp)
{
	tstamp due = dcqcn_rp_deadline(rp), at;
	enum rp_event e;

	do
		e = dcqcn_rp_expire(rp, due, &at, true);
	while (e == RP_ALPHA);
	assert_true(at == due);
	return e;
}

// standards.md 4.4 items 1 and 2, in the paper's order.
static void cnp_cuts_with_the_old_alpha(void **state)
{
	struct dcqcn_rp_params p = params("paper", LINE_40G);
	struct dcqcn_rp_cfg cfg;
	struct dcqcn_rp rp;
	tstamp at;

	(void)state;
	p.rate_timer_ps = PS_PER_S; // out of the way of alpha's
	setup(&rp, &cfg, &p);
	assert_int_equal(dcqcn_rp_rate(&rp), LINE_40G);
	assert_true(dcqcn_rp_deadline(&rp) == TSTAMP_NEVER);
	assert_int_equal(dcqcn_rp_cnp(&rp, 10 * US), RP_DECREASE);
	assert_int_equal(rp.rt, LINE_40G);
	assert_int_equal(rp.rc, 20000 * MBPS);
	assert_int_equal(rp.alpha, ONE);
	assert_int_equal(expire(&rp, 65 * US - 1), RP_NONE);
	assert_int_equal(dcqcn_rp_expire(&rp, 120 * US, &at, true), RP_ALPHA);
	assert_true(at == 65 * US);
	assert_near(alpha_of(&rp), 0.99609375, 1e-15);
	assert_int_equal(expire(&rp, 120 * US), RP_ALPHA);
	assert_near(alpha_of(&rp), 0.9922027587890625, 1e-15);
	assert_int_equal(expire(&rp, 120 * US), RP_NONE);
	assert_int_equal(dcqcn_rp_cnp(&rp, 120 * US), RP_DECREASE);
	assert_int_equal(rp.rt, 20000 * MBPS);
	assert_int_equal(rp.rc, 10077972412ull); // 10077.972412109375 Mb/s
	assert_near(alpha_of(&rp), 0.9922332167625427, 1e-15);
}

// standards.md 4.4 item 2, the other order.
static void cnp_may_raise_alpha_first(void **state)
{
	struct dcqcn_rp_params p = params("paper", LINE_40G);
	struct dcqcn_rp_cfg cfg;
	struct dcqcn_rp rp;

	(void)state;
	p.alpha_order = RP_ALPHA_FIRST;
	setup(&rp, &cfg, &p);
	dcqcn_rp_cnp(&rp, 0);
	expire(&rp, 0);
	rp.alpha = (uint64_t)ldexp(0.9922027587890625, 60);
	rp.rc = 20000 * MBPS;
	dcqcn_rp_cnp(&rp, 1);
	assert_int_equal(rp.rc, 10077667832ull); // 10077.667832374573 Mb/s
	assert_near(alpha_of(&rp), 0.9922332167625427, 1e-15);
}

// standards.md 4.4 item 3.
static void fast_recovery_halves_the_distance(void **state)
{
	static const rate_t want[] = {30000, 35000, 37500, 38750, 39375};
	struct dcqcn_rp_params p = params("paper", LINE_40G);
	struct dcqcn_rp_cfg cfg;
	struct dcqcn_rp rp;

	(void)state;
	setup(&rp, &cfg, &p);
	dcqcn_rp_cnp(&rp, 0);
	for (unsigned i = 0; i < 5; i++) {
		assert_true(dcqcn_rp_deadline(&rp) == (i + 1) * 55 * US);
		assert_int_equal(next_rate_event(&rp), RP_T_FAST_RECOVERY);
		assert_int_equal(rp.rc, want[i] * MBPS);
		assert_int_equal(rp.rt, LINE_40G);
	}
}

// standards.md 4.4 item 4, and 6.1 item 5: an increase moves the target.
static void increase_moves_the_target(void **state)
{
	struct dcqcn_rp_params p = params("paper", LINE_40G);
	struct dcqcn_rp_cfg cfg;
	struct dcqcn_rp rp;

	(void)state;
	p.byte_counter = 1000;
	setup(&rp, &cfg, &p);
	dcqcn_rp_cnp(&rp, 0);
	rp.rt = 20000 * MBPS;
	rp.rc = 10000 * MBPS;
	for (int i = 0; i < 5; i++)
		assert_int_equal(dcqcn_rp_sent(&rp, 1000), RP_BC_FAST_RECOVERY);
	assert_int_equal(rp.rc, 19687500000ull);
	assert_int_equal(dcqcn_rp_sent(&rp, 1000), RP_BC_ADDITIVE_INCREASE);
	assert_int_equal(rp.rt, 20040 * MBPS);
	assert_int_equal(rp.rc, 19863750000ull);
	assert_int_equal(dcqcn_rp_sent(&rp, 1000), RP_BC_ADDITIVE_INCREASE);
	assert_int_equal(rp.rt, 20080 * MBPS);
	assert_int_equal(rp.rc, 19971875000ull);
	rp.t_stage = 5;
	assert_int_equal(next_rate_event(&rp), RP_T_HYPER_INCREASE); // T 6, BC 7: i = 1
	assert_int_equal(rp.rt, 20280 * MBPS);
	assert_int_equal(rp.rc, 20125937500ull);
}

// standards.md 1.8 B: the same walk with R_AI 5 and R_HAI 50, and a progressive second step.
static void hyper_increase_grows(void **state)
{
	static const rate_t fr[] = {3500000, 3750000, 3875000, 3937500, 3968750};
	struct dcqcn_rp_params p = params("paper", 10000 * MBPS);
	struct dcqcn_rp_cfg cfg;
	struct dcqcn_rp rp;

	(void)state;
	p.ai_rate = 5 * MBPS;
	p.hai_rate = 50 * MBPS;
	p.byte_counter = 1000;
	for (int progressive = 0; progressive < 2; progressive++) {
		p.hai_progressive = progressive;
		setup(&rp, &cfg, &p);
		rp.rc = rp.rt = 4000 * MBPS;
		rp.alpha = ONE / 2;
		dcqcn_rp_cnp(&rp, 0);
		assert_int_equal(rp.rc, 3000 * MBPS);
		for (int i = 0; i < 5; i++) {
			assert_int_equal(dcqcn_rp_sent(&rp, 1000), RP_BC_FAST_RECOVERY);
			assert_int_equal(rp.rc, fr[i] * RATE_KBPS);
		}
		assert_int_equal(dcqcn_rp_sent(&rp, 1000), RP_BC_ADDITIVE_INCREASE);
		assert_int_equal(rp.rc, 3986875000ull);
		assert_int_equal(dcqcn_rp_sent(&rp, 1000), RP_BC_ADDITIVE_INCREASE);
		assert_int_equal(rp.rc, 3998437500ull);
		rp.t_stage = 5;
		assert_int_equal(next_rate_event(&rp), RP_T_HYPER_INCREASE);
		assert_int_equal(rp.rt, 4060 * MBPS);
		assert_int_equal(rp.rc, 4029218750ull);
		assert_int_equal(next_rate_event(&rp), RP_T_HYPER_INCREASE);
		assert_int_equal(rp.rt, (progressive ? 4160 : 4110) * MBPS);
		assert_int_equal(rp.rc, progressive ? 4094609375ull : 4069609375ull);
	}
}

// standards.md 4.4 item 5.
static void alpha_rises_and_decays(void **state)
{
	static const double want[] = {0.501953125, 0.5038986206054688, 0.5058365166187286};
	struct dcqcn_rp_params p = params("paper", LINE_40G);
	struct dcqcn_rp_cfg cfg;
	struct dcqcn_rp rp;
	unsigned steps = 0;
	tstamp at;

	(void)state;
	p.initial_alpha = 0.5;
	setup(&rp, &cfg, &p);
	for (unsigned i = 0; i < 3; i++) {
		dcqcn_rp_cnp(&rp, i);
		assert_near(alpha_of(&rp), want[i], 1e-15);
	}
	p.initial_alpha = 1;
	p.rate_timer_ps = TSTAMP_NEVER;
	setup(&rp, &cfg, &p);
	dcqcn_rp_cnp(&rp, 0);
	while (dcqcn_rp_alpha(&rp, 0) > ONE / 2) {
		assert_int_equal(dcqcn_rp_expire(&rp, PS_PER_S, &at, true), RP_ALPHA);
		steps++;
	}
	assert_int_equal(steps, 178); // 177.1 periods
	assert_true(at == 178 * 55 * US);
}

// standards.md 4.4 item 7.
static void byte_counter_carries_the_remainder(void **state)
{
	struct dcqcn_rp_params p = params("paper", LINE_40G);
	struct dcqcn_rp_cfg cfg;
	struct dcqcn_rp rp;

	(void)state;
	p.byte_counter = 2097088;
	setup(&rp, &cfg, &p);
	for (int i = 0; i < 3000; i++) // before the first CNP nothing counts
		assert_int_equal(dcqcn_rp_sent(&rp, 1000), RP_NONE);
	dcqcn_rp_cnp(&rp, 1);
	for (int i = 1; i < 2098; i++)
		assert_int_equal(dcqcn_rp_sent(&rp, 1000), RP_NONE);
	assert_int_equal(dcqcn_rp_sent(&rp, 1000), RP_BC_FAST_RECOVERY);
	assert_int_equal(rp.bytes_left, 2097088 - 912);
	assert_int_equal(rp.bc_stage, 1);
	// one event a call at most, even where the packet is worth two
	p.byte_counter = 400;
	setup(&rp, &cfg, &p);
	dcqcn_rp_cnp(&rp, 1);
	assert_int_equal(dcqcn_rp_sent(&rp, 900), RP_BC_FAST_RECOVERY);
	assert_int_equal(dcqcn_rp_sent(&rp, 1), RP_BC_FAST_RECOVERY);
	assert_int_equal(dcqcn_rp_sent(&rp, 1), RP_NONE);
}

// If there is no byte counter, no number of bytes makes one expire.
static void no_byte_counter_never_expires(void **state)
{
	struct dcqcn_rp_params p = params("paper", LINE_40G);
	struct dcqcn_rp_cfg cfg;
	struct dcqcn_rp rp;

	(void)state;
	p.byte_counter = 0;
	setup(&rp, &cfg, &p);
	dcqcn_rp_cnp(&rp, 1);
	for (unsigned i = 0; i < 3000; i++) // 12.9 TB, more than bytes_left holds
		assert_int_equal(dcqcn_rp_sent(&rp, UINT32_MAX), RP_NONE);
	assert_int_equal(rp.bc_stage, 0);
	p.byte_counter = 1ull << 42;
	setup(&rp, &cfg, &p);
	dcqcn_rp_cnp(&rp, 1);
	for (unsigned i = 0; i < 1024; i++)
		assert_int_equal(dcqcn_rp_sent(&rp, UINT32_MAX), RP_NONE);
	assert_int_equal(dcqcn_rp_sent(&rp, 1024), RP_BC_FAST_RECOVERY);
}

// standards.md 6.1 item 11: period 50, CNPs at 0, 10, 49, 50, 120 cut at 0, 50, 120.
static void close_cnps_are_merged(void **state)
{
	static const tstamp at[] = {0, 10, 49, 50, 120};
	static const enum rp_event want[] = {RP_DECREASE, RP_CNP, RP_CNP, RP_DECREASE, RP_DECREASE};
	struct dcqcn_rp_params p = params("paper", LINE_40G);
	struct dcqcn_rp_cfg cfg;
	struct dcqcn_rp rp;

	(void)state;
	p.cut_interval_ps = 50 * US;
	setup(&rp, &cfg, &p);
	for (int i = 0; i < 5; i++) {
		while (expire(&rp, at[i] * US) != RP_NONE)
			;
		assert_int_equal(dcqcn_rp_cnp(&rp, at[i] * US), want[i]);
	}
}

static void target_clamp_has_three_flavours(void **state)
{
	static const rate_t want_second[] = {20000, 40000, 40000}; // no increase between the cuts
	static const rate_t want_third[] = {30000, 30000, 40000};  // one increase between the cuts
	struct dcqcn_rp_params p = params("paper", LINE_40G);
	struct dcqcn_rp_cfg cfg;
	struct dcqcn_rp rp;

	(void)state;
	for (int flavour = RP_CLAMP_ALWAYS; flavour <= RP_CLAMP_NEVER; flavour++) {
		p.clamp_target = (enum rp_clamp_target)flavour;
		setup(&rp, &cfg, &p);
		dcqcn_rp_cnp(&rp, 0);
		dcqcn_rp_cnp(&rp, 1);
		assert_int_equal(rp.rt, want_second[flavour] * MBPS);
		setup(&rp, &cfg, &p);
		dcqcn_rp_cnp(&rp, 0);
		assert_int_equal(next_rate_event(&rp), RP_T_FAST_RECOVERY);
		dcqcn_rp_cnp(&rp, 55 * US);
		assert_int_equal(rp.rt, want_third[flavour] * MBPS);
	}
}

static void rate_stays_between_floor_and_line(void **state)
{
	struct dcqcn_rp_params p = params("paper", LINE_40G);
	struct dcqcn_rp_cfg cfg;
	struct dcqcn_rp rp;

	(void)state;
	setup(&rp, &cfg, &p);
	for (tstamp t = 0; t < 20; t++)
		dcqcn_rp_cnp(&rp, t);
	assert_int_equal(rp.rc, 40 * MBPS);
	for (int i = 0; i < 2000 && dcqcn_rp_deadline(&rp) != TSTAMP_NEVER; i++) {
		next_rate_event(&rp);
		assert_true(rp.rc <= rp.rt && rp.rt <= LINE_40G);
	}
	assert_int_equal(rp.rc, LINE_40G);
	assert_true(dcqcn_rp_deadline(&rp) == TSTAMP_NEVER);
}

// 3 and 7 meet at 4 if each half is rounded down by itself; and Rc stays a bit/s below Rt for ever.
static void halves_may_be_rounded_down_one_by_one(void **state)
{
	struct dcqcn_rp_params p = params("paper", LINE_40G);
	struct dcqcn_rp_cfg cfg;
	struct dcqcn_rp rp;

	(void)state;
	for (int down = 0; down <= 1; down++) {
		p.halves_down = down;
		setup(&rp, &cfg, &p);
		dcqcn_rp_cnp(&rp, 0);
		rp.rc = 20000000003;
		rp.rt = 30000000007;
		next_rate_event(&rp);
		assert_int_equal(rp.rc, 25000000005 - down);
		rp.rc = LINE_40G - 1;
		rp.rt = LINE_40G;
		assert_true((dcqcn_rp_deadline(&rp) == TSTAMP_NEVER) == down);
		for (tstamp at = rp.rate_at; expire(&rp, at) != RP_NONE;)
			;
		assert_int_equal(rp.rc, LINE_40G - down);
	}
}

// Phases that 14 expiries of one counter give, the other standing still at `other`; F = 5.
static void phases(enum rp_fr_convention c, unsigned other, char *out)
{
	struct dcqcn_rp_params p = params("paper", LINE_40G);
	struct dcqcn_rp_cfg cfg;
	struct dcqcn_rp rp;

	p.fr_convention = c;
	setup(&rp, &cfg, &p);
	dcqcn_rp_cnp(&rp, 0);
	dcqcn_rp_cnp(&rp, 1);
	rp.bc_stage = (uint16_t)other;
	for (int i = 0; i < 14; i++)
		*out++ = "FAH"[next_rate_event(&rp) - RP_T_FAST_RECOVERY];
	*out = 0;
}

static void conventions_end_fast_recovery_where_they_say(void **state)
{
	char got[16];

	(void)state;
	phases(RP_FR_P, 0, got);
	assert_string_equal(got, "FFFFFAAAAAAAAA");
	phases(RP_FR_N, 0, got);
	assert_string_equal(got, "FFFFAAAAAAAAAA");
	phases(RP_FR_X, 0, got);
	assert_string_equal(got, "FFFFFAAAAAAAAA");
	phases(RP_FR_P, 9, got);
	assert_string_equal(got, "AAAAAHHHHHHHHH");
	phases(RP_FR_N, 9, got);
	assert_string_equal(got, "AAAAHHHHHHHHHH");
	phases(RP_FR_X, 9, got);
	assert_string_equal(got, "AAAAAAHHHHHHHH");
	phases(RP_FR_P, 5, got);
	assert_string_equal(got, "FFFFFAAAAAAAAA");
	phases(RP_FR_N, 5, got);
	assert_string_equal(got, "AAAAHHHHHHHHHH");
	phases(RP_FR_X, 5, got);
	assert_string_equal(got, "AAAAAAAAAAAAAA");
}

// The first hyper increase of each convention adds 1 * R_HAI.
static void hyper_increase_starts_with_one_step(void **state)
{
	struct dcqcn_rp_params p = params("paper", LINE_40G);
	struct dcqcn_rp_cfg cfg;
	struct dcqcn_rp rp;

	(void)state;
	for (int c = RP_FR_P; c <= RP_FR_X; c++) {
		rate_t before, step[2];

		p.fr_convention = (enum rp_fr_convention)c;
		setup(&rp, &cfg, &p);
		for (tstamp t = 0; t < 3; t++)
			dcqcn_rp_cnp(&rp, t);
		rp.bc_stage = 31;
		do
			before = rp.rt;
		while (next_rate_event(&rp) != RP_T_HYPER_INCREASE);
		step[0] = rp.rt - before;
		next_rate_event(&rp);
		step[1] = rp.rt - before - step[0];
		assert_int_equal(step[0], 200 * MBPS);
		assert_int_equal(step[1], 400 * MBPS);
	}
}

// TIMED: the first CNP starts the timers and does not cut at once; flags decide from then on.
static void timed_reaction_waits_for_its_timers(void **state)
{
	struct dcqcn_rp_params p = params("hpcc_sim_dcqcn", 25000 * MBPS);
	struct dcqcn_rp_cfg cfg;
	struct dcqcn_rp rp;
	tstamp at;

	(void)state;
	setup(&rp, &cfg, &p);
	assert_int_equal(dcqcn_rp_cnp(&rp, 0), RP_START);
	assert_int_equal(rp.rc, 25000 * MBPS);
	assert_true(dcqcn_rp_deadline(&rp) == 4 * US + PS_PER_NS);
	for (unsigned i = 1; i <= 4; i++) {
		assert_int_equal(dcqcn_rp_expire(&rp, 4 * US, &at, true), RP_ALPHA);
		assert_true(at == i * US);
	}
	assert_int_equal(expire(&rp, 4 * US), RP_NONE);
	assert_int_equal(expire(&rp, 4 * US + PS_PER_NS), RP_DECREASE);
	assert_true(dcqcn_rp_deadline(&rp) == 304 * US + PS_PER_NS);
	while (expire(&rp, 301 * US) != RP_NONE)
		;
	assert_int_equal(dcqcn_rp_cnp(&rp, 301 * US), RP_CNP);
	assert_true(dcqcn_rp_deadline(&rp) == 304 * US + PS_PER_NS);
	// increase and decrease coincide: the increase was armed first
	assert_int_equal(next_rate_event(&rp), RP_T_FAST_RECOVERY);
	assert_true(dcqcn_rp_deadline(&rp) == 304 * US + PS_PER_NS);
	assert_int_equal(next_rate_event(&rp), RP_DECREASE);
	assert_int_equal(rp.t_stage, 0);
	assert_true(rp.rt < 25000 * MBPS);
}

static void every_event_has_a_name(void **state)
{
	(void)state;
	for (int e = 0; e < RP_EVENTS; e++)
		assert_true(strlen(rp_event_name((enum rp_event)e)) > 1);
	assert_string_equal(rp_event_name(RP_EVENTS), "?");
}

// A start below the line's rate is a limiter that no CNP has set: both counters run and raise it,
// alpha waits, and the first CNP cuts what it has become.
static void a_limited_start_rises(void **state)
{
	struct dcqcn_rp_params p = params("paper", LINE_40G);
	struct dcqcn_rp_cfg cfg;
	struct dcqcn_rp rp;

	(void)state;
	p.initial_rate = 10000 * MBPS;
	p.f = 1;
	setup(&rp, &cfg, &p);
	assert_int_equal(dcqcn_rp_rate(&rp), 10000 * MBPS);
	assert_true(dcqcn_rp_deadline(&rp) == TSTAMP_NEVER); // not begun
	dcqcn_rp_start(&rp, 100 * US);
	dcqcn_rp_start(&rp, 120 * US); // begins once
	assert_true(dcqcn_rp_deadline(&rp) == 155 * US);
	assert_int_equal(next_rate_event(&rp), RP_T_FAST_RECOVERY);
	assert_int_equal(rp.rc, 10000 * MBPS);
	assert_int_equal(next_rate_event(&rp), RP_T_ADDITIVE_INCREASE);
	assert_int_equal(rp.rt, 10040 * MBPS);
	assert_int_equal(rp.rc, 10020 * MBPS);
	assert_int_equal(dcqcn_rp_sent(&rp, 10000000), RP_BC_ADDITIVE_INCREASE);
	assert_int_equal(rp.alpha, ONE);
	assert_int_equal(dcqcn_rp_cnp(&rp, 216 * US), RP_DECREASE);
	assert_int_equal(rp.rc, 10050 * MBPS / 2);
	assert_int_equal(rp.rt, 10050 * MBPS);
}

#define VECTOR TEST_DATA "/s01_2to1_25g_mlx.rp.txt"

// One line of the vector: `t_ns event rate_bps target_bps alpha stage`, the state after the event.
struct golden {
	FILE *f;
	unsigned long long ns, rate, target;
	char event[8], alpha[16];
	unsigned stage, lines;
	bool more;
};

static void golden_next(struct golden *g)
{
	g->more = fscanf(g->f, "%llu %7s %llu %llu %15s %u", &g->ns, g->event, &g->rate, &g->target,
			  g->alpha, &g->stage) == 6;
	g->lines += g->more;
}

static bool event_matches(enum rp_event e, const char *name)
{
	switch (e) {
	case RP_START:
	case RP_CNP:
		return !strcmp(name, "CNP");
	case RP_ALPHA:
		return !strcmp(name, "ALPHA");
	case RP_DECREASE: // DECC: the target was lowered too
		return !strcmp(name, "DEC") || !strcmp(name, "DECC");
	case RP_T_FAST_RECOVERY:
		return !strcmp(name, "FR");
	case RP_T_ADDITIVE_INCREASE:
		return !strcmp(name, "AI");
	case RP_T_HYPER_INCREASE:
		return !strcmp(name, "HAI");
	default:
		return false;
	}
}

static void golden_check(struct golden *g, const struct dcqcn_rp *rp, enum rp_event e, tstamp at)
{
	bool increase = e >= RP_T_FAST_RECOVERY && e <= RP_T_HYPER_INCREASE;
	unsigned stage = rp->t_stage - increase; // printed before it was counted
	char alpha[32];

	snprintf(alpha, sizeof(alpha), "%.9f", alpha_of(rp));
	if (!g->more || !event_matches(e, g->event) || at != g->ns * PS_PER_NS ||
		rp->rc != g->rate || rp->rt != g->target || stage != g->stage ||
		strcmp(alpha, g->alpha))
		fail_msg("line %u: %s at %llu: %llu %llu %s %u", g->lines, rp_event_name(e),
			(unsigned long long)at, (unsigned long long)rp->rc,
			(unsigned long long)rp->rt, alpha, stage);
	golden_next(g);
}

// Every event of one sender in the reference simulator, 3 ms, to the bit/s. The engine is asked at
// CNPs only.
static void hpcc_sim_dcqcn_reproduces_the_reference_event_by_event(void **state)
{
	struct dcqcn_rp_params p;
	struct golden g = {.f = fopen(VECTOR, "r")}, cnp = {.f = fopen(VECTOR, "r")};
	struct dcqcn_rp_cfg cfg;
	struct dcqcn_rp rp;
	enum rp_event e;
	tstamp last = 0, at;

	(void)state;
	assert_non_null(g.f);
	assert_non_null(cnp.f);
	assert_int_equal(dcqcn_rp_profile(&p, "hpcc_sim_dcqcn", 25 * RATE_GBPS), 0);
	assert_int_equal(dcqcn_rp_cfg_init(&cfg, &p), 0);
	dcqcn_rp_init(&rp, &cfg);
	golden_next(&g);
	for (golden_next(&cnp); cnp.more; golden_next(&cnp)) {
		last = cnp.ns * PS_PER_NS;
		if (strcmp(cnp.event, "CNP"))
			continue;
		while ((e = dcqcn_rp_expire(&rp, last, &at, true)) != RP_NONE)
			golden_check(&g, &rp, e, at);
		golden_check(&g, &rp, dcqcn_rp_cnp(&rp, last), last);
	}
	while ((e = dcqcn_rp_expire(&rp, last, &at, true)) != RP_NONE)
		golden_check(&g, &rp, e, at);
	assert_false(g.more);
	assert_int_equal(g.lines, 3034);
	fclose(g.f);
	fclose(cnp.f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cnp_cuts_with_the_old_alpha),
		cmocka_unit_test(cnp_may_raise_alpha_first),
		cmocka_unit_test(fast_recovery_halves_the_distance),
		cmocka_unit_test(increase_moves_the_target),
		cmocka_unit_test(hyper_increase_grows),
		cmocka_unit_test(alpha_rises_and_decays),
		cmocka_unit_test(byte_counter_carries_the_remainder),
		cmocka_unit_test(no_byte_counter_never_expires),
		cmocka_unit_test(close_cnps_are_merged),
		cmocka_unit_test(target_clamp_has_three_flavours),
		cmocka_unit_test(rate_stays_between_floor_and_line),
		cmocka_unit_test(halves_may_be_rounded_down_one_by_one),
		cmocka_unit_test(conventions_end_fast_recovery_where_they_say),
		cmocka_unit_test(hyper_increase_starts_with_one_step),
		cmocka_unit_test(timed_reaction_waits_for_its_timers),
		cmocka_unit_test(every_event_has_a_name),
		cmocka_unit_test(a_limited_start_rises),
		cmocka_unit_test(hpcc_sim_dcqcn_reproduces_the_reference_event_by_event),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
