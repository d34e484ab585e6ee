// SPDX-License-Identifier: BSD-3-Clause
// Every way for a frame to be malformed has its reason, and no byte behind the end is read.
#include "wire/frame_walk.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <cmocka.h>

#include "bytes.h"

#define ETH_IP4 "020000000002 020000000001 0800"
#define CNP_IP  "45c2003c718c4000401191610a0011010a001201"
#define CNP_UDP "000012b700280000"
#define CNP_BTH "8100ffff4000011800000000"
#define CNP     ETH_IP4 CNP_IP CNP_UDP CNP_BTH "00000000000000000000000000000000 82fd002a"

static void malformed(void **state)
{
	static const struct {
		enum frame_error error;
		const char *frame;
	} rows[] = {
		{FRAME_SHORT_ETH, "020000000002 020000000001 08"},
		{FRAME_SHORT_VLAN, "020000000002 020000000001 8100 0001 08"},
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

// What is wrong above layer 2 is no business of a switch; an IP header that is whole is read all
// the same.
static void faults_above_layer_2(void **state)
{
	static const struct {
		const char *frame;
		bool above, ip;
	} rows[] = {
		{"020000000002 020000000001 08", false, false},
		{"020000000002 020000000001 8100 0001 08", false, false},
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(malformed),
		cmocka_unit_test(faults_above_layer_2),
		cmocka_unit_test(malformed_roce),
		cmocka_unit_test(the_udp_length_of_roce),
		cmocka_unit_test(every_prefix),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
