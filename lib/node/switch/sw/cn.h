// SPDX-License-Identifier: BSD-3-Clause
// Congestion notification: a switch informs senders about its queues by CNMs (QCN) and CNPs (iQCN,
// Fast CNP).
#pragma once

#include "port/port.h"

#pragma GCC visibility push(hidden)

// rx.c: queues a frame that the switch has made, charged to `in`, at port `out`; its class is set.
void sw_originate(struct sw *sw, struct sw_port *in, struct pkt *p, unsigned out, tstamp now);

// The congestion point of one egress queue.
struct sw_cp {
	struct qcn_cp cp;
	struct prng rng;
	uint8_t cpid[8];
};

// qcn.c
// Congestion points of a switch, of a class of a set, and of a port. 0, -EINVAL or -ENOMEM.
int sw_qcn_init(struct sw *sw, const struct sw_params *params);
int sw_qcn_class(struct sw_cls *k, const struct sw_qcn_params *p);
int sw_qcn_port(struct sw *sw, struct sw_port *o, const struct sw_params *params);
// Whether a port is at the edge of a QCN domain, and the maps of its set: 0, or -EINVAL if an
// alternate class has QCN itself.
bool sw_qcn_is_edge(const struct sw_params *params, unsigned port);
int sw_qcn_edge(struct sw_set *set, const struct sw_params *params);
void sw_qcn_fini(struct sw_port *o);
// Frames of `bytes` together have joined the queue of a congestion point. Only the last one, p, may
// be a sample.
void sw_qcn_frames(
	struct sw *sw, struct sw_port *o, const struct pkt *p, uint32_t bytes, tstamp now);
// Removes the CN-TAG of a frame that leaves by `o`, if this port strips CN-TAGs. Returns whether
// the frame had one.
bool sw_untag(struct sw_port *o, struct pkt *p);

// set.c: the set of a port
struct sw_set *sw_set_of(const struct sw *sw, const struct sw_params *p, unsigned port);

// iqcn.c
int sw_iqcn_class(struct sw_cls *k, const struct sw_class_params *p); // 0 or -EINVAL
int sw_iqcn_init(struct sw *sw, const struct sw_params *params);
void sw_iqcn_fini(struct sw *sw);
// Lets each shard look at the data marks of the others. Call it once all shards of a cut switch are
// made.
void sw_iqcn_join(struct sw_fabric *f);
// Records a CNP that was received at `in` and queued, if its addresses can be believed.
void sw_iqcn_cnp(struct sw *sw, struct sw_port *in, const struct pkt *p, tstamp now);
// Heavy congestion of a queue begins or ends.
void sw_iqcn_heavy(struct sw *sw, struct sw_port *o, unsigned cls, bool on, tstamp now);
// Sends CNPs that are due by `now`; the caller finds the port's next timer.
void sw_iqcn_timers(struct sw *sw, struct sw_port *o, tstamp now);
// Brings the time of heavy congestion up to `now`.
void sw_iqcn_account(struct sw_port *o, tstamp now);
// The link of a port came up or went down. Flows whose ECMP set has the port may now take another
// port.
void sw_iqcn_ways_change(struct sw *sw, unsigned port, tstamp now);
// Records a CNP that the switch forwards. The data of its flow leaves by `o`, a port of this shard.
void sw_iqcn_learn(struct sw *sw, struct sw_port *o, const struct pkt *p, tstamp now);

// fast_cnp.c
int sw_fast_cnp_class(struct sw_cls *k, const struct sw_class_params *p); // 0 or -EINVAL
int sw_fast_cnp_init(struct sw *sw, const struct sw_params *params);
void sw_fast_cnp_fini(struct sw *sw);
void sw_fast_cnp_ack(struct sw *sw, struct sw_port *in, const struct pkt *p, tstamp now);
// The marker chose a frame that leaves or will leave by `o`. Returns whether a CNP tells the
// sender, so that the frame needs no CE.
bool sw_fast_cnp_marked(
	struct sw *sw, struct sw_port *o, const struct pkt *p, uint64_t seen_bytes, tstamp now);

#pragma GCC visibility pop
