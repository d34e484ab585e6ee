// SPDX-License-Identifier: BSD-3-Clause
// Packets of ours as bytes that a stranger reads.
#include "frame/frame.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <cmocka.h>

#include "base/prng.h"
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
	zeros(o, f->payload_off + (p->kind == PKT_GEN ? frame_gen_head(&f->gen) : 0u),
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

// PKT_MACCTL of ours: PFC to a wrong address, or the opcode that its header has.
static void other_mac_control_bytes(void **state)
{
	struct hdr h = {.dst = {1, 2},
		.src = {2, 0, 0, 0, 0, 1},
		.ethertype = ETH_P_MAC_CONTROL,
		.id = HDR_ID_NODE};
	struct pkt p = {.hdr = &h, .kind = PKT_MACCTL, .len = 60, .u.pfc.enable = 8};
	uint8_t o[60];

	(void)state;
	frame_from_pkt(&p, o);
	assert_int_equal(get_be16(o + 14), MACCTL_PFC);
	assert_int_equal(get_be16(o + 16), 8);
	h.sport = 0x0006;
	frame_from_pkt(&p, o);
	assert_int_equal(get_be16(o + 14), 0x0006);
	assert_int_equal(get_be16(o + 16), 8);
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
		{BTH_RC_WRITE_ONLY_IMM, 82, 3, 1}, {BTH_RC_WRITE_LAST_IMM, 66, 4, 0},
		{BTH_RC_SEND_LAST_IMM, 1086, 1024, 0}, {BTH_RC_SEND_ONLY_IMM, 62, 0, 0},
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
		bool imm = bth_ops[rows[i].opcode].ext & BTH_EXT_IMM;

		if (imm)
			pkt_set_imm(&p.u.rc, 0xcafe1234);
		else if (bth_ops[rows[i].opcode].len_off)
			p.u.rc.arg = 4096;
		there_and_back(&p, &s, &f);
		assert_memory_equal(&s.p.u.rc, &p.u.rc, sizeof(p.u.rc));
		assert_int_equal(f.ext.imm, imm ? 0xcafe1234 : 0);
		if (imm) // of an only packet it is the payload's
			assert_int_equal(f.ext.reth.dma_len,
				bth_ops[rows[i].opcode].len_off ? rows[i].payload : 0);
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

// A RETH with address and key of the peer's memory; an opcode without RETH has none of it.
static void a_region_of_the_peer(void **state)
{
	struct hdr_region r = {.hdr = flow4, .va = 0x7f1234567890abcd, .rkey = 0xcafe0123};
	struct pkt p = {.hdr = &r.hdr, .kind = PKT_DATA, .len = 1098, .tos = 0x6a};
	struct slot s;
	struct frame f;

	(void)state;
	r.hdr.flags |= HDR_REGION;
	p.u.rc = (struct pkt_rc){.opcode = BTH_RC_WRITE_FIRST, .arg = 4096, .payload = 1024};
	there_and_back(&p, &s, &f);
	assert_true(f.ext.reth.va == r.va);
	assert_int_equal(f.ext.reth.rkey, r.rkey);
	assert_int_equal(f.ext.reth.dma_len, 4096);
	p.len = 1082;
	p.u.rc = (struct pkt_rc){.opcode = BTH_RC_WRITE_MIDDLE, .payload = 1024};
	there_and_back(&p, &s, &f);
}

// A READ of such memory, and the repeated request for its rest, which begins further on.
static void a_read_of_a_region(void **state)
{
	struct hdr_region r = {
		.hdr = flow4, .va = 0x7f1234567890abcd, .rkey = 0xcafe0123, .bytes = 1u << 31};
	struct pkt p = {.hdr = &r.hdr, .kind = PKT_ROCE, .len = 74};
	static const uint32_t done[] = {0, 1024, (1u << 31) - 1, 1u << 31};
	struct slot s;
	struct frame f;

	(void)state;
	r.hdr.flags |= HDR_REGION;
	for (unsigned i = 0; i < sizeof(done) / sizeof(done[0]); i++) {
		p.u.rc = (struct pkt_rc){
			.opcode = BTH_RC_READ_REQUEST, .bth = BTH_ACKREQ, .arg = r.bytes - done[i]};
		there_and_back(&p, &s, &f);
		assert_true(f.ext.reth.va == r.va + done[i]);
		assert_int_equal(f.ext.reth.rkey, r.rkey);
		assert_int_equal(f.ext.reth.dma_len, r.bytes - done[i]);
	}
}

// A READ request's address follows from its length: what is left of a message ends where it ends.
static void a_read_request_has_its_address(void **state)
{
	static const uint32_t left[] = {3001, 1977, 953, 0, 1u << 31};
	struct pkt p = {.hdr = &flow4, .kind = PKT_ROCE, .len = 74};
	struct slot s;
	struct frame f;

	(void)state;
	for (unsigned i = 0; i < sizeof(left) / sizeof(left[0]); i++) {
		p.u.rc = (struct pkt_rc){.opcode = BTH_RC_READ_REQUEST,
			.bth = BTH_ACKREQ,
			.psn = 7 + i,
			.qpn = 0x11,
			.arg = left[i]};
		there_and_back(&p, &s, &f);
		assert_memory_equal(&s.p.u.rc, &p.u.rc, sizeof(p.u.rc));
		assert_int_equal(f.ext.reth.dma_len, left[i]);
		assert_int_equal(f.ext.reth.va + left[i], 1ull << 32);
		assert_int_equal(f.ext.reth.rkey, 0);
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

// A NACK of selective repeat: 66 bytes, and the PSN that came across a wrap.
static void nack_that_names_a_packet(void **state)
{
	struct pkt p = {.hdr = &flow4, .kind = PKT_ACK, .len = 66};
	struct slot s;
	struct frame f;

	(void)state;
	p.u.rc = (struct pkt_rc){.opcode = BTH_IRN_NACK,
		.syndrome = AETH_NAK_PSN,
		.psn = 0xfffffe,
		.qpn = 0x11,
		.arg = 0xabcdef,
		.payload = 5};
	there_and_back(&p, &s, &f);
	assert_int_equal(s.p.kind, PKT_ACK);
	assert_int_equal(f.ext.aeth.syndrome, AETH_NAK_PSN);
	assert_int_equal(f.ext.aeth.msn, 0xabcdef);
	assert_int_equal(f.ext.came, 3);
	assert_int_equal(frame_pkt_came(&s.p), 3);
	assert_int_equal(f.notes, FRAME_NOTE_IRN);
}

// Each packet of a WRITE names its memory: the place in the message follows from its end.
static void write_that_names_its_memory(void **state)
{
	struct pkt p = {.hdr = &flow4, .kind = PKT_DATA, .len = 58 + 16 + 1024};
	struct slot s;
	struct frame f;

	(void)state;
	p.u.rc = (struct pkt_rc){.opcode = BTH_IRN_WRITE_FIRST + 1,
		.psn = 7,
		.qpn = 0x11,
		.arg = 5000,
		.payload = 1024};
	there_and_back(&p, &s, &f);
	assert_memory_equal(&s.p.u.rc, &p.u.rc, sizeof(p.u.rc));
	assert_int_equal(f.ext.reth.dma_len, 5000);
	assert_int_equal(f.ext.reth.va + 5000, 1ull << 32);
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

// The instant at which it left, where there is room for it: ns modulo 2^32 behind another mark.
static void gen_frames_say_when_they_left(void **state)
{
	static const struct {
		unsigned len;
		uint8_t flags;
		bool has_room;
	} rows[] = {{60, HDR_IPV4, true}, {58, HDR_IPV4, true}, {57, HDR_IPV4, false},
		{60, HDR_IPV4 | HDR_VLAN, false}, {62, HDR_IPV4 | HDR_VLAN, true},
		{77, HDR_IPV6, false}, {78, HDR_IPV6, true}, {1514, HDR_IPV4, true}, {30, 0, true},
		{29, 0, false}};

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct hdr h = rows[i].flags & HDR_IPV6 ? flow6()
			       : rows[i].flags & HDR_IPV4
				       ? flow4
				       : (struct hdr){.ethertype = ETH_P_EXPERIMENTAL};
		struct pkt p = {.hdr = &h,
			.kind = PKT_GEN,
			.len = (uint16_t)rows[i].len,
			.born = (7ull << 32 | 0xfedcba98) * PS_PER_NS + 999};
		struct slot s;
		struct frame f;

		h.flags |= rows[i].flags;
		h.dport = h.flags ? 9 : 0;
		p.u.gen = (struct pkt_gen){.seq = 5, .source = 6, .stamped = 1};
		there_and_back(&p, &s, &f);
		assert_int_equal(s.p.u.gen.seq, 5);
		assert_int_equal(s.p.u.gen.source, 6);
		assert_int_equal(s.p.u.gen.stamped, rows[i].has_room);
		assert_int_equal(s.p.u.gen.stamp_ns, rows[i].has_room ? 0xfedcba98 : 0);
		assert_memory_equal(&f.gen, &s.p.u.gen, sizeof(f.gen));
		if (h.flags & HDR_IPV6) { // it is in the checksum, too
			uint8_t *udp = s.bytes + f.l3_off + IP6_LEN;

			udp_put_checksum6(s.bytes + f.l3_off, udp, get_be16(udp + 4));
			assert_int_equal(get_be16(udp + 6), f.udp.checksum);
		}
	}
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

// A header may have a second tag, for example the header of a CNP that a switch has seen. A frame
// made of it has both tags, and the identification 0.
static void both_vlan_tags_are_written(void **state)
{
	static const unsigned outer[] = {0, HDR_STAG};
	static const char *const want[] = {
		"8100 6064 8100 a00a 22e9 1234 0800", "88a8 6064 8100 a00a 22e9 1234 0800"};

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		struct hdr h = flow4;
		struct pkt p = {.hdr = &h, .kind = PKT_ACK, .len = 74};
		uint8_t tags[16];
		struct slot s;
		struct frame f;

		h.flags |= (uint8_t)(HDR_VLAN | HDR_INNER | HDR_CNTAG | outer[i]);
		h.vlan_tci = 3 << 13 | 100;
		h.inner_tci = 5 << 13 | 10;
		h.cntag = 0x1234;
		p.u.rc = (struct pkt_rc){.opcode = BTH_RC_ACK, .syndrome = AETH_ACK, .arg = 1};
		there_and_back(&p, &s, &f);
		assert_memory_equal(s.bytes + 12, tags, hex_bytes(want[i], tags));
		assert_int_equal(f.trailer_off, 74);
		assert_int_equal(f.ip.id, 0);
		assert_int_equal(s.p.l3_off, 26);
		assert_int_equal(s.h.flags, h.flags);
		assert_int_equal(s.h.vlan_tci, h.vlan_tci);
		assert_int_equal(s.h.inner_tci, h.inner_tci);
		assert_int_equal(hdr_ip_id(&s.h), 0);
	}
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
		cmocka_unit_test(other_mac_control_bytes),
		cmocka_unit_test(cnp_bytes),
		cmocka_unit_test(data_sizes),
		cmocka_unit_test(a_region_of_the_peer),
		cmocka_unit_test(a_read_of_a_region),
		cmocka_unit_test(a_read_request_has_its_address),
		cmocka_unit_test(ack_and_nak),
		cmocka_unit_test(nack_that_names_a_packet),
		cmocka_unit_test(write_that_names_its_memory),
		cmocka_unit_test(gen_frames),
		cmocka_unit_test(gen_frames_say_when_they_left),
		cmocka_unit_test(vlan_carries_the_pcp),
		cmocka_unit_test(both_vlan_tags_are_written),
		cmocka_unit_test(a_cn_tag_may_be_gone),
		cmocka_unit_test(cnm_bytes),
		cmocka_unit_test(hpcc_sim_lengths),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
