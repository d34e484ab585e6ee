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

// Which of n ECT frames get a mark; all see at most Kmax, so that each draws a number.
static uint64_t draws_of(
	const struct red_cfg *cfg, struct prng *rng, const uint32_t *qlen_bytes, unsigned n)
{
	struct prng own = *rng; // in registers
	uint64_t wants = 0;

	for (unsigned i = 0; i < n; i++)
		wants |= (uint64_t)red_draws(red_odds(cfg, qlen_bytes[i]), &own) << i;
	*rng = own;
	return wants;
}

// Like draws_of(), for n frames not all of which are ECT. It first collects the lengths that ECT
// frames saw, so that no branch depends on where these frames stand.
static uint64_t draws_of_some(const struct red_cfg *cfg, struct prng *rng,
	const uint32_t *qlen_bytes, unsigned n, uint64_t ect)
{
	uint32_t found[RED_BURST];
	uint8_t at[RED_BURST];
	unsigned some = 0;
	uint64_t wants = 0;

	for (unsigned i = 0; i < n; i++) {
		found[some] = qlen_bytes[i];
		at[some] = (uint8_t)i;
		some += ect >> i & 1;
	}
	for (uint64_t left = draws_of(cfg, rng, found, some); left; left &= left - 1)
		wants |= 1ull << at[__builtin_ctzll(left)];
	return wants;
}

// Frames that see more than Kmax stand at one end, and draw nothing.
uint64_t red_wants_mixed(const struct red_cfg *cfg, struct prng *rng, const uint32_t *qlen_bytes,
	unsigned n, uint64_t ect)
{
	unsigned from = 0, to = n;
	uint64_t all = ect & red_frames(n), slope, draws;

	while (from < to && qlen_bytes[from] > cfg->kmax_bytes)
		from++;
	while (from < to && qlen_bytes[to - 1] > cfg->kmax_bytes)
		to--;
	if (from == to)
		return all;
	slope = red_frames(to - from);
	if ((all >> from & slope) == slope)
		draws = draws_of(cfg, rng, qlen_bytes + from, to - from);
	else
		draws = draws_of_some(cfg, rng, qlen_bytes + from, to - from, all >> from);
	return draws << from | (all & ~(slope << from));
}

// The lengths that ECT frames found, n of them; returns how many.
static unsigned only_ect(uint32_t *to, const uint32_t *qlen_bytes, unsigned n, uint64_t ect)
{
	unsigned found = 0;

	for (unsigned i = 0; i < n; i++) {
		to[found] = qlen_bytes[i];
		found += ect >> i & 1;
	}
	return found;
}

// n frames found lengths that are all in one bin.
static void add_to_bin(struct red_bin *b, uint32_t kmin, const uint32_t *qlen_bytes, unsigned n)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < n; i++)
		sum += qlen_bytes[i] - kmin;
	b->ect_frames += n;
	b->over_bytes += sum;
}

// Adds n frames whose lengths fall or rise all the way, so that the frames of a bin stand in a row.
// Sums run over all frames, and a bin gets the difference between its last frame and the one before
// its first. So each bin is written once, not once for each frame.
static void add_in_order(
	struct red_curve *c, const struct red_cfg *cfg, const uint32_t *qlen_bytes, unsigned n)
{
	unsigned first = red_curve_bin(cfg, qlen_bytes[0]), before = 0;
	unsigned last = red_curve_bin(cfg, qlen_bytes[n - 1]);
	unsigned least = first < last ? first : last, most = first < last ? last : first;
	uint64_t sum = 0, sum_before = 0, sums[RED_CURVE_BINS];
	uint8_t frames[RED_CURVE_BINS];

	if (first == last) {
		add_to_bin(&c->bin[first], cfg->kmin_bytes, qlen_bytes, n);
		return;
	}
	memset(frames + least, 0, most - least + 1);
	for (unsigned i = 0; i < n; i++) {
		unsigned bin = red_curve_bin(cfg, qlen_bytes[i]);

		sum += qlen_bytes[i] - cfg->kmin_bytes;
		frames[bin] = (uint8_t)(i + 1);
		sums[bin] = sum;
	}
	for (unsigned i = 0; i <= most - least; i++) {
		unsigned bin = first < last ? first + i : first - i;

		if (!frames[bin])
			continue;
		c->bin[bin].ect_frames += frames[bin] - before;
		c->bin[bin].over_bytes += sums[bin] - sum_before;
		before = frames[bin];
		sum_before = sums[bin];
	}
}

void red_curve_add_many(struct red_curve *c, const struct red_cfg *cfg, const uint32_t *qlen_bytes,
	unsigned n, uint64_t ect)
{
	uint32_t found[RED_BURST];

	if (~ect & red_frames(n)) {
		n = only_ect(found, qlen_bytes, n, ect);
		qlen_bytes = found;
	}
	if (n)
		add_in_order(c, cfg, qlen_bytes, n);
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
