// SPDX-License-Identifier: BSD-3-Clause
// manifest.json of the whole run: first the common values of all parts, then each part.
#include <errno.h>
#include <math.h>
#include <string.h>

#include "int.h"

// Sentences of a list of every part, each once and with the part that says it.
static int gather(const struct merge *m, json_t *to, const char *list)
{
	const json_t *line;
	size_t i;
	int rc = 0;

	for (unsigned p = 0; p < m->n; p++)
		json_array_foreach(json_object_get(m->part[p].manifest, list), i, line) rc |=
			json_array_append_new(to,
				json_sprintf("%s (%s)", json_string_value(line), m->part[p].name));
	return rc;
}

static int put_list(json_t *j, const char *key, json_t *list)
{
	if (json_array_size(list))
		return json_object_set_new(j, key, list);
	json_decref(list);
	return 0;
}

// The files of a part's folder that only that folder can show.
static int left_there(const struct merge *m, json_t *list)
{
	const json_t *flag;
	int rc = 0;

	for (unsigned p = 0; p < m->n; p++) {
		const json_t *resolved = json_object_get(m->part[p].manifest, "resolved");
		const json_t *ports = json_object_get(resolved, "ports"), *port;
		const char *name;
		bool captures = false;

		json_object_foreach((json_t *)ports, name, port)
		{
			flag = json_object_get(port, "capture");
			captures |= json_is_true(flag) && cut_owner(m, name, false) == p;
		}
		if (captures)
			rc |= json_array_append_new(
				list, json_sprintf("capture.pcapng: it stays in the folder of %s",
					      m->part[p].name));
	}
	return rc;
}

static json_t *parts(const struct merge *m)
{
	json_t *list = json_array();
	int rc = !list;

	for (unsigned p = 0; p < m->n; p++) {
		const json_t *of = m->part[p].manifest;
		json_t *o = json_object();

		rc |= !o || json_object_set_new(o, "part", json_string(m->part[p].name));
		rc |= json_object_set_new(
			o, "nodes", json_deep_copy(json_object_get(of, "part_nodes")));
		rc |= json_take(o, "version", of);
		rc |= json_take(o, "end_us", of);
		rc |= json_take(o, "interrupted", of);
		rc |= json_array_append_new(list, o);
	}
	return rc ? NULL : list;
}

// All that may differ from machine to machine.
static json_t *here(const struct merge *m, const char *command)
{
	json_t *o = json_object(), *list = json_array();
	int rc = !o || json_object_set_new(o, "command", json_string(command));

	for (unsigned p = 0; p < m->n; p++) {
		json_t *of = json_deep_copy(json_object_get(m->part[p].manifest, "here"));

		if (!json_is_object(of)) {
			json_decref(of);
			of = json_object();
		}
		rc |= json_object_set_new(of, "folder", json_string(m->part[p].dir));
		rc |= json_array_append_new(list, of);
	}
	rc |= json_object_set_new(o, "parts", list);
	return rc ? NULL : o;
}

static void set_times(const struct merge *m, json_t *j)
{
	bool interrupted = false;
	double end = 0;

	for (unsigned p = 0; p < m->n; p++) {
		end = fmax(end, saved_number(m->part[p].manifest, "end_us"));
		interrupted |= json_is_true(json_object_get(m->part[p].manifest, "interrupted"));
	}
	json_set(j, "end_us", end, 6);
	json_object_set_new(j, "interrupted", json_boolean(interrupted));
}

// Members of the first part's that are not the whole run's.
static const char *const own[] = {"part", "part_nodes", "crash", "link_loss", "device_gone",
	"no_link", "missing", "not_recorded", "events_limited", "here"};

int manifest_write(const struct merge *m, const char *dir, const char *command, struct err *err)
{
	static const char *const whole[] = {
		"crash", "link_loss", "device_gone", "no_link", "events_limited"};
	json_t *j = json_deep_copy(m->part[0].manifest);
	json_t *missing = json_array(), *left = json_array();
	int rc = !j || !missing || !left;

	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
		json_object_del(j, own[i]);
	for (size_t i = 0; i < sizeof(whole) / sizeof(whole[0]); i++)
		if (json_object_get(m->summary, whole[i]))
			rc |= json_object_set(j, whole[i], json_object_get(m->summary, whole[i]));
	set_times(m, j);
	rc |= json_object_set_new(j, "parts", parts(m));
	rc |= gather(m, missing, "missing") | json_array_extend(missing, m->lost);
	rc |= gather(m, left, "not_recorded") | left_there(m, left);
	rc |= put_list(j, "missing", missing) | put_list(j, "not_recorded", left);
	rc |= json_object_set_new(j, "here", here(m, command));
	rc = rc ? err_set(err, -ENOMEM, "no memory for manifest.json")
		: json_file(j, dir, "manifest.json", err);
	json_decref(j);
	return rc;
}
