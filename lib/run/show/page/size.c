// SPDX-License-Identifier: BSD-3-Clause
// How long things took: completion by size of message, and distributions of completion, latency,
// pauses, gaps and delays of CNPs.
#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "int.h"

enum { CURVES = 12 }; // of one title at most

// The group with most messages among the rows of bins; NULL: there are no bins.
static const char *largest_group(const json_t *rows)
{
	const char *largest = NULL, *group = NULL;
	double most = 0, n = 0;
	const json_t *one;
	size_t i;

	json_array_foreach(rows, i, one)
	{
		const char *of = saved_text(one, "group");

		n = group && !strcmp(of, group) ? n : 0;
		n += fmax(saved_number(one, "messages"), 0);
		group = of;
		if (largest && n <= most)
			continue;
		largest = of;
		most = n;
	}
	return largest;
}

static void put_size(struct jw *w, const json_t *row, const char *fct)
{
	static const char *const keys[] = {"from_bytes", "to_bytes", "messages", "slowdown_p50",
		"slowdown_p90", "slowdown_p99", "slowdown_p999", "slowdown_max"};
	static const char *const times[] = {
		"_mean_us", "_p50_us", "_p90_us", "_p99_us", "_p999_us", "_max_us"};

	jw_object(w, NULL, true);
	for (unsigned i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		put_real(w, keys[i], saved_number(row, keys[i]));
	for (unsigned i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
		char key[32], of[32];

		snprintf(key, sizeof(key), "fct%s", times[i]);
		snprintf(of, sizeof(of), "%s%s", fct, times[i]);
		put_real(w, key, saved_number(row, of));
	}
	jw_end(w);
}

void data_sizes(struct jw *w, const struct saved *s)
{
	const json_t *bins = json_object_get(saved_summary(s), "slowdown_by_size"), *one;
	const char *group = largest_group(bins);
	size_t i;

	jw_array(w, "sizes", false);
	json_array_foreach(bins, i, one)
	{
		if (!strcmp(saved_text(one, "group"), group) && saved_number(one, "messages") > 0)
			put_size(w, one, "fct_posted");
	}
	if (!group)
		json_array_foreach(json_object_get(saved_summary(s), "messages_by_size"), i, one)
		{
			put_size(w, one, "fct");
		}
	jw_end(w);
}

// A distribution that is shown: a list of summary.json, what names its objects, and how its
// figures are called: "latency_p50_us".
static const struct dist {
	const char *title, *list, *name, *stem, *unit, *word;
} dists[] = {
	{"Latency", "groups", "group", "latency", "us", "group"},
	{"Time between CNPs of a flow", "groups", "group", "cnp_gap", "us", "group"},
	{"From CE to its CNP", "notification_points", "node", "np_delay", "us", "np"},
	{"Way of a CNP", "notification_points", "node", "cnp_delay", "us", "np"},
	{"Length of a pause", "pauses", "port", "episode", "us", "pfc"},
};

static void curve_begin(
	struct jw *w, const char *title, const char *name, const char *unit, bool exact, double n)
{
	jw_object(w, NULL, false);
	jw_str(w, "title", title);
	jw_str(w, "name", name);
	jw_str(w, "unit", unit);
	jw_bool(w, "exact", exact);
	put_real(w, "n", n);
}

// Writes at most PAGE_POINTS of n sorted values with their rank, among them the first and the last.
static void put_sorted(struct jw *w, const double *value, size_t n)
{
	size_t points = n < PAGE_POINTS ? n : PAGE_POINTS;

	for (unsigned y = 0; y < 2; y++) {
		jw_array(w, y ? "y" : "x", true);
		for (size_t i = 0; i < points; i++) {
			size_t at = points > 1 ? i * (n - 1) / (points - 1) : 0;

			put_real(w, NULL, y ? (double)(at + 1) / (double)n : value[at]);
		}
		jw_end(w);
	}
}

// The completion times of all messages.
static void put_fct(struct jw *w, struct saved *s)
{
	size_t n;
	double *us = saved_messages(s, false, &n);

	if (n) {
		curve_begin(w, "Flow completion time", "all messages", "us", true, (double)n);
		put_sorted(w, us, n);
		jw_end(w);
	}
	free(us);
}

// Percentiles that summary.json has of a distribution.
static void put_percentiles(struct jw *w, const struct dist *d, const json_t *o, const char *name)
{
	static const struct {
		const char *part;
		double y;
	} points[] = {{"min", 0}, {"p1", 0.01}, {"p50", 0.5}, {"p90", 0.9}, {"p99", 0.99},
		{"p999", 0.999}, {"max", 1}};
	double x[7], y[7];
	char key[64];
	size_t n = 0;

	for (unsigned i = 0; i < 7; i++) {
		snprintf(key, sizeof(key), "%s_%s_%s", d->stem, points[i].part, d->unit);
		x[n] = saved_number(o, key);
		y[n] = points[i].y;
		n += isfinite(x[n]);
	}
	if (!n || !(x[n - 1] > 0))
		return;
	curve_begin(w, d->title, name, d->unit, false, NAN);
	put_reals(w, "x", x, n);
	put_reals(w, "y", y, n);
	jw_end(w);
}

// Writes the whole distribution, if the run stored it (--hdr): hdr/group.incast.latency_us.hgrm.
static bool put_hdr(struct jw *w, struct saved *s, const struct dist *d, const char *name)
{
	struct saved_dist *dist = malloc(sizeof(*dist));
	char full[320];
	unsigned n = 0;

	snprintf(full, sizeof(full), "%s.%s.%s_%s", d->word, name, d->stem, d->unit);
	if (dist)
		n = saved_dist(s, dist, full);
	if (n < 2) {
		free(dist);
		return false;
	}
	curve_begin(w, d->title, name, d->unit, true, dist->count[n - 1]);
	put_reals(w, "x", dist->value, n);
	put_reals(w, "y", dist->share, n);
	jw_end(w);
	free(dist);
	return true;
}

static void object_name(const struct dist *d, const json_t *o, char *name, size_t size)
{
	const json_t *priority = json_object_get(o, "priority");

	if (json_is_integer(priority))
		snprintf(name, size, "%s.%lld", saved_text(o, d->name),
			(long long)json_integer_value(priority));
	else
		snprintf(name, size, "%s", saved_text(o, d->name));
}

static bool is_shown(const struct dist *d, const json_t *o)
{
	return strcmp(d->list, "pauses") || strcmp(saved_text(o, "direction"), "rx") == 0;
}

void data_cdfs(struct jw *w, struct saved *s)
{
	jw_array(w, "cdfs", false);
	put_fct(w, s);
	for (unsigned d = 0; d < sizeof(dists) / sizeof(dists[0]); d++) {
		const json_t *one;
		unsigned n = 0;
		size_t i;

		json_array_foreach(json_object_get(saved_summary(s), dists[d].list), i, one)
		{
			char name[160];

			if (!is_shown(&dists[d], one) || n == CURVES)
				continue;
			object_name(&dists[d], one, name, sizeof(name));
			if (!put_hdr(w, s, &dists[d], name))
				put_percentiles(w, &dists[d], one, name);
			n++;
		}
	}
	jw_end(w);
}
