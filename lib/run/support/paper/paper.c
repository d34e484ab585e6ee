// SPDX-License-Identifier: BSD-3-Clause
// A figure as files: its numbers in blocks that name their columns, the script, the pictures.
#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "int.h"

// The characters of a stem.
#define STEM "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_"

const struct paper_form paper_forms[] = {
	[PAPER_LINE] = {.what = "a line", .x = true, .y = true},
	[PAPER_MARKED] = {.what = "a line with marks", .x = true, .y = true},
	[PAPER_STEPS] = {.what = "steps", .x = true, .y = true},
	[PAPER_POINTS] = {.what = "points", .x = true, .y = true},
	[PAPER_LINE_POINTS] = {.what = "a line with points", .x = true, .y = true},
	[PAPER_ERRORS] = {.what = "points with error bars", .x = true, .y = true, .limits = true},
	[PAPER_CROSSES] = {.what = "bars in both directions",
		.x = true,
		.y = true,
		.limits = true,
		.sides = true},
	[PAPER_BAND] = {.what = "a band", .x = true, .limits = true},
	[PAPER_SPANS] = {.what = "bars in lanes", .y = true, .limits = true, .spans = true},
};

// Writes a name in quotes, within a comment or a row.
static void put_name(struct out *o, const char *text, char quote)
{
	char *plain = paper_plain(text, 0);

	if (!plain) {
		o->error = o->error ? o->error : ENOMEM;
		return;
	}
	for (char *c = plain; *c; c++)
		*c = *c == '"' && quote == '"' ? '\'' : *c;
	out_printf(o, "%c", quote);
	out_str(o, plain);
	out_printf(o, "%c", quote);
	free(plain);
}

static void put_column(struct out *o, const struct paper_axis *a, const char *suffix)
{
	char *plain = paper_plain(a->column, 0);

	if (plain)
		out_str(o, plain);
	free(plain);
	out_str(o, suffix);
	if (*a->unit) {
		out_str(o, " [");
		out_str(o, a->unit);
		out_str(o, "]");
	}
}

// "# utilization_percent [%], queue_p99_bytes [KB], low, high"
static void put_columns(struct out *o, const struct paper *p, const struct paper_series *s)
{
	const struct paper_form *form = &paper_forms[s->style];
	const struct paper_axis *limits = form->spans ? &p->x : &p->y;

	out_str(o, "# Columns: ");
	if (form->x)
		put_column(o, &p->x, "");
	if (form->x && (form->y || form->limits))
		out_str(o, ", ");
	if (form->y)
		put_column(o, &p->y, "");
	if (form->y && form->limits)
		out_str(o, ", ");
	if (form->limits) {
		put_column(o, limits, form->spans ? " from" : " low");
		out_str(o, ", ");
		put_column(o, limits, form->spans ? " to" : " high");
	}
	if (form->sides) {
		out_str(o, ", ");
		put_column(o, &p->x, " left");
		out_str(o, ", ");
		put_column(o, &p->x, " right");
	}
	out_str(o, s->n && s->row[0].name ? ", \"name\"\n" : "\n");
}

static void put_number(struct out *o, bool shown, double v, bool *first)
{
	if (!shown)
		return;
	out_str(o, *first ? "" : " ");
	if (isfinite(v))
		out_printf(o, "%.10g", v);
	else
		out_str(o, "NaN");
	*first = false;
}

static void put_data_row(struct out *o, const struct paper_form *form, const struct paper_row *r)
{
	bool first = true;

	put_number(o, form->x, r->x, &first);
	put_number(o, form->y, r->y, &first);
	put_number(o, form->limits, r->low, &first);
	put_number(o, form->limits, r->high, &first);
	put_number(o, form->sides, r->left, &first);
	put_number(o, form->sides, r->right, &first);
	if (r->name) {
		out_str(o, " ");
		put_name(o, r->name, '"');
	}
	out_str(o, "\n");
}

// Blocks are parted by two empty lines; gnuplot counts them from 0.
static void put_data(const struct paper *p, struct out *o)
{
	unsigned block = 0;

	out_str(o, "# Numbers of a figure, which ");
	out_str(o, p->stem);
	out_str(o, ".gp draws. Two empty lines end a block, which is a series.\n");
	for (unsigned i = 0; i < p->n_series; i++) {
		const struct paper_series *s = &p->series[i];

		if (!s->n)
			continue;
		out_printf(o, "%s# Block %u: %s", block ? "\n\n" : "", block,
			paper_forms[s->style].what);
		block++;
		if (s->name) {
			out_str(o, ", ");
			put_name(o, s->name, '\'');
		}
		if (p->n_panels) {
			out_str(o, ", of the plot ");
			put_name(o, p->panel[s->panel], '\'');
		}
		out_str(o, "\n");
		put_columns(o, p, s);
		for (size_t k = 0; k < s->n; k++)
			put_data_row(o, &paper_forms[s->style], &s->row[k]);
	}
}

static int write_one(const struct paper *p, const char *dir, const char *suffix,
	void (*put)(const struct paper *, struct out *), struct err *err)
{
	char path[4096];
	struct out o;
	int rc;

	snprintf(path, sizeof(path), "%s/%s.%s", dir, p->stem, suffix);
	rc = out_open(&o, path, err);
	if (rc)
		return rc;
	put(p, &o);
	return out_close(&o, err);
}

int paper_write(const struct paper *p, const char *dir, unsigned formats, struct err *err)
{
	int rc;

	assert(*p->stem && *p->stem != '-' && !p->stem[strspn(p->stem, STEM)]);
	assert(strlen(p->stem) < 128 && p->n_panels <= PAPER_PANELS);
	assert(!p->n_panels || !p->n_lines);
	rc = write_one(p, dir, "dat", put_data, err);
	if (!rc)
		rc = write_one(p, dir, "gp", paper_script, err);
	if (!rc && formats)
		rc = paper_draw(dir, p->stem, formats, err);
	return rc;
}
