// SPDX-License-Identifier: BSD-3-Clause
// One pass over a frame's headers; each step checks the length before it reads. Both parsers use
// it.
#include "frame/frame_walk.h"

#include <string.h>

static void bad(struct frame_walk *w, enum frame_error error)
{
	w->kind = PKT_BAD;
	w->error = (uint8_t)error;
}

static void walk_bth(struct frame_walk *w, const uint8_t *o)
{
	unsigned bth = w->payload_off;
	unsigned left = w->payload_end - bth;
	unsigned icrc_end;
	const struct bth_op *op;

	if (left < BTH_LEN) {
		bad(w, FRAME_SHORT_BTH);
		return;
	}
	op = &bth_ops[o[bth]];
	w->bth_off = (uint16_t)bth;
	w->pad = o[bth + 1] >> 4 & 3;
	left -= BTH_LEN;
	icrc_end = op->ext_len + ICRC_LEN;
	if (o[bth + 1] & 15)
		bad(w, FRAME_BAD_BTH_VERSION);
	else if (!op->ext)
		bad(w, FRAME_BAD_OPCODE);
	else if (left < op->ext_len)
		bad(w, FRAME_SHORT_EXT);
	else if (left < icrc_end)
		bad(w, FRAME_SHORT_ICRC);
	else if (left < icrc_end + w->pad)
		bad(w, FRAME_BAD_PAD);
	else {
		w->kind = op->kind;
		w->payload_off = (uint16_t)(bth + BTH_LEN + op->ext_len);
		w->payload_end = (uint16_t)(w->trailer_off - ICRC_LEN - w->pad);
	}
}

static int is_gen(const uint8_t *payload, unsigned len)
{
	uint32_t stamped = len >= FRAME_GEN_LEN ? get_be32(payload) - GEN_MAGIC : 2;

	return stamped <= 1 && len >= FRAME_GEN_LEN + stamped * FRAME_GEN_STAMP;
}

// Walks UDP, the bytes from w->payload_off to w->payload_end; `fragment`: a first fragment.
static void walk_udp(struct frame_walk *w, const uint8_t *o, int fragment)
{
	unsigned udp = w->payload_off;
	unsigned left = w->payload_end - udp;
	unsigned len;

	if (left < UDP_LEN) {
		bad(w, FRAME_SHORT_UDP);
		return;
	}
	w->kind = PKT_UDP;
	w->udp_off = (uint16_t)udp;
	w->payload_off = (uint16_t)(udp + UDP_LEN);
	len = get_be16(o + udp + 4);
	if (len < UDP_LEN)
		bad(w, FRAME_BAD_UDP_LENGTH);
	else if (fragment) // the length is the whole datagram's; RoCEv2 is never fragmented
		return;
	else if (len > left)
		bad(w, FRAME_BAD_UDP_LENGTH);
	else if (get_be16(o + udp + 2) != BTH_UDP_PORT)
		w->kind = is_gen(o + w->payload_off, len - UDP_LEN) ? PKT_GEN : PKT_UDP;
	else if (len != left) // nothing may stand between the ICRC and the packet's end
		bad(w, FRAME_BAD_UDP_LENGTH);
	else
		walk_bth(w, o);
}

static void walk_ip4(struct frame_walk *w, const uint8_t *o, unsigned left)
{
	const uint8_t *ip = o + w->l3_off;
	unsigned header = (ip[0] & 15u) * 4;
	unsigned total, frag;

	if (ip[0] >> 4 != 4) {
		bad(w, FRAME_BAD_IP_VERSION);
		return;
	}
	if (header < IP4_LEN || header > left) {
		bad(w, FRAME_BAD_IHL);
		return;
	}
	w->tags |= HDR_IPV4; // from here on it is whole: it has a ToS byte, right or not
	total = get_be16(ip + 2);
	if (total < header || total > left) {
		bad(w, FRAME_BAD_IP_LENGTH);
		return;
	}
	if (!ip_checksum_ok(ip, header)) {
		bad(w, FRAME_BAD_IP_CHECKSUM);
		return;
	}
	w->payload_off = (uint16_t)(w->l3_off + header);
	w->payload_end = w->trailer_off = (uint16_t)(w->l3_off + total);
	frag = get_be16(ip + 6) & (IP4_MF | IP4_OFFSET_MASK);
	if (ip[9] == IP_PROTO_UDP && !(frag & IP4_OFFSET_MASK))
		walk_udp(w, o, frag != 0);
}

static void walk_ip6(struct frame_walk *w, const uint8_t *o, unsigned left)
{
	const uint8_t *ip = o + w->l3_off;
	unsigned payload = get_be16(ip + 4);

	if (ip[0] >> 4 != 6) {
		bad(w, FRAME_BAD_IP_VERSION);
		return;
	}
	w->tags |= HDR_IPV6;
	if (payload > left - IP6_LEN) {
		bad(w, FRAME_BAD_IP_LENGTH);
		return;
	}
	w->payload_off = (uint16_t)(w->l3_off + IP6_LEN);
	w->payload_end = w->trailer_off = (uint16_t)(w->payload_off + payload);
	if (ip[6] == IP_PROTO_UDP)
		walk_udp(w, o, 0);
}

#define GRH_NEXT_IBA 0x1b

// The GRH's payload length counts from the BTH up to the ICRC's end (IBA vol. 1 cl. 8.3).
void frame_walk_rocev1(struct frame_walk *w, const uint8_t *o)
{
	const uint8_t *grh = o + w->l3_off;
	unsigned left = w->trailer_off - w->l3_off, len;

	if (w->kind != PKT_OTHER || w->ethertype != ETH_P_ROCEV1)
		return;
	if (left < IP6_LEN) {
		bad(w, FRAME_SHORT_IP);
		return;
	}
	if (grh[0] >> 4 != 6 || grh[6] != GRH_NEXT_IBA)
		return;
	w->tags |= HDR_IPV6;
	len = get_be16(grh + 4);
	if (len > left - IP6_LEN) {
		bad(w, FRAME_BAD_IP_LENGTH);
		return;
	}
	w->payload_off = (uint16_t)(w->l3_off + IP6_LEN);
	w->payload_end = w->trailer_off = (uint16_t)(w->payload_off + len);
	walk_bth(w, o);
}

// MAC control is recognized untagged and with its own group address only (802.1Q cl. 36,
// standards.md 2.1).
static void walk_macctl(struct frame_walk *w, const uint8_t *o, unsigned left)
{
	unsigned opcode;

	w->kind = PKT_MACCTL;
	if (left < 2) {
		bad(w, FRAME_SHORT_PFC);
		return;
	}
	opcode = get_be16(o + w->l3_off);
	if (w->tags || memcmp(o, pfc_dst, sizeof(pfc_dst)) != 0)
		return;
	if (opcode != MACCTL_PFC && opcode != MACCTL_PAUSE)
		return;
	if (left < (opcode == MACCTL_PFC ? PFC_LEN : PAUSE_LEN)) {
		bad(w, FRAME_SHORT_PFC);
		return;
	}
	w->kind = opcode == MACCTL_PFC ? PKT_PFC : PKT_PAUSE;
	w->payload_off = (uint16_t)(w->l3_off + (opcode == MACCTL_PFC ? PFC_LEN : PAUSE_LEN));
	w->payload_end = w->trailer_off = w->payload_off;
}

static void walk_cnm(struct frame_walk *w, const uint8_t *o, unsigned left)
{
	unsigned msdu;

	if (left < CNM_LEN) {
		bad(w, FRAME_SHORT_CNM);
		return;
	}
	if (o[w->l3_off] >> 4) // another version: nothing that we could read
		return;
	msdu = get_be16(o + w->l3_off + CNM_LEN - 2);
	if (msdu > CNM_MSDU_MAX || msdu > left - CNM_LEN) {
		bad(w, FRAME_BAD_CNM);
		return;
	}
	w->kind = PKT_CNM;
	w->payload_off = (uint16_t)(w->l3_off + CNM_LEN);
	w->payload_end = w->trailer_off = (uint16_t)(w->payload_off + msdu);
}

// Walks the `left` bytes behind the tags.
static void walk_l3(struct frame_walk *w, const uint8_t *o, unsigned left)
{
	switch (w->ethertype) {
	case ETH_P_IPV4:
		if (left < IP4_LEN)
			bad(w, FRAME_SHORT_IP);
		else
			walk_ip4(w, o, left);
		break;
	case ETH_P_IPV6:
		if (left < IP6_LEN)
			bad(w, FRAME_SHORT_IP);
		else
			walk_ip6(w, o, left);
		break;
	case ETH_P_MAC_CONTROL:
		walk_macctl(w, o, left);
		break;
	case ETH_P_CNM:
		walk_cnm(w, o, left);
		break;
	default:
		if (w->ethertype >= ETH_P_MIN && is_gen(o + w->l3_off, left))
			w->kind = PKT_GEN;
	}
}

// Reads up to two VLAN tags, the second of which must be of 802.1Q. Returns their length in bytes.
// A tag that is cut off makes the frame bad.
static unsigned walk_vlan(struct frame_walk *w, const uint8_t *o, size_t len)
{
	if (len < 18) {
		bad(w, FRAME_SHORT_VLAN);
		return 0;
	}
	w->tags = w->ethertype == ETH_P_8021AD ? HDR_VLAN | HDR_STAG : HDR_VLAN;
	w->vlan_tci = get_be16(o + 14);
	w->ethertype = get_be16(o + 16);
	if (w->ethertype != ETH_P_8021Q)
		return 4;
	if (len < 22) {
		bad(w, FRAME_SHORT_VLAN);
		return 4;
	}
	w->tags |= HDR_INNER;
	w->inner_tci = get_be16(o + 18);
	w->ethertype = get_be16(o + 20);
	return 8;
}

void frame_walk(struct frame_walk *w, const uint8_t *bytes, size_t len)
{
	unsigned off = 14;

	*w = (struct frame_walk){0};
	if (len < off || len > PKT_MAX_LEN) {
		bad(w, len < off ? FRAME_SHORT_ETH : FRAME_TOO_LONG);
		return;
	}
	w->ethertype = get_be16(bytes + 12);
	if (eth_is_vlan(w->ethertype)) {
		off += walk_vlan(w, bytes, len);
		if (w->kind == PKT_BAD)
			return;
	}
	if (w->ethertype == ETH_P_CNTAG) {
		if (len < off + 4) {
			bad(w, FRAME_SHORT_CNTAG);
			return;
		}
		w->tags |= HDR_CNTAG;
		w->cntag = get_be16(bytes + off);
		w->ethertype = get_be16(bytes + off + 2);
		off += 4;
	}
	w->l3_off = w->payload_off = (uint16_t)off;
	w->payload_end = w->trailer_off = (uint16_t)len;
	walk_l3(w, bytes, (unsigned)len - off);
}
