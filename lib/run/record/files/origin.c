// SPDX-License-Identifier: BSD-3-Clause
// The places from which the values of a configuration come: all values that are no defaults, by
// their paths.
#include <string.h>

#include "int.h"

#define ORIGIN_PATH 512 // characters of a path that is told

struct walk {
	struct jw *w;
	const char *at; // the line at hand of the text; the walk follows it from top to bottom
	uint32_t line;
	char path[ORIGIN_PATH];
};

// The text behind the last " # " of a line.
static void origin(struct walk *k, uint32_t line, char *to, size_t size)
{
	const char *end, *hash = NULL;

	for (; k->line < line && *k->at; k->line++)
		k->at = strchrnul(k->at, '\n') + (strchr(k->at, '\n') ? 1 : 0);
	end = strchrnul(k->at, '\n');
	for (const char *p = k->at; p + 3 <= end; p++)
		if (memcmp(p, " # ", 3) == 0)
			hash = p + 3;
	snprintf(to, size, "%.*s", hash ? (int)(end - hash) : 0, hash ? hash : "");
}

// Returns whether a value is a map or a list of maps. Its parts are listed in its place.
static bool has_parts(const struct yamldoc_node *n)
{
	return n->type == YAMLDOC_MAP ||
	       (n->type == YAMLDOC_LIST && n->n && n->item[0].value->type == YAMLDOC_MAP);
}

static void each(struct walk *k, const struct yamldoc_node *n, size_t len)
{
	if (!has_parts(n)) {
		char text[256];

		origin(k, n->line, text, sizeof(text));
		if (*text && strcmp(text, "default") != 0)
			jw_str(k->w, k->path, text);
		return;
	}
	for (unsigned i = 0; i < n->n; i++) {
		char *to = k->path + len;
		size_t room = sizeof(k->path) - len;
		int add;

		if (n->item[i].key)
			add = snprintf(to, room, "%s%s", len ? "." : "", n->item[i].key->text);
		else
			add = snprintf(to, room, ".%u", i);
		if (add > 0 && (size_t)add < room)
			each(k, n->item[i].value, len + (size_t)add);
	}
	k->path[len] = '\0';
}

void record_origins(struct jw *w, const struct yamldoc_node *doc, const char *text)
{
	struct walk k = {.w = w, .at = text, .line = 1};

	jw_object(w, "sources", false);
	each(&k, doc, 0);
	jw_end(w);
}
