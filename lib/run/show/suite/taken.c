// SPDX-License-Identifier: BSD-3-Clause
// The result of a row from the folder of its run (summary.json) or of its probe (probe.json).
#include <limits.h>
#include <math.h>
#include <string.h>

#include "saved/saved.h"
#include "suite.h"

static json_t *load(const char *folder, const char *file)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", folder, file);
	return json_load_file(path, 0, NULL);
}

// A text that lasts as long as the sheet; NULL for an empty one.
static const char *keep(struct suite_sheet *s, const char *text)
{
	return *text ? arena_text(&s->arena, text, strlen(text)) : NULL;
}

bool suite_make_lines(struct suite_sheet *s, struct suite_row *r, size_t n)
{
	r->n = 0;
	r->why = NULL;
	r->line = arena_get(&s->arena, (n ? n : 1) * sizeof(*r->line));
	return r->line != NULL;
}

static enum suite_verdict verdict_of(const char *word)
{
	for (enum suite_verdict v = SUITE_PASS; v <= SUITE_FAIL; v++)
		if (!strcmp(word, suite_verdict_name[v]))
			return v;
	return SUITE_NOT_JUDGED;
}

static double limit_of(const json_t *c, const char *key, double none)
{
	double v = saved_number(c, key);

	return isnan(v) ? none : v;
}

// The fault of our own ports that makes a run no measurement; NULL: there was none.
static const char *fault_of(const json_t *summary)
{
	const json_t *instrument = json_object_get(summary, "instrument");

	if (json_is_true(json_object_get(instrument, "timing_broken")))
		return "our own loops were late";
	if (saved_number(json_object_get(summary, "verdicts"), "instrument_lost") > 0)
		return "our own ports lost frames";
	if (saved_number(instrument, "events_lost") > 0)
		return "events were lost";
	return NULL;
}

// Whether a criterion that every run has belongs in the sheet: only if it does not hold. Frames
// that are not conserved are a fault of the instrument.
static bool is_shown(const json_t *c)
{
	return *saved_text(c, "figure") || strcmp(saved_text(c, "verdict"), "PASS") != 0;
}

static bool is_ours(const json_t *c)
{
	const char *name = saved_text(c, "name");

	return !strcmp(name, "conserved") || !strcmp(name, "pool_missing");
}

static void take_criterion(
	struct suite_sheet *s, struct suite_row *r, const json_t *c, const char *fault)
{
	struct suite_line *l = &r->line[r->n++];

	*l = (struct suite_line){.figure = keep(s, saved_text(c, "name")),
		.min = limit_of(c, "min", -INFINITY),
		.max = limit_of(c, "max", INFINITY),
		.value = saved_number(c, "value"),
		.half = NAN,
		.verdict = verdict_of(saved_text(c, "verdict")),
		.why = keep(s, saved_text(c, "why"))};
	if (l->verdict == SUITE_FAIL && (fault || is_ours(c)))
		l->verdict = SUITE_INVALID;
	if (l->verdict == SUITE_INVALID && !l->why)
		l->why = fault ? fault : "our instrument was at fault";
	if (l->verdict == SUITE_NOT_JUDGED && !l->why)
		l->why = "our ports do not show it";
}

static bool take_run(struct suite_sheet *s, struct suite_row *r, const json_t *summary)
{
	const json_t *all = json_object_get(json_object_get(summary, "verdicts"), "criteria"), *c;
	const char *fault = fault_of(summary);
	size_t i;

	if (!json_is_false(json_object_get(summary, "interrupted")) ||
		!suite_make_lines(s, r, json_array_size(all)))
		return false;
	json_array_foreach(all, i, c) if (is_shown(c)) take_criterion(s, r, c, fault);
	r->scene_s = saved_number(summary, "window_to_us") / 1e6;
	suite_judge(r);
	if (!r->n)
		r->why = "the scenario expects nothing";
	return true;
}

// The verdict of a figure that the probe held against a configuration.
static enum suite_verdict configured_verdict(const char *word)
{
	static const char *const passed[] = {"PASS", "WITHIN", "AT LEAST", "AT MOST", "NONE UP TO"};

	for (unsigned i = 0; i < sizeof(passed) / sizeof(passed[0]); i++)
		if (!strcmp(word, passed[i]))
			return SUITE_PASS;
	return verdict_of(word);
}

static bool is_state(const json_t *f, const char *state)
{
	return !strcmp(saved_text(f, "state"), state);
}

// Returns why a figure has no value that can be judged; NULL: it has one.
static const char *unknown(const json_t *f)
{
	const char *why = saved_text(f, "why");

	if (is_state(f, "varies"))
		return "repeats differ";
	if (is_state(f, "others"))
		return "somebody else sent meanwhile";
	if (is_state(f, "not_measured") || is_state(f, "invalid"))
		return *why ? why : "it was not measured";
	return NULL;
}

static void judge_configured(struct suite_sheet *s, struct suite_line *l, const json_t *f)
{
	const json_t *configured = json_object_get(f, "configured");
	const char *verdict = saved_text(f, "verdict"), *why = unknown(f);

	l->min = l->max = saved_number(f, "configured");
	l->verdict = configured ? configured_verdict(verdict) : SUITE_NOT_JUDGED;
	if (!configured)
		l->why = "no configuration has a value for it";
	else if (l->verdict == SUITE_FAIL && json_is_string(configured))
		l->why = arena_format(&s->arena, "%s is configured", json_string_value(configured));
	else if (l->verdict == SUITE_NOT_JUDGED || l->verdict == SUITE_INVALID)
		l->why = why ? keep(s, why) : NULL;
	else if (is_state(f, "at_least"))
		l->why = "it is this at least";
	else if (is_state(f, "at_most"))
		l->why = "it is this at most";
}

// A value is beyond a limit only if its whole interval is.
static void judge_limits(struct suite_line *l, const json_t *f)
{
	double half = isnan(l->half) ? 0 : l->half;
	bool over = l->value - half > l->max, under = l->value + half < l->min;

	if (is_state(f, "at_least"))
		under = false;
	else if (is_state(f, "at_most"))
		over = false;
	l->verdict = over || under || isnan(l->value) ? SUITE_FAIL : SUITE_PASS;
}

// Whether a figure is the wanted word; a number is no word.
static bool is_wanted(const struct suite_line *l, const struct suite_line *want)
{
	if (!l->seen)
		return want->never && !isnan(l->value);
	return (strcmp(l->seen, want->seen) == 0) != want->never;
}

// Judges one figure of a class or of the device by a criterion of the row.
static void judge_figure(struct suite_sheet *s, struct suite_line *l, const struct suite_line *want,
	const json_t *f, const json_t *group)
{
	const json_t *value = json_object_get(f, "value");
	const char *why = unknown(f);

	l->value = saved_number(f, "value");
	l->half = saved_number(f, "half_width");
	l->seen = json_is_string(value)   ? keep(s, json_string_value(value))
		  : is_state(f, "none")   ? "none"
		  : is_state(f, "varies") ? "varies"
					  : NULL;
	if (is_state(f, "at_least") || is_state(f, "at_most"))
		l->half = NAN;
	if (want->any) {
		judge_configured(s, l, f);
		return;
	}
	if (want->why)
		l->max = saved_number(json_object_get(group, want->why), "value");
	if (why) {
		l->verdict = is_state(f, "invalid") ? SUITE_INVALID : SUITE_NOT_JUDGED;
		l->why = keep(s, why);
	} else if (want->seen) {
		l->verdict = is_wanted(l, want) ? SUITE_PASS : SUITE_FAIL;
	} else if (want->why && isnan(l->max)) {
		l->max = INFINITY;
		l->verdict = SUITE_NOT_JUDGED;
		l->why = arena_format(&s->arena, "%s was not found", want->why);
	} else {
		judge_limits(l, f);
	}
}

// Adds a line if the class (NULL: the device) has the figure.
static bool take_figure(struct suite_sheet *s, struct suite_row *r, const struct suite_line *want,
	const json_t *group, const char *cls)
{
	const json_t *f = json_object_get(group, want->figure);
	struct suite_line *l = &r->line[r->n];

	if (!f)
		return false;
	*l = *want;
	l->why = NULL;
	l->figure = cls ? arena_format(&s->arena, "class %s %s", cls, want->figure) : want->figure;
	if (want->seen)
		l->figure = arena_format(&s->arena, "%s %s %s", l->figure,
			want->never ? "is not" : "is", want->seen);
	if (want->why)
		l->figure = arena_format(&s->arena, "%s below %s", l->figure, want->why);
	judge_figure(s, l, want, f, group);
	r->n++;
	return true;
}

static bool is_configured(const json_t *group, const struct suite_line *want)
{
	return json_object_get(json_object_get(group, want->figure), "configured") != NULL;
}

// Whether a class of the device has a configured value of a figure that is judged by it. Then the
// sheet does not show the classes without one.
static bool any_is_configured(json_t *classes, const struct suite_line *want)
{
	const char *cls;
	json_t *group;

	json_object_foreach(
		classes, cls, group) if (want->any && is_configured(group, want)) return true;
	return false;
}

static void take_want(struct suite_sheet *s, struct suite_row *r, const struct suite_line *want,
	const json_t *probe)
{
	json_t *classes = json_object_get(probe, "classes"), *group;
	bool any = take_figure(s, r, want, json_object_get(probe, "figures"), NULL);
	bool configured = any_is_configured(classes, want);
	const char *cls;

	json_object_foreach(classes, cls, group) if (!configured || is_configured(group, want))
		any |= take_figure(s, r, want, group, cls);
	if (any)
		return;
	r->line[r->n] = *want;
	r->line[r->n].value = NAN;
	r->line[r->n].seen = NULL;
	r->line[r->n].verdict = SUITE_NOT_JUDGED;
	r->line[r->n++].why = "no class of the device has this figure";
}

static bool take_probe(struct suite_sheet *s, struct suite_row *r, const json_t *probe)
{
	size_t classes = json_object_size(json_object_get(probe, "classes"));

	if (!json_is_false(json_object_get(probe, "interrupted")) ||
		!suite_make_lines(s, r, r->n_want * (classes + 1)))
		return false;
	for (unsigned i = 0; i < r->n_want; i++)
		take_want(s, r, &r->want[i], probe);
	r->scene_s = saved_number(probe, "scene_time_us") / 1e6;
	suite_judge(r);
	return true;
}

bool suite_take(struct suite_sheet *s, struct suite_row *r, const char *folder)
{
	json_t *doc = NULL;
	bool whole;

	if (r->search)
		return suite_take_search(s, r, folder);
	doc = load(folder, r->step ? "probe.json" : "summary.json");
	whole = doc && (r->step ? take_probe(s, r, doc) : take_run(s, r, doc));
	json_decref(doc);
	return whole;
}
