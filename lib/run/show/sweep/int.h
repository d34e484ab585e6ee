// SPDX-License-Identifier: BSD-3-Clause
// Shared by the files of this room: columns, and runs that differ in their seed only.
#pragma once

#include "sweep.h"

#pragma GCC visibility push(hidden)

// The unit that the values of a varied path have, and the divisor for the drawing.
struct sweep_scale {
	bool plain;
	enum units_kind kind;
	double unit;
	const char *dim;
};

// column.c: the first scale that all values of an axis have; NULL: they are words.
const struct sweep_scale *sweep_scale_of(const struct sweep_axis *a);
// False: the text is no value of that scale.
bool sweep_scale_parse(const struct sweep_scale *to, const char *text, double *value);
// Columns that can be drawn are counted through: the figures, then the varied paths.
const char *sweep_column_name(const struct sweep *s, unsigned col);
// The place of a run along an axis of the drawing.
double sweep_axis_place(const struct sweep *s, unsigned run, unsigned col);

// text.c: how many columns the table shows, and the i-th of them.
unsigned sweep_shown(const struct sweep *s);
unsigned sweep_shown_column(const struct sweep *s, unsigned i);
// The two lines above a table: its columns and their units, between a first and a last one.
void sweep_put_heads(
	const struct sweep *s, const int *width, const char *first, const char *last, FILE *f);
// Makes a column of the table at least as wide as a text.
void sweep_widen(int *width, const char *text);

// The varied path `seed`; -1: only one seed is taken.
int sweep_seed_axis(const struct sweep *s);
// Runs that differ in their seed only are a group. The group of a run, and the run of a group that
// has the k-th seed.
unsigned sweep_group_of(const struct sweep *s, unsigned run);
unsigned sweep_group_run(const struct sweep *s, unsigned group, unsigned k);
// The name of a group: that of its runs without the seed. Returns buf.
char *sweep_group_name(const struct sweep *s, unsigned group, char *buf, size_t size);

// Whether a run may be one of the best: all that it was asked holds, and it has settled. If no run
// of the sweep could be judged, none has to have settled.
bool sweep_may_lead(const struct sweep *s, unsigned run);

#pragma GCC visibility pop
