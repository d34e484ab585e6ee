// SPDX-License-Identifier: BSD-3-Clause
// The graph of a job: where it comes from, and which ranks have messages for which others.
#include "job_graph.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NICS    256          // that a graph tells apart
#define MESSAGE (2ull << 30) // bytes of a message, at most

const char *job_map_word(const struct spec_job *s)
{
	static const char *const words[] = {"packed", "spread"};

	for (unsigned i = 0; s->map && s->map->type == YAMLDOC_SCALAR && i < 2; i++)
		if (!strcmp(s->map->text, words[i]))
			return words[i];
	return NULL;
}

static int read_goal(struct draft *b, const struct draft_job *j, struct goal *g, const char *folder)
{
	const char *path = hardware_object_file(b, j->spec->goal);
	struct err why;

	if (!path)
		return -ENOMEM;
	if (!strncmp(path, "./", 2))
		path += 2;
	if (infile_check(path, &why) || goal_read(g, path, folder, &why))
		return yamldoc_err(b->err, job_said(j, "goal"), "goal: %s", why.text);
	j->to->what = arena_format(b->a, "goal %s", path);
	return j->to->what ? 0 : -ENOMEM;
}

int job_graph_make(struct draft *b, struct draft_job *j)
{
	struct scene_graph *kept = draft_get(b, sizeof(*kept));
	const char *folder = getenv("TMPDIR") ?: "/tmp";

	if (!kept)
		return -ENOMEM;
	kept->goal = (struct goal){.ops = {.fd = -1}, .edges = {.fd = -1}, .names = {.fd = -1}};
	scene_keep_graph(b->s, kept);
	j->to->graph = &kept->goal.graph;
	if (job_keys_check(b, j))
		return -EINVAL;
	if (job_said(j, "goal"))
		return read_goal(b, j, &kept->goal, folder);
	if (job_said(j, "collective") || job_said(j, "pattern"))
		return job_generate(b, j, &kept->goal, folder);
	return yamldoc_err(b->err, j->key,
		"job '%s' has nothing to do; give it collective, pattern or goal, as in "
		"collective: all_reduce",
		j->name);
}

struct pairs {
	struct draft *b;
	struct draft_job *j;
	uint8_t *seen; // [rank][NICS / 8]
	struct scene_job_pair *pair;
	uint32_t n, room;
};

static int add_pair(struct pairs *p, uint32_t from, const struct graph_op *op)
{
	uint8_t *seen = &p->seen[(size_t)op->peer * NICS / 8 + op->nic / 8];

	if (*seen >> op->nic % 8 & 1)
		return 0;
	*seen |= (uint8_t)(1u << op->nic % 8);
	if (p->n == p->room) {
		uint32_t room = p->room ? 2 * p->room : 256;
		struct scene_job_pair *more = reallocarray(p->pair, room, sizeof(*more));

		if (!more)
			return err_set(p->b->err, -ENOMEM, "out of memory");
		p->pair = more;
		p->room = room;
	}
	p->pair[p->n++] = (struct scene_job_pair){
		.from = from, .to = op->peer, .nic = op->nic, .flow = SCENE_NO_FLOW};
	return 0;
}

static int by_receiver(const void *one, const void *two)
{
	const struct scene_job_pair *a = one, *b = two;

	if (a->to != b->to)
		return a->to < b->to ? -1 : 1;
	return a->nic - b->nic;
}

static int see_send(struct pairs *p, uint32_t from, const struct graph_op *op)
{
	struct draft_job *j = p->j;

	if (op->amount > MESSAGE)
		return yamldoc_err(p->b->err, j->key,
			"job '%s': rank %u sends %llu bytes to rank %u, and a message has at most "
			"%llu; take more chunks or ranks",
			j->name, from, (unsigned long long)op->amount, op->peer, MESSAGE);
	j->most = op->amount > j->most ? (uint32_t)op->amount : j->most;
	j->least = op->amount < j->least ? (uint32_t)op->amount : j->least;
	return add_pair(p, from, op);
}

static int rank_pairs(struct pairs *p, uint32_t rank)
{
	const struct graph *g = p->j->to->graph;
	const struct graph_op *op = graph_ops(g, rank);
	uint32_t first = p->n;
	int rc = 0;

	for (uint32_t i = 0; !rc && i < g->rank[rank].n_ops; i++)
		if (op[i].kind == GRAPH_SEND)
			rc = see_send(p, rank, &op[i]);
	for (uint32_t i = first; i < p->n; i++)
		p->seen[(size_t)p->pair[i].to * NICS / 8 + p->pair[i].nic / 8] = 0;
	if (p->n > first)
		qsort(p->pair + first, p->n - first, sizeof(*p->pair), by_receiver);
	return rc;
}

int job_graph_pairs(struct draft *b, struct draft_job *j)
{
	const struct graph *g = j->to->graph;
	struct pairs p = {.b = b, .j = j, .seen = calloc(g->n_ranks, NICS / 8)};
	int rc = p.seen ? 0 : err_set(b->err, -ENOMEM, "out of memory");

	j->least = UINT32_MAX;
	for (uint32_t i = 0; !rc && i < g->n_ranks; i++)
		rc = rank_pairs(&p, i);
	if (!rc) {
		j->to->pair = draft_get(b, (p.n + 1ul) * sizeof(*p.pair));
		rc = j->to->pair ? 0 : -ENOMEM;
	}
	if (!rc && p.n)
		memcpy(j->to->pair, p.pair, p.n * sizeof(*p.pair));
	j->to->n_pairs = rc ? 0 : p.n;
	free(p.pair);
	free(p.seen);
	return rc;
}
