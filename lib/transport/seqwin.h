// SPDX-License-Identifier: BSD-3-Clause
// The order of numbered frames: counts missing, late and repeated ones. Numbers have 16 bits, as
// IPv4 identifications, or 32, and wrap.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define SEQWIN 256 // numbers behind the highest of which it is known whether each came

struct seqwin {
	uint32_t next; // behind the highest number that came
	uint8_t bits;  // of a number; 0: none came yet
	uint64_t frames;
	uint64_t lost;         // between the first and the highest, not come by now
	uint64_t out_of_order; // came after a higher one
	uint64_t duplicates;   // came again, within the window
	uint64_t back;         // did not go forward: those two, and numbers that stand still
	uint64_t came[SEQWIN / 64];
};

// A frame with this number, of `bits` bits, 16 or 32: the same for all. A gap of half of all
// numbers or more counts as going back.
void seqwin_rx(struct seqwin *w, uint32_t number, unsigned bits);

// Whether the numbers count the frames: at most one in four did not go forward. Numbers that stand
// still, or are random, do not. False, too, below eight frames.
bool seqwin_counts(const struct seqwin *w);
