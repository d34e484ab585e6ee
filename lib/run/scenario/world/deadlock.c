// SPDX-License-Identifier: BSD-3-Clause
// Cyclic buffer dependency: the waits-for graph of paused egress queues, its stuck part, and its
// cycles.
#include "deadlock.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

// A queue that is paused and holds frames, towards another switch.
struct deadlock_vertex {
	uint16_t node, port;
	uint16_t peer, peer_port; // where it is paused from
	uint8_t cls;
	bool stuck;
	bool done;  // its cycle, if any, is told
	int32_t to; // a vertex that it waits for
};

int deadlock_init(struct deadlocks *w, const struct net *net)
{
	*w = (struct deadlocks){.net = net};
	w->first_port = calloc(net->n_nodes + 1ul, sizeof(*w->first_port));
	if (!w->first_port)
		return -ENOMEM;
	for (unsigned i = 0; i < net->n_nodes; i++) {
		w->first_port[i] = w->n_ports;
		w->n_ports += net_node(net, i)->scene->n_ports;
	}
	w->v = calloc(w->n_ports * PKT_CLASSES + 1ul, sizeof(*w->v));
	w->at = calloc(w->n_ports * PKT_CLASSES + 1ul, sizeof(*w->at));
	if (w->v && w->at)
		return 0;
	deadlock_fini(w);
	return -ENOMEM;
}

void deadlock_fini(struct deadlocks *w)
{
	for (unsigned i = 0; i < w->n; i++)
		free(w->d[i].queue);
	free(w->d);
	free(w->first_port);
	free(w->v);
	free(w->at);
	*w = (struct deadlocks){0};
}

static int32_t *queue_place(const struct deadlocks *w, unsigned node, unsigned port, unsigned cls)
{
	return &w->at[(w->first_port[scene_here(w->net->scene, node)] + port) * PKT_CLASSES + cls];
}

static void find_vertices(struct deadlocks *w)
{
	w->n_v = 0;
	memset(w->at, 0xff, w->n_ports * PKT_CLASSES * sizeof(*w->at));
	for (unsigned i = 0; i < w->net->n_nodes; i++) {
		const struct net_node *n = net_node(w->net, i);

		for (unsigned p = 0; n->kind == SCENE_SW && p < n->scene->n_ports; p++) {
			const struct scene_port *sp = &n->scene->port[p];
			unsigned waits =
				sw_eport(n->u.sw, p)->nonempty & sw_pause_rx(n->u.sw, p)->paused;

			if (sp->peer_node < 0 || net_node(w->net, sp->peer_node)->kind != SCENE_SW)
				continue;
			for (; waits; waits &= waits - 1) {
				unsigned c = (unsigned)__builtin_ctz(waits);

				*queue_place(w, i, p, c) = (int32_t)w->n_v;
				w->v[w->n_v++] = (struct deadlock_vertex){
					.node = (uint16_t)i,
					.port = (uint16_t)p,
					.peer = (uint16_t)sp->peer_node,
					.peer_port = sp->peer_port,
					.cls = (uint8_t)c,
					.stuck = true,
				};
			}
		}
	}
}

// Whether a queue holds a frame that came in by a port. The search ends after the number of frames
// that the queue held at first: on the real clock it may change meanwhile.
static bool holds(const struct eport_q *q, unsigned in_port)
{
	const struct pkt *p = q->head;

	for (uint32_t left = q->frames; p && left; left--, p = p->next)
		if (p->in_port == in_port)
			return true;
	return false;
}

// The maps of a port of a switch.
static const struct sw_set_params *maps(const struct net_node *n, unsigned port)
{
	return sw_port_set(&n->scene->u.sw, port);
}

// Whether frames that came in by a port in a group may be in a queue of another port.
static bool may_hold(
	const struct net_node *n, unsigned in, unsigned pg, unsigned out, unsigned queue)
{
	for (unsigned c = 0; c < PKT_CLASSES; c++)
		if (maps(n, in)->pg_map[c] == pg && maps(n, out)->queue_map[c] == queue)
			return true;
	return false;
}

// Returns whether a queue is still stuck: the peer's group is in XOFF, and every queue there that
// holds frames of the group is stuck.
static bool still_stuck(const struct deadlocks *w, struct deadlock_vertex *v)
{
	const struct net_node *n = net_node(w->net, v->peer);
	unsigned pg = maps(n, v->peer_port)->pg_map[v->cls];

	if (!sw_mmu_of(n->u.sw, v->peer_port)->pg[v->peer_port * MMU_PGS + pg].xoff)
		return false;
	v->to = -1;
	for (unsigned i = 0; i < n->scene->n_ports * PKT_CLASSES; i++) {
		unsigned p = i / PKT_CLASSES, c = i % PKT_CLASSES;
		int32_t at = *queue_place(w, v->peer, p, c);

		if (!may_hold(n, v->peer_port, pg, p, c) ||
			!holds(&sw_eport(n->u.sw, p)->q[c], v->peer_port))
			continue;
		if (at < 0 || !w->v[at].stuck)
			return false;
		if (v->to < 0)
			v->to = at;
	}
	return v->to >= 0;
}

// The largest set in which every queue waits for queues of the set only. Returns its size.
static unsigned find_stuck(struct deadlocks *w)
{
	unsigned n = w->n_v;

	for (bool changed = n > 1; changed;) {
		changed = false;
		for (unsigned i = 0; i < w->n_v; i++) {
			struct deadlock_vertex *v = &w->v[i];

			if (!v->stuck || still_stuck(w, v))
				continue;
			v->stuck = false;
			changed = true;
			n--;
		}
	}
	return w->n_v > 1 ? n : 0;
}

static bool same_cycle(
	const struct deadlocks *w, const struct deadlock *d, unsigned first, unsigned n)
{
	unsigned at = first;

	if (d->n != n || d->cls != w->v[first].cls)
		return false;
	for (unsigned i = 0; i < n; i++, at = (unsigned)w->v[at].to)
		if (d->queue[i].node != w->v[at].node || d->queue[i].port != w->v[at].port)
			return false;
	return true;
}

static int add_cycle(struct deadlocks *w, unsigned first, unsigned n, unsigned stuck, tstamp now)
{
	struct deadlock *d = realloc(w->d, (w->n + 1) * sizeof(*d));
	unsigned at = first;

	if (!d)
		return -ENOMEM;
	w->d = d;
	d = &d[w->n];
	*d = (struct deadlock){.cls = w->v[first].cls,
		.n = n,
		.queue = calloc(n, sizeof(*d->queue)),
		.seen = now,
		.until = TSTAMP_NEVER,
		.stuck = stuck,
		.changed = true};
	if (!d->queue)
		return -ENOMEM;
	for (unsigned i = 0; i < n; i++, at = (unsigned)w->v[at].to) {
		const struct deadlock_vertex *v = &w->v[at];

		d->queue[i] = (struct deadlock_queue){v->node, v->port};
		d->since = tstamp_max(d->since,
			sw_pause_rx(net_node(w->net, v->node)->u.sw, v->port)->began[v->cls]);
	}
	w->n++;
	return 0;
}

// The cycle that a stuck queue leads to, named from its lowest vertex; 0: it was told before.
static unsigned find_cycle(struct deadlocks *w, unsigned *first, unsigned from)
{
	unsigned at = from, low, n = 0;

	for (unsigned i = 0; i < w->n_v; i++)
		at = (unsigned)w->v[at].to;
	low = at;
	do {
		if (w->v[at].done)
			return 0;
		w->v[at].done = true;
		low = at < low ? at : low;
		at = (unsigned)w->v[at].to;
		n++;
	} while (!w->v[at].done);
	*first = low;
	return n;
}

int deadlock_look(struct deadlocks *w, tstamp now)
{
	unsigned known = w->n, stuck;
	int rc = 0;

	find_vertices(w);
	stuck = find_stuck(w);
	for (unsigned k = 0; k < known; k++) {
		w->d[k].changed = w->d[k].until == TSTAMP_NEVER;
		if (w->d[k].changed)
			w->d[k].until = now;
	}
	for (unsigned i = 0; stuck && !rc && i < w->n_v; i++) {
		unsigned first, k = 0, n = w->v[i].stuck ? find_cycle(w, &first, i) : 0;

		if (!n)
			continue;
		while (k < known && !(w->d[k].changed && same_cycle(w, &w->d[k], first, n)))
			k++;
		if (k == known) {
			rc = add_cycle(w, first, n, stuck, now);
			continue;
		}
		w->d[k].until = TSTAMP_NEVER;
		w->d[k].changed = false;
	}
	return rc;
}
