// SPDX-License-Identifier: BSD-3-Clause
// A scene in virtual time, one event after the other, whose ports to devices a fuzz target has in
// its hand: it puts frames in, and looks at those that leave.
#pragma once

#include <string.h>

#include "compile/compile.h"
#include "frame/frame.h"
#include "fuzz.h"
#include "scene/scene.h"
#include "world/world.h"

#define WORLD_NODES  8
#define WORLD_PORTS  8
#define WORLD_POOL   8192
#define WORLD_KEPT   512 // of them for control frames only
#define WORLD_EVENTS 512 // of a node, between two events

struct world_wire {
	struct pkt *head, *tail;
};

struct world {
	const struct scene *scene;
	struct net *net;
	struct pkt_stack stack, *stacks[WORLD_NODES];
	struct world_wire in[WORLD_NODES][WORLD_PORTS];
	tstamp due[WORLD_NODES][WORLD_PORTS]; // deadline of each port
	tstamp now;
	unsigned left; // events that may still happen
	// Is told of each frame that leaves by a device, with its bytes.
	void (*leaves)(struct world *w, unsigned node, const struct pkt *p, const uint8_t *bytes);
};

static inline const struct scene_port *world_port(
	const struct world *w, unsigned node, unsigned port)
{
	return port < w->scene->node[node].n_ports ? &w->scene->node[node].port[port] : NULL;
}

// The scene of a text, with as many shards of its switch, compiled as for the real clock.
static inline const struct scene *world_compile(const char *text, const char *shards)
{
	const struct scene_set set = {"switches.s1.shards", shards};
	const struct scene_opts opts = {
		.text = text, .size = strlen(text), .set = &set, .n_set = 1, .real = true};
	struct scene *s;
	struct err err;

	if (compile_scene(&s, "world", &opts, &err)) {
		fprintf(stderr, "%s\n", err.text);
		abort();
	}
	return s;
}

static inline void world_pool(struct world *w)
{
	static struct pkt *slot[WORLD_POOL];
	static uint8_t *pool;
	size_t room = w->scene->max_frame + 8;
	size_t stride = (sizeof(struct pkt) + sizeof(struct hdr) + room + 63) & ~(size_t)63;

	fuzz_check(stride <= 4096);
	if (!pool)
		pool = aligned_alloc(64, (size_t)WORLD_POOL * 4096);
	fuzz_check(pool);
	w->stack = (struct pkt_stack){.slot = slot,
		.data_off = sizeof(struct pkt) + sizeof(struct hdr),
		.room = (uint16_t)room};
	pkt_stack_range(&w->stack, pool, WORLD_POOL, (uint32_t)stride, WORLD_KEPT);
}

static inline void world_open(struct world *w, const struct scene *s, unsigned events)
{
	struct net_opts opts = {
		.event_slots = WORLD_EVENTS, .event_want = UINT64_MAX, .devices = true};
	struct err err;

	*w = (struct world){.scene = s, .left = events};
	fuzz_check(s->n_nodes <= WORLD_NODES);
	world_pool(w);
	for (unsigned i = 0; i < s->n_nodes; i++)
		w->stacks[i] = &w->stack;
	opts.stack = w->stacks;
	if (net_build(&w->net, s, &opts, &err)) {
		fprintf(stderr, "%s\n", err.text);
		abort();
	}
	for (unsigned i = 0; i < s->n_nodes; i++) {
		struct net_node *n = net_node(w->net, i);

		fuzz_check(net_ports(n) <= WORLD_PORTS);
		for (unsigned p = 0; p < net_ports(n); p++)
			w->due[i][p] = net_deadline(n, p);
		*n->touched = (struct node_touched){0};
	}
}

// Does the driver's part after each call: takes the events, and asks the ports whose deadline may
// have changed for it.
static inline void world_settle(struct world *w, unsigned node)
{
	struct net_node *n = net_node(w->net, node);
	uint64_t touched = n->touched->word[0];

	for (; n->events.tail != n->events.head; n->events.tail++) {
		const struct ev *e = &n->events.slot[n->events.tail & n->events.mask];

		fuzz_check(e->type > EV_NONE && e->type < EV_TYPES);
	}
	fuzz_check(!n->events.lost);
	n->touched->word[0] = 0;
	for (unsigned p = 0; p < net_ports(n); p++)
		if (touched >> p & 1)
			w->due[node][p] = tstamp_max(net_deadline(n, p), w->now);
}

static inline void world_rx(struct world *w, unsigned node, unsigned port, struct pkt *p)
{
	struct net_node n = *net_node(w->net, node);

	n.kind = (enum scene_kind)net_kind(&n);
	net_rx(&n, port, &p, 1, w->now);
	world_settle(w, node);
}

// A frame comes in by a device. False: there is no descriptor for it.
static inline bool world_put(
	struct world *w, unsigned node, unsigned port, const uint8_t *bytes, unsigned len)
{
	const struct scene_port *sp = world_port(w, node, port);
	struct pkt *p = len && len <= w->stack.room ? pkt_get(&w->stack) : NULL;

	if (!p)
		return false;
	*p = (struct pkt){.len = (uint16_t)len,
		.data_off = w->stack.data_off,
		.when = w->now,
		.born = TSTAMP_NEVER};
	memcpy(pkt_bytes(p), bytes, len);
	frame_to_pkt(p, (uint16_t)sp->mtu);
	world_rx(w, node, port, p);
	return true;
}

static inline void world_leave(struct world *w, unsigned node, unsigned port, struct pkt *p)
{
	uint8_t bytes[PKT_MAX_LEN];
	struct frame f;

	if (p->data_off) {
		frame_patch(p);
		memcpy(bytes, pkt_bytes(p), p->len);
	} else {
		fuzz_check(frame_from_pkt(p, bytes) == p->len);
		fuzz_check(frame_parse(bytes, p->len, &f) == FRAME_OK);
		fuzz_check(!pkt_is_roce(f.kind) || frame_icrc_ok(&f, bytes));
	}
	fuzz_check(p->len <= world_port(w, node, port)->mtu);
	if (w->leaves)
		w->leaves(w, node, p, bytes);
	pkt_put(&w->stack, p);
}

static inline void world_tx(struct world *w, unsigned node, unsigned port)
{
	const struct scene_port *sp = world_port(w, node, port);
	struct net_node n = *net_node(w->net, node);
	struct pkt *p;
	unsigned got;

	n.kind = (enum scene_kind)net_kind(&n);
	got = net_tx(&n, port, &p, 1, w->now);
	if (!got)
		fuzz_check(net_deadline(&n, port) > w->now);
	w->due[node][port] = tstamp_max(net_deadline(&n, port), w->now);
	world_settle(w, node);
	if (!got)
		return;
	fuzz_check(sp);
	if (sp->peer_node < 0) {
		world_leave(w, node, port, p);
		return;
	}
	struct world_wire *wire = &w->in[sp->peer_node][sp->peer_port];

	p->when = w->now + rate_time(rate_byte_ps(sp->rate), p->len + PKT_WIRE) + sp->delay +
		  w->scene->node[node].latency;
	p->next = NULL;
	if (wire->head)
		wire->tail->next = p;
	else
		wire->head = p;
	wire->tail = p;
}

// The next event: arrivals go first. False: none is due before `until`, or none may be.
static inline bool world_event(struct world *w, tstamp until)
{
	unsigned node = 0, port = 0;
	tstamp first = TSTAMP_NEVER;
	bool arrives = false;

	for (unsigned i = 0; i < w->scene->n_nodes; i++) {
		for (unsigned p = 0; p < net_ports(net_node(w->net, i)); p++) {
			const struct pkt *head = w->in[i][p].head;
			bool is_rx = head && head->when <= w->due[i][p];
			tstamp at = is_rx ? head->when : w->due[i][p];

			if (at > first || (at == first && (arrives || !is_rx)))
				continue;
			first = at;
			arrives = is_rx;
			node = i;
			port = p;
		}
	}
	if (first >= until || !w->left)
		return false;
	w->left--;
	w->now = tstamp_max(w->now, first);
	if (arrives) {
		struct pkt *p = w->in[node][port].head;

		w->in[node][port].head = p->next;
		world_rx(w, node, port, p);
	} else {
		world_tx(w, node, port);
	}
	return true;
}

// Time goes on, as long as events may happen.
static inline void world_run(struct world *w, tstamp until)
{
	while (world_event(w, until))
		;
	if (w->left)
		w->now = tstamp_max(w->now, until);
}

// Conservation at every node, and every descriptor has its place.
static inline void world_close(struct world *w)
{
	uint64_t flying = 0;
	struct err err;

	for (unsigned i = 0; i < w->scene->n_nodes; i++)
		for (unsigned p = 0; p < WORLD_PORTS; p++)
			for (const struct pkt *at = w->in[i][p].head; at; at = at->next)
				flying++;
	net_account(w->net, w->now);
	if (net_conserve(w->net, &err)) {
		fprintf(stderr, "%s\n", err.text);
		abort();
	}
	fuzz_check(w->stack.n + w->stack.n_fresh + flying + net_held(w->net) == WORLD_POOL);
	net_free(w->net);
}
