// SPDX-License-Identifier: BSD-3-Clause
// Frames that a port makes of our packets, in buffers that are used again and again: byte by byte
// those of frame_with_payload, whatever stood there before, by whichever port that left, and
// whatever the port has room to remember.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include <rte_mbuf.h>

#include "base/prng.h"
#include "mbuf/mbuf.h"
#include "frame/frame.h"

#define SEEDS  10
#define FRAMES 20000
#define FLOWS  96
#define CELLS  32
#define BURST  16
#define PORTS  2
#define ROOM   9216

struct cell { // an mbuf as the pool has them
	struct rte_mbuf m;
	struct pkt p;
	struct hdr h;
	uint8_t room[RTE_PKTMBUF_HEADROOM + ROOM];
};

struct lab {
	struct cell cell[CELLS];
	struct hdr_region hdr[FLOWS];
	uint32_t qpn[FLOWS];
	struct rte_mempool *own; // a mere address
	struct prng rng;
	struct mbuf_tmpl *tmpl[PORTS];
	uint32_t changes; // of the headers' addresses
	struct mbuf_told told;
};

static const uint8_t ops[] = {BTH_RC_WRITE_FIRST, BTH_RC_WRITE_MIDDLE, BTH_RC_WRITE_LAST,
	BTH_RC_WRITE_ONLY, BTH_RC_SEND_ONLY_IMM, BTH_RC_ACK, BTH_CNP, BTH_RC_READ_ONLY};

static const struct payload payloads[] = {{.kind = PAYLOAD_ZEROS},
	{.kind = PAYLOAD_FIXED, .word = {0xa5, 0xa5, 0xa5, 0xa5}},
	{.kind = PAYLOAD_FIXED, .word = {1, 2, 3, 4}}, {.kind = PAYLOAD_PRBS},
	{.kind = PAYLOAD_COUNTER}};

static unsigned below(struct lab *l, unsigned n)
{
	return (unsigned)prng_below(&l->rng, n);
}

static void lab_init(struct lab *l, uint64_t seed, unsigned hdrs, bool has_v6)
{
	memset(l, 0, sizeof(*l));
	l->own = (struct rte_mempool *)&l->own;
	prng_init(&l->rng, seed, "rt_tmpl");
	for (unsigned i = 0; i < FLOWS; i++) {
		struct hdr *h = &l->hdr[i].hdr;

		for (unsigned k = 0; k < sizeof(*h); k++)
			((uint8_t *)h)[k] = (uint8_t)prng_u64(&l->rng);
		h->flags = (uint8_t)((i % 3 ? 0 : HDR_VLAN) | (i % 5 ? 0 : HDR_CNTAG) |
				     (i % 4 ? HDR_IPV4 : HDR_IPV6) | (i % 7 ? 0 : HDR_REGION));
		l->hdr[i].va = prng_u64(&l->rng);
		l->hdr[i].rkey = prng_u32(&l->rng);
		h->ethertype = i % 4 ? ETH_P_IPV4 : ETH_P_IPV6;
		h->dport = BTH_UDP_PORT;
		h->payload = i % 2 ? 0 : (uint8_t)(i / 2 % 5);
		h->proto = IP_PROTO_UDP;
		l->qpn[i] = prng_u32(&l->rng) & BTH_PSN_MASK;
	}
	for (unsigned i = 0; i < CELLS; i++) {
		struct cell *c = &l->cell[i];

		c->m.buf_addr = c->room;
		if (i % 4)
			c->m.pool = l->own;
		memset(c->room, 0xee, sizeof(c->room));
	}
	for (unsigned i = 0; i < PORTS; i++) {
		l->tmpl[i] = mbuf_tmpl_new(hdrs, has_v6, seed % 3 ? l->own : NULL, payloads);
		assert_non_null(l->tmpl[i]);
		mbuf_tmpl_heed(l->tmpl[i], &l->changes);
	}
}

static unsigned overhead(const struct pkt *p)
{
	unsigned flags = p->hdr->flags;

	return 14 + (flags & HDR_VLAN ? 4 : 0) + (flags & HDR_CNTAG ? 4 : 0) +
	       (flags & HDR_IPV4 ? IP4_LEN : IP6_LEN) + UDP_LEN + BTH_LEN +
	       bth_ops[p->u.rc.opcode].ext_len + ICRC_LEN;
}

// `forms`: how many lengths of payload there are.
static void make_roce(struct lab *l, struct pkt *p, unsigned forms)
{
	unsigned flow = below(l, FLOWS), op = ops[below(l, sizeof(ops))];
	unsigned payload = bth_ops[op].kind == PKT_DATA ? (below(l, forms) * 641) % 9001 : 0;
	unsigned len;

	*p = (struct pkt){.hdr = &l->hdr[flow].hdr,
		.kind = bth_ops[op].kind,
		.tos = (uint8_t)prng_u32(&l->rng)};
	p->u.rc = (struct pkt_rc){.opcode = (uint8_t)op,
		.bth = (uint8_t)(below(l, 2) * BTH_ACKREQ),
		.syndrome = (uint8_t)prng_u32(&l->rng),
		.pad = (uint8_t)(-payload & 3),
		.psn = prng_u32(&l->rng) & BTH_PSN_MASK,
		.qpn = below(l, 64) ? l->qpn[flow] : 77, // a header with two QPNs is not ours
		.arg = below(l, 2),
		.payload = (uint16_t)payload};
	len = overhead(p) + payload + p->u.rc.pad;
	if (!below(l, 32)) // no room for all of it, as with framing hpcc_sim
		len -= below(l, payload + 1);
	p->len = (uint16_t)(len < PKT_MIN_LEN ? PKT_MIN_LEN : len);
}

static void make(struct lab *l, struct cell *c, unsigned forms)
{
	unsigned kept = c->p.u.rc.kept;

	if (below(l, 8)) {
		make_roce(l, &c->p, forms);
		c->p.u.rc.kept = (uint16_t)kept;
		if (below(l, 16))
			return;
		c->h = *c->p.hdr; // a switch's own: the next frame here has another
		c->h.flags &= (uint8_t)~HDR_REGION;
		c->p.hdr = &c->h;
	} else {
		c->p = (struct pkt){.hdr = &l->hdr[below(l, FLOWS)].hdr,
			.kind = PKT_GEN,
			.len = (uint16_t)(128 + below(l, 1400))};
		c->p.u.gen = (struct pkt_gen){.seq = prng_u32(&l->rng), .source = 5};
	}
}

static void check(const struct cell *c, const struct pkt *was, uint64_t seed, unsigned nth)
{
	static uint8_t want[ROOM];
	const uint8_t *got = c->room + RTE_PKTMBUF_HEADROOM;

	memset(want, 0, sizeof(want));
	frame_with_payload(was, &payloads[was->hdr->payload], want);
	assert_int_equal(c->m.data_len, was->len);
	assert_int_equal(c->m.data_off, RTE_PKTMBUF_HEADROOM);
	for (unsigned i = 0; i < was->len; i++)
		if (want[i] != got[i])
			fail_msg("seed %llu, frame %u: kind %u, opcode %u, length %u: byte %u is "
				 "%02x, not %02x",
				(unsigned long long)seed, nth, was->kind, was->u.rc.opcode,
				was->len, i, got[i], want[i]);
}

// Of other packets the descriptors say nothing, and who writes into a buffer says that.
static void spoil(struct lab *l, struct cell *c)
{
	for (unsigned i = 0; i < 64; i++)
		c->room[RTE_PKTMBUF_HEADROOM + below(l, 1500)] = (uint8_t)prng_u32(&l->rng);
	c->p.u.rc.kept = 0;
}

// A burst by either port in buffers taken at random: a buffer comes from one port to the other by
// the pool.
static void burst(struct lab *l, unsigned forms, uint64_t seed, unsigned nth)
{
	struct pkt *p[BURST], was[BURST];
	struct rte_mbuf *m[BURST];
	unsigned first = below(l, CELLS), step = below(l, 2) ? 1 : 3;

	for (unsigned i = 0; i < BURST; i++) {
		struct cell *c = &l->cell[(first + i * step) % CELLS];

		if (!below(l, 64))
			spoil(l, c);
		make(l, c, forms);
		p[i] = &c->p;
		was[i] = c->p;
	}
	mbuf_render(&l->told, l->tmpl[below(l, PORTS)], p, m, BURST, 0);
	for (unsigned i = 0; i < BURST; i++) {
		assert_ptr_equal(m[i], eal_mbuf(p[i]));
		check((struct cell *)m[i], &was[i], seed, nth + i);
	}
}

// Flows whose frames come from templates: of lab_init's those with a fixed payload.
static unsigned with_templates(bool has_v6)
{
	unsigned n = 0;

	for (unsigned i = 0; i < FLOWS; i++)
		n += (has_v6 || i % 4) && (i % 2 || payload_is_fixed(&payloads[i / 2 % 5]));
	return n;
}

// Room for all templates and shapes; then for few templates, then for fewer shapes and tables than
// there are.
static void frames_are_those_of_the_renderer(void **state)
{
	static const struct {
		unsigned hdrs, forms;
		bool has_v6;
	} rows[] = {{FLOWS, 3, true}, {FLOWS, 3, false}, {1, 3, true}, {FLOWS, 1000, true}};
	static struct lab l;

	(void)state;
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		unsigned row = seed % 4, templates, shapes;

		print_message("seed %llu\n", (unsigned long long)seed);
		lab_init(&l, seed, rows[row].hdrs, rows[row].has_v6);
		for (unsigned i = 0; i < FRAMES; i += BURST)
			burst(&l, rows[row].forms, seed, i);
		for (unsigned i = 0; i < PORTS; i++) {
			templates = mbuf_tmpl_count(l.tmpl[i], &shapes);
			assert_int_equal(
				templates, row == 2 ? 32 : with_templates(rows[row].has_v6));
			assert_true(shapes > 10);
			mbuf_tmpl_free(l.tmpl[i]);
		}
	}
}

// Headers get other addresses while frames go on.
static void hosts_move(void **state)
{
	static struct lab l;

	(void)state;
	lab_init(&l, 1, FLOWS, true);
	for (unsigned round = 0; round < 4; round++) {
		for (unsigned i = 0; i < 2000; i += BURST)
			burst(&l, 3, 1, i);
		for (unsigned i = 0; i < FLOWS; i++)
			l.hdr[i].hdr.dst[5]++;
		l.changes++;
	}
	for (unsigned i = 0; i < PORTS; i++)
		mbuf_tmpl_free(l.tmpl[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frames_are_those_of_the_renderer),
		cmocka_unit_test(hosts_move),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
