// SPDX-License-Identifier: BSD-3-Clause
// The drawing of a figure: a line for each set, what the axes are called, lanes of ports.
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "int.h"

#define BANDS      3 // lines at most that have their intervals as bands: more bands hide each other
#define BUSY       4 // lines over time, above which they have marks
#define LANES      20    // ports at most
#define LANE       14    // pixels of a lane for each set
#define TALL       700   // pixels of all lanes, about
#define STEP_ASIDE 0.008 // of the width, from the bars of one set to those of the next

// A drawing while it is made.
struct drawing {
	const struct overlay *o;
	struct arena arena;
	struct paper f;
	struct paper_series *series;
	double x_unit, y_unit; // what the values are divided by
	double least;          // that a value can have
	const char *lane[LANES];
	unsigned n_ports; // that were paused
	bool no_memory;
};

static void *take_room(struct drawing *d, size_t n, size_t size)
{
	void *room = arena_get(&d->arena, (n + 1) * size);

	d->no_memory |= !room;
	return room;
}

#define ROOM(d, n, type) ((type *)take_room(d, n, sizeof(type)))

static const char *keep_text(struct drawing *d, const char *text)
{
	d->no_memory |= !text;
	return text ? text : "";
}

#define FORMAT(d, ...) keep_text(d, arena_format(&(d)->arena, __VA_ARGS__))

static double most_x(const struct overlay *o)
{
	double most = 0;

	for (unsigned k = 0; k < o->n_sets; k++)
		for (size_t i = 0; i < o->set[k].curve.n; i++)
			most = fmax(most, o->set[k].curve.point[i].x);
	return most;
}

static double least_x(const struct overlay *o)
{
	double least = INFINITY;

	for (unsigned k = 0; k < o->n_sets; k++)
		for (size_t i = 0; i < o->set[k].curve.n; i++)
			least = fmin(least, o->set[k].curve.point[i].x);
	return least;
}

// The least value, and the greatest that is drawn with its interval.
static void span_of(const struct overlay *o, double *least, double *most)
{
	*least = INFINITY;
	*most = -INFINITY;
	for (unsigned k = 0; k < o->n_sets; k++)
		for (size_t i = 0; i < o->set[k].curve.n; i++) {
			const struct overlay_point *p = &o->set[k].curve.point[i];

			*least = fmin(*least, p->y);
			*most = fmax(*most, fmax(p->y, p->y + p->half));
		}
}

// A slowdown is 1 at least, and its axis begins there.
static struct paper_axis slowdown_axis(
	const char *column, const char *title, double least, double most)
{
	static const double step[] = {1, 2, 5};
	struct paper_axis a = {.column = column, .title = title, .unit = "", .scale = PAPER_LOG};
	double ten = 1;

	if (!(least >= 1) || !isfinite(most))
		return a;
	a.from = 1;
	for (unsigned i = 1; a.to < most * 1.05; i++, ten *= i % 3 ? 1 : 10)
		a.to = step[i % 3] * ten;
	return a;
}

static void name_sizes(struct drawing *d)
{
	double least, most;

	d->x_unit = 1e3;
	d->f.x = (struct paper_axis){
		.column = "size", .title = "Message size, up to", .unit = "KB", .scale = PAPER_LOG};
	span_of(d->o, &least, &most);
	d->f.y = slowdown_axis(FORMAT(d, "slowdown p%s", d->o->want.percentile),
		FORMAT(d, "Slowdown, %sth percentile", d->o->want.percentile), least, most);
	d->least = d->f.y.from;
}

static void name_distribution(struct drawing *d)
{
	const char *of = d->o->want.of;
	const char *title =
		strcmp(of, "fct") ? "Completion time from the posting" : "Completion time";

	if (strcmp(of, "slowdown") == 0)
		d->f.x = slowdown_axis(of, "Slowdown", least_x(d->o), most_x(d->o));
	else
		d->f.x = (struct paper_axis){
			.column = of, .title = title, .unit = "us", .scale = PAPER_LOG};
	d->f.y = (struct paper_axis){
		.column = "share", .title = "Share of messages", .unit = "", .to = 1.02};
}

static void name_course(struct drawing *d)
{
	bool queue = d->o->want.figure == OVERLAY_QUEUE;
	double end = most_x(d->o);

	d->x_unit = end >= 2000 ? 1e3 : 1;
	d->f.x = (struct paper_axis){.column = "time",
		.title = "Time",
		.unit = end >= 2000 ? "ms" : "us",
		.scale = PAPER_LINEAR,
		.to = end / d->x_unit};
	d->y_unit = queue ? 1e3 : 1;
	d->f.y = (struct paper_axis){.column = queue ? "length" : "goodput",
		.title = queue ? "Queue length" : "Goodput",
		.unit = queue ? "KB" : "Gb/s",
		.scale = PAPER_LINEAR};
}

struct port {
	const char *name;
	double most; // over the sets
};

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct port *)a)->name, ((const struct port *)b)->name);
}

static int by_most(const void *a, const void *b)
{
	const struct port *p = a, *q = b;

	if (p->most != q->most)
		return p->most > q->most ? -1 : 1;
	return by_name(a, b);
}

// The ports that were paused longest, a lane each.
static void find_lanes(struct drawing *d)
{
	const struct overlay *o = d->o;
	size_t n = 0, m = 0;
	struct port *port;

	for (unsigned k = 0; k < o->n_sets; k++)
		n += o->set[k].curve.n;
	port = ROOM(d, n, struct port);
	if (!port)
		return;
	n = 0;
	for (unsigned k = 0; k < o->n_sets; k++)
		for (size_t i = 0; i < o->set[k].curve.n; i++)
			port[n++] = (struct port){
				o->set[k].curve.point[i].name, o->set[k].curve.point[i].y};
	qsort(port, n, sizeof(*port), by_name);
	for (size_t i = 0; i < n; i++)
		if (m && strcmp(port[m - 1].name, port[i].name) == 0)
			port[m - 1].most = fmax(port[m - 1].most, port[i].most);
		else
			port[m++] = port[i];
	qsort(port, m, sizeof(*port), by_most);
	d->n_ports = (unsigned)m;
	d->f.y.lane_height = LANE * (o->n_sets + 1);
	for (unsigned i = 0; i < m && i < LANES && (i < 4 || i * d->f.y.lane_height < TALL); i++)
		d->lane[d->f.y.n_lanes++] = port[i].name;
	d->f.y.lane = d->lane;
}

static void name_axes(struct drawing *d)
{
	d->x_unit = d->y_unit = 1;
	switch (d->o->want.figure) {
	case OVERLAY_SLOWDOWN:
		name_sizes(d);
		break;
	case OVERLAY_CDF:
		name_distribution(d);
		break;
	case OVERLAY_QUEUE:
	case OVERLAY_GOODPUT:
		name_course(d);
		break;
	case OVERLAY_PAUSES:
		d->f.x = (struct paper_axis){.column = "paused",
			.title = "Time paused",
			.unit = "%",
			.scale = PAPER_LINEAR};
		d->f.y = (struct paper_axis){.column = "lane", .title = "", .unit = ""};
		find_lanes(d);
		break;
	}
}

// The name of a line in the key, where it stands once however many plots have it.
static const char *key_of(const struct overlay *o, unsigned set)
{
	if (!o->n_panels)
		return o->n_sets > 1 ? o->set[set].name : NULL;
	for (unsigned i = 0; i < set; i++)
		if (o->set[i].colour == o->set[set].colour)
			return NULL;
	return o->set[set].value[o->line];
}

static bool has_intervals(const struct overlay *o)
{
	for (unsigned k = 0; k < o->n_sets; k++)
		if (o->set[k].n > 1)
			return true;
	return false;
}

// Lines in the plot that has most of them.
static unsigned lines_of(const struct overlay *o)
{
	unsigned n = 0;

	for (unsigned k = 0; k < o->n_sets; k++)
		n = o->set[k].colour + 1 > n ? o->set[k].colour + 1 : n;
	return n;
}

static struct paper_series *add_series(
	struct drawing *d, unsigned set, enum paper_style style, size_t rows)
{
	const struct overlay_set *s = &d->o->set[set];
	struct paper_series *to = &d->series[d->f.n_series++];
	struct paper_row *row = ROOM(d, rows, struct paper_row);

	*to = (struct paper_series){.style = style,
		.colour = s->colour,
		.shape = s->colour,
		.panel = s->panel,
		.aside = has_intervals(d->o) ? STEP_ASIDE * (s->colour - (lines_of(d->o) - 1) / 2.0)
					     : 0,
		.row = row};
	return to;
}

// Adds the points of a set, or, with a style that has limits, their intervals.
static void add_curve(struct drawing *d, unsigned set, enum paper_style style)
{
	const struct overlay_curve *c = &d->o->set[set].curve;
	struct paper_series *to = add_series(d, set, style, c->n + 1);
	bool limits = style == PAPER_ERRORS || style == PAPER_BAND;
	struct paper_row *row = (struct paper_row *)to->row;

	if (!row)
		return;
	if (style == PAPER_STEPS && c->n)
		row[to->n++] = (struct paper_row){.x = c->point[0].x / d->x_unit};
	for (size_t i = 0; i < c->n; i++) {
		const struct overlay_point *p = &c->point[i];

		if (limits && !isfinite(p->half))
			continue;
		row[to->n++] = (struct paper_row){.x = p->x / d->x_unit,
			.y = p->y / d->y_unit,
			.low = fmax(p->y - p->half, d->least) / d->y_unit,
			.high = (p->y + p->half) / d->y_unit};
	}
	if (d->o->want.figure == OVERLAY_CDF)
		for (size_t i = 0; i < to->n; i++)
			row[i].high = fmin(row[i].high, 1);
	if (!limits)
		to->name = key_of(d->o, set);
}

static const struct overlay_point *at_port(const struct overlay_set *s, const char *name)
{
	const struct overlay_point key = {.name = name};

	return bsearch(&key, s->curve.point, s->curve.n, sizeof(key), overlay_by_key);
}

// The points of a set in the lanes of ports, one set below the other in each, and their intervals.
static void add_lanes(struct drawing *d, unsigned set)
{
	unsigned n = d->f.y.n_lanes, sets = d->o->n_sets;
	struct paper_series *bar = add_series(d, set, PAPER_CROSSES, n);
	struct paper_series *to = add_series(d, set, PAPER_POINTS, n);
	struct paper_row *bars = (struct paper_row *)bar->row, *row = (struct paper_row *)to->row;
	double below = (set - (sets - 1) / 2.0) / (sets + 1);

	if (!row || !bars)
		return;
	for (unsigned i = 0; i < n; i++) {
		const struct overlay_point *p = at_port(&d->o->set[set], d->lane[i]);
		double share = p ? p->y : 0, half = p ? p->half : NAN;

		row[to->n++] = (struct paper_row){.x = share, .y = i + below, .name = d->lane[i]};
		if (isfinite(half))
			bars[bar->n++] = (struct paper_row){.x = share,
				.y = i + below,
				.low = i + below,
				.high = i + below,
				.left = fmax(share - half, 0),
				.right = share + half};
	}
	to->name = key_of(d->o, set);
}

// Whether means are drawn with their intervals: bands of many lines would hide each other.
static bool draws_intervals(const struct overlay *o)
{
	bool bars = o->want.figure == OVERLAY_SLOWDOWN || o->want.figure == OVERLAY_PAUSES;

	return has_intervals(o) && (bars || lines_of(o) <= BANDS);
}

static bool has_quantiles(const struct overlay *o, unsigned set)
{
	for (unsigned i = 0; i < o->set[set].n; i++)
		if (o->run[o->set[set].run[i]].quantiles)
			return true;
	return false;
}

// Bands first, so that lines lie on them.
static void add_all(struct drawing *d)
{
	const struct overlay *o = d->o;
	bool over_time = o->want.figure == OVERLAY_QUEUE || o->want.figure == OVERLAY_GOODPUT;
	bool bands = draws_intervals(o) && (over_time || o->want.figure == OVERLAY_CDF);

	for (unsigned k = 0; k < o->n_sets && bands; k++)
		add_curve(d, k, PAPER_BAND);
	for (unsigned k = 0; k < o->n_sets; k++) {
		if (o->want.figure == OVERLAY_PAUSES) {
			add_lanes(d, k);
		} else if (o->want.figure == OVERLAY_CDF) {
			add_curve(d, k, has_quantiles(o, k) ? PAPER_LINE : PAPER_STEPS);
		} else if (over_time) {
			add_curve(d, k, lines_of(o) > BUSY ? PAPER_MARKED : PAPER_LINE);
		} else {
			if (has_intervals(o))
				add_curve(d, k, PAPER_ERRORS);
			add_curve(d, k, PAPER_LINE_POINTS);
		}
	}
}

// "3 seeds", "2 to 5 seeds".
static const char *name_seeds(struct drawing *d)
{
	const struct overlay *o = d->o;
	const char *interval = draws_intervals(o) ? " with its 95 % interval" : "";
	unsigned least = ~0u, most = 0;

	for (unsigned k = 0; k < o->n_sets; k++) {
		least = o->set[k].n < least ? o->set[k].n : least;
		most = o->set[k].n > most ? o->set[k].n : most;
	}
	if (least == most)
		return FORMAT(d, "mean of %u seeds%s", most, interval);
	return FORMAT(d, "mean of %u to %u seeds%s", least, most, interval);
}

static const char *name_figure(struct drawing *d)
{
	const struct overlay *o = d->o;
	const double step = o->step_us / d->x_unit;

	switch (o->want.figure) {
	case OVERLAY_SLOWDOWN:
		return o->all_groups ? "slowdown of messages of all groups by size"
				     : "slowdown of messages by size";
	case OVERLAY_CDF:
		return strcmp(o->want.of, "slowdown") ? "completion times of messages"
						      : "slowdown of messages";
	case OVERLAY_QUEUE:
		return FORMAT(d, "queue %s, mean in %.6g %s", o->queue, step, d->f.x.unit);
	case OVERLAY_GOODPUT:
		return FORMAT(d, "goodput%s%s, mean in %.6g %s", o->want.group ? " of " : "",
			o->want.group ? o->want.group : "", step, d->f.x.unit);
	case OVERLAY_PAUSES:
		if (d->n_ports == d->f.y.n_lanes)
			return "share of time that ports were paused";
		return FORMAT(d, "share of time that ports were paused, the longest %u of %u",
			d->f.y.n_lanes, d->n_ports);
	}
	return "";
}

static const char *name_all(struct drawing *d)
{
	const struct overlay *o = d->o;
	const char *name = saved_name(o->run[0].s), *text;

	for (unsigned k = 1; k < o->n_sets; k++)
		if (strcmp(saved_name(o->run[o->set[k].run[0]].s), name) != 0)
			name = "";
	text = *name ? FORMAT(d, "%s: %s", name, name_figure(d)) : name_figure(d);
	return has_intervals(o) ? FORMAT(d, "%s\n%s", text, name_seeds(d)) : text;
}

int overlay_draw(const struct overlay *o, const char *dir, const char *stem, unsigned formats,
	struct err *err)
{
	struct drawing d = {.o = o};
	int rc;

	d.series = ROOM(&d, 2ul * o->n_sets, struct paper_series);
	d.f.series = d.series;
	d.f.stem = stem;
	d.f.panel = o->panel;
	d.f.n_panels = o->n_panels;
	name_axes(&d);
	d.f.title = name_all(&d);
	if (!d.no_memory)
		add_all(&d);
	rc = d.no_memory ? err_set(err, -ENOMEM, "no memory for the figure")
			 : paper_write(&d.f, dir, formats, err);
	arena_free(&d.arena);
	return rc;
}
