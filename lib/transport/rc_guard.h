// SPDX-License-Identifier: BSD-3-Clause
// The checks of a responder that has given a peer a memory region. It refuses requests out of
// order, of a wrong length, or for other memory (IBA vol. 1 cl. 9.7.5.2; standards.md 3.6).
#pragma once

#include <stdbool.h>
#include <stdint.h>

// The fields of a RETH.
struct rc_reth {
	uint64_t va;
	uint32_t rkey, bytes;
};

// Why a request is refused.
enum rc_refusal {
	RC_NOT_REFUSED,
	RC_REFUSED_VERB,   // the queue pair has no such operation
	RC_REFUSED_ORDER,  // its opcode is out of turn
	RC_REFUSED_LENGTH, // payload of a packet that does not fit its place
	RC_REFUSED_TOTAL,  // a WRITE's packets have more or less than its RETH says
	RC_REFUSED_LONG,   // a message beyond RC_BYTES_MAX
	RC_REFUSED_READS,  // more READs than are served at a time
	RC_REFUSED_RKEY,
	RC_REFUSED_MEMORY, // addresses outside of the region
	RC_REFUSALS,
};

// The operations that a queue pair takes.
enum rc_takes { RC_TAKES_SEND_WRITE, RC_TAKES_READS, RC_TAKES_NOTHING };

// The refused value and the expected one.
struct rc_refused {
	uint8_t why; // enum rc_refusal
	uint8_t opcode;
	uint32_t its_bytes, ours_bytes; // MEMORY: of both
	// By reason, first `its`, then `ours`. VERB, ORDER: opcode, and enum rc_takes or
	// rc_under_way. LENGTH: bytes, and the most that the packet may have, or 1: it has none.
	// TOTAL: bytes, and the bytes that are left. LONG: bytes so far, and RC_BYTES_MAX. READS:
	// how many, and how many are served. RKEY: keys. MEMORY: first addresses.
	uint64_t its, ours;
};

enum rc_under_way { RC_NONE_UNDER_WAY, RC_SEND_UNDER_WAY, RC_WRITE_UNDER_WAY };

struct rc_guard {
	uint64_t va; // the region
	uint32_t rkey, length;
	uint32_t mtu;
	uint32_t bytes;    // WRITE: that are still to come; SEND: that came
	uint8_t under_way; // enum rc_under_way: a message whose last packet has not come
};

void rc_guard_init(struct rc_guard *g, uint64_t va, uint32_t rkey, uint32_t length, uint32_t mtu);

// A new connection: no message is under way.
void rc_guard_begin(struct rc_guard *g);

// Checks a SEND or WRITE packet that is in order. 0, or AETH_NAK_INVALID or AETH_NAK_ACCESS, with
// the reason in `why`. `reth` is read if the opcode has one.
uint8_t rc_guard_packet(struct rc_guard *g, uint8_t opcode, uint32_t payload,
	const struct rc_reth *reth, struct rc_refused *why);

// Checks the RETH of a READ request or a WRITE in the same way. A request without bytes names no
// memory (C9-88).
uint8_t rc_guard_region(const struct rc_guard *g, const struct rc_reth *reth, uint8_t opcode,
	struct rc_refused *why);

// The syndrome of the NAK (IBA vol. 1 cl. 9.7.5.2).
uint8_t rc_refusal_syndrome(enum rc_refusal why);

// "verb", "order" ...
const char *rc_refusal_name(enum rc_refusal why);
