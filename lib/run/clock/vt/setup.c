// SPDX-License-Identifier: BSD-3-Clause
// Virtual time: nodes, links and the descriptor pool of a scene, made and freed.
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "int.h"

#define VT_EVENT_SLOTS (1u << 14)
#define VT_RESERVE     1024 // descriptors only control frames may take

// Only frames that come as bytes, and frames that a switch makes, have a header of their own.
static size_t pool_stride(const struct scene *s)
{
	size_t room = s->needs_hdrs || s->needs_bytes ? sizeof(struct hdr) : 0;

	if (s->needs_bytes)
		room += s->max_frame + 8;

	return (sizeof(struct pkt) + room + 63) & ~(size_t)63;
}

// Reserves address space, which costs memory only when it is touched; NULL: there is none left.
static void *reserve(size_t bytes)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

// One pool serves all nodes, since one thread runs them. Descriptors and slots are not touched
// before they are used, so the bound on packets may be far above the need of a run.
static int pool_init(struct vt *vt, struct err *err)
{
	size_t stride = pool_stride(vt->scene);
	uint64_t n = vt->scene->max_packets + VT_RESERVE;

	n = n < UINT32_MAX ? n : UINT32_MAX;
	vt->pool_bytes = n * stride;
	vt->slot_bytes = n * sizeof(*vt->stack.slot);
	vt->pool = reserve(vt->pool_bytes);
	vt->stack.slot = reserve(vt->slot_bytes);
	if (!vt->pool || !vt->stack.slot)
		return err_set(err, -ENOMEM, "no memory for %lu packets of %zu bytes",
			(unsigned long)n, stride);
	if (vt->scene->needs_bytes) {
		vt->stack.data_off = sizeof(struct pkt) + sizeof(struct hdr);
		vt->stack.room = (uint16_t)(vt->scene->max_frame + 8);
	}
	pkt_stack_range(&vt->stack, vt->pool, (uint32_t)n, (uint32_t)stride, VT_RESERVE);
	if (vt->scene->n_faults)
		vt->shown = aligned_alloc(64, stride);
	if (vt->scene->n_faults && !vt->shown)
		return err_set(err, -ENOMEM, "no memory for a frame");
	return 0;
}

static tstamp wire_time(const struct vt *vt, const struct vt_link *l, uint32_t len)
{
	uint32_t bytes = len + vt->framing.wire_extra;

	return vt->framing.whole_ns ? rate_simulator_time(l->rate, bytes) : rate_time(l->ps, bytes);
}

static void link_init(struct vt *vt, struct vt_node *v, unsigned port)
{
	const struct scene_port *sp = &v->n->scene->port[port];
	struct vt_link *in = &v->in[port];
	struct vt_node *from;
	tstamp least;

	in->to = v;
	in->to_port = (uint16_t)port;
	in->rx_cap = sp->capture;
	in->rx_aside = in->rx_cap || in->injector || net_outside(v->n, port);
	if (sp->peer_node < 0)
		return;
	from = &vt->node[scene_here(vt->scene, (unsigned)sp->peer_node)];
	in->ps = rate_byte_ps(sp->rate);
	in->rate = sp->rate;
	in->delay = sp->delay + from->n->scene->latency;
	in->tx_cap = from->n->scene->port[sp->peer_port].capture;
	in->tx_aside = in->tx_cap || net_outside(from->n, sp->peer_port);
	from->out[sp->peer_port] = in;
	least = in->delay + wire_time(vt, in, vt->scene->hpcc_sim ? 0 : PKT_MIN_LEN);
	least = tstamp_max(least, 1);
	v->peer[v->peers++] = (struct vt_peer){.least = least, .node = (uint32_t)sp->peer_node};
	v->least = tstamp_min(v->least, least);
}

// Injectors of ports, each with a leaf behind those of the ports.
static void injectors_init(struct vt_node *v)
{
	unsigned leaf = v->ports;

	for (unsigned port = 0; port < v->n->scene->n_ports; port++)
		if (net_fault(v->n, port)) {
			v->in[port].injector = (uint16_t)leaf;
			v->in[leaf++] = (struct vt_link){.to = v,
				.to_port = (uint16_t)port,
				.injector = v->in[port].injector,
				.rx_aside = true};
		}
}

// Sources at this node for which the end of another node's source counts.
static unsigned followed(const struct scene *s, unsigned node)
{
	unsigned n = 0;

	for (unsigned i = 0; i < s->n_sources; i++)
		n += s->source[i]->from == node ? s->source[i]->after.n : 0;
	return n;
}

// A node whose sources look at the ends of others goes on no further than these are sure: a node
// tells an end two looks before anybody acts on it.
static void follow_init(struct vt *vt, const struct scene_source *src)
{
	struct vt_node *v = &vt->node[src->from];

	for (unsigned i = 0; i < src->after.n; i++) {
		unsigned from = vt->scene->source[src->after.first + i]->from, k = 0;

		while (k < v->peers && (v->peer[k].node != from || !v->peer[k].tells))
			k++;
		if (from == src->from)
			continue;
		if (k == v->peers)
			v->peer[v->peers++] = (struct vt_peer){
				.least = src->after.look, .node = from, .tells = true};
		v->peer[k].least = tstamp_min(v->peer[k].least, src->after.look);
		v->least = tstamp_min(v->least, src->after.look);
	}
}

static int node_alloc(const struct scene *s, struct vt_node *v, struct net_node *n, unsigned index)
{
	unsigned in;

	v->n = n;
	v->index = index;
	v->kind = net_kind(n);
	v->ports = net_ports(n);
	v->words = (v->ports + 63) / 64;
	v->touched = n->touched;
	v->least = TSTAMP_NEVER;
	in = v->ports + net_faults(n);
	v->in = aligned_alloc(_Alignof(struct vt_link), in * sizeof(*v->in));
	v->out = calloc(v->ports, sizeof(*v->out));
	v->peer = calloc(v->ports + followed(s, index), sizeof(*v->peer));
	if (!v->in || !v->out || !v->peer)
		return -ENOMEM;
	memset(v->in, 0, in * sizeof(*v->in));
	injectors_init(v);
	if (wtree_init(&v->rx, in))
		return -ENOMEM;
	return wtree_init(&v->tx, v->ports);
}

// The commands of each node, in the order of the scene's list (which is by time).
static int commands(struct vt *vt)
{
	const struct scene *s = vt->scene;
	const struct scene_event **next;

	vt->ctl = next = calloc(s->n_events + 1ul, sizeof(struct scene_event *));
	if (!next)
		return -ENOMEM;
	for (unsigned i = 0; i < s->n_events; i++)
		vt->node[scene_here(s, s->event[i].node)].ctl_n++;
	for (unsigned i = 0; i < s->n_nodes; i++) {
		vt->node[i].ctl = next;
		next += vt->node[i].ctl_n;
		vt->node[i].ctl_n = 0;
	}
	for (unsigned i = 0; i < s->n_events; i++) {
		struct vt_node *v = &vt->node[scene_here(s, s->event[i].node)];

		v->ctl[v->ctl_n++] = &s->event[i];
	}
	return 0;
}

// Arms a node before anything has happened: its commands, and the deadlines of its ports and their
// injectors.
static void node_arm(struct vt_node *v)
{
	const struct net_node n = {.kind = (enum scene_kind)v->kind, .u = v->n->u};

	v->ctl_due = v->ctl_n ? v->ctl[0]->at : TSTAMP_NEVER;
	for (unsigned p = 0; p < v->ports; p++)
		wtree_set(&v->tx, p, net_deadline(&n, p));
	for (unsigned p = 0; p < v->n->scene->n_ports; p++)
		if (v->in[p].injector)
			wtree_set(&v->rx, v->in[p].injector, fault_deadline(net_fault(v->n, p)));
	*v->touched = (struct node_touched){0};
}

// Before any other node has acted, a neighbour acts no sooner than the least time that a frame
// needs to it.
static void node_reach(const struct vt *vt, struct vt_node *v)
{
	for (unsigned i = 0; i < v->peers; i++)
		v->peer[i].reach = vt->node[v->peer[i].node].least;
}

// The number of a node or port takes bits from the instants beside it.
static int too_long(const struct wtree *t, struct err *err)
{
	return err_set(err, -EINVAL, "%u nodes or ports at once: virtual time ends after %lu s",
		1u << t->bits, (unsigned long)(wtree_never(t) / PS_PER_S));
}

int vt_setup(struct vt *vt, struct err *err)
{
	const struct scene *s = vt->scene;
	struct net_opts opts = {
		.event_slots = VT_EVENT_SLOTS,
		.event_want = record_events_wanted(s, &vt->opts->record),
	};
	int rc = pool_init(vt, err);

	if (rc)
		return rc;
	vt->framing = s->framing;
	vt->stacks = calloc(s->n_nodes, sizeof(*vt->stacks));
	vt->node = calloc(s->n_nodes, sizeof(*vt->node));
	if (!vt->stacks || !vt->node || wtree_init(&vt->order, s->n_nodes))
		return err_set(err, -ENOMEM, "no memory for %u nodes", s->n_nodes);
	if (s->duration >= wtree_never(&vt->order))
		return too_long(&vt->order, err);
	for (unsigned i = 0; i < s->n_nodes; i++)
		vt->stacks[i] = &vt->stack;
	opts.stack = vt->stacks;
	rc = net_build(&vt->net, s, &opts, err);
	if (rc)
		return rc;
	for (unsigned i = 0; i < s->n_nodes; i++)
		if (node_alloc(s, &vt->node[i], net_node(vt->net, i), i))
			return err_set(err, -ENOMEM, "no memory for node %u", i);
	if (commands(vt))
		return err_set(err, -ENOMEM, "no memory for %u events", s->n_events);
	for (unsigned i = 0; i < s->n_nodes; i++)
		if (s->duration >= wtree_never(&vt->node[i].rx))
			return too_long(&vt->node[i].rx, err);
	for (unsigned i = 0; i < s->n_nodes; i++)
		for (unsigned p = 0; p < s->node[i].n_ports; p++)
			link_init(vt, &vt->node[i], p);
	for (unsigned i = 0; vt->net->end && i < s->n_sources; i++)
		follow_init(vt, s->source[i]);
	for (unsigned i = 0; i < s->n_nodes; i++) {
		node_reach(vt, &vt->node[i]);
		node_arm(&vt->node[i]);
		wtree_set(&vt->order, i, vt_next(&vt->node[i]));
	}
	return 0;
}

void vt_teardown(struct vt *vt)
{
	for (unsigned i = 0; vt->node && i < vt->scene->n_nodes; i++) {
		struct vt_node *v = &vt->node[i];

		wtree_fini(&v->rx);
		wtree_fini(&v->tx);
		free(v->peer);
		free(v->in);
		free(v->out);
	}
	net_free(vt->net);
	wtree_fini(&vt->order);
	free(vt->ctl);
	free(vt->shown);
	free(vt->node);
	free(vt->stacks);
	if (vt->stack.slot)
		munmap(vt->stack.slot, vt->slot_bytes);
	if (vt->pool)
		munmap(vt->pool, vt->pool_bytes);
}
