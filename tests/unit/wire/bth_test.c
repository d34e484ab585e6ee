// SPDX-License-Identifier: BSD-3-Clause
// BTH and its extension headers: the opcode table row by row, fields where the standard has them,
// bytes and back.
#include "wire/bth.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <cmocka.h>

#include "base/prng.h"
#include "bytes.h"
#include "wire/eth.h"

static void fields(void **state)
{
	uint8_t o[BTH_LEN], back[BTH_LEN];
	struct bth b;

	(void)state;
	hex_bytes("0a 70 8001 c5 123456 ff abcdef", o);
	o[1] = 0xb0; // SE, pad 3
	bth_parse(o, &b);
	assert_int_equal(b.opcode, BTH_RC_WRITE_ONLY);
	assert_int_equal(b.bits, BTH_SE | BTH_FECN | BTH_BECN | BTH_ACKREQ);
	assert_int_equal(b.pad, 3);
	assert_int_equal(b.version, 0);
	assert_int_equal(b.pkey, 0x8001);
	assert_int_equal(b.resv6, 5);
	assert_int_equal(b.qpn, 0x123456);
	assert_int_equal(b.resv7, 0x7f);
	assert_int_equal(b.psn, 0xabcdef);
	assert_int_equal(bth_render(&b, back), BTH_LEN);
	assert_memory_equal(back, o, BTH_LEN);
}

// The BTH of standards.md 3.3, V1.
static void captured_cnp(void **state)
{
	uint8_t o[BTH_LEN];
	struct bth b;

	(void)state;
	hex_bytes("8100ffff4000011800000000", o);
	bth_parse(o, &b);
	assert_int_equal(b.opcode, BTH_CNP);
	assert_int_equal(b.bits, BTH_BECN);
	assert_int_equal(b.pkey, 0xffff);
	assert_int_equal(b.qpn, 0x118);
	assert_int_equal(b.psn, 0);
}

static void any_bytes_come_back(void **state)
{
	const uint64_t seed = 5;
	struct prng rng;

	(void)state;
	print_message("seed %llu\n", (unsigned long long)seed);
	prng_init(&rng, seed, "bth_test");
	for (unsigned i = 0; i < 1000; i++) {
		uint8_t o[BTH_LEN], back[BTH_LEN];
		struct bth b;

		for (unsigned k = 0; k < BTH_LEN; k++)
			o[k] = (uint8_t)prng_u64(&rng);
		bth_parse(o, &b);
		bth_render(&b, back);
		assert_memory_equal(back, o, BTH_LEN);
	}
}

// standards.md 3.1, and the opcodes of other transports.
static void table_rows(void **state)
{
	static const struct {
		uint8_t opcode, kind, ext_len;
		uint16_t ext;
		const char *name;
	} want[] = {
		{0x00, PKT_DATA, 0, 0, "RC_SEND_FIRST"},
		{0x03, PKT_DATA, 4, BTH_EXT_IMM, "RC_SEND_LAST_IMM"},
		{0x06, PKT_DATA, 16, BTH_EXT_RETH, "RC_WRITE_FIRST"},
		{0x07, PKT_DATA, 0, 0, "RC_WRITE_MIDDLE"},
		{0x08, PKT_DATA, 0, 0, "RC_WRITE_LAST"},
		{0x0a, PKT_DATA, 16, BTH_EXT_RETH, "RC_WRITE_ONLY"},
		{0x0b, PKT_DATA, 20, BTH_EXT_RETH | BTH_EXT_IMM, "RC_WRITE_ONLY_IMM"},
		{0x0c, PKT_ROCE, 16, BTH_EXT_RETH, "RC_READ_REQUEST"},
		{0x0d, PKT_ROCE, 4, BTH_EXT_AETH, "RC_READ_FIRST"},
		{0x0e, PKT_ROCE, 0, 0, "RC_READ_MIDDLE"},
		{0x10, PKT_ROCE, 4, BTH_EXT_AETH, "RC_READ_ONLY"},
		{0x11, PKT_ACK, 4, BTH_EXT_AETH, "RC_ACK"},
		{0x12, PKT_ROCE, 12, BTH_EXT_AETH | BTH_EXT_ATOMIC_ACK, "RC_ATOMIC_ACK"},
		{0x13, PKT_ROCE, 28, BTH_EXT_ATOMIC, "RC_CMP_SWAP"},
		{0x17, PKT_DATA, 4, BTH_EXT_IETH, "RC_SEND_ONLY_INV"},
		{0x24, PKT_ROCE, 0, 0, "UC_SEND_ONLY"},
		{0x64, PKT_ROCE, 8, BTH_EXT_DETH, "UD_SEND_ONLY"},
		{0x65, PKT_ROCE, 12, BTH_EXT_DETH | BTH_EXT_IMM, "UD_SEND_ONLY_IMM"},
		{0x53, PKT_ROCE, 40, BTH_EXT_RDETH | BTH_EXT_DETH | BTH_EXT_ATOMIC, "RD_CMP_SWAP"},
		{0x81, PKT_CNP, 16, BTH_EXT_CNP, "CNP"},
		{0xa6, PKT_ROCE, 20, BTH_EXT_XRCETH | BTH_EXT_RETH, "XRC_WRITE_FIRST"},
		{0xc7, PKT_DATA, 16, BTH_EXT_RETH, "IRN_WRITE_MIDDLE"},
		{0xc9, PKT_DATA, 20, BTH_EXT_RETH | BTH_EXT_IMM, "IRN_WRITE_LAST_IMM"},
		{0xd1, PKT_ACK, 8, BTH_EXT_AETH | BTH_EXT_CAME, "IRN_NACK"},
		{0xc5, PKT_ROCE, 0, 0, "VENDOR"},
		{0xff, PKT_ROCE, 0, 0, "VENDOR"},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		const struct bth_op *op = &bth_ops[want[i].opcode];

		assert_string_equal(op->name, want[i].name);
		assert_int_equal(op->kind, want[i].kind);
		assert_int_equal(op->ext, want[i].ext | BTH_EXT_KNOWN);
		assert_int_equal(op->ext_len, want[i].ext_len);
		assert_int_equal(op->transport, want[i].opcode & 0xe0);
	}
	assert_int_equal(bth_ops[0x15].ext, 0);
	assert_null(bth_ops[0x80].name);
	assert_int_equal(bth_ops[0x60].ext, 0); // UD has SEND Only alone
}

static void syndromes(void **state)
{
	(void)state;
	assert_string_equal(bth_syndrome_name(AETH_ACK), "ACK");
	assert_string_equal(bth_syndrome_name(0), "ACK");
	assert_string_equal(bth_syndrome_name(AETH_RNR_NAK | 12), "RNR NAK");
	assert_string_equal(bth_syndrome_name(AETH_NAK_PSN), "NAK PSN sequence error");
	assert_string_equal(bth_syndrome_name(AETH_NAK_OPERATION), "NAK remote operational error");
	assert_string_equal(bth_syndrome_name(0x40), "reserved");
	assert_string_equal(bth_syndrome_name(0x7f), "reserved");
}

// standards.md 3.1.
static void source_ports(void **state)
{
	(void)state;
	assert_int_equal(bth_source_port(0x11, 0x12), 0xc132);
	assert_int_equal(bth_source_port(0x010101, 0x020202), 0xe45a);
	assert_int_equal(bth_source_port(0x020202, 0x010101), 0xe45a);
	assert_int_equal(bth_source_port(0xd2, 0x118), 0xe5b3);
	assert_int_equal(bth_source_port(1, 0x1face), 0xfac9);
	// 2^40: first down by 20, where the label does not see it, then by 40.
	assert_int_equal(bth_source_port(0x800000, 0x20000), 0xc001);
}

// A row's own lengths and offsets against the bytes that parse and render touch.
static void extensions_come_back(void **state)
{
	const uint64_t seed = 6;
	struct prng rng;

	(void)state;
	print_message("seed %llu\n", (unsigned long long)seed);
	prng_init(&rng, seed, "bth_test");
	for (unsigned opcode = 0; opcode < 256; opcode++) {
		const struct bth_op *op = &bth_ops[opcode];
		uint8_t o[BTH_LEN + BTH_EXT_MAX], back[BTH_EXT_MAX];
		struct bth_ext e;

		assert_true(op->ext_len <= BTH_EXT_MAX);
		for (unsigned k = 0; k < sizeof(o); k++)
			o[k] = (uint8_t)prng_u64(&rng);
		bth_ext_parse(o + BTH_LEN, (uint8_t)opcode, &e);
		assert_int_equal(bth_ext_render(&e, (uint8_t)opcode, back), op->ext_len);
		assert_memory_equal(back, o + BTH_LEN, op->ext_len);
		assert_int_equal(op->own_off != 0, (op->ext & (BTH_EXT_AETH | BTH_EXT_IMM)) != 0);
		if (op->own_off)
			assert_int_equal(get_be32(o + op->own_off),
				op->ext & BTH_EXT_AETH
					? (uint32_t)e.aeth.syndrome << 24 | e.aeth.msn
					: e.imm);
		assert_int_equal(op->arg_off, op->own_off ? 0 : op->len_off);
		assert_int_equal(op->len_off != 0, (op->ext & BTH_EXT_RETH) != 0);
		if (op->len_off)
			assert_int_equal(get_be32(o + op->len_off), e.reth.dma_len);
	}
}

static void reth_fields(void **state)
{
	uint8_t o[16];
	struct bth_ext e;

	(void)state;
	hex_bytes("1122334455667788 00aabbcc 00000040", o);
	bth_ext_parse(o, BTH_RC_WRITE_ONLY, &e);
	assert_true(e.reth.va == 0x1122334455667788ull);
	assert_int_equal(e.reth.rkey, 0xaabbcc);
	assert_int_equal(e.reth.dma_len, 64);
}

static void atomic_fields(void **state)
{
	uint8_t o[28];
	struct bth_ext e;

	(void)state;
	hex_bytes("0000000000001000 00000007 0000000000000001 ffffffffffffffff", o);
	bth_ext_parse(o, BTH_RC_CMP_SWAP, &e);
	assert_true(e.atomic.va == 0x1000);
	assert_int_equal(e.atomic.rkey, 7);
	assert_true(e.atomic.swap_add == 1);
	assert_true(e.atomic.compare == UINT64_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fields),
		cmocka_unit_test(captured_cnp),
		cmocka_unit_test(any_bytes_come_back),
		cmocka_unit_test(table_rows),
		cmocka_unit_test(syndromes),
		cmocka_unit_test(source_ports),
		cmocka_unit_test(extensions_come_back),
		cmocka_unit_test(reth_fields),
		cmocka_unit_test(atomic_fields),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
