// SPDX-License-Identifier: BSD-3-Clause
// Which RECV takes which message: the first of both with the same source and tag, in one iteration.
#include <errno.h>
#include <stdlib.h>

#include "int.h"

#define BUCKETS_MOST (1u << 22)
#define ENTRIES_MOST (1u << 24)
#define EMPTY        ((struct job_list){GRAPH_NONE, GRAPH_NONE})

int job_match_init(struct job_rank *r, uint32_t n_recvs, uint32_t n_any, uint64_t incoming)
{
	struct job_match *m = &r->match;
	uint32_t n = 16;

	while (n < n_recvs / 2 && n < BUCKETS_MOST)
		n *= 2;
	*m = (struct job_match){.mask = n - 1,
		.any = EMPTY,
		.room = (uint32_t)(incoming < ENTRIES_MOST ? incoming : ENTRIES_MOST),
		.free = GRAPH_NONE,
		.oldest = GRAPH_NONE,
		.newest = GRAPH_NONE};
	m->bucket = calloc(n, sizeof(*m->bucket));
	m->entry = calloc(m->room + 1, sizeof(*m->entry));
	m->order = n_any ? calloc(r->n_ops, sizeof(*m->order)) : NULL;
	if (!m->bucket || !m->entry || (n_any && !m->order))
		return -ENOMEM;
	for (uint32_t i = 0; i < n; i++)
		m->bucket[i] = (struct job_bucket){EMPTY, GRAPH_NONE, GRAPH_NONE};
	return 0;
}

void job_match_fini(struct job_match *m)
{
	free(m->bucket);
	free(m->entry);
	free(m->order);
}

static struct job_bucket *bucket_of(struct job_match *m, uint32_t from, uint32_t tag)
{
	uint64_t h = ((uint64_t)from << 32 | tag) * 0x9e3779b97f4a7c15;

	return &m->bucket[(h >> 40) & m->mask];
}

static bool takes(const struct graph_op *recv, uint32_t from, uint32_t tag)
{
	return (recv->peer == from || recv->peer == GRAPH_ANY) &&
	       (recv->tag == tag || recv->tag == GRAPH_ANY);
}

static bool is_any(const struct graph_op *recv)
{
	return recv->peer == GRAPH_ANY || recv->tag == GRAPH_ANY;
}

// Takes an entry out of its bucket and of the order of arrival, and frees it.
static void drop_entry(struct job_match *m, uint32_t at)
{
	struct job_entry *e = &m->entry[at];
	struct job_bucket *b = bucket_of(m, e->from, e->tag);
	uint32_t before = GRAPH_NONE;

	for (uint32_t i = b->arrived; i != at; i = m->entry[i].next)
		before = i;
	*(before == GRAPH_NONE ? &b->arrived : &m->entry[before].next) = e->next;
	if (b->arrived_last == at)
		b->arrived_last = before;
	*(e->before == GRAPH_NONE ? &m->oldest : &m->entry[e->before].then) = e->then;
	*(e->then == GRAPH_NONE ? &m->newest : &m->entry[e->then].before) = e->before;
	e->next = m->free;
	m->free = at;
}

// The first entry that a RECV of this iteration takes, or GRAPH_NONE.
static uint32_t find_entry(struct job_rank *r, const struct graph_op *recv)
{
	struct job_match *m = &r->match;
	bool any = is_any(recv);
	uint32_t at = any ? m->oldest : bucket_of(m, recv->peer, recv->tag)->arrived;

	while (at != GRAPH_NONE) {
		const struct job_entry *e = &m->entry[at];

		if (takes(recv, e->from, e->tag) && e->iteration == r->step.iteration)
			return at;
		at = any ? e->then : e->next;
	}
	return GRAPH_NONE;
}

bool job_match_recv(struct job_rank *r, uint32_t op)
{
	struct job_match *m = &r->match;
	const struct graph_op *recv = &r->op[op];
	uint32_t at = find_entry(r, recv);

	if (at != GRAPH_NONE) {
		drop_entry(m, at);
		return true;
	}
	if (m->order)
		m->order[op] = m->n_posted++;
	job_list_add(r, is_any(recv) ? &m->any : &bucket_of(m, recv->peer, recv->tag)->posted, op);
	return false;
}

// The first RECV of a list that takes the message, with the one before it.
static uint32_t find_posted(const struct job_rank *r, const struct job_list *l,
	const struct job_message *m, uint32_t *before)
{
	*before = GRAPH_NONE;
	for (uint32_t op = l->first; op != GRAPH_NONE; op = r->link[op]) {
		if (takes(&r->op[op], m->from, m->tag))
			return op;
		*before = op;
	}
	return GRAPH_NONE;
}

uint32_t job_match_message(struct job_rank *r, const struct job_message *m)
{
	struct job_list *named = &bucket_of(&r->match, m->from, m->tag)->posted;
	struct job_list *any = &r->match.any;
	uint32_t before, any_before, op, any_op;

	if (m->iteration != r->step.iteration)
		return GRAPH_NONE;
	op = find_posted(r, named, m, &before);
	any_op = find_posted(r, any, m, &any_before);
	if (any_op != GRAPH_NONE &&
		(op == GRAPH_NONE || r->match.order[any_op] < r->match.order[op])) {
		job_list_cut(r, any, any_before, any_op);
		return any_op;
	}
	if (op != GRAPH_NONE)
		job_list_cut(r, named, before, op);
	return op;
}

bool job_match_keep(struct job_rank *r, const struct job_message *m)
{
	struct job_match *to = &r->match;
	struct job_bucket *b = bucket_of(to, m->from, m->tag);
	uint32_t at = to->free;

	if (at != GRAPH_NONE)
		to->free = to->entry[at].next;
	else if (to->used < to->room)
		at = to->used++;
	else
		return false;
	to->entry[at] = (struct job_entry){
		m->bytes, m->from, m->tag, m->op, m->iteration, GRAPH_NONE, to->newest, GRAPH_NONE};
	*(b->arrived == GRAPH_NONE ? &b->arrived : &to->entry[b->arrived_last].next) = at;
	b->arrived_last = at;
	*(to->newest == GRAPH_NONE ? &to->oldest : &to->entry[to->newest].then) = at;
	to->newest = at;
	return true;
}

bool job_untaken(const struct job_rank *r, uint32_t *at, struct job_message *m)
{
	*at = *at == GRAPH_NONE ? r->match.oldest : r->match.entry[*at].then;
	if (*at == GRAPH_NONE)
		return false;

	const struct job_entry *e = &r->match.entry[*at];

	*m = (struct job_message){.from = e->from,
		.to = r->p.rank,
		.tag = e->tag,
		.op = e->op,
		.iteration = e->iteration,
		.bytes = e->bytes};
	return true;
}
