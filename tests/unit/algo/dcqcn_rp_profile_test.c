// SPDX-License-Identifier: BSD-3-Clause
// Profiles against the parameter table of standards.md 4.3, ranges, and fixed-point constants.
#include "algo/dcqcn_rp.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <cmocka.h>

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(paper_has_the_papers_values),
		cmocka_unit_test(hpcc_sim_dcqcn_scales_with_the_line),
		cmocka_unit_test(connectx_has_nvidias_defaults),
		cmocka_unit_test(profiles_fit_slow_links_and_unknown_ones_are_refused),
		cmocka_unit_test(values_out_of_range_are_refused),
		cmocka_unit_test(constants_are_exact),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
