// SPDX-License-Identifier: BSD-3-Clause
// The register file: its table beside the guide and docs/registers.md, reset values, reading and
// writing (standards.md 11, 6.12.4), the three schemes, the debugging window.
#include "rp/rdma_ip_reg.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
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

// As reading gives it, but the window keeps its entry.
static void a_field_is_looked_at_without_effect(void **state)
{
	struct rdma_ip_reg *reg = made(2);
	struct rdma_ip_place p;
	uint64_t v;

	(void)state;
	assert_int_equal(rdma_ip_reg_find(&p, "DCQCN_DFX_CTRL", 0), 0);
	assert_int_equal(rdma_ip_reg_write(reg, &p, 1ull << 32 | 2, 0), 0);
	rdma_ip_dfx_note(&rdma_ip_reg_qp(reg, 2)->dfx, RP_T_HYPER_INCREASE, 77, 5 * PS_PER_US);
	for (unsigned i = 0; i < rdma_ip_n_fields; i++) {
		const struct rdma_ip_field *f = &rdma_ip_fields[i];
		uint64_t shown = rdma_ip_reg_field(reg, f, 2, 0);

		if (f->access == RDMA_IP_POP)
			continue;
		assert_int_equal(rdma_ip_reg_find(&p, f->name, 2), 0);
		assert_int_equal(rdma_ip_reg_read(reg, &p, &v, 0), 0);
		assert_int_equal(shown, v);
		assert_true(!rdma_ip_field_per_qp(f) || !rdma_ip_reg_field(reg, f, 3, 0));
	}
	assert_int_equal(rdma_ip_reg_find(&p, "DCQCN_DFX_INFO", 0), 0);
	assert_int_equal(rdma_ip_reg_read(reg, &p, &v, 0), 0);
	assert_int_equal(v, 5ull << 32 | 77 << 16 | 6); // it was still there
	rdma_ip_reg_fini(reg);
}

static void write_at(struct rdma_ip_reg *reg, const char *name, uint64_t value, tstamp now)
{
	struct rdma_ip_place p;

	assert_int_equal(rdma_ip_reg_find(&p, name, 1), 0);
	assert_int_equal(rdma_ip_reg_write(reg, &p, value, now), 0);
}

// It waits for the end of the period that runs; the end of none is not at time 0.
static void a_merge_flag_that_is_written_cuts_from_now_on(void **state)
{
	struct rdma_ip_reg *reg = made(1);
	struct rdma_ip_qp *qp = rdma_ip_reg_qp(reg, 1);
	tstamp at = 0;

	(void)state;
	write_at(reg, "CNP_MERGE_MEM", 1, 10 * PS_PER_US); // hardware is off
	assert_true(rdma_ip_qp_deadline(qp) == TSTAMP_NEVER);
	write_at(reg, "dcqcn_hw_en", 1, 20 * PS_PER_US);
	write_at(reg, "RATE_MEM", 40000, 20 * PS_PER_US);
	write_at(reg, "ALPHA_MEM", 1023, 20 * PS_PER_US);
	write_at(reg, "CNP_MERGE_MEM", 1, 30 * PS_PER_US);
	assert_int_equal(rdma_ip_qp_expire(qp, 30 * PS_PER_US, &at), RP_DECREASE);
	assert_int_equal(at, 30 * PS_PER_US);
	assert_int_equal(rdma_ip_rp_rate(&qp->rp), 20020);
	write_at(reg, "CNP_MERGE_MEM", 7 << 16 | 1, 40 * PS_PER_US);
	assert_int_equal(rdma_ip_qp_expire(qp, 47 * PS_PER_US - 1, &at), RP_NONE);
	assert_int_equal(rdma_ip_qp_expire(qp, 47 * PS_PER_US, &at), RP_DECREASE);
	assert_int_equal(at, 47 * PS_PER_US);
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

static char want[1 << 15], have[1 << 15];

static void page_is_current(void **state)
{
	FILE *f = fopen(CONFIG "/../docs/registers.md", "r");
	size_t n;

	(void)state;
	assert_true(rdma_ip_reg_doc(want, sizeof(want)) < sizeof(want));
	assert_non_null(f);
	n = fread(have, 1, sizeof(have) - 1, f);
	fclose(f);
	have[n] = 0;
	if (strcmp(have, want) != 0)
		fail_msg("docs/registers.md is old; write it with: quench check --registers "
			 ">docs/registers.md");
}

static void every_field_has_a_line(void **state)
{
	char line[200];

	(void)state;
	rdma_ip_reg_doc(want, sizeof(want));
	for (unsigned i = 0; i < rdma_ip_n_fields; i++) {
		snprintf(line, sizeof(line), "| `%s` | ", rdma_ip_fields[i].name);
		assert_non_null(strstr(want, line));
	}
	assert_int_equal(
		rdma_ip_reg_doc(have, 10), strlen(want)); // cut, and the length of the whole
	assert_int_equal(strlen(have), 9);
	assert_int_equal(rdma_ip_reg_doc(NULL, 0), strlen(want));
}

#define US PS_PER_US

static const struct rdma_ip_qp_core core_io = {
	.rp = {.clock_hz = 250000000, .byte_unit = 1, .alpha_bits = 10, .fr_convention = RP_FR_X},
};

static struct rdma_ip_reg *reg;

static int make(void **state)
{
	(void)state;
	assert_int_equal(rdma_ip_reg_init(&reg, &core_io, 4), 0);
	for (unsigned n = 1; n <= 3; n++)
		assert_int_equal(rdma_ip_reg_add_qp(reg, n), 0);
	return 0;
}

static int unmake(void **state)
{
	(void)state;
	rdma_ip_reg_fini(reg);
	return 0;
}

static void wr(const char *name, uint32_t qpn, uint64_t value, tstamp now)
{
	struct rdma_ip_place p;

	assert_int_equal(rdma_ip_reg_find(&p, name, qpn), 0);
	assert_int_equal(rdma_ip_reg_write(reg, &p, value, now), 0);
}

static uint64_t rd(const char *name, uint32_t qpn, tstamp now)
{
	struct rdma_ip_place p;
	uint64_t v;

	assert_int_equal(rdma_ip_reg_find(&p, name, qpn), 0);
	assert_int_equal(rdma_ip_reg_read(reg, &p, &v, now), 0);
	return v;
}

// standards.md 11, 6.12.4 step 1 with 6.12.6 scheme 1.
static void global_parameters(tstamp now)
{
	wr("0x200200", 0, 524287ull << 32 | 51200 << 16 | 55, now);
	wr("0x200208", 0, 100 << 16 | 20, now);
	wr("0x200210", 0, 1 << 16 | 4, now);
	wr("0x200218", 0, 55, now);
	wr("0x200240", 0, 5 << 16 | 20, now);
	wr("0x200220", 0, 1ull << 54 | 7 << 24 | 50, now);
	wr("0x2000a0", 0, 12500, now);
}

// standards.md 11, 6.12.4 steps 2 and 3, as software does it.
static void initialize(uint32_t qpn, unsigned rate, unsigned alpha, tstamp now)
{
	wr("RATE_MEM", qpn, rate, now);
	wr("CC_RATE_MEM", qpn, rate, now);
	wr("ALPHA_MEM", qpn, alpha, now);
	wr("CNP_MERGE_MEM", qpn, 0, now);
	wr("BYTE_COUNTER_MEM", qpn, 0, now);
	wr("T_BC_MEM", qpn, 0, now);
	wr("CC_BYTE_CNT_MEM", qpn, 0, now);
	if (rate == rd("dcqcn_max_rate", 0, now))
		return;
	assert_int_equal(rd("dcqcn_nocnp_timer_busy", 0, now), 0);
	wr("dcqcn_nocnp_timer_start", qpn, 1, now);
	assert_int_equal(rd("dcqcn_nocnp_timer_busy", 0, now), 1);
	assert_int_equal(rd("dcqcn_nocnp_timer_start", qpn, now), 0);
}

static void software_initializes_a_queue_pair(void **state)
{
	struct rdma_ip_qp *one = rdma_ip_reg_qp(reg, 1), *two = rdma_ip_reg_qp(reg, 2);
	tstamp at;

	(void)state;
	global_parameters(0);
	initialize(1, 51200, 1023, 0);
	initialize(2, 20000, 512, 0);
	assert_int_equal(rdma_ip_qp_rate(one), 100 * RATE_GBPS);
	assert_true(rdma_ip_qp_deadline(one) == TSTAMP_NEVER); // until its first decrease
	assert_int_equal(rdma_ip_qp_cnp(one, US), RP_DECREASE);
	assert_true(rdma_ip_qp_deadline(one) == 56 * US);
	assert_true(rdma_ip_qp_deadline(two) == 55 * US);
	assert_int_equal(rd("RATE_MEM", 2, 0), 20000u << 16 | 20000); // a target of 0 is the rate
	for (unsigned i = 0; i < 5; i++)
		assert_int_equal(
			rdma_ip_qp_expire(two, (i + 1) * 55 * US, &at), RP_T_FAST_RECOVERY);
	assert_int_equal(rdma_ip_qp_expire(two, 330 * US, &at), RP_T_ADDITIVE_INCREASE);
	assert_int_equal(rd("current_rate", 2, 330 * US), 20010);
	assert_int_equal(rd("target_rate", 2, 330 * US), 20020);
	assert_int_equal(rd("cc_rate", 2, 330 * US), 20010);
	assert_int_equal(rd("T_BC_MEM", 2, 330 * US), 6);
}

// rdma_ip_reg_load and rdma_ip_reg_start_qp leave what the writes leave.
static void loading_does_what_software_does(void **state)
{
	struct rdma_ip_reg *other;
	struct rdma_ip_reg_global g;

	(void)state;
	global_parameters(0);
	initialize(2, 20000, 512, 0);
	g = reg->g;
	assert_int_equal(rdma_ip_reg_init(&other, &core_io, 4), 0);
	assert_int_equal(rdma_ip_reg_add_qp(other, 2), 0);
	rdma_ip_reg_load(other, &g, 0);
	rdma_ip_reg_start_qp(other, 2, 20000, 512, 0);
	assert_memory_equal(&other->g, &g, sizeof(g));
	for (unsigned i = 0; i < rdma_ip_n_fields; i++) {
		struct rdma_ip_place p;
		uint64_t v;

		rdma_ip_reg_find(&p, rdma_ip_fields[i].name, 2);
		assert_int_equal(rdma_ip_reg_read(other, &p, &v, 0), 0);
		if (rdma_ip_fields[i].what != RDMA_IP_TIMER_BUSY)
			assert_int_equal(v, rd(rdma_ip_fields[i].name, 2, 0));
	}
	assert_true(rdma_ip_qp_deadline(rdma_ip_reg_qp(other, 2)) == 55 * US);
	rdma_ip_reg_fini(other);
}

static void timer_start_is_taken_one_at_a_time(void **state)
{
	(void)state;
	global_parameters(0);
	wr("RATE_MEM", 1, 100, 0);
	wr("RATE_MEM", 2, 100, 0);
	wr("0x400000", 1, 1 << 5, 0);
	wr("0x400100", 0, 1 << 5, 63999); // 16 cycles of 4 ns
	assert_true(rdma_ip_qp_deadline(rdma_ip_reg_qp(reg, 1)) == 55 * US);
	assert_true(rdma_ip_qp_deadline(rdma_ip_reg_qp(reg, 2)) == TSTAMP_NEVER);
	assert_int_equal(rd("dcqcn_nocnp_timer_busy", 0, 64000), 0);
	wr("0x400100", 0, 1 << 5, 64000);
	assert_true(rdma_ip_qp_deadline(rdma_ip_reg_qp(reg, 2)) == 55 * US + 64000);
}

// standards.md 11, 6.12.6: scheme 2 limits by what software writes, scheme 3 not at all.
static void schemes_are_four_bits(void **state)
{
	struct rdma_ip_qp *qp = rdma_ip_reg_qp(reg, 1);

	(void)state;
	global_parameters(0);
	initialize(1, 51200, 1023, 0);
	wr("dcqcn_hw_en", 0, 0, 0);
	assert_int_equal(rdma_ip_qp_cnp(qp, 0), RP_CNP);
	wr("CC_RATE_MEM", 1, 5120, 0);
	assert_int_equal(rdma_ip_qp_rate(qp), 10 * RATE_GBPS);
	assert_int_equal(rdma_ip_qp_outstanding(qp, 0), 8);
	wr("0x200220", 0, 50, 0);
	assert_true(rdma_ip_qp_rate(qp) == UINT64_MAX);
	assert_true(rdma_ip_qp_outstanding(qp, 0) == UINT32_MAX);
	assert_false(qp->sq_arb_mask);
	wr("sq_arb_mask", 1, 1, 0);
	assert_true(qp->sq_arb_mask);
	assert_int_equal(rd("0x400000", 1, 0), 2);
	wr("dcqcn_hw_en", 0, 1, 0);
	assert_int_equal(rdma_ip_qp_cnp(qp, 0), RP_DECREASE);
}

static void memories_show_and_take_the_state(void **state)
{
	struct rdma_ip_qp *qp = rdma_ip_reg_qp(reg, 1);

	(void)state;
	global_parameters(0);
	initialize(1, 51200, 1023, 0);
	rdma_ip_qp_cnp(qp, 0);
	assert_int_equal(rd("CNP_MERGE_MEM", 1, 0), 50 << 16);
	assert_int_equal(rd("CNP_MERGE_MEM", 1, 30 * US + 1), 20 << 16);
	assert_int_equal(rd("CNP_MERGE_MEM", 1, 50 * US), 0);
	wr("CNP_MERGE_MEM", 1, 0, US);
	assert_int_equal(rdma_ip_qp_cnp(qp, US), RP_DECREASE); // the period is over
	wr("cnp_merge_left", 1, 3, US);
	assert_int_equal(rdma_ip_qp_cnp(qp, 4 * US - 1), RP_CNP);
	rdma_ip_qp_sent(qp, 1500, 5 * US);
	rdma_ip_qp_passed(qp, 1520, 5 * US);
	assert_int_equal(rd("BYTE_COUNTER_MEM", 1, 5 * US), 1500);
	assert_int_equal(rd("CC_BYTE_CNT_MEM", 1, 5 * US), 1520);
	assert_int_equal(rd("CC_BYTE_CNT_MEM", 1, 10 * US), 0);
	wr("CC_BYTE_CNT_MEM", 1, 77, 10 * US);
	assert_int_equal(rd("CC_BYTE_CNT_MEM", 1, 10 * US), 77);
	wr("BYTE_COUNTER_MEM", 1, 524286, 5 * US);
	assert_int_equal(rdma_ip_qp_sent(qp, 1, 5 * US), RP_BC_FAST_RECOVERY);
	assert_int_equal(rd("bc_stage", 1, 5 * US), 1);
	wr("T_BC_MEM", 1, 7 << 16 | 6, 5 * US);
	wr("RATE_MEM", 1, 0x8040ull << 32 | 900u << 16 | 800, 5 * US);
	assert_int_equal(qp->rp.rc, 800 * 256 + 64);
	assert_int_equal(qp->rp.rt, 900 * 256 + 128);
	wr("BYTE_COUNTER_MEM", 1, 524287, 5 * US);
	assert_int_equal(rdma_ip_qp_sent(qp, 1, 5 * US), RP_BC_HYPER_INCREASE); // 6 and 7
	assert_int_equal(rd("target_rate", 1, 5 * US), 1000);
	assert_int_equal(rd("alpha", 1, 5 * US), 1023);
	wr("alpha", 1, 17, 5 * US);
	assert_int_equal(qp->rp.alpha, 17);
	wr("RATE_MEM", 1, 65535, 5 * US); // beyond max_rate
	assert_int_equal(rd("current_rate", 1, 5 * US), 51200);
	assert_true(rdma_ip_qp_deadline(qp) == TSTAMP_NEVER);
}

static void alpha_may_have_more_bits(void **state)
{
	struct rdma_ip_qp_core ext = core_io;
	struct rdma_ip_reg *r;
	struct rdma_ip_place p;
	uint64_t v;

	(void)state;
	ext.rp.alpha_bits = 18;
	assert_int_equal(rdma_ip_reg_init(&r, &ext, 1), 0);
	assert_int_equal(rdma_ip_reg_add_qp(r, 1), 0);
	assert_int_equal(rdma_ip_reg_find(&p, "ALPHA_MEM", 1), 0);
	assert_int_equal(rdma_ip_reg_write(r, &p, 0x81ull << 46 | 700, 0), 0);
	assert_int_equal(rdma_ip_reg_qp(r, 1)->rp.alpha, 700 << 8 | 0x81);
	assert_int_equal(rdma_ip_reg_read(r, &p, &v, 0), 0);
	assert_true(v == (0x81ull << 46 | 700));
	rdma_ip_reg_fini(r);
}

// A global write reaches queue pairs whose timers run.
static void parameters_act_on_running_timers(void **state)
{
	struct rdma_ip_qp *qp = rdma_ip_reg_qp(reg, 1);

	(void)state;
	global_parameters(0);
	initialize(1, 51200, 1023, 0);
	rdma_ip_qp_cnp(qp, 10 * US);
	wr("dcqcn_nocnp_timer_th", 0, 100, 20 * US);
	assert_true(rdma_ip_qp_deadline(qp) == 110 * US);
	assert_int_equal(rd("dcqcn_max_rate", 0, 20 * US), 51200); // its neighbours stay
	assert_int_equal(rd("dcqcn_byte_cnt_th", 0, 20 * US), 524287);
	wr("dcqcn_max_rate", 0, 1000, 20 * US);
	assert_int_equal(rd("RATE_MEM", 1, 20 * US), 1000 << 16 | 1000);
	assert_int_equal(rd("cc_rate", 1, 20 * US), 1000);
}

// standards.md 11, 6.12.5, and standards.md 6.1 item 16.
static void window_is_read_entry_by_entry(void **state)
{
	struct rdma_ip_qp *qp = rdma_ip_reg_qp(reg, 2);
	uint64_t v;
	tstamp at;

	(void)state;
	global_parameters(0);
	initialize(2, 51200, 1023, 0);
	assert_int_equal(rd("0x200230", 0, 0), 4); // no queue pair chosen: the reserved event
	wr("0x200228", 0, 1ull << 32 | 2, 0);      // queue pair and start in one word
	assert_true(rd("0x200228", 0, 0) == (1ull << 34 | 2));
	rdma_ip_qp_cnp(qp, 10 * US);
	rdma_ip_qp_expire(qp, 65 * US, &at);
	rdma_ip_qp_expire(qp, 65 * US, &at);
	wr("dcqcn_dfx_stop", 0, 1, 70 * US);
	rdma_ip_qp_expire(qp, 120 * US, &at);
	rdma_ip_qp_expire(qp, 120 * US, &at);
	assert_true(rd("0x200228", 0, 0) == (2ull << 48 | 2));
	assert_true(rd("0x200238", 0, 0) == (1ull << 32 | 1));
	v = rd("DCQCN_DFX_INFO", 0, 0);
	assert_true(v == (10ull << 32 | 25625u << 16 | 0));
	v = rd("DCQCN_DFX_INFO", 0, 0);
	assert_true(v == (65ull << 32 | 38412u << 16 | 5));
	assert_int_equal(rd("DCQCN_DFX_INFO", 0, 0), 4);
	wr("dcqcn_dfx_qp", 0, 3, 0); // another's window
	assert_int_equal(rd("dcqcn_dfx_entries", 0, 0), 0);
}

static void what_is_not_there_is_refused(void **state)
{
	struct rdma_ip_place p = {.address = 0x200204, .width = 64};
	uint64_t v = 77;

	(void)state;
	assert_int_equal(rdma_ip_reg_read(reg, &p, &v, 0), -ENXIO);
	assert_int_equal(rdma_ip_reg_write(reg, &p, 1, 0), -ENXIO);
	p.address = 0x600308; // queue pair 4 was not added
	assert_int_equal(rdma_ip_reg_read(reg, &p, &v, 0), -ENXIO);
	assert_int_equal(rdma_ip_reg_write(reg, &p, 1, 0), -ENXIO);
	p.address = 0x60fe08;
	assert_int_equal(rdma_ip_reg_read(reg, &p, &v, 0), -ENXIO);
	assert_int_equal(v, 77);
	p.address = 0x200230;
	assert_int_equal(rdma_ip_reg_write(reg, &p, 1, 0), -EACCES);
	p = (struct rdma_ip_place){.address = 0x200200, .lsb = 51, .width = 1};
	assert_int_equal(rdma_ip_reg_write(reg, &p, 1, 0), -EACCES);
	assert_int_equal(rd("dcqcn_nocnp_timer_busy", 0, 0), 0);
	p.lsb = 50; // no field
	assert_int_equal(rdma_ip_reg_read(reg, &p, &v, 0), -ENXIO);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, make, unmake)

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
	} guide[] = {
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
	for (unsigned i = 0; i < sizeof(guide) / sizeof(guide[0]); i++) {
		assert_int_equal(rdma_ip_reg_find(&p, guide[i].name, 1), 0);
		assert_int_equal(p.address, guide[i].address);
		assert_int_equal(p.lsb, guide[i].lsb);
		assert_int_equal(p.width, guide[i].width);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reset_values_are_the_tables),
		cmocka_unit_test(a_field_is_looked_at_without_effect),
		cmocka_unit_test(a_merge_flag_that_is_written_cuts_from_now_on),
		cmocka_unit_test(queue_pairs_have_numbers),
		cmocka_unit_test(names_and_addresses_lead_to_places),
		cmocka_unit_test(interrupt_names_its_queue_pair),
		cmocka_unit_test(page_is_current),
		cmocka_unit_test(every_field_has_a_line),
		TEST(software_initializes_a_queue_pair),
		TEST(loading_does_what_software_does),
		TEST(timer_start_is_taken_one_at_a_time),
		TEST(schemes_are_four_bits),
		TEST(memories_show_and_take_the_state),
		TEST(alpha_may_have_more_bits),
		TEST(parameters_act_on_running_timers),
		TEST(window_is_read_entry_by_entry),
		TEST(what_is_not_there_is_refused),
		cmocka_unit_test(fields_are_in_order_and_apart),
		cmocka_unit_test(the_guides_addresses_are_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
