// SPDX-License-Identifier: BSD-3-Clause
// The line of a marker from all counts of its ramps and its held queues.
#include "marks.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#define WIDE      4    // lengths of a bin at least, in frames
#define BINS      448  // of ramps at most, nearly
#define NEAR      .88  // of Kmax: from here on each length is a bin of its own
#define LOW       .8   // a line that surely ends below has a step
#define BETTER    6.0  // log likelihood by which a line with a step explains the counts better
#define HIDDEN    .008 // of Kmax: a step so far below it must not pass for none
#define FINER     3    // Kmax is asked for to so much smaller a part than Kmin and Pmax
#define NARROW    .55  // of cfg->accuracy: that is then 3.5 standard deviations
#define POINT_GAP 96   // points of a curve

struct bins {
	struct fit_bin bin[2 * BINS + MARKS_HELD];
	unsigned n;
};

static int by_length(const void *a, const void *b)
{
	const struct fit_bin *x = a, *y = b;

	return (x->q > y->q) - (x->q < y->q);
}

// Bins of all counts up to `top` frames, by length. `wide`: lengths of a bin. Returns the least
// length of a ramp that is in no bin.
static uint32_t make_bins(const struct marks *k, double top, uint32_t wide, struct bins *b)
{
	uint32_t at;

	b->n = 0;
	for (at = 1; at + wide <= k->lengths && at + wide - 1 <= top; at += wide) {
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
	return at;
}

static uint32_t bin_width(const struct marks *k)
{
	return k->lengths / BINS > WIDE ? k->lengths / BINS : WIDE;
}

// Log likelihood of all counts. Held queues within `margin` frames of the longest length with an
// unmarked frame are left out, since their length is not exact.
static double likelihood(
	const struct marks *k, double unmarked, double margin, const struct fit_line *l)
{
	struct bins b;
	double sum = 0;
	uint32_t from = make_bins(k, NEAR * unmarked, bin_width(k), &b);

	sum = fit_likelihood(b.bin, b.n, l);
	for (uint32_t i = from; i < k->lengths; i++) {
		struct fit_bin one = {i * k->unit, k->frames[i], k->marked[i]};

		sum += fit_likelihood(&one, 1, l);
	}
	for (unsigned i = 0; i < k->n_held; i++) {
		double q = k->held[i].q / k->unit;

		if (q > NEAR * unmarked && fabs(q - unmarked) > margin)
			sum += fit_likelihood(&k->held[i], 1, l);
	}
	return sum;
}

// Whether ramps would have shown a step that lies HIDDEN below the end of a line without one: by
// the frames that this line leaves unmarked there.
static bool step_would_show(const struct marks *k, const struct fit_line *l)
{
	double sum = 0;

	for (uint32_t i = 1; i < k->lengths; i++)
		if (i * k->unit > l->kmax - fmax(HIDDEN * l->kmax, k->unit))
			sum += k->frames[i] * (1 - fit_line_at(l, i * k->unit));
	return sum > BETTER;
}

// A line that surely ends below Pmax of 100 %.
static bool is_low(const struct fit_line *l)
{
	return l->pmax + 2 * l->pmax_pm < LOW;
}

bool marks_fit(const struct marks *k, double unmarked, double margin, struct fit_line *l,
	struct marks_step *step)
{
	const double longest = (unmarked + .5) * k->unit;
	struct fit_line whole;
	struct bins b;
	bool fits;

	make_bins(k, unmarked - margin, bin_width(k), &b);
	fits = fit_step(b.bin, b.n, longest, l);
	*step = (struct marks_step){.is = true, .clear = true, .top = unmarked};
	if (!k->saturated || (fits && is_low(l)))
		return fits;
	make_bins(k, INFINITY, bin_width(k), &b);
	if (!fit_whole(b.bin, b.n, unmarked * k->unit, &whole))
		return fits;
	step->top = fmax(unmarked, whole.kmax / k->unit);
	if (fits && likelihood(k, unmarked, 2 * WIDE, l) >
			    likelihood(k, unmarked, 2 * WIDE, &whole) + BETTER)
		return true;
	*l = whole;
	step->is = false;
	// Ramps whose frames all meet one length were sent around Kmax.
	step->clear = (k->averaged && k->dequeue) || step_would_show(k, l);
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

	return l->pmax_pm < narrow * l->pmax && FINER * l->kmax_pm < narrow * l->kmax;
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
