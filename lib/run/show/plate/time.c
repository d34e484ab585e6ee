// SPDX-License-Identifier: BSD-3-Clause
// Figures over time: queues with their thresholds, rates of flows or groups.
#include <errno.h>
#include <math.h>
#include <string.h>

#include "int.h"

#define DEEP   0.05 // of the longest queue: shorter ones were not congested
#define FAR    1.5  // times the longest: thresholds further up would flatten the curve
#define LINES  16   // thresholds of a queue
#define RATES  32   // lines of a figure
#define BUSY   4    // lines, above which they have marks
#define STEPS  120  // of a goodput: more of them hide each other
#define PERIOD "in %.6g %s"

// The rows of a line, or of a band where `high` is not NULL. NULL: no memory.
static struct paper_row *rows_of(struct plate *p, const double *t, double unit_us, const double *y,
	const double *high, double divisor, size_t n)
{
	struct paper_row *row = PLATE_ROOM(p, n, struct paper_row);

	for (size_t i = 0; row && i < n; i++) {
		row[i] = (struct paper_row){.x = t[i] / unit_us, .y = y[i] / divisor};
		if (high) {
			row[i].low = y[i] / divisor;
			row[i].high = high[i] / divisor;
		}
	}
	return row;
}

static double greatest(const double *v, size_t n)
{
	double most = 0;

	for (size_t i = 0; v && i < n; i++)
		most = v[i] > most ? v[i] : most;
	return most;
}

// Draws thresholds within reach as lines; the title names the higher ones.
static unsigned thresholds(struct plate *p, const json_t *queue, double most,
	struct paper_line *line, const char **far)
{
	const json_t *list = json_object_get(queue, "lines"), *one;
	unsigned n = 0;
	size_t i;

	*far = "";
	json_array_foreach(list, i, one)
	{
		const char *name = saved_text(one, "name");
		double bytes = saved_number(one, "bytes");

		if (!isfinite(bytes) || !strncmp(name, "XON", 3))
			continue;
		if (bytes > FAR * most)
			*far = plate_format(p, "%s%s%s %.6g KB", *far,
				**far ? ", " : "\nfurther up: ", name, bytes / 1e3);
		else if (n < LINES)
			line[n++] = (struct paper_line){.at = bytes / 1e3,
				.label = plate_format(p, "%s %.6g KB", name, bytes / 1e3)};
	}
	return n;
}

static void put_queue_figure(struct plate *p, const json_t *queue)
{
	struct paper_line line[LINES];
	struct paper_series series[2] = {{.style = PAPER_BAND}, {.style = PAPER_LINE}};
	struct paper f = {.series = series,
		.n_series = 2,
		.line = line,
		.y = {.column = "length", .title = "Queue length", .unit = "KB"}};
	const char *name = saved_text(queue, "name"), *far;
	double unit_us, *t, *mean, *low, *high;
	size_t n = SIZE_MAX;

	t = plate_numbers(p, queue, "t", &n);
	mean = plate_numbers(p, queue, "mean", &n);
	low = plate_numbers(p, queue, "min", &n);
	high = plate_numbers(p, queue, "max", &n);
	if (!t || !mean || !low || !high)
		return;
	f.x = plate_time(p, &unit_us);
	series[0].row = rows_of(p, t, unit_us, low, high, 1e3, n);
	series[1].row = rows_of(p, t, unit_us, mean, NULL, 1e3, n);
	series[0].n = series[1].n = n;
	series[0].name = plate_format(p, "shortest to longest " PERIOD,
		saved_number(queue, "bin_us") / unit_us, f.x.unit);
	series[1].name = "mean";
	f.n_lines = thresholds(p, queue, greatest(high, n), line, &far);
	f.title = plate_format(p, "%s: queue %s%s", p->name, name, far);
	if (series[0].row && series[1].row)
		plate_put(p, &f, "queue", name);
}

static double longest(struct plate *p, const json_t *queue)
{
	size_t n = SIZE_MAX;
	double *high = plate_numbers(p, queue, "max", &n);

	return high ? greatest(high, n) : 0;
}

void plate_queues(struct plate *p)
{
	const json_t *list = json_object_get(p->run, "queues"), *queue;
	double most = 0;
	size_t i;

	json_array_foreach(list, i, queue) most = fmax(most, longest(p, queue));
	json_array_foreach(list, i, queue)
	{
		double own = longest(p, queue);

		if (own > 0 && own >= DEEP * most)
			put_queue_figure(p, queue);
	}
}

enum merge { LAST, LEAST, MOST, MEAN };

// Each k values become one.
static void merge_steps(double *v, size_t n, size_t k, enum merge how)
{
	for (size_t i = 0, to = 0; v && i < n; i += k, to++) {
		size_t end = i + k < n ? i + k : n;
		double one = v[i];

		for (size_t j = i + 1; j < end; j++)
			one = how == LAST    ? v[j]
			      : how == LEAST ? fmin(one, v[j])
			      : how == MOST  ? fmax(one, v[j])
					     : one + v[j];
		v[to] = how == MEAN ? one / (double)(end - i) : one;
	}
}

struct rate {
	double *t, *v, *low, *high;
	size_t n;
	double step_us;
};

// Goodput is a mean over its step, so that steps can be joined; a current rate is not.
static bool read_rate(struct plate *p, const json_t *one, const char *key, struct rate *r)
{
	size_t k = 1;

	*r = (struct rate){.n = SIZE_MAX, .step_us = saved_number(one, "bin_us")};
	r->t = plate_numbers(p, one, "t", &r->n);
	r->v = plate_numbers(p, one, key, &r->n);
	r->low = plate_numbers(p, one, plate_format(p, "%s_min", key), &r->n);
	r->high = plate_numbers(p, one, plate_format(p, "%s_max", key), &r->n);
	if (!r->t || !r->v)
		return false;
	if (!strcmp(key, "goodput"))
		k = (r->n + STEPS - 1) / STEPS;
	if (k > 1) {
		merge_steps(r->t, r->n, k, LAST);
		merge_steps(r->v, r->n, k, MEAN);
		merge_steps(r->low, r->n, k, LEAST);
		merge_steps(r->high, r->n, k, MOST);
		r->n = (r->n + k - 1) / k;
		r->step_us *= (double)k;
	}
	return true;
}

// Draws one line for each flow or group that has this rate; for a group also the band of its flows.
static void put_rates(
	struct plate *p, const char *key, const char *kind, const char *title, const char *what)
{
	const json_t *list = json_object_get(p->run, "rates"), *one;
	struct paper_series series[2 * RATES];
	struct paper f = {.series = series, .y = {.column = kind, .title = title, .unit = "Gb/s"}};
	bool busy = json_array_size(list) > BUSY;
	double unit_us, most = 0, step_us = 0;
	unsigned colour = 0;
	struct rate r;
	size_t i;

	f.x = plate_time(p, &unit_us);
	json_array_foreach(list, i, one)
	{
		if (colour == RATES || !read_rate(p, one, key, &r))
			continue;
		if (r.low && r.high && !busy)
			series[f.n_series++] = (struct paper_series){.style = PAPER_BAND,
				.colour = colour,
				.row = rows_of(p, r.t, unit_us, r.low, r.high, 1, r.n),
				.n = r.n};
		series[f.n_series++] = (struct paper_series){.name = saved_text(one, "name"),
			.style = busy ? PAPER_MARKED : PAPER_LINE,
			.colour = colour,
			.shape = colour,
			.row = rows_of(p, r.t, unit_us, r.v, NULL, 1, r.n),
			.n = r.n};
		colour++;
		step_us = r.step_us;
		most = fmax(most, greatest(r.v, r.n));
	}
	f.title = plate_format(p, "%s: %s " PERIOD, p->name, what, step_us / unit_us, f.x.unit);
	if (most > 0 && p->rc != -ENOMEM)
		plate_put(p, &f, kind, NULL);
}

void plate_rates(struct plate *p)
{
	put_rates(p, "goodput", "goodput", "Goodput", "mean goodput");
	put_rates(p, "rc", "rate", "Current rate of the reaction point", "mean rate");
}
