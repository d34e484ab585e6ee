// SPDX-License-Identifier: BSD-3-Clause
// Events of a folder: lines of events.csv, or those that events.bin would have had there.
#include "event.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "int.h"

void saved_events_close(struct saved *s)
{
	struct saved_events *e = &s->events;

	csv_close(&e->csv);
	if (e->evf)
		evf_close_in(e->evf);
	free(e->line);
	free(e->lines);
	e->evf = NULL;
	e->line = NULL;
	e->lines = NULL;
	e->open = false;
}

static const char *file_of(const struct saved_events *e)
{
	return e->evf ? "events.bin" : "events.csv";
}

// The record ends: tells broken lines, and events of unknown types.
static const struct saved_ev *ended(struct saved *s)
{
	struct saved_events *e = &s->events;

	saved_miss_lines(s, file_of(e), &e->bad);
	if (e->unknown)
		saved_miss(s, "%s has %llu event%s of types that this program does not know.",
			file_of(e), (unsigned long long)e->unknown, plural(e->unknown));
	saved_events_close(s);
	return NULL;
}

// Finds the columns by their names. False: it is no record of events.
static bool columns(struct saved_events *e, char *const *name, unsigned n)
{
	for (unsigned c = 0; c < EV_COLS; c++)
		e->column[c] = ev_column[c].name ? csv_find(name, n, ev_column[c].name) : -1;
	e->width = n;
	return e->column[EV_COL_TIME] >= 0 && e->column[EV_COL_EVENT] >= 0 &&
	       e->column[EV_COL_OBJECT] >= 0;
}

static bool open_csv(struct saved *s)
{
	struct saved_events *e = &s->events;
	enum csv_got got = csv_next(&e->csv);

	if (got != CSV_ROW || !columns(e, e->csv.cell, e->csv.n)) {
		saved_miss(s, "events.csv does not begin with the names of its columns.");
		saved_events_close(s);
		return false;
	}
	return true;
}

static bool open_bin(struct saved *s)
{
	struct saved_events *e = &s->events;
	char *path = arena_format(&s->arena, "%s/events.bin", s->dir);
	const struct evf_names *n;
	char *name[EVF_COLUMNS_MOST];
	struct err err;

	if (!path)
		return false;
	if (access(path, F_OK)) {
		if (!saved_left_out(s, "events"))
			saved_miss(
				s, "The record of events (events.csv or events.bin) is missing.");
		return false;
	}
	if (evf_open(&e->evf, path, &err)) {
		saved_miss(s, "%s.", err.text);
		return false;
	}
	n = evf_names(e->evf);
	for (unsigned c = 1; c < n->n_columns; c++)
		name[c - 1] = (char *)n->column[c].name;
	e->line = malloc(EVF_LINE + 1);
	e->lines = malloc(sizeof(*e->lines));
	if (!e->line || !e->lines || !columns(e, name, n->n_columns - 1)) {
		saved_miss(s, "events.bin lacks the columns of an event.");
		saved_events_close(s);
		return false;
	}
	evf_lines_init(e->lines, n);
	if (evf_cut(e->evf))
		saved_miss(s, "%s.", evf_cut(e->evf));
	return true;
}

// The type of that name; EV_NONE: it is not known.
static enum ev_type type_of(struct saved *s, const char *name)
{
	struct saved_events *e = &s->events;
	int i;

	if (!e->types.n)
		for (unsigned t = 1; t < EV_TYPES; t++)
			if (ev_row[t].name) {
				i = lexicon_number(
					&e->types, ev_row[t].name, strlen(ev_row[t].name));
				if (i >= 0)
					e->type_of[i] = t;
			}
	i = lexicon_find(&e->types, name, strlen(name));
	return i < 0 ? EV_NONE : e->type_of[i];
}

bool saved_events(struct saved *s)
{
	struct saved_events *e = &s->events;
	int ret;

	saved_events_close(s);
	e->bad = (struct bad){0};
	e->unknown = e->number = 0;
	ret = csv_open(&e->csv, s->dir, "events.csv", ',');
	e->open = ret ? open_bin(s) : open_csv(s);
	if (ret && ret != -ENOENT)
		saved_miss(s, "events.csv cannot be read: %s.", strerror(-ret));
	return e->open;
}

static char *cell(const struct saved_events *e, char **c, enum ev_col col)
{
	static char none[1] = "";

	return e->column[col] < 0 ? none : c[e->column[col]];
}

static bool number_cell(const struct saved_events *e, char **c, enum ev_col col, uint64_t *value)
{
	const char *text = cell(e, c, col);

	*value = SAVED_NONE;
	return !*text || csv_fixed(text, 0, value);
}

// An event of the cells of a line. False: it is none; a type that is not known becomes EV_NONE.
static bool event(struct saved *s, char **c, unsigned n)
{
	struct saved_events *e = &s->events;
	struct saved_ev *ev = &e->ev;
	const char *text;
	uint64_t cls;
	int i;

	if (n != e->width || !csv_fixed(cell(e, c, EV_COL_TIME), 6, &ev->t) ||
		!number_cell(e, c, EV_COL_CLASS, &cls) || (cls != SAVED_NONE && cls > 7) ||
		!number_cell(e, c, EV_COL_BYTES, &ev->bytes) ||
		!number_cell(e, c, EV_COL_QUEUE, &ev->queue_bytes) ||
		!number_cell(e, c, EV_COL_QUANTA, &ev->quanta) ||
		!number_cell(e, c, EV_COL_PSN, &ev->psn) ||
		!csv_real(cell(e, c, EV_COL_RC), &ev->rc_gbps) ||
		!csv_real(cell(e, c, EV_COL_RT), &ev->rt_gbps) ||
		!csv_real(cell(e, c, EV_COL_ALPHA), &ev->alpha))
		return false;
	ev->type = type_of(s, cell(e, c, EV_COL_EVENT));
	ev->cls = cls == SAVED_NONE ? -1 : (int)cls;
	text = cell(e, c, EV_COL_OBJECT);
	i = lexicon_number(&s->objects, text, strlen(text));
	if (i < 0 || !*text)
		return false;
	ev->object = (unsigned)i;
	text = cell(e, c, EV_COL_FLOW);
	ev->flow = *text ? lexicon_number(&s->flows, text, strlen(text)) : -1;
	ev->detail = cell(e, c, EV_COL_DETAIL);
	return true;
}

// The cells of the next line of either form; 0: there is none any more.
static unsigned next_line(struct saved *s, char **c)
{
	struct saved_events *e = &s->events;
	const struct evf_pick all = evf_pick_all();
	const struct ev *ev;
	uint64_t number;
	struct err err;
	char *end;
	int got;

	if (!e->evf) {
		enum csv_got line = csv_next(&e->csv);

		if (line == CSV_CUT)
			saved_miss(s, "events.csv ends within line %llu.",
				(unsigned long long)e->csv.number);
		if (line != CSV_ROW)
			return 0;
		e->number = e->csv.number;
		memcpy(c, e->csv.cell, e->csv.n * sizeof(*c));
		return e->csv.n;
	}
	while ((got = evf_next(e->evf, &all, &ev, &number, &err)) < 0)
		saved_miss(s, "%s.", err.text);
	if (!got)
		return 0;
	e->number++;
	end = evf_line(e->line, e->lines, ev, number);
	end[-1] = '\0';
	return csv_split(e->line, ',', c);
}

const struct saved_ev *saved_next(struct saved *s)
{
	struct saved_events *e = &s->events;
	char *c[CSV_COLUMNS];
	unsigned n;

	if (!e->open)
		return NULL;
	while ((n = next_line(s, c)) != 0) {
		if (!event(s, c, n)) {
			if (!e->bad.n++)
				e->bad.first = e->number;
		} else if (e->ev.type == EV_NONE) {
			e->unknown++;
		} else {
			return &e->ev;
		}
	}
	return ended(s);
}

unsigned saved_objects(const struct saved *s)
{
	return s->objects.n;
}

const char *saved_object(const struct saved *s, unsigned i)
{
	return i < s->objects.n ? s->objects.text[i] : "";
}

unsigned saved_flows(const struct saved *s)
{
	return s->flows.n;
}

const char *saved_flow(const struct saved *s, unsigned i)
{
	return i < s->flows.n ? s->flows.text[i] : "";
}

// A port is NODE:PEER, and with more than one link between the two NODE:PEER.2 and on; a name of a
// node has no point.
static int peer(struct saved *s, const char *name)
{
	const char *colon = strchr(name, ':'), *point;
	char *other;

	if (!colon)
		return -1;
	point = strchrnul(colon, '.');
	other = arena_format(&s->arena, "%.*s:%.*s%s", (int)(point - colon - 1), colon + 1,
		(int)(colon - name), name, point);
	return other ? lexicon_number(&s->objects, other, strlen(other)) : -1;
}

int saved_peer(struct saved *s, unsigned object)
{
	if (object >= s->objects.n)
		return -1;
	if (object >= s->n_peer) {
		unsigned n = s->objects.n;
		int *more = realloc(s->peer, n * sizeof(*more));

		if (!more)
			return -1;
		s->peer = more;
		for (; s->n_peer < n; s->n_peer++)
			more[s->n_peer] = -2;
	}
	if (s->peer[object] == -2)
		s->peer[object] = peer(s, s->objects.text[object]);
	return s->peer[object];
}

bool saved_recorded(const struct saved *s, enum ev_type type)
{
	return s->recorded >> type & 1;
}
