// SPDX-License-Identifier: BSD-3-Clause
// Buffers of switches: ingress groups and how near they came to XOFF, pools of a buffer with two
// sides, the whole of it.
#include <errno.h>
#include <math.h>

#include "hardware/hardware.h"
#include "int.h"

// A lossless ingress group that has held frames.
struct pg {
	const char *name; // of its port
	const struct rec_port *port;
	unsigned pg;
	uint64_t bytes, max_bytes, xoff_bytes, xon_bytes, headroom_bytes, max_headroom_bytes;
	uint64_t xoff_most_bytes, xon_most_bytes; // while it is alone in the switch
	double xoff_percent; // share of the window in which it kept its sender paused
	uint64_t dropped_frames, dropped_total;
	uint64_t pfcwd_frames, pfcwd_total; // dropped by the watchdog
	bool two_sided; // the switch's buffer has two sides: what follows is known
	uint64_t max_shared_bytes;
};

// Time that a group kept its sender paused: the time of the priority that it paused longest.
static tstamp paused_ps(const struct scene_node *n, const struct rec_port *p, unsigned pg)
{
	const uint8_t *map = sw_port_set(&n->u.sw, p->port)->pg_map;
	tstamp most = 0;

	for (unsigned c = 0; c < PKT_CLASSES; c++)
		if (map[c] == pg)
			most = tstamp_max(most, fabric_pause_window(p, c, true).pause_effective_ps);
	return most;
}

static void pg_make(struct summary *s, struct set *to, const struct rec_port *p, unsigned i)
{
	const struct net_node *n = net_node(s->rec->net, p->node);
	const struct mmu *m = sw_mmu_of(n->u.sw, p->port);
	unsigned at = p->port * MMU_PGS + i;
	const struct mmu_pg_cfg *cfg = &m->cfg->pg[at];
	uint64_t limit = mmu_limit(m, p->port, i);
	const struct mmu_pools *sides = sw_sides_of(n->u.sw, p->port);
	const struct rec_queue *q = &p->queue[i];
	struct sw_class_stats whole = rec_class_stats(q), window = fabric_class_window(q);

	if (!fabric_is_lossless(n->scene, p->port, i) ||
		(!m->pg[at].max_bytes && !whole.pg_dropped_frames && !whole.pfcwd_dropped_frames))
		return;
	*(struct pg *)set_add(to) = (struct pg){
		.name = p->scene->name,
		.port = p,
		.pg = i,
		.bytes = m->pg[at].bytes,
		.max_bytes = m->pg[at].max_bytes,
		.xoff_bytes = cfg->reserved + limit,
		.xon_bytes = cfg->reserved + mmu_xon_at(limit, cfg->xon, cfg->xon_offset),
		.xoff_most_bytes = hardware_xoff(n->scene, p->port, i),
		.xon_most_bytes = hardware_xon(n->scene, p->port, i),
		.headroom_bytes = cfg->headroom,
		.max_headroom_bytes = m->pg[at].max_headroom,
		.xoff_percent = fabric_percent(s, paused_ps(n->scene, p, i)),
		.dropped_frames = window.pg_dropped_frames,
		.dropped_total = whole.pg_dropped_frames,
		.pfcwd_frames = window.pfcwd_dropped_frames,
		.pfcwd_total = whole.pfcwd_dropped_frames,
		.two_sided = sides,
		.max_shared_bytes = sides ? sides->pg_max_shared[at] : 0,
	};
}

static int make_pgs(struct summary *s, struct set *to)
{
	const struct record *r = s->rec;

	if (set_room(to, &kind_pg, r->n_queues))
		return -ENOMEM;
	for (unsigned i = 0; i < r->n_ports; i++)
		for (unsigned k = 0; r->port[i].sw && k < MMU_PGS; k++)
			pg_make(s, to, &r->port[i], k);
	return 0;
}

const struct rec_port *fabric_pg_port(const struct summary *s, unsigned i)
{
	return ((const struct pg *)set_at(&s->set[KIND_PG], i))->port;
}

unsigned fabric_pg_number(const struct summary *s, unsigned i)
{
	return ((const struct pg *)set_at(&s->set[KIND_PG], i))->pg;
}

#define PG(field, name, ...) ROW_COUNT(struct pg, field, name, "bytes", __VA_ARGS__)

static const struct figure pg_figures[] = {
	ROW_TEXT(struct pg, name, "port", "the ingress port"),
	ROW_ID(struct pg, pg, "class", "number of the group"),
	PG(bytes, "held_bytes", "what it holds at the end, or now while the run goes on"),
	PG(max_bytes, "max_bytes_total", "most that it held, headroom included"),
	PG(xoff_bytes, "xoff_bytes",
		"where XOFF is sent; with a dynamic threshold: at the end of the run"),
	PG(xon_bytes, "xon_bytes",
		"where XON is sent; with a dynamic threshold: at the end of the run"),
	PG(xoff_most_bytes, "xoff_most_bytes",
		"XOFF at most: with a dynamic threshold, of a group that is alone in the switch; "
		"it is lower while others hold frames"),
	PG(xon_most_bytes, "xon_most_bytes", "XON at most, likewise"),
	ROW_VALUE(struct pg, xoff_percent, "xoff_percent", "%", 4,
		"share of the time in which its sender was kept stopped"),
	PG(headroom_bytes, "headroom_bytes", "headroom of the group"),
	PG(max_headroom_bytes, "max_headroom_bytes_total", "most that was taken of the headroom"),
	ROW_COUNT(struct pg, dropped_frames, "dropped_frames", "frames",
		"frames lost all the same, except by the PFC watchdog"),
	ROW_COUNT(struct pg, dropped_total, "dropped_frames_total", "frames",
		"frames lost all the same, except by the PFC watchdog, whole run"),
	ROW_COUNT(struct pg, pfcwd_frames, "pfcwd_dropped_frames", "frames",
		"frames that the PFC watchdog wanted dropped"),
	ROW_COUNT(struct pg, pfcwd_total, "pfcwd_dropped_frames_total", "frames",
		"frames that the PFC watchdog wanted dropped, whole run"),
	ROW_COUNT_IF(struct pg, two_sided, max_shared_bytes, "shared_max_bytes_total", "bytes",
		"two-sided buffers: most that was taken of the ingress pool"),
};

static bool is_switch(const struct scene_node *n, unsigned port, unsigned cls)
{
	(void)port;
	(void)cls;
	return n->kind == SCENE_SW;
}

static void could_pgs(struct kind_look *l)
{
	look_classes(l, is_switch);
}

const struct kind kind_pg = {
	.key = "ingress_groups",
	.path = "pg",
	.title = "Ingress groups",
	.about = "Each port and lossless class that held a frame: how near it came to XOFF.",
	.example = "s1:h1.3",
	.size = sizeof(struct pg),
	KIND_FIGURES(pg_figures),
	.make = make_pgs,
	.name_at = offsetof(struct pg, name),
	.number_at = offsetof(struct pg, pg),
	.could = could_pgs,
};

struct pool {
	const char *node, *pool;
	uint64_t size_bytes, used_bytes, max_bytes; // shared bytes
};

static const char *const pool_names[MMU_POOLS] = {
	[MMU_INGRESS] = "ingress",
	[MMU_EGRESS_LOSSLESS] = "egress_lossless",
	[MMU_EGRESS_LOSSY] = "egress_lossy",
	[MMU_HEADROOM] = "headroom",
};

static int make_pools(struct summary *s, struct set *to)
{
	const struct net *net = s->rec->net;

	if (set_room(to, &kind_pool, (size_t)net->n_nodes * MMU_POOLS))
		return -ENOMEM;
	for (unsigned i = 0; i < net->n_nodes; i++) {
		const struct net_node *n = net_node(net, i);
		bool has = n->kind == SCENE_SW && sw_has_two_sides(&n->scene->u.sw);

		for (unsigned k = 0; has && k < MMU_POOLS; k++) {
			struct sw_buffer b = sw_pool(n->u.sw, k);

			*(struct pool *)set_add(to) = (struct pool){
				n->scene->name, pool_names[k], b.size, b.used, b.max_used};
		}
	}
	return 0;
}

static const char *pool_name(const void *object, char *buf)
{
	const struct pool *p = object;

	snprintf(buf, KIND_NAME, "%s.%s", p->node, p->pool);
	return buf;
}

#define POOL(field, name, ...) ROW_COUNT(struct pool, field, name, "bytes", __VA_ARGS__)

static const struct figure pool_figures[] = {
	ROW_TEXT(struct pool, node, "switch", "the switch"),
	ROW_TEXT(struct pool, pool, "pool",
		"`ingress`, `egress_lossless`, `egress_lossy` or `headroom`"),
	POOL(size_bytes, "size_bytes",
		"what is shared of the pool: without reserves; headroom: 0 where each group has "
		"its own"),
	POOL(used_bytes, "used_bytes", "what is taken at the end, or now while the run goes on"),
	POOL(max_bytes, "max_bytes_total",
		"most that was taken of the pool (SAI's pool watermark); "
		"of a switch cut into shards the sum of their maxima"),
};

static void could_pools(struct kind_look *l)
{
	for (unsigned i = 0; i < l->s->n_nodes; i++) {
		const struct scene_node *n = &l->s->node[i];

		for (unsigned k = 0; n->kind == SCENE_SW && k < MMU_POOLS && !l->enough; k++)
			if (sw_has_two_sides(&n->u.sw))
				look_tell(l, "%s.%s", n->name, pool_names[k]);
	}
}

const struct kind kind_pool = {
	.key = "buffer_pools",
	.path = "pool",
	.title = "Buffer pools",
	.about = "Four for each switch whose buffer has two sides.",
	.example = "s1.ingress",
	.if_any = true,
	.size = sizeof(struct pool),
	KIND_FIGURES(pool_figures),
	.make = make_pools,
	.name = pool_name,
	.could = could_pools,
};

struct buffer {
	const char *node;
	uint64_t size_bytes, used_bytes, max_bytes;
};

static int make_buffers(struct summary *s, struct set *to)
{
	const struct net *net = s->rec->net;

	if (set_room(to, &kind_buffer, net->n_nodes))
		return -ENOMEM;
	for (unsigned i = 0; i < net->n_nodes; i++) {
		struct sw_buffer b;

		if (net_node(net, i)->kind != SCENE_SW)
			continue;
		b = sw_buffer(net_node(net, i)->u.sw);
		*(struct buffer *)set_add(to) =
			(struct buffer){net_node(net, i)->scene->name, b.size, b.used, b.max_used};
	}
	return 0;
}

static const struct figure buffer_figures[] = {
	ROW_TEXT(struct buffer, node, "switch", "the switch"),
	ROW_COUNT(struct buffer, size_bytes, "size_bytes", "bytes", "size of the buffer"),
	ROW_COUNT(struct buffer, used_bytes, "used_bytes", "bytes",
		"what is taken at the end, or now while the run goes on"),
	ROW_COUNT(struct buffer, max_bytes, "max_bytes_total", "bytes",
		"most that was taken of the buffer; of a switch cut into shards the sum of their "
		"maxima"),
};

static void could_buffers(struct kind_look *l)
{
	look_nodes(l, is_switch);
}

const struct kind kind_buffer = {
	.key = "buffers",
	.path = "buffer",
	.title = "Buffers",
	.about = "Each switch's packet buffer.",
	.example = "s1",
	.if_any = true,
	.size = sizeof(struct buffer),
	KIND_FIGURES(buffer_figures),
	.make = make_buffers,
	.name_at = offsetof(struct buffer, node),
	.could = could_buffers,
};
