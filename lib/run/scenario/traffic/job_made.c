// SPDX-License-Identifier: BSD-3-Clause
// Graphs of jobs that are generated: collectives and steps of training, by the keys of each.
#include "job_graph.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "collective/collective.h"

#define OF(kind)    (1u << (kind))
#define OF_ALL      (OF(PATTERN_KINDS) - 1)
#define PIPELINES   (OF(PATTERN_GPIPE) | OF(PATTERN_1F1B))
#define COLLECTIVES (OF(PATTERN_DATA_PARALLEL) | OF(PATTERN_TENSOR) | OF(PATTERN_FSDP))
#define LAYERS      (OF(PATTERN_EXPERTS) | OF(PATTERN_TENSOR) | OF(PATTERN_FSDP))

// Keys, and which schedules have a use for each: collectives, and patterns by their bits.
static const struct {
	const char *key;
	unsigned patterns;
	bool collectives;
} uses[] = {
	{"num_ranks", OF_ALL, true},
	{"algorithm", COLLECTIVES, true},
	{"bytes", OF_ALL, true},
	{"channels", 0, true},
	{"chunks", 0, true},
	{"forward", OF_ALL, false},
	{"backward", OF_ALL & ~OF(PATTERN_CHECKPOINT), false},
	{"micro", PIPELINES | OF(PATTERN_TENSOR), false},
	{"buckets", OF(PATTERN_DATA_PARALLEL), false},
	{"layers", LAYERS, false},
	{"targets", OF(PATTERN_CHECKPOINT), false},
	{"skew", OF(PATTERN_EXPERTS), false},
	{"matrix", OF(PATTERN_EXPERTS), false},
};

// Whether a key has another value than its default.
static bool differs(const struct draft_job *j, const struct spec_job *usual, const char *key)
{
	const struct opt *row = opt_row(&scene_opts_job, key);

	return job_said(j, key) && memcmp((const char *)j->spec + row->offset,
					   (const char *)usual + row->offset, row->size) != 0;
}

int job_keys_check(struct draft *b, const struct draft_job *j)
{
	bool collective = job_said(j, "collective"), pattern = job_said(j, "pattern");
	struct spec_job *usual = draft_scrap(b, sizeof(*usual));

	if (!usual)
		return -ENOMEM;
	opt_init(&scene_opts_job, usual);
	for (unsigned i = 0; i < sizeof(uses) / sizeof(uses[0]); i++) {
		if ((collective && uses[i].collectives) ||
			(pattern && uses[i].patterns >> j->spec->pattern & 1) ||
			!differs(j, usual, uses[i].key))
			continue;
		return yamldoc_err(b->err, job_said(j, uses[i].key),
			"job '%s': %s has no use for %s; leave the key out", j->name,
			collective ? collective_kind_name(j->spec->collective)
			: pattern  ? pattern_name(j->spec->pattern)
				   : "a schedule in GOAL text",
			uses[i].key);
	}
	return 0;
}

// How many ranks the job has.
static int count_ranks(struct draft *b, const struct draft_job *j, uint32_t *n)
{
	const struct spec_job *s = j->spec;
	struct draft_names names = {0};
	const struct yamldoc_node *list = s->map && !job_map_word(s) ? s->map : s->ranks;
	int rc = draft_names(b, &names, list);

	if (rc)
		return rc;
	*n = s->num_ranks == OPT_AUTO ? names.n : (uint32_t)s->num_ranks;
	if (*n >= 2)
		return 0;
	return yamldoc_err(b->err, list, "job '%s' has one rank; it needs two at least", j->name);
}

static bool has(const struct draft_job *j, enum collective_algorithm a)
{
	return job_said(j, "collective") ? collective_has(j->spec->collective, a)
					 : pattern_has(j->spec->pattern, a);
}

// The algorithm of its collectives.
static int choose(struct draft *b, const struct draft_job *j, enum collective_algorithm *to)
{
	char all[160] = "";

	if (!job_said(j, "algorithm")) {
		*to = job_said(j, "collective") ? collective_usual(j->spec->collective)
						: COLLECTIVE_RING;
		return 0;
	}
	*to = j->spec->algorithm;
	if (has(j, *to) || !(job_said(j, "collective") || OF(j->spec->pattern) & COLLECTIVES))
		return 0;
	for (unsigned i = 0; i < COLLECTIVE_ALGORITHMS; i++)
		if (has(j, i))
			append_text(all, sizeof(all), "%s%s", *all ? ", " : "",
				collective_algorithm_name(i));
	return yamldoc_err(b->err, job_said(j, "algorithm"),
		"job '%s': %s has no algorithm '%s'; it has %s", j->name,
		job_said(j, "collective") ? collective_kind_name(j->spec->collective)
					  : pattern_name(j->spec->pattern),
		collective_algorithm_name(*to), all);
}

static int make_collective(struct draft *b, const struct draft_job *j,
	const struct collective_sink *into, uint32_t n, enum collective_algorithm algorithm)
{
	const struct spec_job *s = j->spec;
	const struct collective_params p = {.kind = s->collective,
		.algorithm = algorithm,
		.ranks = n,
		.bytes = s->bytes,
		.channels = s->channels,
		.chunks = s->chunks};

	j->to->what = arena_format(b->a, "%s, %s", collective_kind_name(p.kind),
		collective_algorithm_name(p.algorithm));
	j->to->bytes = p.bytes * (p.kind == COLLECTIVE_ALL_TO_ALL ? n : 1);
	j->to->bus = collective_bus_factor(p.kind, n);
	return j->to->what ? collective_make(&p, into) : -ENOMEM;
}

static int read_row(struct draft *b, const struct draft_job *j, const struct yamldoc_node *row,
	uint32_t n, uint64_t *to)
{
	if (row->type != YAMLDOC_LIST || row->n != n)
		return yamldoc_err(b->err, row,
			"a row of the matrix of job '%s' has the bytes to its %u experts, as in "
			"[0B, 1MB]",
			j->name, n);
	for (uint32_t k = 0; k < n; k++) {
		const struct yamldoc_node *one = row->item[k].value;

		if (one->type != YAMLDOC_SCALAR || units_parse(UNITS_SIZE, one->text, &to[k]) ||
			to[k] > GRAPH_BYTES)
			return yamldoc_err(b->err, one,
				"the matrix of job '%s' has sizes, as in 1MB or 0B, up to %lluGiB",
				j->name, GRAPH_BYTES >> 30);
	}
	return 0;
}

// Bytes from each rank to each expert.
static int read_matrix(
	struct draft *b, const struct draft_job *j, uint32_t n, const uint64_t **matrix)
{
	const struct yamldoc_node *rows = j->spec->matrix;
	uint64_t *to = draft_scrap(b, (size_t)n * n * sizeof(*to));
	int rc = 0;

	if (!to)
		return -ENOMEM;
	if (rows->type != YAMLDOC_LIST || rows->n != n)
		return yamldoc_err(b->err, rows,
			"the matrix of job '%s' has a row for each of its %u ranks, as in "
			"[[0B, 1MB], [2MB, 0B]]",
			j->name, n);
	for (uint32_t i = 0; !rc && i < n; i++)
		rc = read_row(b, j, rows->item[i].value, n, to + (size_t)i * n);
	*matrix = to;
	return rc;
}

static int make_pattern(struct draft *b, const struct draft_job *j,
	const struct collective_sink *into, uint32_t n, enum collective_algorithm algorithm)
{
	const struct spec_job *s = j->spec;
	struct pattern_params p = {.kind = s->pattern,
		.ranks = n,
		.bytes = s->bytes ? s->bytes : 1,
		.forward = s->forward,
		.backward = s->backward,
		.micro = s->micro,
		.buckets = s->buckets,
		.layers = s->layers,
		.targets = s->targets,
		.algorithm = algorithm,
		.skew = s->skew};
	const bool named = OF(p.kind) & COLLECTIVES;

	if (s->matrix && read_matrix(b, j, n, &p.matrix))
		return -EINVAL;
	if (p.kind == PATTERN_CHECKPOINT && p.targets >= n)
		return yamldoc_err(b->err, draft_given(&scene_opts_job, s, "targets", j->key),
			"job '%s' has %u ranks and %u targets; targets are 1 to %u", j->name, n,
			p.targets, n - 1);
	j->to->what = named ? arena_format(b->a, "%s, %s", pattern_name(p.kind),
				      collective_algorithm_name(algorithm))
			    : pattern_name(p.kind);
	return j->to->what ? pattern_make(&p, into) : -ENOMEM;
}

// Says what is wrong with a graph that was not made.
static int refuse(struct draft *b, const struct draft_job *j, int rc)
{
	if (*b->err->text)
		return rc;
	if (rc == -E2BIG)
		return yamldoc_err(b->err, j->key,
			"job '%s' has more than %u operations; take fewer ranks or parts", j->name,
			COLLECTIVE_OPS);
	if (rc == -EINVAL)
		return yamldoc_err(b->err, j->key,
			"job '%s': its ranks times parts need more tags than there are; take fewer",
			j->name);
	return err_set(b->err, rc, "job '%s': %s", j->name, strerror(-rc));
}

int job_generate(struct draft *b, const struct draft_job *j, struct goal *g, const char *folder)
{
	struct collective_sink into = collective_into(g);
	enum collective_algorithm algorithm = COLLECTIVE_RING;
	uint32_t n;
	int rc = count_ranks(b, j, &n);

	if (!rc)
		rc = choose(b, j, &algorithm);
	if (!rc && !j->spec->bytes && !j->spec->matrix)
		rc = yamldoc_err(
			b->err, j->key, "job '%s' needs `bytes`, as in bytes: 64MB", j->name);
	if (rc)
		return rc;
	b->err->text[0] = '\0';
	rc = goal_init(g, n, folder, b->err);
	if (!rc)
		rc = job_said(j, "collective") ? make_collective(b, j, &into, n, algorithm)
					       : make_pattern(b, j, &into, n, algorithm);
	if (rc)
		return refuse(b, j, rc);
	goal_end(g);
	return 0;
}
