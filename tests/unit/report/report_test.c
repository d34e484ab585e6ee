// SPDX-License-Identifier: BSD-3-Clause
// The report of a run: its verdicts and figures, and questions to it by path.
#include "record_lab.h"

#include <math.h>

#include "report/int.h"
#include "summary/summary.h"

static void it_tells_what_the_run_was(void **state)
{
	struct lab l;
	char line[160];

	(void)state;
	lab_open(&l, LAB_TWO_TO_ONE);
	assert_int_equal(lab_run(&l, NULL, 0, false), 0);
	assert_true(report_passed(l.rec));
	assert_true(verdict_conserved(l.rec->sum));
	assert_false(report_interrupted(l.rec));
	assert_false(report_spoilt(l.rec));
	assert_null(report_crash(l.rec));
	assert_string_equal(report_failure(l.rec, line, sizeof(line)), "");
	assert_non_null(strstr(report_text(l.rec), "two-to-one"));
	assert_float_equal(report_value(l.rec, "total.goodput_gbps"),
		report_value(l.rec, "flow.incast[h1>r.0].goodput_gbps") +
			report_value(l.rec, "flow.incast[h2>r.0].goodput_gbps"),
		1e-6);
	assert_true(isnan(report_value(l.rec, "total.no_such_figure")));
	lab_close(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_tells_what_the_run_was),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
