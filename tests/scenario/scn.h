// SPDX-License-Identifier: BSD-3-Clause
// Scenario tests: run a file in virtual time, ask its figures, and say how to repeat a failure.
#pragma once

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <setjmp.h>
#include <cmocka.h>

#include "report/report.h"
#include "scene/scene.h"

struct scn {
	struct scene *scene;
	struct report *rec;
	char command[1024]; // what reproduces the run
};

// The path of a scenario: in config/, in tests/scenario/, or, of "acceptance/NAME.yaml", in a suite
// of config/verify/.
void scn_path(const char *file, char *path, size_t size);

// Runs `file` (of config/ or tests/scenario/) with settings "path=value", NULL-terminated; "seed=N"
// and "duration=T" set those, "out=DIR" has it write its files there. Fails the test where the run
// fails or a verdict of it does.
struct scn scn_run(const char *file, ...) __attribute__((sentinel));
// The same for a run that may drop frames of a lossless class: what else must hold still does.
struct scn scn_run_lossy(const char *file, ...) __attribute__((sentinel));
void scn_free(struct scn *s);

// The figure at `path`; fails the test where there is none.
double scn_value(const struct scn *s, const char *path);

// Goodput of a flow by its number, Gb/s.
double scn_flow_gbps(const struct scn *s, unsigned flow);

// Goodput of the flows whose name starts with `prefix`, Gb/s, summed.
double scn_gbps(const struct scn *s, const char *prefix);

// Fails, with the figure, the range and the command, unless lo <= value <= hi.
void scn_in(const struct scn *s, const char *what, double value, double lo, double hi);

// A message of fct.txt: its hosts by number from 0, its start and completion time.
struct scn_message {
	unsigned from, to;
	uint64_t bytes, start_ns, fct_ns;
};

// Runs `file` with settings as scn_run does, and gives the messages that have ended, by start and
// sender; the caller frees them.
struct scn_message *scn_messages(unsigned *n, const char *file, ...) __attribute__((sentinel));

// How many files a digest is of: those that say what happened, or also those that are made of it.
enum scn_files { SCN_HAPPENED = 3, SCN_ALL = 7 };

// Digest (FNV-1a) of files of a run folder: SCN_HAPPENED is events.csv, fct.txt and pfc.txt,
// SCN_ALL every file that must repeat to the byte, which is all but manifest.json.
uint64_t scn_digest(const char *dir, enum scn_files files);
