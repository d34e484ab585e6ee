// SPDX-License-Identifier: BSD-3-Clause
// Steady series: MSER-5 and batch means.
#include "steady.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>

#include "base/student.h"

#define BATCH     5  // values, MSER-5
#define END       10 // the last of so many parts of a series proposes no cut
#define BATCHES   20 // of both halves of the window together
#define TWO_SIDED 0.995

static double mean_of(const float *x, unsigned n)
{
	double sum = 0;

	for (unsigned i = 0; i < n; i++)
		sum += (double)x[i];
	return n ? sum / n : 0;
}

// Finds the start without which the variance of the mean, s^2 / (n - d), is least; the shortest of
// equal ones. At least one of `part` equal parts of the series is left. The sums of squares grow
// from the end of the series to its start (Welford 1962), so that equal values have none at all.
static unsigned find_cut(const float *x, unsigned n, unsigned part)
{
	unsigned batches = n / BATCH, cut = 0;
	double mean = 0, squares = 0, least = INFINITY;

	for (unsigned k = 1; k <= batches; k++) { // batches that are left
		double v = mean_of(x + (batches - k) * BATCH, BATCH), off = v - mean, mser;

		mean += off / k;
		squares += off * (v - mean);
		mser = squares / ((double)k * k);
		if (k * part < batches || mser > least)
			continue;
		least = mser;
		cut = batches - k;
	}
	return cut * BATCH;
}

// The means of both halves, from batches: the interval is that of two samples with one variance.
static void judge_halves(struct steady *s, const float *x, unsigned n)
{
	double mean[BATCHES], half[2] = {0}, squares = 0;
	const unsigned each = BATCHES / 2;

	for (unsigned i = 0; i < BATCHES; i++) {
		unsigned from = i * n / BATCHES, to = (i + 1) * n / BATCHES;

		mean[i] = mean_of(x + from, to - from);
		half[i / each] += mean[i] / each;
	}
	for (unsigned i = 0; i < BATCHES; i++)
		squares += (mean[i] - half[i / each]) * (mean[i] - half[i / each]);
	s->first = half[0];
	s->second = half[1];
	s->interval =
		student_quantile(TWO_SIDED, BATCHES - 2) * sqrt(squares / (BATCHES - 2) * 2 / each);
}

static double larger(double a, double b)
{
	return a > b ? a : b;
}

static bool differ(double a, double b, double least)
{
	return fabs(a - b) > larger(least, STEADY_DIFFERS * larger(fabs(a), fabs(b)));
}

void steady_judge(struct steady *s, const float *x, unsigned n, unsigned from, double least)
{
	assert(from + STEADY_LEAST <= n);
	s->cut = find_cut(x, n, END);
	s->before = s->cut > from ? mean_of(x + from, s->cut - from) : 0;
	s->after = mean_of(x + s->cut, n - s->cut);
	judge_halves(s, x + from, n - from);
	if (s->cut > n / 2 && s->cut > from && differ(s->before, s->after, least)) {
		s->is = STEADY_LATE;
		return;
	}
	if (s->cut > n / 2) // it leaves out nothing that differs
		s->cut = find_cut(x, n, 2);
	s->is = differ(s->first, s->second, larger(least, s->interval)) ? STEADY_DRIFTS
									: STEADY_YES;
}
