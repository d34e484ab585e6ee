// SPDX-License-Identifier: BSD-3-Clause
// Messages of a size: in a list or in histograms, they give the same distributions.
#include "record_lab.h"

#include "base/prng.h"
#include "tally/int.h"

// `n` messages of a size, and the same by themselves.
static void n_messages(unsigned n)
{
	static struct hist got[3], want[3];
	struct hist *h[] = {&got[0], &got[1], &got[2]};
	struct record r = {.n_sizes = 1, .size = calloc(1, sizeof(struct rec_size))};
	struct prng g;

	assert_non_null(r.size);
	prng_init(&g, n, "size");
	for (unsigned i = 0; i < 3; i++) {
		hist_init(&got[i]);
		hist_init(&want[i]);
	}
	for (unsigned i = 0; i < n; i++) {
		const struct rec_times t = {prng_below(&g, 1u << 30), prng_below(&g, 1u << 30),
			i % 3 ? prng_below(&g, 100000) : REC_NO_SLOWDOWN};

		hist_add(&want[0], t.fct, 1);
		hist_add(&want[1], t.posted, 1);
		if (i % 3)
			hist_add(&want[2], t.slowdown, 1);
		record_size_done(&r, r.size, &t);
		assert_int_equal(record_size_messages(r.size), i + 1);
		assert_int_equal(r.size->fct != NULL, i >= 64);
	}
	record_size_merge(r.size, h);
	assert_memory_equal(got, want, sizeof(got));
	record_sizes_free(&r);
	record_dists_free(&r);
}

static void few_messages_are_in_no_histogram(void **state)
{
	(void)state;
	for (unsigned n = 0; n < 70; n++)
		n_messages(n);
	n_messages(1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(few_messages_are_in_no_histogram)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
