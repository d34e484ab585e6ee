// SPDX-License-Identifier: BSD-3-Clause
// What the files of room requester call of each other.
#pragma once

#include "requester.h"

#pragma GCC visibility push(hidden)

// Timers of a reaction point that have been due for longer are caught up with at once.
#define NIC_RP_LONG_DUE (500 * PS_PER_US)

// req.c
// A frame has been due since before `at`: the latest instant until then at which it could have
// left.
tstamp nic_req_owing_at(struct nic *nic, struct nic_qp *qp, tstamp at);
// It may send again.
void nic_req_wake(struct nic *nic, struct nic_qp *qp, tstamp now);
// Its first request has come, or its start.
void nic_req_start(struct nic *nic, struct nic_qp *qp, tstamp now);

// serve.c
// The NAK that is due behind the responses.
void nic_read_refuse(struct nic *nic, struct nic_qp *qp, tstamp now);

// ring.c: rings of messages, which requesters have while they use them
int nic_ring_add(struct nic *nic, unsigned size); // one more requester asks for them
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

// rp.c
rate_t nic_rp_paced(const struct nic_req *r); // bit/s, at most its ceiling
// What it allows from `at` on, bit/s.
void nic_rp_rate(struct nic *nic, struct nic_qp *qp, rate_t rate, tstamp at);
void nic_rp_changed(struct nic *nic, struct nic_qp *qp); // its next timer may be another
void nic_rp_take_cnps(struct nic *nic, struct nic_qp *qp);
// When the gap that is running ends, or has to be looked at again. Rate timers that fall into it
// move its end.
tstamp nic_rp_gap_end(const struct nic *nic, const struct nic_qp *qp);
// When a timer can open the window that keeps it from sending; TSTAMP_NEVER: no window does.
tstamp nic_rp_opens(const struct nic_qp *qp);
bool nic_rp_opened(const struct nic_qp *qp); // it has, and nobody has woken the queue pair
void nic_rp_counted(struct nic *nic, struct nic_qp *qp, enum rp_event e, tstamp now);
void nic_rp_ack(struct nic *nic, struct nic_qp *qp, const struct rp_ack *ack, tstamp now);
void nic_rp_nak(struct nic *nic, struct nic_qp *qp, tstamp now);

// group.c
int nic_group_join(struct nic *nic, struct nic_qp *qp, const struct nic_qp_params *p);
// That of a flow ID, or with flow ID 0 of a destination and class; NULL: there is none.
struct nic_group *nic_group_find(
	const struct nic *nic, uint16_t flow_id, const uint8_t dst[6], unsigned cls);
void nic_group_rate(struct nic_group *g, tstamp from); // of a limiter while it is nobody's turn
bool nic_group_turn(struct nic *nic, struct nic_qp *qp, bool sent, tstamp now);
void nic_group_pass(struct nic *nic, struct nic_qp *qp, tstamp now);

// rdma_ip.c
int nic_rdma_ip_init(struct nic *nic, struct nic_qp *qp, const struct nic_qp_params *p);
// As nic_rdma_ip_next, after a frame of `wire_bytes` that leaves now.
bool nic_rdma_ip_passed(const struct nic *nic, struct nic_qp *qp, uint32_t wire_bytes, tstamp now);
void nic_rdma_ip_notified(struct nic *nic, struct nic_qp *qp, tstamp now); // by a CNP
tstamp nic_rdma_ip_timer(struct nic *nic, struct nic_qp *qp, tstamp now);  // the brake's end

#pragma GCC visibility pop
