// SPDX-License-Identifier: BSD-3-Clause
// The drawing of a sweep: each run is a point by two of its figures, told apart by its varied
// values, and the Pareto front of the runs that no other run beats in both. Runs that differ in
// their seed only are one point, their mean, with bars of its 95 % interval.
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/student.h"
#include "int.h"
#include "paper/paper.h"

// A difference between runs besides the axes of the figure: the scenario, or a varied path.
struct factor {
	int axis; // -1: the scenario
	unsigned n;
};

#define FACTORS (SWEEP_AXES + 1)

struct point {
	double x, y;
	double half_x, half_y; // of the interval of a mean; NAN: there is none
	unsigned run;          // of a mean: the first
	unsigned group;
	unsigned colour, shape, panel; // values of the first, second and further factors
	double along;                  // where it stands on a line
	bool leads;                    // it may be in the front
};

// A figure while it is made.
struct plot {
	const struct sweep *s;
	unsigned axis[2]; // columns
	struct factor factor[FACTORS];
	unsigned n_factors;
	unsigned told; // of them, those that the figure tells apart
	unsigned n_panels;
	struct point *point, *front;
	unsigned n_points, n_front;
	bool means;          // over seeds
	bool along_x, lines; // points are joined: along x; along the second factor
	struct paper_row *row;
	unsigned n_rows;
	struct paper_series *series;
	unsigned n_series;
	struct names {
		char **name;
		unsigned n;
	} names; // that the figure needs
	bool no_memory;
};

// Returns 1 if more of a column is better and -1 if less is; 0: it is not known.
static int better(const struct sweep *s, unsigned col)
{
	static const char *const more[] = {
		"goodput_gbps", "utilization_percent", "jain", "messages"};

	if (col >= s->n_columns || sweep_is_own(s, col))
		return 0;
	for (unsigned i = 0; i < sizeof(more) / sizeof(more[0]); i++)
		if (!strcmp(s->column[col].name, more[i]))
			return 1;
	return -1;
}

static int by_group(const void *a, const void *b)
{
	const struct point *p = a, *q = b;

	if (p->group != q->group)
		return p->group < q->group ? -1 : 1;
	return (p->run > q->run) - (p->run < q->run);
}

// Whether points are means: the seed is varied and is no axis of the drawing.
static bool are_means(const struct sweep *s, const unsigned axis[2])
{
	unsigned seed = s->n_columns + (unsigned)sweep_seed_axis(s);

	return sweep_seeds(s) > 1 && axis[0] != seed && axis[1] != seed;
}

// Takes the points of each group together.
static unsigned average(const struct sweep *s, struct point *p, unsigned n)
{
	unsigned m = 0;

	for (unsigned i = 0; i < n; i++)
		p[i].group = sweep_group_of(s, p[i].run);
	qsort(p, n, sizeof(*p), by_group);
	for (unsigned i = 0; i < n;) {
		struct point mean = p[i];
		struct student_sum x = {0}, y = {0};

		for (; i < n && p[i].group == mean.group; i++) {
			if (!sweep_is_whole(&s->row[p[i].run]))
				continue;
			student_add(&x, p[i].x);
			student_add(&y, p[i].y);
			mean.leads &= p[i].leads;
		}
		mean.x = x.mean;
		mean.y = y.mean;
		mean.half_x = student_half(&x);
		mean.half_y = student_half(&y);
		if (x.n)
			p[m++] = mean;
	}
	return m;
}

static bool is_point(const struct sweep *s, unsigned run, const unsigned axis[2])
{
	return sweep_has_figures(&s->row[run]) && isfinite(sweep_axis_place(s, run, axis[0])) &&
	       isfinite(sweep_axis_place(s, run, axis[1]));
}

static unsigned collect_points(const struct sweep *s, const unsigned axis[2], struct point *p)
{
	unsigned n = 0;

	for (unsigned i = 0; i < s->n_runs; i++)
		if (is_point(s, i, axis))
			p[n++] = (struct point){.x = sweep_axis_place(s, i, axis[0]),
				.y = sweep_axis_place(s, i, axis[1]),
				.run = i,
				.leads = sweep_may_lead(s, i)};
	return are_means(s, axis) ? average(s, p, n) : n;
}

static int by_x(const void *a, const void *b)
{
	const struct point *p = a, *q = b;

	if (p->x != q->x)
		return p->x < q->x ? -1 : 1;
	return (p->y > q->y) - (p->y < q->y);
}

// Points that may lead and that no other such point beats in one figure without being worse in the
// other, by x.
static unsigned front(const struct point *p, unsigned n, int bx, int by, struct point *to)
{
	unsigned m = 0;

	for (unsigned i = 0; i < n; i++) {
		bool beaten = !p[i].leads;

		for (unsigned k = 0; k < n && !beaten; k++) {
			double dx = bx * (p[k].x - p[i].x), dy = by * (p[k].y - p[i].y);

			beaten = p[k].leads && dx >= 0 && dy >= 0 && (dx > 0 || dy > 0 || k < i);
		}
		if (!beaten)
			to[m++] = p[i];
	}
	qsort(to, m, sizeof(*to), by_x);
	return m;
}

// Which value of a factor a run has.
static unsigned level_of(const struct sweep *s, unsigned run, const struct factor *f)
{
	if (f->axis < 0)
		return run / (s->n_runs / s->n_scenarios);
	for (unsigned i = s->n_axes - 1; i > (unsigned)f->axis; i--)
		run /= s->axis[i].n;
	return run % s->axis[f->axis].n;
}

// Scenarios first, then the varied paths in their order, without those that an axis shows, and
// without the seed of means.
static void find_factors(struct plot *p)
{
	const struct sweep *s = p->s;

	if (s->n_scenarios > 1)
		p->factor[p->n_factors++] = (struct factor){-1, s->n_scenarios};
	for (unsigned i = 0; i < s->n_axes; i++)
		if (s->axis[i].n > 1 && p->axis[0] != s->n_columns + i &&
			p->axis[1] != s->n_columns + i &&
			!(p->means && (int)i == sweep_seed_axis(s)))
			p->factor[p->n_factors++] = (struct factor){(int)i, s->axis[i].n};
	p->n_panels = 1;
	p->told = p->n_factors < 2 ? p->n_factors : 2;
	while (p->told < p->n_factors && p->n_panels * p->factor[p->told].n <= PAPER_PANELS)
		p->n_panels *= p->factor[p->told++].n;
}

// The last word of a path, as runs are named; the whole path where another one ends alike.
static const char *path_word(const struct sweep *s, unsigned axis)
{
	const char *path = s->axis[axis].path, *dot = strrchr(path, '.');

	for (unsigned i = 0; i < s->n_axes && dot; i++) {
		const char *other = strrchr(s->axis[i].path, '.');

		if (i != axis && !strcmp(other ? other : s->axis[i].path, dot))
			return path;
	}
	return dot ? dot + 1 : path;
}

// A text that lives as long as the figure is made; NULL: no memory.
__attribute__((format(printf, 2, 3))) static char *keep_text(struct plot *p, const char *fmt, ...)
{
	char **more = realloc(p->names.name, (p->names.n + 1) * sizeof(*more)), *text;
	va_list ap;

	if (more)
		p->names.name = more;
	va_start(ap, fmt);
	if (!more || vasprintf(&text, fmt, ap) < 0) {
		p->no_memory = true;
		text = NULL;
	}
	va_end(ap);
	if (text)
		p->names.name[p->names.n++] = text;
	return text;
}

// "max=100KB", or the name of a scenario.
static char *name_level(struct plot *p, const struct factor *f, unsigned level)
{
	const struct sweep *s = p->s;
	const char *slash, *stem;
	size_t n;

	if (f->axis >= 0)
		return keep_text(
			p, "%s=%s", path_word(s, (unsigned)f->axis), s->axis[f->axis].value[level]);
	slash = strrchr(s->scenario[level], '/');
	stem = slash ? slash + 1 : s->scenario[level];
	n = strlen(stem);
	if (n > 5 && !strcmp(stem + n - 5, ".yaml"))
		n -= 5;
	return keep_text(p, "%.*s", (int)n, stem);
}

// A line joins runs along x where x was varied, or else along the second factor where that has
// numbers.
static void find_lines(struct plot *p)
{
	const struct sweep *s = p->s;

	p->along_x = p->axis[0] >= s->n_columns;
	if (p->along_x || p->n_factors < 2 || p->factor[1].axis < 0)
		return;
	p->lines = sweep_scale_of(&s->axis[p->factor[1].axis]);
}

// A single factor has a shape for each value too: figures are printed without colours.
static void place_point(const struct plot *p, struct point *at)
{
	const struct sweep *s = p->s;

	if (p->n_factors > 0)
		at->colour = level_of(s, at->run, &p->factor[0]);
	at->shape = p->n_factors > 1 ? level_of(s, at->run, &p->factor[1]) : at->colour;
	for (unsigned i = 2; i < p->told; i++)
		at->panel = at->panel * p->factor[i].n + level_of(s, at->run, &p->factor[i]);
	if (p->along_x)
		at->along = at->x;
	else if (p->lines)
		sweep_scale_parse(sweep_scale_of(&s->axis[p->factor[1].axis]),
			s->axis[p->factor[1].axis].value[at->shape], &at->along);
}

static int by_series(const void *a, const void *b)
{
	const struct point *p = a, *q = b;

	if (p->panel != q->panel)
		return p->panel < q->panel ? -1 : 1;
	if (p->colour != q->colour)
		return p->colour < q->colour ? -1 : 1;
	if (p->shape != q->shape)
		return p->shape < q->shape ? -1 : 1;
	if (p->along != q->along)
		return p->along < q->along ? -1 : 1;
	return (p->run > q->run) - (p->run < q->run);
}

static int by_line(const void *a, const void *b)
{
	const struct point *p = a, *q = b;

	if (p->panel == q->panel && p->colour == q->colour && p->along != q->along)
		return p->along < q->along ? -1 : 1;
	return by_series(a, b);
}

static struct paper_series *add_series(struct plot *p, struct paper_series one)
{
	p->series[p->n_series] = one;
	return &p->series[p->n_series++];
}

static void add_point(struct plot *p, struct paper_series *to, double x, double y, const char *name)
{
	struct paper_row *r = &p->row[p->n_rows++];

	if (!to->n++)
		to->row = r;
	*r = (struct paper_row){.x = x, .y = y, .name = name};
}

// The name of a run, or of the runs of a mean.
static char *point_name(const struct sweep *s, bool means, unsigned run, char *buf, size_t size)
{
	return means ? sweep_group_name(s, sweep_group_of(s, run), buf, size)
		     : sweep_name(s, run, buf, size);
}

static const char *keep_name(struct plot *p, unsigned run)
{
	char text[256];

	return keep_text(p, "%s", point_name(p->s, p->means, run, text, sizeof(text)));
}

// Lines first, so that points lie on them.
static void add_lines(struct plot *p)
{
	struct paper_series *to = NULL;

	qsort(p->point, p->n_points, sizeof(*p->point), by_line);
	for (unsigned i = 0; i < p->n_points && p->lines; i++) {
		const struct point *at = &p->point[i], *before = i ? at - 1 : NULL;

		if (!before || before->panel != at->panel || before->colour != at->colour)
			to = add_series(p, (struct paper_series){.style = PAPER_LINE,
						   .colour = at->colour,
						   .panel = at->panel});
		add_point(p, to, at->x, at->y, NULL);
	}
}

static void add_points(struct plot *p)
{
	struct paper_series *to = NULL;

	qsort(p->point, p->n_points, sizeof(*p->point), by_series);
	for (unsigned i = 0; i < p->n_points; i++) {
		const struct point *at = &p->point[i], *before = i ? at - 1 : NULL;

		if (!before || before->panel != at->panel || before->colour != at->colour ||
			before->shape != at->shape)
			to = add_series(
				p, (struct paper_series){
					   .style = p->along_x ? PAPER_LINE_POINTS : PAPER_POINTS,
					   .colour = at->colour,
					   .shape = at->shape,
					   .panel = at->panel});
		add_point(p, to, at->x, at->y, keep_name(p, at->run));
	}
}

// The ends of a bar. A figure that is never below 0 has no bar below 0.
static void end_bar(double at, double half, double *from, double *to)
{
	*from = at - half;
	*to = at + half;
	if (*from < 0 && at >= 0)
		*from = 0;
}

// The intervals of means.
static void add_bars(struct plot *p)
{
	struct paper_series *to = NULL;

	for (unsigned i = 0; i < p->n_points; i++) {
		const struct point *at = &p->point[i], *before = i ? at - 1 : NULL;
		struct paper_row *r = &p->row[p->n_rows];

		if (!before || before->panel != at->panel || before->colour != at->colour)
			to = add_series(p, (struct paper_series){.style = PAPER_CROSSES,
						   .colour = at->colour,
						   .panel = at->panel});
		add_point(p, to, at->x, at->y, NULL);
		end_bar(at->x, at->half_x, &r->left, &r->right);
		end_bar(at->y, at->half_y, &r->low, &r->high);
	}
}

// The stairs that bound what is beaten: towards where x is better, a value holds from its point on
// (less is better) or up to it (more is).
static void add_stairs(struct plot *p, int bx)
{
	struct paper_series stairs = {.style = PAPER_LINE, .colour = PAPER_BLACK};

	for (unsigned i = 0; i < p->n_front; i++) {
		add_point(p, &stairs, p->front[i].x, p->front[i].y, NULL);
		if (i + 1 == p->n_front)
			break;
		if (bx > 0)
			add_point(p, &stairs, p->front[i].x, p->front[i + 1].y, NULL);
		else
			add_point(p, &stairs, p->front[i + 1].x, p->front[i].y, NULL);
	}
	for (unsigned i = 0; i < p->n_panels; i++) {
		stairs.panel = i;
		add_series(p, stairs);
	}
}

static void add_rings(struct plot *p)
{
	struct paper_series *to = NULL;

	for (unsigned i = 0; i < p->n_panels; i++) {
		to = NULL;
		for (unsigned k = 0; k < p->n_front; k++) {
			const struct point *at = &p->front[k];

			if (at->panel != i)
				continue;
			if (!to)
				to = add_series(p, (struct paper_series){.style = PAPER_POINTS,
							   .colour = PAPER_BLACK,
							   .shape = PAPER_RING,
							   .panel = i});
			add_point(p, to, at->x, at->y, keep_name(p, at->run));
		}
	}
}

// The key: a group of entries for each factor, and one for the front.
static void add_entries(struct plot *p)
{
	enum paper_style style = p->n_factors > 1 ? PAPER_LINE
				 : p->along_x     ? PAPER_LINE_POINTS
						  : PAPER_POINTS;

	for (unsigned i = 0; p->n_factors && i < p->factor[0].n; i++)
		add_series(p, (struct paper_series){.name = name_level(p, &p->factor[0], i),
				      .style = style,
				      .colour = i,
				      .shape = i});
	for (unsigned i = 0; p->n_factors > 1 && i < p->factor[1].n; i++)
		add_series(p, (struct paper_series){.name = name_level(p, &p->factor[1], i),
				      .style = PAPER_POINTS,
				      .colour = PAPER_BLACK,
				      .shape = i,
				      .group = 1});
	if (p->n_front)
		add_series(p, (struct paper_series){.name = "Pareto front",
				      .style = PAPER_LINE_POINTS,
				      .colour = PAPER_BLACK,
				      .shape = PAPER_RING,
				      .group = 2});
}

// Units that figures have and the axis that shows them more shortly.
static const struct {
	const char *of, *shown;
	double divisor;
} units[] = {{"bytes", "KB", 1e3}, {"ps", "us", 1e6}};

static double divisor_of(const char *unit, const char **shown)
{
	*shown = unit;
	for (unsigned i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (!strcmp(units[i].of, unit)) {
			*shown = units[i].shown;
			return units[i].divisor;
		}
	return 1;
}

// "queue_p99_bytes" without its unit, in words.
static char *words_of(struct plot *p, const char *name)
{
	static const char *const ends[] = {"_bytes", "_percent", "_gbps", "_us", "_us_total"};
	char *text = keep_text(p, "%s", name);
	size_t n = text ? strlen(text) : 0;

	for (unsigned i = 0; text && i < sizeof(ends) / sizeof(ends[0]); i++) {
		size_t end = strlen(ends[i]);

		if (n > end && !strcmp(text + n - end, ends[i]))
			text[n - end] = '\0';
	}
	for (char *c = text; c && *c; c++)
		*c = *c == '_' ? ' ' : *c;
	return text;
}

#define MEANING 64 // characters of a meaning on an axis

// The first clause of a meaning, if it fits beside an axis; otherwise nothing.
static const char *meaning_of(struct plot *p, const struct summary_row *row)
{
	size_t n = 0;
	char *text, *to;

	while (row->meaning[n] && !strchr(":;(", row->meaning[n]) &&
		strncmp(row->meaning + n, ", ", 2) != 0)
		n++;
	if (strcmp(row->word, "total") != 0)
		text = keep_text(p, "\n%s: %.*s", row->title, (int)n, row->meaning);
	else
		text = keep_text(p, "\n%.*s", (int)n, row->meaning);
	if (!text)
		return "";
	to = text;
	for (char *c = text; *c; c++) // Markdown
		if (*c != '`')
			*to++ = *c;
	while (to > text && to[-1] == ' ')
		to--;
	*to = '\0';
	return to - text > MEANING ? "" : text;
}

// Tells what a column is: its words, its unit, what it means. Values of a column of one's own are
// divided by *divisor.
static struct paper_axis axis_of(struct plot *p, unsigned col, double *divisor)
{
	const struct sweep *s = p->s;
	const struct sweep_column *c;
	struct paper_axis a = {.column = sweep_column_name(s, col), .unit = ""};
	bool own = sweep_is_own(s, col), known;
	struct summary_row row;

	*divisor = 1;
	if (col >= s->n_columns) {
		a.title = a.column;
		a.unit = sweep_scale_of(&s->axis[col - s->n_columns])->dim;
		return a;
	}
	c = &s->column[col];
	known = summary_figure_row(c->path, &row);
	if (known && (own || !c->dim))
		*divisor = divisor_of(row.unit, &a.unit);
	else if (c->dim)
		a.unit = c->dim;
	a.column = own ? c->name : words_of(p, c->name);
	a.title = known ? keep_text(p, "%s%s", a.column, meaning_of(p, &row)) : a.column;
	return a;
}

// Scenario, number of runs shown, and the varied paths that the figure does not tell apart.
static const char *title_of(struct plot *p)
{
	const struct sweep *s = p->s;
	const struct factor scenario = {-1, 1};
	unsigned seeds = p->means ? sweep_seeds(s) : 1;
	const char *what = p->means ? "means" : "runs";
	unsigned left_out = 0;
	char *text;

	if (s->n_scenarios > 1)
		text = keep_text(p, "%u scenarios: %u of %u %s", s->n_scenarios, p->n_points,
			s->n_runs / seeds, what);
	else
		text = keep_text(p, "%s: %u of %u %s", name_level(p, &scenario, 0), p->n_points,
			s->n_runs / seeds, what);
	if (text && p->means)
		text = keep_text(p, "%s over %u seeds, bars: 95 %% intervals", text, seeds);
	for (unsigned i = p->told; text && i < p->n_factors; i++)
		text = keep_text(p, "%s%s%s", text, i == p->told ? "\nnot told apart: " : ", ",
			s->axis[p->factor[i].axis].path);
	for (unsigned i = 0; i < p->n_points; i++)
		left_out += !p->point[i].leads;
	if (text && left_out && better(s, p->axis[0]) && better(s, p->axis[1]))
		text = keep_text(
			p, "%s\nnot in the front: %u that are not settled or fail", text, left_out);
	return text;
}

static const char *panel_title(struct plot *p, unsigned panel)
{
	const char *text = NULL;

	for (unsigned i = p->told; i-- > 2;) {
		const char *one = name_level(p, &p->factor[i], panel % p->factor[i].n);

		text = text ? keep_text(p, "%s, %s", one, text) : one;
		panel /= p->factor[i].n;
	}
	return text ? text : "";
}

static int make_room(struct plot *p)
{
	size_t runs = p->s->n_runs, levels = 0;

	for (unsigned i = 0; i < p->n_factors; i++)
		levels += p->factor[i].n;
	p->point = calloc(runs + 1, sizeof(*p->point));
	p->front = calloc(runs + 1, sizeof(*p->front));
	p->row = calloc(6 * runs + 1, sizeof(*p->row));
	p->series = calloc(3 * runs + levels + 2ul * p->n_panels + 1, sizeof(*p->series));
	return p->point && p->front && p->row && p->series ? 0 : -ENOMEM;
}

static void free_plot(struct plot *p)
{
	for (unsigned i = 0; i < p->names.n; i++)
		free(p->names.name[i]);
	free(p->names.name);
	free(p->point);
	free(p->front);
	free(p->row);
	free(p->series);
}

static void scale_points(struct plot *p, double x, double y)
{
	for (unsigned i = 0; i < p->n_points; i++) {
		p->point[i].x /= x;
		p->point[i].half_x /= x;
		p->point[i].y /= y;
		p->point[i].half_y /= y;
	}
}

static int write_plot(struct plot *p, const char *dir, unsigned formats, struct err *err)
{
	int bx = better(p->s, p->axis[0]), by = better(p->s, p->axis[1]);
	const char *panel[PAPER_PANELS];
	double scale[2];
	struct paper f = {.stem = "sweep", .panel = panel};

	p->n_points = collect_points(p->s, p->axis, p->point);
	for (unsigned i = 0; i < p->n_points; i++)
		place_point(p, &p->point[i]);
	f.x = axis_of(p, p->axis[0], &scale[0]);
	f.y = axis_of(p, p->axis[1], &scale[1]);
	scale_points(p, scale[0], scale[1]);
	if (bx && by)
		p->n_front = front(p->point, p->n_points, bx, by, p->front);
	add_lines(p);
	if (p->n_front > 1)
		add_stairs(p, bx);
	add_points(p);
	if (p->means)
		add_bars(p);
	add_rings(p);
	add_entries(p);
	f.title = title_of(p);
	f.series = p->series;
	f.n_series = p->n_series;
	f.n_panels = p->n_panels > 1 ? p->n_panels : 0;
	for (unsigned i = 0; i < f.n_panels; i++)
		panel[i] = panel_title(p, i);
	if (p->no_memory)
		return err_set(err, -ENOMEM, "no memory for the figure of the sweep");
	return paper_write(&f, dir, formats, err);
}

int sweep_plot(const struct sweep *s, const unsigned axis[2], const char *dir, unsigned formats,
	struct err *err)
{
	struct plot p = {.s = s, .axis = {axis[0], axis[1]}, .means = are_means(s, axis)};
	int rc;

	find_factors(&p);
	find_lines(&p);
	rc = make_room(&p);
	if (rc)
		err_set(err, rc, "no memory for the figure of the sweep");
	else
		rc = write_plot(&p, dir, formats, err);
	free_plot(&p);
	return rc;
}

// A value of a column as the table has it.
static void put_shown(const struct sweep *s, unsigned col, double v, FILE *f)
{
	const struct sweep_column *c = &s->column[col];

	fprintf(f, "  %s %.*f%s%s", c->head ? c->head : c->name, (int)c->shown_decimals, v,
		c->dim && *c->dim ? " " : "", c->dim ? c->dim : "");
}

// Names the runs that may not lead, with the reason; of a mean its runs.
static void put_left_out(const struct sweep *s, const unsigned axis[2], FILE *f)
{
	char name[256];

	for (unsigned i = 0; i < s->n_runs; i++) {
		const struct sweep_row *row = &s->row[i];

		if (!is_point(s, i, axis) || sweep_may_lead(s, i))
			continue;
		sweep_name(s, i, name, sizeof(name));
		if (row->state == SWEEP_VERDICT)
			fprintf(f, "  left out: %s: a verdict failed: %s\n", name, row->err.text);
		else if (row->state == SWEEP_STOPPED)
			fprintf(f, "  left out: %s: stopped\n", name);
		else
			fprintf(f, "  left out: %s: %s: %s\n", name,
				row->steady == SWEEP_UNSETTLED ? "unsettled" : "not judged",
				row->why);
	}
}

int sweep_front(const struct sweep *s, const unsigned axis[2], FILE *f)
{
	int bx = better(s, axis[0]), by = better(s, axis[1]), width = 0;
	struct point *p = calloc(2ul * s->n_runs + 1, sizeof(*p)), *best = p + s->n_runs;
	bool means = are_means(s, axis);
	unsigned n, m;
	char name[256];

	if (!p)
		return -ENOMEM;
	n = collect_points(s, axis, p);
	m = bx && by ? front(p, n, bx, by, best) : 0;
	if (n && bx && by)
		fprintf(f,
			"\nPareto front of %s (%s is better) and %s (%s is better): %u of %u "
			"%s\n",
			sweep_column_name(s, axis[0]), bx > 0 ? "more" : "less",
			sweep_column_name(s, axis[1]), by > 0 ? "more" : "less", m, n,
			means ? "means over seeds" : "runs");
	for (unsigned i = 0; i < m; i++) {
		int len = (int)strlen(point_name(s, means, best[i].run, name, sizeof(name)));

		width = len > width ? len : width;
	}
	for (unsigned i = 0; i < m; i++) {
		fprintf(f, "  %-*s", width, point_name(s, means, best[i].run, name, sizeof(name)));
		put_shown(s, axis[0], best[i].x, f);
		put_shown(s, axis[1], best[i].y, f);
		fputc('\n', f);
	}
	if (bx && by)
		put_left_out(s, axis, f);
	free(p);
	return 0;
}
