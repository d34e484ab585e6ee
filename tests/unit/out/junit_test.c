// SPDX-License-Identifier: BSD-3-Clause
// JUnit's XML: what each result becomes, and what XML escapes.
#include "out/out.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void a_suite_has_its_cases(void **state)
{
	struct err err;
	struct out o;
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	(void)state;
	assert_int_equal(out_stream(&o, f, "memory", &err), 0);
	junit_suite(&o, "a \"b\"", 4, 1, 1, 0.002);
	junit_case(&o, "a", "holds", JUNIT_PASSED, NULL);
	junit_case(&o, "a", "does < not", JUNIT_FAILURE, "x & y >\tz");
	junit_case(&o, "a", "cannot", JUNIT_ERROR, "why");
	junit_case(&o, "a", "was not", JUNIT_SKIPPED, "so");
	junit_suite_end(&o);
	assert_int_equal(out_close(&o, &err), 0);
	fclose(f);
	assert_string_equal(text,
		"<testsuite name=\"a &quot;b&quot;\" tests=\"4\" failures=\"1\" errors=\"1\" "
		"time=\"0.002000000\">\n"
		"  <testcase classname=\"a\" name=\"holds\"/>\n"
		"  <testcase classname=\"a\" name=\"does &lt; not\">\n"
		"    <failure message=\"x &amp; y &gt; z\"/>\n"
		"  </testcase>\n"
		"  <testcase classname=\"a\" name=\"cannot\">\n"
		"    <error message=\"why\"/>\n"
		"  </testcase>\n"
		"  <testcase classname=\"a\" name=\"was not\">\n"
		"    <skipped message=\"so\"/>\n"
		"  </testcase>\n"
		"</testsuite>\n");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(a_suite_has_its_cases)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
