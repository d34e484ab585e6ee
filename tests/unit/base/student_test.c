// SPDX-License-Identifier: BSD-3-Clause
// Quantiles of t against published tables, and against the closed forms of one and two degrees.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>

#include "base/student.h"

static void near(double value, double want, double within)
{
	if (!(fabs(value - want) <= within))
		fail_msg("%.9g, wanted %.9g", value, want);
}

// The usual table of critical values, to six digits behind the point.
static void quantiles_are_those_of_tables(void **state)
{
	static const struct {
		unsigned df;
		double t975, t995, t9995;
	} row[] = {{1, 12.706205, 63.656741, 636.619249}, {2, 4.302653, 9.924843, 31.599055},
		{3, 3.182446, 5.840909, 12.923979}, {5, 2.570582, 4.032143, 6.868827},
		{10, 2.228139, 3.169273, 4.586894}, {19, 2.093024, 2.860935, 3.883406},
		{20, 2.085963, 2.845340, 3.849516}, {30, 2.042272, 2.749996, 3.645959},
		{120, 1.979930, 2.617421, 3.373454}};

	(void)state;
	for (unsigned i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		near(student_quantile(0.975, row[i].df), row[i].t975, 5.1e-7);
		near(student_quantile(0.995, row[i].df), row[i].t995, 5.1e-7);
		near(student_quantile(0.9995, row[i].df), row[i].t9995, 5.1e-7);
		near(student_quantile(0.025, row[i].df), -row[i].t975, 5.1e-7);
	}
}

// One degree: tan(pi (p - 1/2)). Two: (2 p - 1) / sqrt(2 p (1 - p)).
static void few_degrees_have_closed_forms(void **state)
{
	static const double p[] = {0.5, 0.6, 0.9, 0.99, 0.999, 0.9999, 0.999999};

	(void)state;
	for (unsigned i = 0; i < sizeof(p) / sizeof(p[0]); i++) {
		double one = tan(M_PI * (p[i] - 0.5));
		double two = (2 * p[i] - 1) / sqrt(2 * p[i] * (1 - p[i]));

		near(student_quantile(p[i], 1), one, 1e-9 * (1 + one));
		near(student_quantile(p[i], 2), two, 1e-9 * (1 + two));
	}
}

// With many degrees it nears z of the normal distribution, by (z^3 + z) / (4 df) (Abramowitz and
// Stegun 26.7.5).
static void many_degrees_are_nearly_normal(void **state)
{
	const double z = 1.959963984540054; // at 0.975

	(void)state;
	for (unsigned df = 9999; df <= 10000; df++)
		near(student_quantile(0.975, df), z + (z * z * z + z) / (4.0 * df), 1e-7);
}

// Of 1, 2 and 3 the mean is 2 and the standard deviation 1, and t has two degrees of freedom.
static void the_interval_of_a_mean(void **state)
{
	struct student_sum sum = {0};

	(void)state;
	assert_true(isnan(student_half(&sum)));
	student_add(&sum, 1);
	student_add(&sum, NAN);
	assert_true(sum.n == 1 && isnan(student_half(&sum)));
	student_add(&sum, 3);
	student_add(&sum, 2);
	near(sum.mean, 2, 1e-12);
	near(student_half(&sum), student_quantile(0.975, 2) / sqrt(3), 1e-12);
	assert_true(sum.least == 1 && sum.most == 3);
	student_add(&sum, INFINITY);
	assert_true(isinf(sum.mean) && isnan(student_half(&sum)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(quantiles_are_those_of_tables),
		cmocka_unit_test(few_degrees_have_closed_forms),
		cmocka_unit_test(many_degrees_are_nearly_normal),
		cmocka_unit_test(the_interval_of_a_mean),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
