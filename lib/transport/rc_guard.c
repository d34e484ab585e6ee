// SPDX-License-Identifier: BSD-3-Clause
// The order of opcodes within a message, the lengths of its packets, and the memory that it names.
#include "transport/rc_guard.h"

#include "transport/rc.h"
#include "wire/bth.h"

// The place of an opcode in its message.
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

uint8_t rc_refusal_syndrome(enum rc_refusal why)
{
	if (!why)
		return 0;
	return why == RC_REFUSED_RKEY || why == RC_REFUSED_MEMORY ? AETH_NAK_ACCESS
								  : AETH_NAK_INVALID;
}

const char *rc_refusal_name(enum rc_refusal why)
{
	static const char *const names[RC_REFUSALS] = {
		[RC_NOT_REFUSED] = "none",
		[RC_REFUSED_VERB] = "verb",
		[RC_REFUSED_ORDER] = "order",
		[RC_REFUSED_LENGTH] = "length",
		[RC_REFUSED_TOTAL] = "total",
		[RC_REFUSED_LONG] = "too_long",
		[RC_REFUSED_READS] = "reads",
		[RC_REFUSED_RKEY] = "rkey",
		[RC_REFUSED_MEMORY] = "memory",
	};

	return names[why];
}

static uint8_t refuse_opcode(struct rc_refused *to, struct rc_refused why)
{
	*to = why;
	return rc_refusal_syndrome((enum rc_refusal)why.why);
}

uint8_t rc_guard_region(const struct rc_guard *g, const struct rc_reth *reth, uint8_t opcode,
	struct rc_refused *why)
{
	struct rc_refused r = {.opcode = opcode};

	if (reth->bytes > RC_BYTES_MAX) {
		r.why = RC_REFUSED_LONG;
		r.its = reth->bytes;
		r.ours = RC_BYTES_MAX;
	} else if (reth->bytes && reth->rkey != g->rkey) {
		r.why = RC_REFUSED_RKEY;
		r.its = reth->rkey;
		r.ours = g->rkey;
	} else if (reth->bytes && (reth->va < g->va || reth->bytes > g->length ||
					  reth->va - g->va > g->length - reth->bytes)) {
		r.why = RC_REFUSED_MEMORY;
		r.its = reth->va;
		r.its_bytes = reth->bytes;
		r.ours = g->va;
		r.ours_bytes = g->length;
	}
	return refuse_opcode(why, r);
}

// A WRITE's packets have just the bytes that its RETH says.
static uint8_t write(struct rc_guard *g, struct part part, uint8_t opcode, uint32_t payload,
	struct rc_refused *why)
{
	if (part.last ? payload != g->bytes : payload >= g->bytes)
		return refuse_opcode(why, (struct rc_refused){RC_REFUSED_TOTAL, opcode,
						  .its = payload, .ours = g->bytes});
	g->bytes -= payload;
	return 0;
}

static uint8_t send(struct rc_guard *g, uint8_t opcode, uint32_t payload, struct rc_refused *why)
{
	if (payload > RC_BYTES_MAX - g->bytes)
		return refuse_opcode(
			why, (struct rc_refused){RC_REFUSED_LONG, opcode,
				     .its = (uint64_t)g->bytes + payload, .ours = RC_BYTES_MAX});
	g->bytes += payload;
	return 0;
}

// Checks whether the opcode may come now, with this payload. Returns 0, or why not.
static uint8_t check_opcode(const struct rc_guard *g, struct part part, uint8_t opcode,
	uint32_t payload, struct rc_refused *why)
{
	struct rc_refused r = {.opcode = opcode, .its = opcode};

	if (!part.of) {
		r.why = RC_REFUSED_VERB;
		r.ours = RC_TAKES_SEND_WRITE;
	} else if (g->under_way != (part.first ? RC_NONE_UNDER_WAY : part.of)) {
		r.why = RC_REFUSED_ORDER;
		r.ours = g->under_way;
	} else if (payload > g->mtu || (!part.last && payload != g->mtu) ||
		   (!part.first && !payload)) {
		r.why = RC_REFUSED_LENGTH;
		r.its = payload;
		r.ours = part.last && !payload ? 1 : g->mtu;
	}
	return refuse_opcode(why, r);
}

uint8_t rc_guard_packet(struct rc_guard *g, uint8_t opcode, uint32_t payload,
	const struct rc_reth *reth, struct rc_refused *why)
{
	struct part part = {RC_NONE_UNDER_WAY, false, false};
	uint8_t refused;

	if (opcode < sizeof(parts) / sizeof(parts[0]))
		part = parts[opcode];
	refused = check_opcode(g, part, opcode, payload, why);
	if (refused)
		return refused;
	if (part.first)
		g->bytes = part.of == RC_WRITE_UNDER_WAY ? reth->bytes : 0;
	if (part.first && part.of == RC_WRITE_UNDER_WAY)
		refused = rc_guard_region(g, reth, opcode, why);
	if (!refused)
		refused = part.of == RC_WRITE_UNDER_WAY ? write(g, part, opcode, payload, why)
							: send(g, opcode, payload, why);
	g->under_way = part.last ? RC_NONE_UNDER_WAY : part.of;
	return refused;
}
