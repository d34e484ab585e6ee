// SPDX-License-Identifier: BSD-3-Clause
// Shared by the files of this room: columns that can be drawn.
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

#pragma GCC visibility pop
