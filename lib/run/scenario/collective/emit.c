// SPDX-License-Identifier: BSD-3-Clause
// The operations of a rank go into the sink, each with its edges.
#include <errno.h>
#include <stdlib.h>

#include "int.h"

void emit_rank(struct emit *e, uint32_t rank)
{
	e->rank = rank;
	e->n_ops = 0;
	e->entry = GRAPH_NONE;
	e->n_recv = 0;
	if (!e->rc)
		e->rc = e->to->rank(e->to->arg, rank);
}

void emit_fini(struct emit *e)
{
	free(e->recv);
}

void emit_edge(struct emit *e, uint32_t from, uint32_t to)
{
	if (!e->rc && from != GRAPH_NONE)
		e->rc = e->to->edge(e->to->arg, from, to);
}

static uint32_t put(struct emit *e, const struct goal_op *op, const struct collective_data *data,
	uint32_t after)
{
	if (!e->rc && e->all_ops++ == COLLECTIVE_OPS)
		e->rc = -E2BIG;
	if (!e->rc)
		e->rc = e->to->op(e->to->arg, op, data);
	emit_edge(e, after == GRAPH_NONE ? e->entry : after, e->n_ops);
	return e->n_ops++;
}

static void remember(struct emit *e, uint32_t number)
{
	uint32_t room = e->room ? 2 * e->room : 64;
	uint32_t *more;

	if (!e->joins)
		return;
	if (e->n_recv == e->room) {
		more = realloc(e->recv, room * sizeof(*more));
		if (!more) {
			e->rc = e->rc ? e->rc : -ENOMEM;
			return;
		}
		e->recv = more;
		e->room = room;
	}
	e->recv[e->n_recv++] = number;
}

static uint64_t block_at(const struct emit *e, uint32_t block)
{
	return (uint64_t)((unsigned __int128)e->bytes * block / e->blocks);
}

// A SEND or RECV of blocks. LogGOPSim cannot take messages without bytes: there is one at least.
static struct goal_op message_of(const struct emit *e, enum graph_kind kind, uint32_t peer,
	uint32_t step, const struct collective_data *data)
{
	uint64_t bytes = block_at(e, data->first + data->n) - block_at(e, data->first);

	return (struct goal_op){.kind = kind,
		.amount = bytes ? bytes : 1,
		.peer = peer,
		.tag = e->tag + step,
		.nic = e->nic};
}

uint32_t emit_send(
	struct emit *e, uint32_t to, uint32_t step, uint32_t first, uint32_t n, uint32_t after)
{
	struct collective_data data = {e->part, first, n, false};
	struct goal_op op = message_of(e, GRAPH_SEND, to, step, &data);

	return put(e, &op, &data, after);
}

uint32_t emit_recv(struct emit *e, uint32_t from, uint32_t step, uint32_t first, uint32_t n,
	bool adds, uint32_t after)
{
	struct collective_data data = {e->part, first, n, adds};
	struct goal_op op = message_of(e, GRAPH_RECV, from, step, &data);
	uint32_t number = put(e, &op, &data, after);

	remember(e, number);
	return number;
}

uint32_t emit_bytes(struct emit *e, enum graph_kind kind, uint32_t peer, uint32_t tag,
	uint64_t bytes, uint32_t after)
{
	struct goal_op op = {.kind = kind, .amount = bytes ? bytes : 1, .peer = peer, .tag = tag};
	uint32_t number = put(e, &op, NULL, after);

	if (kind == GRAPH_RECV)
		remember(e, number);
	return number;
}

uint32_t emit_calc(struct emit *e, uint16_t cpu, tstamp ps, uint32_t after)
{
	struct goal_op op = {.kind = GRAPH_CALC, .amount = ps, .cpu = cpu};

	return put(e, &op, NULL, after);
}

void emit_enter(struct emit *e, uint32_t entry)
{
	e->entry = entry;
	e->n_recv = 0;
	e->joins = true;
}

uint32_t emit_join(struct emit *e)
{
	uint32_t join = emit_calc(e, JOIN_CPU, 0, GRAPH_NONE);

	for (uint32_t i = 0; i < e->n_recv; i++)
		emit_edge(e, e->recv[i], join);
	return join;
}
