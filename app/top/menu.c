// SPDX-License-Identifier: BSD-3-Clause
// The help, and the menus in front of the rows.
#include <string.h>

#include "draw.h"

static const char *const help[] = {
	"Rates are per second of the scene: with a dilation, that takes longer here.",
	"",
	"PORT        on the wire, with preamble and gap; a bar ends at the link's rate",
	"  PAUSED    share of the time in which the peer stopped a class of the port",
	"  PAUSING   share of the time in which the port stopped a class of its peer",
	"QUEUE out   an egress queue of a class: k stands at Kmin, K at Kmax",
	"      in    what a lossless class holds of a port: x stands at XON, X at XOFF",
	"QUEUE PAIR  payload accepted in order; a bar ends at the fastest link's rate",
	"",
	"Up Down PgUp PgDn Home End  select a row      Tab Left Right  go to a section",
	"/ or F4      show only rows whose name has a text      Esc    show all again",
	"s or F6      sort by a column                          i      turn around",
	"Space or p   freeze the screen, and go on",
	"Enter        show the row over the last two minutes",
	"a            actions for the row; a command runs only after a y",
	"q or F10     quit; the instance goes on",
};

void top_draw_help(struct top_canvas *c, unsigned y, unsigned rows)
{
	unsigned n = sizeof(help) / sizeof(help[0]);

	for (unsigned i = 0; i < n && i < rows; i++)
		top_canvas_put(c, y + 1 + i, 1, c->columns - 1, LOOK_PLAIN, "%s", help[i]);
	if (n + 2 < rows)
		top_canvas_put(c, y + 2 + n, 1, c->columns - 1, LOOK_CALM, "Any key closes it.");
}

static const char *label(const struct top_view *v, unsigned i)
{
	if (v->mode == MODE_ACTIONS)
		return v->action[i].label;
	return i == TOP_BY_ORDER  ? "order of the scene"
	       : i == TOP_BY_NAME ? "name"
				  : top_columns(v->focus)[i - TOP_BY_VALUE].head;
}

static unsigned count_lines(const struct top_view *v)
{
	unsigned n = TOP_BY_VALUE;

	if (v->mode == MODE_ACTIONS)
		return v->n_actions;
	while (top_columns(v->focus)[n - TOP_BY_VALUE].head)
		n++;
	return n;
}

// A box in the middle: its title, then a line for each choice.
void top_draw_menu(struct top_canvas *c, const struct top_view *v, const struct top_model *m)
{
	const struct top_row *row = top_view_row(v, m);
	const char *title = v->mode == MODE_SORT ? "Sort by" : row ? row->name : "";
	unsigned n = count_lines(v), width = (unsigned)strlen(title) + 4, x, y;

	for (unsigned i = 0; i < n; i++) {
		unsigned w = (unsigned)strlen(label(v, i)) + 6;

		width = w > width ? w : width;
	}
	width = width < c->columns ? width : c->columns;
	x = (c->columns - width) / 2;
	y = c->rows > n + 3 ? (c->rows - n - 3) / 2 : 0;
	for (unsigned i = 0; i < n + 2; i++)
		top_canvas_put(
			c, y + i, x, width, i ? LOOK_PLAIN : LOOK_HEAD, "%*s", (int)width, "");
	top_canvas_put(c, y, x + 1, width - 2, LOOK_HEAD, "%s", title);
	for (unsigned i = 0; i < n; i++) {
		top_canvas_put(c, y + 1 + i, x, width, LOOK_PLAIN, " %c %s",
			i == v->choice ? '>' : ' ', label(v, i));
		if (i == v->choice)
			top_canvas_reverse(c, y + 1 + i, x, width);
	}
	top_canvas_put(c, y + n + 1, x, width, LOOK_CALM, " Enter, or Esc");
}
