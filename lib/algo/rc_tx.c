// SPDX-License-Identifier: BSD-3-Clause
// The RC requester: segmentation, cumulative ACK, go-back-N and the retransmission timeout.
#include "algo/rc.h"

#include <assert.h>
#include <errno.h>

#include "wire/bth.h"

#define WINDOW_MAX    (1u << 22)
#define ACK_EVERY_MAX (1u << 16)
#define BYTES_MAX     (1u << 31)
#define MTU_MAX       4096
#define MTU_MIN       256

int rc_cfg_init(struct rc_cfg *cfg, const struct rc_params *params)
{
	const struct rc_params *p = params;
	bool write = p->verb == RC_WRITE;

	if (p->verb > RC_SEND || !p->mtu || p->mtu > MTU_MAX)
		return -EINVAL;
	if (p->go_back_n && (p->mtu < MTU_MIN || (p->mtu & (p->mtu - 1))))
		return -EINVAL;
	if (!p->window || p->window > WINDOW_MAX || !p->ack_every || p->ack_every > ACK_EVERY_MAX ||
		!p->rto_ps)
		return -EINVAL;
	uint32_t ack_every = p->go_back_n ? p->ack_every : 1;

	*cfg = (struct rc_cfg){
		.p = *p,
		.first = write ? BTH_RC_WRITE_FIRST : BTH_RC_SEND_FIRST,
		.middle = write ? BTH_RC_WRITE_MIDDLE : BTH_RC_SEND_MIDDLE,
		.last = write ? BTH_RC_WRITE_LAST : BTH_RC_SEND_LAST,
		.only = write ? BTH_RC_WRITE_ONLY : BTH_RC_SEND_ONLY,
		.ack_every = ack_every < p->window ? ack_every : p->window,
	};
	return 0;
}

void rc_tx_init(struct rc_tx *tx, const struct rc_cfg *cfg, uint32_t psn)
{
	psn &= BTH_PSN_MASK;
	*tx = (struct rc_tx){
		.cfg = cfg,
		.una = psn,
		.next = psn,
		.stop = psn,
		.end = psn,
		.sent_max = psn,
		.rto_at = TSTAMP_NEVER,
		.to_ack_req = cfg->ack_every,
		.ack_req = psn,
		.open_below = UINT64_MAX,
	};
}

static struct rc_message *message(struct rc_tx *tx, uint64_t i)
{
	return &tx->msg[i % RC_MESSAGES];
}

// Where sending stops, once something was posted or acknowledged.
static void find_stop(struct rc_tx *tx)
{
	uint64_t left = tx->posted_packets - tx->acked_packets;
	uint32_t window = tx->cfg->p.window;

	tx->stop = (tx->una + (left < window ? (uint32_t)left : window)) & BTH_PSN_MASK;
}

// From `from` forward to `to`, PSNs; exact as at most 2^22 packets are in flight.
static uint32_t psn_distance(uint32_t from, uint32_t to)
{
	return (to - from) & BTH_PSN_MASK;
}

int rc_tx_post(struct rc_tx *tx, uint32_t bytes, tstamp now)
{
	uint32_t mtu = tx->cfg->p.mtu;
	struct rc_message *m = message(tx, tx->tail);

	if (!bytes || bytes > BYTES_MAX)
		return -EINVAL;
	if (tx->failed)
		return -EIO;
	if (tx->tail - tx->taken == RC_MESSAGES)
		return -ENOBUFS;
	*m = (struct rc_message){
		.id = tx->tail,
		.bytes = bytes,
		.psn = tx->end,
		.packets = (bytes + mtu - 1) / mtu,
		.posted = now,
		.begun = TSTAMP_NEVER,
	};
	tx->end = (tx->end + m->packets) & BTH_PSN_MASK;
	tx->tail++;
	tx->posted_packets += m->packets;
	find_stop(tx);
	tx->stats.messages_posted++;
	return 0;
}

// Sends from una again.
static void go_back(struct rc_tx *tx)
{
	uint32_t n = tx->cfg->ack_every;

	tx->next = tx->una;
	tx->next_bytes = rc_tx_acked(tx);
	tx->cur = tx->head;
	tx->in_msg = tx->una_in_msg;
	tx->to_ack_req = n - tx->in_msg % n;
	tx->ack_req = tx->una;
	tx->rto_at = TSTAMP_NEVER; // armed again by the next AckReq
}

// `packets` more are acknowledged; returns the messages that this completes.
static unsigned advance(struct rc_tx *tx, uint32_t packets, tstamp now)
{
	uint32_t in_flight = psn_distance(tx->una, tx->next);
	uint32_t awaited = psn_distance(tx->una, tx->ack_req);
	uint64_t head = tx->head;

	tx->una = (tx->una + packets) & BTH_PSN_MASK;
	tx->acked_packets += packets;
	find_stop(tx);
	tx->una_in_msg += packets;
	while (tx->head != tx->tail && tx->una_in_msg >= message(tx, tx->head)->packets) {
		tx->una_in_msg -= message(tx, tx->head)->packets;
		tx->done_bytes += message(tx, tx->head)->bytes;
		tx->head++;
	}
	if (tx->window)
		rc_tx_set_window(tx, tx->window);
	if (packets > in_flight) // acknowledged beyond the point gone back to
		go_back(tx);
	else if (packets)
		tx->rto_at = packets < awaited ? tstamp_add(now, tx->cfg->p.rto_ps) : TSTAMP_NEVER;
	if (packets > awaited)
		tx->ack_req = tx->una;
	if (packets)
		tx->tries = 0;
	tx->stats.messages_done += tx->head - head;
	return (unsigned)(tx->head - head);
}

static void fail_all(struct rc_tx *tx)
{
	tx->failed = true;
	tx->stop = tx->next;
	tx->rto_at = TSTAMP_NEVER;
	tx->stats.messages_failed = tx->tail - tx->head;
}

// A NAK acknowledges what lies before its PSN.
static unsigned nak(struct rc_tx *tx, uint32_t before, uint8_t syndrome, tstamp now)
{
	unsigned done = advance(tx, before, now);

	tx->stats.naks++;
	if (syndrome == AETH_NAK_PSN)
		go_back(tx);
	else if (syndrome > AETH_NAK_PSN)
		fail_all(tx);
	else if (tx->rto_at == TSTAMP_NEVER)
		tx->rto_at = tstamp_add(now, tx->cfg->p.rto_ps); // RNR
	return done;
}

unsigned rc_tx_ack(struct rc_tx *tx, uint32_t psn, uint8_t syndrome, tstamp now)
{
	uint32_t ahead = psn_distance(tx->una, psn);
	unsigned type = syndrome >> 5; // 0 ACK, 1 RNR NAK, 3 NAK

	if (tx->failed || type == 2 || type > 3) {
		tx->stats.bad_acks++;
		return 0;
	}
	if (ahead >= psn_distance(tx->una, tx->sent_max)) {
		if (ahead > BTH_PSN_MASK / 2)
			tx->stats.duplicate_acks++;
		else
			tx->stats.bad_acks++;
		return 0;
	}
	if (type)
		return nak(tx, ahead, syndrome, now);
	tx->stats.acks++;
	return advance(tx, ahead + 1, now);
}

bool rc_tx_done(struct rc_tx *tx, struct rc_message *msg)
{
	if (tx->taken == tx->head)
		return false;
	*msg = *message(tx, tx->taken++);
	return true;
}

bool rc_tx_expire(struct rc_tx *tx, tstamp now)
{
	unsigned retries = tx->cfg->p.retries;

	if (tx->rto_at > now)
		return false;
	tx->stats.timeouts++;
	go_back(tx);
	if (++tx->tries == retries)
		fail_all(tx);
	return true;
}
