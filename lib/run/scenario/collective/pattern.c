// SPDX-License-Identifier: BSD-3-Clause
// Patterns of training: data parallel with buckets, experts, and a checkpoint.
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "int.h"

static uint64_t share_at(uint64_t whole, uint32_t i, uint32_t n)
{
	return (uint64_t)((unsigned __int128)whole * i / n);
}

// The backward pass goes on while buckets are reduced. An all-reduce begins when its gradients are
// there and the all-reduce before has ended.
static void data_parallel_rank(struct emit *e, const struct pattern_params *p)
{
	uint32_t work = emit_calc(e, 0, p->forward, GRAPH_NONE), join = GRAPH_NONE, entry;

	for (uint32_t i = 0; i < p->buckets; i++) {
		e->entry = GRAPH_NONE;
		work = emit_calc(e, 0,
			share_at(p->backward, i + 1, p->buckets) -
				share_at(p->backward, i, p->buckets),
			work);
		entry = emit_calc(e, JOIN_CPU, 0, work);
		emit_edge(e, join, entry);
		emit_enter(e, entry);
		e->part = i;
		e->tag = i * collective_tags(p->ranks);
		e->bytes =
			share_at(p->bytes, i + 1, p->buckets) - share_at(p->bytes, i, p->buckets);
		collective_part(e, COLLECTIVE_ALL_REDUCE, p->algorithm);
		join = emit_join(e);
	}
}

// Bytes from each rank to each expert, where no matrix says them. -ENOMEM.
static int skewed(const struct pattern_params *p, uint64_t **to)
{
	uint32_t n = p->ranks;
	double sum = 0, below = 0;

	*to = calloc((size_t)n * n, sizeof(**to));
	if (!*to)
		return -ENOMEM;
	for (uint32_t k = 0; k < n; k++)
		sum += pow(k + 1, -p->skew);
	for (uint32_t k = 0; k < n; k++) {
		uint64_t from = (uint64_t)((double)p->bytes * below / sum);

		below += pow(k + 1, -p->skew);
		for (uint32_t i = 0; i < n; i++)
			(*to)[(size_t)i * n + k] =
				(uint64_t)((double)p->bytes * below / sum) - from;
	}
	return 0;
}

// Dispatch brings tokens to the experts, and combine brings them back. Returns the operation with
// which the all-to-all ends for this rank.
static uint32_t all_to_all(
	struct emit *e, const uint64_t *bytes, uint32_t tag, bool back, uint32_t after)
{
	uint32_t n = e->ranks, me = e->rank;

	emit_enter(e, after);
	for (uint32_t k = 1; k < n; k++) {
		uint32_t from = (me + n - k) % n;
		uint64_t size = back ? bytes[(size_t)me * n + from] : bytes[(size_t)from * n + me];

		if (size)
			emit_bytes(e, GRAPH_RECV, from, tag, size, GRAPH_NONE);
	}
	for (uint32_t k = 1; k < n; k++) {
		uint32_t to = (me + k) % n;
		uint64_t size = back ? bytes[(size_t)to * n + me] : bytes[(size_t)me * n + to];

		if (size)
			emit_bytes(e, GRAPH_SEND, to, tag, size, GRAPH_NONE);
	}
	return emit_join(e);
}

static void experts_rank(struct emit *e, const struct pattern_params *p, const uint64_t *bytes)
{
	uint32_t last = GRAPH_NONE, tag = 0;

	for (uint32_t i = 0; i < 2 * p->layers; i++) {
		last = all_to_all(e, bytes, tag++, false, last);
		last = emit_calc(e, 0, i < p->layers ? p->forward : p->backward, last);
		last = all_to_all(e, bytes, tag++, true, last);
	}
}

static void checkpoint_rank(struct emit *e, const struct pattern_params *p)
{
	uint32_t senders = p->ranks - p->targets, to = senders + e->rank % p->targets;

	if (e->rank < senders) {
		emit_bytes(e, GRAPH_SEND, to, 0, p->bytes, emit_calc(e, 0, p->forward, GRAPH_NONE));
		return;
	}
	for (uint32_t from = e->rank - senders; from < senders; from += p->targets)
		emit_bytes(e, GRAPH_RECV, from, 0, p->bytes, GRAPH_NONE);
}

static const char *const names[PATTERN_KINDS] = {
	[PATTERN_GPIPE] = "gpipe",
	[PATTERN_1F1B] = "1f1b",
	[PATTERN_DATA_PARALLEL] = "data_parallel",
	[PATTERN_EXPERTS] = "experts",
	[PATTERN_CHECKPOINT] = "checkpoint",
	[PATTERN_TENSOR] = "tensor_parallel",
	[PATTERN_FSDP] = "fsdp",
};

const char *pattern_name(enum pattern_kind kind)
{
	return names[kind];
}

bool pattern_has(enum pattern_kind kind, enum collective_algorithm algorithm)
{
	if (kind == PATTERN_FSDP)
		return collective_has(COLLECTIVE_ALL_GATHER, algorithm) &&
		       collective_has(COLLECTIVE_REDUCE_SCATTER, algorithm);
	return (kind == PATTERN_DATA_PARALLEL || kind == PATTERN_TENSOR) &&
	       collective_has(COLLECTIVE_ALL_REDUCE, algorithm);
}

// Whether the algorithm is one of the pattern's, and each of so many collectives can have tags of
// its own.
static bool has_collectives(const struct pattern_params *p, unsigned __int128 n)
{
	return n && p->algorithm < COLLECTIVE_ALGORITHMS && pattern_has(p->kind, p->algorithm) &&
	       n * collective_tags(p->ranks) < GRAPH_ANY;
}

static bool is_in_range(const struct pattern_params *p)
{
	if (p->ranks < 2 || p->ranks > COLLECTIVE_RANKS || !p->bytes || p->bytes > GRAPH_BYTES ||
		p->forward > GRAPH_CALC_PS || p->backward > GRAPH_CALC_PS)
		return false;
	switch (p->kind) {
	case PATTERN_GPIPE:
	case PATTERN_1F1B:
		return p->micro && p->micro < GRAPH_ANY / 2;
	case PATTERN_DATA_PARALLEL:
		return has_collectives(p, p->buckets);
	case PATTERN_TENSOR:
		return has_collectives(p, (unsigned __int128)4 * p->layers * p->micro);
	case PATTERN_FSDP:
		return has_collectives(p, (unsigned __int128)3 * p->layers);
	case PATTERN_EXPERTS:
		return p->layers && p->layers < GRAPH_ANY / 4 && p->skew >= 0 && p->skew <= 100;
	case PATTERN_CHECKPOINT:
		return p->targets && p->targets < p->ranks;
	default:
		return false;
	}
}

static void pattern_rank(struct emit *e, const struct pattern_params *p, const uint64_t *bytes)
{
	switch (p->kind) {
	case PATTERN_DATA_PARALLEL:
		data_parallel_rank(e, p);
		break;
	case PATTERN_EXPERTS:
		experts_rank(e, p, bytes);
		break;
	case PATTERN_CHECKPOINT:
		checkpoint_rank(e, p);
		break;
	case PATTERN_TENSOR:
		tensor_parallel_rank(e, p);
		break;
	case PATTERN_FSDP:
		fsdp_rank(e, p);
		break;
	default:
		pipeline_rank(e, p);
	}
}

int pattern_make(const struct pattern_params *p, const struct collective_sink *to)
{
	struct emit e = {.to = to, .ranks = p->ranks};
	uint64_t *bytes = NULL;

	if (!is_in_range(p))
		return -EINVAL;
	if (p->kind == PATTERN_EXPERTS && !p->matrix)
		e.rc = skewed(p, &bytes);
	for (uint32_t rank = 0; !e.rc && rank < p->ranks; rank++) {
		emit_rank(&e, rank);
		pattern_rank(&e, p, p->matrix ? p->matrix : bytes);
	}
	free(bytes);
	emit_fini(&e);
	return e.rc;
}
