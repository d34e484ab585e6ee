// SPDX-License-Identifier: BSD-3-Clause
// The run: its devices, its lcores and its end.
#pragma once

#include <stdatomic.h>
#include <stdbool.h>

#include "control/control.h"
#include "lcores/lcores.h"
#include "parts/parts.h"
#include "telemetry/telemetry.h"
#include "carrier.h"
#include "lab.h"
#include "quiesce.h"
#include "recorder.h"
#include "rt.h"

#pragma GCC visibility push(hidden)

struct rt {
	struct scene *scene; // its queue pairs get their numbers before the nodes run
	const struct rt_opts *opts;
	struct rt_world world;
	struct eal_pool_size size;
	struct rte_mempool *pool;
	struct eal_pool_size dev_size; // of the devices' own pool, where they have one
	struct rte_mempool *dev_pool;  // or NULL
	struct dev *dev;
	struct record_device *device; // losses of each, for the report
	unsigned n_dev;
	bool has_runtime; // DPDK has a folder for sockets
	bool eal, slips;  // slips: the world is on one lcore and in memory, so its clock may wait
	unsigned lcore_id[RTE_MAX_LCORE], n_lcores;
	unsigned most_workers; // that --workers could give; 0: the user has given EAL its lcores
	struct rt_clock clock;
	struct rt_instant boot, calibrated; // of calibration
	struct rt_instant begin, end;       // of the run
	struct record_findings self;        // what the self-test has found
	tstamp tolerance;
	struct rt_recorder recorder;
	struct telemetry_figures figures; // so far
	struct control_stream capture;    // live captures, as control opens them
	struct control *control;          // NULL: nobody can change the run
	struct rt_carrier carrier;
	struct parts parts;        // the others, of a part of a scenario
	_Atomic uint32_t released; // turns after which the held lcores go on
	atomic_bool quit;
	atomic_bool turn_wanted; // of the recorder, on the worker of a world that may slip
	struct rt_bell bell;     // wakes the main lcore
	bool looks_often;        // a driver may forget its counters (dev_look)
	bool hung; // a worker's thread stands still for good, with all frames that it holds
	struct rt_quiesce quiesce;
	struct rt_lab lab;
	bool interrupted; // by the user, whose quiesce it is
	struct record_run run;
};

// One line for the user, by opts->say or on stderr.
__attribute__((format(printf, 2, 3))) void rt_say(const struct rt *rt, const char *fmt, ...);
// The first port whose device leads to something that runs at its own pace, and not to another part
// of the scene: then the scene's time cannot pass more slowly. NULL: there is none.
const struct scene_port *rt_own_pace(const struct scene *s);
// Runs the lcores to the end of the scene or until opts->stop; fills the fields of rt->run that the
// lcores know.
int rt_main(struct rt *rt, struct err *err);
// The gaps and losses until `now`, without a verdict. The recorder's thread calls it.
void rt_verdict_so_far(const struct rt *rt, struct record_run *run, tstamp now);
// After rt_main: gaps, losses and whether the timing held, into rt->run.
void rt_verdict(struct rt *rt);

#pragma GCC visibility pop
