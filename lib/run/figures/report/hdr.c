// SPDX-License-Identifier: BSD-3-Clause
// Distributions as files of HdrHistogram's text form, one for each that was seen.
#include <errno.h>
#include <sys/stat.h>

#include "int.h"

#define MEDIAN "_p50" // the figure by which a distribution is known

// "fct_p50_us" is of the distribution fct_us.
static void name_dist(char *to, size_t size, const char *figure)
{
	const char *at = strstr(figure, MEDIAN);

	snprintf(to, size, "%.*s%s", (int)(at - figure), figure, at + strlen(MEDIAN));
}

// "hdr/group.incast.fct_us.hgrm"; what no file name has becomes an underscore.
static void name_file(char *to, size_t size, const char *dir, const struct kind *k,
	const void *object, const char *figure)
{
	char dist[64], room[KIND_NAME];
	size_t n = (size_t)snprintf(to, size, "%s/hdr/", dir);

	name_dist(dist, sizeof(dist), figure);
	snprintf(to + n, size - n, "%s.%s.%s.hgrm", k->path, kind_name(k, object, room), dist);
	for (char *p = to + n; *p; p++)
		if (*p == '/')
			*p = '_';
}

static int write_object(
	const struct summary *s, const struct kind *k, const void *object, struct err *err)
{
	char path[4096];
	struct figure f;
	int code = 0;

	for (unsigned i = 0; kind_member(k, i, &f) && !code; i++) {
		const struct kind_dist *d = (const void *)((const char *)object +
							   (f.form == FIGURE_DIST ? f.offset : 0));

		if (f.form != FIGURE_DIST || !strstr(f.name, MEDIAN) || !d->from || !d->from->n)
			continue;
		name_file(path, sizeof(path), s->rec->dir, k, object, f.name);
		code = hdr_write(path, d->from, d->unit, err);
	}
	return code;
}

int report_hdr(const struct summary *s, struct err *err)
{
	char path[4096];
	int code = 0;

	if (!s->rec->dists)
		return 0;
	snprintf(path, sizeof(path), "%s/hdr", s->rec->dir);
	if (mkdir(path, 0777) && errno != EEXIST)
		return err_set(err, -errno, "%s: %s", path, strerror(errno));
	for (unsigned k = 0; k < KINDS; k++)
		for (unsigned i = 0; summary_kind[k]->path && !summary_kind[k]->single &&
				     i < s->set[k].n && !code;
			i++)
			code = write_object(s, summary_kind[k], set_at(&s->set[k], i), err);
	return code;
}
