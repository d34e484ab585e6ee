// SPDX-License-Identifier: BSD-3-Clause
// The inside of the switch: state of a port, forwarding cache, and the steps that its files share.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "fabric.h"
#include "sw.h"
#include "base/hint.h"
#include "wire/eth.h"

#pragma GCC visibility push(hidden)

#define SW_LINE         64 // bytes of a cache line, on which a port begins
#define SW_FDB_ENTRIES  16384
#define SW_FDB_AGE_PS   (300 * PS_PER_S) // 802.1Q cl. 8.8.3, the recommended ageing time
#define SW_REFRESH_PART 16 // a known source is written to the FDB this often per ageing time
#define SW_BURST        64 // frames that are sorted together

// sw_cls.hooks: what else is done to a frame of a class; 0: nothing, and one branch says so.
enum {
	SW_HOOK_QCN = 1 << 0,   // it has congestion points
	SW_HOOK_UNTAG = 1 << 1, // some port strips its CN-TAGs
	SW_HOOK_HEAVY = 1 << 2, // iQCN looks at its queues
	SW_HOOK_CNP = 1 << 3,   // iQCN learns from CNPs in it, and sees data
	SW_HOOK_ACK = 1 << 4,   // Fast CNP learns from ACKs in it
	SW_HOOK_MARK = 1 << 5,  // Fast CNP is told of frames that are marked
};

// sw_cls.rx_look, tx_look: who decides about a frame that joins or leaves a queue. Plain: the
// marker alone, on the queue as it is.
enum { SW_LOOK_NONE, SW_LOOK_PLAIN, SW_LOOK_WRED };

#define SW_KIND(k) (1u << (k))
#define SW_ODD_KINDS \
	(SW_KIND(PKT_PFC) | SW_KIND(PKT_PAUSE) | SW_KIND(PKT_MACCTL) | SW_KIND(PKT_BAD))

// Of RoCEv2, what a CNP may be about.
#define SW_DATA_KINDS (SW_KIND(PKT_DATA) | SW_KIND(PKT_ROCE))

// sw_fwd.cls where the class follows from each frame's DSCP.
#define SW_CLS_BY_DSCP PKT_CLASSES

// sw_fwd.out where it is no port.
enum { SW_OUT_ODD = 0xff00, SW_OUT_FLOOD = SW_OUT_ODD, SW_OUT_RESERVED, SW_OUT_SAME };

// From here on what the FDB has for an address is the number of a set of equal ecmp, not a port.
#define SW_ECMP NODE_PORTS

// Where the frames of one header go that come from one port, remembered until something may differ.
struct sw_fwd {
	tstamp valid; // until then neither look-up nor learning is due
	uint32_t gen; // of the FDB, when it was looked up
	uint16_t in_port;
	uint16_t out; // port or SW_OUT_*
	uint8_t cls;  // class or SW_CLS_BY_DSCP
};

// Ports of equal cost, in their order.
struct sw_ecmp_set {
	const uint16_t *port;
	unsigned n;
};

// The way of one frame, in the same words.
struct sw_way {
	uint16_t out;
	uint8_t cls;
	uint8_t resv;
};

static inline bool sw_same_way(struct sw_way a, struct sw_way b)
{
	return a.out == b.out && a.cls == b.cls;
}

// What configuration settles about a class, the same at every port. The first line is read for each
// frame.
struct sw_cls {
	struct red_cfg red;
	uint32_t tail_limit; // bytes; UINT32_MAX: none
	uint32_t look_bytes; // a frame that joins is looked at in a queue above this
	// Queues up to these lengths get a run of frames, or give one, undecided.
	uint32_t rx_calm_bytes, tx_calm_bytes;
	uint8_t mark; // enum sw_mark
	uint8_t rx_look, tx_look;
	uint8_t hooks; // SW_HOOK_*
	bool mark_any;
	bool excludes_frame;
	bool pfc;
	bool fast_ce; // Fast CNP: beside CE
	uint8_t wred; // enum sw_wred
	uint8_t wred_exponent;
	uint8_t cnm_class;
	uint8_t min_header_octets;
	uint16_t quanta;
	// The second line.
	struct red_cfg wred_drop;
	uint32_t heavy_bytes, heavy_off_bytes; // iQCN
	unsigned refresh_permille;
} __attribute__((aligned(SW_LINE)));

// The congestion point of one egress queue.
struct sw_cp {
	struct qcn_cp cp;
	struct prng rng;
	uint8_t cpid[8];
};

struct sw_shape {
	struct shaper_cfg cfg;
	struct shaper s;
	uint8_t turn;     // DWRR among queues that are served for their guarantee,
	bool out_of_turn; // and whether this is at work
	int32_t deficit[PKT_CLASSES];
};

// The watchdog of a port's egress queues.
struct sw_wd {
	struct pfcwd_cfg cfg;
	tstamp next;     // poll; TSTAMP_NEVER: it does not watch
	uint8_t classes; // bitmap: watched
	uint8_t shut;    // of these, whose frames are dropped
	struct pfcwd q[PKT_CLASSES];
	tstamp since[PKT_CLASSES]; // of the storm
	struct sw_wd_stats stats[PKT_CLASSES];
};

// What a frame touches of its ports: the line of both (deadlines, egress port), one of the ingress
// port's group with what is counted of what comes in (struct mmu_pg), one of the egress queue with
// what is counted of what leaves (struct eport_q), and one of the marker where the queue has one.
// All else is elsewhere.

// mmu_pg.own: counters of a class at its ingress port, in the group of the same number.
enum { SW_IN_FRAMES, SW_IN_BYTES, SW_IN_CE, SW_IN_FORWARDED };

// The marker of an egress queue, and what else may be decided about its frames.
struct sw_out {
	uint64_t seen_frames[ECN_CE + 1];
	uint64_t ecn_marked_frames;
	struct red_curve *curve; // NULL: not monitored, or nothing marks
	struct red_avg *avg;     // NULL: the curves look at the queue as it is
	struct sw_cp *cp;        // NULL: none
};

// ECT frames that it has seen.
static inline uint64_t sw_out_ect(const struct sw_out *o)
{
	return o->seen_frames[ECN_ECT0] + o->seen_frames[ECN_ECT1];
}

// Of frames that are counted by codepoint, 8 bits each: how many have this one.
static inline unsigned sw_frames_with(uint32_t by_ecn, unsigned ecn)
{
	return by_ecn >> 8 * ecn & 0xff;
}

// They are looked at and not marked.
static inline void sw_seen(struct sw_out *o, uint32_t by_ecn)
{
	for (unsigned i = 0; i <= ECN_CE; i++)
		o->seen_frames[i] += sw_frames_with(by_ecn, i);
}

// What a port has that no frame touches which is simply forwarded.
struct sw_rare {
	struct pause_rx prx;
	struct pause_tx ptx;
	struct hdr pfc_hdr;
	struct eport_cfg ecfg;                  // its own, once a command has changed a weight
	struct sw_port_stats stats;             // but what sw_port_stats adds up
	struct sw_class_stats cls[PKT_CLASSES]; // but what stands in the lines above
	uint64_t consumed_bytes;
	uint8_t pfc_mask; // priorities of received PFC that pause_rx is told
	bool pause_honour;
	uint8_t storm; // bitmap: classes kept in XOFF by command
	tstamp storm_end[PKT_CLASSES];
	tstamp heavy_since[PKT_CLASSES];
	uint8_t own_map[64 + 8];
};

// sw_port.flags
enum {
	SW_PORT_TRUSTS_PCP = 1 << 0, // else DSCP
	SW_PORT_OWN_MAP = 1 << 1,    // dscp_to_class is not the switch's
	SW_PORT_SHAPED = 1 << 2,
};

struct sw_port {
	// The first line.
	tstamp deadline;  // cached: see sw_port_due
	tstamp ctl_at;    // instant a PFC frame is due
	tstamp timer;     // instant a pause runs out, a storm ends or the watchdog looks
	uint16_t max_len; // longest frame taken or given; 0 while the link is down
	uint16_t index;
	uint8_t default_class;
	uint8_t blocked; // bitmap: queues that are paused or that the shaper holds
	bool away;       // it is another shard's: max_len is 0, and frames for it cross the fabric
	uint8_t flags;
	struct eport e;
	// Behind its queues, where something is decided.
	struct sw_rare *rare;
	uint8_t heavy; // iQCN: bitmap of classes whose queue is heavily congested
	uint8_t untag; // bitmap of classes whose CN-TAGs are stripped from what leaves
	uint16_t mtu;
	struct sw_wd *wd; // NULL: none
	struct prng rng;
	struct sw_shape *shape;       // NULL: no shaper
	const uint8_t *dscp_to_class; // the switch's, or at an edge of a QCN domain its own
	const uint8_t *pcp_to_class;
	struct pause_response *response; // NULL: PFC takes effect at once
	struct sw_out out[PKT_CLASSES] __attribute__((aligned(SW_LINE)));
} __attribute__((aligned(SW_LINE)));

_Static_assert(offsetof(struct sw_port, e.q) == SW_LINE && sizeof(struct sw_out) == SW_LINE &&
		       offsetof(struct sw_port, out) % SW_LINE == 0,
	"lines");
_Static_assert((int)MMU_PGS == PKT_CLASSES, "mmu_pg.own is of a class");

struct sw {
	struct pkt_stack *stack;
	struct ev_ring *events;
	struct sw_port *port;
	struct sw_fwd *fwd; // by hdr.id
	uint32_t n_ids;     // ids 1..n_ids are in fwd
	uint32_t gen;       // of the FDB, from 1: any change of an entry's port
	uint32_t queue_extra;
	unsigned n_ports;
	// bitmap: classes whose frames sw_buffer_admit looks at one by one
	uint8_t admit_each;
	uint8_t shut;   // bitmap: classes of which the watchdog has shut some queue
	bool two_sided; // pools, else mmu alone
	bool mapped;    // queue_of and pg_of are not the identity
	bool pause;     // 802.3x: see sw_params
	// with pause: group of frames that the switch makes, as it has not received them
	uint8_t own_pg;
	// two_sided, mapped or cut: frames leave the buffer by sw_buffer_release, one by one
	bool release_each;
	uint8_t queue_of[PKT_CLASSES], pg_of[PKT_CLASSES]; // by class
	uint8_t prios_of[MMU_PGS]; // by group: bitmap of the classes with pfc
	struct mmu mmu;
	struct node_touched touched;
	uint64_t up[NODE_PORT_WORDS]; // ports whose link is up
	tstamp refresh_ps;
	uint8_t dscp_to_class[64] __attribute__((aligned(SW_LINE)));
	uint8_t pcp_to_class[8];
	struct sw_cls cls[PKT_CLASSES];
	struct table fdb;
	struct sw_ecmp_group *ecmp;
	struct sw_ecmp_set *ecmp_set; // the same as lists
	uint16_t *ecmp_list;          // what the lists are cut from
	unsigned n_ecmp;
	uint64_t ecmp_salt;
	struct mmu_cfg mmu_cfg;
	struct mmu_pools pools;
	struct mmu_pools_cfg pools_cfg;
	struct qcn_cp_cfg qcn[PKT_CLASSES];
	struct iqcn *iqcn; // NULL: off
	struct iqcn_cfg iqcn_cfg;
	struct fast_cnp *fast_cnp; // NULL: off
	struct fast_cnp_cfg fast_cnp_cfg;
	uint8_t fast_cnp_class, fast_cnp_tos;
	struct sw_fabric *fabric; // NULL: the switch is not cut
	unsigned shard;           // number of this shard
	struct mmu_lease lease;   // of a buffer with one side; else pools has its own
	struct eport_yard yard;   // of a shard's queues
	// Of the last burst of sw_tx: the frames before this one are known to leave as the bytes
	// that they came in.
	struct pkt *const *as_came;
	struct sw_rare *rare;   // of each port
	struct eport_cfg *ecfg; // of ports that are alike
	unsigned n_ecfg;
	void *port_mem, *mem; // what `port` and the switch itself are cut from
};

// The ingress counters of a class at a port.
static inline uint64_t *sw_in(struct sw *sw, const struct sw_port *in, unsigned cls)
{
	return sw->mmu.pg[in->index * MMU_PGS + cls].own;
}

static inline const uint8_t *sw_dscp_map(const struct sw *sw, const struct sw_port *in)
{
	return UNLIKELY(in->flags & SW_PORT_OWN_MAP) ? in->dscp_to_class : sw->dscp_to_class;
}

// The earliest instant at which tx could act. A control frame that is due or a class that may send
// waits for the wire; timers do not. A paused class needs no term of its own: the end of its pause
// is in `timer`. While nothing may be sent, the wire is idle but not lost.
static inline tstamp sw_port_due(struct sw_port *o)
{
	tstamp t = 0;

	if (!(o->e.nonempty & ~(unsigned)o->blocked)) {
		eport_starve(&o->e);
		t = o->ctl_at;
	}
	return tstamp_min(tstamp_max(t, eport_free_at(&o->e)), o->timer);
}

// A class queue of `o` got a frame. While a class is paused, the end of the pause is in the
// deadline.
static inline void sw_queue_ready(struct sw *sw, struct sw_port *o, unsigned cls)
{
	tstamp t = eport_free_at(&o->e);

	if (t < o->deadline && !(o->blocked >> cls & 1)) {
		o->deadline = t;
		node_touch(&sw->touched, o->index);
	}
}

// To be called after a change to a port from outside its own tx.
static inline void sw_port_changed(struct sw *sw, struct sw_port *o)
{
	tstamp t = sw_port_due(o);

	if (t != o->deadline) {
		o->deadline = t;
		node_touch(&sw->touched, o->index);
	}
}

// The class that a header gives, or SW_CLS_BY_DSCP: DSCP stands in each packet's tos.
static inline uint8_t sw_header_class(const struct sw_port *in, const struct hdr *h)
{
	bool ip = h->flags & HDR_IP, vlan = h->flags & HDR_VLAN;

	if (ip && (!(in->flags & SW_PORT_TRUSTS_PCP) || !vlan))
		return SW_CLS_BY_DSCP;
	return vlan ? in->pcp_to_class[h->vlan_tci >> 13] : in->default_class;
}

// fdb.c
void sw_fwd_fill(struct sw *sw, struct sw_fwd *f, const struct hdr *h, unsigned port, tstamp now);
void sw_fdb_flush(struct sw *sw, unsigned port);
// The way of a frame that came in at `in`; its source is learned.
struct sw_way sw_way(struct sw *sw, const struct sw_port *in, const struct hdr *h, tstamp now);
// The same for n frames, at most SW_BURST, in their order.
void sw_ways(struct sw *sw, const struct sw_port *in, struct pkt **burst, unsigned n,
	struct sw_way *way, tstamp now);
// Whether the source of a frame lives at `port`: its FDB entry, static or learned, leads there or
// to a set of equal ways that has the port, and did not move within the last `settle_ps`.
bool sw_fdb_lives(
	const struct sw *sw, const struct hdr *h, unsigned port, tstamp settle_ps, tstamp now);

// The cached way of a frame that came in on `port`.
static inline const struct sw_fwd *sw_fwd_fresh(
	struct sw *sw, struct sw_fwd *f, const struct hdr *h, unsigned port, tstamp now)
{
	if (UNLIKELY(now >= f->valid || f->gen != sw->gen || f->in_port != port))
		sw_fwd_fill(sw, f, h, port, now);
	return f;
}

// A group of port `in` reaches XOFF, or comes back to XON.
void sw_xoff(struct sw *sw, struct sw_port *in, unsigned pg, tstamp now);
void sw_xon(struct sw *sw, struct sw_port *in, unsigned pg, tstamp now);

// ecmp.c
int sw_ecmp_lists(struct sw *sw);

static inline uint64_t sw_ecmp_mix(uint64_t h, uint64_t word)
{
	h = (h ^ word) * 0x9e3779b97f4a7c15;
	return h ^ h >> 32;
}

// What routers hash: addresses, VLAN, protocol, UDP ports; nothing that differs between the frames
// of a flow. First what is looked up, then the rest.
static inline uint64_t sw_ecmp_of_place(uint64_t salt, const struct hdr *h)
{
	uint16_t vid = h->flags & HDR_VLAN ? h->vlan_tci & 0xfff : 0;

	return sw_ecmp_mix(sw_ecmp_mix(salt, eth_key(h->dst, vid)), eth_key(h->src, vid));
}

static inline uint64_t sw_ecmp_of_flow(uint64_t of_place, const struct hdr *h)
{
	uint64_t ip[4];

	if (h->flags & HDR_IP) {
		memcpy(ip, h->saddr, 16);
		memcpy(ip + 2, h->daddr, 16);
		for (unsigned i = 0; i < 4; i++)
			of_place = sw_ecmp_mix(of_place, ip[i]);
		of_place = sw_ecmp_mix(
			of_place, (uint64_t)h->proto << 32 | (uint32_t)h->sport << 16 | h->dport);
	}
	return sw_ecmp_mix(of_place, 0);
}

// The port of a set that a hash falls on, as sw_ecmp_port has it; the list finds it, and another
// port is looked for where the link is down.
static inline unsigned sw_ecmp_way(const struct sw *sw, unsigned set, uint64_t hash)
{
	const struct sw_ecmp_set *s = &sw->ecmp_set[set];
	unsigned port = s->port[(unsigned __int128)hash * s->n >> 64];

	if (LIKELY(sw->up[port / 64] >> port % 64 & 1))
		return port;
	return sw_ecmp_port(&sw->ecmp[set], sw->up, hash);
}

// buffer.c
int sw_buffer_init(struct sw *sw, const struct sw_params *p);
// The buffer takes a frame of port `in` for the queue of port `out`, and gives it back.
// Where the watchdog has shut either queue: SW_REFUSED.
#define SW_REFUSED (MMU_DROP_QUEUE + 1)
unsigned sw_buffer_admit(struct sw *sw, struct sw_port *in, struct sw_port *out,
	const struct pkt *p, uint32_t bytes);
bool sw_buffer_release(struct sw *sw, const struct pkt *p, unsigned out, uint32_t bytes);
// Of a cut switch: where this shard leases from, once it is made.
void sw_buffer_pools(struct sw *sw);
// The queue's side of a buffer with two sides takes a frame that another shard has admitted.
bool sw_buffer_takes_crossed(struct sw *sw, const struct sw_port *out, const struct pkt *p);
// Frames that this shard has admitted are gone from another one: `bytes` as the buffer counts them.
// True: their group has come back to XON.
bool sw_buffer_credited(struct sw *sw, unsigned port, unsigned pg, uint32_t bytes);
// n frames like p, which another shard has admitted, leave the queue of port `out`.
static inline void sw_buffer_credit(
	struct sw *sw, const struct pkt *p, unsigned out, unsigned n, tstamp now)
{
	uint32_t bytes = p->len + sw->queue_extra;

	if (UNLIKELY(sw->two_sided))
		mmu_leave_queue(&sw->pools, out, p->cls, n * mmu_cells(&sw->pools_cfg, bytes));
	sw_fabric_credit(sw, p, n, n * bytes, SW_FORWARDED, now);
}

// Of a cut switch, before frames of `bytes` in all are admitted: looks at the shared pool, and
// leases what they will take of it; nothing where they will not be admitted into it. `burst`: by
// mmu_admit_burst, else one frame.
void sw_buffer_lease(struct sw *sw, unsigned port, unsigned pg, uint32_t bytes, bool burst);

// The group that a frame is in.
static inline unsigned sw_pg(const struct sw *sw, const struct pkt *p)
{
	return sw->mapped ? p->pg : p->cls;
}

INLINE unsigned sw_admit(struct sw *sw, struct sw_port *in, struct sw_port *out,
	const struct pkt *p, unsigned cls, uint32_t bytes)
{
	if (UNLIKELY(sw->admit_each >> cls & 1))
		return sw_buffer_admit(sw, in, out, p, bytes);
	return mmu_admit(&sw->mmu, in->index, cls, bytes);
}

// Gives back the buffer of a frame that leaves queue `cls` of port `out`; its group may come to
// XON.
INLINE void sw_release(
	struct sw *sw, const struct pkt *p, unsigned out, unsigned cls, uint32_t bytes, tstamp now)
{
	if (UNLIKELY(sw->release_each)) {
		if (sw->port[p->in_port].away)
			sw_buffer_credit(sw, p, out, 1, now);
		else if (sw_buffer_release(sw, p, out, bytes))
			sw_xon(sw, &sw->port[p->in_port], sw_pg(sw, p), now);
	} else if (mmu_release(&sw->mmu, p->in_port, cls, bytes)) {
		sw_xon(sw, &sw->port[p->in_port], cls, now);
	}
}

// holder.c: after an XOFF for some classes of a port, an event for each egress queue that holds
// bytes of their ingress group, largest first and at most so many of a group. It walks the queues,
// so it does so only where somebody wants these events.
#define SW_HOLDERS 4
void sw_holders(struct sw *sw, const struct sw_port *in, uint8_t classes, tstamp now);

// pfc.c
int sw_pfc_init(struct sw *sw, const struct sw_params *p);
uint8_t sw_paused(const struct sw *sw, const struct sw_port *o); // bitmap: queues
void sw_blocked(struct sw *sw, struct sw_port *o);               // finds o->blocked anew
void sw_pause(struct sw *sw, struct sw_port *o, uint8_t enable, const uint16_t *quanta, tstamp now);
int sw_response_init(struct sw_port *o, const struct sw_port_params *p);
void sw_response_fini(struct sw_port *o);
void sw_timers(struct sw *sw, struct sw_port *o, tstamp now);
void sw_put_pfc(struct sw *sw, struct sw_port *o, tstamp now);
void sw_pfc_link(struct sw *sw, struct sw_port *o, tstamp now);
int sw_storm(struct sw *sw, const struct ctl *ctl, tstamp now);
void sw_timer_changed(struct sw *sw, struct sw_port *o);

// fabric.c
struct sw_fabric *sw_fabric_new(const struct sw_params *p);
void sw_fabric_free(struct sw_fabric *f);

// The shard that owns a port.
static inline const struct sw *sw_of(const struct sw *sw, unsigned port)
{
	return sw->fabric ? sw->fabric->shard[port % sw->fabric->n] : sw;
}

// sw.c: shard k of a cut switch; sw_fini frees the fabric, too.
int sw_shard_init(struct sw **sw, struct sw_fabric *f, unsigned k, const struct sw_params *params,
	struct pkt_stack *stack, struct ev_ring *events);

// rx.c: a frame that another shard admitted has come for port `out`; `untagged`: there it
// has lost its CN-TAG.
void sw_arrived(struct sw *sw, struct pkt *p, unsigned out, bool untagged, tstamp now);

// fdb.c: another shard has learned an address, at `seen` of its clock.
void sw_fdb_told(struct sw *sw, uint64_t key, unsigned port, tstamp seen, tstamp now);

// burst.c: those of SW_MSG_TRAIN join their queue as one, where nothing is to be decided about a
// frame of it; else false, and they go on as a burst.
bool sw_arrived_train(struct sw *sw, const struct sw_msg *m, const eport_car *car, tstamp now);
// burst.c: the frames of a message have come: another shard has admitted them, or only received
// them for a port of this one.
void sw_arrived_burst(struct sw *sw, const struct sw_msg *m, struct pkt **burst, tstamp now);
void sw_handed_over(struct sw *sw, const struct sw_msg *m, struct pkt **burst, tstamp now);

// drop.c: frames of `len` octets in all that came in at `in` were dropped.
void sw_count_lost(
	struct sw_port *in, unsigned cls, unsigned pg, unsigned why, unsigned frames, uint64_t len);

// rx.c
// Frames that are not simply forwarded. sw_rx_odd: whether the frame goes on, for the fault that it
// has does not concern a bridge; else it is gone.
bool sw_rx_odd(struct sw *sw, struct sw_port *in, struct pkt *p, tstamp now);
void sw_rx_no_port(struct sw *sw, struct sw_port *in, struct pkt *p, unsigned out, tstamp now);
// Queues one frame at port `out`, or drops it.
void sw_queue(struct sw *sw, struct sw_port *in, struct pkt *p, unsigned out, tstamp now);
// iQCN and Fast CNP learn from a frame that was queued; from CNPs and ACKs where this shard has
// received them.
void sw_learn_from(
	struct sw *sw, struct sw_port *in, const struct pkt *p, bool received, tstamp now);
// From one that this shard has received and another one will queue.
void sw_learn_crossing(struct sw *sw, struct sw_port *in, const struct pkt *p, tstamp now);

static inline bool sw_is_odd(const struct sw_port *in, const struct pkt *p)
{
	return (SW_ODD_KINDS >> p->kind & 1) || p->len > in->max_len;
}

void sw_originate(struct sw *sw, struct sw_port *in, struct pkt *p, unsigned out, tstamp now);

// qcn.c
int sw_qcn_class(struct sw *sw, unsigned cls, const struct sw_qcn_params *p);
int sw_qcn_port(struct sw *sw, struct sw_port *o, const struct sw_params *params);
void sw_qcn_fini(struct sw_port *o);
void sw_qcn_frame(struct sw *sw, struct sw_port *o, const struct pkt *p, tstamp now);
bool sw_untag(struct sw_port *o, struct pkt *p);

// iqcn.c
int sw_iqcn_init(struct sw *sw, const struct sw_params *params);
void sw_iqcn_fini(struct sw *sw);
void sw_iqcn_cnp(struct sw *sw, struct sw_port *in, const struct pkt *p, tstamp now);
void sw_iqcn_learn(struct sw *sw, struct sw_port *in, const struct pkt *p, tstamp now);
void sw_iqcn_heavy(struct sw *sw, struct sw_port *o, unsigned cls, bool on, tstamp now);
void sw_iqcn_timers(struct sw *sw, struct sw_port *o, tstamp now);
void sw_iqcn_account(struct sw_port *o, tstamp now);

// fast_cnp.c
int sw_fast_cnp_init(struct sw *sw, const struct sw_params *params);
void sw_fast_cnp_fini(struct sw *sw);
// The marker chose a frame that leaves or will leave by `o`. Whether its flow is told without CE.
bool sw_fast_cnp_marked(
	struct sw *sw, struct sw_port *o, const struct pkt *p, uint64_t seen_bytes, tstamp now);
// The same of a data frame, once its flow has been looked up.
bool sw_fast_cnp_tell(struct sw *sw, struct sw_port *o, const struct pkt *p,
	const struct fast_cnp_said *said, uint64_t seen_bytes, tstamp now);

// burst.c: what a burst has in common is done once; the same comes of it as frame by frame.
// Takes n frames, at most SW_BURST, sorted by egress port and queue.
void sw_rx_burst(struct sw *sw, struct sw_port *in, struct pkt **burst, unsigned n, tstamp now);

// leave.c: the same of what leaves a queue.
// Gives frames of a class that eport_pick chose, as long as it would choose that again and nothing
// is to be decided about each; 0: the next one goes alone. `gate`: what else they pass
// (eport_get_burst), or NULL.
unsigned sw_tx_burst(struct sw *sw, struct sw_port *o, int cls, struct pkt **burst, unsigned max,
	struct rate_gate *gate, tstamp now);

// wd.c
int sw_wd_init(struct sw_port *o, const struct sw_port_params *p);
void sw_wd_poll(struct sw *sw, struct sw_port *o, tstamp now);
void sw_wd_start(struct sw *sw, struct sw_port *o, tstamp now);
void sw_wd_stop(struct sw *sw, struct sw_port *o, tstamp now);

// shape.c
int sw_shape_init(struct sw *sw, struct sw_port *o, const struct sw_port_params *p);
void sw_shape_look(struct sw *sw, struct sw_port *o, tstamp now);
// The port is asked for frames, and has been asked.
void sw_shape_asked(struct sw *sw, struct sw_port *o, tstamp now);
void sw_shape_left(struct sw *sw, struct sw_port *o);
int sw_shape_pick(struct sw_port *o);
void sw_shape_got(struct sw_port *o); // after eport_get of what sw_shape_pick gave
void sw_shape_sent(struct sw *sw, struct sw_port *o, unsigned cls, uint32_t len, tstamp now);
// Gives frames of the class that sw_shape_pick gave as sw_tx_burst does, as far as they may leave
// one behind the other; 0: the next one goes alone.
unsigned sw_shape_burst(struct sw *sw, struct sw_port *o, unsigned cls, struct pkt **burst,
	unsigned max, tstamp now);

// map.c
int sw_map_init(struct sw *sw, const struct sw_params *p);
unsigned sw_map(const struct sw *sw, struct pkt *p, unsigned cls);

// sw.c
void sw_flush(struct sw *sw, struct sw_port *o, unsigned cls, enum sw_drop why, tstamp now);

// drop.c
void sw_count_drop(struct sw *sw, const struct pkt *p, enum sw_drop why, unsigned out,
	uint64_t held_bytes, tstamp now);
void sw_drop(struct sw *sw, struct pkt *p, enum sw_drop why, unsigned out, uint64_t held_bytes,
	tstamp now);

// The codepoint that the marker of a class takes a frame's for.
INLINE unsigned sw_marker_ecn(const struct sw_cls *k, const struct pkt *p)
{
	unsigned ecn = pkt_ecn(p);

	return k->mark_any && ecn == ECN_NOT_ECT ? ECN_ECT0 : ecn;
}

// Asks the marker of a class about a frame at an egress port.
INLINE bool sw_marker(
	const struct sw_cls *k, struct sw_port *o, const struct pkt *p, uint32_t qlen_bytes)
{
	unsigned ecn = sw_marker_ecn(k, p);

	o->out[p->cls].seen_frames[ecn]++;
	return red_mark(&k->red, o->out[p->cls].curve, &o->rng, qlen_bytes, ecn);
}

// The third zone of H3C (standards.md 6.3), where frames that are not ECT get a mark, too.
INLINE bool sw_marks_above(const struct sw_cls *k, const struct pkt *p, uint32_t qlen_bytes)
{
	return UNLIKELY(k->wred == SW_WRED_H3C) && pkt_ecn(p) == ECN_NOT_ECT &&
	       qlen_bytes > k->red.kmax_bytes && p->hdr->flags & HDR_IP;
}

// Marker and third zone.
INLINE bool sw_marks(
	const struct sw_cls *k, struct sw_port *o, const struct pkt *p, uint32_t qlen_bytes)
{
	return sw_marker(k, o, p, qlen_bytes) || sw_marks_above(k, p, qlen_bytes);
}

// A frame joins a queue that may have been empty: what the average makes of that time.
static inline void sw_avg_wake(
	const struct sw_cls *k, struct sw_port *o, const struct pkt *p, tstamp now)
{
	struct red_avg *a = o->out[p->cls].avg;

	if (UNLIKELY(red_avg_is_idle(a)))
		red_avg_idle(
			a, k->wred_exponent, tstamp_max(eport_wire_time(o->e.cfg, p->len), 1), now);
}

// A frame joins a queue, then qlen_bytes long: the average.
static inline uint32_t sw_avg_arrival(const struct sw_cls *k, struct sw_port *o,
	const struct pkt *p, uint32_t qlen_bytes, tstamp now)
{
	sw_avg_wake(k, o, p, now);
	return red_avg_learn(o->out[p->cls].avg, k->wred_exponent, qlen_bytes);
}

// The marker chose a frame that leaves or will leave by `o`: CE, or what stands in its place.
// `qlen_bytes` is what it saw, where it keeps no average.
void sw_mark(struct sw *sw, struct sw_port *o, struct pkt *p, uint32_t qlen_bytes, tstamp now);
// The frame gets CE, and nothing else comes of that.
void sw_mark_ce(struct sw *sw, struct sw_port *o, struct pkt *p, uint64_t seen_bytes, tstamp now);

// choice.c: what the marker decides about frames that leave a queue together.
struct sw_choice {
	uint64_t ect, marked;                // bitmaps of the frames: ECT above Kmin, chosen
	struct prng rng;                     // the port's, behind the decisions
	bool averaged;                       // all find the same length
	uint32_t sees[SW_BURST];             // lengths that were above Kmin
	struct fast_cnp_said said[SW_BURST]; // of chosen data frames
};
// Decides about n frames, before which the queue had `qlen_bytes`; `alike` at their head agree in
// pkt_word. Nothing changes but *c.
void sw_choose(const struct sw *sw, const struct sw_port *o, int cls, struct pkt *const *burst,
	unsigned n, unsigned alike, uint32_t qlen_bytes, struct sw_choice *c);
// Of the n frames those up to the first whose mark makes a CNP of Fast CNP: the buffer takes that
// before the next frame leaves.
unsigned sw_choice_until_cnp(
	const struct sw *sw, struct pkt *const *burst, unsigned n, struct sw_choice *c, tstamp now);
// They have left: counts them, and marks those that were chosen. `by_ecn`: frames by codepoint, 8
// bits each.
void sw_choice_done(struct sw *sw, struct sw_port *o, int cls, struct pkt *const *burst,
	uint32_t by_ecn, const struct sw_choice *c, tstamp now);

// wred.c: SW_LOOK_WRED. What becomes of a frame that joins a queue, then qlen_bytes long;
// whether one is marked that leaves it.
enum sw_verdict { SW_PASS, SW_MARK, SW_DROP };
int sw_wred_class(struct sw_cls *k, const struct sw_class_params *p);
int sw_wred_port(struct sw_port *o, const struct sw *sw);
void sw_wred_fini(struct sw_port *o);
enum sw_verdict sw_wred_rx(
	struct sw *sw, struct sw_port *o, const struct pkt *p, uint32_t qlen_bytes, tstamp now);
bool sw_wred_tx(
	struct sw *sw, struct sw_port *o, const struct pkt *p, uint32_t qlen_bytes, tstamp now);

#pragma GCC visibility pop
