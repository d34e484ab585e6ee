// SPDX-License-Identifier: BSD-3-Clause
// The RC responder: expected PSN, one NAK per gap, duplicates acknowledged again, coalesced ACKs.
#include "base/hint.h"
#include "transport/rc.h"

#include "wire/bth.h"

#define OPCODE_BIT(op) (1u << (op))
// Opcodes that end a message.
#define MESSAGE_ENDS                                                                \
	(OPCODE_BIT(BTH_RC_SEND_LAST) | OPCODE_BIT(BTH_RC_SEND_LAST_IMM) |          \
		OPCODE_BIT(BTH_RC_SEND_ONLY) | OPCODE_BIT(BTH_RC_SEND_ONLY_IMM) |   \
		OPCODE_BIT(BTH_RC_WRITE_LAST) | OPCODE_BIT(BTH_RC_WRITE_LAST_IMM) | \
		OPCODE_BIT(BTH_RC_WRITE_ONLY) | OPCODE_BIT(BTH_RC_WRITE_ONLY_IMM))

// The opcodes that have immediate data.
#define HAVE_IMM                                                               \
	(OPCODE_BIT(BTH_RC_SEND_LAST_IMM) | OPCODE_BIT(BTH_RC_SEND_ONLY_IMM) | \
		OPCODE_BIT(BTH_RC_WRITE_LAST_IMM) | OPCODE_BIT(BTH_RC_WRITE_ONLY_IMM))
// The opcodes that consume a receive (IBA vol. 1 cl. 9.4.2, 9.4.3): a plain WRITE does not.
#define TAKE_RECEIVE (HAVE_IMM | OPCODE_BIT(BTH_RC_SEND_LAST) | OPCODE_BIT(BTH_RC_SEND_ONLY))

void rc_rx_init(struct rc_rx *rx, const struct rc_cfg *cfg, struct rc_rx_stats *stats, uint32_t psn)
{
	*rx = (struct rc_rx){.cfg = cfg, .epsn = psn & BTH_PSN_MASK, .stats = stats};
}

INLINE bool ends(uint8_t opcode)
{
	return MESSAGE_ENDS >> (opcode & 31) & 1;
}

bool rc_ends_message(uint8_t opcode)
{
	return ends(opcode);
}

INLINE void whole(struct rc_rx *rx, uint8_t opcode)
{
	rx->stats->messages++;
	rx->stats->receives += TAKE_RECEIVE >> (opcode & 31) & 1;
	if (UNLIKELY(HAVE_IMM >> (opcode & 31) & 1))
		rx->stats->immediates++;
	rx->msn = (rx->msn + 1) & BTH_PSN_MASK;
}

void rc_rx_whole(struct rc_rx *rx, uint8_t opcode)
{
	whole(rx, opcode);
}

// 24-bit arithmetic: equal is expected, up to 2^23 ahead is a gap, behind is a duplicate. ACCEPT:
// the packet is taken in spite of its PSN, or had been asked for.
static enum rc_rx_verdict out_of_order(struct rc_rx *rx, uint32_t psn, bool *ack)
{
	*ack = false;
	if (rx->epsn == RC_NO_PSN) {
		rx->stats->discarded++;
		return RC_RX_DISCARD;
	}
	if (rx->cfg->repairs)
		return RC_RX_AHEAD;
	if (psn == rx->epsn || rx->cfg->p.recovery == RC_ANY_ORDER) {
		rx->nak_sent = false;
		return RC_RX_ACCEPT;
	}
	if (rc_psn_distance(rx->epsn, psn) > BTH_PSN_MASK / 2) {
		rx->stats->duplicates++;
		*ack = true;
		return RC_RX_DUPLICATE;
	}
	if (rx->nak_sent) {
		rx->stats->discarded++;
		return RC_RX_DISCARD;
	}
	*ack = rx->nak_sent = true;
	rx->stats->sequence_errors++;
	return RC_RX_GAP;
}

// Takes a packet; `next` is expected then.
INLINE enum rc_rx_verdict take(
	struct rc_rx *rx, uint8_t opcode, uint32_t next, uint32_t payload, bool ack_req, bool *ack)
{
	rx->epsn = next & BTH_PSN_MASK;
	rx->unacked++;
	rx->stats->packets++;
	rx->stats->payload_bytes += payload;
	if (ends(opcode))
		whole(rx, opcode);
	*ack = ack_req || rx->unacked >= rx->cfg->ack_every;
	return RC_RX_ACCEPT;
}

// A packet that is not expected, or that has been asked for.
ASIDE enum rc_rx_verdict take_odd(
	struct rc_rx *rx, uint8_t opcode, uint32_t psn, uint32_t payload, bool ack_req, bool *ack)
{
	enum rc_rx_verdict v = out_of_order(rx, psn, ack);
	bool behind = rc_psn_distance(rx->epsn, psn) > BTH_PSN_MASK / 2;

	return v == RC_RX_ACCEPT
		       ? take(rx, opcode, behind ? rx->epsn : psn + 1, payload, ack_req, ack)
		       : v;
}

enum rc_rx_verdict rc_rx(
	struct rc_rx *rx, uint8_t opcode, uint32_t psn, uint32_t payload, bool ack_req, bool *ack)
{
	if (UNLIKELY(psn != rx->epsn || rx->nak_sent))
		return take_odd(rx, opcode, psn, payload, ack_req, ack);
	return take(rx, opcode, psn + 1, payload, ack_req, ack);
}

void rc_rx_refuse(struct rc_rx *rx, uint32_t *psn, uint32_t *msn)
{
	*psn = rx->epsn;
	*msn = rx->msn;
	rx->epsn = RC_NO_PSN;
	rx->stats->naks++;
}

void rc_rx_ack(struct rc_rx *rx, bool nak, uint32_t *psn, uint8_t *syndrome, uint32_t *msn)
{
	*psn = nak ? rx->epsn : (rx->epsn - 1) & BTH_PSN_MASK;
	*syndrome = nak ? AETH_NAK_PSN : AETH_ACK;
	*msn = rx->msn;
	rx->unacked = 0;
	if (nak)
		rx->stats->naks++;
	else
		rx->stats->acks++;
}
