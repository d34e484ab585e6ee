// SPDX-License-Identifier: BSD-3-Clause
// The RC requester: segmentation, cumulative ACK, go-back-N and the retransmission timeout.
#include "base/hint.h"
#include "transport/irn.h"

#include <assert.h>
#include <errno.h>

#include "wire/bth.h"

#define WINDOW_MAX    (1u << 22)
#define ACK_EVERY_MAX (1u << 16)
#define MTU_MAX       9000
#define MTU_MIN       256 // a message of RC_BYTES_MAX then has half of all PSNs at most

// The parts of a configuration that the verb alone decides.
static const struct rc_cfg opcodes[] = {
	[RC_WRITE] = {.first = BTH_RC_WRITE_FIRST,
		.middle = BTH_RC_WRITE_MIDDLE,
		.last = BTH_RC_WRITE_LAST,
		.only = BTH_RC_WRITE_ONLY,
		.reth = true},
	[RC_SEND] = {.first = BTH_RC_SEND_FIRST,
		.middle = BTH_RC_SEND_MIDDLE,
		.last = BTH_RC_SEND_LAST,
		.only = BTH_RC_SEND_ONLY},
	[RC_WRITE_IMM] = {.first = BTH_RC_WRITE_FIRST,
		.middle = BTH_RC_WRITE_MIDDLE,
		.last = BTH_RC_WRITE_LAST_IMM,
		.only = BTH_RC_WRITE_ONLY_IMM,
		.reth = true,
		.has_imm = true},
	[RC_SEND_IMM] = {.first = BTH_RC_SEND_FIRST,
		.middle = BTH_RC_SEND_MIDDLE,
		.last = BTH_RC_SEND_LAST_IMM,
		.only = BTH_RC_SEND_ONLY_IMM,
		.has_imm = true},
	[RC_READ] = {.first = BTH_RC_READ_FIRST,
		.middle = BTH_RC_READ_MIDDLE,
		.last = BTH_RC_READ_LAST,
		.only = BTH_RC_READ_ONLY},
};

// Whether the values of irn and skip go together.
static bool can_repair(const struct rc_params *p)
{
	return !p->adaptive.n && p->window <= IRN_CAP_MAX && p->rto_low_ps &&
	       p->rto_low_ps <= p->rto_ps && p->nack_threshold && p->nack_threshold <= IRN_CAP_MAX;
}

// A packet of a WRITE that names its own memory has an opcode of ours.
static void name_memory(struct rc_cfg *cfg)
{
	cfg->first |= BTH_TRANSPORT_VENDOR;
	cfg->middle |= BTH_TRANSPORT_VENDOR;
	cfg->last |= BTH_TRANSPORT_VENDOR;
	cfg->only |= BTH_TRANSPORT_VENDOR;
}

int rc_cfg_init(struct rc_cfg *cfg, const struct rc_params *params)
{
	const struct rc_params *p = params;

	if ((unsigned)p->verb >= sizeof(opcodes) / sizeof(opcodes[0]) || !p->mtu ||
		p->mtu > MTU_MAX)
		return -EINVAL;
	if (p->recovery != RC_ANY_ORDER && (p->mtu < MTU_MIN || p->mtu % 4))
		return -EINVAL;
	if (!p->window || p->window > WINDOW_MAX || !p->ack_every || p->ack_every > ACK_EVERY_MAX ||
		!p->rto_ps || p->rnr_retries > RC_RNR_NO_LIMIT)
		return -EINVAL;
	if (!rc_adaptive_is_valid(&p->adaptive))
		return -EINVAL;
	if ((p->recovery == RC_IRN || p->recovery == RC_SKIP) && !can_repair(p))
		return -EINVAL;
	if (p->verb == RC_READ &&
		(!p->rd_atomic || p->rd_atomic > RC_READS || p->recovery == RC_ANY_ORDER))
		return -EINVAL;

	const struct rc_cfg *o = &opcodes[p->verb];
	uint32_t ack_every = p->recovery == RC_GO_BACK_N ? p->ack_every : 1;

	*cfg = *o;
	cfg->p = *p;
	cfg->repairs = p->recovery == RC_IRN || p->recovery == RC_SKIP;
	cfg->by_stop = cfg->repairs || p->verb == RC_READ;
	cfg->rto_varies = cfg->repairs || p->adaptive.n;
	if (cfg->repairs && cfg->reth)
		name_memory(cfg);
	cfg->ack_every = ack_every < p->window ? ack_every : p->window;
	return 0;
}

void rc_tx_init(struct rc_tx *tx, const struct rc_cfg *cfg, struct rc_past *past, uint32_t psn)
{
	psn &= BTH_PSN_MASK;
	*tx = (struct rc_tx){
		.next = psn,
		.stop = psn,
		.sent_max = psn,
		.ack_req = psn,
		.una = psn,
		.to_ack_req = (uint16_t)cfg->ack_every,
		.cfg = cfg,
		.past = past,
	};
}

void rc_tx_begin(struct rc_tx *tx, uint32_t psn)
{
	assert(!tx->messages && !tx->past->packets);
	psn &= BTH_PSN_MASK;
	tx->next = tx->stop = tx->sent_max = tx->ack_req = tx->una = psn;
}

bool rc_tx_rests(const struct rc_tx *tx)
{
	const struct rc_past *past = tx->past;
	bool posted = tx->messages || tx->room || tx->left || past->packets || past->untaken;
	bool waits = past->rto_at || past->tries || past->rnr_tries || past->rnr_wait;

	return !posted && !waits && !tx->failed && !tx->windowed && tx->next == tx->una &&
	       tx->stop == tx->una && tx->sent_max == tx->una && tx->ack_req == tx->una &&
	       tx->to_ack_req == (uint16_t)tx->cfg->ack_every;
}

void rc_tx_lend(struct rc_tx *tx, struct rc_message *ring, unsigned room)
{
	assert(!tx->room && room && room <= RC_MESSAGES && !(room & (room - 1)));
	tx->msg = ring;
	tx->room = (uint8_t)room;
	tx->head = 0;
}

struct rc_message *rc_tx_unlend(struct rc_tx *tx)
{
	struct rc_message *ring = tx->msg;

	if (!ring || tx->past->untaken || (tx->messages && !tx->failed))
		return NULL;
	tx->msg = NULL;
	tx->room = 0;
	return ring;
}

// READ: behind the last of the oldest rd_atomic requests whose responses keep within the window, or
// behind the oldest.
ASIDE uint32_t read_stop(const struct rc_tx *tx)
{
	const struct rc_past *past = tx->past;
	unsigned most = past->reads ? past->reads : tx->cfg->p.rd_atomic;
	uint64_t packets = 0;

	for (unsigned i = 0; i < tx->messages && i < most; i++) {
		uint64_t more = packets + rc_tx_message(tx, i)->packets;

		if (i && more - past->una_in_msg > tx->cfg->p.window)
			break;
		packets = more;
	}
	return packets ? (tx->una + (uint32_t)(packets - past->una_in_msg)) & BTH_PSN_MASK
		       : tx->una;
}

// Irn, skip: behind the packets that the window takes, or READ's requests; a packet or request that
// is sent again needs none.
ASIDE uint32_t repair_stop(const struct rc_tx *tx)
{
	uint32_t most = tx->cfg->p.window, in_flight = rc_psn_distance(tx->una, tx->next);

	if (tx->cfg->p.verb == RC_READ)
		most = rc_psn_distance(tx->una, read_stop(tx));
	else if (tx->past->packets < most)
		most = (uint32_t)tx->past->packets;
	if (tx->past->resend)
		most = most > in_flight ? most : in_flight + 1;
	return (tx->una + (most > in_flight ? most : in_flight)) & BTH_PSN_MASK;
}

// Where sending stops while the peer is not ready, or while more is in flight than a window that
// became smaller takes.
ASIDE uint32_t held_stop(struct rc_tx *tx)
{
	uint32_t in_flight = rc_psn_distance(tx->una, tx->next);
	bool asks = tx->cfg->p.verb != RC_READ && tx->ack_req == tx->una;

	if (tx->past->rnr_wait || in_flight == tx->past->packets || !asks)
		return tx->next;
	tx->to_ack_req = 1;
	return (tx->next + 1) & BTH_PSN_MASK;
}

static bool is_held(struct rc_tx *tx)
{
	struct rc_past *past = tx->past;

	past->narrowed &= rc_psn_distance(tx->una, tx->next) >= tx->cfg->p.window;
	return past->rnr_wait || past->narrowed;
}

// Finds the PSN where sending stops, after something was posted or acknowledged.
INLINE void find_stop(struct rc_tx *tx)
{
	uint64_t left = tx->past->packets;
	uint32_t window = tx->cfg->p.window;

	if (UNLIKELY(tx->past->rnr_wait || tx->past->narrowed) && is_held(tx))
		tx->stop = held_stop(tx);
	else if (UNLIKELY(tx->cfg->by_stop))
		tx->stop = tx->cfg->repairs ? repair_stop(tx) : read_stop(tx);
	else
		tx->stop = (tx->una + (left < window ? (uint32_t)left : window)) & BTH_PSN_MASK;
}

void rc_tx_find_stop(struct rc_tx *tx)
{
	find_stop(tx);
}

int rc_tx_post(struct rc_tx *tx, uint32_t bytes, tstamp now)
{
	struct rc_past *past = tx->past;
	struct rc_message *m;

	if (bytes > RC_BYTES_MAX)
		return -EINVAL;
	if (tx->failed)
		return -EIO;
	if (tx->messages + past->untaken >= tx->room)
		return -ENOBUFS;
	m = rc_tx_message(tx, tx->messages++);
	*m = (struct rc_message){
		.bytes = bytes,
		.packets = rc_packets(tx->cfg, bytes),
		.posted = now,
		.begun = TSTAMP_NEVER,
	};
	past->packets += m->packets;
	find_stop(tx);
	return 0;
}

void rc_tx_go_back(struct rc_tx *tx)
{
	struct rc_past *past = tx->past;
	uint32_t n = tx->cfg->ack_every;
	bool repeats = tx->una != tx->sent_max;

	tx->next = tx->una;
	past->cur_bytes = past->done_bytes;
	tx->cur = 0;
	tx->left = past->una_in_msg ? rc_tx_message(tx, 0)->packets - past->una_in_msg : 0;
	// If the repeated packet is lost, too, no second NAK tells it, only the timeout. It runs
	// from that packet on, because the packet asks for an ACK.
	tx->to_ack_req = (uint16_t)(repeats ? 1 : n - past->una_in_msg % n);
	tx->ack_req = tx->una;
	past->rto_at = 0; // armed again by the next AckReq
	past->went_back = true;
	if (UNLIKELY(past->narrowed))
		find_stop(tx);
}

// Messages whose last packet is acknowledged are done; returns how many.
INLINE unsigned complete(struct rc_tx *tx)
{
	struct rc_past *past = tx->past;
	unsigned done = 0;

	while (tx->messages && past->una_in_msg >= rc_tx_message(tx, 0)->packets) {
		const struct rc_message *m = rc_tx_message(tx, 0);

		past->una_in_msg -= m->packets;
		past->done_bytes += m->bytes;
		tx->head = (uint8_t)((tx->head + 1) & (tx->room - 1));
		tx->messages--;
		tx->cur -= tx->cur != 0; // beyond the point gone back to it is found anew
		done++;
	}
	past->done += done;
	past->untaken += done;
	return done;
}

// Takes `packets` more as acknowledged. Returns how many messages are complete by this.
INLINE unsigned advance(struct rc_tx *tx, uint32_t packets, tstamp now)
{
	struct rc_past *past = tx->past;
	uint32_t in_flight = rc_psn_distance(tx->una, tx->next);
	uint32_t awaited = rc_psn_distance(tx->una, tx->ack_req);
	unsigned done;

	tx->una = (tx->una + packets) & BTH_PSN_MASK;
	past->packets -= packets;
	if (packets)
		past->rnr_wait = false;
	if (packets > awaited)
		tx->ack_req = tx->una;
	find_stop(tx);
	past->una_in_msg += packets;
	done = complete(tx);
	if (tx->windowed)
		rc_tx_set_window(tx, past->window);
	if (packets > in_flight) // acknowledged beyond the point gone back to
		rc_tx_go_back(tx);
	else if (packets)
		past->rto_at = packets < awaited ? tstamp_add(now, tx->cfg->p.rto_ps) : 0;
	if (packets) {
		past->tries = 0;
		past->rnr_tries = 0;
	}
	return done;
}

unsigned rc_tx_advance(struct rc_tx *tx, uint32_t packets, tstamp now)
{
	bool beyond = packets > rc_psn_distance(tx->una, tx->next); // advance goes back then
	unsigned done = advance(tx, packets, now);

	tx->past->went_back &= !packets || beyond;
	find_stop(tx); // which counts messages
	return done;
}

const char *rc_failure_name(enum rc_failure why)
{
	static const char *const names[RC_FAILURES] = {
		[RC_RETRIES_EXCEEDED] = "retries exceeded",
		[RC_RNR_RETRIES_EXCEEDED] = "RNR retries exceeded",
		[RC_REMOTE_INVALID_REQUEST] = "remote invalid request",
		[RC_REMOTE_ACCESS_ERROR] = "remote access error",
		[RC_REMOTE_OPERATIONAL_ERROR] = "remote operational error",
		[RC_PEER_UNKNOWN] = "peer not found",
		[RC_PEER_SILENT] = "no answer to connect",
		[RC_PEER_REJECTED] = "connection rejected",
		[RC_PEER_PARTED] = "connection ended by peer",
		[RC_PEER_FULL] = "too many connections",
		[RC_PEER_NO_READS] = "peer serves no READs",
	};

	return names[why];
}

static enum rc_failure failure_of(uint8_t syndrome)
{
	switch (syndrome) {
	case AETH_NAK_INVALID:
		return RC_REMOTE_INVALID_REQUEST;
	case AETH_NAK_ACCESS:
		return RC_REMOTE_ACCESS_ERROR;
	default:
		return RC_REMOTE_OPERATIONAL_ERROR;
	}
}

static void fail_all(struct rc_tx *tx, enum rc_failure why)
{
	tx->failed = (uint8_t)why;
	tx->stop = tx->next;
	tx->past->rto_at = 0;
	tx->past->rnr_wait = false;
	tx->past->stats.messages_failed = tx->messages;
}

void rc_tx_fail(struct rc_tx *tx, enum rc_failure why)
{
	fail_all(tx, why);
}

bool rc_may_adopt(const struct rc_cfg *was, const struct rc_cfg *to)
{
	const struct rc_params *a = &was->p, *b = &to->p;

	return a->verb == b->verb && a->mtu == b->mtu && a->recovery == b->recovery &&
	       a->rd_atomic == b->rd_atomic && a->imm_fixed == b->imm_fixed && a->imm == b->imm;
}

// Packets since the last one that asked for an ACK count for the new rule, too.
static void adopt_ack_every(struct rc_tx *tx, const struct rc_cfg *cfg)
{
	uint32_t left = tx->to_ack_req ? tx->to_ack_req : ACK_EVERY_MAX;
	uint32_t since = tx->cfg->ack_every - left;

	tx->to_ack_req = (uint16_t)(since < cfg->ack_every ? cfg->ack_every - since : 1);
}

static void adopt_timeout(struct rc_tx *tx, const struct rc_cfg *cfg, tstamp now)
{
	struct rc_past *past = tx->past;
	tstamp begun = past->rto_at == TSTAMP_NEVER ? now : past->rto_at - rc_tx_rto(tx, tx->cfg);

	if (past->rto_at && !past->rnr_wait)
		past->rto_at = tstamp_max(tstamp_add(begun, rc_tx_rto(tx, cfg)), now);
}

void rc_tx_adopt(struct rc_tx *tx, const struct rc_cfg *cfg, tstamp now)
{
	struct rc_past *past = tx->past;
	const struct rc_params *p = &cfg->p;

	assert(rc_may_adopt(tx->cfg, cfg));
	adopt_ack_every(tx, cfg);
	adopt_timeout(tx, cfg, now);
	tx->cfg = cfg;
	if (past->tries > p->retries)
		past->tries = p->retries;
	if (p->rnr_retries != RC_RNR_NO_LIMIT && past->rnr_tries > p->rnr_retries)
		past->rnr_tries = (uint8_t)p->rnr_retries;
	if (tx->failed)
		return;
	past->narrowed = !cfg->repairs; // until find_stop sees that it fits
	find_stop(tx);
}

tstamp rc_rnr_time(unsigned timer)
{
	// in units of 10 us
	static const uint16_t units[32] = {0, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128,
		192, 256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096, 6144, 8192, 12288, 16384,
		24576, 32768, 49152};

	assert(timer < 32);
	return (timer ? units[timer] : 65536) * 10 * PS_PER_US;
}

// Goes back and waits, or fails.
static void rnr_nak(struct rc_tx *tx, unsigned timer, tstamp now)
{
	struct rc_past *past = tx->past;
	unsigned most = tx->cfg->p.rnr_retries;

	if (past->rnr_wait)
		return;
	rc_tx_go_back(tx);
	if (most != RC_RNR_NO_LIMIT && past->rnr_tries++ == most) {
		fail_all(tx, RC_RNR_RETRIES_EXCEEDED);
		return;
	}
	past->rnr_wait = true;
	past->rto_at = tstamp_add(now, rc_rnr_time(timer));
	find_stop(tx);
}

// Takes a NAK. It acknowledges all packets before its PSN.
static unsigned nak(struct rc_tx *tx, uint32_t before, uint8_t syndrome, tstamp now)
{
	unsigned done = advance(tx, before, now);

	tx->past->stats.naks++;
	if (syndrome > AETH_NAK_PSN)
		fail_all(tx, failure_of(syndrome));
	else if (syndrome < AETH_NAK_PSN)
		rnr_nak(tx, syndrome & 31, now);
	else if (!tx->past->rnr_wait)
		rc_tx_go_back(tx);
	return done;
}

unsigned rc_tx_ack(struct rc_tx *tx, uint32_t psn, uint8_t syndrome, tstamp now)
{
	uint32_t ahead = rc_psn_distance(tx->una, psn);
	unsigned type = syndrome >> 5; // 0 ACK, 1 RNR NAK, 3 NAK

	if (tx->failed || type == 2 || type > 3) {
		tx->past->stats.bad_acks++;
		return 0;
	}
	if (ahead >= rc_psn_distance(tx->una, tx->sent_max)) {
		if (ahead > BTH_PSN_MASK / 2)
			tx->past->stats.duplicate_acks++;
		else
			tx->past->stats.bad_acks++;
		return 0;
	}
	// Responses acknowledge a READ: before a NAK's PSN some may be missing.
	if (UNLIKELY(tx->cfg->p.verb == RC_READ)) {
		tx->past->stats.bad_acks += !type;
		return type ? nak(tx, 0, syndrome, now) : 0;
	}
	if (type)
		return nak(tx, ahead, syndrome, now);
	return advance(tx, ahead + 1, now);
}

bool rc_tx_done(struct rc_tx *tx, struct rc_message *msg)
{
	uint32_t untaken = tx->past->untaken;

	if (!untaken)
		return false;
	*msg = tx->msg[(tx->head - untaken) & (tx->room - 1u)];
	tx->past->untaken--;
	return true;
}

enum rc_expired rc_tx_expire(struct rc_tx *tx, tstamp now)
{
	struct rc_past *past = tx->past;

	if (rc_tx_rto_at(tx) > now)
		return RC_NOT_DUE;
	if (past->rnr_wait) {
		past->rnr_wait = false;
		past->rto_at = 0;
		find_stop(tx);
		return RC_RNR_OVER;
	}
	past->stats.timeouts++;
	rc_tx_go_back(tx);
	if (past->tries++ == tx->cfg->p.retries)
		fail_all(tx, RC_RETRIES_EXCEEDED);
	return RC_TIMEOUT;
}
