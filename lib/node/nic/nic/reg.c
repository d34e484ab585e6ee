// SPDX-License-Identifier: BSD-3-Clause
// Registers of the RDMA IP: reading and writing them while traffic runs, and the reaction of a
// queue pair to a write.
#include <errno.h>

#include "int.h"

void nic_set_firmware(struct nic *nic, const struct nic_fw_ops *ops, void *fw, tstamp now)
{
	nic->fw_ops = ops;
	nic->fw = fw;
	nic_rdma_ip_fw_next(nic, now);
	nic_reckon(nic);
}

// Takes over the registers of a queue pair: its rate, its mask, how much may be outstanding.
static void follow_registers(struct nic *nic, struct nic_qp *qp, tstamp now)
{
	struct nic_req *r = &qp->req;
	const struct rdma_ip_qp *ip = nic_rdma_ip(qp);
	rate_t rate = rdma_ip_qp_rate(ip);

	if (rate > r->ceiling)
		rate = r->ceiling;
	if (rate != r->rate)
		nic_rp_reacted(nic, qp, RP_WRITTEN, now, now);
	nic_rdma_ip_next(qp); // the count may have been written too
	nic_req_mask(nic, qp, qp->paused || ip->sq_arb_mask, now);
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

// Calls `act` for the queue pair with a number; 0: for none, RDMA_IP_REG_ALL: for all.
static void for_each(struct nic *nic, uint32_t number, tstamp now,
	void (*act)(struct nic *, struct nic_qp *, tstamp))
{
	if (number != RDMA_IP_REG_ALL) {
		if (is_of_rdma_ip(nic_by_number(nic, number)))
			act(nic, nic_by_number(nic, number), now);
		return;
	}
	for (unsigned i = 0; i < nic->n_qps; i++)
		if (is_of_rdma_ip(nic->qp[i])) // none of them is idle
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

static void tell_write(
	struct nic *nic, const struct rdma_ip_place *place, uint64_t value, tstamp now)
{
	struct ev *ev = ev_put(nic->events, EV_REG, now);

	if (!ev)
		return;
	ev->reg.address = place->address;
	ev->reg.lsb = place->lsb;
	ev->reg.width = place->width;
	ev->reg.value = value;
}

void nic_reg_adopt(struct nic *nic, const struct rdma_ip_reg_params *was,
	const struct rdma_ip_reg_params *to, tstamp now)
{
	struct rdma_ip_reg_global old = was->init, new = to->init;

	for_each(nic, RDMA_IP_REG_ALL, now, nic_rp_expire);
	rdma_ip_reg_adopt(nic->reg, was, to, now);
	for (unsigned i = 0; i < rdma_ip_n_fields; i++) {
		const struct rdma_ip_field *f = &rdma_ip_fields[i];
		const struct rdma_ip_place place = {f->address, f->lsb, f->width};

		if (f->what == RDMA_IP_PLAIN &&
			*rdma_ip_field_plain(&old, f) != *rdma_ip_field_plain(&new, f))
			tell_write(nic, &place, *rdma_ip_field_plain(&new, f), now);
	}
	for_each(nic, RDMA_IP_REG_ALL, now, follow_registers);
}

int nic_reg_write(struct nic *nic, const struct rdma_ip_place *place, uint64_t value, tstamp now)
{
	uint32_t number;
	int rc;

	now = nic_now(nic, now);
	if (!nic->reg)
		return -ENXIO;
	number = rdma_ip_reg_write_of(nic->reg, place, value);
	for_each(nic, number, now, nic_rp_expire);
	rc = rdma_ip_reg_write(nic->reg, place, value, now);
	if (rc)
		return rc;
	tell_write(nic, place, value, now);
	for_each(nic, number, now, follow_registers);
	return 0;
}
