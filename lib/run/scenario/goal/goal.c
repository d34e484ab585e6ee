// SPDX-License-Identifier: BSD-3-Clause
// A graph grows: its operations and edges are checked and stand in files.
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "int.h"

int goal_init(struct goal *g, uint32_t n_ranks, const char *folder, struct err *err)
{
	*g = (struct goal){.graph = {.n_ranks = n_ranks},
		.err = err,
		.ops = {.fd = -1},
		.edges = {.fd = -1},
		.names = {.fd = -1},
		.now = GRAPH_NONE};
	if (!n_ranks || n_ranks > GRAPH_RANKS)
		return err_set(err, -EINVAL, "%u ranks; a job has 1 to %u", n_ranks, GRAPH_RANKS);
	g->folder = strdup(folder);
	g->rank = calloc(n_ranks, sizeof(*g->rank));
	g->done = calloc(n_ranks, sizeof(*g->done));
	if (!g->folder || !g->rank || !g->done)
		return err_set(err, -ENOMEM, "no memory for %u ranks", n_ranks);
	return 0;
}

void goal_fini(struct goal *g)
{
	goal_spill_fini(&g->ops);
	goal_spill_fini(&g->edges);
	goal_spill_fini(&g->names);
	free(g->folder);
	free(g->rank);
	free(g->done);
	*g = (struct goal){.ops = {.fd = -1}, .edges = {.fd = -1}, .names = {.fd = -1}};
}

static void *add_bytes(struct goal *g, struct goal_spill *s, uint64_t bytes)
{
	void *at = goal_spill_add(s, g->folder, bytes);

	if (!at)
		err_set(g->err, -errno, "%s: a job's operations cannot be kept there: %s",
			g->folder, strerror(errno));
	return at;
}

int goal_rank(struct goal *g, uint32_t rank)
{
	struct graph_rank *r = g->rank + (rank < g->graph.n_ranks ? rank : 0);

	if (rank >= g->graph.n_ranks)
		return err_set(g->err, -EINVAL,
			"there is no rank %u; the job has the ranks 0 to %u", rank,
			g->graph.n_ranks - 1);
	if (g->done[rank])
		return err_set(g->err, -EEXIST, "rank %u comes a second time", rank);
	g->done[rank] = true;
	g->now = rank;
	r->op = g->ops.bytes / sizeof(struct graph_op);
	r->edge = g->edges.bytes / sizeof(struct graph_edge);
	r->name = g->names.bytes;
	return add_bytes(g, &g->names, 1) ? 0 : -ENOSPC;
}

static int check_op(const struct goal *g, const struct goal_op *op)
{
	uint32_t n = g->graph.n_ranks;

	if (op->kind == GRAPH_CALC)
		return op->amount <= GRAPH_CALC_PS
			       ? 0
			       : err_set(g->err, -EINVAL, "more time than %llu ns",
					 (unsigned long long)(GRAPH_CALC_PS / PS_PER_NS));
	if (op->amount > GRAPH_BYTES)
		return err_set(g->err, -EINVAL, "a message has at most %llu bytes", GRAPH_BYTES);
	if (op->peer == GRAPH_ANY && op->kind == GRAPH_RECV)
		return 0;
	if (op->peer >= n)
		return err_set(g->err, -EINVAL,
			"there is no rank %u; the job has the ranks 0 to %u", op->peer, n - 1);
	if (op->peer == g->now)
		return err_set(g->err, -EINVAL, "rank %u exchanges a message with itself", g->now);
	return 0;
}

static void count_op(struct goal *g, const struct goal_op *op)
{
	struct graph_rank *r = &g->rank[g->now];

	r->n_ops++;
	g->graph.n_ops++;
	switch (op->kind) {
	case GRAPH_SEND:
		g->rank[op->peer].incoming++;
		break;
	case GRAPH_RECV:
		r->n_recvs++;
		r->n_any += op->peer == GRAPH_ANY || op->tag == GRAPH_ANY;
		break;
	default:
		if (op->cpu >= r->n_cpus)
			r->n_cpus = op->cpu + 1u;
	}
}

int goal_op(struct goal *g, const struct goal_op *op, uint32_t *number)
{
	struct graph_rank *r = &g->rank[g->now];
	uint64_t name = g->names.bytes - r->name;
	struct graph_op *to;
	int rc = check_op(g, op);

	if (rc)
		return rc;
	if (r->n_ops == GRAPH_OPS || (op->label && name > UINT32_MAX))
		return err_set(g->err, -E2BIG, "rank %u has too many operations", g->now);
	if (op->label) {
		size_t n = strlen(op->label) + 1;
		char *text = add_bytes(g, &g->names, n);

		if (!text)
			return -ENOSPC;
		memcpy(text, op->label, n);
	}
	to = add_bytes(g, &g->ops, sizeof(*to));
	if (!to)
		return -ENOSPC;
	*to = (struct graph_op){.amount = op->amount,
		.peer = op->peer,
		.tag = op->tag,
		.edge = GRAPH_NONE,
		.name = op->label ? (uint32_t)name : 0,
		.cpu = op->cpu,
		.kind = (uint8_t)op->kind,
		.nic = op->nic};
	if (number)
		*number = r->n_ops;
	count_op(g, op);
	return 0;
}

int goal_edge(struct goal *g, uint32_t from, uint32_t to, bool at_start)
{
	struct graph_rank *r = &g->rank[g->now];
	struct graph_op *op = (struct graph_op *)g->ops.at + r->op;
	struct graph_edge *e;
	uint32_t number = r->n_edges;

	if (from >= to || to >= r->n_ops)
		return err_set(g->err, -EINVAL, "operation %u cannot wait for %u", to, from);
	if (number == GRAPH_OPS)
		return err_set(g->err, -E2BIG, "rank %u has too many dependencies", g->now);
	if (!add_bytes(g, &g->edges, sizeof(*e)))
		return -ENOSPC;
	e = (struct graph_edge *)g->edges.at + r->edge;
	e[number] = (struct graph_edge){.next = number, .to = to, .at_start = at_start};
	if (op[from].edge != GRAPH_NONE) {
		e[number].next = e[op[from].edge].next;
		e[op[from].edge].next = number;
	}
	op[from].edge = number;
	op[to].needs++;
	r->n_edges++;
	return 0;
}

// Arrays that have got nothing stand nowhere; the graph has addresses for them, too.
void goal_end(struct goal *g)
{
	static const struct graph_op no_op;
	static const struct graph_edge no_edge;

	g->now = GRAPH_NONE;
	g->graph.rank = g->rank;
	g->graph.op = g->ops.at ? g->ops.at : &no_op;
	g->graph.edge = g->edges.at ? g->edges.at : &no_edge;
	g->graph.name = g->names.at ? g->names.at : "";
	goal_forget(g);
}

void goal_forget(const struct goal *g)
{
	goal_spill_forget(&g->ops);
	goal_spill_forget(&g->edges);
	goal_spill_forget(&g->names);
}
