// SPDX-License-Identifier: BSD-3-Clause
// Rings: paused queues that wait for each other in a circle. A ring is found when the pause that
// closes it begins, and counts as one vertex as long as none of its queues changes.
#include "int.h"

#include <stdlib.h>
#include <string.h>

// An edge of the search, from a found queue to one of its holders: a list for each holder.
struct came {
	uint32_t from, next;
};

void ring_alone(struct lineage *l, struct queue *q)
{
	struct edge edge[HOLDERS + 1];
	unsigned n = 0;

	if (q->pause == LINEAGE_NONE)
		edge[n++] =
			(struct edge){.share = WHOLE, .root = lineage_egress_root(l, q->number)};
	else
		for (; n < q->cause->n; n++) {
			const struct held *h = &q->cause->held[n];
			bool root = h->queue == LINEAGE_NONE;

			edge[n] = (struct edge){.share = h->share,
				.to = root ? NULL : &queue_at(l, h->queue)->v,
				.root = h->root};
		}
	vertex_set(l, &q->v, edge, n);
}

void ring_open(struct lineage *l, const struct ring *r)
{
	for (uint32_t i = 0; i < r->n; i++)
		queue_at(l, r->member[i])->ring = NULL;
}

void ring_free(struct ring *r)
{
	if (!r)
		return;
	vertex_fini(&r->v);
	free(r->v.edge);
	free(r);
}

struct ring *ring_leave(struct lineage *l, struct queue *q)
{
	struct ring *r = q->ring;

	if (!r)
		return NULL;
	// All are brought up to now before the first of them waits for another again.
	for (uint32_t i = 0; i < r->n; i++)
		vertex_run(l, &queue_at(l, r->member[i])->v);
	ring_open(l, r);
	return r;
}

static bool add_found(struct lineage *l, uint32_t queue)
{
	uint32_t *at = lineage_grow(l, &l->found, sizeof(*at));
	struct queue *q = queue_at(l, queue);

	if (!at)
		return false;
	*at = queue;
	q->search = l->search;
	q->came = LINEAGE_NONE;
	q->member = false;
	return true;
}

// Finds all paused queues that ways lead to from one. True: one of them leads back.
static bool find_all(struct lineage *l, uint32_t from)
{
	bool back = false;

	l->search++;
	l->found.n = l->came.n = 0;
	if (!add_found(l, from))
		return false;
	for (uint32_t i = 0; i < l->found.n; i++) {
		uint32_t number = ((uint32_t *)l->found.at)[i];
		const struct xoff *x = queue_at(l, number)->cause;

		for (unsigned k = 0; k < x->n; k++) {
			uint32_t to = x->held[k].queue;
			struct came *c;

			if (to == LINEAGE_NONE || queue_at(l, to)->pause == LINEAGE_NONE)
				continue;
			if (queue_at(l, to)->search != l->search && !add_found(l, to))
				return false;
			c = lineage_grow(l, &l->came, sizeof(*c));
			if (!c)
				return false;
			*c = (struct came){number, queue_at(l, to)->came};
			queue_at(l, to)->came = l->came.n - 1;
			back |= to == from;
		}
	}
	return back;
}

// The members of a ring: the found queues from which a path leads back. Returns a list of them.
static struct ring *members(struct lineage *l, uint32_t from)
{
	struct ring *r = calloc(1, sizeof(*r) + l->found.n * sizeof(r->member[0]));

	if (!r) {
		l->failed = true;
		return NULL;
	}
	queue_at(l, from)->member = true;
	r->member[r->n++] = from;
	for (uint32_t i = 0; i < r->n; i++) {
		const struct came *c;

		for (uint32_t k = queue_at(l, r->member[i])->came; k != LINEAGE_NONE; k = c->next) {
			c = (struct came *)l->came.at + k;
			if (queue_at(l, c->from)->member)
				continue;
			queue_at(l, c->from)->member = true;
			r->member[r->n++] = c->from;
		}
	}
	return r;
}

static bool is_member(const struct lineage *l, const struct held *h)
{
	const struct queue *q = h->queue == LINEAGE_NONE ? NULL : queue_at(l, h->queue);

	return q && q->pause != LINEAGE_NONE && q->search == l->search && q->member;
}

static bool named_before(const struct lineage *l, uint32_t a, uint32_t b)
{
	int order = strcmp(port_at(l, a / CLASSES)->name, port_at(l, b / CLASSES)->name);

	return order < 0 || (!order && a < b);
}

// The member that has the largest share of a member's wait.
static uint32_t largest(const struct lineage *l, uint32_t queue)
{
	const struct xoff *x = queue_at(l, queue)->cause;
	const struct held *most = NULL;

	for (unsigned i = 0; i < x->n; i++)
		if (is_member(l, &x->held[i]) && (!most || x->held[i].share > most->share))
			most = &x->held[i];
	return most->queue;
}

// Names the circle that the largest shares make. The name begins with the member whose own name
// comes first.
static uint32_t cycle_root(struct lineage *l, const struct ring *r)
{
	uint32_t at = r->member[0], first, root = ROOT_UNSAID;
	char *text = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);

	for (uint32_t i = 1; i < r->n; i++)
		at = named_before(l, r->member[i], at) ? r->member[i] : at;
	for (uint32_t i = 0; i < r->n; i++)
		at = largest(l, at);
	first = at;
	for (uint32_t q = largest(l, at); q != at; q = largest(l, q))
		first = named_before(l, q, first) ? q : first;
	at = first;
	for (const char *mark = "cycle "; f && (at != first || *mark != '>');
		at = largest(l, at), mark = ">")
		fprintf(f, "%s%s.%u", mark, port_at(l, at / CLASSES)->name, at % CLASSES);
	if (f && fclose(f) == 0)
		root = lineage_root_number(l, LINEAGE_CYCLE, LINEAGE_NONE, text);
	else
		l->failed = true;
	free(text);
	return root;
}

// Sets the edges of a ring of queues. The ring waits for itself with the share that its members
// have of each other, and for others with the rest.
static bool set_edges(struct lineage *l, struct ring *r)
{
	struct edge *edge = calloc(r->n * (HOLDERS + 1ul) + 1, sizeof(*edge));
	uint64_t so_far = 0, given = 0;
	unsigned n = 0;

	r->v.edge = calloc(r->n * (HOLDERS + 1ul) + 1, sizeof(*edge));
	if (!edge || !r->v.edge) {
		l->failed = true;
		free(edge);
		return false;
	}
	for (uint32_t i = 0; i < r->n; i++) {
		const struct xoff *x = queue_at(l, r->member[i])->cause;
		uint64_t of = carry(WHOLE, &so_far, 1, r->n), part = 0;

		for (unsigned k = 0; k < x->n; k++) {
			const struct held *h = &x->held[k];
			bool root = h->queue == LINEAGE_NONE;
			uint64_t share = carry(of, &part, h->share, WHOLE);

			if (is_member(l, h))
				continue;
			given += share;
			edge[n++] = (struct edge){.share = share,
				.to = root ? NULL : &queue_at(l, h->queue)->v,
				.root = h->root};
		}
	}
	edge[n++] = (struct edge){.share = WHOLE - given, .root = cycle_root(l, r)};
	r->v.at = l->now;
	vertex_set(l, &r->v, edge, n);
	free(edge);
	return true;
}

// A path leads back to the queue: makes one ring of all queues on such paths, which then wait
// together.
static void close_ring(struct lineage *l, struct queue *q)
{
	struct ring *r = members(l, q->number);
	struct edge one = {.share = WHOLE};

	for (uint32_t i = 0; r && i < r->n; i++) {
		struct ring *old = ring_leave(l, queue_at(l, r->member[i]));

		ring_free(old);
	}
	if (!r || !set_edges(l, r)) {
		ring_free(r);
		return;
	}
	one.to = &r->v;
	for (uint32_t i = 0; i < r->n; i++) {
		struct queue *m = queue_at(l, r->member[i]);

		m->ring = r;
		vertex_set(l, &m->v, &one, 1);
	}
}

void ring_join(struct lineage *l, struct queue *q, struct ring *left)
{
	ring_alone(l, q);
	for (uint32_t i = 0; left && i < left->n; i++)
		ring_alone(l, queue_at(l, left->member[i]));
	if (q->pause != LINEAGE_NONE && find_all(l, q->number))
		close_ring(l, q);
	for (uint32_t i = 0; left && i < left->n; i++) {
		struct queue *m = queue_at(l, left->member[i]);

		if (m->pause != LINEAGE_NONE && !m->ring && find_all(l, m->number))
			close_ring(l, m);
	}
	ring_free(left);
}
