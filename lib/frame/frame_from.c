// SPDX-License-Identifier: BSD-3-Clause
// The fast path from our own descriptor to bytes: headers from the flow's shared header, payload of
// zeros or as the flow gives it.
#include <string.h>

#include "frame/frame.h"
#include "frame/frame_walk.h"

#define HEAD_MAX 160 // Ethernet with tags, IPv6, UDP, BTH, extension headers, ICRC

_Static_assert(26 + IP6_LEN + UDP_LEN + BTH_LEN + BTH_EXT_MAX + ICRC_LEN <= HEAD_MAX, "room");

unsigned frame_gen_min_len(const struct hdr *h)
{
	unsigned len = hdr_eth_len(h->flags) + FRAME_GEN_LEN;

	if (h->flags & HDR_IP)
		len += UDP_LEN + (h->flags & HDR_IPV4 ? IP4_LEN : IP6_LEN);
	return len;
}

static unsigned put_eth(const struct pkt *p, uint8_t *o)
{
	const struct hdr *h = p->hdr;
	unsigned off = 12;

	memcpy(o, h->dst, 6);
	memcpy(o + 6, h->src, 6);
	if (h->flags & HDR_VLAN) {
		put_be16(o + off, h->flags & HDR_STAG ? ETH_P_8021AD : ETH_P_8021Q);
		put_be16(o + off + 2, h->vlan_tci);
		off += 4;
		if (h->flags & HDR_INNER) {
			put_be16(o + off, ETH_P_8021Q);
			put_be16(o + off + 2, h->inner_tci);
			off += 4;
		}
	}
	if (pkt_has_cntag(p) || p->kind == PKT_CNM) {
		put_be16(o + off, ETH_P_CNTAG);
		put_be16(o + off + 2, p->kind == PKT_CNM ? p->u.cnm.flow_id : h->cntag);
		off += 4;
	}
	put_be16(o + off, h->ethertype);
	return off + 2;
}

// Checksum of the header that put_ip writes, from the fields: reading bytes back that were just
// written singly would wait for them.
static uint16_t ip4_checksum(const struct pkt *p, unsigned len, unsigned id)
{
	const struct hdr *h = p->hdr;
	uint32_t sum = (0x4500u | p->tos) + len + id + IP4_DF + (uint32_t)(h->ttl << 8 | h->proto);

	sum += get_be16(h->saddr) + get_be16(h->saddr + 2);
	sum += get_be16(h->daddr) + get_be16(h->daddr + 2);
	sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t) ~(sum + (sum >> 16));
}

// IP header of a packet with `len` bytes, header included.
static unsigned put_ip(const struct pkt *p, uint8_t *o, unsigned len)
{
	const struct hdr *h = p->hdr;
	uint16_t id = hdr_ip_id(h);

	if (h->flags & HDR_IPV4) {
		o[0] = 0x45;
		o[1] = p->tos;
		put_be16(o + 2, (uint16_t)len);
		put_be16(o + 4, id);
		put_be16(o + 6, IP4_DF);
		o[8] = h->ttl;
		o[9] = h->proto;
		put_be16(o + 10, ip4_checksum(p, len, id));
		memcpy(o + 12, h->saddr, 4);
		memcpy(o + 16, h->daddr, 4);
		return IP4_LEN;
	}
	put_be32(o, 6u << 28 | (uint32_t)p->tos << 20);
	put_be16(o + 4, (uint16_t)(len - IP6_LEN));
	o[6] = h->proto;
	o[7] = h->ttl;
	memcpy(o + 8, h->saddr, 16);
	memcpy(o + 24, h->daddr, 16);
	return IP6_LEN;
}

static unsigned put_udp(const struct hdr *h, uint8_t *o, unsigned len)
{
	put_be16(o, h->sport);
	put_be16(o + 2, h->dport);
	put_be16(o + 4, (uint16_t)len);
	put_be16(o + 6, 0);
	return UDP_LEN;
}

// Address, key and DMA length, which is `at`.
static void put_reth(const struct pkt *p, uint32_t len, uint8_t *at)
{
	const struct hdr_region *r = (const struct hdr_region *)p->hdr;

	if (p->hdr->flags & HDR_REGION) {
		bool reads = p->u.rc.opcode == BTH_RC_READ_REQUEST;

		put_be64(at - 12, r->va + (reads ? r->bytes - len : 0));
		put_be32(at - 4, r->rkey);
	} else if (p->u.rc.opcode == BTH_RC_READ_REQUEST || bth_is_irn(p->u.rc.opcode)) {
		put_be64(at - 12, bth_read_va(len));
	}
	put_be32(at, len);
}

static unsigned put_bth(const struct pkt *p, uint8_t *o)
{
	const struct pkt_rc *rc = &p->u.rc;
	const struct bth_op *op = &bth_ops[rc->opcode];
	struct bth b = {
		.opcode = rc->opcode,
		.bits = rc->bth | (p->kind == PKT_CNP ? BTH_BECN : 0),
		.pad = rc->pad,
		.pkey = BTH_PKEY,
		.qpn = rc->qpn,
		.psn = rc->psn,
	};

	bth_render(&b, o);
	memset(o + BTH_LEN, 0, op->ext_len);
	if (op->own_off)
		put_be32(o + op->own_off, (uint32_t)rc->syndrome << 24 | (rc->arg & BTH_PSN_MASK));
	if (op->len_off)
		put_reth(p, op->arg_off ? rc->arg : rc->payload, o + op->len_off);
	if (op->ext & BTH_EXT_CAME)
		put_be32(o + BTH_LEN + 4, (rc->psn + rc->payload) & BTH_PSN_MASK);
	return BTH_LEN + op->ext_len;
}

static unsigned ip_hdr_len(const struct hdr *h)
{
	return h->flags & HDR_IPV4 ? IP4_LEN : IP6_LEN;
}

// Writes payload and pad, as far as there is room.
static void put_body(const struct pkt *p, const struct payload *payload, uint8_t *o, unsigned body)
{
	const struct pkt_rc *rc = &p->u.rc;
	unsigned len = rc->payload < body ? rc->payload : body;

	if (payload && pkt_has_payload(p)) {
		payload_put(payload, rc->psn, rc->qpn, o, len);
		o += len;
		body -= len;
	}
	memset(o, 0, body);
}

// Writes a RoCEv2 packet of ours. Its headers fit into HEAD_MAX. If p->len is too short, payload is
// left out first.
static void put_roce(const struct pkt *p, const struct payload *payload, uint8_t *o, unsigned off)
{
	const struct pkt_rc *rc = &p->u.rc;
	unsigned ip = ip_hdr_len(p->hdr);
	unsigned head = off + ip + UDP_LEN + BTH_LEN + bth_ops[rc->opcode].ext_len;
	unsigned body = rc->opcode == BTH_IRN_NACK ? 0 : rc->payload + rc->pad;
	unsigned end;

	if (head + body + ICRC_LEN > p->len)
		body = p->len > head + ICRC_LEN ? p->len - head - ICRC_LEN : 0;
	end = head + body;
	put_ip(p, o + off, end + ICRC_LEN - off);
	put_udp(p->hdr, o + off + ip, end + ICRC_LEN - off - ip);
	put_bth(p, o + off + ip + UDP_LEN);
	put_body(p, payload, o + head, body);
	icrc_put(o + end, icrc_compute(o + off, ip, end - off));
	if (p->len > end + ICRC_LEN)
		memset(o + end + ICRC_LEN, 0, p->len - end - ICRC_LEN);
}

// Writes an open-loop frame. The instant of sending is left out if there is no room for it.
static void put_gen(const struct pkt *p, const struct payload *payload, uint8_t *o, unsigned off)
{
	unsigned l3 = off;
	uint32_t stamped;

	if (p->hdr->flags & HDR_IP) {
		off += put_ip(p, o + off, p->len - off);
		off += put_udp(p->hdr, o + off, p->len - off);
	}
	stamped = p->u.gen.stamped && p->len >= off + FRAME_GEN_LEN + FRAME_GEN_STAMP;
	put_be32(o + off, GEN_MAGIC + stamped);
	put_be32(o + off + 4, p->u.gen.source);
	put_be32(o + off + 8, p->u.gen.seq);
	off += FRAME_GEN_LEN;
	if (stamped) {
		put_be32(o + off, (uint32_t)(p->born / PS_PER_NS));
		off += FRAME_GEN_STAMP;
	}
	if (payload)
		payload_put(payload, p->u.gen.seq, p->u.gen.source, o + off, p->len - off);
	else
		memset(o + off, 0, p->len - off);
	if (p->hdr->flags & HDR_IPV6) {
		uint8_t *udp = o + l3 + IP6_LEN;

		udp_put_checksum6(o + l3, udp, get_be16(udp + 4));
	}
}

static unsigned put_cnm(const struct pkt *p, uint8_t *o)
{
	const struct pkt_cnm *u = &p->u.cnm;
	struct cnm c = {
		.qntzfb = u->qntzfb,
		.qoffset = u->qoffset,
		.qdelta = u->qdelta,
		.priority = (uint16_t)(u->priority << 13),
	};

	memcpy(c.cpid, u->cpid, sizeof(c.cpid));
	memcpy(c.dst, p->hdr->daddr, sizeof(c.dst));
	return cnm_render(&c, o);
}

// Everything but RoCEv2 and the open-loop source: a fixed body, then zeros.
static void put_plain(const struct pkt *p, uint8_t *o, unsigned off)
{
	struct pfc pfc = {
		.opcode = p->kind == PKT_PAUSE ? MACCTL_PAUSE : MACCTL_PFC,
		.time = p->u.pfc,
	};

	if (p->kind == PKT_MACCTL && p->hdr->sport)
		pfc.opcode = p->hdr->sport;
	if (p->kind == PKT_PFC || p->kind == PKT_PAUSE || p->kind == PKT_MACCTL)
		off += pfc_render(&pfc, o + off);
	else if (p->kind == PKT_CNM)
		off += put_cnm(p, o + off);
	if (p->len > off)
		memset(o + off, 0, p->len - off);
}

static void put_frame(const struct pkt *p, const struct payload *payload, uint8_t *o)
{
	unsigned off = put_eth(p, o);

	if (pkt_is_roce(p->kind))
		put_roce(p, payload, o, off);
	else if (p->kind == PKT_GEN && p->len >= frame_gen_min_len(p->hdr))
		put_gen(p, payload, o, off);
	else
		put_plain(p, o, off);
}

unsigned frame_from_pkt(const struct pkt *p, uint8_t *bytes)
{
	return frame_with_payload(p, NULL, bytes);
}

unsigned frame_with_payload(const struct pkt *p, const struct payload *payload, uint8_t *bytes)
{
	uint8_t head[HEAD_MAX];

	if (p->len >= HEAD_MAX) {
		put_frame(p, payload, bytes);
	} else { // headers may need more than len (framing hpcc_sim)
		put_frame(p, payload, head);
		memcpy(bytes, head, p->len);
	}
	return p->len;
}
