// SPDX-License-Identifier: BSD-3-Clause
// Frames of a queue pair from a template and a shape, which the first frame of each gives.
#include "frame/frame_tmpl.h"

#include <string.h>

static unsigned eth_and_ip(const struct hdr *h)
{
	return hdr_eth_len(h->flags) + (h->flags & HDR_IPV4 ? IP4_LEN : IP6_LEN);
}

bool frame_tmpl_has_room(const struct pkt *p)
{
	const struct pkt_rc *rc = &p->u.rc;

	return !(p->hdr->flags & HDR_INNER) && !bth_is_irn(rc->opcode) &&
	       eth_and_ip(p->hdr) + UDP_LEN + BTH_LEN + bth_ops[rc->opcode].ext_len + rc->payload +
			       rc->pad + ICRC_LEN <=
		       p->len;
}

unsigned frame_shape_tails(const struct pkt *p, unsigned tail[2])
{
	const struct pkt_rc *rc = &p->u.rc;
	const struct bth_op *op = &bth_ops[rc->opcode];

	tail[0] = op->ext_len + rc->payload + rc->pad;
	if (!op->own_off)
		return 1;
	tail[1] = tail[0] - (op->own_off - BTH_LEN) - 4;
	return 2;
}

// The IPv4 header's checksum without ToS and length: the sum of all other words, folded.
static uint16_t partial_sum(const uint8_t *ip)
{
	uint32_t sum = (uint32_t)ip[0] << 8;

	for (unsigned i = 4; i < IP4_LEN; i += 2)
		sum += i == 10 ? 0u : get_be16(ip + i);
	sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)((sum & 0xffff) + (sum >> 16));
}

void frame_tmpl_init(struct frame_tmpl *t, const struct pkt *p, const uint8_t *bytes)
{
	unsigned ip_len = p->hdr->flags & HDR_IPV4 ? IP4_LEN : IP6_LEN;
	unsigned udp_off = eth_and_ip(p->hdr), l3_off = udp_off - ip_len;
	uint8_t l3[IP6_LEN + UDP_LEN + BTH_LEN], *udp = l3 + ip_len;

	memcpy(l3, bytes + l3_off, ip_len + UDP_LEN + BTH_LEN);
	memset(l3 + (ip_len == IP4_LEN ? 2 : 4), 0, 2); // length
	memset(udp + 4, 0, 2);                          // length
	memset(udp + UDP_LEN, 0, 2);                    // opcode; SE, MigReq, pad, version
	memset(t, 0, ip_len == IP4_LEN ? FRAME_TMPL_IP4 : FRAME_TMPL_IP6);
	t->hdr = p->hdr;
	t->before = icrc_before_word(l3, ip_len);
	t->qpn = p->u.rc.qpn;
	t->payload = p->hdr->payload;
	t->udp_off = udp_off & 0x7f;
	t->has_region = (p->hdr->flags & HDR_REGION) != 0;
	memcpy(t->head, bytes, udp_off + FRAME_TMPL_UDP);
	if (ip_len == IP4_LEN)
		put_be16(t->head + l3_off + 10, partial_sum(bytes + l3_off));
}

// AckReq and PSN.
static inline uint32_t last_word(const struct pkt_rc *rc)
{
	return icrc_word(rc->bth / BTH_ACKREQ & 1, rc->psn & BTH_PSN_MASK);
}

// AETH or ImmDt.
static inline uint32_t own_word(const struct pkt_rc *rc)
{
	return (uint32_t)rc->syndrome << 24 | (rc->arg & BTH_PSN_MASK);
}

// The share of the ICRC that comes from the frame's own words, and from the bytes before them.
static inline uint32_t sum_of_words(
	const struct frame_tmpl *t, const struct frame_shape *s, const struct pkt_rc *rc)
{
	uint32_t sum = icrc_update(s->word, 0, t->before ^ last_word(rc));

	return s->own ? icrc_update(s->own, sum, own_word(rc)) : sum;
}

void frame_shape_init(struct frame_shape *s, const struct frame_tmpl *t, const struct pkt *p,
	const uint8_t *bytes, const struct icrc_table *const table[2])
{
	const struct pkt_rc *rc = &p->u.rc;
	const struct bth_op *op = &bth_ops[rc->opcode];
	const uint8_t *bth = bytes + t->udp_off + UDP_LEN;
	unsigned body = rc->payload + rc->pad;

	*s = (struct frame_shape){
		.form = frame_form_of(p),
		.word = table[0],
		.own = op->own_off ? table[1] : NULL,
		.udp_len = (uint16_t)(UDP_LEN + BTH_LEN + op->ext_len + body + ICRC_LEN),
		.body = (uint16_t)body,
		.bits = bth[4],
		.ext_len = op->ext_len,
		.has_arg = op->arg_off,
		.has_va = rc->opcode == BTH_RC_READ_REQUEST,
		.own_off = op->own_off,
		.len_off = op->len_off,
	};
	memcpy(&s->bth, bth, sizeof(s->bth));
	s->icrc = icrc_get(bth + BTH_LEN + op->ext_len + body) ^ sum_of_words(t, s, rc);
}

// The IP header's ToS, length and checksum.
static inline void put_ip4(const uint8_t *tmpl, uint8_t *ip, unsigned tos, unsigned len)
{
	uint32_t sum = get_be16(tmpl + 10) + tos + len; // one carry at most

	ip[1] = (uint8_t)tos;
	put_be16(ip + 2, (uint16_t)len);
	put_be16(ip + 10, (uint16_t) ~(sum + (sum >> 16)));
}

static inline void put_ext(const struct frame_shape *s, const struct pkt_rc *rc, uint8_t *bth)
{
	memset(bth + BTH_LEN, 0, s->ext_len);
	if (s->own)
		put_be32(bth + s->own_off, own_word(rc));
	if (s->len_off)
		put_be32(bth + s->len_off, s->has_arg ? rc->arg : rc->payload);
	if (s->has_va)
		put_be64(bth + s->len_off - 12, bth_read_va(rc->arg));
}

unsigned frame_from_tmpl(const struct frame_tmpl *t, const struct frame_shape *s,
	const struct pkt *p, uint8_t *bytes)
{
	const struct pkt_rc *rc = &p->u.rc;
	bool is_v6 = frame_tmpl_is_v6(t);
	unsigned udp_off = t->udp_off, end = udp_off + s->udp_len;
	unsigned l3_off = udp_off - (is_v6 ? IP6_LEN : IP4_LEN);
	uint8_t *udp = bytes + udp_off, *bth = udp + UDP_LEN;

	if (!is_v6) {
		memcpy(bytes, t->head, FRAME_TMPL_HEAD);
		put_ip4(t->head + l3_off, bytes + l3_off, p->tos, IP4_LEN + s->udp_len);
	} else {
		memcpy(bytes, t->head, 22 + IP6_LEN + FRAME_TMPL_UDP);
		put_be32(bytes + l3_off, 6u << 28 | (uint32_t)p->tos << 20);
		put_be16(bytes + l3_off + 4, s->udp_len);
	}
	put_be32(udp + 4, (uint32_t)s->udp_len << 16); // checksum 0
	memcpy(bth, &s->bth, sizeof(s->bth));
	put_be32(bth + 4, (uint32_t)s->bits << 24 | (t->qpn & BTH_PSN_MASK));
	put_be32(bth + 8, last_word(rc));
	if (s->ext_len)
		put_ext(s, rc, bth);
	icrc_put(bytes + end - ICRC_LEN, s->icrc ^ sum_of_words(t, s, rc));
	if (p->len > end)
		memset(bytes + end, 0, p->len - end);
	return end - ICRC_LEN - s->body;
}
