// SPDX-License-Identifier: BSD-3-Clause
// Twins: two like switches, one of which gets bursts and is asked for them, while the other gets
// and gives the same frames one by one. The frames that leave, the events and the state are the
// same.
#pragma once

#include "cut_box.h"
#include "defaults.h"
#include "sw_same.h"

#define T  PS_PER_MS
#define US PS_PER_US

struct twins {
	struct box *a, *b; // bursts, single frames
	unsigned shards;
};

static inline void twins_rx(const struct twins *t, struct box *b, unsigned port, struct pkt **burst,
	unsigned n, tstamp now)
{
	(t->shards > 1 ? sw_cut_rx : sw_rx)(b->sw, port, burst, n, now);
}

static inline unsigned twins_tx(const struct twins *t, struct box *b, unsigned port,
	struct pkt **burst, unsigned max, tstamp now)
{
	return (t->shards > 1 ? sw_cut_tx : sw_tx)(b->sw, port, burst, max, now);
}

static inline struct box *twins_start(void (*set)(struct box *b), unsigned shards)
{
	struct box *b = box_new();

	b->params.tolerance_ps = 2 * US;
	set(b);
	if (shards > 1)
		assert_int_equal(cut_try(b, shards), 0);
	else
		box_start(b);
	for (unsigned i = 1; i <= BOX_PORTS * BOX_PORTS; i++) { // host 0 is 10.0.0.1
		struct hdr *h = &b->hdr[i];

		h->saddr[0] = h->daddr[0] = 10;
		h->saddr[3] = h->src[5];
		h->daddr[3] = h->dst[5];
		h->dport = BTH_UDP_PORT;
		h->proto = IP_PROTO_UDP;
	}
	return b;
}

static inline void twins_same(const struct twins *t)
{
	const struct ev *e, *f;

	for (unsigned k = 0; k < t->shards; k++)
		same_switch(sw_shard(t->a->sw, k), sw_shard(t->b->sw, k));
	do {
		e = ev_get(&t->a->events);
		f = ev_get(&t->b->events);
		assert_int_equal(!e, !f);
		if (e)
			assert_memory_equal(e, f, sizeof(*e));
	} while (e);
}

// Makes frame i of n that come in at a port. Frames of a group stand together.
typedef struct pkt *twins_make(struct box *b, unsigned i);

static inline void both_get(
	const struct twins *t, unsigned port, twins_make *frame, unsigned n, tstamp now)
{
	struct pkt *burst[SW_BURST];

	for (unsigned i = 0; i < n; i++)
		burst[i] = frame(t->a, i);
	twins_rx(t, t->a, port, burst, n, now);
	for (unsigned i = 0; i < n; i++) {
		struct pkt *p = frame(t->b, i);

		twins_rx(t, t->b, port, &p, 1, now);
	}
	twins_same(t);
}

// Each shard takes what the fabric has for it.
static inline void both_cross(const struct twins *t, tstamp now)
{
	cut_cross(t->a, now);
	cut_cross(t->b, now);
	twins_same(t);
}

// Both give up to `max` frames, which are the same. Returns how many.
static inline unsigned both_give(const struct twins *t, unsigned port, unsigned max, tstamp now)
{
	struct pkt *x[SW_BURST], *y[SW_BURST];
	unsigned n = twins_tx(t, t->a, port, x, max, now), m = 0;

	while (m < max && twins_tx(t, t->b, port, &y[m], 1, now))
		m++;
	assert_int_equal(n, m);
	for (unsigned i = 0; i < n; i++) {
		assert_int_equal(x[i]->kind, y[i]->kind);
		assert_int_equal(x[i]->len, y[i]->len);
		assert_int_equal(x[i]->tos, y[i]->tos);
		assert_int_equal(x[i]->cls, y[i]->cls);
		assert_int_equal(x[i]->in_port, y[i]->in_port);
		pkt_put(&t->a->stack, x[i]);
		pkt_put(&t->b->stack, y[i]);
	}
	twins_same(t);
	return n;
}

static inline void both_empty(const struct twins *t, tstamp now)
{
	for (unsigned i = 0; i < t->a->params.n_ports; i++, now += T)
		while (both_give(t, i, SW_BURST, now))
			now += 2 * US;
	if (t->shards > 1)
		both_cross(t, now);
}

// Hosts have spoken, and nothing waits any more.
static inline struct twins twins_new(void (*set)(struct box *b), unsigned shards)
{
	struct twins t = {twins_start(set, shards), twins_start(set, shards), shards};

	for (unsigned i = 0; i < t.a->params.n_ports; i++) {
		struct pkt *p = box_pkt(t.a, i, i ? 0 : 1, 0, 60);
		struct pkt *q = box_pkt(t.b, i, i ? 0 : 1, 0, 60);

		twins_rx(&t, t.a, i, &p, 1, 0);
		twins_rx(&t, t.b, i, &q, 1, 0);
	}
	if (shards > 1)
		both_cross(&t, US);
	both_empty(&t, US);
	return t;
}

static inline void twins_free(const struct twins *t, tstamp now)
{
	both_empty(t, now);
	box_free(t->a);
	box_free(t->b);
}

// Fast CNP: the marks of class 1 make CNPs.
static inline void tell_senders(struct box *b, enum sw_mark where)
{
	struct sw_params *sp = &b->params;

	sp->fast_cnp_on = true;
	fast_cnp_defaults(&sp->fast_cnp.table);
	sp->fast_cnp.table.entries = 64;
	sp->fast_cnp.cnp_class = 6;
	sp->fast_cnp.cnp_tos = 0xc2;
	b->set->cls[1].force_ce = true;
	b->set->cls[1].mark = where;
	b->set->cls[1].fast_cnp = SW_FAST_CNP_INSTEAD;
}

// An ACK by way of host `from` to host `to`, of data that host `sender` sends to host 1.
static inline struct pkt *ack(
	struct box *b, unsigned from, unsigned to, unsigned sender, unsigned cls)
{
	struct pkt *p = box_pkt(b, from, to, cls, 62);
	struct hdr *h = pkt_own_hdr(p);

	*h = *p->hdr;
	h->id = 0;
	h->saddr[3] = 2;
	h->daddr[3] = (uint8_t)(1 + sender);
	p->hdr = h;
	p->kind = PKT_ACK;
	p->u.rc = (struct pkt_rc){.opcode = 0x11, .qpn = 0x11};
	return p;
}
