// SPDX-License-Identifier: BSD-3-Clause
// XOFFs: which queues held the bytes that caused each, and which XOFF paused a queue.
#include "int.h"

#include <stdlib.h>
#include <string.h>

void xoff_put(struct xoff *x)
{
	if (x && !--x->refs)
		free(x);
}

static struct xoff *xoff_new(struct lineage *l)
{
	struct xoff *x = calloc(1, sizeof(*x));

	if (!x) {
		l->failed = true;
		return NULL;
	}
	x->refs = 1;
	x->t = l->now;
	return x;
}

// All of it is the root's.
static void set_root(struct xoff *x, uint32_t root)
{
	x->n = 1;
	x->held[0] = (struct held){.share = WHOLE, .queue = LINEAGE_NONE, .root = root};
}

void lineage_xoff(struct lineage *l, uint32_t port, uint8_t classes, tstamp t)
{
	xoff_settle(l);
	l->now = tstamp_max(l->now, t);
	if (port >= l->ports.n || l->failed)
		return;
	l->fresh_port = port;
	for (unsigned left = classes; left; left &= left - 1)
		l->fresh[__builtin_ctz(left)] = xoff_new(l);
}

void lineage_held(struct lineage *l, uint32_t port, unsigned cls, uint32_t out, unsigned out_cls,
	uint64_t bytes, uint64_t group_bytes)
{
	struct xoff *x = cls < CLASSES && port == l->fresh_port ? l->fresh[cls] : NULL;

	uint32_t queue = out * CLASSES + out_cls;

	if (!x || x->n == HOLDERS || out >= l->ports.n || out_cls >= CLASSES || !bytes ||
		bytes > BYTES_MOST || group_bytes > BYTES_MOST) {
		l->odd++;
		return;
	}
	if (!queue_at(l, queue)->v.n)
		ring_alone(l, queue_at(l, queue));
	l->holders = true;
	x->group_bytes = group_bytes;
	x->held[x->n++] = (struct held){.share = bytes, .queue = queue};
}

// Turns shares in bytes into shares of the whole. Bytes that no queue is known to hold go to
// ROOT_OTHER.
static void share_bytes(struct xoff *x)
{
	uint64_t total = 0, so_far = 0;

	for (unsigned i = 0; i < x->n; i++)
		total += x->held[i].share;
	if (total < x->group_bytes) {
		x->held[x->n++] = (struct held){
			.share = x->group_bytes - total, .queue = LINEAGE_NONE, .root = ROOT_OTHER};
		total = x->group_bytes;
	}
	for (unsigned i = 0; i < x->n; i++)
		x->held[i].share = carry(WHOLE, &so_far, x->held[i].share, total);
}

// An XOFF leaves: the first of an episode, or a refresh.
static void xoff_leaves(struct lineage *l, uint32_t port, unsigned cls, struct xoff *x)
{
	struct queue *s = queue_at(l, port * CLASSES + cls);
	struct queue *q = queue_at(l, port_at(l, port)->peer * CLASSES + cls);
	struct xoff **last = &s->flight;
	bool refresh = s->in_xoff;

	if (!refresh)
		s->sent_episode++;
	s->in_xoff = true;
	x->episode = s->sent_episode;
	xoff_put(s->sent);
	s->sent = x;
	if (q->pause != LINEAGE_NONE && (refresh ? q->episode == x->episode : !q->episode)) {
		q->episode = x->episode;
		pause_renew(l, q, xoff_get(x));
		return;
	}
	if (refresh)
		return;
	while (*last)
		last = &(*last)->next;
	*last = xoff_get(x);
	if (++s->in_flight <= IN_FLIGHT)
		return;
	x = s->flight;
	s->flight = x->next;
	s->in_flight--;
	xoff_put(x);
}

// Returns the root of an XOFF without holders: that of the node itself if it is a host, whose own
// receiver causes it, or if the run recorded holders and there were none; else ROOT_UNSAID.
static uint32_t root_without(struct lineage *l, uint32_t port)
{
	bool host = ((struct node *)l->nodes.at)[port_at(l, port)->node].host;

	return host || l->holders ? lineage_node_root(l, port) : ROOT_UNSAID;
}

void xoff_settle(struct lineage *l)
{
	uint32_t port = l->fresh_port;
	const struct xoff *told = NULL;

	if (port == LINEAGE_NONE)
		return;
	l->fresh_port = LINEAGE_NONE;
	for (unsigned c = 0; c < CLASSES; c++) {
		struct xoff *x = l->fresh[c];

		l->fresh[c] = NULL;
		if (!x)
			continue;
		if (x->n) {
			share_bytes(x);
			told = x;
		} else if (told) {
			x->n = told->n;
			memcpy(x->held, told->held, sizeof(x->held));
		} else {
			set_root(x, root_without(l, port));
		}
		xoff_leaves(l, port, c, x);
	}
}

void lineage_xon(struct lineage *l, uint32_t port, uint8_t classes)
{
	xoff_settle(l);
	if (port >= l->ports.n || l->failed)
		return;
	for (unsigned left = classes; left; left &= left - 1)
		queue_at(l, port * CLASSES + (unsigned)__builtin_ctz(left))->in_xoff = false;
}

// Among first XOFFs on their way, the latest that had the time that the fastest took; none had, or
// none came yet: the oldest.
static struct xoff *find_arrived(const struct queue *s, tstamp least, tstamp now)
{
	struct xoff *found = s->flight;

	for (struct xoff *x = s->flight; x && least != TSTAMP_NEVER; x = x->next)
		if (now - x->t >= least)
			found = x;
	return found;
}

struct xoff *xoff_arrived(struct lineage *l, uint32_t queue, uint32_t *episode)
{
	uint32_t peer = port_at(l, queue / CLASSES)->peer;
	struct port *p = port_at(l, peer);
	struct queue *s = queue_at(l, peer * CLASSES + queue % CLASSES);
	struct xoff *found = find_arrived(s, p->least, l->now);
	bool host = ((struct node *)l->nodes.at)[p->node].host;

	if (found) {
		p->least = tstamp_min(p->least, l->now - found->t);
		for (struct xoff *x = s->flight; x != found; x = s->flight) {
			s->flight = x->next;
			s->in_flight--;
			xoff_put(x);
		}
		s->flight = found->next;
		s->in_flight--;
		found->next = NULL;
		*episode = found->episode;
		return found;
	}
	// A pause that had run out begins again by a refresh.
	if (s->in_xoff) {
		*episode = s->sent->episode;
		return xoff_get(s->sent);
	}
	*episode = 0;
	found = xoff_new(l);
	if (found)
		set_root(found, host ? lineage_node_root(l, peer) : ROOT_UNSAID);
	return found;
}
