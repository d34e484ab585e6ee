// SPDX-License-Identifier: BSD-3-Clause
// JUnit's XML: attributes with their escapes, suites and cases.
#include "out.h"

void junit_attribute(struct out *o, const char *name, const char *text)
{
	static const char special[] = "&<>\"";
	static const char *const entity[] = {"&amp;", "&lt;", "&gt;", "&quot;"};

	out_printf(o, " %s=\"", name);
	for (; *text; text++) {
		const char *at = strchr(special, *text);

		if (at)
			out_str(o, entity[at - special]);
		else
			out_put(o, (unsigned char)*text < ' ' ? " " : text, 1);
	}
	out_str(o, "\"");
}

void junit_suite(struct out *o, const char *name, unsigned tests, unsigned failures,
	unsigned errors, double seconds)
{
	out_str(o, "<testsuite");
	junit_attribute(o, "name", name);
	out_printf(o, " tests=\"%u\" failures=\"%u\" errors=\"%u\" time=\"%.9f\">\n", tests,
		failures, errors, seconds);
}

void junit_case(struct out *o, const char *suite, const char *name, enum junit_result result,
	const char *message)
{
	static const char *const element[] = {
		[JUNIT_FAILURE] = "failure", [JUNIT_ERROR] = "error", [JUNIT_SKIPPED] = "skipped"};

	out_str(o, "  <testcase");
	junit_attribute(o, "classname", suite);
	junit_attribute(o, "name", name);
	if (result == JUNIT_PASSED) {
		out_str(o, "/>\n");
		return;
	}
	out_printf(o, ">\n    <%s", element[result]);
	junit_attribute(o, "message", message);
	out_str(o, "/>\n  </testcase>\n");
}

void junit_suite_end(struct out *o)
{
	out_str(o, "</testsuite>\n");
}
