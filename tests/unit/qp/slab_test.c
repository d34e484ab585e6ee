// SPDX-License-Identifier: BSD-3-Clause
// Objects in pieces that double: none moves, each is zeroed and by itself.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "qp/int.h"

#define OBJECTS 1000u

static void objects_stay_where_they_are(void **state)
{
	static const uint32_t size[] = {24, 64, 192};
	void *all[OBJECTS];

	(void)state;
	for (unsigned k = 0; k < sizeof(size) / sizeof(size[0]); k++) {
		const char zero[192] = {0};
		struct nic_slab s = {.size = size[k], .least = 2};

		for (uint32_t i = 0; i < OBJECTS; i++) {
			all[i] = nic_slab_get(&s);
			assert_non_null(all[i]);
			assert_memory_equal(all[i], zero, size[k]);
			if (size[k] % 64 == 0)
				assert_int_equal((uintptr_t)all[i] % 64, 0);
			memset(all[i], (int)(1 + i % 255), size[k]);
		}
		assert_true(s.pieces < 10);
		for (uint32_t i = 0; i < OBJECTS; i++) {
			const uint8_t *o = nic_slab_at(&s, i);

			assert_ptr_equal(o, all[i]);
			for (uint32_t b = 0; b < size[k]; b++)
				assert_int_equal(o[b], 1 + i % 255);
		}
		nic_slab_fini(&s);
	}
}

static void the_last_one_can_be_taken_back(void **state)
{
	struct nic_slab s = {.size = 64, .least = 2};
	uint64_t *o, *again;

	(void)state;
	for (unsigned i = 0; i < 5; i++) // the fifth begins a piece
		o = nic_slab_get(&s);
	*o = 7;
	nic_slab_unget(&s);
	again = nic_slab_get(&s);
	assert_ptr_equal(again, o);
	assert_int_equal(*again, 0);
	nic_slab_fini(&s);
}

static size_t told;

static void tell(void *memory, size_t bytes)
{
	assert_non_null(memory);
	told += bytes;
}

// Whoever knows of larger pages is told of pieces that have room for some, and of no others.
static void large_pieces_are_told(void **state)
{
	struct nic_slab s = {.size = 256, .large = tell};
	unsigned n = 0;

	(void)state;
	told = 0;
	while (!told && n < 1 << 16) {
		assert_non_null(nic_slab_get(&s));
		n++;
	}
	assert_true(told >= NIC_SLAB_LARGE);
	assert_true(n * 256ul >= NIC_SLAB_LARGE - NIC_SLAB_LARGE / 8);
	nic_slab_fini(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(objects_stay_where_they_are),
		cmocka_unit_test(the_last_one_can_be_taken_back),
		cmocka_unit_test(large_pieces_are_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
