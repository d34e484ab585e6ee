// SPDX-License-Identifier: BSD-3-Clause
// The rows of a section on a canvas: names, bars, numbers.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "draw.h"

#define NAME_LEAST 14
#define BAR_MOST   48

// Columns of a section as they fit the screen.
struct layout {
	unsigned name, bar; // widths
};

static bool has_room(const struct top_column *col, const struct top_canvas *c)
{
	return c->columns >= col->from;
}

// The longest name decides its column's width, up to a quarter of the screen.
static struct layout layout_of(
	const struct top_canvas *c, const struct top_column *col, const struct top_rows *rows)
{
	struct layout l = {.name = NAME_LEAST};
	unsigned most = c->columns / 4, fixed = 1, bars = 0; // the sign of the selection

	for (unsigned i = 0; i < rows->n && l.name < most; i++) {
		size_t n = strlen(rows->row[i].name);

		l.name = n > l.name ? (unsigned)n : l.name;
	}
	l.name = l.name < most ? l.name : most;
	for (; col->head; col++) {
		if (!has_room(col, c))
			continue;
		fixed += col->width + 2;
		bars += col->bar;
		fixed += col->bar ? 3 : 0; // its brackets, and a blank
	}
	if (bars && c->columns > fixed + l.name)
		l.bar = (c->columns - fixed - l.name) / bars;
	l.bar = l.bar < BAR_MOST ? l.bar : BAR_MOST;
	return l;
}

// The head: the section's name with the number of its rows, then those of its columns.
static void put_head(struct top_canvas *c, unsigned y, const struct layout *l,
	const struct top_view *v, enum top_section s)
{
	const struct top_list *list = &v->list[s];
	const struct top_column *col = top_columns(s);
	const char *sign = !c->utf8 ? (list->down ? "v" : "^") : list->down ? "▾" : "▴";
	unsigned look = v->focus == s ? LOOK_HEAD : LOOK_STRONG;
	const char *name = top_section_name(s);
	unsigned last = list->first + list->room, x;
	char range[40];
	bool fits;

	last = last < list->n ? last : list->n;
	for (unsigned i = 0; i < c->columns; i++)
		top_canvas_put(c, y, i, 1, look, " ");
	*range = '\0';
	if (list->room < list->n)
		snprintf(range, sizeof(range), " %u-%u/%u", list->first + 1, last, list->n);
	fits = strlen(name) + strlen(range) <= l->name;
	top_canvas_put(c, y, 0, l->name + 1, look, "%s%s%s%s",
		v->focus != s ? " "
		: c->utf8     ? "▶"
			      : "*",
		fits ? name : "QP", list->sort == TOP_BY_NAME ? sign : "", range);
	x = l->name + 1;
	for (unsigned i = 0; col[i].head; i++) {
		unsigned wide = col[i].width + (col[i].bar ? l->bar + 3 : 0);
		bool sorted = list->sort == TOP_BY_VALUE + i;

		if (!has_room(&col[i], c))
			continue;
		top_canvas_right(
			c, y, x + 1, wide + 1, look, "%s%s", sorted ? sign : "", col[i].head);
		x += wide + 2;
	}
}

// A queue's bar ends a little behind its highest threshold; rates end at a link's.
static void put_bar(struct top_canvas *c, unsigned y, unsigned x, unsigned width,
	const struct top_model *m, enum top_section s, const struct top_row *row, double value)
{
	double most = m->fastest_gbps, marks[2] = {NAN, NAN};
	const char *signs = NULL;

	if (s == TOP_PORTS)
		most = row->value[PORT_RATE];
	if (s == TOP_QUEUES) {
		size_t n = strlen(row->name);

		signs = n > 3 && !strcmp(row->name + n - 3, " in") ? "xX" : "kK";
		marks[0] = row->value[QUEUE_LOW];
		marks[1] = row->value[QUEUE_HIGH];
		most = isnan(marks[1]) ? NAN : 1.25 * marks[1];
	}
	top_canvas_put(c, y, x, 1, LOOK_CALM, "[");
	top_canvas_bar(c, y, x + 1, width, value, most, marks, signs);
	top_canvas_put(c, y, x + 1 + width, 1, LOOK_CALM, "]");
}

// A pause, a drop and a repetition are not what a user hopes for.
static unsigned look_of(enum top_section s, const struct top_column *col, double value)
{
	bool drops = (s == TOP_PORTS && col->value == PORT_DROPS) ||
		     (s == TOP_QUEUES && col->value == QUEUE_DROPS);
	bool pauses =
		(s == TOP_PORTS && (col->value == PORT_PAUSED || col->value == PORT_PAUSING)) ||
		(s == TOP_QUEUES && col->value == QUEUE_PAUSES) ||
		(s == TOP_FLOWS && col->value == FLOW_RESENT);

	if (isnan(value) || value <= 0)
		return col->value == 0 ? LOOK_PLAIN : LOOK_CALM;
	return drops ? LOOK_BAD : pauses ? LOOK_WARN : LOOK_PLAIN;
}

static void put_row(struct top_canvas *c, unsigned y, const struct layout *l,
	const struct top_model *m, enum top_section s, const struct top_row *row)
{
	const struct top_column *col = top_columns(s);
	unsigned x = l->name + 1;
	char text[TOP_TEXT];

	top_canvas_put(c, y, 1, l->name, LOOK_PLAIN, "%s", row->name);
	for (; col->head; col++) {
		double value = row->value[col->value];

		if (!has_room(col, c))
			continue;
		x += 2;
		if (col->bar) {
			put_bar(c, y, x, l->bar, m, s, row, value);
			x += l->bar + 3;
		}
		top_canvas_right(c, y, x, col->width, look_of(s, col, value), "%s",
			top_text(text, (enum top_form)col->form, value));
		x += col->width;
	}
}

void top_draw_section(struct top_canvas *c, unsigned y, unsigned rows, struct top_view *v,
	const struct top_model *m, enum top_section s)
{
	struct layout l = layout_of(c, top_columns(s), &m->of[s]);
	struct top_list *list = &v->list[s];
	unsigned place = top_view_place(list);

	// The line behind the rows stays blank, if they do not need it.
	list->room = rows > 1 ? rows - 1 : 0;
	if (list->room && list->n >= rows)
		list->room = rows - 1;
	if (place >= list->first + list->room && list->room)
		list->first = place - list->room + 1;
	if (list->first + list->room > list->n)
		list->first = list->n > list->room ? list->n - list->room : 0;
	put_head(c, y, &l, v, s);
	for (unsigned i = 0; i < list->room && list->first + i < list->n; i++) {
		unsigned at = list->first + i;

		put_row(c, y + 1 + i, &l, m, s, &m->of[s].row[list->order[at]]);
		if (v->focus == s && at == place) {
			top_canvas_put(c, y + 1 + i, 0, 1, LOOK_STRONG, ">");
			top_canvas_reverse(c, y + 1 + i, 0, c->columns);
		}
	}
	if (!list->n && list->room)
		top_canvas_put(c, y + 1, 1, c->columns, LOOK_CALM, "%s",
			v->filter.n ? "No name contains the filter."
				    : "Nothing has been in use yet.");
}
