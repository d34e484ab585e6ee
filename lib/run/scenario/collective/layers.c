// SPDX-License-Identifier: BSD-3-Clause
// Patterns of training that work layer by layer: tensor parallel, and weights that are sharded.
#include "int.h"

// A collective of all ranks that begins once `first` and `second` have ended. Returns the operation
// with which it ends for this rank. `number`: of the collective among those of the rank.
static uint32_t whole(struct emit *e, enum collective_kind kind, const struct pattern_params *p,
	uint64_t bytes, uint32_t number, uint32_t first, uint32_t second)
{
	uint32_t entry;

	e->entry = GRAPH_NONE;
	entry = emit_calc(e, JOIN_CPU, 0, first);
	emit_edge(e, second, entry);
	emit_enter(e, entry);
	e->part = number;
	e->tag = number * collective_tags(e->ranks);
	e->bytes = bytes;
	collective_part(e, kind, p->algorithm);
	entry = emit_join(e);
	e->entry = GRAPH_NONE;
	return entry;
}

// Each half of a layer, attention and the network behind it, ends with an all-reduce.
static uint32_t halves(struct emit *e, const struct pattern_params *p, tstamp work,
	uint32_t *number, uint32_t last)
{
	for (unsigned half = 0; half < 2; half++) {
		last = emit_calc(e, 0, half ? work - work / 2 : work / 2, last);
		last = whole(e, COLLECTIVE_ALL_REDUCE, p, p->bytes, (*number)++, last, GRAPH_NONE);
	}
	return last;
}

void tensor_parallel_rank(struct emit *e, const struct pattern_params *p)
{
	uint32_t last = GRAPH_NONE, number = 0;

	for (uint32_t micro = 0; micro < p->micro; micro++) {
		for (uint32_t i = 0; i < p->layers; i++)
			last = halves(e, p, p->forward, &number, last);
		for (uint32_t i = 0; i < p->layers; i++)
			last = halves(e, p, p->backward, &number, last);
	}
}

// The weights of a layer.
static uint64_t weights(const struct pattern_params *p, uint32_t layer)
{
	unsigned __int128 all = p->bytes;

	return (uint64_t)(all * (layer + 1) / p->layers) - (uint64_t)(all * layer / p->layers);
}

static uint32_t layer_of(const struct pattern_params *p, uint32_t pass)
{
	return pass < p->layers ? pass : 2 * p->layers - 1 - pass;
}

// A pass is the work of one layer, first forward and then backward. Collectives come one after the
// other; the weights of the next pass are gathered while a pass works.
void fsdp_rank(struct emit *e, const struct pattern_params *p)
{
	const uint32_t passes = 2 * p->layers;
	uint32_t number = 0, work = GRAPH_NONE, stream, gathered;

	stream = gathered =
		whole(e, COLLECTIVE_ALL_GATHER, p, weights(p, 0), number++, GRAPH_NONE, GRAPH_NONE);
	for (uint32_t i = 0; i < passes; i++) {
		bool backward = i >= p->layers;
		uint32_t start = emit_calc(e, JOIN_CPU, 0, work);

		emit_edge(e, gathered, start);
		work = emit_calc(e, 0, backward ? p->backward : p->forward, start);
		if (i + 1 < passes)
			gathered = stream = whole(e, COLLECTIVE_ALL_GATHER, p,
				weights(p, layer_of(p, i + 1)), number++, stream, start);
		if (backward)
			stream = whole(e, COLLECTIVE_REDUCE_SCATTER, p, weights(p, layer_of(p, i)),
				number++, stream, work);
	}
}
