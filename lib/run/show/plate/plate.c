// SPDX-License-Identifier: BSD-3-Clause
// All figures of a run: the data, the folder, stems that no two figures share.
#include "plate.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "int.h"
#include "page/page.h"

#define STEM    80  // characters of a stem
#define FIGURES 256 // of a run, at most

// Writes `kind` and the name; '_' replaces characters that a file's name should not have.
static void spell_stem(char *to, const char *kind, const char *name)
{
	size_t n = (size_t)snprintf(to, STEM, "%s", kind);

	if (name)
		snprintf(to + n, STEM - n, "-%s", name);
	for (char *c = to; *c; c++)
		if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_",
			    *c))
			*c = '_';
}

static bool is_taken(const struct plate *p, const char *stem)
{
	for (unsigned i = 0; i < p->n; i++)
		if (!strcmp(p->stem[i], stem))
			return true;
	return false;
}

// Names that differ in odd characters only get a number.
static const char *free_stem(struct plate *p, const char *kind, const char *name)
{
	char first[STEM], stem[STEM + 16];

	spell_stem(first, kind, name);
	snprintf(stem, sizeof(stem), "%s", first);
	for (unsigned i = 2; is_taken(p, stem); i++)
		snprintf(stem, sizeof(stem), "%s-%u", first, i);
	return plate_format(p, "%s", stem);
}

void plate_put(struct plate *p, struct paper *f, const char *kind, const char *name)
{
	struct err err;
	int rc;

	if (p->rc == -ENOMEM || p->n == FIGURES)
		return;
	f->stem = free_stem(p, kind, name);
	if (!*f->stem)
		return;
	rc = paper_write(f, p->dir, p->formats, &err);
	if (rc && !p->rc) {
		p->rc = rc;
		*p->err = err;
	}
	if (rc)
		p->formats = 0;
	p->stem[p->n++] = (char *)f->stem;
}

struct paper_axis plate_time(const struct plate *p, double *unit_us)
{
	bool ms = p->end_us >= 2000;

	*unit_us = ms ? 1000 : 1;
	return (struct paper_axis){.column = "time",
		.title = "Time",
		.unit = ms ? "ms" : "us",
		.scale = PAPER_LINEAR,
		.to = p->end_us / *unit_us};
}

static void draw_all(struct plate *p)
{
	plate_queues(p);
	plate_rates(p);
	plate_pauses(p);
	plate_marking(p);
	plate_cdfs(p);
	plate_slowdown(p);
}

int plate_write(struct saved *s, const char *dir, unsigned formats, unsigned *n, struct err *err)
{
	struct plate p = {.name = saved_name(s), .dir = dir, .formats = formats, .err = err};
	json_t *run;

	if (n)
		*n = 0;
	if (mkdir(dir, 0777) && errno != EEXIST)
		return err_set(err, -errno, "%s: cannot be made: %s", dir, strerror(errno));
	run = page_data(s);
	if (!run)
		return err_set(err, -ENOMEM, "%s: no memory for the figures", dir);
	p.run = run;
	p.end_us = saved_number(run, "end_us");
	p.stem = PLATE_ROOM(&p, FIGURES, char *);
	if (p.stem)
		draw_all(&p);
	json_decref(run);
	arena_free(&p.arena);
	if (n)
		*n = p.n;
	return p.rc;
}
