// SPDX-License-Identifier: BSD-3-Clause
// The configuration of a run: every option with its value and where that comes from.
#include <stdlib.h>
#include <string.h>

#include "int.h"

#define PATH       512  // characters of the longest path that is shown
#define ALL_ROWS   4096 // flows of the scenario that are all shown
#define FIRST_ROWS 64   // that are shown of more

char *config_text(char *to, size_t size, const json_t *value)
{
	char *text = json_is_string(value) ? NULL : json_dumps(value, JSON_ENCODE_ANY);

	snprintf(to, size, "%s",
		json_is_string(value) ? json_string_value(value)
		: text                ? text
				      : "");
	free(text);
	return to;
}

// Whether a map has maps or lists of maps below it, and so is shown by its parts.
static bool has_parts(const json_t *v)
{
	return json_is_object(v) || (json_is_array(v) && json_is_object(json_array_get(v, 0)));
}

// Goes through all values below a node. `path` has n characters.
static void each(const json_t *v, char path[PATH], size_t n, config_take *take, void *arg)
{
	const char *key;
	json_t *below;
	size_t i;

	if (!has_parts(v)) {
		take(arg, path, v);
		return;
	}
	json_object_foreach((json_t *)v, key, below)
	{
		int add = snprintf(path + n, PATH - n, "%s%s", n ? "." : "", key);

		if (add > 0 && (size_t)add < PATH - n)
			each(below, path, n + (size_t)add, take, arg);
	}
	json_array_foreach(v, i, below)
	{
		int add = snprintf(path + n, PATH - n, ".%zu", i);

		if (add > 0 && (size_t)add < PATH - n)
			each(below, path, n + (size_t)add, take, arg);
	}
	path[n] = '\0';
}

void config_each(const struct saved *s, config_take *take, void *arg)
{
	char path[PATH] = "";

	if (json_object_get(saved_manifest(s), "resolved"))
		each(json_object_get(saved_manifest(s), "resolved"), path, 0, take, arg);
}

struct listing {
	struct jw *w;
	const json_t *sources;
	char row[PATH]; // of the flow at hand, with the dot behind it
	unsigned rows;  // flows seen
	size_t flows;   // there are
};

// Returns whether a value is left out: if there are very many flows, only the first are shown.
static bool is_left_out(struct listing *l, const char *path)
{
	size_t n = strlen("flows.");

	if (l->flows <= ALL_ROWS || strncmp(path, "flows.", n) != 0)
		return false;
	n += strcspn(path + n, ".");
	if (l->rows && strncmp(l->row, path, n + 1) == 0)
		return l->rows > FIRST_ROWS;
	snprintf(l->row, sizeof(l->row), "%.*s.", (int)n, path);
	return ++l->rows > FIRST_ROWS;
}

static void put_one(void *arg, const char *path, const json_t *value)
{
	struct listing *l = arg;
	const char *source;
	char text[2048];

	if (is_left_out(l, path))
		return;
	source = saved_text(l->sources, path);
	jw_array(l->w, NULL, true);
	jw_str(l->w, NULL, path);
	jw_str(l->w, NULL, config_text(text, sizeof(text), value));
	jw_str(l->w, NULL, *source ? source : l->sources ? "default" : "");
	jw_end(l->w);
}

void data_config(struct jw *w, const struct saved *s)
{
	const json_t *manifest = saved_manifest(s);
	struct listing l = {.w = w,
		.sources = json_object_get(manifest, "sources"),
		.flows = json_object_size(
			json_object_get(json_object_get(manifest, "resolved"), "flows"))};
	char text[80];

	jw_array(w, "config", false);
	config_each(s, put_one, &l);
	if (l.rows > FIRST_ROWS) {
		snprintf(text, sizeof(text), "%u more, which manifest.json has",
			l.rows - FIRST_ROWS);
		jw_array(w, NULL, true);
		jw_str(w, NULL, "flows");
		jw_str(w, NULL, text);
		jw_str(w, NULL, "");
		jw_end(w);
	}
	jw_end(w);
}
