// SPDX-License-Identifier: BSD-3-Clause
// An open record of a scene with a job of three ranks, one each on h1, h2 and r. No engine runs it:
// tests put its events into the rings by hand.
#pragma once

#include "net_each.h"

enum { JOB_RANK_AT = 5 }; // number of its rank 0 in events

static struct graph job_graph = {.n_ranks = 3};
static uint16_t job_node[3];
static struct scene_job job_scene, *job_list[1] = {&job_scene};

static inline void job_open_with(uint32_t iterations)
{
	struct record_opts ro = {.dir = n.lab.out, .force = true};

	net_open(&n);
	ro.dir = n.lab.out;
	record_free(n.rec);
	job_node[0] = (uint16_t)n.h1;
	job_node[1] = (uint16_t)scene_node(n.lab.scene, "h2");
	job_node[2] = (uint16_t)n.r;
	job_scene = (struct scene_job){.name = "ring",
		.what = "all_reduce, ring",
		.graph = &job_graph,
		.node = job_node,
		.rank_at = JOB_RANK_AT,
		.iterations = iterations,
		.bytes = 1000000,
		.bus = 1.5};
	n.lab.scene->job = job_list;
	n.lab.scene->n_jobs = 1;
	if (record_open(&n.rec, n.lab.scene, n.net, &ro, &n.lab.err) ||
		record_begin(n.rec, 0, &n.lab.err))
		fail_msg("%s", n.lab.err.text);
}

static inline void job_close(void)
{
	n.lab.scene->n_jobs = 0;
	net_close(&n);
}

// A rank's iteration from start to done, which ended at `ended`, and the parts of its time; all in
// ps.
static inline void job_step_ps(uint32_t rank, uint32_t iteration, tstamp start, tstamp done,
	tstamp ended, const struct job_split *s)
{
	struct ev_ring *to = &net_node(n.net, job_node[rank])->events;
	struct ev *e = ev_put(to, EV_JOB_STEP, ended);

	assert_non_null(e);
	e->job_step = (struct ev_job_step){JOB_RANK_AT + rank, iteration, start, done};
	for (unsigned i = 0; i < JOB_PARTS; i++) {
		e = ev_put(to, EV_JOB_PART, ended);
		assert_non_null(e);
		e->cls = (uint8_t)i;
		e->job_part = (struct ev_job_part){JOB_RANK_AT + rank, iteration, s->part[i]};
	}
}

// In us: wire and compute alone.
static inline void job_step(
	uint32_t rank, uint32_t iteration, uint64_t start, uint64_t done, uint64_t wire)
{
	struct job_split s = {0};

	s.part[JOB_WIRE] = wire * PS_PER_US;
	s.part[JOB_COMPUTE] = (done - start - wire) * PS_PER_US;
	job_step_ps(
		rank, iteration, start * PS_PER_US, done * PS_PER_US, (done + 2) * PS_PER_US, &s);
}

static inline void job_drain(void)
{
	for (unsigned i = 0; i < 3; i++)
		record_drain(n.rec, job_node[i]);
}
