// SPDX-License-Identifier: BSD-3-Clause
// Switches of a scene: classes, thresholds and headroom compiled for every port.
#include <errno.h>
#include <string.h>

#include "int.h"

// The ingress pool, with what groups own of it.
static uint64_t ingress_bytes(const struct sw_params *p)
{
	return p->ingress_bytes ? p->ingress_bytes : p->buffer_bytes - p->headroom_pool_bytes;
}

static uint64_t owned_bytes(const struct sw_params *p)
{
	uint64_t own = 0;

	for (unsigned i = 0; i < p->n_ports; i++) {
		for (unsigned c = 0; c < MMU_PGS; c++) {
			const struct mmu_pg_params *pg = &p->port[i].pg[c];

			own += pg->reserved_bytes;
			own += p->headroom_pool_bytes ? 0 : pg->headroom_bytes;
		}
	}
	return own;
}

uint64_t scene_alone(int dynamic_th, uint64_t shared)
{
	unsigned up = dynamic_th > 0 ? (unsigned)dynamic_th : 0;
	unsigned down = dynamic_th < 0 ? (unsigned)-dynamic_th : 0;

	return (shared << up) / ((1ull << up) + (1ull << down));
}

uint64_t scene_xoff(const struct sw_params *p, unsigned port, unsigned cls)
{
	const struct mmu_pg_params *pg = &p->port[port].pg[cls];

	if (pg->threshold == MMU_STATIC)
		return pg->static_bytes;
	return scene_alone(pg->dynamic_th, ingress_bytes(p) - owned_bytes(p));
}

// The table of a map inside a class.
const struct opt_table *scene_class_table(const char *key)
{
	return opt_row(&scene_opts_class, key)->sub;
}

bool scene_pg_is_lossless(const struct spec_switch *sw, unsigned pg)
{
	return sw->flow_control == SPEC_PAUSE ? pg == sw->pg_map[0] : sw->cls[pg].lossless;
}

bool scene_pg_has_pfc(const struct spec_switch *sw, unsigned pg)
{
	return scene_pg_is_lossless(sw, pg) && sw->cls[pg].pfc.enable;
}

bool scene_peer_pauses(const struct build_node *n, unsigned port)
{
	const struct build_node *peer = scene_peer(n, port);

	return peer->is_switch && peer->sw->flow_control == SPEC_PAUSE;
}

bool scene_obeys_pause(const struct build_node *n, unsigned port)
{
	enum spec_honour honour = n->is_switch ? n->sw->pause_honour : n->host->pause_honour;

	if (honour != SPEC_HONOUR_AUTO)
		return honour == SPEC_HONOUR;
	return scene_peer_pauses(n, port) || (n->is_switch && n->sw->flow_control == SPEC_PAUSE);
}

static int switch_class(
	struct build *b, struct sw_class_params *to, const struct build_node *n, unsigned cls)
{
	const struct spec_class *c = &n->sw->cls[cls];
	uint64_t tail = scene_amount(&c->tail_limit, n->sw->buffer);

	to->strict = c->strict;
	to->weight = c->weight;
	to->force_ce = c->force_ce;
	to->tail_limit_bytes = tail == OPT_NONE ? 0 : tail;
	// PFC is the priority's, as its group has it.
	to->pfc = scene_pg_has_pfc(n->sw, n->sw->pg_map[cls]);
	to->quanta = n->sw->cls[n->sw->pg_map[cls]].pfc.quanta;
	to->refresh_permille = n->sw->cls[n->sw->pg_map[cls]].pfc.refresh;
	return scene_wred(b, to, n, c);
}

typedef unsigned long long ull; // of messages

static int too_small(struct build *b, const struct build_node *n, const struct sw_params *p)
{
	uint64_t headroom = 0, own = owned_bytes(p);

	for (unsigned i = 0; i < n->n_ports && !p->headroom_pool_bytes; i++)
		for (unsigned c = 0; c < MMU_PGS; c++)
			headroom += p->port[i].pg[c].headroom_bytes;
	return yamldoc_err(b->err, scene_given(&scene_opts_switch, n->sw, "buffer", n->key),
		"switch '%s': reserved (%llu) and headroom (%llu) of its %u ports leave nothing "
		"of the "
		"%s (%llu) to share; make it larger than %llu",
		n->name, (ull)(own - headroom), (ull)headroom, n->n_ports,
		p->ingress_bytes ? "ingress pool" : "buffer", (ull)ingress_bytes(p), (ull)own);
}

static int check_egress(struct build *b, const struct build_node *n, const struct sw_params *p,
	const struct yamldoc_node *at)
{
	uint64_t reserved[2] = {0};

	for (unsigned i = 0; i < n->n_ports; i++)
		for (unsigned c = 0; c < MMU_PGS; c++)
			reserved[!p->port[i].queue[c].lossless] +=
				p->port[i].queue[c].reserved_bytes;
	for (unsigned k = 0; k < 2; k++) {
		uint64_t size = p->egress_bytes[k] ? p->egress_bytes[k] : p->buffer_bytes;

		if (reserved[k] > size)
			return yamldoc_err(b->err, at,
				"switch '%s': its queues reserve %llu of the egress_%s pool "
				"(%llu); "
				"make that larger",
				n->name, (ull)reserved[k], k ? "lossy" : "lossless", (ull)size);
	}
	return 0;
}

static int check_buffer(struct build *b, const struct build_node *n, const struct sw_params *p)
{
	const struct yamldoc_node *pools = scene_given(&scene_opts_switch, n->sw, "pools", n->key);

	if (p->headroom_pool_bytes >= p->buffer_bytes ||
		p->ingress_bytes > p->buffer_bytes - p->headroom_pool_bytes)
		return yamldoc_err(b->err, pools,
			"switch '%s': pools for ingress (%llu) and headroom (%llu) do not fit "
			"into the "
			"buffer (%llu)",
			n->name, (ull)p->ingress_bytes, (ull)p->headroom_pool_bytes,
			(ull)p->buffer_bytes);
	if (owned_bytes(p) >= ingress_bytes(p))
		return too_small(b, n, p);
	return check_egress(b, n, p, pools);
}

static uint64_t pool_bytes(const struct build_node *n, const struct opt_amount *a)
{
	uint64_t bytes = scene_amount(a, n->sw->buffer);

	return bytes == OPT_NONE ? 0 : bytes;
}

static int scene_switch(struct build *b, const struct build_node *n)
{
	struct sw_params *p = &b->s->node[n->index].u.sw;
	struct sw_port_params *port = scene_get(b, n->n_ports * sizeof(*port));
	int rc = 0;

	if (!port)
		return -ENOMEM;
	*p = (struct sw_params){.name = n->name,
		.seed = b->s->seed,
		.n_ports = n->n_ports,
		.port = port,
		.buffer_bytes = n->sw->buffer,
		.fdb_age_ps = n->sw->fdb_age,
		.framing = b->s->framing,
		.pause_no_expiry = b->s->hpcc_sim,
		.queue_map = n->sw->queue_map,
		.pg_map = n->sw->pg_map,
		.pause = n->sw->flow_control == SPEC_PAUSE,
		.monitor = true,
		.cell_bytes = (uint32_t)n->sw->cell,
		.headroom_pool_bytes = pool_bytes(n, &n->sw->pools.headroom),
		.ingress_bytes = pool_bytes(n, &n->sw->pools.ingress),
		.egress_bytes = {pool_bytes(n, &n->sw->pools.egress_lossless),
			pool_bytes(n, &n->sw->pools.egress_lossy)}};
	memcpy(p->dscp_to_class, n->sw->dscp_map, sizeof(p->dscp_to_class));
	memcpy(p->pcp_to_class, n->sw->pcp_map, sizeof(p->pcp_to_class));
	for (unsigned c = 0; !rc && c < PKT_CLASSES; c++)
		rc = switch_class(b, &p->cls[c], n, c);
	for (unsigned i = 0; !rc && i < n->n_ports; i++)
		rc = scene_swport(b, &port[i], n, i);
	if (!rc)
		rc = scene_switch_cn(b, p, n);
	return rc ? rc : check_buffer(b, n, p);
}

int scene_switches(struct build *b)
{
	for (unsigned i = 0; i < b->n_nodes; i++) {
		const struct build_node *n = b->node[i];
		int rc = n->is_switch && !n->external ? scene_switch(b, n) : 0;

		if (rc)
			return rc;
	}
	return 0;
}
