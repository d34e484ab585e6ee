// SPDX-License-Identifier: BSD-3-Clause
// The folder of a run: its contents, and the list of missing things.
#include "saved.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "int.h"
#include "report/report.h"

void saved_miss(struct saved *s, const char *fmt, ...)
{
	char line[ERR_TEXT];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	for (unsigned i = 0; i < s->n_missing; i++)
		if (strcmp(s->missing[i], line) == 0)
			return;
	if (s->n_missing == s->room_missing) {
		unsigned room = s->room_missing ? 2 * s->room_missing : 16;
		const char **more = realloc(s->missing, room * sizeof(*more));

		if (!more)
			return;
		s->missing = more;
		s->room_missing = room;
	}
	s->missing[s->n_missing] = arena_text(&s->arena, line, strlen(line));
	s->n_missing += s->missing[s->n_missing] ? 1 : 0;
}

void saved_miss_lines(struct saved *s, const char *file, const struct bad *bad)
{
	if (bad->n)
		saved_miss(s,
			"%s has %llu line%s that cannot be read, the first of which is line %llu.",
			file, (unsigned long long)bad->n, plural(bad->n),
			(unsigned long long)bad->first);
}

const char *saved_missing(const struct saved *s, unsigned i)
{
	return i < s->n_missing ? s->missing[i] : NULL;
}

// Loads one of the two files that a run's folder must have. NULL with a line if it is missing.
static json_t *load_json(struct saved *s, const char *file)
{
	char *path = arena_format(&s->arena, "%s/%s", s->dir, file);
	struct stat st;
	struct err err;
	json_error_t at;
	json_t *j;

	if (!path)
		return NULL;
	if (infile_check(path, &err)) {
		saved_miss(s, access(path, F_OK) ? "%s is missing." : "%s cannot be read.", file);
		return NULL;
	}
	j = json_load_file(path, 0, &at);
	if (!j && !stat(path, &st) && !st.st_size) {
		saved_miss(s, "%s is empty.", file);
	} else if (!j) {
		saved_miss(s, "%s is broken: line %d, %s.", file, at.line, at.text);
	} else if (!json_is_object(j)) {
		saved_miss(s, "%s is broken: it is not a JSON object.", file);
		json_decref(j);
		j = NULL;
	}
	return j;
}

// Reads an instant that a file gives in us; returns `none` if it is missing.
static tstamp instant(const json_t *j, const char *key, tstamp none)
{
	double us = saved_number(j, key);

	return us >= 0 && us < 1e12 ? (tstamp)llround(us * 1e6) : none;
}

// The types of events that were asked for, as `record.events` of the scenario names them.
static uint64_t recorded(const struct saved *s)
{
	const json_t *resolved = json_object_get(s->manifest, "resolved");
	const json_t *events = json_object_get(json_object_get(resolved, "record"), "events");
	uint64_t all = 0, types = 0;
	const json_t *one;
	size_t i;

	for (unsigned t = 1; t < EV_TYPES; t++)
		if (ev_row[t].name && ev_row[t].use & EV_USE_FILE)
			all |= 1ull << t;
	if (json_is_string(events))
		return strcmp(json_string_value(events), "all") == 0 ? all : 0;
	json_array_foreach(events, i, one)
	{
		const char *name = json_is_string(one) ? json_string_value(one) : "";

		if (strcmp(name, "all") == 0)
			types |= all;
		for (unsigned t = 1; t < EV_TYPES; t++)
			if (ev_row[t].name && strcmp(ev_row[t].name, name) == 0)
				types |= 1ull << t;
	}
	return types;
}

bool saved_left_out(const struct saved *s, const char *file)
{
	const json_t *list = json_object_get(s->manifest, "not_recorded"), *one;
	size_t i;

	json_array_foreach(list, i,
		one) if (json_is_string(one) && strstr(json_string_value(one), file)) return true;
	return false;
}

// Lists the losses and omissions that the run itself reports.
static void tell_losses(struct saved *s)
{
	const json_t *schema = json_object_get(s->summary, "schema");
	const json_t *list, *one;
	const char *key;
	size_t i;
	double until;

	if (s->summary && json_integer_value(schema) != REPORT_SCHEMA)
		saved_miss(s,
			"summary.json has schema %lld, and this program knows %d: "
			"figures that have another name there are not shown.",
			(long long)json_integer_value(schema), REPORT_SCHEMA);
	if (json_is_true(json_object_get(s->manifest, "interrupted")) ||
		json_is_true(json_object_get(s->summary, "interrupted")))
		saved_miss(s, "The run was interrupted at %.3f us.", (double)s->end / PS_PER_US);
	list = json_object_get(s->manifest, "missing");
	json_array_foreach(list, i, one) if (json_is_string(one)) saved_miss(
		s, "The run could not write a file to its end: %s.", json_string_value(one));
	list = json_object_get(s->manifest, "not_recorded");
	json_array_foreach(list, i, one) if (json_is_string(one))
		saved_miss(s, "Not recorded: %s.", json_string_value(one));
	list = json_object_get(s->manifest, "events_limited");
	json_object_foreach((json_t *)list, key, one)
		saved_miss(s, "record.rate left out %lld events of type %s.",
			(long long)json_integer_value(one), key);
	until = json_number_value(json_object_get(s->summary, "recorded_until_us"));
	if (until > 0)
		saved_miss(s, "Recording stopped at %.3f us, where the limit was reached.", until);
}

static const char *scenario_name(const struct saved *s)
{
	const char *name = saved_text(s->manifest, "name");

	return *name ? name : saved_text(s->summary, "name");
}

static bool is_there(const struct saved *s, const char *file)
{
	char path[PATH_MAX];

	return snprintf(path, sizeof(path), "%s/%s", s->dir, file) < PATH_MAX &&
	       access(path, F_OK) == 0;
}

// Neither of the two files could be read.
static void no_run(const struct saved *s, struct err *err)
{
	const char *first = saved_missing(s, is_there(s, "manifest.json") ? 0 : 1);

	if (first && (is_there(s, "manifest.json") || is_there(s, "summary.json")))
		err_set(err, -EINVAL, "%s: the run in this folder cannot be read: %s", s->dir,
			first);
	else
		err_set(err, -EINVAL,
			"%s: no folder of a run; "
			"one has manifest.json and summary.json, as runs/latest has",
			s->dir);
}

int saved_open(struct saved **out, const char *dir, struct err *err)
{
	struct saved *s = calloc(1, sizeof(*s));
	struct stat st;

	if (!s)
		return err_set(err, -ENOMEM, "%s: no memory", dir);
	s->dir = arena_text(&s->arena, dir, strlen(dir));
	if (!s->dir || stat(dir, &st) || !S_ISDIR(st.st_mode)) {
		int why = !s->dir ? ENOMEM : stat(dir, &st) ? errno : ENOTDIR;

		saved_close(s);
		return err_set(err, -why, "%s: %s; give the folder of a run, as in runs/latest",
			dir, strerror(why));
	}
	if (access(dir, R_OK | X_OK)) {
		int why = errno;

		saved_close(s);
		return err_set(err, -why, "%s: %s", dir, strerror(why));
	}
	s->manifest = load_json(s, "manifest.json");
	s->summary = load_json(s, "summary.json");
	if (!s->manifest && !s->summary) {
		no_run(s, err);
		saved_close(s);
		return -EINVAL;
	}
	s->name = scenario_name(s);
	s->end = instant(s->manifest, "end_us", instant(s->summary, "window_to_us", 0));
	s->from = instant(s->summary, "window_from_us", instant(s->manifest, "warmup_us", 0));
	s->to = instant(s->summary, "window_to_us", s->end);
	s->recorded = recorded(s);
	tell_losses(s);
	*out = s;
	return 0;
}

void saved_close(struct saved *s)
{
	if (!s)
		return;
	saved_events_close(s);
	saved_series_close(s);
	lexicon_fini(&s->events.types);
	lexicon_fini(&s->objects);
	lexicon_fini(&s->flows);
	lexicon_fini(&s->lines);
	json_decref(s->manifest);
	json_decref(s->summary);
	free(s->missing);
	free(s->peer);
	arena_free(&s->arena);
	free(s);
}

const char *saved_dir(const struct saved *s)
{
	return s->dir;
}

const char *saved_name(const struct saved *s)
{
	return s->name;
}

const json_t *saved_manifest(const struct saved *s)
{
	return s->manifest;
}

const json_t *saved_summary(const struct saved *s)
{
	return s->summary;
}

void saved_drop_summary(struct saved *s)
{
	json_decref(s->summary);
	s->summary = NULL;
}

double saved_number(const json_t *object, const char *key)
{
	const json_t *v = json_object_get(object, key);

	return json_is_number(v) ? json_number_value(v) : NAN;
}

const char *saved_text(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text ? text : "";
}

tstamp saved_end(const struct saved *s)
{
	return s->end;
}

void saved_window(const struct saved *s, tstamp *from, tstamp *to)
{
	*from = s->from;
	*to = s->to;
}
