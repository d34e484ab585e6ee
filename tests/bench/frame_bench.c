// SPDX-License-Identifier: BSD-3-Clause
// Parse and render of a fixed set of frames, as real ports do it, for callgrind: data, ACKs and
// CNPs over IPv4 and IPv6, tagged and not, PFC, open-loop frames, CNMs, frames of strangers,
// malformed ones; or of some kinds of them alone. No device, no EAL, no clock. Usage: frame_bench
// WHAT ROUNDS; prints how many frames there were. Parsing is by AVX2 but for parse-plain, so that
// all processors count alike.
#include <isa-l/crc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rte_mbuf.h>

#include "base/prng.h"
#include "mbuf/mbuf.h"
#include "frame/frame.h"

#define FRAMES  512
#define BURST   32
#define FLOWS   48
#define ROOM    4352
#define MAX_LEN 4250
#define RUN     4 // frames of a flow in a row, on average

struct cell { // an mbuf as the pool has them
	struct rte_mbuf m;
	struct pkt p;
	struct hdr h;
	uint8_t room[RTE_PKTMBUF_HEADROOM + ROOM];
};

struct saved {
	struct pkt p;
	uint8_t head[64]; // of the frame
};

struct bench {
	struct cell cell[FRAMES];
	struct saved saved[FRAMES];
	struct hdr hdr[FLOWS];
	struct rte_mbuf *m[FRAMES];
	struct pkt *p[FRAMES];
	struct mbuf_parse parse;
	struct mbuf_told told;
	struct mbuf_tmpl *tmpl;
	struct prng rng;
	const struct mix *mix;
};

// ISA-L takes the kernel that suits the processor; here it is always the one for SSE4.1 and
// PCLMULQDQ, so that all processors count alike.
uint32_t crc32_gzip_refl_by8(uint32_t seed, const unsigned char *bytes, uint64_t len);

uint32_t crc32_gzip_refl(uint32_t seed, const unsigned char *bytes, uint64_t len)
{
	return crc32_gzip_refl_by8(seed, bytes, len);
}

// The form of a flow's frames. `payload`: octets, for RoCEv2, and `len` is derived from it; other
// frames have `len` only.
struct shape {
	enum pkt_kind kind;
	uint8_t opcode, flags; // HDR_*
	uint16_t payload, len;
	uint16_t ethertype;
};

static const struct shape shapes[] = {
	{PKT_DATA, BTH_RC_WRITE_MIDDLE, HDR_IPV4, 1024, 0, ETH_P_IPV4},
	{PKT_DATA, BTH_RC_WRITE_MIDDLE, HDR_IPV4, 1024, 0, ETH_P_IPV4},
	{PKT_DATA, BTH_RC_WRITE_ONLY, HDR_IPV4, 200, 0, ETH_P_IPV4},
	{PKT_DATA, BTH_RC_WRITE_LAST, HDR_IPV4, 4096, 0, ETH_P_IPV4},
	{PKT_DATA, BTH_RC_WRITE_MIDDLE, HDR_IPV6, 1024, 0, ETH_P_IPV6},
	{PKT_DATA, BTH_RC_WRITE_MIDDLE, HDR_IPV4 | HDR_VLAN, 1024, 0, ETH_P_IPV4},
	{PKT_DATA, BTH_RC_WRITE_FIRST, HDR_IPV4 | HDR_CNTAG, 1024, 0, ETH_P_IPV4},
	{PKT_ACK, BTH_RC_ACK, HDR_IPV4, 0, 62, ETH_P_IPV4},
	{PKT_ACK, BTH_RC_ACK, HDR_IPV6, 0, 82, ETH_P_IPV6},
	{PKT_CNP, BTH_CNP, HDR_IPV4, 16, 74, ETH_P_IPV4},
	{PKT_GEN, 0, HDR_IPV4, 0, 300, ETH_P_IPV4},
	{PKT_GEN, 0, HDR_IPV6 | HDR_VLAN, 0, 1500, ETH_P_IPV6},
	{PKT_GEN, 0, 0, 0, 64, ETH_P_EXPERIMENTAL},
	{PKT_PFC, 0, 0, 0, 60, ETH_P_MAC_CONTROL},
	{PKT_CNM, 0, HDR_CNTAG, 0, 64, ETH_P_CNM},
	{PKT_OTHER, 0, 0, 0, 900, ETH_P_ARP},
};

// RoCEv2 over IPv4 without tags.
static const struct shape roce[] = {
	{PKT_DATA, BTH_RC_WRITE_MIDDLE, HDR_IPV4, 1024, 0, ETH_P_IPV4},
	{PKT_DATA, BTH_RC_WRITE_MIDDLE, HDR_IPV4, 1024, 0, ETH_P_IPV4},
	{PKT_DATA, BTH_RC_WRITE_ONLY, HDR_IPV4, 200, 0, ETH_P_IPV4},
	{PKT_DATA, BTH_RC_WRITE_LAST, HDR_IPV4, 4096, 0, ETH_P_IPV4},
	{PKT_ACK, BTH_RC_ACK, HDR_IPV4, 0, 62, ETH_P_IPV4},
	{PKT_CNP, BTH_CNP, HDR_IPV4, 16, 74, ETH_P_IPV4},
};

// Data in each form that is parsed in bursts.
static const struct shape forms[] = {
	{PKT_DATA, BTH_RC_WRITE_MIDDLE, HDR_IPV4, 1024, 0, ETH_P_IPV4},
	{PKT_DATA, BTH_RC_WRITE_MIDDLE, HDR_IPV4 | HDR_VLAN, 1024, 0, ETH_P_IPV4},
	{PKT_DATA, BTH_RC_WRITE_MIDDLE, HDR_IPV6, 1024, 0, ETH_P_IPV6},
	{PKT_DATA, BTH_RC_WRITE_MIDDLE, HDR_IPV6 | HDR_VLAN, 1024, 0, ETH_P_IPV6},
	{PKT_DATA, BTH_RC_WRITE_MIDDLE, HDR_IPV4 | HDR_VLAN | HDR_INNER, 1024, 0, ETH_P_IPV4},
	{PKT_DATA, BTH_RC_WRITE_MIDDLE, HDR_IPV4 | HDR_CNTAG, 1024, 0, ETH_P_IPV4},
};

// What there is to measure.
#define OF(list) .shape = (list), .shapes = sizeof(list) / sizeof((list)[0])
static const struct mix {
	const char *name;
	const struct shape *shape;
	uint8_t shapes;
	bool plain, renders;
	bool faults; // some frames are malformed
} mixes[] = {
	{.name = "parse", OF(shapes), .faults = true},
	{.name = "parse-plain", OF(shapes), .plain = true, .faults = true},
	{.name = "render", OF(shapes), .plain = true, .renders = true, .faults = true},
	{.name = "parse-roce", OF(roce)},
	{.name = "parse-forms", OF(forms)},
	{.name = "parse-ip4", .shape = &forms[0], .shapes = 1},
	{.name = "parse-ip4-vlan", .shape = &forms[1], .shapes = 1},
	{.name = "parse-ip6", .shape = &forms[2], .shapes = 1},
	{.name = "parse-ip6-vlan", .shape = &forms[3], .shapes = 1},
	{.name = "parse-qinq", .shape = &forms[4], .shapes = 1},
	{.name = "parse-cntag", .shape = &forms[5], .shapes = 1},
};
#define MIXES (sizeof(mixes) / sizeof(mixes[0]))

static const struct shape *shape_of(const struct bench *b, unsigned flow)
{
	return &b->mix->shape[flow % b->mix->shapes];
}

static void make_hdr(struct bench *b, unsigned flow)
{
	const struct shape *s = shape_of(b, flow);
	struct hdr *h = &b->hdr[flow];

	*h = (struct hdr){.dst = {2, 0, 0, 0, 1, (uint8_t)flow},
		.src = {2, 0, 0, 0, 2, (uint8_t)flow},
		.vlan_tci = (uint16_t)(3 << 13 | flow),
		.ethertype = s->ethertype,
		.sport = (uint16_t)(49152 + flow),
		.dport = s->kind == PKT_GEN ? 7 : 4791,
		.flags = s->flags,
		.proto = 17,
		.ttl = 64,
		.cntag = (uint16_t)(1 + flow),
		.inner_tci = s->flags & HDR_INNER ? (uint16_t)(4095 - flow) : 0,
		.id = flow + 1};
	if (s->kind == PKT_PFC)
		memcpy(h->dst, (uint8_t[]){1, 0x80, 0xc2, 0, 0, 1}, 6);
	for (unsigned i = 0; i < (s->flags & HDR_IPV4 ? 4u : 16u); i++) {
		h->saddr[i] = (uint8_t)prng_u32(&b->rng);
		h->daddr[i] = (uint8_t)prng_u32(&b->rng);
	}
}

// Bytes of a RoCEv2 frame.
static uint16_t roce_len(const struct shape *s)
{
	unsigned eth = hdr_eth_len(s->flags);
	unsigned ip = s->flags & HDR_IPV4 ? IP4_LEN : IP6_LEN;

	return (uint16_t)(eth + ip + UDP_LEN + BTH_LEN + bth_ops[s->opcode].ext_len + s->payload +
			  ICRC_LEN);
}

// A packet of ours of that flow.
static void make_pkt(struct bench *b, struct pkt *p, unsigned flow)
{
	const struct shape *s = shape_of(b, flow);

	*p = (struct pkt){.hdr = &b->hdr[flow],
		.len = s->len ? s->len : roce_len(s),
		.kind = (uint8_t)s->kind,
		.tos = 24 << 2 | ECN_ECT0};
	if (pkt_is_roce(s->kind))
		p->u.rc = (struct pkt_rc){.opcode = s->opcode,
			.psn = prng_u32(&b->rng) & 0xffffff,
			.qpn = flow + 2,
			.payload = s->payload};
	else if (s->kind == PKT_PFC)
		p->u.pfc = (struct pkt_pfc){.enable = 8, .quanta = {[3] = 65535}};
	else if (s->kind == PKT_GEN)
		p->u.gen = (struct pkt_gen){.seq = prng_u32(&b->rng), .source = flow};
	else if (s->kind == PKT_CNM)
		p->u.cnm = (struct pkt_cnm){.qntzfb = 12, .flow_id = 7};
}

static void make_cell(struct bench *b, unsigned i, unsigned flow)
{
	struct cell *c = &b->cell[i];

	memset(c, 0, sizeof(*c));
	c->m.buf_addr = c->room;
	c->m.data_off = RTE_PKTMBUF_HEADROOM;
	c->m.refcnt = 1;
	c->m.nb_segs = 1;
	make_pkt(b, &c->p, flow);
	c->m.data_len = c->p.len;
	c->m.pkt_len = c->p.len;
	frame_from_pkt(&c->p, c->room + RTE_PKTMBUF_HEADROOM);
	if (i % 64 == 33 &&
		b->mix->faults) // a wrong checksum, a cut: malformed or of another protocol
		c->room[RTE_PKTMBUF_HEADROOM + 24] ^= 1;
	if (i % 128 == 65 && b->mix->faults)
		c->m.data_len = 40;
	b->m[i] = &c->m;
	b->p[i] = &c->p;
}

static int start(struct bench *b)
{
	unsigned flow = 0;

	prng_init(&b->rng, 1, "frame_bench");
	for (unsigned i = 0; i < FLOWS; i++)
		make_hdr(b, i);
	for (unsigned i = 0; i < FRAMES; i++) {
		if (prng_below(&b->rng, RUN) == 0)
			flow = (unsigned)prng_below(&b->rng, FLOWS);
		make_cell(b, i, flow);
	}
	b->tmpl = mbuf_tmpl_new(FLOWS, true, NULL, NULL);
	return b->tmpl ? 0 : -1;
}

static unsigned parse(struct bench *b, tstamp now)
{
	unsigned n = 0;

	for (unsigned i = 0; i < FRAMES; i += BURST)
		n += mbuf_parse(&b->parse, b->m + i, b->p + i, NULL, BURST, MAX_LEN, now);
	return n;
}

// Of every two frames one is our own and one a stranger's; every eighth of these gets CE, and
// leaves without its CN-TAG where it has one.
static void before_render(struct bench *b)
{
	for (unsigned i = 0; i < FRAMES; i++) {
		struct pkt *p = &b->cell[i].p;

		if (i % 2)
			make_pkt(b, p, (unsigned)prng_below(&b->rng, FLOWS));
		else if (i % 16 == 0)
			p->flags |= PKT_F_CE | (p->hdr->flags & HDR_CNTAG ? PKT_F_UNTAG_CN : 0);
		b->saved[i].p = *p;
		memcpy(b->saved[i].head, b->cell[i].room + RTE_PKTMBUF_HEADROOM, 64);
	}
}

static unsigned render(struct bench *b)
{
	for (unsigned i = 0; i < FRAMES; i += BURST)
		mbuf_render(&b->told, b->tmpl, b->p + i, b->m + i, BURST, 0);
	for (unsigned i = 0; i < FRAMES; i += 16) { // those that were changed, as they were
		b->cell[i].p = b->saved[i].p;
		memcpy(b->cell[i].room + RTE_PKTMBUF_HEADROOM, b->saved[i].head, 64);
	}
	return FRAMES;
}

// Chooses the mix called `what`; false: there is no such mix, or this processor has no kernel for
// it.
static bool choose(struct bench *b, const char *what)
{
	for (unsigned i = 0; i < MIXES; i++)
		if (strcmp(what, mixes[i].name) == 0)
			b->mix = &mixes[i];
	if (!b->mix)
		return false;
#if defined(__x86_64__)
	if (!b->mix->plain && __builtin_cpu_supports("avx2"))
		b->parse.to_pkt = frame_burst_to_pkt_avx2;
#endif
	return b->mix->plain || b->parse.to_pkt;
}

static int usage(void)
{
	fprintf(stderr, "usage: frame_bench WHAT ROUNDS, where WHAT is one of");
	for (unsigned i = 0; i < MIXES; i++)
		fprintf(stderr, " %s", mixes[i].name);
	fprintf(stderr, "\nParsing, but for parse-plain, needs a processor with AVX2.\n");
	return 2;
}

int main(int argc, char **argv)
{
	struct bench *b = aligned_alloc(64, (sizeof(*b) + 63) / 64 * 64);
	unsigned long rounds = argc == 3 ? strtoul(argv[2], NULL, 10) : 0, frames = 0;

	if (b)
		memset(b, 0, sizeof(*b));
	if (!b || !rounds || !choose(b, argv[1]))
		return usage();
	if (start(b))
		return 1;
	parse(b, 1);
	if (b->mix->renders)
		before_render(b);
	for (unsigned long i = 0; i < rounds; i++)
		frames += b->mix->renders ? render(b) : parse(b, 2 + i);
	printf("%lu frames\n", frames);
	mbuf_tmpl_free(b->tmpl);
	free(b);
	return 0;
}
