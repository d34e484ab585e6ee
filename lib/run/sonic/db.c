// SPDX-License-Identifier: BSD-3-Clause
// The tables of a config_db.json: rows by reference, by port and index; numbers that are strings.
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/conf.h"
#include "int.h"

const char *sonic_text(struct sonic *s, const char *fmt, ...)
{
	char *text = NULL, *kept = NULL;
	va_list ap;

	va_start(ap, fmt);

	int n = vasprintf(&text, fmt, ap);

	va_end(ap);
	if (n >= 0)
		kept = arena_text(s->a, text, (size_t)n);
	if (n >= 0)
		free(text);
	if (!kept) {
		s->no_memory = true;
		return "";
	}
	// It becomes a comment of one line; YAML knows line breaks outside ASCII, too.
	for (char *c = kept; *c; c++) {
		if ((signed char)*c < 0x20 || *c == 0x7f)
			*c = '?';
	}
	return kept;
}

// Why a file holds no JSON, by where it was seen.
static int not_json(const struct sonic *s, const json_error_t *at)
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
	return err_set(s->err, -EINVAL,
		"%s:%d:%d: %s: %s; a SONiC switch's config_db.json is wanted", s->path, line,
		column, what, at->text);
}

int sonic_db_load(struct sonic *s)
{
	json_error_t at;
	int wrong = infile_check(s->path, s->err);
	FILE *f = wrong ? NULL : fopen(s->path, "r");

	if (wrong)
		return wrong;
	if (!f)
		return err_set(s->err, -errno, "%s: %s", s->path, strerror(errno));
	s->root = json_loadf(f, JSON_REJECT_DUPLICATES, &at);

	// jansson takes what cannot be read, as a folder, for an empty file.
	int failed = ferror(f) ? errno : 0;
	bool empty = !failed && !ftell(f);

	fclose(f);
	if (failed)
		return err_set(s->err, -failed, "%s: %s", s->path, strerror(failed));
	if (empty)
		return err_set(s->err, -EINVAL,
			"%s:1:1: empty; a SONiC switch's config_db.json is wanted", s->path);
	if (!s->root)
		return not_json(s, &at);
	if (!json_is_object(s->root))
		return err_set(s->err, -EINVAL,
			"%s:1:1: holds no object of tables; a SONiC switch's config_db.json is "
			"wanted",
			s->path);

	const char *table;
	json_t *rows;

	json_object_foreach(s->root, table, rows)
	{
		if (!json_is_object(rows))
			return err_set(s->err, -EINVAL,
				"%s: '%s' is no object; a table of config_db.json is one of rows",
				s->path, table);
	}
	return 0;
}

const json_t *sonic_db_table(const struct sonic *s, const char *table)
{
	return json_object_get(s->root, table);
}

bool sonic_db_is_used(const struct sonic *s, const json_t *row)
{
	for (unsigned i = 0; i < s->n_used; i++) {
		if (s->used[i] == row)
			return true;
	}
	return false;
}

void sonic_db_use(struct sonic *s, const json_t *row)
{
	if (s->quiet || sonic_db_is_used(s, row))
		return;
	if (s->n_used == s->max_used) {
		unsigned max = s->max_used ? 2 * s->max_used : 64;
		const json_t **more = arena_get(s->a, max * sizeof(const json_t *));

		if (!more) {
			s->no_memory = true;
			return;
		}
		if (s->n_used)
			memcpy(more, s->used, s->n_used * sizeof(const json_t *));
		s->used = more;
		s->max_used = max;
	}
	s->used[s->n_used++] = row;
}

// "[BUFFER_PROFILE|name]" and "name" are one.
const char *sonic_db_name(struct sonic *s, const char *reference)
{
	const char *bar = strchr(reference, '|'), *name = NULL;

	if (reference[0] != '[' || !bar)
		return reference;
	name = arena_text(s->a, bar + 1, strcspn(bar + 1, "]"));
	s->no_memory |= !name;
	return name ? name : "";
}

const json_t *sonic_db_row(struct sonic *s, const char *table, const char *reference)
{
	const json_t *row = json_object_get(sonic_db_table(s, table), sonic_db_name(s, reference));

	if (!json_is_object(row))
		return NULL;
	sonic_db_use(s, row);
	return row;
}

// Whether the list of ports that a key begins with has this one.
bool sonic_db_is_of(const char *key, const char *port)
{
	size_t n = strlen(port), end = strcspn(key, "|");

	for (size_t at = 0; at < end;) {
		size_t len = strcspn(key + at, ",|");

		if (len == n && strncmp(key + at, port, n) == 0)
			return true;
		at += len + 1;
	}
	return false;
}

static bool has_index(const char *key, unsigned index)
{
	const char *bar = strchr(key, '|');
	char *end;

	if (!bar || bar[1] < '0' || bar[1] > '9')
		return false;

	unsigned long low = strtoul(bar + 1, &end, 10), high = low;

	if (*end == '-')
		high = strtoul(end + 1, &end, 10);
	return !*end && low <= index && index <= high;
}

const json_t *sonic_db_indexed(
	struct sonic *s, const char *table, const char *port, unsigned index, const char **key)
{
	json_t *rows = json_object_get(s->root, table), *row;

	json_object_foreach(rows, *key, row)
	{
		if (json_is_object(row) && has_index(*key, index) && sonic_db_is_of(*key, port)) {
			sonic_db_use(s, row);
			return row;
		}
	}
	return NULL;
}

const json_t *sonic_db_port(struct sonic *s, const char *table, const char *port, const char **key)
{
	json_t *rows = json_object_get(s->root, table), *row;

	json_object_foreach(rows, *key, row)
	{
		if (json_is_object(row) && sonic_db_is_of(*key, port)) {
			sonic_db_use(s, row);
			return row;
		}
	}
	return NULL;
}

const char *sonic_db_text(struct sonic *s, const json_t *row, const char *field)
{
	const json_t *v = json_object_get(row, field);

	if (json_is_string(v))
		return json_string_value(v);
	if (json_is_integer(v))
		return sonic_text(s, "%lld", (long long)json_integer_value(v));
	return NULL;
}

bool sonic_db_number(struct sonic *s, const json_t *row, const char *who, const char *field,
	int64_t min, int64_t max, int64_t *to)
{
	const char *text = sonic_db_text(s, row, field);
	char *end;

	if (!text && json_object_get(row, field))
		sonic_left(s, sonic_text(s, "%s %s", who, field), "is no number");
	if (!text)
		return false;
	errno = 0;

	int64_t n = strtoll(text, &end, 10);

	if (end != text && !*end && !errno && n >= min && n <= max) {
		*to = n;
		return true;
	}
	sonic_left(s, sonic_text(s, "%s %s '%.40s'", who, field, text),
		"is no whole number from %lld to %lld", (long long)min, (long long)max);
	return false;
}
