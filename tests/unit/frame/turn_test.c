// SPDX-License-Identifier: BSD-3-Clause
// Frames that are sent back: fields that change places, fields that stay, and frames that may not
// go.
#include "frame/turn.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "base/prng.h"
#include "frame/frame.h"

struct slot {
	struct pkt p;
	struct hdr h;
	uint8_t bytes[256];
};

static const uint8_t one[6] = {2, 0, 0, 0, 0, 1}, two[6] = {2, 0, 0, 0, 0, 2};

// A frame of the open loop as it comes by a device, 100 octets.
static void came(struct slot *s, uint8_t flags)
{
	struct hdr h = {.flags = flags,
		.ethertype = flags & HDR_IPV4   ? ETH_P_IPV4
			     : flags & HDR_IPV6 ? ETH_P_IPV6
						: 0x88b5,
		.vlan_tci = 0x6007,
		.proto = 17,
		.ttl = 61,
		.sport = 0xc001,
		.dport = 7};
	struct pkt p = {.hdr = &h,
		.kind = PKT_GEN,
		.len = 100,
		.tos = 26 << 2 | ECN_CE,
		.u.gen = {.seq = 9, .source = 4}};

	memcpy(h.src, one, 6);
	memcpy(h.dst, two, 6);
	memcpy(h.saddr, (uint8_t[16]){10, 0, 0, 1}, 16);
	memcpy(h.daddr, (uint8_t[16]){10, 0, 0, 2}, 16);
	memset(s, 0, sizeof(*s));
	frame_from_pkt(&p, s->bytes);
	s->p = (struct pkt){.len = p.len, .data_off = offsetof(struct slot, bytes)};
	assert_int_equal(frame_to_pkt(&s->p, 1514), PKT_GEN);
}

// The header that the parser makes of the bytes is the header that the bytes were made of.
static void header_and_bytes_agree(void **state)
{
	static const uint8_t flags[] = {
		HDR_IPV4, HDR_IPV6, HDR_IPV4 | HDR_VLAN, HDR_IPV6 | HDR_VLAN, 0, HDR_VLAN};

	(void)state;
	for (unsigned i = 0; i < sizeof(flags); i++) {
		struct slot s, before;
		struct hdr h;

		came(&s, flags[i]);
		before = s;
		assert_true(turn_may(&s.p));
		turn_frame(&s.p);
		h = s.h;
		assert_memory_equal(h.dst, one, 6);
		assert_memory_equal(h.src, two, 6);
		assert_int_equal(frame_to_pkt(&s.p, 1514), PKT_GEN);
		assert_memory_equal(&s.h, &h, sizeof(h));
		assert_int_equal(s.p.tos, before.p.tos);
		assert_int_equal(s.p.len, before.p.len);
		assert_int_equal(s.p.u.gen.seq, 9);
		assert_int_equal(s.p.u.gen.source, 4);
		if (flags[i] & HDR_IP) {
			assert_int_equal(h.sport, 7);
			assert_int_equal(h.dport, 0xc001);
			assert_int_equal(h.saddr[3], 2);
			assert_int_equal(h.daddr[3], 1);
			assert_int_equal(h.ttl, 61);
		}
		turn_frame(&s.p); // twice is nothing
		assert_memory_equal(s.bytes, before.bytes, sizeof(s.bytes));
	}
}

static void a_shared_header_is_turned_alike(void **state)
{
	struct hdr h = {.sport = 5, .dport = 6, .id = 3, .flags = HDR_IPV4, .ttl = 64};

	(void)state;
	memcpy(h.src, one, 6);
	memcpy(h.dst, two, 6);
	h.saddr[0] = 1;
	h.daddr[0] = 2;
	turn_hdr(&h);
	assert_memory_equal(h.src, two, 6);
	assert_memory_equal(h.dst, one, 6);
	assert_int_equal(h.saddr[0], 2);
	assert_int_equal(h.daddr[0], 1);
	assert_int_equal(h.sport, 6);
	assert_int_equal(h.dport, 5);
	assert_int_equal(h.id, 3);
}

// IPv4 options stand before the ports.
static void options_are_passed_over(void **state)
{
	struct slot s;
	uint8_t *ip;

	(void)state;
	came(&s, HDR_IPV4);
	memmove(s.bytes + 38, s.bytes + 34, 60);
	ip = s.bytes + 14;
	ip[0] = 0x46;
	ip[3] += 4;
	memset(ip + 20, 1, 4); // no operation
	ip[10] = ip[11] = 0;
	{
		uint16_t sum = (uint16_t)~ip_fold(ip_sum(ip, 24, 0));

		memcpy(ip + 10, &sum, 2);
	}
	s.p.len += 4;
	assert_int_equal(frame_to_pkt(&s.p, 1514), PKT_GEN);
	turn_frame(&s.p);
	assert_int_equal(frame_to_pkt(&s.p, 1514), PKT_GEN);
	assert_int_equal(s.h.sport, 7);
	assert_int_equal(s.h.dport, 0xc001);
}

// One word of the frame is changed, which the parser then reads.
static bool may(uint8_t flags, unsigned at, const void *bytes, unsigned n)
{
	struct slot s;

	came(&s, flags);
	memcpy(s.bytes + at, bytes, n);
	if (flags & HDR_IPV4) {
		uint16_t sum;

		memset(s.bytes + 24, 0, 2);
		sum = (uint16_t)~ip_fold(ip_sum(s.bytes + 14, 20, 0));
		memcpy(s.bytes + 24, &sum, 2);
	}
	frame_to_pkt(&s.p, 1514);
	return turn_may(&s.p);
}

static void what_has_no_sender_stays(void **state)
{
	static const uint8_t zero[16];

	(void)state;
	assert_true(may(HDR_IPV4, 26, (uint8_t[]){10, 9, 9, 9}, 4));
	assert_false(may(0, 6, zero, 6));
	assert_false(may(0, 6, (uint8_t[]){0xff, 0xff, 0xff, 0xff, 0xff, 0xff}, 6));
	assert_false(may(0, 6, (uint8_t[]){1, 0, 0x5e, 0, 0, 1}, 6));
	assert_false(may(0, 6, two, 6)); // the receiver's own
	assert_false(may(HDR_IPV4, 26, zero, 4));
	assert_false(may(HDR_IPV4, 26, (uint8_t[]){224, 0, 0, 1}, 4));
	assert_false(may(HDR_IPV4, 26, (uint8_t[]){255, 255, 255, 255}, 4));
	assert_false(may(HDR_IPV4, 26, (uint8_t[]){10, 0, 0, 2}, 4));
	assert_false(may(HDR_IPV4, 20, (uint8_t[]){0x20, 0}, 2)); // the first of several fragments
	assert_true(may(HDR_IPV4, 20, (uint8_t[]){0x40, 0}, 2));
	assert_false(may(HDR_IPV6, 22, zero, 16));
	assert_false(may(HDR_IPV6, 22, (uint8_t[16]){0xff, 2}, 16));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(header_and_bytes_agree),
		cmocka_unit_test(a_shared_header_is_turned_alike),
		cmocka_unit_test(options_are_passed_over),
		cmocka_unit_test(what_has_no_sender_stays),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
