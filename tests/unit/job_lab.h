// SPDX-License-Identifier: BSD-3-Clause
// Shared by the tests of jobs in a run: a star of hosts with a job, run in virtual time, and the
// events of its ranks.
#pragma once

#include "scene_lab.h"

#include "evf/evf.h"
#include "vt/vt.h"

#define JOB_RANKS 64

#define JOB_STEPS 4

// An iteration of a rank.
struct job_of_rank {
	tstamp start, done, ended;
	struct job_split split;
};

struct job_ran {
	struct job_of_rank rank[JOB_RANKS];          // its last iteration
	struct job_of_rank of[JOB_STEPS][JOB_RANKS]; // its first iterations
	unsigned steps[JOB_RANKS];                   // that have ended
	uint32_t slowest;                            // the rank with the last `done`
	uint64_t messages;
	tstamp calcs; // sum of all CALCs
};

// A star of `hosts` hosts h1.. around s1: 100 Gb/s, 1 us. `job`: the options of the job besides its
// ranks; `more`: further sections.
static inline void job_star(
	char *text, size_t size, unsigned hosts, const char *job, const char *more)
{
	int n = snprintf(text, size,
		"duration: 100ms\n"
		"record: {events: [job_step, job_part, job_calc, job_message], format: binary}\n"
		"sample: none\n"
		"switches: {s1: {buffer: 64MB, classes: {3: {lossless: true}}}}\n"
		"hosts: {h1..%u: }\n"
		"links: [{between: [h1..%u, s1], rate: 100Gbps, delay: 1us}]\n"
		"jobs: {j: {ranks: h1..%u, %s}}\n%s",
		hosts, hosts, hosts, job, more);

	assert_true(n > 0 && (size_t)n < size);
}

static inline void job_see(struct job_ran *r, const struct ev *e)
{
	struct job_of_rank *k;

	if (e->type == EV_JOB_MESSAGE)
		r->messages++;
	else if (e->type == EV_JOB_CALC)
		r->calcs += e->t - e->job_calc.start;
	else if (e->type == EV_JOB_STEP) {
		assert_true(e->job_step.rank < JOB_RANKS);
		k = &r->rank[e->job_step.rank];
		assert_int_equal(e->job_step.iteration, r->steps[e->job_step.rank]++);
		k->start = e->job_step.start;
		k->done = e->job_step.done;
		k->ended = e->t;
		if (k->done > r->rank[r->slowest].done)
			r->slowest = e->job_step.rank;
	} else if (e->type == EV_JOB_PART) {
		k = &r->rank[e->job_part.rank];
		assert_int_equal(e->job_part.iteration, r->steps[e->job_part.rank] - 1);
		k->split.part[e->cls] = e->job_part.ps;
		if (e->job_part.iteration < JOB_STEPS)
			r->of[e->job_part.iteration][e->job_part.rank] = *k;
	}
}

static inline void job_read(struct job_ran *r, const char *dir)
{
	const struct evf_pick all = evf_pick_all();
	char path[128];
	const struct ev *e;
	struct evf_in *in;
	struct err err;
	uint64_t number;
	int rc;

	snprintf(path, sizeof(path), "%s/events.bin", dir);
	if (evf_open(&in, path, &err))
		fail_msg("%s", err.text);
	while ((rc = evf_next(in, &all, &e, &number, &err)) == 1)
		job_see(r, e);
	assert_int_equal(rc, 0);
	evf_close_in(in);
}

// Runs a scenario, which must end without a failed verdict.
static inline struct job_ran job_run_as(const char *text, bool lockstep)
{
	char dir[] = "/tmp/quench-job-XXXXXX", command[128];
	struct job_ran r = {0};
	struct scene *s = lab(text);
	struct report *rec;
	struct err err;

	assert_non_null(mkdtemp(dir));
	if (vt_run(s,
		    &(struct vt_opts){.record = {.dir = dir, .force = true}, .lockstep = lockstep},
		    &rec, &err))
		fail_msg("%s", err.text);
	if (!report_passed(rec))
		fail_msg("%s\n%s", text, report_text(rec));
	job_read(&r, dir);
	snprintf(command, sizeof(command), "rm -r %s", dir);
	assert_int_equal(system(command), 0);
	report_free(rec);
	scene_free(s);
	return r;
}

static inline struct job_ran job_run(const char *text)
{
	return job_run_as(text, false);
}

// The time of the last iteration of the slowest rank, which its split adds up to.
static inline tstamp job_time(const struct job_ran *r)
{
	const struct job_of_rank *k = &r->rank[r->slowest];

	assert_true(r->steps[r->slowest]);
	assert_int_equal(job_split_sum(&k->split), k->done);
	return k->done;
}
