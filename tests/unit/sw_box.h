// SPDX-License-Identifier: BSD-3-Clause
// A switch on the bench: its packet pool, its events, headers of flows, and short ways to feed it.
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sw/sw.h"

#define BOX_PORTS  6
#define BOX_SETS   4
#define BOX_PKTS   1024
#define BOX_EVENTS 4096
#define BOX_HDRS   64
#define BOX_ROOM   256

struct box_pkt {
	struct pkt p;
	struct hdr own;
	uint8_t room[BOX_ROOM];
};

struct box {
	struct sw *sw;
	struct sw_params params;
	struct sw_port_params port[BOX_PORTS];
	struct sw_set_params set[BOX_SETS]; // of the switch's ports; tests begin with one
	struct pkt_stack stack;
	struct ev_ring events;
	struct hdr hdr[BOX_HDRS]; // [1 + from * BOX_PORTS + to]: host `from` to host `to`
	struct pkt *slot[BOX_PKTS];
	struct ev ev[BOX_EVENTS];
	struct box_pkt pkt[BOX_PKTS];
};

static inline void box_mac(uint8_t mac[6], unsigned host)
{
	memcpy(mac, (uint8_t[]){0x02, 0, 0, 0, 0, (uint8_t)(host + 1)}, 6);
}

// Parameters that a test then changes: 4 ports of 100 Gb/s, 1 MB, class = DSCP / 8 and PCP, strict
// 7, PFC on class 3 with XOFF at 20 KB, XON 4 KB below, 10 KB of headroom.
static inline void box_defaults(struct box *b)
{
	static const char *const name[BOX_PORTS] = {"s:a", "s:b", "s:c", "s:d", "s:e", "s:f"};

	memset(b, 0, sizeof(*b));
	b->params = (struct sw_params){
		.name = "s",
		.seed = 1,
		.n_ports = 4,
		.port = b->port,
		.set = b->set,
		.n_sets = 1,
		.buffer_bytes = 1000000,
		.shared_hdrs = BOX_HDRS,
		.framing = {4, 24, 0, 0},
	};
	for (unsigned i = 0; i < 64; i++)
		b->set->dscp_to_class[i] = (uint8_t)(i / 8);
	for (unsigned i = 0; i < 8; i++)
		b->set->pcp_to_class[i] = b->set->queue_map[i] = b->set->pg_map[i] = (uint8_t)i;
	b->set->cls[7].strict = true;
	b->set->cls[3].pfc = true;
	b->set->cls[3].quanta = 65535;
	b->set->cls[3].refresh_permille = 500;
	for (unsigned i = 0; i < BOX_PORTS; i++) {
		struct sw_port_params *o = &b->port[i];

		o->name = name[i];
		memcpy(o->mac, (uint8_t[]){0x0a, 0, 0, 0, 0, (uint8_t)i}, 6);
		o->rate = 100 * RATE_GBPS;
		o->mtu = 1600;
		for (unsigned c = 0; c < MMU_PGS; c++)
			o->pg[c].static_bytes = 500000;
		o->pg[3] = (struct mmu_pg_params){
			.lossless = true,
			.static_bytes = 20000,
			.headroom_bytes = 10000,
			.xon_offset_bytes = 4000,
		};
	}
}

static inline void box_hdrs(struct box *b)
{
	for (unsigned from = 0; from < BOX_PORTS; from++)
		for (unsigned to = 0; to < BOX_PORTS; to++) {
			unsigned id = 1 + from * BOX_PORTS + to;

			b->hdr[id] =
				(struct hdr){.flags = HDR_IPV4, .ethertype = ETH_P_IPV4, .id = id};
			box_mac(b->hdr[id].src, from);
			box_mac(b->hdr[id].dst, to);
		}
}

static inline int box_try(struct box *b)
{
	b->events = (struct ev_ring){.slot = b->ev, .mask = BOX_EVENTS - 1, .want = UINT64_MAX};
	b->stack = (struct pkt_stack){.slot = b->slot,
		.cap = BOX_PKTS,
		.reserve = 8,
		.data_off = offsetof(struct box_pkt, room),
		.room = BOX_ROOM};
	for (unsigned i = 0; i < BOX_PKTS; i++)
		pkt_put(&b->stack, &b->pkt[i].p);
	box_hdrs(b);
	return sw_init(&b->sw, &b->params, &b->stack, &b->events);
}

static inline void box_start(struct box *b)
{
	assert_int_equal(box_try(b), 0);
}

static inline struct box *box_new(void)
{
	struct box *b = malloc(sizeof(*b));

	assert_non_null(b);
	box_defaults(b);
	return b;
}

static inline void box_free(struct box *b)
{
	char why[200] = "";

	if (sw_conserve(b->sw, why, sizeof(why)))
		fail_msg("%s", why);
	sw_fini(b->sw);
	free(b);
}

// A frame of host `from` to host `to`: PKT_DATA, ECT(0), class by DSCP.
static inline struct pkt *box_pkt(
	struct box *b, unsigned from, unsigned to, unsigned cls, unsigned len)
{
	struct pkt *p = pkt_get(&b->stack);

	assert_non_null(p);
	*p = (struct pkt){
		.hdr = &b->hdr[1 + from * BOX_PORTS + to],
		.len = (uint16_t)len,
		.kind = PKT_DATA,
		.tos = (uint8_t)(cls * 8 << 2 | ECN_ECT0),
	};
	return p;
}

// A frame with a header of its own, as from outside, with bytes.
static inline struct pkt *box_foreign(
	struct box *b, const uint8_t src[6], const uint8_t dst[6], unsigned len)
{
	struct pkt *p = pkt_get(&b->stack);
	struct hdr *h = pkt_own_hdr(p);

	assert_non_null(p);
	*h = (struct hdr){.ethertype = 0x1234};
	memcpy(h->src, src, 6);
	memcpy(h->dst, dst, 6);
	*p = (struct pkt){
		.hdr = h,
		.len = (uint16_t)len,
		.kind = PKT_OTHER,
		.flags = PKT_F_FOREIGN,
		.data_off = b->stack.data_off,
	};
	memset(pkt_bytes(p), 0xa5, len < BOX_ROOM ? len : BOX_ROOM);
	return p;
}

static inline struct pkt *box_pfc(struct box *b, uint8_t enable, uint16_t quanta)
{
	static const struct hdr h = {
		.dst = {0x01, 0x80, 0xc2, 0, 0, 1}, .ethertype = 0x8808, .id = HDR_ID_NODE};
	struct pkt *p = pkt_get(&b->stack);

	assert_non_null(p);
	*p = (struct pkt){.hdr = &h, .len = 60, .kind = PKT_PFC, .u.pfc.enable = enable};
	for (unsigned c = 0; c < PKT_CLASSES; c++)
		p->u.pfc.quanta[c] = enable >> c & 1 ? quanta : 0;
	return p;
}

static inline void box_rx(struct box *b, unsigned port, struct pkt *p, tstamp now)
{
	p->when = now;
	sw_rx(b->sw, port, &p, 1, now);
}

// Host `from`, at the port of its number, sends one frame.
static inline void box_send(
	struct box *b, unsigned from, unsigned to, unsigned cls, unsigned len, tstamp now)
{
	box_rx(b, from, box_pkt(b, from, to, cls, len), now);
}

// One frame from `port` at `now`, or NULL; whoever asks puts it back.
static inline struct pkt *box_tx(struct box *b, unsigned port, tstamp now)
{
	struct pkt *p = NULL;
	unsigned n = sw_tx(b->sw, port, &p, 1, now);

	if (!n)
		assert_true(sw_deadline(b->sw, port) > now);
	return n ? p : NULL;
}

static inline void box_put(struct box *b, struct pkt *p)
{
	assert_non_null(p);
	pkt_put(&b->stack, p);
}

// Sends all that `port` has, at its deadlines until `end`; returns how many frames that were.
static inline unsigned box_drain(struct box *b, unsigned port, tstamp end)
{
	unsigned n = 0;

	while (sw_deadline(b->sw, port) <= end) {
		struct pkt *p = box_tx(b, port, sw_deadline(b->sw, port));

		if (p) {
			pkt_put(&b->stack, p);
			n++;
		}
	}
	return n;
}

// Every host speaks once, so that the switch knows them; queues are empty afterwards.
static inline void box_learn(struct box *b)
{
	for (unsigned i = 0; i < b->params.n_ports; i++)
		box_send(b, i, i ? 0 : 1, 0, 60, 0);
	for (unsigned i = 0; i < b->params.n_ports; i++)
		box_drain(b, i, PS_PER_US);
	while (ev_get(&b->events))
		;
}

// The next event of a type; events of other types before it are skipped. NULL: none.
static inline const struct ev *box_event(struct box *b, enum ev_type type)
{
	const struct ev *e;

	do
		e = ev_get(&b->events);
	while (e && e->type != type);
	return e;
}

static inline uint64_t box_dropped(const struct box *b, unsigned port, enum sw_drop why)
{
	return sw_port_stats(b->sw, port).drop[why];
}

// ECT frames that the marker of an egress queue has seen.
static inline uint64_t box_ect(const struct box *b, unsigned port, unsigned cls)
{
	struct sw_class_stats s = sw_class_stats(b->sw, port, cls);

	return sw_class_ect(&s);
}
