// SPDX-License-Identifier: BSD-3-Clause
// A screen in memory: cells with a character and a look each. It knows no terminal.
#pragma once

#include <stdbool.h>
#include <stddef.h>

// How a cell looks. Nothing is told by colour alone.
enum top_look {
	LOOK_PLAIN,
	LOOK_STRONG,
	LOOK_CALM, // less important
	LOOK_GOOD,
	LOOK_WARN,
	LOOK_BAD,
	LOOK_BAR,
	LOOK_MARK, // thresholds in a bar
	LOOK_HEAD, // heads of tables, names of keys
	LOOKS,
	LOOK_REVERSED = 0x80, // a flag
};

#define CELL_TEXT 8 // a character in UTF-8, with its end

struct top_cell {
	char text[CELL_TEXT]; // "": a blank
	unsigned char look;
};

struct top_canvas {
	unsigned rows, columns;
	bool utf8; // else ASCII only
	struct top_cell *cell;
	int cursor_y, cursor_x; // -1: none
};

#pragma GCC visibility push(hidden)

// Makes it that large and blank; -ENOMEM.
int top_canvas_clear(struct top_canvas *c, unsigned rows, unsigned columns);
void top_canvas_free(struct top_canvas *c);

// Writes a text from (y, x) on, at most `width` characters; what has no room is left out. Returns
// the column behind it.
__attribute__((format(printf, 6, 7))) unsigned top_canvas_put(struct top_canvas *c, unsigned y,
	unsigned x, unsigned width, unsigned look, const char *fmt, ...);
// The same, but the text ends at column x + width.
__attribute__((format(printf, 6, 7))) void top_canvas_right(struct top_canvas *c, unsigned y,
	unsigned x, unsigned width, unsigned look, const char *fmt, ...);

// Reverses `width` cells, except those of a bar.
void top_canvas_reverse(struct top_canvas *c, unsigned y, unsigned x, unsigned width);

// Draws a bar of `width` cells, filled by value / most. The character signs[i] marks the place of
// marks[i] / most; NAN: there is none.
void top_canvas_bar(struct top_canvas *c, unsigned y, unsigned x, unsigned width, double value,
	double most, const double *marks, const char *signs);

#pragma GCC visibility pop
