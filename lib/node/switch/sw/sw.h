// SPDX-License-Identifier: BSD-3-Clause
// The switch: learning forwarding, classes, buffer admission, marking, egress scheduling, PFC both
// ways.
#pragma once

#include "ecmp/ecmp.h"
#include "sw_terms/sw_terms.h"

struct sw;

// 0 or -errno (-EINVAL, -ENOMEM); *sw is set on success only. `stack` and `events` outlive the
// switch.
int sw_init(struct sw **sw, const struct sw_params *params, struct pkt_stack *stack,
	struct ev_ring *events);
void sw_fini(struct sw *sw); // of any shard: the whole switch

// A switch cut by port into shards (docs/algo/shards.md). Each shard is a switch that owns the
// ports with its number modulo `shards`: it alone is called for them. stack[k] and events[k] are
// shard k's; shards of one thread may share them. *sw is shard 0. -EINVAL also where the buffer
// has two sides and does not divide.
int sw_cut_init(struct sw **sw, const struct sw_params *params, struct pkt_stack *const *stack,
	struct ev_ring *const *events);
unsigned sw_shards(const struct sw *sw); // 1: it is not cut
struct sw *sw_shard(struct sw *sw, unsigned k);
const struct sw *sw_shard_at(const struct sw *sw, unsigned k);
const struct sw *sw_owner(const struct sw *sw, unsigned port); // the shard that has it
// A thread that runs a shard calls sw_fabric_ahead, which sees what the other shards have sent and
// fetches it into the cache; some time later sw_fabric_rx, which takes what was seen: without a
// hop_ps up to 256 frames and credits of each shard in a call, and says whether there was any; and
// sw_fabric_push, which hands over what the thread's calls have left for the others. Commands are
// told to every shard.
void sw_fabric_ahead(struct sw *shard);
bool sw_fabric_rx(struct sw *shard, tstamp now);
void sw_fabric_push(struct sw *shard);
// Lets a shard take n frames that it has received for a port of another shard. sw_rx_room():
// whether the ring has room for n frames; ask before. The shard learns and looks up addresses and
// hands the frames to the other shard, which does the rest. Frames of one flow that come through
// one shard keep their order.
bool sw_rx_room(const struct sw *shard, unsigned port, unsigned n);
void sw_rx_for(struct sw *shard, unsigned port, struct pkt **burst, unsigned n, tstamp now);
// Returns how many of these frames, received for a port, have not reached its shard yet. Call it
// while no thread runs the switch.
uint64_t sw_rx_handing(const struct sw *sw, unsigned port);
// The four calls of a node for a cut switch that one thread runs; `sw` is shard 0. Port n_ports + k
// is the fabric of shard k: sw_cut_tx() at this port lets shard k take the messages that have
// arrived, and returns no frames.
void sw_cut_rx(struct sw *sw, unsigned port, struct pkt **burst, unsigned n, tstamp now);
unsigned sw_cut_tx(struct sw *sw, unsigned port, struct pkt **burst, unsigned max, tstamp now);
tstamp sw_cut_deadline(const struct sw *sw, unsigned port);
int sw_cut_ctl(struct sw *sw, const struct ctl *ctl, tstamp now);
// Frames on the fabric, while no thread runs the switch.
void sw_each_crossing(const struct sw *sw, void (*fn)(void *arg, const struct pkt *p), void *arg);

// Fetches the cached way of frames with this header, of which one will arrive soon.
void sw_fetch(const struct sw *sw, const struct hdr *hdr);
// The contract of design.md 2. rx takes n packets that arrived on `port` at `now`. CTL_LINK_DOWN
// may give back as many descriptors as wait at the port.
void sw_rx(struct sw *sw, unsigned port, struct pkt **burst, unsigned n, tstamp now);
unsigned sw_tx(struct sw *sw, unsigned port, struct pkt **burst, unsigned max, tstamp now);
// Bitmap of the first 64 frames that sw_tx has just given: a bit is set if the frame leaves with
// the bytes that it arrived with (PKT_F_INTACT, and nothing to change). A frame without the bit may
// do so, too: its descriptor tells.
uint64_t sw_as_came(const struct sw *sw);
tstamp sw_deadline(const struct sw *sw, unsigned port);
// The earliest instant at which tx would give a PFC or PAUSE frame first; TSTAMP_NEVER: none.
tstamp sw_urgent(const struct sw *sw, unsigned port);
// Bitmap of the queues (pkt.cls) of a port that its peer has paused at `now`. A driver that still
// has frames of these queues from earlier calls of tx holds them back.
uint8_t sw_pauses(const struct sw *sw, unsigned port, tstamp now);
// Bitmap of the queues (pkt.cls) of a port whose frames the watchdog drops. A driver that still has
// frames of these queues from earlier calls of tx drops them as well. It then tells the shard that
// has the port how many frames of each queue it has dropped.
uint8_t sw_shut(const struct sw *sw, unsigned port);
void sw_shut_dropped(struct sw *sw, unsigned port, unsigned cls, unsigned frames);
int sw_ctl(struct sw *sw, const struct ctl *ctl, tstamp now);
struct node_touched *sw_touched(struct sw *sw);

// The values that a running switch takes with CTL_ADOPT: curves and averages of markers,
// thresholds of PFC, quanta, weights, shapers, times and action of the watchdog.
// sw_change_check() compares two sets of parameters: 0, they are equal; 1, they differ in such
// values; -EINVAL, they differ in something else, which `why` says.
struct sw_change;
int sw_change_check(
	const struct sw_params *from, const struct sw_params *to, char *why, unsigned size);
// Compiles a change for a switch that runs or will run, in any thread. `number`: of the change, for
// its event. It is executed once, by all shards of the switch, and lasts until all have done so.
int sw_change_new(struct sw_change **out, const struct sw *sw, const struct sw_params *from,
	const struct sw_params *to, uint32_t number);
void sw_change_free(struct sw_change *c);

// Tells the switch, or shard, to forget headers: pkt.hdr of each packet that it takes is NULL when
// rx returns, and the caller may then use the header's memory for another. All packets must have
// bytes then: Fast CNP reads the flow of a marked frame from them, and QCN at another shard reads
// the receiver of a CNM. Packets that sw_rx_for takes keep their headers until the shard that owns
// the port has them. Nobody who takes a packet from such a switch may read its header. Call it for
// all shards of a switch.
void sw_forget_headers(struct sw *sw);

// Counters for reports, cheap enough for a sampler. Every shard of a cut switch gives the same
// answers, except for the flow tables, which belong to the shard.
struct sw_port_stats sw_port_stats(const struct sw *sw, unsigned port);
struct sw_class_stats sw_class_stats(const struct sw *sw, unsigned port, unsigned cls);
// The same structs in place, for callers that read them often. They lack the counters that each
// frame changes: rx_*, tx_*, forwarded_frames, ecn_ce_rx_frames, seen_frames, ecn_marked_frames.
const struct sw_port_stats *sw_port_rare_stats(const struct sw *sw, unsigned port);
const struct sw_class_stats *sw_class_rare_stats(const struct sw *sw, unsigned port, unsigned cls);
// The compiled marker of a class at a port, and its record, which exists with `monitor`; NULL:
// there is none.
const struct red_cfg *sw_red(const struct sw *sw, unsigned port, unsigned cls);
const struct red_curve *sw_curve(const struct sw *sw, unsigned port, unsigned cls);
const struct eport *sw_eport(const struct sw *sw, unsigned port);
// Time that the shapers of a port have lost because the driver asked the port too late: their
// buckets were full while frames waited for them.
tstamp sw_shaper_lost(const struct sw *sw, unsigned port);
// The buffer's ingress side, of the shard that has the port's groups.
const struct mmu *sw_mmu_of(const struct sw *sw, unsigned port);

// Frames that a shard has dropped and reported, but that the shard that received them has not
// counted yet.
uint64_t sw_dropped_crossing(const struct sw *sw);

struct sw_buffer {
	uint64_t size, used, max_used; // bytes; cut: the maximum is the sum of the shards'
};
struct sw_buffer sw_buffer(const struct sw *sw);
// The buffer's two sides, of the shard that has the port's groups and queues; NULL: it has one.
const struct mmu_pools *sw_sides_of(const struct sw *sw, unsigned port);
struct sw_buffer sw_pool(const struct sw *sw, enum mmu_pool pool); // of such a buffer
const struct pause_rx *sw_pause_rx(const struct sw *sw, unsigned port);
const struct pause_tx *sw_pause_tx(const struct sw *sw, unsigned port);
// NULL: the queue is not watched.
const struct sw_wd_stats *sw_wd_stats(const struct sw *sw, unsigned port, unsigned cls);
// The congestion point of an egress queue, and the flow tables; NULL: none.
const struct qcn_cp *sw_cp(const struct sw *sw, unsigned port, unsigned cls);
const struct iqcn *sw_iqcn(const struct sw *sw);
const struct fast_cnp *sw_fast_cnp(const struct sw *sw);
// Brings time-weighted figures (queue histograms, pause times) up to `now`.
void sw_account(struct sw *sw, tstamp now);
// Removes the flows of iQCN that have aged out.
void sw_iqcn_tidy(struct sw *sw, tstamp now);
// 0 if conservation holds; else -EPROTO, and a line in `why` that names the sums that differ.
int sw_conserve(const struct sw *sw, char *why, unsigned size);
