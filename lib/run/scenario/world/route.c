// SPDX-License-Identifier: BSD-3-Clause
// Ways by hop count.
#include "route.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/index.h"

#define CN_TAG 4
#define FAR    UINT16_MAX

struct routes {
	const struct scene *scene;
	uint16_t **hops;     // by target: of every node; NULL: not asked for yet
	uint16_t *queue;     // room for a search
	struct index *entry; // static entries by address, of switches that differ in addresses
	uint32_t *of;        // by node: the number of its switch's index
	unsigned n_entries;
};

// The static entries of node i. Most switches have the addresses of the switch before them.
static int entries_add(struct routes *routes, unsigned i)
{
	const struct scene_node *n = &routes->scene->node[i];
	const struct sw_params *p = &n->u.sw;
	struct index *ix;
	int rc = 0;

	if (n->kind != SCENE_SW)
		return 0;
	if (i && n[-1].kind == SCENE_SW && sw_fixed_alike(&n[-1].u.sw, p)) {
		routes->of[i] = routes->of[i - 1];
		return 0;
	}
	routes->of[i] = routes->n_entries;
	ix = &routes->entry[routes->n_entries++];
	for (unsigned k = 0; k < p->n_fdb && !rc; k++)
		rc = index_add(ix, index_hash(0, p->fdb[k].mac, 6), k);
	return rc;
}

struct routes *routes_new(const struct scene *s)
{
	struct routes *routes = calloc(1, sizeof(*routes));
	int rc = 0;

	if (!routes)
		return NULL;
	routes->scene = s;
	routes->hops = calloc(s->n_nodes + 1ul, sizeof(uint16_t *));
	routes->queue = calloc(s->n_nodes + 1ul, sizeof(*routes->queue));
	routes->entry = calloc(s->n_nodes + 1ul, sizeof(*routes->entry));
	routes->of = calloc(s->n_nodes + 1ul, sizeof(*routes->of));
	if (!routes->hops || !routes->queue || !routes->entry || !routes->of)
		rc = -ENOMEM;
	for (unsigned i = 0; i < s->n_nodes && !rc; i++)
		rc = entries_add(routes, i);
	if (!rc)
		return routes;
	routes_free(routes);
	return NULL;
}

void routes_free(struct routes *routes)
{
	if (!routes)
		return;
	for (unsigned i = 0; routes->hops && i < routes->scene->n_nodes; i++)
		free(routes->hops[i]);
	for (unsigned i = 0; i < routes->n_entries; i++)
		index_fini(&routes->entry[i]);
	free(routes->hops);
	free(routes->queue);
	free(routes->entry);
	free(routes->of);
	free(routes);
}

// Hops from every node to `to`: breadth first.
static const uint16_t *hops_to(struct routes *routes, unsigned to)
{
	const struct scene *s = routes->scene;
	unsigned head = 0, tail = 0;
	uint16_t *d = routes->hops[scene_here(s, to)];

	if (d)
		return d;
	d = routes->hops[to] = malloc(s->n_nodes * sizeof(*d));
	if (!d)
		return NULL;
	memset(d, 0xff, s->n_nodes * sizeof(*d));
	d[to] = 0;
	routes->queue[tail++] = (uint16_t)to;
	while (head < tail) {
		unsigned at = routes->queue[head++];

		for (unsigned p = 0; p < s->node[at].n_ports; p++) {
			int32_t peer = s->node[at].port[p].peer_node;

			if (peer < 0 || d[peer] != FAR)
				continue;
			d[peer] = (uint16_t)(d[at] + 1);
			routes->queue[tail++] = (uint16_t)peer;
		}
	}
	return d;
}

static unsigned entry_port(
	const struct sw_params *p, const struct sw_fdb_params *e, const struct hdr *h)
{
	if (!e->ecmp)
		return e->port;
	return sw_ecmp_port(
		&p->ecmp[e->ecmp - 1], NULL, sw_ecmp_hash(sw_ecmp_salt(p->seed, p->name), h));
}

// The port that a switch's static entries give for an address in its VLAN; -1.
static int entry_find(const struct routes *routes, unsigned node, const struct hdr *h)
{
	const struct scene_node *n = &routes->scene->node[node];
	uint32_t hash = index_hash(0, h->dst, 6), at = hash, i;
	uint16_t vid = h->flags & HDR_VLAN ? h->vlan_tci & 0xfff : 0;

	while ((i = index_next(&routes->entry[routes->of[node]], hash, &at)) != INDEX_NONE) {
		const struct sw_fdb_params *e = &n->u.sw.fdb[i];

		if (!memcmp(e->mac, h->dst, 6) && e->vid == vid && e->port < n->n_ports)
			return (int)entry_port(&n->u.sw, e, h);
	}
	return -1;
}

// Whether a node has but one port, and the switch there has a static entry for the frame: such a
// node needs no search.
static bool is_leaf(const struct routes *routes, const struct scene_node *n, const struct hdr *h)
{
	int32_t peer = n->port[0].peer_node;

	return n->n_ports == 1 && peer >= 0 && routes->scene->node[peer].kind == SCENE_SW &&
	       entry_find(routes, (unsigned)peer, h) >= 0;
}

// The port by which a node sends towards the target; -1.
static int next_port(struct routes *routes, unsigned to, unsigned node, const struct hdr *h)
{
	const struct scene_node *n = &routes->scene->node[node];
	int best = n->kind == SCENE_SW ? entry_find(routes, node, h) : -1;
	const uint16_t *d;

	if (best >= 0)
		return best;
	if (is_leaf(routes, n, h))
		return 0;
	d = hops_to(routes, to);
	for (unsigned p = 0; d && p < n->n_ports; p++) {
		int32_t peer = n->port[p].peer_node;

		if (peer >= 0 && d[peer] < d[node] &&
			(best < 0 || d[peer] < d[n->port[best].peer_node]))
			best = (int)p;
	}
	return best;
}

int route_find(
	struct route *r, struct routes *routes, unsigned from, unsigned to, const struct hdr *h)
{
	const struct scene *s = routes->scene;
	unsigned at = scene_here(s, from);

	r->n = 0;
	while (at != to && r->n < ROUTE_HOPS) {
		int port = next_port(routes, to, at, h);

		if (port < 0)
			break;
		r->hop[r->n++] = (struct route_hop){(uint16_t)at, (uint16_t)port};
		if (s->node[at].port[port].peer_node < 0)
			break;
		at = (unsigned)s->node[at].port[port].peer_node;
	}
	return at == to ? 0 : -EHOSTUNREACH;
}

rate_t route_rate(const struct scene *s, const struct route *r)
{
	rate_t least = 0;

	for (unsigned i = 0; i < r->n; i++) {
		rate_t rate = route_port(s, &r->hop[i])->rate;

		least = !least || rate < least ? rate : least;
	}
	return least;
}

unsigned route_overhead(const struct scene_flow *f)
{
	return nic_frame_of(&f->req).overhead;
}

unsigned route_stripped(
	const struct scene *s, const struct scene_flow *f, const struct route *r, unsigned hop)
{
	for (unsigned i = 0; i <= hop && f->hdr_data.flags & HDR_CNTAG; i++) {
		const struct scene_node *n = &s->node[r->hop[i].node];
		enum sw_cn_mode mode =
			n->kind == SCENE_SW ? n->u.sw.port[r->hop[i].port].cn : SW_CN_DISABLED;

		if (n->kind == SCENE_SW && n->u.sw.set->cls[f->cls].qcn.on &&
			(mode == SW_CN_INTERIOR || mode == SW_CN_EDGE))
			return CN_TAG;
	}
	return 0;
}

unsigned route_ext(const struct scene_flow *f)
{
	struct nic_frame frame = nic_frame_of(&f->req);
	bool only = rc_packets(f->rc, f->req.message_bytes) == 1;

	return frame.reth + nic_frame_own(&frame, true, only) + (only ? 0 : frame.own);
}

unsigned route_ack_len(const struct scene_flow *f)
{
	return nic_ack_len(&f->rsp);
}
