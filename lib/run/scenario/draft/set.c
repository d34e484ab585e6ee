// SPDX-License-Identifier: BSD-3-Clause
// Values from the command line, or of a change while the scene runs: set in the scenario, or
// refused with the names that it has.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "draft.h"

#define SHOWN 8 // names of a message

// The names in a section of the file.
static void list_keys(const struct yamldoc_node *map, char *buf, size_t size)
{
	*buf = '\0';
	for (unsigned i = 0; i < map->n && i < SHOWN; i++)
		append_text(buf, size, "%s%.60s", i ? ", " : "", map->item[i].key->text);
	if (map->n > SHOWN)
		append_text(buf, size, " and %u more", map->n - SHOWN);
}

static int no_such_name(struct draft *b, const struct opt *section, const struct yamldoc_node *map,
	const struct near *near, const struct yamldoc_node *at)
{
	char has[ERR_HINT];

	if (*near->name)
		return yamldoc_err(b->err, at, "there is no %s '%.60s'; did you mean '%s'?",
			section->sub->name, near->wanted, near->name);
	if (!map || !map->n)
		return yamldoc_err(b->err, at,
			"there is no %s '%.60s'; "
			"the scenario has none, and --set %s.%.60s={...} adds it",
			section->sub->name, near->wanted, section->key, near->wanted);
	list_keys(map, has, sizeof(has));
	return yamldoc_err(b->err, at, "there is no %s '%.60s'; the scenario has %s",
		section->sub->name, near->wanted, has);
}

// Each name of `at`, which may be a range, is among the section's.
static int look_up_names(struct draft *b, const struct opt *section, const struct yamldoc_node *map,
	const struct yamldoc_node *at)
{
	struct draft_names wanted = {0}, has = {0};
	int rc = draft_names(b, &wanted, at);

	for (unsigned i = 0; map && i < map->n && !rc; i++)
		rc = draft_names(b, &has, map->item[i].key);
	for (unsigned i = 0; i < wanted.n && !rc; i++) {
		struct near near = near_to(wanted.name[i]);
		bool there = false;

		for (unsigned k = 0; k < has.n && !there; k++) {
			there = !strcmp(has.name[k], wanted.name[i]);
			near_see(&near, has.name[k]);
		}
		if (!there)
			rc = no_such_name(b, section, map, &near, at);
	}
	return rc;
}

static int look_up_number(struct draft *b, const struct opt *section,
	const struct yamldoc_node *list, const struct yamldoc_node *at)
{
	unsigned n = list && list->type == YAMLDOC_LIST ? list->n : 0;
	char has[48] = "none", *end;
	unsigned long i = strtoul(at->text, &end, 10);
	bool number = *at->text >= '0' && *at->text <= '9' && !*end;

	if (number && i < n)
		return 0;
	if (n == 1)
		snprintf(has, sizeof(has), "%s 0", section->sub->name);
	else if (n)
		snprintf(has, sizeof(has), "%s 0 to %u", section->sub->name, n - 1);
	if (number)
		return yamldoc_err(b->err, at, "there is no %s %.20s; the scenario has %s",
			section->sub->name, at->text, has);
	return yamldoc_err(b->err, at, "'%.60s' is no number of a %s; the scenario has %s",
		at->text, section->sub->name, has);
}

// Writes the part of a path below a switch, host or flow. Its first word may be a key that is
// deeper there, or another tool's word for a key.
static void put_rest(const struct opt_table *t, const char *rest, char *buf, size_t size)
{
	char word[64], path[96];
	size_t n = strcspn(rest, ".");

	snprintf(word, sizeof(word), "%.*s", (int)n, rest);
	append_text(
		buf, size, ".%s%s", opt_word(t, word, path, sizeof(path)) ? path : word, rest + n);
}

static bool has_name(struct draft *b, const struct yamldoc_node *map, const char *name)
{
	struct draft_names has = {0};
	bool found = false;

	for (unsigned i = 0; map && map->type == YAMLDOC_MAP && i < map->n; i++)
		if (draft_names(b, &has, map->item[i].key))
			return false;
	for (unsigned i = 0; i < has.n && !found; i++)
		found = !strcmp(has.name[i], name);
	return found;
}

// Finds the path that the user may have meant with the name of a switch, host or flow at its
// beginning: "switches.s1.buffer" for "s1.buffer". "": nothing has the name.
static void find_named(struct draft *b, const char *path, const char *name, char *buf, size_t size)
{
	for (unsigned i = 0; i < scene_opts_scene.n && !*buf; i++) {
		const struct opt *row = &scene_opts_scene.row[i];
		const char *rest = path + strlen(name);

		if (row->type != OPT_SECTION || row->sub == &scene_opts_port ||
			!has_name(b, yamldoc_get(b->doc, row->key), name))
			continue;
		append_text(buf, size, "%s.%s", row->key, name);
		if (*rest)
			put_rest(row->sub, rest + 1, buf, size);
	}
}

// Finds the path that the user may have meant: `key` is a key of a switch, host or flow, and the
// path goes to the first of them. Keys of these come before keys deeper in them and words of other
// tools. "": no match.
static void find_keyed(struct draft *b, const char *path, const char *key, char *buf, size_t size)
{
	const unsigned n = scene_opts_scene.n;

	for (unsigned i = 0; i < 2 * n && !*buf; i++) {
		const struct opt *row = &scene_opts_scene.row[i % n];
		const struct yamldoc_node *things = yamldoc_get(b->doc, row->key);
		char below[96];

		if (!opt_has_things(row) || !things || !things->n ||
			!(i < n ? opt_row(row->sub, key) != NULL
				: opt_word(row->sub, key, below, sizeof(below))))
			continue;
		append_text(buf, size, "%s.%.60s", row->key,
			row->type == OPT_LIST ? "0" : things->item[0].key->text);
		put_rest(row->sub, path, buf, size);
	}
}

// A path that begins with no key of a scenario.
static int no_such_key(struct draft *b, const struct draft_set *set, const char *key)
{
	char buf[256] = "", path[96];

	find_named(b, set->path, key, buf, sizeof(buf));
	if (!*buf && (!opt_word(&scene_opts_scene, key, path, sizeof(path)) || strchr(path, '.')))
		find_keyed(b, set->path, key, buf, sizeof(buf));
	if (!*buf)
		return 0;
	return err_set(b->err, -EINVAL,
		"%s %s=%s: a path begins with a key of the scenario; did you mean '%s'?", set->by,
		set->path, set->value, buf);
}

// Whether the path leads to something that exists. A thing that the path names as a whole may be
// new. Ports are not checked here, since links make them.
static int look_up(struct draft *b, const struct draft_set *set)
{
	size_t n = strcspn(set->path, ".");
	const char *name = set->path + n + (set->path[n] == '.');
	char *key = arena_text(b->a, set->path, n);
	const struct opt *section = key ? opt_row(&scene_opts_scene, key) : NULL;
	const struct yamldoc_node *value = section ? yamldoc_get(b->doc, key) : NULL;
	struct yamldoc_node at = {0};
	size_t length;

	if (!key)
		return err_set(b->err, -ENOMEM, "out of memory");
	if (!section)
		return no_such_key(b, set, key);
	if (section->sub == &scene_opts_port || !*name ||
		(section->type != OPT_SECTION && section->type != OPT_LIST))
		return 0;
	length = yamldoc_part(value, name);
	at.text = arena_text(b->a, name, length);
	at.where = arena_format(b->a, "%s %s=%s", set->by, set->path, set->value);
	if (!at.text || !at.where)
		return err_set(b->err, -ENOMEM, "out of memory");
	if (section->type == OPT_LIST)
		return look_up_number(b, section, value, &at);
	if (!name[length] || (value && value->type != YAMLDOC_MAP && !yamldoc_is_null(value)))
		return 0;
	return look_up_names(b, section, value, &at);
}

// Returns whether one of the two keys excludes the other in their tables.
static bool exclude(const struct opt *one, const struct opt *other)
{
	return (one->excludes && !strcmp(one->excludes, other->key)) ||
	       (other->excludes && !strcmp(other->excludes, one->key));
}

// Returns whether a value was set together with `set`.
static bool is_beside(const struct draft_set *set, const struct yamldoc_node *value)
{
	size_t n = strlen(set->by);

	return !strncmp(value->where, set->by, n) && value->where[n] == ' ';
}

// Takes keys out of a map that the key of `set` excludes, and says so. Two keys that are set
// together stay, and are refused like two keys in one place of a file.
static void displace(struct draft *b, const struct opt_table *t, const struct opt *row,
	struct yamldoc_node *map, const struct draft_set *set)
{
	for (unsigned i = map->n; i-- > 0;) {
		const struct yamldoc_item item = map->item[i];
		const struct opt *other = opt_row(t, item.key->text);

		if (!other || !exclude(row, other) || is_beside(set, item.value))
			continue;
		memmove(&map->item[i], &map->item[i + 1], (--map->n - i) * sizeof(*map->item));
		draft_warn_of(b, item.key, set->path,
			"'%s: %s' is displaced: %s is set, and the two exclude each other",
			other->key, item.value->type == YAMLDOC_SCALAR ? item.value->text : "{}",
			set->path);
	}
}

// The value has been set. Follows its path with the tables: a part of it is a key, or it is the
// name or number of one of several things that have a table.
static void displace_at(struct draft *b, const struct draft_set *set)
{
	const struct opt_table *t = &scene_opts_scene,
			       *defaults = opt_row(&scene_opts_scene, "defaults")->sub;
	struct yamldoc_node *at = b->doc;
	const char *rest = set->path;
	bool is_key = true;

	while (at && *rest) {
		size_t n = yamldoc_part(at, rest);
		char *part = arena_text(b->a, rest, n);
		const struct opt *row = part && is_key ? opt_row(t, part) : NULL;

		rest += n + (rest[n] == '.');
		if (!part || (is_key && !row))
			return;
		if (row && !*rest)
			displace(b, t, row, at, set);
		if (row && !row->sub)
			return;
		is_key = !row || row->type == OPT_MAP || t == defaults;
		t = row ? row->sub : t;
		at = at->type == YAMLDOC_LIST ? at->item[strtoul(part, NULL, 10)].value
					      : (struct yamldoc_node *)yamldoc_get(at, part);
	}
}

int draft_set_value(struct draft *b, const struct draft_set *set)
{
	int rc = look_up(b, set);

	if (!rc)
		rc = yamldoc_set(b->a, b->doc, set->by, set->path, set->value, b->err);
	if (!rc)
		displace_at(b, set);
	return rc;
}
