// SPDX-License-Identifier: BSD-3-Clause
// The inside of a switch, which its rooms share: its ports and classes, their timers and deadlines.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "algo/mmu_lease.h"
#include "base/hint.h"
#include "sw_terms/sw_terms.h"

#define SW_LINE  64 // bytes of a cache line, on which a port begins
#define SW_BURST 64 // frames that are taken together

// sw_cls.hooks: what else is done to a frame of a class; 0: nothing, and one branch says so.
enum {
	SW_HOOK_QCN = 1 << 0,    // it has congestion points
	SW_HOOK_UNTAG = 1 << 1,  // some port strips its CN-TAGs
	SW_HOOK_HEAVY = 1 << 2,  // iQCN looks at its queues
	SW_HOOK_CNP = 1 << 3,    // iQCN learns from CNPs in it, and sees data
	SW_HOOK_ACK = 1 << 4,    // Fast CNP learns from ACKs in it
	SW_HOOK_MARK = 1 << 5,   // Fast CNP handles marked frames
	SW_HOOK_FORGET = 1 << 6, // it forgets headers (sw_forget_headers) once frames are queued
	SW_HOOK_ZONE = 1 << 7,   // H3C: frames that stand in its queue above Kmax leave as CE
};

// sw_cls.rx_look, tx_look: who decides about a frame that joins or leaves a queue. Plain: the
// marker alone, on the queue as it is.
enum { SW_LOOK_NONE, SW_LOOK_PLAIN, SW_LOOK_WRED };

#define SW_KIND(k) (1u << (k))
#define SW_ODD_KINDS \
	(SW_KIND(PKT_PFC) | SW_KIND(PKT_PAUSE) | SW_KIND(PKT_MACCTL) | SW_KIND(PKT_BAD))

// The kinds of RoCEv2 frames that a CNP may be about.
#define SW_DATA_KINDS (SW_KIND(PKT_DATA) | SW_KIND(PKT_ROCE))

// What configuration settles about a class, for ports that are alike. The first line is read for
// each frame.
struct sw_cls {
	struct red_cfg red;
	uint32_t tail_limit; // bytes; UINT32_MAX: none
	uint32_t look_bytes; // a frame that joins is looked at in a queue above this
	// While a queue is not longer than this, nothing is decided about frames that join it.
	uint32_t rx_calm_bytes;
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
	uint16_t alone; // bitmap of kinds whose frames change more than sums
} __attribute__((aligned(SW_LINE)));

// What configuration settles for ports that are alike: an egress port's queues, priorities and
// classes of an ingress port, all by their numbers.
struct sw_set {
	struct sw_cls cls[PKT_CLASSES];
	uint8_t dscp_to_class[64] __attribute__((aligned(SW_LINE)));
	uint8_t pcp_to_class[8];
	uint8_t queue_of[PKT_CLASSES]; // by class of frames that leave
	uint8_t pg_of[PKT_CLASSES];    // by class of frames that come in
	uint8_t prios_of[MMU_PGS];     // by group: bitmap of the classes with pfc
	uint8_t several_groups;        // bitmap: queues whose frames may be of several groups
	// with pause: group of frames that the switch makes, as it has not received them
	uint8_t own_pg;
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
	uint8_t shut;    // bitmap: classes whose frames are dropped
	struct pfcwd q[PKT_CLASSES];
	tstamp since[PKT_CLASSES];   // of the storm
	uint8_t action[PKT_CLASSES]; // enum pfcwd_action, of the storm
	struct sw_wd_stats stats[PKT_CLASSES];
};

// A frame touches few cache lines of its ports: one of each port (deadlines, egress port), one of
// the ingress port's group with the counters of frames received (struct mmu_pg), one of the egress
// queue with the counters of frames sent (struct eport_q), and one of the marker if the queue has
// one. All other state is kept apart.

// mmu_pg.own: counters of a class at its ingress port, in the group of the same number.
enum { SW_IN_FRAMES, SW_IN_BYTES, SW_IN_CE, SW_IN_FORWARDED };

// The marker of an egress queue, and other state that decides about its frames.
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

// The number of frames with codepoint `ecn` in `by_ecn`, which has 8 bits for each.
static inline unsigned sw_frames_with(uint32_t by_ecn, unsigned ecn)
{
	return by_ecn >> 8 * ecn & 0xff;
}

// Counts frames that the marker has seen and not marked. Nearly always all have one codepoint.
static inline void sw_seen(struct sw_out *o, uint32_t by_ecn)
{
	unsigned ecn = by_ecn ? (unsigned)__builtin_ctz(by_ecn) / 8 : ECN_CE;
	uint32_t one = sw_frames_with(by_ecn, ecn);

	if (LIKELY(by_ecn == one << 8 * ecn)) {
		o->seen_frames[ecn] += one;
		return;
	}
	for (unsigned i = 0; i <= ECN_CE; i++)
		o->seen_frames[i] += sw_frames_with(by_ecn, i);
}

// The state of a port that a simply forwarded frame does not touch.
struct sw_rare {
	struct pause_rx prx;
	struct pause_tx ptx;
	struct hdr pfc_hdr;
	struct eport_cfg ecfg;      // its own, once a command has changed a weight
	struct sw_port_stats stats; // without the fields that sw_port_stats adds up
	// [PKT_CLASSES], of sw.class_stats: without the counters in the lines above. Most ports of
	// a run never write to them.
	struct sw_class_stats *cls;
	uint64_t consumed_bytes;
	uint8_t pfc_mask; // priorities of received PFC that reach pause_rx
	bool pause_honour;
	uint8_t far_mac[6]; // where stats.knows_far
	uint8_t storm;      // bitmap: classes kept in XOFF by command
	tstamp storm_end[PKT_CLASSES];
	tstamp heavy_since[PKT_CLASSES];
};

// sw_port.flags
enum {
	SW_PORT_TRUSTS_PCP = 1 << 0, // else DSCP
	SW_PORT_SHAPED = 1 << 1,
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
	bool away;       // another shard owns it: max_len is 0, and frames for it cross the fabric
	uint8_t flags;
	struct eport e;
	// In memory after the port's queues. It is used where something is decided.
	const struct sw_set *set;
	struct sw_rare *rare;
	uint8_t heavy; // iQCN: bitmap of classes whose queue is heavily congested
	uint8_t untag; // bitmap of classes whose frames leave without their CN-TAGs
	uint16_t mtu;
	uint8_t zone;         // H3C: bitmap of classes whose next frames leave as CE
	uint32_t *zone_left;  // by class in `zone`: bytes of these frames; NULL: no class is H3C's
	struct sw_wd *wd;     // NULL: none
	struct sw_ring *ring; // to the shard of a port that is away; else NULL
	struct prng rng;
	struct sw_shape *shape;          // NULL: no shaper
	struct pause_response *response; // NULL: PFC takes effect at once
	struct sw_out out[PKT_CLASSES] __attribute__((aligned(SW_LINE)));
} __attribute__((aligned(SW_LINE)));

_Static_assert(offsetof(struct sw_port, e.q) == SW_LINE && sizeof(struct sw_out) == SW_LINE &&
		       offsetof(struct sw_port, out) % SW_LINE == 0,
	"lines");
_Static_assert(sizeof(struct sw_port) == 1344 && sizeof(struct sw_rare) == 2600 &&
		       sizeof(struct sw_class_stats) == 176 && sizeof(struct sw_set) == 1152,
	"docs/speed.md has these sizes");
_Static_assert((int)MMU_PGS == PKT_CLASSES, "mmu_pg.own is of a class");

// Another shard of the switch: the rings from it and to it.
struct sw_peer {
	struct sw_ring *from, *to;
};

struct sw {
	struct pkt_stack *stack;
	struct ev_ring *events;
	struct sw_port *port;
	struct sw_fwd *fwd; // by the low bits of hdr.id
	uint32_t fwd_mask;  // these bits
	uint32_t n_ids;     // of shared headers, 1..n_ids
	uint32_t gen;       // of the FDB, from 1: any change of an entry's port
	uint32_t queue_extra;
	unsigned n_ports;
	// bitmap: sw_buffer_admit() admits single frames of these classes, because the mmu is not
	// alone, or the watchdog has shut a queue of the class
	uint8_t admit_slow;
	uint8_t shut;   // bitmap: classes of which the watchdog has shut some queue
	bool two_sided; // the buffer has two sides: pools
	bool mapped;    // queue_of and pg_of of some port are not the identity
	// headers, once ways have been found; false where classes have hooks: SW_HOOK_FORGET says
	// then that a header is forgotten once its frame is queued
	bool forgets;
	bool pause; // 802.3x: see sw_params
	// mmu by itself is the buffer, and a class is its group: not two_sided, mapped or cut
	bool mmu_alone;
	struct mmu mmu;
	struct node_touched touched;
	uint64_t up[NODE_PORT_WORDS]; // ports whose link is up
	tstamp refresh_ps;
	struct table fdb;
	struct sw_ecmp_group *ecmp;
	struct sw_ecmp_set *ecmp_set; // the same as lists
	uint16_t *ecmp_list;          // memory of all lists
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
	unsigned n_peers;
	struct sw_peer peer[SW_SHARDS - 1]; // the other shards, in their order
	struct mmu_lease lease;             // of a buffer with one side; else pools has its own
	// The last burst of sw_tx, and which of its first 64 frames are known to leave as the bytes
	// that they came in.
	struct pkt *const *burst;
	uint64_t as_came;
	// Static entries beside the FDB; `fixed` NULL: the FDB has them.
	const struct sw_fixed *fixed;
	const struct sw_fdb_params *fixed_fdb;
	struct sw_set *set; // of ports that are alike
	unsigned n_sets;
	struct sw_rare *rare;   // of each port
	struct eport_cfg *ecfg; // of ports that are alike
	unsigned n_ecfg;
	struct hist *hist;       // of all queues of ports; NULL: nobody keeps any
	struct red_curve *curve; // of all queues that have a marker; NULL: nobody keeps any
	unsigned n_curves;       // that ports have
	struct sw_class_stats *class_stats; // of each class of each port
	// what `port`, `set`, the switch itself, and these three are cut from
	void *port_mem, *set_mem, *mem, *seldom;
};

// Returns a descriptor for a frame that the switch makes, or NULL. On the real clock it is no
// longer in the cache. So its bytes are prefetched, which are written when it leaves, and also the
// next descriptor and the place of its header.
static inline struct pkt *sw_get_ctl(const struct sw *sw)
{
	struct pkt_stack *s = sw->stack;
	struct pkt *p = pkt_get_ctl(s);

	if (LIKELY(p != NULL))
		__builtin_prefetch((const uint8_t *)p + s->data_off, 1);
	if (LIKELY(s->n)) {
		__builtin_prefetch(s->slot[s->n - 1], 1);
		__builtin_prefetch(pkt_own_hdr(s->slot[s->n - 1]), 1);
	}
	return p;
}

// The ingress counters of a class at a port.
static inline uint64_t *sw_in(struct sw *sw, const struct sw_port *in, unsigned cls)
{
	return sw->mmu.pg[in->index * MMU_PGS + cls].own;
}

// The group that a frame is in.
static inline unsigned sw_pg(const struct sw *sw, const struct pkt *p)
{
	return sw->mapped ? p->pg : p->cls;
}

// Returns the earliest instant at which tx could act. A due control frame, or a class that may
// send, waits for the wire; timers do not. The end of a pause is in `timer`, so a paused class
// needs no term of its own. While nothing may be sent, idle wire time does not count as lost.
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

// Works out the port's deadline again. Call it after any change to a port outside its own tx.
static inline void sw_port_changed(struct sw *sw, struct sw_port *o)
{
	tstamp t = sw_port_due(o);

	if (t != o->deadline) {
		o->deadline = t;
		node_touch(&sw->touched, o->index);
	}
}

// Works out when the port's next PFC frame is due, and then the port's deadline. A port whose link
// is down sends no PFC frame.
static inline void sw_ctl_changed(struct sw *sw, struct sw_port *o)
{
	o->ctl_at = o->max_len ? pause_tx_deadline(&o->rare->ptx) : TSTAMP_NEVER;
	sw_port_changed(sw, o);
}

// Bitmap of the queues of a port that some priorities (bitmap) go to.
static inline uint8_t sw_queues_of(const struct sw *sw, const struct sw_port *o, uint8_t prios)
{
	uint8_t queues = 0;

	if (!sw->mapped)
		return prios;
	for (unsigned left = prios; left; left &= left - 1)
		queues |= (uint8_t)(1u << o->set->queue_of[__builtin_ctz(left)]);
	return queues;
}

// Bitmap of the queues that are paused.
static inline uint8_t sw_paused(const struct sw *sw, const struct sw_port *o)
{
	return sw_queues_of(sw, o, o->rare->prx.paused);
}

// map.c
// The maps of a set, whose classes are compiled: 0 or -EINVAL. sw_map_groups() follows once all
// sets have theirs.
int sw_map_set(struct sw *sw, struct sw_set *to, const struct sw_set_params *p);
void sw_map_groups(struct sw *sw);
// Writes the group of a frame that came in at `in` to p->pg and returns its queue at port `o`,
// which replaces its class from then on.
static inline unsigned sw_map(
	const struct sw_port *in, const struct sw_port *o, struct pkt *p, unsigned cls)
{
	p->pg = in->set->pg_of[cls];
	return o->set->queue_of[cls];
}

// due.c
void sw_blocked(struct sw *sw, struct sw_port *o); // finds o->blocked anew
// Finds the next instant of a timer of the port: pauses, storms, shapers, CNPs that iQCN will owe.
void sw_timer_changed(struct sw *sw, struct sw_port *o);
