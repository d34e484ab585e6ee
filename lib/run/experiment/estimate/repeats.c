// SPDX-License-Identifier: BSD-3-Clause
// Repeats of one measurement: their middle, their deviation, and repeats that are far off.
#include "repeats.h"

#include <math.h>
#include <stdlib.h>

void repeats_add(struct repeats *r, double x)
{
	if (r->n < REPEATS_MOST)
		r->x[r->n++] = x;
}

double repeats_mean(const struct repeats *r)
{
	double sum = 0;

	for (unsigned k = 0; k < r->n; k++)
		sum += r->x[k];
	return r->n ? sum / r->n : 0;
}

double repeats_deviation(const struct repeats *r)
{
	double m = repeats_mean(r), squares = 0;

	for (unsigned k = 0; k < r->n; k++)
		squares += (r->x[k] - m) * (r->x[k] - m);
	return r->n > 1 ? sqrt(squares / (r->n - 1)) : 0;
}

static int by_size(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static struct repeats sorted_of(const struct repeats *r)
{
	struct repeats sorted = *r;

	qsort(sorted.x, sorted.n, sizeof(*sorted.x), by_size);
	return sorted;
}

double repeats_median(const struct repeats *r)
{
	const struct repeats s = sorted_of(r);

	return s.n ? (s.x[(s.n - 1) / 2] + s.x[s.n / 2]) / 2 : 0;
}

// How many repeats at either end lie outside: that so few are on one side of the true median has a
// chance of no more than (1 - 95 %) / 2, by the binomial distribution.
static unsigned outside(unsigned n)
{
	double one = exp2(-(double)n), all = one;
	unsigned k = 0;

	while (k < n && all <= (1 - .95) / 2) {
		k++;
		one *= (double)(n - k + 1) / k;
		all += one;
	}
	return k ? k - 1 : 0;
}

double repeats_median_error(const struct repeats *r)
{
	const struct repeats s = sorted_of(r);
	const unsigned k = outside(s.n);
	const double middle = repeats_median(r);

	return s.n ? fmax(middle - s.x[k], s.x[s.n - 1 - k] - middle) : 0;
}

double repeats_least(const struct repeats *r)
{
	double least = r->n ? r->x[0] : 0;

	for (unsigned k = 1; k < r->n; k++)
		least = fmin(least, r->x[k]);
	return least;
}

double repeats_most(const struct repeats *r)
{
	double most = r->n ? r->x[0] : 0;

	for (unsigned k = 1; k < r->n; k++)
		most = fmax(most, r->x[k]);
	return most;
}

void repeats_leave_out(struct repeats *r, double width, double *with)
{
	const double middle = repeats_median(r);
	unsigned n = 0;

	for (unsigned k = 0; k < r->n; k++)
		n += fabs(r->x[k] - middle) <= width;
	r->rough = 4 * n < 3 * r->n;
	if (r->rough)
		return;
	n = 0;
	for (unsigned k = 0; k < r->n; k++) {
		if (fabs(r->x[k] - middle) > width)
			continue;
		r->x[n] = r->x[k];
		if (with)
			with[n] = with[k];
		n++;
	}
	r->n = n;
}
