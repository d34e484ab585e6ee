// SPDX-License-Identifier: BSD-3-Clause
// CNM bytes: the worked example of standards.md 1.3 and the units of 1.8.
#include "wire/cnm.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <cmocka.h>

#include "bytes.h"

// Q = 58000, Q_old = Q_eq = 26000, w = 2, priority 3.
static void worked_example(void **state)
{
	uint8_t o[32], back[CNM_LEN];
	unsigned n = hex_bytes("002e 0200000000010001 fe0c 01f4 6000 020000000099 0040", o);
	const uint8_t cpid[8] = {2, 0, 0, 0, 0, 1, 0, 1};
	const uint8_t dst[6] = {2, 0, 0, 0, 0, 0x99};
	struct cnm c;

	(void)state;
	assert_int_equal(n, CNM_LEN);
	cnm_parse(o, &c);
	assert_int_equal(c.version, 0);
	assert_int_equal(c.resv, 0);
	assert_int_equal(c.qntzfb, 46);
	assert_memory_equal(c.cpid, cpid, 8);
	assert_int_equal(c.qoffset, -500);
	assert_int_equal(c.qdelta, 500);
	assert_int_equal(c.priority >> 13, 3);
	assert_memory_equal(c.dst, dst, 6);
	assert_int_equal(c.msdu_len, 64);
	assert_int_equal(c.qoffset, cnm_units(26000 - 58000));
	assert_int_equal(c.qdelta, cnm_units(58000 - 26000));
	assert_int_equal(cnm_render(&c, back), CNM_LEN);
	assert_memory_equal(back, o, CNM_LEN);
}

static void every_bit_of_the_first_word(void **state)
{
	uint8_t o[CNM_LEN] = {0xa5, 0x5a}, back[CNM_LEN];
	struct cnm c;

	(void)state;
	cnm_parse(o, &c);
	assert_int_equal(c.version, 0xa);
	assert_int_equal(c.resv, 0x15);
	assert_int_equal(c.qntzfb, 0x1a);
	cnm_render(&c, back);
	assert_memory_equal(back, o, CNM_LEN);
}

static void units(void **state)
{
	(void)state;
	assert_int_equal(cnm_units(-4000), -62); // towards zero
	assert_int_equal(cnm_units(2000), 31);
	assert_int_equal(cnm_units(-74000), -1156);
	assert_int_equal(cnm_units(40000), 625);
	assert_int_equal(cnm_units(-19000), -296);
	assert_int_equal(cnm_units(64ll * 40000), INT16_MAX);
	assert_int_equal(cnm_units(-64ll * 40000), INT16_MIN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(worked_example),
		cmocka_unit_test(every_bit_of_the_first_word),
		cmocka_unit_test(units),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
