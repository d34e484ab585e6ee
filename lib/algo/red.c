// SPDX-License-Identifier: BSD-3-Clause
// RED curves: compiling Kmin, Kmax and Pmax; the bins of a curve and the marks to expect; the
// average.
#include "algo/red.h"

#include <errno.h>
#include <string.h>

static const struct stat_row rows[] = {
	STAT_ROW(struct red_bin, ect_frames, "frames", "ECT that the marker decided about"),
	STAT_ROW(struct red_bin, marked_frames, "frames", "ECT that the marker gave CE"),
	STAT_ROW(struct red_bin, over_bytes, "bytes",
		"sum of the queue's length above Kmin over ect_frames"),
};

const struct stat_table red_bin_stat_table = {"red_bin", rows, sizeof(rows) / sizeof(rows[0])};

int red_cfg_init(struct red_cfg *cfg, const struct red_params *params)
{
	if (params->kmin_bytes > params->kmax_bytes || params->kmax_bytes > UINT32_MAX)
		return -EINVAL;
	if (!(params->pmax >= 0 && params->pmax <= 1))
		return -EINVAL;

	uint64_t span = params->kmax_bytes - params->kmin_bytes;
	uint64_t slope = 0;

	// Pmax / (Kmax - Kmin) in Q16.48, rounded up so that Pmax 100 % marks every frame at Kmax.
	if (span) {
		double exact = params->pmax * 0x1p48 / (double)span;

		slope = (uint64_t)exact;
		slope += (double)slope < exact;
	}
	*cfg = (struct red_cfg){
		.kmin_bytes = (uint32_t)params->kmin_bytes,
		.kmax_bytes = (uint32_t)params->kmax_bytes,
		.slope = slope,
		.on = 1,
		.bin_scale = span ? ((uint64_t)RED_CURVE_SLOPE << 57) / span : 0,
	};
	return 0;
}

uint64_t red_curve_edge(const struct red_cfg *cfg, unsigned i)
{
	uint64_t up;

	if (i == 0)
		return 0;
	if (i == RED_CURVE_BINS)
		return 1ull << 32;
	if (i == RED_CURVE_ABOVE || !cfg->bin_scale)
		return cfg->kmax_bytes + 1ull;
	// The first x = q - Kmin - 1 with x * bins / 2^57 >= i - 1.
	up = fixed_muldiv(i - 1, 1ull << 57, cfg->bin_scale);
	if (fixed_mul(up, cfg->bin_scale, 57) < i - 1)
		up++;
	return cfg->kmin_bytes + 1ull + up;
}

double red_curve_expected(const struct red_cfg *cfg, const struct red_bin *bin, unsigned i)
{
	if (i == 0)
		return 0;
	if (i == RED_CURVE_ABOVE)
		return (double)bin->ect_frames;
	return (double)bin->over_bytes * (double)cfg->slope * 0x1p-48;
}

// (1 - 2^-exponent)^n in Q32, rounded down: squares of squares.
static uint64_t decay(unsigned exponent, uint64_t n)
{
	uint64_t one = 1ull << 32, f = one - (one >> exponent), r = one;

	for (; n && r; n >>= 1) {
		if (n & 1)
			r = r * f >> 32;
		f = f * f >> 32;
	}
	return r;
}

void red_avg_idle(struct red_avg *a, unsigned exponent, tstamp frame_ps, tstamp now)
{
	uint64_t frames = tstamp_since(now, a->empty) / frame_ps;

	a->bytes = fixed_mul(a->bytes, decay(exponent, frames), 32);
	a->empty = TSTAMP_NEVER;
}
