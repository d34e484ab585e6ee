// SPDX-License-Identifier: BSD-3-Clause
// READ with selective repeat: responses that come early are kept, and requests ask again for the
// ones that are missing.
#include "transport/irn.h"

#include "wire/bth.h"

static bool has_come(const struct irn_map *m, uint32_t psn)
{
	return irn_before(psn, m->top) && irn_bit(m, m->bits, psn);
}

// All that has not come before this PSN counts as missing.
static uint32_t missing_before(const struct rc_tx *tx, const struct irn_map *m)
{
	uint32_t enough = (m->top - tx->cfg->p.nack_threshold) & BTH_PSN_MASK;

	return tx->cfg->p.recovery == RC_SKIP || irn_before(enough, m->recover) ? m->recover
										: enough;
}

// The first response that is missing and was not asked for again. False: there is none.
static bool next_missing(const struct rc_tx *tx, const struct irn_map *m, uint32_t *psn)
{
	uint32_t to = missing_before(tx, m);

	*psn = m->candidate;
	while (irn_before(*psn, to) && has_come(m, *psn))
		*psn = (*psn + 1) & BTH_PSN_MASK;
	return irn_before(*psn, to);
}

// One past the last response of its message that is missing together with `psn`.
static uint32_t missing_end(
	const struct rc_tx *tx, const struct irn_map *m, uint32_t psn, uint32_t end)
{
	uint32_t to = missing_before(tx, m);

	if (irn_before(to, end))
		end = to;
	while (irn_before(psn, end) && irn_before(psn, m->top) && !has_come(m, psn))
		psn = (psn + 1) & BTH_PSN_MASK;
	return irn_before(psn, m->top) || !irn_before(psn, end) ? psn : end;
}

// After each change: whether a request for missing responses is due.
static void settle(struct rc_tx *tx, struct irn_pool *pool)
{
	struct irn_map *m = irn_tx_map(tx, pool);
	uint32_t psn;

	if (m) {
		tx->past->resend = next_missing(tx, m, &psn);
		if (!tx->past->resend && !irn_before(tx->una, m->top)) {
			irn_map_give(pool, tx->past->repair);
			tx->past->repair = 0;
		}
	}
	rc_tx_find_stop(tx);
}

static void request_again(struct rc_tx *tx, struct irn_map *m, struct rc_segment *seg, tstamp now)
{
	const struct rc_message *msg;
	uint32_t psn = tx->una, mtu = tx->cfg->p.mtu, at, end, rest;
	unsigned i;

	if (m)
		next_missing(tx, m, &psn);
	at = irn_tx_find(tx, psn, &i);
	msg = rc_tx_message(tx, i);
	end = (psn + msg->packets - at) & BTH_PSN_MASK;
	rest = msg->bytes - at * mtu;
	if (m) {
		uint32_t n;

		end = missing_end(tx, m, psn, end);
		m->candidate = end;
		n = rc_psn_distance(psn, end);
		rest = n < msg->packets - at ? n * mtu : rest;
	}
	*seg = (struct rc_segment){
		.opcode = BTH_RC_READ_REQUEST,
		.ack_req = true,
		.retx = true,
		.first = true,
		.last = true,
		.psn = psn,
		.dma_len = rest,
	};
	tx->past->resend = false;
	if (psn == tx->una)
		irn_tx_arm(tx, now);
}

void irn_read_request(struct rc_tx *tx, struct irn_pool *pool, struct rc_segment *seg, tstamp now)
{
	struct rc_past *past = tx->past;
	bool runs = past->rto_at;

	if (past->resend) {
		request_again(tx, irn_tx_map(tx, pool), seg, now);
	} else {
		rc_tx_request(tx, seg, now);
		if (!runs)
			irn_tx_arm(tx, now);
	}
	settle(tx, pool);
}

// Payload of a response in flight.
static uint32_t expected(const struct rc_tx *tx, uint32_t psn)
{
	uint32_t mtu = tx->cfg->p.mtu, left;
	unsigned i;
	uint32_t at = irn_tx_find(tx, psn, &i);

	left = rc_tx_message(tx, i)->bytes - at * mtu;
	return left < mtu ? left : mtu;
}

// All requested responses that have not come are missing, from `psn` on.
static void ask_all(struct rc_tx *tx, struct irn_map *m, uint32_t psn)
{
	m->candidate = psn;
	m->recover = tx->next;
}

// The expected response has come: those behind it that are kept are taken with it.
static unsigned take(struct rc_tx *tx, struct irn_pool *pool, tstamp now)
{
	struct irn_map *m = irn_tx_map(tx, pool);
	uint32_t packets = 1;
	unsigned done;

	while (m && has_come(m, tx->una + packets))
		packets++;
	done = rc_tx_advance(tx, packets, now);
	irn_tx_progress(tx, m, packets, now);
	if (!m) {
		tx->past->resend = false;
		return done;
	}
	m->repairs = false;
	if (irn_before(m->recover, tx->una))
		m->recover = tx->una;
	if (irn_before(m->candidate, tx->una))
		m->candidate = tx->una;
	return done;
}

enum rc_rx_verdict irn_read_response(struct rc_tx *tx, struct irn_pool *pool, uint32_t psn,
	uint32_t payload, unsigned *done, tstamp now)
{
	uint32_t ahead = rc_psn_distance(tx->una, psn);
	struct irn_map *m;

	*done = 0;
	if (tx->failed)
		return RC_RX_DISCARD;
	if (ahead > BTH_PSN_MASK / 2)
		return RC_RX_DUPLICATE;
	if (ahead >= irn_in_flight(tx) || payload != expected(tx, psn)) {
		tx->past->stats.bad_acks++;
		return RC_RX_DISCARD;
	}
	if (!ahead) {
		*done = take(tx, pool, now);
		settle(tx, pool);
		return RC_RX_ACCEPT;
	}
	m = irn_tx_need_map(tx, pool);
	if (!m || ahead >= m->places)
		return RC_RX_DISCARD;
	if (has_come(m, psn))
		return RC_RX_DUPLICATE;
	irn_set(m, m->bits, psn);
	if (!irn_before(psn, m->top))
		m->top = (psn + 1) & BTH_PSN_MASK;
	if (tx->cfg->p.recovery == RC_SKIP && !m->repairs) {
		m->repairs = true;
		ask_all(tx, m, tx->una);
	}
	settle(tx, pool);
	return RC_RX_GAP;
}

// All from `psn` on is asked for again; without a map the rest of the oldest message.
static void repeat(struct rc_tx *tx, struct irn_pool *pool, uint32_t psn)
{
	struct irn_map *m = irn_tx_need_map(tx, pool);

	if (m)
		ask_all(tx, m, psn);
	tx->past->resend = true;
	settle(tx, pool);
}

void irn_read_nak(
	struct rc_tx *tx, struct irn_pool *pool, uint32_t psn, uint8_t syndrome, tstamp now)
{
	uint32_t ahead = rc_psn_distance(tx->una, psn);

	if (syndrome > AETH_NAK_PSN && !tx->failed) {
		rc_tx_ack(tx, psn, syndrome, now);
		if (tx->failed)
			irn_tx_release(tx, pool);
	} else if (syndrome < AETH_NAK_PSN || tx->failed || ahead >= irn_in_flight(tx)) {
		tx->past->stats.bad_acks++;
	} else {
		tx->past->stats.naks++;
		repeat(tx, pool, psn);
	}
}

enum rc_expired irn_read_expire(struct rc_tx *tx, struct irn_pool *pool, tstamp now)
{
	enum rc_expired what = irn_tx_expired(tx, pool, now);

	if (what == RC_TIMEOUT && !tx->failed)
		repeat(tx, pool, tx->una);
	return what;
}
