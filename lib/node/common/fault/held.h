// SPDX-License-Identifier: BSD-3-Clause
// Frames that an injector holds: until an instant, or until later frames have gone on.
#pragma once

#include <stdint.h>

#include "base/tstamp.h"
#include "wire/pkt.h"

#pragma GCC visibility push(hidden)

struct pair;

struct held {
	struct pkt *pkt;
	struct pair *pair;        // NULL: none is kept
	uint64_t seq;             // by its arrival at the port; a copy has its original's
	uint64_t order;           // in which frames were held, from 1; 0: it is not held yet
	tstamp at;                // it goes on then
	tstamp until;             // and not before this instant, whoever has gone on
	uint32_t behind;          // later frames that have to go on before it; 0: only `at` counts
	uint32_t place;           // in the heap
	struct line *line;        // that counts frames for it; NULL: none
	struct held *prev, *next; // in that line, or of the free ones
};

// Frames that wait for the same later frames.
struct line {
	struct held *first, *last;
};

struct holds {
	struct held *held;
	struct held **heap; // the earliest instant first; of equal ones the earlier held frame
	struct held *free;
	uint32_t n, room;
	uint64_t order; // of the frame that was held last
};

// Room for n frames. 0 or -ENOMEM.
int holds_init(struct holds *h, uint32_t n);
void holds_fini(struct holds *h);

// Holds a frame; there must be room.
void holds_put(struct holds *h, const struct held *of, struct line *line);

// The first frame that is due; TSTAMP_NEVER: there is none.
static inline tstamp holds_due(const struct holds *h)
{
	return h->n ? h->heap[0]->at : TSTAMP_NEVER;
}

// Takes a frame out; what is returned is its copy.
struct held holds_take(struct holds *h, struct held *it);

// A frame of a line goes on at `at` now.
void holds_move(struct holds *h, struct held *it, tstamp at);

#pragma GCC visibility pop
