// SPDX-License-Identifier: BSD-3-Clause
// Vertices: the time that passes at a vertex is passed on to the vertices and roots that it waits
// for. It is brought up to date when somebody asks.
#include "int.h"

#include <stdlib.h>

struct step {
	struct vertex *v;
	unsigned next; // edge
};

// All that its edges lead to is up to now.
static void take_waiting_time(struct lineage *l, struct vertex *v)
{
	tstamp took = l->now - v->at;
	uint64_t so_far = 0;

	for (unsigned i = 0; i < v->n; i++) {
		struct edge *e = &v->edge[i];
		tstamp ps = carry(took, &so_far, e->share, WHOLE);
		const struct account *of = e->to ? e->to->sum : NULL;
		uint64_t part = 0;

		if (!e->to)
			account_add(l, &v->sum, e->root, ps);
		// The other vertex's account has grown by `took` in the same time.
		for (uint32_t k = 0; of && k < of->n; k++)
			account_add(l, &v->sum, of->time[k].root,
				carry(ps, &part, account_since(of, e->seen, k), took));
		if (e->to) {
			account_put(e->seen);
			e->seen = account_get(e->to->sum);
		}
	}
	v->at = l->now;
}

static bool push(struct lineage *l, struct vertex *v)
{
	struct step *s = lineage_grow(l, &l->stack, sizeof(*s));

	if (s)
		s->v = v;
	return s;
}

void vertex_run(struct lineage *l, struct vertex *v)
{
	l->stack.n = 0;
	if (v->at == l->now || !push(l, v))
		return;
	while (l->stack.n) {
		struct step *s = (struct step *)l->stack.at + l->stack.n - 1;
		struct vertex *to;

		if (s->next == s->v->n) {
			take_waiting_time(l, s->v);
			l->stack.n--;
			continue;
		}
		to = s->v->edge[s->next++].to;
		if (to && to->at != l->now && !push(l, to))
			return;
	}
}

static void let_go(struct vertex *v)
{
	for (unsigned i = 0; i < v->n; i++)
		account_put(v->edge[i].seen);
	v->n = 0;
}

void vertex_set(struct lineage *l, struct vertex *v, const struct edge *edge, unsigned n)
{
	vertex_run(l, v);
	let_go(v);
	for (unsigned i = 0; i < n; i++) {
		v->edge[i] = edge[i];
		if (edge[i].to) {
			vertex_run(l, edge[i].to);
			v->edge[i].seen = account_get(edge[i].to->sum);
		}
	}
	v->n = n;
}

void vertex_fini(struct vertex *v)
{
	let_go(v);
	account_put(v->sum);
	v->sum = NULL;
}
