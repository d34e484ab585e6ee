// SPDX-License-Identifier: BSD-3-Clause
// The RDMA IP in a NIC: its registers, the brake on outstanding requests, the CNP interrupt,
// firmware.
#include <errno.h>

#include "int.h"

// By which its registers know a requester.
static uint32_t number_of(const struct nic *nic, const struct nic_qp *qp)
{
	return qp->req.qpn - nic->p.qpn_base;
}

// All queue pairs of the RDMA IP share one register file, made for the first.
int nic_rdma_ip_init(struct nic *nic, struct nic_qp *qp, const struct nic_qp_params *params)
{
	const struct rdma_ip_reg_params *p = &params->rp->u.rdma_ip;
	uint32_t number = number_of(nic, qp);
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
	rdma_ip_reg_boot(nic->reg, number, p, nic->now);
	qp->req.more->rdma_ip = ip = rdma_ip_reg_qp(nic->reg, number);
	if (params->rate_limit)
		rdma_ip_qp_set_most(ip, params->rate_limit);
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

// Within the port's tolerance (real time) a late frame counts where it should have left.
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

// When the firmware wants to be called again. One that asks for the past gets a microsecond.
static void fw_next(struct nic *nic, tstamp now)
{
	tstamp at = nic->fw_ops->deadline(nic->fw);

	nic->fw_at = at > now ? at : now + PS_PER_US;
	nic->slow_at = tstamp_min(nic->slow_at, nic->fw_at);
}

void nic_set_firmware(struct nic *nic, const struct nic_fw_ops *ops, void *fw, tstamp now)
{
	nic->fw_ops = ops;
	nic->fw = fw;
	fw_next(nic, now);
	nic_reckon(nic);
}

void nic_rdma_ip_fw_timer(struct nic *nic, tstamp now)
{
	if (now >= nic->fw_at) {
		nic->fw_ops->expire(nic->fw, now);
		fw_next(nic, now);
	}
	nic->slow_at = tstamp_min(nic->slow_at, nic->fw_at);
}

// Called when the queue pair is settled: the firmware may write any register.
static void interrupt(struct nic *nic, struct nic_qp *qp, tstamp now)
{
	uint32_t number = number_of(nic, qp);
	struct ev *ev;

	if (!rdma_ip_reg_interrupt(nic->reg, number))
		return;
	ev = ev_put(nic->events, EV_CNP_INT, now);
	if (ev)
		ev->qp.flow = qp->req.flow;
	if (nic->fw_ops) {
		nic->fw_ops->cnp(nic->fw, number, now);
		fw_next(nic, now);
	}
}

void nic_rdma_ip_notified(struct nic *nic, struct nic_qp *qp, tstamp now)
{
	tstamp until = nic_rdma_ip(qp)->ost_until;

	if (until > now)
		nic_timer_by(nic, qp, until);
	interrupt(nic, qp, now);
}

// The mask is set or taken away. One that waits for the wire stays in its FIFO meanwhile; what it
// was behind by is lost, and for the time that it is masked it is owed nothing.
static void mask(struct nic *nic, struct nic_qp *qp, bool on, tstamp now)
{
	struct nic_req *r = &qp->req;

	if (on != qp->masked && qp->state == NIC_QP_READY && !nic_rdma_ip_windowed(qp)) {
		tstamp until = tstamp_min(now, nic->cls[qp->cls].shut_at);

		nic_req_reopen(nic, qp);
		if (on)
			nic_use(r)->lost += pacer_give_up(&r->pacer, pacer_late(&r->pacer, until));
		else
			pacer_restart(&r->pacer, now);
	}
	qp->masked = on;
}

// What registers say now of a queue pair: its rate, its mask, how much may be outstanding.
static void follow(struct nic *nic, struct nic_qp *qp, tstamp now)
{
	struct nic_req *r = &qp->req;
	const struct rdma_ip_qp *ip = nic_rdma_ip(qp);
	rate_t rate = rdma_ip_qp_rate(ip);

	if (rate > r->ceiling)
		rate = r->ceiling;
	if (rate != r->rate)
		nic_rp_reacted(nic, qp, RP_WRITTEN, now, now);
	nic_rdma_ip_next(qp); // the count may have been written too
	mask(nic, qp, ip->sq_arb_mask, now);
	r->rp_at = rp_deadline(r->rp);
	if (r->tx.failed)
		return;
	if (qp->state == NIC_QP_GAP)
		nic_req_place(nic, qp, now);
	nic_req_post(nic, qp, now);
	if (ip->ost_until > now)
		nic_timer_by(nic, qp, ip->ost_until);
}

static bool is_of_rdma_ip(const struct nic_qp *qp)
{
	return qp && nic_rdma_ip(qp);
}

// Of the queue pair with a number; 0: of none, RDMA_IP_REG_ALL: of all.
static void for_each(struct nic *nic, uint32_t number, tstamp now,
	void (*act)(struct nic *, struct nic_qp *, tstamp))
{
	if (number != RDMA_IP_REG_ALL) {
		if (is_of_rdma_ip(nic_by_number(nic, number)))
			act(nic, nic_by_number(nic, number), now);
		return;
	}
	for (unsigned i = 0; i < nic->n_qps; i++)
		if (is_of_rdma_ip(nic->qp[i]))
			act(nic, nic->qp[i], now);
}

uint32_t nic_reg_qps(const struct nic *nic)
{
	return nic->rdma_ip_most;
}

int nic_reg_read(struct nic *nic, const struct rdma_ip_place *place, uint64_t *value, tstamp now)
{
	now = nic_now(nic, now);
	if (!nic->reg)
		return -ENXIO;
	for_each(nic, rdma_ip_reg_read_of(nic->reg, place), now, nic_rp_expire);
	return rdma_ip_reg_read(nic->reg, place, value, now);
}

int nic_reg_write(struct nic *nic, const struct rdma_ip_place *place, uint64_t value, tstamp now)
{
	uint32_t number;
	struct ev *ev;
	int rc;

	now = nic_now(nic, now);
	if (!nic->reg)
		return -ENXIO;
	number = rdma_ip_reg_write_of(nic->reg, place, value);
	for_each(nic, number, now, nic_rp_expire);
	rc = rdma_ip_reg_write(nic->reg, place, value, now);
	if (rc)
		return rc;
	ev = ev_put(nic->events, EV_REG, now);
	if (ev) {
		ev->reg.address = place->address;
		ev->reg.lsb = place->lsb;
		ev->reg.width = place->width;
		ev->reg.value = value;
	}
	for_each(nic, number, now, follow);
	return 0;
}
