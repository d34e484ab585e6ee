// SPDX-License-Identifier: BSD-3-Clause
// The functions of a responder for the rooms above: it takes data, acknowledges them and answers CE
// with CNPs. The queue pair that requests a READ is a responder in all that concerns the data.
#pragma once

#include "qp.h"

// rsp.c: responders
// Checks the parameters of a new one, and finds their kind.
int nic_rsp_check(struct nic *nic, const struct nic_qp_params *p, uint32_t *kind);
void nic_rsp_fini(struct nic_rsp *r);
// Connects the responder to another queue pair, whose first request has this PSN.
void nic_rsp_connect(const struct nic *nic, struct nic_qp *qp, uint32_t qpn, uint32_t psn);
// Takes a request; true if it is answered (ACK, NAK, CNP) or starts a timer.
bool nic_rsp_data(struct nic *nic, struct nic_qp *qp, struct pkt *p, tstamp now);
// Returns whether data from outside go to memory that the peer may write; otherwise they are
// refused.
bool nic_rsp_allows(struct nic *nic, struct nic_qp *qp, const struct pkt *p, tstamp now);
// Refuses a request of a verb that the responder does not have.
void nic_rsp_strange(struct nic *nic, struct nic_qp *qp, const struct pkt *p, tstamp now);
tstamp nic_rsp_timer(struct nic *nic, struct nic_qp *qp, tstamp now); // of its CNPs and its READs

// ask.c: READs that are asked for
void nic_read_response(struct nic *nic, struct nic_qp *qp, const struct pkt *p, tstamp now);
void nic_read_nak(struct nic *nic, struct nic_qp *qp, const struct pkt *p, tstamp now);
void nic_read_run(struct nic *nic, struct nic_qp *qp, bool on, tstamp now);
// Its READs are held with their source (`on`), so that no timeout counts, or go on.
void nic_read_pause(struct nic *nic, struct nic_qp *qp, bool on, tstamp now);
// Connects the READs of a requester to another queue pair, which serves `reads` of them at a time.
// Call it before the first READ.
void nic_read_connect(struct nic_qp *qp, uint32_t qpn, uint32_t psn, unsigned reads);
