// SPDX-License-Identifier: BSD-3-Clause
// The soonest of a few instants against a linear search over random updates.
#include "run/soon.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <cmocka.h>

#include "base/prng.h"

static void soonest_is_known_after_every_update(void **state)
{
	(void)state;
	for (uint32_t n = 1; n <= 33; n += 8) {
		struct soon s;
		struct prng g;

		prng_init(&g, n, "soon");
		printf("n %u, seed %u\n", n, n);
		assert_int_equal(soon_init(&s, n), 0);
		assert_true(s.min == TSTAMP_NEVER);
		for (int round = 0; round < 20000; round++) {
			uint32_t slot = (uint32_t)prng_below(&g, n), best = 0;

			soon_set(&s, slot, prng_below(&g, 8) ? prng_below(&g, 16) : TSTAMP_NEVER);
			for (uint32_t i = 1; i < n; i++)
				if (s.key[i] < s.key[best])
					best = i;
			assert_int_equal(s.slot, best);
			assert_true(s.min == s.key[best]);
		}
		soon_fini(&s);
	}
}

static void nothing_to_choose_from_is_refused(void **state)
{
	struct soon s;

	(void)state;
	assert_int_equal(soon_init(&s, 0), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(soonest_is_known_after_every_update),
		cmocka_unit_test(nothing_to_choose_from_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
