// SPDX-License-Identifier: BSD-3-Clause
// A stream of messages: when the next one comes, how long it is, who sends it and who receives it.
// All of it follows from the seed and the stream's name, so that every holder of a copy sees the
// same messages. Only in a closed stream the instants depend on what else happens.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/dist.h"
#include "base/prng.h"
#include "base/rate.h"

enum arrivals_kind {
	ARRIVALS_POISSON, // exponential gaps with the mean gap_q16
	ARRIVALS_EVERY,   // gaps of gap_q16; the first message comes at a random phase of one
	ARRIVALS_ON_OFF,  // exponential on and off times; while it is on, at line rate
	ARRIVALS_CLOSED,  // depth messages at the start, then one for each that is done
};

enum arrivals_to {
	ARRIVALS_RANDOM,  // each of the peers with the same probability
	ARRIVALS_ONE,     // the one peer
	ARRIVALS_IN_TURN, // the peers one after the other, from the first
	ARRIVALS_INCAST,  // the peers send to the stream's host: `fan` of them at a time
	ARRIVALS_RACK,    // a share of the messages to the peers under the same leaf
};

#define ARRIVALS_NAME 512   // bytes of a name, at most
#define ARRIVALS_ONS  65536 // a message lasts at most this number of mean on times

struct arrivals_cfg {
	enum arrivals_kind kind;
	enum arrivals_to to;
	const struct dist *sizes; // bytes of a message
	// POISSON, EVERY: mean time from one message to the next, ps in Q48.16, from 1 on. INCAST:
	// from one request to the next.
	uint64_t gap_q16;
	// ON_OFF: time of a byte of payload while it is on, from 1 on. INCAST: on the link of the
	// stream's host, which the `fan` messages of a request pass.
	byte_ps ps_per_byte;
	// ON_OFF: mean times, ps; on from 1, off from 0, and below 2^62. A byte comes at each
	// ps_per_byte of the on time, so the mean load is exactly on / (on + off): a message comes
	// whole at its first byte, and the part of its time that an on time does not have is taken
	// from the next ones.
	tstamp on, off;
	uint32_t depth; // CLOSED: messages outstanding, from 1 on; not INCAST
	// Messages come from `start` on and before `stop` (TSTAMP_NEVER: no end). Of a request that
	// comes before `stop` all messages do. `start` is an instant like each other: a stream does
	// not begin with a message, unless it is closed.
	tstamp start, stop;
	uint64_t seed;    // of the scene
	const char *name; // of the stream, as "web[h1]"; ARRIVALS_NAME bytes at most
	uint32_t host;    // the stream's own host: INCAST the receiver, else the sender
	// The other ends, by their numbers; without the stream's own host, and each once. ONE has
	// one, the others 1 or more. The array outlives the stream.
	const uint32_t *peers;
	uint32_t n_peers;
	// RACK: the first `near` peers are under the leaf of the host, and they get the share
	// rack_q32 (0..2^32) of the messages. A share above 0 needs near peers, one below 2^32
	// others.
	uint32_t near;
	uint64_t rack_q32;
	uint32_t fan; // INCAST: senders of a request, all different, 1..n_peers
};

struct arrival {
	tstamp at;
	uint32_t bytes;
	uint32_t from, to; // numbers of hosts
};

// Gaps, sizes and ends have generators of their own, which are called NAME.gaps, NAME.sizes and
// NAME.ends. So another distribution of sizes changes no instant (but of ON_OFF) and no receiver,
// and another pattern changes no size. Each message takes, in this order:
//   its receiver or sender: RANDOM one number; RACK two, for the leaf and for the peer; INCAST one
//     for each peer up to the one that sends, in the order of `peers`; the others none
//   its size: one
//   then the gap to the next message or request: POISSON one; EVERY none; ON_OFF two for each end
//     of an on time within the gap, for the off time and for the next on time
// Before the first message POISSON takes one gap, EVERY one number for its phase, and ON_OFF
// numbers for the state in which `start` finds it: whether it is on, how long the rest of that
// lasts, and how much of a message is to be sent before the next one comes.
struct arrivals {
	const struct arrivals_cfg *cfg; // lent: it outlives the stream
	struct prng gaps, sizes, ends;
	tstamp at;        // of the next message
	tstamp on_left;   // ON_OFF: of the on time, at `at`
	uint64_t request; // bytes that came since the last gap
	uint32_t frac;    // of `at`, Q0.16 of a ps
	uint32_t waiting; // CLOSED: messages that may come now; INCAST: of the request, to come
	uint32_t place;   // INCAST: the next peer to be asked; IN_TURN: the next receiver
};

// Makes a stream; cfg and all that it names outlive it. A copy of a stream goes on by itself.
// -EINVAL: a field is out of its range.
int arrivals_init(struct arrivals *a, const struct arrivals_cfg *cfg);

// Tells the next message and moves on. False: no message comes at present (closed), or any more.
bool arrivals_next(struct arrivals *a, struct arrival *next);

// The instant of the next message; TSTAMP_NEVER: none is due.
static inline tstamp arrivals_at(const struct arrivals *a)
{
	return a->at;
}

// Tells a closed stream that a message is done: one more message comes `now`. Messages that were
// due and have not been taken yet come `now`, too. Other streams ignore the call.
void arrivals_done(struct arrivals *a, tstamp now);
