// SPDX-License-Identifier: BSD-3-Clause
// Shared by the files of quench stats: paths as they were typed, and the table.
#pragma once

#include "int.h"

#pragma GCC visibility push(hidden)

// The figures that are shown without an operand: those that an engineer wants to see first.
extern const char stats_selection[];

// Returns the pattern that a word of the command line stands for: a path or pattern stays as it is,
// a kind means all its figures, and any other word a figure of the totals. Old names of figures are
// replaced. For free(); NULL: no memory.
char *stats_pattern(const char *word);

// Whether a word can never fit a figure. If so, the line says which part of it is no kind or no
// figure, and which name comes nearest. False, and no line, if it is a path or pattern that may fit
// a later figure, for example of an object that has not been in use yet.
bool stats_is_wrong(const char *word, struct err *err);
// The line about a word to which stats_is_wrong() does not object, but that fits nothing: it names
// objects of this kind that the instance has.
void stats_why_none(const struct instance *from, const char *word, struct err *err);

// Prints one snapshot: a table for each kind of object, with a row for each object, at most `most`
// of them (0: all). The kinds are in the order of `patterns`, which are separated by commas. With
// `before`, an earlier snapshot, counters also have a column with their growth per second of scene
// time.
int stats_table(FILE *f, const struct metrics *m, const struct metrics *before,
	const char *patterns, unsigned most, struct err *err);

#pragma GCC visibility pop
