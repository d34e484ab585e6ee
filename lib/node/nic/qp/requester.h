// SPDX-License-Identifier: BSD-3-Clause
// The functions of a requester for the rooms above: messages, frames and the reaction point that
// paces them. The responder of a READ is a requester in all that concerns its limiter.
#pragma once

#include "qp.h"

// req.c: requesters. Timer functions handle what is due and return the next instant at which to
// call them.
// Checks the parameters of a new one, finds their kind and takes memory for a ring of messages.
int nic_req_check(struct nic *nic, const struct nic_qp_params *p, uint32_t *kind);
void nic_req_fini(struct nic_req *r);
tstamp nic_req_timer(struct nic *nic, struct nic_qp *qp, tstamp now);
// Starts or stops a requester. It starts after its share of a gap; after a stop it posts no more
// messages.
void nic_req_run(struct nic *nic, struct nic_qp *qp, bool on, tstamp now);
// Sets or clears the mask of a queue pair, which then sends nothing.
void nic_req_mask(struct nic *nic, struct nic_qp *qp, bool on, tstamp now);
// Holds a requester (`on`) with its messages under way, or lets it go on. No timeout counts while
// it is held.
void nic_req_pause(struct nic *nic, struct nic_qp *qp, bool on, tstamp now);
void nic_req_ack(struct nic *nic, struct nic_qp *qp, const struct pkt *p, tstamp now);
#pragma GCC visibility push(hidden)
// Moves the ideal instant of a queue pair to the end of a pause. Call it if the class was paused
// since the ideal instant.
void nic_req_reopen(struct nic *nic, struct nic_qp *qp);
#pragma GCC visibility pop
void nic_req_set_owed(const struct nic *nic, struct nic_qp *qp, tstamp now);
void nic_req_post(
	struct nic *nic, struct nic_qp *qp, tstamp now); // as many messages as may be outstanding

// data.c: from the end of a gap to the next
// Decides when a requester that is in no FIFO sends next. `at`: the present, or the instant at
// which its gap ended.
void nic_req_place(struct nic *nic, struct nic_qp *qp, tstamp at);
// The gap of a queue pair has ended at `at`, the first instant in nic.gap, or one of its rate
// timers comes before that.
void nic_gap_ended(struct nic *nic, struct nic_qp *qp, tstamp at);
struct pkt *nic_data(struct nic *nic, unsigned queue, tstamp now);

// serve.c: READs that are served
void nic_read_request(struct nic *nic, struct nic_qp *qp, const struct pkt *p, tstamp now);
// Handles a request for this responder that is no READ.
void nic_read_strange(struct nic *nic, struct nic_qp *qp, const struct pkt *p, tstamp now);
// Connects the responder of READs to another queue pair, whose first request has this PSN.
void nic_read_serve(const struct nic *nic, struct nic_qp *qp, uint32_t qpn, uint32_t psn);

// rp.c: what its reaction point means to a requester
void nic_rp_look(const struct nic *nic, const struct nic_qp *qp, struct rp_look *look, tstamp now);
// An event at the nominal instant `at`, whose rate holds from `from` on. As `at` is nominal, a
// timer that is caught up with late gives what it would have given in time.
void nic_rp_reacted(struct nic *nic, struct nic_qp *qp, enum rp_event e, tstamp from, tstamp at);
// Takes the CNPs of the class that still wait for the queue pair, and then expires due timers.
void nic_rp_expire(struct nic *nic, struct nic_qp *qp, tstamp now);
// Prepares how the requester learns of CNPs to its class. Call it before the first CNP.
void nic_rp_join_class(struct nic *nic, struct nic_qp *qp);
// Whether CNPs to the class wait for the queue pair.
static inline bool nic_rp_has_cnps(const struct nic *nic, const struct nic_qp *qp)
{
	return nic->class_cnps && qp->req.cnps != nic->class_cnps[qp->cls].n;
}
// Returns whether nic_rp_expire() has something to do.
static inline bool nic_rp_is_due(const struct nic *nic, const struct nic_qp *qp, tstamp now)
{
	return now >= qp->req.rp_at || nic_rp_has_cnps(nic, qp);
}
// Brings events and owed bytes of the reaction point up to `now`, for a report. No frame leaves at
// another instant because of it.
void nic_rp_account(struct nic *nic, struct nic_qp *qp, tstamp now);
void nic_rp_cnp(struct nic *nic, struct nic_qp *qp, tstamp made, tstamp now);
void nic_rp_cnm(struct nic *nic, const struct pkt *p, tstamp now);

// group.c: reaction points that several have
void nic_group_free(struct nic_group *g);
void nic_group_follow(struct nic_qp *qp); // it has the rate that holds now

// ring.c: rings of messages
void nic_ring_fini(struct nic *nic);

// rdma_ip.c: requesters with the RDMA IP's reaction point
// Returns whether the limiter counts bytes in windows; such a limiter has no ideal instants.
static inline bool nic_rdma_ip_windowed(const struct nic_qp *qp)
{
	const struct rdma_ip_qp *core = nic_rdma_ip(qp);

	return core && core->cfg->limiter == RDMA_IP_WINDOW;
}
// Sets the earliest instant of the next frame from the limiter's windows, after a change of rate or
// count. False: the limiter spaces frames, and the pacer decides.
bool nic_rdma_ip_next(struct nic_qp *qp);
// Firmware is called when it wants to be, and says when that is next.
void nic_rdma_ip_fw_timer(struct nic *nic, tstamp now);
void nic_rdma_ip_fw_next(struct nic *nic, tstamp now);
