// SPDX-License-Identifier: BSD-3-Clause
// Room session has what commands work on: a scenario that the command line names, and a run of it:
// its options, progress, both clocks and their comparison. It needs rooms cli and instance.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "cli/cli.h"
#include "record/record.h"
#include "rt/rt.h"
#include "scene/scene.h"
#include "wire/hello_tag.h"

#define SESSION_SETS 256

enum session_clock { CLOCK_VIRTUAL_TIME, CLOCK_REAL_TIME, CLOCK_BOTH };

struct session {
	const char *command; // "run", for error lines
	const char *line;    // the whole command line, for the manifest
	const char *path;    // of the scenario
	enum session_clock clock;
	struct scene_set set[SESSION_SETS];
	unsigned n_set;
	bool has_seed, has_duration, has_references, until_replayed;
	// The line to tell where no external host that the scenario sends to answers. Such a run
	// ends early, as wrong input. NULL: it goes on to its end.
	const char *alone;
	uint64_t seed;
	tstamp duration;
	const char *out;
	bool force, hdr, report, quiet, strict, no_huge, trust;
	unsigned dilate, workers;
	unsigned references; // of --clock both
	tstamp allow_storm, quiesce;
	const char *instance;
	const char *nodes;   // that this process runs; NULL: all
	enum rt_start start; // with the other parts
	uint64_t start_ns;
	tstamp wait_parts;
	bool has_start, has_wait_parts, has_parts_key;
	struct hello_key parts_key; // by which parts sign their hellos
	int eal_argc;
	char **eal_argv;
	const char *dut;   // the switch that is judged by our ports alone; NULL: none
	char *counters[2]; // files of its own counters, before and after the run; NULL: none
};

// The options that commands share: of a command whose struct begins with a struct session.
extern const struct args_option session_clock, session_duration, session_seed, session_settings,
	session_record, session_out, session_dilate, session_workers, session_no_huge,
	session_allow_storm, session_quiesce, session_instance, session_nodes, session_dut,
	session_counters, session_start, session_wait_parts, session_parts_key, session_references,
	session_strict, session_force, session_hdr, session_report, session_quiet, session_trust;

// --set: "path=value". -EINVAL and a line.
int session_set(struct session *s, const char *text, struct err *err);

// Keeps the command line and the arguments behind "--". Returns argc without these.
int session_args(struct session *s, int argc, char **argv);

// Prints all warnings of a scene, a line each.
void session_list_warnings(const struct scene *s, FILE *f);

// Loads the scenario and runs it on the clock or clocks asked for; prints the tables, and warnings
// on stderr before. Exit status.
int session_run(struct session *s);

// Gives back what its options took.
void session_free(struct session *s);

#include "jobs.h"
#include "scenario.h"
#include "warmup.h"
