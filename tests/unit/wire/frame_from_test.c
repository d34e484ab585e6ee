// SPDX-License-Identifier: BSD-3-Clause
// Packets of ours as bytes: the worked examples, and what a stranger reads of every kind.
#include "wire/frame.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <cmocka.h>

#include "bytes.h"
#include "slot.h"

static const struct hdr flow4 = {
	.dst = {2, 0, 0, 0, 0, 2},
	.src = {2, 0, 0, 0, 0, 1},
	.ethertype = ETH_P_IPV4,
	.saddr = {10, 0, 0, 1},
	.daddr = {10, 0, 0, 2},
	.sport = 0xc123,
	.dport = BTH_UDP_PORT,
	.flags = HDR_IPV4,
	.proto = IP_PROTO_UDP,
	.ttl = 64,
	.ip_id = 0x1234,
	.id = 1,
};

static struct hdr flow6(void)
{
	struct hdr h = flow4;

	h.flags = HDR_IPV6;
	h.ethertype = ETH_P_IPV6;
	memset(h.saddr, 0x11, 16);
	memset(h.daddr, 0x22, 16);
	h.ip_id = 0;
	return h;
}

static void zeros(const uint8_t *o, unsigned from, unsigned to)
{
	for (unsigned i = from; i < to; i++)
		assert_int_equal(o[i], 0);
}

// Renders a packet of ours and reads the bytes as a stranger would.
static void there_and_back(const struct pkt *p, struct slot *s, struct frame *f)
{
	uint8_t o[ROOM];

	memset(o, 0xee, sizeof(o));
	assert_int_equal(frame_from_pkt(p, o), p->len);
	for (unsigned i = p->len; i < sizeof(o); i++)
		assert_int_equal(o[i], 0xee);
	assert_int_equal(frame_parse(o, p->len, f), FRAME_OK);
	assert_int_equal(f->kind, p->kind);
	assert_int_equal(take(s, o, p->len), p->kind);
	assert_memory_equal(s->h.dst, p->hdr->dst, 6);
	assert_memory_equal(s->h.src, p->hdr->src, 6);
	assert_int_equal(s->p.tos, p->tos);
	assert_int_equal(s->p.flags, PKT_F_FOREIGN);
	if (f->bth_off)
		assert_true(frame_icrc_ok(f, o));
	// Payload and padding are zeros, not what the buffer held.
	zeros(o, f->payload_off + (p->kind == PKT_GEN ? FRAME_GEN_LEN : 0u),
		f->payload_off + f->payload_len);
	zeros(o, f->trailer_off, p->len);
}

// standards.md 2.1: XOFF for priority 3, all 60 bytes.
static void pfc_xoff_bytes(void **state)
{
	struct hdr h = {
		.src = {2, 0, 0, 0, 0, 1}, .ethertype = ETH_P_MAC_CONTROL, .id = HDR_ID_NODE};
	struct pkt p = {.hdr = &h, .kind = PKT_PFC, .len = 60};
	uint8_t want[60] = {0}, o[60];
	struct slot s;
	struct frame f;

	(void)state;
	memcpy(h.dst, pfc_dst, 6);
	p.u.pfc = (struct pkt_pfc){.enable = 1 << 3, .quanta = {[3] = 0xffff}};
	hex_bytes("0180c2000001 020000000001 8808 0101 0008 0000 0000 0000 ffff", want);
	frame_from_pkt(&p, o);
	assert_memory_equal(o, want, 60);
	there_and_back(&p, &s, &f);
	assert_memory_equal(&s.p.u.pfc, &p.u.pfc, sizeof(p.u.pfc));
	p.kind = PKT_PAUSE;
	p.u.pfc = (struct pkt_pfc){.quanta = {0x1234}};
	there_and_back(&p, &s, &f);
	assert_int_equal(s.p.u.pfc.quanta[0], 0x1234);
}

// The captured CNP of standards.md 3.3, V1, from a descriptor.
static void cnp_bytes(void **state)
{
	struct hdr h = flow4;
	struct pkt p = {.hdr = &h, .kind = PKT_CNP, .len = 74, .tos = 0xc2};
	uint8_t want[74], o[74];

	(void)state;
	hex_bytes("020000000002 020000000001 0800 45c2003c718c4000401191610a0011010a001201"
		  "000012b700280000 8100ffff4000011800000000 00000000000000000000000000000000 "
		  "82fd002a",
		want);
	h.ip_id = 0x718c;
	h.sport = 0;
	hex_bytes("0a001101", h.saddr);
	hex_bytes("0a001201", h.daddr);
	p.u.rc = (struct pkt_rc){.opcode = BTH_CNP, .bth = BTH_BECN, .qpn = 0x118};
	frame_from_pkt(&p, o);
	assert_memory_equal(o, want, 74);
}

static void data_sizes(void **state)
{
	// standards.md 3.1: WRITE middle with 1024 bytes is 1082, first 16 more; ACK 62.
	static const struct {
		uint8_t opcode;
		uint16_t len, payload;
		uint8_t pad;
	} rows[] = {
		{BTH_RC_WRITE_MIDDLE, 1082, 1024, 0}, {BTH_RC_WRITE_FIRST, 1098, 1024, 0},
		{BTH_RC_SEND_LAST, 1082, 1021, 3}, {BTH_RC_WRITE_ONLY_IMM, 78, 0, 0},
		{BTH_RC_SEND_ONLY, 60, 0, 0}, // 58 and two bytes of padding
	};
	const struct hdr six = flow6();

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct pkt p = {.hdr = &flow4, .kind = PKT_DATA, .len = rows[i].len, .tos = 0x6a};
		struct slot s;
		struct frame f;

		p.u.rc = (struct pkt_rc){.opcode = rows[i].opcode,
			.bth = BTH_ACKREQ | BTH_SE,
			.psn = 0xfffffe,
			.qpn = 0x123456,
			.payload = rows[i].payload,
			.pad = rows[i].pad};
		if (bth_ops[rows[i].opcode].len_off)
			p.u.rc.arg = 4096;
		there_and_back(&p, &s, &f);
		assert_memory_equal(&s.p.u.rc, &p.u.rc, sizeof(p.u.rc));
		assert_int_equal(f.ip.id, 0x1234);
		assert_int_equal(f.ip.frag, IP4_DF);
		assert_int_equal(f.ip.ttl, 64);
		assert_int_equal(f.bth.pkey, 0xffff);
		assert_int_equal(f.udp.checksum, 0);
		p.hdr = &six;
		p.len += 20;
		there_and_back(&p, &s, &f);
		assert_memory_equal(&s.p.u.rc, &p.u.rc, sizeof(p.u.rc));
		assert_int_equal(f.udp.checksum, 0);
	}
}

static void ack_and_nak(void **state)
{
	struct pkt p = {.hdr = &flow4, .kind = PKT_ACK, .len = 62};
	struct slot s;
	struct frame f;

	(void)state;
	p.u.rc = (struct pkt_rc){.opcode = BTH_RC_ACK,
		.syndrome = AETH_NAK_PSN,
		.psn = 7,
		.qpn = 0x11,
		.arg = 0xabcdef};
	there_and_back(&p, &s, &f);
	assert_memory_equal(&s.p.u.rc, &p.u.rc, sizeof(p.u.rc));
	assert_int_equal(f.ext.aeth.syndrome, AETH_NAK_PSN);
	assert_int_equal(f.ext.aeth.msn, 0xabcdef);
}

static void gen_over(struct hdr *h, unsigned len)
{
	struct pkt p = {.hdr = h, .kind = PKT_GEN, .len = (uint16_t)len};
	struct slot s;
	struct frame f;

	p.tos = h->flags & HDR_IP ? 0x22 : 0;
	p.u.gen = (struct pkt_gen){.seq = 0x89abcdef, .source = 0x01234567};
	there_and_back(&p, &s, &f);
	assert_int_equal(s.p.u.gen.seq, p.u.gen.seq);
	assert_int_equal(s.p.u.gen.source, p.u.gen.source);
	assert_int_equal(f.gen.seq, p.u.gen.seq);
	assert_int_equal(f.trailer_off, len);
	assert_int_equal(f.udp.checksum != 0, (h->flags & HDR_IPV6) != 0);
}

// Shortest frames hold the mark: IPv4 with a VLAN tag and raw frames in 60 bytes, IPv6 in 74.
static void gen_frames(void **state)
{
	struct hdr h4 = flow4, h6 = flow6(), raw = {.ethertype = ETH_P_EXPERIMENTAL};

	(void)state;
	h4.dport = h6.dport = 9;
	assert_int_equal(frame_gen_min_len(&h4), 54);
	assert_int_equal(frame_gen_min_len(&h6), 74);
	assert_int_equal(frame_gen_min_len(&raw), 26);
	gen_over(&raw, 60);
	gen_over(&h4, 60);
	gen_over(&h4, 1514);
	gen_over(&h6, 74);
	gen_over(&h6, 1513);
	h4.flags |= HDR_VLAN;
	h4.vlan_tci = 0x6064;
	assert_int_equal(frame_gen_min_len(&h4), 58);
	gen_over(&h4, 60);
	h4.flags |= HDR_CNTAG;
	assert_int_equal(frame_gen_min_len(&h4), 62);
	gen_over(&h4, 62);
	raw.flags |= HDR_VLAN | HDR_CNTAG;
	gen_over(&raw, 60);
}

static void vlan_carries_the_pcp(void **state)
{
	struct hdr h = flow4;
	struct pkt p = {.hdr = &h, .kind = PKT_ACK, .len = 66};
	struct slot s;
	struct frame f;

	(void)state;
	h.flags |= HDR_VLAN;
	h.vlan_tci = 3 << 13 | 100;
	p.u.rc = (struct pkt_rc){.opcode = BTH_RC_ACK, .syndrome = AETH_ACK, .arg = 1};
	there_and_back(&p, &s, &f);
	assert_int_equal(f.eth.vlan_tci, 3 << 13 | 100);
	assert_int_equal(s.h.vlan_tci, 3 << 13 | 100);
	assert_int_equal(s.h.flags, HDR_IPV4 | HDR_VLAN);
}

// The CN-TAG is the header's, unless a switch has taken it from this frame.
static void a_cn_tag_may_be_gone(void **state)
{
	struct hdr h = flow4;
	struct pkt p = {.hdr = &h, .kind = PKT_ACK, .len = 66};
	struct slot s;
	struct frame f;

	(void)state;
	h.flags |= HDR_CNTAG;
	h.cntag = 0x1234;
	p.u.rc = (struct pkt_rc){.opcode = BTH_RC_ACK, .syndrome = AETH_ACK, .arg = 1};
	there_and_back(&p, &s, &f);
	assert_int_equal(s.h.flags, HDR_IPV4 | HDR_CNTAG);
	assert_int_equal(s.h.cntag, 0x1234);
	assert_int_equal(f.trailer_off, 66);
	p.flags = PKT_F_UNTAG_CN;
	p.len = 62;
	there_and_back(&p, &s, &f);
	assert_int_equal(s.h.flags, HDR_IPV4);
	assert_int_equal(f.trailer_off, 62);
}

// The worked CNM of standards.md 1.3, without encapsulated bytes.
static void cnm_bytes(void **state)
{
	struct hdr h = {.dst = {2, 0, 0, 0, 0, 0xaa},
		.src = {2, 0, 0, 0, 0, 1},
		.vlan_tci = 0xc064,
		.ethertype = ETH_P_CNM,
		.flags = HDR_VLAN,
		.daddr = {2, 0, 0, 0, 0, 0x99}};
	struct pkt p = {.hdr = &h, .kind = PKT_CNM, .len = 60};
	uint8_t want[60] = {0}, o[60];
	struct slot s;
	struct frame f;

	(void)state;
	p.u.cnm = (struct pkt_cnm){.cpid = {2, 0, 0, 0, 0, 1, 0, 1},
		.qoffset = -500,
		.qdelta = 500,
		.flow_id = 0x1234,
		.qntzfb = 46,
		.priority = 3};
	hex_bytes("0200000000aa 020000000001 8100 c064 22e9 1234 22e7 002e 0200000000010001 fe0c "
		  "01f4 6000 020000000099 0000",
		want);
	frame_from_pkt(&p, o);
	assert_memory_equal(o, want, 60);
	there_and_back(&p, &s, &f);
	assert_memory_equal(&s.p.u.cnm, &p.u.cnm, sizeof(p.u.cnm));
	assert_memory_equal(s.h.daddr, h.daddr, 6);
}

// Framing hpcc_sim has lengths that RoCEv2 cannot have: headers first, never a byte more than
// len.
static void hpcc_sim_lengths(void **state)
{
	struct pkt p = {.hdr = &flow4, .kind = PKT_DATA, .len = 1048};
	uint8_t o[ROOM];
	struct frame f;

	(void)state;
	p.u.rc = (struct pkt_rc){.opcode = BTH_RC_WRITE_MIDDLE, .payload = 1000};
	memset(o, 0xee, sizeof(o));
	assert_int_equal(frame_from_pkt(&p, o), 1048);
	assert_int_equal(o[1048], 0xee);
	assert_int_equal(frame_parse(o, 1048, &f), FRAME_OK);
	assert_int_equal(f.payload_len, 990);
	p.kind = PKT_ACK;
	p.len = 60;
	p.u.rc = (struct pkt_rc){.opcode = BTH_RC_ACK};
	memset(o, 0xee, sizeof(o));
	assert_int_equal(frame_from_pkt(&p, o), 60);
	assert_int_equal(o[60], 0xee);
	assert_int_equal(frame_parse(o, 60, &f), FRAME_BAD_IP_LENGTH);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pfc_xoff_bytes),
		cmocka_unit_test(cnp_bytes),
		cmocka_unit_test(data_sizes),
		cmocka_unit_test(ack_and_nak),
		cmocka_unit_test(gen_frames),
		cmocka_unit_test(vlan_carries_the_pcp),
		cmocka_unit_test(a_cn_tag_may_be_gone),
		cmocka_unit_test(cnm_bytes),
		cmocka_unit_test(hpcc_sim_lengths),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
