// SPDX-License-Identifier: BSD-3-Clause
// The head of a block: its bytes as docs/formats.md has them, and back.
#include "evf_lab.h"

#include "evf/format.h"

static void a_head_has_its_bytes(void **state)
{
	const struct evf_block b = {.at = 99,
		.stored = 0x01020304,
		.n = 5,
		.numbers = 2,
		.first = 0x1122334455667788,
		.last = UINT64_MAX - 1,
		.types = 6};
	static const uint8_t want[EVF_BLOCK_BYTES] = {'E', 'V', 'B', 'K', 4, 3, 2, 1, 5, 0, 0, 0, 2,
		0, 0, 0, 0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11, 0xfe, 0xff, 0xff, 0xff,
		0xff, 0xff, 0xff, 0xff, 6};
	uint8_t bytes[EVF_BLOCK_BYTES];
	struct evf_block back;

	(void)state;
	evf_block_put(bytes, &b);
	assert_memory_equal(bytes, want, sizeof(want));
	assert_true(evf_block_get(&back, bytes, 99));
	assert_int_equal(back.at, 99);
	assert_int_equal(back.stored, b.stored);
	assert_int_equal(back.first, b.first);
	assert_int_equal(back.last, b.last);
	bytes[0]++;
	assert_false(evf_block_get(&back, bytes, 99));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_head_has_its_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
