// SPDX-License-Identifier: BSD-3-Clause
// The cost of a frame in the NIC: tx, rx and both together, by number of queue pairs and pacing;
// and the cost of the ICRC check for frames that arrive as bytes.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "nic_mix.h"
#include "algo/pacer.h"
#include "nic/nic.h"
#include "wire/bth.h"
#include "frame/frame.h"

#define PKTS  1024
#define BATCH 256     // frames between two readings of the clock
#define LATER 3000064 // 3 M frames in whole batches
#define MTU   4300
#define ROOM  (sizeof(struct pkt) + sizeof(struct hdr) + MTU)

struct bench {
	struct nic *nic[2];
	struct pkt *slot[PKTS];
	struct pkt_stack stack;
	struct ev ev;
	struct ev_ring events;
	struct hdr hdr[2];
	struct rc_cfg rc;
	struct rp_cfg rp;
	unsigned paced;
};

struct row {
	const char *what;
	unsigned qps, cuts, path_mtu;
	bool bytes;      // frames come to b as from a real port
	bool check;      // of their ICRC
	unsigned before; // frames that have been sent before those that count
	bool limited;    // to a share each of 95 % of the line, so that all gaps run at once
};

// Processor time: others may run on the machine.
static double cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

static void add_nics(struct bench *b, const struct row *row)
{
	for (unsigned i = 0; i < 2; i++) {
		struct nic_params p = {
			.name = i ? "b" : "a",
			.mac = {2, 0, 0, 0, 0, (uint8_t)i},
			.rate = 100 * RATE_GBPS,
			.mtu = MTU,
			.pfc_classes = 1 << 3,
			.quanta = 65535,
			.np = {.mode = NP_WINDOW, .interval_ps = 50 * PS_PER_US},
			.cnp_class = 6,
			.max_qps = row->qps,
			.strict = 1 << 6,
			.framing = {.queue_extra = 4, .wire_extra = 24},
			.check_icrc = row->check,
		};

		memcpy(b->hdr[i].dst, p.mac, 6);
		b->hdr[i].ethertype = ETH_P_IPV4;
		b->hdr[i].flags = HDR_IPV4;
		b->hdr[i].proto = IP_PROTO_UDP;
		b->hdr[i].dport = BTH_UDP_PORT;
		b->hdr[i].id = i + 1;
		if (nic_init(&b->nic[i], &p, &b->stack, &b->events))
			exit(1);
	}
}

static void add_qps(struct bench *b, const struct row *row)
{
	for (uint32_t q = 1; q <= row->qps; q++) {
		struct nic_qp_params req = {
			.flow = q,
			.qpn = q,
			.peer_qpn = q,
			.data_hdr = &b->hdr[1],
			.requester = true,
			.cls = 3,
			.tos = 2,
			.rc = &b->rc,
			.rp = b->paced ? &b->rp : NULL,
			.message_bytes = 1 << 20,
			.outstanding = 4,
			.catch_up_ps = PACER_AUTO,
			.stop = TSTAMP_NEVER,
			.rate_limit = row->limited ? 95 * RATE_GBPS / row->qps : 0,
			.phase = q * 2654435761u,
		};
		struct nic_qp_params rsp = {
			.qpn = q,
			.peer_qpn = q,
			.ack_hdr = &b->hdr[0],
			.cnp_hdr = &b->hdr[0],
			.cls = 3,
			.ack_cls = 6,
			.rc = &b->rc,
		};

		if (nic_add_qp(b->nic[0], &req) || nic_add_qp(b->nic[1], &rsp))
			exit(1);
	}
}

static void setup(struct bench *b, const struct row *row)
{
	struct rc_params rc = {.mtu = row->path_mtu,
		.window = 4096,
		.ack_every = 16,
		.rto_ps = PS_PER_MS,
		.retries = RC_NO_LIMIT,
		.recovery = RC_GO_BACK_N};
	struct dcqcn_rp_params rp;

	memset(b, 0, sizeof(*b));
	b->paced = row->cuts;
	b->rp.kind = RP_DCQCN;
	b->stack = (struct pkt_stack){.slot = b->slot, .cap = PKTS, .reserve = 16};
	b->events.slot = &b->ev;
	for (unsigned i = 0; i < PKTS; i++)
		pkt_put(&b->stack, aligned_alloc(64, (ROOM + 63) / 64 * 64));
	if (rc_cfg_init(&b->rc, &rc) || dcqcn_rp_profile(&rp, "paper", 100 * RATE_GBPS) ||
		dcqcn_rp_cfg_init(&b->rp.u.dcqcn, &rp))
		exit(1);
	add_nics(b, row);
	add_qps(b, row);
	for (uint32_t q = 1; q <= row->qps; q++) {
		for (unsigned i = 0; i < row->cuts; i++) {
			struct pkt *p = pkt_get(&b->stack);

			*p = (struct pkt){
				.hdr = &b->hdr[0], .len = 74, .kind = PKT_CNP, .u.rc = {.qpn = q}};
			nic_rx(b->nic[0], 0, &p, 1, i);
		}
	}
}

static void teardown(struct bench *b)
{
	for (unsigned i = 0; i < 2; i++)
		nic_fini(b->nic[i]);
	while (b->stack.n)
		free(b->stack.slot[--b->stack.n]);
}

// A frame of ours as it would come from a real port.
static void to_bytes(struct pkt *p)
{
	uint16_t off = sizeof(struct pkt) + sizeof(struct hdr);

	frame_from_pkt(p, (uint8_t *)p + off);
	p->data_off = off;
	if (frame_to_pkt(p, MTU) != PKT_DATA)
		exit(1);
}

// Frames go from a to b in batches, ACKs back at once; only the two timed calls count. Returns what
// rx costs, ns.
static double run(const struct row *row, unsigned frames)
{
	static struct bench b;
	struct pkt *batch[BATCH];
	double tx = 0, rx = 0, ack = 0;
	unsigned sent = 0, done = 0, calls = 0;
	tstamp now = 0;

	setup(&b, row);
	while (done < frames) {
		unsigned n = 0;
		double t0 = cpu_ns(), t1, t2, t3;

		while (n < BATCH) {
			now = tstamp_max(now, nic_deadline(b.nic[0], 0));
			if (now == TSTAMP_NEVER)
				exit(1);
			n += nic_tx(b.nic[0], 0, batch + n, 1, now);
			calls += sent >= row->before;
		}
		t1 = cpu_ns();
		for (unsigned i = 0; row->bytes && i < n; i++)
			to_bytes(batch[i]);
		t2 = cpu_ns();
		for (unsigned i = 0; i < n; i++)
			nic_rx(b.nic[1], 0, &batch[i], 1, now);
		t3 = cpu_ns();
		while (nic_deadline(b.nic[1], 0) != TSTAMP_NEVER) {
			now = tstamp_max(now, nic_deadline(b.nic[1], 0));
			if (nic_tx(b.nic[1], 0, batch, 1, now))
				nic_rx(b.nic[0], 0, batch, 1, now);
		}
		sent += n;
		if (sent <= row->before)
			continue;
		tx += t1 - t0;
		rx += t3 - t2;
		ack += cpu_ns() - t3;
		done += n;
	}
	printf("%-28s tx %6.1f ns  rx %6.1f ns  ack %6.1f ns a frame, %.2f tx calls a frame\n",
		row->what, tx / done, rx / done, ack / done, (double)calls / done);
	teardown(&b);
	return rx / done;
}

int main(int argc, char **argv)
{
	static const struct row rows[] = {
		{"1 qp, line rate", 1, 0, 1024, false, false, 0, false},
		{"1 qp, paced", 1, 3, 1024, false, false, 0, false},
		{"16 qps, line rate", 16, 0, 1024, false, false, 0, false},
		{"16 qps, paced", 16, 3, 1024, false, false, 0, false},
		{"1000 qps, line rate", 1000, 0, 1024, false, false, 0, false},
		{"1000 qps, paced", 1000, 10, 1024, false, false, 0, false},
		{"64 qps, DCQCN", 64, 3, 1024, false, false, 0, false},
		{"  after 3 M frames", 64, 3, 1024, false, false, LATER, false},
		{"16 Ki qps, DCQCN", 1 << 14, 3, 1024, false, false, 0, false},
		{"  after 3 M frames", 1 << 14, 3, 1024, false, false, LATER, false},
		{"64 Ki qps, DCQCN", 1 << 16, 3, 1024, false, false, 0, false},
		{"  after 3 M frames", 1 << 16, 3, 1024, false, false, LATER, false},
		{"64 qps, limited", 64, 0, 1024, false, false, 0, true},
		{"4 Ki qps, limited", 1 << 12, 0, 1024, false, false, 0, true},
		{"64 Ki qps, limited", 1 << 16, 0, 1024, false, false, 0, true},
		{"1082 bytes, ICRC unread", 16, 0, 1024, true, false, 0, false},
		{"1082 bytes, ICRC checked", 16, 0, 1024, true, true, 0, false},
		{"4154 bytes, ICRC unread", 16, 0, 4096, true, false, 0, false},
		{"4154 bytes, ICRC checked", 16, 0, 4096, true, true, 0, false},
	};
	unsigned frames = argc > 1 ? (unsigned)atoi(argv[1]) : 1000000;
	double unread = 0;

	// nic_bench [FRAMES [ROW]]: one row alone is for callgrind. nic_bench mix FRAMES: mixed
	// traffic, without a clock.
	if (argc == 3 && !strcmp(argv[1], "mix"))
		return nic_mix_run((unsigned)strtoul(argv[2], NULL, 10)) != 0;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (argc == 3 && (unsigned)atoi(argv[2]) != i)
			continue;

		double rx = run(&rows[i], frames);

		if (rows[i].check && argc < 3)
			printf("%-28s %.1f ns a frame\n", "  the check costs", rx - unread);
		unread = rx;
	}
	return 0;
}
