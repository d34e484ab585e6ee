// SPDX-License-Identifier: BSD-3-Clause
// Distributions that a run stored whole (--hdr).
#include "dist.h"

#include <math.h>
#include <stdio.h>

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
