// SPDX-License-Identifier: BSD-3-Clause
// The places from which the values of a configuration come: all values that are no defaults, by
// their paths.
#include <string.h>

#include "int.h"

#define ORIGIN_PATH 512 // characters of a path that is told

struct walk {
	struct jw *w;
	const char *const *line; // of the text, by number
	char path[ORIGIN_PATH];
};

// The text behind the last " # " of a line.
static void origin(const char *at, char *to, size_t size)
{
	const char *end = strchrnul(at, '\n'), *hash = end;
	size_t n = 0;

	while ((hash = memrchr(at, '#', (size_t)(hash - at))))
		if (hash > at && hash[-1] == ' ' && hash[1] == ' ')
			break;
	if (hash) {
		n = (size_t)(end - (hash + 2));
		n = n < size ? n : size - 1;
		memcpy(to, hash + 2, n);
	}
	to[n] = '\0';
}

// Returns whether a value is a map or a list of maps. Its parts are listed in its place.
static bool has_parts(const struct yamldoc_node *n)
{
	return n->type == YAMLDOC_MAP ||
	       (n->type == YAMLDOC_LIST && n->n && n->item[0].value->type == YAMLDOC_MAP);
}

// Adds a key, or a number in a list, to the path's first `len` characters. Returns its length; 0:
// there is no room.
static size_t add_part(struct walk *k, size_t len, const struct yamldoc_node *key, unsigned i)
{
	char number[16];
	const char *part = number;
	size_t n;

	if (key)
		part = key->text;
	else
		snprintf(number, sizeof(number), "%u", i);
	n = strlen(part);
	if (len + 1 + n >= sizeof(k->path))
		return 0;
	if (len)
		k->path[len++] = '.';
	memcpy(k->path + len, part, n + 1);
	return len + n;
}

static void each(struct walk *k, const struct yamldoc_node *n, size_t len)
{
	if (!has_parts(n)) {
		char text[256];

		origin(k->line[n->line], text, sizeof(text));
		if (*text && strcmp(text, "default") != 0)
			jw_str(k->w, k->path, text);
		return;
	}
	for (unsigned i = 0; i < n->n; i++) {
		size_t end = add_part(k, len, n->item[i].key, i);

		if (end)
			each(k, n->item[i].value, end);
	}
	k->path[len] = '\0';
}

void record_origins(struct jw *w, const struct record_resolved *r)
{
	struct walk k = {.w = w, .line = r->line};

	jw_object(w, "sources", false);
	each(&k, r->doc, 0);
	jw_end(w);
}
