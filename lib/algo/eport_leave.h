// SPDX-License-Identifier: BSD-3-Clause
// How many frames may leave a queue one behind the other, and what each of them finds. The results
// are those of eport_pick, eport_get and eport_sent, called for each frame. Frames of one length
// have a closed form.
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "algo/eport.h"

struct eport_leave {
	const struct eport_cfg *cfg;
	bool turn; // others are ready, too: the turn ends with the credit
	bool gated;
	int32_t deficit, quantum;
	int64_t room; // bytes that may leave yet, but for the first frame
	tstamp tat, free_until;
	struct rate_gate gate[EPORT_GATES]; // where gated
};

// The next frame of class `cls`, which eport_pick gave, is the first that leaves; `gate`: NULL or
// EPORT_GATES of them.
static inline struct eport_leave eport_leave_from(
	const struct eport *e, int cls, uint32_t keep, const struct rate_gate *gate, tstamp now)
{
	const struct eport_cfg *c = e->cfg;
	struct eport_leave l = {
		.cfg = c,
		.turn = !(c->strict >> cls & 1) &&
			e->nonempty & ~(unsigned)e->blocked & ~(1u << cls),
		.gated = gate != NULL,
		.deficit = e->q[cls].deficit,
		.quantum = c->quantum[cls],
		.room = (int64_t)e->q[cls].bytes - keep,
		.tat = tstamp_max(e->tat, now),
		.free_until = now + c->tolerance_ps,
	};

	if (gate)
		memcpy(l.gate, gate, sizeof(l.gate));
	return l;
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

// Whether a frame may follow those that have left.
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

// Of n frames of this length, the first of which leaves: how many do.
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

// n frames of one length have left. Credit comes in whole quanta, as few as each frame needs when
// it leaves: where a quantum is enough for a frame these are as few as all of them need.
static inline void eport_leave_run(struct eport_leave *l, uint32_t len, unsigned n)
{
	int32_t bytes = eport_leave_bytes(l, len), missing = (int32_t)n * bytes - l->deficit;

	l->room -= (int64_t)n * bytes;
	l->tat += n * eport_wire_time(l->cfg, len);
	for (unsigned i = 0; l->gated && i < EPORT_GATES; i++)
		l->gate[i].at += n * eport_leave_gate_time(l, i, len);
	if (missing <= 0)
		l->deficit = -missing;
	else if (l->quantum >= bytes && l->deficit >= 0)
		l->deficit = (missing + l->quantum - 1) / l->quantum * l->quantum - missing;
	else
		for (; n; n--)
			l->deficit = eport_leave_credit(l, bytes);
}
