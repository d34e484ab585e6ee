// SPDX-License-Identifier: BSD-3-Clause
// The reference runs of --clock both: one scenario in virtual time with one seed after the other.
#pragma once

#include "session.h"
#include "verdict/verdict.h"

#pragma GCC visibility push(hidden)

// Loads the scenario that the command line names, for one clock. Exit status, with a line told
// where it is not EXIT_DONE.
int session_load(struct session *s, struct scene **scene, bool real);

// Runs the scenario with seeds seed + 1 to seed + n - 1, each in a process of its own without
// files, and fills ref[1] to ref[n - 1] with their figures. Returns false, with a line told, where
// one has no figures.
bool references_run(
	const struct session *s, uint64_t seed, struct verdict_figures *ref, unsigned n);

#pragma GCC visibility pop
