// SPDX-License-Identifier: BSD-3-Clause
// Distributions from histograms, ranks among values, shares.
#include "dist.h"

#include <math.h>
#include <stdlib.h>

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

// Returns the smallest of n sorted values that at least `percent` of them do not exceed.
static double at_rank(const double *x, unsigned n, unsigned percent)
{
	return n ? x[((uint64_t)n * percent + 99) / 100 - 1] : NAN;
}

struct kind_among kind_among(double *x, unsigned n)
{
	unsigned known = 0;

	for (unsigned i = 0; i < n; i++)
		if (!isnan(x[i]))
			x[known++] = x[i];
	qsort(x, known, sizeof(*x), by_value);
	return (struct kind_among){
		at_rank(x, known, 1), at_rank(x, known, 50), at_rank(x, known, 99)};
}

struct kind_dist kind_dist(const struct hist *h, double unit)
{
	if (!h || !h->n)
		return (struct kind_dist){0};
	return (struct kind_dist){
		.from = h,
		.unit = unit,
		.n = h->n,
		.mean = hist_mean(h) / unit,
		.min = (double)hist_min(h) / unit,
		.p1 = (double)hist_quantile(h, 10) / unit,
		.p50 = (double)hist_quantile(h, 500) / unit,
		.p90 = (double)hist_quantile(h, 900) / unit,
		.p95 = (double)hist_quantile(h, 950) / unit,
		.p99 = (double)hist_quantile(h, 990) / unit,
		.p999 = (double)hist_quantile(h, 999) / unit,
		.max = (double)h->max / unit,
	};
}

struct kind_dist kind_dist_look(const struct hist *h, double unit)
{
	struct hist *seen;
	struct kind_dist d;

	if (!h || !h->n)
		return (struct kind_dist){0};
	seen = malloc(sizeof(*seen));
	if (!seen)
		return (struct kind_dist){.mean = NAN,
			.min = NAN,
			.p1 = NAN,
			.p50 = NAN,
			.p90 = NAN,
			.p95 = NAN,
			.p99 = NAN,
			.p999 = NAN,
			.max = NAN};
	hist_look(seen, h, UINT64_MAX);
	d = kind_dist(seen, unit);
	d.from = NULL;
	free(seen);
	return d;
}

double kind_ratio(uint64_t part, uint64_t whole)
{
	return whole ? (double)part / (double)whole : NAN;
}
