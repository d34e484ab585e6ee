// SPDX-License-Identifier: BSD-3-Clause
// The verdict sheet (measuring.md M10): every criterion with the measured value; as JSON and as
// JUnit's XML.
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "seen.h"

#define STANDING 4 // criteria that every run is asked, at most

static const char *const word[] = {
	[CRITERION_PASS] = "PASS",
	[CRITERION_FAIL] = "FAIL",
	[CRITERION_INVALID] = "INVALID",
	[CRITERION_UNSEEN] = "NOT JUDGED",
};

// Returns whether a value is within its bounds. Jain's index of equal shares is 1 only up to the
// last bits of a double, so there is some tolerance.
bool verdict_holds(double value, double min, double max)
{
	double low = min - 1e-9 * fabs(min), high = max + 1e-9 * fabs(max);

	return (value >= low || value >= min) && (value <= high || value <= max);
}

bool verdict_lacks_events(double events_lost, const char *figure)
{
	struct summary_row row;

	return events_lost > 0 && summary_figure_row(figure, &row) && row.of_events;
}

static const char late[] = "timing broken";

const char *verdict_unsound(const struct summary *s)
{
	const struct record_run *run = &s->run;

	if (run->interrupted)
		return "interrupted";
	if (*run->crash || *run->link_loss)
		return "ended early";
	if (*run->device_gone)
		return "device gone";
	if (*run->no_link)
		return "no link";
	if (s->lost_own)
		return "instrument lost frames";
	return run->timing_broken ? late : NULL;
}

bool verdict_is_timeless(const char *figure)
{
	struct summary_row row;

	return summary_figure_row(figure, &row) && row.timeless;
}

// Takes back that late loops of ours make the run unsound, where they could only have spoilt what
// holds.
static void forgive_late(struct criterion *c, bool holds)
{
	if (c->unsound == late && holds && verdict_is_timeless(c->figure))
		c->unsound = NULL;
}

// What cannot be judged: a figure that is not there, or lacks events; or a run that is not what was
// asked for.
static void judge_criterion(struct criterion *c, const struct summary *s)
{
	bool holds = verdict_holds(c->value, c->min, c->max);

	forgive_late(c, holds);
	if (!c->unsound && verdict_lacks_events((double)s->run.events_lost, c->figure))
		c->unsound = "events lost";
	if (isnan(c->value) || c->unsound)
		c->verdict = CRITERION_INVALID;
	else
		c->verdict = holds ? CRITERION_PASS : CRITERION_FAIL;
}

// Judges a criterion by what our ports or the device's counters tell of its figure. They may tell
// only a range: frames that were sent last and never came are lost, or the device has them.
static void judge_seen(struct criterion *c, const struct summary *s, struct counters *device)
{
	struct seen seen;
	bool low, high;

	if (!seen_figure(s, device, c->figure, &seen)) {
		judge_criterion(c, s);
		return;
	}
	c->value = seen.low == seen.high ? seen.low : NAN;
	snprintf(c->seen, sizeof(c->seen), "%s", seen.text);
	low = verdict_holds(seen.low, c->min, c->max);
	high = verdict_holds(seen.high, c->min, c->max);
	forgive_late(c, low && high);
	if (seen.why)
		c->verdict = CRITERION_UNSEEN;
	else if (c->unsound)
		c->verdict = CRITERION_INVALID;
	else if (low && high)
		c->verdict = CRITERION_PASS;
	else if (seen.low > c->max || seen.high < c->min)
		c->verdict = CRITERION_FAIL;
	else
		c->verdict = CRITERION_UNSEEN;
	if (c->verdict != CRITERION_UNSEEN && isnan(c->value))
		c->value = low ? seen.high : seen.low;
	if (seen.why)
		snprintf(c->why, sizeof(c->why), "%s", seen.why);
	else if (c->verdict == CRITERION_UNSEEN)
		snprintf(c->why, sizeof(c->why),
			"at least %.9g, and at most %.9g: the device has the other frames, or "
			"lost them",
			seen.low, seen.high);
}

static bool replays(const struct scene *s)
{
	for (unsigned i = 0; i < s->n_nodes; i++)
		if (s->node[i].replay)
			return true;
	return false;
}

// Judges frames that devices lost and that may have been lossless. There is no verdict if all of
// them are the instrument's own loss.
static enum criterion_verdict judge_lost(const struct summary *s)
{
	if (!s->lost_lossless)
		return CRITERION_PASS;
	return s->lost_lossless > s->lost_lossless_own ? CRITERION_FAIL : CRITERION_INVALID;
}

static void add_lost(struct verdict *v, const struct summary *s)
{
	if (s->set[KIND_DEVICE].n)
		v->criterion[v->n++] = (struct criterion){.name = "lossless_lost",
			.figure = "",
			.min = -INFINITY,
			.max = 0,
			.value = (double)s->lost_lossless,
			.verdict = judge_lost(s),
			.unsound = s->run.interrupted ? verdict_unsound(s) : NULL};
}

// A fault that hits no frame is probably a mistake of the scenario.
static void add_faults(struct verdict *v, const struct summary *s)
{
	unsigned never = fabric_faults_never_hit(s);

	if (s->set[KIND_FAULT].n)
		v->criterion[v->n++] = (struct criterion){.name = "faults_never_hit",
			.figure = "",
			.min = -INFINITY,
			.max = 0,
			.value = never,
			.verdict = !never               ? CRITERION_PASS
				   : s->run.interrupted ? CRITERION_INVALID
							: CRITERION_FAIL,
			.unsound = s->run.interrupted ? verdict_unsound(s) : NULL};
}

static struct criterion expected(const struct summary *s, const struct scene_expect *x)
{
	return (struct criterion){.name = x->name,
		.figure = x->figure,
		.min = x->min,
		.max = x->max,
		.value = summary_value(s, x->figure),
		.unsound = verdict_unsound(s)};
}

// Keeps the values of the scenario's criteria. A part sees only some of the traffic, so it cannot
// judge them itself.
static int keep_for_all(struct verdict *v, const struct summary *s, const struct scene *scene)
{
	v->for_all = calloc(scene->n_expects + 1, sizeof(*v->for_all));
	if (!v->for_all)
		return -ENOMEM;
	for (unsigned i = 0; i < scene->n_expects; i++)
		v->for_all[v->n_for_all++] = expected(s, &scene->expect[i]);
	return 0;
}

// Adds the criteria of every run. Frames that a device loses are judged by the scenario's criteria
// at our ports.
static void add_standing(struct verdict *v, const struct summary *s)
{
	const struct {
		const char *name;
		double min, max, value;
		bool asked;
	} standing[] = {
		{"conserved", 1, 1, s->run.conserved == 0, true},
		{"pool_missing", -INFINITY, 0, (double)s->run.pool_missing, true},
		{"lossless_drops_total", -INFINITY, 0, summary_value(s, "lossless_drops_total"),
			!s->rec->scene->dut},
		{"replay_unsent_frames", -INFINITY, 0, summary_value(s, "replay_unsent_frames"),
			replays(s->rec->scene)},
	};

	for (unsigned i = 0; i < STANDING; i++) {
		double value = standing[i].value;

		if (!standing[i].asked)
			continue;
		v->criterion[v->n++] = (struct criterion){.name = standing[i].name,
			.figure = "",
			.min = standing[i].min,
			.max = standing[i].max,
			.value = value,
			.verdict = value >= standing[i].min && value <= standing[i].max
					   ? CRITERION_PASS
					   : CRITERION_FAIL,
			.unsound = s->run.interrupted ? verdict_unsound(s) : NULL};
	}
}

// Judges what the scenario expects.
static void add_expected(struct verdict *v, const struct summary *s, const struct scene *scene)
{
	struct counters device;

	counters_read(&device, scene);
	for (unsigned i = 0; i < scene->n_expects; i++) {
		struct criterion *c = &v->criterion[v->n++];

		*c = expected(s, &scene->expect[i]);
		if (scene->dut)
			judge_seen(c, s, &device);
		else
			judge_criterion(c, s);
		v->unseen += c->verdict == CRITERION_UNSEEN;
		v->unexpected += c->verdict != CRITERION_PASS && c->verdict != CRITERION_UNSEEN;
	}
	memcpy(v->device_error, device.error, sizeof(v->device_error));
	counters_free(&device);
}

int verdict_make(struct verdict *v, const struct summary *s)
{
	const struct scene *scene = s->rec->scene;

	*v = (struct verdict){0};
	v->criterion = calloc(STANDING + 2 + scene->n_expects, sizeof(*v->criterion));
	if (!v->criterion)
		return -ENOMEM;
	add_standing(v, s);
	add_lost(v, s);
	add_faults(v, s);
	if (scene->part && scene->n_elsewhere)
		return keep_for_all(v, s, scene);
	add_expected(v, s, scene);
	return 0;
}

void verdict_free(struct verdict *v)
{
	free(v->criterion);
	free(v->for_all);
}

bool verdict_conserved(const struct summary *s)
{
	return !s->run.conserved && !s->run.pool_missing;
}

bool verdict_failed(const struct verdict *v, const struct summary *s)
{
	bool failed = !verdict_conserved(s) || *s->run.crash || *s->run.link_loss ||
		      (!s->rec->scene->dut && summary_value(s, "lossless_drops_total") > 0) ||
		      s->lost_lossless > s->lost_lossless_own ||
		      (!s->run.interrupted && fabric_faults_never_hit(s)) ||
		      summary_value(s, "replay_unsent_frames") > 0;

	for (unsigned i = 0; i < v->n && !failed; i++)
		failed = *v->criterion[i].figure && v->criterion[i].verdict == CRITERION_FAIL;
	return failed;
}

char *criterion_text(const struct criterion *c, char *buf, size_t size)
{
	snprintf(buf, size, "%s ", *c->figure ? c->figure : c->name);
	if (isnan(c->value))
		append_text(buf, size, *c->why ? "is not known" : "was not measured");
	else
		append_text(buf, size, "is %.9g", c->value);
	if (c->min == c->max)
		append_text(buf, size, "; %.9g was expected", c->min);
	else if (isinf(c->max))
		append_text(buf, size, "; at least %.9g was expected", c->min);
	else if (isinf(c->min))
		append_text(buf, size, "; at most %.9g was expected", c->max);
	else
		append_text(buf, size, "; %.9g to %.9g was expected", c->min, c->max);
	if (c->unsound)
		append_text(buf, size, " (%s)", c->unsound);
	else if (*c->why)
		append_text(buf, size, " (%s)", c->why);
	else if (*c->seen)
		append_text(buf, size, " (by %s)", c->seen);
	return buf;
}

// Writes the criterion's name, if it is not the figure's path, and its text.
static void told(const struct criterion *c, char *buf, size_t size)
{
	bool named = *c->figure && strcmp(c->name, c->figure) != 0;
	int n = named ? snprintf(buf, size, "%s: ", c->name) : 0;

	if ((size_t)n < size)
		criterion_text(c, buf + n, size - (size_t)n);
}

char *verdict_failure(const struct verdict *v, char *buf, size_t size)
{
	unsigned others = 0;

	*buf = 0;
	for (unsigned i = 0; i < v->n; i++) {
		if (v->criterion[i].verdict == CRITERION_PASS ||
			v->criterion[i].verdict == CRITERION_UNSEEN)
			continue;
		if (!*buf)
			told(&v->criterion[i], buf, size);
		else
			others++;
	}
	if (others)
		append_text(buf, size, " (and %u more)", others);
	return buf;
}

static void put_criteria(
	struct jw *w, const char *key, const struct criterion *list, unsigned n, bool judged)
{
	jw_array(w, key, false);
	for (unsigned i = 0; i < n; i++) {
		const struct criterion *c = &list[i];

		jw_object(w, NULL, true);
		jw_str(w, "name", c->name);
		jw_str(w, "figure", c->figure);
		jw_num(w, "min", c->min, 6);
		jw_num(w, "max", c->max, 6);
		if (isinf(c->value))
			jw_str(w, "value", "inf");
		else
			jw_num(w, "value", c->value, 6);
		if (judged)
			jw_str(w, "verdict", word[c->verdict]);
		if (judged && *c->seen)
			jw_str(w, "seen", c->seen);
		if (judged && *c->why)
			jw_str(w, "why", c->why);
		jw_end(w);
	}
	jw_end(w);
}

void verdict_put(struct jw *w, const struct verdict *v)
{
	put_criteria(w, "criteria", v->criterion, v->n, true);
	if (v->n_for_all)
		put_criteria(w, "for_all", v->for_all, v->n_for_all, false);
}

static void put_property(struct out *o, const char *name, const char *value)
{
	out_str(o, "    <property");
	junit_attribute(o, "name", name);
	junit_attribute(o, "value", value);
	out_str(o, "/>\n");
}

static unsigned count_criteria(const struct verdict *v, enum criterion_verdict verdict)
{
	unsigned n = 0;

	for (unsigned i = 0; i < v->n; i++)
		n += v->criterion[i].verdict == verdict;
	return n;
}

void verdict_junit_put(
	struct out *o, const struct verdict *v, const struct summary *s, const char *suite)
{
	static const enum junit_result became[] = {[CRITERION_PASS] = JUNIT_PASSED,
		[CRITERION_FAIL] = JUNIT_FAILURE,
		[CRITERION_INVALID] = JUNIT_ERROR,
		[CRITERION_UNSEEN] = JUNIT_SKIPPED};
	const struct scene *scene = s->rec->scene;
	char text[VERDICT_LINE], name[VERDICT_LINE];

	snprintf(name, sizeof(name), "%s%s", suite, s->run.interrupted ? " (interrupted)" : "");
	junit_suite(o, name, v->n, count_criteria(v, CRITERION_FAIL),
		count_criteria(v, CRITERION_INVALID), (double)s->run.end / 1e12);
	out_str(o, "  <properties>\n");
	put_property(o, "scenario", scene->name);
	put_property(o, "clock", s->run.clock);
	snprintf(text, sizeof(text), "%llu", (unsigned long long)scene->seed);
	put_property(o, "seed", text);
	out_str(o, "  </properties>\n");
	for (unsigned i = 0; i < v->n; i++)
		junit_case(o, suite, v->criterion[i].name, became[v->criterion[i].verdict],
			criterion_text(&v->criterion[i], text, sizeof(text)));
	junit_suite_end(o);
}
