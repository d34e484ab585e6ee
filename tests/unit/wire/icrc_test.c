// SPDX-License-Identifier: BSD-3-Clause
// ICRC: the vectors of standards.md 3.3 and of public captures, what is masked, and the incremental
// form.
#include "wire/icrc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <cmocka.h>

#include "base/prng.h"
#include "bytes.h"
#include "wire/bth.h"
#include "wire/ip.h"

#define V3                                                                                    \
	"450100400478 40004011b4d5c0a80007c0a80007 c00012b7002caca2 2460ffff000000d300cf1710" \
	"4630818be28935d90e9a95505401be885e500000"

// Packets from the IP header up to the ICRC, and the ICRC's bytes as they stand on the wire.
static const struct {
	const char *source, *packet, *icrc;
} vectors[] = {
	{"V1, ConnectX-4 Lx CNP (scapy roce.uts)",
		"45c2003c718c4000401191610a0011010a001201 000012b700280000 8100ffff4000011800000000"
		"00000000000000000000000000000000",
		"82fd002a"},
	{"V2, CNP template (scapy, libconntrack-cm)",
		"4589003c98c64000201169271616160816161607 dbae12b700280000 8100ffff400000d200000000"
		"00000000000000000000000000000000",
		"dafc1bef"},
	{"V3, UC SEND Only over IPv4 (scapy roce.uts)", V3, "78f353f3"},
	{"V4, the same over IPv6",
		"6e21face002c11ff 20220000000000000000000000001023 20230000000000000000000000001024"
		"c00012b7002ce7c5 2460ffff000000d300cf1710 "
		"4630818be28935d90e9a95505401be885e500000",
		"3e5b743b"},
	{"soft-RoCE ACK between two VMs (In-NetLab container_inc test.c)",
		"4500003026954000401190860a32b7ab0a32b792 d1d512b7001c0000 1100ffff0000001100000000"
		"1f000001",
		"e8b0bb30"},
	{"RC ACK (FPGA testbench tb_icrc_calc.v)",
		"450000301111400040110000c0a80102c0a80101 12b712b7001c0000 1100ffff00006ef680000000"
		"1f000001",
		"64b5735f"},
	{"RC SEND Only of 64 bytes (idem)",
		"4500006c1111400040110000c0a80101c0a80102 12b712b700580000 0400ffff0000223980000000"
		"000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
		"202122232425262728292a2b2c2d2e2f303132333435363738393a3b3c3d3e3f",
		"196312ba"},
};

static unsigned ip_bytes(const uint8_t *l3)
{
	return l3[0] >> 4 == 6 ? 40 : (l3[0] & 15) * 4;
}

static void known_vectors(void **state)
{
	(void)state;
	for (unsigned i = 0; i < sizeof(vectors) / sizeof(vectors[0]); i++) {
		uint8_t o[256], want[4], got[4];
		unsigned n = hex_bytes(vectors[i].packet, o);

		hex_bytes(vectors[i].icrc, want);
		icrc_put(got, icrc_compute(o, ip_bytes(o), n));
		print_message("%s\n", vectors[i].source);
		assert_memory_equal(got, want, 4);
		assert_int_equal(icrc_get(want), icrc_compute(o, ip_bytes(o), n));
	}
}

// A change of any byte changes the ICRC unless the byte, or these bits of it, may change on the
// way.
static void masked_fields(void **state)
{
	uint8_t o[256];
	unsigned n = hex_bytes(V3, o);
	uint32_t icrc = icrc_compute(o, 20, n);

	(void)state;
	for (unsigned i = 1; i < n; i++) {
		bool masked =
			i == 1 || i == 8 || i == 10 || i == 11 || i == 26 || i == 27 || i == 32;

		o[i] ^= 0xff;
		assert_int_equal(icrc_compute(o, 20, n) == icrc, masked);
		o[i] ^= 0xff;
	}
}

static void masked_fields_ip6(void **state)
{
	uint8_t o[256];
	unsigned n = hex_bytes(vectors[3].packet, o);
	uint32_t icrc = icrc_compute(o, 40, n);

	(void)state;
	for (unsigned i = 0; i < n; i++) {
		uint8_t flip = i ? 0xff : 0x0f; // the version stays
		bool masked = i < 4 || i == 7 || i == 46 || i == 47 || i == 52;

		o[i] ^= flip;
		assert_int_equal(icrc_compute(o, 40, n) == icrc, masked);
		o[i] ^= flip;
	}
}

// An ACK that a Mellanox NIC sent over RoCEv1, from the GRH on; the ICRC stands behind it.
static void rocev1(void **state)
{
	uint8_t o[64], want[4];
	unsigned n =
		hex_bytes("6020000000141b40 0000000000000000 0000ffff0f000002"
			  "0000000000000000 0000ffff0f000002 1140ffff00000109 00a788c0 00000005",
			o);
	uint32_t icrc = icrc_compute_rocev1(o, n);

	(void)state;
	hex_bytes("25f0c038", want);
	assert_int_equal(n, IP6_LEN + BTH_LEN + 4);
	assert_int_equal(icrc_get(want), icrc);
	for (unsigned i = 0; i < n; i++) {
		uint8_t flip = i ? 0xff : 0x0f; // the version stays

		o[i] ^= flip;
		assert_int_equal(
			icrc_compute_rocev1(o, n) == icrc, i < 4 || i == 7 || i == IP6_LEN + 4);
		o[i] ^= flip;
	}
}

// Packets of every length from none to 1 KiB behind the BTH: the table's form equals the full one.
static void incremental_equals_full(void **state)
{
	const uint64_t seed = 3;
	struct prng rng;
	static uint8_t o[60 + 8 + 12 + 4096];

	(void)state;
	print_message("seed %llu\n", (unsigned long long)seed);
	prng_init(&rng, seed, "icrc_test");
	for (unsigned round = 0; round < 200; round++) {
		unsigned tail = (unsigned)prng_below(&rng, round % 8 ? 1100 : 4097);
		unsigned ip = prng_below(&rng, 2) ? 40 : 20 + 4 * (unsigned)prng_below(&rng, 11);
		unsigned word_at = ip + UDP_LEN + 8;
		struct icrc_table table;
		uint32_t base;

		for (unsigned i = 0; i < sizeof(o); i++)
			o[i] = (uint8_t)prng_u64(&rng);
		o[0] = ip == 40 && round % 2 ? 0x60 : (uint8_t)(0x40 | ip / 4);
		memset(o + word_at, 0, 4);
		base = icrc_compute(o, ip, ip + UDP_LEN + BTH_LEN + tail);
		icrc_table_init(&table, tail);
		for (unsigned i = 0; i < 100; i++) {
			uint32_t word = prng_u32(&rng), other = prng_u32(&rng);
			uint32_t full;

			for (unsigned k = 0; k < 4; k++)
				o[word_at + k] = (uint8_t)(word >> (24 - 8 * k));
			full = icrc_compute(o, ip, ip + UDP_LEN + BTH_LEN + tail);
			assert_int_equal(icrc_update(&table, base, word), full);
			assert_int_equal(
				icrc_update(&table, icrc_update(&table, full, word ^ other),
					word ^ other),
				full);
		}
	}
}

// The shares of the bytes before the BTH's last word, of that word, and of the bytes behind it add
// up: frames of other addresses, other PSNs and other payload share no byte, and the ICRC follows.
static void parts_add_up(void **state)
{
	const uint64_t seed = 7;
	struct prng rng;
	static uint8_t o[2][60 + 8 + 12 + 4096];

	(void)state;
	print_message("seed %llu\n", (unsigned long long)seed);
	prng_init(&rng, seed, "parts_add_up");
	for (unsigned round = 0; round < 400; round++) {
		unsigned tail = round < 100 ? round : (unsigned)prng_below(&rng, 4097);
		unsigned ip = round % 2 ? 40 : 20;
		unsigned word_at = ip + UDP_LEN + 8, len = ip + UDP_LEN + BTH_LEN + tail;
		struct icrc_table table;
		uint32_t icrc[2], head[2], word[2];

		for (unsigned k = 0; k < 2; k++) {
			for (unsigned i = 0; i < len; i++)
				o[k][i] = (uint8_t)prng_u64(&rng);
			o[k][0] = round % 2 ? 0x60 : 0x45;
		}
		memcpy(o[1] + word_at + 4, o[0] + word_at + 4, tail);
		icrc_table_init(&table, tail);
		for (unsigned k = 0; k < 2; k++) {
			icrc[k] = icrc_compute(o[k], ip, len);
			head[k] = icrc_before_word(o[k], ip);
			word[k] = (uint32_t)o[k][word_at] << 24 | o[k][word_at + 1] << 16 |
				  o[k][word_at + 2] << 8 | o[k][word_at + 3];
		}
		assert_int_equal(
			icrc_update(&table, icrc[0], head[0] ^ word[0] ^ head[1] ^ word[1]),
			icrc[1]);
	}
}

static void word_of_fields(void **state)
{
	(void)state;
	assert_int_equal(icrc_word(1, 0xabcdef), 0x80abcdef);
	assert_int_equal(icrc_word(0, 0x000001), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(known_vectors),
		cmocka_unit_test(masked_fields),
		cmocka_unit_test(masked_fields_ip6),
		cmocka_unit_test(rocev1),
		cmocka_unit_test(incremental_equals_full),
		cmocka_unit_test(parts_add_up),
		cmocka_unit_test(word_of_fields),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
