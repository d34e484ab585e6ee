// SPDX-License-Identifier: BSD-3-Clause
// The switch under mixed traffic, for callgrind: 1024 flows of several sizes between many
// addresses, features as users have them on; a fixed number of frames, and no clock is read.
#include "sw_mix.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/prng.h"
#include "sw/sw.h"
#include "sw_feature.h"
#include "wire/eth.h"

#define PORTS   FEATURE_PORTS
#define HOT     (PORTS - 1) // where half of the flows go
#define UPLINKS 2           // ports 6 and 7 are equal ways to the same hosts
#define DOWN    (HOT - UPLINKS)
#define HOSTS   32 // behind each port
#define FLOWS   1024
#define PKTS    4096
#define BURST   32
#define PS      80 // a byte at 100 Gb/s

struct flow {
	enum pkt_kind kind;
	uint16_t len;
	uint8_t tos;
};

struct mix {
	struct sw *sw;
	struct feature_params params;
	struct sw_fdb_params fdb[PORTS * HOSTS];
	struct pkt_stack stack;
	struct ev_ring events;
	struct hdr hdr[FLOWS + 1]; // by id
	struct flow flow[FLOWS + 1];
	struct pkt *slot[PKTS];
	struct ev ev[1024];
	struct feature_cell cell[PKTS];
	tstamp due[PORTS], now;
	struct prng rng;
	unsigned tx_burst, shards;
	uint64_t frames, pfc, marked;
};

static void set_mac(uint8_t *mac, unsigned port, unsigned host)
{
	memcpy(mac, (uint8_t[]){2, 0, 0, 0, (uint8_t)port, (uint8_t)host}, 6);
}

// Data in class 3 with a marker, PFC and its watchdog; ACKs and CNPs first, in class 6; the rest in
// class 0 with a drop curve. Two ports are equal ways, their hosts' static entries say so.
static void switch_params(struct mix *m)
{
	struct sw_set_params *set = &m->params.set;
	struct sw_params *p = &m->params.p;

	feature_none(&m->params);
	feature_named("watchdog")->on(&m->params);
	feature_named("bench")->on(&m->params);
	memset(set->dscp_to_class, 0, sizeof(set->dscp_to_class));
	set->dscp_to_class[24] = 3;
	set->dscp_to_class[48] = 6;
	set->cls[6].strict = true;
	set->cls[0].weight = 10;
	set->cls[0].wred = SW_WRED_NOT_ECT;
	set->cls[0].wred_drop = (struct red_params){50000, 200000, 0.1};
	for (unsigned i = 0; i < PORTS; i++) {
		m->params.port[i].mtu = 9216;
		m->params.port[i].pg[3].headroom_bytes = 300000;
	}
	for (unsigned i = 0; i < PORTS * HOSTS; i++) {
		unsigned port = i / HOSTS;

		set_mac(m->fdb[i].mac, port, i % HOSTS);
		m->fdb[i].port = (uint16_t)port;
		m->fdb[i].ecmp = port >= DOWN && port < HOT;
	}
	p->fdb = m->fdb;
	p->n_fdb = PORTS * HOSTS;
	m->params.ecmp.port[0] = 1ull << DOWN | 1ull << (DOWN + 1);
	p->ecmp = &m->params.ecmp;
	p->n_ecmp = 1;
	p->shared_hdrs = FLOWS + 1;
}

// Flow i comes in at port (i - 1) % HOT; those with an odd (i - 1) / HOT leave at the hot port, the
// others at a port that is not theirs.
static void make_flow(struct mix *m, unsigned i)
{
	static const struct flow mix[] = {
		{PKT_DATA, 1082, 24 << 2 | ECN_ECT0},
		{PKT_DATA, 1082, 24 << 2 | ECN_ECT0},
		{PKT_DATA, 1082, 24 << 2 | ECN_ECT0},
		{PKT_DATA, 570, 24 << 2 | ECN_ECT0},
		{PKT_DATA, 4154, 24 << 2 | ECN_ECT0},
		{PKT_ACK, 62, 48 << 2 | ECN_ECT0},
		{PKT_CNP, 74, 48 << 2 | ECN_ECT0},
		{PKT_OTHER, 1514, ECN_NOT_ECT},
	};
	unsigned in = (i - 1) % HOT, nth = (i - 1) / HOT;
	unsigned out = nth & 1     ? HOT
		       : in < DOWN ? (in + 1 + nth / 2 % (HOT - 1)) % HOT
				   : nth / 2 % DOWN;
	struct hdr *h = &m->hdr[i];

	m->flow[i] = mix[nth / 2 % 8];
	if (m->flow[i].kind == PKT_OTHER)
		m->flow[i].len = (uint16_t)(60 + prng_below(&m->rng, 1455));
	*h = (struct hdr){
		.ethertype = nth % 4 ? ETH_P_IPV4 : ETH_P_IPV6,
		.flags = nth % 4 ? HDR_IPV4 : HDR_IPV6,
		.proto = m->flow[i].kind == PKT_OTHER ? 6 : 17,
		.ttl = 64,
		.sport = (uint16_t)(49152 + i),
		.dport = 4791,
		.id = i,
	};
	set_mac(h->dst, out, i % HOSTS);
	set_mac(h->src, in, i / HOSTS % HOSTS);
	for (unsigned k = 0; k < (nth % 4 ? 4u : 16u); k++) {
		h->saddr[k] = (uint8_t)prng_u32(&m->rng);
		h->daddr[k] = (uint8_t)prng_u32(&m->rng);
	}
}

static int start(struct mix *m, unsigned burst, unsigned shards)
{
	struct pkt_stack *stack[SW_SHARDS];
	struct ev_ring *events[SW_SHARDS];

	memset(m, 0, sizeof(*m));
	m->shards = shards;
	for (unsigned k = 0; k < shards; k++) {
		stack[k] = &m->stack;
		events[k] = &m->events;
	}
	prng_init(&m->rng, 1, "sw_mix");
	switch_params(m);
	m->params.p.shards = shards;
	m->params.p.tolerance_ps = burst > 1 ? 40 * 1106 * PS : 0;
	m->tx_burst = burst;
	for (unsigned i = 1; i <= FLOWS; i++)
		make_flow(m, i);
	for (unsigned i = 0; i < PORTS; i++)
		m->due[i] = TSTAMP_NEVER;
	m->events =
		(struct ev_ring){.slot = m->ev, .mask = 1023, .want = ~(1ull << EV_XOFF_HOLDER)};
	m->stack = (struct pkt_stack){.slot = m->slot,
		.cap = PKTS,
		.reserve = 64,
		.data_off = offsetof(struct feature_cell, room),
		.room = sizeof(m->cell->room)};
	for (unsigned i = 0; i < PKTS; i++)
		pkt_put(&m->stack, &m->cell[i].p);
	return shards > 1 ? sw_cut_init(&m->sw, &m->params.p, stack, events)
			  : sw_init(&m->sw, &m->params.p, &m->stack, &m->events);
}

static struct sw *owner(const struct mix *m, unsigned port)
{
	return sw_shard(m->sw, port % m->shards);
}

static void fill(struct mix *m, struct pkt *p, unsigned flow, bool own)
{
	*p = (struct pkt){
		.hdr = &m->hdr[flow],
		.len = m->flow[flow].len,
		.kind = (uint8_t)m->flow[flow].kind,
		.tos = m->flow[flow].tos,
	};
	if (own) {
		*pkt_own_hdr(p) = m->hdr[flow];
		pkt_own_hdr(p)->id = 0;
		p->hdr = pkt_own_hdr(p);
	}
}

// Up to `burst` frames of one port, some flows of it in turn. To the hot port while its queue is
// short.
static unsigned arrive(struct mix *m, unsigned burst, bool own)
{
	unsigned hot = PKTS - m->stack.n < FEATURE_QUEUED,
		 port = (unsigned)prng_below(&m->rng, HOT);
	unsigned n = burst > 1 ? 1 + (unsigned)prng_below(&m->rng, burst) : 1, flow = 0;
	struct pkt *in[BURST];
	tstamp wire = 0;

	for (unsigned i = 0; i < n; i++) {
		if (!flow || prng_below(&m->rng, 4) == 0)
			flow = 1 + port +
			       HOT * (2 * (unsigned)prng_below(&m->rng, FLOWS / HOT / 2) + hot);
		in[i] = pkt_get(&m->stack);
		fill(m, in[i], flow, own);
		wire += (in[i]->len + PKT_WIRE) * PS;
	}
	m->now += wire / 2; // as much again comes by another port meanwhile
	sw_rx(owner(m, port), port, in, n, m->now);
	return n;
}

// A peer stops class 3 for a microsecond.
static void pause(struct mix *m)
{
	static const struct hdr h = {.dst = {1, 0x80, 0xc2, 0, 0, 1},
		.src = {2, 0, 0, 0, 0, 1},
		.ethertype = ETH_P_MAC_CONTROL,
		.id = HDR_ID_NODE};
	struct pkt *p = pkt_get(&m->stack);
	unsigned port;

	*p = (struct pkt){.hdr = &h,
		.len = 60,
		.kind = PKT_PFC,
		.u.pfc = {.enable = 8, .quanta = {[3] = 200}}};
	port = (unsigned)prng_below(&m->rng, PORTS);
	sw_rx(owner(m, port), port, &p, 1, m->now);
}

static void leave(struct mix *m, unsigned port)
{
	struct pkt *out[BURST];
	unsigned n = sw_tx(owner(m, port), port, out, m->tx_burst, m->now);

	for (unsigned i = 0; i < n; i++) {
		m->pfc += out[i]->kind == PKT_PFC;
		m->marked += (out[i]->flags & PKT_F_CE) != 0;
		pkt_put(&m->stack, out[i]);
	}
	m->due[port] = sw_deadline(owner(m, port), port);
}

static void serve(struct mix *m, unsigned shard)
{
	struct node_touched *t = sw_touched(sw_shard(m->sw, shard));

	for (uint64_t w = t->word[0]; w; w &= w - 1) {
		unsigned port = (unsigned)__builtin_ctzll(w);

		m->due[port] = sw_deadline(sw_shard(m->sw, shard), port);
	}
	t->word[0] = 0;
	for (unsigned port = shard; port < PORTS; port += m->shards)
		while (m->due[port] <= m->now)
			leave(m, port);
	m->events.tail = m->events.head;
}

// Each shard's turn: what the others have sent it, its ports, what it sends them.
static void turns(struct mix *m)
{
	for (unsigned k = 0; k < m->shards; k++) {
		if (m->shards > 1) {
			sw_fabric_ahead(sw_shard(m->sw, k));
			sw_fabric_rx(sw_shard(m->sw, k), m->now);
		}
		serve(m, k);
		if (m->shards > 1)
			sw_fabric_push(sw_shard(m->sw, k));
	}
}

int sw_mix_run(unsigned burst, unsigned frames, unsigned shards)
{
	struct mix *m = malloc(sizeof(*m));
	uint64_t dropped = 0;
	char why[200];
	int rc;

	if (!m || burst < 1 || burst > BURST || start(m, burst, shards))
		return -1;
	for (unsigned i = 0; m->frames < frames; i++) {
		m->frames += arrive(m, burst, burst > 1);
		if (i % 256 == 0)
			pause(m);
		turns(m);
	}
	for (unsigned port = 0; port < PORTS; port++)
		for (unsigned d = 0; d < SW_DROPS; d++)
			dropped += sw_port_stats(m->sw, port).drop[d];
	printf("%llu frames, %llu marked, %llu PFC frames, %llu dropped\n",
		(unsigned long long)m->frames, (unsigned long long)m->marked,
		(unsigned long long)m->pfc, (unsigned long long)dropped);
	rc = sw_conserve(m->sw, why, sizeof(why));
	if (rc)
		fprintf(stderr, "%s\n", why);
	sw_fini(m->sw);
	free(m);
	return rc;
}
