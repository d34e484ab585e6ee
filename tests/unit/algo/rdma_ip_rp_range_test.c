// SPDX-License-Identifier: BSD-3-Clause
// What the RDMA IP's reaction point takes as core and registers.
#include "algo/rdma_ip_rp.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <cmocka.h>

static const struct rdma_ip_rp_core core = {
	.clock_hz = 322265625,
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
		cmocka_unit_test(the_ends_of_the_ranges_are_taken),
		cmocka_unit_test(values_out_of_range_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
