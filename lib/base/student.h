// SPDX-License-Identifier: BSD-3-Clause
// Student's t distribution: its quantiles, and the interval of a mean.
#pragma once

// The value below which t lies with probability `p`, 0 < p < 1, with df >= 1 degrees of freedom.
double student_quantile(double p, unsigned df);

// A sample of values. It begins as zeros.
struct student_sum {
	unsigned n;
	double mean;    // INFINITY: one of the values is
	double squares; // of the distances from the mean, summed
	double least, most;
};

// Adds a value; NAN is none.
void student_add(struct student_sum *sum, double v);
// Half of the 95 % interval of the mean by Student's t; NAN: there is none.
double student_half(const struct student_sum *sum);
