// SPDX-License-Identifier: BSD-3-Clause
// Bursts parse as their frames do one by one: captures, the fuzzers' corpus, frames of every form,
// each also mutated and cut.
#include "frame/frame.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

#include "../../pkt_same.h"
#include "base/prng.h"
#include "bytes.h"
#include "frame/frame_walk.h"
#include "rounds.h"

#define BURST   64
#define SEEDS   10
#define MAX_LEN 1518

// The parsers of bursts, and whether the processor can.
static const struct {
	frame_burst_fn *to_pkt;
	const char *name;
} ways[] = {
	{frame_burst_to_pkt, "plain"},
#if defined(__x86_64__)
	{frame_burst_to_pkt_avx2, "AVX2"},
#endif
};

static bool can(unsigned way)
{
#if defined(__x86_64__)
	return way == 0 || __builtin_cpu_supports("avx2");
#else
	return way == 0;
#endif
}

// Frames that wait until they are a burst, parsed one by one.
struct batch {
	struct pkt *one[BURST];
	unsigned n;
	uint16_t max_len;
	uint64_t seed;
	uint32_t kinds; // all that have come
};

#define DATA_OFF (sizeof(struct pkt) + sizeof(struct hdr))

// Each stands at the very end of its memory, so that the sanitizers see a byte that is read behind
// it.
static struct pkt *place(const uint8_t *o, unsigned len)
{
	struct pkt *p = malloc(DATA_OFF + len);

	assert_non_null(p);
	memset(p, 0xa5, DATA_OFF);
	memcpy((uint8_t *)p + DATA_OFF, o, len);
	return p;
}

static void differs(const struct batch *b, unsigned way, struct pkt *p, const struct pkt *one)
{
	printf("%s, seed %llu, longest frame %u, bytes:", ways[way].name,
		(unsigned long long)b->seed, b->max_len);
	for (unsigned i = 0; i < one->len; i++)
		printf("%s%02x", i % 4 ? "" : " ", ((uint8_t *)p)[DATA_OFF + i]);
	fail_msg("\nkind %u in a burst, %u alone", p->kind, one->kind);
}

// Whether a frame's header stands where it should, and nothing behind its descriptor otherwise.
static bool stands_at(const struct pkt *p, const struct hdr *place)
{
	const uint8_t *own = (const uint8_t *)(p + 1);
	unsigned touched = 0;

	for (unsigned i = 0; i < sizeof(struct hdr); i++)
		touched |= own[i] ^ 0xa5;
	return p->hdr == place && (place == (const void *)own || !touched);
}

// `elsewhere`: headers are to stand there, and not behind the descriptors.
static void check(struct batch *b, unsigned way, struct hdr *elsewhere)
{
	struct frame_place at[BURST];
	struct pkt *burst[BURST];
	uint32_t kinds, seen = 0;

	for (unsigned i = 0; i < b->n; i++) {
		burst[i] = place(pkt_bytes(b->one[i]), b->one[i]->len);
		burst[i]->hdr = elsewhere ? &elsewhere[i] : pkt_own_hdr(burst[i]);
		at[i] = (struct frame_place){b->one[i]->len, DATA_OFF};
	}
	kinds = ways[way].to_pkt(burst, at, b->n, b->max_len, PKT_F_INTACT);
	for (unsigned i = 0; i < b->n; i++) {
		if (!pkt_same(burst[i], b->one[i], PKT_F_INTACT))
			differs(b, way, burst[i], b->one[i]);
		assert_true(stands_at(burst[i], elsewhere ? &elsewhere[i] : pkt_own_hdr(burst[i])));
		seen |= 1u << burst[i]->kind;
		free(burst[i]);
	}
	assert_int_equal(kinds, seen);
	b->kinds |= kinds;
}

static void flush(struct batch *b)
{
	struct hdr elsewhere[BURST];

	for (unsigned way = 0; way < sizeof(ways) / sizeof(ways[0]); way++) {
		if (!can(way))
			continue;
		memset(elsewhere, 0xa5, sizeof(elsewhere));
		check(b, way, NULL);
		check(b, way, elsewhere);
	}
	while (b->n)
		free(b->one[--b->n]);
}

static void add(struct batch *b, const uint8_t *o, unsigned len)
{
	struct pkt *p = place(o, len);

	p->len = (uint16_t)len;
	p->data_off = DATA_OFF;
	frame_to_pkt(p, b->max_len);
	b->one[b->n++] = p;
	if (b->n == BURST)
		flush(b);
}

// As it is, and cut at each length of its headers.
static void add_cut(struct batch *b, const uint8_t *o, unsigned len)
{
	add(b, o, len);
	for (unsigned cut = 0; cut < len && cut < 160; cut++)
		add(b, o, cut);
}

static void captures_parse_alike(void **state)
{
	static const char *const name[] = {"linux_softroce_rocev2.pcap", "ip_faults.pcap",
		"neg_pfc.pcap", "neg_rc_write_bad_icrc.pcap", "pfc_p0_4321_p5_1234.pcap",
		"pfc_xoff_all.pcap", "pfc_xoff_p3.pcap", "pfc_xon_p3.pcap",
		"rc_write_only_ipv4.pcap", "rc_write_only_ipv4_ce.pcap"};
	struct batch b = {.max_len = MAX_LEN};

	(void)state;
	for (unsigned i = 0; i < sizeof(name) / sizeof(name[0]); i++) {
		struct test_cap cap = test_cap_open(name[i]);
		const uint8_t *o;
		unsigned len;

		while ((o = test_cap_next(&cap, &len)))
			add_cut(&b, o, len);
	}
	flush(&b);
	assert_int_equal(b.kinds, 1u << PKT_DATA | 1u << PKT_ACK | 1u << PKT_ROCE | 1u << PKT_PFC |
					  1u << PKT_MACCTL | 1u << PKT_BAD);
}

static void the_corpus_parses_alike(void **state)
{
	static const char folder[] = TEST_DATA "/../fuzz/corpus/frame";
	struct batch b = {.max_len = MAX_LEN};
	DIR *d = opendir(folder);
	unsigned files = 0;

	(void)state;
	assert_non_null(d);
	for (struct dirent *e; (e = readdir(d)); files++) {
		uint8_t o[PKT_MAX_LEN];
		char path[1024];
		FILE *f;

		if (e->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "%s/%s", folder, e->d_name);
		f = fopen(path, "rb");
		assert_non_null(f);
		add_cut(&b, o, (unsigned)fread(o, 1, sizeof(o), f));
		fclose(f);
	}
	closedir(d);
	flush(&b);
	assert_true(files > 50);
}

// Frames of every form. Each begins with zeros, so that what is not set is 0.
struct maker {
	struct prng g;
	uint8_t o[2048];
	unsigned off, l3;
};

static unsigned draw(struct maker *m, unsigned n)
{
	return (unsigned)prng_below(&m->g, n);
}

static void some_bytes(struct maker *m, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		m->o[m->off++] = (uint8_t)prng_u32(&m->g);
}

static void two_bytes(struct maker *m, unsigned v)
{
	put_be16(m->o + m->off, (uint16_t)v);
	m->off += 2;
}

static void make_tags(struct maker *m)
{
	static const uint16_t tag[] = {ETH_P_8021Q, ETH_P_8021AD, ETH_P_CNTAG};

	m->off = 0;
	some_bytes(m, 12);
	if (draw(m, 8) == 0)
		memcpy(m->o, pfc_dst, 6);
	for (unsigned n = draw(m, 5); n && draw(m, 4); n--) {
		two_bytes(m, tag[draw(m, 5) % 3]);
		some_bytes(m, 2);
	}
}

// Makes the bytes behind the UDP header. Returns how many.
static unsigned make_datagram(struct maker *m, unsigned dport)
{
	unsigned from = m->off;

	if (draw(m, 20) == 0)
		return 0;
	if (dport == BTH_UDP_PORT) {
		static const uint8_t common[] = {
			0, 1, 2, 4, 6, 7, 8, 10, 12, 13, 16, 17, 3, 9, BTH_CNP};
		uint8_t op =
			draw(m, 2) ? common[draw(m, sizeof(common))] : (uint8_t)prng_u32(&m->g);

		some_bytes(m, BTH_LEN);
		m->o[from] = op;
		if (draw(m, 8))
			m->o[from + 1] &= 0xf0;
		some_bytes(m, bth_ops[op].ext_len + draw(m, 9) + (draw(m, 4) ? 4 : 0));
	} else if (draw(m, 2)) {
		put_be32(m->o + m->off, GEN_MAGIC + draw(m, 3));
		m->off += 4;
		some_bytes(m, draw(m, 20));
	} else {
		some_bytes(m, draw(m, 60));
	}
	return m->off - from;
}

static void make_udp(struct maker *m)
{
	unsigned udp = m->off, dport = draw(m, 3) ? BTH_UDP_PORT : 1 + draw(m, 65535), len;

	some_bytes(m, UDP_LEN);
	put_be16(m->o + udp + 2, (uint16_t)dport);
	len = UDP_LEN + make_datagram(m, dport);
	put_be16(m->o + udp + 4, (uint16_t)(draw(m, 10) ? len : len - 2 + draw(m, 5)));
}

static void make_ip(struct maker *m, bool v6)
{
	unsigned ip = m->l3 = m->off, header = v6 ? IP6_LEN : IP4_LEN, len;

	if (!v6 && draw(m, 10) == 0)
		header += 4 * draw(m, 11);
	some_bytes(m, header);
	m->o[ip] = v6 ? (uint8_t)(0x60 | draw(m, 16)) : (uint8_t)(0x40 | header / 4);
	m->o[ip + (v6 ? 6 : 9)] = draw(m, 5) ? IP_PROTO_UDP : (uint8_t)prng_u32(&m->g);
	if (!v6)
		put_be16(m->o + ip + 6, draw(m, 10) ? IP4_DF : (uint16_t)prng_u32(&m->g));
	make_udp(m);
	len = m->off - ip - (v6 ? IP6_LEN : 0);
	if (draw(m, 16) == 0)
		len += draw(m, 5) - 2;
	put_be16(m->o + ip + (v6 ? 4 : 2), (uint16_t)len);
	if (!v6 && draw(m, 10))
		ip_put_checksum(m->o + ip, header);
}

static void make_frame(struct maker *m)
{
	static const uint16_t other[] = {ETH_P_ARP, ETH_P_MAC_CONTROL, ETH_P_CNM, ETH_P_8021Q,
		ETH_P_EXPERIMENTAL, 46, ETH_P_ROCEV1, ETH_P_MIN - 1};
	unsigned form = draw(m, 8);

	memset(m->o, 0, sizeof(m->o));
	make_tags(m);
	if (form < 6) {
		two_bytes(m, form < 4 ? ETH_P_IPV4 : ETH_P_IPV6);
		make_ip(m, form >= 4);
	} else {
		two_bytes(m, other[draw(m, sizeof(other) / sizeof(other[0]))]);
		m->l3 = m->off;
		if (draw(m, 2)) {
			put_be32(m->o + m->off, GEN_MAGIC + draw(m, 3));
			m->off += 4;
		} else {
			two_bytes(m, draw(m, 2) ? MACCTL_PFC : MACCTL_PAUSE);
		}
		some_bytes(m, draw(m, 80));
	}
	if (m->off < PKT_MIN_LEN && draw(m, 8))
		m->off = PKT_MIN_LEN;
	m->off += draw(m, 4) ? 0 : draw(m, 20); // padding
}

// A bit of the headers turned; half of the IPv4 headers that this breaks have a right checksum all
// the same.
static void mutate(struct maker *m)
{
	m->o[draw(m, 90)] ^= (uint8_t)(1u << draw(m, 8));
	if (m->o[m->l3] == 0x45 && draw(m, 2))
		ip_put_checksum(m->o + m->l3, IP4_LEN);
}

static void frames_of_every_form_parse_alike(void **state)
{
	static struct maker m;

	(void)state;
	for (uint64_t seed = 1; seed <= rounds_of(SEEDS); seed++) {
		struct batch b = {.seed = seed};

		prng_init(&m.g, seed, "frame_burst");
		for (unsigned i = 0; i < 10000; i++) {
			b.max_len = b.n ? b.max_len : (uint16_t)(draw(&m, 4) ? MAX_LEN : 80);
			make_frame(&m);
			if (draw(&m, 2))
				mutate(&m);
			if (seed % 2 && m.off < PKT_MIN_LEN) // so that whole lots can be read
				m.off = PKT_MIN_LEN;
			if (seed % 2)
				add(&b, m.o, m.off);
			else if (draw(&m, 100) == 0)
				add_cut(&b, m.o, m.off);
			else
				add(&b, m.o, m.off - (draw(&m, 4) ? 0 : draw(&m, 8)));
		}
		flush(&b);
		assert_int_equal(b.kinds, (1u << PKT_KINDS) - 1);
	}
}

// Forms of RoCEv2 frames, as bits: tags in this order, and IPv6. Of an S-TAG, an outer and an inner
// tag any may be missing, so that there is every number of tags up to four.
enum { FORM_STAG = 1, FORM_VLAN = 2, FORM_SECOND = 4, FORM_CNTAG = 8, FORM_IP6 = 16, FORMS = 32 };

static void make_tags_of(struct maker *m, unsigned form)
{
	static const uint16_t type[] = {ETH_P_8021AD, ETH_P_8021Q, ETH_P_8021Q, ETH_P_CNTAG};

	for (unsigned i = 0; i < sizeof(type) / sizeof(type[0]); i++)
		if (form >> i & 1) {
			two_bytes(m, type[i]);
			some_bytes(m, 2);
		}
}

// A RoCEv2 frame with this opcode.
static void make_roce(struct maker *m, uint8_t opcode, unsigned form)
{
	bool v6 = form & FORM_IP6;
	unsigned udp, bth;

	memset(m->o, 0, sizeof(m->o));
	m->off = 0;
	some_bytes(m, 12);
	make_tags_of(m, form);
	two_bytes(m, v6 ? ETH_P_IPV6 : ETH_P_IPV4);
	m->l3 = m->off;
	some_bytes(m, v6 ? IP6_LEN : IP4_LEN);
	m->o[m->l3] = v6 ? (uint8_t)(0x60 | draw(m, 16)) : 0x45;
	m->o[m->l3 + (v6 ? 6 : 9)] = IP_PROTO_UDP;
	if (!v6)
		put_be16(m->o + m->l3 + 6, IP4_DF);
	udp = m->off;
	some_bytes(m, UDP_LEN);
	put_be16(m->o + udp + 2, BTH_UDP_PORT);
	bth = m->off;
	some_bytes(m, BTH_LEN + bth_ops[opcode].ext_len + draw(m, 9) + ICRC_LEN);
	m->o[bth] = opcode;
	m->o[bth + 1] &= 0xc0;
	put_be16(m->o + udp + 4, (uint16_t)(m->off - udp));
	put_be16(m->o + m->l3 + (v6 ? 4 : 2), (uint16_t)(m->off - (v6 ? udp : m->l3)));
	if (!v6)
		ip_put_checksum(m->o + m->l3, IP4_LEN);
	if (m->off < PKT_MIN_LEN)
		m->off = PKT_MIN_LEN;
}

#define LOT 8 // frames that are looked at together

static const uint8_t opcodes[] = {BTH_RC_WRITE_MIDDLE, BTH_RC_WRITE_ONLY, BTH_RC_SEND_ONLY_IMM,
	BTH_RC_ACK, BTH_CNP, BTH_RC_READ_REQUEST, BTH_RC_CMP_SWAP};
#define OPCODES (sizeof(opcodes) / sizeof(opcodes[0]))

// Frames of one form, or of any, of which that in one place has a bit turned, where the headers
// are; the checksum over it is right or wrong. Other faults stand beside it from time to time:
// whoever looks at the rest together has them all.
static void lot_with_a_bit_turned(
	struct batch *b, struct maker *m, unsigned bit, uint8_t opcode, unsigned form, bool mixed)
{
	unsigned where = bit % 3 ? draw(m, LOT) : 0;

	for (unsigned i = 0; i < LOT; i++) {
		bool turned = i == where;

		make_roce(m, turned ? opcode : opcodes[draw(m, OPCODES)],
			turned || (!mixed && draw(m, 20)) ? form : draw(m, FORMS));
		if (turned) {
			m->o[bit / 8] ^= (uint8_t)(1u << bit % 8);
			if (!(form & FORM_IP6) && draw(m, 2))
				ip_put_checksum(m->o + m->l3, IP4_LEN);
		}
		add(b, m->o, m->off);
	}
	flush(b);
}

static void a_bit_turned_is_seen_in_every_place(void **state)
{
	static struct maker m;
	struct batch b = {.max_len = MAX_LEN};

	(void)state;
	prng_init(&m.g, 1, "a_bit_turned");
	for (unsigned form = 0; form < FORMS; form++)
		for (unsigned bit = 0; bit < 8 * 92; bit++)
			for (unsigned i = 0; i < rounds_of(4); i++)
				lot_with_a_bit_turned(&b, &m, bit, opcodes[draw(&m, OPCODES)], form,
					(i + bit) % 4 == 3);
	assert_int_equal(b.kinds, 1u << PKT_DATA | 1u << PKT_ACK | 1u << PKT_CNP | 1u << PKT_ROCE |
					  1u << PKT_UDP | 1u << PKT_OTHER | 1u << PKT_BAD);
}

// A frame of this form in each place among frames of each form.
static void one_frame_of_another_form_is_seen_in_every_place(void **state)
{
	static struct maker m;
	struct batch b = {.max_len = MAX_LEN};

	(void)state;
	prng_init(&m.g, 1, "another_form");
	for (unsigned i = 0; i < FORMS * FORMS * LOT; i++) {
		unsigned form = i / LOT % FORMS, other = i / LOT / FORMS;

		for (unsigned k = 0; k < LOT; k++) {
			make_roce(&m, opcodes[draw(&m, OPCODES)], k == i % LOT ? other : form);
			add(&b, m.o, m.off);
		}
		flush(&b);
	}
	assert_int_equal(b.kinds,
		1u << PKT_DATA | 1u << PKT_ACK | 1u << PKT_CNP | 1u << PKT_ROCE | 1u << PKT_OTHER);
}

// Some of 802.1Q and some of 802.1ad, in all arrangements of a lot.
static void outer_tags_of_both_types_stand_side_by_side(void **state)
{
	static struct maker m;
	struct batch b = {.max_len = MAX_LEN};

	(void)state;
	prng_init(&m.g, 1, "outer_tags");
	for (unsigned i = 0; i < 4 << LOT; i++) {
		unsigned rest = (i & 1 ? FORM_SECOND : 0) | (i & 2 ? FORM_IP6 : 0);

		for (unsigned k = 0; k < LOT; k++) {
			make_roce(&m, opcodes[draw(&m, OPCODES)],
				rest | (i >> 2 >> k & 1 ? FORM_STAG : FORM_VLAN));
			add(&b, m.o, m.off);
		}
		flush(&b);
	}
	assert_int_equal(b.kinds, 1u << PKT_DATA | 1u << PKT_ACK | 1u << PKT_CNP | 1u << PKT_ROCE);
}

// Of each opcode, and as long as the port takes them or one byte longer; of bursts of each length.
static void every_opcode_parses_alike_in_bursts_of_every_length(void **state)
{
	static struct maker m;

	(void)state;
	prng_init(&m.g, 1, "every_opcode");
	for (unsigned opcode = 0; opcode < 256; opcode++)
		for (unsigned i = 0; i < 2 * FORMS; i++) {
			unsigned form = i / 2, ip = form & FORM_IP6 ? IP6_LEN : IP4_LEN;
			struct batch b = {0};

			make_roce(&m, (uint8_t)opcode, form);
			m.o[m.l3 + ip + UDP_LEN + 1] |= (uint8_t)(draw(&m, 4) << 4); // pad
			b.max_len = (uint16_t)(m.off - (i & 1));
			for (unsigned n = 1 + (opcode + 64 * i) % (BURST - 1); n; n--)
				add(&b, m.o, m.off);
			flush(&b);
		}
}

// UDP that is no RoCEv2 in the shortest frames, whose headers end where the frame does, or nearly
// so; in the other lanes there are frames of any form.
static void frames_that_end_behind_their_headers_parse_alike(void **state)
{
	static struct maker m;
	struct batch b = {.max_len = MAX_LEN};

	(void)state;
	prng_init(&m.g, 1, "frames_that_end");
	for (unsigned i = 0; i < 40000; i++) {
		unsigned form = draw(&m, FORMS), ip = form & FORM_IP6 ? IP6_LEN : IP4_LEN, udp;

		make_roce(&m, BTH_RC_WRITE_MIDDLE, form);
		udp = m.l3 + ip;
		if (draw(&m, 4)) {
			unsigned len = UDP_LEN + draw(&m, 14);

			put_be16(m.o + udp + 2, 7);
			put_be16(m.o + udp + 4, (uint16_t)len);
			put_be16(m.o + m.l3 + (form & FORM_IP6 ? 4 : 2),
				(uint16_t)(form & FORM_IP6 ? len : ip + len));
			if (!(form & FORM_IP6))
				ip_put_checksum(m.o + m.l3, IP4_LEN);
			m.off = udp + len < PKT_MIN_LEN ? PKT_MIN_LEN : udp + len;
		}
		add(&b, m.o, m.off);
	}
	flush(&b);
	assert_int_equal(b.kinds, 1u << PKT_DATA | 1u << PKT_UDP | 1u << PKT_OTHER);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(captures_parse_alike),
		cmocka_unit_test(the_corpus_parses_alike),
		cmocka_unit_test(frames_of_every_form_parse_alike),
		cmocka_unit_test(a_bit_turned_is_seen_in_every_place),
		cmocka_unit_test(one_frame_of_another_form_is_seen_in_every_place),
		cmocka_unit_test(outer_tags_of_both_types_stand_side_by_side),
		cmocka_unit_test(every_opcode_parses_alike_in_bursts_of_every_length),
		cmocka_unit_test(frames_that_end_behind_their_headers_parse_alike),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
