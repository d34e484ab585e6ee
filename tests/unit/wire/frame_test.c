// SPDX-License-Identifier: BSD-3-Clause
// Whole frames: the captures and the worked examples are read right and come back as they were.
#include "wire/frame.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "comes_back.h"
#include "bytes.h"

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

// The captured CNP behind a VLAN tag and a CN-TAG has the same ICRC.
static void tags_before_ip(void **state)
{
	uint8_t o[128];
	unsigned n = hex_bytes(
		"020000000002 020000000001 8100 c001 22e9 0005 0800" CNP_IP CNP_UDP CNP_BTH
		"00000000000000000000000000000000 82fd002a",
		o);
	struct frame f;

	(void)state;
	assert_int_equal(frame_parse(o, n, &f), FRAME_OK);
	assert_int_equal(f.l3_off, 22);
	assert_true(frame_icrc_ok(&f, o));
	comes_back(o, n);
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
		{"020000000002 020000000001 88a8 0064 8100 000a 0800 45", PKT_OTHER}, // 802.1ad
		{"020000000002 020000000001 8100 0064 8100 000a 0800 45", PKT_OTHER}, // two tags
		{"020000000002 020000000001 8915 60200000", PKT_OTHER},               // RoCEv1
		{"020000000002 020000000001 88b5 716e6348 00000007 00000009", PKT_GEN},
		{"020000000002 020000000001 8808 0006 0000", PKT_MACCTL},
		{"0180c2000001 020000000001 8100 6000 8808 0101 0008", PKT_MACCTL}, // tagged
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
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
