// SPDX-License-Identifier: BSD-3-Clause
// Option table of jobs: what the ranks do, where they are, and the queue pairs of their messages.
#include "collective/collective.h"
#include "rows.h"

// In the order of enum collective_kind, pattern_kind and collective_algorithm.
static const char *const collective_names[] = {
	"all_reduce", "reduce_scatter", "all_gather", "all_to_all", "broadcast", NULL};
static const char *const pattern_names[] = {
	"gpipe", "1f1b", "data_parallel", "experts", "checkpoint", "tensor_parallel", "fsdp", NULL};
static const char *const algorithm_names[] = {"ring", "doubling", "halving", "halving_doubling",
	"pairwise", "at_once", "binomial", "tree", "double_tree", NULL};
static const char *const done_names[] = {"acked", "sent", NULL};

_Static_assert(N(collective_names) == COLLECTIVE_KINDS + 1, "a word for each collective");
_Static_assert(N(pattern_names) == PATTERN_KINDS + 1, "a word for each pattern");
_Static_assert(N(algorithm_names) == COLLECTIVE_ALGORITHMS + 1, "a word for each algorithm");

static const struct opt job_rows[] = {
	{ROW(spec_job, ranks, "ranks", OPT_NODE), .flags = OPT_F_REQUIRED, .example = "h1..2",
		.help = "hosts; without `map` rank i is on the i-th of them"},
	{ROW(spec_job, map, "map", OPT_WORDS), .flags = OPT_F_ASIDE, .example = "packed",
		.help = "where ranks are if they are more than hosts: packed: ranks in a row share "
			"a host; spread: rank i is on host i modulo the number of hosts; or a list "
			"with the host of each rank"},
	{ROW(spec_job, num_ranks, "num_ranks", OPT_UINT), .min = 2, .max = COLLECTIVE_RANKS,
		.def = "auto", .flags = OPT_F_AUTO,
		.help = "ranks of a collective or pattern; auto: as many as hosts, or as the list "
			"`map` has"},
	{ROW(spec_job, goal, "goal", OPT_TEXT), .flags = OPT_F_ASIDE | OPT_F_LOCAL,
		.example = "trace.goal", .excludes = "collective",
		.help = "a file of GOAL text; a path from the scenario's folder"},
	{ROW(spec_job, collective, "collective", OPT_ENUM), .names = collective_names,
		.flags = OPT_F_OPTIONAL, .example = "all_reduce", .excludes = "pattern",
		.help = "a collective"},
	{ROW(spec_job, pattern, "pattern", OPT_ENUM), .names = pattern_names, .flags = OPT_F_ASIDE,
		.example = "1f1b", .excludes = "goal", .help = "a step of training"},
	{ROW(spec_job, algorithm, "algorithm", OPT_ENUM), .names = algorithm_names,
		.flags = OPT_F_OPTIONAL, .example = "ring",
		.help = "how the collective goes, or those of data_parallel, "
			"tensor_parallel and fsdp; default: the first one that the collective has"},
	{ROW(spec_job, bytes, "bytes", OPT_SIZE), .min = 1, .max = GRAPH_BYTES,
		.flags = OPT_F_OPTIONAL, .example = "64MB",
		.help = "of the vector; of all_to_all, from each rank to each other one; "
			"docs/jobs.md says which bytes of a pattern"},
	{ROW(spec_job, channels, "channels", OPT_UINT), .min = 1, .max = COLLECTIVE_CHANNELS,
		.def = "1",
		.help = "of a collective: parts of the vector that have queue pairs of their own"},
	{ROW(spec_job, chunks, "chunks", OPT_UINT), .min = 1, .max = COLLECTIVE_CHUNKS, .def = "1",
		.help = "of a collective: parts of each channel, which overlap"},
	{ROW(spec_job, forward, "forward", OPT_TIME), .max = GRAPH_CALC_PS, .def = "1ms",
		.help = "of a pattern: work of a forward pass"},
	{ROW(spec_job, backward, "backward", OPT_TIME), .max = GRAPH_CALC_PS, .def = "2ms",
		.help = "of a pattern: work of a backward pass"},
	{ROW(spec_job, micro, "micro", OPT_UINT), .min = 1, .max = 65536, .def = "8",
		.help = "gpipe, 1f1b and tensor_parallel: micro-batches"},
	{ROW(spec_job, buckets, "buckets", OPT_UINT), .min = 1, .max = 65536, .def = "8",
		.help = "data_parallel: buckets of gradients"},
	{ROW(spec_job, layers, "layers", OPT_UINT), .min = 1, .max = 65536, .def = "1",
		.help = "experts, tensor_parallel and fsdp: layers"},
	{ROW(spec_job, targets, "targets", OPT_UINT), .min = 1, .max = COLLECTIVE_RANKS, .def = "1",
		.help = "checkpoint: ranks to which it goes, the last ones"},
	{ROW(spec_job, skew, "skew", OPT_REAL), .max = 100000000, .def = "0", .excludes = "matrix",
		.help = "experts: expert e, from 1 on, gets a share in proportion to 1 / e^skew"},
	{ROW(spec_job, matrix, "matrix", OPT_ANY), .flags = OPT_F_ASIDE,
		.example = "[[0B, 1MB], [2MB, 0B]]", .excludes = "skew",
		.help = "experts: bytes from each rank to each expert, a row for each rank, in "
			"place of bytes and skew"},
	{ROW(spec_job, iterations, "iterations", OPT_UINT), .min = 1, .max = UINT32_MAX, .def = "1",
		.help = "times that each rank runs its operations"},
	{ROW(spec_job, gap, "gap", OPT_TIME), .max = 1000000 * S, .def = "0us",
		.help = "from the end of a rank's operations to its next iteration"},
	{ROW(spec_job, start, "start", OPT_TIME), .max = 1000000 * S, .def = "0us",
		.help = "of the first iteration"},
	{ROW(spec_job, send_done, "send_done", OPT_ENUM), .names = done_names, .def = "acked",
		.help = "a SEND ends with its last ACK, or once its last bit is sent"},
#include "flow_rows.inc"
};
const struct opt_table scene_opts_job = {"job", job_rows, N(job_rows), true};
