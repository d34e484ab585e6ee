// SPDX-License-Identifier: BSD-3-Clause
// ARP frames: what two kernels said to each other, tags, frames that are cut off or of another
// network.
#include "wire/arp.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <cmocka.h>

#include "bytes.h"
#include "wire/pkt.h"

static const char request[] = "02000000000a 02000000000b 0806 0001 0800 06 04 0001"
			      "02000000000b 0a000002 000000000000 0a000001";
static const char answer[] = "02000000000b 02000000000a 0806 0001 0800 06 04 0002"
			     "02000000000a 0a000001 02000000000b 0a000002";
static const uint8_t a_mac[6] = {2, 0, 0, 0, 0, 10}, b_mac[6] = {2, 0, 0, 0, 0, 11};

static void the_answer_of_a_kernel(void **state)
{
	uint8_t in[64], want[64] = {0}, out[ARP_FRAME_MAX];
	unsigned len = hex_bytes(request, in), n = hex_bytes(answer, want);
	struct arp a;

	(void)state;
	assert_int_equal(len, 42);
	assert_int_equal(n, 42);
	assert_true(arp_from_frame(in, len, &a));
	assert_int_equal(a.op, ARP_REQUEST);
	assert_memory_equal(a.sha, b_mac, 6);
	assert_memory_equal(a.spa, ((uint8_t[]){10, 0, 0, 2}), 4);
	assert_memory_equal(a.tha, ((uint8_t[6]){0}), 6);
	assert_memory_equal(a.tpa, ((uint8_t[]){10, 0, 0, 1}), 4);
	assert_false(arp_announces(&a));
	arp_reply(&a, a_mac, &a);
	assert_int_equal(arp_to_frame(&a, out), PKT_MIN_LEN);
	assert_memory_equal(out, want, PKT_MIN_LEN);
}

static void every_cut_is_refused(void **state)
{
	uint8_t in[64];
	unsigned len = hex_bytes(request, in);
	struct arp a;

	(void)state;
	for (unsigned n = 0; n < len; n++) {
		uint8_t *cut = malloc(n ? n : 1); // so that a reader beyond it is seen

		memcpy(cut, in, n);
		assert_false(arp_from_frame(cut, n, &a));
		free(cut);
	}
	assert_true(arp_from_frame(in, len, &a));
}

static void another_network_is_refused(void **state)
{
	const unsigned at[] = {13, 15, 17, 18, 19}; // EtherType, both types, both lengths
	uint8_t in[64];
	unsigned len = hex_bytes(request, in);
	struct arp a;

	(void)state;
	for (unsigned i = 0; i < sizeof(at) / sizeof(at[0]); i++) {
		in[at[i]] ^= 1;
		assert_false(arp_from_frame(in, len, &a));
		in[at[i]] ^= 1;
	}
	assert_true(arp_from_frame(in, len, &a));
}

// Who speaks for another, or in the name of all, is not believed.
static void a_foreign_sender_is_refused(void **state)
{
	uint8_t in[64];
	unsigned len = hex_bytes(request, in);
	struct arp a;

	(void)state;
	in[27] ^= 1;
	assert_false(arp_from_frame(in, len, &a));
	in[11] ^= 1; // the frame's own sender is the same one then
	assert_true(arp_from_frame(in, len, &a));
	in[6] |= 1;
	in[22] |= 1;
	assert_false(arp_from_frame(in, len, &a));
}

// The answer has the tag of the request, with its priority, and no CN-TAG.
static void a_tag_stays(void **state)
{
	uint8_t in[64], out[ARP_FRAME_MAX];
	unsigned len = hex_bytes("ffffffffffff 02000000000b 8100 6064 22e9 0007 0806"
				 "0001 0800 06 04 0001 02000000000b 0a000002 000000000000 0a000001",
		in);
	struct arp a, back;

	(void)state;
	assert_true(arp_from_frame(in, len, &a));
	assert_int_equal(a.eth.cntag, 7);
	arp_reply(&a, a_mac, &a);
	assert_int_equal(arp_to_frame(&a, out), PKT_MIN_LEN);
	assert_true(arp_from_frame(out, PKT_MIN_LEN, &back));
	assert_int_equal(back.eth.has_vlan, 1);
	assert_int_equal(back.eth.vlan_tci, 0x6064);
	assert_int_equal(back.eth.has_cntag, 0);
	assert_int_equal(back.op, ARP_REPLY);
	assert_memory_equal(back.eth.dst, b_mac, 6);
	assert_memory_equal(back.eth.src, a_mac, 6);
	assert_memory_equal(back.sha, a_mac, 6);
	assert_memory_equal(back.tpa, ((uint8_t[]){10, 0, 0, 2}), 4);
}

// Both VLAN tags of the request stay, as they are.
static void two_tags_stay(void **state)
{
	static const uint8_t tags[] = {0x88, 0xa8, 0x60, 0x64, 0x81, 0, 0x40, 0x0a, 8, 6};
	uint8_t in[64], out[ARP_FRAME_MAX];
	unsigned len = hex_bytes("ffffffffffff 02000000000b 88a8 6064 8100 400a 0806"
				 "0001 0800 06 04 0001 02000000000b 0a000002 000000000000 0a000001",
		in);
	struct arp a;

	(void)state;
	assert_true(arp_from_frame(in, len, &a));
	arp_reply(&a, a_mac, &a);
	assert_int_equal(arp_to_frame(&a, out), PKT_MIN_LEN);
	assert_memory_equal(out + 12, tags, sizeof(tags));
	assert_true(arp_from_frame(out, PKT_MIN_LEN, &a));
	assert_int_equal(a.op, ARP_REPLY);
}

static void questions(void **state)
{
	const uint8_t ip[4] = {10, 0, 0, 1}, target[4] = {10, 0, 0, 2};
	uint8_t want[64] = {0}, out[ARP_FRAME_MAX];
	struct arp a;

	(void)state;
	hex_bytes("ffffffffffff 02000000000a 0806 0001 0800 06 04 0001"
		  "02000000000a 0a000001 000000000000 0a000002",
		want);
	arp_ask(&a, a_mac, ip, target, NULL, -1);
	assert_int_equal(arp_to_frame(&a, out), PKT_MIN_LEN);
	assert_memory_equal(out, want, PKT_MIN_LEN);
	memcpy(want, b_mac, 6);
	arp_ask(&a, a_mac, ip, target, b_mac, -1);
	arp_to_frame(&a, out);
	assert_memory_equal(out, want, PKT_MIN_LEN);
	arp_ask(&a, a_mac, ip, target, NULL, 100);
	assert_int_equal(arp_to_frame(&a, out), PKT_MIN_LEN);
	assert_memory_equal(out + 12, "\x81\x00\x00\x64\x08\x06", 6);
	arp_announce(&a, a_mac, ip, -1);
	arp_to_frame(&a, out);
	assert_true(arp_from_frame(out, PKT_MIN_LEN, &a));
	assert_true(arp_announces(&a));
	assert_int_equal(a.op, ARP_REQUEST);
	assert_int_equal(out[0], 0xff);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_answer_of_a_kernel),
		cmocka_unit_test(every_cut_is_refused),
		cmocka_unit_test(another_network_is_refused),
		cmocka_unit_test(a_foreign_sender_is_refused),
		cmocka_unit_test(a_tag_stays),
		cmocka_unit_test(two_tags_stay),
		cmocka_unit_test(questions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
