// SPDX-License-Identifier: BSD-3-Clause
// Extension headers of every opcode: fields, lengths and offsets as the table has them, bytes and
// back.
#include "wire/bth.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <cmocka.h>

#include "base/prng.h"
#include "bytes.h"
#include "wire/eth.h"

// What a row says of itself: lengths and offsets against the bytes that parse and render touch.
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
		assert_int_equal(op->aeth_off != 0, (op->ext & BTH_EXT_AETH) != 0);
		if (op->aeth_off)
			assert_int_equal(get_be32(o + op->aeth_off),
				(uint32_t)e.aeth.syndrome << 24 | e.aeth.msn);
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
		cmocka_unit_test(extensions_come_back),
		cmocka_unit_test(reth_fields),
		cmocka_unit_test(atomic_fields),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
