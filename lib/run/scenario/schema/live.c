// SPDX-License-Identifier: BSD-3-Clause
// Values that may change while a scene runs: the row at a path, and the live rows near it.
#include <stdlib.h>
#include <string.h>

#include "schema.h"

#define SHOWN 8 // keys of a message

// The tables that a path leads through, the outermost first.
struct chain {
	const struct opt_table *table[YAMLDOC_MAX_DEPTH];
	unsigned n;
};

static const struct yamldoc_node *value_at(
	const struct yamldoc_node *map, const char *key, size_t n)
{
	if (map && map->type == YAMLDOC_LIST) {
		unsigned long i = strtoul(key, NULL, 10);

		return i < map->n ? map->item[i].value : NULL;
	}
	for (unsigned i = 0; map && map->type == YAMLDOC_MAP && i < map->n; i++)
		if (strlen(map->item[i].key->text) == n && !strncmp(map->item[i].key->text, key, n))
			return map->item[i].value;
	return NULL;
}

static const struct opt *find(const struct opt_table *t, const struct yamldoc_node *map,
	const char *path, struct chain *c)
{
	const struct opt *row = NULL, *found;
	size_t n = strcspn(path, ".");

	if (c->n < YAMLDOC_MAX_DEPTH)
		c->table[c->n++] = t;
	for (unsigned i = 0; i < t->n && !row; i++)
		if (strlen(t->row[i].key) == n && !strncmp(t->row[i].key, path, n))
			row = &t->row[i];
	if (!row || !path[n])
		return row;
	map = value_at(map, path, n);
	path += n + 1;
	if (opt_has_things(row)) {
		n = yamldoc_part(map, path);
		map = value_at(map, path, n);
		path += n + (path[n] == '.');
	}
	if (!row->sub || !*path)
		return row;

	const unsigned depth = c->n;

	found = find(row->sub, map, path, c);
	for (const struct opt_variant *v = row->variants; !found && v && v->example; v++) {
		c->n = depth;
		found = find(v->table, map, path, c);
	}
	return found;
}

const struct opt *schema_row(const struct yamldoc_node *doc, const char *path)
{
	struct chain c = {0};

	return find(&scene_opts_scene, doc, path, &c);
}

// A list of keys that is being written; `n` of them so far, of which SHOWN are in it.
struct keys {
	char *buf;
	size_t size;
	unsigned n;
};

static void add_keys(struct keys *k, const struct opt_table *t, const char *prefix)
{
	char below[96];

	for (unsigned i = 0; i < t->n; i++)
		if (t->row[i].flags & OPT_F_LIVE && k->n++ < SHOWN)
			append_text(k->buf, k->size, "%s%s%s", k->n > 1 ? ", " : "", prefix,
				t->row[i].key);
	for (unsigned i = 0; i < t->n; i++) {
		const struct opt *row = &t->row[i];

		if (!row->sub || row->type == OPT_SECTION || row->type == OPT_LIST)
			continue;
		snprintf(below, sizeof(below), "%s%s%s", prefix, row->key,
			row->type == OPT_KEYED ? ".N." : ".");
		add_keys(k, row->sub, below);
	}
}

char *schema_live_near(const struct yamldoc_node *doc, const char *path, char *buf, size_t size)
{
	struct chain c = {0};

	find(&scene_opts_scene, doc, path, &c);
	for (unsigned i = c.n; i-- > 1;) {
		struct keys k = {.buf = buf, .size = size};

		snprintf(buf, size, "of %s%s ", c.table[i]->is_noun ? "a " : "", c.table[i]->name);
		add_keys(&k, c.table[i], "");
		if (k.n > SHOWN)
			append_text(buf, size, " and %u more", k.n - SHOWN);
		if (k.n)
			return buf;
	}
	snprintf(buf, size, "some values of switches, ports, hosts, flows and controls");
	return buf;
}
