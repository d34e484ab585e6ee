// SPDX-License-Identifier: BSD-3-Clause
// What a responder refuses of a peer that it has told a region of memory: requests out of turn, of
// a wrong length, or of other memory (IBA vol. 1 cl. 9.7.5.2; standards.md 3.6).
#pragma once

#include <stdbool.h>
#include <stdint.h>

// What a RETH says.
struct rc_reth {
	uint64_t va;
	uint32_t rkey, bytes;
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

// What a SEND or WRITE packet that is in order is refused with, AETH_NAK_INVALID or
// AETH_NAK_ACCESS; 0: nothing. `reth` is read where the opcode has one.
uint8_t rc_guard_packet(
	struct rc_guard *g, uint8_t opcode, uint32_t payload, const struct rc_reth *reth);

// The same of a READ request. What has no bytes names no memory (C9-88).
uint8_t rc_guard_region(const struct rc_guard *g, const struct rc_reth *reth);
