// SPDX-License-Identifier: BSD-3-Clause
// Communication manager of one connection (IBA vol. 1 cl. 12.9): how two queue pairs come to know
// of each other and part again, at the side that asks and at the side that is asked.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/tstamp.h"
#include "frame/cm_msg.h"

struct cm_params {
	uint64_t ca_guid;   // of this host
	tstamp life_ps;     // packet life time, one way: 1 ns..1000 s
	tstamp response_ps; // either side answers within it: 1 ns..1000 s
	tstamp delay_ps;    // target ACK delay: we acknowledge within it, 0..1000 s
	tstamp longest_ps;  // the longest time that a peer may ask for: 1 ns..10000 s
	unsigned retries;   // of a message without answer, 0..15
	unsigned mtu; // path MTU, bytes: 256, 512, 1024, 2048 or 4096; a longer one is rejected
};

// Compiled; const and shared.
struct cm_cfg {
	uint64_t ca_guid;
	tstamp life_ps;
	tstamp req_wait_ps; // until a REQ or a DREQ of the side that asked is sent again
	tstamp longest_ps;
	uint8_t response_code, delay_code, ack_code; // as cm_time
	uint8_t retries;
	uint8_t mtu_code; // as cm_mtu
};

enum cm_state {
	CM_IDLE, // not begun, or ended
	CM_LISTEN,
	CM_REQ_SENT,     // we asked
	CM_MRA_REQ_RCVD, // the peer wants more time: "REP wait"
	CM_REP_RCVD,     // the owner makes its queue pair ready
	CM_MRA_REP_SENT, // and wants more time for it
	CM_REQ_RCVD,     // we were asked; the owner decides
	CM_MRA_REQ_SENT, // and wants more time for it
	CM_REP_SENT,     // we accepted
	CM_MRA_REP_RCVD, // the peer wants more time: "RTU wait"
	CM_ESTABLISHED,
	CM_DREQ_SENT, // we part
	CM_DREQ_RCVD, // the peer parts; the owner empties its queue pair
	CM_TIMEWAIT,  // packets of the connection may still be on their way
	CM_STATES,
};

// The result of a call.
enum cm_event {
	CM_EV_NONE,     // nothing that the owner need know
	CM_EV_UNFIT,    // the state forbids the call, or the message is of another connection
	CM_EV_REQUEST,  // a REQ came: cm_accept, cm_reject, or first cm_mra
	CM_EV_REPLY,    // a REP came: cm_ready, cm_reject, or first cm_mra
	CM_EV_UP,       // established: the owner may send
	CM_EV_LONGER,   // an MRA came, the time limit is extended
	CM_EV_AGAIN,    // the last message goes again: no answer came, or the peer repeated its own
	CM_EV_REFUSED,  // we rejected by ourselves what came, for cm->reason
	CM_EV_REJECTED, // the peer rejected, for cm->reason: idle, or TimeWait
	CM_EV_FAILED,   // no answer after all retries: idle, or TimeWait; the peer gets a REJ
	CM_EV_PARTING,  // a DREQ came: cm_disconnect answers it
	CM_EV_DOWN,     // parted: TimeWait. cm->reason: CM_REJ_TIMEOUT where no DREP came
	CM_EV_ENDED,    // TimeWait is over: idle
	CM_EV_ALIVE,    // after cm_probe: the peer still has the connection
	CM_EV_LOST,     // after cm_probe: it does not: TimeWait
	CM_EV_STALE,    // cm_table: the peer has forgotten a connection of ours and asks anew
	CM_EVENTS,
};

// What each side tells the other about its queue pair.
struct cm_qp {
	uint32_t qpn;                // 24 bits
	uint32_t psn;                // 24 bits, the first that the other side sends
	uint8_t responder_resources; // READs and atomics that it serves at a time
	uint8_t initiator_depth;     // that it will have outstanding
	uint8_t retry_count;         // 0..7, of the other side; only in a REQ, and for both
	uint8_t rnr_retry_count;     // 0..7, of the other side; 7: without limit
	bool flow_control;           // end-to-end credits in ACKs
	bool srq;
};

// A request. GIDs are in wire order (cm_gid).
struct cm_call {
	uint64_t service_id;
	struct cm_qp qp;
	uint8_t local_gid[16];
	uint8_t remote_gid[16];
	uint8_t traffic_class;
	uint8_t hop_limit;
	const void *data; // private data, up to 92 bytes
	unsigned data_len;
};

struct cm {
	const struct cm_cfg *cfg;
	tstamp at;      // when cm_expire is due; TSTAMP_NEVER
	tstamp wait_ps; // between resends
	tstamp timewait_ps;
	uint64_t service_id;
	uint64_t tid;
	uint64_t remote_guid;
	uint32_t local_id;
	uint32_t remote_id; // 0: not known yet
	struct cm_qp local;
	struct cm_qp remote;
	uint16_t reason;     // enum cm_reason: why it was rejected or failed; 0: it was not
	uint8_t state;       // enum cm_state
	uint8_t tries;       // resends left
	uint8_t retries;     // resends of a message at most
	uint8_t mtu_code;    // path MTU, as cm_mtu
	uint8_t ack_timeout; // local ACK timeout of our queue pair, as cm_time
	bool begun;          // idle no more, or again: cm_init begins anew
	bool active;         // we asked
	bool owes;           // `out` is to be sent
	struct cm_msg out;   // last message made
};

// Reads and atomics that we may have outstanding, and that we must be able to serve.
static inline unsigned cm_initiator_depth(const struct cm *cm)
{
	return cm->local.initiator_depth < cm->remote.responder_resources
		       ? cm->local.initiator_depth
		       : cm->remote.responder_resources;
}

static inline unsigned cm_responder_resources(const struct cm *cm)
{
	return cm->local.responder_resources < cm->remote.initiator_depth
		       ? cm->local.responder_resources
		       : cm->remote.initiator_depth;
}

// When cm_expire is due, TSTAMP_NEVER: the next step is the peer's or the owner's. Sending is no
// matter of the deadline: cm_wants_tx.
static inline tstamp cm_deadline(const struct cm *cm)
{
	return cm->at;
}

static inline bool cm_wants_tx(const struct cm *cm)
{
	return cm->owes;
}

// Returns whether a connection is free: it has ended, and its last message has been sent.
static inline bool cm_is_free(const struct cm *cm)
{
	return cm->state == CM_IDLE && !cm->owes;
}

// Compiles; -EINVAL where a value is out of the range given above.
int cm_cfg_init(struct cm_cfg *cfg, const struct cm_params *params);

// Calls of the owner. CM_EV_UNFIT if the state is not the named one; then nothing has changed. A
// call may make a message, which cm_tx() gives. A message that was not taken before the next one is
// dropped, as if it had been lost on the way.

// Just initialized: asks. Then REQ sent.
enum cm_event cm_connect(struct cm *cm, const struct cm_call *call, tstamp now);

// Accepts a REQ that has arrived, with up to 196 bytes of private data, and sends the REP. The next
// state is REP sent.
enum cm_event cm_accept(
	struct cm *cm, const struct cm_qp *qp, const void *data, unsigned data_len, tstamp now);

// A REP has arrived and our queue pair is ready: establishes the connection. CM_EV_UP.
enum cm_event cm_ready(struct cm *cm);

// Before a connection is established, at either side: rejects with up to 148 bytes of private data;
// cm->reason is then `reason`. The state becomes idle, or TimeWait after our REP. To take back a
// REQ before a REP has come, give CM_REJ_TIMEOUT: it is the only reason that a peer understands
// whose communication ID is not known yet.
enum cm_event cm_reject(
	struct cm *cm, unsigned reason, const void *data, unsigned data_len, tstamp now);

// Established: parts. After a DREQ: answers it, CM_EV_DOWN.
enum cm_event cm_disconnect(struct cm *cm, tstamp now);

// Handles the deadline. CM_EV_NONE: it has moved.
enum cm_event cm_expire(struct cm *cm, tstamp now);

// Gives the message to send, if there is one. False: there is none.
bool cm_tx(struct cm *cm, struct cm_msg *m);

// REP sent: a packet came for our queue pair, so the peer is ready although its RTU has not come
// ("communication established", IBA vol. 1 cl. 12.9.7): CM_EV_UP. After cm_probe: CM_EV_ALIVE. Else
// nothing.
enum cm_event cm_traffic(struct cm *cm);

// Established, at the side that was asked: finds out whether the peer still has the connection. Our
// REP goes again, and a peer that has it repeats its RTU (IBA vol. 1 cl. 12.9). CM_EV_ALIVE
// comes of that or of a packet of the queue pair (cm_traffic), else CM_EV_LOST within 3 times the
// response time. CM_EV_NONE; nothing changes where it is under way.
enum cm_event cm_probe(struct cm *cm, tstamp now);

// Answers a REQ or a REP that arrived with an MRA: the real answer takes up to cm_time(code) more.
enum cm_event cm_mra(struct cm *cm, unsigned code);

// The rest is for the files of this room only.
#pragma GCC visibility push(hidden)

// "REQ sent" ..., "request" ... for text; "unknown" for the rest.
const char *cm_state_name(unsigned state);
const char *cm_event_name(unsigned event);

// Idle. `local_id` is not 0, and no other connection of this host has had it lately.
void cm_init(struct cm *cm, const struct cm_cfg *cfg, uint32_t local_id);

// Just initialized: waits for a REQ with this service ID.
enum cm_event cm_listen(struct cm *cm, uint64_t service_id);

// A message came. CM_EV_UNFIT: it is not of this connection (cm_stateless may answer it).
enum cm_event cm_rx(struct cm *cm, const struct cm_msg *m, tstamp now);

// Why a REQ cannot be taken (enum cm_reason), whoever listens; 0: it can.
unsigned cm_req_fault(const struct cm_cfg *cfg, const struct cm_msg *req);

// A REJ of a message of another side.
void cm_refuse(const struct cm_msg *m, unsigned reason, struct cm_msg *reply);

// The answer to a message that belongs to no connection: REJ to a REQ or a REP, DREP to a DREQ.
// False: there is none.
bool cm_stateless(const struct cm_msg *m, struct cm_msg *reply);

#pragma GCC visibility pop
