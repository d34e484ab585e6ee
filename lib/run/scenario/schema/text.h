// SPDX-License-Identifier: BSD-3-Clause
// Option tables written as YAML: output, indent, and the notes after values.
#pragma once

#include <stdio.h>

#include "conf/conf.h"

struct text {
	FILE *f;
	unsigned indent;  // levels
	const char *file; // the scenario's name, before a line number
	// said of values that neither the file nor the command line gave: "default"
	const char *value;
	unsigned hide;   // rows with one of these flags are left out
	bool given_only; // also left out: rows that were not given
	bool ranged;     // the text is for several hosts: no addresses
	bool bare;       // for digests: no notes, and each host by itself
};

// "key: value   # note" at the indent.
__attribute__((format(printf, 3, 4))) void scene_text_line(
	const struct text *t, const char *note, const char *fmt, ...);

// Writes every row of a thing, and the rows of the tables nested in it.
void scene_text_table(struct text *t, const struct opt_table *table, const void *base);

// Returns whether any row of the table would be shown.
bool scene_text_any(const struct text *t, const struct opt_table *table, const void *base);

// Writes a list with an item on each line; nothing if it is empty.
void scene_text_list(const struct text *t, const struct opt *row, const struct yamldoc_node *n);

// The place from which the value of a row came; NULL: neither the file nor the command line gave
// it.
const struct yamldoc_node *scene_text_source(const void *base, unsigned row);
// A node of the file as it stands there, on one line; NULL: no memory.
char *scene_text_value(struct arena *a, const struct yamldoc_node *n);

// Writes that place as a note: "FILE:LINE", "--set", or the note that `t` has for other values.
// Returns buf.
const char *scene_text_origin(
	const struct text *t, const struct yamldoc_node *n, char *buf, size_t size);
