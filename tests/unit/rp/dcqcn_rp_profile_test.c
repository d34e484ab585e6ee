// SPDX-License-Identifier: BSD-3-Clause
// Profiles against the parameter table of standards.md 4.3, ranges, fixed-point constants; profile
// connectx against the worked examples of 4.4 items 6 and 7.
#include "rp/dcqcn_rp.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <cmocka.h>

#include "base/fixed.h"

#define MBPS RATE_MBPS
#define US   PS_PER_US

static struct dcqcn_rp_params paper(void)
{
	struct dcqcn_rp_params p;

	assert_int_equal(dcqcn_rp_profile(&p, "paper", 40000 * MBPS), 0);
	return p;
}

static int verdict(const struct dcqcn_rp_params *p)
{
	struct dcqcn_rp_cfg cfg;

	return dcqcn_rp_cfg_init(&cfg, p);
}

static void paper_has_the_papers_values(void **state)
{
	struct dcqcn_rp_params p = paper();

	(void)state;
	assert_int_equal(p.line_rate, 40000 * MBPS);
	assert_int_equal(p.min_rate, 40 * MBPS);
	assert_int_equal(p.ai_rate, 40 * MBPS);
	assert_int_equal(p.hai_rate, 200 * MBPS);
	assert_true(p.g == 1.0 / 256 && p.initial_alpha == 1);
	assert_true(p.alpha_timer_ps == 55 * US && p.rate_timer_ps == 55 * US);
	assert_true(p.cut_interval_ps == 0);
	assert_int_equal(p.byte_counter, 10000000);
	assert_int_equal(p.f, 5);
	assert_int_equal(p.fr_convention, RP_FR_P);
	assert_true(p.hai_progressive);
	assert_int_equal(p.alpha_order, RP_CUT_FIRST);
	assert_int_equal(p.clamp_target, RP_CLAMP_ALWAYS);
	assert_int_equal(p.reaction, RP_ON_CNP);
	assert_int_equal(verdict(&p), 0);
}

// AI 5 * bw / 25, HAI 50 * bw / 25 Mb/s.
static void hpcc_sim_dcqcn_scales_with_the_line(void **state)
{
	struct dcqcn_rp_params p;

	(void)state;
	assert_int_equal(dcqcn_rp_profile(&p, "hpcc_sim_dcqcn", 100000 * MBPS), 0);
	assert_int_equal(p.ai_rate, 20 * MBPS);
	assert_int_equal(p.hai_rate, 200 * MBPS);
	assert_int_equal(dcqcn_rp_profile(&p, "hpcc_sim_dcqcn", 25000 * MBPS), 0);
	assert_int_equal(p.ai_rate, 5 * MBPS);
	assert_int_equal(p.hai_rate, 50 * MBPS);
	assert_int_equal(p.min_rate, 1000 * MBPS);
	assert_true(p.g == 1.0 / 256 && p.initial_alpha == 1);
	assert_true(p.alpha_timer_ps == US && p.cut_interval_ps == 4 * US);
	assert_true(p.rate_timer_ps == 300 * US);
	assert_int_equal(p.byte_counter, 0);
	assert_int_equal(p.f, 1);
	assert_int_equal(p.fr_convention, RP_FR_X);
	assert_false(p.hai_progressive);
	assert_int_equal(p.alpha_order, RP_ALPHA_FIRST);
	assert_int_equal(p.clamp_target, RP_CLAMP_AFTER_INCREASE);
	assert_int_equal(p.reaction, RP_TIMED);
	assert_true(p.halves_down);
	assert_int_equal(verdict(&p), 0);
	p.rate_unit = MBPS; // halves are of whole bit/s
	assert_int_equal(verdict(&p), -EINVAL);
}

// standards.md 4.3, column "Mellanox default".
static void connectx_has_nvidias_defaults(void **state)
{
	struct dcqcn_rp_params p;
	struct dcqcn_rp_cfg cfg;

	(void)state;
	assert_int_equal(dcqcn_rp_profile(&p, "connectx", 100000 * MBPS), 0);
	assert_int_equal(p.ai_rate, 5 * MBPS);
	assert_int_equal(p.hai_rate, 50 * MBPS);
	assert_int_equal(p.min_rate, 1 * MBPS);
	assert_true(p.alpha_timer_ps == US && p.cut_interval_ps == 4 * US);
	assert_true(p.rate_timer_ps == 300 * US);
	assert_int_equal(p.byte_counter, 2097088);
	assert_int_equal(p.f, 1);
	assert_int_equal(p.fr_convention, RP_FR_X);
	assert_int_equal(p.clamp_target, RP_CLAMP_AFTER_INCREASE);
	assert_int_equal(p.reaction, RP_TIMED);
	assert_int_equal(p.first_cnp, RP_FIRST_SETS);
	assert_int_equal(p.min_dec_fac, 50);
	assert_int_equal(dcqcn_rp_cfg_init(&cfg, &p), 0);
	assert_int_equal(cfg.one_minus_g >> 50, 1019);
	assert_int_equal(cfg.g >> 50, 5);
	assert_int_equal(cfg.initial_alpha >> 50, 1023);
	assert_int_equal(cfg.alpha_max >> 50, 1023);
	assert_int_equal((cfg.g | cfg.initial_alpha | cfg.alpha_max) & ((1ull << 50) - 1), 0);
	assert_int_equal(cfg.first_cnp_rate, 100000 * MBPS);
	for (unsigned kept = 1; kept < 1024;
		kept++) { // whole in 1024ths, whatever a double makes of it
		p.g = 1 - kept / 1024.0;
		assert_int_equal(dcqcn_rp_cfg_init(&cfg, &p), 0);
		assert_int_equal(cfg.one_minus_g, (uint64_t)kept << 50);
	}
}

static void profiles_fit_slow_links_and_unknown_ones_are_refused(void **state)
{
	struct dcqcn_rp_params p;

	(void)state;
	assert_int_equal(dcqcn_rp_profile(&p, "hpcc_sim_dcqcn", 10 * MBPS), 0);
	assert_int_equal(p.min_rate, 10 * MBPS);
	assert_int_equal(verdict(&p), 0);
	assert_int_equal(dcqcn_rp_profile(&p, "qcn", 10 * MBPS), -ENOENT);
	assert_int_equal(p.line_rate, 10 * MBPS);
}

static void values_out_of_range_are_refused(void **state)
{
	struct dcqcn_rp_params p;

	(void)state;
#define REFUSED(field, value)                           \
	do {                                            \
		p = paper();                            \
		p.field = (value);                      \
		assert_int_equal(verdict(&p), -EINVAL); \
	} while (0)
	REFUSED(line_rate, 30 * MBPS); // below the minimum
	REFUSED(line_rate, 1ull << 50);
	REFUSED(min_rate, RATE_MIN - 1);
	REFUSED(min_rate, 40001 * MBPS);
	REFUSED(ai_rate, 1ull << 50);
	REFUSED(hai_rate, 1ull << 50);
	REFUSED(g, 0);
	REFUSED(g, 1.001);
	REFUSED(g, (double)NAN);
	REFUSED(initial_alpha, -0.1);
	REFUSED(initial_alpha, 1.1);
	REFUSED(initial_alpha, (double)NAN);
	REFUSED(alpha_timer_ps, US - 1);
	REFUSED(alpha_timer_ps, PS_PER_S + 1);
	REFUSED(rate_timer_ps, 0);
	REFUSED(cut_interval_ps, TSTAMP_NEVER);
	REFUSED(reaction, RP_TIMED); // needs a decrease timer
	REFUSED(byte_counter, UINT64_MAX);
	REFUSED(byte_counter, (1ull << 42) + 1);
	REFUSED(f, 0);
	REFUSED(f, 32);
	REFUSED(cut_shift, 4);
	REFUSED(min_dec_fac, 101);
	REFUSED(alpha_bits, 7);
	REFUSED(alpha_bits, 33);
	REFUSED(rate_unit, 0);
	REFUSED(rate_unit, 2 * RATE_GBPS);
	REFUSED(rate_unit, 7 * MBPS); // no divisor of R_AI
	REFUSED(first_cnp_rate, 40001 * MBPS);
	REFUSED(first_cnp_rate, 39 * MBPS);
	REFUSED(first_cnp, 2);
	REFUSED(clamp_target, 4);
#undef REFUSED
}

static void constants_are_exact(void **state)
{
	struct dcqcn_rp_params p = paper();
	struct dcqcn_rp_cfg cfg;

	(void)state;
	assert_int_equal(dcqcn_rp_cfg_init(&cfg, &p), 0);
	assert_int_equal(cfg.g, 1ull << 52);
	assert_int_equal(cfg.one_minus_g, (1ull << 60) - (1ull << 52));
	assert_int_equal(cfg.initial_alpha, 1ull << 60);
	p.g = 1;
	assert_int_equal(dcqcn_rp_cfg_init(&cfg, &p), 0);
	assert_int_equal(cfg.one_minus_g, 0);
}

// a b / 2^60 for a of 192 bits, least limb first, and b below 2^60.
static void times(uint64_t a[3], uint64_t b)
{
	uint64_t product[4], more = 0;

	for (unsigned i = 0; i < 3; i++) {
		unsigned __int128 p = (unsigned __int128)a[i] * b + more;

		product[i] = (uint64_t)p;
		more = (uint64_t)(p >> 64);
	}
	product[3] = more;
	for (unsigned i = 0; i < 3; i++)
		a[i] = product[i] >> 60 | product[i + 1] << 4;
}

// alpha is within two units of 2^-60 of alpha0 (1 - g)^n in three words, and never above it; the
// reckoning in two words finds each power of the tables.
static void powers_are_those_of_1_minus_g(void **state)
{
	static const double gain[] = {1, 0.5, 0.3, 1.0 / 16, 1.0 / 256, 0x1p-10, 0x1p-20};

	(void)state;
	for (unsigned i = 0; i < sizeof(gain) / sizeof(gain[0]); i++) {
		uint64_t power[3] = {0, 0, 1ull << 63};
		struct dcqcn_rp_params p = paper();
		struct dcqcn_rp_cfg cfg;
		struct dcqcn_rp rp;

		p.g = gain[i];
		p.initial_alpha = 0.77;
		assert_int_equal(dcqcn_rp_cfg_init(&cfg, &p), 0);
		dcqcn_rp_init(&rp, &cfg);
		for (unsigned n = 0; n <= DCQCN_RP_TICKS; n++) {
			uint64_t exact = fixed_mul(cfg.initial_alpha, power[2], 63), got;

			if (n < DCQCN_RP_POWERS)
				assert_true(cfg.power[n] == power[2]);
			if (n % DCQCN_RP_POWERS == 0)
				assert_true(cfg.far_power[n / DCQCN_RP_POWERS] == power[2]);
			rp.ticks = n % DCQCN_RP_TICKS;
			got = dcqcn_rp_alpha(&rp, 0);
			assert_true(n == DCQCN_RP_TICKS || (got <= exact && exact - got < 2));
			times(power, cfg.one_minus_g);
		}
	}
}

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
	return dcqcn_rp_alpha(rp, 0) >> 50;
}

static enum rp_event expire(struct dcqcn_rp *rp, tstamp now)
{
	tstamp at;

	return dcqcn_rp_expire(rp, now, &at, true);
}

static void expire_all(struct dcqcn_rp *rp, tstamp now)
{
	while (expire(rp, now) != RP_NONE)
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
		expire(&rp, (i + 2) * US);
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
	assert_int_equal(expire(&rp, 4 * US), RP_DECREASE);
	assert_int_equal(rp.rc, 42542 * MBPS);
	// gd 10 would take 84916: min_dec_fac holds it at half
	p.cut_shift = 0;
	setup(&rp, &cfg, &p);
	dcqcn_rp_cnp(&rp, 0);
	dcqcn_rp_cnp(&rp, 1);
	assert_int_equal(expire(&rp, 4 * US), RP_DECREASE);
	assert_int_equal(rp.rc, 42500 * MBPS);
	p.min_dec_fac = 0;
	setup(&rp, &cfg, &p);
	dcqcn_rp_cnp(&rp, 0);
	dcqcn_rp_cnp(&rp, 1);
	assert_int_equal(expire(&rp, 4 * US), RP_DECREASE);
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
		assert_int_equal(dcqcn_rp_sent(&rp, 1000), RP_NONE);
	assert_int_equal(dcqcn_rp_sent(&rp, 1000), RP_BC_FAST_RECOVERY);
	assert_int_equal(rp.bytes_left, 2097088 - 912);
	rp.bytes_left = 1;
	assert_int_equal(dcqcn_rp_sent(&rp, 1), RP_BC_ADDITIVE_INCREASE); // max 1
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
		rp.bytes_left = row[i].bytes ? 1 : DCQCN_RP_NO_BYTES;
		dcqcn_rp_sent(&rp, 1);
		rp.rc = 60000 * MBPS;
		rp.rate_at = TSTAMP_NEVER;
		while (expire(&rp, 400 * US) != RP_DECREASE)
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
		dcqcn_rp_sent(&rp, 2097088);
	}
	assert_int_equal(rp.rc, LINE);
	assert_true(dcqcn_rp_deadline(&rp) == TSTAMP_NEVER);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(paper_has_the_papers_values),
		cmocka_unit_test(hpcc_sim_dcqcn_scales_with_the_line),
		cmocka_unit_test(connectx_has_nvidias_defaults),
		cmocka_unit_test(profiles_fit_slow_links_and_unknown_ones_are_refused),
		cmocka_unit_test(values_out_of_range_are_refused),
		cmocka_unit_test(constants_are_exact),
		cmocka_unit_test(powers_are_those_of_1_minus_g),
		cmocka_unit_test(alpha_counts_in_1024ths),
		cmocka_unit_test(cut_is_in_whole_megabits),
		cmocka_unit_test(first_cnp_sets_the_rate),
		cmocka_unit_test(stages_are_counted_after_they_decide),
		cmocka_unit_test(clamp_follows_its_two_switches),
		cmocka_unit_test(rates_stay_whole_between_floor_and_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
