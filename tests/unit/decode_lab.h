// SPDX-License-Identifier: BSD-3-Clause
// Frames for decode tests, from hexadecimal or a capture, and an output that stays in memory.
// Include after cmocka.h.
#pragma once

#include <stdlib.h>

#include "bytes.h"
#include "cap/cap.h"

#define LAB_IP4 "020000000002 020000000001 0800 "
// The header of an IPv6 packet with this payload length and Next Header, behind Ethernet.
#define LAB_IP6(payload, next)                                      \
	"020000000002 020000000001 86dd 60000000" payload next "40" \
	"20010db8000000000000000000000001 20010db8000000000000000000000002 "
#define LAB_CNP                                                                              \
	LAB_IP4 "45c2003c718c4000401191610a0011010a001201 000012b700280000 8100ffff40000118" \
		"00000000 00000000000000000000000000000000 82fd002a"
#define LAB_CNM                                                                                    \
	"0200000000aa 020000000001 8100 c064 22e9 1234 22e7 002e 0200000000010001 fe0c 01f4 6000 " \
	"020000000099 0000"

// The CNP behind an S-TAG, an 802.1Q tag and a CN-TAG.
#define LAB_QINQ                                                                     \
	"020000000002 020000000001 88a8 6064 8100 400a 22e9 0007 0800 "              \
	"45c2003c718c4000401191610a0011010a001201 000012b700280000 8100ffff40000118" \
	"00000000 00000000000000000000000000000000 82fd002a"

// RoCEv1: an ACK, and a UD SEND of 7 bytes behind a VLAN tag; their ICRCs are from a CRC of
// another make.
#define LAB_V1_GIDS "fe80000000000000 0202c9fffe000001 fe80000000000000 0202c9fffe000002 "
#define LAB_V1_ACK                                                     \
	"0202c9000002 0202c9000001 8915 66a1234500141b40 " LAB_V1_GIDS \
	"1100ffff0000011800abcdef 1f00002a 01112515"
#define LAB_V1_UD                                                                \
	"0202c9000002 0202c9000001 8100 6005 8915 66a1234500201b40 " LAB_V1_GIDS \
	"6410ffff0000000100000007 8001000000000001 0001020304050600 36917305"
// The CNP with its IPv4 checksum left to the NIC.
#define LAB_CNP_OFFLOADED                                                                    \
	LAB_IP4 "45c2003c718c4000401100000a0011010a001201 000012b700280000 8100ffff40000118" \
		"00000000 00000000000000000000000000000000 82fd002a"

struct lab {
	struct decode d;
	struct decoded x;
	struct out o;
	char text[1 << 16];
	uint8_t bytes[2048];
};

static inline struct lab *lab_new(rate_t rate)
{
	struct lab *l = calloc(1, sizeof(*l));

	assert_non_null(l);
	l->o = (struct out){.buf = l->text, .cap = sizeof(l->text) - 1, .fd = -1};
	decode_init(&l->d, rate);
	return l;
}

// The next frame: `captured` of `wire_len` bytes of it.
static inline void lab_bytes(
	struct lab *l, uint64_t ns, const uint8_t *bytes, uint32_t captured, uint32_t wire_len)
{
	struct cap_frame c = {.ns = ns, .bytes = bytes, .len = captured, .wire_len = wire_len};

	decode_next(&l->d, &c, &l->x);
}

// The next frame, whole, padded to 60 bytes.
static inline void lab_hex(struct lab *l, uint64_t ns, const char *text)
{
	unsigned n;

	memset(l->bytes, 0, sizeof(l->bytes));
	n = hex_bytes(text, l->bytes);
	n = n < 60 ? 60 : n;
	lab_bytes(l, ns, l->bytes, n, n);
}

// The text written since the last call.
static inline const char *lab_text(struct lab *l)
{
	l->text[l->o.n] = 0;
	l->o.n = 0;
	return l->text;
}
