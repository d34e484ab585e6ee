// SPDX-License-Identifier: BSD-3-Clause
// The graph of a job while a scene is made.
#pragma once

#include "goal/goal.h"
#include "int.h"

#pragma GCC visibility push(hidden)

// The word that `map` is, "packed" or "spread"; NULL: it is a list, or is not there.
const char *job_map_word(const struct spec_job *s);
// Reads or generates the graph; the scene owns it.
int job_graph_make(struct draft *b, struct draft_job *j);
// Makes the graph of a collective or pattern in files of the folder.
int job_generate(struct draft *b, const struct draft_job *j, struct goal *g, const char *folder);
// Refuses values that what the job does has no use for.
int job_keys_check(struct draft *b, const struct draft_job *j);
// Where a key of the job was given; NULL: it was not.
static inline const struct yamldoc_node *job_said(const struct draft_job *j, const char *key)
{
	return opt_source(&scene_opts_job, j->spec, key);
}

// Finds all pairs of ranks that have messages, and the sizes of these.
int job_graph_pairs(struct draft *b, struct draft_job *j);

#pragma GCC visibility pop
