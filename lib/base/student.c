// SPDX-License-Identifier: BSD-3-Clause
// Student's t: its distribution as a finite sum, the quantile by halving, and means.
#include "base/student.h"

#include <assert.h>
#include <math.h>

// The probability that |T| <= t. With theta = atan(t / sqrt df), s = sin theta and c = cos theta:
//   df even: s (1 + 1/2 c^2 + (1 3)/(2 4) c^4 + ... up to c^(df-2))
//   df odd:  2/pi (theta + s (c + 2/3 c^3 + (2 4)/(3 5) c^5 + ... up to c^(df-2)))
// (Abramowitz and Stegun 26.7.3, 26.7.4).
static double within(double t, unsigned df)
{
	double root = sqrt(t * t + df), s = t / root, square = df / (root * root);
	unsigned odd = df % 2;
	double term = odd ? sqrt(square) : 1, sum = 0;

	for (unsigned power = odd; power + 2 <= df; power += 2) {
		sum += term;
		term *= square * (power + 1) / (power + 2);
	}
	return odd ? M_2_PI * (atan(t / sqrt(df)) + s * sum) : s * sum;
}

double student_quantile(double p, unsigned df)
{
	double inside = fabs(2 * p - 1), low = 0, high = 1, middle;

	assert(p > 0 && p < 1 && df);
	while (within(high, df) < inside)
		high *= 2;
	while (middle = (low + high) / 2, low < middle && middle < high) {
		if (within(middle, df) < inside)
			low = middle;
		else
			high = middle;
	}
	return p < 0.5 ? -high : high;
}

void student_add(struct student_sum *sum, double v)
{
	double away = v - sum->mean;

	if (isnan(v))
		return;
	sum->n++;
	sum->least = sum->n == 1 || v < sum->least ? v : sum->least;
	sum->most = sum->n == 1 || v > sum->most ? v : sum->most;
	if (isinf(v) || isinf(sum->mean)) {
		sum->mean = INFINITY;
		return;
	}
	sum->mean += away / sum->n;
	sum->squares += away * (v - sum->mean);
}

double student_half(const struct student_sum *sum)
{
	if (sum->n < 2 || isinf(sum->mean))
		return NAN;
	return student_quantile(0.975, sum->n - 1) * sqrt(sum->squares / (sum->n - 1) / sum->n);
}
