// SPDX-License-Identifier: BSD-3-Clause
// The fast path between foreign frames and descriptors: fields out of the bytes, and changes back
// into them.
#include <assert.h>

#include "frame/frame.h"
#include "frame/frame_walk.h"

static void put_ip4_addresses(struct hdr *h, const uint8_t *ip)
{
	memcpy(h->saddr, ip + 12, 4);
	memcpy(h->daddr, ip + 16, 4);
}

static void put_ip6_addresses(struct hdr *h, const uint8_t *ip)
{
	memcpy(h->saddr, ip + 8, 16);
	memcpy(h->daddr, ip + 24, 16);
}

static void fill_ip4(struct pkt *p, struct hdr *h, const uint8_t *ip)
{
	p->tos = ip[1];
	h->ttl = ip[8];
	h->proto = ip[9];
	if (!(h->flags & HDR_INNER))
		h->ip_id = get_be16(ip + 4);
	put_ip4_addresses(h, ip);
}

static void fill_ip6(struct pkt *p, struct hdr *h, const uint8_t *ip)
{
	p->tos = (uint8_t)(get_be16(ip) >> 4);
	h->ttl = ip[7];
	h->proto = ip[6];
	put_ip6_addresses(h, ip);
}

// Field by field: a copy of a struct just made would wait for its parts.
static void fill_rc(struct pkt_rc *rc, const struct frame_walk *w, const uint8_t *o)
{
	const uint8_t *bth = o + w->bth_off;
	const struct bth_op *op = &bth_ops[bth[0]];

	rc->opcode = bth[0];
	rc->bth = bth_bits(bth);
	rc->syndrome = 0;
	rc->pad = w->pad;
	rc->psn = get_be24(bth + 9);
	rc->qpn = get_be24(bth + 5);
	rc->arg = 0;
	rc->payload = (uint16_t)(w->payload_end - w->payload_off);
	if (op->own_off) {
		rc->syndrome = bth[op->own_off];
		rc->arg = get_be24(bth + op->own_off + 1);
	} else if (op->arg_off) {
		rc->arg = get_be32(bth + op->arg_off);
	}
}

static void fill_cnm(struct pkt *p, struct hdr *h, const uint8_t *o, const struct frame_walk *w)
{
	struct cnm c;

	cnm_parse(o + w->l3_off, &c);
	p->u.cnm = (struct pkt_cnm){
		.qoffset = c.qoffset,
		.qdelta = c.qdelta,
		.flow_id = w->cntag,
		.qntzfb = c.qntzfb,
		.priority = (uint8_t)(c.priority >> 13),
	};
	memcpy(p->u.cnm.cpid, c.cpid, sizeof(c.cpid));
	memcpy(h->daddr, c.dst, sizeof(c.dst));
}

// Fills the union `u` by the frame's kind.
static void fill_kind(struct pkt *p, struct hdr *h, const uint8_t *o, const struct frame_walk *w)
{
	switch (w->kind) {
	case PKT_DATA:
	case PKT_ACK:
	case PKT_CNP:
	case PKT_ROCE:
		fill_rc(&p->u.rc, w, o);
		break;
	case PKT_PFC:
	case PKT_PAUSE:
		pfc_parse_time(o + w->l3_off, &p->u.pfc);
		break;
	case PKT_CNM:
		fill_cnm(p, h, o, w);
		break;
	case PKT_GEN:
		gen_parse(o + w->payload_off, &p->u.gen);
		break;
	case PKT_BAD:
		p->u.bad = w->error;
		break;
	default:
		break;
	}
}

// Fills in the fields of Ethernet; all others are 0.
static void fill_eth(struct hdr *h, const uint8_t *o, unsigned len, const struct frame_walk *w)
{
	*h = (struct hdr){
		.vlan_tci = w->vlan_tci,
		.cntag = w->cntag,
		.ethertype = w->ethertype,
		.flags = w->tags,
		.inner_tci = w->inner_tci,
	};
	if (len >= 14) {
		memcpy(h->dst, o, 6);
		memcpy(h->src, o + 6, 6);
	}
}

enum pkt_kind frame_to_pkt_there(struct pkt *p, uint16_t max_len)
{
	const uint8_t *o = (const uint8_t *)p + p->data_off;
	struct hdr *h = pkt_hdr_place(p);
	struct frame_walk w;

	assert(p->data_off);
	frame_walk(&w, o, p->len);
	if (p->len > max_len) {
		w.kind = PKT_BAD;
		w.error = FRAME_TOO_LONG;
	}
	p->u.rc.kept = 0;
	p->flags = PKT_F_FOREIGN;
	p->kind = w.kind;
	p->tos = 0;
	p->l3_off = 0;
	fill_eth(h, o, p->len, &w);
	if (w.tags & HDR_IP) {
		p->l3_off = (uint8_t)w.l3_off;
		if (w.tags & HDR_IPV4)
			fill_ip4(p, h, o + w.l3_off);
		else
			fill_ip6(p, h, o + w.l3_off);
	}
	if (w.udp_off) {
		h->sport = get_be16(o + w.udp_off);
		h->dport = get_be16(o + w.udp_off + 2);
	}
	fill_kind(p, h, o, &w);
	return p->kind;
}

enum pkt_kind frame_to_pkt(struct pkt *p, uint16_t max_len)
{
	p->hdr = pkt_own_hdr(p);
	return frame_to_pkt_there(p, max_len);
}

bool frame_pkt_icrc_ok(const struct pkt *p)
{
	const uint8_t *ip = (const uint8_t *)p + p->data_off + p->l3_off;
	bool is_v6 = ip[0] >> 4 == 6;
	size_t covered = (is_v6 ? IP6_LEN + get_be16(ip + 4) : get_be16(ip + 2)) - ICRC_LEN;

	assert(p->flags & PKT_F_FOREIGN && pkt_is_roce(p->kind));
	return icrc_compute(ip, ip_len_at(ip), covered) == icrc_get(ip + covered);
}

void frame_pkt_eth(const struct pkt *p, struct hdr *h)
{
	const uint8_t *o = (const uint8_t *)p + p->data_off;
	struct frame_walk w;

	assert(p->flags & PKT_F_FOREIGN);
	frame_walk(&w, o, p->len);
	fill_eth(h, o, p->len, &w);
}

void frame_pkt_reth(const struct pkt *p, uint64_t *va, uint32_t *rkey, uint32_t *bytes)
{
	const uint8_t *ip = (const uint8_t *)p + p->data_off + p->l3_off;
	const uint8_t *bth = ip + ip_len_at(ip) + UDP_LEN;
	const uint8_t *len = bth + bth_ops[p->u.rc.opcode].len_off;

	assert(p->flags & PKT_F_FOREIGN && bth_ops[p->u.rc.opcode].len_off);
	*va = get_be64(len - 12);
	*rkey = get_be32(len - 4);
	*bytes = get_be32(len);
}

uint32_t frame_pkt_came(const struct pkt *p)
{
	const uint8_t *ip = (const uint8_t *)p + p->data_off + p->l3_off;

	assert(p->flags & PKT_F_FOREIGN && p->u.rc.opcode == BTH_IRN_NACK);
	return get_be24(ip + ip_len_at(ip) + UDP_LEN + BTH_LEN + 5);
}

uint16_t frame_pkt_pkey(const struct pkt *p)
{
	const uint8_t *ip = (const uint8_t *)p + p->data_off + p->l3_off;

	assert(p->flags & PKT_F_FOREIGN && pkt_is_roce(p->kind));
	return get_be16(ip + ip_len_at(ip) + UDP_LEN + 2);
}

bool frame_pkt_payload_holds(const struct pkt *p, const struct payload *payload)
{
	const uint8_t *o = (const uint8_t *)p + p->data_off;
	struct frame_walk w;

	assert(p->flags & PKT_F_FOREIGN && (pkt_has_payload(p) || p->kind == PKT_GEN));
	frame_walk(&w, o, p->len);
	if (p->kind != PKT_GEN)
		return payload_holds(payload, p->u.rc.psn, p->u.rc.qpn, o + w.payload_off,
			w.payload_end - w.payload_off);
	w.payload_off += frame_gen_head(&p->u.gen);
	if (w.udp_off) // a short datagram's frame may have padding
		w.payload_end = (uint16_t)(w.udp_off + get_be16(o + w.udp_off + 4));
	return payload_holds(payload, p->u.gen.seq, p->u.gen.source, o + w.payload_off,
		w.payload_end - w.payload_off);
}

// Takes the CN-TAG out. The addresses and VLAN tags move over it; a frame that would fall below
// the Ethernet minimum keeps its length, its rest moves up and zeros follow.
static void strip_cntag(struct pkt *p)
{
	uint8_t *o = (uint8_t *)p + p->data_off;
	unsigned tag = 12;

	if (eth_is_vlan(get_be16(o + tag)))
		tag += get_be16(o + 16) == ETH_P_8021Q ? 8 : 4;
	if (p->len < tag + 6u || get_be16(o + tag) != ETH_P_CNTAG)
		return;
	if (p->len >= PKT_MIN_LEN && p->len < PKT_MIN_LEN + 4) {
		memmove(o + tag, o + tag + 4, p->len - tag - 4);
		memset(o + p->len - 4, 0, 4);
		p->len = PKT_MIN_LEN;
	} else {
		memmove(o + 4, o, tag);
		p->data_off += 4;
		p->len -= 4;
	}
	if (p->l3_off)
		p->l3_off -= 4;
}

void frame_patch(struct pkt *p)
{
	if (p->flags & PKT_F_UNTAG_CN) {
		strip_cntag(p);
		p->flags &= (uint8_t)~PKT_F_UNTAG_CN;
	}
	if (p->flags & PKT_F_CE && p->l3_off)
		ip_mark_ce((uint8_t *)p + p->data_off + p->l3_off);
}

unsigned frame_shown(
	const struct pkt *p, const struct payload *payload, uint8_t *room, const uint8_t **bytes)
{
	struct pkt *copy = (struct pkt *)room;

	if (!(p->flags & PKT_F_FOREIGN)) {
		*bytes = room;
		return frame_with_payload(p, &payload[p->hdr->payload], room);
	}
	pkt_clone(copy, p, sizeof(struct pkt) + sizeof(struct hdr));
	frame_patch(copy);
	*bytes = pkt_bytes(copy);
	return copy->len;
}
