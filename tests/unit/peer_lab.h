// SPDX-License-Identifier: BSD-3-Clause
// Two NICs of nic_lab.h, each of which takes the other for one that is none of ours.
#pragma once

#include <stdbool.h>

#include "base/prng.h"
#include "frame/cm_msg.h"
#include "frame/mad.h"
#include "nic/int.h"
#include "nic_lab.h"
#include "wire/arp.h"

#define PORT   18515
#define ROOM   768 // bytes of a descriptor, its header and a MAD
#define OFFSET 192
#define VA     0x7f0012345678
#define RKEY   0xabcdef01
#define LENGTH 4096

struct peer_lab {
	struct lab l;
	struct hdr_region data;
	struct hdr ack, cnp;
	struct nic_peer_params req, rsp;
	struct prng rng;
	unsigned lose_permille; // of frames with bytes
	unsigned lost;
	bool deaf; // all of them to nic 1
	uint64_t va;
	uint32_t rkey;          // of the last data frame's header
	int64_t first_psn;      // of data, or of a READ; -1: none has been sent
	struct rc_cfg serves;   // transport of nic 1 where nic 0 READs
	unsigned most_asked;    // READs that were outstanding
	unsigned answers[2];    // ACKs and NAKs of each
	struct pkt_rc answer;   // the last of them
	unsigned answer_len[2]; // of the last that each sent
	unsigned lose_data_permille;
	struct cm_msg said[2];  // the last REQ of nic 0, and the last REP or REJ of nic 1
	uint8_t said_to[2][16]; // whom
};

static inline void peer_note_mad(struct peer_lab *t, unsigned from, const struct pkt *p)
{
	const uint8_t *mad;
	struct cm_msg m;

	if (p->kind != PKT_ROCE || mad_of_pkt(p, &mad) || cm_msg_parse(mad, &m))
		return;
	if (from ? m.kind != CM_REP && m.kind != CM_REJ : m.kind != CM_REQ)
		return;
	t->said[from] = m;
	memcpy(t->said_to[from], p->hdr->daddr, 16);
}

// Nic 0 gets a message as from this IPv4 address.
static inline void peer_inject(struct peer_lab *t, const struct cm_msg *m, uint8_t last)
{
	struct pkt *p = pkt_get_ctl(&t->l.stack);
	struct hdr h = t->ack;
	uint8_t mad[MAD_LEN];

	memcpy(h.dst, t->l.p[0].mac, 6);
	h.saddr[3] = last;
	*p = (struct pkt){0};
	cm_msg_render(m, mad);
	mad_to_pkt(p, OFFSET, &h, 0, 0, mad);
	nic_rx(t->l.nic[0], 0, &p, 1, t->l.now);
	lab_drain_events(&t->l, 0);
}

static inline bool peer_hook(struct lab *l, unsigned from, struct pkt *p, tstamp now)
{
	struct peer_lab *t = l->arg;
	bool lose = t->deaf && !from;

	(void)now;
	if (p->kind == PKT_ACK) {
		t->answers[from]++;
		t->answer = p->u.rc;
		t->answer_len[from] = p->len;
	}
	if (p->kind == PKT_ROCE && !(p->flags & PKT_F_FOREIGN)) {
		unsigned asked = from ? 0 : nic_qp_rc_tx(l->nic[0], 0)->cur;

		t->most_asked = asked > t->most_asked ? asked : t->most_asked;
		if (t->lose_data_permille && prng_below(&t->rng, 1000) < t->lose_data_permille)
			return false;
	}
	if (p->kind == PKT_DATA || (p->kind == PKT_ROCE && !(p->flags & PKT_F_FOREIGN))) {
		t->va = t->data.va;
		t->rkey = t->data.rkey;
		if (t->first_psn < 0)
			t->first_psn = p->u.rc.psn;
	}
	if (!(p->flags & PKT_F_FOREIGN))
		return true;
	peer_note_mad(t, from, p);
	lose |= t->lose_permille && prng_below(&t->rng, 1000) < t->lose_permille;
	t->lost += lose;
	return !lose;
}

// Nic 0 gets a frame as bytes.
static inline void peer_came(struct peer_lab *t, const uint8_t *bytes, unsigned len)
{
	struct pkt *p = pkt_get_ctl(&t->l.stack);

	*p = (struct pkt){.len = (uint16_t)len, .data_off = OFFSET};
	memcpy(pkt_bytes(p), bytes, len);
	frame_to_pkt(p, 4300);
	nic_rx(t->l.nic[0], 0, &p, 1, t->l.now);
	lab_drain_events(&t->l, 0);
}

// 10.0.0.2 tells everybody that it has this hardware address.
static inline void peer_announces(struct peer_lab *t, const uint8_t mac[6])
{
	uint8_t bytes[ARP_FRAME_MAX];
	struct arp a;

	arp_announce(&a, mac, (uint8_t[4]){10, 0, 0, 2}, -1);
	peer_came(t, bytes, arp_to_frame(&a, bytes));
}

// Nic 1 ends the connection that nic 0 has asked for.
static inline void peer_parts(struct peer_lab *t)
{
	struct cm_msg dreq = {.kind = CM_DREQ,
		.tid = 99,
		.local_id = t->said[1].local_id,
		.remote_id = t->said[0].local_id,
		.u.dreq_qpn = 5};

	peer_inject(t, &dreq, 2);
}

// Addresses 10.0.0.1 and .2, or fd::1 and fd::2; neither knows the other's hardware address.
static inline void peer_begin(struct peer_lab *t, bool v6, uint64_t seed)
{
	struct lab *l = &t->l;
	uint8_t ip[2][16] = {{10, 0, 0, 1}, {10, 0, 0, 2}};

	memset(t, 0, sizeof(*t));
	t->first_psn = -1;
	lab_init(l);
	prng_init(&t->rng, seed, "peer_test");
	for (unsigned i = 0; i < 2; i++) {
		if (v6)
			memcpy(ip[i], (uint8_t[16]){0xfd, [15] = (uint8_t)(i + 1)}, 16);
		l->p[i].answers = true;
		l->p[i].ipv6 = v6;
		l->p[i].seed = seed;
		memcpy(l->p[i].ip, ip[i], 16);
	}
	l->hook = peer_hook;
	l->arg = t;
	lab_start(l);
	l->room = realloc(l->room, (size_t)LAB_PKTS * ROOM);
	for (unsigned i = 0; i < LAB_PKTS; i++)
		l->slot[i] = (struct pkt *)(l->room + ROOM * (size_t)i);
	l->stack.data_off = OFFSET;
	l->stack.room = ROOM - OFFSET;
	t->ack = (struct hdr){.flags = v6 ? HDR_IPV6 : HDR_IPV4,
		.ethertype = v6 ? 0x86dd : 0x0800,
		.proto = 17,
		.ttl = 64,
		.sport = 0xc123,
		.dport = 4791,
		.id = 7};
	t->cnp = t->data.hdr = t->ack;
	memcpy(t->data.hdr.src, l->p[0].mac, 6);
	memcpy(t->data.hdr.saddr, ip[0], 16);
	memcpy(t->data.hdr.daddr, ip[1], 16);
	memcpy(t->ack.src, l->p[1].mac, 6);
	memcpy(t->ack.saddr, ip[1], 16);
	memcpy(t->ack.daddr, ip[0], 16);
	t->data.hdr.flags |= HDR_REGION;
	t->cnp = t->ack;
	t->req = (struct nic_peer_params){.data = &t->data, .resolve = true};
	t->rsp = (struct nic_peer_params){
		.ack = &t->ack, .cnp = &t->cnp, .port = PORT, .va = VA, .rkey = RKEY};
}

// Nic 0 need not ask where nic 1 is.
static inline void peer_found(struct peer_lab *t)
{
	t->req.resolve = false;
	memcpy(t->data.hdr.dst, t->l.p[1].mac, 6);
}

static inline void peer_add(struct peer_lab *t, uint64_t count, uint32_t psn)
{
	struct nic_qp_params req = lab_req(&t->l, 5);
	struct nic_qp_params rsp = {.flow = 5,
		.qpn = 9,
		.peer_qpn = t->rsp.port ? 0 : 5,
		.ack_hdr = &t->ack,
		.cnp_hdr = &t->cnp,
		.cls = 3,
		.ack_cls = 6,
		.rc = &t->l.rc,
		.psn = t->rsp.port ? 0 : psn,
		.peer = &t->rsp};

	req.data_hdr = &t->data.hdr;
	req.peer_qpn = t->req.port ? 0 : 9;
	req.message_bytes = 100000;
	req.count = count;
	req.outstanding = 1;
	req.psn = psn;
	req.peer = &t->req;
	assert_int_equal(nic_add_qp(t->l.nic[0], &req), 0);
	assert_int_equal(nic_add_qp(t->l.nic[1], &rsp), 0);
}

static inline enum nic_peer_state peer_state(const struct peer_lab *t, unsigned i)
{
	unsigned reason;

	return nic_qp_peer(t->l.nic[i], 0, &reason);
}

static inline unsigned peer_failed(const struct peer_lab *t)
{
	return nic_qp_rc_tx(t->l.nic[0], 0)->failed;
}

// Nic 0 READs what nic 1 has: the requests have the region's header, and the data that of nic 1's
// answers. Of nic 1's REQ or REP it learns the rest.
static inline void peer_add_reads(
	struct peer_lab *t, uint64_t count, unsigned rd_atomic, unsigned serves)
{
	struct rc_params p = lab_rc_params();
	struct nic_qp_params data = lab_req(&t->l, 9), asks;

	p.verb = RC_READ;
	p.window = 16384;
	p.rd_atomic = serves;
	p.rto_ps = 10 * PS_PER_MS;
	assert_int_equal(rc_cfg_init(&t->serves, &p), 0);
	p.rd_atomic = rd_atomic;
	assert_int_equal(rc_cfg_init(&t->l.rc, &p), 0);
	t->data.bytes = 10000;
	data.flow = 5;
	data.data_hdr = &t->ack;
	data.peer_qpn = t->rsp.port ? 0 : 5;
	data.message_bytes = 10000;
	data.count = count;
	data.outstanding = 16;
	data.psn = t->rsp.port ? 0 : 0xffffff;
	asks = data;
	data.rc = &t->serves;
	data.peer = &t->rsp;
	asks.requester = false;
	asks.qpn = 5;
	asks.peer_qpn = t->req.port ? 0 : 9;
	asks.data_hdr = NULL;
	asks.ack_hdr = &t->data.hdr;
	asks.cnp_hdr = &t->cnp;
	asks.ack_cls = 3;
	asks.peer = &t->req;
	assert_int_equal(nic_add_qp(t->l.nic[0], &asks), 0);
	assert_int_equal(nic_add_qp(t->l.nic[1], &data), 0);
}

static inline const struct rc_tx *peer_reader(const struct peer_lab *t)
{
	return nic_qp_rc_tx(t->l.nic[0], 0);
}

// A frame of the other one to a NIC's queue pair, as bytes.
static inline void peer_offer_to(struct peer_lab *t, unsigned to, uint8_t opcode, uint32_t psn,
	uint32_t payload, const struct rc_reth *reth)
{
	struct hdr_region r = {.hdr = to ? t->data.hdr : t->ack,
		.va = reth->va,
		.rkey = reth->rkey,
		.bytes = reth->bytes};
	struct pkt ours = {.hdr = &r.hdr,
		.kind = bth_ops[opcode].kind,
		.len = (uint16_t)(58 + bth_ops[opcode].ext_len + payload),
		.u.rc = {.opcode = opcode,
			.bth = BTH_ACKREQ,
			.psn = psn,
			.qpn = to ? 9 : 5,
			.arg = reth->bytes,
			.payload = (uint16_t)payload}};
	struct pkt *p = pkt_get_ctl(&t->l.stack);

	memcpy(r.hdr.dst, t->l.p[to].mac, 6);
	r.hdr.flags |= HDR_REGION;
	*p = (struct pkt){.data_off = OFFSET, .len = ours.len};
	frame_from_pkt(&ours, pkt_bytes(p));
	frame_to_pkt(p, 4300);
	nic_rx(t->l.nic[to], 0, &p, 1, t->l.now);
	lab_drain_events(&t->l, to);
	lab_run(&t->l, t->l.now + 10 * PS_PER_US);
}

static inline void peer_offer(struct peer_lab *t, uint8_t opcode, uint32_t psn, uint32_t payload,
	const struct rc_reth *reth)
{
	peer_offer_to(t, 1, opcode, psn, payload, reth);
}
