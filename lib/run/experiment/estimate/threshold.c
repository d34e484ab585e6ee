// SPDX-License-Identifier: BSD-3-Clause
// The fit of a dynamic threshold: XOFF falls by b for each byte that other groups take from the
// shared buffer, beyond their reserve.
#include "threshold.h"

#include <math.h>
#include <stddef.h>

#define LEAST_POWER (-8)
#define MOST_POWER  7
#define SNAP        0.1 // share by which a measured alpha may differ from a power of two
#define MOVED \
	1.5 // frames: each of two counts of XOFF that are compared is at most a frame too high
#define ROUNDS 200

// Frames that are missing at most between the reserve by edges and the true one: each of two edges
// is late by less than a frame.
#define EDGES_PM 1.0

double threshold_snap(double raw, double within)
{
	double power = fmin(fmax(round(log2(raw)), LEAST_POWER), MOST_POWER), two = exp2(power);

	return raw > 0 && fabs(raw / two - 1) <= within ? two : raw;
}

// Frames that a point's others have in the shared buffer.
static double shared_of(const struct threshold_point *p, double reserve)
{
	double sum = 0;

	for (unsigned i = 0; i < THRESHOLD_OTHERS; i++)
		sum += fmax(0, p->held[i] - reserve);
	return sum;
}

static unsigned groups_of(const struct threshold_point *p)
{
	unsigned n = 0;

	for (unsigned i = 0; i < THRESHOLD_OTHERS; i++)
		n += p->held[i] > 0;
	return n;
}

bool threshold_moves(double alone, const struct threshold_point *point, unsigned n, double noise)
{
	const double least = exp2(LEAST_POWER) * (1 - SNAP);

	for (unsigned i = 0; i < n; i++) {
		double held = shared_of(&point[i], 0), moved = alone - point[i].xoff;

		if (groups_of(&point[i]) == 1 && held < shared_of(&point[1], 0) &&
			moved > (alone - point[1].xoff) * held / shared_of(&point[1], 0) + noise)
			return false;
	}
	return n > 1 && alone - point[1].xoff > noise &&
	       alone - point[1].xoff >= least / (1 + least) * shared_of(&point[1], 0);
}

// The slope through (0, alone), and the sum of squares that it leaves.
static double slope(
	double alone, const struct threshold_point *point, unsigned n, double reserve, double *left)
{
	double xy = 0, xx = 0, b;

	for (unsigned i = 0; i < n; i++) {
		double x = shared_of(&point[i], reserve);

		xy += x * (alone - point[i].xoff);
		xx += x * x;
	}
	b = xx > 0 ? xy / xx : 0;
	*left = 0;
	for (unsigned i = 0; i < n; i++) {
		double e = alone - point[i].xoff - b * shared_of(&point[i], reserve);

		*left += e * e;
	}
	return b;
}

// The reserve that fits a slope: the mean over the points whose other groups hold more than it.
static double reserve_by(
	double alone, const struct threshold_point *point, unsigned n, double b, double reserve)
{
	double sum = 0, weight = 0;

	for (unsigned i = 0; i < n; i++) {
		double held = 0;
		unsigned groups = 0;

		for (unsigned k = 0; k < THRESHOLD_OTHERS; k++)
			if (point[i].held[k] > reserve) {
				held += point[i].held[k];
				groups++;
			}
		sum += groups * (held - (alone - point[i].xoff) / b);
		weight += groups * groups;
	}
	return weight > 0 ? fmax(0, sum / weight) : 0;
}

// The slope between two edges. *pm: its half width, if each is late by less than a frame.
static double slope_of_edges(const struct threshold_edge edge[2], double *pm)
{
	double apart = edge[1].held - edge[0].held, b = (edge[0].xoff - edge[1].xoff) / apart;

	*pm = b / apart;
	return b;
}

// The reserve and the slope that leave the least squares, by trial. The slope is 0 if none does.
static double best_reserve(
	double alone, const struct threshold_point *point, unsigned n, double *reserve)
{
	double left, least = INFINITY, b = 0;

	for (unsigned i = 0; i <= ROUNDS; i++) {
		double r = alone * i / ROUNDS, slope_r = slope(alone, point, n, r, &left);

		if (slope_r > 0 && slope_r < 1 && left < least * (1 - 1e-9)) {
			least = left;
			*reserve = r;
			b = slope_r;
		}
	}
	return b;
}

// How many edges count: those whose groups surely hold more than the reserve.
static unsigned usable_edges(
	const struct threshold_edge *edge, unsigned edges, double reserve, double pm)
{
	const double least = reserve + pm;

	if (edges < 2 || edge[0].held <= least || edge[1].held <= edge[0].held)
		return 0;
	return edges > 2 && fmin(edge[2].held, edge[2].more) > least ? 3 : 2;
}

// The reserve by the edges with one and with two other groups.
static double reserve_of_edges(const struct threshold_edge *edge, double b)
{
	double r = edge[2].held + edge[2].more - edge[1].held + (edge[2].xoff - edge[1].xoff) / b;

	return r > EDGES_PM / 2 ? r : 0;
}

// The rest of a fit: reserve, shared buffer and half widths. b: the slope of t->alpha, b_pm: the
// half width of the measured one.
static void fit_rest(struct threshold *t, double alone, const struct threshold_edge *edge,
	unsigned edges, double b, double b_pm)
{
	// Where b is no power's, all that is drawn out along the slope is less exact.
	const double off = t->power ? 0 : b_pm / (b * b);

	if (edges < 3) {
		t->reserve_pm = MOVED / b;
		t->shared = (alone - 0.5 - t->reserve) / b;
		t->shared_pm = hypot(1, t->reserve_pm) / b;
		return;
	}
	t->reserve_pm = EDGES_PM + off * fabs(edge[2].xoff - edge[1].xoff);
	t->shared = edge[1].held - 0.5 - t->reserve + (edge[1].xoff - t->reserve) / b;
	t->shared_pm = 0.5 + t->reserve_pm * (1 + 1 / b) + off * (edge[1].xoff - t->reserve);
}

static struct threshold fit_with(double alone, const struct threshold_point *point, unsigned n,
	const struct threshold_edge *edge, unsigned edges)
{
	struct threshold t = {.dynamic = true};
	double left, most_held = 0, b_pm = 0, b = best_reserve(alone, point, n, &t.reserve);

	edges = b > 0 ? usable_edges(edge, edges, t.reserve, MOVED / b) : 0;
	for (unsigned i = 0; b > 0 && i < 20; i++) {
		t.reserve = edges > 2 ? reserve_of_edges(edge, b)
				      : reserve_by(alone, point, n, b, t.reserve);
		if (edges < 3 && t.reserve < MOVED / b)
			t.reserve = 0;
		b = edges ? slope_of_edges(edge, &b_pm) : slope(alone, point, n, t.reserve, &left);
		if (b <= 0 || b >= 1)
			break;
		t.alpha_raw = b / (1 - b);
		t.alpha = threshold_snap(t.alpha_raw, SNAP);
		b = t.alpha / (1 + t.alpha);
	}
	if (b <= 0 || b >= 1)
		return (struct threshold){0};
	for (unsigned i = 0; i < n; i++)
		most_held = fmax(most_held, shared_of(&point[i], t.reserve));
	t.power = exp2(round(log2(t.alpha))) == t.alpha;
	b_pm = edges ? b_pm : MOVED / most_held;
	t.alpha_raw_pm = b_pm / ((1 - b) * (1 - b));
	fit_rest(&t, alone, edge, edges, b, b_pm);
	return t;
}

struct threshold threshold_fit(double alone, const struct threshold_point *point, unsigned n,
	const struct threshold_edge *edge, unsigned edges)
{
	struct threshold t = fit_with(alone, point, n, edge, edges);
	double b = t.alpha / (1 + t.alpha);

	// The second group has another reserve, if the points of the first one contradict.
	if (t.dynamic && edges > 2 &&
		fabs(t.reserve - reserve_by(alone, point, 2, b, t.reserve)) > MOVED / b + EDGES_PM)
		return fit_with(alone, point, n, edge, 2);
	return t;
}
