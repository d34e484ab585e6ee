// SPDX-License-Identifier: BSD-3-Clause
// Which collective has which algorithms, and the parts into which a vector is cut.
#include <errno.h>
#include <stddef.h>

#include "int.h"

static const char *const kind_names[COLLECTIVE_KINDS] = {
	[COLLECTIVE_ALL_REDUCE] = "all_reduce",
	[COLLECTIVE_REDUCE_SCATTER] = "reduce_scatter",
	[COLLECTIVE_ALL_GATHER] = "all_gather",
	[COLLECTIVE_ALL_TO_ALL] = "all_to_all",
	[COLLECTIVE_BROADCAST] = "broadcast",
};

static const char *const algorithm_names[COLLECTIVE_ALGORITHMS] = {
	[COLLECTIVE_RING] = "ring",
	[COLLECTIVE_DOUBLING] = "doubling",
	[COLLECTIVE_HALVING] = "halving",
	[COLLECTIVE_HALVING_DOUBLING] = "halving_doubling",
	[COLLECTIVE_PAIRWISE] = "pairwise",
	[COLLECTIVE_AT_ONCE] = "at_once",
	[COLLECTIVE_BINOMIAL] = "binomial",
	[COLLECTIVE_TREE] = "tree",
	[COLLECTIVE_DOUBLE_TREE] = "double_tree",
};

typedef void (*generator)(struct emit *e);

static const generator generators[COLLECTIVE_KINDS][COLLECTIVE_ALGORITHMS] = {
	[COLLECTIVE_ALL_REDUCE] = {[COLLECTIVE_RING] = ring_all_reduce,
		[COLLECTIVE_DOUBLING] = doubling_all_reduce,
		[COLLECTIVE_HALVING_DOUBLING] = halving_doubling_all_reduce,
		[COLLECTIVE_TREE] = tree_all_reduce,
		[COLLECTIVE_DOUBLE_TREE] = double_tree_all_reduce},
	[COLLECTIVE_REDUCE_SCATTER] = {[COLLECTIVE_RING] = ring_reduce_scatter,
		[COLLECTIVE_HALVING] = halving_reduce_scatter,
		[COLLECTIVE_PAIRWISE] = pairwise_reduce_scatter},
	[COLLECTIVE_ALL_GATHER] = {[COLLECTIVE_RING] = ring_all_gather,
		[COLLECTIVE_DOUBLING] = doubling_all_gather,
		[COLLECTIVE_PAIRWISE] = pairwise_all_gather},
	[COLLECTIVE_ALL_TO_ALL] = {[COLLECTIVE_PAIRWISE] = pairwise_all_to_all,
		[COLLECTIVE_AT_ONCE] = at_once_all_to_all},
	[COLLECTIVE_BROADCAST] = {[COLLECTIVE_BINOMIAL] = binomial_broadcast},
};

const char *collective_kind_name(enum collective_kind kind)
{
	return kind_names[kind];
}

const char *collective_algorithm_name(enum collective_algorithm algorithm)
{
	return algorithm_names[algorithm];
}

bool collective_has(enum collective_kind kind, enum collective_algorithm algorithm)
{
	return generators[kind][algorithm] != NULL;
}

enum collective_algorithm collective_usual(enum collective_kind kind)
{
	enum collective_algorithm a = COLLECTIVE_RING;

	while (!collective_has(kind, a))
		a++;
	return a;
}

bool collective_part(struct emit *e, enum collective_kind kind, enum collective_algorithm algorithm)
{
	if (!collective_has(kind, algorithm))
		return false;
	generators[kind][algorithm](e);
	return true;
}

// The ring of an all-reduce has 2 (ranks - 1) steps, and halving with doubling 2 m + 2.
uint32_t collective_tags(uint32_t ranks)
{
	return 2 * ranks + 2;
}

static bool is_in_range(const struct collective_params *p)
{
	return p->kind < COLLECTIVE_KINDS && p->algorithm < COLLECTIVE_ALGORITHMS &&
	       collective_has(p->kind, p->algorithm) && p->ranks >= 2 &&
	       p->ranks <= COLLECTIVE_RANKS && p->bytes >= 1 && p->bytes <= GRAPH_BYTES &&
	       p->channels >= 1 && p->channels <= COLLECTIVE_CHANNELS && p->chunks >= 1 &&
	       p->chunks <= COLLECTIVE_CHUNKS &&
	       (uint64_t)p->channels * p->chunks * collective_tags(p->ranks) < GRAPH_ANY;
}

// The first byte of a part of the vector.
static uint64_t part_at(const struct collective_params *p, uint32_t part)
{
	return (uint64_t)((unsigned __int128)p->bytes * part / (p->channels * p->chunks));
}

// Chunk by chunk, so that all channels begin with their first one.
static void make_rank(struct emit *e, const struct collective_params *p)
{
	for (uint32_t i = 0; i < p->channels * p->chunks; i++) {
		uint32_t channel = i % p->channels;

		e->part = i;
		e->tag = i * collective_tags(p->ranks);
		e->nic = (uint8_t)channel;
		e->bytes = part_at(p, i + 1) - part_at(p, i);
		collective_part(e, p->kind, p->algorithm);
	}
}

int collective_make(const struct collective_params *p, const struct collective_sink *to)
{
	struct emit e = {.to = to, .ranks = p->ranks};

	if (!is_in_range(p))
		return -EINVAL;
	for (uint32_t rank = 0; !e.rc && rank < p->ranks; rank++) {
		emit_rank(&e, rank);
		make_rank(&e, p);
	}
	emit_fini(&e);
	return e.rc;
}

static int into_rank(void *arg, uint32_t rank)
{
	return goal_rank(arg, rank);
}

static int into_op(void *arg, const struct goal_op *op, const struct collective_data *data)
{
	(void)data;
	return goal_op(arg, op, NULL);
}

static int into_edge(void *arg, uint32_t from, uint32_t to)
{
	return goal_edge(arg, from, to, false);
}

struct collective_sink collective_into(struct goal *g)
{
	return (struct collective_sink){into_rank, into_op, into_edge, g};
}

double collective_bus_factor(enum collective_kind kind, uint32_t ranks)
{
	double share = (ranks - 1.0) / ranks;

	switch (kind) {
	case COLLECTIVE_ALL_REDUCE:
		return 2 * share;
	case COLLECTIVE_BROADCAST:
		return 1;
	default:
		return share;
	}
}
