// SPDX-License-Identifier: BSD-3-Clause
// Events: reports of a node to its driver, through a bounded ring given at init.
#pragma once

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/rate.h"
#include "base/tstamp.h"

// The types of events. The member of struct ev that a type fills is named behind it; a type without
// one has port and class alone.
enum ev_type {
	EV_NONE,
	EV_MARK,          // mark: a switch marked a frame
	EV_DROP,          // drop
	EV_XOFF_TX,       // pfc_tx: XOFF was sent, which may be a refresh
	EV_XON_TX,        // pfc_tx
	EV_PAUSE_RX,      // pause: the peer stopped cls
	EV_RESUME_RX,     // pause: cls goes on
	EV_CNP_TX,        // cnp_tx: a notification point sent a CNP
	EV_CNP_RX,        // cnp_rx: it came to the sender
	EV_CNP_INT,       // qp: the RDMA IP's interrupt for a CNP
	EV_REG,           // reg: a register of the RDMA IP was written
	EV_RP,            // rp: a reaction point did something but to alpha; `reaction` says what
	EV_MSG_DONE,      // message: it is acknowledged
	EV_NAK,           // retry: a NAK was received
	EV_TIMEOUT,       // retry: retransmission timeout
	EV_QP_FAILED,     // qp
	EV_FDB,           // fdb: an address was learned or moved
	EV_PFCWD_STORM,   // storm: the watchdog found one at an egress queue
	EV_PFCWD_RESTORE, // restore: the storm is over
	EV_CNM_TX,        // cnm_tx: a congestion point sent a CNM; port and cls are its queue
	EV_CNM_RX,        // cnm_rx
	EV_IQCN_TX,       // iqcn_tx: a switch sent a CNP itself; port is where the flow leaves
	EV_FAST_CNP_TX,   // mark: a switch sent a CNP for a frame that its marker chose
	EV_CE_RX,         // ce_rx: data with CE, or what counts as CE, came to a notification point
	EV_DEADLOCK,      // deadlock: of the recorder, for each queue of a cycle
	EV_DEADLOCK_END,  // deadlock: the cycle is gone
	EV_CUT,           // cut: a reaction point has decreased
	EV_RTT,           // rtt: an ACK came for a frame that was timed
	EV_XOFF_HOLDER,   // holder: behind XOFF of a switch, which queue holds the group's bytes
	EV_RP_ALPHA,      // rp: a reaction point's alpha has changed, and nothing else
	EV_LINK_DOWN,     // link: the link of a port went down
	EV_LINK_UP,       // its link is up again
	EV_REFUSED,       // refused: a responder refused a request; `refusal` says why
	EV_IMMEDIATE,     // immediate: a message brought immediate data
	EV_PEER_LOST,     // qp: its peer has forgotten the connection
	EV_MSG_FAILED,    // message: its queue pair has failed, or it found no room to wait
	EV_SET,           // set: a node has adopted other values
	EV_USER_MARK,     // user_mark: the scenario or its user marks an instant
	EV_FAULT,         // fault: an injector hit a frame; port is where the frame came in
	EV_NAK_TX,        // retry: a receiver told that a PSN is missing
	EV_RESENT,        // resent: data was sent again
	EV_JOB_STEP,      // job_step: a rank of a job has ended an iteration
	EV_JOB_PART,      // job_part: where the time of that iteration went; cls: enum job_part
	EV_JOB_CALC,      // job_calc: a CALC of a rank has ended
	EV_JOB_MESSAGE,   // job_message: a message has come whole
	EV_TYPES,
};

// Why a class goes on.
enum ev_resume {
	EV_RESUME_XON,      // the peer said so
	EV_RESUME_EXPIRED,  // its quanta have run out
	EV_RESUME_WATCHDOG, // the watchdog lifted the pause
};

// A frame that a marker chose. Bytes in a queue count frames with FCS.
struct ev_mark {
	uint32_t hdr;         // id of its shared header, or 0
	uint32_t psn;         // 0 where it has none
	uint64_t queue_bytes; // that the marker saw
};

// The port of a switch's drop is the ingress.
struct ev_drop {
	uint32_t reason;     // enum sw_drop of a switch, enum nic_drop of a NIC
	uint32_t out;        // egress port of a switch's frame, or PKT_NO_PORT
	uint64_t held_bytes; // in the queue or buffer that refused
	uint32_t bytes;      // of the frame, without FCS
	uint32_t number;     // of the frame: pkt_number()
};

// A PFC or PAUSE frame that a node sends. Only a switch fills the received counters, for a frame
// that is for one class or for the whole link.
struct ev_pfc_tx {
	uint8_t enable;     // class-enable vector
	bool whole_link;    // 802.3x PAUSE, and `enable` is all classes
	uint16_t quanta;    // 0 for XON
	uint32_t rx_bytes;  // with FCS, received of these classes so far; modulo 2^32
	uint32_t rx_frames; // the same
};

struct ev_pause {
	uint16_t quanta;   // of the frame that stops the class
	uint8_t by;        // EV_RESUME_RX: enum ev_resume
	bool with_class_0; // class 0 and all others change with this one: one change of the link
};

struct ev_qp {
	uint32_t flow;
};

struct ev_cnp_tx {
	uint32_t flow;
	bool for_nak;    // it answers a NAK that counts as CE
	tstamp since_ps; // since the CE that it answers
};

struct ev_cnp_rx {
	uint32_t flow;
	tstamp age_ps; // since the CNP was made; TSTAMP_NEVER: it is not known
};

struct ev_reg {
	uint32_t address;
	uint8_t lsb, width; // bits
	uint64_t value;
};

// The state that a reaction point was left in.
struct ev_rp {
	uint32_t flow;
	uint32_t alpha_millionths; // rounded down: 1000000 is 1.0 and nothing else
	rate_t rc, rt;
};

struct ev_message {
	uint32_t flow;
	uint32_t bytes;
	tstamp begun;  // from when it could be sent; TSTAMP_NEVER of one that was not
	tstamp posted; // when it was posted
};

struct ev_retry {
	uint32_t flow;
	uint32_t psn; // of the NAK, or which the timeout goes back to
	// EV_TIMEOUT: when it had last begun to send data (of a READ: received some); 0: never
	tstamp active_at;
};

struct ev_resent {
	uint32_t flow;
	uint32_t psn;
	uint32_t bytes; // of the frame, without FCS
};

struct ev_fdb {
	uint64_t key; // eth_key()
};

struct ev_storm {
	uint8_t action; // enum pfcwd_action
	uint64_t queue_bytes;
};

struct ev_restore {
	uint8_t action; // enum pfcwd_action
	tstamp storm_ps;
};

struct ev_cnm_tx {
	uint32_t hdr; // id of the sampled frame's shared header, or 0
	uint32_t queue_bytes;
	uint8_t qntzfb;
};

struct ev_cnm_rx {
	uint32_t flow;
	uint8_t qntzfb;
};

struct ev_iqcn_tx {
	uint32_t hdr;     // id of the shared header of the CNP that it repeats, or 0
	tstamp waited_ps; // since the flow's last CNP
};

struct ev_ce_rx {
	uint32_t flow;
	bool is_nak; // a NAK that counts as CE
};

struct ev_deadlock {
	uint32_t place;  // of the queue in the cycle, from 1
	uint32_t queues; // of the cycle
	tstamp since;
};

struct ev_rtt {
	uint32_t flow;
	tstamp rtt_ps; // from the first bit of the frame to its ACK
};

struct ev_cut {
	uint32_t flow;
	tstamp next; // from when its next frame may leave
};

// The port is the one that sends XOFF, cls the lowest class of the group that it stops.
struct ev_holder {
	uint16_t out; // egress port
	uint8_t out_cls;
	uint32_t bytes; // of the group, in that port's queue of that class, as the buffer counts
	uint32_t group_bytes; // that the group has in all
};

struct ev_link {
	uint64_t queue_bytes; // that stood in the port's queues
};

// The values `its` and `ours` of an enum rc_refusal.
struct ev_refused {
	uint32_t flow;
	uint32_t psn;
	uint64_t its, ours;
};

struct ev_immediate {
	uint32_t flow;
	uint32_t value;
};

// Bits of ev_set.what: kinds of values that a node has adopted.
enum {
	EV_SET_WRED = 1 << 0,
	EV_SET_PFC = 1 << 1,
	EV_SET_WEIGHTS = 1 << 2,
	EV_SET_SHAPERS = 1 << 3,
	EV_SET_WATCHDOG = 1 << 4,
	EV_SET_FLOWS = 1 << 5, // queue pairs and sources
	EV_SET_NP = 1 << 6,
};

struct ev_set {
	uint32_t number; // of the change, from 1, as the run counts them
	uint32_t what;   // EV_SET_*
};

// The frame's PSN is as it came.
struct ev_fault {
	uint32_t record; // its number among the run's
	uint32_t hdr;    // id of the frame's shared header, or 0
	uint32_t psn;    // 0 where it has none
	uint32_t qpn;    // destination QPN, or 0
	uint32_t nth;    // transmission of this PSN by its queue pair, from 1; 0: not counted
	uint16_t bytes;  // of the frame, without FCS
	uint8_t action;  // enum fault_action
	uint8_t kind;    // FAULT_DATA ...
};

struct ev_user_mark {
	uint32_t text; // its number among the run's
};

// Ranks in events have numbers among the ranks of all jobs (scene_job.rank_at). `t`: the last end
// of an operation, ACKs of SENDs included. `cls` is 1 if nobody knows where the time went, because
// the chain came from another process: then no parts follow.
struct ev_job_step {
	uint32_t rank, iteration;
	tstamp start;
	tstamp done; // the last end of a RECV or CALC (struct job_step)
};

// It follows the step, at the same instant, once for each part of its time.
struct ev_job_part {
	uint32_t rank, iteration;
	tstamp ps;
};

struct ev_job_calc {
	uint32_t rank;
	uint32_t op; // in the graph of the rank
	tstamp start;
};

// At the receiver.
struct ev_job_message {
	uint32_t rank, from;
	uint32_t tag;
	uint32_t bytes;
	tstamp posted; // its SEND had started; TSTAMP_NEVER: in another process
};

struct ev {
	tstamp t;      // nominal instant
	uint32_t node; // the number of the node, which its driver fills in
	uint16_t port; // of the node, where the type has one
	uint8_t type;  // enum ev_type
	union {
		uint8_t cls;      // class or priority, where the type has one
		uint8_t reaction; // EV_RP: enum rp_event
		uint8_t refusal;  // EV_REFUSED: enum rc_refusal
	};
	union {
		struct ev_mark mark;
		struct ev_drop drop;
		struct ev_pfc_tx pfc_tx;
		struct ev_pause pause;
		struct ev_qp qp;
		struct ev_cnp_tx cnp_tx;
		struct ev_cnp_rx cnp_rx;
		struct ev_reg reg;
		struct ev_rp rp;
		struct ev_message message;
		struct ev_retry retry;
		struct ev_resent resent;
		struct ev_fdb fdb;
		struct ev_storm storm;
		struct ev_restore restore;
		struct ev_cnm_tx cnm_tx;
		struct ev_cnm_rx cnm_rx;
		struct ev_iqcn_tx iqcn_tx;
		struct ev_ce_rx ce_rx;
		struct ev_deadlock deadlock;
		struct ev_cut cut;
		struct ev_rtt rtt;
		struct ev_holder holder;
		struct ev_link link;
		struct ev_refused refused;
		struct ev_immediate immediate;
		struct ev_set set;
		struct ev_user_mark user_mark;
		struct ev_fault fault;
		struct ev_job_step job_step;
		struct ev_job_part job_part;
		struct ev_job_calc job_calc;
		struct ev_job_message job_message;
	};
};

// Recording copies and sorts events by the million.
static_assert(sizeof(struct ev) == 40, "an event takes 40 bytes");

// One writer (the node), one reader (its driver, same thread). Nothing is overwritten: an event
// without room is counted in `lost`.
struct ev_ring {
	struct ev *slot;
	uint32_t mask; // size - 1, a power of two
	uint32_t head; // next to write
	uint32_t tail; // next to read
	uint64_t lost;
	uint64_t want; // bitmap of enum ev_type that are kept at all
};

// The columns of events.csv. All types have the first three.
enum ev_col {
	EV_COL_NONE, // the file does not show it
	EV_COL_TIME,
	EV_COL_EVENT,
	EV_COL_OBJECT,
	EV_COL_CLASS,
	EV_COL_FLOW,
	EV_COL_DETAIL,
	EV_COL_BYTES,
	EV_COL_QUEUE,
	EV_COL_QUANTA,
	EV_COL_PSN,
	EV_COL_RC,
	EV_COL_RT,
	EV_COL_ALPHA,
	EV_COLS,
};

struct ev_column {
	const char *name; // "queue_bytes"
	const char *unit; // of a number that is written as it is; "" for others
	const char *help;
};

extern const struct ev_column ev_column[EV_COLS];

// How the value of a field is shown.
enum ev_form {
	EV_FORM_NUMBER,
	EV_FORM_US,         // ps, shown in us
	EV_FORM_GBPS,       // bit/s, shown in Gb/s
	EV_FORM_MILLIONTHS, // shown as a fraction
	EV_FORM_FLOW,       // number of a flow, shown as its name
	EV_FORM_HDR,        // id of a shared header, shown as the name of its flow or source
	EV_FORM_DROP,       // enum sw_drop or nic_drop, by the kind of the node
	EV_FORM_RESUME,     // enum ev_resume
	EV_FORM_REACTION,   // enum rp_event
	EV_FORM_ACTION,     // enum pfcwd_action
	EV_FORM_CLASSES,    // class-enable vector, or that it was PAUSE
	EV_FORM_ADDRESS,    // eth_key()
	EV_FORM_REG,        // address of a register, with the rest of struct ev_reg
	EV_FORM_PLACE,      // with the rest of struct ev_deadlock
	EV_FORM_QUEUE,      // egress port, with the class in struct ev_holder
	EV_FORM_SET,        // number of a change, with the rest of struct ev_set
	EV_FORM_TEXT,       // number of a text of the run
	EV_FORM_REFUSAL,    // enum rc_refusal, with the rest of struct ev_refused
	EV_FORM_RANK,       // number of a rank among those of all jobs, shown as job.rank
	EV_FORM_FAULT,      // enum fault_action, with the rest of struct ev_fault
	EV_FORM_COUNT,      // in no event: its number among those of its type and flow, from 0
};

struct ev_field {
	const char *name;
	const char *unit;     // "" where it has none
	uint8_t offset, size; // in struct ev, bytes; size 1, 2, 4 or 8, 0 for EV_FORM_COUNT
	uint8_t form;         // enum ev_form
	uint8_t column;       // enum ev_col
	const char *help;     // what the column shows; "": the column's own help says it
};

// The readers that ask for a type: bits.
enum ev_use {
	EV_USE_FIGURES = 1, // the figures of a run
	EV_USE_FILE = 2,    // events.csv
	EV_USE_OWN = 4,     // a recorder makes it, no node
	EV_USE_NAMED = 8,   // events.csv, where a reader asks for this type by its name
};

// The properties of an event type. Its fields stand in order of their columns; the fields without a
// column stand at the end.
struct ev_row {
	const char *name; // as events.csv has it
	const char *when; // it happens
	const char *object;
	const struct ev_field *field;
	uint8_t n_fields;
	uint8_t use; // enum ev_use
};

extern const struct ev_row ev_row[EV_TYPES];

// Returns the value of a field; 0: the event does not have it.
static inline uint64_t ev_get_field(const struct ev *e, const struct ev_field *f)
{
	const unsigned char *at = (const unsigned char *)e + f->offset;
	uint64_t u64;
	uint32_t u32;
	uint16_t u16;

	if (f->size == sizeof(u32)) { // most have this size or the next
		memcpy(&u32, at, sizeof(u32));
		return u32;
	}
	if (f->size == sizeof(u64)) {
		memcpy(&u64, at, sizeof(u64));
		return u64;
	}
	if (f->size == sizeof(u16)) {
		memcpy(&u16, at, sizeof(u16));
		return u16;
	}
	return f->size ? *at : 0;
}

// The slot of a new event of type t, zeroed but for t and type. NULL: nobody asked for this type,
// or the ring is full and the event is lost.
static inline struct ev *ev_put(struct ev_ring *r, enum ev_type type, tstamp t)
{
	if (!(r->want >> type & 1))
		return NULL;
	if (r->head - r->tail > r->mask) {
		r->lost++;
		return NULL;
	}

	struct ev *e = &r->slot[r->head++ & r->mask];

	*e = (struct ev){.t = t, .type = (uint8_t)type};
	return e;
}

// Whether more than half of the ring is taken: who can wait with further events does.
static inline bool ev_crowded(const struct ev_ring *r)
{
	return r->head - r->tail > r->mask / 2;
}

// The next event, valid until the node is called again; NULL when empty. Its driver may fill in the
// node.
static inline struct ev *ev_get(struct ev_ring *r)
{
	return r->tail == r->head ? NULL : &r->slot[r->tail++ & r->mask];
}

// An empty ring begins at its first slot again: slots that it never needs at once stay untouched
// memory.
static inline void ev_rewind(struct ev_ring *r)
{
	assert(r->head == r->tail);
	r->head = r->tail = 0;
}
