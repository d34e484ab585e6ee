// SPDX-License-Identifier: BSD-3-Clause
// Virtual time: the scene as a conservative discrete-event simulation, deterministic to the byte.
#pragma once

#include <stdatomic.h>
#include <stdbool.h>

#include "conf/conf.h"
#include "live/live.h"
#include "report/report.h"
#include "scene/scene.h"

struct lab;

struct vt_opts {
	struct record_opts record;
	const atomic_bool *stop; // set by a signal handler; NULL: none
	// About once a wall second; NULL: none.
	void (*progress)(void *arg, const struct live_progress *p);
	void *arg;
	// Asked after each interval of the run's course: true ends the run. NULL: never.
	bool (*enough)(void *arg, const struct record *r, tstamp now);
	// Called in place of the run to the scene's end; its lab has the scene's testers, by their
	// numbers. The run ends when it returns, or at the scene's end, where steps return -ETIME.
	// vt_run() returns what it returns, but for -EINTR, which is a run that was interrupted.
	// NULL: none.
	int (*experiment)(void *arg, struct lab *lab, struct err *err);
	void *experiment_arg;
	bool lockstep; // one instant at a time over all nodes: slow, and the same to the byte
};

// Runs the scene to its end and closes its record; *report is freed by the caller. 0 or -errno.
int vt_run(const struct scene *scene, const struct vt_opts *opts, struct report **report,
	struct err *err);
