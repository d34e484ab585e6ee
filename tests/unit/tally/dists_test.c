// SPDX-License-Identifier: BSD-3-Clause
// Distributions take the memory that their values need.
#include "net_each.h"

#include <sys/mman.h>
#include <unistd.h>

#include "tally/int.h"

#define MANY 1000
#define PAGE 4096ul

static struct hist *dist[MANY];

// Whole pages of all of them that are in memory.
static size_t pages_of_all(void)
{
	size_t all = 0;

	for (unsigned i = 0; i < MANY; i++) {
		uintptr_t from = ((uintptr_t)dist[i] + PAGE - 1) / PAGE * PAGE;
		size_t pages = ((uintptr_t)(dist[i] + 1) - from) / PAGE;
		unsigned char seen[sizeof(struct hist) / PAGE + 2];

		assert_int_equal(mincore((void *)from, pages * PAGE, seen), 0);
		for (size_t k = 0; k < pages; k++)
			all += seen[k] & 1;
	}
	return all;
}

// One value touches two pages, the page of the sums and the page of its bucket.
static void a_value_takes_a_page_of_its_own(void **state)
{
	size_t before;

	(void)state;
	assert_int_equal(sysconf(_SC_PAGESIZE), PAGE);
	for (unsigned i = 0; i < MANY; i++)
		assert_true(record_hist_make(n.rec, &dist[i]));
	before = pages_of_all();
	assert_in_range(before, 0, MANY / 10);
	for (unsigned i = 0; i < MANY; i++)
		hist_add(dist[i], 5 * PS_PER_US, 1);
	assert_in_range(pages_of_all() - before, 0, 2 * MANY);
}

// Each is empty, and stands apart from the others.
static void they_are_empty_and_apart(void **state)
{
	(void)state;
	for (unsigned i = 0; i < MANY; i++) {
		assert_true(record_hist_make(n.rec, &dist[i]));
		assert_true(!dist[i]->n && !dist[i]->max && !dist[i]->bucket[HIST_BUCKETS - 1]);
		hist_add(dist[i], UINT64_MAX, i + 1);
	}
	for (unsigned i = 0; i < MANY; i++)
		assert_true(dist[i]->n == i + 1 && dist[i]->bucket[HIST_BUCKETS - 1] == i + 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			a_value_takes_a_page_of_its_own, open_lab, close_lab),
		cmocka_unit_test_setup_teardown(they_are_empty_and_apart, open_lab, close_lab),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
