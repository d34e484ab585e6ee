// SPDX-License-Identifier: BSD-3-Clause
// Order of events: against a plain stable sort, over sizes, degrees of disorder and equal instants.
#include "record/evsort.h"

#include <stdlib.h>
#include <string.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <cmocka.h>

#include "base/prng.h"

enum { N = 3000 };

static struct ev e[N], want[N], room[N];

// A stable sort that is too simple to be wrong.
static void plain(struct ev *v, size_t n)
{
	for (size_t i = 1; i < n; i++)
		for (size_t j = i; j && evsort_before(&v[j], &v[j - 1]); j--) {
			struct ev x = v[j];

			v[j] = v[j - 1];
			v[j - 1] = x;
		}
}

static void is_a_stable_sort(void **state)
{
	static const size_t sizes[] = {0, 1, 2, 15, 16, 17, 31, 33, 64, 1000, N};
	struct prng g;

	(void)state;
	prng_init(&g, 7, "evsort");
	for (unsigned s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++)
		for (unsigned disorder = 0; disorder < 3; disorder++) {
			size_t n = sizes[s];

			for (size_t i = 0; i < n; i++)
				e[i] = (struct ev){
					.t = (disorder < 2 ? i : 0) +
					     prng_below(&g, disorder ? 50 : 1),
					.node = (uint32_t)prng_below(&g, 3),
					.fdb = {.key = i},
				};
			memcpy(want, e, n * sizeof(*e));
			plain(want, n);
			evsort(e, n, room);
			assert_memory_equal(e, want, n * sizeof(*e));
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(is_a_stable_sort),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
