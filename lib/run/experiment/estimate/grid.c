// SPDX-License-Identifier: BSD-3-Clause
// The period of a grid of instants, by trial: a difference of two of them is a whole number of
// periods.
#include "grid.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#define MOST_PERIODS 200 // between two instants that follow each other
#define LOOSE        3   // an instant lies no further beside the grid than 1/3 of a period

static int by_time(const void *a, const void *b)
{
	tstamp x = *(const tstamp *)a, y = *(const tstamp *)b;

	return (x > y) - (x < y);
}

// A grid that fits instants, by least squares through the first of the two
// that gave the trial.
struct grid {
	double anchor, period;
	double sum, weight, span; // of the squares; periods from the anchor to the furthest instant
};

// Adds an instant. False: the instant does not lie on the grid.
static bool grid_add(struct grid *g, tstamp at, double error)
{
	double from = (double)at - g->anchor, k = round(from / g->period), far = fabs(k) / g->span;
	double most = fmin(error * (1 + far), g->period / LOOSE);

	if (fabs(from - k * g->period) > most)
		return false;
	g->sum += k * from;
	g->weight += k * k;
	g->span = fmax(g->span, fabs(k));
	g->period = g->sum / g->weight;
	return true;
}

// The period near (at[i] - at[i - 1]) / k that fits all instants; 0: one does not fit. Instants are
// added from the pair outwards, since a period that is known from few of them is not exact.
static double grid_fit(const tstamp *at, unsigned n, unsigned i, unsigned k, double error)
{
	double apart = (double)(at[i] - at[i - 1]), low = INFINITY, high = -INFINITY;
	struct grid g = {.anchor = (double)at[i - 1],
		.period = apart / k,
		.sum = k * apart,
		.weight = (double)k * k,
		.span = k};
	unsigned before = i - 1, behind = i + 1;

	while (before > 0 || behind < n) {
		bool back = behind == n ||
			    (before > 0 && at[i - 1] - at[before - 1] < at[behind] - at[i]);

		if (!grid_add(&g, back ? at[--before] : at[behind++], error))
			return 0;
	}
	for (unsigned j = 0; j < n; j++) {
		double from = (double)at[j] - g.anchor,
		       e = from - round(from / g.period) * g.period;

		low = fmin(low, e);
		high = fmax(high, e);
	}
	return high - low <= 2 * error ? g.period : 0;
}

tstamp grid_period(tstamp *at, unsigned n, tstamp least, tstamp error)
{
	double best = 0;

	if (n < 3)
		return 0;
	qsort(at, n, sizeof(*at), by_time);
	for (unsigned i = 1; i < n; i++)
		for (unsigned k = 1; k <= MOST_PERIODS; k++) {
			double trial = (double)(at[i] - at[i - 1]) / k, period;

			if (trial < (double)least || trial < best)
				break;
			period = grid_fit(at, n, i, k, (double)error);
			if (period > best && period >= (double)least)
				best = period;
		}
	return (tstamp)(best + 0.5);
}
