// SPDX-License-Identifier: BSD-3-Clause
// Fuzz target: whatever a peer sends, 8 octets a packet (opcode, address, key, length 2, payload 2,
// new connection), what a responder takes of a WRITE are the bytes that it named, within the
// region.
#include "transport/rc_guard.h"

#include "fuzz.h"
#include "wire/bth.h"

#define VA     4096
#define LENGTH 2048
#define MTU    256
#define STEP   8

static bool names_memory(uint8_t opcode)
{
	return opcode < 32 && bth_ops[opcode].len_off;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint64_t named = 0, came = 0;
	struct rc_refused why;
	struct rc_guard g;

	rc_guard_init(&g, VA, 1, LENGTH, MTU);
	for (; size >= STEP; data += STEP, size -= STEP) {
		const struct rc_reth reth = {
			VA - 256u + data[1] * 16u, data[2] & 3, (uint32_t)(data[3] << 8 | data[4])};
		uint32_t payload = (uint32_t)(data[5] << 8 | data[6]) & 0x1ff;
		uint8_t opcode = data[0] & 31, refused;

		if (data[7] & 1) {
			rc_guard_begin(&g);
			named = came = 0;
		}
		refused = rc_guard_packet(&g, opcode, payload, &reth, &why);
		fuzz_check(refused == rc_refusal_syndrome((enum rc_refusal)why.why));
		fuzz_check(!refused || refused == AETH_NAK_INVALID || refused == AETH_NAK_ACCESS);
		if (refused)
			return 0; // the queue pair has ended
		fuzz_check(opcode <= BTH_RC_WRITE_ONLY_IMM && payload <= MTU);
		if (opcode < BTH_RC_WRITE_FIRST)
			continue;
		if (names_memory(opcode)) {
			fuzz_check(!reth.bytes || (reth.rkey == 1 && reth.va >= VA &&
							  reth.va + reth.bytes <= VA + LENGTH));
			named = reth.bytes;
			came = 0;
		}
		came += payload;
		fuzz_check(came <= named);
		if (opcode != BTH_RC_WRITE_FIRST && opcode != BTH_RC_WRITE_MIDDLE)
			fuzz_check(came == named);
	}
	return 0;
}
