// SPDX-License-Identifier: BSD-3-Clause
// Distributions: cumulated shares of times, and slowdown by size.
#include <math.h>
#include <string.h>

#include "int.h"

#define SERIES 24 // of one figure

// If each value is known, a share holds until the next value; else quantiles are joined by lines.
static void add_cdf(struct plate *p, const json_t *cdf, struct paper_series *to)
{
	size_t n = SIZE_MAX;
	double *x = plate_numbers(p, cdf, "x", &n), *y = plate_numbers(p, cdf, "y", &n);
	bool exact = json_is_true(json_object_get(cdf, "exact"));
	struct paper_row *row = x && y ? PLATE_ROOM(p, n + 1, struct paper_row) : NULL;

	if (!row || !n)
		return;
	*to = (struct paper_series){.name = saved_text(cdf, "name"),
		.style = exact ? PAPER_STEPS : PAPER_LINE_POINTS,
		.row = row};
	if (exact)
		row[to->n++] = (struct paper_row){.x = x[0]};
	for (size_t i = 0; i < n; i++)
		row[to->n++] = (struct paper_row){.x = x[i], .y = y[i]};
}

static bool is_alike(const json_t *a, const json_t *b)
{
	return !strcmp(saved_text(a, "title"), saved_text(b, "title")) &&
	       !strcmp(saved_text(a, "unit"), saved_text(b, "unit"));
}

// Puts the distributions with one title, from the i-th on, which is the first of them, into a
// figure.
static void put_cdf(struct plate *p, const json_t *list, size_t i)
{
	const json_t *first = json_array_get(list, i);
	const char *title = saved_text(first, "title");
	struct paper_series series[SERIES] = {0};
	struct paper f = {.series = series,
		.title = plate_format(p, "%s: %s", p->name, title),
		.x = {.column = title, .title = title, .unit = saved_text(first, "unit")},
		.y = {.column = "share", .title = "Share up to", .unit = "", .to = 1.02}};
	size_t more = 0;

	for (; i < json_array_size(list); i++) {
		const json_t *one = json_array_get(list, i);

		if (!is_alike(first, one))
			continue;
		if (f.n_series == SERIES) {
			more++;
			continue;
		}
		add_cdf(p, one, &series[f.n_series]);
		series[f.n_series].colour = series[f.n_series].shape = f.n_series;
		f.n_series += series[f.n_series].n > 0;
	}
	if (more)
		f.title = plate_format(p, "%s, and %zu more without a line", f.title, more);
	if (f.n_series)
		plate_put(p, &f, "cdf", title);
}

void plate_cdfs(struct plate *p)
{
	const json_t *list = json_object_get(p->run, "cdfs");

	for (size_t i = 0; i < json_array_size(list); i++) {
		size_t k = 0;

		while (!is_alike(json_array_get(list, k), json_array_get(list, i)))
			k++;
		if (k == i)
			put_cdf(p, list, i);
	}
}

void plate_slowdown(struct plate *p)
{
	static const struct {
		const char *key, *name;
	} which[] = {{"slowdown_p50", "p50"}, {"slowdown_p90", "p90"}, {"slowdown_p99", "p99"}};
	const json_t *list = json_object_get(p->run, "sizes");
	struct paper_series series[3] = {0};
	struct paper f = {.series = series,
		.n_series = 3,
		.title = plate_format(p, "%s: slowdown of messages by size", p->name),
		.x = {.column = "size", .title = "Size, up to", .unit = "KB"},
		.y = {.column = "slowdown",
			.title = "Slowdown\ntime over the time that a message takes alone",
			.unit = ""}};
	size_t n = json_array_size(list);

	if (n < 2) // one size is no curve
		return;
	for (unsigned i = 0; i < 3; i++) {
		struct paper_row *row = PLATE_ROOM(p, n, struct paper_row);

		for (size_t k = 0; row && k < n; k++) {
			const json_t *one = json_array_get(list, k);

			row[k] = (struct paper_row){.x = saved_number(one, "to_bytes") / 1e3,
				.y = saved_number(one, which[i].key)};
		}
		series[i] = (struct paper_series){.name = which[i].name,
			.style = PAPER_LINE_POINTS,
			.colour = i,
			.shape = i,
			.row = row,
			.n = row ? n : 0};
	}
	plate_put(p, &f, "slowdown", NULL);
}
