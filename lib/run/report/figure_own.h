// SPDX-License-Identifier: BSD-3-Clause
// How a figure is put into a list: shared by the files that list them.
#pragma once

#include <assert.h>
#include <math.h>

#include "figure.h"

static inline void put(struct figures *o, const char *name, double value, unsigned decimals)
{
	assert(o->n < FIGURE_MAX);
	o->f[o->n++] = (struct figure){name, value, (uint8_t)decimals};
}

static inline void count(struct figures *o, const char *name, uint64_t value)
{
	put(o, name, (double)value, 0);
}

static inline double ratio(uint64_t part, uint64_t whole)
{
	return whole ? (double)part / (double)whole : NAN;
}

// A figure of a distribution; not known where nothing was seen.
static inline void of(struct figures *o, const char *name, const struct summary_dist *d, double v)
{
	put(o, name, d->n ? v : NAN, 3);
}

static inline double instant_us(uint64_t ps)
{
	return (double)ps / 1e6;
}
