// SPDX-License-Identifier: BSD-3-Clause
// The inside of the NIC: its state, and what its files call of each other.
#pragma once

#include <stddef.h>

#include "base/index.h"
#include "base/wheel.h"
#include "frame/frame.h"
#include "nic.h"
#include "qp.h"
#include "slab.h"
#include "transport/neigh.h"
#include "transport/rc_guard.h"

#pragma GCC visibility push(hidden)

#define NIC_RING_SIZES 7 // rings have room for 1, 2, 4 .. RC_MESSAGES messages

#define NIC_GEN_QUEUE \
	64 // frames of open-loop sources that a class queue holds; then they are parked

#define NIC_NEIGHBOURS 256 // that a NIC remembers, at least

#define NIC_ANSWERS 64 // answers to ARP, neighbour discovery and ping that wait at a time

// Timers of a reaction point that have been due for longer are caught up with at once.
#define NIC_RP_LONG_DUE (500 * PS_PER_US)

// So many CNPs to a class are remembered for queue pairs that have not been touched since
// (rp_scope: priority); of more the latest count.
#define NIC_CLASS_CNPS 256

// Rings of messages of one size. A requester has one while it has messages that are not done.
struct nic_ring_pool {
	struct nic_slab rings;
	struct rc_message *free;    // a free ring's first word points to the next
	uint32_t lent;              // that have ever been lent; the others are as they were made
	struct nic_qp *head, *tail; // who waits for one, by next_wanting
	bool dealt;                 // those that are free are being lent
};

struct nic_gen {
	struct gen g;
	uint32_t id; // in nic.gap
	bool parked;
	tstamp shut_ps; // of its class, when it was due and parked
	struct nic_gen *next_parked;
};

// What comes here of one open-loop source.
struct nic_source {
	struct nic_gen_stats s;
	struct hist *latency;    // lent; NULL: none
	const int64_t *ahead_ps; // lent: how far the sender's clock is ahead; NULL: it is ours
	// It is ours, and its receiver sends back what it gets; NULL: it is not, or does not.
	struct trips *trips;
	const struct hdr *back; // of what we send back; NULL: we do not
	uint8_t back_cls;
};

struct nic_cls {
	struct nic_qp *head, *tail;           // queue pairs that can send now
	struct nic_gen *parked, *parked_tail; // sources that found the class full
	uint32_t gen_frames;                  // of sources, in the class queue
	int32_t lead; // bytes that queued frames are ahead of those made, while both are there
	// A class is shut while it is paused or the link is down: its limiters begin anew
	// afterwards.
	tstamp shut_at;           // TSTAMP_NEVER: it is open
	tstamp shut_ps;           // time that it has been shut, without the present one
	tstamp shut_from, opened; // the last time
};

// CNPs to all of a class (rp_scope: priority). One is noted here, and each queue pair takes it when
// it is touched next: a cut only lengthens a gap, and what it does is reckoned from its instant.
struct nic_class_cnps {
	uint32_t n;                          // so far
	struct nic_qp *prompt, *prompt_tail; // those that have to be told at once
	tstamp at[NIC_CLASS_CNPS];           // by n
};

// The receive buffer as a fluid, held as time at the drain rate (ps per byte): it is empty at
// `empty_at`, so its fill at t is empty_at - t and a threshold of b bytes is b * ps.
struct nic_rxbuf {
	byte_ps ps; // 0: drains infinitely fast
	tstamp size_ps, xoff_ps, xon_ps, max_ps;
	tstamp empty_at;
	uint8_t xoff; // bitmap of classes
};

// MAC control frames made to order (CTL_MAC_FRAMES).
struct nic_mac {
	tstamp next; // TSTAMP_NEVER: none
	tstamp period;
	uint64_t left;
	struct pkt_pfc f;
	uint8_t kind;
	struct hdr hdr;
};

struct nic {
	tstamp deadline;
	tstamp timer_at; // next of timers, pause expiry and slow_at
	tstamp now;
	bool up;
	bool looks;       // at the bytes of data: at their payload, or at the memory they are for
	uint8_t held;     // classes that had no descriptor in this call
	uint8_t lapsed;   // classes that could make no other frame after their last one
	tstamp desc_at;   // no descriptor was left: not before this
	tstamp slow_at;   // lower bound of the next XON of the receive buffer or end of a storm
	tstamp replay_at; // the next frame of its capture goes into its queue; TSTAMP_NEVER
	tstamp frame_ps;  // wire time of the longest frame
	uint8_t storm;    // bitmap of classes
	struct wheel gap; // queue pairs and sources by the instant of their next frame
	struct wheel timers; // queue pairs by timer_at
	struct pkt_stack *stack;
	struct ev_ring *events;
	struct nic_cls cls[PKT_CLASSES];
	struct nic_class_cnps *class_cnps; // [PKT_CLASSES]; NULL: a CNP is for its queue pair
	struct eport e;
	struct eport_wire *wire;  // shared with others; NULL: its own
	struct eport_share share; // of it
	struct pause_rx pr;
	uint8_t pfc_mask; // priorities of received PFC that pr is told
	struct pause_tx pt;
	struct nic_rxbuf rxbuf;
	struct nic_stats s;
	struct node_touched touched;
	// [max_qps + 1]; 0: nobody. NULL while queue pairs come in the order of their numbers
	struct nic_qp **by_number;
	struct nic_qp **qp; // in the order of nic_add_qp; the index is the wheels' number
	struct nic_kind **kind;
	unsigned n_kinds;
	uint32_t last_kind[2]; // of a responder, of a requester
	struct nic_slab req, rsp, req_use, rsp_use;
	struct nic_ring_pool ring[NIC_RING_SIZES];
	uint64_t ring_bytes; // of all rings
	uint32_t n_wanting;  // requesters that wait for a ring, of any size
	unsigned n_qps;
	bool unsorted; // queue pairs did not come in the order of their flows
	unsigned n_gens;
	struct nic_group **group;
	unsigned n_groups;
	struct nic_gen **gen;
	struct nic_source *source; // [max_sources]
	struct rdma_ip_reg *reg;   // of the RDMA IP; NULL: no queue pair has it
	const struct rdma_ip_reg_params *rdma_ip;
	uint32_t rdma_ip_most;           // highest number of a queue pair that has it
	const struct nic_fw_ops *fw_ops; // NULL: no firmware
	void *fw;
	tstamp fw_at; // when it wants to be called
	tstamp storm_end[PKT_CLASSES];
	struct nic_params p;
	struct eport_cfg ecfg;
	struct dcqcn_np_cfg np;
	struct dcqcn_np_cap np_cap;
	struct nic_np **np_shared; // by key, where that is not the queue pair
	unsigned n_np_shared;
	struct hdr pfc_hdr;
	struct pause_response response;
	struct nic_mac mac;
	struct nic_neigh *neigh; // NULL: it answers nobody
	struct nic_peers *peers; // NULL: all are NICs of ours
	struct nic_refusal refusal[RC_REFUSALS];
	struct nic_streams *streams; // NULL: foreign streams are dropped
	struct nic_targets *targets; // of sources that ask for an address; NULL: none does
	struct player play;          // of its capture; without a ring it has none
	uint32_t replay_frames;      // of it, in the class queue
	uint32_t echoes;             // frames to be sent back, in the class queues
	uint8_t replay_cls;
	// Numbers in the arrays above, by hash; for what is rare.
	struct index gen_of;   // source
	struct index np_of;    // what a shared notification point's key names
	struct index group_of; // flow ID, or destination and class
	struct index kind_of;  // all of nic_kind.p
};

// Makes room for one more element of an array of pointers that has n, which grows by doubling.
// False where memory is out.
bool nic_room(void *array, unsigned n);

// Time never goes back for a node (design.md 2).
static inline tstamp nic_now(struct nic *nic, tstamp now)
{
	nic->now = tstamp_max(nic->now, now);
	return nic->now;
}

// The place of a number in nic.by_number; beyond all of them where it is another lane's.
static inline uint32_t nic_number_at(const struct nic *nic, uint32_t number)
{
	if (nic->p.lanes < 2)
		return number;
	return number % nic->p.lanes == nic->p.lane ? number / nic->p.lanes : UINT32_MAX;
}

// The queue pair with a number, NULL where there is none. Numbers are from 1, in its NIC; on the
// wire they are QPNs.
static inline struct nic_qp *nic_by_number(const struct nic *nic, uint32_t number)
{
	if (__builtin_expect(!nic->by_number, 1))
		return number - 1 < nic->n_qps ? nic->qp[number - 1] : NULL;
	number = nic_number_at(nic, number);
	return number <= nic->p.max_qps ? nic->by_number[number] : NULL;
}

static inline const struct nic_kind *nic_kind(const struct nic *nic, uint32_t kind)
{
	return nic->kind[kind];
}

// The size of a ring for so many messages: the exponent of its room.
static inline unsigned nic_ring_size(unsigned outstanding)
{
	return outstanding > 1 ? 32u - (unsigned)__builtin_clz(outstanding - 1) : 0;
}

// kind.c: what queue pairs have in common
int nic_kind_get(struct nic *nic, const struct nic_qp_params *p, uint32_t *kind);

// ring.c: rings of messages, which requesters have while they use them
int nic_ring_add(struct nic *nic, unsigned size); // one more requester asks for them
void nic_ring_fini(struct nic *nic);
// Whether it has one to post a message into. False: it waits for one, and posts then; or it has one
// with messages, and others wait: it posts nothing more until these are done.
bool nic_ring_take(struct nic *nic, struct nic_qp *qp);
static inline bool nic_ring_get(struct nic *nic, struct nic_qp *qp)
{
	return (qp->req.tx.room && !nic->n_wanting) || nic_ring_take(nic, qp);
}

// Gives its ring back where it needs it no more; others that waited may have it and post.
void nic_ring_put(struct nic *nic, struct nic_qp *qp, tstamp now);
// Messages are done: one that has none left lets another have its ring, and waits for the next.
void nic_ring_pass(struct nic *nic, struct nic_qp *qp, tstamp now); // where one waits

// The RETH of a packet that came as bytes.
static inline struct rc_reth nic_reth(const struct pkt *p)
{
	struct rc_reth r = {0};

	if (bth_ops[p->u.rc.opcode].len_off)
		frame_pkt_reth(p, &r.va, &r.rkey, &r.bytes);
	return r;
}

// refuse.c: a NAK of a queue pair, whatever it does
void nic_send_nak(struct nic *nic, const struct nic_qp *qp, uint8_t syndrome, uint32_t psn,
	uint32_t msn, tstamp now);
// A request for a queue pair that only asks. False: its peer is a NIC of ours, and it is for none.
bool nic_refuse_request(struct nic *nic, const struct nic_qp *qp, const struct pkt *p, tstamp now);
// A request with this PSN is refused.
void nic_refused(struct nic *nic, const struct nic_qp *qp, const struct rc_refused *what,
	uint32_t psn, tstamp now);

// nic.c
void nic_reckon(struct nic *nic);                        // the cached deadline anew
void nic_timers(struct nic *nic, tstamp now);            // all that is due but sending
void nic_resumed(struct nic *nic, tstamp now);           // pauses received that have run out
void nic_shut(struct nic *nic, unsigned cls, tstamp at); // it is paused, or the link is down
void nic_open(struct nic *nic, unsigned cls, tstamp at); // one of both has ended
void nic_drop(struct nic *nic, enum nic_drop why, struct pkt *p, tstamp now);
void nic_no_desc(struct nic *nic, tstamp now); // a control frame that could not be made

// Time that a class has been shut until `at`, which is no earlier than the last time but one.
static inline tstamp nic_shut_until(const struct nic_cls *c, tstamp at)
{
	tstamp shut = c->shut_ps + tstamp_since(at, c->shut_at);

	if (at < c->opened)
		shut -= c->opened - tstamp_max(at, c->shut_from);
	return shut;
}

// The timer of a queue pair is due at `at` or earlier.
static inline void nic_timer_by(struct nic *nic, struct nic_qp *qp, tstamp at)
{
	if (at >= qp->timer_at)
		return;
	qp->timer_at = at;
	wheel_set(&nic->timers, qp->index, at);
}

// pfc.c: PFC received, and MAC control frames made to order
void nic_rx_pfc(struct nic *nic, const struct pkt_pfc *f, tstamp now);
void nic_rx_pause(struct nic *nic, const struct pkt_pfc *f, tstamp now);
// A copy of either, which the NIC's other thread has counted.
void nic_rx_pause_copy(struct nic *nic, const struct pkt *p, tstamp now);
void nic_pause_response(struct nic *nic, tstamp now); // frames received whose effect was late
int nic_mac_begin(struct nic *nic, const struct ctl *ctl, tstamp now);
void nic_mac_put(struct nic *nic, tstamp now);
void nic_pfc_events(
	struct nic *nic, const struct pkt_pfc *f, bool whole, tstamp now); // of one that leaves

// replay.c: the capture that it sends
void nic_replay_due(struct nic *nic, tstamp now);
void nic_replay_unqueued(struct nic *nic); // a frame of it has left the class queue

// neigh.c: ARP, neighbour discovery and ping
int nic_neigh_init(struct nic *nic);
void nic_neigh_fini(struct nic *nic);
bool nic_neigh_rx(struct nic *nic, struct pkt *p, tstamp now); // false: it is not of these
void nic_neigh_unqueued(struct nic *nic);                      // an answer has left the class queue

// A frame of our own that has bytes, into the queue of cnp_class.
void nic_neigh_send(struct nic *nic, struct pkt *p, tstamp now);
// Whether the hardware address is known; else it is asked for, and nic_peer_heard or
// nic_peer_silent tells the end of that.
bool nic_neigh_find(struct nic *nic, const struct neigh_ip *ip, uint8_t mac[6], tstamp now);
void nic_neigh_timer(struct nic *nic, tstamp now);
// Writes a hardware address into a header that others may be reading.
void nic_readdress(struct hdr *h, const uint8_t mac[6]);
tstamp nic_neigh_due(const struct nic *nic);

// peer.c: queue pairs whose other end is no NIC of ours
int nic_peer_add(struct nic *nic, struct nic_qp *qp, const struct nic_peer_params *p);
void nic_peer_fini(struct nic *nic);
// Whether one that asks is told to start and cannot yet: it does when its peer is ready.
bool nic_peer_holds(struct nic *nic, struct nic_qp *qp, tstamp now);
void nic_peer_unwant(struct nic_qp *qp); // it is told to stop meanwhile
void nic_peer_heard(struct nic *nic, const struct neigh_ip *ip, const uint8_t mac[6], tstamp now);
void nic_peer_silent(struct nic *nic, const struct neigh_ip *ip, tstamp now);
// Frames to peers with this address go there from now on. Whether there are any.
bool nic_peer_moved(struct nic *nic, const struct neigh_ip *ip, const uint8_t mac[6]);
void nic_peer_timer(struct nic *nic, tstamp now);
void nic_peer_reckon(struct nic *nic); // the next timer of all that is here

// connect.c: those of them that connect by RDMA-CM
bool nic_connect_rx(struct nic *nic, struct pkt *p, tstamp now); // false: it is for nobody here
// One that asks is done with its last message, or has failed.
void nic_connect_end(struct nic *nic, struct nic_qp *qp, tstamp now);

// stream.c: frames that nobody of the scene has sent
int nic_stream_init(struct nic *nic);
void nic_stream_fini(struct nic *nic);
bool nic_stream_rx(struct nic *nic, struct pkt *p, tstamp now); // false: it is not of these
// Whether a frame is IP for our address.
bool nic_stream_for_us(const struct nic *nic, const struct pkt *p);

// echo.c: frames of the open loop that are sent back, and what comes back to their sender
void nic_echo_fini(struct nic *nic);
// One of a source of the scene, for us: sent back where we do that, else done with.
void nic_echo_gen(struct nic *nic, struct nic_source *from, struct pkt *p, tstamp now);
// Another datagram; false: it is not to be sent back.
bool nic_echo_rx(struct nic *nic, struct pkt *p, tstamp now);
// A frame of a source of ours came back; false: it is another's.
bool nic_echo_came(struct nic *nic, struct nic_source *of, struct pkt *p, tstamp now);

// Whether a queued packet is one that is sent back.
static inline bool nic_is_echo(const struct pkt *p)
{
	return p->in_port != PKT_NO_PORT && (p->kind == PKT_GEN || p->kind == PKT_UDP);
}

// target.c: open-loop sources that ask for the hardware address of who they send to
void nic_target_fini(struct nic *nic);
// Told to start or to stop; false: its address is known, or it asks for none.
bool nic_target_run(struct nic *nic, struct nic_gen *g, bool on, tstamp now);
void nic_target_timer(struct nic *nic, tstamp now);
// The address has this hardware address, for the first time or from now on. Whether one of them
// sends there.
bool nic_target_heard(struct nic *nic, const struct neigh_ip *ip, const uint8_t mac[6], tstamp now);
void nic_target_silent(struct nic *nic, const struct neigh_ip *ip);

// Whether a packet that waits has bytes that were made here: an answer, or a question.
static inline bool nic_is_answer(const struct pkt *p)
{
	return p->in_port != PKT_NO_PORT;
}

// req.c: requesters. A timer function does what is due and returns its next instant.
int nic_req_init(struct nic *nic, struct nic_qp *qp, const struct nic_qp_params *p);
void nic_req_fini(struct nic_req *r);
// It fails, because of its peer.
void nic_req_abandon(struct nic *nic, struct nic_qp *qp, enum rc_failure why, tstamp now);
tstamp nic_req_timer(struct nic *nic, struct nic_qp *qp, tstamp now);
// Told to start: it does after its share of a gap. Told to stop: it posts no more.
void nic_req_run(struct nic *nic, struct nic_qp *qp, bool on, tstamp now);
void nic_req_ack(struct nic *nic, struct nic_qp *qp, const struct pkt *p, tstamp now);
// A frame has been due since before `at`: the latest instant until then at which it could have
// left.
tstamp nic_req_owing_at(struct nic *nic, struct nic_qp *qp, tstamp at);
// Its class was shut since its ideal instant: that begins anew where the class opened.
void nic_req_reopen(struct nic *nic, struct nic_qp *qp);
void nic_req_set_owed(const struct nic *nic, struct nic_qp *qp, tstamp now);
// It may send again.
void nic_req_wake(struct nic *nic, struct nic_qp *qp, tstamp now);
void nic_req_post(
	struct nic *nic, struct nic_qp *qp, tstamp now); // as many messages as may be outstanding

// Its first request has come, or its start.
void nic_req_start(struct nic *nic, struct nic_qp *qp, tstamp now);

// read.c: READs. The responder is a requester in all that concerns its limiter.
void nic_read_request(struct nic *nic, struct nic_qp *qp, const struct pkt *p, tstamp now);
// It serves another queue pair from now on, whose first request has this PSN.
// Anything else but a READ for it.
void nic_read_strange(struct nic *nic, struct nic_qp *qp, const struct pkt *p, tstamp now);
// The NAK that is due behind the responses.
void nic_read_refuse(struct nic *nic, struct nic_qp *qp, tstamp now);
void nic_read_serve(const struct nic *nic, struct nic_qp *qp, uint32_t qpn, uint32_t psn);
// Who asks is a responder in all that concerns the data.
int nic_read_init(struct nic_qp *qp, const struct nic_qp_params *p);
void nic_read_response(struct nic *nic, struct nic_qp *qp, const struct pkt *p, tstamp now);
void nic_read_nak(struct nic *nic, struct nic_qp *qp, const struct pkt *p, tstamp now);
void nic_read_run(struct nic *nic, struct nic_qp *qp, bool on, tstamp now);
// It asks another queue pair from now on, which serves so many READs at a time; before the first.
void nic_read_connect(struct nic_qp *qp, uint32_t qpn, uint32_t psn, unsigned reads);
// It fails, because of its peer.
void nic_read_abandon(struct nic *nic, struct nic_qp *qp, enum rc_failure why, tstamp now);
tstamp nic_read_timer(struct nic *nic, struct nic_qp *qp, tstamp now);

// rp.c: what its reaction point means to a requester
rate_t nic_rp_paced(const struct nic_req *r); // bit/s, at most its ceiling
void nic_rp_look(const struct nic *nic, const struct nic_qp *qp, struct rp_look *look, tstamp now);
// What it allows from `at` on, bit/s.
void nic_rp_rate(struct nic *nic, struct nic_qp *qp, rate_t rate, tstamp at);
// An event at the nominal instant `at`, whose rate holds from `from` on. As `at` is nominal, a
// timer that is caught up with late gives what it would have given in time.
void nic_rp_reacted(struct nic *nic, struct nic_qp *qp, enum rp_event e, tstamp from, tstamp at);
void nic_rp_changed(struct nic *nic, struct nic_qp *qp); // its next timer may be another
// Timers that are due, and before them CNPs to its class that it has not taken.
void nic_rp_expire(struct nic *nic, struct nic_qp *qp, tstamp now);
// Before its first CNP: how it hears of CNPs to its class.
void nic_rp_join_class(struct nic *nic, struct nic_qp *qp);
void nic_rp_take_cnps(struct nic *nic, struct nic_qp *qp);
// There are some.
static inline bool nic_rp_has_cnps(const struct nic *nic, const struct nic_qp *qp)
{
	return nic->class_cnps && qp->req.cnps != nic->class_cnps[qp->cls].n;
}
// nic_rp_expire has something to do.
static inline bool nic_rp_is_due(const struct nic *nic, const struct nic_qp *qp, tstamp now)
{
	return now >= qp->req.rp_at || nic_rp_has_cnps(nic, qp);
}
// What it tells and is owed as of `now`; no frame leaves at another instant for it.
void nic_rp_account(struct nic *nic, struct nic_qp *qp, tstamp now);
// When the gap that is running ends, or has to be looked at again. Rate timers that fall into it
// move its end.
tstamp nic_rp_gap_end(const struct nic *nic, const struct nic_qp *qp);
// When a timer can open the window that keeps it from sending; TSTAMP_NEVER: no window does.
tstamp nic_rp_opens(const struct nic_qp *qp);
bool nic_rp_opened(const struct nic_qp *qp); // it has, and nobody has woken the queue pair
void nic_rp_counted(struct nic *nic, struct nic_qp *qp, enum rp_event e, tstamp now);
void nic_rp_cnp(struct nic *nic, struct nic_qp *qp, tstamp made, tstamp now);
void nic_rp_cnm(struct nic *nic, const struct pkt *p, tstamp now);
void nic_rp_ack(struct nic *nic, struct nic_qp *qp, const struct rp_ack *ack, tstamp now);
void nic_rp_nak(struct nic *nic, struct nic_qp *qp, tstamp now);

// group.c: reaction points that several have
int nic_group_join(struct nic *nic, struct nic_qp *qp, const struct nic_qp_params *p);
void nic_group_free(struct nic_group *g);
// That of a flow ID, or with flow ID 0 of a destination and class; NULL: there is none.
struct nic_group *nic_group_find(
	const struct nic *nic, uint16_t flow_id, const uint8_t dst[6], unsigned cls);
void nic_group_rate(struct nic_group *g, tstamp from); // of a limiter while it is nobody's turn
void nic_group_follow(struct nic_qp *qp);              // it has the rate that holds now
bool nic_group_turn(struct nic *nic, struct nic_qp *qp, bool sent, tstamp now);
void nic_group_pass(struct nic *nic, struct nic_qp *qp, tstamp now);

// rdma_ip.c: requesters with the RDMA IP's reaction point
int nic_rdma_ip_init(struct nic *nic, struct nic_qp *qp, const struct nic_qp_params *p);
// The limiter's windows set the earliest instant of the next frame, in place of the pacer; false:
// it spaces frames, and the pacer does. After a frame of `wire_bytes`, which leaves now; and after
// a change of rate or count.
bool nic_rdma_ip_passed(const struct nic *nic, struct nic_qp *qp, uint32_t wire_bytes, tstamp now);
bool nic_rdma_ip_next(struct nic_qp *qp);

// Its limiter counts bytes by windows and has no ideal instants.
static inline bool nic_rdma_ip_windowed(const struct nic_qp *qp)
{
	const struct rdma_ip_qp *ip = nic_rdma_ip(qp);

	return ip && ip->cfg->limiter == RDMA_IP_WINDOW;
}
void nic_rdma_ip_notified(struct nic *nic, struct nic_qp *qp, tstamp now); // by a CNP
tstamp nic_rdma_ip_timer(struct nic *nic, struct nic_qp *qp, tstamp now);  // the brake's end
void nic_rdma_ip_fw_timer(struct nic *nic, tstamp now);

// rsp.c: responders
int nic_rsp_init(struct nic *nic, struct nic_qp *qp, const struct nic_qp_params *p);
// It is the responder of another queue pair from now on, whose first request has this PSN.
void nic_rsp_connect(const struct nic *nic, struct nic_qp *qp, uint32_t qpn, uint32_t psn);
// A request; true where it is answered (ACK, NAK, CNP) or starts a timer.
bool nic_rsp_data(struct nic *nic, struct nic_qp *qp, struct pkt *p, tstamp now);
// Whether data that came as bytes are for memory that it may be for; else it is refused.
bool nic_rsp_allows(struct nic *nic, struct nic_qp *qp, const struct pkt *p, tstamp now);
// A request of a verb that it has not.
void nic_rsp_strange(struct nic *nic, struct nic_qp *qp, const struct pkt *p, tstamp now);
void nic_rsp_fini(struct nic_rsp *r);
tstamp nic_rsp_timer(struct nic *nic, struct nic_qp *qp, tstamp now); // of its CNPs and its READs
// Counts a frame with data.
static inline void nic_rsp_count(struct nic_qp *qp, const struct pkt *p, tstamp now)
{
	struct nic_rsp_use *u = nic_rsp_use(&qp->rsp);
	struct nic_qp_stats *s = &u->s;
	tstamp latency = tstamp_since(now, p->born);

	if (!s->data_frames_rx++) {
		s->first_timestamp = now;
		s->latency_min = latency;
	}
	s->last_timestamp = now;
	s->wire_bytes_rx += p->len + PKT_FCS;
	s->latency_sum += latency;
	s->latency_min = tstamp_min(s->latency_min, latency);
	s->latency_max = tstamp_max(s->latency_max, latency);
	if (u->latency)
		hist_count(u->latency, latency);
}

void nic_rsp_congestion(struct nic *nic, struct nic_qp *qp, tstamp now); // it had CE

// np.c: the notification point of a responder
int nic_np_init(struct nic *nic, struct nic_qp *qp);
tstamp nic_np_timer(struct nic *nic, struct nic_qp *qp, tstamp now);
// CE came, or a NAK that counts as CE.
void nic_np_notify(struct nic *nic, struct nic_qp *qp, bool nak, tstamp now);

// rxbuf.c
// The class that a frame came in. Between nodes in memory the sender's class is still in the
// descriptor; bytes say it by PCP, else by the class selector of the DSCP (RFC 2474).
static inline unsigned nic_class_of(const struct pkt *p)
{
	if (!(p->flags & PKT_F_FOREIGN))
		return p->cls;
	return p->hdr->flags & HDR_VLAN ? p->hdr->vlan_tci >> 13 : p->tos >> 5;
}
int nic_rxbuf_init(struct nic_rxbuf *b, const struct nic_rxbuf_params *p);
bool nic_rxbuf_put(struct nic *nic, const struct pkt *p, tstamp now); // false: overflow
void nic_rxbuf_drained(struct nic *nic, tstamp now);

// Fetches a requester for its next frame: whether and when it leaves, and how it is made. Inlined
// always: gcc takes a function that only prefetches for one without effect.
static inline __attribute__((always_inline)) void nic_req_fetch(const struct nic_qp *qp)
{
	__builtin_prefetch(qp, 0, 2);
	__builtin_prefetch((const char *)qp + NIC_LINE, 0, 2);
}

// Fetches what that needs besides; the requester itself has been fetched.
static inline __attribute__((always_inline)) void nic_use_fetch(const struct nic_qp *qp)
{
	if (!qp->requester)
		return;
	__builtin_prefetch(nic_use(&qp->req), 0, 2);
	if (qp->reacts)
		__builtin_prefetch(&qp->req.own, 0, 2);
	rc_tx_fetch(&qp->req.tx);
}

// data.c: from the end of a gap to the next
void nic_ready(struct nic *nic, struct nic_qp *qp); // to the end of its class's FIFO
// Puts a requester that is in no FIFO where it belongs at instant `at`: the present, or that at
// which its gap ended.
void nic_req_place(struct nic *nic, struct nic_qp *qp, tstamp at);
// Its gap has ended at `at`, the first instant in nic.gap, or a rate timer comes first.
void nic_gap_ended(struct nic *nic, struct nic_qp *qp, tstamp at);
struct pkt *nic_data(struct nic *nic, unsigned cls, tstamp now);

// tx.c: the classes
void nic_queue(struct nic *nic, unsigned cls, struct pkt *p, tstamp now);
struct pkt *nic_unqueue(struct nic *nic, unsigned cls, tstamp now); // the head of the class queue

#pragma GCC visibility pop
