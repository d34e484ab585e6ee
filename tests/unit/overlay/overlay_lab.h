// SPDX-License-Identifier: BSD-3-Clause
// Folders of runs as a figure of several runs reads them, and the figure as CSV.
#pragma once

#include "saved_lab.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "overlay/overlay.h"

#define DIRS 64

struct overlay_lab {
	struct lab lab;
	char dir[DIRS][200];
	char *arg[DIRS];
	unsigned n;
	struct overlay *o;
	char *csv;
};

static inline void overlay_begin(struct overlay_lab *l)
{
	*l = (struct overlay_lab){0};
	by_hand(&l->lab);
}

// Writes a file of the last folder.
__attribute__((format(printf, 3, 4))) static inline void write_into(
	const struct overlay_lab *l, const char *name, const char *fmt, ...)
{
	char path[300];
	va_list ap;
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", l->dir[l->n - 1], name);
	f = fopen(path, "w");
	assert_non_null(f);
	va_start(ap, fmt);
	vfprintf(f, fmt, ap);
	va_end(ap);
	fclose(f);
}

// One more folder, in which nothing is yet.
static inline void add_folder(struct overlay_lab *l, const char *name)
{
	snprintf(l->dir[l->n], sizeof(l->dir[l->n]), "%s/%s", l->lab.out, name);
	assert_int_equal(mkdir(l->dir[l->n], 0700), 0);
	l->arg[l->n] = l->dir[l->n];
	l->n++;
}

// One more run of the scenario `n`. `resolved`: members of its configuration besides the seed.
static inline void add_run(
	struct overlay_lab *l, const char *clock, unsigned seed, const char *resolved)
{
	char name[16];

	snprintf(name, sizeof(name), "r%u", l->n);
	add_folder(l, name);
	write_into(l, "manifest.json",
		"{\"name\": \"n\", \"clock\": \"%s\", \"seed\": %u, \"end_us\": 1000, "
		"\"duration_us\": 1000, \"resolved\": {\"seed\": %u, \"sample\": \"100us\", "
		"\"record\": {\"flows\": \"all\"}%s%s}}",
		clock, seed, seed, *resolved ? ", " : "", resolved);
}

// Writes the figure as CSV into l->csv.
static inline void put_csv(struct overlay_lab *l)
{
	size_t size;
	FILE *f = open_memstream(&l->csv, &size);
	struct out out;

	assert_non_null(f);
	assert_int_equal(out_stream(&out, f, "memory", &l->lab.err), 0);
	overlay_csv(l->o, &out);
	assert_int_equal(out_close(&out, &l->lab.err), 0);
	assert_int_equal(fclose(f), 0);
}

static inline void read_figure(struct overlay_lab *l, struct overlay_want want)
{
	want.percentile = want.percentile ? want.percentile : "99";
	want.of = want.of ? want.of : "fct";
	if (overlay_read(&l->o, l->arg, l->n, &want, &l->lab.err))
		fail_msg("%s", l->lab.err.text);
	put_csv(l);
}

// Reads a figure that is refused with this line. One that begins with ':' or '/' stands behind the
// last folder.
static inline void refuses(struct overlay_lab *l, struct overlay_want want, const char *line)
{
	char text[600];

	want.percentile = want.percentile ? want.percentile : "99";
	want.of = want.of ? want.of : "fct";
	snprintf(text, sizeof(text), "%s%s", strchr(":/", *line) ? l->dir[l->n - 1] : "", line);
	assert_true(overlay_read(&l->o, l->arg, l->n, &want, &l->lab.err) < 0);
	assert_string_equal(l->lab.err.text, text);
}

static inline void has_line(const struct overlay_lab *l, const char *line)
{
	char text[300];

	snprintf(text, sizeof(text), "%s\n", line);
	if (!strstr(l->csv, text))
		fail_msg("no line '%s' in\n%s", line, l->csv);
}

static inline void overlay_end(struct overlay_lab *l)
{
	overlay_free(l->o);
	free(l->csv);
	lab_close(&l->lab);
}
