// SPDX-License-Identifier: BSD-3-Clause
// Sums that grow over time, kept as points between which they grow evenly. Of the older ones some
// points are given up where there are many.
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "int.h"

#define FIRST_ROOM 8

// Gives up every second of the older half.
static void thin(struct rec_sum *s)
{
	unsigned half = s->n / 2, to = 0;

	for (unsigned i = 0; i < half; i += 2)
		s->point[to++] = s->point[i];
	memmove(&s->point[to], &s->point[half], (s->n - half) * sizeof(*s->point));
	s->n -= half - to;
}

bool record_sum_more(struct record *r, struct rec_sum *s)
{
	unsigned room = s->room ? 2 * s->room : FIRST_ROOM;
	struct rec_sum_point *more;

	if (s->room == REC_SUM_POINTS) {
		thin(s);
		return true;
	}
	more = realloc(s->point, room * sizeof(*more));
	if (!more) {
		record_fail(r, -ENOMEM, "no memory for the parts of completion times");
		return false;
	}
	s->point = more;
	s->room = room;
	return true;
}

// Points with an instant up to t.
static unsigned points_to(const struct rec_sum *s, tstamp t)
{
	unsigned from = 0, to = s->n;

	while (from < to) {
		unsigned mid = (from + to) / 2;

		if (s->point[mid].t <= t)
			from = mid + 1;
		else
			to = mid;
	}
	return from;
}

double record_sum_at(const struct rec_sum *s, tstamp t)
{
	unsigned i = points_to(s, t);
	const struct rec_sum_point *a, *b;

	if (!i)
		return s->n ? s->point[0].sum : 0;
	a = &s->point[i - 1];
	if (i == s->n)
		return a->sum;
	b = &s->point[i];
	return a->sum + (b->sum - a->sum) * (double)(t - a->t) / (double)(b->t - a->t);
}

double record_sum_last(const struct rec_sum *s)
{
	return s->n ? s->point[s->n - 1].sum : 0;
}

void record_sum_forget(struct rec_sum *s, tstamp t)
{
	unsigned gone = points_to(s, t);

	if (gone < 2)
		return;
	gone--;
	s->n -= gone;
	memmove(s->point, &s->point[gone], s->n * sizeof(*s->point));
}

void record_sum_free(struct rec_sum *s)
{
	free(s->point);
}
