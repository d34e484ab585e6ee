// SPDX-License-Identifier: BSD-3-Clause
// Patterns of AI training as graphs of a job: one step of the optimizer.
#pragma once

#include "sink.h"

enum pattern_kind {
	PATTERN_GPIPE,         // a pipeline: all forward passes, then all backward passes
	PATTERN_1F1B,          // a pipeline: one forward and one backward pass alternate
	PATTERN_DATA_PARALLEL, // gradients are reduced in buckets while the backward pass goes on
	PATTERN_EXPERTS,       // two all-to-alls forward and two backward in each layer
	PATTERN_CHECKPOINT,    // all ranks write to a few
	PATTERN_TENSOR,        // two all-reduces forward and two backward in each layer
	PATTERN_FSDP, // weights are gathered for each layer, gradients reduced and scattered
	PATTERN_KINDS,
};

struct pattern_params {
	enum pattern_kind kind;
	uint32_t ranks; // pipelines: stages; CHECKPOINT: senders and targets; from 2 on
	// Pipelines: activations of a micro-batch, as many as their gradients. DATA_PARALLEL: all
	// gradients. EXPERTS: what a rank sends in an all-to-all, its own share included.
	// CHECKPOINT: of each sender. TENSOR: activations of a micro-batch. FSDP: weights of all
	// layers, as many as their gradients. From 1 on.
	uint64_t bytes;
	// CALC, ps. Pipelines: of a stage for a micro-batch. DATA_PARALLEL: of the whole step.
	// EXPERTS, FSDP: of a layer. TENSOR: of a layer for a micro-batch. CHECKPOINT: `forward`
	// goes before the messages.
	tstamp forward, backward;
	uint32_t micro;   // pipelines, TENSOR: micro-batches; from 1 on
	uint32_t buckets; // DATA_PARALLEL: from 1 on
	uint32_t layers;  // EXPERTS, TENSOR, FSDP: from 1 on
	uint32_t targets; // CHECKPOINT: the last ranks; from 1 on, below `ranks`
	// DATA_PARALLEL, TENSOR: of the all-reduce. FSDP: of both collectives.
	enum collective_algorithm algorithm;
	// EXPERTS: expert e (from 0 on) gets a share of each rank's bytes that is proportional to
	// 1 / (e + 1)^skew. 0: all get the same.
	double skew;
	// EXPERTS: bytes from rank i to rank k at [i * ranks + k]; NULL: `bytes` and `skew` say it.
	const uint64_t *matrix;
};

// "1f1b", "data_parallel".
const char *pattern_name(enum pattern_kind kind);

// Whether the collectives of the pattern have this algorithm; patterns without collectives have
// none.
bool pattern_has(enum pattern_kind kind, enum collective_algorithm algorithm);

// Makes the graph. -EINVAL: a value is out of range; -ENOMEM; -errno of the sink.
int pattern_make(const struct pattern_params *p, const struct collective_sink *to);
