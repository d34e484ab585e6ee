// SPDX-License-Identifier: BSD-3-Clause
// Jobs and their iterations: how long they took, and where the time went (measuring.md, Jobs).
#include <errno.h>
#include <math.h>
#include <string.h>

#include "int.h"

struct job {
	const char *name, *what;
	uint64_t ranks, ranks_open, iterations, ended;
	uint64_t completion, end, between; // ps; completion 0: it is not over
	uint64_t part[JOB_PARTS];          // ps
	bool parts_known;
	struct kind_dist length_us, spread_us;
	double algbw_gbps, busbw_gbps;   // NAN: it is no collective, or none has ended
	double slowest, slowest_percent; // NAN: no iteration has ended
	const char *slowest_host;        // NULL: none has ended
};

struct step {
	const char *job, *last_host;
	unsigned number;
	uint64_t start, completion, spread, last; // ps; a rank
	uint64_t part[JOB_PARTS];                 // ps
	bool parts_known;
};

static const char *host_of(const struct record *r, const struct rec_job *j, uint32_t rank)
{
	return r->scene->node[scene_host_of(r->scene, j->scene->node[rank])].name;
}

// The rank that was last most often; of several the lowest.
static uint32_t slowest_of(const struct rec_job *j)
{
	uint32_t most = 0;

	for (uint32_t i = 1; i < j->scene->graph->n_ranks; i++)
		if (j->times_last[i] > j->times_last[most])
			most = i;
	return most;
}

static void find_slowest(struct job *o, const struct record *r, const struct rec_job *j)
{
	uint32_t slowest = slowest_of(j);

	o->slowest = o->slowest_percent = NAN;
	if (!o->length_us.n)
		return;
	o->slowest = slowest;
	o->slowest_host = host_of(r, j, slowest);
	o->slowest_percent = 100.0 * j->times_last[slowest] / (double)o->length_us.n;
}

static void make_job(struct job *o, const struct summary *s, const struct rec_job *j)
{
	const struct scene_job *scene = j->scene;

	*o = (struct job){.name = scene->name,
		.what = scene->what,
		.ranks = scene->graph->n_ranks,
		.ranks_open = j->here - j->over,
		.iterations = scene->iterations,
		.ended = j->ended,
		.end = j->end,
		.between = j->between};
	if (j->ended == scene->iterations)
		o->completion = j->end - j->start;
	memcpy(o->part, j->split.part, sizeof(o->part));
	o->parts_known = !j->split.unknown;
	o->length_us = s->live ? kind_dist_look(j->length, 1e6) : kind_dist(j->length, 1e6);
	o->spread_us = s->live ? kind_dist_look(j->spread, 1e6) : kind_dist(j->spread, 1e6);
	o->algbw_gbps = NAN;
	if (scene->bytes && o->length_us.n && o->length_us.mean > 0)
		o->algbw_gbps = (double)scene->bytes * 8e-3 / o->length_us.mean;
	o->busbw_gbps = o->algbw_gbps * scene->bus;
	find_slowest(o, s->rec, j);
}

static int make_jobs(struct summary *s, struct set *to)
{
	const struct record *r = s->rec;

	if (set_room(to, &kind_job, r->n_jobs))
		return -ENOMEM;
	for (unsigned i = 0; i < r->n_jobs; i++)
		if (r->job[i].here)
			make_job(set_add(to), s, &r->job[i]);
	return 0;
}

#define PART(type, which, name, meaning, merging) \
	ROW_TIME_US_IF(type, parts_known, part[which], name, 6, meaning, .merge = merging)
// Rows of the parts of a time along the chain of its last rank.
#define PARTS(type, merging)                                                                    \
	PART(type, JOB_WIRE, "wire_us",                                                         \
		"part of the time along the longest chain: serialization and propagation",      \
		merging),                                                                       \
		PART(type, JOB_COMPUTE, "compute_us",                                           \
			"part of the time along the longest chain: calcs", merging),            \
		PART(type, JOB_PAUSE, "pause_us",                                               \
			"part of the time along the longest chain: PFC or PAUSE held a "        \
			"message's sender",                                                     \
			merging),                                                               \
		PART(type, JOB_RATE, "rate_us",                                                 \
			"part of the time along the longest chain: a reaction point's rate "    \
			"was below the speed of the slowest link of the way",                   \
			merging),                                                               \
		PART(type, JOB_RESEND, "resend_us",                                             \
			"part of the time along the longest chain: frames were sent again, or " \
			"the sender waited for a timeout",                                      \
			merging),                                                               \
		PART(type, JOB_WAIT, "wait_us",                                                 \
			"part of the time along the longest chain: all else: behind other "     \
			"frames, for ACKs, and for ranks that began later",                     \
			merging)

#define JOB_LENGTH "the time of an iteration, from its earliest start to its last end"
#define JOB_SPREAD "the time from the first rank's end of an iteration to the last one's"

static const struct figure job_figures[] = {
	ROW_TEXT(struct job, name, "job", "its name"),
	ROW_TEXT(struct job, what, "schedule", "its collective or pattern, or the file"),
	ROW_COUNT(struct job, ranks, "ranks", "ranks", "its ranks", .merge = FIGURE_SAME),
	ROW_COUNT(struct job, ranks_open, "ranks_open", "ranks",
		"ranks that have not ended their last iteration", .merge = FIGURE_SUM),
	ROW_COUNT(struct job, iterations, "iterations", "iterations",
		"iterations that it was to have", .merge = FIGURE_SAME),
	ROW_COUNT(struct job, ended, "iterations_done", "iterations",
		"iterations that all ranks have ended", .merge = FIGURE_LEAST),
	ROW_TIME_US_EVER(struct job, completion, "completion_us", 6,
		"the time from the earliest start of its first iteration to the last end of a "
		"receive or calc of its last one; `null` while a rank goes on",
		.merge = FIGURE_MOST),
	ROW_TIME_US_EVER(struct job, end, "last_end_us", 6,
		"the instant of the last end of a receive or calc of the last iteration that all "
		"ranks have ended",
		.merge = FIGURE_MOST),
	PARTS(struct job, FIGURE_NEVER),
	ROW_TIME_US(struct job, between, "between_us", 6,
		"part of the time: from the end of an iteration to a later start of the next "
		"one: its gap, and the last ACKs",
		.merge = FIGURE_NEVER),
	ROW_DIST(struct job, length_us, mean, "iteration_mean_us", "us", "mean of " JOB_LENGTH),
	ROW_DIST(struct job, length_us, min, "iteration_min_us", "us", "minimum of " JOB_LENGTH),
	ROW_SPREAD(struct job, length_us, "iteration", "_us", "us", JOB_LENGTH, ""),
	ROW_DIST(struct job, spread_us, mean, "spread_mean_us", "us", "mean of " JOB_SPREAD),
	ROW_SPREAD(struct job, spread_us, "spread", "_us", "us", JOB_SPREAD, ""),
	ROW_VALUE(struct job, algbw_gbps, "algbw_gbps", "Gb/s", 6,
		"algorithm bandwidth of a collective, as nccl-tests define it: its bytes over the "
		"mean time of an iteration",
		.merge = FIGURE_NEVER),
	ROW_VALUE(struct job, busbw_gbps, "busbw_gbps", "Gb/s", 6,
		"bus bandwidth of a collective, as nccl-tests define it: algorithm bandwidth "
		"times the factor of the collective",
		.merge = FIGURE_NEVER),
	ROW_VALUE(struct job, slowest, "slowest_rank", "", 0,
		"rank that ended an iteration last, most often", .merge = FIGURE_NEVER),
	ROW_TEXT(struct job, slowest_host, "slowest_host", "host of the slowest rank"),
	ROW_VALUE(struct job, slowest_percent, "slowest_percent", "%", 4,
		"share of the iterations that the slowest rank ended last", .merge = FIGURE_NEVER),
};

static void possible_jobs(struct kind_look *l)
{
	for (unsigned i = 0; i < l->s->n_jobs && !l->enough; i++)
		look_tell(l, "%s", l->s->job[i]->name);
}

const struct kind kind_job = {
	.key = "jobs",
	.path = "job",
	.title = "Jobs",
	.about = "Each job of the scenario ([jobs.md](jobs.md)), over the whole run. "
		 "`wire_us` to `between_us` sum to the time from the start of the job to "
		 "`last_end_us`.",
	.example = "ring",
	.if_any = true,
	.one_by = {"job"},
	.size = sizeof(struct job),
	KIND_FIGURES(job_figures),
	.make = make_jobs,
	.name_at = offsetof(struct job, name),
	.could = possible_jobs,
};

static void make_step(struct step *o, const struct record *r, const struct rec_job *j,
	const struct rec_iteration *it)
{
	*o = (struct step){.job = j->scene->name,
		.number = it->number,
		.start = it->start,
		.completion = it->end - it->start,
		.spread = it->end - it->first,
		.last = it->last,
		.last_host = host_of(r, j, it->last)};
	memcpy(o->part, it->split.part, sizeof(o->part));
	o->parts_known = !it->split.unknown;
}

// The iterations that are kept, in their order.
static void make_steps_of(struct set *to, const struct record *r, const struct rec_job *j)
{
	uint32_t ended = j->ended, number = 0;

	for (; number < ended && number < REC_JOB_KEPT; number++)
		if (record_job_iteration(j, number))
			make_step(set_add(to), r, j, record_job_iteration(j, number));
	if (ended > 2 * REC_JOB_KEPT)
		number = ended - REC_JOB_KEPT;
	for (; number < ended; number++)
		if (record_job_iteration(j, number))
			make_step(set_add(to), r, j, record_job_iteration(j, number));
}

static int make_steps(struct summary *s, struct set *to)
{
	const struct record *r = s->rec;

	if (set_room(to, &kind_job_step, r->n_jobs * 2ul * REC_JOB_KEPT))
		return -ENOMEM;
	for (unsigned i = 0; i < r->n_jobs; i++)
		make_steps_of(to, r, &r->job[i]);
	return 0;
}

static const struct figure step_figures[] = {
	ROW_TEXT(struct step, job, "job", "its job"),
	ROW_ID(struct step, number, "number", "its number in the job, from 0"),
	ROW_TIME_US(struct step, start, "start_us", 6,
		"the instant of its earliest start at a rank", .merge = FIGURE_LEAST),
	ROW_TIME_US(struct step, completion, "completion_us", 6,
		"the time from its earliest start to the last end of a receive or calc",
		.merge = FIGURE_MOST),
	PARTS(struct step, FIGURE_NEVER),
	ROW_TIME_US(struct step, spread, "spread_us", 6,
		"the time from the first rank's end to the last one's", .merge = FIGURE_NEVER),
	ROW_COUNT(struct step, last, "last_rank", "",
		"rank that ended it last, whose chain the parts follow", .merge = FIGURE_NEVER),
	ROW_TEXT(struct step, last_host, "last_host", "host of that rank"),
};

static void possible_steps(struct kind_look *l)
{
	for (unsigned i = 0; i < l->s->n_jobs && !l->enough; i++)
		for (uint32_t k = 0; k < l->s->job[i]->iterations && !l->enough; k++)
			look_tell(l, "%s.%u", l->s->job[i]->name, k);
}

const struct kind kind_job_step = {
	.key = "job_steps",
	.path = "job_step",
	.title = "Iterations of jobs",
	.about = "The iterations that all ranks of a job have ended, by the job's name and a "
		 "number from 0: of many the first 64 and the last 64. The parts sum to "
		 "`completion_us`.",
	.example = "ring.0",
	.if_any = true,
	.one_by = {"job", "number"},
	.size = sizeof(struct step),
	KIND_FIGURES(step_figures),
	.make = make_steps,
	.name_at = offsetof(struct step, job),
	.number_at = offsetof(struct step, number),
	.could = possible_steps,
};
