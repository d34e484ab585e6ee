// SPDX-License-Identifier: BSD-3-Clause
// The register table: in order, without overlaps, every address of the guide where the guide has
// it.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "algo/rdma_ip_reg.h"

static void fields_are_in_order_and_apart(void **state)
{
	(void)state;
	for (unsigned i = 0; i < rdma_ip_n_fields; i++) {
		const struct rdma_ip_field *f = &rdma_ip_fields[i], *next = f + 1;

		assert_true(f->width >= 1 && f->lsb + f->width <= 64);
		assert_true(f->reset <= rdma_ip_field_mask(f->width));
		assert_int_equal(f->address % 8, 0);
		assert_int_equal(rdma_ip_field_per_qp(f), f->address >= 0x400000);
		assert_true(strlen(f->help) > 5);
		if (i + 1 == rdma_ip_n_fields)
			break;
		assert_true(next->address > f->address ||
			    (next->address == f->address && next->lsb >= f->lsb + f->width));
		assert_int_equal(!strcmp(f->word, next->word), f->address == next->address);
		for (unsigned j = i + 1; j < rdma_ip_n_fields; j++)
			assert_string_not_equal(f->name, rdma_ip_fields[j].name);
	}
}

// standards.md 11, 6.11 and 6.12.
static void the_guides_addresses_are_kept(void **state)
{
	static const struct {
		const char *name;
		unsigned address, lsb, width;
	} want[] = {
		{"dcqcn_rx_cnp_merge_period", 0x200220, 0, 16},
		{"dcqcn_nocnp_timer_th", 0x200200, 0, 16},
		{"dcqcn_byte_cnt_th", 0x200200, 32, 19},
		{"dcqcn_max_rate", 0x200200, 16, 16},
		{"dcqcn_nocnp_timer_busy", 0x200200, 51, 1},
		{"dcqcn_alpha_timer_th", 0x200218, 0, 16},
		{"dcqcn_hw_en", 0x200220, 24, 1},
		{"hw_rate_throttle_en", 0x200220, 25, 1},
		{"tx_wqe_ost_limit_en", 0x200220, 26, 1},
		{"speed_limiter_en", 0x200220, 54, 1},
		{"cnp_timer_thrd", 0x2000a0, 0, 32},
		{"sq_arb_mask", 0x400000, 1, 1},
		{"dcqcn_nocnp_timer_start", 0x400000, 5, 1},
		{"cnp_merge_flag", 0x600000, 0, 1},
		{"current_rate", 0x600008, 0, 16},
		{"alpha", 0x600010, 0, 10},
		{"byte_counter", 0x600018, 0, 19},
		{"t_stage", 0x600020, 0, 16},
		{"cc_rate", 0x600028, 0, 16},
		{"cc_byte_cnt", 0x600030, 0, 32},
	};
	struct rdma_ip_place p;

	(void)state;
	for (unsigned i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		assert_int_equal(rdma_ip_reg_find(&p, want[i].name, 1), 0);
		assert_int_equal(p.address, want[i].address);
		assert_int_equal(p.lsb, want[i].lsb);
		assert_int_equal(p.width, want[i].width);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fields_are_in_order_and_apart),
		cmocka_unit_test(the_guides_addresses_are_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
