// SPDX-License-Identifier: BSD-3-Clause
// ICMP frames: what two kernels said to each other, each reason to refuse one, what RFC 4861
// demands of discovery.
#include "frame/icmp.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <cmocka.h>

#include "bytes.h"
#include "wire/pkt.h"

#define FD1 "fd000000000000000000000000000001"
#define FD2 "fd000000000000000000000000000002"

static const char echo4[] = "02000000000b 02000000000a 0800 45000021faa44000 40012c35 0a000001"
			    "0a000002 0800cd50 24ab0000 0001020304";
static const char echo6[] =
	"02000000000b 02000000000a 86dd 6004dfb0 000d3a40" FD1 FD2 "80005ac8 24e70000 0001020304";
static const char reply6[] =
	"02000000000a 02000000000b 86dd 60000000 000d3a40" FD2 FD1 "810059c8 24e70000 0001020304";
static const char solicit[] =
	"3333ff000002 02000000000a 86dd 60000000 00203aff" FD1
	"ff0200000000000000000001ff000002 87007d8e 00000000" FD2 "0101 02000000000a";
static const char advert[] = "02000000000a 02000000000b 86dd 60000000 00203aff" FD2 FD1
			     "88001c91 60000000" FD2 "0201 02000000000b";
// Of one that looks for duplicates; its option is a nonce (RFC 7527).
static const char dad[] = "3333ff000077 02000000000a 86dd 60000000 00203aff"
			  "00000000000000000000000000000000 ff0200000000000000000001ff000077"
			  "870046d9 00000000 fd000000000000000000000000000077 0e01c509ee867446";

static const uint8_t a_mac[6] = {2, 0, 0, 0, 0, 10}, b_mac[6] = {2, 0, 0, 0, 0, 11};

// Offsets of an untagged frame of IPv6.
enum { HOPS6 = 21, SADDR6 = 22, DADDR6 = 38, TYPE6 = 54, CODE6, SUM6, FLAGS6 = 58, TARGET6 = 62 };

// Makes the checksum of an untagged frame of ICMPv6 right, word by word as RFC 1071 begins.
static void right(uint8_t *o)
{
	unsigned len = (unsigned)(o[18] << 8 | o[19]);
	uint32_t sum = len + 58;

	o[SUM6] = o[SUM6 + 1] = 0;
	for (unsigned i = 0; i < 32; i += 2)
		sum += (uint32_t)(o[SADDR6 + i] << 8 | o[SADDR6 + i + 1]);
	for (unsigned i = 0; i < len; i++)
		sum += (uint32_t)o[TYPE6 + i] << (i % 2 ? 0 : 8);
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	o[SUM6] = (uint8_t)(~sum >> 8);
	o[SUM6 + 1] = (uint8_t)~sum;
}

static enum icmp_verdict verdict6(uint8_t *o, unsigned len)
{
	struct icmp m;

	right(o);
	return icmp_from_frame(o, len, &m);
}

static void the_answers_of_a_kernel(void **state)
{
	uint8_t in[128], want[128] = {0}, out[128];
	unsigned len = hex_bytes(echo6, in), n = hex_bytes(reply6, want);
	struct icmp m;

	(void)state;
	assert_int_equal(icmp_from_frame(in, len, &m), ICMP_OK);
	assert_int_equal(m.kind, ICMP_ECHO_REQUEST);
	assert_int_equal(m.id, 0x24e7);
	assert_int_equal(m.seq, 0);
	assert_int_equal(m.data_len, 5);
	icmp_echo_reply(&m, b_mac, &m);
	assert_int_equal(icmp_to_frame(&m, in + m.data_off, in), n);
	assert_memory_equal(in, want, n);

	len = hex_bytes(solicit, in);
	n = hex_bytes(advert, want);
	assert_int_equal(icmp_from_frame(in, len, &m), ICMP_OK);
	assert_int_equal(m.kind, ICMP_ND_SOLICIT);
	assert_true(m.has_mac);
	assert_memory_equal(m.mac, a_mac, 6);
	icmp_advertise(&m, b_mac, &m);
	assert_int_equal(icmp_to_frame(&m, NULL, out), n);
	assert_memory_equal(out, want, n);
	assert_int_equal(icmp_from_frame(want, n, &m), ICMP_OK);
	assert_int_equal(m.kind, ICMP_ND_ADVERT);
	assert_int_equal(m.flags, ND_SOLICITED | ND_OVERRIDE);
	assert_memory_equal(m.mac, b_mac, 6);
}

// The kernel's own answer differs in identification, DF and what follows of them.
static void an_echo_over_ipv4(void **state)
{
	uint8_t in[128], want[128] = {0};
	unsigned len = hex_bytes(echo4, in);
	struct icmp m;

	(void)state;
	hex_bytes("02000000000a 02000000000b 0800 4500002100004000 400126da 0a000002 0a000001"
		  "0000d550 24ab0000 0001020304",
		want);
	assert_int_equal(icmp_from_frame(in, len, &m), ICMP_OK);
	assert_int_equal(m.data_len, 5);
	icmp_echo_reply(&m, b_mac, &m);
	assert_int_equal(icmp_to_frame(&m, in + m.data_off, in), PKT_MIN_LEN);
	assert_memory_equal(in, want, PKT_MIN_LEN);
}

// In place, from behind a CN-TAG and options, at each length of the data; two VLAN tags or one.
static void data_in_place(bool inner)
{
	static uint8_t in[2048], out[2048];
	unsigned l3 = inner ? 22 : 18;
	struct icmp m, back;

	for (unsigned len = 0; len < 1400; len += len < 20 ? 1 : 97) {
		const uint8_t ip[16] = {10, 0, 0, 2};
		unsigned n;

		m = (struct icmp){.kind = ICMP_ECHO_REQUEST,
			.ip = {.version = 4, .ttl = 9, .tos = 0xb9, .saddr = {10, 0, 0, 1}},
			.eth = {.has_vlan = 1,
				.is_stag = inner,
				.has_inner = inner,
				.vlan_tci = 0x6064,
				.inner_tci = inner ? 0x400a : 0,
				.src = {2, 0, 0, 0, 0, 10}},
			.id = 7,
			.seq = (uint16_t)len,
			.data_len = (uint16_t)len};
		memcpy(m.ip.daddr, ip, 4);
		for (unsigned i = 0; i < len; i++)
			out[i] = (uint8_t)(len + i * 7);
		n = icmp_to_frame(&m, out, in);
		// a CN-TAG between the tag and the EtherType
		memmove(in + l3 + 2, in + l3 - 2, n - l3 + 2);
		memcpy(in + l3 - 2, "\x22\xe9\x00\x01", 4);
		assert_int_equal(icmp_from_frame(in, n + 4, &m), ICMP_OK);
		assert_int_equal(m.eth.has_cntag, 1);
		icmp_echo_reply(&m, b_mac, &m);
		n = icmp_to_frame(&m, in + m.data_off, in);
		assert_int_equal(n, l3 + 28 + len < 60 ? 60 : l3 + 28 + len);
		assert_int_equal(icmp_from_frame(in, n, &back), ICMP_OK);
		assert_int_equal(back.kind, ICMP_ECHO_REPLY);
		assert_int_equal(back.eth.has_cntag, 0);
		assert_int_equal(back.eth.vlan_tci, 0x6064);
		assert_int_equal(back.eth.is_stag, inner);
		assert_int_equal(back.eth.has_inner, inner);
		assert_int_equal(back.eth.inner_tci, inner ? 0x400a : 0);
		assert_int_equal(back.ip.tos, 0xb8); // Not-ECT
		assert_int_equal(back.ip.ttl, 64);
		assert_int_equal(back.id, 7);
		assert_int_equal(back.seq, len);
		assert_int_equal(back.data_len, len);
		assert_memory_equal(in + back.data_off, out, len);
	}
}

static void data_of_any_length_in_place(void **state)
{
	(void)state;
	data_in_place(false);
	data_in_place(true);
}

static void every_cut_is_refused(void **state)
{
	const char *const all[] = {echo4, echo6, solicit, advert, dad};
	uint8_t in[128];
	struct icmp m;

	(void)state;
	for (unsigned k = 0; k < sizeof(all) / sizeof(all[0]); k++) {
		unsigned len = hex_bytes(all[k], in);

		for (unsigned n = 0; n < len; n++) {
			uint8_t *cut = malloc(n ? n : 1); // so that a reader beyond it is seen

			memcpy(cut, in, n);
			assert_int_not_equal(icmp_from_frame(cut, n, &m), ICMP_OK);
			free(cut);
		}
		assert_int_equal(icmp_from_frame(in, len, &m), ICMP_OK);
	}
}

static void every_bit_is_under_the_checksum(void **state)
{
	uint8_t in[128];
	unsigned len = hex_bytes(echo4, in);
	struct icmp m;

	(void)state;
	for (unsigned bit = 35 * 8; bit < len * 8; bit++) { // behind the type
		in[bit / 8] ^= (uint8_t)(1 << bit % 8);
		assert_int_equal(icmp_from_frame(in, len, &m), ICMP_BAD_CHECKSUM);
		in[bit / 8] ^= (uint8_t)(1 << bit % 8);
	}
	len = hex_bytes(solicit, in);
	for (unsigned bit = SADDR6 * 8; bit < len * 8; bit++) { // the pseudo-header, too
		if (bit / 8 == TYPE6)
			continue;
		in[bit / 8] ^= (uint8_t)(1 << bit % 8);
		assert_int_equal(icmp_from_frame(in, len, &m), ICMP_BAD_CHECKSUM);
		in[bit / 8] ^= (uint8_t)(1 << bit % 8);
	}
}

static void what_is_not_ours_to_read(void **state)
{
	uint8_t in[128];
	unsigned len = hex_bytes(echo6, in);
	struct icmp m;

	(void)state;
	in[TYPE6] = 133; // a router solicitation
	assert_int_equal(icmp_from_frame(in, len, &m), ICMP_UNKNOWN);
	len = hex_bytes(echo6, in);
	in[20] = 59; // no next header
	assert_int_equal(icmp_from_frame(in, len, &m), ICMP_UNKNOWN);
	len = hex_bytes(solicit, in);
	in[TYPE6] = 8; // an echo request is 128 here
	assert_int_equal(icmp_from_frame(in, len, &m), ICMP_UNKNOWN);

	// Fragments: more to come, and a later one. The header's checksum follows.
	len = hex_bytes(echo4, in);
	in[20] = 0x60;
	in[24] = 0x0c;
	assert_int_equal(icmp_from_frame(in, len, &m), ICMP_UNKNOWN);
	len = hex_bytes(echo4, in);
	in[21] = 1;
	in[25] = 0x34;
	assert_int_equal(icmp_from_frame(in, len, &m), ICMP_UNKNOWN);
	in[25] = 0x35; // wrong: then nothing is read
	assert_int_equal(icmp_from_frame(in, len, &m), ICMP_UNKNOWN);
}

// RFC 4861 cl. 7.1.1.
static void a_solicitation_is_held_to_the_rfc(void **state)
{
	uint8_t good[128], o[128];
	unsigned len = hex_bytes(solicit, good), n = hex_bytes(dad, o);

	(void)state;
	assert_int_equal(verdict6(o, n), ICMP_OK);
	o[DADDR6 + 15] = 0x78; // not the group of its target
	assert_int_equal(verdict6(o, n), ICMP_BAD_ADDRESS);
	o[DADDR6 + 15] = 0x77;
	o[TARGET6 + 18] = 2;
	o[TARGET6 + 16] = 1; // a source link-layer address without a source
	assert_int_equal(verdict6(o, n), ICMP_BAD_ADDRESS);

	memcpy(o, good, len);
	o[HOPS6] = 254;
	assert_int_equal(verdict6(o, len), ICMP_BAD_HOP_LIMIT);
	memcpy(o, good, len);
	o[CODE6] = 1;
	assert_int_equal(verdict6(o, len), ICMP_BAD_CODE);
	memcpy(o, good, len);
	o[TARGET6] = 0xff;
	assert_int_equal(verdict6(o, len), ICMP_BAD_TARGET);
	memcpy(o, good, len);
	o[TARGET6 + 17] = 0; // the option's length
	assert_int_equal(verdict6(o, len), ICMP_BAD_OPTION);
	o[TARGET6 + 17] = 2; // beyond the end
	assert_int_equal(verdict6(o, len), ICMP_BAD_OPTION);
	memcpy(o, good, len);
	o[TARGET6 + 16] = 200; // another option is passed by
	assert_int_equal(verdict6(o, len), ICMP_OK);
	memcpy(o, good, len);
	o[TARGET6 + 18] |= 1; // the address of a group
	assert_int_equal(verdict6(o, len), ICMP_BAD_OPTION);
	memcpy(o, good, len);
	o[FLAGS6] = 0xff; // reserved here: ignored
	assert_int_equal(verdict6(o, len), ICMP_OK);
	o[19] = 23; // shorter than a solicitation
	assert_int_equal(verdict6(o, len), ICMP_SHORT);
	o[19] = 25; // an option of one byte
	assert_int_equal(verdict6(o, len), ICMP_BAD_OPTION);
	o[19] = 24; // none
	assert_int_equal(verdict6(o, len), ICMP_OK);
}

// RFC 4861 cl. 7.1.2.
static void an_advertisement_is_held_to_the_rfc(void **state)
{
	uint8_t o[128];
	unsigned len = hex_bytes(advert, o);

	(void)state;
	o[DADDR6] = 0xff; // an answer is for one
	assert_int_equal(verdict6(o, len), ICMP_BAD_ADDRESS);
	o[FLAGS6] = 0x20;
	assert_int_equal(verdict6(o, len), ICMP_OK);
	o[CODE6] = 3;
	assert_int_equal(verdict6(o, len), ICMP_BAD_CODE);
	o[CODE6] = 0;
	o[HOPS6] = 64;
	assert_int_equal(verdict6(o, len), ICMP_BAD_HOP_LIMIT);
}

static void a_group_asks_for_nothing(void **state)
{
	uint8_t o[128];
	unsigned len = hex_bytes(echo6, o);
	struct icmp m;

	(void)state;
	o[SADDR6] = 0xff;
	assert_int_equal(verdict6(o, len), ICMP_BAD_ADDRESS);
	memset(o + SADDR6, 0, 16);
	assert_int_equal(verdict6(o, len), ICMP_BAD_ADDRESS);
	len = hex_bytes(solicit, o);
	o[SADDR6] = 0xff;
	assert_int_equal(verdict6(o, len), ICMP_BAD_ADDRESS);
	o[SADDR6] = 0xfd;
	o[6] |= 1; // the frame's sender
	assert_int_equal(verdict6(o, len), ICMP_BAD_ADDRESS);
	len = hex_bytes(echo4, o);
	o[26] = 255; // the sender's first byte, and the header's checksum
	o[24] = 0x37;
	o[25] = 0x34;
	assert_int_equal(icmp_from_frame(o, len, &m), ICMP_BAD_ADDRESS);
	o[26] = 223; // the last network that is none of groups
	o[24] = 0x57;
	assert_int_equal(icmp_from_frame(o, len, &m), ICMP_OK);
}

// RFC 4861 cl. 7.2.4: who has no address yet is answered by way of all nodes.
static void who_looks_for_duplicates_is_told(void **state)
{
	uint8_t in[128], out[128];
	unsigned len = hex_bytes(dad, in);
	struct icmp m;

	(void)state;
	assert_int_equal(icmp_from_frame(in, len, &m), ICMP_OK);
	assert_false(m.has_mac);
	icmp_advertise(&m, b_mac, &m);
	assert_int_equal(icmp_to_frame(&m, NULL, out), 86);
	assert_memory_equal(out, "\x33\x33\0\0\0\1", 6);
	assert_int_equal(icmp_from_frame(out, 86, &m), ICMP_OK);
	assert_int_equal(m.flags, ND_OVERRIDE);
	assert_int_equal(m.ip.daddr[0], 0xff);
	assert_int_equal(m.ip.daddr[1], 2);
	assert_int_equal(m.ip.daddr[15], 1);
	assert_int_equal(m.target[15], 0x77);
	assert_memory_equal(m.mac, b_mac, 6);
}

static void questions(void **state)
{
	uint8_t want[128], out[128], ip[16] = {0xfd, [15] = 1}, target[16] = {0xfd, [15] = 2};
	unsigned n = hex_bytes(solicit, want);
	struct icmp m;

	(void)state;
	icmp_solicit(&m, a_mac, ip, target, NULL, -1);
	assert_int_equal(icmp_to_frame(&m, NULL, out), n);
	assert_memory_equal(out, want, n);
	icmp_solicit(&m, a_mac, ip, target, b_mac, 3 << 13 | 5);
	assert_int_equal(icmp_to_frame(&m, NULL, out), n + 4);
	assert_memory_equal(out, b_mac, 6);
	assert_int_equal(icmp_from_frame(out, n + 4, &m), ICMP_OK);
	assert_memory_equal(m.ip.daddr, target, 16);
	assert_int_equal(m.eth.vlan_tci, 3 << 13 | 5);
	icmp_announce(&m, a_mac, ip, -1);
	assert_int_equal(icmp_to_frame(&m, NULL, out), n);
	assert_int_equal(icmp_from_frame(out, n, &m), ICMP_OK);
	assert_int_equal(m.kind, ICMP_ND_ADVERT);
	assert_int_equal(m.flags, ND_OVERRIDE);
	assert_memory_equal(m.target, ip, 16);
	assert_memory_equal(out, "\x33\x33\0\0\0\1", 6);
	assert_false(icmp_is_group_of(m.ip.daddr, ip));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_answers_of_a_kernel),
		cmocka_unit_test(an_echo_over_ipv4),
		cmocka_unit_test(data_of_any_length_in_place),
		cmocka_unit_test(every_cut_is_refused),
		cmocka_unit_test(every_bit_is_under_the_checksum),
		cmocka_unit_test(what_is_not_ours_to_read),
		cmocka_unit_test(a_solicitation_is_held_to_the_rfc),
		cmocka_unit_test(an_advertisement_is_held_to_the_rfc),
		cmocka_unit_test(a_group_asks_for_nothing),
		cmocka_unit_test(who_looks_for_duplicates_is_told),
		cmocka_unit_test(questions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
