// SPDX-License-Identifier: BSD-3-Clause
// The order of opcodes within a message, the lengths of its packets, and the memory that it names.
#include "transport/rc_guard.h"

#include "transport/rc.h"
#include "wire/bth.h"

// What an opcode is in its message.
struct part {
	uint8_t of; // enum rc_under_way; RC_NONE_UNDER_WAY: the opcode is no SEND or WRITE
	bool first, last;
};

static const struct part parts[] = {
	[BTH_RC_SEND_FIRST] = {RC_SEND_UNDER_WAY, true, false},
	[BTH_RC_SEND_MIDDLE] = {RC_SEND_UNDER_WAY, false, false},
	[BTH_RC_SEND_LAST] = {RC_SEND_UNDER_WAY, false, true},
	[BTH_RC_SEND_LAST_IMM] = {RC_SEND_UNDER_WAY, false, true},
	[BTH_RC_SEND_ONLY] = {RC_SEND_UNDER_WAY, true, true},
	[BTH_RC_SEND_ONLY_IMM] = {RC_SEND_UNDER_WAY, true, true},
	[BTH_RC_WRITE_FIRST] = {RC_WRITE_UNDER_WAY, true, false},
	[BTH_RC_WRITE_MIDDLE] = {RC_WRITE_UNDER_WAY, false, false},
	[BTH_RC_WRITE_LAST] = {RC_WRITE_UNDER_WAY, false, true},
	[BTH_RC_WRITE_LAST_IMM] = {RC_WRITE_UNDER_WAY, false, true},
	[BTH_RC_WRITE_ONLY] = {RC_WRITE_UNDER_WAY, true, true},
	[BTH_RC_WRITE_ONLY_IMM] = {RC_WRITE_UNDER_WAY, true, true},
};

void rc_guard_init(struct rc_guard *g, uint64_t va, uint32_t rkey, uint32_t length, uint32_t mtu)
{
	*g = (struct rc_guard){.va = va, .rkey = rkey, .length = length, .mtu = mtu};
}

void rc_guard_begin(struct rc_guard *g)
{
	g->under_way = RC_NONE_UNDER_WAY;
	g->bytes = 0;
}

uint8_t rc_guard_region(const struct rc_guard *g, const struct rc_reth *reth)
{
	if (reth->bytes > RC_BYTES_MAX)
		return AETH_NAK_INVALID;
	if (!reth->bytes)
		return 0;
	if (reth->rkey != g->rkey || reth->va < g->va || reth->bytes > g->length ||
		reth->va - g->va > g->length - reth->bytes)
		return AETH_NAK_ACCESS;
	return 0;
}

// A WRITE's packets have just the bytes that its RETH says.
static uint8_t write(struct rc_guard *g, struct part part, uint32_t payload)
{
	if (part.last ? payload != g->bytes : payload >= g->bytes)
		return AETH_NAK_INVALID;
	g->bytes -= payload;
	return 0;
}

static uint8_t send(struct rc_guard *g, uint32_t payload)
{
	if (payload > RC_BYTES_MAX - g->bytes)
		return AETH_NAK_INVALID;
	g->bytes += payload;
	return 0;
}

uint8_t rc_guard_packet(
	struct rc_guard *g, uint8_t opcode, uint32_t payload, const struct rc_reth *reth)
{
	struct part part = {RC_NONE_UNDER_WAY, false, false};
	uint8_t refused;

	if (opcode < sizeof(parts) / sizeof(parts[0]))
		part = parts[opcode];
	if (!part.of || g->under_way != (part.first ? RC_NONE_UNDER_WAY : part.of))
		return AETH_NAK_INVALID;
	if (payload > g->mtu || (!part.last && payload != g->mtu) || (!part.first && !payload))
		return AETH_NAK_INVALID;
	if (part.first)
		g->bytes = part.of == RC_WRITE_UNDER_WAY ? reth->bytes : 0;
	refused = part.first && part.of == RC_WRITE_UNDER_WAY ? rc_guard_region(g, reth) : 0;
	if (!refused)
		refused =
			part.of == RC_WRITE_UNDER_WAY ? write(g, part, payload) : send(g, payload);
	g->under_way = part.last ? RC_NONE_UNDER_WAY : part.of;
	return refused;
}
