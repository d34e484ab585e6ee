// SPDX-License-Identifier: BSD-3-Clause
// The terms of a switch: its parameters, and the statistics that it gives while it runs.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "eport/eport.h"
#include "algo/fast_cnp.h"
#include "algo/iqcn.h"
#include "algo/mmu.h"
#include "algo/mmu_pools.h"
#include "algo/pause.h"
#include "algo/pfcwd.h"
#include "algo/qcn_cp.h"
#include "algo/red.h"
#include "algo/shaper.h"
#include "base/prng.h"
#include "base/stat.h"
#include "base/table.h"
#include "contract/contract.h"
#include "ecmp/ecmp.h"
#include "frame/frame.h"

#define SW_SHARDS        8 // of a switch at most
#define SW_FDB_ENTRIES   16384
#define SW_FDB_PER_FIXED 8 // room for each static entry, so that few share a set

enum sw_trust {
	SW_TRUST_DSCP,
	SW_TRUST_PCP
}; // which field gives the class; the other where it is missing
enum sw_mark { SW_MARK_NONE, SW_MARK_ENQUEUE, SW_MARK_DEQUEUE };

// Which frames the drop curve of a class is for, always as they join the queue. H3C: Not-ECT up to
// Kmax of the drop curve; once the queue is above Kmax of the marker, all frames in it leave as CE
// (standards.md 6.3).
enum sw_wred { SW_WRED_OFF, SW_WRED_NOT_ECT, SW_WRED_H3C, SW_WRED_ALL };

// The role of a port in the congestion notification domain of a class that has a congestion point
// (802.1Q cl. 32.1.1). Interior ready: CN-TAGs stay. Interior: the port strips them from frames
// that leave. Edge: it strips them, too, and frames that arrive in the class go to the alternate
// class. Disabled: the port has no congestion point and leaves tags alone.
enum sw_cn_mode { SW_CN_INTERIOR_READY, SW_CN_INTERIOR, SW_CN_EDGE, SW_CN_DISABLED };

// QCN of a class: a congestion point at each port.
struct sw_qcn_params {
	bool on;
	struct qcn_cp_params cp;
	uint8_t cnm_class;         // cngCnmTransmitPriority: class and PCP of CNMs
	uint8_t alternate_class;   // comPriAlternatePriority: for what arrives at an edge port
	uint8_t min_header_octets; // cpMinHeaderOctets, 0..64: first ones of the frame, in a CNM
};

// The reaction to a frame to be marked: CE only; a CNP in place of CE, if the switch knows the
// sender; both CE and a CNP.
enum sw_fast_cnp { SW_FAST_CNP_OFF, SW_FAST_CNP_INSTEAD, SW_FAST_CNP_BESIDE };

// Fast CNP of a switch: one flow table for its classes.
struct sw_fast_cnp_params {
	struct fast_cnp_params table;
	uint8_t cnp_class; // class and PCP of its CNPs
	uint8_t cnp_tos;   // DSCP and ECN of them
};

// Parameters of a traffic class, for ports that are alike. Where maps tell classes, queues and
// groups apart, PFC belongs to the priority of this number, and everything else to the egress queue
// of this number. All sets of a switch have the same qcn, heavy_bytes, heavy_off_bytes and
// fast_cnp.
struct sw_class_params {
	bool strict;
	uint16_t weight; // DWRR
	enum sw_mark mark;
	struct red_params red;
	// hpcc_sim: the marker sees the queue without the frame being decided
	bool red_excludes_frame;
	bool mark_any;     // framing hpcc_sim: Not-ECT is marked like ECT
	bool force_ce;     // every ECT frame of the class is marked (replay tests)
	enum sw_wred wred; // not with mark_any, which takes all frames for ECT
	struct red_params wred_drop;
	uint8_t wred_exponent;     // both curves look at an average; 0: at the queue as it is
	uint64_t tail_limit_bytes; // of each egress queue; 0: none
	bool pfc; // the port sends XOFF and XON of this priority, and obeys PFC that it receives
	uint16_t quanta; // of our XOFF
	unsigned refresh_permille;
	struct sw_qcn_params qcn;
	uint64_t heavy_bytes; // iQCN: an egress queue from there on is heavily congested; 0: never
	uint64_t heavy_off_bytes; // until it is down to this
	enum sw_fast_cnp fast_cnp;
};

// Parameters of ports that are alike: classes and maps.
struct sw_set_params {
	struct sw_class_params cls[PKT_CLASSES];
	uint8_t dscp_to_class[64], pcp_to_class[8]; // of frames that come in at the port
	uint8_t queue_map[PKT_CLASSES]; // class to egress queue, of frames that leave by the port
	uint8_t pg_map[PKT_CLASSES];    // class to priority group, of frames that come in
};

struct sw_port_params {
	const char *name; // "s1:h3"
	uint16_t set;     // number of its classes and maps
	uint8_t mac[6];
	uint8_t far_mac[6]; // of the link's other end; zero: not known
	rate_t rate;
	uint32_t mtu; // longest frame without FCS; longer ones are dropped and counted
	enum sw_trust trust;
	uint8_t default_class; // frames with neither DSCP nor PCP
	struct mmu_pg_params pg[MMU_PGS];
	bool pause_honour; // 802.3x PAUSE received stops every class; else it is only counted
	struct mmu_queue_params queue[MMU_PGS]; // of the egress queues
	rate_t shaper_rate;                     // of all classes together; 0: the link's
	rate_t max_rate[PKT_CLASSES], min_rate[PKT_CLASSES]; // of egress queues; 0: none
	uint32_t shaper_burst; // bytes that a shaper lets pass at once,
	bool shaper_auto;      // or the bytes that pass within the tolerance, if that is more
	uint16_t pfc_response; // quanta from a PFC or PAUSE frame received to its effect
	uint8_t wd_classes;    // bitmap: egress queues that the PFC watchdog watches
	struct pfcwd_params wd;
	bool wd_off; // the watchdog waits for CTL_PFCWD_START
	enum sw_cn_mode cn;
	// received PFC is obeyed for every priority; PFC is sent only for classes with pfc
	bool pfc_asym;
};

struct sw_fdb_params {
	uint8_t mac[6];
	uint16_t vid;
	uint16_t port;
	uint16_t ecmp; // 1 + number of a set of ports that all lead there; 0: `port` alone
};

struct sw_params {
	const char *name;
	uint64_t seed;
	unsigned n_ports;
	const struct sw_port_params *port;
	const struct sw_set_params *set;
	unsigned n_sets; // at least one
	uint64_t buffer_bytes;
	uint32_t fdb_entries; // 0: SW_FDB_ENTRIES
	tstamp fdb_age_ps;    // 0: 300 s
	// Called with the memory of the FDB and of the flows of iQCN and Fast CNP before it is
	// used; the switch then touches all of it. NULL: pages are touched at first use.
	void (*large)(void *memory, size_t bytes);
	const struct sw_fdb_params *fdb; // static entries
	unsigned n_fdb;
	// The addresses of `fdb`, which are then looked up here and not in the FDB; this and `fdb`
	// last as long as the switch. NULL: the FDB has them.
	const struct sw_fixed *fixed;
	uint32_t shared_hdrs; // header ids are below this
	struct eport_framing framing;
	tstamp tolerance_ps;
	bool pause_no_expiry; // framing hpcc_sim
	bool monitor;
	// 802.3x: the ports send PAUSE for the whole link instead of PFC, which they do not obey
	// either. All that a port receives is in one group, so pg_map gives one for all classes,
	// which have pfc alike.
	bool pause;
	// The buffer's second side; where all of it is 0 and no queue has limits, there is none.
	uint32_t cell_bytes; // frames take whole cells of the buffer; 0, 1: bytes
	uint64_t headroom_pool_bytes;
	uint64_t ingress_bytes;
	uint64_t egress_bytes[2]; // pools, lossless and lossy
	bool iqcn_on;
	struct iqcn_params iqcn;          // n_ports is the switch's own
	bool iqcn_limit_auto;             // its limits are iqcn_port_share, for reports
	const struct sw_ecmp_group *ecmp; // sets of ports that static entries name
	unsigned n_ecmp;
	bool fast_cnp_on;
	struct sw_fast_cnp_params fast_cnp;
	unsigned shards; // 2 to SW_SHARDS: sw_cut_init cuts it into this number
	tstamp hop_ps;   // from shard to shard; 0: as soon as the other one looks
};

static inline const struct sw_set_params *sw_port_set(const struct sw_params *p, unsigned port)
{
	return &p->set[p->port[port].set];
}

enum sw_drop {
	SW_DROP_MALFORMED, // PKT_BAD with a fault of layer 2
	SW_DROP_TOO_LONG,
	SW_DROP_RESERVED,  // 01-80-C2-00-00-0x that is not for us to forward
	SW_DROP_SAME_PORT, // the destination lives where the frame came from
	SW_DROP_NO_ROUTE,  // flooding has no port left
	SW_DROP_SHARED,    // mmu
	SW_DROP_HEADROOM,
	SW_DROP_BUFFER,
	SW_DROP_TAIL, // egress queue limit, or its pool
	SW_DROP_WRED, // chosen by the drop curve
	SW_DROP_LINK_DOWN,
	SW_DROP_NO_DESC, // the descriptor stack was empty
	SW_DROP_PFCWD,   // the watchdog has shut the queue of egress or ingress port
	SW_DROPS,
};

const char *sw_drop_name(enum sw_drop d);
enum drop_fate sw_drop_fate(enum sw_drop d);

// Counters of one (port, class). Conservation, per port and priority, links apart:
// sum rx + copied + originated = sum tx + consumed + queued + sum dropped.
// Bytes are frames with FCS. Control frames (PFC, PAUSE) belong to no class. CNMs and CNPs of the
// switch itself are originated, charged to the port whose congestion they tell of.
struct sw_class_stats {
	uint64_t rx_frames, rx_bytes; // by the class it was given
	uint64_t forwarded_frames;    // received, copied or originated here, sent by some port
	uint64_t ecn_ce_rx_frames;    // came with CE
	uint64_t dropped_frames, dropped_bytes; // at ingress or egress, charged to the ingress port
	uint64_t copied_frames;     // copies owed for flooding, one port fewer than it went to
	uint64_t originated_frames; // CNM, CNP made here
	uint64_t tx_frames, tx_bytes;
	uint64_t seen_frames[ECN_CE + 1]; // by the marker, by codepoint: what has CE came with it
	uint64_t ecn_marked_frames;       // CE set here
	uint64_t cnm_tx_frames;           // ieee8021CnCpTransmittedCnms
	uint64_t pfcwd_dropped_frames;    // received here in the group of this number: DROP_EXEMPT
	uint64_t cn_discarded_frames; // ieee8021CnCpDiscardedFrames: refused by this egress queue
	uint64_t heavy_ps;            // iQCN: time that this egress queue was heavily congested
	uint64_t wred_dropped_frames; // SW_DROP_WRED, by egress queue
	uint64_t pg_dropped_frames;   // received here in the group of this number: DROP_LOSS only
	// of ecn_marked_frames, Not-ECT ones (H3C's zones, hpcc_sim)
	uint64_t ecn_marked_not_ect_frames;
};

// ECT frames that the marker saw.
static inline uint64_t sw_class_ect(const struct sw_class_stats *s)
{
	return s->seen_frames[ECN_ECT0] + s->seen_frames[ECN_ECT1];
}

// The watchdog of one egress queue.
struct sw_wd_stats {
	uint64_t storms, restored;
	// frames for the queue while it was shut, frames in the queue, and frames that its driver
	// still had
	uint64_t tx_dropped_frames;
	// frames that came in by the port meanwhile, for a queue of this number at any port
	uint64_t rx_dropped_frames;
	uint64_t storm_ps; // of the storms that are over
};

struct sw_port_stats {
	uint64_t rx_frames, rx_bytes; // all, control too
	uint64_t tx_frames, tx_bytes; // all, control too
	uint64_t flooded_frames;      // received here and flooded
	uint64_t copied_frames;       // extra copies made of them
	uint64_t consumed_frames;     // PFC, PAUSE, MAC control
	uint64_t originated_frames;   // PFC and PAUSE sent
	uint64_t pfc_invalid_frames;  // wrong opcode, enable vector 0, wrong destination address
	uint64_t pfc_disabled_frames; // PFC that enables a class which this port does not obey
	uint64_t pause_rx_frames;     // 802.3x
	uint64_t pause_tx_frames;     // 802.3x, XOFF and XON
	// PFC and 802.3x PAUSE from another address than the link's other end has
	uint64_t pause_stranger_frames;
	uint64_t fdb_learned, fdb_moved;
	uint64_t fdb_full;       // addresses that came here and found their set of the FDB full
	uint64_t drop[SW_DROPS]; // by reason, frames
	uint64_t malformed[FRAME_ERRORS];    // received, dropped or forwarded, by enum frame_error
	uint64_t malformed_forwarded_frames; // of these, with a fault above layer 2
	uint64_t pfc_no_desc;                // a PFC frame had to wait for a descriptor
	uint64_t cn_no_desc;                 // CNMs and CNPs that were owed and could not be made
	uint64_t cn_untagged_frames;         // CN-TAG stripped from what leaves here
	uint64_t iqcn_rx_cnp, iqcn_tx_cnp; // CNPs that came in here; ours for flows that leave here
	uint64_t iqcn_foreign_cnp;         // that came in here and are not believed
	uint64_t iqcn_untold_cnp;          // received here, and not sent to the shard of their flow
	uint64_t tx_dropped_frames;        // bound for this port and dropped, but by the buffer
	// Fast CNP, frames that this port's markers chose: CNPs sent; frames of flows that had a
	// CNP just before; frames whose sender no ACK has named
	uint64_t fast_cnp_tx, fast_cnp_suppressed, fast_cnp_unknown;
	uint64_t fast_cnp_foreign_ack; // ACKs that came in here and are not believed
	bool knows_far;                // that address is known, so that strangers are counted
};

// The rows of sw_malformed_stat_table are fields of struct sw_port_stats too.
extern const struct stat_table sw_class_stat_table, sw_port_stat_table, sw_malformed_stat_table;
extern const struct stat_table sw_wd_stat_table;

// Entries that the FDB has room for: at least `fdb_entries`, and as many as its static ones want.
// 0: those are more than a table can hold.
static inline uint32_t sw_fdb_room(const struct sw_params *p)
{
	uint64_t fixed = (uint64_t)p->n_fdb * SW_FDB_PER_FIXED;
	uint64_t n = p->fdb_entries ? p->fdb_entries : SW_FDB_ENTRIES;

	n = n > fixed ? n : fixed;
	return n <= TABLE_MOST ? table_room((uint32_t)n) : 0;
}

// Finds a hash for a table by which all static entries of a switch fit, if there is one. 0 or
// -ENOMEM.
int sw_fixed_salt(struct table *t, const struct sw_params *p);

// Static entries by address, for all switches that have the same addresses in the same order.
struct sw_fixed {
	struct table at; // by eth_key: the number of the entry in `fdb`
};

// 0, -EINVAL, -ENOMEM, or -ENOSPC if there is no room for the entries.
int sw_fixed_init(struct sw_fixed *f, const struct sw_params *p);
void sw_fixed_fini(struct sw_fixed *f);
// Whether one such table serves both switches.
bool sw_fixed_alike(const struct sw_params *a, const struct sw_params *b);

// Whether the switch's buffer has two sides: cells, pools or limits of egress queues.
bool sw_has_two_sides(const struct sw_params *p);

// How a buffer with two sides divides among the shards of a switch that is cut
// (docs/algo/shards.md), and why it does not.
enum sw_parts_fault {
	SW_PARTS_FINE,
	SW_PARTS_HEADROOM, // a shard's part of the headroom pool is below what one group may take
	SW_PARTS_EGRESS,   // the pool of lossless queues is below what all groups can hold
	SW_PARTS_LIMIT,    // so is the limit of such a queue,
	SW_PARTS_DYNAMIC,  // or what its dynamic threshold gives it of the pool
};

struct sw_parts {
	uint64_t headroom[SW_SHARDS]; // of the pool, by shard
	uint64_t may_take[SW_SHARDS]; // what the groups of a shard may take together
	uint64_t all_may_take;        // the same for all shards
	enum sw_parts_fault fault;
	unsigned port, cls;  // of the fault; not of SW_PARTS_EGRESS
	uint64_t has, wants; // SW_PARTS_HEADROOM: the part, and the share of the group; else the
			     // size of pool or limit, and the bytes that all groups can hold
	uint64_t right;      // size of the pool that would do for all queues, or the limit
};

// False: it does not divide.
bool sw_parts(struct sw_parts *parts, const struct sw_params *p, unsigned shards);
