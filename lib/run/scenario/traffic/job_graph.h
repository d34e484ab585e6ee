// SPDX-License-Identifier: BSD-3-Clause
// The graph of a job while a scene is made.
#pragma once

#include "int.h"

#pragma GCC visibility push(hidden)

// The word that `map` is, "packed" or "spread"; NULL: it is a list, or is not there.
const char *job_map_word(const struct spec_job *s);
// Reads or generates the graph; the scene owns it.
int job_graph_make(struct draft *b, struct draft_job *j);
// Finds all pairs of ranks that have messages, and the sizes of these.
int job_graph_pairs(struct draft *b, struct draft_job *j);

#pragma GCC visibility pop
