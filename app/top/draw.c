// SPDX-License-Identifier: BSD-3-Clause
// The screen of a model and a view: the verdict, the rates of the whole run, the sections' places,
// the line of keys.
#include "draw.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/tstamp.h"

#define BODY 4 // first line of the sections

static double all(const struct top_model *m, enum top_all value)
{
	return m->of[TOP_ALL].n ? m->of[TOP_ALL].row[0].value[value] : NAN;
}

static unsigned gap_text(struct top_canvas *c, unsigned x, const char *word, double us)
{
	if (isnan(us))
		return x;
	return top_canvas_put(c, 0, x, c->columns, LOOK_PLAIN, "%s %.*f us", word,
		us < 10    ? 3
		: us < 100 ? 1
			   : 0,
		us);
}

// "LOSSLESS, timing held, loop gap p99 0.4 us, max 31.2 us".
static void put_verdict(struct top_canvas *c, const struct top_model *m)
{
	double losses = all(m, ALL_LOSSES), drops = all(m, ALL_DROPS);
	const char *timing = m->before.timing;
	unsigned x = 1;

	if (losses > 0)
		x = top_canvas_put(c, 0, x, c->columns, LOOK_BAD, "NOT LOSSLESS: %.0f lost (%s)",
			losses, *m->losses ? m->losses : "before the end of the warm-up");
	else if (drops > 0)
		x = top_canvas_put(c, 0, x, c->columns, LOOK_WARN,
			"lossless, %.0f lossy drops (%s)", drops,
			*m->losses ? m->losses : "before the end of the warm-up");
	else
		x = top_canvas_put(c, 0, x, c->columns, LOOK_GOOD, "LOSSLESS");
	x = *timing ? top_canvas_put(c, 0, x + 2, c->columns, LOOK_BAD, "TIMING BROKEN")
		    : top_canvas_put(c, 0, x + 2, c->columns, LOOK_GOOD, "timing held");
	x = gap_text(c, x + 2, "loop gap p99", all(m, ALL_GAP_P99));
	gap_text(c, x, ", max", all(m, ALL_GAP_MAX));
}

static unsigned long long ms_of(uint64_t ps)
{
	return ps / PS_PER_MS;
}

// "first-light (pid 71)   12.345 of 150.000 ms [||||    ]   dilation 100".
static void put_instance(
	struct top_canvas *c, const struct top_model *m, const struct top_state *st)
{
	unsigned x = top_canvas_put(c, 1, 1, 40, LOOK_STRONG, "%s", st->name), wide;
	uint64_t at = m->before.at_ps;
	char text[80];

	if (strcmp(st->name, st->scenario) != 0)
		x = top_canvas_put(c, 1, x, 40, LOOK_PLAIN, " (%s)", st->scenario);
	x = top_canvas_put(c, 1, x, 16, LOOK_CALM, " pid %llu", (unsigned long long)st->pid);
	snprintf(text, sizeof(text), "%llu.%03llu of %llu ms of the scene", ms_of(at),
		(unsigned long long)(at % PS_PER_MS / PS_PER_US), ms_of(st->duration_ps));
	x = top_canvas_put(c, 1, x + 2, 48, LOOK_PLAIN, "%s", text);
	if (st->dilate > 1)
		x = top_canvas_put(c, 1, x, 20, LOOK_PLAIN, ", dilation %u", st->dilate);
	if (x + 14 > c->columns)
		return;
	wide = c->columns - x - 5 < 40 ? c->columns - x - 5 : 40;
	top_canvas_put(c, 1, x + 2, 1, LOOK_CALM, "[");
	top_canvas_bar(c, 1, x + 3, wide, (double)at, (double)st->duration_ps, NULL, NULL);
	top_canvas_put(c, 1, x + 3 + wide, 1, LOOK_CALM, "]");
}

static unsigned put_rate(
	struct top_canvas *c, unsigned x, const char *word, double value, enum top_form form)
{
	char text[TOP_TEXT];

	x = top_canvas_put(c, 2, x, c->columns, LOOK_CALM, "%s ", word);
	return top_canvas_put(c, 2, x, c->columns, LOOK_STRONG, "%s", top_text(text, form, value)) +
	       2;
}

// A second is one of the scene.
static void put_rates(struct top_canvas *c, const struct top_model *m)
{
	unsigned x = put_rate(c, 1, "goodput Gb/s", m->goodput_gbps, FORM_GBPS);

	x = put_rate(c, x, "marks/s", all(m, ALL_MARKS), FORM_COUNT);
	x = put_rate(c, x, "CNPs/s", all(m, ALL_CNPS), FORM_COUNT);
	x = put_rate(c, x, "pauses/s", all(m, ALL_PAUSES), FORM_COUNT);
	put_rate(c, x, "resent/s", all(m, ALL_RESENT), FORM_COUNT);
}

static void put_notice(struct top_canvas *c, const struct top_view *v, const struct top_model *m,
	const struct top_state *st)
{
	unsigned x = 1;

	if (*st->notice)
		x = top_canvas_put(c, 3, x, c->columns, st->ended ? LOOK_STRONG : LOOK_WARN, "%s",
			    st->notice) +
		    2;
	if (v->frozen && !st->ended)
		x = top_canvas_put(c, 3, x, c->columns, LOOK_WARN, "FROZEN: space goes on") + 2;
	if (v->filter.n && v->mode != MODE_FILTER)
		x = top_canvas_put(
			    c, 3, x, c->columns, LOOK_WARN, "only rows with '%s'", v->filter.text) +
		    2;
	if (m->no_memory)
		x = top_canvas_put(c, 3, x, c->columns, LOOK_WARN, "rows are missing: no memory") +
		    2;
	if (*v->told)
		x = top_canvas_put(c, 3, x, c->columns, v->told_bad ? LOOK_BAD : LOOK_GOOD, "%s",
			    v->told) +
		    2;
	if (x == 1 && *m->before.timing)
		top_canvas_put(c, 3, x, c->columns - 1, LOOK_WARN, "%s", m->before.timing);
}

static unsigned put_key(struct top_canvas *c, unsigned x, const char *key, const char *word)
{
	x = top_canvas_put(c, c->rows - 1, x, c->columns, LOOK_HEAD, "%s", key);
	return top_canvas_put(c, c->rows - 1, x + 1, c->columns, LOOK_PLAIN, "%s", word) + 2;
}

static void put_keys(struct top_canvas *c, bool past)
{
	unsigned x = put_key(c, 0, "h", "Help");

	if (past) {
		x = put_key(c, x, "Enter", "Rows");
		x = put_key(c, x, "Space", "Freeze");
		x = put_key(c, x, "Up/Down", "Other row");
		put_key(c, x, "q", "Back");
		return;
	}
	x = put_key(c, x, "/", "Filter");
	x = put_key(c, x, "s", "Sort");
	x = put_key(c, x, "Space", "Freeze");
	x = put_key(c, x, "Tab", "Next");
	x = put_key(c, x, "Enter", "Plot");
	x = put_key(c, x, "a", "Actions");
	put_key(c, x, "q", "Quit");
}

// A line in the place of the keys, where something is typed.
static void put_input(
	struct top_canvas *c, const char *before, const struct top_input *in, const char *behind)
{
	unsigned y = c->rows - 1;
	unsigned x = top_canvas_put(c, y, 0, c->columns, LOOK_STRONG, "%s", before);
	unsigned wide = c->columns > x + 30 ? c->columns - x - 2 : 30;
	unsigned from = in->at >= wide ? in->at - wide + 1 : 0;

	c->cursor_y = (int)y;
	c->cursor_x = (int)(x + in->at - from);
	x = top_canvas_put(c, y, x, wide, LOOK_PLAIN, "%s", in->text + from);
	x = top_canvas_put(c, y, x, c->columns, LOOK_STRONG, "%s", behind);
	top_canvas_right(c, y, x + 1, c->columns > x + 1 ? c->columns - x - 1 : 0, LOOK_CALM, "%s",
		c->columns > x + 28 ? "Enter: go on, Esc: leave" : "");
}

// The whole command above the last line, however long it is, and a question in that line.
static void put_question(struct top_canvas *c, const char *command)
{
	size_t n = strlen(command);
	unsigned lines = (unsigned)(n + c->columns - 1) / c->columns, y = c->rows - 1 - lines;

	for (unsigned i = 0; i < lines; i++) {
		top_canvas_put(c, y + i, 0, c->columns, LOOK_STRONG, "%*s", (int)c->columns, "");
		top_canvas_put(c, y + i, 0, c->columns, LOOK_STRONG, "%s",
			command + (size_t)i * c->columns);
	}
	top_canvas_put(c, c->rows - 1, 0, c->columns, LOOK_WARN,
		"Run this command?  y: yes, any other key: no");
}

static void put_bottom(struct top_canvas *c, const struct top_view *v)
{
	const struct top_action *a = &v->action[v->choice < TOP_ACTIONS ? v->choice : 0];
	const char *quote = a->verb && !strcmp(a->verb, "do") ? "'" : "";
	char typed[300];

	if (v->mode == MODE_FILTER) {
		put_input(c, "Only rows with: ", &v->filter, "");
	} else if (v->mode == MODE_COMMAND) {
		snprintf(typed, sizeof(typed), "quench %s %s", a->verb, quote);
		put_input(c, typed, &v->command, quote);
	} else if (v->mode == MODE_CONFIRM) {
		put_question(c, top_action_typed(typed, sizeof(typed), a->verb, v->command.text));
	} else {
		put_keys(c, v->mode == MODE_PAST);
	}
}

// How many lines each section gets, with its head: a fair share each; then the section in focus
// takes what it needs, and the others share the rest in their order.
static void share_lines(
	unsigned lines[static TOP_SECTIONS], unsigned all_lines, const struct top_view *v)
{
	unsigned left = all_lines, fair = all_lines / TOP_SECTIONS;

	for (unsigned s = 0; s < TOP_SECTIONS; s++) {
		unsigned need = v->list[s].n + 2; // the head, and a blank line behind

		lines[s] = need < fair ? need : fair;
		left -= lines[s];
	}
	for (unsigned i = 0; i < TOP_SECTIONS; i++) {
		unsigned s = (v->focus + i) % TOP_SECTIONS;
		unsigned need = v->list[s].n + 2, more = need > lines[s] ? need - lines[s] : 0;

		more = more < left ? more : left;
		lines[s] += more;
		left -= more;
	}
}

static void put_sections(struct top_canvas *c, struct top_view *v, const struct top_model *m)
{
	unsigned lines[TOP_SECTIONS], y = BODY;

	share_lines(lines, c->rows - BODY - 1, v);
	for (unsigned s = 0; s < TOP_SECTIONS; s++) {
		top_draw_section(c, y, lines[s], v, m, (enum top_section)s);
		y += lines[s];
	}
}

static void put_small(struct top_canvas *c)
{
	top_canvas_put(c, 0, 0, c->columns, LOOK_PLAIN, "quench top wants %u columns and %u lines.",
		TOP_LEAST_COLUMNS, TOP_LEAST_ROWS);
}

void top_draw(struct top_canvas *c, struct top_view *v, const struct top_model *m,
	const struct top_state *st)
{
	if (c->columns < TOP_LEAST_COLUMNS || c->rows < TOP_LEAST_ROWS) {
		put_small(c);
		return;
	}
	if (st->begun) {
		put_verdict(c, m);
		put_rates(c, m);
	}
	put_instance(c, m, st);
	put_notice(c, v, m, st);
	if (v->mode == MODE_HELP)
		top_draw_help(c, BODY, c->rows - BODY - 1);
	else if (v->mode == MODE_PAST)
		top_draw_past(c, BODY, c->rows - BODY - 1, v, m);
	else
		put_sections(c, v, m);
	if (v->mode == MODE_SORT || v->mode == MODE_ACTIONS)
		top_draw_menu(c, v, m);
	put_bottom(c, v);
}
