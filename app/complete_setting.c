// SPDX-License-Identifier: BSD-3-Clause
// Paths of options that a word can become, from the option tables and the names of a scenario.
#include "complete.h"

#include <limits.h>
#include <string.h>

#include "schema/schema.h"
#include "session.h"

static void see_table(
	const struct complete *c, const struct opt_table *t, const struct yamldoc_node *n);

static bool has_own_names(const struct opt *row)
{
	return row->type == OPT_SECTION && row->example;
}

// The words that the value of an option can be, besides numbers; of several the last one is typed.
static void see_values(const struct complete *all, const struct opt *row)
{
	static const char *const truth[] = {"true", "false", NULL};
	const char *const *w = row->type == OPT_BOOL ? truth : row->names;
	struct complete c = *all;
	const char *comma = strrchr(c.word, ',');

	if (comma)
		complete_pass(&c, comma + 1);
	for (; w && *w; w++)
		complete_see(&c, *w, "");
	if (row->flags & OPT_F_AUTO)
		complete_see(&c, "auto", "");
	if (row->flags & OPT_F_NONE)
		complete_see(&c, "none", "");
}

// A control has the keys of its profile.
static const struct opt_table *table_of(const struct opt *row, const struct yamldoc_node *thing)
{
	const struct yamldoc_node *profile =
		thing && thing->type == YAMLDOC_MAP ? yamldoc_get(thing, "profile") : NULL;

	for (const struct opt_variant *v = row->variants; v && v->example && profile; v++) {
		const struct opt *own = opt_row(v->table, "profile");

		if (own && profile->type == YAMLDOC_SCALAR && !strcmp(own->example, profile->text))
			return v->table;
	}
	return row->sub;
}

// One thing of several: its name, or behind its dot its options. Whether it was left behind.
static bool see_thing(const struct complete *all, const struct opt *row, const char *name,
	const struct yamldoc_node *thing)
{
	struct complete c = *all;
	size_t n = strlen(name);

	if (strncmp(c.word, name, n) != 0 || c.word[n] != '.' || c.word[n + 1] == '.') {
		complete_see(&c, name, ".");
		return false;
	}
	complete_pass(&c, c.word + n + 1);
	see_table(&c, table_of(row, thing), thing);
	return true;
}

// The dot behind the name that a path begins with, "h1..8."; NULL: there is none yet.
static const char *end_of_name(const char *path)
{
	const char *dot = strchr(path, '.');

	while (dot && dot[1] == '.')
		dot = strchr(dot + 2, '.');
	return dot;
}

// Named things: those of the file, and one that is written out of a range or made by a topology.
static void see_named(const struct complete *c, const struct opt *row, const struct yamldoc_node *n)
{
	const char *dot = end_of_name(c->word);
	char name[64];
	bool passed = false;

	for (unsigned i = 0; n && n->type == YAMLDOC_MAP && i < n->n; i++)
		passed |= see_thing(c, row, n->item[i].key->text, n->item[i].value);
	if (!n)
		passed |= see_thing(c, row, row->example, NULL);
	if (passed || !dot)
		return;
	snprintf(name, sizeof(name), "%.*s", (int)(dot - c->word), c->word);
	see_thing(c, row, name, NULL);
}

// Numbered ones: classes, or the lines of a list.
static void see_numbered(
	const struct complete *c, const struct opt *row, const struct yamldoc_node *n)
{
	bool listed = row->type == OPT_LIST && n && n->type == YAMLDOC_LIST;
	unsigned count = row->type == OPT_KEYED ? row->count : listed ? n->n : 1;

	for (unsigned i = 0; i < count; i++) {
		const struct yamldoc_node *thing = listed ? n->item[i].value : NULL;
		char name[16];

		snprintf(name, sizeof(name), "%u", i);
		see_thing(c, row, name, thing);
	}
}

// Behind the key of an option and its dot or "=".
static void see_inside(
	const struct complete *c, const struct opt *row, const struct yamldoc_node *n)
{
	if (c->head[strlen(c->head) - 1] == '=')
		see_values(c, row);
	else if (has_own_names(row))
		see_named(c, row, n);
	else if (row->type == OPT_KEYED || row->type == OPT_LIST)
		see_numbered(c, row, n);
	else if (row->sub)
		see_table(c, row->sub, n);
}

static void see_table(
	const struct complete *all, const struct opt_table *t, const struct yamldoc_node *n)
{
	bool is_map = n && n->type == YAMLDOC_MAP;

	for (unsigned i = 0; i < t->n; i++) {
		const struct opt *row = &t->row[i];
		struct complete c = *all;
		size_t len = strlen(row->key);

		if (strncmp(c.word, row->key, len) != 0 || !strchr(".=", c.word[len]) ||
			!c.word[len]) {
			complete_see(&c, row->key, row->sub ? "." : "=");
			continue;
		}
		complete_pass(&c, c.word + len + 1);
		see_inside(&c, row, is_map ? yamldoc_get(n, row->key) : NULL);
	}
}

void complete_setting(struct complete *c)
{
	struct yamldoc_node *root = NULL;
	struct arena a = {0};
	char room[PATH_MAX];
	struct err err;

	if (c->scenario &&
		yamldoc_read(&a, &root, session_find(c->scenario, room, sizeof(room)), &err))
		root = NULL;
	see_table(c, &scene_opts_scene, root);
	arena_free(&a);
}
