// SPDX-License-Identifier: BSD-3-Clause
// One wire for the serializers of several threads: wire time that is taken in pieces.
//
// The GCRA of the wire is one number, its theoretical arrival time. A serializer takes a piece from
// it for a burst, books its frames in the piece, and gives back what the frames did not need. So
// all serializers together send no more than the wire carries. They take turns: who had the last
// piece leaves the wire to those that found it taken, for half of the tolerance (a frame at least),
// in which no wire time is lost that the tolerance would not make up for.
#pragma once

#include <stdatomic.h>
#include <stdbool.h>

#include "base/tstamp.h"

#define EPORT_WIRE_SHARES 32 // serializers of one wire

struct eport_wire {
	_Alignas(64) _Atomic tstamp tat; // end of the time that has been taken
	_Atomic uint32_t waits;          // bitmap of serializers that have found it taken
	_Atomic uint32_t last;           // bit of the serializer that had the last piece
};

// A piece of wire time.
struct eport_piece {
	tstamp from, to;
	tstamp idle; // for how long the wire had been idle before it
};

// How a serializer takes its pieces.
struct eport_share {
	uint32_t bit;     // of eport_wire.waits
	tstamp longest;   // wire time of its longest frame, ps
	tstamp tolerance; // how far ahead the wire may be booked, ps
};

// The wire is taken: sets the serializer's bit in `waits`, and piece->from to `at`. The serializer
// asks again at `at` less its tolerance. Returns false, for eport_wire_take().
static inline bool eport_wire_wait(
	struct eport_wire *w, struct eport_piece *piece, const struct eport_share *s, tstamp at)
{
	if (!(atomic_load_explicit(&w->waits, memory_order_relaxed) & s->bit))
		atomic_fetch_or_explicit(&w->waits, s->bit, memory_order_relaxed);
	piece->from = at;
	return false;
}

// Takes wire time for frames from `now` on: at most `want` ps, and at most so much that the last
// frame starts within the tolerance. Returns false if the wire is taken, or if it is another
// serializer's turn. Then ask again at piece->from less the tolerance.
static inline bool eport_wire_take(struct eport_wire *w, struct eport_piece *piece,
	const struct eport_share *s, tstamp want, tstamp now)
{
	tstamp tat = atomic_load_explicit(&w->tat, memory_order_relaxed),
	       ahead = now + s->tolerance;
	tstamp turn = tat + tstamp_max(s->tolerance / 2, s->longest); // theirs who wait ends

	if (tat <= ahead && ahead < turn &&
		(atomic_load_explicit(&w->waits, memory_order_relaxed) & ~s->bit) &&
		atomic_load_explicit(&w->last, memory_order_relaxed) == s->bit)
		return eport_wire_wait(w, piece, s, tstamp_min(turn, ahead + s->longest / 16));
	do {
		if (tat > ahead)
			return eport_wire_wait(w, piece, s, tat);
		piece->from = tstamp_max(tat, now);
		piece->to = tstamp_min(piece->from + want, ahead + s->longest);
	} while (!atomic_compare_exchange_weak_explicit(
		&w->tat, &tat, piece->to, memory_order_relaxed, memory_order_relaxed));
	piece->idle = piece->from - tat;
	return true;
}

// Settles a piece whose frames end at `end`: gives back unused wire time, or takes more if the
// frames needed more. If there were frames, the serializer's turn is over.
static inline void eport_wire_settle(
	struct eport_wire *w, const struct eport_piece *p, const struct eport_share *s, tstamp end)
{
	uint32_t waits = atomic_load_explicit(&w->waits, memory_order_relaxed);
	bool again = atomic_load_explicit(&w->last, memory_order_relaxed) == s->bit;

	if (end != p->to)
		atomic_fetch_add_explicit(&w->tat, end - p->to, memory_order_relaxed);
	if (end == p->from)
		atomic_fetch_and_explicit(&w->waits, ~s->bit, memory_order_relaxed);
	else if (again && waits) // those who waited have not come
		atomic_store_explicit(&w->waits, 0, memory_order_relaxed);
	else if (waits & s->bit)
		atomic_fetch_and_explicit(&w->waits, ~s->bit, memory_order_relaxed);
	if (end != p->from && !again)
		atomic_store_explicit(&w->last, s->bit, memory_order_relaxed);
}
