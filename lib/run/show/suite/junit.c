// SPDX-License-Identifier: BSD-3-Clause
// junit.xml of a sheet: a testsuite of each row, a testcase of each criterion.
#include <math.h>

#include "suite.h"

static enum junit_result result_of(enum suite_verdict v)
{
	switch (v) {
	case SUITE_PASS:
		return JUNIT_PASSED;
	case SUITE_FAIL:
		return JUNIT_FAILURE;
	case SUITE_INVALID:
		return JUNIT_ERROR;
	default:
		return JUNIT_SKIPPED;
	}
}

static void put_line(struct out *o, const char *suite, const struct suite_line *l)
{
	char message[3 * SUITE_TEXT], limits[SUITE_TEXT], seen[SUITE_TEXT];

	if (l->why)
		snprintf(message, sizeof(message), "%s", l->why);
	else
		snprintf(message, sizeof(message), "saw %s; %s was expected",
			suite_seen(l, seen, sizeof(seen)), suite_limits(l, limits, sizeof(limits)));
	junit_case(o, suite, l->figure, result_of(l->verdict), message);
}

static void put_row(struct out *o, const struct suite_row *r)
{
	unsigned failures = 0, errors = 0;
	char suite[256];

	for (unsigned i = 0; i < r->n; i++) {
		failures += r->line[i].verdict == SUITE_FAIL;
		errors += r->line[i].verdict == SUITE_INVALID;
	}
	if (!r->n)
		errors = r->verdict == SUITE_INVALID;
	snprintf(suite, sizeof(suite), "%s/%s", r->suite, r->name);
	junit_suite(
		o, suite, r->n ? r->n : 1, failures, errors, isnan(r->scene_s) ? 0 : r->scene_s);
	for (unsigned i = 0; i < r->n; i++)
		put_line(o, suite, &r->line[i]);
	if (!r->n)
		junit_case(o, suite, r->stimulus, result_of(r->verdict),
			r->why ? r->why : suite_verdict_name[r->verdict]);
	junit_suite_end(o);
}

void suite_junit(const struct suite_sheet *s, struct out *o)
{
	out_str(o, JUNIT_HEAD "<testsuites>\n");
	for (unsigned i = 0; i < s->n; i++)
		put_row(o, &s->row[i]);
	out_str(o, "</testsuites>\n");
}
