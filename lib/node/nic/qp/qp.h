// SPDX-License-Identifier: BSD-3-Clause
// The inside of a NIC, which its rooms share: its queue pairs, its classes, and their needs.
#pragma once

#include <stddef.h>
#include <stdlib.h>

#include "eport/wire.h"
#include "algo/pause.h"
#include "algo/shaper.h"
#include "base/fixed.h"
#include "base/hint.h"
#include "base/index.h"
#include "base/wheel.h"
#include "contract/contract.h"
#include "frame/frame.h"
#include "load/load.h"
#include "nic_terms/nic_terms.h"
#include "pair.h"
#include "slab.h"
#include "work/work.h"

#define NIC_STRANGERS 16 // places in which senders that are no peers are told, by hash

#define NIC_RING_SIZES 7 // rings have room for 1, 2, 4 .. RC_MESSAGES messages

// How many CNPs to a class are remembered for queue pairs that have not been touched since
// (rp_scope: priority). Beyond that number the latest ones count.
#define NIC_CLASS_CNPS 256

// Rings of messages of one size. A requester has one while it has messages that are not done.
struct nic_ring_pool {
	struct nic_slab rings;
	struct rc_message *free;    // a free ring's first word points to the next
	uint32_t lent;              // that have ever been lent; the others are as they were made
	struct nic_qp *head, *tail; // waiting requesters, by next_wanting
	bool dealt;                 // those that are free are being lent
};

struct nic_gen {
	struct gen g;
	uint32_t id; // in nic.gap
	bool parked;
	bool paused;    // CTL_PAUSE
	tstamp shut_ps; // of its class, when it was due and parked
	struct nic_gen *next_parked;
};

// The reception of one open-loop source.
struct nic_source {
	struct nic_gen_stats s;
	struct hist *latency;    // lent; NULL: none
	const int64_t *ahead_ps; // lent: how far the sender's clock is ahead; NULL: it is ours
	// Lent by its sender, for frames that come as bytes; NULL: when they left is not known.
	const struct departures *departed;
	// It is ours: where the instants at which its frames leave are kept. NULL: nowhere.
	struct departures *left;
	// It is ours, and its receiver sends back what it gets; NULL: it is not, or does not.
	struct trips *trips;
	const struct hdr *back; // of frames that we send back; NULL: none
	uint8_t back_cls;
	// RoCEv2 frames have no other numbers: their destination QPN and first PSN.
	uint32_t qpn, psn;
};

// An egress queue of the port: of the classes that queue_map leads to it.
struct nic_cls {
	struct nic_qp *head, *tail;           // queue pairs that can send now
	struct nic_gen *parked, *parked_tail; // sources that found the class full
	uint32_t gen_frames;                  // of sources, in the class queue
	int32_t lead; // bytes by which queued frames are ahead of made ones, with both there
	// A queue is shut while it is paused or the link is down: its limiters begin anew
	// afterwards.
	tstamp shut_at;           // TSTAMP_NEVER: it is open
	tstamp shut_ps;           // time that it has been shut, without the present one
	tstamp shut_from, opened; // the last time
};

// CNPs to all of a class (rp_scope: priority). A CNP is noted here once, and each queue pair takes
// it when it is touched next: a cut only lengthens a gap, and its effect is computed from the CNP's
// instant.
struct nic_class_cnps {
	uint32_t n;                          // so far
	struct nic_qp *prompt, *prompt_tail; // queue pairs that must take CNPs at once
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
	const struct ctl_mac *frame;
};

// A queue pair that sent or received data within this time keeps its place, unless live_pairs
// leaves no other: most are at rest between two of their messages.
#define NIC_QUIET (100 * PS_PER_US)

struct nic {
	tstamp deadline;
	tstamp timer_at; // next of timers, pause expiry and slow_at
	tstamp now;
	bool up;
	bool looks;      // at the bytes of data: at their payload, or at the memory they are for
	uint8_t held;    // classes that had no descriptor in this call
	uint8_t lapsed;  // classes that could make no other frame after their last one
	bool shaped;     // the port has a shaper (max_rate)
	bool apart;      // it has one, or shares its wire with others
	uint8_t stopped; // bitmap of queues that a received pause stops
	uint8_t blocked; // bitmap of these, and of queues that the shaper holds
	uint8_t queue_of[PKT_CLASSES]; // the egress queue of each class
	tstamp desc_at;                // no descriptor was left: not before this
	tstamp slow_at;      // lower bound of the next XON of the receive buffer or end of a storm
	tstamp replay_at;    // the next frame of its capture goes into its queue; TSTAMP_NEVER
	tstamp frame_ps;     // wire time of the longest frame
	tstamp quiet_at;     // senders begin nothing from then on (CTL_QUIESCE); TSTAMP_NEVER
	unsigned rest_to;    // queue pairs before it were at rest since quiet_at, and stay so
	bool goes_on;        // quiet_at holds until CTL_GO_ON, not to the end of the run
	bool play_paused;    // CTL_PAUSE holds the capture
	uint8_t storm;       // bitmap of classes
	struct wheel gap;    // queue pairs and sources by the instant of their next frame
	struct wheel timers; // queue pairs by timer_at
	struct pkt_stack *stack;
	struct ev_ring *events;
	struct nic_cls cls[PKT_CLASSES];   // by queue
	struct nic_class_cnps *class_cnps; // [PKT_CLASSES]; NULL: a CNP is for its queue pair
	struct eport e;
	struct shaper shaper; // of the port: all classes together
	struct shaper_cfg shaper_cfg;
	struct eport_wire *wire;  // shared with others; NULL: its own
	struct eport_share share; // of it
	struct pause_rx pr;
	uint8_t pfc_mask; // priorities of received PFC that reach `pr`
	struct pause_tx pt;
	struct nic_rxbuf rxbuf;
	struct nic_stats s;
	struct node_touched touched;
	// [max_qps + 1]; 0: nobody. NULL while queue pairs come in the order of their numbers,
	// otherwise each queue pair keeps its place
	struct nic_qp **by_number;
	struct nic_qp **qp;    // in the order of nic_add_qp; the index is the wheels' number
	struct nic_idle *idle; // by that index, of those for which `qp` has NULL
	struct nic_slab kept;  // a struct nic_kept for each queue pair that may give its place away
	struct nic_rest *shown; // of the last one without a place that was looked at
	struct nic_kind **kind;
	unsigned n_kinds;           // of the start; those behind them were adopted
	struct nic_kind_room kinds; // NULLs: nothing was ever adopted
	struct nic_brought *brought;
	uint32_t n_kinds_brought, n_kinds_free; // numbers ever given, and of these free again
	uint32_t last_kind[2];                  // of a responder, of a requester
	// Places for all queue pairs. From place 0 on `placed` of them have been lent, and place
	// `hand` is looked at next: of responders, of requesters
	struct nic_slab req, rsp, req_use, rsp_use;
	uint32_t placed[2], hand[2];
	tstamp quiet;            // NIC_QUIET
	uint32_t fixed;          // requesters that keep their place
	struct nic_waits *waits; // with live_pairs: requesters that wait for a place; else NULL
	struct nic_loads *loads; // messages that come by themselves; NULL: none do
	struct nic_work *work;   // jobs of the host; NULL: there are none
	struct nic_fifos fifos;  // messages of both that are not posted
	struct nic_ring_pool ring[NIC_RING_SIZES];
	struct irn_pool maps; // of queue pairs whose packets are missing
	uint32_t n_repair;    // queue pairs that may need one
	uint64_t ring_bytes;  // of all rings
	uint32_t n_wanting;   // requesters that wait for a ring, of any size, or for a place
	unsigned n_qps;
	bool unsorted; // queue pairs did not come in the order of their flows
	unsigned n_gens;
	struct nic_group **group;
	unsigned n_groups;
	struct nic_gen **gen;
	struct nic_source *source; // [max_sources]
	struct rdma_ip_reg *reg;   // of the RDMA IP; NULL: no queue pair has it
	const struct rdma_ip_reg_params *rdma_ip;
	uint32_t rdma_ip_most;           // highest number of a queue pair with the RDMA IP
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
	struct nic_neigh *neigh; // NULL: it answers no ARP, neighbour discovery or ping
	struct nic_peers *peers; // NULL: all are NICs of ours
	struct nic_refusal refusal[RC_REFUSALS];
	struct nic_streams *streams; // NULL: foreign streams are dropped
	struct nic_follows
		*follows; // sources that start behind others; NULL: none does, or is told
	struct nic_targets *targets; // of sources that ask for an address; NULL: none does
	struct player play;          // of its capture; without a ring it has none
	uint32_t replay_frames;      // of it, in the class queue
	uint32_t echoes;             // frames to be sent back, in the class queues
	uint8_t replay_cls;
	tstamp stranger_told[NIC_STRANGERS]; // the last event; TSTAMP_NEVER: none yet
	// Places in the arrays above, by hash; for rare look-ups.
	struct index gen_of;   // source
	struct index roce_of;  // sources of RoCEv2 that it receives, by QPN
	struct index np_of;    // what a shared notification point's key names
	struct index group_of; // flow ID, or destination and class
	struct index kind_of;  // all of nic_kind.p
	struct index qpn_of;   // QPN, of queue pairs whose numbers do not follow from it
};

// Makes room for one more element of an array of pointers that has n, which grows by doubling.
// False where memory is out.
static inline bool nic_room(void *array, unsigned n)
{
	void **all = *(void ***)array;

	if (n & (n - 1))
		return true;
	all = realloc(all, (n ? 2ul * n : 1) * sizeof(*all));
	if (all)
		*(void ***)array = all;
	return all;
}

// Time never goes back for a node (design.md 2).
static inline tstamp nic_now(struct nic *nic, tstamp now)
{
	nic->now = tstamp_max(nic->now, now);
	return nic->now;
}

// Returns the index of a queue pair's number in nic.by_number. A number of another lane gives an
// index beyond the table.
static inline uint32_t nic_number_at(const struct nic *nic, uint32_t number)
{
	if (nic->p.lanes < 2)
		return number;
	return number % nic->p.lanes == nic->p.lane ? number / nic->p.lanes : UINT32_MAX;
}

// Returns the queue pair with a number; NULL: there is none, or it has no place. Numbers are the
// NIC's own and begin with 1; on the wire they are QPNs.
static inline struct nic_qp *nic_by_number(const struct nic *nic, uint32_t number)
{
	if (LIKELY(!nic->by_number))
		return number - 1 < nic->n_qps ? nic->qp[number - 1] : NULL;
	number = nic_number_at(nic, number);
	return number <= nic->p.max_qps ? nic->by_number[number] : NULL;
}

// place.c, for NICs in which a QPN does not follow from the number
int nic_qpn_add(struct nic *nic, uint32_t qpn, unsigned i); // of the queue pair with that index
struct nic_qp *nic_qpn_find(const struct nic *nic, uint32_t qpn); // NULL: there is none

// Returns the queue pair with a QPN; NULL: there is none, or it has no place.
static inline struct nic_qp *nic_by_qpn(const struct nic *nic, uint32_t qpn)
{
	uint32_t number = qpn - nic->p.qpn_base;

	if (LIKELY(!nic->by_number))
		return number - 1 < nic->n_qps ? nic->qp[number - 1] : NULL;
	return UNLIKELY(nic->qpn_of.n) ? nic_qpn_find(nic, qpn) : nic_by_number(nic, number);
}

// Returns the index of the queue pair with a number; -1: there is none.
static inline int nic_index_of(const struct nic *nic, uint32_t number)
{
	const struct nic_qp *qp;

	if (!nic->by_number)
		return number - 1 < nic->n_qps ? (int)number - 1 : -1;
	qp = nic_by_number(nic, number);
	return qp ? (int)qp->index : -1;
}

// idle.c
// Gives a place to a queue pair that has none, by its index.
struct nic_qp *nic_idle_end(struct nic *nic, unsigned i);
struct nic_qp *nic_idle_end_number(struct nic *nic, uint32_t number); // NULL: there is none
// A timer of a queue pair without a place is due. NULL: it has nothing to do, or has to wait.
struct nic_qp *nic_idle_timer(struct nic *nic, unsigned i);

// wait.c
int nic_wait_init(struct nic *nic);
// A queue pair is told to start (`on`) or stop. True: it has to wait for a place, and starts then.
bool nic_wait_command(struct nic *nic, unsigned i, bool on, tstamp now);
void nic_wait_timer(struct nic *nic, tstamp now);
void nic_wait_account(struct nic *nic, tstamp now); // adds the time of waiting messages up to now

// load.c
int nic_load_add(struct nic *nic, const struct nic_load_params *p);
void nic_load_fini(struct nic *nic);
// A load, or the jobs, by their number in nic.timers.
void nic_load_due(struct nic *nic, uint32_t timer, tstamp now);
// Its messages count from the instant `from` on. -ENOENT.
int nic_load_run(struct nic *nic, uint32_t number, bool on, tstamp from);
int nic_load_add_job(struct nic *nic, const struct nic_job_params *p);
// Whether a message of its load or job waits, and may be posted.
bool nic_load_waits(const struct nic *nic, const struct nic_qp *qp);
// Loads bring messages again, from `now` on; what came since nic.quiet_at is nobody's.
void nic_load_go_on(struct nic *nic, tstamp now);
// Calls `fn` with each queue pair of a load, by its index. -ENOENT: there is no such load.
int nic_load_each(struct nic *nic, uint32_t number,
	void (*fn)(struct nic *nic, unsigned qp, bool on, tstamp now), bool on, tstamp now);
// A message came for requester `i`: it posts what may be posted, once it has a place.
void nic_load_wake(struct nic *nic, unsigned i, tstamp now);
// Looks at a message of queue pair `qp` that waits: first at *place NIC_LOAD_FIRST, then at what
// the call before has left there. False: there is none.
#define NIC_LOAD_FIRST (UINT32_MAX - 1)
bool nic_load_look(
	const struct nic *nic, unsigned qp, uint32_t *place, uint32_t *bytes, tstamp *at);

// A queue pair by its index or number, which is used from here on; NULL: there is none.
static inline struct nic_qp *nic_qp_at(struct nic *nic, unsigned i)
{
	return LIKELY(nic->qp[i] != NULL) ? nic->qp[i] : nic_idle_end(nic, i);
}

static inline struct nic_qp *nic_qp_numbered(struct nic *nic, uint32_t number)
{
	struct nic_qp *qp = nic_by_number(nic, number);

	return LIKELY(qp != NULL) ? qp : nic_idle_end_number(nic, number);
}

static inline struct nic_qp *nic_qp_with_qpn(struct nic *nic, uint32_t qpn)
{
	struct nic_qp *qp = nic_by_qpn(nic, qpn);

	return LIKELY(qp != NULL) ? qp : nic_idle_end_number(nic, qpn - nic->p.qpn_base);
}

static inline const struct nic_kind *nic_kind(const struct nic *nic, uint32_t kind)
{
	return nic->kind[kind];
}

// The kind of a queue pair by its index.
static inline uint32_t nic_kind_at(const struct nic *nic, unsigned i)
{
	const struct nic_qp *qp = nic->qp[i];

	if (!qp)
		return nic->idle[i].kind;
	return qp->requester ? qp->req.kind : qp->rsp.kind;
}

// The size of a ring for that many messages: the exponent of its room.
static inline unsigned nic_ring_size(unsigned outstanding)
{
	return outstanding > 1 ? 32u - (unsigned)__builtin_clz(outstanding - 1) : 0;
}

// The RETH of a packet that came as bytes.
static inline struct rc_reth nic_reth(const struct pkt *p)
{
	struct rc_reth r = {0};

	if (bth_ops[p->u.rc.opcode].len_off)
		frame_pkt_reth(p, &r.va, &r.rkey, &r.bytes);
	return r;
}

// idle.c, for who looks at a queue pair and leaves it as it is
struct nic_qp_params nic_idle_params(const struct nic *nic, unsigned i); // of one without a place
// The rest of queue pair `i`, which has no place, until the next call.
const struct nic_rest *nic_idle_rest(const struct nic *nic, unsigned i);
uint32_t nic_flow_at(const struct nic *nic, unsigned i);
bool nic_requests(const struct nic *nic, unsigned i); // it is a requester
// Before the run: makes room for one more queue pair, in order of nic_add_qp, and sets it up. It
// has no place from here on if nothing of it is needed before its first frame.
int nic_place_make(struct nic *nic, bool requester);
void nic_place_unmake(struct nic *nic, bool requester, bool lent); // the last one
int nic_place_fill(struct nic *nic, const struct nic_qp_params *p, uint32_t kind, bool may_idle);

// refuse.c
// Refuses a request for a requester, which takes none. False: its peer is a NIC of ours, so the
// frame is for nobody here.
bool nic_refuse_request(struct nic *nic, const struct nic_qp *qp, const struct pkt *p, tstamp now);

// ring.c
// Before the run: one more queue pair of this configuration may need a map.
int nic_maps_add(struct nic *nic, const struct rc_cfg *cfg);

// adopt.c
void nic_brought_free(struct nic_brought *b); // and what follows it in its list
// Gives the NIC *room for other kinds than the kinds of the start, unless it has some. *room gets
// the memory that the NIC does not need.
void nic_kind_make_room(struct nic *nic, struct nic_kind_room *room);
// A queue pair takes over another kind. What no queue pair has any longer joins the list *back.
void nic_pair_adopt(
	struct nic *nic, const struct nic_pair_order *o, struct nic_brought **back, tstamp now);
// Queue pairs have what was brought: the NIC keeps it.
void nic_brought_keep(struct nic *nic, struct nic_brought *b);

// np.c
// The notification points take over another configuration of the same key; `off`: no CNPs.
void nic_np_adopt(struct nic *nic, const struct dcqcn_np_cfg *cfg, bool off, tstamp now);

// port.c
void nic_reckon(struct nic *nic); // the cached deadline anew
void nic_queue(struct nic *nic, unsigned cls, struct pkt *p, tstamp now); // a frame that was made
void nic_shut(struct nic *nic, unsigned queue, tstamp at); // it is paused, or the link is down
void nic_open(struct nic *nic, unsigned queue, tstamp at); // one of both has ended
// Bitmap of the queues that carry these classes (bitmap).
uint8_t nic_queues_of(const struct nic *nic, uint8_t classes);
void nic_stop_queues(struct nic *nic); // those of the classes that a pause stops now
void nic_drop(struct nic *nic, enum nic_drop why, struct pkt *p, tstamp now);

// Bytes that drain from the receive buffer in `fill` ps.
static inline uint64_t nic_rxbuf_drains(const struct nic_rxbuf *b, tstamp fill)
{
	return b->ps ? fixed_muldiv(fill, 1u << 20, b->ps) : 0;
}

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

// Fetches a requester for its next frame: whether and when it leaves, and how it is made. Inlined
// always: gcc takes a function that only prefetches for one without effect.
INLINE void nic_req_fetch(const struct nic_qp *qp)
{
	__builtin_prefetch(qp, 0, 2);
	__builtin_prefetch((const char *)qp + NIC_LINE, 0, 2);
}

// Fetches the memory that the next frame needs besides the requester, which has been fetched.
INLINE void nic_use_fetch(const struct nic_qp *qp)
{
	if (!qp->requester)
		return;
	__builtin_prefetch(nic_use(&qp->req), 0, 2);
	if (qp->reacts)
		__builtin_prefetch(&qp->req.own, 0, 2);
	rc_tx_fetch(&qp->req.tx);
}

#include "peer.h"
#include "requester.h"
#include "responder.h"
