// SPDX-License-Identifier: BSD-3-Clause
// Reliable connection: messages cut into packets, PSNs, cumulative ACK, NAK and go-back-N.
#pragma once

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/hint.h"
#include "base/tstamp.h"

#define RC_MESSAGES 64 // most messages in a send queue, not yet acknowledged; a power of two

#define RC_BYTES_MAX (1u << 31) // of a message

#define RC_NO_LIMIT UINT32_MAX

#define RC_RNR_NO_LIMIT 7 // of rnr_retries

#define RC_NO_PSN UINT32_MAX // none has 32 bits

#define RC_READS 16 // READs that a queue pair may have outstanding at most

enum rc_verb { RC_WRITE, RC_SEND, RC_WRITE_IMM, RC_SEND_IMM, RC_READ };

// How lost packets are sent again.
enum rc_recovery {
	RC_GO_BACK_N, // from the first one on, after a NAK or a timeout
	RC_ANY_ORDER, // the responder takes packets in any order and NAKs nothing (hpcc_sim)
	RC_IRN,       // only what is missing below a packet that came (irn.h)
	RC_SKIP,      // all from the first one on that is not known to have come (irn.h)
};

// Why a queue pair has failed: retries used up here, or a NAK of the responder (AETH_NAK_*).
enum rc_failure {
	RC_NO_FAILURE,
	RC_RETRIES_EXCEEDED,
	RC_RNR_RETRIES_EXCEEDED,
	RC_REMOTE_INVALID_REQUEST,
	RC_REMOTE_ACCESS_ERROR,
	RC_REMOTE_OPERATIONAL_ERROR, // and any NAK of a reserved code
	RC_PEER_UNKNOWN,             // the peer's hardware address was not found
	RC_PEER_SILENT,              // it does not answer the connection manager
	RC_PEER_REJECTED,            // it refuses the connection
	RC_PEER_PARTED,              // it has ended the connection while messages were under way
	RC_PEER_FULL,                // no place for one more connection
	RC_PEER_NO_READS,            // it serves none
	RC_FAILURES,
};

#define RC_ADAPTIVE_RANGES 4
#define RC_ADAPTIVE_MAX    31 // of a value
#define RC_ADAPTIVE_BASE   (4 * PS_PER_US)
#define RC_ADAPTIVE_SHIFT  18 // of a base: 1 s

// Values from `low` to `high`. Each value is used so many times.
struct rc_adaptive_range {
	uint8_t low, high, each;
};

// The adaptive timeout: 2^(base + value) times RC_ADAPTIVE_BASE, with a larger value after each
// timeout without progress (standards.md 3.9). The ranges rise, and have no value twice.
struct rc_adaptive {
	uint8_t base;
	uint8_t first; // value of the first timeout
	uint8_t n;     // ranges; 0: the timeout is fixed
	struct rc_adaptive_range range[RC_ADAPTIVE_RANGES];
};

bool rc_adaptive_is_valid(const struct rc_adaptive *a);
// The value after so many timeouts without progress. The last one stays. There is a range.
unsigned rc_adaptive_value(const struct rc_adaptive *a, uint32_t timeouts);

// The timeout after so many timeouts without progress.
static inline tstamp rc_adaptive_time(const struct rc_adaptive *a, uint32_t timeouts)
{
	return RC_ADAPTIVE_BASE << (a->base + rc_adaptive_value(a, timeouts));
}

struct rc_params {
	enum rc_verb verb;
	// payload bytes of a packet: a multiple of 4 from 256 to 9000, where InfiniBand has 256,
	// 512, 1024, 2048 and 4096; hpcc_sim: any 1..9000
	uint32_t mtu;
	uint32_t window;    // packets not yet acknowledged, 1..2^22; irn, skip: ..IRN_CAP_MAX
	uint32_t ack_every; // AckReq on every n-th packet of a message besides its last; 1..2^16
	// Retransmission timeout, TSTAMP_NEVER: none. Adaptive: the one without an earlier timeout
	tstamp rto_ps;
	struct rc_adaptive adaptive; // not with irn and skip
	// Times that the oldest packet is sent again after a timeout, without progress, as a verbs
	// retry_cnt counts: at the timeout after them the QP fails. RC_NO_LIMIT: it never does.
	unsigned retries;
	// Times that a packet is sent again after an RNR NAK, without progress, as a verbs
	// rnr_retry counts: the RNR NAK after them fails the QP. 0..7, RC_RNR_NO_LIMIT: none does.
	unsigned rnr_retries;
	enum rc_recovery recovery;
	// irn, skip: timeout while few packets are in flight (IRN_FEW), at most rto_ps
	tstamp rto_low_ps;
	// irn: a packet counts as lost once the so-many-th PSN behind it, or a later one, has come;
	// 1..IRN_CAP_MAX
	uint32_t nack_threshold;
	unsigned rd_atomic; // READ: requests outstanding at a time, 1..RC_READS
	bool imm_fixed;     // immediate data are `imm`; false: the message's number, from 0
	uint32_t imm;
};

struct rc_cfg {
	struct rc_params p;
	uint8_t first, middle, last, only; // opcodes of the verb
	// At most the window, so that each window asks for an ACK; 1 if the peer acknowledges each
	// packet in any case.
	uint32_t ack_every;
	bool reth;       // first and only have one; where it repairs, all packets
	bool has_imm;    // last and only have immediate data
	bool repairs;    // irn, skip: packets are taken in any order, and each is answered
	bool by_stop;    // the window alone does not say where sending stops: READ, irn, skip
	bool rto_varies; // rto_ps is not the only timeout: adaptive, irn, skip
};

struct rc_message {
	uint32_t bytes;
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
	// RETH: bytes of the message; 0 unless first. Irn, skip: its bytes from this packet on
	uint32_t dma_len;
	// READ: the AETH, on first, last and only. Irn, skip: immediate data
	uint32_t word;
};

struct rc_tx_stats {
	uint32_t naks, timeouts, duplicate_acks, bad_acks, messages_failed; // modulo 2^32
};

// The part of a requester that a packet within a message does not need. The owner zeroes it, and it
// stays untouched until a message is posted, so that an idle requester costs none of it.
struct rc_past {
	// 0: no packet outstanding that asked for an ACK, and no wait. While the requester waits
	// because of an RNR NAK, the end of that.
	tstamp rto_at;
	uint64_t packets;    // posted and not acknowledged
	uint32_t una_in_msg; // packet number of `una` in the oldest message
	uint32_t tries;      // timeouts since the last progress
	uint32_t untaken;    // messages done and not yet taken
	uint8_t rnr_tries; // RNR NAKs obeyed since the last progress; only where they have a limit
	bool rnr_wait : 1; // nothing is sent until rto_at
	// The window became smaller, and more is in flight than it takes.
	bool narrowed : 1;
	bool resend : 1;  // irn, skip: a packet waits to be sent again
	bool rto_low : 1; // and the timeout that runs is the one for few packets
	bool went_back;   // READ: and the response that it went back to has not come
	uint8_t reads; // READ: requests outstanding where the peer serves fewer than rd_atomic; 0
	// An ACK that completes no message changes what is above.
	tstamp left_at;      // when the last packet of a message had left; 0: none has
	uint64_t cur_bytes;  // payload before message `cur`, since the start
	uint64_t done_bytes; // of messages done
	uint64_t done;       // messages done
	uint64_t window;     // bytes of payload in flight below which a packet may start; 0: none
	uint64_t open_below; // of the payload before `next`: the window is open
	struct rc_tx_stats stats;
	uint32_t repair; // irn, skip: number of its map in the pool; 0: it has none
};

// Requester. Packets in flight: [una, next); PSNs of posted messages: [una, una + packets). Its
// first 8 bytes tell whether a packet may be sent, the next 48 are enough to send one within a
// message.
struct rc_tx {
	uint32_t next; // PSN to send next
	// PSN before which sending stops: nothing more is posted, the window of packets is closed,
	// or the QP has failed
	uint32_t stop;
	// packets of the message of `next` that are to be sent; 0: it is the first, and all are
	uint32_t left;
	uint32_t sent_max; // one past the highest PSN ever sent
	uint32_t ack_req;  // one past the highest PSN that asked for an ACK since the last go-back
	uint32_t una;      // oldest PSN not acknowledged, 24 bits
	uint16_t to_ack_req; // packets until AckReq is set, this one included; 0: 2^16
	uint8_t messages;    // posted and not done
	uint8_t cur;         // which of them holds `next`
	uint8_t head;        // slot of the oldest of them
	uint8_t room;        // slots of the ring, a power of two; 0: there is none
	uint8_t failed;      // enum rc_failure; 0: it has not
	bool windowed;       // past->window is not 0
	const struct rc_cfg *cfg;
	struct rc_message *msg; // the ring, lent
	struct rc_past *past;   // lent
};

// "retries exceeded" ...; NULL: RC_NO_FAILURE.
const char *rc_failure_name(enum rc_failure why);

int rc_cfg_init(struct rc_cfg *cfg, const struct rc_params *params);
// Initialises a requester. `past` must be zeroed, and outlive it.
void rc_tx_init(struct rc_tx *tx, const struct rc_cfg *cfg, struct rc_past *past, uint32_t psn);

// Sets another first PSN. Nothing may be posted that is not acknowledged.
void rc_tx_begin(struct rc_tx *tx, uint32_t psn);

// Takes another configuration over at `now`: of the same verb, MTU, recovery,
// rd_atomic and
// immediate data. Posted messages and packets in flight stay. A retransmission timeout that runs
// keeps the instant at which it began. If more packets are in flight than the new window takes,
// nothing is sent until they fit; only if none of them has asked for an ACK does one more leave,
// which asks. `cfg` must outlive the requester or the next call.
void rc_tx_adopt(struct rc_tx *tx, const struct rc_cfg *cfg, tstamp now);

// Returns whether a requester may take over the second configuration in place of the first.
bool rc_may_adopt(const struct rc_cfg *was, const struct rc_cfg *to);

// Returns whether the requester is at rest: it has no ring, and one that rc_tx_init() makes with
// the next PSN would do the same from here on, but for the number of messages that it has posted.
bool rc_tx_rests(const struct rc_tx *tx);

// Fails the requester for a reason outside of it; posted messages are lost.
void rc_tx_fail(struct rc_tx *tx, enum rc_failure why);

// Lends a ring of `room` messages, a power of two up to RC_MESSAGES; the requester has none.
void rc_tx_lend(struct rc_tx *tx, struct rc_message *ring, unsigned room);

// Takes the ring back where nothing in it is needed any more: every message is done and taken, or
// the QP has failed. NULL: it is needed, or there is none.
struct rc_message *rc_tx_unlend(struct rc_tx *tx);

// Posts a message of `bytes` (0..2^31); of 0 it is one packet without payload. -ENOBUFS where as
// many are posted and not taken as its ring holds, or it has none; -EIO where the QP has failed,
// -EINVAL.
int rc_tx_post(struct rc_tx *tx, uint32_t bytes, tstamp now);

// Messages posted since the start.
static inline uint64_t rc_tx_posted(const struct rc_tx *tx)
{
	return tx->past->done + tx->messages;
}

// Packets of a message.
static inline uint32_t rc_packets(const struct rc_cfg *cfg, uint32_t bytes)
{
	return bytes ? (bytes + cfg->p.mtu - 1) / cfg->p.mtu : 1;
}

// One past the last posted PSN.
static inline uint32_t rc_tx_end(const struct rc_tx *tx)
{
	return (uint32_t)(tx->una + tx->past->packets) & 0xffffff;
}

// Whether a packet is posted and not acknowledged. None is of a zeroed requester.
static inline bool rc_tx_waits(const struct rc_tx *tx)
{
	return tx->past && tx->past->packets;
}

// When the retransmission timeout is due; TSTAMP_NEVER: no packet outstanding asked for an ACK.
static inline tstamp rc_tx_rto_at(const struct rc_tx *tx)
{
	return tx->past->rto_at ? tx->past->rto_at : TSTAMP_NEVER;
}

// Length of the timeout that runs, by a configuration whose timeouts vary.
tstamp rc_tx_rto_varying(const struct rc_tx *tx, const struct rc_cfg *cfg);

// Length of the timeout that runs, by this configuration.
static inline tstamp rc_tx_rto(const struct rc_tx *tx, const struct rc_cfg *cfg)
{
	return UNLIKELY(cfg->rto_varies) ? rc_tx_rto_varying(tx, cfg) : cfg->p.rto_ps;
}

// The timeout that runs begins anew: nothing could be acknowledged before `now`.
static inline void rc_tx_wait_anew(struct rc_tx *tx, tstamp now)
{
	if (tx->past->rto_at && !tx->past->rnr_wait)
		tx->past->rto_at = tstamp_add(now, rc_tx_rto(tx, tx->cfg));
}

// Bytes of payload that have been acknowledged since the start.
static inline uint64_t rc_tx_acked(const struct rc_tx *tx)
{
	return tx->past->done_bytes + (uint64_t)tx->past->una_in_msg * tx->cfg->p.mtu;
}

// The slot of a message that is not done, counted from the oldest.
static inline struct rc_message *rc_tx_message(const struct rc_tx *tx, unsigned i)
{
	return &tx->msg[(tx->head + i) & (tx->room - 1u)];
}

// Packet number of `next` in its message.
static inline uint32_t rc_tx_in_msg(const struct rc_tx *tx)
{
	return tx->left ? rc_tx_message(tx, tx->cur)->packets - tx->left : 0;
}

// Bytes of payload before the packet that is sent next, since the start.
static inline uint64_t rc_tx_sent_bytes(const struct rc_tx *tx)
{
	return tx->past->cur_bytes + (uint64_t)rc_tx_in_msg(tx) * tx->cfg->p.mtu;
}

// A packet may start while fewer than `bytes` are in flight (0: as many as the packets' window
// allows), so that the last may overrun it. While no packet in flight has asked for an ACK one may
// start whatever the window is, and asks: a window that shrank would never open again.
static inline void rc_tx_set_window(struct rc_tx *tx, uint64_t bytes)
{
	if (!bytes && !tx->windowed)
		return;
	tx->windowed = bytes;
	tx->past->window = bytes;
	tx->past->open_below = rc_tx_acked(tx) + bytes;
}

// Returns whether the byte window lets a packet leave. `bytes`: payload sent since the start,
// without this packet.
static inline bool rc_tx_is_open(const struct rc_tx *tx, uint64_t bytes)
{
	return !tx->windowed || bytes < tx->past->open_below;
}

// Whether a packet may be sent: something is posted, the windows are open, the QP has not failed.
static inline bool rc_tx_ready(const struct rc_tx *tx)
{
	if (tx->next == tx->stop)
		return false;
	if (LIKELY(!tx->windowed))
		return true;
	return rc_tx_is_open(tx, rc_tx_sent_bytes(tx)) || tx->ack_req == tx->una;
}

// An ACK or NAK (AETH syndrome) for `psn`. Returns the number of messages that it completed; each
// is taken with rc_tx_done before the next call. A NAK of a sequence error goes back. An RNR NAK
// goes back, too, and nothing is sent for the time that it says (rc_rnr_time) or until something is
// acknowledged; one that comes meanwhile changes nothing. Any other NAK fails the QP.
unsigned rc_tx_ack(struct rc_tx *tx, uint32_t psn, uint8_t syndrome, tstamp now);

// READ: makes the next request; call it only if rc_tx_ready(). It asks for the missing rest of the
// oldest message that is not requested: `psn` is the PSN of the first response, `dma_len` the bytes
// up to the message's end. Arms the timeout.
void rc_tx_request(struct rc_tx *tx, struct rc_segment *seg, tstamp now);

enum rc_rx_verdict {
	RC_RX_ACCEPT,    // in order; count its payload
	RC_RX_DUPLICATE, // seen before; acknowledge again
	RC_RX_GAP,       // a packet is missing: NAK now
	RC_RX_DISCARD,   // still missing: NAK has been sent
	RC_RX_INVALID,   // READ: a request that cannot be served: it is refused
	RC_RX_AHEAD,     // irn, skip: it is for irn_rx(), and not counted yet
};

// READ: a response. In order it acknowledges itself, and *done tells how many messages that
// completes, as rc_tx_ack does. GAP: a response is missing, and the requester has gone back to ask
// for it and all behind it (an implied NAK). DISCARD: that is still to come, or the response does
// not fit its request. DUPLICATE: it came before.
enum rc_rx_verdict rc_tx_response(
	struct rc_tx *tx, uint32_t psn, uint32_t payload, unsigned *done, tstamp now);

// Takes the oldest completed message. False: none is left.
bool rc_tx_done(struct rc_tx *tx, struct rc_message *msg);

enum rc_expired {
	RC_NOT_DUE,  // it had moved
	RC_RNR_OVER, // the wait after an RNR NAK: sending goes on
	RC_TIMEOUT,  // gone back to una, or failed: that was done `retries` times in a row
};

// Handles the timeout that rc_tx_rto_at() has given.
enum rc_expired rc_tx_expire(struct rc_tx *tx, tstamp now);

struct rc_rx_stats {
	// Each request packet is one of accepted (packets), duplicates, sequence_errors, discarded.
	uint64_t packets, payload_bytes, messages, duplicates, sequence_errors, discarded, naks,
		acks;
	uint64_t receives;   // messages that took a posted receive: SEND, WRITE_IMM
	uint64_t immediates; // messages that brought immediate data
};

// Responder.
struct rc_rx {
	const struct rc_cfg *cfg;
	uint32_t epsn;    // PSN expected; RC_NO_PSN: it has refused one, and takes nothing any more
	uint32_t msn;     // messages completed, 24 bits
	uint32_t unacked; // packets accepted since the last ACK
	bool nak_sent;    // a packet is missing, and was asked for
	uint16_t early;   // irn, skip: number of its map in the pool; 0: it has none
	struct rc_rx_stats *stats; // lent
};

// Initialises a responder. `stats` must be zeroed, and outlive it.
void rc_rx_init(
	struct rc_rx *rx, const struct rc_cfg *cfg, struct rc_rx_stats *stats, uint32_t psn);

// Returns whether the responder is at rest: it owes no ACK, waits for no packet that is missing,
// and has not refused a request.
static inline bool rc_rx_rests(const struct rc_rx *rx)
{
	return !rx->unacked && !rx->nak_sent && rx->epsn != RC_NO_PSN;
}

// A request packet. *ack is set where an ACK (or NAK, verdict GAP) is owed now: AckReq, a
// duplicate, a gap.
enum rc_rx_verdict rc_rx(
	struct rc_rx *rx, uint8_t opcode, uint32_t psn, uint32_t payload, bool ack_req, bool *ack);

// Refuses the expected request: gives the fields of the NAK besides its syndrome. Nothing more is
// taken.
void rc_rx_refuse(struct rc_rx *rx, uint32_t *psn, uint32_t *msn);

// Fills in the ACK or NAK owed: its PSN, syndrome and MSN. Resets the coalescing count.
void rc_rx_ack(struct rc_rx *rx, bool nak, uint32_t *psn, uint8_t *syndrome, uint32_t *msn);

// Requests that a responder of READs holds at most: the outstanding ones, and with irn as many that
// ask again for a part of them.
#define RC_JOBS (2 * RC_READS)

// A READ request that is to be served.
struct rc_job {
	uint32_t psn, bytes, msn;
	uint32_t served; // responses that were sent before a request for missing ones came first
	bool again;      // a duplicate
};

// Responses to a READ request that have never been sent.
struct rc_unsent {
	uint32_t psn, end; // end: one past the last PSN
};

// The part of a READ's responder that a requester's segmentation lacks: the requests to be served,
// in the order of their PSNs.
struct rc_source {
	const struct rc_cfg *cfg;
	uint32_t epsn;    // PSN expected of the next request
	uint32_t msn;     // requests accepted, 24 bits
	uint8_t n, head;  // requests that are not served
	uint8_t n_unsent; // requests with a response that was never sent
	uint8_t refused;  // AETH_NAK_*, of the NAK behind the responses to these; 0: none
	bool nak_sent;
	bool ended; // it has refused a request, and takes nothing any more
	struct rc_job job[RC_JOBS];
	// The oldest request first. A later request may be served before it, if the peer asked for
	// both again and the earlier request was lost.
	struct rc_unsent unsent[RC_READS];
};

// Initialises the responder of READs. `tx` sends the responses; nothing may be posted to it.
void rc_source_init(
	struct rc_source *src, const struct rc_cfg *cfg, struct rc_tx *tx, uint32_t psn);

// A READ request: for `bytes`, whose first response has `psn`. ACCEPT and DUPLICATE: it will be
// served; a duplicate, which a requester sends to go back, in place of all that is not before it.
// With irn a duplicate asks for missing responses alone, and they go before the others.
// GAP: NAK now with src->epsn. INVALID: more bytes than a message has, or more requests than
// rd_atomic, is refused. DISCARD: nothing is answered.
enum rc_rx_verdict rc_source_request(
	struct rc_source *src, struct rc_tx *tx, uint32_t psn, uint32_t bytes);

// Refuses the expected request: a NAK with src->epsn is due after the responses to earlier requests
// (rc_source_nak). Nothing more is taken.
void rc_source_refuse(struct rc_source *src, uint8_t syndrome);

// Returns the syndrome of the NAK of a refused request once it is due; 0: it is not due.
static inline uint8_t rc_source_nak(struct rc_source *src)
{
	uint8_t syndrome = src->n ? 0 : src->refused;

	if (syndrome)
		src->refused = 0;
	return syndrome;
}

// The next response, only where rc_tx_ready; first, last and only have an AETH, whose MSN is
// seg->word.
void rc_source_next(struct rc_source *src, struct rc_tx *tx, struct rc_segment *seg);

// The step below runs once for each packet: it is inline.

// Whether a packet has AckReq: the last packet of a message, every n-th, counted down, and the
// packet of `payload` bytes that closes the window. Arms the timeout.
static inline bool rc_tx_wants_ack(struct rc_tx *tx, bool last, uint32_t payload, tstamp now)
{
	tx->to_ack_req--;
	if (LIKELY(!tx->windowed) || rc_tx_is_open(tx, rc_tx_sent_bytes(tx) + payload)) {
		if (tx->to_ack_req && !last)
			return false;
	}
	tx->to_ack_req = (uint16_t)tx->cfg->ack_every;
	tx->ack_req = (tx->next + 1) & 0xffffff;
	if (!tx->past->rto_at)
		tx->past->rto_at = tstamp_add(now, rc_tx_rto(tx, tx->cfg));
	return true;
}

// The next packet; only where rc_tx_ready. Arms the timeout.
static inline void rc_tx_next(struct rc_tx *tx, struct rc_segment *seg, tstamp now)
{
	const struct rc_cfg *cfg = tx->cfg;
	struct rc_message *m = rc_tx_message(tx, tx->cur);
	uint32_t psn = tx->next, left = tx->left, payload = cfg->p.mtu, dma_len = 0;
	bool first = !left, last;

	assert(rc_tx_ready(tx));
	if (first) {
		left = m->packets;
		dma_len = m->bytes;
		if (m->begun == TSTAMP_NEVER)
			m->begun = tstamp_min(now, tstamp_max(m->posted, tx->past->left_at));
	}
	last = left == 1;
	if (last)
		payload = m->bytes - (m->packets - 1) * payload;
	*seg = (struct rc_segment){
		.opcode =
			first ? (last ? cfg->only : cfg->first) : (last ? cfg->last : cfg->middle),
		.ack_req = rc_tx_wants_ack(tx, last, payload, now),
		.retx = psn != tx->sent_max,
		.first = first,
		.last = last,
		.psn = psn,
		.payload = payload,
		.dma_len = dma_len,
	};
	tx->next = (psn + 1) & 0xffffff;
	tx->sent_max = seg->retx ? tx->sent_max : tx->next;
	tx->left = left - 1;
	if (last) {
		tx->past->cur_bytes += m->bytes;
		tx->cur++;
	}
}

// The immediate data of the message whose last packet rc_tx_next has just given.
static inline uint32_t rc_tx_imm(const struct rc_tx *tx)
{
	const struct rc_params *p = &tx->cfg->p;

	return p->imm_fixed ? p->imm : (uint32_t)(tx->past->done + tx->cur - 1);
}

// Fetches the memory that the next packet needs besides the requester itself: mostly none. Always
// inlined: gcc takes a function that only prefetches for one without effect.
INLINE void rc_tx_fetch(const struct rc_tx *tx)
{
	if (tx->left <= 1)
		__builtin_prefetch(rc_tx_message(tx, tx->cur), 0, 2);
	if (tx->left <= 1 || tx->to_ack_req == 1)
		__builtin_prefetch(tx->past, 0, 2);
}

// The last packet of a message, which rc_tx_next has given, has left the wire free at `at`: until
// then the next message of the queue pair waits for this one, and its completion time does not
// count.
static inline void rc_tx_left(struct rc_tx *tx, tstamp at)
{
	tx->past->left_at = at;
}

// The rest is for the files of this room only.
#pragma GCC visibility push(hidden)

// How long a requester waits after an RNR NAK with this timer field, 0..31: 10 us to 655.36 ms
// (IBA vol. 1 table 45).
tstamp rc_rnr_time(unsigned timer);

// Returns the number of PSNs from `from` forward to `to`. It is exact, because at most 2^22 packets
// are in flight.
static inline uint32_t rc_psn_distance(uint32_t from, uint32_t to)
{
	return (to - from) & 0xffffff;
}

// Whether a packet with this opcode ends a message.
bool rc_ends_message(uint8_t opcode);
// Counts a message that is whole by a packet with this opcode.
void rc_rx_whole(struct rc_rx *rx, uint8_t opcode);
// Finds the PSN where sending stops, after something was posted, sent or acknowledged.
void rc_tx_find_stop(struct rc_tx *tx);
// Sends from una again.
void rc_tx_go_back(struct rc_tx *tx);
// Takes `packets` more as acknowledged. Returns how many messages are complete by this.
unsigned rc_tx_advance(struct rc_tx *tx, uint32_t packets, tstamp now);

#pragma GCC visibility pop
