// SPDX-License-Identifier: BSD-3-Clause
// The criteria of the scenario (`expect`), judged by the knowledge of all parts. A figure of the
// run, or of an object that several parts report, is taken from the merged figures; any other
// figure from the one part that knows it.
#include <errno.h>
#include <math.h>
#include <string.h>

#include "int.h"
#include "summary/summary.h"
#include "verdict/verdict.h"

#define NAME 256

// A criterion of a part, which has not judged it; NULL: the part has no such.
static const json_t *of_part(const struct merge *m, unsigned part, const json_t *criterion)
{
	static const char *const member[] = {"name", "figure", "min", "max"};
	const json_t *list =
		json_object_get(json_object_get(m->part[part].summary, "verdicts"), "for_all");
	const json_t *c;
	size_t i;

	json_array_foreach(list, i, c)
	{
		bool same = true;

		for (unsigned k = 0; k < sizeof(member) / sizeof(member[0]); k++)
			same = same && json_equal((json_t *)json_object_get(c, member[k]),
					       (json_t *)json_object_get(criterion, member[k]));
		if (same)
			return c;
	}
	return NULL;
}

static double value_in(const json_t *criterion)
{
	return !strcmp(saved_text(criterion, "value"), "inf") ? INFINITY
							      : saved_number(criterion, "value");
}

// The value of the one part that knows it; NAN: none does, or several do.
static double value_of_one(const struct merge *m, const json_t *criterion)
{
	double value = NAN;
	unsigned n = 0;

	for (unsigned i = 0; i < m->n; i++) {
		double v = value_in(of_part(m, i, criterion));

		if (isnan(v))
			continue;
		value = v;
		n++;
	}
	return n == 1 ? value : NAN;
}

// The value at the busiest port, if the part that runs it names the same port.
static double value_at_bottleneck(const struct merge *m, const json_t *criterion)
{
	const char *port = saved_text(m->summary, "bottleneck");
	unsigned owner = cut_owner(m, port, false);

	if (owner >= m->n || strcmp(saved_text(m->part[owner].summary, "bottleneck"), port) != 0)
		return NAN;
	return value_in(of_part(m, owner, criterion));
}

static const json_t *main_group(const struct merge *m)
{
	const json_t *groups = json_object_get(m->summary, "groups"), *g, *most = NULL;
	size_t i;

	json_array_foreach(groups, i,
		g) if (!most || saved_number(g, "flows") > saved_number(most, "flows")) most = g;
	return most;
}

// An object of a list that several parts tell of, by its name in a path.
static const json_t *named_object(const struct merge *m, const char *key, const char *name)
{
	const json_t *o;
	size_t i;

	json_array_foreach(json_object_get(m->summary, key), i,
		o) if (!strcmp(saved_text(o, object_name(key)), name)) return o;
	return NULL;
}

// Writes the object's name in a path: "h1>r.0" of "flow.h1>r.0.fct_p99_us".
static bool name_in(const char *path, char name[NAME])
{
	const char *first = strchr(path, '.'), *last = strrchr(path, '.');

	if (!first || first == last)
		return false;
	return snprintf(name, NAME, "%.*s", (int)(last - first - 1), first + 1) < NAME;
}

// The value in the merged objects; NAN: they do not have it.
static double value_of_all(const struct merge *m, const char *path)
{
	char name[NAME];
	struct summary_row row;

	if (!strcmp(path, "deadlocks") || !strcmp(path, "warnings"))
		return (double)json_array_size(json_object_get(m->summary, path));
	if (!summary_figure_row(path, &row) || !row.key)
		return NAN;
	if (row.single)
		return saved_number(json_object_get(m->summary, row.key), row.figure);
	if (!strcmp(path, "jain") || !strncmp(path, "main.", strlen("main.")))
		return saved_number(main_group(m), row.figure);
	if (!object_name(row.key) || !name_in(path, name))
		return NAN;
	return saved_number(named_object(m, row.key, name), row.figure);
}

static double criterion_value(const struct merge *m, const json_t *criterion)
{
	const char *path = saved_text(criterion, "figure");
	double value;

	if (!strcmp(path, "utilization") || !strncmp(path, "bottleneck.", strlen("bottleneck.")))
		return value_at_bottleneck(m, criterion);
	value = value_of_all(m, path);
	return isnan(value) ? value_of_one(m, criterion) : value;
}

// How far the faults of the parts' instruments let a run be judged, by the same rules as for a part
// alone.
enum soundness { UNSOUND, LATE, SOUND };

static enum soundness soundness_of(const struct merge *m, const json_t *verdicts)
{
	for (unsigned i = 0; i < m->n; i++) {
		const json_t *of = m->part[i].manifest;

		if (json_object_get(of, "crash") || json_object_get(of, "link_loss") ||
			json_object_get(of, "device_gone") || json_object_get(of, "no_link") ||
			json_is_true(json_object_get(of, "interrupted")))
			return UNSOUND;
	}
	if (saved_number(verdicts, "instrument_lost") > 0)
		return UNSOUND;
	return json_is_true(
		       json_object_get(json_object_get(m->summary, "instrument"), "timing_broken"))
		       ? LATE
		       : SOUND;
}

static bool is_judged(enum soundness sound, const char *figure, bool holds)
{
	return sound == SOUND || (sound == LATE && holds && verdict_is_timeless(figure));
}

static int judge_merged(
	const struct merge *m, enum soundness sound, const json_t *criterion, json_t *criteria)
{
	const char *figure = saved_text(criterion, "figure"), *verdict = "INVALID";
	double lost = saved_number(json_object_get(m->summary, "instrument"), "events_lost");
	json_t *o = json_deep_copy(criterion);
	double value = criterion_value(m, criterion);
	double min = saved_number(o, "min"), max = saved_number(o, "max");
	bool holds =
		verdict_holds(value, isnan(min) ? -INFINITY : min, isnan(max) ? INFINITY : max);
	int rc = !o;

	if (is_judged(sound, figure, holds) && !isnan(value) && !verdict_lacks_events(lost, figure))
		verdict = holds ? "PASS" : "FAIL";
	if (isinf(value))
		rc |= json_object_set_new(o, "value", json_string("inf"));
	else
		json_set(o, "value", value, 6);
	rc |= json_object_set_new(o, "verdict", json_string(verdict));
	return json_array_append_new(criteria, o) || rc ? -ENOMEM : 0;
}

// Whether a part before this one has the criterion, too.
static bool was_judged(const struct merge *m, unsigned part, const json_t *criterion)
{
	for (unsigned i = 0; i < part; i++)
		if (of_part(m, i, criterion))
			return true;
	return false;
}

int expect_judge(const struct merge *m, const json_t *verdicts, json_t *criteria)
{
	enum soundness sound = soundness_of(m, verdicts);
	int rc = 0;

	for (unsigned p = 0; !rc && p < m->n; p++) {
		const json_t *list =
			json_object_get(json_object_get(m->part[p].summary, "verdicts"), "for_all");
		const json_t *c;
		size_t i;

		json_array_foreach(list, i, c) if (!rc && !was_judged(m, p, c)) rc =
			judge_merged(m, sound, c, criteria);
	}
	return rc;
}
