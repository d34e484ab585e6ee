// SPDX-License-Identifier: BSD-3-Clause
// A drawing of values over time as SVG: axes with round ticks, steps that hold from event to event,
// marks, a legend.
#pragma once

#include <stdbool.h>

#include "out.h"

#define CHART_GREY 0xff // a colour: of a mark in the legend that stands for all colours

enum chart_mark { CHART_CIRCLE, CHART_UP, CHART_DOWN, CHART_DIAMOND };

struct chart {
	struct out *o;
	const char *title, *subtitle;
	const char *x_title, *y_title;
	double x_from, x_to; // range of the data; y begins at 0
	double y_to;
	// the drawing's own
	double y_top;
	unsigned left;   // of the axes
	unsigned legend; // lines so far
};

// Head, titles, grid and axes. x_to > x_from and y_to > 0.
void chart_begin(struct chart *c);
void chart_end(struct chart *c);

// Each value holds until the next one.
void chart_steps(struct chart *c, unsigned colour, const double *x, const double *y, unsigned n);
// Straight lines from point to point.
void chart_lines(struct chart *c, unsigned colour, const double *x, const double *y, unsigned n);
// A vertical bar from y value `low` to `high`: the interval of a value.
void chart_interval(struct chart *c, unsigned colour, double x, double low, double high);
// Draws a mark. `tip`: the text that is shown when a pointer rests on it.
void chart_mark(struct chart *c, unsigned colour, enum chart_mark mark, bool filled, double x,
	double y, const char *tip);

// Lines of the legend, from the top; what has no room is left out.
void chart_legend_head(struct chart *c, const char *text);
void chart_legend_line(struct chart *c, unsigned colour, const char *text);
void chart_legend_mark(
	struct chart *c, unsigned colour, enum chart_mark mark, bool filled, const char *text);
