// SPDX-License-Identifier: BSD-3-Clause
// The first lines of a run's page: its verdicts, its losses, the reason for its pauses; and its
// last: the command that runs it again.
#include <errno.h>
#include <math.h>
#include <sha256.h>
#include <stdlib.h>
#include <string.h>

#include "int.h"

static void put_sentences(struct jw *w, const char *key, const json_t *list)
{
	const json_t *one;
	size_t i;

	jw_array(w, key, false);
	json_array_foreach(list, i, one) if (json_is_string(one))
		jw_str(w, NULL, json_string_value(one));
	jw_end(w);
}

static void put_verdicts(struct jw *w, const json_t *verdicts)
{
	const json_t *one, *list = json_object_get(verdicts, "criteria");
	size_t i;

	jw_array(w, "verdicts", false);
	json_array_foreach(list, i, one)
	{
		jw_object(w, NULL, true);
		jw_str(w, "name", saved_text(one, "name"));
		jw_str(w, "verdict", saved_text(one, "verdict"));
		jw_str(w, "figure", saved_text(one, "figure"));
		put_real(w, "value", saved_number(one, "value"));
		put_real(w, "min", saved_number(one, "min"));
		put_real(w, "max", saved_number(one, "max"));
		jw_end(w);
	}
	jw_end(w);
}

// Writes one warning of each kind. A folder of an older version has no kinds.
static void put_warnings(struct jw *w, const json_t *warnings)
{
	struct alike kinds = {0};
	const json_t *one;
	size_t i;

	json_array_foreach(warnings, i, one)
	{
		const char *kind = saved_text(one, "kind");

		if (alike_add(&kinds, *kind ? kind : saved_text(one, "text"), (unsigned)i))
			break;
	}
	for (unsigned k = 0; k < kinds.n; k++) {
		char text[ERR_TEXT], said[ERR_TEXT + 400];
		double line;

		one = json_array_get(warnings, kinds.kind[k].first);
		line = saved_number(one, "line");
		alike_text(&kinds.kind[k], saved_text(one, "text"), text, sizeof(text));
		if (line > 0)
			snprintf(said, sizeof(said), "Line %.0f of the scenario: %s.", line, text);
		else
			snprintf(said, sizeof(said), "The scenario: %s.", text);
		jw_str(w, NULL, said);
	}
	alike_free(&kinds);
}

static void put_deadlocks(struct jw *w, const json_t *deadlocks)
{
	const json_t *one;
	char text[ERR_TEXT];
	size_t i;

	json_array_foreach(deadlocks, i, one)
	{
		snprintf(text, sizeof(text),
			"A deadlock of class %.0f was found at %.3f us: "
			"%.0f queues wait for each other.",
			saved_number(one, "class"), saved_number(one, "seen_us"),
			saved_number(one, "queues"));
		jw_str(w, NULL, text);
	}
}

// A text of the summary, if it is there, behind the words that introduce it.
static void put_told(struct jw *w, const json_t *summary, const char *member, const char *words)
{
	char text[ERR_TEXT];

	if (!json_object_get(summary, member))
		return;
	snprintf(text, sizeof(text), "%s: %s.", words, saved_text(summary, member));
	jw_str(w, NULL, text);
}

// Writes the reasons to doubt the figures.
static void put_doubt(struct jw *w, const json_t *summary)
{
	const json_t *verdicts = json_object_get(summary, "verdicts");
	const json_t *instrument = json_object_get(summary, "instrument");
	const json_t *crash = json_object_get(summary, "crash");
	const json_t *steady = json_object_get(summary, "steady"); // NULL: of an older folder
	double lost = saved_number(instrument, "events_lost");
	double unseen = saved_number(instrument, "captures_lost"); // NAN: of an older folder
	char text[ERR_TEXT];

	jw_array(w, "doubt", false);
	if (json_is_true(json_object_get(instrument, "timing_broken"))) {
		snprintf(text, sizeof(text), "The instrument broke its own timing: %s.",
			saved_text(instrument, "timing"));
		jw_str(w, NULL, text);
	}
	if (json_is_false(json_object_get(verdicts, "conserved"))) {
		snprintf(text, sizeof(text), "Not every frame is accounted for: %s.",
			saved_text(verdicts, "conservation"));
		jw_str(w, NULL, text);
	}
	if (saved_number(verdicts, "instrument_lost") > 0) {
		snprintf(text, sizeof(text), "The instrument lost %.0f frames itself.",
			saved_number(verdicts, "instrument_lost"));
		jw_str(w, NULL, text);
	}
	if (saved_number(verdicts, "lossless_lost") > 0)
		jw_str(w, NULL, "Frames that a device lost may have been of a lossless class.");
	else if (json_is_false(json_object_get(verdicts, "lossless")))
		jw_str(w, NULL, "A frame of a lossless class was dropped.");
	put_deadlocks(w, json_object_get(summary, "deadlocks"));
	if (crash)
		jw_str(w, NULL, "Code that the scenario brought crashed and ended the run.");
	if (!strcmp(saved_text(steady, "verdict"), "unsettled"))
		put_told(w, steady, "why", "The run has not settled");
	put_told(w, summary, "link_loss", "The run ended early");
	put_told(w, summary, "device_gone", "A device was gone for good");
	put_told(w, summary, "no_link", "A port had no link for a time");
	if (lost > 0) {
		snprintf(text, sizeof(text),
			"%.0f events were lost, because they came faster than they were recorded.",
			lost);
		jw_str(w, NULL, text);
	}
	if (unseen > 0) {
		snprintf(text, sizeof(text),
			"The capture lacks %.0f frames, which came faster than they were recorded.",
			unseen);
		jw_str(w, NULL, text);
	}
	put_warnings(w, json_object_get(summary, "warnings"));
	jw_end(w);
}

// The clock in the manifest; in an older folder, the clock in the instrument's figures.
static const char *clock_of(const struct saved *s)
{
	const char *clock = saved_text(saved_manifest(s), "clock");

	return *clock ? clock
		      : saved_text(json_object_get(saved_summary(s), "instrument"), "clock");
}

static json_int_t seed_of(const struct saved *s)
{
	const json_t *seed = json_object_get(saved_summary(s), "seed");

	return json_integer_value(seed ? seed : json_object_get(saved_manifest(s), "seed"));
}

void data_head(struct jw *w, struct saved *s, const char *label)
{
	const json_t *summary = saved_summary(s);
	const json_t *verdicts = json_object_get(summary, "verdicts");
	tstamp from, to;

	saved_window(s, &from, &to);
	jw_str(w, "label", label);
	jw_str(w, "name", saved_name(s));
	jw_str(w, "clock", clock_of(s));
	jw_i64(w, "seed", seed_of(s));
	jw_str(w, "dir", saved_dir(s));
	put_us(w, "end_us", saved_end(s));
	jw_array(w, "window_us", true);
	put_us(w, NULL, from);
	put_us(w, NULL, to);
	jw_end(w);
	put_doubt(w, summary);
	put_verdicts(w, verdicts);
	put_sentences(w, "why", json_object_get(verdicts, "why"));
}

void data_missing(struct jw *w, const struct saved *s)
{
	const char *line;

	jw_array(w, "missing", false);
	for (unsigned i = 0; (line = saved_missing(s, i)) != NULL; i++)
		jw_str(w, NULL, line);
	jw_end(w);
}

void data_again(struct jw *w, const struct saved *s)
{
	const json_t *manifest = saved_manifest(s);
	char digest[SHA256_DIGEST_STRING_LENGTH] = "", *path;

	if (asprintf(&path, "%s/summary.json", saved_dir(s)) >= 0) {
		if (!SHA256File(path, digest))
			*digest = '\0';
		free(path);
	}
	jw_object(w, "again", false);
	jw_str(w, "command", saved_text(json_object_get(manifest, "here"), "command"));
	jw_i64(w, "seed", seed_of(s));
	jw_str(w, "version", saved_text(manifest, "version"));
	jw_str(w, "digest", digest);
	jw_str(w, "scenario", saved_text(manifest, "scenario"));
	jw_end(w);
}
