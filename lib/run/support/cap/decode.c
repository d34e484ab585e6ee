// SPDX-License-Identifier: BSD-3-Clause
// Frames of a capture, read; frames that the capture cut as far as they go; and the words for what
// is seen.
#include "int.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

void decode_init(struct decode *d, rate_t rate)
{
	d->rate = rate;
	d->n = 0;
	d->first_ns = 0;
	d->port_width = 0;
	d->addr_width[0] = d->addr_width[1] = 15; // IPv4
}

// The offset in a frame at which the bytes end that the parser reads.
static unsigned headers_end(const struct frame *f)
{
	if (f->kind == PKT_GEN)
		return f->payload_off + frame_gen_head(&f->gen);
	return f->payload_off + (f->kind == PKT_MACCTL ? 2 : 0);
}

// Leaves tags and IP header of a frame only where its first `len` bytes have them whole.
static void forget_beyond(struct frame *f, unsigned len)
{
	if (len < f->l3_off)
		f->eth.has_vlan = f->eth.is_stag = f->eth.has_inner = f->eth.has_cntag = 0;
	if (f->ip.version && len < f->l3_off + ip_len(&f->ip))
		f->ip = (struct ip_hdr){0};
	f->udp = (struct udp){0};
}

// The extension headers of an IPv6 packet, as far as the frame's first `len` bytes have them.
static void read_ext(struct decoded *x, const uint8_t *bytes, uint32_t len)
{
	const struct frame *f = &x->f;
	unsigned left = len > f->payload_off ? len - f->payload_off : 0;
	const uint8_t *first = bytes + f->payload_off, *upper;

	if (f->kind != PKT_OTHER || f->ip.version != 6 || frame_is_rocev1(f))
		return;
	left = left < f->payload_len ? left : f->payload_len;
	ip6_chain_walk(&x->ext, f->ip.proto, first, left);
	upper = first + x->ext.off;
	if (!x->ext.n || x->ext.cut || x->ext.frag_off || left - x->ext.off < 4 ||
		(x->ext.proto != IP_PROTO_UDP && x->ext.proto != IP_PROTO_TCP))
		return;
	x->ext_ports = true;
	x->sport = get_be16(upper);
	x->dport = get_be16(upper + 2);
}

// Reads a frame of which the capture has only the first c->len bytes. The rest counts as zeros, and
// the result is used only as far as headers are complete.
static void read_cut(struct decode *d, const struct cap_frame *c, struct decoded *x)
{
	uint32_t len = c->wire_len < sizeof(d->whole) ? c->wire_len : sizeof(d->whole);

	memcpy(d->whole, c->bytes, c->len < len ? c->len : len);
	if (len > c->len)
		memset(d->whole + c->len, 0, len - c->len);
	frame_parse_captured(d->whole, len, &x->f);
	read_ext(x, d->whole, c->len);
	x->headers_cut = x->f.error || headers_end(&x->f) > c->len ||
			 (x->ext.cut && c->len < x->f.payload_off + x->f.payload_len);
	if (x->headers_cut)
		forget_beyond(&x->f, c->len);
	else if (pkt_is_roce(x->f.kind))
		x->icrc = DECODE_ICRC_CUT;
}

void decode_next(struct decode *d, const struct cap_frame *c, struct decoded *to)
{
	size_t len;

	if (!d->n)
		d->first_ns = c->ns;
	*to = (struct decoded){
		.number = ++d->n,
		.ns = c->ns,
		.at_ns = (int64_t)(c->ns - d->first_ns),
		.len = c->len,
		.wire_len = c->wire_len,
	};
	if (c->len < c->wire_len) {
		read_cut(d, c, to);
		return;
	}
	len = c->len < sizeof(d->whole) ? c->len : sizeof(d->whole);
	memcpy(d->whole, c->bytes, len);
	frame_parse_captured(d->whole, c->len, &to->f);
	read_ext(to, d->whole, c->len);
	if (pkt_is_roce(to->f.kind))
		to->icrc = frame_icrc_ok(&to->f, d->whole) ? DECODE_ICRC_OK : DECODE_ICRC_BAD;
}

const char *decode_kind_name(enum pkt_kind kind)
{
	static const char *const name[PKT_KINDS] = {
		[PKT_OTHER] = "other",
		[PKT_UDP] = "udp",
		[PKT_DATA] = "data",
		[PKT_ACK] = "ack",
		[PKT_CNP] = "cnp",
		[PKT_ROCE] = "roce",
		[PKT_PFC] = "pfc",
		[PKT_PAUSE] = "pause",
		[PKT_MACCTL] = "mac_control",
		[PKT_CNM] = "cnm",
		[PKT_GEN] = "open_loop",
		[PKT_BAD] = "malformed",
	};

	return (unsigned)kind < PKT_KINDS ? name[kind] : "unknown";
}

const char *decode_opcode_name(uint8_t opcode, char buf[DECODE_OPCODE])
{
	const struct bth_op *op = &bth_ops[opcode];

	if (op->name && (op->transport < BTH_TRANSPORT_VENDOR || bth_is_irn(opcode)))
		return op->name;
	snprintf(buf, DECODE_OPCODE, "%s 0x%02x", op->name ? op->name : "opcode", opcode);
	return buf;
}

const char *decode_ecn_name(unsigned ecn)
{
	static const char *const name[] = {
		[ECN_NOT_ECT] = "Not-ECT",
		[ECN_ECT1] = "ECT(1)",
		[ECN_ECT0] = "ECT(0)",
		[ECN_CE] = "CE",
	};

	return name[ecn & 3];
}

const char *decode_icrc_name(enum decode_icrc icrc)
{
	static const char *const name[] = {
		[DECODE_ICRC_NONE] = "-",
		[DECODE_ICRC_OK] = "ok",
		[DECODE_ICRC_BAD] = "BAD",
		[DECODE_ICRC_CUT] = "cut",
	};

	return name[icrc];
}

const char *decode_ethertype_name(uint16_t ethertype)
{
	switch (ethertype) {
	case ETH_P_ARP:
		return "ARP";
	case ETH_P_8021Q:
		return "802.1Q";
	case ETH_P_8021AD:
		return "802.1ad";
	case ETH_P_CNM:
		return "CNM";
	case 0x88cc:
		return "LLDP";
	case ETH_P_ROCEV1:
		return "RoCEv1";
	case 0x88f7:
		return "PTP";
	default:
		return ethertype < ETH_P_MIN ? "802.3" : NULL;
	}
}

const char *decode_proto_name(uint8_t proto)
{
	switch (proto) {
	case IP_PROTO_ICMP:
		return "ICMP";
	case 2:
		return "IGMP";
	case 4:
		return "IPv4 in IP";
	case IP_PROTO_TCP:
		return "TCP";
	case IP_PROTO_UDP:
		return "UDP";
	case 41:
		return "IPv6 in IP";
	case 47:
		return "GRE";
	case IP6_ESP:
		return "ESP";
	case IP6_AH:
		return "AH";
	case IP_PROTO_ICMPV6:
		return "ICMPv6";
	case IP6_NO_NEXT:
		return "no next header";
	case 89:
		return "OSPF";
	case 103:
		return "PIM";
	case 132:
		return "SCTP";
	default:
		return NULL;
	}
}

char *decode_addr(const struct decoded *x, int end, char buf[DECODE_ADDR])
{
	const struct frame *f = &x->f;
	const uint8_t *mac = end ? f->eth.dst : f->eth.src;
	const uint8_t *ip = end ? f->ip.daddr : f->ip.saddr;

	if (f->ip.version)
		inet_ntop(f->ip.version == 4 ? AF_INET : AF_INET6, ip, buf, DECODE_ADDR);
	else if (x->len < 14)
		snprintf(buf, DECODE_ADDR, "-");
	else
		units_format_mac(mac, buf, DECODE_ADDR);
	return buf;
}
