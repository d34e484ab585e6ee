// SPDX-License-Identifier: BSD-3-Clause
// What a frame costs the switch: eight flows into one port, marking, PFC, events and accounting on.
// Usage: sw_bench [frames]. Prints ns per frame (rx and tx together), the loop around them taken off.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "node/sw.h"
#include "wire/eth.h"

#define HOSTS  8
#define PORTS  (HOSTS + 1)
#define PKTS   4096
#define QUEUED 200 // frames that stand in the queue: between Kmin and Kmax
#define LEN    1082
#define ROUNDS 5

struct cell { // a descriptor, its own header and the head of its octets, as in a pool
	struct pkt p;
	struct hdr own;
	uint8_t room[128];
};

struct bench {
	struct sw *sw;
	struct pkt_stack stack;
	struct ev_ring events;
	struct hdr hdr[HOSTS + 1]; // by id
	struct pkt *slot[PKTS];
	struct ev ev[1024];
	struct cell cell[PKTS];
	uint64_t pfc, marked;
	uint32_t lcg;
};

static void ports(struct sw_port_params *port)
{
	static const char *const name[PORTS] = {"0", "1", "2", "3", "4", "5", "6", "7", "8"};

	for (unsigned i = 0; i < PORTS; i++) {
		port[i] = (struct sw_port_params){
			.name = name[i], .rate = 100 * RATE_GBPS, .mtu = 1500};
		for (unsigned c = 0; c < MMU_PGS; c++)
			port[i].pg[c] = (struct mmu_pg_params){
				.lossless = c == 3,
				.static_bytes = c == 3 ? 35 * LEN : 1000000,
				.headroom_bytes = c == 3 ? 100000 : 0,
				.xon_offset_bytes = 8 * LEN,
			};
	}
}

static int start(struct bench *b, tstamp tolerance)
{
	struct sw_port_params port[PORTS];
	struct sw_fdb_params fdb[PORTS];
	struct sw_params p = {
		.name = "bench",
		.seed = 1,
		.n_ports = PORTS,
		.port = port,
		.buffer_bytes = 16000000,
		.fdb = fdb,
		.n_fdb = PORTS,
		.shared_hdrs = HOSTS + 1,
		.framing = {4, 24, 0, 0},
		.tolerance_ps = tolerance,
		.monitor = true,
	};

	memset(b, 0, sizeof(*b));
	ports(port);
	memset(p.dscp_to_class, 3, sizeof(p.dscp_to_class));
	p.cls[3] = (struct sw_class_params){
		.weight = 50,
		.mark = SW_MARK_DEQUEUE,
		.red = {.kmin_bytes = 100000, .kmax_bytes = 400000, .pmax = 0.2},
		.pfc = true,
		.quanta = 65535,
		.refresh_permille = 500,
	};
	for (unsigned i = 0; i < PORTS; i++)
		fdb[i] = (struct sw_fdb_params){
			.mac = {2, 0, 0, 0, 0, (uint8_t)i}, .port = (uint16_t)i};
	for (unsigned i = 0; i < HOSTS; i++)
		b->hdr[i + 1] = (struct hdr){
			.dst = {2, 0, 0, 0, 0, HOSTS},
			.src = {2, 0, 0, 0, 0, (uint8_t)i},
			.ethertype = ETH_P_IPV4,
			.flags = HDR_IPV4,
			.id = i + 1,
		};
	b->events = (struct ev_ring){.slot = b->ev, .mask = 1023, .want = UINT64_MAX};
	b->stack = (struct pkt_stack){.slot = b->slot,
		.cap = PKTS,
		.reserve = 64,
		.data_off = offsetof(struct cell, room),
		.room = sizeof(b->cell->room)};
	for (unsigned i = 0; i < PKTS; i++)
		pkt_put(&b->stack, &b->cell[i].p);
	return sw_init(&b->sw, &p, &b->stack, &b->events);
}

// A burst of one flow, as its NIC or the parser makes it.
static unsigned make(struct bench *b, struct pkt **burst, unsigned n, bool foreign)
{
	unsigned flow = (b->lcg = b->lcg * 1664525 + 1013904223) >> 29;

	for (unsigned i = 0; i < n; i++) {
		struct pkt *p = pkt_get(&b->stack);

		*p = (struct pkt){
			.hdr = &b->hdr[flow + 1],
			.len = LEN,
			.kind = PKT_DATA,
			.tos = ECN_ECT0,
		};
		if (foreign) {
			*pkt_own_hdr(p) = b->hdr[flow + 1];
			pkt_own_hdr(p)->id = 0;
			p->hdr = pkt_own_hdr(p);
		}
		burst[i] = p;
	}
	return flow;
}

static void send(struct bench *b, unsigned port, unsigned max, tstamp now)
{
	struct pkt *out[32];
	unsigned n = sw_tx(b->sw, port, out, max, now);

	for (unsigned i = 0; i < n; i++) {
		b->pfc += out[i]->kind == PKT_PFC;
		b->marked += out[i]->flags & PKT_F_CE;
		pkt_put(&b->stack, out[i]);
	}
}

// Ports that have something to send besides the one that always has: XOFF and XON.
static void serve_touched(struct bench *b, tstamp now)
{
	struct node_touched *t = sw_touched(b->sw);

	for (uint64_t w = t->word[0]; w; w &= w - 1) {
		unsigned port = (unsigned)__builtin_ctzll(w);

		if (port < HOSTS && sw_deadline(b->sw, port) <= now)
			send(b, port, 1, now);
	}
	t->word[0] = 0;
}

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

// Seconds for n frames in bursts; without the switch where `empty`.
static double run(struct bench *b, unsigned n, unsigned burst, bool foreign, bool empty)
{
	static tstamp now;
	tstamp wire = (LEN + PKT_WIRE) * 80 * (tstamp)burst;
	struct pkt *in[32];
	double t = seconds();

	for (unsigned i = 0; i < n; i += burst) {
		unsigned flow = make(b, in, burst, foreign);

		now += wire;
		if (empty) {
			for (unsigned k = 0; k < burst; k++)
				pkt_put(&b->stack, in[k]);
			continue;
		}
		sw_rx(b->sw, flow, in, burst, now);
		send(b, HOSTS, burst, now);
		serve_touched(b, now);
		b->events.tail = b->events.head;
	}
	return seconds() - t;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static int measure(struct bench *b, unsigned n, unsigned burst, bool foreign)
{
	double ns[ROUNDS];
	char why[200];
	int rc = start(b, burst > 1 ? 40 * (LEN + PKT_WIRE) * 80 : 0);

	if (rc)
		return rc;
	for (unsigned i = 0; i < QUEUED; i++) {
		struct pkt *p;

		sw_rx(b->sw, make(b, &p, 1, foreign), &p, 1, 0);
	}
	for (unsigned i = 0; i < ROUNDS; i++)
		ns[i] = (run(b, n, burst, foreign, false) - run(b, n, burst, foreign, true)) / n *
			1e9;
	qsort(ns, ROUNDS, sizeof(ns[0]), by_value);
	printf("burst %2u, %s headers: %5.1f ns a frame (%.1f to %.1f), marked %.2f %%, PFC %.2f %%\n",
		burst, foreign ? "own   " : "shared", ns[ROUNDS / 2], ns[0], ns[ROUNDS - 1],
		100.0 * (double)b->marked / ROUNDS / n, 100.0 * (double)b->pfc / ROUNDS / n);
	rc = sw_conserve(b->sw, why, sizeof(why));
	if (rc)
		fprintf(stderr, "%s\n", why);
	sw_fini(b->sw);
	return rc;
}

int main(int argc, char **argv)
{
	unsigned n = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 1000000;
	struct bench *b = malloc(sizeof(*b));
	int rc = !b || !n;

	for (unsigned i = 0; !rc && i < 4; i++)
		rc = measure(b, n / 32 * 32 + 32, i & 1 ? 32 : 1, i / 2);
	free(b);
	return rc != 0;
}
