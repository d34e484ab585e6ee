// SPDX-License-Identifier: BSD-3-Clause
// The lists of summary.json as tables, each column with its meaning.
#include <string.h>

#include "int.h"

enum { ROWS = 2000 }; // of a table at most

static void put_column(struct jw *w, const char *name, const json_t *member)
{
	jw_object(w, NULL, true);
	jw_str(w, "name", name);
	meaning_put(w, member, true);
	jw_end(w);
}

static void put_cell(struct jw *w, const json_t *v)
{
	const json_t *one;
	char text[64];
	size_t i;

	switch (json_typeof(v)) {
	case JSON_STRING:
		jw_str(w, NULL, json_string_value(v));
		break;
	case JSON_INTEGER:
		jw_i64(w, NULL, json_integer_value(v));
		break;
	case JSON_REAL:
		put_real(w, NULL, json_real_value(v));
		break;
	case JSON_TRUE:
	case JSON_FALSE:
		jw_bool(w, NULL, json_is_true(v));
		break;
	case JSON_ARRAY:
		jw_array(w, NULL, true);
		json_array_foreach(v, i, one) put_cell(w, one);
		jw_end(w);
		break;
	case JSON_OBJECT:
		snprintf(text, sizeof(text), "%zu values", json_object_size(v));
		jw_str(w, NULL, text);
		break;
	case JSON_NULL:
		jw_null(w, NULL);
		break;
	}
}

// Whether a member is a column. A list within an object is shown elsewhere in the page, or nowhere.
static bool is_column(const json_t *first, const char *key)
{
	const json_t *v = json_object_get(first, key);

	return !json_is_object(v) && !(json_is_array(v) && json_is_array(json_array_get(v, 0)));
}

// All members that an object of the list has, in the order of the schema.
static json_t *columns_of(const json_t *list, const json_t *properties)
{
	const json_t *first = json_array_get(list, 0), *one;
	json_t *columns = json_object(), *value;
	const char *key;
	size_t i;

	json_object_foreach((json_t *)properties, key, value)
		json_array_foreach(list, i, one) if (json_object_get(one, key))
	{
		if (is_column(first, key))
			json_object_set(columns, key, value);
		break;
	}
	json_array_foreach(list, i, one) json_object_foreach((json_t *)one, key,
		value) if (!json_object_get(properties, key) && !json_object_get(columns, key) &&
			   is_column(first, key)) json_object_set_new(columns, key, json_object());
	return columns;
}

static void put_rows(struct jw *w, const json_t *list, json_t *columns)
{
	const json_t *one;
	const char *key;
	json_t *value;
	size_t i;

	jw_array(w, "rows", false);
	json_array_foreach(list, i, one)
	{
		if (i == ROWS)
			break;
		jw_array(w, NULL, true);
		json_object_foreach(columns, key, value)
		{
			const json_t *v = json_object_get(one, key);

			if (v)
				put_cell(w, v);
			else
				jw_null(w, NULL);
		}
		jw_end(w);
	}
	jw_end(w);
}

// "notification_points": "Notification points"; "nic_drops": "NIC drops".
static void put_title(struct jw *w, const char *key)
{
	static const char *const short_forms[] = {"nic", "cnp", "iqcn", "pfc", "qcn"};
	unsigned capitals = 1;
	char title[64];

	snprintf(title, sizeof(title), "%s", key);
	for (unsigned i = 0; i < sizeof(short_forms) / sizeof(short_forms[0]); i++)
		if (strncmp(key, short_forms[i], strlen(short_forms[i])) == 0)
			capitals = (unsigned)strlen(short_forms[i]);
	for (char *p = title; p < title + capitals; p++)
		if (*p >= 'a' && *p <= 'z')
			*p = (char)(*p - 'a' + 'A');
	for (char *p = title; *p; p++)
		if (*p == '_')
			*p = ' ';
	jw_str(w, "title", title);
}

static void put_object_table(
	struct jw *w, const char *key, const json_t *list, const json_t *properties)
{
	json_t *columns = columns_of(list, properties), *value;
	const char *name;
	size_t n = json_array_size(list);

	jw_object(w, NULL, false);
	jw_str(w, "key", key);
	put_title(w, key);
	jw_bool(w, "open", strcmp(key, "flows") == 0 || strcmp(key, "groups") == 0);
	jw_array(w, "columns", false);
	json_object_foreach(columns, name, value) put_column(w, name, value);
	jw_end(w);
	put_rows(w, list, columns);
	jw_u64(w, "left_out", n > ROWS ? n - ROWS : 0);
	jw_end(w);
	json_decref(columns);
}

// The single objects, "total" and "instrument", are tables with a row for each figure.
static void put_single(struct jw *w, const char *key, const json_t *o, const json_t *properties)
{
	static const char *const names[] = {"figure", "value", "unit", "meaning"};
	const char *name;
	json_t *value;

	jw_object(w, NULL, false);
	jw_str(w, "key", key);
	put_title(w, key);
	jw_bool(w, "open", false);
	jw_array(w, "columns", false);
	for (unsigned i = 0; i < 4; i++) {
		jw_object(w, NULL, true);
		jw_str(w, "name", names[i]);
		jw_str(w, "unit", "");
		jw_str(w, "meaning", "");
		jw_end(w);
	}
	jw_end(w);
	jw_array(w, "rows", false);
	json_object_foreach((json_t *)o, name, value)
	{
		jw_array(w, NULL, true);
		jw_str(w, NULL, name);
		put_cell(w, value);
		meaning_put(w, json_object_get(properties, name), false);
		jw_end(w);
	}
	jw_end(w);
	jw_u64(w, "left_out", 0);
	jw_end(w);
}

void data_tables(struct jw *w, const struct saved *s)
{
	json_t *schema = meaning_schema(), *value;
	const char *key;

	jw_array(w, "tables", false);
	json_object_foreach((json_t *)saved_summary(s), key, value)
	{
		const json_t *members = meaning_members(schema, key);

		if (json_is_array(value) && json_is_object(json_array_get(value, 0)) &&
			strcmp(key, "warnings") != 0)
			put_object_table(w, key, value, members);
		else if (json_is_object(value) && strcmp(key, "verdicts") != 0)
			put_single(w, key, value, members);
	}
	jw_end(w);
	json_decref(schema);
}
