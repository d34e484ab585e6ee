// SPDX-License-Identifier: BSD-3-Clause
// Why a job does not go on: the chain of operations that wait for each other, line by line.
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "int.h"

struct stuck {
	const struct graph *g;
	struct job_rank *const *rank;
	uint32_t *seen; // [n_ranks] the RECV at which the chain has been; GRAPH_NONE: none
	FILE *to;
};

static void put_name(const struct stuck *s, uint32_t rank, uint32_t op)
{
	const char *name = graph_name(s->g, rank, &graph_ops(s->g, rank)[op]);

	if (*name)
		fputs(name, s->to);
	else
		fprintf(s->to, "operation %" PRIu32, op);
}

static void put_tag(const struct stuck *s, uint32_t tag)
{
	if (tag == GRAPH_ANY)
		fputs("any tag", s->to);
	else
		fprintf(s->to, "tag %" PRIu32, tag);
}

// The operation of `rank` that `op` waits for; GRAPH_NONE: none, or memory is out.
static uint32_t find_blocker(const struct stuck *s, uint32_t rank, uint32_t op)
{
	uint8_t *mark = calloc(s->g->rank[rank].n_ops / 8 + 1ul, 1);
	uint32_t found = mark ? job_blocker(s->rank[rank], op, mark) : GRAPH_NONE;

	free(mark);
	return found;
}

// A RECV waits. Goes on to the rank that should send, and to the operation that it waits for.
// False: the chain ends here.
static bool follow_recv(struct stuck *s, uint32_t *rank, uint32_t *op)
{
	const struct graph_op *o = &graph_ops(s->g, *rank)[*op];
	uint32_t from = o->peer, send;

	fprintf(s->to, "rank %" PRIu32 ": ", *rank);
	put_name(s, *rank, *op);
	if (from == GRAPH_ANY) {
		fputs(" waits for a message from any rank with ", s->to);
		put_tag(s, o->tag);
		putc('\n', s->to);
		return false;
	}
	fprintf(s->to, " waits for a message from rank %" PRIu32 " with ", from);
	put_tag(s, o->tag);
	if (!s->rank[from]) {
		fputs(", which another process runs\n", s->to);
		return false;
	}
	send = job_send_to_come(s->rank[from], *rank, o->tag);
	if (send == GRAPH_NONE) {
		fprintf(s->to, ", and rank %" PRIu32 " has no such send left\n", from);
		return false;
	}
	fputs(", which ", s->to);
	put_name(s, from, send);
	fputs(" would send\n", s->to);
	*rank = from;
	*op = find_blocker(s, from, send);
	return *op != GRAPH_NONE;
}

static void follow(struct stuck *s, uint32_t rank, uint32_t op)
{
	for (;;) {
		if (graph_ops(s->g, rank)[op].kind != GRAPH_RECV) {
			fprintf(s->to, "rank %" PRIu32 ": ", rank);
			put_name(s, rank, op);
			fputs(" has not ended\n", s->to);
			return;
		}
		if (s->seen[rank] == op) {
			fprintf(s->to, "rank %" PRIu32 ": ", rank);
			put_name(s, rank, op);
			fputs(" again: they wait for each other\n", s->to);
			return;
		}
		s->seen[rank] = op;
		if (!follow_recv(s, &rank, &op))
			return;
	}
}

static void put_untaken(const struct stuck *s)
{
	struct job_message m;
	unsigned n = 0;

	for (uint32_t r = 0; r < s->g->n_ranks; r++) {
		for (uint32_t at = GRAPH_NONE; s->rank[r] && job_untaken(s->rank[r], &at, &m);) {
			if (n++ == GOAL_UNTAKEN) {
				fputs("and others\n", s->to);
				return;
			}
			fprintf(s->to, "rank %" PRIu32 ": no recv takes the message that ", r);
			put_name(s, m.from, m.op);
			fprintf(s->to, " of rank %" PRIu32 " sent with ", m.from);
			put_tag(s, m.tag);
			putc('\n', s->to);
		}
	}
}

int goal_stuck(const struct graph *g, struct job_rank *const *rank, FILE *to)
{
	struct stuck s = {g, rank, malloc(g->n_ranks * sizeof(*s.seen)), to};
	uint32_t first = 0, op;

	if (!s.seen)
		return -ENOMEM;
	for (uint32_t r = 0; r < g->n_ranks; r++)
		s.seen[r] = GRAPH_NONE;
	while (first < g->n_ranks && (!rank[first] || job_is_over(rank[first])))
		first++;
	op = first < g->n_ranks ? job_pending(rank[first], 0) : GRAPH_NONE;
	if (op != GRAPH_NONE)
		follow(&s, first, op);
	put_untaken(&s);
	free(s.seen);
	return 0;
}
