// SPDX-License-Identifier: BSD-3-Clause
// Payload of each kind: known bytes, what a receiver takes for it, and frames that carry it.
#include "frame/payload.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

#include "base/prng.h"
#include "slot.h"

#define MOST 4100

static const uint8_t file[] = "seven!!"; // 7 bytes, and the 0 that is not used

static const struct payload kinds[] = {
	{.kind = PAYLOAD_ZEROS},
	{.kind = PAYLOAD_FIXED, .word = {0xde, 0xad, 0xbe, 0xef}},
	{.kind = PAYLOAD_COUNTER},
	{.kind = PAYLOAD_PRBS},
	{.kind = PAYLOAD_FILE, .file = file, .n = 7, .step = 1024},
};
#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

static void known_bytes(void **state)
{
	uint8_t o[16];

	(void)state;
	payload_put(&kinds[1], 9, 9, o, 6);
	assert_memory_equal(o, "\xde\xad\xbe\xef\xde\xad", 6);
	payload_put(&kinds[2], 0xfe, 9, o, 4);
	assert_memory_equal(o, "\xfe\xff\x00\x01", 4);
	payload_put(&kinds[4], 1, 9, o, 10); // 1024 is 2 modulo 7
	assert_memory_equal(o, "ven!!seven", 10);
}

// Bit by bit x^31 + x^28 + 1, another sequence for another frame, and never all zeros.
static void prbs_is_the_polynomials(void **state)
{
	static uint8_t o[MOST], other[MOST];

	(void)state;
	for (uint32_t number = 0; number < 50; number++) {
		payload_put(&kinds[3], number, 17, o, MOST);
		for (unsigned i = 31; i < MOST * 8; i++) {
			unsigned bit = o[i / 8] >> (7 - i % 8) & 1;
			unsigned a = o[(i - 31) / 8] >> (7 - (i - 31) % 8) & 1;
			unsigned b = o[(i - 28) / 8] >> (7 - (i - 28) % 8) & 1;

			assert_int_equal(bit, a ^ b);
		}
		assert_true(get_be32(o) >> 1 || get_be32(o + 4));
		payload_put(&kinds[3], number + 1, 17, other, MOST);
		assert_memory_not_equal(o, other, 8);
	}
}

// A receiver takes what was put, of every length, and nothing that differs in one bit.
static void what_was_put_holds(void **state)
{
	const uint64_t seed = 5;
	static uint8_t o[MOST];
	struct prng rng;

	(void)state;
	print_message("seed %llu\n", (unsigned long long)seed);
	prng_init(&rng, seed, "payload_test");
	for (unsigned len = 0; len < MOST; len += len < 600 ? 1 : 97)
		for (unsigned k = 0; k < KINDS; k++) {
			uint32_t number = prng_u32(&rng), who = prng_u32(&rng);
			unsigned at;

			payload_put(&kinds[k], number, who, o, len);
			assert_true(payload_holds(&kinds[k], number, who, o, len));
			if (!len)
				continue;
			at = (unsigned)prng_below(&rng, len);
			o[at] ^= (uint8_t)(1u << prng_below(&rng, 8));
			assert_false(payload_holds(&kinds[k], number, who, o, len));
		}
}

// Frames as they leave and as a receiver has them: the ICRC holds, and so does the payload.
static void frames_carry_it(void **state)
{
	struct hdr h = {.dport = BTH_UDP_PORT, .proto = IP_PROTO_UDP};

	(void)state;
	for (unsigned round = 0; round < 64 * KINDS; round++) {
		const struct payload *pl = &kinds[round % KINDS],
				     *not = &kinds[(round + 1) % KINDS];
		unsigned payload = round / KINDS * 5, at;
		bool is_v6 = round & 1, is_gen = round & 2;
		struct pkt p = {.hdr = &h, .kind = is_gen ? PKT_GEN : PKT_DATA};
		uint8_t o[ROOM];
		struct slot s;

		h.flags = is_v6 ? HDR_IPV6 : HDR_IPV4;
		h.ethertype = is_v6 ? ETH_P_IPV6 : ETH_P_IPV4;
		h.dport = is_gen ? 9 : BTH_UDP_PORT;
		p.len = (uint16_t)((is_v6 ? 78 : 58) + payload + (-payload & 3));
		if (is_gen)
			p.u.gen = (struct pkt_gen){
				.seq = round, .source = 3, .stamped = round >> 2 & 1};
		else
			p.u.rc = (struct pkt_rc){.opcode = BTH_RC_WRITE_MIDDLE,
				.psn = round,
				.qpn = 17,
				.payload = (uint16_t)payload,
				.pad = (uint8_t)(-payload & 3)};
		p.len = p.len < PKT_MIN_LEN ? PKT_MIN_LEN : p.len;
		frame_with_payload(&p, pl, o);
		assert_int_equal(take(&s, o, p.len), p.kind);
		assert_true(is_gen || frame_pkt_icrc_ok(&s.p));
		assert_true(frame_pkt_payload_holds(&s.p, pl));
		if (payload < 12)
			continue;
		assert_false(frame_pkt_payload_holds(&s.p, not ));
		at = p.len - 12u;
		s.bytes[at] ^= 1;
		assert_false(frame_pkt_payload_holds(&s.p, pl));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(known_bytes),
		cmocka_unit_test(prbs_is_the_polynomials),
		cmocka_unit_test(what_was_put_holds),
		cmocka_unit_test(frames_carry_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
