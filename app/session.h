// SPDX-License-Identifier: BSD-3-Clause
// What run and replay share: options of a run, Ctrl-C, progress, both clocks and their comparison.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "record/record.h"
#include "scene/scene.h"

#define SESSION_SETS 64

enum session_clock { CLOCK_VIRTUAL_TIME, CLOCK_REAL_TIME, CLOCK_BOTH };

struct session {
	const char *command; // "run", for error lines
	const char *line;    // the whole command line, for the manifest
	const char *path;    // of the scenario
	enum session_clock clock;
	struct scene_set set[SESSION_SETS];
	unsigned n_set;
	bool has_seed, has_duration;
	uint64_t seed;
	tstamp duration;
	const char *out;
	bool force, quiet, strict, no_huge;
	unsigned dilate;
	const char *instance;
	int eal_argc;
	char **eal_argv;
};

// The common options of getopt_long: clock, duration, seed, out, set, dilate, quiet, force, strict,
// no-huge, instance. 0, or -EINVAL with a line on stderr; `value` of an unknown option is the word as typed.
int session_option(struct session *s, int opt, const char *value);

// Says on stderr which options of the command line the chosen clock takes no notice of.
void session_ignored(const struct session *s);

// Keeps the command line and what stands behind "--". Returns argc without that.
int session_args(struct session *s, int argc, char **argv);

// The path of a scenario that comes with quench, or of their folder where `file` is "". docs/scenario.md says where
// they are looked for. Nothing may be there.
void session_config(char *path, size_t size, const char *file);

// A scenario by path, or, where no such file is there, by a name that `quench run --list` prints: then its path is
// written to `room`.
const char *session_find(const char *path, char *room, size_t size);

// What a scene says but hardly means, a line each, but for what was said of `said` (NULL: nothing was).
void session_warnings(const struct scene *s, const struct scene *said, FILE *f);

// Loads the scenario and runs it on the clock or clocks asked for; prints the tables, and warnings on
// stderr before. Exit status.
int session_run(struct session *s);

// Long options for getopt_long, shared by the commands; ends with a zero row.
#define SESSION_OPTIONS                                                                         \
	{"clock", 1, 0, 'c'}, {"duration", 1, 0, 'd'}, {"seed", 1, 0, 's'}, {"out", 1, 0, 'o'}, \
		{"set", 1, 0, 'S'}, {"dilate", 1, 0, 'D'}, {"quiet", 0, 0, 'q'},                \
		{"force", 0, 0, 'f'}, {"strict", 0, 0, 'x'}, {"no-huge", 0, 0, 'H'},            \
		{"instance", 1, 0, 'i'},                                                        \
	{                                                                                       \
		"help", 0, 0, 'h'                                                               \
	}
