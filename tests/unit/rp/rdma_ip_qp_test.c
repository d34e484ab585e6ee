// SPDX-License-Identifier: BSD-3-Clause
// Limiter, brake and debugging window of a queue pair of the RDMA IP (standards.md 11, 6.11.2,
// 6.12.5, 6.12.6).
#include "rp/rdma_ip_qp.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <cmocka.h>

#include "../../rdma_ip_set.h"

#define US PS_PER_US

static const struct rdma_ip_qp_core core = RDMA_IP_CORE;
static const struct rdma_ip_qp_regs scheme1 = RDMA_IP_REGS;

static void setup(
	struct rdma_ip_qp *qp, struct rdma_ip_qp_cfg *cfg, const struct rdma_ip_qp_regs *r)
{
	assert_int_equal(rdma_ip_qp_cfg_init(cfg, &core, r), 0);
	rdma_ip_qp_init(qp, cfg);
	rdma_ip_rp_set_rate(&qp->rp, 51200 << RDMA_IP_RP_RATE_FRAC, 0);
	qp->rp.alpha = 1023;
	qp->cc_rate = 51200;
}

static void limiter_follows_the_engine(void **state)
{
	struct rdma_ip_qp_cfg cfg;
	struct rdma_ip_qp qp;
	tstamp at;

	(void)state;
	setup(&qp, &cfg, &scheme1);
	assert_int_equal(rdma_ip_qp_rate(&qp), 100 * RATE_GBPS);
	assert_int_equal(rdma_ip_qp_cnp(&qp, 0), RP_DECREASE);
	assert_int_equal(qp.cc_rate, 25625); // 51200 - (51200 * 1023 >> 11)
	assert_int_equal(rdma_ip_qp_rate(&qp), 25625 * 1953125ull);
	assert_true(rdma_ip_qp_deadline(&qp) == 55 * US);
	while (rdma_ip_qp_expire(&qp, 55 * US, &at) == RP_ALPHA)
		;
	assert_int_equal(qp.cc_rate, 38412);
}

// Both enables are needed; scheme 2: what software writes is enforced.
static void limiter_needs_both_enables(void **state)
{
	struct rdma_ip_qp_regs r = scheme1;
	struct rdma_ip_qp_cfg cfg;
	struct rdma_ip_qp qp;

	(void)state;
	r.rp.hw_en = 0;
	setup(&qp, &cfg, &r);
	assert_int_equal(rdma_ip_qp_cnp(&qp, 0), RP_CNP);
	qp.cc_rate = 512;
	assert_int_equal(rdma_ip_qp_rate(&qp), RATE_GBPS);
	qp.cc_rate = 0;
	assert_int_equal(rdma_ip_qp_rate(&qp), 1953125);
	r.speed_limiter_en = 0;
	setup(&qp, &cfg, &r);
	assert_true(rdma_ip_qp_rate(&qp) == UINT64_MAX);
	r.speed_limiter_en = 1;
	r.hw_rate_throttle_en = 0;
	setup(&qp, &cfg, &r);
	assert_true(rdma_ip_qp_rate(&qp) == UINT64_MAX);
}

// standards.md 6.1 item 13: a CNP, merged or not, holds for CNP_TIMER_THRD.
static void cnp_halves_the_outstanding_requests(void **state)
{
	struct rdma_ip_qp_core us = core;
	struct rdma_ip_qp_regs r = scheme1;
	struct rdma_ip_qp_cfg cfg;
	struct rdma_ip_qp qp;

	(void)state;
	r.rp.rx_cnp_merge_period = 40;
	setup(&qp, &cfg, &r);
	assert_int_equal(rdma_ip_qp_outstanding(&qp, 0), 16);
	rdma_ip_qp_cnp(&qp, 10 * US);
	assert_int_equal(rdma_ip_qp_outstanding(&qp, 10 * US), 8);
	assert_int_equal(rdma_ip_qp_cnp(&qp, 30 * US), RP_CNP);
	assert_int_equal(rdma_ip_qp_outstanding(&qp, 80 * US - 1), 8);
	assert_int_equal(rdma_ip_qp_outstanding(&qp, 80 * US), 16);
	us.cnp_timer_us = true;
	assert_int_equal(rdma_ip_qp_cfg_init(&cfg, &us, &r), 0);
	assert_true(cfg.ost_ps == 12500 * US);
	r.tx_wqe_ost_limit_en = 0;
	setup(&qp, &cfg, &r);
	rdma_ip_qp_cnp(&qp, 0);
	assert_true(rdma_ip_qp_outstanding(&qp, 0) == UINT32_MAX);
}

static void window_records_what_the_engine_does(void **state)
{
	struct rdma_ip_dfx_entry e;
	struct rdma_ip_qp_cfg cfg;
	struct rdma_ip_qp qp;
	tstamp at;

	(void)state;
	setup(&qp, &cfg, &scheme1);
	rdma_ip_dfx_start(&qp.dfx);
	rdma_ip_qp_cnp(&qp, 10 * US);
	while (rdma_ip_qp_expire(&qp, 200 * US, &at) != RP_NONE)
		;
	assert_int_equal(qp.dfx.n, 4);
	assert_int_equal(qp.dfx.decrease, 1);
	assert_int_equal(qp.dfx.timer_increase, 3);
	for (unsigned i = 0; i < 4; i++) {
		assert_true(rdma_ip_dfx_peek(&qp.dfx, &e));
		assert_int_equal(
			e.us, 10 + i * 55); // nominal, though all were caught up with at once
		rdma_ip_dfx_pop(&qp.dfx);
	}
	assert_int_equal(e.rate, qp.cc_rate);
}

#define WINDOW (4096 * PS_PER_NS) // 1024 cycles

static void setup_window(
	struct rdma_ip_qp *qp, struct rdma_ip_qp_cfg *cfg, const struct rdma_ip_qp_regs *r)
{
	struct rdma_ip_qp_core c = core;

	c.limiter = RDMA_IP_WINDOW;
	setup(qp, cfg, r);
	assert_int_equal(rdma_ip_qp_cfg_init(cfg, &c, r), 0);
}

// Windows lie at multiples of 1024 cycles, whenever the first byte comes.
static void bytes_are_counted_by_1024_cycles(void **state)
{
	struct rdma_ip_qp_cfg cfg;
	struct rdma_ip_qp qp;

	(void)state;
	setup(&qp, &cfg, &scheme1);
	rdma_ip_qp_passed(&qp, 1000, WINDOW / 2);
	rdma_ip_qp_passed(&qp, 500, WINDOW - 1);
	assert_int_equal(rdma_ip_qp_bytes(&qp, WINDOW - 1), 1500);
	assert_int_equal(rdma_ip_qp_bytes(&qp, WINDOW), 0);
	rdma_ip_qp_passed(
		&qp, 64000, WINDOW); // spacing carries nothing, and does not ask for the count
	assert_int_equal(rdma_ip_qp_bytes(&qp, WINDOW), 64000);
	assert_int_equal(rdma_ip_qp_next(&qp), 0);
	assert_int_equal(rdma_ip_qp_bytes(&qp, 2 * WINDOW), 0);
}

static void a_window_lets_its_credit_pass(void **state)
{
	struct rdma_ip_qp_cfg cfg;
	struct rdma_ip_qp qp;

	(void)state;
	setup_window(&qp, &cfg, &scheme1);
	rdma_ip_qp_set_cc_rate(&qp, 2000, 0);
	assert_int_equal(rdma_ip_qp_next(&qp), 0);
	rdma_ip_qp_passed(&qp, 1106, 0);
	assert_int_equal(rdma_ip_qp_next(&qp), 0);
	rdma_ip_qp_passed(&qp, 1106, 88 * PS_PER_NS); // 212 more than the credit
	assert_int_equal(rdma_ip_qp_next(&qp), WINDOW);
	assert_int_equal(rdma_ip_qp_bytes(&qp, WINDOW), 212);
	rdma_ip_qp_passed(&qp, 1788, WINDOW); // to the byte
	assert_int_equal(rdma_ip_qp_next(&qp), 2 * WINDOW);
	assert_int_equal(rdma_ip_qp_bytes(&qp, 2 * WINDOW), 0);
}

// The window is judged by the rate at its end: nothing beside CC_RATE_MEM would hold another.
static void a_rate_acts_on_the_running_window(void **state)
{
	struct rdma_ip_qp_cfg cfg;
	struct rdma_ip_qp qp;

	(void)state;
	setup_window(&qp, &cfg, &scheme1);
	rdma_ip_qp_set_cc_rate(&qp, 4000, 0);
	rdma_ip_qp_passed(&qp, 3000, US);
	rdma_ip_qp_set_cc_rate(&qp, 1000, 2 * US);
	assert_int_equal(rdma_ip_qp_next(&qp), 3 * WINDOW);
	rdma_ip_qp_set_cc_rate(&qp, 3001, 3 * US);
	assert_int_equal(rdma_ip_qp_next(&qp), 0);
	rdma_ip_qp_set_cc_rate(&qp, 1000, 3 * US);
	rdma_ip_qp_set_cc_rate(&qp, 500, WINDOW); // the first window paid 1000
	assert_int_equal(rdma_ip_qp_bytes(&qp, WINDOW), 2000);
	assert_int_equal(rdma_ip_qp_next(&qp), 5 * WINDOW);
	rdma_ip_qp_set_cc_rate(&qp, 0, WINDOW); // taken as 1
	assert_int_equal(rdma_ip_qp_next(&qp), 2001 * WINDOW);
	rdma_ip_qp_set_bytes(&qp, 0, WINDOW);
	assert_int_equal(rdma_ip_qp_next(&qp), 0);
	// The engine's own rates: 51200, and after a CNP 25625.
	setup_window(&qp, &cfg, &scheme1);
	rdma_ip_qp_passed(&qp, 51199, 0);
	assert_int_equal(rdma_ip_qp_next(&qp), 0);
	assert_int_equal(rdma_ip_qp_cnp(&qp, US), RP_DECREASE);
	assert_int_equal(rdma_ip_qp_next(&qp), WINDOW);
	assert_int_equal(rdma_ip_qp_bytes(&qp, WINDOW), 51199 - 25625);
}

static void windows_end_where_the_limiter_is_off(void **state)
{
	struct rdma_ip_qp_core c = core;
	struct rdma_ip_qp_regs r = scheme1;
	struct rdma_ip_qp_cfg cfg, old;
	struct rdma_ip_qp qp;

	(void)state;
	c.limiter = RDMA_IP_WINDOW;
	setup_window(&qp, &cfg, &r);
	rdma_ip_qp_set_cc_rate(&qp, 1000, 0);
	rdma_ip_qp_passed(&qp, 9500, 0);
	assert_int_equal(rdma_ip_qp_next(&qp), 9 * WINDOW);
	old = cfg;
	r.speed_limiter_en = 0;
	assert_int_equal(rdma_ip_qp_cfg_init(&cfg, &c, &r), 0);
	rdma_ip_qp_reload(&qp, &old, 3 * WINDOW);
	assert_int_equal(rdma_ip_qp_bytes(&qp, 3 * WINDOW), 6500); // what the old credit paid
	assert_int_equal(rdma_ip_qp_next(&qp), 0);
	// but a queue pair may have a limit of its own
	rdma_ip_qp_set_most(&qp, 2 * RATE_GBPS, 3 * WINDOW);
	assert_int_equal(rdma_ip_qp_next(&qp), 3 * WINDOW + 6 * WINDOW);
	c.limiter = RDMA_IP_WINDOW + 1;
	assert_int_equal(rdma_ip_qp_cfg_init(&cfg, &c, &r), -EINVAL);
}

static void reload_moves_limiter_and_brake(void **state)
{
	struct rdma_ip_qp_regs r = scheme1;
	struct rdma_ip_qp_cfg cfg, old;
	struct rdma_ip_qp qp;

	(void)state;
	setup(&qp, &cfg, &r);
	rdma_ip_qp_cnp(&qp, 0);
	old = cfg;
	r.rp.max_rate = 10000;
	r.cnp_timer_thrd = 25000;
	assert_int_equal(rdma_ip_qp_cfg_init(&cfg, &core, &r), 0);
	rdma_ip_qp_reload(&qp, &old, 10 * US);
	assert_int_equal(qp.cc_rate, 10000);
	assert_int_equal(rdma_ip_qp_outstanding(&qp, 99 * US), 8);
	assert_int_equal(rdma_ip_qp_outstanding(&qp, 100 * US), 16);
	r.rp.max_rate = 1u << 16;
	assert_int_equal(rdma_ip_qp_cfg_init(&cfg, &core, &r), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(limiter_follows_the_engine),
		cmocka_unit_test(limiter_needs_both_enables),
		cmocka_unit_test(cnp_halves_the_outstanding_requests),
		cmocka_unit_test(window_records_what_the_engine_does),
		cmocka_unit_test(bytes_are_counted_by_1024_cycles),
		cmocka_unit_test(a_window_lets_its_credit_pass),
		cmocka_unit_test(a_rate_acts_on_the_running_window),
		cmocka_unit_test(windows_end_where_the_limiter_is_off),
		cmocka_unit_test(reload_moves_limiter_and_brake),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
