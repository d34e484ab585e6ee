// SPDX-License-Identifier: BSD-3-Clause
// How many frames may leave a queue one behind the other, and what each of them finds. The results
// are those of eport_pick, eport_get and eport_sent, called for each frame. Frames of one length
// have a closed form.
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "eport.h"

struct eport_leave {
	const struct eport_cfg *cfg;
	bool strict; // credit says nothing
	bool turn;   // others are ready, too: the turn ends with the credit
	bool gated;
	int32_t deficit, quantum;
	int64_t room; // bytes that may leave yet, but for the first frame
	tstamp tat, free_until;
	struct rate_gate gate[EPORT_GATES]; // where gated
};

// The next frame of class `cls`, which eport_pick gave, is the first that leaves; `gate`: NULL or
// EPORT_GATES of them.
static inline void eport_leave_from(struct eport_leave *l, const struct eport *e, int cls,
	uint32_t keep, const struct rate_gate *gate, tstamp now)
{
	const struct eport_cfg *c = e->cfg;
	bool strict = c->strict >> cls & 1;

	l->cfg = c;
	l->strict = strict;
	l->turn = !strict && e->nonempty & ~(unsigned)e->blocked & ~(1u << cls);
	l->gated = gate != NULL;
	l->deficit = e->q[cls].deficit;
	l->quantum = c->quantum[cls];
	l->room = (int64_t)e->q[cls].bytes - keep;
	l->tat = tstamp_max(e->tat, now);
	l->free_until = now + c->tolerance_ps;
	if (gate)
		memcpy(l->gate, gate, sizeof(l->gate));
}

// Bytes of a frame in the queue.
static inline int32_t eport_leave_bytes(const struct eport_leave *l, uint32_t len)
{
	return (int32_t)(len + l->cfg->framing.queue_extra);
}

// How long a frame holds up a gate.
static inline tstamp eport_leave_gate_time(const struct eport_leave *l, unsigned i, uint32_t len)
{
	return rate_time(l->gate[i].ps, len + l->cfg->framing.wire_extra);
}

// Whether a frame may follow the frames that have left.
static inline bool eport_leave_may_follow(const struct eport_leave *l, uint32_t len)
{
	int32_t bytes = eport_leave_bytes(l, len);
	bool open = l->tat <= l->free_until;

	for (unsigned i = 0; l->gated && i < EPORT_GATES; i++)
		open &= l->gate[i].at <= l->gate[i].until;
	return open && l->room >= bytes && (!l->turn || l->deficit >= bytes);
}

// How many of n frames fit into `room`, if each of them takes `each`.
static inline unsigned eport_leave_fit(uint64_t room, uint64_t each, unsigned n)
{
	return each * n <= room ? n : (unsigned)(room / each);
}

// How many of n frames may begin by `until`: the frame before them begins at `at`, and each frame
// takes `each`.
static inline unsigned eport_leave_begin(tstamp at, tstamp until, tstamp each, unsigned n)
{
	return at > until ? 0 : eport_leave_fit(until - at, each, n);
}

// The credit that is left when one frame has left.
static inline int32_t eport_leave_credit(const struct eport_leave *l, int32_t bytes)
{
	int32_t d = l->deficit + (l->deficit < bytes ? l->quantum : 0);

	return d < bytes ? 0 : d - bytes;
}

// How many of n frames of this length leave, if the first one does.
static inline unsigned eport_leave_most(const struct eport_leave *l, uint32_t len, unsigned n)
{
	int32_t bytes = eport_leave_bytes(l, len);

	n = eport_leave_begin(l->tat, l->free_until, eport_wire_time(l->cfg, len), n - 1);
	for (unsigned i = 0; l->gated && i < EPORT_GATES; i++)
		n = eport_leave_begin(
			l->gate[i].at, l->gate[i].until, eport_leave_gate_time(l, i, len), n);
	n = l->room < bytes ? 0 : eport_leave_fit((uint64_t)(l->room - bytes), (uint32_t)bytes, n);
	if (l->turn)
		n = eport_leave_fit((uint32_t)eport_leave_credit(l, bytes), (uint32_t)bytes, n);
	return n + 1;
}

// One frame has left.
static inline void eport_leave_one(struct eport_leave *l, uint32_t len)
{
	int32_t bytes = eport_leave_bytes(l, len);

	l->room -= bytes;
	l->tat += eport_wire_time(l->cfg, len);
	for (unsigned i = 0; l->gated && i < EPORT_GATES; i++)
		l->gate[i].at += eport_leave_gate_time(l, i, len);
	l->deficit = eport_leave_credit(l, bytes);
}

// The credit that is left when frames of `bytes` in all have left, each of which a quantum is
// enough for: credit comes in whole quanta, as few as each frame needs when it leaves, and these
// are as few as all of them need.
static inline int32_t eport_leave_credits(const struct eport_leave *l, int32_t bytes)
{
	int32_t missing = bytes - l->deficit;

	if (missing <= 0)
		return -missing;
	return (missing + l->quantum - 1) / l->quantum * l->quantum - missing;
}

// n frames of one length have left.
static inline void eport_leave_run(struct eport_leave *l, uint32_t len, unsigned n)
{
	int32_t bytes = eport_leave_bytes(l, len), all = (int32_t)n * bytes;

	l->room -= (int64_t)n * bytes;
	l->tat += n * eport_wire_time(l->cfg, len);
	for (unsigned i = 0; l->gated && i < EPORT_GATES; i++)
		l->gate[i].at += n * eport_leave_gate_time(l, i, len);
	if (all <= l->deficit || (l->quantum >= bytes && l->deficit >= 0))
		l->deficit = eport_leave_credits(l, all);
	else
		for (; n; n--)
			l->deficit = eport_leave_credit(l, bytes);
}

// Frames of any lengths that leave together. Only two sums of them are kept: their bytes in the
// queue and their bytes on the wire. The bounds are of the same two kinds: the queue's bound, and
// one bound of the wire for serializer and gates.
struct eport_sums {
	uint64_t bytes, wire; // of the frames that have left
	// A frame may leave while `wire` is at most the first of these, and if it makes `bytes` at
	// most the second one.
	uint64_t wire_most, bytes_most;
	uint32_t queue_extra, wire_extra;
};

static inline bool eport_leave_is_whole(byte_ps ps)
{
	return !(ps & RATE_FRACTION);
}

// Whether sums tell all that has to be known of the frames that may follow: wire times have to add
// up without rounding, and credit has to say nothing, or a quantum to be enough for each frame.
static inline bool eport_leave_sums_up(const struct eport_leave *l)
{
	bool whole = !l->cfg->framing.whole_ns && eport_leave_is_whole(l->cfg->ps);

	for (unsigned i = 0; l->gated && i < EPORT_GATES; i++)
		whole &= eport_leave_is_whole(l->gate[i].ps);
	return whole && (l->strict || (l->deficit >= 0 && l->quantum >= (int32_t)l->cfg->longest));
}

// How many bytes of the wire a frame may find taken and still begin until `until`.
static inline uint64_t eport_leave_wire(tstamp at, tstamp until, byte_ps ps)
{
	return ps ? (until - at) / rate_time(ps, 1) : UINT64_MAX;
}

// Sums of no frame yet, with the limits for the frames that may follow the frames that have left.
static inline struct eport_sums eport_leave_sums(const struct eport_leave *l)
{
	bool open = l->tat <= l->free_until && l->room > 0;
	struct eport_sums s = {
		.wire_most = eport_leave_wire(l->tat, l->free_until, l->cfg->ps),
		.bytes_most = (uint64_t)l->room,
		.queue_extra = l->cfg->framing.queue_extra,
		.wire_extra = l->cfg->framing.wire_extra,
	};

	for (unsigned i = 0; l->gated && i < EPORT_GATES; i++) {
		const struct rate_gate *g = &l->gate[i];
		uint64_t most = eport_leave_wire(g->at, g->until, g->ps);

		s.wire_most = most < s.wire_most ? most : s.wire_most;
		open &= g->at <= g->until;
	}
	if (l->turn && s.bytes_most > (uint32_t)l->deficit)
		s.bytes_most = (uint32_t)l->deficit;
	s.bytes_most = open ? s.bytes_most : 0;
	return s;
}

// Counts the next frame, if it may leave. Returns whether it may.
static inline bool eport_sums_add(struct eport_sums *s, uint32_t len)
{
	uint64_t bytes = s->bytes + len + s->queue_extra;

	if (s->wire > s->wire_most || bytes > s->bytes_most)
		return false;
	s->bytes = bytes;
	s->wire += len + s->wire_extra;
	return true;
}

// The frames of these sums have left.
static inline void eport_leave_all(struct eport_leave *l, const struct eport_sums *s)
{
	l->room -= (int64_t)s->bytes;
	l->tat += s->wire * rate_time(l->cfg->ps, 1);
	for (unsigned i = 0; l->gated && i < EPORT_GATES; i++)
		l->gate[i].at += s->wire * rate_time(l->gate[i].ps, 1);
	l->deficit = l->strict ? 0 : eport_leave_credits(l, (int32_t)s->bytes);
}
