// SPDX-License-Identifier: BSD-3-Clause
// A scenario that a command writes from its options, to be shown or run.
#pragma once

#include <stdio.h>

#include "session/session.h"

#pragma GCC visibility push(hidden)

#define SKETCH_MARKS 12

// The options of a run, among those of a command that writes a scenario.
#define SKETCH_SESSION                                                                  \
	&session_settings, &session_out, &session_force, &session_hdr, &session_report, \
		&session_workers, &session_no_huge, &session_instance, &session_strict, \
		&session_quiet

struct sketch {
	const char *command; // "gen"
	FILE *f;             // where the command writes it
	char *text;
	size_t size;
	struct sketch_mark {
		const char *option, *value; // value NULL: the option was not given
		long at;                    // in the text
	} mark[SKETCH_MARKS];
	unsigned n_marks;
};

// Begins it with the command line as a comment. -ENOMEM, with a line on stderr.
int sketch_begin(struct sketch *k, int argc, char **argv);

// The value that is written next comes from this option, as the user gave it: an error at this
// place names the option instead.
void sketch_mark(struct sketch *k, const char *option, const char *value);

// Ends it: prints it with `show`, else runs it on the real clock as the session says. Messages call
// it `where`. A scenario that is wrong gets one line, and is not printed. The exit status.
int sketch_end(struct sketch *k, struct session *s, const char *where, bool show);

// Writes a line of `ports`. `mtu`: its longest frame with FCS; 0: as quench takes it.
struct device;
void sketch_port(struct sketch *k, const char *name, const struct device *d, unsigned mtu);

#pragma GCC visibility pop
