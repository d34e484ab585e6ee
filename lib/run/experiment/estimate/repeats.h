// SPDX-License-Identifier: BSD-3-Clause
// Repeats of one measurement, of which a few may be far off.
#pragma once

#include <stdbool.h>

#define REPEATS_MOST 256

struct repeats {
	unsigned n;
	double x[REPEATS_MOST];
	// More than a quarter of the repeats differ from the others, as where each may meet a long
	// loop: all repeats count.
	bool rough;
};

// Adds a repeat. There is no room for more than REPEATS_MOST.
void repeats_add(struct repeats *r, double x);
// 0 where there is none.
double repeats_mean(const struct repeats *r);
double repeats_median(const struct repeats *r);
// Half width of 95 % of the median, whatever the distribution: by the repeats that are as far from
// the ends as chance allows. Fewer than 6 repeats are all within it.
double repeats_median_error(const struct repeats *r);
// The standard deviation of one repeat; 0 of fewer than two.
double repeats_deviation(const struct repeats *r);
double repeats_least(const struct repeats *r);
double repeats_most(const struct repeats *r);
// Leaves out the repeats that are further than `width` from the median if they are a quarter of all
// at most, else says `rough`. `with` (NULL: none) has a value beside each.
void repeats_leave_out(struct repeats *r, double width, double *with);
