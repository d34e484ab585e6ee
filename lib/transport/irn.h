// SPDX-License-Identifier: BSD-3-Clause
// Selective repeat, as IRN has it (docs/algo/recovery.md): a responder keeps packets that come
// early and names each of them in a NACK; the requester sends again only what is missing. A queue
// pair has a map of PSNs only while packets are missing, from a pool that many share.
#pragma once

#include "transport/rc.h"

#define IRN_CAP_MAX (1u << 15) // packets in flight, at most

// The distance from the PSN that a NACK expects to the one that it names has 16 bits.
_Static_assert(IRN_CAP_MAX <= 1u << 16, "a NACK names every PSN of a map");

#define IRN_FEW 3 // so many packets in flight wait for rto_low_ps, more for rto_ps

// A NACK about a block of packets that came early is repeated after this time (RC_SKIP).
#define IRN_NACK_EVERY (4 * PS_PER_US)

// Maps of one size. None has more than 65535.
struct irn_pool {
	uint8_t *memory;
	size_t bytes;   // of a map
	uint32_t n;     // maps
	uint32_t used;  // of them that have ever been lent
	uint32_t free;  // number of the first that came back; 0: none
	uint64_t empty; // times that none was left
};

// Bytes of a map for queue pairs of this configuration.
size_t irn_map_bytes(const struct rc_cfg *cfg);

// `memory` has room for n maps of `bytes` each, and is zeroed.
void irn_pool_init(struct irn_pool *pool, void *memory, uint32_t n, size_t bytes);

// Requester (cfg->repairs). rc_tx_ready() tells whether irn_tx_next() may be called.

// The next packet: one that is missing, or else a new one. Arms the timeout.
void irn_tx_next(struct rc_tx *tx, struct irn_pool *pool, struct rc_segment *seg, tstamp now);

// An ACK or a NACK (syndrome AETH_NAK_PSN), as rc_tx_ack(). `came`: the PSN that a NACK names.
unsigned irn_tx_ack(struct rc_tx *tx, struct irn_pool *pool, uint32_t psn, uint8_t syndrome,
	uint32_t came, tstamp now);

// Handles the timeout that rc_tx_rto_at() has given, as rc_tx_expire(). With more than IRN_FEW
// packets in flight the first one only moves it from rto_low_ps to rto_ps.
enum rc_expired irn_tx_expire(struct rc_tx *tx, struct irn_pool *pool, tstamp now);

// Gives the map of a requester that has failed back.
void irn_tx_release(struct rc_tx *tx, struct irn_pool *pool);

// The requester of READs (cfg->repairs, RC_READ), which is also the receiver: no NACK names a
// response that came, for the requester has seen it.

// The next request, as rc_tx_request(): for responses that are missing, which follow each other, or
// else for the next message.
void irn_read_request(struct rc_tx *tx, struct irn_pool *pool, struct rc_segment *seg, tstamp now);

// A response, as rc_tx_response(). GAP: it is kept, and responses before it are missing. DISCARD:
// it does not fit its request, or counts as lost, since the pool is empty or the map too small.
// If past->resend is set then, a request for a response that is missing is due.
enum rc_rx_verdict irn_read_response(struct rc_tx *tx, struct irn_pool *pool, uint32_t psn,
	uint32_t payload, unsigned *done, tstamp now);

// A NAK: with AETH_NAK_PSN the responder expects the request that begins with `psn`; any other one
// fails the queue pair.
void irn_read_nak(
	struct rc_tx *tx, struct irn_pool *pool, uint32_t psn, uint8_t syndrome, tstamp now);

// Handles the timeout, as irn_tx_expire(): all responses that were requested and have not come are
// missing then; only those of the oldest message where the pool is empty.
enum rc_expired irn_read_expire(struct rc_tx *tx, struct irn_pool *pool, tstamp now);

// A packet that rc_rx() has called RC_RX_AHEAD.
struct irn_packet {
	uint8_t opcode;
	uint32_t psn, payload;
	uint32_t imm; // immediate data, of an opcode that has them
};

// The packet is kept: RC_RX_ACCEPT, or RC_RX_GAP where packets before it are missing. It came
// before: RC_RX_DUPLICATE. It counts as lost, since the pool is empty or the map too small:
// RC_RX_DISCARD. *nack: a NACK is owed that names it. *ack: an ACK is owed. The caller takes
// the complete messages by irn_rx_message() before it answers.
enum rc_rx_verdict irn_rx(struct rc_rx *rx, struct irn_pool *pool, const struct irn_packet *p,
	bool *ack, bool *nack, tstamp now);

// Takes the packets that follow each other from the expected one on, up to the end of a message.
// True: one is complete, and *imm has its immediate data, if it brought any.
bool irn_rx_message(struct rc_rx *rx, struct irn_pool *pool, uint32_t *imm);

// The rest is for the files of this room only.
#pragma GCC visibility push(hidden)

// The PSNs of a queue pair from the oldest one that is missing on; each has the place of its low
// bits. A requester's map has the packets that came; a responder's has besides which of
// these packets end a message, and their immediate data.
struct irn_map {
	uint32_t next;   // free: the next free one; 0: none
	uint32_t places; // a power of two
	uint32_t top;    // one past the highest PSN that has come
	// requester
	uint32_t candidate; // waits to be sent again. READ: missing PSNs before it were asked for
	uint32_t last;      // that was sent again
	// The highest that had been sent when that left. READ: all before it that has not come is
	// missing, even if nothing behind it has come.
	uint32_t recover;
	bool has_candidate, repairs, looks;
	// responder: when the last NACK left
	tstamp nacked;
	uint64_t bits[]; // came, ends a message, and 32 bits of immediate data a place
};

// Lends a map; its number, or 0.
uint32_t irn_map_take(struct irn_pool *pool, const struct rc_cfg *cfg);
void irn_map_give(struct irn_pool *pool, uint32_t number);

static inline struct irn_map *irn_map_at(const struct irn_pool *pool, uint32_t number)
{
	return (struct irn_map *)(void *)(pool->memory + (number - 1) * pool->bytes);
}

static inline bool irn_bit(const struct irn_map *m, const uint64_t *bits, uint32_t psn)
{
	uint32_t i = psn & (m->places - 1);

	return bits[i / 64] >> (i % 64) & 1;
}

static inline void irn_set(const struct irn_map *m, uint64_t *bits, uint32_t psn)
{
	uint32_t i = psn & (m->places - 1);

	bits[i / 64] |= 1ull << (i % 64);
}

static inline void irn_clear(const struct irn_map *m, uint64_t *bits, uint32_t psn)
{
	uint32_t i = psn & (m->places - 1);

	bits[i / 64] &= ~(1ull << (i % 64));
}

// Whether PSN a is before b.
static inline bool irn_before(uint32_t a, uint32_t b)
{
	return rc_psn_distance(a, b) - 1 < 0x7fffff;
}

static inline uint32_t irn_in_flight(const struct rc_tx *tx)
{
	return rc_psn_distance(tx->una, tx->next);
}

// The map of a requester; NULL: it has none.
static inline struct irn_map *irn_tx_map(const struct rc_tx *tx, const struct irn_pool *pool)
{
	return tx->past->repair ? irn_map_at(pool, tx->past->repair) : NULL;
}

// The map of a requester, which it takes where it has none. NULL: none is left.
struct irn_map *irn_tx_need_map(struct rc_tx *tx, struct irn_pool *pool);
// Finds a PSN in flight: returns its packet number in message *i.
uint32_t irn_tx_find(const struct rc_tx *tx, uint32_t psn, unsigned *i);
// Starts the timeout.
void irn_tx_arm(struct rc_tx *tx, tstamp now);
// Forgets which of the `packets` packets before una had come, and stops the timeout if none is in
// flight. `m`: NULL if there is no map.
void irn_tx_progress(struct rc_tx *tx, struct irn_map *m, uint32_t packets, tstamp now);
// Handles a timeout that is due up to the choice of the packets that are sent again. RC_TIMEOUT:
// they are to be chosen, unless the queue pair has failed.
enum rc_expired irn_tx_expired(struct rc_tx *tx, struct irn_pool *pool, tstamp now);

#pragma GCC visibility pop
