// SPDX-License-Identifier: BSD-3-Clause
// Histogram: quantiles, mean, deviation and shares read from the log-linear buckets.
#include "base/hist.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/fixed.h"

void hist_init(struct hist *h)
{
	memset(h, 0, sizeof(*h));
}

uint64_t hist_lower(unsigned i)
{
	if (i < HIST_SUB)
		return i;
	return (uint64_t)(HIST_SUB + i % HIST_SUB) << (i / HIST_SUB - 1);
}

uint64_t hist_quantile(const struct hist *h, unsigned permille)
{
	return hist_part(h, permille, 1000);
}

// Returns the `rank`-th value of bucket i (rank from 1), as if its weight were spread evenly over
// the bucket. The smallest value and max narrow the bucket if they are in it.
static uint64_t within(const struct hist *h, unsigned i, uint64_t rank)
{
	const uint64_t min = hist_min(h), max = h->max, n = h->bucket[i];
	const bool has_min = i == hist_index(min), has_max = i == hist_index(max);
	uint64_t low = has_min ? min : hist_lower(i), high = has_max ? max : hist_lower(i + 1) - 1;

	if (high > max) // hist_take_max
		return max;
	if (n > 1)
		return low + fixed_muldiv(high - low, rank - 1, n - 1);
	if (has_min || has_max)
		return has_max ? high : low;
	return low + (high - low) / 2;
}

uint64_t hist_part(const struct hist *h, unsigned part, unsigned of)
{
	if (!h->n)
		return 0;

	// The smallest weight that is at least part / of of n, and at least one.
	uint64_t want = fixed_muldiv(h->n, part, of);
	uint64_t below = 0;
	unsigned i = hist_index(hist_min(h)); // nothing lies below

	if (!want || fixed_muldiv(want, of, part) < h->n)
		want++;
	want = want < h->n ? want : h->n;
	for (; below + h->bucket[i] < want; i++)
		below += h->bucket[i];
	return within(h, i, want - below);
}

double hist_mean(const struct hist *h)
{
	return h->n ? (double)h->sum / (double)h->n : 0;
}

// Middle of bucket i.
static double middle(unsigned i)
{
	return ((double)hist_lower(i) + (double)hist_lower(i + 1) - 1) / 2;
}

// Buckets below the smallest value and behind the one that completes the weight are empty.
double hist_deviation(const struct hist *h)
{
	const unsigned first = hist_index(hist_min(h));
	double mean = 0, squares = 0, n = (double)h->n;
	uint64_t left = h->n;
	unsigned end = first;

	for (; left && end < HIST_BUCKETS; end++) {
		mean += middle(end) * (double)h->bucket[end] / n;
		left -= h->bucket[end];
	}
	for (unsigned i = first; i < end; i++) {
		double off = middle(i) - mean;

		squares += off * off * ((double)h->bucket[i] / n);
	}
	return sqrt(squares);
}

double hist_share_above(const struct hist *h, uint64_t v)
{
	uint64_t above = h->n;

	for (unsigned i = hist_index(hist_min(h)); above && i <= hist_index(v); i++)
		above -= h->bucket[i];
	return h->n ? (double)above / (double)h->n : 0;
}

void hist_merge(struct hist *into, const struct hist *from)
{
	unsigned last = hist_index(from->max);

	into->n += from->n;
	into->sum += from->sum;
	into->from_top = from->from_top > into->from_top ? from->from_top : into->from_top;
	into->max = from->max > into->max ? from->max : into->max;
	for (unsigned i = hist_index(hist_min(from)); i <= last; i++)
		if (from->bucket[i]) // pages that stay empty are not touched
			into->bucket[i] += from->bucket[i];
}

// Both words of the sum belong to one instant if a second look finds them unchanged.
static unsigned __int128 look_at_sum(const struct hist *h)
{
	const volatile unsigned __int128 *sum = &h->sum;
	unsigned __int128 seen, again = *sum;

	do {
		seen = again;
		again = *sum;
	} while (seen != again);
	return seen;
}

// Copies the first n buckets and returns the sum of the copies, since the weight that the writer
// keeps may be older.
static uint64_t look_at_buckets(uint64_t *to, const struct hist *from, uint32_t n)
{
	uint64_t all = 0;

	for (uint32_t i = 0; i < n; i++) {
		to[i] = __atomic_load_n(&from->bucket[i], __ATOMIC_RELAXED);
		all += to[i];
	}
	return all;
}

struct hist_early *hist_keep(const struct hist *h)
{
	struct hist_early *e;
	uint32_t n = HIST_BUCKETS;

	while (n && !h->bucket[n - 1])
		n--;
	e = malloc(sizeof(*e) + n * sizeof(e->bucket[0]));
	if (!e)
		return NULL;
	e->sum = look_at_sum(h);
	e->buckets = n;
	e->n = look_at_buckets(e->bucket, h, n);
	return e;
}

// Smallest value and max are no further out than `least` and `most`, which no value is.
static void set_extremes(struct hist *h, uint64_t least, uint64_t most)
{
	uint64_t min = UINT64_MAX, max = 0;
	unsigned last = hist_index(most);

	for (unsigned i = hist_index(least); i <= last; i++) {
		if (!h->bucket[i])
			continue;
		min = min < hist_lower(i) ? min : hist_lower(i);
		max = i == HIST_BUCKETS - 1 ? most : hist_lower(i + 1) - 1;
	}
	h->from_top = UINT64_MAX - (min > least ? min : least);
	h->max = max < most ? max : most;
}

// The smallest value and max are no further in than the outermost buckets that have a weight, which
// another thread may have stored before them.
static void hold_extremes(struct hist *h, unsigned last)
{
	unsigned min = hist_index(hist_min(h)), max = hist_index(h->max);

	for (unsigned i = 0; i < min; i++)
		if (h->bucket[i]) {
			h->from_top = UINT64_MAX - hist_lower(i);
			break;
		}
	for (unsigned i = last; i > max; i--)
		if (h->bucket[i]) {
			h->max = hist_lower(i + 1) - 1;
			break;
		}
}

void hist_look(struct hist *to, const struct hist *from, uint64_t most)
{
	const unsigned last = hist_index(most);

	to->sum = look_at_sum(from);
	to->n = look_at_buckets(to->bucket, from, last + 1);
	to->from_top = __atomic_load_n(&from->from_top, __ATOMIC_RELAXED);
	to->max = __atomic_load_n(&from->max, __ATOMIC_RELAXED);
	hold_extremes(to, last);
}

void hist_settle(struct hist *h)
{
	const bool is_bound = h->from_top;
	const unsigned first = is_bound ? hist_index(hist_min(h)) : 0;
	const unsigned last = is_bound ? hist_index(h->max) : HIST_BUCKETS - 1;

	h->n = 0;
	for (unsigned i = first; i <= last; i++)
		h->n += h->bucket[i];
	set_extremes(h, hist_min(h), h->max);
}

void hist_subtract(struct hist *h, const struct hist_early *earlier, uint64_t max)
{
	h->n -= earlier->n;
	h->sum -= earlier->sum;
	for (unsigned i = 0; i < earlier->buckets; i++)
		h->bucket[i] -= earlier->bucket[i];
	set_extremes(h, 0, max);
}
