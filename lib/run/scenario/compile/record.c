// SPDX-License-Identifier: BSD-3-Clause
// The recording of a scenario: types of events and how many of each, flows, series, bytes.
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "int.h"

#define ALL_FLOWS 256 // queue pairs up to which each has lines of its own unless the file says more

static bool is_recorded(unsigned type)
{
	return ev_row[type].use & (EV_USE_FILE | EV_USE_NAMED);
}

// The type of a name; -EINVAL with the name that comes nearest.
static int find_type(struct draft *b, const char *key, const struct yamldoc_node *at)
{
	struct near near = near_to(at->text);
	char hint[NEAR_NAME + 32];

	for (unsigned i = 0; i < EV_TYPES; i++) {
		if (!is_recorded(i))
			continue;
		if (!strcmp(ev_row[i].name, at->text))
			return (int)i;
		near_see(&near, ev_row[i].name);
	}
	return yamldoc_err(b->err, at, "%s: there is no type of event '%.60s'%s", key, at->text,
		near_hint(
			&near, "; docs/formats.md has them, under events.csv", hint, sizeof(hint)));
}

static uint64_t all_events(void)
{
	uint64_t all = 0;

	for (unsigned i = 0; i < EV_TYPES; i++)
		all |= (uint64_t)((ev_row[i].use & EV_USE_FILE) != 0) << i;
	return all;
}

static int add_event(struct draft *b, const struct yamldoc_node *n)
{
	int type;

	if (n->type != YAMLDOC_SCALAR || yamldoc_is_null(n))
		return yamldoc_err(b->err, n, "events: write a list of types, as in [mark, drop]");
	if (!strcmp(n->text, "all")) {
		b->s->record.events |= all_events();
		return 0;
	}
	type = find_type(b, "events", n);
	if (type < 0)
		return type;
	b->s->record.events |= 1ull << type;
	return 0;
}

static int read_events(struct draft *b, struct spec_record *spec)
{
	static const struct yamldoc_node all = {.where = "default", .text = "all"};
	const struct yamldoc_node *n = spec->events;
	int rc = 0;

	if (!n)
		spec->events = n = &all;
	if (n->type == YAMLDOC_SCALAR && strcmp(n->text, "none") != 0)
		return add_event(b, n);
	for (unsigned i = 0; i < n->n && !rc; i++)
		rc = add_event(b, n->item[i].value);
	return rc;
}

static int read_rate(struct draft *b, const struct yamldoc_node *map)
{
	for (unsigned i = 0; map && i < map->n; i++) {
		const struct yamldoc_item *item = &map->item[i];
		int type = find_type(b, "rate", item->key);
		uint64_t most;

		if (type < 0)
			return type;
		if (item->value->type != YAMLDOC_SCALAR ||
			units_parse(UNITS_COUNT, item->value->text, &most) || !most ||
			most > UINT32_MAX)
			return yamldoc_err(b->err, item->value,
				"rate: %s: write a whole number of lines a second, from 1",
				item->key->text);
		b->s->record.rate[type] = (uint32_t)most;
	}
	return 0;
}

// Reads the number after a word, as in "top 10" with `words` "top ".
static bool counted(const char *text, const char *words, unsigned *n)
{
	size_t len = strlen(words);
	uint64_t v;

	if (strncmp(text, words, len) != 0 || units_parse(UNITS_COUNT, text + len, &v) || !v ||
		v > SCENE_QPS)
		return false;
	*n = (unsigned)v;
	return true;
}

static int read_flows(struct draft *b, const struct spec_record *spec)
{
	struct scene_record *r = &b->s->record;
	const char *text = spec->flows;

	if (!strcmp(text, "auto"))
		r->flows = b->s->n_flows > ALL_FLOWS ? SCENE_FLOWS_SUMMARY : SCENE_FLOWS_ALL;
	else if (!strcmp(text, "all"))
		r->flows = SCENE_FLOWS_ALL;
	else if (!strcmp(text, "summary"))
		r->flows = SCENE_FLOWS_SUMMARY;
	else if (counted(text, "top ", &r->flows_n))
		r->flows = SCENE_FLOWS_TOP;
	else if (counted(text, "one in ", &r->flows_n))
		r->flows = SCENE_FLOWS_ONE_IN;
	else
		return yamldoc_err(b->err, opt_source(&scene_opts_record, spec, "flows"),
			"flows: '%.60s' is not right; "
			"write all, summary, top N, one in N or auto, with N from 1",
			text);
	return 0;
}

int compile_record(struct draft *b)
{
	struct spec_record *spec = &b->top.record;
	struct scene_record *r = &b->s->record;
	int rc = read_events(b, spec);

	r->series = spec->series;
	r->limit = spec->limit;
	r->binary = spec->format == SPEC_RECORD_BINARY;
	r->zstd = spec->compress == SPEC_RECORD_ZSTD;
	if (!rc)
		rc = read_rate(b, spec->rate);
	return rc ? rc : read_flows(b, spec);
}
