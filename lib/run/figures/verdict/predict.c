// SPDX-License-Identifier: BSD-3-Clause
// The prediction interval of one more value, and the scales on which it is taken.
#include "predict.h"

#include <assert.h>
#include <math.h>

#include "base/student.h"

#define EDGE 1e-6 // of shares

static double to_scale(enum predict_scale scale, double x)
{
	switch (scale) {
	case PREDICT_LOG:
		return log(x);
	case PREDICT_ROOT:
		return 2 * sqrt(x + 0.375);
	default:
		x = x < EDGE ? EDGE : x > 1 - EDGE ? 1 - EDGE : x;
		return log(x / (1 - x));
	}
}

static double from_scale(enum predict_scale scale, double y)
{
	switch (scale) {
	case PREDICT_LOG:
		return exp(y);
	case PREDICT_ROOT:
		y = y < 0 ? 0 : y * y / 4 - 0.375;
		return y < 0 ? 0 : y;
	default:
		return 1 / (1 + exp(-y));
	}
}

// mean +- t s sqrt(1 + 1/n), t with n - 1 degrees of freedom (Whitmore, The American Statistician
// 40, 1986; Hahn and Meeker, Statistical Intervals, 1991, chapter 4).
struct predict predict_next(const double *x, unsigned n, enum predict_scale scale, double alarm)
{
	double mean = 0, squares = 0, half;

	assert(n >= 2);
	for (unsigned i = 0; i < n && scale == PREDICT_LOG; i++)
		if (!(x[i] > 0))
			scale = PREDICT_ROOT;
	for (unsigned i = 0; i < n; i++)
		mean += to_scale(scale, x[i]) / n;
	for (unsigned i = 0; i < n; i++) {
		double off = to_scale(scale, x[i]) - mean;

		squares += off * off;
	}
	half = student_quantile(1 - alarm / 2, n - 1) * sqrt(squares / (n - 1) * (1 + 1.0 / n));
	return (struct predict){.middle = from_scale(scale, mean),
		.low = from_scale(scale, mean - half),
		.high = from_scale(scale, mean + half)};
}
