// SPDX-License-Identifier: BSD-3-Clause
// The screen of a model and a view, drawn on a canvas.
#pragma once

#include "canvas.h"
#include "view.h"

#define TOP_LEAST_ROWS    24
#define TOP_LEAST_COLUMNS 80

// Facts about the instance besides its figures.
struct top_state {
	const char *name, *scenario; // of the instance
	uint64_t pid, duration_ps;
	unsigned dilate;
	bool begun;       // a look was taken
	char notice[200]; // the instance has ended, or does not answer; "": nothing to tell
	bool ended;
};

#pragma GCC visibility push(hidden)

// Draws all of it. The view's lists learn how many rows have room.
void top_draw(struct top_canvas *c, struct top_view *v, const struct top_model *m,
	const struct top_state *st);

// For the files of drawing: rows of a section from line y on, `rows` of them with the head.
void top_draw_section(struct top_canvas *c, unsigned y, unsigned rows, struct top_view *v,
	const struct top_model *m, enum top_section s);

// A row over time, from line y on.
void top_draw_past(struct top_canvas *c, unsigned y, unsigned rows, const struct top_view *v,
	const struct top_model *m);

// The help, and the menus in front of the rows.
void top_draw_help(struct top_canvas *c, unsigned y, unsigned rows);
void top_draw_menu(struct top_canvas *c, const struct top_view *v, const struct top_model *m);

#pragma GCC visibility pop
