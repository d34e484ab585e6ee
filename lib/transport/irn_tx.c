// SPDX-License-Identifier: BSD-3-Clause
// The requester of selective repeat: which packet is sent again, and when.
#include "transport/irn.h"

#include "wire/bth.h"

// The first PSN from `from` on, and before `to`, that is not known to have come; `to`: none.
static uint32_t first_missing(const struct irn_map *m, uint32_t from, uint32_t to)
{
	while (irn_before(from, to) && irn_bit(m, m->bits, from))
		from = (from + 1) & BTH_PSN_MASK;
	return from;
}

static void offer(struct irn_map *m, uint32_t psn)
{
	m->candidate = psn;
	m->has_candidate = true;
}

// Looks for the next packet to send again: behind the last one, and so far below the highest that
// has come that it counts as lost.
static void look(const struct rc_tx *tx, struct irn_map *m)
{
	uint32_t from = irn_before(m->last, tx->una) ? tx->una : (m->last + 1) & BTH_PSN_MASK;
	uint32_t to = (m->top - tx->cfg->p.nack_threshold) & BTH_PSN_MASK;
	uint32_t psn;

	m->looks = false;
	if (!irn_before(from, to))
		return;
	psn = first_missing(m, from, to);
	if (psn != to)
		offer(m, psn);
}

// By RC_SKIP all packets from the candidate on are sent once more, except those that have come.
static void skip(const struct rc_tx *tx, struct irn_map *m)
{
	uint32_t from = irn_before(m->candidate, tx->una) ? tx->una : m->candidate;

	m->candidate = first_missing(m, from, tx->next);
	m->has_candidate = m->candidate != tx->next;
}

static void give_map(struct rc_tx *tx, struct irn_pool *pool)
{
	irn_map_give(pool, tx->past->repair);
	tx->past->repair = 0;
}

// A packet that is sent again needs no room in a window.
static void stop(struct rc_tx *tx, bool resend)
{
	tx->past->resend = resend;
	tx->ack_req = resend || tx->next == tx->una ? tx->una : tx->next;
	rc_tx_find_stop(tx);
}

// After each change: whether a packet waits to be sent again, and where sending stops. The look for
// a packet that is missing comes after the next packet, or now if none can be sent.
static void settle(struct rc_tx *tx, struct irn_pool *pool, bool sent)
{
	struct irn_map *m = irn_tx_map(tx, pool);

	if (m && !m->repairs && !m->has_candidate && !irn_before(tx->una, m->top)) {
		give_map(tx, pool);
		tx->past->resend = false;
		m = NULL;
	}
	stop(tx, m ? m->has_candidate : tx->past->resend);
	if (m && m->looks && !m->has_candidate && (sent || !rc_tx_ready(tx))) {
		look(tx, m);
		stop(tx, m->has_candidate);
	}
}

void irn_tx_arm(struct rc_tx *tx, tstamp now)
{
	tx->past->rto_low = true;
	tx->past->rto_at = tstamp_add(now, tx->cfg->p.rto_low_ps);
}

void irn_tx_progress(struct rc_tx *tx, struct irn_map *m, uint32_t packets, tstamp now)
{
	while (m && packets) {
		irn_clear(m, m->bits, tx->una - packets);
		packets--;
	}
	if (m && irn_before(m->top, tx->una))
		m->top = tx->una;
	if (tx->next == tx->una)
		tx->past->rto_at = 0;
	else
		irn_tx_arm(tx, now);
}

// An answer has acknowledged packets: the repair ends, or goes on with the oldest packet.
static void acknowledged(const struct rc_tx *tx, struct irn_map *m)
{
	bool unsent = irn_before(m->last, tx->una);
	bool waits = m->has_candidate && m->candidate == tx->una;
	uint32_t above = rc_psn_distance(tx->una, m->top), enough = tx->cfg->p.nack_threshold;

	if (m->has_candidate && irn_before(m->candidate, tx->una))
		m->has_candidate = false;
	if (!m->repairs)
		return;
	if (irn_before(m->recover, tx->una)) {
		m->repairs = m->has_candidate = m->looks = false;
	} else if ((unsent || waits) && (enough == 1 || above > enough)) {
		offer(m, tx->una);
	}
}

// A NACK names a packet that has come.
static void came(const struct rc_tx *tx, struct irn_map *m, uint32_t psn, bool fresh)
{
	bool highest = !irn_before(psn, m->top);

	irn_set(m, m->bits, psn);
	if (highest)
		m->top = (psn + 1) & BTH_PSN_MASK;
	if (m->repairs && m->has_candidate && m->candidate == psn) {
		m->has_candidate = false;
		m->looks = true;
	} else if (m->repairs && !m->has_candidate && highest) {
		m->looks = true;
	}
	if (!m->repairs && !fresh && rc_psn_distance(tx->una, m->top) > tx->cfg->p.nack_threshold)
		offer(m, tx->una);
}

// The same by RC_SKIP: the first NACK goes back, an ACK ends the repair.
static void skip_answer(const struct rc_tx *tx, struct irn_map *m, bool nack, uint32_t psn)
{
	if (nack) {
		irn_set(m, m->bits, psn);
		if (!irn_before(psn, m->top))
			m->top = (psn + 1) & BTH_PSN_MASK;
		if (!m->repairs)
			offer(m, tx->una);
	}
	m->repairs = nack;
	if (m->has_candidate)
		skip(tx, m);
}

struct irn_map *irn_tx_need_map(struct rc_tx *tx, struct irn_pool *pool)
{
	struct irn_map *m;

	if (!tx->past->repair) {
		tx->past->repair = irn_map_take(pool, tx->cfg);
		m = irn_tx_map(tx, pool);
		if (m) {
			m->top = m->candidate = tx->una;
			m->recover = tx->una;
			m->last = (tx->una - 1) & BTH_PSN_MASK;
		}
	}
	return irn_tx_map(tx, pool);
}

static void answered(
	struct rc_tx *tx, struct irn_pool *pool, uint32_t packets, bool nack, uint32_t psn)
{
	bool names = nack && rc_psn_distance(tx->una, psn) < irn_in_flight(tx);
	struct irn_map *m = names ? irn_tx_need_map(tx, pool) : irn_tx_map(tx, pool);

	if (!m) { // a packet that is sent again without a map
		tx->past->resend &= !packets;
		return;
	}
	if (tx->cfg->p.recovery == RC_SKIP) {
		skip_answer(tx, m, names, psn);
		return;
	}
	if (packets)
		acknowledged(tx, m);
	if (names)
		came(tx, m, psn, packets);
}

unsigned irn_tx_ack(struct rc_tx *tx, struct irn_pool *pool, uint32_t psn, uint8_t syndrome,
	uint32_t psn_came, tstamp now)
{
	bool nack = syndrome == AETH_NAK_PSN;
	uint32_t expects = (psn + !nack) & BTH_PSN_MASK;
	uint32_t packets = rc_psn_distance(tx->una, expects);
	unsigned done = 0;

	if (tx->failed || (syndrome >> 5 && !nack) || tx->cfg->p.verb == RC_READ ||
		(packets > irn_in_flight(tx) && packets <= BTH_PSN_MASK / 2)) {
		tx->past->stats.bad_acks++;
		return 0;
	}
	if (packets > BTH_PSN_MASK / 2) {
		tx->past->stats.duplicate_acks++;
		return 0;
	}
	if (packets) {
		done = rc_tx_advance(tx, packets, now);
		irn_tx_progress(tx, irn_tx_map(tx, pool), packets, now);
	}
	tx->past->stats.naks += nack;
	tx->past->stats.duplicate_acks += !nack && !packets;
	answered(tx, pool, packets, nack, psn_came);
	settle(tx, pool, false);
	return done;
}

// Fills in the packet number `at` of message `i`, which is not done.
static void fill(const struct rc_tx *tx, struct rc_segment *seg, unsigned i, uint32_t at)
{
	const struct rc_cfg *cfg = tx->cfg;
	const struct rc_message *m = rc_tx_message(tx, i);
	bool first = !at, last = at + 1 == m->packets;
	uint32_t rest = m->bytes - at * cfg->p.mtu;

	*seg = (struct rc_segment){
		.opcode =
			first ? (last ? cfg->only : cfg->first) : (last ? cfg->last : cfg->middle),
		.ack_req = true,
		.first = first,
		.last = last,
		.payload = last ? rest : cfg->p.mtu,
		.dma_len = rest,
		.word = cfg->p.imm_fixed ? cfg->p.imm : (uint32_t)(tx->past->done + i),
	};
}

uint32_t irn_tx_find(const struct rc_tx *tx, uint32_t psn, unsigned *i)
{
	uint32_t at = rc_psn_distance(tx->una, psn) + tx->past->una_in_msg;

	*i = 0;
	while (at >= rc_tx_message(tx, *i)->packets)
		at -= rc_tx_message(tx, (*i)++)->packets;
	return at;
}

static void fill_again(const struct rc_tx *tx, struct rc_segment *seg, uint32_t psn)
{
	unsigned i;
	uint32_t at = irn_tx_find(tx, psn, &i);

	fill(tx, seg, i, at);
	seg->psn = psn;
	seg->retx = true;
}

static void send_again(struct rc_tx *tx, struct irn_map *m, struct rc_segment *seg, tstamp now)
{
	uint32_t psn = m ? m->candidate : tx->una;

	fill_again(tx, seg, psn);
	tx->past->resend = false;
	if (psn == tx->una)
		irn_tx_arm(tx, now);
	if (!m)
		return;
	m->has_candidate = false;
	if (tx->cfg->p.recovery == RC_SKIP) {
		m->candidate = (psn + 1) & BTH_PSN_MASK;
		skip(tx, m);
		return;
	}
	m->repairs |= psn == tx->una;
	m->recover = (tx->next - 1) & BTH_PSN_MASK;
	m->last = psn;
	m->looks = true;
}

static void send_new(struct rc_tx *tx, struct rc_segment *seg, tstamp now)
{
	struct rc_message *m = rc_tx_message(tx, tx->cur);
	uint32_t left = tx->left ? tx->left : m->packets;

	if (m->begun == TSTAMP_NEVER)
		m->begun = tstamp_min(now, tstamp_max(m->posted, tx->past->left_at));
	fill(tx, seg, tx->cur, m->packets - left);
	seg->psn = tx->next;
	tx->next = tx->sent_max = (tx->next + 1) & BTH_PSN_MASK;
	tx->left = left - 1;
	if (seg->last) {
		tx->past->cur_bytes += m->bytes;
		tx->cur++;
	}
	if (!tx->past->rto_at)
		irn_tx_arm(tx, now);
}

void irn_tx_next(struct rc_tx *tx, struct irn_pool *pool, struct rc_segment *seg, tstamp now)
{
	if (tx->past->resend)
		send_again(tx, irn_tx_map(tx, pool), seg, now);
	else
		send_new(tx, seg, now);
	settle(tx, pool, true);
}

enum rc_expired irn_tx_expired(struct rc_tx *tx, struct irn_pool *pool, tstamp now)
{
	struct rc_past *past = tx->past;
	const struct rc_params *p = &tx->cfg->p;

	if (rc_tx_rto_at(tx) > now)
		return RC_NOT_DUE;
	if (past->rto_low && irn_in_flight(tx) > IRN_FEW) {
		past->rto_low = false;
		past->rto_at = tstamp_add(past->rto_at - p->rto_low_ps, p->rto_ps);
		if (past->rto_at > now)
			return RC_NOT_DUE;
	}
	past->stats.timeouts++;
	past->rto_at = 0; // armed again when the packet leaves
	if (past->tries++ == p->retries) {
		rc_tx_fail(tx, RC_RETRIES_EXCEEDED);
		irn_tx_release(tx, pool);
	}
	return RC_TIMEOUT;
}

enum rc_expired irn_tx_expire(struct rc_tx *tx, struct irn_pool *pool, tstamp now)
{
	enum rc_expired what = irn_tx_expired(tx, pool, now);
	struct irn_map *m;

	if (what != RC_TIMEOUT || tx->failed)
		return what;
	m = irn_tx_need_map(tx, pool);
	if (m)
		offer(m, tx->una);
	tx->past->resend = true;
	settle(tx, pool, false);
	return what;
}

void irn_tx_release(struct rc_tx *tx, struct irn_pool *pool)
{
	if (tx->past->repair)
		give_map(tx, pool);
	tx->past->resend = false;
}
