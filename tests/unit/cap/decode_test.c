// SPDX-License-Identifier: BSD-3-Clause
// Frames of a capture: ICRC verdicts, instants, frames that the capture cut, and names.
#include "cap/cap.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "decode_lab.h"

static void verdicts(void **state)
{
	struct lab *l = lab_new(0);

	(void)state;
	lab_hex(l, 5000, LAB_CNP);
	assert_int_equal(l->x.number, 1);
	assert_int_equal(l->x.icrc, DECODE_ICRC_OK);
	assert_int_equal(l->x.at_ns, 0);
	l->bytes[73] ^= 1;
	lab_bytes(l, 6000, l->bytes, 74, 74);
	assert_int_equal(l->x.number, 2);
	assert_int_equal(l->x.icrc, DECODE_ICRC_BAD);
	assert_int_equal(l->x.at_ns, 1000);
	lab_hex(l, 4000, LAB_CNM);
	assert_int_equal(l->x.icrc, DECODE_ICRC_NONE);
	assert_int_equal(l->x.at_ns, -1000);
	free(l);
}

// A sending host's own capture has frames without IPv4 checksum; a wrong one is another matter.
static void offloaded_checksum(void **state)
{
	struct lab *l = lab_new(0);

	(void)state;
	lab_hex(l, 0, LAB_CNP_OFFLOADED);
	assert_int_equal(l->x.f.kind, PKT_CNP);
	assert_int_equal(l->x.icrc, DECODE_ICRC_OK);
	assert_int_equal(l->x.f.notes, FRAME_NOTE_IP_CHECKSUM_0);
	assert_int_equal(l->bytes[24] | l->bytes[25], 0); // the capture's own bytes stay
	l->bytes[73] ^= 1;
	lab_bytes(l, 0, l->bytes, 74, 74);
	assert_int_equal(l->x.icrc, DECODE_ICRC_BAD);
	lab_bytes(l, 0, l->bytes, 70, 74);
	assert_int_equal(l->x.icrc, DECODE_ICRC_CUT);
	l->bytes[25] = 1;
	lab_bytes(l, 0, l->bytes, 74, 74);
	assert_int_equal(l->x.f.error, FRAME_BAD_IP_CHECKSUM);
	assert_int_equal(l->x.icrc, DECODE_ICRC_NONE);
	lab_hex(l, 0, LAB_CNP); // a right one is no note
	assert_int_equal(l->x.f.notes, 0);
	free(l);
}

static void rocev1(void **state)
{
	struct lab *l = lab_new(0);
	char text[DECODE_ADDR];

	(void)state;
	lab_hex(l, 0, LAB_V1_ACK);
	assert_int_equal(l->x.f.kind, PKT_ACK);
	assert_int_equal(l->x.icrc, DECODE_ICRC_OK);
	assert_string_equal(decode_addr(&l->x, 1, text), "fe80::202:c9ff:fe00:2");
	assert_int_equal(l->x.f.bth.qpn, 0x118);
	assert_int_equal(l->x.f.ext.aeth.msn, 42);
	l->bytes[15] ^= 0x10; // a bit of the flow label: the ICRC does not cover it
	lab_bytes(l, 0, l->bytes, 74, 74);
	assert_int_equal(l->x.icrc, DECODE_ICRC_OK);
	l->bytes[60] ^= 0x10; // a bit of the QPN: it does
	lab_bytes(l, 0, l->bytes, 74, 74);
	assert_int_equal(l->x.icrc, DECODE_ICRC_BAD);
	lab_bytes(l, 0, l->bytes, 71, 74);
	assert_int_equal(l->x.icrc, DECODE_ICRC_CUT);
	lab_bytes(l, 0, l->bytes, 65, 74); // within the BTH
	assert_true(l->x.headers_cut);
	lab_hex(l, 0, LAB_V1_UD);
	assert_int_equal(l->x.f.kind, PKT_ROCE);
	assert_int_equal(l->x.f.payload_len, 7);
	assert_int_equal(l->x.icrc, DECODE_ICRC_OK);
	l->bytes[23]++; // payload length
	lab_bytes(l, 0, l->bytes, 90, 90);
	assert_int_equal(l->x.f.error, FRAME_BAD_IP_LENGTH);
	lab_hex(l, 0, LAB_V1_ACK);
	lab_bytes(l, 0, l->bytes, 53, 53); // one byte of the GRH is missing
	assert_int_equal(l->x.f.error, FRAME_SHORT_IP);
	l->bytes[20] = 17; // no IBA transport
	lab_bytes(l, 0, l->bytes, 74, 74);
	assert_int_equal(l->x.f.kind, PKT_OTHER);
	assert_int_equal(l->x.icrc, DECODE_ICRC_NONE);
	free(l);
}

// A capture that keeps the first bytes of each frame still tells every header that it has.
static void cut_frames(void **state)
{
	struct test_cap cap = test_cap_open("rc_write_only_ipv4.pcap");
	struct lab *l = lab_new(0);
	unsigned len;
	const uint8_t *o = test_cap_next(&cap, &len);

	(void)state;
	lab_bytes(l, 0, o, 70, len);
	assert_false(l->x.headers_cut);
	assert_int_equal(l->x.f.kind, PKT_DATA);
	assert_int_equal(l->x.f.ext.reth.dma_len, 64);
	assert_int_equal(l->x.f.payload_len, 64);
	assert_int_equal(l->x.icrc, DECODE_ICRC_CUT);
	lab_bytes(l, 0, o, 69, len); // one byte of the RETH is missing
	assert_true(l->x.headers_cut);
	assert_int_equal(l->x.icrc, DECODE_ICRC_NONE);
	lab_bytes(l, 0, o, 0, len);
	assert_true(l->x.headers_cut);
	lab_bytes(l, 0, o, 40, len); // the IP header is whole
	assert_true(l->x.headers_cut);
	assert_int_equal(l->x.f.ip.tos, 0x6a);
	lab_bytes(l, 0, o, 33, len);
	assert_int_equal(l->x.f.ip.version, 0);
	lab_bytes(l, 0, o, len, 70000); // longer than any frame that is read
	assert_int_equal(l->x.f.kind, PKT_DATA);
	assert_int_equal(l->x.icrc, DECODE_ICRC_CUT);
	test_cap_next(&cap, &len);
	free(l);
}

static void cut_generator_frame(void **state)
{
	struct lab *l = lab_new(0);

	(void)state;
	lab_hex(l, 0, "020000000002 020000000001 88b5 716e6348 00000007 00000009");
	assert_int_equal(l->x.f.kind, PKT_GEN);
	lab_bytes(l, 0, l->bytes, 26, 60);
	assert_false(l->x.headers_cut);
	assert_int_equal(l->x.f.gen.seq, 9);
	lab_bytes(l, 0, l->bytes, 25, 60);
	assert_true(l->x.headers_cut);
	free(l);
}

static void addresses(void **state)
{
	struct lab *l = lab_new(0);
	char text[DECODE_ADDR];

	(void)state;
	lab_hex(l, 0, LAB_CNP);
	assert_string_equal(decode_addr(&l->x, 0, text), "10.0.17.1");
	assert_string_equal(decode_addr(&l->x, 1, text), "10.0.18.1");
	lab_hex(l, 0, LAB_CNM);
	assert_string_equal(decode_addr(&l->x, 0, text), "02:00:00:00:00:01");
	lab_hex(l, 0,
		"020000000002 020000000001 86dd 6e21face000011ff 20220000000000000000000000001023 "
		"20230000000000000000000000001024");
	assert_string_equal(
		decode_addr(&l->x, 0, text), "2022::1023"); // malformed, but only behind IP
	l->bytes[20] = 59;
	lab_bytes(l, 0, l->bytes, 60, 60);
	assert_string_equal(decode_addr(&l->x, 1, text), "2023::1024");
	lab_bytes(l, 0, l->bytes, 13, 13);
	assert_string_equal(decode_addr(&l->x, 0, text), "-");
	free(l);
}

static void names(void **state)
{
	char text[DECODE_OPCODE];

	(void)state;
	for (unsigned k = 0; k < PKT_KINDS; k++)
		for (unsigned other = 0; other < k; other++)
			assert_string_not_equal(decode_kind_name(k), decode_kind_name(other));
	assert_string_equal(decode_kind_name(PKT_BAD), "malformed");
	assert_string_equal(decode_kind_name(PKT_KINDS), "unknown");
	assert_string_equal(decode_ecn_name(ECN_ECT0), "ECT(0)");
	assert_string_equal(decode_ecn_name(ECN_ECT1), "ECT(1)");
	assert_string_equal(decode_ecn_name(0x6b), "CE"); // of a whole ToS byte
	assert_string_equal(decode_opcode_name(BTH_RC_ACK, text), "RC_ACK");
	assert_string_equal(decode_opcode_name(0xc5, text), "VENDOR 0xc5");
	assert_string_equal(decode_opcode_name(0x80, text), "opcode 0x80");
	assert_string_equal(decode_ethertype_name(ETH_P_ARP), "ARP");
	assert_string_equal(decode_ethertype_name(46), "802.3");
	assert_null(decode_ethertype_name(0x1234));
	assert_string_equal(decode_proto_name(6), "TCP");
	assert_null(decode_proto_name(253));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(verdicts),
		cmocka_unit_test(offloaded_checksum),
		cmocka_unit_test(rocev1),
		cmocka_unit_test(cut_frames),
		cmocka_unit_test(cut_generator_frame),
		cmocka_unit_test(addresses),
		cmocka_unit_test(names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
