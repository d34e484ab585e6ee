// SPDX-License-Identifier: BSD-3-Clause
// The ends of an axis: from 0 unless all values are similar, by powers of ten if they are far
// apart, and at a round number.
#include <math.h>

#include "int.h"

#define NARROW  0.25 // of the greatest value: values that span less need not begin at 0
#define DECADES 100  // values further apart than this are drawn by powers of ten
#define TICKS   6    // about so many
#define PARTS   5    // of the way from tick to tick, at one of which an axis ends
#define AIR     0.03 // between the outermost value and the end, as a share of the span

struct span {
	double least, most;
};

static void see_value(struct span *s, double v)
{
	if (!isfinite(v))
		return;
	s->least = fmin(s->least, v);
	s->most = fmax(s->most, v);
}

static struct span span_of(const struct paper *p, bool vertical)
{
	struct span s = {INFINITY, -INFINITY};

	for (unsigned i = 0; i < p->n_series; i++) {
		const struct paper_series *one = &p->series[i];
		const struct paper_form *form = &paper_forms[one->style];

		for (size_t k = 0; k < one->n; k++) {
			const struct paper_row *r = &one->row[k];

			if (vertical ? form->y : form->x)
				see_value(&s, vertical ? r->y : r->x);
			if (form->limits && form->spans != vertical) {
				see_value(&s, r->low);
				see_value(&s, r->high);
			}
			if (form->sides && !vertical) {
				see_value(&s, r->left);
				see_value(&s, r->right);
			}
		}
	}
	for (unsigned i = 0; i < p->n_lines; i++)
		if (p->line[i].vertical != vertical)
			see_value(&s, p->line[i].at);
	return s;
}

// The round number, 1, 2 or 5 times a power of ten, that is nearest below or above; v > 0.
static double round_number(double v, bool up)
{
	static const double round[] = {1, 2, 5, 10};
	double ten = pow(10, floor(log10(v))), at = ten;

	for (unsigned i = 0; i < 4; i++) {
		double one = round[i] * ten;

		if (up && one >= v * (1 - 1e-9))
			return one;
		if (!up && one <= v * (1 + 1e-9))
			at = one;
	}
	return at;
}

static struct paper_range linear(struct span s)
{
	struct paper_range r = {s.least, s.most, false};
	double step;

	if (s.least >= 0 && s.most - s.least >= NARROW * s.most)
		r.from = 0;
	if (r.from == r.to) {
		r.from -= fabs(r.to) * NARROW / 2;
		r.to += fabs(r.to) * NARROW / 2;
	}
	if (r.from == r.to) // all are 0
		r.to = 1;
	step = round_number((r.to - r.from) / TICKS, true);
	step /= PARTS;
	r.to = ceil((r.to + AIR * (r.to - r.from)) / step) * step;
	if (r.from)
		r.from = floor((r.from - AIR * (r.to - r.from)) / step) * step;
	if (s.least >= 0 && r.from < 0)
		r.from = 0;
	return r;
}

struct paper_range paper_range_of(const struct paper *p, bool vertical)
{
	const struct paper_axis *a = vertical ? &p->y : &p->x;
	struct span s = span_of(p, vertical);
	struct paper_range r;

	if (a->n_lanes)
		return (struct paper_range){-0.5, a->n_lanes - 0.5, false};
	if (s.least > s.most) // there is no value
		s = (struct span){0, 1};
	if (s.least > 0 && a->scale != PAPER_LINEAR &&
		(a->scale == PAPER_LOG || s.most > DECADES * s.least))
		r = (struct paper_range){round_number(s.least / (1 + AIR), false),
			round_number(s.most * (1 + AIR), true), true};
	else
		r = linear(s);
	if (a->from != a->to) {
		r.from = a->from;
		r.to = a->to;
	}
	return r;
}
