// SPDX-License-Identifier: BSD-3-Clause
// Names of registers as people write them: the nearest right one, values that fit, a place's name.
#include "schema/reg_name.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

static void near(const char *text, const char *name)
{
	const char *n = reg_name_near(text);

	if ((!n && name) || (n && (!name || strcmp(n, name))))
		fail_msg("'%s' is near %s", text, n ? n : "nothing");
}

static void the_nearest_name_is_told(void **state)
{
	(void)state;
	near("RATE_ME", "RATE_MEM");
	near("rate_mme", "RATE_MEM");
	near("CC_RATE_MEN", "CC_RATE_MEM");
	near("CC_RATE", "cc_rate");
	near("dcqcn_rate_al", "dcqcn_rate_ai");
	near("max_rat", "dcqcn_max_rate");
	near("RATE_MEM.targt_rate", "target_rate");
	near("merge_period", "dcqcn_rx_cnp_merge_period");
	near("stage", "t_stage");
	near("T_BC_MEMORY", "T_BC_MEM");
	near("voltage_of_the_core", NULL);
	near("", NULL);
	near("zz", NULL);
}

static void a_bad_name_gives_one_line(void **state)
{
	struct rdma_ip_place p;
	struct err err;

	(void)state;
	assert_int_equal(reg_name_find(&p, "RATE_MEM", 2, &err), 0);
	assert_int_equal(p.address, 0x600108);
	assert_int_equal(reg_name_find(&p, "RATE_ME", 2, &err), -ENOENT);
	assert_string_equal(
		err.text, "the RDMA IP has no register 'RATE_ME'; did you mean 'RATE_MEM'?");
	assert_int_equal(reg_name_find(&p, "0x5", 2, &err), -ENOENT);
	assert_string_equal(
		err.text, "the RDMA IP has no register '0x5'; docs/registers.md has them");
	assert_int_equal(reg_name_find(&p, "RATE_MEM", 0, &err), -ENXIO);
	assert_string_equal(err.text, "each queue pair has its own RATE_MEM");
}

static void values_fit_their_field(void **state)
{
	struct rdma_ip_place word, rate;
	struct err err;
	uint64_t v = 7;

	(void)state;
	rdma_ip_reg_find(&word, "RATE_MEM", 1);
	rdma_ip_reg_find(&rate, "target_rate", 1);
	assert_int_equal(reg_name_value(&v, "0x200", &rate, &err), 0);
	assert_int_equal(v, 512);
	assert_int_equal(reg_name_value(&v, "65535", &rate, &err), 0);
	assert_int_equal(reg_name_value(&v, "18446744073709551615", &word, &err), 0);
	assert_true(v == UINT64_MAX);
	assert_int_equal(reg_name_value(&v, "65536", &rate, &err), -EINVAL);
	assert_string_equal(err.text, "'65536' is more than the 16 bits of RATE_MEM.target_rate");
	for (unsigned i = 0; i < 6; i++) {
		static const char *const bad[] = {
			"", "-1", " 5", "5Gbps", "0x", "18446744073709551616"};

		assert_int_equal(reg_name_value(&v, bad[i], &word, &err), -EINVAL);
		assert_non_null(strstr(err.text, "is no register's value"));
	}
	assert_true(v == UINT64_MAX); // as it was
}

static void a_place_has_a_name(void **state)
{
	struct rdma_ip_place p;
	char name[64];

	(void)state;
	for (unsigned i = 0; i < rdma_ip_n_fields; i++) {
		struct rdma_ip_place back;

		assert_int_equal(rdma_ip_reg_find(&p, rdma_ip_fields[i].name, 3), 0);
		reg_name_of(&p, name, sizeof(name));
		assert_int_equal(rdma_ip_reg_find(&back, name, 3), 0);
		assert_int_equal(back.address, p.address);
		assert_int_equal(back.lsb, p.lsb);
		assert_int_equal(back.width, p.width);
		assert_true(reg_name_covers(&p, &rdma_ip_fields[i]));
	}
	p = (struct rdma_ip_place){.address = 0x600408, .width = 64};
	assert_string_equal(reg_name_of(&p, name, sizeof(name)), "RATE_MEM");
	p.address = 0x600404;
	assert_string_equal(reg_name_of(&p, name, sizeof(name)), "0x600404");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_nearest_name_is_told),
		cmocka_unit_test(a_bad_name_gives_one_line),
		cmocka_unit_test(values_fit_their_field),
		cmocka_unit_test(a_place_has_a_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
