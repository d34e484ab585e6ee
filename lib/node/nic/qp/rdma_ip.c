// SPDX-License-Identifier: BSD-3-Clause
// The RDMA IP in a NIC: its limiter, the brake on outstanding requests, the CNP interrupt, and when
// firmware is called.
#include <errno.h>

#include "int.h"

// All queue pairs of the RDMA IP share one register file, made for the first.
int nic_rdma_ip_init(struct nic *nic, struct nic_qp *qp, const struct nic_qp_params *params)
{
	const struct rdma_ip_reg_params *p = &params->rp->u.rdma_ip;
	uint32_t number = params->number ? params->number : params->qpn - nic->p.qpn_base;
	struct rdma_ip_qp *ip;
	int rc = 0;

	if (nic->rdma_ip && nic->rdma_ip != p)
		return -EINVAL;
	if (!nic->reg) {
		uint32_t most = nic->p.max_qps < RDMA_IP_REG_QPS ? nic->p.max_qps : RDMA_IP_REG_QPS;

		rc = rdma_ip_reg_init(&nic->reg, &p->core, most);
	}
	if (!rc)
		rc = rdma_ip_reg_add_qp(nic->reg, number);
	if (rc)
		return rc;
	nic->rdma_ip = p;
	qp->req.more->number = number;
	rdma_ip_reg_boot(nic->reg, number, p, nic->now);
	qp->req.more->rdma_ip = ip = rdma_ip_reg_qp(nic->reg, number);
	if (params->rate_limit)
		rdma_ip_qp_set_most(ip, params->rate_limit, nic->now);
	qp->masked = ip->sq_arb_mask;
	if (nic->rdma_ip_most < number)
		nic->rdma_ip_most = number;
	return 0;
}

bool nic_rdma_ip_next(struct nic_qp *qp)
{
	if (!nic_rdma_ip_windowed(qp))
		return false;
	qp->req.pacer.next = rdma_ip_qp_next(nic_rdma_ip(qp));
	return true;
}

// Counts a frame in the limiter's windows. In real time a frame that is late, within the port's
// tolerance, counts in the window in which it should have left.
bool nic_rdma_ip_passed(const struct nic *nic, struct nic_qp *qp, uint32_t wire_bytes, tstamp now)
{
	struct rdma_ip_qp *ip = nic_rdma_ip(qp);
	tstamp from = tstamp_since(now, nic->ecfg.tolerance_ps);

	if (!ip)
		return false;
	rdma_ip_qp_passed(ip, wire_bytes, tstamp_max(from, tstamp_min(qp->req.pacer.next, now)));
	return nic_rdma_ip_next(qp);
}

tstamp nic_rdma_ip_timer(struct nic *nic, struct nic_qp *qp, tstamp now)
{
	struct nic_req *r = &qp->req;
	tstamp at = tstamp_min(r->start_at, rc_tx_rto_at(&r->tx));

	if (nic_rdma_ip(qp)->ost_until > now)
		return tstamp_min(at, nic_rdma_ip(qp)->ost_until);
	nic_req_post(nic, qp, now);
	return tstamp_min(r->start_at, rc_tx_rto_at(&r->tx));
}

// Sets when the firmware is called next. If it asks for an instant in the past, it is called after
// a microsecond.
void nic_rdma_ip_fw_next(struct nic *nic, tstamp now)
{
	tstamp at = nic->fw_ops->deadline(nic->fw);

	nic->fw_at = at > now ? at : now + PS_PER_US;
	nic->slow_at = tstamp_min(nic->slow_at, nic->fw_at);
}

void nic_rdma_ip_fw_timer(struct nic *nic, tstamp now)
{
	if (now >= nic->fw_at) {
		nic->fw_ops->expire(nic->fw, now);
		nic_rdma_ip_fw_next(nic, now);
	}
	nic->slow_at = tstamp_min(nic->slow_at, nic->fw_at);
}

// Called when the queue pair is settled: the firmware may write any register.
static void interrupt(struct nic *nic, struct nic_qp *qp, tstamp now)
{
	uint32_t number = qp->req.more->number;
	struct ev *ev;

	if (!rdma_ip_reg_interrupt(nic->reg, number))
		return;
	ev = ev_put(nic->events, EV_CNP_INT, now);
	if (ev)
		ev->qp.flow = qp->req.flow;
	if (nic->fw_ops) {
		nic->fw_ops->cnp(nic->fw, number, now);
		nic_rdma_ip_fw_next(nic, now);
	}
}

void nic_rdma_ip_notified(struct nic *nic, struct nic_qp *qp, tstamp now)
{
	tstamp until = nic_rdma_ip(qp)->ost_until;

	if (until > now)
		nic_timer_by(nic, qp, until);
	interrupt(nic, qp, now);
}
