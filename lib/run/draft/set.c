// SPDX-License-Identifier: BSD-3-Clause
// Values from the command line: set in what the scenario has, or refused with the names that it
// has.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "draft.h"

#define SHOWN 8 // names of a message

// The names that stand in a section, as the file has them.
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
			"there is no %s '%.60s'; the scenario has none, and --set %s.%.60s={...} "
			"adds it",
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

// Whether what a path leads into is there. What it names as a whole may be new; which ports there
// are, links say.
static int look_up(struct draft *b, const struct scene_set *set)
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
	if (!section || section->sub == &scene_opts_port || !*name ||
		(section->type != OPT_SECTION && section->type != OPT_LIST))
		return 0;
	length = yamldoc_part(value, name);
	at.text = arena_text(b->a, name, length);
	at.where = arena_format(b->a, "--set %s=%s", set->path, set->value);
	if (!at.text || !at.where)
		return err_set(b->err, -ENOMEM, "out of memory");
	if (section->type == OPT_LIST)
		return look_up_number(b, section, value, &at);
	if (!name[length] || (value && value->type != YAMLDOC_MAP && !yamldoc_is_null(value)))
		return 0;
	return look_up_names(b, section, value, &at);
}

int draft_set_value(struct draft *b, const struct scene_set *set)
{
	int rc = look_up(b, set);

	return rc ? rc : yamldoc_set(b->a, b->doc, set->path, set->value, b->err);
}
