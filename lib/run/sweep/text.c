// SPDX-License-Identifier: BSD-3-Clause
// The table of a sweep: for the terminal, as CSV and as JSON.
#include <math.h>
#include <string.h>

#include "out/out.h"
#include "sweep.h"

#define CELL 256 // bytes of a name or a number

static const char *const state_name[] = {
	[SWEEP_WAITS] = "not run",
	[SWEEP_PASSED] = "ok",
	[SWEEP_VERDICT] = "FAILED",
	[SWEEP_STOPPED] = "stopped",
	[SWEEP_ERROR] = "error",
};

static unsigned shown_columns(const struct sweep *s)
{
	unsigned n = 0;

	for (unsigned i = 0; i < s->n_columns; i++)
		n += s->column[i].head != NULL;
	return n;
}

// The i-th column that the table shows.
static unsigned shown(const struct sweep *s, unsigned i)
{
	unsigned k = 0;

	while (!s->column[k].head || i--)
		k++;
	return k;
}

static const char *figure(const struct sweep *s, unsigned run, unsigned col, char *to)
{
	const struct sweep_column *c = &s->column[col];
	double v = s->row[run].value[col];

	if (!sweep_has_figures(&s->row[run]) || isnan(v))
		return "-";
	if (isinf(v))
		return "not yet";
	snprintf(to, CELL, "%.*f", (int)c->shown_decimals, v / c->shown);
	return to;
}

// The name of a run, its figures, its state.
static void put_row(const struct sweep *s, unsigned run, const int *width, FILE *f)
{
	unsigned n = shown_columns(s);
	char text[CELL];

	fprintf(f, "%-*s", width[0], sweep_name(s, run, text, sizeof(text)));
	for (unsigned i = 0; i < n; i++)
		fprintf(f, "  %*s", width[i + 1], figure(s, run, shown(s, i), text));
	fprintf(f, "  %s\n", state_name[s->row[run].state]);
}

static void grow(int *width, const char *text)
{
	int n = (int)strlen(text);

	if (n > *width)
		*width = n;
}

static void measure(const struct sweep *s, int *width)
{
	unsigned n = shown_columns(s);
	char text[CELL];

	width[0] = 3;
	for (unsigned i = 0; i < n; i++) {
		const struct sweep_column *c = &s->column[shown(s, i)];

		width[i + 1] = 0;
		grow(&width[i + 1], c->head);
		grow(&width[i + 1], c->dim);
		for (unsigned r = 0; r < s->n_runs; r++)
			grow(&width[i + 1], figure(s, r, shown(s, i), text));
	}
	for (unsigned r = 0; r < s->n_runs; r++)
		grow(&width[0], sweep_name(s, r, text, sizeof(text)));
}

void sweep_text(const struct sweep *s, FILE *f)
{
	int width[SWEEP_COLUMNS + 1];
	unsigned n = shown_columns(s);

	measure(s, width);
	fprintf(f, "%-*s", width[0], "run");
	for (unsigned i = 0; i < n; i++)
		fprintf(f, "  %*s", width[i + 1], s->column[shown(s, i)].head);
	fprintf(f, "  verdict\n%*s", width[0], "");
	for (unsigned i = 0; i < n; i++)
		fprintf(f, "  %*s", width[i + 1], s->column[shown(s, i)].dim);
	fprintf(f, "\n");
	for (unsigned i = 0; i < s->n_runs; i++)
		put_row(s, i, width, f);
}

// RFC 4180: in quotes where a comma or a quote is in it.
static void put_field(struct out *o, const char *text)
{
	if (!strpbrk(text, ",\"\n")) {
		out_str(o, text);
		return;
	}
	out_str(o, "\"");
	for (; *text; text++)
		out_printf(o, *text == '"' ? "\"\"" : "%c", *text);
	out_str(o, "\"");
}

static void put_value(struct out *o, const struct sweep *s, unsigned run, unsigned col)
{
	double v = s->row[run].value[col];

	if (!sweep_has_figures(&s->row[run]) || isnan(v))
		return;
	if (isinf(v))
		out_str(o, "inf");
	else
		out_printf(o, "%.*f", (int)s->column[col].decimals, v);
}

void sweep_csv(const struct sweep *s, struct out *o)
{
	struct scene_set set[SWEEP_AXES];

	out_str(o, "scenario");
	for (unsigned i = 0; i < s->n_axes; i++) {
		out_str(o, ",");
		put_field(o, s->axis[i].path);
	}
	for (unsigned i = 0; i < s->n_columns; i++) {
		out_str(o, ",");
		put_field(o, s->column[i].name);
	}
	out_str(o, ",verdict\n");
	for (unsigned r = 0; r < s->n_runs; r++) {
		put_field(o, sweep_pick(s, r, set));
		for (unsigned i = 0; i < s->n_axes; i++) {
			out_str(o, ",");
			put_field(o, set[i].value);
		}
		for (unsigned i = 0; i < s->n_columns; i++) {
			out_str(o, ",");
			put_value(o, s, r, i);
		}
		out_printf(o, ",%s\n", state_name[s->row[r].state]);
	}
}

static void put_object(struct jw *w, const struct sweep *s, unsigned run)
{
	const struct sweep_row *row = &s->row[run];
	struct scene_set set[SWEEP_AXES];

	jw_object(w, NULL, true);
	jw_str(w, "scenario", sweep_pick(s, run, set));
	jw_object(w, "set", true);
	for (unsigned i = 0; i < s->n_axes; i++)
		jw_str(w, set[i].path, set[i].value);
	jw_end(w);
	jw_str(w, "verdict", state_name[row->state]);
	if (row->state == SWEEP_ERROR)
		jw_str(w, "error", row->err.text);
	if (row->state == SWEEP_VERDICT)
		jw_str(w, "failed", row->err.text);
	for (unsigned i = 0; i < s->n_columns && sweep_has_figures(row); i++) {
		if (isinf(row->value[i]))
			jw_str(w, s->column[i].name, "inf");
		else
			jw_num(w, s->column[i].name, row->value[i], s->column[i].decimals);
	}
	jw_end(w);
}

void sweep_json(const struct sweep *s, struct out *o)
{
	struct jw w;

	jw_init(&w, o);
	jw_object(&w, NULL, false);
	jw_array(&w, "runs", false);
	for (unsigned i = 0; i < s->n_runs; i++)
		put_object(&w, s, i);
	jw_end(&w);
	jw_end(&w);
}
