// SPDX-License-Identifier: BSD-3-Clause
// Room paper: one figure for a paper. STEM.dat has its numbers and STEM.gp the script of gnuplot
// that draws them, which stands alone in its folder and is meant to be read and edited; gnuplot
// makes STEM.svg and STEM.png of both.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "conf/conf.h"

// How a series is drawn, and which members of its rows have a meaning.
enum paper_style {
	PAPER_LINE,        // x, y
	PAPER_MARKED,      // x, y: a line with its shape at some places, where lines are many
	PAPER_STEPS,       // x, y: each y holds until the next x
	PAPER_POINTS,      // x, y
	PAPER_LINE_POINTS, // x, y
	PAPER_ERRORS,      // x, y: a point, with a bar from `low` to `high`
	PAPER_CROSSES,     // x, y: bars from `low` to `high` and from `left` to `right`, no point
	PAPER_BAND,        // x: the area between `low` and `high`
	PAPER_SPANS,       // y, a number of a lane: a bar in it from x = `low` to `high`
};

// A value that is not finite leaves a gap.
struct paper_row {
	double x, y, low, high, left, right;
	const char *name; // stands behind the numbers in STEM.dat; NULL: none
};

// Colours and shapes are numbered from 0, and each number looks unlike the others: a colour brings
// a dash type of its own, so that lines differ without colour too. Numbers above 6 take colours
// again, with other dashes; those above 14 take shapes again.
#define PAPER_BLACK (~0u) // a colour: a thick line, for emphasis
#define PAPER_RING  (~0u) // a shape: a ring around a point

struct paper_series {
	const char *name; // in the key; NULL or "": it is not there
	enum paper_style style;
	unsigned colour, shape;
	unsigned panel;
	unsigned group; // where it is another one than before, a column of the key begins
	const struct paper_row *row;
	size_t n; // 0: an entry of the key only
	// PAPER_LINE_POINTS and PAPER_ERRORS: the series is drawn to the right of its values by
	// this share of the width, so that bars at one x do not hide each other. STEM.dat has the
	// values.
	double aside;
};

enum paper_scale {
	PAPER_FIT, // PAPER_LOG where the values are positive and span more than two decades
	PAPER_LINEAR,
	PAPER_LOG,
};

struct paper_axis {
	const char *column; // its name in STEM.dat
	const char *title;  // '\n' begins another line
	const char *unit;   // behind the first line of the title; "": none
	enum paper_scale scale;
	// The ends of the axis. Both 0: from 0, or from the smallest value if all values are within
	// the upper quarter of the largest, to the largest.
	double from, to;
	const char *const *lane; // y only: the names of 0, 1, 2 ... from the top; NULL: numbers
	unsigned n_lanes;
	unsigned lane_height; // pixels of the svg; 0: as much as a line of text needs
};

// A straight line across the plot, with a label at its end.
struct paper_line {
	bool vertical;
	double at;
	const char *label;
};

// All texts are shown as they are: nothing in them is a command or markup. Control characters and
// what is no UTF-8 become \xNN.
struct paper {
	const char *stem;  // letters, digits, '.', '-' and '_'; no '-' first
	const char *title; // '\n' begins another line; NULL: none
	struct paper_axis x, y;
	const struct paper_series *series;
	unsigned n_series;
	const struct paper_line *line; // in a figure without panels
	unsigned n_lines;
	// Titles of plots beside each other that share both axes; 0: one plot without a title.
	const char *const *panel;
	unsigned n_panels;
};

#define PAPER_PANELS 24 // at most

enum paper_format { PAPER_SVG = 1, PAPER_PNG = 2 };

// Writes STEM.dat and STEM.gp into `dir`, and with `formats`, a sum of enum paper_format, lets
// gnuplot draw the pictures. Equal figures give equal bytes of both files. 0, or -errno and one
// line: a file that could not be written, -ENOENT where gnuplot is not installed, -EIO where it
// failed; in the last two cases both files are there all the same.
int paper_write(const struct paper *p, const char *dir, unsigned formats, struct err *err);
