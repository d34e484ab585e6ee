// SPDX-License-Identifier: BSD-3-Clause
// A sweep drawn: each run a mark by two of its figures, and the Pareto front of those that none
// beats in both.
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "out/out.h"
#include "sweep.h"
#include "conf/conf.h"

struct point {
	double x, y;
	unsigned run;
};

// What the values of a varied path may be numbers of, and what the drawing divides them by.
static const struct scale {
	bool plain;
	enum units_kind kind;
	double unit;
	const char *dim;
} scales[] = {
	{true, UNITS_COUNT, 1, ""},
	{false, UNITS_TIME, 1e6, "us"},
	{false, UNITS_SIZE, 1e3, "KB"},
	{false, UNITS_RATE, 1e9, "Gb/s"},
	{false, UNITS_CLOCK, 1e6, "MHz"},
};

static bool number(const struct scale *to, const char *text, double *value)
{
	uint64_t whole;

	if (to->plain)
		return units_parse_real(text, value) == UNITS_OK;
	if (units_parse(to->kind, text, &whole) != UNITS_OK)
		return false;
	*value = (double)whole / to->unit;
	return true;
}

// The first scale that all values of an axis have; NULL: they are words.
static const struct scale *scale_of(const struct sweep_axis *a)
{
	double ignored;

	for (unsigned i = 0; i < sizeof(scales) / sizeof(scales[0]); i++) {
		unsigned n = 0;

		while (n < a->n && number(&scales[i], a->value[n], &ignored))
			n++;
		if (n == a->n)
			return &scales[i];
	}
	return NULL;
}

// Columns that can be drawn are counted through: the figures, then the varied paths.
static const char *name_of(const struct sweep *s, unsigned col)
{
	return col < s->n_columns ? s->column[col].name : s->axis[col - s->n_columns].path;
}

static bool can_be_drawn(const struct sweep *s, unsigned col)
{
	return col < s->n_columns || scale_of(&s->axis[col - s->n_columns]);
}

static int column_named(const struct sweep *s, const char *name, size_t n)
{
	for (unsigned i = 0; i < s->n_columns + s->n_axes; i++) {
		const char *one = name_of(s, i);

		if (strlen(one) == n && !memcmp(one, name, n) && can_be_drawn(s, i))
			return (int)i;
	}
	return -1;
}

// By a name that is n bytes long; it may be an older one of a figure.
static int column(const struct sweep *s, const char *name, size_t n)
{
	int col = column_named(s, name, n);
	char was[FIGURE_PATH], now[FIGURE_PATH];

	snprintf(was, sizeof(was), "%.*s", (int)n, name);
	if (col < 0 && figure_path_now(was, now, sizeof(now)))
		col = column_named(s, now, strlen(now));
	return col;
}

int sweep_plot_axes(const struct sweep *s, const char *text, unsigned axis[2], struct err *err)
{
	const char *comma = strchr(text, ',');
	int x = comma ? column(s, text, (size_t)(comma - text)) : -1;
	int y = comma ? column(s, comma + 1, strlen(comma + 1)) : -1;
	char list[ERR_HINT] = "";

	if (x >= 0 && y >= 0) {
		axis[0] = (unsigned)x;
		axis[1] = (unsigned)y;
		return 0;
	}
	for (unsigned i = 0; i < s->n_columns + s->n_axes; i++) {
		size_t len = strlen(list);

		if (can_be_drawn(s, i))
			snprintf(list + len, sizeof(list) - len, "%s%s", len ? ", " : "",
				name_of(s, i));
	}
	return err_set(err, -EINVAL,
		"--plot '%.200s': two columns of numbers of sweep.csv by their names, X,Y, out of "
		"%s",
		text, list);
}

// Where a run stands along an axis of the drawing.
static double place(const struct sweep *s, unsigned run, unsigned col)
{
	struct scene_set set[SWEEP_AXES];
	double value = NAN;

	if (col < s->n_columns)
		return s->row[run].value[col] / s->column[col].shown;
	sweep_pick(s, run, set);
	number(scale_of(&s->axis[col - s->n_columns]), set[col - s->n_columns].value, &value);
	return value;
}

// Whether more (1) or less (-1) of a column is better; 0: nobody says.
static int better(const struct sweep *s, unsigned col)
{
	static const char *const more[] = {
		"goodput_gbps", "utilization_percent", "jain", "messages"};

	if (col >= s->n_columns || sweep_is_own(&s->column[col]))
		return 0;
	for (unsigned i = 0; i < sizeof(more) / sizeof(more[0]); i++)
		if (!strcmp(s->column[col].name, more[i]))
			return 1;
	return -1;
}

static unsigned points(const struct sweep *s, const unsigned axis[2], struct point *p)
{
	unsigned n = 0;

	for (unsigned i = 0; i < s->n_runs; i++) {
		double x = place(s, i, axis[0]), y = place(s, i, axis[1]);

		if (sweep_has_figures(&s->row[i]) && isfinite(x) && isfinite(y) && y >= 0)
			p[n++] = (struct point){x, y, i};
	}
	return n;
}

static int by_x(const void *a, const void *b)
{
	const struct point *p = a, *q = b;

	if (p->x != q->x)
		return p->x < q->x ? -1 : 1;
	return (p->y > q->y) - (p->y < q->y);
}

// Points that no other one beats in one figure without being worse in the other, by x.
static unsigned front(const struct point *p, unsigned n, int bx, int by, struct point *to)
{
	unsigned m = 0;

	for (unsigned i = 0; i < n; i++) {
		bool beaten = false;

		for (unsigned k = 0; k < n && !beaten; k++) {
			double dx = bx * (p[k].x - p[i].x), dy = by * (p[k].y - p[i].y);

			beaten = dx >= 0 && dy >= 0 && (dx > 0 || dy > 0 || k < i);
		}
		if (!beaten)
			to[m++] = p[i];
	}
	qsort(to, m, sizeof(*to), by_x);
	return m;
}

// The stairs that bound what is beaten: towards where x is better, a value holds from its point on
// (less is better) or up to it (more is).
static void put_front(
	struct chart *c, const struct point *p, unsigned n, int bx, double *x, double *y)
{
	unsigned m = 0;

	for (unsigned i = 0; i < n; i++) {
		x[m] = p[i].x;
		y[m++] = p[i].y;
		if (bx < 0 || i + 1 == n)
			continue;
		x[m] = p[i].x;
		y[m++] = p[i + 1].y;
	}
	chart_steps(c, CHART_COLOURS - 1, x, y, m);
}

// Scenarios have colours of their own; of a single one, the values of its first axis.
static unsigned colour(const struct sweep *s, unsigned run)
{
	unsigned each = s->n_runs / s->n_scenarios;

	if (s->n_scenarios > 1 || !s->n_axes)
		return run / each;
	return run / (each / s->axis[0].n);
}

static void put_legend(const struct sweep *s, struct chart *c, bool drawn)
{
	bool many = s->n_scenarios > 1 || !s->n_axes;
	unsigned n = many ? s->n_scenarios : s->axis[0].n;

	chart_legend_head(c, many ? "scenario" : s->axis[0].path);
	for (unsigned i = 0; i < n && i < CHART_COLOURS - 1; i++) {
		const char *slash = many ? strrchr(s->scenario[i], '/') : NULL;

		chart_legend_line(c, i,
			!many   ? s->axis[0].value[i]
			: slash ? slash + 1
				: s->scenario[i]);
	}
	if (drawn)
		chart_legend_head(c, "grey: the Pareto front");
}

static void title(const struct sweep *s, unsigned col, char *to, size_t size)
{
	const char *head = name_of(s, col), *dim;

	if (col < s->n_columns) {
		head = s->column[col].head ? s->column[col].head : head;
		dim = s->column[col].dim;
	} else {
		dim = scale_of(&s->axis[col - s->n_columns])->dim;
	}
	snprintf(to, size, dim && *dim ? "%s, %s" : "%s", head, dim ? dim : "");
}

static void span_points(struct chart *c, const struct point *p, unsigned n)
{
	c->x_from = n ? p[0].x : 0;
	c->x_to = n ? p[0].x : 1;
	c->y_to = 0;
	for (unsigned i = 0; i < n; i++) {
		c->x_from = fmin(c->x_from, p[i].x);
		c->x_to = fmax(c->x_to, p[i].x);
		c->y_to = fmax(c->y_to, p[i].y);
	}
	if (c->x_to <= c->x_from)
		c->x_to = c->x_from + 1;
	if (c->y_to <= 0)
		c->y_to = 1;
}

int sweep_plot(const struct sweep *s, const unsigned axis[2], struct out *o)
{
	int bx = better(s, axis[0]), by = better(s, axis[1]);
	struct point *p = calloc(2ul * s->n_runs + 1, sizeof(*p));
	double *xy = calloc(4ul * s->n_runs + 1, sizeof(*xy));
	char x[80], y[80], subtitle[80], tip[256];
	struct chart c = {.o = o,
		.title = "runs of a sweep",
		.subtitle = subtitle,
		.x_title = x,
		.y_title = y};
	unsigned n;

	if (!p || !xy) {
		free(p);
		free(xy);
		return -ENOMEM;
	}
	n = points(s, axis, p);
	title(s, axis[0], x, sizeof(x));
	title(s, axis[1], y, sizeof(y));
	snprintf(subtitle, sizeof(subtitle), "%u of %u runs", n, s->n_runs);
	span_points(&c, p, n);
	chart_begin(&c);
	if (bx && by && n)
		put_front(&c, p + s->n_runs, front(p, n, bx, by, p + s->n_runs), bx, xy,
			xy + 2ul * s->n_runs);
	for (unsigned i = 0; i < n; i++)
		chart_mark(&c, colour(s, p[i].run) % (CHART_COLOURS - 1), CHART_CIRCLE, true,
			p[i].x, p[i].y, sweep_name(s, p[i].run, tip, sizeof(tip)));
	put_legend(s, &c, bx && by && n);
	chart_end(&c);
	free(p);
	free(xy);
	return 0;
}
