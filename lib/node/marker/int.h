// SPDX-License-Identifier: BSD-3-Clause
// What the files of room marker call of each other.
#pragma once

#include "marker.h"

#pragma GCC visibility push(hidden)

// The codepoints (bitmap) that the marker of a class takes for ECT.
INLINE unsigned marker_takes(const struct sw_cls *k)
{
	return 1u << ECN_ECT0 | 1u << ECN_ECT1 | k->mark_any << ECN_NOT_ECT;
}

static inline unsigned marker_ones(uint64_t x)
{
	x -= x >> 1 & 0x5555555555555555;
	x = (x & 0x3333333333333333) + (x >> 2 & 0x3333333333333333);
	x = (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0f;
	return (unsigned)(x * 0x0101010101010101 >> 56);
}

// Frames up to i.
static inline uint64_t marker_up_to(unsigned i)
{
	return UINT64_MAX >> (63 - i);
}

// Frames of a queue were `marked`, one at least. The first mark and the last one are noted, each as
// the number of ECT frames that the marker has seen, `before` of them before these. All before a
// marked one were above Kmin, as it was.
INLINE void marker_note_marks(
	struct red_curve *curve, uint64_t before, uint64_t ect, uint64_t marked)
{
	for (uint64_t m = marked; m && !curve->first_marked; m &= m - 1)
		red_curve_marked(curve,
			before + marker_ones(ect & marker_up_to((unsigned)__builtin_ctzll(m))));
	curve->last_marked =
		before + marker_ones(ect & marker_up_to(63 - (unsigned)__builtin_clzll(marked)));
}

// The average of a queue is the same for all ECT frames that leave: one bin gets them. It is above
// Kmin.
static inline void marker_add_average(struct red_curve *curve, const struct red_cfg *red,
	uint32_t sees, uint64_t ect, uint64_t marked)
{
	unsigned n = marker_ones(ect);
	struct red_bin *b = &curve->bin[red_curve_bin(red, sees)];

	b->ect_frames += n;
	b->over_bytes += (uint64_t)n * (sees - red->kmin_bytes);
	b->marked_frames += marker_ones(marked);
}

// choice.c
// Of the frames of a burst that were `marked` the first one whose mark makes a CNP of Fast CNP; n:
// there is none. Fills in c->said of those of data.
unsigned marker_first_cnp(const struct sw *sw, struct pkt *const *burst, unsigned n,
	uint64_t marked, struct sw_choice *c, tstamp now);

// mark.c
// The frame gets CE, and nothing else comes of that.
void sw_mark_ce(struct sw *sw, struct sw_port *o, struct pkt *p, uint64_t seen_bytes, tstamp now);

#pragma GCC visibility pop
