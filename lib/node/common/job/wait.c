// SPDX-License-Identifier: BSD-3-Clause
// Why a rank does not go on: the operations that have started and not ended, and which others wait
// for them.
#include "int.h"

enum job_phase job_phase_of(const struct job_rank *r, uint32_t op)
{
	return (enum job_phase)r->phase[op];
}

uint32_t job_pending(const struct job_rank *r, uint32_t from)
{
	for (uint32_t op = from; op < r->n_ops; op++)
		if (r->phase[op] == JOB_RUNS)
			return op;
	return GRAPH_NONE;
}

static bool is_marked(const uint8_t *mark, uint32_t op)
{
	return mark[op / 8] >> op % 8 & 1;
}

static bool leads_to_marked(const struct job_rank *r, uint32_t op, const uint8_t *mark)
{
	for (uint32_t e = GRAPH_NONE; (e = graph_next(r->edge, &r->op[op], e)) != GRAPH_NONE;)
		if (is_marked(mark, r->edge[e].to))
			return true;
	return false;
}

// Edges lead upwards, so one walk downwards sees each operation after all that wait for it.
uint32_t job_blocker(const struct job_rank *r, uint32_t op, uint8_t *mark)
{
	uint32_t first = r->phase[op] == JOB_RUNS ? op : GRAPH_NONE;

	if (r->phase[op] != JOB_WAITS)
		return first;
	mark[op / 8] |= (uint8_t)(1u << op % 8);
	while (op--) {
		if (r->phase[op] == JOB_ENDED || !leads_to_marked(r, op, mark))
			continue;
		mark[op / 8] |= (uint8_t)(1u << op % 8);
		if (r->phase[op] == JOB_RUNS)
			first = op;
	}
	return first;
}

uint32_t job_send_to_come(const struct job_rank *r, uint32_t to, uint32_t tag)
{
	for (uint32_t op = 0; op < r->n_ops; op++) {
		const struct graph_op *o = &r->op[op];

		if (o->kind == GRAPH_SEND && o->peer == to && (tag == GRAPH_ANY || o->tag == tag) &&
			r->phase[op] == JOB_WAITS)
			return op;
	}
	return GRAPH_NONE;
}
