// SPDX-License-Identifier: BSD-3-Clause
// A queue pair of the RDMA IP between two NICs: its registers, a CNP, and when its frames left.
#pragma once

#include "nic_lab.h"
#include "../rdma_ip_set.h"

#define US PS_PER_US

static const struct rdma_ip_reg_params ip = RDMA_IP_SET;

struct seen {
	unsigned n; // data frames
	tstamp t[4096];
	bool lose_acks;
	struct rp_cfg rp; // of the first queue pair
};

static inline bool note(struct lab *l, unsigned from, struct pkt *p, tstamp now)
{
	struct seen *s = l->arg;

	if (!from && p->kind == PKT_DATA && s->n < 4096)
		s->t[s->n++] = now;
	return !from || !s->lose_acks;
}

static inline void start_as(struct lab *l, struct seen *s, const struct rdma_ip_reg_params *rdma_ip,
	uint32_t message_bytes, unsigned outstanding, enum rc_verb verb)
{
	struct rc_params rc = lab_rc_params();
	struct nic_qp_params req;

	lab_init(l);
	rc.verb = verb;
	assert_int_equal(rc_cfg_init(&l->rc, &rc), 0);
	memset(s, 0, sizeof(*s));
	l->hook = note;
	l->arg = s;
	lab_start(l);
	req = lab_req(l, 2);
	s->rp = rp_of_rdma_ip(rdma_ip);
	req.rp = &s->rp;
	req.message_bytes = message_bytes;
	req.outstanding = outstanding;
	lab_add(l, &req);
}

static inline void start(struct lab *l, struct seen *s, const struct rdma_ip_reg_params *rdma_ip,
	uint32_t message_bytes, unsigned outstanding)
{
	start_as(l, s, rdma_ip, message_bytes, outstanding, RC_WRITE);
}

static inline void cnp(struct lab *l)
{
	lab_rx(l, 0, &(struct pkt){.kind = PKT_CNP, .len = 74, .u.rc = {.opcode = 0x81, .qpn = 2}});
}

static inline int reg(struct lab *l, const char *name, uint32_t qpn, uint64_t value)
{
	struct rdma_ip_place p;

	assert_int_equal(rdma_ip_reg_find(&p, name, qpn), 0);
	return lab_ctl(l, 0,
		(struct ctl){.type = CTL_REG,
			.id = p.address,
			.lsb = p.lsb,
			.width = p.width,
			.a = value});
}

static inline uint64_t rd(struct lab *l, const char *name, uint32_t qpn)
{
	struct rdma_ip_place p;
	uint64_t v;

	assert_int_equal(rdma_ip_reg_find(&p, name, qpn), 0);
	assert_int_equal(nic_reg_read(l->nic[0], &p, &v, l->now), 0);
	return v;
}
