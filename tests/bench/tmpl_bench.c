// SPDX-License-Identifier: BSD-3-Clause
// The cost of rendering a frame of a queue pair as it leaves: as a whole, and from a template. The
// ways take turns, so that all meet the same machine; "kept" has its payload in the buffers
// already. No device, no EAL. Usage: tmpl_bench QPS PAYLOAD ROUNDS; prints the median of the
// nanoseconds per frame of each way, less what the descriptors cost alone. tmpl_bench count WAY
// ROUNDS is for callgrind: 64 queue pairs, 1024 bytes; it prints how many frames there were.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <rte_mbuf.h>

#include "base/prng.h"
#include "mbuf/mbuf.h"
#include "frame/frame.h"

#define BURST  32
#define CELLS  2048  // mbufs in flight: the rings of a device and the mempool's cache
#define FRAMES 65536 // of a round, and of a way

static struct rte_mempool *const own_pool = (struct rte_mempool *)64; // an address, no more

enum way { DESCRIPTORS, WHOLE, TEMPLATE, KEPT, COUNTER, PRBS, OWN_FILE, WAYS };
static const char *const way_name[] = {
	"descriptors", "whole", "template", "kept", "counter", "prbs", "file"};

static const uint8_t file[1000] = {1, 2, 3};
static const struct payload payloads[] = {{.kind = PAYLOAD_ZEROS}, {.kind = PAYLOAD_COUNTER},
	{.kind = PAYLOAD_PRBS},
	{.kind = PAYLOAD_FILE, .file = file, .n = sizeof(file), .step = 1024}};

struct qp {
	_Alignas(EAL_LINE) struct hdr hdr;
	uint32_t psn;
};

struct bench {
	uint8_t *cells;
	size_t stride;
	unsigned next_cell;
	struct qp *qp;
	uint32_t *order;
	unsigned n_qps, payload, at;
	struct mbuf_tmpl *tmpl[WAYS];
	struct mbuf_told told;
	struct prng rng;
};

static void make_qps(struct bench *b)
{
	for (unsigned i = 0; i < b->n_qps; i++) {
		b->qp[i].hdr = (struct hdr){.dst = {2, 0, 0, 0, 0, 2},
			.src = {2, 0, 0, 0, 0, 1},
			.ethertype = ETH_P_IPV4,
			.saddr = {10, 0, 0, 1},
			.daddr = {10, 0, 0, 2},
			.sport = (uint16_t)(49152 + i % 16384),
			.dport = 4791,
			.flags = HDR_IPV4,
			.proto = 17,
			.ttl = 64,
			.id = i + 1};
		b->order[i] = i;
	}
	for (unsigned i = b->n_qps - 1; i; i--) {
		unsigned k = (unsigned)prng_below(&b->rng, i + 1);
		uint32_t was = b->order[i];

		b->order[i] = b->order[k];
		b->order[k] = was;
	}
}

static int start(struct bench *b, unsigned qps, unsigned payload)
{
	*b = (struct bench){.n_qps = qps, .payload = payload};
	prng_init(&b->rng, 1, "tmpl_bench");
	b->stride = (EAL_MBUF + EAL_PRIV + RTE_PKTMBUF_HEADROOM + payload + 128 + 63) / 64 * 64;
	b->cells = aligned_alloc(64, b->stride * CELLS);
	b->qp = aligned_alloc(64, sizeof(*b->qp) * qps);
	b->order = calloc(qps, sizeof(*b->order));
	b->tmpl[TEMPLATE] = mbuf_tmpl_new(qps, false, NULL, NULL);
	for (unsigned i = COUNTER; i < WAYS; i++)
		b->tmpl[i] = b->tmpl[TEMPLATE] ? mbuf_tmpl_new(64, false, NULL, payloads) : NULL;
	b->tmpl[KEPT] = mbuf_tmpl_new(qps, false, own_pool, payloads);
	if (!b->cells || !b->qp || !b->order || !b->tmpl[TEMPLATE] || !b->tmpl[KEPT])
		return -1;
	memset(b->cells, 0, b->stride * CELLS);
	memset(b->qp, 0, sizeof(*b->qp) * qps);
	make_qps(b);
	return 0;
}

// The next frame of the next queue pair.
static struct pkt *make_pkt(struct bench *b, enum way way)
{
	uint16_t kept;
	struct rte_mbuf *m = (struct rte_mbuf *)(b->cells + b->stride * b->next_cell);
	struct qp *qp = &b->qp[b->order[b->at]];
	struct pkt *p = eal_pkt(m);

	m->pool = own_pool;
	kept = p->u.rc.kept;
	b->next_cell = (b->next_cell + 1) % CELLS;
	b->at = b->at + 1 < b->n_qps ? b->at + 1 : 0;
	if (way >= COUNTER) // these touch the header in any case
		qp->hdr.payload = (uint8_t)(way - COUNTER + 1);
	else if (way != DESCRIPTORS)
		qp->hdr.payload = 0;
	*p = (struct pkt){.hdr = &qp->hdr,
		.kind = PKT_DATA,
		.len = (uint16_t)(58 + b->payload),
		.tos = 24 << 2 | ECN_ECT0};
	p->u.rc = (struct pkt_rc){.opcode = BTH_RC_WRITE_MIDDLE,
		.bth = qp->psn % 16 ? 0 : BTH_ACKREQ,
		.psn = qp->psn++ & BTH_PSN_MASK,
		.qpn = 17,
		.payload = (uint16_t)b->payload,
		.kept = kept};
	return p;
}

static void run(struct bench *b, enum way way)
{
	struct pkt *burst[BURST];
	struct rte_mbuf *m[BURST];

	for (unsigned i = 0; i < FRAMES; i += BURST) {
		for (unsigned k = 0; k < BURST; k++)
			burst[k] = make_pkt(b, way);
		if (way != DESCRIPTORS)
			mbuf_render(&b->told, b->tmpl[way], burst, m, BURST, 0);
	}
}

static double time_of(struct bench *b, enum way way)
{
	struct timespec from, to;

	clock_gettime(CLOCK_MONOTONIC, &from);
	run(b, way);
	clock_gettime(CLOCK_MONOTONIC, &to);
	return ((double)(to.tv_sec - from.tv_sec) * 1e9 + (double)(to.tv_nsec - from.tv_nsec)) /
	       FRAMES;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static int measure(struct bench *b, unsigned rounds)
{
	double *ns[WAYS], alone;

	for (unsigned w = 0; w < WAYS; w++) {
		ns[w] = calloc(rounds, sizeof(double));
		if (!ns[w])
			return 1;
		run(b, w);
	}
	for (unsigned r = 0; r < rounds; r++)
		for (unsigned w = 0; w < WAYS; w++)
			ns[w][r] = time_of(b, w);
	for (unsigned w = 0; w < WAYS; w++)
		qsort(ns[w], rounds, sizeof(double), by_value);
	alone = ns[DESCRIPTORS][rounds / 2];
	printf("%u queue pairs, %u bytes:", b->n_qps, 58 + b->payload);
	for (unsigned w = 0; w < WAYS; w++) {
		printf(" %s %.1f", way_name[w], ns[w][rounds / 2] - (w ? alone : 0));
		free(ns[w]);
	}
	printf(" ns\n");
	return 0;
}

static int count(const char *name, unsigned rounds)
{
	struct bench b;
	unsigned w = 0;

	while (w < WAYS && strcmp(name, way_name[w]))
		w++;
	if (w == WAYS || start(&b, 64, 1024))
		return 2;
	for (unsigned r = 0; r < rounds; r++)
		run(&b, w);
	printf("%u frames\n", rounds * FRAMES);
	return 0;
}

int main(int argc, char **argv)
{
	unsigned rounds = argc == 4 ? (unsigned)strtoul(argv[3], NULL, 10) : 0;
	unsigned qps, payload;
	struct bench b;

	if (rounds && strcmp(argv[1], "count") == 0)
		return count(argv[2], rounds);
	qps = rounds ? (unsigned)strtoul(argv[1], NULL, 10) : 0;
	payload = rounds ? (unsigned)strtoul(argv[2], NULL, 10) : 0;
	if (!qps || payload > 8192) {
		fprintf(stderr, "usage: tmpl_bench QPS PAYLOAD ROUNDS | count WAY ROUNDS\n");
		return 2;
	}
	return start(&b, qps, payload) || measure(&b, rounds);
}
