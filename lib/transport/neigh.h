// SPDX-License-Identifier: BSD-3-Clause
// Neighbour cache: the hardware addresses of IPv4 and IPv6 addresses, the address that is due to be
// asked for, and the addresses that do not answer (RFC 826; RFC 4861 cl. 7.2 and 7.3, reduced).
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/table.h"
#include "base/tstamp.h"

struct neigh_params {
	// Neighbours at a time, 1..2^20. Four share a set of the table, and an entry that was
	// resolved is not evicted. So make it four times the number of addresses that will be
	// resolved.
	uint32_t entries;
	unsigned tries;      // requests that may stay without an answer, 1..100
	tstamp retry_ps;     // from a request to the next, and from the last to giving up; 1 us..
	tstamp reachable_ps; // for how long an answer is believed, 1 us..
	tstamp again_ps;     // a host that did not answer is asked again after it, 0..
	tstamp age_ps;       // a host that only asked us is forgotten after this silence, 1 us..
	tstamp lock_ps;      // IPv4: the first hardware address is kept for this time, 0..
	uint8_t mac[6];      // our own
};

struct neigh_cfg {
	struct neigh_params p;
};

struct neigh_ip {
	uint8_t bytes[16]; // IPv4 in the first four, then zeros
	bool v6;
};

// Whether two addresses of one version have the same first `prefix` bits.
bool neigh_same_network(const uint8_t *a, const uint8_t *b, unsigned prefix);

enum neigh_state {
	NEIGH_NONE,
	NEIGH_INCOMPLETE, // asked for the first time; its address is not known
	NEIGH_REACHABLE,  // it has answered not long ago
	NEIGH_STALE,      // known, but not from an answer, or from an old one
	NEIGH_PROBE,      // known as before, and asked whether that still holds
	NEIGH_FAILED,     // it does not answer
};

// What to do for an address.
enum neigh_next {
	NEIGH_KNOWN,   // send to its hardware address
	NEIGH_CONFIRM, // the same, and send a request there now
	NEIGH_ASK,     // send a request to everybody now, and wait
	NEIGH_WAIT,    // a request is under way: wait
	NEIGH_SILENT,  // it has failed to answer: give up
	NEIGH_NO_ROOM, // the cache is full of others that were resolved
	NEIGH_NOTHING, // of neigh_expire: nothing is due
};

// The properties of a message's sender, as bits.
enum {
	NEIGH_FOR_US = 1 << 0, // it asks for an address of ours: its sender is remembered
	NEIGH_PROVES = 1 << 1, // it answers our request: its sender hears us, too
	NEIGH_WEAK = 1 << 2,   // it does not override another hardware address (RFC 4861 cl. 4.4)
	NEIGH_TELLS = 1 << 3,  // IPv4: it announces its own address, and nobody else answers for it
};

// The result of a message.
enum neigh_event {
	NEIGH_IGNORED, // the sender is not known, or no host can have its address
	NEIGH_SAME,    // already known
	NEIGH_LEARNED, // its hardware address was not known
	NEIGH_MOVED,   // it had another hardware address
	NEIGH_KEPT,    // it names another hardware address, but is weak, or comes too soon
};

struct neigh_entry {
	struct neigh_ip ip;
	uint8_t mac[6]; // zeros: not known
	uint8_t state;  // enum neigh_state, as of the last call
	uint8_t asked;  // requests since it was asked for
	tstamp at;      // INCOMPLETE, PROBE: of the next step; REACHABLE, FAILED: of their end
	tstamp set;     // when its hardware address was last received or proven
};

struct neigh {
	const struct neigh_cfg *cfg;
	struct table table;
	struct neigh_entry *entry; // by slot of the table
	tstamp next;               // no request and no end of waiting is due sooner
};

// Requests 3 times 1 s apart, believed for 30 s, again after 20 s, forgotten after 60 s (RFC 4861
// cl. 10 has the first two), the first answer counts for 1 s; 1024 entries.
void neigh_defaults(struct neigh_params *params);

// Compiles; -EINVAL where a value is out of the range given above.
int neigh_cfg_init(struct neigh_cfg *cfg, const struct neigh_params *params);

// Makes an empty cache. `salt` varies the hash. -ENOMEM.
int neigh_init(struct neigh *n, const struct neigh_cfg *cfg, uint64_t salt);
void neigh_fini(struct neigh *n);

// Learns from a message of `ip` at `mac`. `what`: bits NEIGH_FOR_US ... of the message. Ignores
// hardware addresses that are ours, a group's or zero, and IP addresses that no host can have.
enum neigh_event neigh_learn(struct neigh *n, const struct neigh_ip *ip, const uint8_t mac[6],
	unsigned what, tstamp now);

// Looks up `ip` for a sender, for example at the start of a flow. Writes `mac` with NEIGH_KNOWN and
// NEIGH_CONFIRM. From now on the entry stays in the cache.
enum neigh_next neigh_resolve(
	struct neigh *n, const struct neigh_ip *ip, uint8_t mac[6], tstamp now);

// Returns the next step that is due, for `ip`: NEIGH_ASK, NEIGH_CONFIRM (with `mac`), or
// NEIGH_SILENT, which comes once each time that the address is given up. NEIGH_NOTHING: none is
// due.
enum neigh_next neigh_expire(struct neigh *n, struct neigh_ip *ip, uint8_t mac[6], tstamp now);

// Returns the state of an address. Writes `mac` if one is known.
enum neigh_state neigh_look(
	const struct neigh *n, const struct neigh_ip *ip, uint8_t mac[6], tstamp now);

// The rest is for the files of this room only.
#pragma GCC visibility push(hidden)

// The earliest instant at which neigh_expire could have something; it is later than `now` after
// NEIGH_NOTHING. TSTAMP_NEVER: it has nothing.
static inline tstamp neigh_deadline(const struct neigh *n)
{
	return n->next;
}

#pragma GCC visibility pop
