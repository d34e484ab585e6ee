// SPDX-License-Identifier: BSD-3-Clause
// Reliable connection: messages cut into packets, PSNs, cumulative ACK, NAK and go-back-N.
#pragma once

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/tstamp.h"

#define RC_MESSAGES 64 // a send queue holds so many messages not yet acknowledged; a power of two

enum rc_verb { RC_WRITE, RC_SEND };

struct rc_params {
	enum rc_verb verb;
	// payload bytes of a packet: 256, 512, 1024, 2048, 4096; hpcc_sim: any 1..4096
	uint32_t mtu;
	uint32_t window;    // packets not yet acknowledged, 1..2^22
	uint32_t ack_every; // AckReq on every n-th packet of a message besides its last; 1..2^16
	tstamp rto_ps;      // retransmission timeout, TSTAMP_NEVER: none
	unsigned retries;   // timeouts in a row before the QP fails; 0: no limit
	bool go_back_n; // false: the responder takes packets in any order, NAKs nothing (hpcc_sim)
};

struct rc_cfg {
	struct rc_params p;
	uint8_t first, middle, last, only; // opcodes of the verb
	// At most the window, so that each window asks for an ACK; 1 where each packet is
	// acknowledged whether it asks or not.
	uint32_t ack_every;
};

struct rc_message {
	uint64_t id; // counts from 0
	uint32_t bytes;
	uint32_t psn; // of its first packet
	uint32_t packets;
	tstamp posted;
	// it could be sent from then on (rc_tx_left); TSTAMP_NEVER before its first packet
	tstamp begun;
};

// One packet to send.
struct rc_segment {
	uint8_t opcode;
	bool ack_req;
	bool retx;
	bool first, last; // of its message
	uint32_t psn;
	uint32_t payload;
	uint32_t dma_len; // of the message (RETH, where first)
};

struct rc_tx_stats {
	uint64_t messages_posted, messages_done, packets, payload_bytes;
	uint64_t retransmitted, naks, timeouts, duplicate_acks, bad_acks;
	uint64_t acks, messages_failed;
};

// Requester. Packets in flight: [una, next); PSNs of posted messages: [una, end).
struct rc_tx {
	const struct rc_cfg *cfg;
	struct rc_message msg[RC_MESSAGES];
	uint64_t head; // oldest message not done
	uint64_t cur;  // message that holds `next`
	uint64_t tail; // one past the newest
	uint32_t una;  // oldest PSN not acknowledged, 24 bits
	uint32_t next; // PSN to send next
	// PSN before which sending stops: nothing more is posted, the window of packets is closed,
	// or the QP has failed
	uint32_t stop;
	uint32_t end;      // one past the last posted PSN
	uint32_t sent_max; // one past the highest PSN ever sent
	uint32_t in_msg;   // packet number of `next` in its message
	tstamp rto_at;     // TSTAMP_NEVER: no packet outstanding that asked for an ACK
	unsigned tries;    // timeouts since the last progress
	bool failed;
	struct rc_tx_stats stats;
	uint64_t taken;      // oldest message not yet taken; done ones are [taken, head)
	uint32_t una_in_msg; // packet number of `una` in message `head`
	uint32_t to_ack_req; // packets until AckReq is set, this one included
	uint32_t ack_req; // one past the highest PSN that asked for an ACK since the last go-back
	tstamp left_at;   // when the last packet of a message had left; 0: none has
	uint64_t posted_packets, acked_packets;
	uint64_t window;     // bytes of payload in flight below which a packet may start; 0: none
	uint64_t open_below; // of next_bytes: the window is open
	// Bytes of payload since the start: of messages done, and before `next`.
	uint64_t done_bytes, next_bytes;
};

int rc_cfg_init(struct rc_cfg *cfg, const struct rc_params *params);
void rc_tx_init(struct rc_tx *tx, const struct rc_cfg *cfg, uint32_t psn);

// Posts a message of `bytes` (1..2^31); -ENOBUFS where RC_MESSAGES are posted and not taken, -EIO
// where the QP has failed, -EINVAL.
int rc_tx_post(struct rc_tx *tx, uint32_t bytes, tstamp now);

// Bytes of payload that have been acknowledged since the start.
static inline uint64_t rc_tx_acked(const struct rc_tx *tx)
{
	return tx->done_bytes + (uint64_t)tx->una_in_msg * tx->cfg->p.mtu;
}

// A packet may start while fewer than `bytes` are in flight (0: as many as the packets' window
// allows), so that the last may overrun it. While no packet in flight has asked for an ACK one may
// start whatever the window is, and asks: a window that shrank would never open again.
static inline void rc_tx_set_window(struct rc_tx *tx, uint64_t bytes)
{
	tx->window = bytes;
	tx->open_below = bytes ? rc_tx_acked(tx) + bytes : UINT64_MAX;
}

// Whether a packet may be sent: something is posted, the windows are open, the QP has not failed.
static inline bool rc_tx_ready(const struct rc_tx *tx)
{
	if (tx->next == tx->stop)
		return false;
	return __builtin_expect(tx->next_bytes < tx->open_below, 1) || tx->ack_req == tx->una;
}

// An ACK or NAK (AETH syndrome) for `psn`. Returns the number of messages that it completed; each
// is taken with rc_tx_done before the next call. A NAK of a sequence error goes back, an RNR NAK
// leaves that to the timeout, any other NAK fails the QP.
unsigned rc_tx_ack(struct rc_tx *tx, uint32_t psn, uint8_t syndrome, tstamp now);

// Takes the oldest completed message; false where none is left.
bool rc_tx_done(struct rc_tx *tx, struct rc_message *msg);

// The timeout has passed: go back to una; after `retries` in a row the QP fails. False: nothing was
// due (it had moved).
bool rc_tx_expire(struct rc_tx *tx, tstamp now);

enum rc_rx_verdict {
	RC_RX_ACCEPT,    // in order; count its payload
	RC_RX_DUPLICATE, // seen before; acknowledge again
	RC_RX_GAP,       // a packet is missing: NAK now
	RC_RX_DISCARD,   // still missing: NAK has been sent
};

struct rc_rx_stats {
	// Each request packet is one of accepted (packets), duplicates, sequence_errors, discarded.
	uint64_t packets, payload_bytes, messages, duplicates, sequence_errors, discarded, naks,
		acks;
};

// Responder.
struct rc_rx {
	const struct rc_cfg *cfg;
	uint32_t epsn;    // PSN expected
	uint32_t msn;     // messages completed, 24 bits
	uint32_t unacked; // packets accepted since the last ACK
	bool nak_sent;
	struct rc_rx_stats stats;
};

void rc_rx_init(struct rc_rx *rx, const struct rc_cfg *cfg, uint32_t psn);

// A request packet. *ack is set where an ACK (or NAK, verdict GAP) is owed now: AckReq, a
// duplicate, a gap.
enum rc_rx_verdict rc_rx(
	struct rc_rx *rx, uint8_t opcode, uint32_t psn, uint32_t payload, bool ack_req, bool *ack);

// What the ACK or NAK owed says: its PSN, syndrome and MSN. Resets the coalescing count.
void rc_rx_ack(struct rc_rx *rx, bool nak, uint32_t *psn, uint8_t *syndrome, uint32_t *msn);

// The step below runs once for each packet: it is inline.

// AckReq on the last packet of a message, on every n-th, counted down, and on the one of `payload`
// bytes that closes the window; arms the timeout.
static inline bool rc_tx_wants_ack(struct rc_tx *tx, bool last, uint32_t payload, tstamp now)
{
	tx->to_ack_req--;
	if (__builtin_expect(tx->next_bytes + payload < tx->open_below, 1)) {
		if (tx->to_ack_req && !last)
			return false;
	}
	tx->to_ack_req = tx->cfg->ack_every;
	tx->ack_req = (tx->next + 1) & 0xffffff;
	if (tx->rto_at == TSTAMP_NEVER)
		tx->rto_at = tstamp_add(now, tx->cfg->p.rto_ps);
	return true;
}

// The next packet; only where rc_tx_ready. Arms the timeout.
static inline void rc_tx_next(struct rc_tx *tx, struct rc_segment *seg, tstamp now)
{
	const struct rc_cfg *cfg = tx->cfg;
	struct rc_message *m = &tx->msg[tx->cur % RC_MESSAGES];
	bool first = !tx->in_msg, last = tx->in_msg + 1 == m->packets;
	uint32_t psn = tx->next, payload = last ? m->bytes - tx->in_msg * cfg->p.mtu : cfg->p.mtu;

	assert(rc_tx_ready(tx));
	if (first && m->begun == TSTAMP_NEVER)
		m->begun = tstamp_min(now, tstamp_max(m->posted, tx->left_at));
	*seg = (struct rc_segment){
		.opcode =
			first ? (last ? cfg->only : cfg->first) : (last ? cfg->last : cfg->middle),
		.ack_req = rc_tx_wants_ack(tx, last, payload, now),
		.retx = psn != tx->sent_max,
		.first = first,
		.last = last,
		.psn = psn,
		.payload = payload,
		.dma_len = m->bytes,
	};
	tx->stats.packets++;
	tx->stats.payload_bytes += seg->payload;
	tx->stats.retransmitted += seg->retx;
	tx->next = (psn + 1) & 0xffffff;
	tx->sent_max = seg->retx ? tx->sent_max : tx->next;
	tx->next_bytes += payload;
	tx->in_msg = last ? 0 : tx->in_msg + 1;
	tx->cur += last;
}

// The last packet of a message, which rc_tx_next has given, has left the wire free at `at`: until
// then the next message of the queue pair waits for this one, and its completion time does not
// count.
static inline void rc_tx_left(struct rc_tx *tx, tstamp at)
{
	tx->left_at = at;
}
