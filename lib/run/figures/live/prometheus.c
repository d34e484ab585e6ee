// SPDX-License-Identifier: BSD-3-Clause
// Figures in Prometheus' text exposition format, 0.0.4: names and units as its linter wants them.
#include "prometheus.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BYTES_OF_GBPS 125e6

// A unit: how figures that have it may end, what becomes of that, and of the value.
static const struct unit {
	const char *unit, *end, *base;
	double factor;
} units[] = {
	{"us", "_us", "_seconds", 1e-6},
	{"ns", "_ns", "_seconds", 1e-9},
	{"ps", "_ps", "_seconds", 1e-12},
	{"Gb/s", "_gbps", "_bytes_per_second", BYTES_OF_GBPS},
	{"bit/s", "_bps", "_bytes_per_second", 0.125},
	{"%", "_percent", "_ratio", 0.01},
	{"1/s", "_per_s", "_per_second", 1},
	{"bytes", "_bytes", "_bytes", 1},
};

// Figures in frames or events that can become less, or that are the number of one frame.
static const char *const no_counters[] = {"frame_delta", "in_flight", "lost", "cnp_missing",
	"cnp_extra", "expected_frames", "first_marked_total", "last_marked_total",
	"capture_frames_total", "unsent_frames_total", "replay_unsent_frames", "missing_frames"};

// Times that add up.
static const char *const sums[] = {
	"pause_ps", "pause_requested_us", "pause_effective_us", "lost_tx_us", "storm_us"};

static bool is_among(const char *const *list, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(list[i], name))
			return true;
	return false;
}
#define IS_AMONG(list, name) is_among(list, sizeof(list) / sizeof((list)[0]), name)

static bool begins_with(const char *name, const char *with)
{
	return !strncmp(name, with, strlen(with));
}

// Whether `name`, n long, ends so.
static bool ends(const char *name, size_t n, const char *with)
{
	size_t m = strlen(with);

	return n >= m && !strncmp(name + n - m, with, m);
}

bool live_counts(const struct summary_row *row)
{
	const char *f = row->figure, *u = row->unit;

	if (!strcmp(u, "bytes"))
		return begins_with(f, "tx_") || begins_with(f, "rx_") || begins_with(f, "dropped_");
	if (!strcmp(u, "frames") || !strcmp(u, "events") || !strcmp(u, "messages"))
		return !row->decimals && !IS_AMONG(no_counters, f);
	return IS_AMONG(sums, f);
}

// Words of figures that the linter takes for abbreviated units ("b_after_p50_bytes", "not_for_us"),
// and their replacements; "": the word is left out.
static const char *const no_units[][2] = {{"b", ""}, {"us", "self"}};

// Kinds by another word: a family of NICs' counters is called quench_nic_drop_... already.
static const char *const kind_words[][2] = {{"drop", "drops"}, {"nic_drop", "nic_drops"}};

static const char *instead(const char *const (*list)[2], size_t rows, const char *word, size_t n)
{
	for (size_t i = 0; i < rows; i++)
		if (strlen(list[i][0]) == n && !strncmp(list[i][0], word, n))
			return list[i][1];
	return NULL;
}
#define INSTEAD(list, word, n) instead(list, sizeof(list) / sizeof((list)[0]), word, n)

// Appends the words of `text`, n long.
static void append_words(struct prometheus *p, const char *text, size_t n)
{
	for (size_t at = 0; at < n;) {
		size_t word = strcspn(text + at, "_"), len = strlen(p->name), n_other;
		const char *other;

		word = word < n - at ? word : n - at;
		other = INSTEAD(no_units, text + at, word);
		n_other = other ? strlen(other) : word;
		if (n_other)
			snprintf(p->name + len, sizeof(p->name) - len, "%s%.*s", len ? "_" : "",
				(int)n_other, other ? other : text + at);
		at += word + 1;
	}
}

void live_prometheus_of(const struct summary_row *row, struct prometheus *out)
{
	const char *f = row->figure;
	size_t n = strlen(f);
	const char *word = INSTEAD(kind_words, row->word, strlen(row->word));
	bool whole_run = ends(f, n, "_total");
	const struct unit *u = units;

	*out = (struct prometheus){.factor = 1, .counter = live_counts(row)};
	n -= whole_run ? strlen("_total") : 0;
	while (u < units + sizeof(units) / sizeof(units[0]) && strcmp(u->unit, row->unit) != 0)
		u++;
	append_words(out, "quench", 6);
	word = word ? word : row->word;
	append_words(out, word, strlen(word));
	if (u < units + sizeof(units) / sizeof(units[0])) {
		n -= ends(f, n, u->end) ? strlen(u->end) : 0;
		out->factor = u->factor;
		append_words(out, f, n);
		append_words(out, u->base, strlen(u->base));
	} else {
		append_words(out, f, n);
	}
	if (whole_run)
		append_words(out, "whole_run", 9);
	if (out->counter)
		append_words(out, "total", 5);
}

// A sample with its name.
struct line {
	struct prometheus as;
	struct summary_row row;
	const struct live_sample *of;
	unsigned at; // in the list
};

static int by_name(const void *a, const void *b)
{
	const struct line *x = a, *y = b;
	int c = strcmp(x->as.name, y->as.name);

	return c ? c : (x->at > y->at) - (x->at < y->at);
}

// Escapes the characters that HELP may not have: backslash and line feed; a label may not have a
// quote either.
static void put_escaped(FILE *f, const char *text, size_t n, bool label)
{
	for (size_t i = 0; i < n; i++) {
		if (text[i] == '\n')
			fputs("\\n", f);
		else if (text[i] == '\\' || (label && text[i] == '"'))
			fprintf(f, "\\%c", text[i]);
		else
			fputc(text[i], f);
	}
}

static void put_label(FILE *f, char before, const char *name, const char *text, size_t n)
{
	fprintf(f, "%c%s=\"", before, name);
	put_escaped(f, text, n, true);
	fputc('"', f);
}

static void put_value(FILE *f, double v)
{
	if (isnan(v))
		fputs(" NaN\n", f);
	else if (isinf(v))
		fputs(v > 0 ? " +Inf\n" : " -Inf\n", f);
	else
		fprintf(f, " %.15g\n", v);
}

static void put_sample(FILE *f, const struct line *l, const char *instance, const char *scenario)
{
	char before = '{';

	fputs(l->as.name, f);
	if (l->row.object) {
		put_label(f, before, "object", l->row.object, l->row.object_len);
		before = ',';
	}
	put_label(f, before, "instance", instance, strlen(instance));
	put_label(f, ',', "scenario", scenario, strlen(scenario));
	fputc('}', f);
	put_value(f, l->of->value * l->as.factor);
}

static void put_metric_head(FILE *f, const struct line *l)
{
	fprintf(f, "# HELP %s ", l->as.name);
	put_escaped(f, l->row.meaning, strlen(l->row.meaning), false);
	fprintf(f, "\n# TYPE %s %s\n", l->as.name, l->as.counter ? "counter" : "gauge");
}

int live_prometheus(FILE *f, const struct live_sample *list, unsigned n, const char *instance,
	const char *scenario)
{
	struct line *line = calloc(n + 1ul, sizeof(*line));
	unsigned known = 0;

	if (!line)
		return -ENOMEM;
	for (unsigned i = 0; i < n; i++) {
		struct line *l = &line[known];

		*l = (struct line){.of = &list[i], .at = i};
		if (!summary_row(list[i].path, &l->row))
			continue;
		live_prometheus_of(&l->row, &l->as);
		known++;
	}
	qsort(line, known, sizeof(*line), by_name);
	for (unsigned i = 0; i < known; i++) {
		if (!i || strcmp(line[i].as.name, line[i - 1].as.name) != 0)
			put_metric_head(f, &line[i]);
		put_sample(f, &line[i], instance, scenario);
	}
	free(line);
	return 0;
}
