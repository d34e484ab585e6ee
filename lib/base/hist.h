// SPDX-License-Identifier: BSD-3-Clause
// Log-linear histogram of unsigned values: 128 sub-buckets an octave, under 0.8 % relative error.
#pragma once

#include <stdint.h>

#define HIST_SUB_BITS 7
#define HIST_SUB      (1u << HIST_SUB_BITS)
#define HIST_OCTAVES  41 // values up to 2^48 - 1; larger ones count in the last bucket
#define HIST_BUCKETS  (HIST_SUB * (HIST_OCTAVES + 1))

// Zeroed memory is an empty histogram. Only the pages of buckets that have values are ever touched;
// all others cost address space only.
struct hist {
	uint64_t n;        // sum of weights
	uint64_t from_top; // UINT64_MAX less the smallest value: 0 while empty
	uint64_t max;
	unsigned __int128 sum; // sum of value * weight
	uint64_t bucket[HIST_BUCKETS];
};

// The part of a histogram that is kept of an early instant: up to the last bucket that is not
// empty.
struct hist_early {
	uint64_t n;
	unsigned __int128 sum;
	uint32_t buckets;
	uint64_t bucket[];
};

void hist_init(struct hist *h);

// The smallest value; UINT64_MAX while empty.
static inline uint64_t hist_min(const struct hist *h)
{
	return UINT64_MAX - h->from_top;
}

// Index of the bucket that holds v.
static inline unsigned hist_index(uint64_t v)
{
	// 0 below HIST_SUB, where a bucket is one value
	unsigned shift = (63 ^ (unsigned)__builtin_clzll(v | HIST_SUB)) - HIST_SUB_BITS;
	unsigned i = shift * HIST_SUB + (unsigned)(v >> shift);

	return i < HIST_BUCKETS ? i : HIST_BUCKETS - 1;
}

// Adds v with a weight (1 for a count; ps for a time-weighted distribution).
static inline void hist_add(struct hist *h, uint64_t v, uint64_t weight)
{
	h->n += weight;
	h->sum += (unsigned __int128)v * weight;
	if (~v > h->from_top) // seldom: an extreme is compared, and not stored, each time
		h->from_top = ~v;
	if (v > __atomic_load_n(&h->max, __ATOMIC_RELAXED)) // hist_take_max
		__atomic_store_n(&h->max, v, __ATOMIC_RELAXED);
	h->bucket[hist_index(v)] += weight;
}

// Adds v with weight 1 to its bucket and nothing else, for an owner that keeps the sum and the
// extremes elsewhere anyway. hist_bound() gets these, and hist_settle() makes a histogram of all of
// them.
static inline void hist_count(struct hist *h, uint64_t v)
{
	h->bucket[hist_index(v)]++;
}

// Values of this sum were counted, none of them below `min` or above `max`.
static inline void hist_bound(struct hist *h, uint64_t sum, uint64_t min, uint64_t max)
{
	h->sum += sum;
	h->from_top = ~min > h->from_top ? ~min : h->from_top;
	h->max = max > h->max ? max : h->max;
}

// The smallest value and max become the edges of the outermost buckets that are not empty, or what
// hist_bound was told where that is further in. Buckets outside of these bounds are not looked at.
void hist_settle(struct hist *h);

// The value below or at which `permille` of the weight lies (0..1000; 500 is the median),
// interpolated within its bucket, between the smallest value and max; 0 while empty.
uint64_t hist_quantile(const struct hist *h, unsigned permille);
// The quantile of `part` / `of` of the weight: 9999, 10000 is p99.99.
uint64_t hist_part(const struct hist *h, unsigned part, unsigned of);

// The maximum since the last call (since init at the first); 0 if nothing was added. For a sampler
// that wants the maximum of each period; afterwards h->max is the maximum of the running period
// only. The sampler may be another thread than the one that adds: a maximum that comes meanwhile is
// in this period or in the next one.
static inline uint64_t hist_take_max(struct hist *h)
{
	return __atomic_exchange_n(&h->max, 0, __ATOMIC_RELAXED);
}

// Mean; 0 while empty.
double hist_mean(const struct hist *h);

// Standard deviation, each value taken for the middle of its bucket; 0 while empty.
double hist_deviation(const struct hist *h);

// Share of the weight in buckets that lie wholly above v, 0..1.
double hist_share_above(const struct hist *h, uint64_t v);

// Smallest value of bucket i.
uint64_t hist_lower(unsigned i);

// Adds `from`, which hist_bound has been told of all that hist_count took.
void hist_merge(struct hist *into, const struct hist *from);

// Copies a histogram to which another thread may add meanwhile. The weight is the sum over the
// buckets; `from` had the sum at some instant. Extremes may belong to a value that is not in a
// bucket yet. No value is above `most`: the buckets beyond it are neither looked at nor copied, and
// hist_subtract() and the figures of `to` do not ask for them either.
void hist_look(struct hist *to, const struct hist *from, uint64_t most);

// Keeps the state that hist_subtract() needs of this instant, as hist_look() sees it, freed by the
// caller; NULL if memory is out.
struct hist_early *hist_keep(const struct hist *h);

// Takes away what `h` held earlier, so that it speaks of the time since. Smallest value and max
// become the edges of the outermost buckets that are left, max at most `max`, above which no value
// is left.
void hist_subtract(struct hist *h, const struct hist_early *earlier, uint64_t max);
