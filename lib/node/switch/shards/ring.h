// SPDX-License-Identifier: BSD-3-Clause
// The ring from one shard to another, and the messages on it.
#pragma once

#include <assert.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sw_terms/sw_terms.h"

enum sw_msg_kind {
	SW_MSG_FRAME,  // admitted, for a port of the receiver
	SW_MSG_BURST,  // several admitted frames received at one port, in the words behind it
	SW_MSG_RX,     // several frames received at a port of the receiver, with ways and classes
	SW_MSG_CNP,    // a CNP of a flow whose data leaves by a port of the receiver; its header
	SW_MSG_ACK,    // the same for an ACK
	SW_MSG_CREDIT, // frames that the receiver has admitted have left or were dropped
	SW_MSG_LEARN,  // an address lives at a port of the sender
};

#define SW_FORWARDED SW_DROPS // sw_msg.reason of frames that left

struct sw_msg {
	tstamp when; // the instant of its arrival
	union {
		struct pkt *p; // SW_MSG_FRAME
		uint64_t key;  // SW_MSG_LEARN: eth_key
		struct {       // SW_MSG_CNP, SW_MSG_ACK: fields that are in no header
			uint32_t qpn;
			uint16_t frame_len;
			uint8_t tos;
		};
		struct {                // SW_MSG_CREDIT
			uint32_t bytes; // of the queue, in all
			uint32_t frames;
		};
	};
	// one frame: egress; several: ingress; credit: ingress; learnt: where it lives; CNP and
	// ACK: egress of the data
	uint16_t port;
	uint8_t kind; // enum sw_msg_kind
	uint8_t cls;
	uint8_t pg;
	uint8_t reason; // enum sw_drop or SW_FORWARDED
	bool untagged;  // a frame that has lost its CN-TAG
	uint8_t n;      // entries behind it have so many words: of several frames, one for each
	uint32_t held;  // SW_MSG_CREDIT: of the buffer, which may count whole cells
};

#define SW_ENTRY_WORDS 4
#define SW_MSG_WORDS   64 // behind a message, at most

// An entry of a ring is a message, or has words of the message before it: a header, or a
// sw_msg_frame for each frame. A message and its words stand in one piece.
union sw_entry {
	struct sw_msg m;
	uint64_t word[SW_ENTRY_WORDS];
};

_Static_assert(sizeof(union sw_entry) == 32, "two entries in a cache line");

// The distance of bytes that two lcores write: a processor may fetch two neighbouring lines at
// once.
#define SW_APART 128

#define SW_HDR_WORDS (sizeof(struct hdr) / sizeof(uint64_t))

// Whether a message has several frames.
static inline bool sw_msg_several(const struct sw_msg *m)
{
	return m->kind >= SW_MSG_BURST && m->kind <= SW_MSG_RX;
}

// A frame of a message with several: its 48-bit address in the low bits, its egress port or
// SW_OUT_* above.
static inline uint64_t sw_msg_frame(const struct pkt *p, unsigned out)
{
	assert(!((uint64_t)(uintptr_t)p >> 48));
	return (uint64_t)(uintptr_t)p | (uint64_t)out << 48;
}

static inline struct pkt *sw_msg_pkt(uint64_t word)
{
	return (struct pkt *)(uintptr_t)(word & ((1ull << 48) - 1));
}

static inline unsigned sw_msg_out(uint64_t word)
{
	return (unsigned)(word >> 48);
}

// The number of words behind a message, and of entries that it takes.
static inline unsigned sw_msg_words(const struct sw_msg *m)
{
	return m->kind >= SW_MSG_BURST && m->kind <= SW_MSG_ACK ? m->n : 0;
}

static inline unsigned sw_entries(unsigned words)
{
	return 1 + (words + SW_ENTRY_WORDS - 1) / SW_ENTRY_WORDS;
}

static inline unsigned sw_msg_entries(const struct sw_msg *m)
{
	return sw_entries(sw_msg_words(m));
}

// The words of a message, which stand in the entries behind it.
static inline uint64_t *sw_msg_word(struct sw_msg *m)
{
	return (uint64_t *)(m + 1);
}

static inline const uint64_t *sw_msg_word_of(const struct sw_msg *m)
{
	return (const uint64_t *)(m + 1);
}

// Messages that wait with the producer: [from, to).
struct sw_backlog {
	union sw_entry *slot;
	uint32_t from, to;
};

#define SW_RING_ENTRIES 2048
#define SW_RING_MASK    (SW_RING_ENTRIES - 1)

// Single producer, single consumer. Messages that find the ring full wait in two backlogs of the
// producer, which have room for all messages that can be under way. Credits have their own backlog:
// if they waited behind frames, their groups would count more and more bytes that have left long
// ago. Besides the entries, the producer has one cache line of its own and publishes in the line of
// `head`. The consumer has one line, which contains `tail`.
struct sw_ring {
	// The producer writes it, and the consumer looks at it.
	_Alignas(SW_APART) _Atomic uint32_t head;
	// The producer's.
	_Alignas(SW_APART) uint32_t put; // end of the entries written
	uint32_t pushed;                 // end of the entries published
	uint32_t last;                   // the message put last
	uint32_t tail_seen;
	struct sw_backlog credits, others;
	tstamp hop_ps;    // how long a message is under way
	uint32_t backlog; // entries of either
	// The consumer writes it. The producer reads it when it needs room.
	_Alignas(SW_APART) _Atomic uint32_t tail;
	uint32_t head_seen; // the consumer's
	bool timed;         // messages come in the order of `when`, and not before it
	// A message that begins before the end of the ring may reach beyond it.
	_Alignas(SW_APART) union sw_entry slot[];
};

_Static_assert(offsetof(struct sw_ring, backlog) - offsetof(struct sw_ring, put) < 64,
	"the producer's is one line");

static inline bool sw_backlog_waits(const struct sw_backlog *b)
{
	return b->from != b->to;
}

// Whether no message waits for room.
static inline bool sw_ring_is_clear(const struct sw_ring *r)
{
	return !sw_backlog_waits(&r->credits) && !sw_backlog_waits(&r->others);
}

static inline uint32_t sw_ring_room(struct sw_ring *r, uint32_t want)
{
	uint32_t room = SW_RING_ENTRIES - (r->put - r->tail_seen);

	if (room >= want)
		return room;
	r->tail_seen = atomic_load_explicit(&r->tail, memory_order_acquire);
	return SW_RING_ENTRIES - (r->put - r->tail_seen);
}

// The consumer sees all that was put, as far as the ring has room.
void sw_ring_push(struct sw_ring *r);
