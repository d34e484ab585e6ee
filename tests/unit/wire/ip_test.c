// SPDX-License-Identifier: BSD-3-Clause
// IP and UDP headers: both versions and back, checksums against vectors, CE against a full
// computation, hashes of addresses.
#include "wire/ip.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

#include "base/prng.h"
#include "bytes.h"
#include "wire/eth.h"

// The captured CNP of standards.md 3.3, V1.
static void ip4_vector(void **state)
{
	uint8_t o[64], back[64];
	unsigned n = hex_bytes("45c2003c718c4000401191610a0011010a001201", o);
	struct ip_hdr ip;

	(void)state;
	assert_true(ip_checksum_ok(o, n));
	ip_parse(o, &ip);
	assert_int_equal(ip.version, 4);
	assert_int_equal(ip.tos, 0xc2);
	assert_int_equal(ip.id, 0x718c);
	assert_int_equal(ip.frag, IP4_DF);
	assert_int_equal(ip.ttl, 64);
	assert_int_equal(ip.proto, IP_PROTO_UDP);
	assert_int_equal(ip.checksum, 0x9161);
	assert_int_equal(get_be32(ip.saddr), 0x0a001101);
	assert_int_equal(get_be32(ip.daddr), 0x0a001201);
	assert_int_equal(ip_render(&ip, 40, back), 20);
	assert_memory_equal(back, o, 20);
	o[9] ^= 1;
	assert_false(ip_checksum_ok(o, n));
}

// V4: traffic class 226, flow label 0x1face.
static void ip6_vector(void **state)
{
	uint8_t o[64], back[64];
	struct ip_hdr ip;

	(void)state;
	hex_bytes("6e21face002c11ff 20220000000000000000000000001023 "
		  "20230000000000000000000000001024",
		o);
	ip_parse(o, &ip);
	assert_int_equal(ip.version, 6);
	assert_int_equal(ip.tos, 226);
	assert_int_equal(ip.flow_label, 0x1face);
	assert_int_equal(ip.ttl, 255);
	assert_int_equal(ip.proto, IP_PROTO_UDP);
	assert_int_equal(ip_render(&ip, 44, back), 40);
	assert_memory_equal(back, o, 40);
}

static void options_stay(void **state)
{
	uint8_t o[64], back[64];
	struct ip_hdr ip = {.version = 4, .ttl = 1, .proto = 2, .frag = IP4_DF, .options_len = 40};

	(void)state;
	for (unsigned i = 0; i < 40; i++)
		ip.options[i] = (uint8_t)(i * 7);
	assert_int_equal(ip_render(&ip, 8, o), 60);
	assert_int_equal(o[0], 0x4f);
	assert_true(ip_checksum_ok(o, 60));
	ip_parse(o, &ip);
	assert_int_equal(ip.options_len, 40);
	assert_int_equal(ip_render(&ip, 8, back), 60);
	assert_memory_equal(back, o, 60);
	o[59] ^= 0x80;
	assert_false(ip_checksum_ok(o, 60));
}

// A header whose sum is ffff has checksum 0; ffff verifies too, and comes back as it was.
static void checksum_of_two_spellings(void **state)
{
	struct ip_hdr ip = {.version = 4, .ttl = 64, .proto = 17};
	uint8_t o[20], back[20];

	(void)state;
	ip_render(&ip, 0, o);
	ip.id = get_be16(o + 10);
	ip_render(&ip, 0, o);
	assert_int_equal(get_be16(o + 10), 0);
	assert_true(ip_checksum_ok(o, 20));
	put_be16(o + 10, 0xffff);
	assert_true(ip_checksum_ok(o, 20));
	ip_parse(o, &ip);
	ip_render(&ip, 0, back);
	assert_memory_equal(back, o, 20);
}

// The incremental update against a full computation, with and without options.
static void ce_equals_full_checksum(void **state)
{
	struct prng rng;
	const uint64_t seed = 16;

	(void)state;
	print_message("seed %llu\n", (unsigned long long)seed);
	prng_init(&rng, seed, "ip_test");
	for (unsigned i = 0; i < 20000; i++) {
		struct ip_hdr ip = {.version = 4, .proto = 17};
		uint8_t o[60], full[60];
		unsigned n;

		ip.tos = (uint8_t)prng_u64(&rng);
		ip.id = (uint16_t)prng_u64(&rng);
		ip.ttl = (uint8_t)prng_u64(&rng);
		ip.options_len = (uint8_t)(prng_below(&rng, 11) * 4);
		put_be32(ip.saddr, (uint32_t)prng_u64(&rng));
		put_be32(ip.daddr, (uint32_t)prng_u64(&rng));
		n = ip_render(&ip, 100, o);
		ip.tos |= 3;
		ip_render(&ip, 100, full);
		ip_mark_ce(o);
		assert_memory_equal(o, full, n);
	}
}

// Every id with ToS 0 to CE: each value of the checksum, so also those at the ends of one's
// complement.
static void ce_at_every_checksum(void **state)
{
	(void)state;
	for (unsigned id = 0; id < 65536; id++) {
		struct ip_hdr ip = {.version = 4, .proto = 17, .id = (uint16_t)id};
		uint8_t o[20];

		ip_render(&ip, 0, o);
		ip_mark_ce(o);
		assert_int_equal(o[1], 3);
		assert_true(ip_checksum_ok(o, 20));
	}
}

// A frame that is CE is left alone, whichever spelling of checksum 0 it has (RFC 1624 cl. 3).
static void ce_stays_as_it_is(void **state)
{
	uint8_t o[20], was[20];
	unsigned seen = 0;

	(void)state;
	for (unsigned id = 0; id < 65536; id++) {
		struct ip_hdr ip = {.version = 4, .tos = 3, .proto = 17, .id = (uint16_t)id};

		ip_render(&ip, 0, o);
		if (get_be16(o + 10))
			continue;
		put_be16(o + 10, 0xffff);
		memcpy(was, o, 20);
		assert_true(ip_checksum_ok(o, 20));
		ip_mark_ce(o);
		assert_memory_equal(o, was, 20);
		seen++;
	}
	assert_int_equal(seen, 1);
}

static void ce_in_ip6(void **state)
{
	uint8_t o[40], was[40];
	struct ip_hdr ip = {.version = 6, .tos = 0xa2, .flow_label = 0xf1234, .proto = 17};

	(void)state;
	ip_render(&ip, 8, o);
	memcpy(was, o, 40);
	ip_mark_ce(o);
	ip_parse(o, &ip);
	assert_int_equal(ip.tos, 0xa3);
	assert_int_equal(ip.flow_label, 0xf1234);
	was[1] |= 0x30;
	assert_memory_equal(o, was, 40);
}

// V3 and V4 of standards.md 3.3 have UDP checksums made by hardware: e7c5 over IPv6.
static void udp_vector(void **state)
{
	uint8_t o[128], back[8];
	unsigned n = hex_bytes(
		"6e21face002c11ff 20220000000000000000000000001023 "
		"20230000000000000000000000001024 c00012b7002ce7c5 2460ffff000000d300cf1710"
		"4630818be28935d90e9a95505401be885e500000 3e5b743b",
		o);
	struct udp u;

	(void)state;
	assert_int_equal(n, 40 + 44);
	udp_parse(o + 40, &u);
	assert_int_equal(u.sport, 49152);
	assert_int_equal(u.dport, 4791);
	assert_int_equal(u.len, 44);
	assert_int_equal(u.checksum, 0xe7c5);
	assert_int_equal(udp_render(&u, 36, back), 8);
	assert_memory_equal(back, o + 40, 8);
	u.len = 0;
	udp_render(&u, 36, back);
	assert_memory_equal(back, o + 40, 8);
	put_be16(o + 46, 0x1111);
	udp_put_checksum6(o, o + 40, 44);
	assert_int_equal(get_be16(o + 46), 0xe7c5);
}

// A sum of 0 is written as ffff: 0 would say that there is none (RFC 8200 cl. 8.1).
static void udp_checksum_is_never_zero(void **state)
{
	uint8_t o[40 + 12] = {0x60};

	(void)state;
	udp_put_checksum6(o, o + 40, 12);
	memcpy(o + 48, o + 46, 2); // with its own checksum as payload the words sum to ffff
	udp_put_checksum6(o, o + 40, 12);
	assert_int_equal(get_be16(o + 46), 0xffff);
}

// Odd lengths count a zero byte behind the last one.
static void udp_odd_length(void **state)
{
	uint8_t o[40 + 16] = {0x60};
	uint16_t even;

	(void)state;
	o[40 + 8] = 0xab;
	udp_put_checksum6(o, o + 40, 9);
	even = get_be16(o + 46);
	// The same words but for the two lengths: 9 + 9 against 10 + 10.
	put_be16(o + 44, 0);
	udp_put_checksum6(o, o + 40, 10);
	assert_int_equal((uint16_t)(even - get_be16(o + 46)), 1);
}

// The hash of two addresses, which stand in a row, with the bits a and b of them turned.
static uint64_t hash_with_bits_turned(const uint8_t pair[32], unsigned a, unsigned b, bool ipv4)
{
	uint8_t turned[32];

	memcpy(turned, pair, 32);
	turned[a / 8] ^= (uint8_t)(1 << a % 8);
	turned[b / 8] ^= (uint8_t)(a == b ? 0 : 1 << b % 8);
	return ip_pair_hash(7, turned, turned + (ipv4 ? 4 : 16), ipv4);
}

static int by_size(const void *x, const void *y)
{
	uint64_t a = *(const uint64_t *)x, b = *(const uint64_t *)y;

	return (a > b) - (a < b);
}

// Addresses of one network differ in few bits: pairs that differ from one in a bit or two have
// hashes of their own.
static void pairs_alike_have_hashes_of_their_own(void **state)
{
	static uint64_t hash[256 * 257 / 2];

	(void)state;
	for (unsigned ipv4 = 0; ipv4 < 2; ipv4++) {
		unsigned bits = ipv4 ? 64 : 256, n = 0;
		uint8_t pair[32] = {0x20, 1, 0x0d, 0xb8, [15] = 1, 0x20, 1, 0x0d, 0xb8, [31] = 2};

		for (unsigned a = 0; a < bits; a++)
			for (unsigned b = a; b < bits; b++)
				hash[n++] = hash_with_bits_turned(pair, a, b, ipv4);
		qsort(hash, n, sizeof(*hash), by_size);
		for (unsigned i = 1; i < n; i++)
			assert_true(hash[i - 1] != hash[i]);
	}
}

// A hash depends on the order of the two addresses, and on the seed; it does not read beyond IPv4
// addresses.
static void a_pair_has_an_order(void **state)
{
	uint8_t a[16] = {10, 0, 0, 1, [15] = 1}, b[16] = {10, 0, 0, 2, [15] = 2};

	(void)state;
	for (unsigned ipv4 = 0; ipv4 < 2; ipv4++) {
		uint64_t hash = ip_pair_hash(1, a, b, ipv4);

		assert_true(hash != ip_pair_hash(1, b, a, ipv4));
		assert_true(hash != ip_pair_hash(2, a, b, ipv4));
		assert_false(ip_is_same(a, b, ipv4));
		assert_true(ip_is_same(a, a, ipv4));
		b[15] ^= 4;
		assert_int_equal(hash == ip_pair_hash(1, a, b, ipv4), ipv4);
		memcpy(b, a, 4);
		assert_int_equal(ip_is_same(a, b, ipv4), ipv4);
		b[3] = 2;
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ip4_vector),
		cmocka_unit_test(ip6_vector),
		cmocka_unit_test(options_stay),
		cmocka_unit_test(checksum_of_two_spellings),
		cmocka_unit_test(ce_equals_full_checksum),
		cmocka_unit_test(ce_at_every_checksum),
		cmocka_unit_test(ce_stays_as_it_is),
		cmocka_unit_test(ce_in_ip6),
		cmocka_unit_test(udp_vector),
		cmocka_unit_test(udp_checksum_is_never_zero),
		cmocka_unit_test(udp_odd_length),
		cmocka_unit_test(pairs_alike_have_hashes_of_their_own),
		cmocka_unit_test(a_pair_has_an_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
