// SPDX-License-Identifier: BSD-3-Clause
// The data of pages, read back as the page's scripts read it.
#pragma once

#include "saved_lab.h"

#include <jansson.h>

#include "page/int.h"

#define PAGE_EVENT_HEAD EVENT_HEAD

// A part's data of a folder, as an object; freed by json_decref.
static inline json_t *part_of(struct lab *l, void (*part)(struct jw *w, struct saved *s))
{
	struct saved *s = read_back(l);
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);
	struct out o;
	struct jw w;
	json_error_t at;
	json_t *j;

	assert_non_null(f);
	assert_int_equal(out_stream(&o, f, "memory", &l->err), 0);
	jw_init(&w, &o);
	jw_object(&w, NULL, false);
	part(&w, s);
	jw_end(&w);
	assert_int_equal(out_close(&o, &l->err), 0);
	fclose(f);
	saved_close(s);
	j = json_loads(text, 0, &at);
	if (!j)
		fail_msg("%s in %s", at.text, text);
	free(text);
	return j;
}

// A member by a path of keys and places: "queues.0.name".
static inline json_t *at(json_t *j, const char *path)
{
	char part[64];

	while (j && *path) {
		size_t n = strcspn(path, ".");

		snprintf(part, sizeof(part), "%.*s", (int)n, path);
		j = json_is_array(j) ? json_array_get(j, strtoul(part, NULL, 10))
				     : json_object_get(j, part);
		path += n + (path[n] == '.');
	}
	return j;
}

static inline double num(json_t *j, const char *path)
{
	json_t *v = at(j, path);

	return json_is_number(v) ? json_number_value(v) : NAN;
}

static inline const char *text(json_t *j, const char *path)
{
	const char *s = json_string_value(at(j, path));

	return s ? s : "";
}

static inline size_t count(json_t *j, const char *path)
{
	return json_array_size(at(j, path));
}
