// SPDX-License-Identifier: BSD-3-Clause
// A part of a scenario meets the others before its run, by the devices of its cut links.
#pragma once

#include "transport/meet.h"
#include "conf/conf.h"
#include "ahead.h"

#pragma GCC visibility push(hidden)

struct rt;
struct dev;
struct record_device;

struct rt_meet {
	struct meet m;
	struct meet_link *link;
	struct dev **dev; // of each link
	unsigned n;       // 0: there is nobody to meet
	// While the run goes on, of each link: hellos that had come, when they had become more, and
	// whether it was said that they do not.
	struct rt_meet_heard {
		uint32_t hellos;
		tstamp at;
		bool silent;
	} * heard;
	tstamp say_at;
	bool lost; // a peer that has fallen silent has ended the run
	struct rt_ahead ahead;
};

// Once devices have started: asks until all parts agree. One line where one differs, or has not
// answered in time. Where the run is stopped meanwhile it returns 0.
int rt_meet_begin(struct rt *rt, struct err *err);
// Behind dev_begin: answers until shortly before the start that all agreed to. The TSC of it, of
// scene time 0; 0: at once.
uint64_t rt_meet_start(struct rt *rt);
// The main lcore's look while workers have the devices: hellos go on, and a peer that has fallen
// silent is said. True: the run ends for that, and rt->run.link_loss says why.
bool rt_meet_watch(struct rt *rt);
// Sets what is known of the clock behind a device, as of now.
void rt_meet_clock(const struct rt *rt, unsigned dev, struct record_device *d);
// Behind the last loop: gives back what was not sent.
void rt_meet_end(struct rt *rt);
void rt_meet_free(struct rt *rt);

#pragma GCC visibility pop
