// SPDX-License-Identifier: BSD-3-Clause
// Messages by the 32 bits that go with them from one process to another.
#include "job.h"

#define OP_BITS 30

_Static_assert(GRAPH_OPS == 1u << OP_BITS, "the number of a SEND leaves two bits");

uint32_t job_message_word(const struct job_message *m)
{
	return m->iteration << OP_BITS | m->op;
}

bool job_message_of(const struct graph *g, uint32_t from, uint32_t to, uint32_t word,
	uint32_t iteration, struct job_message *m)
{
	uint32_t op = word & (GRAPH_OPS - 1);
	uint32_t later = ((word >> OP_BITS) - iteration) % 4;
	const struct graph_op *o;

	if (op >= g->rank[from].n_ops || later > 1)
		return false;
	o = &graph_ops(g, from)[op];
	if (o->kind != GRAPH_SEND || o->peer != to)
		return false;
	*m = (struct job_message){.from = from,
		.to = to,
		.tag = o->tag,
		.op = op,
		.iteration = iteration + later,
		.bytes = o->amount,
		.nic = o->nic,
		.posted = TSTAMP_NEVER};
	return true;
}
