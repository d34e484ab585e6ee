// SPDX-License-Identifier: BSD-3-Clause
// The output of a sweep: its table for the terminal, as CSV, as JSON and as JUnit's XML, and the
// warnings of its runs.
#include <limits.h>
#include <math.h>
#include <string.h>

#include "int.h"
#include "out/out.h"

#define CELL 256 // bytes of a name or a number

static const char *const state_name[] = {
	[SWEEP_WAITS] = "not run",
	[SWEEP_PASSED] = "ok",
	[SWEEP_VERDICT] = "FAILED",
	[SWEEP_STOPPED] = "stopped",
	[SWEEP_ERROR] = "error",
};

static const char *const steady_name[] = {
	[SWEEP_SETTLED] = "settled",
	[SWEEP_UNSETTLED] = "unsettled",
	[SWEEP_NOT_JUDGED] = "not judged",
};

// The doubt about a run, which stands behind its verdict; "" without one.
static const char *doubt(const struct sweep_row *row, char *to)
{
	bool doubted = sweep_is_whole(row) && row->steady != SWEEP_SETTLED;

	snprintf(to, CELL, "%s%s", doubted ? ", " : "", doubted ? steady_name[row->steady] : "");
	return to;
}

unsigned sweep_shown(const struct sweep *s)
{
	unsigned n = 0;

	for (unsigned i = 0; i < s->n_columns; i++)
		n += s->column[i].head != NULL;
	return n;
}

unsigned sweep_shown_column(const struct sweep *s, unsigned i)
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
static void put_run_row(const struct sweep *s, unsigned run, const int *width, FILE *f)
{
	unsigned n = sweep_shown(s);
	char text[CELL];

	fprintf(f, "%-*s", width[0], sweep_name(s, run, text, sizeof(text)));
	for (unsigned i = 0; i < n; i++)
		fprintf(f, "  %*s", width[i + 1], figure(s, run, sweep_shown_column(s, i), text));
	fprintf(f, "  %s%s\n", state_name[s->row[run].state], doubt(&s->row[run], text));
}

void sweep_widen(int *width, const char *text)
{
	int n = (int)strlen(text);

	if (n > *width)
		*width = n;
}

static void measure(const struct sweep *s, int *width)
{
	unsigned n = sweep_shown(s);
	char text[CELL];

	width[0] = 3;
	for (unsigned i = 0; i < n; i++) {
		const struct sweep_column *c = &s->column[sweep_shown_column(s, i)];

		width[i + 1] = 0;
		sweep_widen(&width[i + 1], c->head);
		sweep_widen(&width[i + 1], c->dim);
		for (unsigned r = 0; r < s->n_runs; r++)
			sweep_widen(&width[i + 1], figure(s, r, sweep_shown_column(s, i), text));
	}
	for (unsigned r = 0; r < s->n_runs; r++)
		sweep_widen(&width[0], sweep_name(s, r, text, sizeof(text)));
}

void sweep_put_heads(
	const struct sweep *s, const int *width, const char *first, const char *last, FILE *f)
{
	unsigned n = sweep_shown(s);

	fprintf(f, "%-*s", width[0], first);
	for (unsigned i = 0; i < n; i++)
		fprintf(f, "  %*s", width[i + 1], s->column[sweep_shown_column(s, i)].head);
	fprintf(f, "  %s\n%*s", last, width[0], "");
	for (unsigned i = 0; i < n; i++)
		fprintf(f, "  %*s", width[i + 1], s->column[sweep_shown_column(s, i)].dim);
	fputc('\n', f);
}

void sweep_text(const struct sweep *s, FILE *f)
{
	int width[SWEEP_COLUMNS + 1];

	measure(s, width);
	sweep_put_heads(s, width, "run", "verdict", f);
	for (unsigned i = 0; i < s->n_runs; i++)
		put_run_row(s, i, width, f);
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
		out_field(o, s->axis[i].path);
	}
	for (unsigned i = 0; i < s->n_columns; i++) {
		out_str(o, ",");
		out_field(o, s->column[i].name);
	}
	out_str(o, ",steady,verdict\n");
	for (unsigned r = 0; r < s->n_runs; r++) {
		out_field(o, sweep_pick(s, r, set));
		for (unsigned i = 0; i < s->n_axes; i++) {
			out_str(o, ",");
			out_field(o, set[i].value);
		}
		for (unsigned i = 0; i < s->n_columns; i++) {
			out_str(o, ",");
			put_value(o, s, r, i);
		}
		out_printf(o, ",%s,%s\n",
			sweep_has_figures(&s->row[r]) ? steady_name[s->row[r].steady] : "",
			state_name[s->row[r].state]);
	}
}

static void put_object(struct jw *w, const struct sweep *s, unsigned run)
{
	const struct sweep_row *row = &s->row[run];
	struct scene_set set[SWEEP_AXES];
	char folder[PATH_MAX];

	jw_object(w, NULL, true);
	jw_str(w, "scenario", sweep_pick(s, run, set));
	jw_object(w, "set", true);
	for (unsigned i = 0; i < s->n_axes; i++)
		jw_str(w, set[i].path, set[i].value);
	jw_end(w);
	if (s->has_folders && sweep_has_figures(row))
		jw_str(w, "folder", sweep_folder(s, run, folder, sizeof(folder)));
	jw_str(w, "verdict", state_name[row->state]);
	if (row->state == SWEEP_ERROR)
		jw_str(w, "error", row->err.text);
	if (row->state == SWEEP_VERDICT)
		jw_str(w, "failed", row->err.text);
	if (sweep_has_figures(row)) {
		jw_str(w, "steady", steady_name[row->steady]);
		if (*row->why)
			jw_str(w, "steady_why", row->why);
	}
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

#define NAME 256 // bytes of a run's name

// A run without figures has one testcase, which tells why.
static void put_empty(const struct sweep *s, unsigned run, const char *name, struct out *o)
{
	bool failed = s->row[run].state == SWEEP_ERROR;

	out_str(o, "<testsuite");
	junit_attribute(o, "name", name);
	out_printf(o, " tests=\"1\" failures=\"0\" errors=\"%d\" skipped=\"%d\" time=\"0\">\n",
		failed, !failed);
	junit_case(o, name, "run", failed ? JUNIT_ERROR : JUNIT_SKIPPED,
		failed ? s->row[run].err.text : "not run");
	junit_suite_end(o);
}

void sweep_junit(const struct sweep *s, struct out *o)
{
	char name[NAME];

	out_str(o, JUNIT_HEAD "<testsuites>\n");
	for (unsigned i = 0; i < s->n_runs; i++) {
		if (s->suite[i])
			out_str(o, s->suite[i]);
		else
			put_empty(s, i, sweep_name(s, i, name, sizeof(name)), o);
	}
	out_str(o, "</testsuites>\n");
}

#define SHOWN 20 // different warnings that are told

struct told {
	const char *line;
	size_t n;
	unsigned runs, last; // how many have it, and the last of them
};

static struct told *find_told(struct told *t, unsigned n_told, const char *line, size_t n)
{
	for (unsigned i = 0; i < n_told; i++)
		if (t[i].n == n && !memcmp(t[i].line, line, n))
			return &t[i];
	return NULL;
}

// The lines of a run, each counted once. Returns whether one found no room.
static bool count_lines(struct told *t, unsigned *n_told, const struct sweep *s, unsigned run)
{
	bool full = false;
	size_t n;

	for (const char *at = s->row[run].warned; *at; at += n + 1) {
		struct told *one;

		n = strcspn(at, "\n");
		one = find_told(t, *n_told, at, n);
		if (!one && *n_told < SHOWN) {
			one = &t[(*n_told)++];
			*one = (struct told){at, n, 1, run};
		} else if (one && one->last != run) {
			one->runs++;
			one->last = run;
		}
		full |= !one;
	}
	return full;
}

void sweep_warnings(const struct sweep *s, FILE *f)
{
	struct told t[SHOWN];
	unsigned n_told = 0, warned = 0;
	bool more = false;

	for (unsigned i = 0; i < s->n_runs; i++) {
		warned += s->row[i].warned[0] != 0;
		more |= count_lines(t, &n_told, s, i);
	}
	if (!warned)
		return;
	fprintf(f, "warnings in %u of %u run%s\n", warned, s->n_runs, plural(s->n_runs));
	for (unsigned i = 0; i < n_told; i++)
		fprintf(f, "  %u run%s: %.*s\n", t[i].runs, plural(t[i].runs), (int)t[i].n,
			t[i].line);
	if (more)
		fputs("  and others; `quench run` tells those of one run\n", f);
}
