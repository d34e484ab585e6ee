// SPDX-License-Identifier: BSD-3-Clause
// Maximum likelihood of a line of probabilities. With kmin given, the likelihood is concave in the
// slope, so bisection of its derivative finds the best one; kmin is then searched along that ridge.
#include "fit.h"

#include <math.h>

#include "base/binom.h"

#define Z_95        1.959963984540054 // of the normal distribution, two-sided
#define GRID        40                // values of kmin that are tried first
#define HALVES      44
#define GOLDEN      0.6180339887498949
#define LEAST_COUNT 5 // of expected marks, and of frames without, in a term of a chi-square

struct fit {
	const struct fit_bin *bin;
	unsigned n;
	double top;  // bins above it do not count
	double full; // p is at most 1 here
};

double fit_line_at(const struct fit_line *l, double q)
{
	if (q <= l->kmin)
		return 0;
	if (q > l->kmax)
		return 1;
	return fmin(1, l->pmax * (q - l->kmin) / (l->kmax - l->kmin));
}

static double log_likelihood_of(const struct fit_bin *b, double p)
{
	double sum = 0;

	if (b->m > 0)
		sum += b->m * log(p);
	if (b->n > b->m)
		sum += (b->n - b->m) * log1p(-p);
	return sum;
}

double fit_likelihood(const struct fit_bin *bin, unsigned n, const struct fit_line *l)
{
	double sum = 0;

	for (unsigned i = 0; i < n; i++)
		sum += log_likelihood_of(&bin[i], fit_line_at(l, bin[i].q));
	return sum;
}

// Derivatives of the log likelihood by the slope, the first and the second.
static double slope_score(const struct fit *f, double kmin, double slope, double *second)
{
	double sum = 0;

	*second = 0;
	for (unsigned i = 0; i < f->n; i++) {
		const struct fit_bin *b = &f->bin[i];
		double over = b->q - kmin, p = slope * over, yes, no;

		if (over <= 0 || b->q > f->top || p >= 1)
			continue;
		yes = b->m / slope;
		no = (b->n - b->m) * over / (1 - p);
		sum += yes - no;
		*second -= yes / slope + no * over / (1 - p);
	}
	return sum;
}

// Newton's steps, or halves of the interval where a step leaves it.
static double best_slope(const struct fit *f, double kmin)
{
	double low = 0, high = 1 / (f->full - kmin), at = high / 2;

	for (unsigned i = 0; i < HALVES && high - low > 1e-9 * high; i++) {
		double second, first = slope_score(f, kmin, at, &second), next;

		if (first > 0)
			low = at;
		else
			high = at;
		next = at - first / second;
		if (fabs(next - at) <= 1e-10 * at)
			return next < high ? next : high;
		at = next > low && next < high ? next : (low + high) / 2;
	}
	return at;
}

// The best log likelihood with this kmin.
static double ridge(const struct fit *f, double kmin, double *slope)
{
	double sum = 0;

	*slope = best_slope(f, kmin);
	for (unsigned i = 0; i < f->n; i++) {
		const struct fit_bin *b = &f->bin[i];

		if (b->q <= f->top)
			sum += log_likelihood_of(b, fmin(1, fmax(0, *slope * (b->q - kmin))));
	}
	return sum;
}

// The best kmin below `most`.
static double best_kmin(const struct fit *f, double most)
{
	double best = -INFINITY, at = 0, step = most / GRID, low, high, slope;

	for (unsigned i = 0; i < GRID; i++) {
		double now = ridge(f, i * step, &slope);

		if (now > best) {
			best = now;
			at = i * step;
		}
	}
	low = fmax(0, at - step);
	high = fmin(at + step, most);
	for (unsigned i = 0; i < HALVES && high - low > 1e-9 * most; i++) {
		double left = high - GOLDEN * (high - low), right = low + GOLDEN * (high - low);

		if (ridge(f, left, &slope) >= ridge(f, right, &slope))
			high = right;
		else
			low = left;
	}
	return (low + high) / 2;
}

// Whether there is something to fit, and the least length with a mark.
static bool first_mark(const struct fit *f, double *least)
{
	double n = 0, m = 0;

	*least = INFINITY;
	for (unsigned i = 0; i < f->n; i++) {
		const struct fit_bin *b = &f->bin[i];

		if (b->q > f->top)
			continue;
		n += b->n;
		m += b->m;
		if (b->m > 0 && b->q < *least)
			*least = b->q;
	}
	return m > 0 && m < n;
}

// Half widths of kmin and of the second parameter, pmax or kmax. If less than one mark, or less
// than one frame without, is expected in a bin, the bin counts as if one were expected.
static void widths(const struct fit *f, const struct fit_line *l, bool whole, double *k, double *s)
{
	double width = l->kmax - l->kmin, kk = 0, ks = 0, ss = 0, det;

	for (unsigned i = 0; i < f->n; i++) {
		const struct fit_bin *b = &f->bin[i];
		double p = fit_line_at(l, b->q), one = fmin(0.5, 1 / b->n), weight, by_k, by_s;

		if (b->q > f->top || p <= 0 || p >= 1)
			continue;
		weight = b->n / (fmax(p, one) * fmax(1 - p, one));
		by_k = -l->pmax * (l->kmax - b->q) / (width * width);
		by_s = (b->q - l->kmin) / width;
		if (whole)
			by_s *= -l->pmax / width;
		kk += weight * by_k * by_k;
		ks += weight * by_k * by_s;
		ss += weight * by_s * by_s;
	}
	det = kk * ss - ks * ks;
	*k = det > 0 ? Z_95 * sqrt(ss / det) : INFINITY;
	*s = det > 0 ? Z_95 * sqrt(kk / det) : INFINITY;
}

// Finds kmin and the slope.
static bool fit_line(const struct fit *f, struct fit_line *l, double *slope)
{
	double least;

	*l = (struct fit_line){0};
	if (!first_mark(f, &least))
		return false;
	l->kmin = best_kmin(f, fmin(least, f->full));
	l->log_likelihood = ridge(f, l->kmin, slope);
	return *slope > 0;
}

bool fit_step(const struct fit_bin *bin, unsigned n, double kmax, struct fit_line *l)
{
	const struct fit f = {bin, n, kmax, kmax};
	double slope;

	if (!fit_line(&f, l, &slope))
		return false;
	l->kmax = kmax;
	l->pmax = fmin(1, slope * (kmax - l->kmin));
	widths(&f, l, false, &l->kmin_pm, &l->pmax_pm);
	return true;
}

bool fit_whole(const struct fit_bin *bin, unsigned n, double unmarked, struct fit_line *l)
{
	const struct fit f = {bin, n, INFINITY, unmarked};
	double slope;

	if (!fit_line(&f, l, &slope))
		return false;
	l->kmax = l->kmin + 1 / slope;
	l->pmax = 1;
	widths(&f, l, true, &l->kmin_pm, &l->kmax_pm);
	return true;
}

double fit_shape(const struct fit_bin *bin, unsigned n, const struct fit_line *l)
{
	double chi = 0, frames = 0, marks = 0, want = 0, variance = 0;
	unsigned terms = 0;

	for (unsigned i = 0; i < n; i++) {
		double p = fit_line_at(l, bin[i].q);

		if (bin[i].q > l->kmax)
			break;
		frames += bin[i].n;
		marks += bin[i].m;
		want += bin[i].n * p;
		variance += bin[i].n * p * (1 - p);
		if (want < LEAST_COUNT || frames - want < LEAST_COUNT)
			continue;
		chi += (marks - want) * (marks - want) / variance;
		terms++;
		frames = marks = want = variance = 0;
	}
	return terms > 3 ? binom_chi_square_above(chi, terms - 2) : 1;
}
