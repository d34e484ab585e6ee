// SPDX-License-Identifier: BSD-3-Clause
// Real time: the scene on poll-mode DPDK lcores, over links in memory and real ports.
#pragma once

#include <stdatomic.h>
#include <stdbool.h>

#include "conf/conf.h"
#include "live/live.h"
#include "report/report.h"
#include "scene/scene.h"

struct lab;

struct rt_opts {
	struct record_opts record;
	const atomic_bool *stop; // set by a signal handler; NULL: none
	// Gets the function to call before a signal ends the process at once; NULL: there is no
	// such signal.
	void (*at_kill)(void (*fn)(void *arg), void *arg);
	// The first SIGINT of a run with queue pairs quiesces them for so long (wall); 0: it sets
	// *stop. soften(true) gives the flag that it sets meanwhile; from soften(false) on, and at
	// the second time, it sets *stop.
	tstamp quiesce;
	const atomic_bool *(*soften)(bool on);
	void (*progress)(void *arg, const struct live_progress *p); // as of vt_opts
	void *arg;
	// As of vt_opts, in a thread of its own; the instants of its lab are scene time.
	int (*experiment)(void *arg, struct lab *lab, struct err *err);
	void *experiment_arg;
	unsigned dilate;    // 0: chosen (1 with devices; in memory as this machine needs)
	tstamp allow_storm; // longest storm that may leave by a device; 0: none may
	// How a part of a scenario begins. LINK: first it meets the other parts over its cut links,
	// and all begin together. AT: the same, but they begin at `start_ns`. NOW: at once, without
	// asking the others.
	enum rt_start { RT_START_LINK, RT_START_AT, RT_START_NOW } start;
	uint64_t start_ns;                 // of AT: since 1970, UTC
	tstamp wait_parts;                 // wall time within which the others must have answered
	const struct hello_key *parts_key; // by which parts sign their hellos; NULL: they do not
	unsigned workers; // lcores that work; 0: all processors but the main lcore's
	bool no_huge;     // asked for; without hugepages it is chosen by itself, and said
	int eal_argc;     // what stood behind "--"
	char **eal_argv;
	const char *program;
	const char *instance;                     // its name for other processes; NULL: the scene's
	void (*say)(void *arg, const char *line); // a line for the user; NULL: on stderr
};

// Runs a scene like vt_run(). EAL is initialized once in a process. Draws QPNs and first PSNs if
// the scene wants it (draws_qp_numbers).
int rt_run(
	struct scene *scene, const struct rt_opts *opts, struct report **report, struct err *err);
// Opens and starts the scene's devices, tests them and the machine, and closes everything again.
// *found is the caller's to free (record_finding_free). Like rt_run() only once in a process.
int rt_ports(struct scene *scene, const struct rt_opts *opts, struct record_findings *found,
	struct err *err);
