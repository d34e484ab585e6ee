// SPDX-License-Identifier: BSD-3-Clause
// The responder of selective repeat: packets that come early are kept, and messages end in order.
#include "transport/irn.h"

#include "wire/bth.h"

static uint64_t *ends(struct irn_map *m)
{
	return m->bits + m->places / 64;
}

static uint32_t *imm_of(struct irn_map *m, uint32_t psn)
{
	return (uint32_t *)(void *)(m->bits + m->places / 64 * 2) + (psn & (m->places - 1));
}

// Whether a NACK about the packet is due now. By RC_SKIP one about a block of packets that has been
// reported waits.
static bool is_due(const struct rc_rx *rx, const struct irn_map *m, uint32_t psn, tstamp now)
{
	bool reported = irn_bit(m, m->bits, psn - 1) && m->nacked;

	return rx->cfg->p.recovery != RC_SKIP || !reported || now - m->nacked >= IRN_NACK_EVERY;
}

static void keep(struct rc_rx *rx, struct irn_map *m, const struct irn_packet *p)
{
	irn_set(m, m->bits, p->psn);
	if (rc_ends_message(p->opcode)) {
		irn_set(m, ends(m), p->psn);
		if (rx->cfg->has_imm)
			*imm_of(m, p->psn) = p->imm;
	}
	if (!irn_before(p->psn, m->top))
		m->top = (p->psn + 1) & BTH_PSN_MASK;
	rx->nak_sent = true;
	rx->stats->packets++;
	rx->stats->payload_bytes += p->payload;
}

// The map of the responder, which it takes where it has none. NULL: none is left.
static struct irn_map *map_of(struct rc_rx *rx, struct irn_pool *pool)
{
	if (!rx->early) {
		rx->early = (uint16_t)irn_map_take(pool, rx->cfg);
		if (rx->early)
			irn_map_at(pool, rx->early)->top = rx->epsn;
	}
	return rx->early ? irn_map_at(pool, rx->early) : NULL;
}

enum rc_rx_verdict irn_rx(struct rc_rx *rx, struct irn_pool *pool, const struct irn_packet *p,
	bool *ack, bool *nack, tstamp now)
{
	uint32_t ahead = rc_psn_distance(rx->epsn, p->psn);
	struct irn_map *m;

	*ack = *nack = false;
	if (ahead > BTH_PSN_MASK / 2) {
		rx->stats->duplicates++;
		*ack = true;
		return RC_RX_DUPLICATE;
	}
	m = map_of(rx, pool);
	if (!m || ahead >= m->places) {
		rx->stats->discarded++;
		return RC_RX_DISCARD;
	}
	*ack = !ahead;
	*nack = ahead && is_due(rx, m, p->psn, now);
	if (*nack)
		m->nacked = now;
	if (irn_bit(m, m->bits, p->psn)) {
		rx->stats->duplicates++;
		return RC_RX_DUPLICATE;
	}
	keep(rx, m, p);
	return ahead ? RC_RX_GAP : RC_RX_ACCEPT;
}

bool irn_rx_message(struct rc_rx *rx, struct irn_pool *pool, uint32_t *imm)
{
	struct irn_map *m = rx->early ? irn_map_at(pool, rx->early) : NULL;

	while (m && irn_bit(m, m->bits, rx->epsn)) {
		uint32_t psn = rx->epsn;
		bool last = irn_bit(m, ends(m), psn);

		irn_clear(m, m->bits, psn);
		irn_clear(m, ends(m), psn);
		rx->epsn = (psn + 1) & BTH_PSN_MASK;
		if (!last)
			continue;
		rc_rx_whole(rx, rx->cfg->last);
		if (rx->cfg->has_imm)
			*imm = *imm_of(m, psn);
		return true;
	}
	if (m && m->top == rx->epsn) {
		irn_map_give(pool, rx->early);
		rx->early = 0;
		rx->nak_sent = false;
	}
	return false;
}
