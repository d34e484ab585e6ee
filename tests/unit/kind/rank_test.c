// SPDX-License-Identifier: BSD-3-Clause
// The first objects of each order: what a sort of all would put first, whatever is equal.
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/prng.h"
#include "kind/kind.h"

#define MOST 200

struct thing {
	double a, b;
	struct rank rank;
};

static double key_a(const void *o)
{
	return ((const struct thing *)o)->a;
}

static double key_b(const void *o)
{
	return ((const struct thing *)o)->b;
}

static const struct rank_order orders[] = {{"least", key_a, false}, {"cut", key_b, true}};

// How many come before object i in an order.
static unsigned before(const struct thing *t, unsigned n, unsigned i, double (*key)(const void *))
{
	unsigned sum = 0;

	for (unsigned k = 0; k < n; k++)
		sum += key(&t[k]) < key(&t[i]) || (key(&t[k]) == key(&t[i]) && k < i);
	return sum;
}

static void one_case(struct prng *g, unsigned seed)
{
	struct thing t[MOST] = {0};
	unsigned n = (unsigned)prng_below(g, MOST), first = (unsigned)prng_below(g, n + 3);
	uint64_t few = 1 + prng_below(g, 50);
	struct set set = {.object = t, .size = sizeof(t[0]), .n = n};

	for (unsigned i = 0; i < n; i++) {
		t[i].a = (double)prng_below(g, few) - 3;
		t[i].b = -(double)prng_below(g, few);
	}
	assert_int_equal(rank_list(&set, offsetof(struct thing, rank), first, orders, 2), 0);
	for (unsigned i = 0; i < n; i++) {
		bool a = before(t, n, i, key_a) < first;
		bool b = t[i].b < 0 && before(t, n, i, key_b) < first;

		const char *want = a && b ? "least, cut" : a ? "least" : b ? "cut" : "";

		if (strcmp(t[i].rank.orders, want) != 0)
			fail_msg("seed %u: object %u of %u is listed for '%s' and not '%s'", seed,
				i, n, t[i].rank.orders, want);
		assert_int_equal(t[i].rank.listed, a || b);
		assert_int_equal(t[i].rank.ranked, a || b);
		assert_true(!t[i].rank.listed_for == !(a || b));
	}
}

static void they_are_those_of_a_sort(void **state)
{
	(void)state;
	for (unsigned seed = 1; seed <= 2000; seed++) {
		struct prng g;

		prng_init(&g, seed, "rank");
		one_case(&g, seed);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(they_are_those_of_a_sort),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
