// SPDX-License-Identifier: BSD-3-Clause
// Whole frames: captures and worked examples come back as they were, every malformed frame has its
// reason, no byte behind the end is read, rendering refuses what does not fit.
#include "frame/frame.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <cmocka.h>

#include "frame/frame_walk.h"

#include "bytes.h"
#include "comes_back.h"

#define ETH_IP4 "020000000002 020000000001 0800"
#define CNP_IP  "45c2003c718c4000401191610a0011010a001201"
#define CNP_UDP "000012b700280000"
#define CNP_BTH "8100ffff4000011800000000"
#define CNP     ETH_IP4 CNP_IP CNP_UDP CNP_BTH "00000000000000000000000000000000 82fd002a"

static void softroce_capture(void **state)
{
	struct test_cap cap = test_cap_open("linux_softroce_rocev2.pcap");
	unsigned n = 0, ip4 = 0, ip6 = 0, kinds[PKT_KINDS] = {0}, ect0 = 0, len;
	const uint8_t *o;

	(void)state;
	while ((o = test_cap_next(&cap, &len))) {
		struct frame f;

		assert_int_equal(frame_parse(o, len, &f), FRAME_OK);
		assert_true(frame_icrc_ok(&f, o));
		comes_back(o, len);
		n++;
		ip4 += f.ip.version == 4;
		ip6 += f.ip.version == 6;
		ect0 += (f.ip.tos & 3) == ECN_ECT0;
		kinds[f.kind]++;
		assert_int_equal(f.udp.checksum, 0);
		assert_int_equal(f.trailer_off, len);
	}
	assert_int_equal(n, 267);
	assert_int_equal(ip4, 210);
	assert_int_equal(ip6, 57);
	assert_int_equal(kinds[PKT_DATA] + kinds[PKT_ACK] + kinds[PKT_ROCE], 267);
	assert_int_equal(kinds[PKT_ACK], 36 + 11 + 5);
	assert_int_equal(ect0, 25 + 25); // IPv4 and IPv6
}

static void every_capture_comes_back(void **state)
{
	static const char *const name[] = {"rc_write_only_ipv4.pcap", "rc_write_only_ipv4_ce.pcap",
		"pfc_xoff_p3.pcap", "pfc_xon_p3.pcap", "pfc_xoff_all.pcap",
		"pfc_p0_4321_p5_1234.pcap"};

	(void)state;
	for (unsigned i = 0; i < sizeof(name) / sizeof(name[0]); i++) {
		struct test_cap cap = test_cap_open(name[i]);
		const uint8_t *o;
		unsigned len;

		while ((o = test_cap_next(&cap, &len)))
			comes_back(o, len);
	}
}

static void write_only_fields(void **state)
{
	struct test_cap cap = test_cap_open("rc_write_only_ipv4.pcap");
	unsigned len;
	const uint8_t *o = test_cap_next(&cap, &len);
	struct frame f;

	(void)state;
	frame_parse(o, len, &f);
	assert_int_equal(f.kind, PKT_DATA);
	assert_int_equal(f.ip.tos, 0x6a);
	assert_int_equal(f.bth.opcode, BTH_RC_WRITE_ONLY);
	assert_int_equal(f.bth.qpn, 0x123);
	assert_int_equal(f.bth.psn, 0xabcdef);
	assert_int_equal(f.bth.bits, BTH_ACKREQ);
	assert_int_equal(f.ext.reth.dma_len, 64);
	assert_int_equal(f.payload_len, 64);
	assert_int_equal(f.icrc, 0xcd00e9db);
	assert_int_equal(f.l3_off, 14);
	assert_int_equal(f.bth_off, 42);
	test_cap_next(&cap, &len);
}

static void bad_icrc(void **state)
{
	struct test_cap cap = test_cap_open("neg_rc_write_bad_icrc.pcap");
	unsigned len;
	const uint8_t *o = test_cap_next(&cap, &len);
	struct frame f;

	(void)state;
	assert_int_equal(frame_parse(o, len, &f), FRAME_OK);
	assert_false(frame_icrc_ok(&f, o));
	test_cap_next(&cap, &len);
}

static void odd_pfc(void **state)
{
	struct test_cap cap = test_cap_open("neg_pfc.pcap");
	const enum pkt_kind kind[] = {PKT_PFC, PKT_MACCTL, PKT_PFC};
	const unsigned notes[] = {
		FRAME_NOTE_PFC_HIGH, FRAME_NOTE_MACCTL_DST, FRAME_NOTE_MACCTL_PAD};
	const uint8_t *o;
	unsigned n = 0, len;

	(void)state;
	while ((o = test_cap_next(&cap, &len))) {
		struct frame f;

		assert_int_equal(frame_parse(o, len, &f), FRAME_OK);
		assert_int_equal(f.kind, kind[n]);
		assert_int_equal(f.notes, notes[n]);
		assert_int_equal(f.pfc.opcode, MACCTL_PFC);
		n++;
	}
	assert_int_equal(n, 3);
}

// A capture with FCS has it behind the padding: no note.
static void an_fcs_is_no_padding(void **state)
{
	uint8_t o[64];
	struct pfc pfc = {.opcode = MACCTL_PFC, .time = {.enable = 8}};
	struct eth eth = {.src = {2}, .ethertype = ETH_P_MAC_CONTROL};
	struct frame f;

	(void)state;
	memset(o, 0, sizeof(o));
	memcpy(eth.dst, pfc_dst, 6);
	pfc_render(&pfc, o + eth_render(&eth, o));
	memset(o + 60, 0xab, 4);
	assert_int_equal(frame_parse(o, 64, &f), FRAME_OK);
	assert_int_equal(f.kind, PKT_PFC);
	assert_int_equal(f.notes, 0);
	o[59] = 1;
	assert_int_equal(frame_parse(o, 64, &f), FRAME_OK);
	assert_int_equal(f.notes, FRAME_NOTE_MACCTL_PAD);
}

static void cnp_vector(void **state)
{
	uint8_t o[128];
	unsigned n = hex_bytes(CNP, o);
	struct frame f;

	(void)state;
	assert_int_equal(n, 74);
	assert_int_equal(frame_parse(o, n, &f), FRAME_OK);
	assert_int_equal(f.kind, PKT_CNP);
	assert_int_equal(f.bth.qpn, 0x118);
	assert_int_equal(f.notes, 0);
	assert_true(frame_icrc_ok(&f, o));
	comes_back(o, n);
	o[14 + 20 + 8 + 4] = 0; // BECN, which the ICRC does not cover
	assert_int_equal(frame_parse(o, n, &f), FRAME_OK);
	assert_int_equal(f.notes, FRAME_NOTE_CNP_FIELDS);
	assert_true(frame_icrc_ok(&f, o));
	o[14 + 20 + 8 + 4] = 0x41; // BECN, and a reserved bit beside it
	assert_int_equal(frame_parse(o, n, &f), FRAME_OK);
	assert_int_equal(f.notes, FRAME_NOTE_CNP_FIELDS);
}

// standards.md 1.3: the worked CNM, and the same without tags and encapsulated bytes.
static void cnm_frames(void **state)
{
	uint8_t o[128];
	unsigned n = hex_bytes("0200000000aa 020000000001 8100 c064 22e9 1234 22e7 002e "
			       "0200000000010001 fe0c 01f4 6000 020000000099 0040",
		o);
	struct frame f;

	(void)state;
	for (unsigned i = 0; i < 64; i++)
		o[n++] = (uint8_t)i;
	assert_int_equal(n, 110);
	assert_int_equal(frame_parse(o, n, &f), FRAME_OK);
	assert_int_equal(f.kind, PKT_CNM);
	assert_int_equal(f.eth.cntag, 0x1234);
	assert_int_equal(f.cnm.qntzfb, 46);
	assert_int_equal(f.cnm.msdu_len, 64);
	assert_int_equal(f.payload_len, 64);
	comes_back(o, n);
	memset(o, 0, sizeof(o));
	hex_bytes("0200000000aa 020000000001 22e7 003f 0200000000010001 0000 0000 6000 "
		  "020000000099 0000",
		o);
	comes_back(o, 60);
	o[14] = 0x10; // version 1: another protocol's business
	assert_int_equal(frame_parse(o, 60, &f), FRAME_OK);
	assert_int_equal(f.kind, PKT_OTHER);
	assert_int_equal(f.notes, FRAME_NOTE_CNM_VERSION);
	comes_back(o, 60);
}

// The captured CNP behind tags has the same ICRC.
static void tags_before_ip(void **state)
{
	static const char *const tags[] = {"8100 c001", "88a8 c001", "22e9 0005",
		"8100 c001 22e9 0005", "88a8 c001 22e9 0005", "8100 c001 8100 6002",
		"88a8 c001 8100 6002", "8100 c001 8100 6002 22e9 0005",
		"88a8 c001 8100 6002 22e9 0005"};

	(void)state;
	for (unsigned i = 0; i < sizeof(tags) / sizeof(tags[0]); i++) {
		uint8_t o[128];
		unsigned n = hex_bytes("020000000002 020000000001", o), tag_len;
		struct frame f;

		tag_len = hex_bytes(tags[i], o + n);
		n += tag_len;
		n += hex_bytes("0800" CNP_IP CNP_UDP CNP_BTH
			       "00000000000000000000000000000000 82fd002a",
			o + n);
		assert_int_equal(frame_parse(o, n, &f), FRAME_OK);
		assert_int_equal(f.kind, PKT_CNP);
		assert_int_equal(f.l3_off, 14 + tag_len);
		assert_int_equal(f.ip.tos, 0xc2);
		assert_int_equal(f.eth.vlan_tci, f.eth.has_vlan ? 0xc001 : 0);
		assert_int_equal(f.eth.inner_tci, f.eth.has_inner ? 0x6002 : 0);
		assert_int_equal(f.eth.has_vlan + f.eth.has_inner + f.eth.has_cntag, tag_len / 4);
		assert_true(frame_icrc_ok(&f, o));
		comes_back(o, n);
	}
}

static void kinds_of_foreign_frames(void **state)
{
	static const struct {
		const char *frame;
		enum pkt_kind kind;
	} rows[] = {
		{"ffffffffffff 020000000001 0806 0001080006040001", PKT_OTHER}, // ARP
		{"020000000002 020000000001 0026 424203", PKT_OTHER},           // 802.3 length
		{"020000000002 020000000001 0005 716e6348 00000000 00000000", PKT_OTHER},
		{"020000000002 020000000001 8100 0064 8100 000a 8100 0001 0800 45",
			PKT_OTHER}, // three tags
		{"020000000002 020000000001 88a8 0064 8100 000a 88a8 0001 08", PKT_OTHER},
		{"020000000002 020000000001 88a8 0064 88a8 000a 0800 45",
			PKT_OTHER}, // S-TAG within
		{"020000000002 020000000001 8100 0064 88a8 000a 0800 45", PKT_OTHER}, // another tag
		{"020000000002 020000000001 88a8 0064 8100 000a 0806 0001", PKT_OTHER},
		{"020000000002 020000000001 9100 0064 8100 000a 0800 45", PKT_OTHER}, // no tag
		{"020000000002 020000000001 8915 60200000", PKT_OTHER},               // RoCEv1
		{"020000000002 020000000001 88a8 0064 8100 000a 88b5 716e6348 00000007 00000009",
			PKT_GEN},
		{"020000000002 020000000001 88b5 716e6348 00000007 00000009", PKT_GEN},
		{"020000000002 020000000001 88b5 716e6349 00000007 00000009 00000001", PKT_GEN},
		{"020000000002 020000000001 88b5 716e6349 00000007 00000009", PKT_OTHER},
		{"020000000002 020000000001 88b5 716e634a 00000007 00000009 00000001", PKT_OTHER},
		{"020000000002 020000000001 8808 0006 0000", PKT_MACCTL},
		{"0180c2000001 020000000001 8100 6000 8808 0101 0008", PKT_MACCTL}, // tagged
		{"0180c2000001 020000000001 88a8 6000 8808 0101 0008", PKT_MACCTL},
		{"0180c2000001 020000000001 8808 0001 ffff", PKT_PAUSE},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint8_t o[128] = {0};
		unsigned n = hex_bytes(rows[i].frame, o);
		struct frame f;

		assert_int_equal(frame_parse(o, n, &f), FRAME_OK);
		assert_int_equal(f.kind, rows[i].kind);
		comes_back(o, n);
		comes_back(o, 100); // padded
	}
}

static void too_long(void **state)
{
	static uint8_t o[PKT_MAX_LEN + 1];
	struct frame f;

	(void)state;
	o[12] = 0x88;
	o[13] = 0xb5;
	assert_int_equal(frame_parse(o, PKT_MAX_LEN, &f), FRAME_OK);
	comes_back(o, PKT_MAX_LEN);
	assert_int_equal(frame_parse(o, PKT_MAX_LEN + 1, &f), FRAME_TOO_LONG);
}

static void names(void **state)
{
	(void)state;
	for (unsigned e = 0; e < FRAME_ERRORS; e++) {
		assert_non_null(frame_error_name(e));
		for (unsigned other = 0; other < e; other++)
			assert_string_not_equal(frame_error_name(e), frame_error_name(other));
	}
	assert_string_equal(frame_error_name(FRAME_SHORT_ETH), "short_eth");
	assert_string_equal(frame_error_name(FRAME_ERRORS), "unknown");
	for (unsigned i = 0; i < FRAME_NOTES; i++)
		assert_string_not_equal(frame_note_name(1u << i), "unknown");
	assert_string_equal(frame_note_name(1u << FRAME_NOTES), "unknown");
}

static void malformed(void **state)
{
	static const struct {
		enum frame_error error;
		const char *frame;
	} rows[] = {
		{FRAME_SHORT_ETH, "020000000002 020000000001 08"},
		{FRAME_SHORT_VLAN, "020000000002 020000000001 8100 0001 08"},
		{FRAME_SHORT_VLAN, "020000000002 020000000001 88a8 0001 08"},
		{FRAME_SHORT_VLAN, "020000000002 020000000001 8100 0001 8100 0002 08"},
		{FRAME_SHORT_VLAN, "020000000002 020000000001 88a8 0001 8100"},
		{FRAME_SHORT_CNTAG, "020000000002 020000000001 88a8 0001 8100 0002 22e9 0001 08"},
		{FRAME_SHORT_IP, "020000000002 020000000001 88a8 0001 8100 0002 0800 45"},
		{FRAME_SHORT_CNTAG, "020000000002 020000000001 22e9 0001 08"},
		{FRAME_SHORT_CNTAG, "020000000002 020000000001 8100 0001 22e9"},
		{FRAME_SHORT_IP, ETH_IP4 "45c2003c718c4000401191610a0011010a0012"},
		{FRAME_SHORT_IP, "020000000002 020000000001 86dd 60000000000011ff"},
		{FRAME_BAD_IP_VERSION, ETH_IP4 "65c2003c718c4000401191610a0011010a001201"},
		{FRAME_BAD_IHL, ETH_IP4 "44c2003c718c4000401191610a0011010a001201"},
		{FRAME_BAD_IP_LENGTH, ETH_IP4 "45c20013718c4000401191610a0011010a001201"},
		{FRAME_BAD_IP_LENGTH, ETH_IP4 "45c20015718c4000401191610a0011010a001201"},
		{FRAME_BAD_IP_LENGTH, ETH_IP4 "46c20014718c4000401191610a0011010a00120100000000"},
		{FRAME_BAD_IHL, ETH_IP4 "46c20018718c4000401191610a0011010a001201"},
		{FRAME_BAD_IP_CHECKSUM, ETH_IP4 CNP_IP "" /* mended below */},
		{FRAME_SHORT_UDP,
			ETH_IP4 "4500001b00000000 4011 7ad3 00000000 00000000 00000000000000"},
		{FRAME_BAD_UDP_LENGTH, ETH_IP4 "4500001c00000000 4011 7ad2 00000000 00000000"
					       "0007 0008 0007 0000"},
		{FRAME_SHORT_PFC, "0180c2000001 020000000001 8808 01"},
		{FRAME_SHORT_PFC, "0180c2000001 020000000001 8808 0001 ff"},
		{FRAME_SHORT_PFC, "0180c2000001 020000000001 8808 0101 0008 0000 0000"},
		{FRAME_SHORT_CNM, "020000000002 020000000001 22e7 002e 0200"},
		{FRAME_BAD_CNM, "020000000002 020000000001 22e7 002e 0200000000010001 fe0c 01f4"
				"6000 020000000099 0041"},
		{FRAME_BAD_CNM, "020000000002 020000000001 22e7 002e 0200000000010001 fe0c 01f4"
				"6000 020000000099 0001"},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint8_t o[256] = {0};
		unsigned n = hex_bytes(rows[i].frame, o);
		struct frame f;

		if (rows[i].error == FRAME_BAD_IP_CHECKSUM) {
			n = 74;
			o[24] ^= 1;
		}
		assert_string_equal(
			frame_error_name(frame_parse(o, n, &f)), frame_error_name(rows[i].error));
		assert_int_equal(f.kind, PKT_BAD);
	}
}

// Faults above layer 2 do not concern a switch; an IP header that is whole is read all the same.
static void faults_above_layer_2(void **state)
{
	static const struct {
		const char *frame;
		bool above, ip;
	} rows[] = {
		{"020000000002 020000000001 08", false, false},
		{"020000000002 020000000001 8100 0001 08", false, false},
		{"020000000002 020000000001 88a8 0001 8100 0002 08", false, false},
		{"020000000002 020000000001 88a8 0001 8100 0002 0800 "
		 "45c20013718c4000401191610a0011010a001201",
			true, true},
		{"020000000002 020000000001 22e9 0001 08", false, false},
		{"0180c2000001 020000000001 8808 01", false, false},
		{ETH_IP4 "45c20014", true, false},
		{ETH_IP4 "65c2003c718c4000401191610a0011010a001201", true, false},
		{ETH_IP4 "44c2003c718c4000401191610a0011010a001201", true, false},
		{ETH_IP4 "46c20018718c4000401191610a0011010a001201", true, false},
		{ETH_IP4 "45c20013718c4000401191610a0011010a001201", true, true},
		{ETH_IP4 "45c20015718c4000401191610a0011010a001201", true, true},
		{ETH_IP4 "45c20014718c4000401191620a0011010a001201", true, true},
		{"020000000002 020000000001 86dd 6c200000 0001 1140 00000000 00000000 00000000 "
		 "00000000 00000000 00000000 00000000 00000000",
			true, true},
		{"020000000002 020000000001 22e7 002e 0200", true, false},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint8_t o[256] = {0};
		unsigned n = hex_bytes(rows[i].frame, o);
		struct frame f;

		assert_int_not_equal(frame_parse(o, n, &f), FRAME_OK);
		assert_int_equal(f.kind, PKT_BAD);
		assert_int_equal(frame_error_is_above_l2(f.error), rows[i].above);
		assert_int_equal(f.ip.tos, rows[i].ip ? 0xc2 : 0);
	}
	assert_false(frame_error_is_above_l2(FRAME_TOO_LONG));
}

// A RoCEv2 packet of `len` bytes behind the UDP header, the BTH's first two bytes given.
static enum frame_error roce_of(unsigned len, uint8_t opcode, uint8_t second)
{
	struct frame f = {.kind = PKT_UDP,
		.eth = {.ethertype = ETH_P_IPV6},
		.ip = {.version = 6, .proto = IP_PROTO_UDP, .ttl = 64},
		.udp = {.dport = BTH_UDP_PORT},
		.payload_len = (uint16_t)len};
	uint8_t o[256], payload[128] = {opcode, second};
	int n = frame_render(&f, payload, o, sizeof(o), 0);

	return frame_parse(o, (size_t)n, &f);
}

static void malformed_roce(void **state)
{
	(void)state;
	assert_int_equal(roce_of(11, BTH_RC_ACK, 0), FRAME_SHORT_BTH);
	assert_int_equal(roce_of(0, BTH_RC_ACK, 0), FRAME_SHORT_BTH);
	assert_int_equal(roce_of(12, BTH_RC_ACK, 1), FRAME_BAD_BTH_VERSION);
	assert_int_equal(roce_of(100, 0x80, 0), FRAME_BAD_OPCODE);
	assert_int_equal(roce_of(15, BTH_RC_ACK, 0), FRAME_SHORT_EXT);
	assert_int_equal(roce_of(16, BTH_RC_ACK, 0), FRAME_SHORT_ICRC);
	assert_int_equal(roce_of(19, BTH_RC_ACK, 0), FRAME_SHORT_ICRC);
	assert_int_equal(roce_of(20, BTH_RC_ACK, 0), FRAME_OK);
	assert_int_equal(roce_of(22, BTH_RC_ACK, 0x30), FRAME_BAD_PAD);
	assert_int_equal(roce_of(23, BTH_RC_ACK, 0x30), FRAME_OK);
	assert_int_equal(roce_of(27 + 4, BTH_CNP, 0), FRAME_SHORT_ICRC);
	assert_int_equal(roce_of(28 + 4, BTH_CNP, 0), FRAME_OK);
}

// Nothing may stand between the ICRC and the packet's end: RoCEv2's two lengths say the same.
static void the_udp_length_of_roce(void **state)
{
	uint8_t o[128];
	unsigned n = hex_bytes(CNP, o);
	uint8_t *udp_len = o + 14 + IP4_LEN + 4;
	struct frame f;

	(void)state;
	put_be16(udp_len, (uint16_t)(get_be16(udp_len) - 4));
	assert_int_equal(frame_parse(o, n, &f), FRAME_BAD_UDP_LENGTH);
	put_be16(udp_len, (uint16_t)(get_be16(udp_len) + 5));
	assert_int_equal(frame_parse(o, n, &f), FRAME_BAD_UDP_LENGTH);
	put_be16(udp_len, (uint16_t)(get_be16(udp_len) - 1));
	assert_int_equal(frame_parse(o, n, &f), FRAME_OK);
}

// No prefix of a good frame is read beyond its end, and each has a reason.
static void every_prefix(void **state)
{
	uint8_t whole[128];
	unsigned n = hex_bytes(CNP, whole);

	(void)state;
	for (unsigned len = 0; len < n; len++) {
		uint8_t *cut = malloc(len ? len : 1); // an over-read shows under ASan and valgrind
		struct frame f;

		assert_non_null(cut);
		memcpy(cut, whole, len);
		assert_int_not_equal(frame_parse(cut, len, &f), FRAME_OK);
		assert_int_equal(f.kind, PKT_BAD);
		free(cut);
	}
}

static enum frame_error parse_hex(const char *text, struct frame *f)
{
	uint8_t o[2048];

	return frame_parse(o, hex_bytes(text, o), f);
}

static void render_refuses(void **state)
{
	struct frame good, f;
	uint8_t o[128];

	(void)state;
	assert_int_equal(parse_hex(CNP, &good), FRAME_OK);
	assert_int_equal(frame_render(&good, NULL, o, 73, 0), -EMSGSIZE);
	assert_int_equal(frame_render(&good, NULL, o, 74, 0), 74);
	assert_int_equal(frame_render(&good, NULL, o, 74, 75), -EMSGSIZE);
	f = good;
	f.kind = PKT_BAD;
	assert_int_equal(frame_render(&f, NULL, o, sizeof(o), 0), -EINVAL);
	f = good;
	f.kind = PKT_DATA; // with the opcode of a CNP
	assert_int_equal(frame_render(&f, NULL, o, sizeof(o), 0), -EINVAL);
	f = good;
	f.eth.ethertype = ETH_P_IPV6; // with an IPv4 header
	assert_int_equal(frame_render(&f, NULL, o, sizeof(o), 0), -EINVAL);
	f = good;
	f.ip.options_len = 6;
	assert_int_equal(frame_render(&f, NULL, o, sizeof(o), 0), -EINVAL);
	f = good;
	f.udp.dport = 53;
	assert_int_equal(frame_render(&f, NULL, o, sizeof(o), 0), -EINVAL);
	f = good;
	f.ip.proto = 6; // UDP behind a header that says TCP
	assert_int_equal(frame_render(&f, NULL, o, sizeof(o), 0), -EINVAL);
	f.kind = PKT_UDP;
	assert_int_equal(frame_render(&f, NULL, o, sizeof(o), 0), -EINVAL);
	f = good;
	f.bth.opcode = 0x80;
	f.kind = PKT_OTHER;
	assert_int_equal(frame_render(&f, NULL, o, sizeof(o), 0), 34); // IP with nothing behind it
	f.kind = PKT_CNM;
	assert_int_equal(frame_render(&f, NULL, o, sizeof(o), 0), -EINVAL);
}

// UDP, then the same as a first and as a later fragment: only the first shows its ports.
static void fragments(void **state)
{
	struct frame f = {.kind = PKT_UDP,
		.eth = {.ethertype = ETH_P_IPV4},
		.ip = {.version = 4, .proto = IP_PROTO_UDP, .ttl = 64},
		.udp = {.sport = 7, .dport = BTH_UDP_PORT, .len = 4000},
		.payload_len = 1000};
	static uint8_t o[2000];
	uint8_t payload[1000] = {1, 2, 3};
	struct frame got;
	int n;

	(void)state;
	f.ip.frag = IP4_MF;
	n = frame_render(&f, payload, o, sizeof(o), 0);
	assert_int_equal(n, 14 + 20 + 8 + 1000);
	assert_int_equal(frame_parse(o, (size_t)n, &got), FRAME_OK);
	assert_int_equal(got.kind, PKT_UDP);
	assert_int_equal(got.udp.len, 4000);
	comes_back(o, (unsigned)n);
	put_be16(o + 14 + 20 + 4, 7); // under the UDP header, which even a fragment must not be
	assert_int_equal(frame_parse(o, (size_t)n, &got), FRAME_BAD_UDP_LENGTH);
	f.ip.frag = IP4_MF | 126;
	n = frame_render(&f, payload, o, sizeof(o), 0);
	assert_int_equal(frame_parse(o, (size_t)n, &got), FRAME_OK);
	assert_int_equal(got.kind, PKT_OTHER);
	assert_int_equal(got.payload_len, 1008);
	comes_back(o, (unsigned)n);
	f.ip.frag = 0; // whole: now the length is over the packet
	n = frame_render(&f, payload, o, sizeof(o), 0);
	assert_int_equal(frame_parse(o, (size_t)n, &got), FRAME_BAD_UDP_LENGTH);
	f.udp.dport = 53;
	f.udp.len = 500; // a surplus area behind UDP is no fault
	n = frame_render(&f, payload, o, sizeof(o), 0);
	assert_int_equal(frame_parse(o, (size_t)n, &got), FRAME_OK);
	comes_back(o, (unsigned)n);
}

static void ip_options_and_padding(void **state)
{
	struct frame f = {.kind = PKT_UDP,
		.eth = {.ethertype = ETH_P_IPV4, .has_vlan = 1, .vlan_tci = 0x6001},
		.ip = {.version = 4,
			.proto = IP_PROTO_UDP,
			.ttl = 64,
			.options_len = 8,
			.options = {1, 1, 1, 0}},
		.udp = {.sport = 7, .dport = 8},
		.payload_len = 2};
	uint8_t o[128];
	struct frame got;

	(void)state;
	assert_int_equal(frame_render(&f, (const uint8_t *)"hi", o, sizeof(o), 60), 60);
	assert_int_equal(frame_parse(o, 60, &got), FRAME_OK);
	assert_int_equal(got.payload_off, 18 + 28 + 8);
	assert_int_equal(got.payload_len, 2);
	assert_int_equal(got.trailer_off, 18 + 28 + 8 + 2);
	assert_int_equal(got.ip.options_len, 8);
	comes_back(o, 60);
	f.kind = PKT_DATA; // RoCEv2 behind options: the ICRC covers them
	f.bth = (struct bth){.opcode = BTH_RC_SEND_ONLY, .pad = 2, .pkey = 0xffff};
	f.udp.dport = BTH_UDP_PORT;
	assert_int_equal(frame_render(&f, (const uint8_t *)"hi", o, sizeof(o), 0), 74);
	assert_int_equal(frame_parse(o, 74, &got), FRAME_OK);
	assert_true(frame_icrc_ok(&got, o));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(softroce_capture),
		cmocka_unit_test(every_capture_comes_back),
		cmocka_unit_test(write_only_fields),
		cmocka_unit_test(bad_icrc),
		cmocka_unit_test(odd_pfc),
		cmocka_unit_test(an_fcs_is_no_padding),
		cmocka_unit_test(cnp_vector),
		cmocka_unit_test(cnm_frames),
		cmocka_unit_test(tags_before_ip),
		cmocka_unit_test(kinds_of_foreign_frames),
		cmocka_unit_test(too_long),
		cmocka_unit_test(names),
		cmocka_unit_test(malformed),
		cmocka_unit_test(faults_above_layer_2),
		cmocka_unit_test(malformed_roce),
		cmocka_unit_test(the_udp_length_of_roce),
		cmocka_unit_test(every_prefix),
		cmocka_unit_test(render_refuses),
		cmocka_unit_test(fragments),
		cmocka_unit_test(ip_options_and_padding),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
