// SPDX-License-Identifier: BSD-3-Clause
// Tests of rewriting: a frame rewritten in place is the one that its changed fields render to, and
// what was wrong about it stays just as wrong.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "base/prng.h"
#include "frame/frame.h"
#include "frame/rewrite.h"
#include "rounds.h"

#define ROOM 2048

struct made {
	struct frame f;
	uint8_t payload[1024];
	uint8_t bytes[ROOM];
	unsigned len;
	bool checked; // it has a UDP checksum
};

static void draw(struct prng *g, uint8_t *to, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		to[i] = (uint8_t)prng_below(g, 256);
}

static uint64_t sum16(const uint8_t *o, unsigned n, uint64_t sum)
{
	for (unsigned i = 0; i < n; i++)
		sum += i & 1 ? o[i] : (uint64_t)o[i] << 8;
	return sum;
}

// The UDP checksum in full (RFC 768, RFC 8200 cl. 8.1).
static uint16_t udp_checksum(const uint8_t *ip, bool v6, const uint8_t *udp, unsigned len)
{
	uint64_t sum = sum16(ip + (v6 ? 8 : 12), v6 ? 32 : 8, IP_PROTO_UDP + len);

	sum = sum16(udp, len, sum) - get_be16(udp + 6);
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)(sum == 0xffff ? 0xffff : ~sum);
}

// The frame's bytes from its fields, with or without a UDP checksum.
static void made_render(struct made *m)
{
	struct frame f = m->f;
	bool v6 = f.ip.version == 6;
	int len = frame_render(&f, m->payload, m->bytes, sizeof(m->bytes), PKT_MIN_LEN);
	unsigned l3 = 14 + 4u * (f.eth.has_vlan + f.eth.has_inner + f.eth.has_cntag);
	unsigned udp = l3 + ip_len(&f.ip);

	assert_true(len > 0);
	m->len = (unsigned)len;
	if (m->checked)
		put_be16(m->bytes + udp + 6, udp_checksum(m->bytes + l3, v6, m->bytes + udp,
						     get_be16(m->bytes + udp + 4)));
}

static void draw_frame(struct made *m, struct prng *g)
{
	struct frame *f = &m->f;
	bool roce = prng_below(g, 3) != 0;

	*m = (struct made){.checked = prng_below(g, 2)};
	draw(g, f->eth.dst, sizeof(f->eth.dst));
	draw(g, f->eth.src, sizeof(f->eth.src));
	f->eth.has_vlan = (uint8_t)prng_below(g, 2);
	f->eth.vlan_tci = (uint16_t)prng_below(g, 65536);
	f->eth.is_stag = f->eth.has_vlan && prng_below(g, 3) == 0;
	f->eth.has_inner = f->eth.has_vlan && prng_below(g, 3) == 0;
	f->eth.inner_tci = (uint16_t)prng_below(g, 65536);
	f->eth.has_cntag = prng_below(g, 4) == 0;
	f->eth.cntag = (uint16_t)prng_below(g, 65536);
	f->ip.version = prng_below(g, 2) ? 4 : 6;
	f->eth.ethertype = f->ip.version == 4 ? ETH_P_IPV4 : ETH_P_IPV6;
	f->ip.tos = (uint8_t)prng_below(g, 256);
	f->ip.ttl = (uint8_t)prng_below(g, 256);
	f->ip.proto = IP_PROTO_UDP;
	f->ip.id = (uint16_t)prng_below(g, 65536);
	f->ip.flow_label = (uint32_t)prng_below(g, 1 << 20);
	draw(g, f->ip.saddr, f->ip.version == 4 ? 4 : 16);
	draw(g, f->ip.daddr, f->ip.version == 4 ? 4 : 16);
	f->ip.options_len = f->ip.version == 4 && prng_below(g, 4) == 0 ? 8 : 0;
	draw(g, f->ip.options, f->ip.options_len);
	f->udp.sport = (uint16_t)prng_below(g, 65536);
	f->udp.dport = roce ? BTH_UDP_PORT : 1000;
	f->kind = roce ? PKT_DATA : PKT_UDP;
	f->payload_len = (uint16_t)prng_below(g, sizeof(m->payload));
	draw(g, m->payload, f->payload_len);
	if (roce) {
		f->bth.opcode =
			0x07; // SEND Middle is 0x01, RDMA WRITE Middle 0x07: nothing behind the BTH
		f->bth.qpn = (uint32_t)prng_below(g, 1 << 24);
		f->bth.psn = (uint32_t)prng_below(g, 1 << 24);
		f->bth.pad = (uint8_t)(-f->payload_len & 3);
	}
	made_render(m);
}

// The outer tag with another VLAN, or without it; then an inner one is the outer one.
static void set_vlan(struct eth *e, bool off, uint16_t vid)
{
	if (!off) {
		e->vlan_tci = e->has_vlan ? (uint16_t)((e->vlan_tci & 0xf000) | vid) : vid;
		e->has_vlan = 1;
		return;
	}
	e->has_vlan = e->has_inner;
	e->vlan_tci = e->inner_tci;
	e->has_inner = e->is_stag = 0;
}

// Draws rules for a few fields, and applies them to the frame's fields.
static unsigned draw_rules(struct rewrite_rule *r, struct frame *f, struct prng *g)
{
	unsigned n = 0, ip_bytes = f->ip.version == 4 ? 4 : 16;
	bool v6 = f->ip.version == 6;

	if (prng_below(g, 2)) {
		r[n] = (struct rewrite_rule){.field = REWRITE_SRC_MAC, .any = true};
		draw(g, r[n].to.bytes, 6);
		memcpy(f->eth.src, r[n++].to.bytes, 6);
	}
	if (prng_below(g, 2)) {
		r[n] = (struct rewrite_rule){.field = REWRITE_DST_IP, .v6 = v6};
		memcpy(r[n].from.bytes, f->ip.daddr, ip_bytes);
		draw(g, r[n].to.bytes, ip_bytes);
		memcpy(f->ip.daddr, r[n++].to.bytes, ip_bytes);
	}
	if (prng_below(g, 2)) {
		r[n] = (struct rewrite_rule){.field = REWRITE_SRC_IP, .any = true, .v6 = v6};
		draw(g, r[n].to.bytes, ip_bytes);
		memcpy(f->ip.saddr, r[n++].to.bytes, ip_bytes);
	}
	if (prng_below(g, 2)) {
		r[n] = (struct rewrite_rule){.field = REWRITE_DSCP, .any = true};
		r[n].to.number = (uint32_t)prng_below(g, 64);
		f->ip.tos = (uint8_t)(r[n++].to.number << 2 | (f->ip.tos & 3));
	}
	if (f->kind == PKT_DATA && prng_below(g, 2)) {
		r[n] = (struct rewrite_rule){.field = REWRITE_DST_QPN};
		r[n].from.number = f->bth.qpn;
		r[n].to.number = (uint32_t)prng_below(g, 1 << 24);
		f->bth.qpn = r[n++].to.number;
	}
	if (prng_below(g, 2)) {
		bool off = prng_below(g, 3) == 0;

		r[n] = (struct rewrite_rule){.field = REWRITE_VLAN, .any = true};
		r[n].to.number = off ? REWRITE_UNTAGGED : (uint32_t)prng_below(g, 4095);
		set_vlan(&f->eth, off, (uint16_t)r[n].to.number);
		n++;
	}
	return n;
}

// Rendering pads a short frame, which rewriting leaves as long as it is: those are compared without
// their padding.
static void same(const struct made *is, const struct made *want)
{
	unsigned len = is->len < want->len ? is->len : want->len;

	assert_true(is->len + 4 >= want->len && is->len <= want->len + 4);
	assert_memory_equal(is->bytes, want->bytes, len);
}

// A frame, rules for it, and the frame that they are to make of it.
struct pair {
	struct rewrite_rule rule[8];
	unsigned n;
	struct made is, want;
};

// Checks 2000 pairs of each seed; only of unchecked RoCEv2 frames where `roce` is set.
static void each_pair(
	const char *name, uint64_t seeds, bool roce, void (*check)(struct pair *p, struct prng *g))
{
	for (uint64_t seed = 1; seed <= rounds_of((unsigned)seeds); seed++) {
		struct prng g;

		printf("seed %lu\n", (unsigned long)seed);
		prng_init(&g, seed, name);
		for (unsigned i = 0; i < 2000; i++) {
			struct pair p;

			do
				draw_frame(&p.is, &g);
			while (roce && (p.is.f.kind != PKT_DATA || p.is.checked));
			p.want = p.is;
			p.n = draw_rules(p.rule, &p.want.f, &g);
			made_render(&p.want);
			check(&p, &g);
		}
	}
}

static void is_as_rendered(struct pair *p, struct prng *g)
{
	(void)g;
	p->is.len = rewrite_frame(p->rule, p->n, p->is.bytes, p->is.len, ROOM);
	for (unsigned k = 0; k < p->n; k++)
		assert_int_equal(p->rule[k].hits, 1);
	same(&p->is, &p->want);
}

static void as_rendered(void **state)
{
	(void)state;
	each_pair("rewrite", 20, false, is_as_rendered);
}

// Bits that are wrong before in a checksum that no rule names are the bits that are wrong after.
static void is_as_wrong(struct pair *p, struct prng *g)
{
	struct made *is = &p->is;
	unsigned off = 0;
	struct frame f;

	assert_int_equal(frame_parse(is->bytes, is->len, &f), FRAME_OK);
	is->bytes[f.trailer_off - 1 - prng_below(g, 4)] ^= 0x40;
	is->len = rewrite_frame(p->rule, p->n, is->bytes, is->len, ROOM);
	assert_int_equal(frame_parse(is->bytes, is->len, &f), FRAME_OK);
	assert_false(frame_icrc_ok(&f, is->bytes));
	for (unsigned k = 1; k <= 4; k++) {
		unsigned at = f.trailer_off - k;

		off += is->bytes[at] != p->want.bytes[at];
	}
	assert_int_equal(off, 1);
}

static void wrong_stays_wrong(void **state)
{
	(void)state;
	each_pair("wrong", 10, true, is_as_wrong);
}

static void the_ip_checksum_stays_wrong(void **state)
{
	struct rewrite_rule rule = {
		.field = REWRITE_DST_IP, .any = true, .to.bytes = {10, 9, 8, 7}};
	struct made m;
	struct frame f;
	struct prng g;
	unsigned l3;

	(void)state;
	prng_init(&g, 1, "ip");
	do
		draw_frame(&m, &g);
	while (m.f.ip.version != 4);
	l3 = 14 + 4 * (m.f.eth.has_vlan + m.f.eth.has_cntag);
	m.bytes[l3 + 11] ^= 1;
	rewrite_frame(&rule, 1, m.bytes, m.len, ROOM);
	assert_int_equal(frame_parse(m.bytes, m.len, &f), FRAME_BAD_IP_CHECKSUM);
	m.bytes[l3 + 11] ^= 1;
	assert_memory_equal(m.bytes + l3 + 16, rule.to.bytes, 4);
	if (frame_parse(m.bytes, m.len, &f) != FRAME_OK)
		assert_int_not_equal(f.error, FRAME_BAD_IP_CHECKSUM);
}

static void either_end_and_first_rule(void **state)
{
	struct rewrite_rule rule[] = {
		{.field = REWRITE_MAC,
			.from.bytes = {1, 1, 1, 1, 1, 1},
			.to.bytes = {2, 2, 2, 2, 2, 2}},
		{.field = REWRITE_MAC,
			.from.bytes = {2, 2, 2, 2, 2, 2},
			.to.bytes = {1, 1, 1, 1, 1, 1}},
		{.field = REWRITE_DST_MAC, .any = true},
		{.field = REWRITE_DSCP, .any = true},
	};
	uint8_t frame[60] = {1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 0x88, 0xb5};

	(void)state;
	assert_int_equal(rewrite_frame(rule, 4, frame, 60, 60), 60);
	assert_int_equal(frame[0], 2); // they have changed places
	assert_int_equal(frame[6], 1);
	assert_int_equal(rule[0].hits, 1);
	assert_int_equal(rule[1].hits, 1);
	assert_int_equal(rule[2].hits, 0);
	assert_int_equal(rule[3].hits, 0);
}

static void no_room_for_a_tag(void **state)
{
	struct rewrite_rule rule = {.field = REWRITE_VLAN, .any = true, .to.number = 5};
	uint8_t frame[64] = {1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 0x88, 0xb5, 9};

	(void)state;
	assert_int_equal(rewrite_frame(&rule, 1, frame, 60, 63), 60);
	assert_int_equal(frame[12], 0x88);
	assert_int_equal(rewrite_frame(&rule, 1, frame, 60, 64), 64);
	assert_int_equal(get_be16(frame + 12), ETH_P_8021Q);
	assert_int_equal(get_be16(frame + 14), 5);
	assert_int_equal(get_be16(frame + 16), 0x88b5);
	assert_int_equal(frame[18], 9);
}

// Any prefix of a frame, in memory that ends with it, and any byte of it changed.
static void damaged_frames(void **state)
{
	struct rewrite_rule rule[] = {
		{.field = REWRITE_MAC, .any = true},
		{.field = REWRITE_IP, .any = true},
		{.field = REWRITE_IP, .any = true, .v6 = true},
		{.field = REWRITE_VLAN, .any = true, .to.number = REWRITE_UNTAGGED},
		{.field = REWRITE_DSCP, .any = true, .to.number = 9},
		{.field = REWRITE_DST_QPN, .any = true, .to.number = 9},
	};
	struct prng g;

	(void)state;
	for (uint64_t seed = 1; seed <= rounds_of(10); seed++) {
		printf("seed %lu\n", (unsigned long)seed);
		prng_init(&g, seed, "damaged");
		for (unsigned i = 0; i < 3000; i++) {
			unsigned len;
			struct made m;
			uint8_t *copy;

			draw_frame(&m, &g);
			m.bytes[prng_below(&g, m.len < 70 ? m.len : 70)] ^=
				(uint8_t)(1u << prng_below(&g, 8));
			len = (unsigned)prng_below(&g, m.len + 1);
			copy = test_malloc(len ? len : 1);
			memcpy(copy, m.bytes, len);
			assert_true(rewrite_frame(rule, 6, copy, len, len) <= len);
			test_free(copy);
		}
	}
}

static void what_was_cut_is_sealed(void **state)
{
	struct made m;
	struct frame f;
	struct prng g;

	(void)state;
	prng_init(&g, 1, "seal");
	do
		draw_frame(&m, &g);
	while (m.f.kind != PKT_DATA || m.f.payload_len < 300);
	memset(m.bytes + 128, 0, m.len - 128);
	assert_int_equal(frame_parse(m.bytes, m.len, &f), FRAME_OK);
	assert_false(frame_icrc_ok(&f, m.bytes));
	rewrite_seal(m.bytes, m.len, m.len);
	assert_int_equal(frame_parse(m.bytes, m.len, &f), FRAME_OK);
	assert_false(frame_icrc_ok(&f, m.bytes)); // that was not cut
	rewrite_seal(m.bytes, m.len, 128);
	assert_int_equal(frame_parse(m.bytes, m.len, &f), FRAME_OK);
	assert_true(frame_icrc_ok(&f, m.bytes));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(as_rendered),
		cmocka_unit_test(wrong_stays_wrong),
		cmocka_unit_test(the_ip_checksum_stays_wrong),
		cmocka_unit_test(either_end_and_first_rule),
		cmocka_unit_test(no_room_for_a_tag),
		cmocka_unit_test(damaged_frames),
		cmocka_unit_test(what_was_cut_is_sealed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
