// SPDX-License-Identifier: BSD-3-Clause
// Figures over many values: their distribution, ranks among them, a share of them.
#pragma once

#include "base/hist.h"

// Distribution of times or ratios; n 0: nothing was seen and the rest means nothing.
struct kind_dist {
	const struct hist *from; // NULL: it is gone
	double unit;             // of the histogram's values, in the figures' own
	uint64_t n;
	double mean, min, p1, p50, p90, p95, p99, p999, max;
};

// Values of several flows: 1 %, half and 99 % of them are no larger. NAN: there is none.
struct kind_among {
	double p1, p50, p99;
};

// Figures of h divided by `unit`. NULL: none.
struct kind_dist kind_dist(const struct hist *h, double unit);
// Like kind_dist(), for a histogram to which a node may add meanwhile, and which may be freed
// later.
struct kind_dist kind_dist_look(const struct hist *h, double unit);
// Sorts x. Elements that are NAN do not count.
struct kind_among kind_among(double *x, unsigned n);
double kind_ratio(uint64_t part, uint64_t whole); // NAN: of nothing
