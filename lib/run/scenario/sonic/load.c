// SPDX-License-Identifier: BSD-3-Clause
// The files that hold a SONiC switch's tables: nested ones, dumps of its database, several at once.
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "conf/conf.h"
#include "int.h"

#define WANTED "a SONiC switch's config_db.json is wanted"

// Says why a file holds no JSON, with the place in it.
static int not_json(const struct sonic *s, const char *path, const json_error_t *at)
{
	int line = at->line > 0 ? at->line : 1, column = at->column > 0 ? at->column : 1;
	enum json_error_code code = json_error_code(at);
	const char *what = "not JSON";

	if (code == json_error_invalid_utf8)
		what = "not text in UTF-8";
	else if (code == json_error_premature_end_of_input)
		what = "the file ends within a value";
	else if (code == json_error_duplicate_key)
		what = "said twice";
	return err_set(
		s->err, -EINVAL, "%s:%d:%d: %s: %s; " WANTED, path, line, column, what, at->text);
}

static int read_json(struct sonic *s, const char *path, json_t **root)
{
	json_error_t at;
	int wrong = infile_check(path, s->err);
	FILE *f = wrong ? NULL : fopen(path, "r");

	if (wrong)
		return wrong;
	if (!f)
		return err_set(s->err, -errno, "%s: %s", path, strerror(errno));
	*root = json_loadf(f, JSON_REJECT_DUPLICATES, &at);

	// jansson takes what cannot be read, as a folder, for an empty file.
	int failed = ferror(f) ? errno : 0;
	bool empty = !failed && !ftell(f);

	fclose(f);
	if (failed)
		return err_set(s->err, -failed, "%s: %s", path, strerror(failed));
	if (empty)
		return err_set(s->err, -EINVAL, "%s:1:1: empty; " WANTED, path);
	if (!*root)
		return not_json(s, path, &at);
	if (!json_is_object(*root))
		return err_set(s->err, -EINVAL, "%s:1:1: holds no object of tables; " WANTED, path);
	return 0;
}

// Returns whether a file is a dump of the database: it has no tables, but keys like "TABLE|row".
static bool is_dump(json_t *root)
{
	const char *key;
	json_t *value;

	json_object_foreach(root, key, value)
	{
		if (strchr(key, '|'))
			return true;
	}
	return false;
}

// The fields of a row: without the mark of a list ("ports@"), and without the field "NULL", which
// means that there is none.
static json_t *dumped_fields(struct sonic *s, json_t *fields)
{
	json_t *row = json_object(), *value;
	const char *field;

	json_object_foreach(fields, field, value)
	{
		size_t n = strlen(field);

		const char *name =
			n && field[n - 1] == '@' ? arena_text(s->a, field, n - 1) : field;

		if (!name)
			s->no_memory = true;
		else if (strcmp(name, "NULL") != 0)
			json_object_set(row, name, value);
	}
	return row;
}

// The tables of a dump: {"TABLE|row": {"value": {fields}, "type": "hash", ...}} or without value.
static int tables_of_dump(struct sonic *s, const char *path, json_t **root)
{
	json_t *tables = json_object(), *row;
	const char *key;
	int rc = tables ? 0 : -ENOMEM;

	json_object_foreach(*root, key, row)
	{
		const char *bar = strchr(key, '|');
		json_t *fields = json_object_get(row, "value"), *table;
		const char *name = bar ? arena_text(s->a, key, (size_t)(bar - key)) : NULL;

		if (!name || rc)
			continue;
		fields = fields ? fields : row;
		if (!json_is_object(fields)) {
			rc = err_set(s->err, -EINVAL, "%s: '%s' is no object of fields; " WANTED,
				path, sonic_text(s, "%s", key));
			continue;
		}
		table = json_object_get(tables, name);
		if (!table) {
			table = json_object();
			json_object_set_new(tables, name, table);
		}
		if (json_object_set_new(table, bar + 1, dumped_fields(s, fields)))
			rc = -ENOMEM;
	}
	json_decref(*root);
	*root = tables;
	return rc;
}

// A table is an object of rows, and a row one of fields.
static int check_tables(struct sonic *s, const char *path, json_t *root)
{
	const char *table, *key;
	json_t *rows, *row;

	json_object_foreach(root, table, rows)
	{
		if (!json_is_object(rows))
			return err_set(s->err, -EINVAL,
				"%s: '%s' is no object; a table of config_db.json is one of rows",
				path, sonic_text(s, "%s", table));
		if (!sonic_left_is_read(table))
			continue;
		json_object_foreach(rows, key, row)
		{
			if (!json_is_object(row))
				return err_set(s->err, -EINVAL,
					"%s: %s|%s is no object; a row of a table is one of fields",
					path, sonic_text(s, "%s", table), sonic_text(s, "%s", key));
		}
	}
	return 0;
}

// A table of a later file replaces the table of an earlier one, as in SONiC's golden configuration.
static int merge_tables(struct sonic *s, const char *path, json_t *root)
{
	const char *table;
	json_t *rows;

	json_object_foreach(root, table, rows)
	{
		if (json_object_get(s->root, table) && sonic_left_is_read(table))
			sonic_left(s, sonic_text(s, "%s", table),
				"%s replaces the table of the files before it", path);
		if (json_object_set(s->root, table, rows))
			return -ENOMEM;
	}
	return 0;
}

int sonic_load(struct sonic *s)
{
	int rc = 0;

	s->root = json_object();
	for (unsigned i = 0; !rc && i < s->opts->n_paths; i++) {
		const char *path = s->opts->paths[i];
		json_t *root = NULL;

		rc = read_json(s, path, &root);
		if (!rc && is_dump(root))
			rc = tables_of_dump(s, path, &root);
		if (!rc)
			rc = check_tables(s, path, root);
		if (!rc)
			rc = merge_tables(s, path, root);
		json_decref(root);
		s->path = i ? sonic_text(s, "%s, %s", s->path, path) : path;
	}
	return rc;
}
