// SPDX-License-Identifier: BSD-3-Clause
// A row over time on a canvas: its first two values, each as an area of blocks.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/tstamp.h"
#include "draw.h"

#define AXIS 9 // columns before the area

struct area {
	const struct top_row *row;
	unsigned value;
	enum top_form form;
	unsigned y, height, width;
	double top; // the value at the area's upper edge
};

// The largest value of the looks that one column of the area stands for; NAN: none is known.
static double column_value(const struct top_model *m, const struct area *a, unsigned column)
{
	unsigned from = (unsigned)((uint64_t)column * m->depth / a->width);
	unsigned to = (unsigned)((uint64_t)(column + 1) * m->depth / a->width);
	double most = NAN;

	for (unsigned i = from; i < to || i == from; i++)
		most = fmax(most, top_model_past(m, a->row, a->value, m->depth - 1 - i));
	return most;
}

// The text of one line of a column that is so many lines high.
static const char *level(const struct top_canvas *c, double lines, unsigned line)
{
	static const char blocks[][4] = {" ", "\u2581", "\u2582", "\u2583", "\u2584", "\u2585",
		"\u2586", "\u2587", "\u2588"};
	double here = lines - line;
	unsigned eighths = here >= 1 ? 8 : here > 0 ? (unsigned)(here * 8 + 0.5) : 0;

	if (!line && !eighths && lines > 0)
		eighths = 1;
	return c->utf8 ? blocks[eighths] : eighths > 5 ? "#" : eighths ? "." : " ";
}

static void put_area(struct top_canvas *c, const struct top_model *m, const struct area *a)
{
	for (unsigned x = 0; x < a->width; x++) {
		double v = column_value(m, a, x);

		for (unsigned line = 0; line < a->height && !isnan(v); line++)
			top_canvas_put(c, a->y + a->height - 1 - line, AXIS + x, 1, LOOK_BAR, "%s",
				level(c, a->top > 0 ? v / a->top * a->height : 0, line));
	}
}

static void put_threshold(
	struct top_canvas *c, const struct area *a, double value, const char *sign)
{
	double line = value / a->top * a->height;

	if (line >= 0 && line < a->height)
		top_canvas_put(c, a->y + a->height - 1 - (unsigned)line, AXIS - 1, 1, LOOK_MARK,
			"%s", sign);
}

static void put_axis(struct top_canvas *c, const struct area *a)
{
	char text[TOP_TEXT];

	for (unsigned i = 0; i < a->height; i++)
		top_canvas_put(c, a->y + i, AXIS - 1, 1, LOOK_CALM, c->utf8 ? "│" : "|");
	top_canvas_right(c, a->y, 0, AXIS - 2, LOOK_CALM, "%s", top_text(text, a->form, a->top));
	top_canvas_right(c, a->y + a->height - 1, 0, AXIS - 2, LOOK_CALM, "0");
}

// The head of an area: what it shows, and its extremes.
static void put_title(
	struct top_canvas *c, const struct top_model *m, const struct area *a, const char *head)
{
	double least = NAN, most = NAN, sum = 0;
	char text[4][TOP_TEXT];
	unsigned n = 0;

	for (unsigned i = 0; i < m->depth; i++) {
		double v = top_model_past(m, a->row, a->value, i);

		if (isnan(v))
			continue;
		least = fmin(least, v);
		most = fmax(most, v);
		sum += v;
		n++;
	}
	top_canvas_put(c, a->y - 1, 1, c->columns, LOOK_STRONG,
		"%s   now %s   least %s   mean %s   most %s", head,
		top_text(text[0], a->form, top_model_past(m, a->row, a->value, 0)),
		top_text(text[1], a->form, least), top_text(text[2], a->form, n ? sum / n : NAN),
		top_text(text[3], a->form, most));
}

// The largest value of an area's looks, a threshold, or a link's rate.
static double top_of(const struct top_model *m, const struct area *a, enum top_section s)
{
	double top = s == TOP_PORTS    ? a->row->value[PORT_RATE]
		     : s == TOP_QUEUES ? 1.1 * a->row->value[QUEUE_HIGH]
				       : NAN;

	for (unsigned i = 0; i < m->depth; i++)
		top = fmax(top, top_model_past(m, a->row, a->value, i));
	return isnan(top) ? 0 : top;
}

// Scene time that the whole width stands for, from the looks that there are.
static double width_s(const struct top_model *m)
{
	for (unsigned i = m->depth - 1; i > 0; i--) {
		uint64_t ago = top_model_ago(m, i);

		if (ago)
			return (double)ago / (double)PS_PER_S * (m->depth - 1) / i;
	}
	return NAN;
}

static void put_times(struct top_canvas *c, unsigned y, const struct top_model *m)
{
	double s = width_s(m);

	if (!isnan(s))
		top_canvas_put(c, y, AXIS, 40, LOOK_CALM, s < 1 ? "%.1f ms ago" : "%.1f s ago",
			s < 1 ? s * 1000 : s);
	top_canvas_right(c, y, c->columns - 24, 23, LOOK_CALM, "time of the scene   now");
}

void top_draw_past(struct top_canvas *c, unsigned y, unsigned rows, const struct top_view *v,
	const struct top_model *m)
{
	const struct top_column *col = top_columns(v->past_of);
	const struct top_row *row = &m->of[v->past_of].row[v->past_row];
	unsigned n = v->past_of == TOP_QUEUES ? 1 : TOP_PASTS, each = (rows - 2) / n;
	bool in = strlen(row->name) > 3 && !strcmp(row->name + strlen(row->name) - 3, " in");

	top_canvas_put(
		c, y, 1, c->columns, LOOK_STRONG, "%s %s", top_section_name(v->past_of), row->name);
	for (unsigned i = 0; i < n; i++) {
		const char *head = NULL;
		struct area a = {.row = row,
			.value = i,
			.y = y + 2 + i * each,
			.height = each - 1,
			.width = c->columns - AXIS - 1};

		for (unsigned k = 0; col[k].head; k++)
			if (col[k].value == i) {
				head = col[k].head;
				a.form = (enum top_form)col[k].form;
			}
		a.top = top_of(m, &a, v->past_of);
		put_title(c, m, &a, head ? head : "");
		put_axis(c, &a);
		put_area(c, m, &a);
		if (v->past_of != TOP_QUEUES)
			continue;
		put_threshold(c, &a, row->value[QUEUE_LOW], in ? "x" : "k");
		put_threshold(c, &a, row->value[QUEUE_HIGH], in ? "X" : "K");
	}
	put_times(c, y + rows - 1, m);
}
