// SPDX-License-Identifier: BSD-3-Clause
// Files of lines of all parts as one, in order of time; at one instant in the order of the parts.
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "evf/evf.h"
#include "int.h"

// The place of a line's instant.
enum order {
	BY_US,   // first, in us, before a comma
	BY_NS,   // first, in ns
	BY_END,  // fct.txt: start and duration, columns 7 and 8 of it
	BY_NODE, // qlen.txt: node and port
	BY_PART,
};

static const struct file {
	const char *name;
	enum order order;
	bool head; // its first line is of the file
} files[] = {
	{"timeseries.csv", BY_US, true},
	{"events.csv", BY_US, true},
	{"fct.txt", BY_END, false},
	{"pfc.txt", BY_NS, false},
	{"qlen.txt", BY_NODE, true},
	{"marking.csv", BY_PART, true},
	{"dfx.csv", BY_PART, true},
	{"iqcn.csv", BY_PART, true},
};

// The lines of one part's file.
struct stream {
	FILE *f;
	char *line;
	size_t room;
	ssize_t len;        // of the line at hand; -1: there is none any more
	uint64_t at;        // what it is ordered by
	struct evf_in *evf; // in the place of a text
	struct evf_lines *lines;
};

// us with up to six decimals as ps.
static uint64_t ps_of(const char *text)
{
	char *end;
	uint64_t ps = strtoull(text, &end, 10) * 1000000, unit = 100000;

	for (const char *c = end + 1; *end == '.' && *c >= '0' && *c <= '9' && unit; c++) {
		ps += (uint64_t)(*c - '0') * unit;
		unit /= 10;
	}
	return ps;
}

static uint64_t nth_number(const char *line, unsigned n)
{
	while (n-- && (line = strchr(line, ' ')))
		line++;
	return line ? strtoull(line, NULL, 10) : 0;
}

static uint64_t order_of(const char *line, enum order order)
{
	switch (order) {
	case BY_US:
		return ps_of(line);
	case BY_NS:
		return nth_number(line, 0);
	case BY_END:
		return nth_number(line, 5) + nth_number(line, 6);
	case BY_NODE:
		return nth_number(line, 0) << 16 | nth_number(line, 1);
	default:
		return 0;
	}
}

static bool next_event(struct stream *s)
{
	const struct evf_pick all = evf_pick_all();
	const struct ev *e;
	uint64_t number;
	struct err err;
	int got;

	while ((got = evf_next(s->evf, &all, &e, &number, &err)) < 0)
		;
	if (got > 0)
		s->len = evf_line(s->line, s->lines, e, number) - s->line;
	return got > 0;
}

// The next whole line of a part.
static void next(struct merge *m, unsigned part, struct stream *s, const struct file *file)
{
	s->len = -1;
	if (s->evf) {
		if (next_event(s))
			s->line[s->len] = '\0';
	} else if (s->f) {
		s->len = getline(&s->line, &s->room, s->f);
	}
	if (s->len > 0 && s->line[s->len - 1] != '\n') {
		json_array_append_new(m->lost, json_sprintf("%s: it ends within a line (%s)",
						       file->name, m->part[part].name));
		s->len = -1;
	}
	if (s->len > 0)
		s->at = order_of(s->line, file->order);
}

static char *path_of(const struct merge *m, unsigned part, const char *name)
{
	char *path;

	return asprintf(&path, "%s/%s", m->part[part].dir, name) < 0 ? NULL : path;
}

// Opens events.bin of the part as text.
static int open_events(struct merge *m, unsigned part, struct stream *s, struct err *err)
{
	char *path = path_of(m, part, "events.bin");
	int rc = 0;

	if (path && !access(path, F_OK)) {
		rc = evf_open(&s->evf, path, err);
		if (!rc) {
			s->line = malloc(EVF_LINE + 1);
			s->lines = malloc(sizeof(*s->lines));
			rc = s->line && s->lines ? 0 : err_set(err, -ENOMEM, "no memory");
		}
		if (!rc)
			evf_lines_init(s->lines, evf_names(s->evf));
		if (!rc && evf_cut(s->evf))
			json_array_append_new(m->lost, json_sprintf("%s", evf_cut(s->evf)));
	}
	free(path);
	return rc;
}

static int open_stream(
	struct merge *m, unsigned part, struct stream *s, const struct file *file, struct err *err)
{
	char *path = path_of(m, part, file->name);
	int rc = 0;

	if (!path)
		return err_set(err, -ENOMEM, "no memory");
	if (access(path, F_OK)) {
		if (!strcmp(file->name, "events.csv"))
			rc = open_events(m, part, s, err);
	} else {
		rc = infile_check(path, err);
		s->f = rc ? NULL : fopen(path, "re");
		if (!rc && !s->f)
			rc = err_set(err, -errno, "%s: %s", path, strerror(errno));
	}
	free(path);
	return rc;
}

static void close_stream(struct stream *s)
{
	if (s->f)
		fclose(s->f);
	if (s->evf)
		evf_close_in(s->evf);
	free(s->line);
	free(s->lines);
}

// The head of a file of lines is the same in all parts, but in qlen.txt it has the end of the run.
static int put_common_head(const struct merge *m, struct stream *s, const struct file *file,
	struct out *o, struct err *err)
{
	char *head = NULL;
	size_t room = 0;
	int rc = 0;

	for (unsigned i = 0; i < m->n && !rc; i++) {
		char *line = s[i].line;

		if (s[i].evf || !s[i].f)
			continue;
		if (getline(&s[i].line, &s[i].room, s[i].f) < 0)
			continue;
		line = s[i].line;
		if (!head) {
			head = strdup(line);
			room = strlen(line);
		} else if (file->order == BY_NODE) {
			if (strtoull(line + strcspn(line, "0123456789"), NULL, 10) >
				strtoull(head + strcspn(head, "0123456789"), NULL, 10)) {
				free(head);
				head = strdup(line);
				room = strlen(line);
			}
		} else if (strcmp(head, line) != 0) {
			rc = err_set(err, -EINVAL,
				"%s/%s: its columns are not those of the other parts",
				m->part[i].dir, file->name);
		}
	}
	if (head && !rc)
		out_put(o, head, room);
	for (unsigned i = 0; !head && i < m->n; i++)
		if (s[i].evf) {
			evf_line_head(evf_names(s[i].evf), o);
			break;
		}
	free(head);
	return rc;
}

static void put_all(struct merge *m, struct stream *s, const struct file *file, struct out *o)
{
	for (unsigned i = 0; i < m->n; i++)
		next(m, i, &s[i], file);
	for (;;) {
		int first = -1;

		for (unsigned i = 0; i < m->n; i++)
			if (s[i].len > 0 && (first < 0 || s[i].at < s[first].at))
				first = (int)i;
		if (first < 0)
			return;
		out_put(o, s[first].line, (size_t)s[first].len);
		next(m, (unsigned)first, &s[first], file);
	}
}

static int write_file(struct merge *m, const char *dir, const struct file *file, struct stream *s,
	struct err *err)
{
	bool any = false;
	char path[4096];
	struct out o;
	int rc = 0;

	for (unsigned i = 0; i < m->n && !rc; i++) {
		rc = open_stream(m, i, &s[i], file, err);
		any |= s[i].f || s[i].evf;
	}
	if (rc || !any)
		return rc;
	snprintf(path, sizeof(path), "%s/%s", dir, file->name);
	rc = out_open(&o, path, err);
	if (rc)
		return rc;
	rc = file->head ? put_common_head(m, s, file, &o, err) : 0;
	if (rc) {
		struct err late;

		out_close(&o, &late);
		return rc;
	}
	put_all(m, s, file, &o);
	return out_close(&o, err);
}

int rows_write(struct merge *m, const char *dir, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]) && !rc; i++) {
		struct stream *s = calloc(m->n, sizeof(*s));

		if (!s)
			return err_set(err, -ENOMEM, "no memory");
		rc = write_file(m, dir, &files[i], s, err);
		for (unsigned k = 0; k < m->n; k++)
			close_stream(&s[k]);
		free(s);
	}
	return rc;
}
