// SPDX-License-Identifier: BSD-3-Clause
// The verdicts of a sweep as JUnit's XML: a testsuite for each run, a testcase for each criterion.
#include "report/report.h"
#include "sweep.h"

#define NAME 256 // bytes of a run's name

// A run without figures has one testcase, which tells why.
static void put_empty(const struct sweep *s, unsigned run, const char *name, struct out *o)
{
	bool failed = s->row[run].state == SWEEP_ERROR;

	out_str(o, "<testsuite");
	report_junit_attribute(o, "name", name);
	out_printf(o, " tests=\"1\" failures=\"0\" errors=\"%d\" skipped=\"%d\" time=\"0\">\n",
		failed, !failed);
	out_str(o, "  <testcase");
	report_junit_attribute(o, "classname", name);
	report_junit_attribute(o, "name", "run");
	out_str(o, failed ? ">\n    <error" : ">\n    <skipped");
	report_junit_attribute(o, "message", failed ? s->row[run].err.text : "not run");
	out_str(o, "/>\n  </testcase>\n</testsuite>\n");
}

void sweep_junit(const struct sweep *s, struct out *o)
{
	char name[NAME];

	out_str(o, REPORT_JUNIT_HEAD "<testsuites>\n");
	for (unsigned i = 0; i < s->n_runs; i++) {
		if (s->suite[i])
			out_str(o, s->suite[i]);
		else
			put_empty(s, i, sweep_name(s, i, name, sizeof(name)), o);
	}
	out_str(o, "</testsuites>\n");
}
