// SPDX-License-Identifier: BSD-3-Clause
// The criteria of a scenario: limits of figures, in the figure's unit or with a unit of their own.
#include <errno.h>
#include <math.h>
#include <string.h>

#include "int.h"
#include "conf/conf.h"

static bool ends_with(const char *text, const char *end)
{
	size_t n = strlen(text), m = strlen(end);

	return n >= m && !memcmp(text + n - m, end, m);
}

// Finds the unit of a figure, which is the end of its name.
static bool unit_of(const char *figure, enum units_kind *kind, double *base)
{
	static const struct {
		const char *end;
		enum units_kind kind;
		double base; // of the figure's unit
	} unit[] = {
		{"_us", UNITS_TIME, 1e6},
		{"_us_total", UNITS_TIME, 1e6},
		{"_ps", UNITS_TIME, 1},
		{"_latency", UNITS_TIME, 1e3},
		{"_bytes", UNITS_SIZE, 1},
		{"_bytes_total", UNITS_SIZE, 1},
		{"_gbps", UNITS_RATE, 1e9},
		{"_rate", UNITS_RATE, 1e9},
	};

	for (unsigned i = 0; i < sizeof(unit) / sizeof(unit[0]); i++)
		if (ends_with(figure, unit[i].end)) {
			*kind = unit[i].kind;
			*base = unit[i].base;
			return true;
		}
	return false;
}

// Reads a limit in the figure's unit, which may be below 0, or with a unit.
static int limit(struct draft *b, const struct yamldoc_node *at, const char *figure,
	const char *text, double *value)
{
	bool percent = ends_with(figure, "_percent") || !strcmp(figure, "utilization");
	enum units_kind kind = UNITS_COUNT;
	bool negative = *text == '-';
	uint64_t whole;
	double base;

	if (units_parse_real(text + negative, value) == UNITS_OK) {
		if (percent && strchr(text, '%'))
			*value *= 100;
		*value = negative ? -*value : *value;
		return 0;
	}
	if (unit_of(figure, &kind, &base) && units_parse(kind, text, &whole) == UNITS_OK) {
		*value = (double)whole / base;
		return 0;
	}
	return yamldoc_err(b->err, at, "%s is compared with a number%s%s, not '%s'", figure,
		kind == UNITS_COUNT ? "" : " or ", kind == UNITS_COUNT ? "" : units_example(kind),
		text);
}

// "file:line:column" of a node; NULL sets the error.
static const char *file_place(struct draft *b, const struct yamldoc_node *at)
{
	struct err line;
	char *text;
	size_t n;

	yamldoc_err(&line, at, "%s", "");
	n = strlen(line.text) - strlen(": ");
	text = draft_get(b, n + 1);
	if (text)
		memcpy(text, line.text, n);
	return text;
}

static int one(struct draft *b, const struct yamldoc_node *at, struct scene_expect *x)
{
	const struct yamldoc_node *figure;
	struct spec_expect e = {0};
	int rc;

	opt_init(&scene_opts_expect, &e);
	rc = opt_apply(&scene_opts_expect, &e, at, b->err);
	if (!rc)
		rc = opt_require(&scene_opts_expect, &e, at, b->err);
	if (rc)
		return rc;
	figure = opt_source(&scene_opts_expect, &e, "figure");
	x->at = file_place(b, figure);
	if (!x->at)
		return -ENOMEM;
	if (!e.min && !e.max && !e.equals)
		return yamldoc_err(
			b->err, at, "%s: min, max or equals says what is expected of it", e.figure);
	*x = (struct scene_expect){.at = x->at,
		.line = figure->line,
		.column = figure->column,
		.name = e.name ? e.name : e.figure,
		.figure = e.figure,
		.min = -INFINITY,
		.max = INFINITY};
	if (e.min)
		rc = limit(b, at, e.figure, e.min, &x->min);
	if (e.max && !rc)
		rc = limit(b, at, e.figure, e.max, &x->max);
	if (e.equals && !rc) {
		rc = limit(b, at, e.figure, e.equals, &x->min);
		x->max = x->min;
	}
	if (!rc && x->min > x->max)
		return yamldoc_err(
			b->err, at, "%s: min is above max; it must be at or below it", e.figure);
	return rc;
}

int compile_expects(struct draft *b)
{
	const struct yamldoc_node *list = b->top.expect;
	struct scene_expect *x = NULL;
	int rc = 0;

	if (!list || !list->n)
		return 0;
	x = draft_get(b, list->n * sizeof(*x));
	if (!x)
		return -ENOMEM;
	for (unsigned i = 0; i < list->n && !rc; i++)
		rc = one(b, list->item[i].value, &x[i]);
	b->s->expect = x;
	b->s->n_expects = list->n;
	return rc;
}
