// SPDX-License-Identifier: BSD-3-Clause
// RDMA READ: requests that span the PSNs of their responses, and the responses (IBA vol. 1 cl.
// 9.4.4, 9.7.5.1).
#include <assert.h>
#include <string.h>

#include "transport/rc.h"
#include "wire/bth.h"

void rc_tx_request(struct rc_tx *tx, struct rc_segment *seg, tstamp now)
{
	struct rc_past *past = tx->past;
	struct rc_message *m = rc_tx_message(tx, tx->cur);
	uint32_t done = rc_tx_in_msg(tx), psn = tx->next;

	assert(rc_tx_ready(tx));
	if (m->begun == TSTAMP_NEVER)
		m->begun = now;
	*seg = (struct rc_segment){
		.opcode = BTH_RC_READ_REQUEST,
		.ack_req = true,
		.retx = psn != tx->sent_max,
		.first = true,
		.last = true,
		.psn = psn,
		.dma_len = m->bytes - done * tx->cfg->p.mtu,
	};
	tx->next = (psn + m->packets - done) & BTH_PSN_MASK;
	tx->sent_max = seg->retx ? tx->sent_max : tx->next;
	tx->ack_req = tx->next;
	tx->left = 0;
	tx->cur++;
	past->cur_bytes += m->bytes;
	if (!past->rto_at)
		past->rto_at = tstamp_add(now, rc_tx_rto(tx, tx->cfg));
}

// Payload of the response that is expected.
static uint32_t expected(const struct rc_tx *tx)
{
	uint32_t mtu = tx->cfg->p.mtu;
	uint32_t left = rc_tx_message(tx, 0)->bytes - tx->past->una_in_msg * mtu;

	return left < mtu ? left : mtu;
}

enum rc_rx_verdict rc_tx_response(
	struct rc_tx *tx, uint32_t psn, uint32_t payload, unsigned *done, tstamp now)
{
	uint32_t ahead = rc_psn_distance(tx->una, psn);
	struct rc_past *past = tx->past;

	*done = 0;
	if (tx->failed)
		return RC_RX_DISCARD;
	if (ahead >= rc_psn_distance(tx->una, tx->sent_max)) {
		past->stats.bad_acks += ahead <= BTH_PSN_MASK / 2;
		return ahead > BTH_PSN_MASK / 2 ? RC_RX_DUPLICATE : RC_RX_DISCARD;
	}
	if (!ahead && payload == expected(tx)) {
		*done = rc_tx_advance(tx, 1, now);
		return RC_RX_ACCEPT;
	}
	if (!ahead || past->went_back) {
		past->stats.bad_acks += !ahead;
		return RC_RX_DISCARD;
	}
	rc_tx_go_back(tx);
	return RC_RX_GAP;
}

// Responses are made for the oldest request that is not served.
static void serve(struct rc_source *src, struct rc_tx *tx)
{
	if (!src->n) {
		tx->stop = tx->next;
		return;
	}
	const struct rc_job *job = &src->job[src->head];

	tx->next = (job->psn + job->served) & BTH_PSN_MASK;
	tx->stop = (job->psn + rc_packets(src->cfg, job->bytes)) & BTH_PSN_MASK;
}

void rc_source_init(struct rc_source *src, const struct rc_cfg *cfg, struct rc_tx *tx, uint32_t psn)
{
	psn &= BTH_PSN_MASK;
	*src = (struct rc_source){.cfg = cfg, .epsn = psn};
	tx->next = tx->stop = psn;
}

static unsigned job_place(const struct rc_source *src, unsigned i)
{
	return (src->head + i) % RC_JOBS;
}

// Returns whether there is room for one more request. A peer has at most rd_atomic requests
// outstanding. If it seems to have more, it has got all data of the oldest one and asked for them
// again too early. That request is then dropped.
static bool has_room(struct rc_source *src, struct rc_tx *tx)
{
	bool irn = src->cfg->p.recovery == RC_IRN;

	if (src->n < (irn ? RC_JOBS : src->cfg->p.rd_atomic))
		return true;
	if (!irn && !src->job[src->head].again)
		return false;
	src->head = (uint8_t)job_place(src, 1);
	src->n--;
	serve(src, tx);
	return true;
}

static void append(
	struct rc_source *src, struct rc_tx *tx, uint32_t psn, uint32_t bytes, bool is_again)
{
	src->job[job_place(src, src->n++)] = (struct rc_job){
		.psn = psn,
		.bytes = bytes,
		.msn = src->msn,
		.again = is_again,
	};
	if (src->n == 1)
		serve(src, tx);
}

// Requests that end behind `psn` will come again.
static void cut(struct rc_source *src, uint32_t psn)
{
	while (src->n) {
		unsigned i = job_place(src, src->n - 1u);
		uint32_t end = src->job[i].psn + rc_packets(src->cfg, src->job[i].bytes);

		if (rc_psn_distance(end, psn) <= BTH_PSN_MASK / 2)
			break;
		src->n--;
	}
}

// Drops the requests whose unsent responses are all among these.
static void drop_within(struct rc_source *src, uint32_t psn, uint32_t packets)
{
	unsigned kept = 0;

	for (unsigned i = 0; i < src->n; i++) {
		const struct rc_job job = src->job[job_place(src, i)];
		uint32_t from = rc_psn_distance(psn, job.psn + job.served);
		uint32_t to = rc_psn_distance(psn, job.psn + rc_packets(src->cfg, job.bytes));

		if (from >= packets || to > packets)
			src->job[job_place(src, kept++)] = job;
	}
	src->n = (uint8_t)kept;
}

// A request for missing responses goes before the requests that are served for the first time.
static void put_first(struct rc_source *src, struct rc_tx *tx, uint32_t psn, uint32_t bytes)
{
	unsigned i;

	if (src->n)
		src->job[src->head].served = rc_psn_distance(src->job[src->head].psn, tx->next);
	drop_within(src, psn, rc_packets(src->cfg, bytes));
	for (i = src->n; i && !src->job[job_place(src, i - 1)].again; i--)
		src->job[job_place(src, i)] = src->job[job_place(src, i - 1)];
	src->job[job_place(src, i)] =
		(struct rc_job){.psn = psn, .bytes = bytes, .msn = src->msn, .again = true};
	src->n++;
	serve(src, tx);
}

static enum rc_rx_verdict again(
	struct rc_source *src, struct rc_tx *tx, uint32_t psn, uint32_t bytes)
{
	if (rc_packets(src->cfg, bytes) > rc_psn_distance(psn, src->epsn))
		return RC_RX_DISCARD;
	if (src->cfg->p.recovery != RC_IRN)
		cut(src, psn);
	if (!has_room(src, tx))
		return RC_RX_DISCARD;
	if (src->cfg->p.recovery == RC_IRN)
		put_first(src, tx, psn, bytes);
	else
		append(src, tx, psn, bytes, true);
	return RC_RX_DUPLICATE;
}

static void forget_unsent(struct rc_source *src, unsigned i)
{
	src->n_unsent--;
	memmove(&src->unsent[i], &src->unsent[i + 1], (src->n_unsent - i) * sizeof(src->unsent[0]));
}

// A response is sent. Returns whether it is sent for the first time.
static bool note_sent(struct rc_source *src, uint32_t psn)
{
	for (unsigned i = 0; i < src->n_unsent; i++) {
		struct rc_unsent *u = &src->unsent[i];

		if (u->psn != psn)
			continue;
		u->psn = (psn + 1) & BTH_PSN_MASK;
		if (u->psn == u->end)
			forget_unsent(src, i);
		return true;
	}
	return false;
}

enum rc_rx_verdict rc_source_request(
	struct rc_source *src, struct rc_tx *tx, uint32_t psn, uint32_t bytes)
{
	uint32_t ahead = rc_psn_distance(src->epsn, psn);
	bool told = src->nak_sent;

	if (src->ended)
		return RC_RX_DISCARD;
	if (ahead && ahead <= BTH_PSN_MASK / 2) {
		src->nak_sent = true;
		return told ? RC_RX_DISCARD : RC_RX_GAP;
	}
	if (ahead)
		return bytes > RC_BYTES_MAX ? RC_RX_DISCARD : again(src, tx, psn, bytes);
	if (bytes > RC_BYTES_MAX || !has_room(src, tx)) {
		rc_source_refuse(src, AETH_NAK_INVALID);
		return RC_RX_INVALID;
	}
	src->nak_sent = false;
	src->epsn = (psn + rc_packets(src->cfg, bytes)) & BTH_PSN_MASK;
	src->msn = (src->msn + 1) & BTH_PSN_MASK; // C9-148: when it is accepted
	append(src, tx, psn, bytes, false);
	if (src->n_unsent == RC_READS) // a peer that keeps to rd_atomic never has as many
		forget_unsent(src, 0);
	src->unsent[src->n_unsent++] = (struct rc_unsent){psn, src->epsn};
	return RC_RX_ACCEPT;
}

void rc_source_refuse(struct rc_source *src, uint8_t syndrome)
{
	src->ended = true;
	src->refused = syndrome;
}

void rc_source_next(struct rc_source *src, struct rc_tx *tx, struct rc_segment *seg)
{
	const struct rc_cfg *cfg = src->cfg;
	uint32_t psn = tx->next, mtu = cfg->p.mtu, bytes = src->job[src->head].bytes;
	uint32_t at = rc_psn_distance(src->job[src->head].psn, psn), before = at * mtu;
	bool first = !at, last = ((psn + 1) & BTH_PSN_MASK) == tx->stop;

	assert(src->n && tx->next != tx->stop);
	*seg = (struct rc_segment){
		.opcode =
			first ? (last ? cfg->only : cfg->first) : (last ? cfg->last : cfg->middle),
		.retx = !note_sent(src, psn),
		.first = first,
		.last = last,
		.psn = psn,
		.payload = last ? bytes - before : mtu,
		.word = (uint32_t)AETH_ACK << 24 | src->job[src->head].msn,
	};
	tx->next = (psn + 1) & BTH_PSN_MASK;
	if (last) {
		src->head = (uint8_t)job_place(src, 1);
		src->n--;
		serve(src, tx);
	}
}
