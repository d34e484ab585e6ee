// SPDX-License-Identifier: BSD-3-Clause
// Jobs over time: when each rank computed and when messages were on their way to it, from events;
// and the parts of each iteration, from summary.json.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "evf/evf.h"
#include "int.h"

enum {
	SPANS = PAGE_POINTS, // of a rank and kind at most
	RANKS = 256,         // that a page has at most
};

enum kind { COMPUTE, MESSAGES, KINDS_OF_SPAN };

static const char *const kind_name[KINDS_OF_SPAN] = {"compute", "messages"};

struct span {
	tstamp from, to;
};

// Spans in order, none of which overlap.
struct spans {
	struct span *span;
	unsigned n;
	tstamp near; // those that are nearer than this are one
};

struct rank {
	char name[96]; // "ring.3"
	unsigned job_len;
	uint32_t number;
	struct spans of[KINDS_OF_SPAN];
	double *end; // of its iterations, us; the first SPANS
	unsigned n_ends;
};

struct ranks {
	tstamp end;
	struct rank *rank;
	unsigned n;
	uint64_t more; // events of ranks that have no room
	bool no_memory;
};

struct ranks *ranks_new(tstamp end)
{
	struct ranks *r = calloc(1, sizeof(*r));

	if (r)
		r->end = end;
	return r;
}

void ranks_free(struct ranks *r)
{
	for (unsigned i = 0; r && i < r->n; i++) {
		for (unsigned k = 0; k < KINDS_OF_SPAN; k++)
			free(r->rank[i].of[k].span);
		free(r->rank[i].end);
	}
	if (r)
		free(r->rank);
	free(r);
}

static struct rank *rank_of(struct ranks *r, const struct saved_job *j)
{
	struct rank *more;

	for (unsigned i = 0; i < r->n; i++)
		if (r->rank[i].number == j->number && r->rank[i].job_len == j->name_len &&
			!strncmp(r->rank[i].name, j->rank, j->rank_len))
			return &r->rank[i];
	if (r->n == RANKS || j->rank_len >= sizeof(more->name)) {
		r->more++;
		return NULL;
	}
	more = realloc(r->rank, (r->n + 1) * sizeof(*more));
	r->no_memory |= !more;
	if (!more)
		return NULL;
	r->rank = more;
	more += r->n++;
	*more = (struct rank){.number = j->number, .job_len = j->name_len};
	memcpy(more->name, j->rank, j->rank_len);
	return more;
}

// Joins the last span with those before it that it touches.
static void join_last(struct spans *s)
{
	while (s->n > 1 && s->span[s->n - 1].from <= s->span[s->n - 2].to + s->near) {
		struct span *to = &s->span[s->n - 2];

		to->from = tstamp_min(to->from, to[1].from);
		to->to = tstamp_max(to->to, to[1].to);
		s->n--;
	}
}

// Doubles the distance at which spans are one.
static void thin(struct spans *s, tstamp end)
{
	unsigned n = s->n;

	s->near = s->near ? 2 * s->near : end / (2ull * SPANS) + 1;
	s->n = 1;
	for (unsigned i = 1; i < n; i++) {
		s->span[s->n++] = s->span[i];
		join_last(s);
	}
}

// Spans come in the order of their ends.
static void add_span(struct ranks *r, struct spans *s, tstamp from, tstamp to)
{
	if (!s->span)
		s->span = malloc(SPANS * sizeof(*s->span));
	r->no_memory |= !s->span;
	if (!s->span || from > to)
		return;
	while (s->n == SPANS)
		thin(s, r->end);
	s->span[s->n++] = (struct span){from, to};
	join_last(s);
}

static void add_end(struct ranks *r, struct rank *k, tstamp t)
{
	if (!k->end)
		k->end = malloc(SPANS * sizeof(*k->end));
	r->no_memory |= !k->end;
	if (k->end && k->n_ends < SPANS)
		k->end[k->n_ends++] = (double)t / PS_PER_US;
}

void ranks_take(struct ranks *r, const struct saved_ev *e)
{
	struct saved_job j;
	struct rank *k;

	if (r->no_memory || !saved_job(e, &j))
		return;
	k = rank_of(r, &j);
	if (!k)
		return;
	if (e->type == EV_JOB_CALC)
		add_span(r, &k->of[COMPUTE], j.from, e->t);
	else if (e->type == EV_JOB_MESSAGE)
		add_span(r, &k->of[MESSAGES], j.from, e->t);
	else if (e->type == EV_JOB_STEP)
		add_end(r, k, j.to);
}

static void put_spans(struct jw *w, const char *name, const struct spans *s)
{
	jw_array(w, name, true);
	for (unsigned i = 0; i < s->n; i++) {
		jw_array(w, NULL, true);
		put_us(w, NULL, s->span[i].from);
		put_us(w, NULL, s->span[i].to);
		jw_end(w);
	}
	jw_end(w);
}

static void put_rank(struct jw *w, const struct rank *k)
{
	tstamp near = tstamp_max(k->of[COMPUTE].near, k->of[MESSAGES].near);

	jw_object(w, NULL, false);
	jw_str(w, "name", k->name);
	put_us(w, "bin_us", near);
	for (unsigned i = 0; i < KINDS_OF_SPAN; i++)
		put_spans(w, kind_name[i], &k->of[i]);
	put_reals(w, "ends", k->end, k->n_ends);
	jw_end(w);
}

// The iterations of a job in summary.json.
static void put_steps(struct jw *w, const json_t *summary, const char *job)
{
	const json_t *steps = json_object_get(summary, "job_steps"), *one;
	char key[32];
	size_t i;

	jw_array(w, "steps", false);
	json_array_foreach(steps, i, one)
	{
		if (strcmp(saved_text(one, "job"), job) != 0)
			continue;
		jw_object(w, NULL, true);
		put_real(w, "number", saved_number(one, "number"));
		put_real(w, "completion_us", saved_number(one, "completion_us"));
		put_real(w, "last_rank", saved_number(one, "last_rank"));
		jw_array(w, "parts", true);
		for (unsigned k = 0; k < JOB_PARTS; k++) {
			snprintf(key, sizeof(key), "%s_us", evf_part_name(k));
			put_real(w, NULL, saved_number(one, key));
		}
		jw_end(w);
		jw_end(w);
	}
	jw_end(w);
}

static void put_job(struct jw *w, const struct ranks *r, const json_t *summary, const json_t *job)
{
	const char *name = saved_text(job, "job");
	size_t len = strlen(name);

	jw_object(w, NULL, false);
	jw_str(w, "name", name);
	jw_str(w, "schedule", saved_text(job, "schedule"));
	put_real(w, "ranks", saved_number(job, "ranks"));
	put_real(w, "iterations", saved_number(job, "iterations_done"));
	put_real(w, "completion_us", saved_number(job, "completion_us"));
	put_steps(w, summary, name);
	jw_array(w, "lanes", false);
	for (unsigned i = 0; i < r->n; i++)
		if (r->rank[i].job_len == len && !strncmp(r->rank[i].name, name, len))
			put_rank(w, &r->rank[i]);
	jw_end(w);
	jw_end(w);
}

static int by_number(const void *a, const void *b)
{
	const struct rank *x = a, *y = b;

	return (x->number > y->number) - (x->number < y->number);
}

void ranks_put(struct jw *w, const struct saved *s, struct ranks *r)
{
	const json_t *summary = saved_summary(s), *one;
	size_t i;

	if (r->n)
		qsort(r->rank, r->n, sizeof(*r->rank), by_number);
	jw_array(w, "jobs", false);
	json_array_foreach(json_object_get(summary, "jobs"), i, one) put_job(w, r, summary, one);
	jw_end(w);
	jw_u64(w, "more_job_events", r->more);
}
