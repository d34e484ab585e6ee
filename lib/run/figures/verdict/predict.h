// SPDX-License-Identifier: BSD-3-Clause
// Where one more value is expected beside n values of the same kind: Student's prediction interval.
#pragma once

#pragma GCC visibility push(hidden)

// How values are transformed before their mean and deviation are taken, so that they scatter about
// evenly to both sides.
enum predict_scale {
	PREDICT_LOG,  // log x, for times, sizes and rates; as PREDICT_ROOT where a value is 0
	PREDICT_ROOT, // 2 sqrt(x + 3/8), for counts (Anscombe 1948)
	// log(x / (1 - x)), for shares of 1. Values within 1e-6 of 0 or 1 count as if they were
	// 1e-6 away.
	PREDICT_LOGIT,
};

struct predict {
	double middle, low, high;
};

// The values are 0 or more, and n is 2 or more. If they and the next value are normally distributed
// on that scale, the next one lies outside low..high with probability `alarm`. `middle` is the mean
// on that scale, transformed back.
struct predict predict_next(const double *x, unsigned n, enum predict_scale scale, double alarm);

#pragma GCC visibility pop
