// SPDX-License-Identifier: BSD-3-Clause
// The debugging window: codes, 64 entries, three counters, reading entry by entry.
#include "rp/rdma_ip_dfx.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <cmocka.h>

// standards.md 6.1 item 8.
static void codes_tell_source_and_phase(void **state)
{
	(void)state;
	assert_int_equal(rdma_ip_dfx_code(RP_DECREASE), 0);
	assert_int_equal(rdma_ip_dfx_code(RP_BC_FAST_RECOVERY), 1);
	assert_int_equal(rdma_ip_dfx_code(RP_BC_HYPER_INCREASE), 2);
	assert_int_equal(rdma_ip_dfx_code(RP_BC_ADDITIVE_INCREASE), 3);
	assert_int_equal(rdma_ip_dfx_code(RP_T_FAST_RECOVERY), 5);
	assert_int_equal(rdma_ip_dfx_code(RP_T_HYPER_INCREASE), 6);
	assert_int_equal(rdma_ip_dfx_code(RP_T_ADDITIVE_INCREASE), 7);
	assert_int_equal(rdma_ip_dfx_code(RP_NONE), -1);
	assert_int_equal(rdma_ip_dfx_code(RP_CNP), -1);
	assert_int_equal(rdma_ip_dfx_code(RP_START), -1);
	assert_int_equal(rdma_ip_dfx_code(RP_ALPHA), -1);
	assert_string_equal(rdma_ip_dfx_name(4), "reserved");
	assert_string_equal(rdma_ip_dfx_name(6), "nocnp_timer.hyper_increase");
}

static void window_holds_64_events(void **state)
{
	struct rdma_ip_dfx d = {0};
	struct rdma_ip_dfx_entry e;

	(void)state;
	rdma_ip_dfx_note(&d, RP_DECREASE, 5, 0);
	assert_false(rdma_ip_dfx_peek(&d, &e)); // not started
	rdma_ip_dfx_start(&d);
	for (unsigned i = 0; i < 100; i++) {
		rdma_ip_dfx_note(&d, RP_ALPHA, 1, i * PS_PER_US);
		rdma_ip_dfx_note(&d, i % 4 ? RP_T_FAST_RECOVERY : RP_DECREASE, 1000 + i,
			i * PS_PER_US + 999999);
	}
	assert_false(d.busy);
	assert_int_equal(d.n, 64);
	assert_int_equal(d.decrease, 16);
	assert_int_equal(d.timer_increase, 48);
	assert_int_equal(d.byte_increase, 0);
	for (unsigned i = 0; i < 64; i++) {
		assert_true(rdma_ip_dfx_peek(&d, &e));
		assert_int_equal(e.us, i);
		assert_int_equal(e.rate, 1000 + i);
		assert_int_equal(e.code, i % 4 ? 5 : 0);
		rdma_ip_dfx_pop(&d);
	}
	assert_false(rdma_ip_dfx_peek(&d, &e));
	rdma_ip_dfx_pop(&d);
	assert_false(rdma_ip_dfx_peek(&d, &e));
}

static void stop_ends_and_start_empties_it(void **state)
{
	struct rdma_ip_dfx d = {0};
	struct rdma_ip_dfx_entry e;

	(void)state;
	rdma_ip_dfx_start(&d);
	rdma_ip_dfx_note(&d, RP_BC_HYPER_INCREASE, 7, 3 * PS_PER_US);
	rdma_ip_dfx_stop(&d);
	rdma_ip_dfx_note(&d, RP_BC_HYPER_INCREASE, 8, 4 * PS_PER_US);
	assert_int_equal(d.n, 1);
	assert_int_equal(d.byte_increase, 1);
	assert_true(rdma_ip_dfx_peek(&d, &e));
	assert_int_equal(e.rate, 7);
	rdma_ip_dfx_start(&d);
	assert_true(d.busy);
	assert_int_equal(d.n + d.byte_increase, 0);
	assert_false(rdma_ip_dfx_peek(&d, &e));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(codes_tell_source_and_phase),
		cmocka_unit_test(window_holds_64_events),
		cmocka_unit_test(stop_ends_and_start_empties_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
