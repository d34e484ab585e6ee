// SPDX-License-Identifier: BSD-3-Clause
// The figures of a running instance at one moment, all pages of them.
#include "metrics.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "int.h"

#define TRIES 20 // moments begun anew because another client has asked for one

void metrics_free(struct metrics *m)
{
	for (unsigned i = 0; i < m->n; i++)
		free(m->list[i].path);
	free(m->list);
	*m = (struct metrics){0};
}

// "queue.s1:r.3.length_bytes 81234". False where a line is something else.
static bool take_line(struct metric *m, const char *line)
{
	const char *blank = strrchr(line, ' '), *dot;
	char *end;

	if (!blank || blank == line || !blank[1])
		return false;
	dot = strchr(blank, '.');
	m->value = strtod(blank + 1, &end);
	m->decimals = dot ? (unsigned)strlen(dot + 1) : 0;
	if (*end)
		return false;
	m->path = strndup(line, (size_t)(blank - line));
	return m->path != NULL;
}

static int take_page(struct metrics *m, const json_t *page, struct err *err)
{
	const json_t *lines = json_object_get(page, "metrics");
	size_t n = json_array_size(lines);
	struct metric *list = realloc(m->list, (m->n + n + 1) * sizeof(*list));

	if (!list)
		return err_set(err, -ENOMEM, "no memory for %zu figures", m->n + n);
	m->list = list;
	for (size_t i = 0; i < n; i++) {
		const char *line = json_string_value(json_array_get(lines, i));

		if (!line || !take_line(&list[m->n], line))
			return err_set(err, -EPROTO, "the instance's answer is not understood: %s",
				line ? line : "no text");
		m->n++;
	}
	m->pages++;
	return 0;
}

// Asks for one more page; *next is where the next page begins, 0: there is none. -ESTALE: the page
// belongs to another moment than the pages before.
static int ask_page(struct metrics *m, const struct instance *from, const char *patterns,
	uint64_t *next, struct err *err)
{
	const char *timing;
	json_t *page;
	int rc = instance_ask(from, &page, err, "/quench/metrics,%llu%s%s",
		(unsigned long long)*next, *patterns ? "," : "", patterns);

	if (rc)
		return rc;
	timing = json_string_value(json_object_get(page, "timing"));
	if (*next && instance_number(page, "at_ps") != m->at_ps) {
		rc = -ESTALE;
	} else {
		m->at_ps = instance_number(page, "at_ps");
		snprintf(m->timing, sizeof(m->timing), "%s",
			timing ? timing : ""); // an older instance does not judge it
		rc = take_page(m, page, err);
		*next = instance_next(page, *next);
	}
	json_decref(page);
	return rc;
}

int metrics_ask(
	struct metrics *m, const struct instance *from, const char *patterns, struct err *err)
{
	*m = (struct metrics){0};
	for (unsigned i = 0; i < TRIES; i++) {
		uint64_t next = 0;
		int rc;

		do
			rc = ask_page(m, from, patterns, &next, err);
		while (!rc && next);
		if (rc != -ESTALE)
			return rc;
		metrics_free(m);
	}
	return err_set(err, -EAGAIN,
		"other clients ask instance %s (pid %llu) all the time; try it again", from->name,
		(unsigned long long)from->pid);
}
