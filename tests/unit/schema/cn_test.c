// SPDX-License-Identifier: BSD-3-Clause
// Tests of run/scene_opts_cn: defaults and ranges are those of the algorithms.
#include "scene_lab.h"

#include "schema/schema.h"

// What the tables say without a file is what the algorithms' own defaults are.
static void defaults_are_the_algorithms(void **state)
{
	struct qcn_cp_params cp;
	struct qcn_rp_params rp;
	struct iqcn_params iq;
	struct fast_cnp_params fc;
	struct spec_fast_cnp f = {0};
	struct spec_qcn q = {0};
	struct spec_qcn_rp r = {0};
	struct spec_iqcn i = {0};

	(void)state;
	qcn_cp_defaults(&cp);
	opt_init(&scene_opts_qcn, &q);
	assert_int_equal(q.set_point, cp.set_point);
	assert_int_equal(q.weight, cp.weight);
	assert_int_equal(q.sample_base, cp.sample_base);
	assert_int_equal(q.randomise, 10 * cp.randomise_percent);
	assert_int_equal(q.quant, cp.quant);
	qcn_rp_defaults(&rp, 10 * RATE_GBPS);
	opt_init(&scene_opts_qcn_rp, &r);
	assert_int_equal(r.randomise, 10 * rp.randomise_percent);
	assert_int_equal(r.min_dec_fac, 10 * rp.min_dec_fac);
	assert_true(r.p.min_rate == rp.min_rate);
	assert_true(r.p.ai_rate == rp.ai_rate);
	assert_true(r.p.hai_rate == rp.hai_rate);
	assert_true(r.p.time_reset_ps == rp.time_reset_ps);
	assert_true(r.p.byte_reset == rp.byte_reset);
	assert_int_equal(r.p.threshold, rp.threshold);
	assert_int_equal(r.p.gd, rp.gd);
	assert_int_equal(r.p.fr_convention, rp.fr_convention);
	assert_int_equal(r.p.half_from, rp.half_from);
	assert_int_equal(r.p.target_test, rp.target_test);
	assert_true(r.p.hai_after_ps == rp.hai_after_ps);
	assert_true(r.p.hai_after_octets == rp.hai_after_octets);
	assert_true(r.max_rps == OPT_NONE && !rp.max_rps);
	iqcn_defaults(&iq);
	opt_init(&scene_opts_iqcn, &i);
	assert_int_equal(i.entries, iq.entries);
	assert_true(i.rpg_time_reset == iq.rpg_time_reset_ps);
	assert_true(i.margin == iq.margin);
	assert_true(i.path_delay == iq.path_delay_ps);
	assert_true(i.entry_gap == iq.entry_gap_ps);
	assert_int_equal(i.port_burst, iq.port_burst);
	fast_cnp_defaults(&fc);
	opt_init(&scene_opts_fast_cnp, &f);
	assert_int_equal(f.entries, fc.entries);
	assert_true(f.interval == fc.interval_ps);
	assert_true(f.age == fc.age_ps);
}

// The least and greatest value that a row takes compile.
static void ranges_are_the_algorithms(void **state)
{
	struct qcn_cp_params cp;
	struct qcn_cp_cfg cfg;

	(void)state;
	for (unsigned end = 0; end < 2; end++) {
		qcn_cp_defaults(&cp);
#define END(key) (end ? opt_row(&scene_opts_qcn, key)->max : opt_row(&scene_opts_qcn, key)->min)
		cp.set_point = (uint64_t)END("set_point");
		cp.weight = (int)END("weight");
		cp.sample_base = (uint64_t)END("sample_base");
		assert_int_equal(qcn_cp_cfg_init(&cfg, &cp), 0);
#undef END
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(defaults_are_the_algorithms),
		cmocka_unit_test(ranges_are_the_algorithms),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
