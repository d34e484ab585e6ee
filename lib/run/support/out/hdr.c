// SPDX-License-Identifier: BSD-3-Clause
// HdrHistogram's percentile distribution: its lines, and the levels at which it has them.
#include "hdr.h"

#include <inttypes.h>
#include <math.h>

#include "out.h"

// A level of the distribution: tick `tick` of HDR_TICKS on the way from 1 - 2^-half to
// 1 - 2^-(half + 1). What lies above it is 2^-half (1 - tick / (2 HDR_TICKS)).
struct level {
	unsigned half, tick;
};

// 1 / (1 - level).
static double level_inverse(const struct level *l)
{
	return ldexp(2.0 * HDR_TICKS / (2.0 * HDR_TICKS - l->tick), (int)l->half);
}

// Returns whether the level is reached when `above` of n values are still to come; n is at least 1.
static bool level_reached(const struct level *l, uint64_t above, uint64_t n)
{
	unsigned __int128 most = (unsigned __int128)n * (2 * HDR_TICKS - l->tick);

	return (unsigned __int128)above * (2 * HDR_TICKS) <= most >> l->half;
}

static void level_next(struct level *l)
{
	if (++l->tick < HDR_TICKS)
		return;
	l->tick = 0;
	l->half++;
}

// The largest value that bucket i represents; none is above the histogram's maximum.
static uint64_t highest(const struct hist *h, unsigned i)
{
	uint64_t upper = i < HIST_BUCKETS - 1 ? hist_lower(i + 1) - 1 : h->max;

	return upper < h->max ? upper : h->max;
}

static void put_level(struct out *o, const struct level *l, double value, uint64_t below)
{
	double inverse = level_inverse(l);

	out_printf(
		o, "%12.3f %2.12f %10" PRIu64 " %14.2f\n", value, 1 - 1 / inverse, below, inverse);
}

// Writes a line for each level that a bucket reaches. When all values have been counted, the line
// of 100 % follows.
static void put_levels(struct out *o, const struct hist *h, double unit)
{
	struct level l = {0};
	uint64_t below = 0;

	for (unsigned i = 0; i < HIST_BUCKETS; i++) {
		double value = (double)highest(h, i) / unit;

		below += h->bucket[i];
		if (!h->bucket[i])
			continue;
		while (below < h->n && level_reached(&l, h->n - below, h->n)) {
			put_level(o, &l, value, below);
			level_next(&l);
		}
		if (below == h->n)
			put_level(o, &l, value, below);
	}
	out_printf(
		o, "%12.3f %2.12f %10" PRIu64 " %14s\n", (double)h->max / unit, 1.0, h->n, "inf");
}

int hdr_write(const char *path, const struct hist *h, double unit, struct err *err)
{
	struct out o;
	int code = out_open(&o, path, err);

	if (code)
		return code;
	out_printf(&o, "%12s %14s %10s %14s\n\n", "Value", "Percentile", "TotalCount",
		"1/(1-Percentile)");
	put_levels(&o, h, unit);
	out_printf(&o, "#[Mean    = %12.3f, StdDeviation   = %12.3f]\n", hist_mean(h) / unit,
		hist_deviation(h) / unit);
	out_printf(&o, "#[Max     = %12.3f, Total count    = %12" PRIu64 "]\n",
		(double)h->max / unit, h->n);
	// In the terms of that format the first bucket has 2 * HIST_SUB values, and each other
	// bucket doubles the range.
	out_printf(&o, "#[Buckets = %12u, SubBuckets     = %12u]\n", HIST_OCTAVES, 2 * HIST_SUB);
	return out_close(&o, err);
}
