// SPDX-License-Identifier: BSD-3-Clause
// A run's folder is read twice: first for names, causes and ends, then to be written as a trace.
#include "timeline.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "arrows.h"
#include "int.h"

static const char rounded[] = "Instants are rounded down to ns; the run's own files have ps.";
static const char no_holders[] =
	"xoff_holder is not recorded, so no arrows lead from XOFF to XOFF upstream; "
	"run with --record 'events=[all,xoff_holder]'.";

// Whether each thing that a reaction point did has a line.
static bool tells_rp(const struct saved *s)
{
	const json_t *limited = json_object_get(saved_manifest(s), "events_limited");

	return saved_recorded(s, EV_RP) && !json_object_get(limited, ev_row[EV_RP].name);
}

static bool note_reaction(struct timeline *t, const struct saved_ev *ev)
{
	unsigned flow = (unsigned)ev->flow;

	if (ev->flow < 0 || isnan(ev->rc_gbps) || isnan(ev->rt_gbps))
		return true;
	if (flow >= t->n_reacts) {
		unsigned n = 2 * (flow + 1);
		tstamp *more = realloc(t->reacts, n * sizeof(*more));

		if (!more)
			return false;
		for (unsigned i = t->n_reacts; i < n; i++)
			more[i] = TSTAMP_NEVER;
		t->reacts = more;
		t->n_reacts = n;
	}
	if (ev->t < t->reacts[flow])
		t->reacts[flow] = ev->t;
	return true;
}

// Causes and ends, and from when on events tell the rates of flows.
static int read_events(struct timeline *t)
{
	struct arrows *a = arrows_new(t->saved, &t->found);
	bool rates = tells_rp(t->saved), memory = true;
	struct spans spans = {0};
	const struct saved_ev *ev;

	if (!a)
		return -ENOMEM;
	if (saved_events(t->saved)) {
		for (uint64_t i = 0; (ev = saved_next(t->saved)) != NULL; i++) {
			arrows_take(a, ev, i);
			spans_take(&spans, &t->found, ev, i, t->from);
			if (ev->t > t->end)
				t->end = ev->t; // the folder does not say when it ended
			if (rates && ev->type == EV_RP)
				memory &= note_reaction(t, ev);
		}
	}
	spans_end(&spans, &t->found);
	spans_fini(&spans);
	t->arrows = arrows_found(a);
	t->miss_holders = arrows_miss_holders(a);
	arrows_free(a);
	found_sort(&t->found);
	return memory && !t->found.no_memory ? 0 : -ENOMEM;
}

// Finds the object of a series by its name: PORT.CLASS is a queue, PORT.rxbuf a receive buffer.
static bool name_line(struct timeline *t, struct timeline_line *l, const char *name)
{
	const char *dot = strrchr(name, '.');

	l->port = l->cls = l->flow = -1;
	l->reacts = TSTAMP_NEVER;
	for (unsigned i = 0; i < SAVED_COLS; i++)
		l->last[i] = NAN;
	if (l->kind == SAVED_FLOW)
		return (l->flow = tracks_flow(t->tracks, name)) >= 0;
	if (!dot)
		return true;
	if (l->kind == SAVED_QUEUE) {
		if (dot[1] < '0' || dot[1] > '7' || dot[2])
			return true;
		l->cls = dot[1] - '0';
	}
	l->port = tracks_port(t->tracks, name, (size_t)(dot - name));
	return l->port >= 0;
}

static int read_lines(struct timeline *t)
{
	const struct saved_sample *v;
	unsigned room = 0;

	if (!saved_series(t->saved))
		return 0;
	while ((v = saved_sample(t->saved)) != NULL) {
		if (v->object < t->lines)
			continue;
		if (v->object >= room) {
			struct timeline_line *more;

			room = 2 * (v->object + 1);
			more = realloc(t->line, room * sizeof(*more));
			if (!more)
				return -ENOMEM;
			t->line = more;
		}
		t->lines = v->object + 1;
		t->line[v->object].kind = v->kind;
		if (!name_line(t, &t->line[v->object], saved_line(t->saved, v->object)))
			return -ENOMEM;
	}
	return 0;
}

// Ports and flows of events by the numbers that they have as tracks.
static int number_names(struct timeline *t)
{
	unsigned objects = saved_objects(t->saved), flows = saved_flows(t->saved);

	t->port = calloc(objects + 1, sizeof(*t->port));
	t->flow = calloc(flows + 1, sizeof(*t->flow));
	if (!t->port || !t->flow)
		return -ENOMEM;
	for (unsigned i = 0; i < objects; i++) {
		const char *name = saved_object(t->saved, i);

		t->port[i] = tracks_port(t->tracks, name, strlen(name));
		if (t->port[i] < 0)
			return -ENOMEM;
	}
	for (unsigned i = 0; i < flows; i++) {
		t->flow[i] = tracks_flow(t->tracks, saved_flow(t->saved, i));
		if (t->flow[i] < 0)
			return -ENOMEM;
	}
	for (unsigned i = 0; i < t->lines; i++)
		for (unsigned k = 0; k < flows && k < t->n_reacts; k++)
			if (t->line[i].flow >= 0 && t->line[i].flow == t->flow[k])
				t->line[i].reacts = t->reacts[k];
	return 0;
}

static void title(const struct timeline *t, char *text, size_t size)
{
	const json_t *m = saved_manifest(t->saved);
	const char *name = saved_name(t->saved);
	const char *clock = json_string_value(json_object_get(m, "clock"));

	if (!*name)
		name = "run";
	if (clock)
		snprintf(text, size, "%s: %s clock, seed %lld", name, clock,
			(long long)json_integer_value(json_object_get(m, "seed")));
	else
		snprintf(text, size, "%s", name);
}

static void bar(struct timeline *t, uint32_t track, const char *kind, const char *text, tstamp from,
	tstamp to)
{
	struct pftrace_event e = {.t = from,
		.type = PFTRACE_BEGIN,
		.track = track,
		.real = NAN,
		.name = pftrace_text(t->trace, PFTRACE_NAME, text),
		.category = pftrace_text(t->trace, PFTRACE_CATEGORY, kind)};

	pftrace_put(t->trace, &e);
	e = (struct pftrace_event){.t = to, .type = PFTRACE_END, .track = track, .real = NAN};
	pftrace_put(t->trace, &e);
}

// Writes bars on the run's own track, one below the other, from its beginning to its end: the run,
// the rounding of its instants, the window of the figures, and the missing things.
static void say_what(struct timeline *t, uint32_t run, const char *name, const char *missing)
{
	tstamp from = t->from, to = t->to < t->end ? t->to : t->end, first, last;
	const char *line;

	if (to < from)
		to = from;
	saved_window(t->saved, &first, &last);
	bar(t, run, "run", name, from, to);
	bar(t, run, "run", rounded, from, to);
	if (missing)
		bar(t, run, "missing", missing, from, to);
	for (unsigned i = 0; (line = saved_missing(t->saved, i)) != NULL; i++)
		bar(t, run, "missing", line, from, to);
	if (first < from)
		first = from;
	if (last > to)
		last = to;
	if (first < last && (first > from || last < to))
		bar(t, run, "run", "window of the figures", first, last);
}

static int write_trace(struct timeline *t, struct timeline_told *told)
{
	char name[PFTRACE_TEXT];
	uint32_t run;
	int code;

	title(t, name, sizeof(name));
	run = tracks_begin(t->tracks, t->trace, name, rounded);
	if (!run)
		return -ENOMEM;
	timeline_counters(t);
	code = timeline_events(t);
	if (code)
		return code;
	if (t->miss_holders)
		told->missing = no_holders;
	say_what(t, run, name, told->missing);
	told->events = t->shown;
	told->arrows = t->arrows_shown;
	told->packets = pftrace_events(t->trace);
	told->bytes = pftrace_bytes(t->trace);
	return 0;
}

int timeline_write(struct saved *s, const char *path, tstamp from, tstamp to,
	struct timeline_told *told, struct err *err)
{
	struct timeline t = {.saved = s, .from = from, .to = to, .end = saved_end(s)};
	struct err late;
	int code, closed;

	*told = (struct timeline_told){0};
	t.tracks = tracks_new();
	code = t.tracks ? read_events(&t) : -ENOMEM;
	if (!code)
		code = read_lines(&t);
	if (!code)
		code = number_names(&t);
	if (code)
		err_set(err, code, "%s: no memory for its timeline", saved_dir(s));
	else
		code = pftrace_open(&t.trace, path, err);
	if (!code) {
		code = write_trace(&t, told);
		if (code)
			err_set(err, code, "%s: no memory for its timeline", saved_dir(s));
		closed = pftrace_close(t.trace, &late);
		if (closed && !code) {
			*err = late;
			code = closed;
		}
	}
	found_fini(&t.found);
	tracks_free(t.tracks);
	free(t.port);
	free(t.flow);
	free(t.line);
	free(t.reacts);
	return code;
}
