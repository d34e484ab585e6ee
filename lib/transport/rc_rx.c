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

static bool ends_message(uint8_t opcode)
{
	return opcode < 32 && (MESSAGE_ENDS >> opcode & 1);
}

// 24-bit arithmetic: equal is expected, up to 2^23 ahead is a gap, behind is a duplicate.
static enum rc_rx_verdict out_of_order(struct rc_rx *rx, uint32_t psn, bool *ack)
{
	if (rx->epsn == RC_NO_PSN) {
		rx->stats->discarded++;
		*ack = false;
		return RC_RX_DISCARD;
	}
	if (rc_psn_distance(rx->epsn, psn) > BTH_PSN_MASK / 2) {
		rx->stats->duplicates++;
		*ack = true;
		return RC_RX_DUPLICATE;
	}
	*ack = !rx->nak_sent;
	if (rx->nak_sent) {
		rx->stats->discarded++;
		return RC_RX_DISCARD;
	}
	rx->nak_sent = true;
	rx->stats->sequence_errors++;
	return RC_RX_GAP;
}

enum rc_rx_verdict rc_rx(
	struct rc_rx *rx, uint8_t opcode, uint32_t psn, uint32_t payload, bool ack_req, bool *ack)
{
	if (UNLIKELY(psn != rx->epsn) && rx->cfg->p.recovery != RC_ANY_ORDER)
		return out_of_order(rx, psn, ack);
	if (rc_psn_distance(rx->epsn, psn) <= BTH_PSN_MASK / 2) // always so with go-back-N
		rx->epsn = (psn + 1) & BTH_PSN_MASK;
	rx->nak_sent = false;
	rx->unacked++;
	rx->stats->packets++;
	rx->stats->payload_bytes += payload;
	if (ends_message(opcode)) {
		rx->stats->messages++;
		rx->stats->receives += TAKE_RECEIVE >> opcode & 1;
		if (UNLIKELY(HAVE_IMM >> opcode & 1))
			rx->stats->immediates++;
		rx->msn = (rx->msn + 1) & BTH_PSN_MASK;
	}
	*ack = ack_req || rx->unacked >= rx->cfg->ack_every || rx->cfg->p.recovery == RC_ANY_ORDER;
	return RC_RX_ACCEPT;
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
