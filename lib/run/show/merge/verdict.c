// SPDX-License-Identifier: BSD-3-Clause
// The verdicts of a run from those of its parts, and of the links that were cut.
#include <errno.h>
#include <math.h>
#include <string.h>

#include "int.h"

static const json_t *verdicts(const struct merge *m, unsigned part)
{
	return json_object_get(m->part[part].summary, "verdicts");
}

// The worse of two: FAIL, then INVALID.
static const char *worse(const char *a, const char *b)
{
	if (!strcmp(a, "FAIL") || !strcmp(b, "FAIL"))
		return "FAIL";
	return !strcmp(a, "PASS") && !strcmp(b, "PASS") ? "PASS" : "INVALID";
}

// Adds a criterion of one part; all parts have the same ones. `conserved` is 1 if it is so in all
// parts; the others are counts.
static int add_criterion(json_t *list, const json_t *c)
{
	const char *name = saved_text(c, "name");
	json_t *o;
	size_t i;

	json_array_foreach(list, i, o)
	{
		double a = saved_number(o, "value"), b = saved_number(c, "value");

		if (strcmp(saved_text(o, "name"), name) != 0)
			continue;
		json_set(o, "value", !strcmp(name, "conserved") ? fmin(a, b) : a + b, 6);
		return json_object_set_new(o, "verdict",
			json_string(worse(saved_text(o, "verdict"), saved_text(c, "verdict"))));
	}
	return json_array_append_new(list, json_deep_copy(c));
}

static int add_part(json_t *v, const struct merge *m, unsigned part)
{
	static const char *const sums[] = {
		"instrument_lost", "lossless_lost", "pool_size", "pool_missing", "link_frames"};
	json_t *criteria = json_object_get(v, "criteria"), *why = json_object_get(v, "why");
	const json_t *of = verdicts(m, part), *one;
	size_t i;
	int rc = 0;

	for (i = 0; i < sizeof(sums) / sizeof(sums[0]); i++) {
		const json_t *n = json_object_get(of, sums[i]);
		json_int_t sum = json_integer_value(json_object_get(v, sums[i]));

		if (n)
			rc |= json_object_set_new(
				v, sums[i], json_integer(sum + json_integer_value(n)));
	}
	json_array_foreach(json_object_get(of, "criteria"), i, one) rc |=
		add_criterion(criteria, one);
	json_array_foreach(json_object_get(of, "why"), i, one) rc |=
		json_array_append_new(why, json_deep_copy(one));
	return rc;
}

static bool all_are(const struct merge *m, const char *what)
{
	for (unsigned i = 0; i < m->n; i++)
		if (!json_is_true(json_object_get(verdicts(m, i), what)))
			return false;
	return true;
}

// The objects that are not conserved.
static json_t *conservation(const struct merge *m)
{
	char text[1024] = "";
	size_t at = 0;

	for (unsigned i = 0; i < m->n && at < sizeof(text); i++) {
		const char *line = saved_text(verdicts(m, i), "conservation");

		if (*line)
			at += (size_t)snprintf(text + at, sizeof(text) - at, "%s%s: %s",
				at ? "; " : "", m->part[i].name, line);
	}
	return json_string(text);
}

json_t *verdict_of(const struct merge *m, json_t *reconciliation)
{
	json_t *v = json_object(), *criteria = json_array();
	int rc = !v;

	rc |= json_object_set_new(v, "conserved", json_boolean(all_are(m, "conserved")));
	rc |= json_object_set_new(v, "conservation", conservation(m));
	rc |= json_object_set_new(v, "lossless", json_boolean(all_are(m, "lossless")));
	rc |= json_object_set_new(v, "criteria", criteria);
	rc |= json_object_set_new(v, "why", json_array());
	for (unsigned i = 0; i < m->n; i++)
		rc |= add_part(v, m, i);
	rc |= cut_links(m, reconciliation, criteria);
	rc |= expect_judge(m, v, criteria);
	if (!rc)
		return v;
	json_decref(v);
	return NULL;
}

static const json_t *criteria_of(const struct merge *m)
{
	return json_object_get(json_object_get(m->summary, "verdicts"), "criteria");
}

static unsigned count_criteria(const struct merge *m, const char *verdict)
{
	const json_t *c;
	unsigned n = 0;
	size_t i;

	json_array_foreach(criteria_of(m), i, c) n += !strcmp(saved_text(c, "verdict"), verdict);
	return n;
}

static void put_case(struct out *o, const char *suite, const json_t *c)
{
	const char *verdict = saved_text(c, "verdict");
	enum junit_result became = !strcmp(verdict, "PASS")   ? JUNIT_PASSED
				   : !strcmp(verdict, "FAIL") ? JUNIT_FAILURE
							      : JUNIT_ERROR;
	char text[256];

	snprintf(text, sizeof(text), "%s is %.9g; %.9g to %.9g was expected", saved_text(c, "name"),
		saved_number(c, "value"), saved_number(c, "min"), saved_number(c, "max"));
	junit_case(o, suite, saved_text(c, "name"), became, text);
}

int verdict_junit(const struct merge *m, const char *dir, struct err *err)
{
	const char *suite = merge_name(m);
	const json_t *c;
	char path[4096];
	struct out o;
	size_t i;
	int code;

	snprintf(path, sizeof(path), "%s/junit.xml", dir);
	code = out_open(&o, path, err);
	if (code)
		return code;
	out_str(&o, JUNIT_HEAD);
	junit_suite(&o, suite, (unsigned)json_array_size(criteria_of(m)), count_criteria(m, "FAIL"),
		count_criteria(m, "INVALID"), saved_number(m->summary, "window_to_us") / 1e6);
	json_array_foreach(criteria_of(m), i, c) put_case(&o, suite, c);
	junit_suite_end(&o);
	return out_close(&o, err);
}

// Writes the numbers behind the verdict on a link.
static void put_link(FILE *f, const json_t *row)
{
	const char *port = saved_text(row, "object");
	double missing = -saved_number(row, "delta"), way = saved_number(row, "tolerance");
	size_t len = strcspn(port, ":");

	fprintf(f, "link     %s to %.*s: ", port, (int)strcspn(port + len + 1, "."),
		port + len + 1);
	if (isnan(missing)) {
		fprintf(f, "INVALID, one end does not say what it has counted\n");
		return;
	}
	fprintf(f, "%s, %.0f frame%s sent, %.0f received", saved_text(row, "verdict"),
		saved_number(row, "sent"), plural((uint64_t)saved_number(row, "sent")),
		saved_number(row, "received"));
	if (missing > 0)
		fprintf(f, ", %.0f missing, of which at most %.0f were on their way", missing, way);
	else if (missing < 0)
		fprintf(f,
			", %.0f too many: others send on this cable, as the kernel does at an "
			"interface with IPv6 (`quench ports` says which)",
			-missing);
	if (!strcmp(saved_text(row, "verdict"), "INVALID"))
		fprintf(f, "; without `drain`, or where a part has ended early, frames are on "
			   "their way at the end");
	fprintf(f, "\n");
}

// Writes the reasons to doubt a part's figures, in the words of its own table.
static void put_doubts(const struct part *p, FILE *f)
{
	static const struct {
		const char *member, *word;
	} told[] = {{"device_gone", "DEVICE GONE"}, {"no_link", "NO LINK"}};
	const json_t *instrument = json_object_get(p->summary, "instrument");
	double lost = saved_number(json_object_get(p->summary, "verdicts"), "instrument_lost");

	for (size_t i = 0; i < sizeof(told) / sizeof(told[0]); i++)
		if (*saved_text(p->manifest, told[i].member))
			fprintf(f, "doubt    %s: %s: %s\n", p->name, told[i].word,
				saved_text(p->manifest, told[i].member));
	if (json_is_true(json_object_get(instrument, "timing_broken")))
		fprintf(f, "doubt    %s: TIMING BROKEN: %s\n", p->name,
			saved_text(instrument, "timing"));
	if (lost > 0)
		fprintf(f, "doubt    %s: INSTRUMENT LOST FRAMES: %.0f\n", p->name, lost);
	if (saved_number(instrument, "events_lost") > 0)
		fprintf(f, "doubt    %s: EVENTS LOST: %.0f\n", p->name,
			saved_number(instrument, "events_lost"));
}

// Returns whether the verdict is open: nothing has failed, but not everything could be judged.
static bool is_open(const struct merge *m)
{
	bool failed = count_criteria(m, "FAIL") ||
		      !json_is_true(json_object_get(
			      json_object_get(m->summary, "verdicts"), "conserved"));

	for (unsigned k = 0; k < m->n; k++)
		failed |= json_object_get(m->part[k].manifest, "crash") ||
			  json_object_get(m->part[k].manifest, "link_loss");
	return !m->passed && !failed;
}

void merge_text(const struct merge *m, FILE *f)
{
	const json_t *rows = json_object_get(m->summary, "reconciliation"), *row, *c;
	size_t i;

	fprintf(f, "merged   %s, seed %llu, of %u parts:", merge_name(m), merge_seed(m), m->n);
	for (unsigned k = 0; k < m->n; k++)
		fprintf(f, "%s %s", k ? ";" : "", m->part[k].name);
	fprintf(f, "\n");
	json_array_foreach(rows, i, row) if (!strcmp(saved_text(row, "counter"), "frames") &&
					     cut_owner(m, saved_text(row, "object"), false) !=
						     cut_owner(m, saved_text(row, "object"), true))
		put_link(f, row);
	json_array_foreach(criteria_of(m), i, c) if (strncmp(saved_text(c, "name"), "cut ", 4) != 0)
		fprintf(f, "verdict  %s: %s, %.9g\n", saved_text(c, "name"),
			saved_text(c, "verdict"), saved_number(c, "value"));
	for (unsigned k = 0; k < m->n; k++) {
		const char *crash = saved_text(m->part[k].manifest, "crash");
		const char *loss = saved_text(m->part[k].manifest, "link_loss");

		if (*crash || *loss)
			fprintf(f, "verdict  %s: FAIL, %s\n", m->part[k].name,
				*crash ? crash : loss);
		else if (json_is_true(json_object_get(m->part[k].manifest, "interrupted")))
			fprintf(f, "verdict  %s: INVALID, it was interrupted\n", m->part[k].name);
	}
	for (unsigned k = 0; k < m->n; k++)
		put_doubts(&m->part[k], f);
	met_doubts(m, f);
	fprintf(f, "%s\n",
		m->passed    ? "PASS     the parts add up"
		: is_open(m) ? "INVALID  nothing has failed, but not all could be judged"
			     : "FAIL     not all adds up");
}

bool merge_passed(const struct merge *m)
{
	return m->passed;
}
