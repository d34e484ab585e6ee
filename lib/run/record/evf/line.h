// SPDX-License-Identifier: BSD-3-Clause
// An event as a line of events.csv.
#pragma once

#include "names.h"
#include "out/out.h"

#define EVF_LINE      2048 // bytes that a line takes at most
#define EVF_NO_NUMBER UINT64_MAX

// The line of the columns' names.
void evf_line_head(const struct evf_names *n, struct out *o);

#define EVF_HEADS 64 // a power of two

// Writes lines, and keeps the text that many lines have in common: the instant in us, and the
// beginning of a line, which the event's type and port decide.
struct evf_lines {
	const struct evf_names *names;
	uint64_t us; // of the instant that was told last
	struct fmt_text us_text;
	struct evf_head {
		uint64_t
			what; // node, port, type and class of the event, as bytes; UINT64_MAX: none
		struct fmt_text text;
	} head[EVF_HEADS];
};

// Prepares the writing of lines. `n` must not change as long as lines are written.
void evf_lines_init(struct evf_lines *l, const struct evf_names *n);

// Writes the line of an event with its line feed, and returns its end; `p` has EVF_LINE bytes of
// room. `number`: of EV_MSG_DONE how many of its type and flow came before, or EVF_NO_NUMBER.
char *evf_line(char *p, struct evf_lines *l, const struct ev *e, uint64_t number);

// The rest is for the files of this room only.
#pragma GCC visibility push(hidden)

#define EVF_VALUE 256 // bytes that a value takes at most

// The value of one field, as the line has it. Returns its end; `p` has EVF_VALUE bytes.
char *evf_line_value(char *p, const struct evf_names *n, const struct ev *e,
	const struct ev_field *f, uint64_t number);

#pragma GCC visibility pop
