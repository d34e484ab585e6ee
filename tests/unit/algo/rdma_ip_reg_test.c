// SPDX-License-Identifier: BSD-3-Clause
// The register file as an object: reset values, queue pairs, where names and addresses lead.
#include "algo/rdma_ip_reg.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <cmocka.h>

static const struct rdma_ip_qp_core core = {
	.rp = {.clock_hz = 322265625, .byte_unit = 1, .alpha_bits = 10, .fr_convention = RP_FR_X},
};

static struct rdma_ip_reg *made(unsigned qps)
{
	struct rdma_ip_reg *reg;

	assert_int_equal(rdma_ip_reg_init(&reg, &core, qps), 0);
	for (unsigned n = 1; n <= qps; n++)
		assert_int_equal(rdma_ip_reg_add_qp(reg, n), 0);
	return reg;
}

static void reset_values_are_the_tables(void **state)
{
	struct rdma_ip_reg *reg = made(2);

	(void)state;
	for (unsigned i = 0; i < rdma_ip_n_fields; i++) {
		const struct rdma_ip_field *f = &rdma_ip_fields[i];
		struct rdma_ip_place p;
		uint64_t v;

		if (f->what == RDMA_IP_RATE_CURRENT || f->what == RDMA_IP_RATE_TARGET)
			continue; // 0 in the memory; the engine holds min_rate
		assert_int_equal(rdma_ip_reg_find(&p, f->name, 2), 0);
		assert_int_equal(rdma_ip_reg_read(reg, &p, &v, 0), 0);
		if (v != f->reset)
			fail_msg("%s reads %llu", f->name, (unsigned long long)v);
	}
	rdma_ip_reg_fini(reg);
}

static void queue_pairs_have_numbers(void **state)
{
	struct rdma_ip_qp_core bad = core;
	struct rdma_ip_reg *reg = made(3);

	(void)state;
	assert_int_equal(rdma_ip_reg_add_qp(reg, 0), -EINVAL);
	assert_int_equal(rdma_ip_reg_add_qp(reg, 4), -EINVAL);
	assert_int_equal(rdma_ip_reg_add_qp(reg, 3), -EEXIST);
	assert_null(rdma_ip_reg_qp(reg, 0));
	assert_non_null(rdma_ip_reg_qp(reg, 3));
	assert_null(rdma_ip_reg_qp(reg, 4));
	rdma_ip_reg_fini(reg);
	rdma_ip_reg_fini(NULL);
	bad.rp.clock_hz = 0;
	assert_int_equal(rdma_ip_reg_init(&reg, &bad, 1), -EINVAL);
	assert_int_equal(rdma_ip_reg_init(&reg, &core, RDMA_IP_REG_QPS + 1), -EINVAL);
}

static void at(const char *text, uint32_t qpn, unsigned address, unsigned lsb, unsigned width)
{
	struct rdma_ip_place p;

	assert_int_equal(rdma_ip_reg_find(&p, text, qpn), 0);
	assert_int_equal(p.address, address);
	assert_int_equal(p.lsb, lsb);
	assert_int_equal(p.width, width);
}

static void names_and_addresses_lead_to_places(void **state)
{
	struct rdma_ip_place p;

	(void)state;
	at("dcqcn_max_rate", 0, 0x200200, 16, 16);
	at("DCQCN_MAX_RATE", 7, 0x200200, 16, 16);
	at("0x200200", 0, 0x200200, 0, 64);
	at("0X200200", 9, 0x200200, 0, 64);
	at("ALPHA_MEM", 1, 0x600010, 0, 64);
	at("alpha", 3, 0x600210, 0, 10);
	at("rate_mem", 8192, 0x7fff08, 0, 64);
	at("0x600008", 0, 0x600008, 0, 64);
	at("0x600008", 5, 0x600408, 0, 64);
	at("0x600408", 0, 0x600408, 0, 64);
	at("0x600408", 2, 0x600408, 0, 64); // an address of another's block speaks for itself
	at("0x5fff00", 0, 0x5fff00, 0, 64);
	at("RATE_MEM.target_rate", 2, 0x600108, 16, 16);
	at("rate_mem.TARGET_RATE", 1, 0x600008, 16, 16);
	at("DCQCN_INCREASE.dcqcn_max_rate", 0, 0x200200, 16, 16);
	at("DCQCN_INCREASE.max_rate", 0, 0x200200, 16, 16);
	at("max_rate", 0, 0x200200, 16, 16);
	at("DCQCN_CTRL.hw_en", 0, 0x200220, 24, 1);
	assert_int_equal(rdma_ip_reg_find(&p, "alpha", 0), -ENXIO);
	assert_int_equal(rdma_ip_reg_find(&p, "alpha", 8193), -ENXIO);
	assert_int_equal(rdma_ip_reg_find(&p, "alphabet", 1), -ENOENT);
	assert_int_equal(rdma_ip_reg_find(&p, "alpha_", 1), -ENOENT);
	assert_int_equal(rdma_ip_reg_find(&p, "RATE_MEM.alpha", 1), -ENOENT);
	assert_int_equal(rdma_ip_reg_find(&p, "RATE_MEM.", 1), -ENOENT);
	assert_int_equal(rdma_ip_reg_find(&p, "RATE_MEM.target", 1), -ENOENT);
	assert_int_equal(rdma_ip_reg_find(&p, ".target_rate", 1), -ENOENT);
	assert_int_equal(rdma_ip_reg_find(&p, "", 1), -ENOENT);
	assert_int_equal(rdma_ip_reg_find(&p, "0x", 1), -ENOENT);
	assert_int_equal(rdma_ip_reg_find(&p, "0x20020g", 1), -ENOENT);
	assert_int_equal(rdma_ip_reg_find(&p, "0x100200200", 1), -ENOENT);
	assert_int_equal(rdma_ip_reg_find(&p, "0x200204", 1), -ENOENT);
	assert_int_equal(rdma_ip_reg_find(&p, "0x800008", 1), -ENOENT);
	assert_int_equal(rdma_ip_reg_qpn(0x200200), 0);
	assert_int_equal(rdma_ip_reg_qpn(0x400000), 1);
	assert_int_equal(rdma_ip_reg_qpn(0x4001ff), 2);
	assert_int_equal(rdma_ip_reg_qpn(0x7fff30), 8192);
	assert_int_equal(rdma_ip_reg_qpn(0x800000), 0);
}

static void interrupt_names_its_queue_pair(void **state)
{
	struct rdma_ip_reg *reg = made(3);
	struct rdma_ip_place p;
	uint64_t v;

	(void)state;
	assert_false(rdma_ip_reg_interrupt(reg, 2));
	assert_int_equal(rdma_ip_reg_find(&p, "CNP_INT", 0), 0);
	assert_int_equal(rdma_ip_reg_write(reg, &p, 1, 0), 0);
	assert_true(rdma_ip_reg_interrupt(reg, 3));
	assert_int_equal(rdma_ip_reg_read(reg, &p, &v, 0), 0);
	assert_true(v == (3ull << 32 | 3));
	assert_int_equal(rdma_ip_reg_write(reg, &p, 3, 0), 0); // enabled still, status cleared
	assert_int_equal(rdma_ip_reg_read(reg, &p, &v, 0), 0);
	assert_true(v == (3ull << 32 | 1));
	rdma_ip_reg_fini(reg);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reset_values_are_the_tables),
		cmocka_unit_test(queue_pairs_have_numbers),
		cmocka_unit_test(names_and_addresses_lead_to_places),
		cmocka_unit_test(interrupt_names_its_queue_pair),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
