// SPDX-License-Identifier: BSD-3-Clause
// RED curves: probability from a queue's length between Kmin and Kmax, at once (the DCQCN CP) or
// averaged.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/fixed.h"
#include "base/hint.h"
#include "base/prng.h"
#include "base/stat.h"
#include "base/tstamp.h"

enum { RED_NOT_ECT = 0, RED_CE = 3 }; // codepoints, RFC 3168 section 5

#define RED_EXPONENT_MAX 15 // of an average, as SAI_WRED_ATTR_WEIGHT

struct red_params {
	uint64_t kmin_bytes; // 0..2^32-1, frames counted with FCS
	uint64_t kmax_bytes; // kmin..2^32-1
	double pmax;         // 0..1
};

struct red_cfg {
	uint32_t kmin_bytes;
	uint32_t kmax_bytes;
	uint64_t slope; // probability per byte above kmin, Q16.48
	uint8_t on;
	uint64_t bin_scale; // bins of red_curve per byte above kmin, Q7.57; 0: Kmin = Kmax
};

#define RED_CURVE_SLOPE 64 // bins of equal width above Kmin, up to Kmax

// Bin 0: up to Kmin. 1..RED_CURVE_SLOPE: the slope. RED_CURVE_ABOVE: above Kmax.
enum { RED_CURVE_ABOVE = RED_CURVE_SLOPE + 1, RED_CURVE_BINS };

struct red_bin {
	uint64_t ect_frames;    // that the marker decided about
	uint64_t marked_frames; // of them
	uint64_t over_bytes;    // sum of q - Kmin: times the slope, the sum of their probabilities
};

extern const struct stat_table red_bin_stat_table;

// ECT frames and marks at each queue length (measuring.md M3). Zeroed, it is ready. Bin 0 stays
// empty: frames up to Kmin are the owner's count of ECT frames less all bins.
struct red_curve {
	// The configuration that it is about: the number of changes before, and the owner's counts
	// of ECT frames and marks when the last one began.
	uint32_t changes;
	uint64_t ect_before, marked_before;
	uint64_t first_marked, last_marked; // numbers of ECT frames, from 1; 0: none
	struct red_bin bin[RED_CURVE_BINS];
};

// The average length of a queue as in classic RED (Floyd and Jacobson 1993, section 4). Zeroed, it
// is the average of a queue that has always been empty.
struct red_avg {
	uint64_t bytes; // Q40.24
	tstamp empty;   // since when the queue has been; TSTAMP_NEVER: it is not
};

// Compiles; -EINVAL where kmin > kmax or pmax is not in 0..1. cfg->on is set.
int red_cfg_init(struct red_cfg *cfg, const struct red_params *params);

// The probability of a mark between Kmin and Kmax, Q32.
static inline uint64_t red_odds(const struct red_cfg *cfg, uint32_t qlen_bytes)
{
	return (uint64_t)(qlen_bytes - cfg->kmin_bytes) * cfg->slope >> 16;
}

static inline int red_draws(uint64_t odds, struct prng *rng)
{
	return prng_u32(rng) < odds;
}

// Whether the queue asks for a mark at this length: 0 for q <= Kmin, Pmax (q - Kmin) / (Kmax -
// Kmin) for q <= Kmax, 1 above (standards.md 4.1).
static inline int red_wants(const struct red_cfg *cfg, struct prng *rng, uint32_t qlen_bytes)
{
	if (qlen_bytes <= cfg->kmin_bytes)
		return 0;
	if (qlen_bytes > cfg->kmax_bytes)
		return 1;
	return red_draws(red_odds(cfg, qlen_bytes), rng);
}

// Bin of a length above Kmin.
static inline unsigned red_curve_bin(const struct red_cfg *cfg, uint32_t qlen_bytes)
{
	if (qlen_bytes > cfg->kmax_bytes)
		return RED_CURVE_ABOVE;
	return 1 + (unsigned)((qlen_bytes - cfg->kmin_bytes - 1) * cfg->bin_scale >> 57);
}

// The marker has decided about an ECT frame at a length above Kmin.
static inline void red_curve_add(
	struct red_curve *c, const struct red_cfg *cfg, uint32_t qlen_bytes, bool marked)
{
	struct red_bin *b = &c->bin[red_curve_bin(cfg, qlen_bytes)];

	b->ect_frames++;
	b->over_bytes += qlen_bytes - cfg->kmin_bytes;
	if (UNLIKELY(marked)) // a branch: as a sum gcc makes a vector of it
		b->marked_frames++;
}

// Whether the queue asks for a mark for an ECT frame (red_wants). A decision above Kmin is counted
// in `curve`, where that is not NULL.
static inline bool red_decide(
	const struct red_cfg *cfg, struct red_curve *curve, struct prng *rng, uint32_t qlen_bytes)
{
	bool wants;

	if (qlen_bytes <= cfg->kmin_bytes)
		return false;
	wants = red_wants(cfg, rng, qlen_bytes);
	if (UNLIKELY(curve != NULL))
		red_curve_add(curve, cfg, qlen_bytes, wants);
	return wants;
}

// Like red_decide(), for a frame with this ECN codepoint (0..3): only ECT frames are marked.
static inline bool red_mark(const struct red_cfg *cfg, struct red_curve *curve, struct prng *rng,
	uint32_t qlen_bytes, unsigned ecn)
{
	return ecn != RED_CE && ecn != RED_NOT_ECT && red_decide(cfg, curve, rng, qlen_bytes);
}

// The marker decides by another configuration from now on; the curve begins anew. `ect`, `marked`:
// the owner's counts so far.
static inline void red_curve_restart(struct red_curve *c, uint64_t ect, uint64_t marked)
{
	*c = (struct red_curve){.changes = c->changes + 1,
		.ect_before = ect,
		.marked_before = marked,
		.first_marked = c->first_marked,
		.last_marked = c->last_marked};
}

// A frame got its mark; `n`: ECT frames that the marker has seen, that one too.
static inline void red_curve_marked(struct red_curve *c, uint64_t n)
{
	c->last_marked = n;
	if (!c->first_marked)
		c->first_marked = n;
}

static inline uint32_t red_avg_bytes(const struct red_avg *a)
{
	return (uint32_t)(a->bytes >> 24);
}

// A frame comes, with which the queue is qlen_bytes long: avg += (qlen - avg) 2^-exponent, exponent
// 1..RED_EXPONENT_MAX (red_avg_learn). Before that, a queue that was empty had as many frames of
// length 0 as there were times `frame_ps` (above 0, the wire time of this frame) since
// (red_avg_idle).
void red_avg_idle(struct red_avg *a, unsigned exponent, tstamp frame_ps, tstamp now);

static inline bool red_avg_is_idle(const struct red_avg *a)
{
	return a->empty != TSTAMP_NEVER;
}

// n frames of `bytes` each come, of which the first one makes the queue qlen_bytes long.
static inline void red_avg_learn(
	struct red_avg *a, unsigned exponent, uint32_t qlen_bytes, uint32_t bytes, unsigned n)
{
	uint64_t sees = (uint64_t)qlen_bytes << 24, more = (uint64_t)bytes << 24, avg = a->bytes;

	for (; n; n--, sees += more)
		avg += (uint64_t)((int64_t)(sees - avg) >> exponent);
	a->bytes = avg;
}

// The queue has become empty.
static inline void red_avg_empty(struct red_avg *a, tstamp now)
{
	a->empty = now;
}

// The smallest length in bin i, 0..RED_CURVE_BINS. If no length falls into bin i, it is the
// smallest length of the next bin. RED_CURVE_BINS: beyond the last bin, 2^32.
uint64_t red_curve_edge(const struct red_cfg *cfg, unsigned i);

// Sum of the probabilities that the formula gave the frames of bin i.
double red_curve_expected(const struct red_cfg *cfg, const struct red_bin *bin, unsigned i);
