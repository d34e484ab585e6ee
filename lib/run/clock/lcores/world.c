// SPDX-License-Identifier: BSD-3-Clause
// The scene on lcores: every node's ports as slots of its lcore, joined by links, commands beside
// them.
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include <rte_cycles.h>

#include "world.h"
#include "injector.h"
#include "observer.h"
#include "stash.h"

#define RING_SLOTS \
	4096 // between two lcores: what gathers while the receiver is away, not the link's bits
#define RESERVE    256        // descriptors that only control frames may take
#define EVENTS_ALL (1u << 20) // event slots of all nodes together, 40 bytes each
#define EVENTS_MIN 4096
#define EVENTS_MAX 65536

// The nodes of a switch: each shard of a cut switch is a node of its lcore, with slots for all
// ports of the switch.
static unsigned shards_of(const struct rt_world *w, unsigned node)
{
	const struct scene_node *s = &w->scene->node[node];

	return s->kind == SCENE_SW && s->u.sw.shards > 1 ? s->u.sw.shards : 1;
}

static unsigned lcore_of_shard(const struct rt_world *w, unsigned node, unsigned k)
{
	return (w->lcore_of[scene_here(w->scene, node)] + k) % w->n_lcores;
}

static unsigned shard_of_port(const struct rt_world *w, unsigned node, unsigned port)
{
	return port % shards_of(w, node);
}

struct rt_node *rt_world_node(const struct rt_world *w, unsigned node, unsigned shard)
{
	return w->node_of[scene_here(w->scene, node) * SW_SHARDS + shard];
}

unsigned rt_world_lcore(const struct rt_world *w, unsigned node, unsigned port)
{
	return lcore_of_shard(w, node, shard_of_port(w, node, port));
}

// How many nodes an lcore has, and how many ports they have.
static unsigned nodes_on(const struct rt_world *w, unsigned lcore, unsigned *ports)
{
	unsigned n = 0;

	*ports = 0;
	for (unsigned i = 0; i < w->scene->n_nodes; i++)
		for (unsigned k = 0; k < shards_of(w, i); k++) {
			if (lcore_of_shard(w, i, k) != lcore)
				continue;
			n++;
			*ports += w->scene->node[i].n_ports;
		}
	return n;
}

static void *alloc_lines(size_t n, size_t size)
{
	size_t bytes = (n * size + EAL_LINE) / EAL_LINE * EAL_LINE;
	void *p = aligned_alloc(EAL_LINE, bytes);

	if (p)
		memset(p, 0, bytes);
	return p;
}

static struct rt_lcore *lcore_new(const struct rt_world *w, unsigned index, uint32_t stack_cap)
{
	struct rt_lcore *lc = alloc_lines(1, sizeof(*lc));
	unsigned ports, nodes = nodes_on(w, index, &ports);

	if (!lc)
		return NULL;
	lc->due = alloc_lines(ports, sizeof(*lc->due));
	lc->arrive = alloc_lines(ports, sizeof(*lc->arrive));
	lc->end = alloc_lines(ports, sizeof(*lc->end));
	lc->pull = calloc(ports + 1, sizeof(*lc->pull));
	lc->dev = calloc(ports + 1, sizeof(*lc->dev));
	lc->side = calloc(ports + 1, sizeof(*lc->side));
	lc->injector = calloc(ports + 1, sizeof(*lc->injector));
	lc->aside = calloc(ports + 1, sizeof(*lc->aside));
	lc->node = alloc_lines(nodes, sizeof(*lc->node));
	lc->shard = calloc(nodes + 1, sizeof(struct rt_node *));
	lc->cmd = calloc(w->scene->n_events * SW_SHARDS + 1ul, sizeof(*lc->cmd));
	lc->stack.slot = alloc_lines(stack_cap, sizeof(*lc->stack.slot));
	lc->stack.cap = stack_cap;
	lc->stack.reserve = RESERVE;
	for (unsigned i = 0; i < w->scene->n_nodes; i++)
		if ((w->lcore_of[i] == index || shards_of(w, i) > 1) &&
			w->scene->node[i].n_ports > lc->ports_max)
			lc->ports_max = w->scene->node[i].n_ports;
	lc->index = index;
	lc->span = UINT32_MAX; // without a pool there is nothing to level
	lc->timing.slip_limit = TSTAMP_NEVER;
	lc->next_ctl = TSTAMP_NEVER;
	hist_init(&lc->timing.gap);
	return lc;
}

static bool lcore_whole(const struct rt_lcore *lc)
{
	return lc && lc->due && lc->arrive && lc->end && lc->pull && lc->dev && lc->side &&
	       lc->injector && lc->aside && lc->node && lc->shard && lc->cmd && lc->stack.slot;
}

static void lcore_free(struct rt_lcore *lc)
{
	if (!lc)
		return;
	for (unsigned i = 0; lc->end && i < lc->n_ends; i++) {
		free(lc->end[i].in.ring);
		free(lc->end[i].lane);
		free(lc->end[i].stash);
	}
	free(lc->due);
	free(lc->arrive);
	free(lc->end);
	free(lc->pull);
	free(lc->dev);
	free(lc->side);
	free(lc->injector);
	free(lc->aside);
	free(lc->node);
	free(lc->shard);
	free(lc->cmd);
	free(lc->stack.slot);
	free(lc->longer.slot);
	free(atomic_load(&lc->seen));
	free(lc);
}

int rt_world_init(struct rt_world *w, const struct scene *scene, unsigned n_lcores,
	const uint16_t *lcore_of, uint32_t stack_cap)
{
	*w = (struct rt_world){.scene = scene, .n_lcores = n_lcores};
	w->lcore = calloc(n_lcores, sizeof(*w->lcore));
	w->lcore_of = calloc(scene->n_nodes, sizeof(*w->lcore_of));
	w->node_of = calloc(scene->n_nodes * (size_t)SW_SHARDS, sizeof(*w->node_of));
	if (!w->lcore || !w->lcore_of || !w->node_of)
		return -ENOMEM;
	memcpy(w->lcore_of, lcore_of, scene->n_nodes * sizeof(*lcore_of));
	for (unsigned i = 0; i < n_lcores; i++) {
		w->lcore[i] = lcore_new(w, i, stack_cap);
		if (!lcore_whole(w->lcore[i]))
			return -ENOMEM;
	}
	return 0;
}

// One call of rx can need a copy of each of its frames for every port of a switch (flooding).
void rt_world_levels(struct rt_lcore *lc, uint32_t share)
{
	uint32_t low = RESERVE + EAL_BURST * lc->ports_max;

	lc->low = low < share / 4 ? low : share / 4;
	lc->span = lc->low + 8 * EAL_BURST;
}

int rt_world_longer(struct rt_lcore *lc, struct rte_mempool *pool, uint16_t room)
{
	uint32_t n = EAL_BURST * lc->ports_max;

	lc->longer = (struct pkt_stack){.slot = alloc_lines(n, sizeof(*lc->longer.slot)),
		.data_off = lc->stack.data_off,
		.room = room};
	if (!lc->longer.slot)
		return -ENOMEM;
	lc->longer.cap = n;
	lc->longer_pool = pool;
	lc->stack.longer = &lc->longer;
	return 0;
}

static uint32_t event_slots(const struct scene *s)
{
	uint32_t slots = EVENTS_MAX;

	while (slots > EVENTS_MIN && slots * s->n_nodes > EVENTS_ALL)
		slots /= 2;
	return slots;
}

struct rt_end *rt_world_end(const struct rt_world *w, unsigned node, unsigned port)
{
	const struct rt_node *n = rt_world_node(w, node, shard_of_port(w, node, port));

	return &w->lcore[n->lcore]->end[n->first + port];
}

// Lets a node forget headers if all of its frames leave by devices, so that no other node of this
// process reads them, and no injector holds some. Returns whether it forgets them.
static bool forget_headers(struct net_node *net, const struct scene_node *s)
{
	if (net_faults(net))
		return false;
	for (unsigned p = 0; p < s->n_ports; p++)
		if (!s->port[p].device && s->port[p].peer_node >= 0)
			return false;
	return net_forget_headers(net);
}

static void node_place(struct rt_world *w, unsigned i, unsigned k)
{
	const struct scene_node *s = &w->scene->node[i];
	struct rt_lcore *lc = w->lcore[lcore_of_shard(w, i, k)];
	struct rt_node *n = &lc->node[lc->n_nodes++];
	struct ev_ring *r;
	bool forgets;

	n->net = net_shard(net_node(w->net, i), k);
	forgets = forget_headers(n->net, s);
	n->index = (uint16_t)i;
	n->first = lc->n_ends;
	n->lcore = (uint16_t)lcore_of_shard(w, i, k);
	n->shards = (uint16_t)shards_of(w, i);
	n->words = (uint16_t)((s->n_ports + 63) / 64);
	r = &n->net->events;
	memset(r->slot, 0, (r->mask + 1ul) * sizeof(*r->slot)); // no page fault later
	n->read = *r;
	w->node_of[i * SW_SHARDS + k] = n;
	if (n->shards > 1)
		lc->shard[lc->n_shards++] = n;
	for (unsigned p = 0; p < s->n_ports; p++) {
		struct rt_end *e = &lc->end[lc->n_ends++];

		e->node = n;
		e->port = (uint16_t)p;
		e->peer = RT_NONE;
		e->ps = rate_byte_ps(s->port[p].rate);
		e->far_ps = s->port[p].delay + s->latency;
		e->wire_extra = w->scene->framing.wire_extra;
		e->queue_extra = w->scene->framing.queue_extra;
		e->forgets = forgets;
		lc->arrive[n->first + p] = TSTAMP_NEVER;
		lc->due[n->first + p] = net_deadline(n->net, p);
		if (p % n->shards != k)
			continue;
		rt_injector_join(lc, e);
		rt_observer_join(e);
	}
}

static int end_join(struct rt_world *w, unsigned node, unsigned port)
{
	const struct scene_port *sp = &w->scene->node[node].port[port];
	struct rt_end *e = rt_world_end(w, node, port), *far;
	struct rt_lcore *there;

	if (sp->device)
		return (e->stash = rt_stash_new()) ? 0 : -ENOMEM;
	if (sp->peer_node < 0)
		return 0;
	far = rt_world_end(w, (unsigned)sp->peer_node, sp->peer_port);
	e->out = &far->in;
	there = w->lcore[far->node->lcore];
	if (far->node->lcore == e->node->lcore) {
		e->peer = (uint16_t)(far - there->end);
		return 0;
	}
	far->in.ring = rt_ring_new(RING_SLOTS);
	e->stash = rt_stash_new();
	if (!far->in.ring || !e->stash)
		return -ENOMEM;
	there->pull[there->n_pull++] = (uint16_t)(far - there->end);
	return 0;
}

// Makes the rings by which lane 0, which receives for the whole host, gives frames to the other
// lanes.
static int lane_join(struct rt_world *w, unsigned node)
{
	const struct scene_node *s = &w->scene->node[node];
	struct rt_end *first = rt_world_end(w, s->lane_of, 0), *e = rt_world_end(w, node, 0);
	struct rt_lcore *here = w->lcore[lcore_of_shard(w, node, 0)];
	unsigned n = w->scene->node[s->lane_of].n_lanes;

	if (!first->lane)
		first->lane = calloc(n, sizeof(*first->lane));
	e->in.ring = rt_ring_new(RING_SLOTS);
	e->stash = rt_stash_new();
	if (!first->lane || !e->in.ring || !e->stash)
		return -ENOMEM;
	first->n_lanes = (uint16_t)n;
	first->lane[0] = first;
	first->lane[s->lane] = e;
	here->pull[here->n_pull++] = (uint16_t)(e - here->end);
	return 0;
}

// Adds a command to the lcores of a node. Each shard of a cut switch gets it.
static void cmd_place(struct rt_world *w, unsigned node, const struct scene_event *e)
{
	for (unsigned k = 0; k < shards_of(w, node); k++) {
		struct rt_node *n = rt_world_node(w, node, k);
		struct rt_lcore *lc = w->lcore[n->lcore];

		lc->cmd[lc->n_cmds++] = (struct rt_cmd){e->at, n, net_command(w->net, e)};
	}
}

bool rt_world_is_for_lanes(const struct ctl *ctl)
{
	return ctl->type == CTL_LINK_DOWN || ctl->type == CTL_LINK_UP ||
	       ctl->type == CTL_FLOW_START || ctl->type == CTL_FLOW_STOP ||
	       ctl->type == CTL_QUIESCE || ctl->type == CTL_GO_ON || ctl->type == CTL_PAUSE ||
	       ctl->type == CTL_RESUME || ctl->type == CTL_STOP;
}

static void cmds_place(struct rt_world *w)
{
	for (unsigned i = 0; i < w->scene->n_events; i++) {
		const struct scene_event *e = &w->scene->event[i];

		cmd_place(w, e->node, e);
		for (unsigned k = 0; rt_world_is_for_lanes(&e->ctl) && k < w->scene->n_nodes; k++)
			if (w->scene->node[k].lane && w->scene->node[k].lane_of == e->node)
				cmd_place(w, k, e);
	}
	for (unsigned i = 0; i < w->n_lcores; i++)
		if (w->lcore[i]->n_cmds)
			w->lcore[i]->next_ctl = w->lcore[i]->cmd[0].at;
}

// Whether anybody can connect: a peer can only come by a device.
static bool has_device(const struct scene *s)
{
	for (unsigned i = 0; i < s->n_nodes; i++)
		for (unsigned p = 0; p < s->node[i].n_ports; p++)
			if (s->node[i].port[p].device)
				return true;
	return false;
}

// Returns a random number, another one in each run, so that a peer cannot take this run for the
// last one.
static uint64_t salt(void)
{
	uint64_t n = 0;

	return getrandom(&n, sizeof(n), 0) == sizeof(n) ? n : rte_rdtsc();
}

static int build_net(struct rt_world *w, uint64_t event_want, tstamp tolerance, struct err *err)
{
	struct net_opts o = {.event_slots = event_slots(w->scene),
		.event_want = event_want,
		.tolerance_ps = tolerance,
		.devices = has_device(w->scene),
		.salt = salt(),
		.large = eal_huge_pages,
		.read_ahead = true,
		.cpus = eal_cpus_before()};
	int rc;

	o.stack = calloc(w->scene->n_nodes, sizeof(struct pkt_stack *));
	o.shard_stack = calloc(w->scene->n_nodes * (size_t)SW_SHARDS, sizeof(struct pkt_stack *));
	rc = o.stack && o.shard_stack
		     ? 0
		     : err_set(err, -ENOMEM, "no memory for %u nodes", w->scene->n_nodes);
	for (unsigned i = 0; !rc && i < w->scene->n_nodes; i++) {
		o.stack[i] = &w->lcore[lcore_of_shard(w, i, 0)]->stack;
		for (unsigned k = 0; k < shards_of(w, i); k++)
			o.shard_stack[i * SW_SHARDS + k] =
				&w->lcore[lcore_of_shard(w, i, k)]->stack;
	}
	if (!rc)
		rc = net_build(&w->net, w->scene, &o, err);
	free(o.stack);
	free(o.shard_stack);
	return rc;
}

int rt_world_build(struct rt_world *w, uint64_t event_want, tstamp tolerance, struct err *err)
{
	int rc = build_net(w, event_want, tolerance, err);

	if (rc)
		return rc;
	for (unsigned i = 0; i < w->scene->n_nodes; i++)
		for (unsigned k = 0; k < shards_of(w, i); k++)
			node_place(w, i, k);
	for (unsigned i = 0; i < w->scene->n_nodes; i++)
		for (unsigned p = 0; p < w->scene->node[i].n_ports; p++)
			if (end_join(w, i, p) != 0)
				return err_set(err, -ENOMEM, "no memory for the links");
	for (unsigned i = 0; i < w->scene->n_nodes; i++)
		if (w->scene->node[i].lane && lane_join(w, i) != 0)
			return err_set(err, -ENOMEM, "no memory for the lanes");
	for (unsigned i = 0; i < w->scene->n_nodes; i++)
		for (unsigned p = 0; p < w->scene->node[i].n_ports; p++)
			if (w->scene->node[i].port[p].capture && rt_world_capture(w, i, p, 1) != 0)
				return err_set(err, -ENOMEM, "no memory for the capture");
	cmds_place(w);
	for (unsigned i = 0; i < w->n_lcores; i++) {
		w->lcore[i]->timing.tolerance = tolerance;
		w->lcore[i]->end_at = w->scene->duration;
	}
	return 0;
}

// The ring for frames that an lcore captures, with room for the longest frame that it can have.
static bool has_seen(struct rt_lcore *lc)
{
	uint16_t room = lc->stack.room > lc->longer.room ? lc->stack.room : lc->longer.room;

	if (!atomic_load(&lc->seen))
		atomic_store_explicit(&lc->seen, rt_seen_new(room), memory_order_release);
	return atomic_load(&lc->seen);
}

int rt_world_capture(struct rt_world *w, unsigned node, unsigned port, int by)
{
	for (unsigned k = 0; k < shards_of(w, node); k++)
		if (!has_seen(w->lcore[lcore_of_shard(w, node, k)]))
			return -ENOMEM;
	for (unsigned k = 0; k < shards_of(w, node); k++) {
		const struct rt_node *n = rt_world_node(w, node, k);

		atomic_fetch_add(&w->lcore[n->lcore]->end[n->first + port].captures, (uint16_t)by);
	}
	return 0;
}

uint64_t rt_world_unseen(const struct rt_world *w, unsigned node, unsigned port)
{
	uint64_t unseen = 0;

	for (unsigned k = 0; k < shards_of(w, node); k++) {
		const struct rt_node *n = rt_world_node(w, node, k);

		unseen += atomic_load(&w->lcore[n->lcore]->end[n->first + port].unseen);
	}
	return unseen;
}

// Calls `fn` for the packets of one port's link and stash. A device's stash has mbufs, which have
// left.
static void each_packet(
	const struct rt_end *e, void (*fn)(void *arg, const struct pkt *p), void *arg)
{
	for (const struct pkt *p = e->in.head; p; p = p->next)
		fn(arg, p);
	for (unsigned i = 0; !e->dev && i < e->n_stash; i++)
		fn(arg, e->stash[i]);
	for (uint32_t i = 0; e->in.ring && i < rt_ring_count(e->in.ring); i++)
		fn(arg, rt_ring_at(e->in.ring, i));
}

void rt_world_each_in_flight(
	const struct rt_world *w, void (*fn)(void *arg, const struct pkt *p), void *arg)
{
	for (unsigned i = 0; i < w->n_lcores; i++)
		for (unsigned k = 0; k < w->lcore[i]->n_ends; k++)
			each_packet(&w->lcore[i]->end[k], fn, arg);
}

uint64_t rt_world_in_flight(const struct rt_world *w)
{
	uint64_t n = 0;

	for (unsigned i = 0; i < w->n_lcores; i++)
		for (unsigned k = 0; k < w->lcore[i]->n_ends; k++) {
			const struct rt_end *e = &w->lcore[i]->end[k];

			n += e->in.n + e->n_stash;
			if (e->in.ring)
				n += rt_ring_count(e->in.ring);
		}
	return n;
}

void rt_world_fini(struct rt_world *w)
{
	net_free(w->net);
	for (unsigned i = 0; w->lcore && i < w->n_lcores; i++)
		lcore_free(w->lcore[i]);
	free(w->lcore);
	free(w->lcore_of);
	free(w->node_of);
	*w = (struct rt_world){0};
}
