// SPDX-License-Identifier: BSD-3-Clause
// The part of a run's course that goes into its files: types of events, flows, lines a second,
// bytes in all.
#include "int.h"

#include <stdio.h>

#include "schema/schema.h"

// The types of which an event may have a line.
static uint64_t lines_of(const struct scene_record *want)
{
	return want->flows == SCENE_FLOWS_ALL || want->flows == SCENE_FLOWS_ONE_IN
		       ? want->events
		       : want->events & ~REC_OF_FLOWS;
}

uint64_t record_events_wanted(const struct scene *scene, const struct record_opts *opts)
{
	uint64_t want = opts->no_files ? 0 : lines_of(&scene->record);

	for (unsigned i = 0; i < EV_TYPES; i++) {
		if (ev_row[i].use & EV_USE_FIGURES)
			want |= 1ull << i;
		if (ev_row[i].use & EV_USE_OWN)
			want &= ~(1ull << i);
	}
	if (scene->n_faults) // captures name the fault of a frame
		want |= 1ull << EV_FAULT;
	return want;
}

#define PAUSES (1ull << EV_PAUSE_RX | 1ull << EV_RESUME_RX)

void record_want_open(struct record *r)
{
	const struct scene_record *want = &r->scene->record;

	r->types = want->events;
	r->held = lines_of(want);
	r->has_fct = want->events >> EV_MSG_DONE & 1;
	r->has_pfc = (want->events & PAUSES) == PAUSES;
	r->series = want->series;
	r->room = want->limit;
}

// Returns whether the flow of an event has lines in the files. For a type of REC_OF_FLOWS the first
// field is the flow.
bool record_want_flow(const struct record *r, const struct ev *e)
{
	const struct rec_limiter *l = record_limiter_of(r, e);

	return l ? l->kept : record_flow_kept(r, (unsigned)ev_get_field(e, ev_row[e->type].field));
}

bool record_want_one_more(struct record *r, const struct ev *e)
{
	struct rec_rate *rate = &r->rate[e->type];
	uint32_t most = r->scene->record.rate[e->type];

	if (e->t / PS_PER_S != rate->second) {
		rate->second = e->t / PS_PER_S;
		rate->lines = 0;
	}
	if (rate->lines == most) {
		rate->left_out++;
		return false;
	}
	rate->lines++;
	return true;
}

void record_want_stop(struct record *r, const char *why, tstamp now)
{
	char line[REC_NOTE];

	if (r->full)
		return;
	snprintf(r->full_why, sizeof(r->full_why), "%s", why ? why : "");
	r->full = true;
	r->full_at = now;
	r->room = 0;
	r->types = r->held = 0;
	r->series = false;
	if (!record_stopped(r, line, sizeof(line)) || !r->say)
		return;
	if (*r->full_why) { // a file, which the user looks for in the folder
		char named[REC_NOTE + 4096];

		snprintf(named, sizeof(named), "%s/%s", r->dir, line);
		r->say(r->say_arg, named);
	} else {
		r->say(r->say_arg, line);
	}
}

bool record_stopped(const struct record *r, char *line, size_t size)
{
	char limit[32];

	if (!r->full)
		return false;
	if (*r->full_why)
		snprintf(line, size, "%s: recording stopped at %.3f us", r->full_why,
			(double)r->full_at / PS_PER_US);
	else
		snprintf(line, size,
			"the files hold %s (record.limit): recording stopped at %.3f us",
			units_format(UNITS_SIZE, r->scene->record.limit, limit, sizeof(limit)),
			(double)r->full_at / PS_PER_US);
	return true;
}

static void put_flows(struct jw *w, const struct record *r)
{
	const struct scene_record *want = &r->scene->record;
	char line[REC_NOTE];

	if (want->flows == SCENE_FLOWS_ALL)
		return;
	if (want->flows == SCENE_FLOWS_ONE_IN)
		snprintf(line, sizeof(line),
			"timeseries.csv, events.csv: one flow in %u has lines (record.flows)",
			want->flows_n);
	else
		snprintf(line, sizeof(line),
			"timeseries.csv, events.csv: none of the %u flows has lines (record.flows)",
			r->n_flows);
	jw_str(w, NULL, line);
}

// The lines and series that the folder lacks because of the scenario, or because of the number of
// its flows.
static void put_left_out(struct jw *w, const struct record *r)
{
	const struct scene_record *want = &r->scene->record;
	char line[REC_NOTE];

	jw_array(w, "not_recorded", false);
	if (!want->events)
		jw_str(w, NULL, "events.csv: record.events is none");
	if (!r->has_fct)
		jw_str(w, NULL, "fct.txt: record.events lacks msg_done");
	if (!r->has_pfc)
		jw_str(w, NULL, "pfc.txt: record.events lacks pause_rx or resume_rx");
	if (!want->series)
		jw_str(w, NULL, "timeseries.csv, qlen.txt: record.series is false");
	put_flows(w, r);
	if (record_stopped(r, line, sizeof(line)))
		jw_str(w, NULL, line);
	jw_end(w);
}

static bool is_limited(const struct record *r)
{
	bool any = false;

	for (unsigned i = 0; i < EV_TYPES; i++)
		any |= r->rate[i].left_out > 0;
	return any;
}

void record_limited_put(struct jw *w, const struct record *r)
{
	if (!is_limited(r))
		return;
	jw_object(w, "events_limited", true);
	for (unsigned i = 0; i < EV_TYPES; i++)
		if (r->rate[i].left_out)
			jw_u64(w, ev_row[i].name, r->rate[i].left_out);
	jw_end(w);
}

void record_want_put(struct jw *w, const struct record *r)
{
	const struct scene_record *want = &r->scene->record;

	if (!r->has_fct || !r->has_pfc || !want->series || want->flows != SCENE_FLOWS_ALL ||
		r->full)
		put_left_out(w, r);
	record_limited_put(w, r);
}
