// SPDX-License-Identifier: BSD-3-Clause
// The fast path of foreign frames: their fields as frame_parse sees them, and patches byte by byte.
#include "frame/frame.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <cmocka.h>

#include "base/prng.h"
#include "bytes.h"
#include "slot.h"

// A frame's bytes say whose flow it is of as its header does.
static void bytes_say_whose_flow(const struct slot *s)
{
	unsigned len = s->h.flags & HDR_IPV4 ? 4 : 16;
	struct slot forgotten = *s;

	forgotten.p.hdr = NULL;
	for (unsigned i = 0; i < 2; i++) {
		struct frame_flow f = frame_pkt_flow(i ? &forgotten.p : &s->p);

		assert_int_equal(f.ipv4, (s->h.flags & HDR_IPV4) != 0);
		assert_memory_equal(f.src, s->h.src, 6);
		assert_memory_equal(f.dst, s->h.dst, 6);
		assert_memory_equal(f.saddr, s->h.saddr, len);
		assert_memory_equal(f.daddr, s->h.daddr, len);
		assert_int_equal(f.sport, s->h.sport);
	}
}

// They say what its header has of Ethernet, and nothing else.
static void bytes_say_what_ethernet_does(const struct slot *s)
{
	struct hdr h, want = {
			      .vlan_tci = s->h.vlan_tci,
			      .cntag = s->h.cntag,
			      .ethertype = s->h.ethertype,
			      .flags = s->h.flags,
		      };

	if (s->h.flags & HDR_INNER)
		want.inner_tci = s->h.inner_tci;
	memcpy(want.dst, s->h.dst, 6);
	memcpy(want.src, s->h.src, 6);
	memset(&h, 0xff, sizeof(h));
	frame_pkt_eth(&s->p, &h);
	assert_memory_equal(&h, &want, sizeof(h));
}

static void agrees_with_parse(const uint8_t *o, unsigned len)
{
	struct slot s;
	struct frame f;

	frame_parse(o, len, &f);
	assert_int_equal(take(&s, o, len), f.kind);
	assert_ptr_equal(s.p.hdr, &s.h);
	assert_int_equal(s.p.flags, PKT_F_FOREIGN);
	assert_int_equal(s.p.tos, f.ip.tos);
	assert_int_equal(s.p.l3_off, f.ip.version ? f.l3_off : 0);
	assert_memory_equal(s.h.dst, f.eth.dst, 6);
	assert_memory_equal(s.h.src, f.eth.src, 6);
	assert_int_equal(s.h.ethertype, f.eth.ethertype);
	assert_memory_equal(s.h.saddr, f.ip.saddr, 16);
	if (f.kind != PKT_CNM)
		assert_memory_equal(s.h.daddr, f.ip.daddr, 16);
	assert_int_equal(s.h.sport, f.udp.sport);
	assert_int_equal(s.h.dport, f.udp.dport);
	assert_int_equal(s.h.ip_id, f.ip.id);
	assert_int_equal(s.h.ttl, f.ip.ttl);
	assert_int_equal(s.h.proto, f.ip.proto);
	assert_int_equal(s.h.id, 0);
	bytes_say_what_ethernet_does(&s);
	if (f.kind == PKT_BAD)
		assert_int_equal(s.p.u.bad, f.error);
	if (!f.bth_off || f.kind == PKT_BAD)
		return;
	bytes_say_whose_flow(&s);
	assert_int_equal(s.p.u.rc.opcode, f.bth.opcode);
	assert_int_equal(s.p.u.rc.bth, f.bth.bits);
	assert_int_equal(s.p.u.rc.pad, f.bth.pad);
	assert_int_equal(s.p.u.rc.psn, f.bth.psn);
	assert_int_equal(s.p.u.rc.qpn, f.bth.qpn);
	assert_int_equal(s.p.u.rc.payload, f.payload_len);
	assert_int_equal(s.p.u.rc.syndrome, f.ext.aeth.syndrome);
	assert_int_equal(s.p.u.rc.arg, f.ext.aeth.msn ? f.ext.aeth.msn : f.ext.reth.dma_len);
}

static void softroce_capture(void **state)
{
	struct test_cap cap = test_cap_open("linux_softroce_rocev2.pcap");
	const uint8_t *o;
	unsigned len, n = 0;

	(void)state;
	for (; (o = test_cap_next(&cap, &len)); n++)
		agrees_with_parse(o, len);
	assert_int_equal(n, 267);
}

// Options move what stands behind the IPv4 header.
static void ports_stand_behind_options(void **state)
{
	struct frame f = {.kind = PKT_DATA,
		.eth = {.ethertype = ETH_P_IPV4},
		.ip = {.version = 4, .proto = IP_PROTO_UDP, .ttl = 64, .options = {1, 1, 1, 0}},
		.udp = {.sport = 50000, .dport = BTH_UDP_PORT},
		.bth = {.opcode = BTH_RC_SEND_ONLY, .pkey = 0xffff}};
	uint8_t o[128];

	(void)state;
	for (unsigned n = 0; n <= sizeof(f.ip.options); n += 4) {
		f.ip.options_len = (uint8_t)n;
		agrees_with_parse(o, (unsigned)frame_render(&f, NULL, o, sizeof(o), 60));
	}
}

// Marking changes exactly ToS and IP checksum: of rc_write_only_ipv4 it makes
// rc_write_only_ipv4_ce.
static void ce_makes_the_other_capture(void **state)
{
	struct test_cap before = test_cap_open("rc_write_only_ipv4.pcap");
	struct test_cap after = test_cap_open("rc_write_only_ipv4_ce.pcap");
	unsigned len, len_ce;
	const uint8_t *o = test_cap_next(&before, &len);
	const uint8_t *ce = test_cap_next(&after, &len_ce);
	struct slot s;

	(void)state;
	assert_int_equal(take(&s, o, len), PKT_DATA);
	frame_patch(&s.p);
	assert_memory_equal(s.bytes, o, len); // no flag, no change
	pkt_mark_ce(&s.p);
	frame_patch(&s.p);
	assert_int_equal(len, len_ce);
	assert_memory_equal(s.bytes, ce, len);
	frame_patch(&s.p); // a second time: nothing
	assert_memory_equal(s.bytes, ce, len);
	test_cap_next(&before, &len);
	test_cap_next(&after, &len);
}

static void marking_keeps_every_icrc(void **state)
{
	struct test_cap cap = test_cap_open("linux_softroce_rocev2.pcap");
	const uint8_t *o;
	unsigned len;

	(void)state;
	while ((o = test_cap_next(&cap, &len))) {
		struct slot s;
		struct frame f;

		take(&s, o, len);
		pkt_mark_ce(&s.p);
		frame_patch(&s.p);
		assert_int_equal(frame_parse(s.bytes, len, &f), FRAME_OK);
		assert_int_equal(f.ip.tos & 3, ECN_CE);
		assert_true(frame_icrc_ok(&f, s.bytes));
		for (unsigned i = 0; i < len; i++) {
			bool may = f.ip.version == 6 ? i == 15 : i == 15 || i == 24 || i == 25;

			if (!may)
				assert_int_equal(s.bytes[i], o[i]);
		}
	}
}

// The sum of the words of an IPv4 header without options; 0: its checksum is right (RFC 1071).
static unsigned excess(const uint8_t *ip)
{
	unsigned sum = 0;

	for (unsigned i = 0; i < IP4_LEN; i += 2)
		sum += get_be16(ip + i);
	return sum % 65535;
}

// The checksum is mended by what changed (RFC 1624 eqn. 3): one that was wrong is wrong by as much
// as before, so that the receiver still sees it.
static void marking_keeps_a_wrong_checksum_wrong(void **state)
{
	struct test_cap cap = test_cap_open("rc_write_only_ipv4.pcap");
	unsigned len;
	const uint8_t *o = test_cap_next(&cap, &len);
	struct slot s;

	(void)state;
	for (unsigned add = 0; add < 65536; add++) {
		unsigned was;

		take(&s, o, len);
		put_be16(s.bytes + 24, (uint16_t)(get_be16(o + 24) + add));
		was = excess(s.bytes + 14);
		assert_int_equal(frame_to_pkt(&s.p, ROOM), was ? PKT_BAD : PKT_DATA);
		assert_int_equal(s.p.tos, 0x6a);
		pkt_mark_ce(&s.p);
		frame_patch(&s.p);
		assert_int_equal(s.bytes[15], 0x6b);
		assert_int_equal(excess(s.bytes + 14), was);
	}
	test_cap_next(&cap, &len);
}

// The verdict on a descriptor is frame_icrc_ok's, also of a frame that is marked or waits to lose
// its CN-TAG.
static void the_icrc_is_judged(void **state)
{
	static const char *const files[] = {
		"linux_softroce_rocev2.pcap", "neg_rc_write_bad_icrc.pcap"};
	struct prng rng;

	(void)state;
	prng_init(&rng, 1, "the_icrc_is_judged");
	for (unsigned k = 0; k < 2; k++) {
		struct test_cap cap = test_cap_open(files[k]);
		const uint8_t *o;
		unsigned len;

		while ((o = test_cap_next(&cap, &len))) {
			struct slot s;
			struct frame f;

			if (!pkt_is_roce(take(&s, o, len)))
				continue;
			assert_int_equal(frame_pkt_icrc_ok(&s.p), !k);
			pkt_mark_ce(&s.p);
			assert_int_equal(frame_pkt_icrc_ok(&s.p), !k);
			frame_patch(&s.p);
			assert_int_equal(frame_pkt_icrc_ok(&s.p), !k);
			s.bytes[prng_below(&rng, len)] ^= (uint8_t)(1u << prng_below(&rng, 8));
			if (!pkt_is_roce(frame_to_pkt(&s.p, ROOM)))
				continue;
			frame_parse(s.bytes, len, &f);
			assert_int_equal(frame_pkt_icrc_ok(&s.p), frame_icrc_ok(&f, s.bytes));
		}
	}
}

static void a_tag_to_be_stripped_is_no_part_of_the_icrc(void **state)
{
	struct test_cap cap = test_cap_open("rc_write_only_ipv4.pcap");
	unsigned len;
	const uint8_t *o = test_cap_next(&cap, &len);
	uint8_t tagged[256];
	struct slot s;

	(void)state;
	memcpy(tagged, o, 12);
	hex_bytes("22e9 0005", tagged + 12);
	memcpy(tagged + 16, o + 12, len - 12);
	assert_int_equal(take(&s, tagged, len + 4), PKT_DATA);
	assert_true(frame_pkt_icrc_ok(&s.p));
	s.p.flags |= PKT_F_UNTAG_CN;
	assert_true(frame_pkt_icrc_ok(&s.p));
	frame_patch(&s.p);
	assert_true(frame_pkt_icrc_ok(&s.p));
	test_cap_next(&cap, &len);
}

// Of a frame that has these tags before the CN-TAG.
static void strip_behind(const char *tags, unsigned flags)
{
	uint8_t o[128] = {0}, want[128] = {0};
	unsigned n = hex_bytes("020000000002 020000000001", o);
	struct slot s;

	n += hex_bytes(tags, o + n);
	memcpy(want, o, n);
	hex_bytes("0806", want + n);
	n += hex_bytes("22e9 0005 0806", o + n);
	for (unsigned i = n; i < 100; i++)
		o[i] = want[i - 4] = (uint8_t)i;
	assert_int_equal(take(&s, o, 100), PKT_OTHER);
	assert_int_equal(s.h.flags, flags | HDR_CNTAG);
	assert_int_equal(s.h.cntag, 5);
	s.p.flags |= PKT_F_UNTAG_CN;
	frame_patch(&s.p);
	frame_patch(&s.p);
	assert_int_equal(s.p.len, 96);
	assert_memory_equal(pkt_bytes(&s.p), want, 96);
	// A shortest frame stays one.
	assert_int_equal(take(&s, o, 60), PKT_OTHER);
	s.p.flags |= PKT_F_UNTAG_CN;
	frame_patch(&s.p);
	memset(want + 56, 0, 4);
	assert_int_equal(s.p.len, 60);
	assert_memory_equal(pkt_bytes(&s.p), want, 60);
}

static void strips_the_cntag(void **state)
{
	(void)state;
	strip_behind("", 0);
	strip_behind("8100 6001", HDR_VLAN);
	strip_behind("88a8 6001", HDR_VLAN | HDR_STAG);
	strip_behind("8100 6001 8100 4002", HDR_VLAN | HDR_INNER);
	strip_behind("88a8 6001 8100 4002", HDR_VLAN | HDR_STAG | HDR_INNER);
}

static void strips_and_marks(void **state)
{
	struct slot s;
	struct frame f;
	uint8_t o[128];
	struct hdr h = {.ethertype = ETH_P_IPV4,
		.dport = BTH_UDP_PORT,
		.flags = HDR_IPV4 | HDR_CNTAG,
		.proto = IP_PROTO_UDP};
	struct pkt p = {.hdr = &h, .kind = PKT_CNP, .len = 78, .tos = 0xc2};

	(void)state;
	p.u.rc = (struct pkt_rc){.opcode = BTH_CNP, .qpn = 9};
	frame_from_pkt(&p, o);
	assert_int_equal(take(&s, o, 78), PKT_CNP);
	s.p.flags |= PKT_F_UNTAG_CN;
	pkt_mark_ce(&s.p);
	frame_patch(&s.p);
	assert_int_equal(s.p.len, 74);
	assert_int_equal(s.p.l3_off, 14);
	assert_int_equal(frame_parse(pkt_bytes(&s.p), s.p.len, &f), FRAME_OK);
	assert_int_equal(f.ip.tos, 0xc3);
	assert_true(frame_icrc_ok(&f, pkt_bytes(&s.p)));
}

// A mark behind two tags changes the ToS byte and the checksum, and nothing else.
static void marks_behind_two_tags(void **state)
{
	uint8_t o[128];
	unsigned n = hex_bytes("020000000002 020000000001 88a8 6064 8100 400a 22e9 0007 0800 "
			       "45c2003c718c4000401191610a0011010a001201000012b700280000"
			       "8100ffff4000011800000000 00000000000000000000000000000000 82fd002a",
		o);
	unsigned changed = 0;
	struct slot s;
	struct frame f;

	(void)state;
	assert_int_equal(take(&s, o, n), PKT_CNP);
	assert_int_equal(s.p.l3_off, 26);
	assert_int_equal(s.p.tos, 0xc2);
	assert_true(frame_pkt_icrc_ok(&s.p));
	pkt_mark_ce(&s.p);
	frame_patch(&s.p);
	for (unsigned i = 0; i < n; i++)
		changed += s.bytes[i] != o[i] && i != 27 && i != 36 && i != 37;
	assert_int_equal(changed, 0);
	assert_int_equal(s.bytes[27], 0xc3);
	assert_int_equal(frame_parse(s.bytes, n, &f), FRAME_OK);
	assert_true(frame_icrc_ok(&f, s.bytes));
	s.p.flags |= PKT_F_UNTAG_CN;
	frame_patch(&s.p);
	assert_int_equal(s.p.l3_off, 22);
	assert_int_equal(frame_parse(pkt_bytes(&s.p), n - 4, &f), FRAME_OK);
	assert_int_equal(f.eth.has_cntag, 0);
	assert_true(frame_icrc_ok(&f, pkt_bytes(&s.p)));
}

static void bad_frames(void **state)
{
	struct slot s;
	uint8_t o[ROOM] = {0};

	(void)state;
	assert_int_equal(take_hex(&s, "0200"), PKT_BAD);
	assert_int_equal(s.p.u.bad, FRAME_SHORT_ETH);
	assert_int_equal(take_hex(&s, "020000000002 020000000001 0800 65"), PKT_BAD);
	assert_int_equal(s.p.u.bad, FRAME_SHORT_IP);
	assert_int_equal(s.p.l3_off, 0);
	assert_int_equal(s.p.tos, 0);
	s.p.data_off = offsetof(struct slot, bytes);
	memcpy(s.bytes, o, sizeof(o));
	s.p.len = 1515;
	assert_int_equal(frame_to_pkt(&s.p, 1514), PKT_BAD);
	assert_int_equal(s.p.u.bad, FRAME_TOO_LONG);
	s.p.len = 1514;
	assert_int_equal(frame_to_pkt(&s.p, 1514), PKT_OTHER);
}

// Random bytes, steered towards the known protocols by a good frame with some bytes changed.
static void random_frames_agree(void **state)
{
	const uint64_t seed = 11;
	struct prng rng;
	static const char *const start[] = {
		"020000000002 020000000001 0800 "
		"45c2003c718c4000401191610a0011010a001201000012b700280000"
		"8100ffff4000011800000000 00000000000000000000000000000000 82fd002a",
		"020000000002 020000000001 8100 c064 22e9 1234 22e7 002e 0200000000010001 fe0c "
		"01f4 6000",
		"0180c2000001 020000000001 8808 0101 0008 0000 0000 0000 ffff 0000 0000 0000 0000",
		"020000000002 020000000001 86dd 6e21face002c11ff 20220000000000000000000000001023"
		"20230000000000000000000000001024 c00012b7002ce7c5 2460ffff000000d300cf1710",
		"020000000002 020000000001 88a8 6064 8100 400a 0800 "
		"45c2003c718c4000401191610a0011010a001201000012b700280000"
		"8100ffff4000011800000000 00000000000000000000000000000000 82fd002a",
	};

	(void)state;
	print_message("seed %llu\n", (unsigned long long)seed);
	prng_init(&rng, seed, "frame_pkt_test");
	for (unsigned i = 0; i < 20000; i++) {
		uint8_t o[128] = {0};
		unsigned len = 1 + (unsigned)prng_below(&rng, sizeof(o));

		hex_bytes(start[i % 4], o);
		for (unsigned k = (unsigned)prng_below(&rng, 4); k; k--)
			o[prng_below(&rng, sizeof(o))] = (uint8_t)prng_u64(&rng);
		agrees_with_parse(o, len);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(softroce_capture),
		cmocka_unit_test(ports_stand_behind_options),
		cmocka_unit_test(ce_makes_the_other_capture),
		cmocka_unit_test(marking_keeps_every_icrc),
		cmocka_unit_test(marking_keeps_a_wrong_checksum_wrong),
		cmocka_unit_test(the_icrc_is_judged),
		cmocka_unit_test(a_tag_to_be_stripped_is_no_part_of_the_icrc),
		cmocka_unit_test(strips_the_cntag),
		cmocka_unit_test(strips_and_marks),
		cmocka_unit_test(bad_frames),
		cmocka_unit_test(random_frames_agree),
		cmocka_unit_test(marks_behind_two_tags),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
