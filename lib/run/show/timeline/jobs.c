// SPDX-License-Identifier: BSD-3-Clause
// Events of jobs as slices of ranks, and arrows between them.
#include "jobs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "evf/evf.h"

enum { LANES_MOST = 64 }; // of a rank: calcs that overlap at most

// Calcs that do not overlap.
struct lane {
	tstamp end;
	uint32_t track;
};

// An iteration that has ended, until its parts are here.
struct step {
	bool waits;
	uint32_t number;
	unsigned parts;
	tstamp from, done, to;
	tstamp part[JOB_PARTS];
};

struct rank {
	uint32_t track, messages;
	struct lane *lane;
	unsigned n_lanes;
	struct step step;
};

struct jobs {
	struct timeline *t;
	struct lexicon names, ranks; // jobs; "ring.3"
	uint32_t *job;               // tracks by number of the job
	struct rank *rank;           // by number
	unsigned n_jobs, n_ranks;
	uint32_t arrow; // the last that was drawn
};

struct jobs *job_tracks_new(struct timeline *t)
{
	struct jobs *j = calloc(1, sizeof(*j));

	if (!j)
		return NULL;
	j->t = t;
	j->arrow = t->arrows;
	return j;
}

void job_tracks_free(struct jobs *j)
{
	if (!j)
		return;
	for (unsigned i = 0; i < j->n_ranks; i++)
		free(j->rank[i].lane);
	lexicon_fini(&j->names);
	lexicon_fini(&j->ranks);
	free(j->job);
	free(j->rank);
	free(j);
}

// Returns whether the array has element i; new ones are zero.
static bool has_room(void *array, unsigned *n, unsigned i, size_t size)
{
	void **at = array;
	unsigned more = 2 * (i + 1);
	char *new;

	if (i < *n)
		return true;
	new = realloc(*at, more * size);
	if (!new)
		return false;
	memset(new + *n *size, 0, (more - *n) * size);
	*at = new;
	*n = more;
	return true;
}

// The track of a job. 0: no memory.
static uint32_t track_of_job(struct jobs *j, const char *name, size_t len)
{
	int i = lexicon_number(&j->names, name, len);
	char text[PFTRACE_TEXT];

	if (i < 0 || !has_room(&j->job, &j->n_jobs, (unsigned)i, sizeof(*j->job)))
		return 0;
	snprintf(text, sizeof(text), "job %s", j->names.text[i]);
	if (!j->job[i])
		j->job[i] = tracks_below_run(j->t->tracks, text, (unsigned)i);
	return j->job[i];
}

// A rank of a job, whose name is `len` characters of "ring.3". NULL: no memory.
static struct rank *rank_of(struct jobs *j, const struct saved_job *of, uint32_t number)
{
	uint32_t job = track_of_job(j, of->rank, of->name_len);
	char name[160];
	int i;

	snprintf(name, sizeof(name), "%.*s.%u", (int)of->name_len, of->rank, number);
	i = lexicon_number(&j->ranks, name, strlen(name));
	if (!job || i < 0 || !has_room(&j->rank, &j->n_ranks, (unsigned)i, sizeof(*j->rank)))
		return NULL;
	if (!j->rank[i].track)
		j->rank[i].track = pftrace_track(
			j->t->trace, &(struct pftrace_track){.name = j->ranks.text[i],
					     .about = "iterations; calcs and messages stand below",
					     .parent = job,
					     .rank = (int)number});
	return &j->rank[i];
}

static uint32_t child(struct jobs *j, const struct rank *r, const char *name, int place)
{
	return pftrace_track(j->t->trace,
		&(struct pftrace_track){.name = name, .parent = r->track, .rank = place});
}

static struct pftrace_event event(struct jobs *j, enum ev_type type, const char *text)
{
	return (struct pftrace_event){
		.type = PFTRACE_BEGIN,
		.name = pftrace_text(j->t->trace, PFTRACE_NAME, text),
		.category = pftrace_text(j->t->trace, PFTRACE_CATEGORY, ev_row[type].name),
		.real = NAN,
	};
}

static struct pftrace_note *note(struct jobs *j, struct pftrace_event *e, const char *key)
{
	struct pftrace_note *n = &e->note[e->n_notes++];

	n->key = pftrace_text(j->t->trace, PFTRACE_KEY, key);
	return n;
}

static void note_number(struct jobs *j, struct pftrace_event *e, const char *key, uint64_t v)
{
	struct pftrace_note *n = note(j, e, key);

	n->kind = PFTRACE_UINT;
	n->number = v;
}

static void note_us(struct jobs *j, struct pftrace_event *e, const char *key, tstamp ps)
{
	struct pftrace_note *n = note(j, e, key);

	n->kind = PFTRACE_REAL;
	n->real = (double)ps / PS_PER_US;
}

// A slice from e->t to `to`.
static void put_slice(struct jobs *j, struct pftrace_event *e, tstamp to)
{
	struct pftrace_event end = {
		.t = tstamp_max(to, e->t), .type = PFTRACE_END, .track = e->track, .real = NAN};

	pftrace_put(j->t->trace, e);
	pftrace_put(j->t->trace, &end);
	j->t->shown++;
}

// Whether a slice is at least in part within the time that is shown.
static bool shows(const struct jobs *j, tstamp from, tstamp to)
{
	return from < j->t->to && to >= j->t->from;
}

static void show_step(struct jobs *j, struct rank *r)
{
	struct step *s = &r->step;
	struct pftrace_event e;
	char text[32], key[32];

	if (!s->waits)
		return;
	s->waits = false;
	if (!shows(j, s->from, s->to))
		return;
	snprintf(text, sizeof(text), "iteration %u", s->number);
	e = event(j, EV_JOB_STEP, text);
	e.t = s->from;
	e.track = r->track;
	note_us(j, &e, "done_us", s->done);
	for (unsigned i = 0; i < JOB_PARTS; i++) {
		snprintf(key, sizeof(key), "%s_us", evf_part_name(i));
		if (s->parts)
			note_us(j, &e, key, s->part[i]);
	}
	put_slice(j, &e, s->to);
}

static void take_step(struct jobs *j, const struct saved_ev *ev, const struct saved_job *got)
{
	struct rank *r = rank_of(j, got, got->number);

	if (!r)
		return;
	show_step(j, r);
	r->step = (struct step){
		.waits = true, .number = got->of, .from = got->from, .done = got->to, .to = ev->t};
}

static void take_part(struct jobs *j, const struct saved_job *got)
{
	struct rank *r = rank_of(j, got, got->number);

	if (!r || !r->step.waits || r->step.number != got->of)
		return;
	r->step.part[got->part] = got->part_ps;
	if (++r->step.parts == JOB_PARTS)
		show_step(j, r);
}

// The track of the first lane that is free from `from` on. 0: no memory, or there are too many.
static uint32_t lane_of(struct jobs *j, struct rank *r, tstamp from, tstamp to)
{
	unsigned i = 0;

	while (i < LANES_MOST && i < r->n_lanes && r->lane[i].track && r->lane[i].end > from)
		i++;
	if (i == LANES_MOST || !has_room(&r->lane, &r->n_lanes, i, sizeof(*r->lane)))
		return 0;
	if (!r->lane[i].track)
		r->lane[i].track = child(j, r, "calcs", (int)i);
	r->lane[i].end = to;
	return r->lane[i].track;
}

static void take_calc(struct jobs *j, const struct saved_ev *ev, const struct saved_job *got)
{
	struct rank *r = rank_of(j, got, got->number);
	struct pftrace_event e;

	if (!r || !shows(j, got->from, ev->t))
		return;
	e = event(j, EV_JOB_CALC, "calc");
	e.t = got->from;
	e.track = lane_of(j, r, got->from, ev->t);
	note_number(j, &e, "op", got->of);
	if (e.track)
		put_slice(j, &e, ev->t);
}

static void put_end(struct jobs *j, struct rank *r, struct pftrace_event *e)
{
	if (!r->messages)
		r->messages = child(j, r, "messages", LANES_MOST);
	e->type = PFTRACE_INSTANT;
	e->track = r->messages;
	e->flow = &j->arrow;
	e->flows = 1;
	pftrace_put(j->t->trace, e);
}

static void take_message(struct jobs *j, const struct saved_ev *ev, const struct saved_job *got)
{
	struct rank *r;
	struct pftrace_event e;
	char text[32];

	if (!shows(j, got->from, ev->t))
		return;
	j->arrow++;
	r = rank_of(j, got, got->of);
	snprintf(text, sizeof(text), "send to %u", got->number);
	e = event(j, EV_JOB_MESSAGE, text);
	e.t = got->from;
	note_number(j, &e, "tag", got->tag);
	if (r)
		put_end(j, r, &e);
	r = rank_of(j, got, got->number);
	snprintf(text, sizeof(text), "message from %u", got->of);
	e = event(j, EV_JOB_MESSAGE, text);
	e.t = ev->t;
	note_number(j, &e, "tag", got->tag);
	note_us(j, &e, "took_us", tstamp_since(ev->t, got->from));
	if (ev->bytes != SAVED_NONE)
		note_number(j, &e, "bytes", ev->bytes);
	if (r)
		put_end(j, r, &e);
	j->t->shown++;
	j->t->arrows_shown++;
}

bool job_tracks_take(struct jobs *j, const struct saved_ev *ev)
{
	struct saved_job got;

	if (!saved_job(ev, &got))
		return false;
	if (ev->type == EV_JOB_STEP)
		take_step(j, ev, &got);
	else if (ev->type == EV_JOB_PART)
		take_part(j, &got);
	else if (ev->type == EV_JOB_CALC)
		take_calc(j, ev, &got);
	else
		take_message(j, ev, &got);
	return true;
}

void job_tracks_end(struct jobs *j)
{
	for (unsigned i = 0; i < j->n_ranks; i++)
		if (j->rank[i].track)
			show_step(j, &j->rank[i]);
}
