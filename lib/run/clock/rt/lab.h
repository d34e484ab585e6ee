// SPDX-License-Identifier: BSD-3-Clause
// The lab of the real clock: an experiment in a thread of its own gives testers their lists by
// orders to the lcores, while the run goes on.
#pragma once

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "conf/conf.h"

#pragma GCC visibility push(hidden)

struct rt;

struct rt_lab {
	bool runs; // the thread has begun
	pthread_t thread;
	atomic_bool over; // the experiment has returned
	int rc;           // what it returned, once it is over
	struct err err;
	atomic_bool asks;      // it wants to know what the instrument has lost so far,
	_Atomic uint64_t lost; // which is frames of all devices
};

// Starts the experiment of rt->opts, if there is one, when the lcores run. -errno with a line.
int rt_lab_begin(struct rt *rt, struct err *err);
// A turn of the main lcore, which reads what devices have lost. Returns whether the experiment is
// over.
bool rt_lab_turn(struct rt *rt);
// Whether the experiment was not interrupted.
bool rt_lab_is_done(const struct rt *rt);
// Waits for the experiment, whose steps fail once the lcores have ended.
void rt_lab_end(struct rt *rt);

#pragma GCC visibility pop
