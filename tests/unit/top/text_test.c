// SPDX-License-Identifier: BSD-3-Clause
// Numbers as columns show them: they stay short, and their letters are those of thousands.
#include "top/text.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

static void is(enum top_form form, double value, const char *want)
{
	char buf[TOP_TEXT];

	assert_string_equal(top_text(buf, form, value), want);
}

static void each_form_has_its_unit(void **state)
{
	(void)state;
	is(FORM_GBPS, 24.114, "24.11");
	is(FORM_GBPS, 399.96, "400.0");
	is(FORM_GBPS, 1234.5, "1234");
	is(FORM_LINK, 25, "25G");
	is(FORM_LINK, 2.5, "2.5G");
	is(FORM_LINK, 0.1, "100M");
	is(FORM_PERCENT, 12.34, "12.3%");
	is(FORM_COUNT, 0, "0");
	is(FORM_COUNT, 7.25, "7.2");
	is(FORM_COUNT, 999.4, "999");
	is(FORM_COUNT, 999.5, "1.00k");
	is(FORM_COUNT, 12345, "12.3k");
	is(FORM_COUNT, 123456, "123k");
	is(FORM_COUNT, 9999999, "10.0M");
	is(FORM_BYTES, 999, "999");
	is(FORM_BYTES, 81234, "81.2K");
	is(FORM_BYTES, 4e6, "4.00M");
	is(FORM_RATIO, 0.1808, "0.181");
	is(FORM_GBPS, NAN, "-");
}

static void no_number_is_longer_than_its_column(void **state)
{
	char buf[TOP_TEXT];

	(void)state;
	for (double v = 1e-3; v < 1e15; v *= 1.01) {
		assert_true(strlen(top_text(buf, FORM_COUNT, v)) <= 5);
		assert_true(strlen(top_text(buf, FORM_BYTES, v)) <= 5);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_form_has_its_unit),
		cmocka_unit_test(no_number_is_longer_than_its_column),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
