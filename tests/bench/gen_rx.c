// SPDX-License-Identifier: BSD-3-Clause
// The cost of a frame that a NIC receives: with many responders, and with the checks of ICRC and
// payload.
#include "gen_rx.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rte_mbuf.h>
#include <rte_ring.h>

#include "gen_crowd.h"
#include "gen_exit.h"

#define LINE    (100 * RATE_GBPS)
#define BATCH   256 // frames between two readings of the clock: 277 KB of 1082 octets
#define OCTETS  1082
#define REFUSED 3
#define QPS     16

static _Noreturn void give_up(const char *why)
{
	fprintf(stderr, "gen_bench: %s\n", why);
	exit(1);
}

// Fills a batch, in bursts that fit into it.
static unsigned fill(struct crowd *c, struct pkt **batch)
{
	unsigned n = 0;

	while (n + CROWD_BURST <= BATCH) {
		unsigned got = crowd_turn(c, batch + n);

		if (!got)
			give_up("no queue pair sends");
		n += got;
	}
	return n;
}

int gen_rx_responders(char **arg, int n)
{
	struct crowd_params p = {
		.octets = OCTETS, .rate = LINE, .responders = true, .drawn = n > 2};
	unsigned frames = (unsigned)atoi(arg[1]), done = 0;
	uint64_t before;
	struct pkt *batch[BATCH];
	struct pkt_stack stack;
	double rx = 0, ack = 0;
	struct crowd c;
	int rc;

	p.qps = (unsigned)atoi(arg[0]);
	p.limit = LINE / 100 * 95 / p.qps;
	before = 2ul * p.qps;
	if (!crowd_stack(&stack, 4 * BATCH, 0))
		return 1;
	rc = crowd_init(&c, &p, &stack);
	if (rc) {
		printf("refused %u queue pairs: %s\n", p.qps, strerror(-rc));
		return REFUSED;
	}
	while (done < frames) {
		unsigned got = fill(&c, batch);
		double t0 = crowd_cpu_ns(), t1;

		for (unsigned i = 0; i < got; i += CROWD_BURST / 2)
			nic_rx(c.to, 0, batch + i,
				got - i < CROWD_BURST / 2 ? got - i : CROWD_BURST / 2, c.now);
		t1 = crowd_cpu_ns();
		crowd_return(&c);
		if (c.frames < before) // until all have received, and no page is new
			continue;
		rx += t1 - t0;
		ack += crowd_cpu_ns() - t1;
		done += got;
	}
	printf("rx %.2f\nack %.2f\n", rx / done, ack / done);
	crowd_fini(&c);
	return 0;
}

// The checks of the receiver.
struct check {
	const char *name;
	bool icrc;
	const struct payload *payload; // NULL: it is not compared
};

static const uint8_t file[1000] = {1, 2, 3};
// By number: 0 is zeros, as in a scene.
static const struct payload zeros[2],
	counter[] = {{0}, {.kind = PAYLOAD_COUNTER}}, prbs[] = {{0}, {.kind = PAYLOAD_PRBS}},
	own[] = {{0}, {.kind = PAYLOAD_FILE, .file = file, .n = sizeof(file), .step = 1024}};
static const struct check checks[] = {
	{"unread", false, NULL},
	{"checked", true, NULL},
	{"zeros", true, zeros},
	{"counter", true, counter},
	{"prbs", true, prbs},
	{"file", true, own},
};

// Takes what was written out of every cache.
static void forget(struct rte_mbuf *const *m, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		const char *end = (const char *)m[i]->buf_addr + m[i]->data_off + m[i]->data_len;

		for (const char *p = (const char *)m[i]; p < end; p += EAL_LINE)
			__builtin_ia32_clflush(p);
	}
	__builtin_ia32_mfence();
}

// Frames come by a ring to a real port and go into the second NIC. Returns ns a frame.
static double receive(struct exit_ports *e, const struct check *check, bool cold, unsigned frames)
{
	struct crowd_params p = {.qps = QPS,
		.octets = OCTETS,
		.rate = LINE,
		.responders = true,
		.check_icrc = check->icrc,
		.payload = check->payload};
	struct mbuf_tmpl *tmpl = mbuf_tmpl_new(2 * QPS, false, NULL, check->payload);
	struct dev port = e->ring;
	unsigned done = 0;
	struct crowd c;
	double ns = 0;

	port.parse = (struct mbuf_parse){.pools.rx = e->pool, .to_pkt = mbuf_parse_best()};
	port.max_len = 4300;
	if (!tmpl || crowd_init(&c, &p, &e->stack))
		give_up("there is no memory");
	while (done < frames) {
		struct pkt *batch[BATCH];
		struct rte_mbuf *m[BATCH];
		unsigned n;
		double from;

		exit_refill(e);
		n = fill(&c, batch);
		for (unsigned at = 0; at < n; at += EAL_BURST)
			mbuf_render(&e->told, tmpl, batch + at, m + at,
				n - at < EAL_BURST ? n - at : EAL_BURST, 0);
		if (cold)
			forget(m, n);
		if (rte_ring_enqueue_bulk(e->near, (void **)m, n, NULL) != n)
			give_up("the port leaves frames in its ring");
		from = crowd_cpu_ns();
		for (unsigned got = 1; got;) {
			got = dev_rx(&port, batch, NULL, c.now);
			nic_rx(c.to, 0, batch, got, c.now);
		}
		ns += crowd_cpu_ns() - from;
		crowd_return(&c);
		done += n;
	}
	if (nic_stats(c.to)->rx_icrc_errors || nic_stats(c.to)->rx_payload_errors ||
		nic_stats(c.to)->out_of_sequence) {
		printf("refused frames were lost or wrong\n");
		exit(REFUSED);
	}
	crowd_fini(&c);
	mbuf_tmpl_free(tmpl);
	return ns / done;
}

int gen_rx_checked(char **arg, int n)
{
	unsigned frames = (unsigned)atoi(arg[0]);
	static struct exit_ports e;

	(void)n;
	exit_open(&e, OCTETS, 1, NULL);
	for (unsigned i = 0; i < sizeof(checks) / sizeof(checks[0]); i++)
		for (unsigned cold = 0; cold < 2; cold++)
			printf("%s.%s %.2f\n", checks[i].name, cold ? "cold" : "cached",
				receive(&e, &checks[i], cold, frames));
	exit_close(&e);
	return 0;
}
