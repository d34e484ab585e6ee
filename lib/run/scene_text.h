// SPDX-License-Identifier: BSD-3-Clause
// Option tables written as YAML: where to write, the indent, what stands beside a value.
#pragma once

#include <stdio.h>

#include "run/opt.h"

struct text {
	FILE *f;
	unsigned indent;  // levels
	const char *file; // the scenario's name, before a line number
	const char
		*value; // said of values that neither the file nor the command line gave: "default"
	unsigned hide;  // rows with one of these flags are left out
	bool given_only; // so are rows that nobody gave
};

// "key: value   # note" at the indent.
__attribute__((format(printf, 3, 4))) void scene_text_line(
	const struct text *t, const char *note, const char *fmt, ...);

// Every row of a thing, with what is nested in it.
void scene_text_table(struct text *t, const struct opt_table *table, const void *base);

// A node of the file as it stands there, on one line.
void scene_text_node(FILE *f, const struct yamldoc_node *n);
