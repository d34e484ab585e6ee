// SPDX-License-Identifier: BSD-3-Clause
// The sheet of a suite for a terminal: a line of each row, and below it a line of each criterion.
#include <math.h>
#include <string.h>

#include "suite.h"

static void put_limit(char *buf, size_t size, const char *sign, double v)
{
	append_text(buf, size, "%s%s%.9g", *buf ? ", " : "", sign, v);
}

char *suite_limits(const struct suite_line *l, char *buf, size_t size)
{
	*buf = 0;
	if (l->any && isnan(l->min))
		append_text(buf, size, "as configured");
	else if (isfinite(l->min) && l->min == l->max)
		put_limit(buf, size, l->any ? "configured " : "= ", l->min);
	else if (isfinite(l->min))
		put_limit(buf, size, ">= ", l->min);
	if (isfinite(l->max) && l->min != l->max)
		put_limit(buf, size, "<= ", l->max);
	return buf;
}

char *suite_seen(const struct suite_line *l, char *buf, size_t size)
{
	if (l->seen)
		snprintf(buf, size, "%s", l->seen);
	else if (isfinite(l->value))
		snprintf(buf, size, "%.9g", l->value);
	else
		snprintf(buf, size, "-");
	return buf;
}

char *suite_half(const struct suite_line *l, char *buf, size_t size)
{
	if (isfinite(l->half) && isfinite(l->value) && !l->seen)
		snprintf(buf, size, "+-%.4g", l->half);
	else
		snprintf(buf, size, "-");
	return buf;
}

static void put_line(const struct suite_line *l, FILE *f)
{
	char limits[SUITE_TEXT], seen[SUITE_TEXT], half[SUITE_TEXT];

	fprintf(f, "    %s%s%s: saw %s", l->figure,
		*suite_limits(l, limits, sizeof(limits)) ? " " : "", limits,
		suite_seen(l, seen, sizeof(seen)));
	if (*suite_half(l, half, sizeof(half)) != '-')
		fprintf(f, " %s", half);
	fprintf(f, "  %s%s%s\n", suite_verdict_name[l->verdict], l->why ? ": " : "",
		l->why ? l->why : "");
}

void suite_row_text(const struct suite_row *r, FILE *f)
{
	fprintf(f, "  %-10s  %s: %s\n", suite_verdict_name[r->verdict], r->name, r->stimulus);
	if (r->why)
		fprintf(f, "    %s\n", r->why);
	for (unsigned i = 0; i < r->n; i++)
		put_line(&r->line[i], f);
}

void suite_text(const struct suite_sheet *s, FILE *f)
{
	const char *suite = "";

	for (unsigned i = 0; i < s->n; i++) {
		if (strcmp(s->row[i].suite, suite) != 0)
			fprintf(f, "%s%s\n", i ? "\n" : "", s->row[i].suite);
		suite = s->row[i].suite;
		suite_row_text(&s->row[i], f);
	}
	fprintf(f, "\n%u row%s:", s->n, plural(s->n));
	for (enum suite_verdict v = SUITE_PASS; v < SUITE_VERDICTS; v++)
		if (suite_count(s, v))
			fprintf(f, " %u %s", suite_count(s, v), suite_verdict_name[v]);
	fprintf(f, "\n");
}
