// SPDX-License-Identifier: BSD-3-Clause
// Queue pairs by address and QPN. An injector remembers the PSNs of each, how often it has sent
// them, its pass, and the frames that wait for later ones.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "fault.h"
#include "held.h"
#include "rules.h"

#pragma GCC visibility push(hidden)

#define PAIR_KINDS 6 // kinds with PSNs: the low bits of FAULT_*

#define PAIR_ANY_QPN UINT32_MAX // in the key of an address

struct pair_key {
	uint8_t daddr[16]; // IPv4: zeros behind it
	uint32_t qpn;
	uint32_t ipv6;
};

// The PSNs of requests, or those of what answers them. Both directions of a queue pair count their
// requests by themselves.
struct stream {
	uint32_t first; // FAULT_PSN_SEEN: none has been seen
	int64_t newest; // from `first` on
};

// How often the newest PSNs of one kind have been sent.
struct sent {
	uint16_t *times; // of PSN i at i modulo the window; NULL: they are not counted
	uint64_t newest;
};

// Lumina's `iter`.
struct passes {
	uint32_t psn; // of the frame before; UINT32_MAX: there is none
	uint32_t pass;
};

struct pair {
	struct pair_key key;
	const struct rules *own;     // records that name it; NULL: none
	const struct rules *address; // records that name all queue pairs of its address; NULL: none
	struct stream stream[2];     // requests, answers
	struct sent sent[PAIR_KINDS];
	struct passes passes[2]; // of data, of READ responses
	uint32_t window;         // a power of two
	uint64_t cnps;
	struct line waits; // frames that go on behind later ones
};

struct pairs {
	struct pair *pair;
	uint32_t n, room;
	uint32_t *slot; // index of a pair plus 1; 0: free
	uint32_t mask;
	uint16_t *times; // of all pairs
};

// Room for n pairs. 0 or -ENOMEM.
int pairs_init(struct pairs *s, uint32_t n);
void pairs_fini(struct pairs *s);

// Returns a power of two of at least n.
uint32_t pairs_window(uint32_t n);

struct pair *pairs_find(const struct pairs *s, const struct pair_key *key);

// Adds a pair that is not there, with PSNs from `first` on; NULL: there is no room.
struct pair *pairs_add(struct pairs *s, const struct pair_key *key, uint32_t first);

// The PSNs of a kind of frames.
static inline struct stream *pair_stream(struct pair *q, uint8_t kind)
{
	return &q->stream[!(kind & (FAULT_DATA | FAULT_READ_REQUEST))];
}

// Sets the memory where transmissions of these kinds are counted; returns the memory behind it.
uint16_t *pair_count(struct pair *q, uint8_t kinds, uint32_t window, uint16_t *times);

// Bits of `kinds` that have transmissions.
unsigned pair_counts(uint8_t kinds);

// The place of a frame among those of its queue pair.
struct sighting {
	bool has_psn;
	uint64_t psn;  // from the first one of its queue pair
	uint32_t nth;  // 0: not counted
	uint32_t pass; // 0: it has none
};

// A frame of this kind has come. `begins`: it begins a message.
struct sighting pair_saw(struct pair *q, uint8_t kind, uint32_t psn, bool begins);

// Takes over what another injector remembers of the same queue pair, but for `waits`.
void pair_adopt(struct pair *to, const struct pair *from);

#pragma GCC visibility pop
