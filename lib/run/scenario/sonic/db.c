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
	// The text becomes a comment of one line; YAML knows line breaks outside ASCII, too.
	for (char *c = kept; *c; c++) {
		if ((signed char)*c < 0x20 || *c == 0x7f)
			*c = '?';
	}
	return kept;
}

const json_t *sonic_db_table(const struct sonic *s, const char *table)
{
	return json_object_get(s->root, table);
}

bool sonic_db_is_used(const struct sonic *s, const json_t *row)
{
	return sonic_set_has(&s->used, (uintptr_t)row);
}

void sonic_db_use(struct sonic *s, const json_t *row)
{
	if (!s->quiet)
		sonic_set_add(s, &s->used, (uintptr_t)row);
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

// Finds the ports in a key: "Ethernet0,Ethernet4", "Ethernet0|3", and in a chassis with virtual
// output queues "linecard1|Asic0|Ethernet0|3". Returns the offset at which they begin; *end: where
// they end.
static size_t key_ports(const char *key, size_t *end)
{
	const char *last = strrchr(key, '|');
	size_t at = last ? (size_t)(last - key) : strlen(key);

	*end = at;
	while (at && key[at - 1] != '|')
		at--;
	return at;
}

bool sonic_db_is_taken(const struct sonic *s, const char *key)
{
	size_t end, at = key_ports(key, &end);

	while (at < end) {
		size_t len = strcspn(key + at, ",|");

		if (json_object_getn(s->by_name, key + at, len))
			return true;
		at += len + 1;
	}
	return false;
}

// Returns whether a key belongs to this line card. The database of a chassis has the keys of all
// line cards, and each key begins with the name of its card.
static bool is_ours(const struct sonic *s, const char *key)
{
	const json_t *host = json_object_get(sonic_db_table(s, "DEVICE_METADATA"), "localhost");
	const char *name = json_string_value(json_object_get(host, "hostname"));
	const char *first = strchr(key, '|');

	if (!first || first == strrchr(key, '|') || !name)
		return true;
	return strlen(name) == (size_t)(first - key) && !strncmp(key, name, strlen(name));
}

// Reads the numbers at the end of a key, "3" or "3-4". False: it has none.
static bool key_range(const char *key, unsigned long *low, unsigned long *high)
{
	const char *bar = strrchr(key, '|');
	char *end;

	if (!bar || bar[1] < '0' || bar[1] > '9')
		return false;
	*low = *high = strtoul(bar + 1, &end, 10);
	if (*end == '-')
		*high = strtoul(end + 1, &end, 10);
	return !*end;
}

static const char *const indexed[SONIC_INDEXED] = {
	[SONIC_BUFFER_PG] = "BUFFER_PG",
	[SONIC_BUFFER_QUEUE] = "BUFFER_QUEUE",
	[SONIC_QUEUE] = "QUEUE",
	[SONIC_PORT_QOS_MAP] = "PORT_QOS_MAP",
	[SONIC_PFC_WD] = "PFC_WD",
};

// The first row of a table that is of a port and an index stays.
static void index_row(
	struct sonic_rows *of, enum sonic_indexed table, const char *key, const json_t *row)
{
	unsigned long low = 0, high = 0;

	if (table < SONIC_BY_PORT && !key_range(key, &low, &high))
		return;
	for (unsigned long i = low; i <= high && i < PKT_CLASSES; i++) {
		if (!of->row[table][i])
			of->key[table][i] = key;
		if (!of->row[table][i])
			of->row[table][i] = row;
	}
}

static void index_key(struct sonic *s, enum sonic_indexed table, const char *key, const json_t *row)
{
	size_t end, at = key_ports(key, &end);

	if (table >= SONIC_BY_PORT)
		end = strlen(key);
	while (at < end) {
		size_t len = strcspn(key + at, ",|");
		const json_t *port = json_object_getn(s->by_name, key + at, len);

		if (len && !json_object_getn(sonic_db_table(s, "PORT"), key + at, len) &&
			strcasecmp(key, "global") != 0 && is_ours(s, key))
			sonic_left(s, sonic_text(s, "%s|%s", indexed[table], key),
				"names a port that table PORT lacks: %s",
				sonic_text(s, "%.*s", (int)len, key + at));
		if (port && is_ours(s, key))
			index_row(&s->port[json_integer_value(port)].rows, table, key, row);
		at += len + 1;
	}
}

int sonic_db_index(struct sonic *s)
{
	const char *key;
	json_t *row;

	json_decref(s->by_name);
	s->by_name = json_object();
	for (unsigned i = 0; i < s->n_ports; i++) {
		s->port[i].rows = (struct sonic_rows){0};
		if (json_object_set_new(s->by_name, s->port[i].name, json_integer(i)))
			return -ENOMEM;
	}
	for (enum sonic_indexed table = 0; table < SONIC_INDEXED; table++) {
		json_object_foreach(json_object_get(s->root, indexed[table]), key, row)
		{
			index_key(s, table, key, row);
		}
	}
	return 0;
}

const json_t *sonic_db_indexed(struct sonic *s, const struct sonic_port *p,
	enum sonic_indexed table, unsigned index, const char **key)
{
	const json_t *row = p->rows.row[table][index];

	*key = p->rows.key[table][index];
	if (row)
		sonic_db_use(s, row);
	return row;
}

const json_t *sonic_db_port(
	struct sonic *s, const struct sonic_port *p, enum sonic_indexed table, const char **key)
{
	return sonic_db_indexed(s, p, table, 0, key);
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
