// SPDX-License-Identifier: BSD-3-Clause
// The RoCEv2 NIC: queue pairs with pacing and DCQCN, responder and notification point, a receive
// buffer.
#pragma once

#include "eport/wire.h"
#include "algo/pause.h"
#include "contract/contract.h"
#include "adopt.h"
#include "load/load.h"
#include "nic_terms/nic_terms.h"

// Memory that a queue pair takes in its NIC, bytes. An idle one takes `idle`. The rest comes with
// its first frame, or before the run if nic_params.large is not NULL.
struct nic_qp_bytes {
	uint32_t requester, responder;           // state
	uint32_t used_requester, used_responder; // more, with counters and history
	uint32_t idle; // of either: its record, and its place in the table and the schedule
	uint32_t kept; // more, of one that was used and is at rest, once others need its memory
};

struct nic;

struct nic_qp_bytes nic_qp_bytes(void);
// Bytes of a ring of messages for a requester with that many messages outstanding; it has one while
// it uses it.
uint32_t nic_ring_bytes(unsigned outstanding);
// Messages that such a ring has room for.
unsigned nic_ring_room(unsigned outstanding);
int nic_init(struct nic **nic, const struct nic_params *params, struct pkt_stack *stack,
	struct ev_ring *events);
void nic_fini(struct nic *nic);
// Adds a queue pair; only before the run. Its number must be 1 to max_qps. A lane has max_qps of
// its host's numbers, every `lanes`-th. -EEXIST: another one has its number or its QPN. -ENOSPC,
// -EINVAL.
int nic_add_qp(struct nic *nic, const struct nic_qp_params *params);
// The queue pair with the number of `params`, which has been added, gets these QPNs and this
// first PSN; nic_rebase, before it, says from which QPN on numbers count. -EINVAL: there is none.
void nic_rebase(struct nic *nic, uint32_t qpn_base);
int nic_renumber(struct nic *nic, const struct nic_qp_params *params);
int nic_add_gen(struct nic *nic, const struct gen_params *params);
// Makes the NIC count the RoCEv2 frames of a source, which come for this QPN and begin with this
// PSN. -EINVAL: max_sources. -ENOMEM.
int nic_take_roce(struct nic *nic, uint32_t source, uint32_t qpn, uint32_t psn);

// A source that starts `offset` behind the last of n ends, each of which the NIC of another source
// writes (nic_tell_end); TSTAMP_NEVER there: not yet.
struct nic_follow {
	uint32_t source;
	const _Atomic tstamp *end;
	uint32_t n;
	tstamp offset;
	tstamp first; // the first look at the ends
	tstamp look;  // from one look to the next
};

// Makes a source wait for others, once it was added. An end that is known by `look` before the
// start is followed to the ps. -EINVAL, -ENOMEM.
int nic_follow(struct nic *nic, const struct nic_follow *follow);
// Makes the NIC write there when the last bit of a source's last frame leaves, with the gap behind
// it, as soon as the first bit does. The source has a count, or a stop. -EINVAL, -ENOMEM.
int nic_tell_end(struct nic *nic, uint32_t source, _Atomic tstamp *end);

// Adds a load, once its queue pairs are there. -EINVAL, -ENOMEM.
int nic_add_load(struct nic *nic, const struct nic_load_params *params);

// Adds a job, once its queue pairs and all loads are there. -EINVAL, -ENOMEM.
int nic_add_job(struct nic *nic, const struct nic_job_params *params);
// How a job of the scene stands here; zeros: none of it is here.
struct nic_job_state nic_job_state(const struct nic *nic, uint32_t job);
// A rank of a job of the scene; NULL: it is not here.
struct job_rank *nic_job_rank(const struct nic *nic, uint32_t job, uint32_t rank);

// Makes a source ask for the owner of its header's address before it sends; the answer is written
// into the header as hardware address. Call it after nic_add_gen(), for a NIC that answers ARP.
// -EINVAL, -ENOMEM.
int nic_add_target(struct nic *nic, uint32_t source, struct hdr *hdr);

// Makes the receiver of an open-loop source send its frames back, by the queue of class `cls`.
// Frames without bytes get the shared header `back`. -EINVAL: the receiver does not echo, or there
// is no such source or class.
int nic_add_echo(struct nic *nic, uint32_t source, const struct hdr *back, uint8_t cls);
// Makes the sender of this source time the round trips of its last `frames` frames (trips_init).
// Call it after nic_add_gen(). -EINVAL, -EEXIST, -ENOMEM.
int nic_add_trips(struct nic *nic, uint32_t source, uint32_t frames);

// The sender of a source keeps the instants at which its last `frames` frames left, for a receiver
// to which they come as bytes. Returns them, NULL where memory is out. After nic_add_gen, and after
// nic_add_trips, whose instants it takes. They live as long as the NIC.
const struct departures *nic_keep_departures(struct nic *nic, uint32_t source, uint32_t frames);

// A capture that it sends beside all else, each frame, when it is due, by the queue of class `cls`.
// -EEXIST: it has one. -EINVAL: no ring, or a frame that is longer than the port's, or than packets
// have room for.
int nic_add_replay(struct nic *nic, const struct player_params *params, uint8_t cls);

// The contract of design.md 2; a NIC has port 0 only.
void nic_rx(struct nic *nic, unsigned port, struct pkt **burst, unsigned n, tstamp now);
unsigned nic_tx(struct nic *nic, unsigned port, struct pkt **burst, unsigned max, tstamp now);
tstamp nic_deadline(const struct nic *nic, unsigned port);
// Like sw_urgent().
tstamp nic_urgent(const struct nic *nic, unsigned port);
// Like sw_pauses(), by class.
uint8_t nic_pauses(const struct nic *nic, unsigned port, tstamp now);
int nic_ctl(struct nic *nic, const struct ctl *ctl, tstamp now);
struct node_touched *nic_touched(struct nic *nic);

// Reads and writes registers of the RDMA IP (rdma_ip_reg.h), for the firmware and for CTL_REG.
// -ENXIO: no queue pair of the NIC has the register. `now` as in every other call.
int nic_reg_read(struct nic *nic, const struct rdma_ip_place *place, uint64_t *value, tstamp now);
int nic_reg_write(struct nic *nic, const struct rdma_ip_place *place, uint64_t value, tstamp now);
uint32_t nic_reg_qps(const struct nic *nic); // their highest number; 0: there is none
// Lets the NIC share a wire with other NICs of the same rate and tolerance, which may run in other
// threads. Call it before the NIC's first frame. `share`: the NIC's number among them, from 0,
// below EPORT_WIRE_SHARES. The wire must outlive the NIC.
void nic_share_wire(struct nic *nic, struct eport_wire *wire, unsigned share);

// Connects firmware to the NIC. Call it before the run, when all queue pairs have been added.
void nic_set_firmware(struct nic *nic, const struct nic_fw_ops *ops, void *fw, tstamp now);

const struct nic_stats *nic_stats(const struct nic *nic);
unsigned nic_qps(const struct nic *nic); // queue pairs added, in order: 0..n-1
// The counters of a queue pair, until the next call of this function or of the NIC.
const struct nic_qp_stats *nic_qp_stats(const struct nic *nic, unsigned i);
// The counters at this moment. They include the counters that queue pairs share with their reaction
// point, which are 0 above (cnm_rx, rate_cuts).
void nic_qp_counts(const struct nic *nic, unsigned i, struct nic_qp_stats *s);
// The number of the reaction point that the queue pair shares with others, which take turns at it;
// -1: it has its own, or none. An event of a shared one (EV_RP, EV_CUT, EV_CNM_RX) comes once, with
// the flow of one sharer, and counts for all of them; EV_CUT names the queue pair whose turn it is.
int nic_qp_shares(const struct nic *nic, unsigned i);
// The reaction point of a queue pair, as of its last use; NULL: none, or the queue pair has no
// place. nic_account catches up with its timers.
const struct rp *nic_qp_rp(const struct nic *nic, unsigned i);
// Reads the state of the queue pair's reaction point; false: it has none. If the limiter has
// registers, the rate is the one that the limiter enforces.
bool nic_qp_look(const struct nic *nic, unsigned i, struct rp_look *look);
// Like nic_qp_look(), at `now` if that is later than the last use.
bool nic_qp_look_at(const struct nic *nic, unsigned i, struct rp_look *look, tstamp now);
// The state of the connection to the peer; *reason: why the peer has rejected it (enum cm_reason),
// 0: it has not.
enum nic_peer_state nic_qp_peer(const struct nic *nic, unsigned i, unsigned *reason);
// For a queue pair that peers connect to: returns how many peers asked for a connection and did not
// answer the REP.
unsigned nic_qp_peer_unanswered(const struct nic *nic, unsigned i);
// How many connections the queue pair's peers had forgotten when they asked for the next one.
unsigned nic_qp_peer_lost(const struct nic *nic, unsigned i);
// For a queue pair that receives data: the instant at which the last message was complete; 0: none
// is.
tstamp nic_qp_whole_at(const struct nic *nic, unsigned i);
// The part of a queue pair that posts messages, until the next call of the NIC; NULL: it posts none
// (a responder, of READs too), or it has no place, and then nothing is outstanding.
const struct rc_tx *nic_qp_rc_tx(const struct nic *nic, unsigned i);
// A message that is posted and not done, or that a load has brought and waits to be posted.
struct nic_message {
	uint32_t flow;
	uint32_t bytes;
	tstamp posted; // or when it came
};

// Tells these messages of all queue pairs, except messages that were lost by a failure
// (EV_MSG_FAILED).
typedef void nic_see_message(void *arg, const struct nic_message *m);
void nic_messages(const struct nic *nic, nic_see_message *see, void *arg);
// The number of the queue pair of a flow that is its requester, or its responder; -1: there is
// none.
int nic_find_qp(const struct nic *nic, uint32_t flow, bool requester);
// The index below nic_qps() of the queue pair with a number; -1: there is none.
int nic_find_number(const struct nic *nic, uint32_t number);
// The number of the generator of an open-loop source; -1: there is none.
int nic_find_gen(const struct nic *nic, uint32_t source);
const struct gen *nic_gen(const struct nic *nic, unsigned i);
// The state of a source's target: NIC_PEER_NONE if the source asks nobody, else IDLE, RESOLVES, UP
// or FAILED.
enum nic_peer_state nic_gen_target(const struct nic *nic, uint32_t source);
// Counts the sources and queue pairs that look for the host that they send to. Any thread may ask.
struct nic_reach nic_reach(const struct nic *nic);
// NULL: it answers nobody, and hears of nobody.
const struct nic_neigh_notes *nic_neigh_notes(const struct nic *nic);
// NULL: nothing was refused for this reason.
const struct nic_refusal *nic_refusal(const struct nic *nic, enum rc_refusal why);
// The last immediate data that came to a responder.
uint32_t nic_qp_immediate(const struct nic *nic, unsigned i);
// Foreign streams, by place, 0..nic_streams-1; some places have none.
unsigned nic_streams(const struct nic *nic);
const struct nic_stream *nic_stream(const struct nic *nic, unsigned place);
const struct nic_gen_stats *nic_gen_stats(const struct nic *nic, uint32_t source);
// Returns the round trips of a source of this NIC whose frames come back; NULL: none do.
const struct trip_stats *nic_trip_stats(const struct nic *nic, uint32_t source);
// Lends a book, to which a requester adds the events of its reaction point instead of telling EV_RP
// and EV_CUT. The book must outlive the last call of the NIC. Not to be called while the NIC is
// called, nor for a queue pair that shares its reaction point.
void nic_qp_lend_book(struct nic *nic, unsigned i, struct rp_book *book);
// Lends a histogram, in which hist_count counts the latency of each data frame
// that a responder receives, or of each frame of an open-loop source: ps, from first bit out to
// last bit in. It outlives the last nic_rx; several may share one. NULL, as at first: nowhere. Not
// while the NIC is called.
void nic_qp_lend_latency(struct nic *nic, unsigned i, struct hist *latency);
void nic_gen_lend_latency(struct nic *nic, uint32_t source, struct hist *latency);
// The frames of a source say by another clock when they left. It is ahead of ours by *ahead_ps at
// each call of nic_rx, or NIC_AHEAD_UNKNOWN; it may change between calls.
void nic_gen_lend_ahead(struct nic *nic, uint32_t source, const int64_t *ahead_ps);
// Gives the NIC the instants at which the sender of a source sent its frames, if both have the same
// clock. A frame from outside does not carry this instant, so without it there is no latency.
void nic_gen_lend_departures(struct nic *nic, uint32_t source, const struct departures *departed);
// Lends a histogram for round trips, at the sender of a source whose frames come back.
void nic_trip_lend_rtt(struct nic *nic, uint32_t source, struct hist *rtt);
// The player of the capture that the NIC replays; NULL: it replays none.
const struct player *nic_replay(const struct nic *nic);
// Returns how many frames of the capture were due and have not left; 0 if the first of them has
// waited no longer than another frame of the capture takes the wire.
uint64_t nic_replay_unsent(const struct nic *nic);
const struct eport *nic_eport(const struct nic *nic);
// Time that the port's shaper has lost because the driver asked too late: its bucket was full while
// frames waited for it. 0 in virtual time, or without max_rate.
tstamp nic_shaper_lost(const struct nic *nic);
const struct pause_rx *nic_pause_rx(const struct nic *nic);
const struct pause_tx *nic_pause_tx(const struct nic *nic);
// Return the fill of the receive buffer at `now`, in bytes, and its maximum so far.
uint64_t nic_rxbuf_bytes(const struct nic *nic, tstamp now);
uint64_t nic_rxbuf_max(const struct nic *nic);
// Whether senders, which begin nothing since CTL_QUIESCE, have ended all that they had begun: each
// queue pair is at rest, has failed or is paused, and no frame waits. Cheap to ask again and again.
bool nic_is_quiet(struct nic *nic);
// Brings histograms, pause times and reaction points up to `now`; changes no frame.
void nic_account(struct nic *nic, tstamp now);
// Reports the events of timers that were left for later, from queue pair number i on, as far as the
// event ring has room. Returns the number to go on with when the ring is empty; nic_qps(): all have
// reported.
unsigned nic_settle(struct nic *nic, unsigned i, tstamp now);
int nic_conserve(const struct nic *nic, char *why, unsigned size);

// The rest is for the files of this room only.
#pragma GCC visibility push(hidden)

// Parameters of a queue pair, as it has them.
struct nic_qp_params nic_qp_params(const struct nic *nic, unsigned i);

#pragma GCC visibility pop
