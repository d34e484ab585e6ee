// SPDX-License-Identifier: BSD-3-Clause
// Rendering: what it refuses, and the odder frames that it must give back.
#include "wire/frame.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <cmocka.h>

#include "comes_back.h"
#include "bytes.h"

#define ETH_IP4 "020000000002 020000000001 0800"
#define CNP_IP  "45c2003c718c4000401191610a0011010a001201"
#define CNP_UDP "000012b700280000"
#define CNP_BTH "8100ffff4000011800000000"
#define CNP     ETH_IP4 CNP_IP CNP_UDP CNP_BTH "00000000000000000000000000000000 82fd002a"

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
		cmocka_unit_test(render_refuses),
		cmocka_unit_test(fragments),
		cmocka_unit_test(ip_options_and_padding),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
