// SPDX-License-Identifier: BSD-3-Clause
// Tests of run/scene_opts_cn: defaults and ranges are those of the algorithms.
#include "scene_lab.h"

#include "run/scene_spec.h"

// What the tables say without a file is what the algorithms' own defaults are.
static void defaults_are_the_algorithms(void **state)
{
	struct qcn_cp_params cp;
	struct qcn_rp_params rp;
	struct iqcn_params iq;
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
	r.p.max_rate = rp.max_rate;
	r.p.randomise_percent = rp.randomise_percent;
	r.p.min_dec_fac = rp.min_dec_fac;
	assert_memory_equal(&r.p, &rp, sizeof(rp));
	iqcn_defaults(&iq);
	opt_init(&scene_opts_iqcn, &i);
	assert_int_equal(i.entries, iq.entries);
	assert_true(i.rpg_time_reset == iq.rpg_time_reset_ps);
	assert_true(i.margin == iq.margin);
	assert_true(i.path_delay == iq.path_delay_ps);
	assert_true(i.entry_gap == iq.entry_gap_ps);
	assert_int_equal(i.port_burst, iq.port_burst);
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
