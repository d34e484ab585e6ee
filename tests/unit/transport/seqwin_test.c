// SPDX-License-Identifier: BSD-3-Clause
// The order of numbered frames: what is lost, late and doubled, over wraps, against a naive model
// that remembers every frame.
#include "transport/seqwin.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/prng.h"

static struct seqwin of(const uint32_t *number, unsigned n, unsigned bits)
{
	struct seqwin w = {0};

	for (unsigned i = 0; i < n; i++)
		seqwin_rx(&w, number[i], bits);
	return w;
}

#define OF(bits, ...)                       \
	of((const uint32_t[]){__VA_ARGS__}, \
		sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t), bits)

static void each_is_told_once(void **state)
{
	struct seqwin w = OF(16, 5, 6, 9, 7, 7, 10, 9);

	(void)state;
	assert_int_equal(w.frames, 7);
	assert_int_equal(w.lost, 1); // 8
	assert_int_equal(w.out_of_order, 1);
	assert_int_equal(w.duplicates, 2);
	w = OF(32, 0xfffffffe, 0xffffffff, 1, 0, 2);
	assert_int_equal(w.lost, 0);
	assert_int_equal(w.out_of_order, 1);
	assert_int_equal(w.duplicates, 0);
	w = OF(16, 0xfffe, 1, 2); // 0xffff and 0
	assert_int_equal(w.lost, 2);
	// Beyond the window one that comes late and one that comes twice are alike.
	w = OF(16, 0, 1, 2 + SEQWIN, 1);
	assert_int_equal(w.lost, SEQWIN - 1);
	assert_int_equal(w.out_of_order, 1);
}

// A number of before the wrap is not taken for one of this turn.
static void the_window_is_emptied(void **state)
{
	struct seqwin w = {0};

	(void)state;
	for (uint32_t i = 0; i < 3 * 65536; i++)
		if (i % 97)
			seqwin_rx(&w, i & 0xffff, 16);
	assert_int_equal(w.duplicates, 0);
	assert_int_equal(w.out_of_order, 0);
	assert_int_equal(w.lost, (3 * 65536 - 1) / 97);
}

static void numbers_that_do_not_count_are_known(void **state)
{
	struct seqwin w = {0};
	struct prng g;

	(void)state;
	prng_init(&g, 1, "seqwin");
	for (unsigned i = 0; i < 100; i++)
		seqwin_rx(&w, 0, 16); // as Linux sends where it never fragments
	assert_false(seqwin_counts(&w));
	w = (struct seqwin){0};
	for (unsigned i = 0; i < 1000; i++)
		seqwin_rx(&w, prng_u32(&g) & 0xffff, 16);
	assert_false(seqwin_counts(&w));
	w = (struct seqwin){0};
	for (unsigned i = 0; i < 1000; i++)
		if (prng_below(&g, 10)) // nine in ten are lost
			continue;
		else
			seqwin_rx(&w, i, 16);
	assert_true(seqwin_counts(&w));
	w = OF(16, 1, 2, 3);
	assert_false(seqwin_counts(&w)); // too few
}

struct put {
	uint32_t at, order, number;
};

static int by_instant(const void *a, const void *b)
{
	const struct put *x = a, *y = b;

	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	return (x->order > y->order) - (x->order < y->order);
}

// Frames are lost, doubled and put off by up to 100 numbers; the model remembers each.
static void run_random(uint64_t seed)
{
	enum { N = 20000 };
	static struct put put[2 * N];
	static bool came[N];
	struct seqwin w = {0};
	unsigned bits = seed % 2 ? 16 : 32, n = 0, sent = 0, twice = 0, late = 0;
	uint32_t first = (uint32_t)(seed * 0x12345677), high = 0;
	uint32_t mask = (uint32_t)((UINT64_C(1) << bits) - 1);
	struct prng g;

	prng_init(&g, seed, "seqwin");
	memset(came, 0, sizeof(came));
	for (uint32_t i = 0; i < N; i++)
		for (unsigned copies = prng_below(&g, 20) ? 1 : 2; copies; copies--) {
			bool put_off = i && !prng_below(&g, 10);

			if (i && !prng_below(&g, 10))
				continue;
			put[n] = (struct put){.at = i, .order = n, .number = i};
			put[n++].at += put_off ? (uint32_t)prng_below(&g, 100) : 0;
		}
	qsort(put, n, sizeof(*put), by_instant);
	for (unsigned i = 0; i < n; i++) {
		uint32_t number = put[i].number;

		seqwin_rx(&w, (first + number) & mask, bits);
		twice += came[number];
		late += !came[number] && number < high;
		came[number] = true;
		high = number > high ? number : high;
	}
	for (uint32_t i = 0; i <= high; i++)
		sent += came[i];
	assert_int_equal(w.frames, n);
	assert_int_equal(w.duplicates, twice);
	assert_int_equal(w.out_of_order, late);
	assert_int_equal(w.lost, high + 1 - sent);
	assert_true(seqwin_counts(&w));
}

static void as_the_model(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 4; seed++) {
		printf("seed %llu\n", (unsigned long long)seed);
		run_random(seed);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_is_told_once),
		cmocka_unit_test(the_window_is_emptied),
		cmocka_unit_test(numbers_that_do_not_count_are_known),
		cmocka_unit_test(as_the_model),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
