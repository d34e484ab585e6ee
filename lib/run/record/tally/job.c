// SPDX-License-Identifier: BSD-3-Clause
// Jobs: their iterations, and where the time of each went (measuring.md, Jobs). Ranks tell of their
// own iterations only, and one of them may be many iterations ahead of another one.
#include <errno.h>
#include <stdlib.h>

#include "base/fixed.h"
#include "int.h"

#define FIRST_ROOM 4

static int build_job(struct record *r, struct rec_job *j, const struct scene_job *s)
{
	uint32_t n = s->graph->n_ranks;

	j->scene = s;
	j->next = calloc(n, sizeof(*j->next));
	j->times_last = calloc(n, sizeof(*j->times_last));
	j->open = calloc(FIRST_ROOM, sizeof(*j->open));
	if (!j->next || !j->times_last || !j->open)
		return -ENOMEM;
	j->room = FIRST_ROOM;
	for (uint32_t i = 0; i < n; i++)
		j->here += scene_is_here(r->scene, s->node[i]);
	return 0;
}

int record_jobs_build(struct record *r)
{
	int code = 0;

	r->job = calloc(r->scene->n_jobs + 1ul, sizeof(*r->job));
	if (!r->job)
		return -ENOMEM;
	r->n_jobs = r->scene->n_jobs;
	for (unsigned i = 0; i < r->n_jobs && !code; i++)
		code = build_job(r, &r->job[i], r->scene->job[i]);
	return code;
}

void record_jobs_free(struct record *r)
{
	for (unsigned i = 0; i < r->n_jobs; i++) {
		free(r->job[i].next);
		free(r->job[i].times_last);
		free(r->job[i].open);
	}
	free(r->job);
}

static struct rec_job *job_of(const struct record *r, uint32_t rank)
{
	for (unsigned i = 0; i < r->n_jobs; i++) {
		const struct scene_job *s = r->job[i].scene;

		if (rank >= s->rank_at && rank - s->rank_at < s->graph->n_ranks)
			return &r->job[i];
	}
	return NULL;
}

static struct rec_iteration *open_at(const struct rec_job *j, uint32_t number)
{
	return &j->open[number & (j->room - 1)];
}

// The place of an iteration that has ended among the kept ones.
static uint32_t place_of(uint32_t number)
{
	return number < REC_JOB_KEPT ? number : REC_JOB_KEPT + number % REC_JOB_KEPT;
}

const struct rec_iteration *record_job_iteration(const struct rec_job *j, uint32_t number)
{
	const struct rec_iteration *it = &j->kept[place_of(number)];

	return number < j->ended && it->told && it->number == number ? it : NULL;
}

// Room for the iterations from j->ended up to `number`. False: memory is out.
static bool make_room(struct record *r, struct rec_job *j, uint32_t number)
{
	struct rec_iteration *more, *old = j->open;
	uint32_t room = j->room;

	if (number - j->ended < room)
		return true;
	while (number - j->ended >= room)
		room *= 2;
	more = calloc(room, sizeof(*more));
	if (!more) {
		record_fail(r, -ENOMEM, "no memory for the iterations of a job");
		return false;
	}
	for (uint32_t i = 0; i < j->n_open; i++)
		more[(j->ended + i) & (room - 1)] = *open_at(j, j->ended + i);
	free(old);
	j->open = more;
	j->room = room;
	return true;
}

// The iteration of this number, which has not ended; NULL: memory is out.
static struct rec_iteration *open_of(struct record *r, struct rec_job *j, uint32_t number)
{
	if (!make_room(r, j, number))
		return NULL;
	for (; j->n_open <= number - j->ended; j->n_open++)
		*open_at(j, j->ended + j->n_open) = (struct rec_iteration){
			.number = j->ended + j->n_open,
			.last = UINT32_MAX,
			.start = TSTAMP_NEVER,
			.first = TSTAMP_NEVER,
		};
	return open_at(j, number);
}

// The split of a chain for a time of `ps`. Of a shorter chain: it waited before. Of a longer one:
// each part in proportion.
static struct job_split fit(const struct job_split *s, tstamp ps)
{
	struct job_split to = *s;
	tstamp sum = job_split_sum(s);

	if (s->unknown)
		return to;
	for (unsigned i = 0; sum > ps && i < JOB_PARTS; i++)
		to.part[i] = fixed_muldiv(s->part[i], ps, sum);
	to.part[JOB_WAIT] += ps - job_split_sum(&to);
	return to;
}

// Adds an iteration to the job's parts: of one that began before the end of the iteration before,
// the time since then.
static void add_parts(struct rec_job *j, const struct rec_iteration *it)
{
	tstamp from = j->length ? tstamp_max(j->end, it->start) : it->start;
	struct job_split s = fit(&it->split, tstamp_since(it->end, from));

	j->split.unknown |= s.unknown;
	for (unsigned i = 0; i < JOB_PARTS; i++)
		j->split.part[i] += s.part[i];
	if (j->length)
		j->between += from - j->end;
	else
		j->start = from;
	j->end = tstamp_max(from, it->end);
}

static void end_iteration(struct record *r, struct rec_job *j)
{
	struct rec_iteration *it = open_at(j, j->ended);

	j->n_open--;
	j->ended++;
	if (it->last == UINT32_MAX) // its events were lost
		return;
	it->split = fit(&it->split, it->end - it->start);
	add_parts(j, it);
	record_hist_add(r, &j->length, it->end - it->start);
	record_hist_add(r, &j->spread, it->end - it->first);
	j->times_last[it->last]++;
	j->kept[place_of(it->number)] = *it;
}

// Ends the iterations that all ranks have ended. The parts of the time come behind the step of a
// rank. `all`: they are here, or lost.
static void end_some(struct record *r, struct rec_job *j, bool all)
{
	while (j->n_open) {
		const struct rec_iteration *it = open_at(j, j->ended);

		if (it->told < j->here || (!all && it->last != UINT32_MAX && it->parts < JOB_PARTS))
			return;
		end_iteration(r, j);
	}
}

// Counts the iterations of a rank up to `number`; events of some may be lost.
static bool count_ended(struct record *r, struct rec_job *j, uint32_t rank, uint32_t number)
{
	for (; j->next[rank] <= number; j->next[rank]++) {
		struct rec_iteration *it = open_of(r, j, j->next[rank]);

		if (!it)
			return false;
		it->told++;
		j->over += j->next[rank] + 1 == j->scene->iterations;
	}
	return true;
}

static void see_step(struct record *r, struct rec_job *j, const struct ev *e)
{
	uint32_t number = e->job_step.iteration, rank;
	tstamp done = e->job_step.done;
	struct rec_iteration *it;

	rank = e->job_step.rank - j->scene->rank_at;
	if (number < j->next[rank] || !count_ended(r, j, rank, number))
		return;
	it = open_at(j, number);
	it->start = tstamp_min(it->start, e->job_step.start);
	it->first = tstamp_min(it->first, done);
	if (it->last != UINT32_MAX && (done < it->end || (done == it->end && rank > it->last)))
		return;
	it->last = rank;
	it->end = done;
	it->parts = e->cls ? JOB_PARTS : 0;
	it->split = (struct job_split){.unknown = e->cls};
}

void record_job_step(struct record *r, const struct ev *e)
{
	struct rec_job *j = job_of(r, e->job_step.rank);

	if (!j || e->job_step.iteration >= j->scene->iterations)
		return;
	see_step(r, j, e);
	if (e->cls) // no parts follow
		end_some(r, j, false);
}

void record_job_part(struct record *r, const struct ev *e)
{
	struct rec_job *j = job_of(r, e->job_part.rank);
	uint32_t number = e->job_part.iteration;
	struct rec_iteration *it;

	if (!j || number - j->ended >= j->n_open || e->cls >= JOB_PARTS)
		return;
	it = open_at(j, number);
	if (it->last == e->job_part.rank - j->scene->rank_at) {
		it->split.part[e->cls] = e->job_part.ps;
		it->parts++;
	}
	end_some(r, j, false);
}

void record_jobs_finish(struct record *r)
{
	for (unsigned i = 0; i < r->n_jobs; i++)
		end_some(r, &r->job[i], true);
}
