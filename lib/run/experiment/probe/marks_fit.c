// SPDX-License-Identifier: BSD-3-Clause
// The line of a marker from all counts of its ramps and its held queues.
#include "marks.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#define WIDE      4   // lengths of a bin at least, in frames
#define BINS      448 // of ramps at most, nearly
#define NEAR      .88 // of Kmax: from here on its step is judged
#define STEP      .85 // a step's line ends below
#define BETTER    2.0 // by so much of log likelihood a line without a step must be
#define NARROW    .55 // of cfg->accuracy: that is then 3.5 standard deviations
#define POINT_GAP 96  // points of a curve

struct bins {
	struct fit_bin bin[2 * BINS + MARKS_HELD];
	unsigned n;
};

static int by_length(const void *a, const void *b)
{
	const struct fit_bin *x = a, *y = b;

	return (x->q > y->q) - (x->q < y->q);
}

// Bins of all counts up to `top` frames, by length. `wide`: lengths of a bin.
static void make_bins(const struct marks *k, double top, uint32_t wide, struct bins *b)
{
	b->n = 0;
	for (uint32_t at = 1; at + wide <= k->lengths && at + wide - 1 <= top; at += wide) {
		struct fit_bin *to = &b->bin[b->n];

		*to = (struct fit_bin){0};
		for (uint32_t i = at; i < at + wide; i++) {
			to->q += (double)k->frames[i] * i;
			to->n += k->frames[i];
			to->m += k->marked[i];
		}
		to->q *= to->n > 0 ? k->unit / to->n : 0;
		b->n += to->n > 0;
	}
	for (unsigned i = 0; i < k->n_held; i++)
		if (k->held[i].q <= top * k->unit)
			b->bin[b->n++] = k->held[i];
	qsort(b->bin, b->n, sizeof(b->bin[0]), by_length);
}

static uint32_t bin_width(const struct marks *k)
{
	return k->lengths / BINS > WIDE ? k->lengths / BINS : WIDE;
}

// Whether the share of marks just below Kmax leaves a step above it.
static bool has_step(const struct bins *b, double unmarked)
{
	double n = 0, m = 0;

	for (unsigned i = 0; i < b->n; i++)
		if (b->bin[i].q > NEAR * unmarked) {
			n += b->bin[i].n;
			m += b->bin[i].m;
		}
	return m < STEP * n;
}

// Log likelihood of all bins but those around the longest length with an unmarked frame.
static double likelihood(
	const struct bins *b, double unmarked, double margin, const struct fit_line *l)
{
	double sum = 0;

	for (unsigned i = 0; i < b->n; i++)
		if (fabs(b->bin[i].q - unmarked) > margin)
			sum += fit_likelihood(&b->bin[i], 1, l);
	return sum;
}

bool marks_fit(
	const struct marks *k, double unmarked, double margin, struct fit_line *l, bool *step)
{
	const double longest = (unmarked + .5) * k->unit, apart = 2 * WIDE * k->unit;
	struct fit_line whole;
	struct bins below, all;
	bool fits;

	make_bins(k, unmarked - margin, bin_width(k), &below);
	fits = fit_step(below.bin, below.n, longest, l);
	*step = true;
	if (!k->saturated || (fits && has_step(&below, unmarked * k->unit)))
		return fits;
	make_bins(k, INFINITY, bin_width(k), &all);
	if (!fit_whole(all.bin, all.n, unmarked * k->unit, &whole))
		return fits;
	if (fits && likelihood(&all, longest, apart, l) >
			    likelihood(&all, longest, apart, &whole) + BETTER)
		return true;
	*l = whole;
	*step = false;
	return true;
}

double marks_narrow(const struct marks *k)
{
	return NARROW * k->p->cfg->accuracy;
}

bool marks_kmin_is_known(const struct marks *k, const struct fit_line *l)
{
	return l->kmin_pm < fmax(marks_narrow(k) * l->kmin, k->unit / 2);
}

bool marks_pmax_is_known(const struct marks *k, const struct fit_line *l)
{
	const double narrow = marks_narrow(k);

	return l->pmax_pm < narrow * l->pmax && l->kmax_pm < narrow * l->kmax;
}

double marks_shape(const struct marks *k, const struct fit_line *l, double margin)
{
	struct bins b;

	make_bins(k, l->kmax / k->unit - margin, bin_width(k), &b);
	return fit_shape(b.bin, b.n, l);
}

int marks_curve(const struct marks *k, const struct fit_line *l)
{
	uint32_t wide = (uint32_t)(1.2 * l->kmax / k->unit / POINT_GAP);
	struct probe_curve *c = found_curve(
		k->p->found, "marks", k->cls, "queue length, bytes", "share of frames marked");
	struct bins b;
	int rc = c ? 0 : -ENOMEM;

	wide = wide > bin_width(k) ? wide : bin_width(k);
	make_bins(k, 1.2 * l->kmax / k->unit, wide, &b);
	for (unsigned i = 0; !rc && i < b.n; i++)
		rc = found_point(c, b.bin[i].q, b.bin[i].m / b.bin[i].n, b.bin[i].n);
	return rc;
}
