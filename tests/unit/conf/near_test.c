// SPDX-License-Identifier: BSD-3-Clause
// Tests of conf/near: which of some names is meant by one that is not there.
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "conf/near.h"

// The hint without its first words.
static const char *nearest(const char *wanted, const char *const *names)
{
	static char hint[NEAR_NAME + 32];
	struct near n = near_to(wanted);

	for (; *names; names++)
		near_see(&n, *names);
	if (near_hint(&n, NULL, hint, sizeof(hint)) != hint)
		return "none";
	assert_memory_equal(hint, "; did you mean '", 16);
	hint[strlen(hint) - 2] = 0;
	return hint + 16;
}

#define NEAREST(wanted, ...) nearest(wanted, (const char *const[]){__VA_ARGS__, NULL})

static void a_mistyped_name_is_near(void **state)
{
	(void)state;
	assert_string_equal(NEAREST("reciever", "sender", "receiver"), "receiver");
	assert_string_equal(NEAREST("incst", "noise", "incast"), "incast");
	assert_string_equal(NEAREST("x", "noise", "incast"), "none");
	assert_string_equal(NEAREST("rr", "r"), "none");
}

static void a_name_that_goes_on_is_near(void **state)
{
	(void)state;
	assert_string_equal(NEAREST("first", "my-first", "first-light"), "first-light");
	assert_string_equal(NEAREST("light", "first-light", "noise"), "first-light");
	assert_string_equal(NEAREST("duration", "durations", "durration"), "durations");
	assert_string_equal(NEAREST("fi", "first-light"), "none");
}

static void the_nearest_number_of_a_row_is_near(void **state)
{
	(void)state;
	assert_string_equal(NEAREST("s2", "h1", "s1"), "s1");
	assert_string_equal(NEAREST("h9", "h1", "h2", "h4", "r"), "h4");
	assert_string_equal(NEAREST("h0", "h4", "h1"), "h1");
	assert_string_equal(NEAREST("s2", "s"), "none");
	assert_string_equal(NEAREST("2", "1"), "none");
	assert_string_equal(NEAREST("leaf3", "laef3", "leaf7"), "laef3");
	assert_string_equal(NEAREST("h99999999999999999999", "h1", "h2"), "none");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_mistyped_name_is_near),
		cmocka_unit_test(a_name_that_goes_on_is_near),
		cmocka_unit_test(the_nearest_number_of_a_row_is_near),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
