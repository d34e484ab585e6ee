// SPDX-License-Identifier: BSD-3-Clause
// The option tables of ConnectX and the RDMA IP: every default parses, every key is the vendor's
// own.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "schema/schema.h"

static void defaults_parse(void **state)
{
	struct spec_connectx cx = {0};
	struct spec_rdma_ip ip = {0};

	(void)state;
	opt_init(&scene_opts_connectx, &cx);
	opt_init(&scene_opts_rdma_ip, &ip);
	assert_int_equal(cx.rpg_byte_reset, 32767);
	assert_int_equal(cx.dce_tcp_g, 1019);
	assert_int_equal(ip.clock, 322265625);
	assert_true(ip.max_rate == OPT_AUTO);
}

// standards.md 4.3: NVIDIA's names, beside those that each profile has.
static void connectx_has_mlx5_names(void **state)
{
	static const char *const names[] = {"rpg_time_reset", "rpg_byte_reset", "rpg_threshold",
		"rpg_ai_rate", "rpg_hai_rate", "rpg_gd", "rpg_min_dec_fac", "rpg_min_rate",
		"rate_to_set_on_first_cnp", "dce_tcp_g", "dce_tcp_rtt", "clamp_tgt_rate",
		"clamp_tgt_rate_after_time_inc", "rate_reduce_monitor_period",
		"initial_alpha_value"};

	(void)state;
	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		assert_non_null(opt_row(&scene_opts_connectx, names[i]));
	assert_non_null(opt_row(&scene_opts_connectx, "profile"));
	assert_non_null(opt_row(&scene_opts_connectx, "initial_rate"));
	assert_int_equal(scene_opts_connectx.n, 2 + sizeof(names) / sizeof(names[0]));
}

// What is a register's field has its name without "dcqcn_".
static void rdma_ip_has_the_registers_names(void **state)
{
	static const char *const fields[] = {"nocnp_timer_th", "byte_cnt_th", "alpha_timer_th",
		"rx_cnp_merge_period", "max_rate", "min_rate", "rate_ai", "rate_hai", "upd_alpha_g",
		"alpha_rate_shift", "phase_threshold", "min_dec_fac"};
	struct rdma_ip_place p;
	char name[64];

	(void)state;
	for (unsigned i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		assert_non_null(opt_row(&scene_opts_rdma_ip, fields[i]));
		snprintf(name, sizeof(name), "dcqcn_%s", fields[i]);
		assert_int_equal(rdma_ip_reg_find(&p, name, 0), 0);
	}
	assert_non_null(opt_row(&scene_opts_rdma_ip, "cnp_timer_thrd"));
	assert_non_null(opt_row(&scene_opts_rdma_ip, "cnp_int_en"));
	assert_true(scene_opts_rdma_ip.n <= OPT_ROWS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(defaults_parse),
		cmocka_unit_test(connectx_has_mlx5_names),
		cmocka_unit_test(rdma_ip_has_the_registers_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
