// SPDX-License-Identifier: BSD-3-Clause
// summary.json of the whole run.
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "int.h"

// Returns whether a member of the summary is not computed by adding up objects.
static bool is_head(const char *key)
{
	static const char *const keys[] = {"schema", "name", "seed", "interrupted", "crash",
		"link_loss", "device_gone", "no_link", "recorded_until_us", "events_limited",
		"window_from_us", "window_to_us", "bottleneck", "warnings", "verdicts"};

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (!strcmp(keys[i], key))
			return true;
	return false;
}

// Takes member `what` from the first part that has it, with the part's name: why it ended early.
static int ended(const struct merge *m, json_t *s, const char *what)
{
	for (unsigned i = 0; i < m->n; i++) {
		const char *line = saved_text(m->part[i].summary, what);

		if (*line)
			return json_object_set_new(
				s, what, json_sprintf("%s: %s", m->part[i].name, line));
	}
	return 0;
}

static void widen(const struct merge *m, json_t *s, const char *key, bool latest)
{
	double v = NAN;

	for (unsigned i = 0; i < m->n; i++) {
		double of = saved_number(m->part[i].summary, key);

		v = latest ? fmax(v, of) : fmin(v, of);
	}
	if (!isnan(v))
		json_set(s, key, v, 6);
}

// Counts by type, of all parts.
static int limited(const struct merge *m, json_t *s)
{
	json_t *all = json_object();
	int rc = !all;

	for (unsigned i = 0; i < m->n && !rc; i++) {
		const json_t *of = json_object_get(m->part[i].summary, "events_limited"), *n;
		const char *type;

		json_object_foreach((json_t *)of, type, n) rc |= json_object_set_new(all, type,
			json_integer(json_integer_value(json_object_get(all, type)) +
				     json_integer_value(n)));
	}
	if (rc || !json_object_size(all)) {
		json_decref(all);
		return rc;
	}
	return json_object_set_new(s, "events_limited", all);
}

static int put_run_members(const struct merge *m, json_t *s)
{
	const json_t *first = m->part[0].summary;
	bool interrupted = false;
	int rc = 0;

	for (unsigned i = 0; i < m->n; i++)
		interrupted |= json_is_true(json_object_get(m->part[i].summary, "interrupted"));
	rc |= json_take(s, "schema", first);
	rc |= json_object_set_new(s, "name", json_string(merge_name(m)));
	rc |= json_take(s, "seed", m->part[0].manifest);
	rc |= json_object_set_new(s, "interrupted", json_boolean(interrupted));
	rc |= ended(m, s, "crash") | ended(m, s, "link_loss") | ended(m, s, "device_gone") |
	      ended(m, s, "no_link") | limited(m, s);
	widen(m, s, "recorded_until_us", false);
	widen(m, s, "window_from_us", false);
	widen(m, s, "window_to_us", true);
	return rc;
}

// Returns the busiest port of all parts. Each part names its own; one that leaves a switch comes
// first.
static json_t *bottleneck(const struct merge *m, const json_t *s)
{
	const json_t *links = json_object_get(s, "links"), *link, *port;
	json_t *of_switches = json_object(), *named = json_object();
	const json_t *best = NULL;
	bool best_sw = false;
	double most = -1;
	size_t i;

	for (unsigned p = 0; p < m->n; p++)
		json_object_set_new(
			named, saved_text(m->part[p].summary, "bottleneck"), json_true());
	json_array_foreach(json_object_get(s, "switch_port_counters"), i, port)
		json_object_set_new(of_switches, saved_text(port, "port"), json_true());
	json_array_foreach(links, i, link)
	{
		const char *name = saved_text(link, "port");
		double busy = saved_number(link, "utilization_percent");
		bool sw = json_object_get(of_switches, name);

		if (!json_object_get(named, name) || sw < best_sw ||
			(sw == best_sw && !(busy > most)))
			continue;
		best = json_object_get(link, "port");
		best_sw = sw;
		most = busy;
	}
	json_decref(of_switches);
	json_decref(named);
	return best ? json_deep_copy(best) : json_null();
}

static int add_warnings(const struct merge *m, json_t *s)
{
	json_t *all = json_array(), *known = json_object();
	int rc = json_object_set_new(s, "warnings", all);

	for (unsigned p = 0; p < m->n && !rc; p++) {
		const json_t *w;
		size_t i;

		json_array_foreach(json_object_get(m->part[p].summary, "warnings"), i, w)
		{
			char *text = json_dumps(w, JSON_ENCODE_ANY | JSON_SORT_KEYS);

			rc |= !text;
			if (rc || json_object_get(known, text)) {
				free(text);
				continue;
			}
			rc |= json_object_set_new(known, text, json_true());
			rc |= json_array_append_new(all, json_deep_copy(w));
			free(text);
		}
	}
	json_decref(known);
	return rc;
}

// A member of a part's summary; one of another kind than in the other parts is left out.
static int add_member(const struct merge *m, unsigned part, const char *key, const json_t *value)
{
	json_t *has = json_object_get(m->summary, key);

	if (!has && json_is_array(value)) {
		has = json_array();
		if (json_object_set_new(m->summary, key, has))
			return -ENOMEM;
	}
	if (has && json_typeof(has) != json_typeof(value))
		return json_array_append_new(
			m->lost, json_sprintf("summary.json: `%s` is of another kind (%s)", key,
					 m->part[part].name));
	if (json_is_array(value))
		return object_add(has, key, value);
	if (has)
		return json_is_object(has) ? object_join(has, key, value) : 0;
	return json_object_set_new(m->summary, key, json_deep_copy(value));
}

// Puts the line of each part that broke its timing, with the part's name; if none did, the line of
// the part whose loops were worst.
static void say_timing(const struct merge *m, json_t *s)
{
	json_t *text = NULL;
	double most = -1;

	for (unsigned i = 0; i < m->n; i++) {
		const json_t *of = json_object_get(m->part[i].summary, "instrument");
		bool broken = json_is_true(json_object_get(of, "timing_broken"));
		double lost = broken ? INFINITY : saved_number(of, "loop_gap_max_us");
		const char *told = saved_text(of, "timing");
		json_t *longer;

		if (!(lost > most) && !broken)
			continue;
		if (!broken || most != INFINITY) {
			json_decref(text);
			text = NULL;
		}
		most = lost;
		if (!*told)
			continue;
		longer = json_sprintf("%s%s%s: %s", text ? json_string_value(text) : "",
			text ? "; " : "", m->part[i].name, told);
		json_decref(text);
		text = longer;
	}
	if (text)
		json_object_set_new(json_object_get(s, "instrument"), "timing", text);
}

static bool has_passed(const struct merge *m, const json_t *verdicts)
{
	const json_t *c;
	bool passed = json_is_true(json_object_get(verdicts, "conserved"));
	size_t i;

	json_array_foreach(json_object_get(verdicts, "criteria"), i, c) passed &=
		!strcmp(saved_text(c, "verdict"), "PASS");
	for (unsigned p = 0; p < m->n; p++)
		passed &= !json_object_get(m->part[p].manifest, "crash") &&
			  !json_object_get(m->part[p].manifest, "link_loss") &&
			  !json_is_true(json_object_get(m->part[p].manifest, "interrupted"));
	return passed;
}

int merge_summary(struct merge *m)
{
	json_t *s = json_object(), *verdicts;
	const json_t *value;
	const char *key;
	int rc = !s || put_run_members(m, s);

	m->summary = s;
	rc |= json_object_set_new(s, "bottleneck", json_null()); // takes its place
	rc |= add_warnings(m, s);
	rc |= json_object_set_new(s, "verdicts", json_null());
	for (unsigned i = 0; i < m->n && !rc; i++)
		json_object_foreach((json_t *)m->part[i].summary, key, value) if (!is_head(key))
			rc |= add_member(m, i, key, value);
	if (!rc && !json_is_array(json_object_get(s, "reconciliation")))
		rc = json_object_set_new(s, "reconciliation", json_array());
	if (rc)
		return -ENOMEM;
	if (object_end(s))
		return -ENOMEM;
	object_recompute(m, s);
	say_timing(m, s);
	if (json_object_set_new(s, "bottleneck", bottleneck(m, s)))
		return -ENOMEM;
	verdicts = verdict_of(m, json_object_get(s, "reconciliation"));
	if (!verdicts || json_object_set_new(s, "verdicts", verdicts))
		return -ENOMEM;
	m->passed = has_passed(m, verdicts);
	return 0;
}
