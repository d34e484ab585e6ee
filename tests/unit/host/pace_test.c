// SPDX-License-Identifier: BSD-3-Clause
// Rates against known ones.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "host/int.h"

static void rates(void **state)
{
	(void)state;
	assert_float_equal(host_gbps(1250, 100 * PS_PER_NS), 100, 1e-9);
	assert_true(isnan(host_gbps(1250, 0))); // of no time there is no rate
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rates),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
