// SPDX-License-Identifier: BSD-3-Clause
// The RDMA IP in a NIC: its registers, the brake on outstanding requests, the CNP interrupt,
// firmware.
#include <errno.h>

#include "int.h"

// All queue pairs of the RDMA IP share one register file, made for the first.
int nic_rdma_ip_init(struct nic *nic, struct nic_qp *qp)
{
	const struct rdma_ip_reg_params *p = &qp->p.rp->u.rdma_ip;
	uint32_t number = nic_qp_number(nic, qp);
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
	qp->req.rdma_ip = rdma_ip_reg_qp(nic->reg, number);
	if (qp->p.rate_limit)
		rdma_ip_qp_set_most(qp->req.rdma_ip, qp->p.rate_limit);
	qp->req.masked = qp->req.rdma_ip->sq_arb_mask;
	return 0;
}

bool nic_rdma_ip_next(struct nic_req *r)
{
	if (!nic_rdma_ip_windowed(r))
		return false;
	r->pacer.next = rdma_ip_qp_next(r->rdma_ip);
	return true;
}

// Within the port's tolerance (real time) a late frame counts where it should have left.
bool nic_rdma_ip_passed(const struct nic *nic, struct nic_req *r, uint32_t wire_bytes, tstamp now)
{
	tstamp from = tstamp_since(now, nic->ecfg.tolerance_ps);

	rdma_ip_qp_passed(r->rdma_ip, wire_bytes, tstamp_max(from, tstamp_min(r->pacer.next, now)));
	return nic_rdma_ip_next(r);
}

tstamp nic_rdma_ip_timer(struct nic *nic, struct nic_qp *qp, tstamp now)
{
	struct nic_req *r = &qp->req;
	tstamp at = tstamp_min(r->start_at, r->tx.rto_at);

	if (r->rdma_ip->ost_until > now)
		return tstamp_min(at, r->rdma_ip->ost_until);
	nic_req_post(nic, qp, now);
	return tstamp_min(r->start_at, r->tx.rto_at);
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
	uint32_t number = nic_qp_number(nic, qp);
	struct ev *ev;

	if (!rdma_ip_reg_interrupt(nic->reg, number))
		return;
	ev = ev_put(nic->events, EV_CNP_INT, now);
	if (ev)
		ev->qp.flow = qp->p.flow;
	if (nic->fw_ops) {
		nic->fw_ops->cnp(nic->fw, number, now);
		fw_next(nic, now);
	}
}

void nic_rdma_ip_notified(struct nic *nic, struct nic_qp *qp, tstamp now)
{
	if (qp->req.rdma_ip->ost_until > now)
		nic_timer_by(nic, qp, qp->req.rdma_ip->ost_until);
	interrupt(nic, qp, now);
}

// The mask is set or taken away. One that waits for the wire stays in its FIFO meanwhile; what it
// was behind by is lost, and for the time that it is masked it is owed nothing.
static void mask(struct nic *nic, struct nic_qp *qp, bool on, tstamp now)
{
	struct nic_req *r = &qp->req;

	if (on != r->masked && qp->state == NIC_QP_READY && !nic_rdma_ip_windowed(r)) {
		tstamp until = tstamp_min(now, nic->cls[qp->cls].shut_at);

		nic_req_reopen(nic, qp);
		if (on)
			pacer_give_up(&r->pacer, pacer_late(&r->pacer, until));
		else
			pacer_restart(&r->pacer, now);
	}
	r->masked = on;
}

// What registers say now of a queue pair: its rate, its mask, how much may be outstanding.
static void follow(struct nic *nic, struct nic_qp *qp, tstamp now)
{
	struct nic_req *r = &qp->req;
	rate_t rate = rdma_ip_qp_rate(r->rdma_ip);

	if (rate > r->ceiling)
		rate = r->ceiling;
	if (rate != r->rate)
		nic_rp_reacted(nic, qp, RP_WRITTEN, now, now);
	nic_rdma_ip_next(r); // the count may have been written too
	mask(nic, qp, r->rdma_ip->sq_arb_mask, now);
	r->rp_at = rp_deadline(r->rp);
	if (r->tx.failed)
		return;
	if (qp->state == NIC_QP_GAP)
		nic_req_place(nic, qp, now);
	nic_req_post(nic, qp, now);
	if (r->rdma_ip->ost_until > now)
		nic_timer_by(nic, qp, r->rdma_ip->ost_until);
}

static void for_each(struct nic *nic, uint32_t number, tstamp now,
	void (*act)(struct nic *, struct nic_qp *, tstamp))
{
	for (unsigned i = 0; i < nic->n_qps; i++) {
		struct nic_qp *qp = nic->qp[i];

		if (qp->requester && qp->req.rdma_ip &&
			(!number || number == nic_qp_number(nic, qp)))
			act(nic, qp, now);
	}
}

uint32_t nic_reg_qps(const struct nic *nic)
{
	uint32_t most = 0;

	for (unsigned i = 0; i < nic->n_qps; i++) {
		const struct nic_qp *qp = nic->qp[i];

		if (qp->requester && qp->req.rdma_ip && nic_qp_number(nic, qp) > most)
			most = nic_qp_number(nic, qp);
	}
	return most;
}

int nic_reg_read(struct nic *nic, const struct rdma_ip_place *place, uint64_t *value, tstamp now)
{
	now = nic_now(nic, now);
	if (!nic->reg)
		return -ENXIO;
	for_each(nic, rdma_ip_reg_qpn(place->address), now, nic_rp_expire);
	return rdma_ip_reg_read(nic->reg, place, value, now);
}

int nic_reg_write(struct nic *nic, const struct rdma_ip_place *place, uint64_t value, tstamp now)
{
	uint32_t number = rdma_ip_reg_qpn(place->address);
	struct ev *ev;
	int rc;

	now = nic_now(nic, now);
	if (!nic->reg)
		return -ENXIO;
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
