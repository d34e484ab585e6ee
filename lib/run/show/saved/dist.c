// SPDX-License-Identifier: BSD-3-Clause
// Distributions that a run stored whole: in histograms (--hdr), or message by message in fct.txt.
#include "dist.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "int.h"

unsigned saved_dist(const struct saved *s, struct saved_dist *d, const char *name)
{
	char path[512], line[256];
	FILE *f;
	int at;

	d->n = 0;
	at = snprintf(path, sizeof(path), "%s/hdr/", s->dir);
	if (at < 0 || (size_t)at >= sizeof(path))
		return 0;
	snprintf(path + at, sizeof(path) - (size_t)at, "%s.hgrm", name);
	for (char *c = path + at; *c; c++)
		*c = *c == '/' ? '_' : *c;
	f = fopen(path, "re");
	if (!f)
		return 0;
	while (d->n < SAVED_DIST && fgets(line, sizeof(line), f))
		d->n += sscanf(line, "%lf %lf %lf", &d->value[d->n], &d->share[d->n],
				&d->count[d->n]) == 3 &&
			isfinite(d->value[d->n]) && isfinite(d->count[d->n]);
	fclose(f);
	return d->n;
}

static int by_value(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

double *saved_messages(struct saved *s, bool slowdown, size_t *n)
{
	const struct saved_table *t = saved_table(s, "fct.txt");
	double *v = t && t->rows ? malloc(t->rows * sizeof(*v)) : NULL;
	tstamp from, to;

	*n = 0;
	saved_window(s, &from, &to);
	for (unsigned i = 0; v && i < t->rows; i++) {
		const char *const *c = t->cell + (size_t)i * t->columns;
		double fct = strtod(c[6], NULL), ended = strtod(c[5], NULL) + fct;
		double by = slowdown ? strtod(c[7], NULL) : 1000; // 0: no ideal time is known

		if (by > 0 && ended * PS_PER_NS >= (double)from && ended * PS_PER_NS <= (double)to)
			v[(*n)++] = fct / by;
	}
	if (*n)
		qsort(v, *n, sizeof(*v), by_value);
	return v;
}
