// SPDX-License-Identifier: BSD-3-Clause
// A sampler takes the maxima of periods while another thread adds values: none is lost.
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/hist.h"

#ifndef ROUNDS
#define ROUNDS 200000
#endif

static struct hist h; // 43 KB
static atomic_bool done;

static void *adds_rising_values(void *arg)
{
	(void)arg;
	for (uint64_t v = 1; v <= ROUNDS; v++)
		hist_add(&h, v, 1);
	atomic_store_explicit(&done, true, memory_order_relaxed);
	return NULL;
}

static void the_last_value_is_in_some_period(void **state)
{
	uint64_t most = 0;
	pthread_t adder;

	(void)state;
	hist_init(&h);
	assert_int_equal(pthread_create(&adder, NULL, adds_rising_values, NULL), 0);
	while (!atomic_load_explicit(&done, memory_order_relaxed)) {
		uint64_t max = hist_take_max(&h);

		assert_true(max == 0 || max > most);
		most = max ? max : most;
	}
	pthread_join(adder, NULL);
	if (most < ROUNDS)
		most = hist_take_max(&h);
	assert_int_equal(most, ROUNDS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_last_value_is_in_some_period),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
