// SPDX-License-Identifier: BSD-3-Clause
// Two NICs under mixed traffic, for callgrind: 256 queue pairs of many addresses, messages of 64
// bytes to 1 MB, IPv4 and IPv6, DCQCN and rate limits, open-loop sources, marks, losses and PFC; a
// fixed number of frames, and no clock is read.
#include "nic_mix.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algo/pacer.h"
#include "base/prng.h"
#include "nic/nic.h"
#include "wire/eth.h"

#define QPS    128 // requesters of each NIC, and as many responders
#define GENS   4   // open-loop sources of each
#define PKTS   8192
#define RATE   (100 * RATE_GBPS)
#define PS     80        // a byte at that rate
#define DELAY  PS_PER_US // of the link, each way
#define MARKED 512       // every so many frames one with CE
#define LOST   16384     // and one that is lost

struct cell { // a descriptor and the header that it may have of its own
	struct pkt p;
	struct hdr own;
};

// One direction of the link.
struct wire {
	struct pkt *head, *tail;
	tstamp next; // arrival of the first frame
};

struct mix {
	struct nic *nic[2];
	struct wire to[2]; // on their way to this NIC
	struct pkt_stack stack;
	struct ev_ring events;
	struct ev ev[1024];
	struct rc_cfg rc[2];
	struct rp_cfg rp;
	struct hdr hdr[2][2][QPS + GENS]; // of the NIC that they go to: data, then ACKs and CNPs
	struct pkt *slot[PKTS];
	struct cell cell[PKTS];
	struct prng rng;
	tstamp due[2], now;
	uint64_t frames, cnps, again, pfc;
};

static void set_hdr(struct mix *m, struct hdr *h, unsigned to, unsigned nth)
{
	bool v4 = nth % 4;
	static uint32_t id;

	*h = (struct hdr){
		.dst = {2, 0, 0, 0, 0, (uint8_t)to},
		.src = {2, 0, 0, 0, 0, (uint8_t)!to},
		.ethertype = v4 ? ETH_P_IPV4 : ETH_P_IPV6,
		.flags = v4 ? HDR_IPV4 : HDR_IPV6,
		.proto = 17,
		.ttl = 64,
		.sport = (uint16_t)(49152 + nth),
		.dport = 4791,
		.id = ++id,
	};
	for (unsigned k = 0; k < (v4 ? 4u : 16u); k++) {
		h->saddr[k] = (uint8_t)prng_u32(&m->rng);
		h->daddr[k] = (uint8_t)prng_u32(&m->rng);
	}
}

static int add_nic(struct mix *m, unsigned i)
{
	struct nic_params p = {
		.name = i ? "b" : "a",
		.seed = 1,
		.mac = {2, 0, 0, 0, 0, (uint8_t)i},
		.rate = RATE,
		.mtu = 9216,
		.strict = 1 << 6,
		.weight = {10, 0, 0, 50},
		.pfc_classes = 1 << 3,
		.quanta = 65535,
		.refresh_permille = 500,
		.rxbuf = {.drain_rate = 90 * RATE_GBPS,
			.size_bytes = 1 << 20,
			.xoff_bytes = 200000,
			.xon_bytes = 150000},
		.np = {.mode = NP_WINDOW, .interval_ps = 50 * PS_PER_US},
		.cnp_class = 6,
		.cnp_tos = 0xc2,
		.max_qps = 2 * QPS,
		.max_sources = 2 * GENS,
		.framing = {.queue_extra = 4, .wire_extra = 24},
		.monitor = true,
	};

	return nic_init(&m->nic[i], &p, &m->stack, &m->events);
}

// Queue pair n of NIC `from`, whose responder is queue pair QPS + n of the other.
static int add_qp(struct mix *m, unsigned from, unsigned n)
{
	static const uint32_t message[] = {64, 300, 1024, 4096, 16384, 65536, 200000, 1 << 20};
	struct nic_qp_params req = {
		.flow = from * QPS + n,
		.qpn = 1 + n,
		.peer_qpn = 1 + QPS + n,
		.data_hdr = &m->hdr[!from][0][n],
		.requester = true,
		.cls = 3,
		.tos = 24 << 2 | ECN_ECT0,
		.rc = &m->rc[n % 5 == 0],
		.message_bytes = message[n % 8],
		.outstanding = 1 + n % 4,
		.catch_up_ps = PACER_AUTO,
		.stop = TSTAMP_NEVER,
	};
	struct nic_qp_params rsp = {
		.flow = from * QPS + n,
		.qpn = 1 + QPS + n,
		.peer_qpn = 1 + n,
		.ack_hdr = &m->hdr[from][1][n],
		.cnp_hdr = &m->hdr[from][1][n],
		.cls = 3,
		.ack_cls = 6,
		.rc = req.rc,
	};

	if (n % 4)
		req.rp = &m->rp;
	else
		req.rate_limit = 200 * RATE_MBPS * (1 + n % 7);
	return nic_add_qp(m->nic[from], &req) || nic_add_qp(m->nic[!from], &rsp);
}

static int add_gen(struct mix *m, unsigned from, unsigned n)
{
	struct gen_params p = {
		.source = from * GENS + n,
		.hdr = &m->hdr[!from][0][QPS + n],
		.min_len = 90,
		.max_len = (uint16_t)(n % 2 ? 1514 : 9014),
		.rate = RATE_GBPS,
		.burst = 1 + n,
		.stop = TSTAMP_NEVER,
		.seed = 1,
		.name = "source",
	};

	return nic_add_gen(m->nic[from], &p);
}

static int start(struct mix *m)
{
	struct rc_params rc = {.mtu = 1024,
		.window = 256,
		.ack_every = 16,
		.rto_ps = PS_PER_MS,
		.retries = RC_NO_LIMIT,
		.recovery = RC_GO_BACK_N};
	struct dcqcn_rp_params rp;
	int rc0, rc1, bad;

	memset(m, 0, sizeof(*m));
	prng_init(&m->rng, 1, "nic_mix");
	m->rp.kind = RP_DCQCN;
	m->events = (struct ev_ring){.slot = m->ev, .mask = 1023, .want = UINT64_MAX};
	m->stack = (struct pkt_stack){.slot = m->slot, .cap = PKTS, .reserve = 64};
	for (unsigned i = 0; i < PKTS; i++)
		pkt_put(&m->stack, &m->cell[i].p);
	rc0 = rc_cfg_init(&m->rc[0], &rc);
	rc.mtu = 4096;
	rc.verb = RC_SEND;
	rc1 = rc_cfg_init(&m->rc[1], &rc);
	bad = rc0 || rc1 || dcqcn_rp_profile(&rp, "paper", RATE) ||
	      dcqcn_rp_cfg_init(&m->rp.u.dcqcn, &rp);
	for (unsigned i = 0; !bad && i < 2; i++)
		bad = add_nic(m, i);
	for (unsigned i = 0; !bad && i < 2 * (QPS + GENS); i++) {
		unsigned from = i % 2, n = i / 2;

		set_hdr(m, &m->hdr[!from][0][n], !from, n);
		set_hdr(m, &m->hdr[from][1][n], from, n);
		bad = n < QPS ? add_qp(m, from, n) : add_gen(m, from, n - QPS);
	}
	return bad;
}

// What NIC `from` sends reaches the other one after the wire's time and the delay.
static void put(struct wire *w, struct pkt *p, tstamp now)
{
	p->when = now + (p->len + PKT_WIRE) * PS + DELAY;
	p->next = NULL;
	if (w->head)
		w->tail->next = p;
	else
		w->head = p;
	w->tail = p;
	w->next = w->head->when;
}

static void send(struct mix *m, unsigned from)
{
	struct pkt *p;
	unsigned n = nic_tx(m->nic[from], 0, &p, 1, m->now);

	m->due[from] = nic_deadline(m->nic[from], 0);
	if (!n)
		return;
	m->frames++;
	m->cnps += p->kind == PKT_CNP;
	m->pfc += p->kind == PKT_PFC;
	m->again += (p->flags & PKT_F_RETX) != 0;
	if (m->frames % LOST == 0) {
		pkt_put(&m->stack, p);
		return;
	}
	if (m->frames % MARKED == 0 && pkt_ecn(p))
		pkt_mark_ce(p);
	put(&m->to[!from], p, m->now);
}

static void arrive(struct mix *m, unsigned at)
{
	struct wire *w = &m->to[at];
	struct pkt *p = w->head;

	w->head = p->next;
	w->next = w->head ? w->head->when : TSTAMP_NEVER;
	nic_rx(m->nic[at], 0, &p, 1, m->now);
	m->due[at] = nic_deadline(m->nic[at], 0);
}

// The next that happens: an arrival before a departure at the same instant.
static void step(struct mix *m)
{
	unsigned at = m->to[1].next < m->to[0].next, from = m->due[1] < m->due[0];

	m->now = tstamp_max(m->now, tstamp_min(m->to[at].next, m->due[from]));
	if (m->to[at].next <= m->now)
		arrive(m, at);
	else
		send(m, from);
	m->events.tail = m->events.head;
}

int nic_mix_run(unsigned frames)
{
	struct mix *m = malloc(sizeof(*m));
	char why[200];
	int rc = 0;

	if (!m || start(m))
		return -1;
	for (unsigned i = 0; i < 2; i++) {
		m->due[i] = nic_deadline(m->nic[i], 0);
		m->to[i].next = TSTAMP_NEVER;
	}
	while (m->frames < frames)
		step(m);
	printf("%llu frames, %llu CNPs, %llu sent again, %llu PFC frames\n",
		(unsigned long long)m->frames, (unsigned long long)m->cnps,
		(unsigned long long)m->again, (unsigned long long)m->pfc);
	for (unsigned i = 0; i < 2; i++) {
		rc = rc ? rc : nic_conserve(m->nic[i], why, sizeof(why));
		nic_fini(m->nic[i]);
	}
	if (rc)
		fprintf(stderr, "%s\n", why);
	free(m);
	return rc;
}
