// SPDX-License-Identifier: BSD-3-Clause
// Events: what a node tells its driver about, through a bounded ring given at init.
#pragma once

#include <stddef.h>
#include <assert.h>
#include <stdint.h>

#include "base/tstamp.h"

// The comment behind a row names what id, a and b hold. `port` and `cls` are set where they apply.
enum ev_type {
	EV_NONE,
	EV_MARK, // id: shared header id or 0; a: queue length the marker saw, bytes; b: PSN
	EV_DROP, // id: enum sw_drop or nic_drop; a: length of the frame; b: queue or buffer bytes;
		 // of a switch: port: ingress, c: egress or PKT_NO_PORT
	// XOFF sent (also refresh); a: enable vector, or EV_WHOLE_LINK; b: quanta; of a switch, for
	// one
	EV_XOFF_TX,
	// class: id: bytes with FCS, c: frames received of it so far, low 32 bits
	EV_XON_TX, // a, id, c: as above
	// cls paused by the peer; a: quanta; b: 1: so is class 0 with all others, at once
	EV_PAUSE_RX,
	EV_RESUME_RX, // cls resumed; a: 0 by XON, 1 expired, 2 by the watchdog; b: as above
	EV_CNP_TX,  // id: flow; a: time since the CE that it answers, ps; c: 1 where that was a NAK
	EV_CNP_RX,  // id: flow; a: time since it was made, ps
	EV_CNP_INT, // the RDMA IP's interrupt for a CNP; id: flow
	EV_REG, // a register of the RDMA IP was written; id: address; a: value; b: lsb; c: width
	// reaction point; cls: enum rp_event; id: flow; a: Rc bit/s; b: Rt bit/s; c: alpha in
	// millionths, rounded down: 1000000 is 1.0 and nothing else
	EV_RP,
	// message acknowledged; id: flow; a: instant from which it could be sent; b: instant
	// posted; c: bytes
	EV_MSG_DONE,
	EV_NAK,           // NAK received; id: flow; a: PSN
	EV_TIMEOUT,       // retransmission timeout; id: flow; a: PSN gone back to
	EV_QP_FAILED,     // id: flow
	EV_FDB,           // learned or moved; a: key; b: port
	EV_PFCWD_STORM,   // watchdog, egress queue; id: enum pfcwd_action; a: queue bytes
	EV_PFCWD_RESTORE, // the storm is over; id: as above; a: its length, ps
	EV_CNM_TX, // of a switch: id: shared header id of the sampled frame or 0; port and cls: the
		   // queue that was sampled; a: its length, bytes; c: QntzFb
	EV_CNM_RX, // id: flow; c: QntzFb
	// CNP of a switch; id: shared header id of the CNP that it repeats or 0; port: where its
	// flow leaves; a: time since the flow's last CNP, ps
	EV_IQCN_TX,
	// CNP of a switch for a frame that its marker chose; id: shared header id of that frame or
	// 0; port and cls: its queue; a: what the marker saw, bytes; b: PSN
	EV_FAST_CNP_TX,
	// data with CE came to a notification point, or what counts as CE; id: flow; c: 1 where it
	// is
	EV_CE_RX,
	// a NAK
	EV_DEADLOCK,     // the recorder's own: a queue of a cycle; id: its place, from 1; a: since;
			 // c: queues of the cycle
	EV_DEADLOCK_END, // the same where the cycle is gone
	// a reaction point has cut; id: flow; a: instant from which its next frame may leave
	EV_CUT,
	EV_RTT,    // an ACK came for a frame that was timed; id: flow; a: RTT, ps
	EV_SAMPLE, // the recorder's own; id: flow; a: bytes on the wire so far; c: messages wait
	EV_TYPES,
};

// In the place of an enable vector: 802.3x PAUSE, and all classes with it.
#define EV_WHOLE_LINK 0x1ff

struct ev {
	tstamp t; // nominal instant
	uint64_t a, b;
	uint32_t id;
	uint32_t c;
	uint16_t port;
	uint8_t type; // enum ev_type
	uint8_t cls;
	uint32_t node; // the number of the node, which its driver fills in
};

// One writer (the node), one reader (its driver, same thread). Overwrites nothing: what finds no
// room is counted in `lost`.
struct ev_ring {
	struct ev *slot;
	uint32_t mask; // size - 1, a power of two
	uint32_t head; // next to write
	uint32_t tail; // next to read
	uint64_t lost;
	uint64_t want; // bitmap of enum ev_type that are kept at all
};

const char *ev_name(enum ev_type t);

// The slot of a new event of type t, zeroed but for t and type, or NULL where it is not wanted or
// lost.
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

// The next event, valid until the node is called again; NULL when empty.
static inline const struct ev *ev_get(struct ev_ring *r)
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
