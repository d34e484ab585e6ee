// SPDX-License-Identifier: BSD-3-Clause
// Reads a device's counters: `{"s1:h1": {"SAI_PORT_STAT_...": 1}, "s1:h1:3": {...}}`, or a dump of
// SONiC's COUNTERS_DB. A member `ports` gives the device's names of ports.
#include "counters.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define COUNTERS_NAME 128

static int read_file(json_t **root, const char *path, struct err *err)
{
	json_error_t at;
	FILE *f = fopen(path, "r");

	if (!f)
		return err_set(err, -errno, "%s: %s", path, strerror(errno));
	*root = json_loadf(f, JSON_REJECT_DUPLICATES, &at);
	fclose(f);
	if (!*root)
		return err_set(err, -EINVAL, "%s:%d:%d: counters as JSON are wanted: %s", path,
			at.line, at.column, at.text);
	if (json_is_object(*root) && json_object_size(*root))
		return 0;
	json_decref(*root);
	*root = NULL;
	return err_set(err, -EINVAL,
		"%s: an object is wanted that has the counters of each port by its name", path);
}

int verdict_counters_check(const char *path, struct err *err)
{
	json_t *root;
	int rc = read_file(&root, path, err);

	if (!rc)
		json_decref(root);
	return rc;
}

void counters_read(struct counters *c, const struct scene *s)
{
	struct err err = {0};

	*c = (struct counters){0};
	for (unsigned i = 0; i < 2 && s->counters[i] && !*c->error; i++) {
		c->path[i] = s->counters[i];
		if (read_file((json_t **)&c->file[i], s->counters[i], &err))
			snprintf(c->error, sizeof(c->error), "%s", err.text);
	}
}

void counters_free(struct counters *c)
{
	json_decref(c->file[0]);
	json_decref(c->file[1]);
}

// The device's name of a port: what `ports` says, else the scenario's.
static const char *name_in(const struct counters *c, const char *port)
{
	const char *name = NULL;

	for (unsigned i = 0; i < 2 && !name; i++)
		name = json_string_value(
			json_object_get(json_object_get(c->file[i], "ports"), port));
	return name ? name : port;
}

// The member of a dump's table, whose fields are in `value`.
static const json_t *in_table(const json_t *root, const char *table, const char *name)
{
	return json_object_get(json_object_get(json_object_get(root, table), "value"), name);
}

// The counter of a thing in a file: the thing is there by its name, or by one of SONiC's maps.
// `known`: the thing is there.
static const json_t *find(const json_t *root, const char *name, const char *counter, bool *known)
{
	static const char *const map[] = {
		"COUNTERS_PORT_NAME_MAP", "COUNTERS_QUEUE_NAME_MAP", "COUNTERS_PG_NAME_MAP"};
	const json_t *thing = json_object_get(root, name), *found = json_object_get(thing, counter);

	*known = thing;
	for (unsigned i = 0; i < sizeof(map) / sizeof(map[0]) && !found; i++) {
		const char *oid = json_string_value(in_table(root, map[i], name));
		char key[COUNTERS_NAME];

		if (!oid)
			continue;
		*known = true;
		snprintf(key, sizeof(key), "COUNTERS:%s", oid);
		found = in_table(root, key, counter);
	}
	return found;
}

static bool read_number(const json_t *value, double *to)
{
	const char *text = json_string_value(value);
	char *end = "x";

	if (json_is_integer(value)) {
		*to = (double)json_integer_value(value);
		return *to >= 0;
	}
	if (text && *text >= '0' && *text <= '9')
		*to = (double)strtoull(text, &end, 10);
	return !*end;
}

static double refuse(struct counters *c, const char *text)
{
	if (!*c->error)
		snprintf(c->error, sizeof(c->error), "%s", text);
	return NAN;
}

double counters_value(
	struct counters *c, const char *port, int cls, const char *counter, bool level)
{
	const char *own = name_in(c, port);
	char name[COUNTERS_NAME], text[ERR_TEXT];
	double value[2];

	if (!c->file[1] || *c->error)
		return NAN;
	snprintf(name, sizeof(name), cls < 0 ? "%s" : "%s:%d", own, cls);
	for (unsigned i = 0; i < 2; i++) {
		bool known, port_known;
		const json_t *found = find(c->file[i], name, counter, &known);

		find(c->file[i], own, counter, &port_known);
		if (!port_known) {
			snprintf(text, sizeof(text),
				"%s: the counters are of another device: there is no port '%s'; "
				"name it so, or map it in \"ports\": {\"%s\": its name}",
				c->path[i], own, port);
			return refuse(c, text);
		}
		if (!found)
			return NAN;
		if (!read_number(found, &value[i])) {
			snprintf(text, sizeof(text), "%s: %s of %s is no number of 0 or more",
				c->path[i], counter, name);
			return refuse(c, text);
		}
	}
	if (level)
		return value[1];
	if (value[1] < value[0]) {
		snprintf(text, sizeof(text),
			"%s: %s of %s fell from %.0f to %.0f; the device was reset, or the files "
			"are in the wrong order",
			c->path[1], counter, name, value[0], value[1]);
		return refuse(c, text);
	}
	return value[1] - value[0];
}
