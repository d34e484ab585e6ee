// SPDX-License-Identifier: BSD-3-Clause
// A queue pair of the NIC, requester or responder, in cache lines of 64 bytes; the data that
// several share, also where queue pairs take it over while they run; and where the parts of a queue
// pair are.
#pragma once

#include <stddef.h>

#include "algo/pacer.h"
#include "nic_terms/nic_terms.h"

// The states of a requester.
enum nic_qp_state {
	// nothing to send: an ACK, a post or a timeout wakes it, and whatever opens its window
	NIC_QP_IDLE,
	NIC_QP_GAP,   // in nic.gap until its gap ends, or a rate timer has to be looked at
	NIC_QP_READY, // in the FIFO of its class
	NIC_QP_SENDS, // taken out of it: its frame is being made
	NIC_QP_WAIT,  // it shares a QCN rate limiter, and it is another's turn
};

// A reaction point of several queue pairs. Queue pairs whose frames have no CN-TAG share one by
// destination and class (standards.md 6.2 h): they take turns, a frame each.
struct nic_group {
	struct rp rp;
	const struct rp_cfg *cfg;
	void *state; // of rp
	struct prng rng;
	struct nic_qp *any;  // one of the queue pairs that share it
	uint64_t cnms, cuts; // of each queue pair that takes turns
	uint32_t number;     // in nic.group
	uint16_t flow_id;    // 0: shared
	uint8_t cls;
	uint8_t dst[6];
	// shared
	struct nic_qp *turn;        // sends next: its pacer is the limiter's; NULL: nobody can
	struct nic_qp *head, *tail; // queue pairs that wait, by next_ready
	struct pacer idle;          // the limiter while it is nobody's turn
	rate_t ceiling;             // while idle: that of the queue pair whose gap is running
	bool served;                // the queue pair whose turn it is has sent
};

// Frames that asked for an ACK and are timed; what finds no room is not. In the simulator's framing
// a frame carries the instant at which it left, so that there is room for the whole window.
#define NIC_RTT_FRAMES 64
struct nic_rtt {
	uint32_t first, n;
	uint32_t mask; // frames that there is room for, less 1; they are a power of two
	struct {
		uint32_t psn;
		tstamp left;
	} frame[];
};

// The part of a requester that not every frame needs, and that an idle requester does not have. Its
// first cache line has the counters of a frame; an ACK needs the line of `past` as well.
struct nic_req_use {
	tstamp shut_ps; // of its class, when it came into the FIFO
	struct nic_qp_stats s;
	tstamp told_to; // events of timers before this instant have been reported
	struct rc_past past;
	uint64_t lost;        // bytes that its limiter allowed and that are no longer made up for
	tstamp paused_ps;     // s.paused_ps without the time since it came into the FIFO
	uint64_t alphas_told; // changes of alpha that its timer is still to make, counted by now
	struct rp_book *book; // lent; NULL: none
	struct nic_qp *next_wanting; // a ring
};

// The part of a requester that only few have.
struct nic_req_more {
	struct nic_group *group;    // NULL: it has its own
	struct nic_group *shared;   // the same where others take turns with it
	struct nic_qp *next_prompt; // in nic_class_cnps.prompt
	void *rp_state;             // of own; NULL: none
	struct nic_rtt *rtt;        // NULL: no control asks for RTTs
	struct rc_source *source;   // READs that it is to answer; NULL: it sends requests
	struct rdma_ip_qp *rdma_ip; // its block of registers, limiter and brake; NULL: none
	uint32_t number;            // by which the registers know it
	struct nic_peer *peer;      // NULL: a NIC of ours
};

// Lines of 64 bytes, with struct nic_qp before it: whether and when a frame leaves; how it is made;
// the reaction point; the rest.
struct nic_req {
	tstamp rp_at; // lower bound of the next instant at which a timer changes the rate
	struct pacer pacer;
	struct rc_tx tx;
	const struct hdr *data_hdr;
	uint32_t kind; // in nic.kind
	uint32_t peer_qpn;
	struct rp own;
	struct rp *rp;             // its reaction point: own, or the group's
	struct nic_req_more *more; // NULL: it needs none of it
	rate_t rate;               // of the pacer: min(Rc, ceiling)
	rate_t ceiling;            // min(rate_limit, line)
	tstamp start_at;
	uint32_t flow, qpn;
	uint32_t phase;
	uint32_t cnps; // to its class, that it has taken
};

// A notification point of one queue pair, or of the queue pairs that share its key.
struct nic_np {
	struct dcqcn_np np;
	struct nic_qp *last; // saw the last CE: the CNP at the window's end goes to its peer
	tstamp asked;        // CE that the next CNP answers
	bool by_nak;         // it was a NAK
	const struct hdr *cnp_hdr;
};

// The part of a responder that is made when it is used. A data frame needs its first cache line,
// and the line of the counters that it changes.
struct nic_rsp_use {
	struct hist *latency; // lent, of its data frames; NULL: none
	struct rc_rx_stats rc;
	struct nic_np np; // where it shares none; begins with the first CE
	struct nic_qp_stats s;
	struct nic_peer *guarded; // it was told a region; NULL: all requests are taken
};

// The request side of a READ, in the responder that takes its data.
struct nic_read {
	struct rc_tx tx;
	struct rc_past past;
	tstamp start_at;
	struct nic_peer *peer; // NULL: a NIC of ours
	bool running;          // posts messages
	bool paused;           // its source is held, so no timeout counts
	struct rc_message ring[];
};

// Two lines, with struct nic_qp before it: a data frame that asks for no answer needs the first.
struct nic_rsp {
	struct rc_rx rx;       // its counters are in struct nic_rsp_use
	uint32_t kind;         // in nic.kind
	bool ce;               // the last request packet had
	struct nic_np *np;     // in its struct nic_rsp_use, or one of nic.np_shared
	struct nic_read *read; // NULL: it does not ask
	const struct hdr *ack_hdr, *cnp_hdr;
	uint32_t peer_qpn;
	uint32_t flow, qpn;
	uint32_t imm;    // the last immediate data that came
	tstamp whole_at; // when the last message had come whole
};

// A requester or a responder. It has only the bytes that its arm of the union needs.
struct nic_qp {
	struct nic_qp *next_ready; // in the FIFO that its state names
	// its instant in nic.timers: a lower bound of the next timeout, start or CNP, or of the
	// next timer of its reaction point that can open a closed window
	tstamp timer_at;
	uint32_t index; // its number in both wheels
	uint8_t state;  // enum nic_qp_state
	uint8_t queue;  // egress queue of its class
	uint8_t cls : 3;
	bool requester : 1;
	bool running : 1;     // posts messages
	bool masked : 1;      // sends nothing: it is paused, or so says the RDMA IP's sq_arb_mask
	bool paused : 1;      // a requester that a command holds, with its messages and timers
	bool special : 1;     // req.more is not NULL
	bool joined : 1;      // its reaction point is a group's
	bool wants_ring : 1;  // in nic.ring's FIFO
	bool reacts : 1;      // it has a reaction point
	bool lends : 1;       // its place is taken back when it is at rest
	bool loaded : 1;      // its messages come by a load, or are those of a job
	bool works : 1;       // it carries messages of a job
	bool wants_place : 1; // it has one, and lets those go first that wait for one
	union {
		struct nic_req req;
		struct nic_rsp rsp;
	};
};

// The record of a queue pair that has no place: nobody has used it, or it was at rest and gave its
// place to another.
struct nic_idle {
	const struct hdr *hdr; // of its data; a responder's: of its ACKs
	union {
		const struct hdr *cnp_hdr; // of a responder
		uint64_t phase;            // of a requester
	};
	void *lent; // to a requester: a book; to a responder: a histogram. NULL: none
	uint32_t kind, flow, qpn, peer_qpn;
	uint32_t psn;       // of its next request
	uint32_t kept : 29; // its number in nic.kept
	uint32_t paused : 1;
	uint32_t requester : 1;
	uint32_t was_used : 1; // nic.kept has the rest
};

// The rest of a queue pair that was used and has no place, in words of 64 bits.
struct nic_rest {
	struct nic_qp_stats s;
	uint64_t lost;    // as in struct nic_req_use
	uint64_t running; // the rest is as in struct nic_qp
	uint64_t ce;
	uint64_t imm;
	tstamp whole_at;
};
#define NIC_REST_WORDS (sizeof(struct nic_rest) / sizeof(uint64_t))

// A struct nic_rest as it is kept: the words of it that are not 0. A queue pair that has more of
// them keeps its place.
#define NIC_KEPT 15
struct nic_kept {
	uint64_t has; // bitmap of these words
	uint64_t word[NIC_KEPT];
};

#define NIC_LINE 64 // bytes of a cache line

#define NIC_REQ_BYTES (offsetof(struct nic_qp, req) + sizeof(struct nic_req))
#define NIC_RSP_BYTES (offsetof(struct nic_qp, rsp) + sizeof(struct nic_rsp))

_Static_assert(NIC_REST_WORDS <= 64, "a bitmap names them");
_Static_assert(NIC_REQ_BYTES <= 256, "a requester is four lines");
_Static_assert(NIC_RSP_BYTES <= 128, "a responder is two lines");
_Static_assert(offsetof(struct nic_qp, req.tx.left) == NIC_LINE,
	"whether and when a frame leaves is the first line");
_Static_assert(offsetof(struct nic_qp, req.own) == 2ul * NIC_LINE,
	"what a frame is made of is the second line");
_Static_assert(offsetof(struct nic_req_use, s.data_frames_rx) == NIC_LINE,
	"what a frame counts is one line");
_Static_assert(offsetof(struct nic_req_use, past) % NIC_LINE == 0 &&
		       offsetof(struct rc_past, left_at) <= NIC_LINE,
	"what an ACK changes besides is one line");
_Static_assert(offsetof(struct nic_qp, rsp.np) == NIC_LINE,
	"what a request needs that is not answered is the first line");
_Static_assert(offsetof(struct nic_rsp_use, rc.duplicates) <= NIC_LINE &&
		       offsetof(struct nic_rsp_use, s.last_timestamp) == 3ul * NIC_LINE &&
		       offsetof(struct nic_rsp_use, s.receives) == 4ul * NIC_LINE,
	"what it counts is the first line and one more");

// The properties that queue pairs share, each set once in a NIC. Members of p that each has for
// itself are 0: flow, QPNs, headers, phase.
struct nic_kind {
	struct nic_qp_params p; // overhead and ack_len are resolved
	tstamp makes_up;        // behind by no more, a limiter loses nothing
	struct nic_frame frame; // its data frames
	uint16_t cnp_len;
	uint8_t cnp_tos;
	uint16_t nack_len; // of a NACK that names a packet
	uint16_t nak_len;  // of the NAK to a request that is refused
	uint8_t payload;   // number of what its requests carry
	bool echo_ce;      // its ACKs have BECN where what they acknowledge had CE
	uint8_t ring_size; // of its messages: the ring has room for 2^ring_size
};

static inline uint32_t nic_flow(const struct nic_qp *qp)
{
	return qp->requester ? qp->req.flow : qp->rsp.flow;
}

static inline struct nic_req_use *nic_use(const struct nic_req *r)
{
	return (struct nic_req_use *)((char *)r->tx.past - offsetof(struct nic_req_use, past));
}

static inline struct nic_rsp_use *nic_rsp_use(const struct nic_rsp *r)
{
	return (struct nic_rsp_use *)((char *)r->rx.stats - offsetof(struct nic_rsp_use, rc));
}

static inline struct nic_qp_stats *nic_counts(const struct nic_qp *qp)
{
	return qp->requester ? &nic_use(&qp->req)->s : &nic_rsp_use(&qp->rsp)->s;
}

// The group of queue pairs that take turns at one reaction point; NULL: the queue pair shares none.
static inline struct nic_group *nic_shared(const struct nic_qp *qp)
{
	return qp->joined ? qp->req.more->shared : NULL;
}

static inline struct nic_group *nic_group(const struct nic_qp *qp)
{
	return qp->joined ? qp->req.more->group : NULL;
}

static inline struct rdma_ip_qp *nic_rdma_ip(const struct nic_qp *qp)
{
	return qp->special ? qp->req.more->rdma_ip : NULL;
}

static inline struct rc_source *nic_source(const struct nic_qp *qp)
{
	return qp->special ? qp->req.more->source : NULL;
}

static inline struct nic_rtt *nic_rtt(const struct nic_qp *qp)
{
	return qp->special ? qp->req.more->rtt : NULL;
}

// Properties that an adoption gives to queue pairs.
struct nic_brought_kind {
	struct nic_kind k;
	struct nic_brought *of;
	uint32_t pairs;  // queue pairs that have it
	uint32_t number; // in nic.kind, while queue pairs have it
};

// All that queue pairs refer to once they have adopted it. The NIC keeps it while one of them does.
struct nic_brought {
	struct nic_brought *next, **link; // nic.brought; of a list of others: `next` alone
	uint32_t pairs;                   // queue pairs that have one of the kinds
	struct nic_brought_kind **kind;
	struct rc_cfg **rc;
	struct rp_cfg **rp;
	unsigned n_kinds, n_rcs, n_rps;
};

// Room for the numbers of kinds beside the NIC's own: one for each queue pair, and one more.
struct nic_kind_room {
	struct nic_kind **kind; // as nic.kind, with more room
	uint32_t *free;         // numbers that queue pairs had and have no more
};

// A queue pair that adopts.
struct nic_pair_order {
	uint32_t i; // its index
	struct nic_brought_kind *kind;
};
