// SPDX-License-Identifier: BSD-3-Clause
// Functions that the generators share: the operations of one rank are put into the sink.
#pragma once

#include "collective.h"

#pragma GCC visibility push(hidden)

#define JOIN_CPU 1 // of operations that only wait; CALC of a rank has the CPU 0

struct emit {
	const struct collective_sink *to;
	uint32_t ranks, rank; // whose operations come
	uint32_t n_ops;       // that it has
	uint32_t all_ops;     // of all ranks until now
	int rc;               // of the first failure; then nothing more is put
	// The operation that all others of a part wait for, GRAPH_NONE: they wait for none.
	uint32_t entry;
	// Of the part: its number, its bytes, the blocks that they are cut into, the first tag.
	uint32_t part, blocks, tag;
	uint64_t bytes;
	uint8_t nic;
	// RECVs since emit_enter(), where `joins`.
	bool joins;
	uint32_t *recv, n_recv, room;
};

void emit_rank(struct emit *e, uint32_t rank);
void emit_fini(struct emit *e);

// Blocks `first`.. of the part go to a rank, or come from it; `step` is added to the tag. They wait
// for `after`; GRAPH_NONE: for the entry. Each returns its number.
uint32_t emit_send(
	struct emit *e, uint32_t to, uint32_t step, uint32_t first, uint32_t n, uint32_t after);
uint32_t emit_recv(struct emit *e, uint32_t from, uint32_t step, uint32_t first, uint32_t n,
	bool adds, uint32_t after);

// Bytes without a meaning for the blocks.
uint32_t emit_bytes(struct emit *e, enum graph_kind kind, uint32_t peer, uint32_t tag,
	uint64_t bytes, uint32_t after);
uint32_t emit_calc(struct emit *e, uint16_t cpu, tstamp ps, uint32_t after);
void emit_edge(struct emit *e, uint32_t from, uint32_t to);

// From here on each operation waits for `entry`, and RECVs are remembered.
void emit_enter(struct emit *e, uint32_t entry);
// An operation that ends with the last of these RECVs, on a CPU that has no other work.
uint32_t emit_join(struct emit *e);

// Each makes the operations of e->rank for one part.
void ring_all_reduce(struct emit *e);
void ring_reduce_scatter(struct emit *e);
void ring_all_gather(struct emit *e);
void doubling_all_reduce(struct emit *e);
void doubling_all_gather(struct emit *e);
void halving_reduce_scatter(struct emit *e);
void halving_doubling_all_reduce(struct emit *e);
void pairwise_reduce_scatter(struct emit *e);
void pairwise_all_gather(struct emit *e);
void pairwise_all_to_all(struct emit *e);
void at_once_all_to_all(struct emit *e);
void binomial_broadcast(struct emit *e);
void tree_all_reduce(struct emit *e);
void double_tree_all_reduce(struct emit *e);

// The operations of one part, and the tags that it uses. False: the kind lacks the algorithm.
bool collective_part(
	struct emit *e, enum collective_kind kind, enum collective_algorithm algorithm);
uint32_t collective_tags(uint32_t ranks);

// Operations of one rank.
void pipeline_rank(struct emit *e, const struct pattern_params *p);
void tensor_parallel_rank(struct emit *e, const struct pattern_params *p);
void fsdp_rank(struct emit *e, const struct pattern_params *p);

#pragma GCC visibility pop
