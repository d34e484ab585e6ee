// SPDX-License-Identifier: BSD-3-Clause
// Frames from templates and shapes are byte by byte those that frame_from_pkt makes, whichever
// frames the template and the shape came from.
#include "frame/frame_tmpl.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/prng.h"

#define SEEDS   10
#define FLOWS   16 // headers of a seed: all tags and both IP versions twice
#define SHAPES  4096
#define FRAMES  20000
#define MTU     9000
#define ROOM    9216
#define TAILS   (MTU + BTH_EXT_MAX + 4)
#define REST    0xee // what a buffer held before
#define PSN_TOP BTH_PSN_MASK

union tmpl {
	struct frame_tmpl t;
	uint8_t bytes[FRAME_TMPL_IP6];
};

struct lab {
	struct hdr hdr[FLOWS];
	uint32_t qpn[FLOWS];
	union tmpl tmpl[FLOWS];
	struct frame_shape shape[SHAPES];
	unsigned n_shapes;
	struct icrc_table *table[TAILS];
	struct prng rng;
	uint64_t seed;
};

static unsigned below(struct lab *l, unsigned n)
{
	return (unsigned)prng_below(&l->rng, n);
}

static void lab_init(struct lab *l, uint64_t seed)
{
	memset(l, 0, sizeof(*l));
	l->seed = seed;
	prng_init(&l->rng, seed, "frame_tmpl_test");
	for (unsigned i = 0; i < FLOWS; i++) {
		struct hdr *h = &l->hdr[i];

		for (unsigned k = 0; k < sizeof(*h); k++)
			((uint8_t *)h)[k] = (uint8_t)prng_u64(&l->rng);
		h->flags = (uint8_t)((i & 1 ? HDR_VLAN : 0) | (i & 2 ? HDR_CNTAG : 0) |
				     (i & 4 ? HDR_IPV6 : HDR_IPV4) | ((i & 9) == 9 ? HDR_STAG : 0));
		h->ethertype = i & 4 ? ETH_P_IPV6 : ETH_P_IPV4;
		h->dport = BTH_UDP_PORT;
		h->proto = IP_PROTO_UDP;
		h->payload = 0;
		l->qpn[i] = prng_u32(&l->rng) & BTH_PSN_MASK;
		if (i >= 8) { // sums with many carries
			memset(h->saddr, 0xff, sizeof(h->saddr));
			memset(h->daddr, below(l, 2) ? 0xff : 0, sizeof(h->daddr));
			h->ttl = 0xff;
			h->ip_id = 0xffff;
		}
	}
}

static void lab_fini(struct lab *l)
{
	for (unsigned i = 0; i < TAILS; i++)
		free(l->table[i]);
}

static const struct icrc_table *table_of(struct lab *l, unsigned tail)
{
	if (!l->table[tail]) {
		l->table[tail] = malloc(sizeof(struct icrc_table));
		icrc_table_init(l->table[tail], tail);
	}
	return l->table[tail];
}

static const struct frame_shape *shape_of(
	struct lab *l, const struct frame_tmpl *t, const struct pkt *p, const uint8_t *bytes)
{
	struct frame_form form = frame_form_of(p);
	const struct icrc_table *table[2] = {0};
	struct frame_shape *s = l->shape;
	unsigned tail[2], n;

	for (; s < l->shape + l->n_shapes; s++)
		if (frame_form_equal(&s->form, &form))
			return s;
	if (l->n_shapes == SHAPES)
		s = &l->shape[below(l, SHAPES)];
	else
		l->n_shapes++;
	n = frame_shape_tails(p, tail);
	for (unsigned i = 0; i < n; i++)
		table[i] = table_of(l, tail[i]);
	frame_shape_init(s, t, p, bytes, table);
	return s;
}

// Of the same packet with a second VLAN tag.
static bool has_room_for_inner(const struct pkt *p)
{
	struct pkt tagged = *p;
	struct hdr h = *p->hdr;

	h.flags |= HDR_VLAN | HDR_INNER;
	tagged.hdr = &h;
	tagged.len = PKT_MAX_LEN;
	return frame_tmpl_has_room(&tagged);
}

static void check(struct lab *l, const struct pkt *p, unsigned flow)
{
	static uint8_t want[ROOM], got[ROOM];
	struct frame_tmpl *t = &l->tmpl[flow].t;
	const struct frame_shape *s;
	unsigned at;

	assert_true(frame_tmpl_fits(p));
	assert_true(frame_tmpl_has_room(p));
	assert_false(has_room_for_inner(p));
	memset(want, REST, p->len + 64u);
	memset(got, REST, p->len + 64u);
	frame_from_pkt(p, want);
	if (!t->hdr)
		frame_tmpl_init(t, p, want);
	s = shape_of(l, t, p, want);
	assert_true(frame_tmpl_len(t, s) <= p->len);
	at = frame_from_tmpl(t, s, p, got);
	memset(got + at, 0, s->body);
	if (memcmp(want, got, p->len + 64u))
		fail_msg("seed %llu: opcode %u, payload %u, pad %u, flags %x, length %u",
			(unsigned long long)l->seed, p->u.rc.opcode, p->u.rc.payload, p->u.rc.pad,
			p->hdr->flags, p->len);
}

static unsigned least_len(const struct pkt *p)
{
	unsigned flags = p->hdr->flags;

	return 14 + (flags & HDR_VLAN ? 4 : 0) + (flags & HDR_CNTAG ? 4 : 0) +
	       (flags & HDR_IPV4 ? IP4_LEN : IP6_LEN) + UDP_LEN + BTH_LEN +
	       bth_ops[p->u.rc.opcode].ext_len + p->u.rc.payload + p->u.rc.pad + ICRC_LEN;
}

static void make(struct lab *l, struct pkt *p, unsigned flow, unsigned opcode, unsigned payload)
{
	unsigned least;

	*p = (struct pkt){.hdr = &l->hdr[flow],
		.kind = bth_ops[opcode].kind,
		.tos = (uint8_t)prng_u32(&l->rng)};
	p->u.rc = (struct pkt_rc){.opcode = (uint8_t)opcode,
		.bth = below(l, 8) ? (uint8_t)(below(l, 2) * BTH_ACKREQ) : (uint8_t)below(l, 32),
		.syndrome = (uint8_t)prng_u32(&l->rng),
		.pad = (uint8_t)(-payload & 3),
		.psn = below(l, 4) ? prng_u32(&l->rng) & PSN_TOP : PSN_TOP - below(l, 2),
		.qpn = l->qpn[flow],
		.arg = below(l, 2) ? 1u << 20 : prng_u32(&l->rng),
		.payload = (uint16_t)payload};
	least = least_len(p);
	p->len = (uint16_t)(least < PKT_MIN_LEN ? PKT_MIN_LEN : least);
	if (!below(l, 16)) // zeros behind the ICRC
		p->len = (uint16_t)(p->len + below(l, 40));
}

static unsigned any_opcode(struct lab *l)
{
	unsigned op;

	do
		op = below(l, 256);
	while (!bth_ops[op].ext || bth_is_irn((uint8_t)op));
	return op;
}

// All opcodes that have templates, tags and IP versions, ECN and PSN at random and at their ends;
// few shapes and many frames of each.
static void frames_are_those_of_the_renderer(void **state)
{
	static struct lab l;

	(void)state;
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		print_message("seed %llu\n", (unsigned long long)seed);
		lab_init(&l, seed);
		for (unsigned i = 0; i < FRAMES / SEEDS; i++) {
			unsigned flow = below(&l, FLOWS);
			unsigned payload = below(&l, 2) ? below(&l, 9) : 1024u * below(&l, 2);
			struct pkt p;

			make(&l, &p, flow, any_opcode(&l), payload);
			check(&l, &p, flow);
		}
		lab_fini(&l);
	}
}

// Every length of payload from none to the largest MTU, with the pad that it has; the PSN wraps on
// the way.
static void every_length(void **state)
{
	static const uint8_t ops[] = {
		BTH_RC_WRITE_ONLY, BTH_RC_WRITE_MIDDLE, BTH_RC_SEND_LAST_IMM, BTH_RC_READ_ONLY};
	static struct lab l;

	(void)state;
	print_message("seed 77\n");
	lab_init(&l, 77);
	for (unsigned payload = 0; payload <= MTU; payload++) {
		unsigned flow = payload % FLOWS;
		struct pkt p;

		l.n_shapes = 0;
		make(&l, &p, flow, ops[below(&l, 4)], payload);
		p.u.rc.psn = (PSN_TOP - 100 + payload) & PSN_TOP;
		for (unsigned i = 0; i < 3; i++) {
			p.u.rc.psn = (p.u.rc.psn + 1) & PSN_TOP;
			p.u.rc.bth ^= BTH_ACKREQ;
			p.tos ^= 3;
			check(&l, &p, flow);
		}
	}
	lab_fini(&l);
}

// A shape from one queue pair's frame serves all others of its IP version.
static void a_shape_serves_all_flows(void **state)
{
	static struct lab l;

	(void)state;
	lab_init(&l, 3);
	for (unsigned round = 0; round < 8; round++)
		for (unsigned flow = 0; flow < FLOWS; flow++) {
			struct pkt p;

			make(&l, &p, flow, BTH_RC_WRITE_MIDDLE, 1024);
			p.u.rc.bth &= BTH_ACKREQ;
			check(&l, &p, flow);
		}
	assert_int_equal(l.n_shapes, 2);
	lab_fini(&l);
}

static void what_has_no_template(void **state)
{
	static struct {
		struct pkt p;
		struct hdr h;
	} own;
	static struct lab l;
	struct pkt p;

	(void)state;
	lab_init(&l, 4);
	make(&l, &p, 2, BTH_RC_ACK, 0);
	assert_true(frame_tmpl_fits(&p));
	p.flags = PKT_F_UNTAG_CN;
	assert_false(frame_tmpl_fits(&p));
	p.flags = PKT_F_FOREIGN;
	assert_false(frame_tmpl_fits(&p));
	p.flags = PKT_F_CE | PKT_F_RETX | PKT_F_FIRST | PKT_F_LAST;
	assert_true(frame_tmpl_fits(&p));
	p.kind = PKT_GEN;
	assert_false(frame_tmpl_fits(&p));
	own.p = p;
	own.p.kind = PKT_CNP;
	own.p.hdr = &own.h; // one that a switch made: another's frame has it next
	assert_false(frame_tmpl_fits(&own.p));
	make(&l, &p, 0, BTH_RC_WRITE_MIDDLE, 1000);
	p.len = (uint16_t)(least_len(&p) - 1);
	assert_false(frame_tmpl_has_room(&p));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frames_are_those_of_the_renderer),
		cmocka_unit_test(every_length),
		cmocka_unit_test(a_shape_serves_all_flows),
		cmocka_unit_test(what_has_no_template),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
