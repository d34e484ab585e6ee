// SPDX-License-Identifier: BSD-3-Clause
// Option tables: defaults set, maps laid over them, unknown keys told with the nearest right one.
#include "opt.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

static bool is_nested(const struct opt *row)
{
	return row->type == OPT_MAP || row->type == OPT_KEYED;
}

static void row_init(const struct opt *row, void *base)
{
	void *at = (char *)base + row->offset;
	struct err err;

	if (!row->def || is_nested(row))
		return;

	// Slots and bitmaps have no default in words: their owner fills them.
	struct yamldoc_node n = {.where = row->key, .text = row->def};
	int rc = opt_value(row, at, &n, &err);

	assert(rc == 0);
	(void)rc;
}

void opt_init(const struct opt_table *t, void *base)
{
	assert(t->n <= OPT_ROWS);
	for (unsigned i = 0; i < t->n; i++) {
		const struct opt *row = &t->row[i];
		char *at = (char *)base + row->offset;

		row_init(row, base);
		if (row->type == OPT_MAP)
			opt_init(row->sub, at);
		for (unsigned k = 0; row->type == OPT_KEYED && k < row->count; k++)
			opt_init(row->sub, at + k * (row->size / row->count));
	}
}

const struct opt *opt_row(const struct opt_table *t, const char *key)
{
	for (unsigned i = 0; i < t->n; i++) {
		if (strcmp(t->row[i].key, key) == 0)
			return &t->row[i];
	}
	return NULL;
}

const struct yamldoc_node *opt_source(const struct opt_table *t, const void *base, const char *key)
{
	const struct opt *row = opt_row(t, key);

	assert(row);
	return ((const struct opt_src *)base)->node[row - t->row];
}

// Looks among the keys here, then among those of the maps below, where a key is often put too high.
static int suggest(const struct opt_table *t, const char *key, const char *prefix, int best,
	char *buf, size_t size)
{
	for (unsigned i = 0; i < t->n; i++) {
		int d = opt_distance(key, t->row[i].key);

		if (d >= 0 && d < best) {
			best = d;
			snprintf(buf, size, "did you mean '%s%s'?", prefix, t->row[i].key);
		}
	}
	for (unsigned i = 0; i < t->n; i++) {
		const struct opt *row = &t->row[i];
		char below[64];

		if (row->type != OPT_MAP || *prefix)
			continue;
		snprintf(below, sizeof(below), "%s.", row->key);
		best = suggest(row->sub, key, below, best, buf, size);
	}
	return best;
}

char *opt_suggest(const struct opt_table *t, const char *key, char *buf, size_t size)
{
	const int far = 1000;
	char path[96];

	if (opt_word(t, key, path, sizeof(path))) {
		snprintf(buf, size, "did you mean '%s'?", path);
		return buf;
	}
	if (suggest(t, key, "", far, buf, size) < far)
		return buf;

	int n = snprintf(buf, size, "the keys of a %s are ", t->name);

	for (unsigned i = 0; i < t->n && n < (int)size; i++)
		n += snprintf(buf + n, size - (size_t)n, "%s%s", i ? ", " : "", t->row[i].key);
	return buf;
}

static int unknown(const struct opt_table *t, const struct yamldoc_node *key, struct err *err)
{
	char hint[ERR_HINT];

	return yamldoc_err(err, key, "unknown key '%.60s' in a %s; %s", key->text, t->name,
		opt_suggest(t, key->text, hint, sizeof(hint)));
}

// Two keys that exclude each other: not both here, and what an earlier layer said of the other
// goes.
static int exclude(const struct opt_table *t, const struct opt *row, void *base,
	const struct yamldoc_node *map, const struct yamldoc_node *key, struct err *err)
{
	const struct opt *other = row->excludes ? opt_row(t, row->excludes) : NULL;

	if (!other)
		return 0;
	if (yamldoc_get(map, other->key))
		return yamldoc_err(err, key, "'%s' and '%s' exclude each other; keep one", row->key,
			other->key);
	row_init(other, base);
	((struct opt_src *)base)->node[other - t->row] = NULL;
	return 0;
}

static int apply_keyed(
	const struct opt *row, char *at, const struct yamldoc_node *map, struct err *err)
{
	uint32_t each = row->size / row->count;
	uint64_t seen = 0;

	for (unsigned i = 0; i < map->n; i++) {
		unsigned k, high;
		int rc = opt_key(row, map->item[i].key, &k, &high, err);

		for (; !rc && k <= high; k++) {
			if (seen >> k & 1)
				return yamldoc_err(err, map->item[i].key,
					"%s: %u stands here twice; write it once", row->key, k);
			seen |= 1ull << k;
			rc = opt_apply(row->sub, at + k * each, map->item[i].value, err);
		}
		if (rc)
			return rc;
	}
	return 0;
}

static int apply_row(
	const struct opt *row, void *base, const struct yamldoc_node *value, struct err *err)
{
	char *at = (char *)base + row->offset;
	char wants[ERR_HINT];

	if (!is_nested(row))
		return opt_value(row, at, value, err);
	if (yamldoc_is_null(value))
		return 0;
	if (value->type != YAMLDOC_MAP)
		return yamldoc_err(
			err, value, "%s: write %s", row->key, opt_wants(row, wants, sizeof(wants)));
	return row->type == OPT_MAP ? opt_apply(row->sub, at, value, err)
				    : apply_keyed(row, at, value, err);
}

int opt_apply(
	const struct opt_table *t, void *base, const struct yamldoc_node *map, struct err *err)
{
	if (!map || yamldoc_is_null(map))
		return 0;
	if (map->type != YAMLDOC_MAP)
		return yamldoc_err(
			err, map, "a %s is a map of options, as in {key: value}", t->name);
	for (unsigned i = 0; i < map->n; i++) {
		const struct yamldoc_item *item = &map->item[i];
		const struct opt *row = opt_row(t, item->key->text);

		if (!row)
			return unknown(t, item->key, err);

		int rc = exclude(t, row, base, map, item->key, err);

		if (!rc)
			rc = apply_row(row, base, item->value, err);
		if (rc)
			return rc;
		((struct opt_src *)base)->node[row - t->row] = item->value;
	}
	return 0;
}

int opt_require(
	const struct opt_table *t, const void *base, const struct yamldoc_node *at, struct err *err)
{
	const struct opt_src *src = base;
	char wants[ERR_HINT];

	for (unsigned i = 0; i < t->n; i++) {
		const struct opt *row = &t->row[i];

		if (row->flags & OPT_F_REQUIRED && !src->node[i])
			return yamldoc_err(err, at, "'%s' is missing in this %s; write %s",
				row->key, t->name, opt_wants(row, wants, sizeof(wants)));
	}
	return 0;
}
