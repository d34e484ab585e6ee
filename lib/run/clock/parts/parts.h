// SPDX-License-Identifier: BSD-3-Clause
// A part of a scenario meets the others before its run, by the devices of its cut links, and hears
// of them while it runs.
#pragma once

#include <stdatomic.h>
#include <stdbool.h>

#include "conf/conf.h"
#include "lcores/lcores.h"
#include "record/record.h"
#include "transport/meet.h"

// The surroundings of a part; they last until parts_free().
struct parts_run {
	const struct rt_world *world;
	struct dev *dev;
	unsigned n_dev;
	const struct rt_clock *clock;
	uint64_t from;               // TSC, for rt_clock_shared
	const atomic_bool *stop;     // NULL: none
	tstamp wait;                 // wall time within which the others must have answered
	const struct hello_key *key; // that signs hellos; NULL: none
	bool at;                     // all start at one instant
	uint64_t at_ns;              // this: since 1970, UTC
	void (*say)(void *arg, const char *line); // a line for the user
	void *arg;
};

struct parts {
	struct parts_run run;
	struct meet m;
	struct meet_link *link;
	struct dev **dev;    // of each link
	struct rt_end **end; // of each link
	unsigned n;          // 0: there is nobody to meet
	// While the run goes on, of each link.
	struct parts_heard {
		bool silent;      // the peer, and it was said
		bool strange;     // hellos came whose tag is wrong
		unsigned version; // with a key: of hellos that came in another one; 0: none
		uint32_t met;     // number of the peer's process when both started
	} * heard;
	tstamp say_at;
	bool lost; // a peer that has fallen silent has ended the run
	struct rt_ahead ahead;
};

// Asks the other parts, once devices have started, until all agree. On an error one line says which
// part differs, or has not answered in time. Returns 0 if the run is stopped meanwhile.
int parts_begin(struct parts *t, const struct parts_run *run, struct err *err);
// Answers the other parts until shortly before the common start. Call it after dev_begin(). Returns
// the TSC of scene time 0; 0: start at once. `window`: the window of measurement has started.
uint64_t parts_start(struct parts *t, bool window);
// Sends hellos and watches the peers while workers have the devices; the main lcore calls it. A
// silent peer is reported. True: the run ends because of that, and `why` says so.
bool parts_watch(struct parts *t, bool window, char *why, size_t size);
// Writes into `d` which part answered behind a device, and the relation of its clock to ours, as of
// now.
void parts_peer(const struct parts *t, const struct dev *dev, struct record_device *d);
// Writes into the record by how much latencies may be wrong.
void parts_bounds(const struct parts *t, struct record *rec);
// After the last loop: gives back the hellos that were not sent.
void parts_end(struct parts *t);
void parts_free(struct parts *t);
