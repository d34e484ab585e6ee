// SPDX-License-Identifier: BSD-3-Clause
// Tests of the NIC's timing heap against a plain array.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/prng.h"
#include "nic/heap.h"

#define IDS 50u

static void empty(void **state)
{
	(void)state;

	struct nic_heap h;

	assert_int_equal(nic_heap_init(&h, 0), 0);
	assert_int_equal(nic_heap_first(&h), TSTAMP_NEVER);
	assert_int_equal(nic_heap_grow(&h, 2), 0);
	nic_heap_set(&h, 1, TSTAMP_NEVER);
	assert_int_equal(nic_heap_first(&h), TSTAMP_NEVER);
	nic_heap_set(&h, 1, 7);
	assert_int_equal(nic_heap_first(&h), 7);
	assert_int_equal(nic_heap_first_id(&h), 1);
	assert_int_equal(nic_heap_at(&h, 0), TSTAMP_NEVER);
	nic_heap_set(&h, 1, TSTAMP_NEVER);
	assert_int_equal(nic_heap_first(&h), TSTAMP_NEVER);
	nic_heap_fini(&h);
}

static void growing_keeps_items(void **state)
{
	(void)state;

	struct nic_heap h;

	assert_int_equal(nic_heap_init(&h, 1), 0);
	nic_heap_set(&h, 0, 5);
	assert_int_equal(nic_heap_grow(&h, 3), 0);
	nic_heap_set(&h, 2, 4);
	assert_int_equal(nic_heap_first_id(&h), 2);
	assert_int_equal(nic_heap_at(&h, 0), 5);
	nic_heap_fini(&h);
}

// Random moves; after each the first item is the least of a plain array, and each item's instant
// holds.
static void against_array(void **state)
{
	(void)state;

	for (uint64_t seed = 1; seed <= 10; seed++) {
		tstamp at[IDS];
		struct prng g;
		struct nic_heap h;

		print_message("seed %lu\n", (unsigned long)seed);
		prng_init(&g, seed, "heap");
		assert_int_equal(nic_heap_init(&h, IDS), 0);
		for (unsigned i = 0; i < IDS; i++)
			at[i] = TSTAMP_NEVER;
		for (unsigned step = 0; step < 4000; step++) {
			uint32_t id = (uint32_t)prng_below(&g, IDS);
			tstamp least = TSTAMP_NEVER;

			at[id] = prng_below(&g, 4) ? prng_below(&g, 100) : TSTAMP_NEVER;
			nic_heap_set(&h, id, at[id]);
			for (unsigned i = 0; i < IDS; i++) {
				least = tstamp_min(least, at[i]);
				assert_int_equal(nic_heap_at(&h, i), at[i]);
			}
			assert_int_equal(nic_heap_first(&h), least);
			if (least != TSTAMP_NEVER)
				assert_int_equal(at[nic_heap_first_id(&h)], least);
		}
		nic_heap_fini(&h);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(empty),
		cmocka_unit_test(growing_keeps_items),
		cmocka_unit_test(against_array),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
