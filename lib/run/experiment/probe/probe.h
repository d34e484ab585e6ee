// SPDX-License-Identifier: BSD-3-Clause
// Room probe has the steps by which a device that is not ours is measured from outside (probe.md):
// each sends lists of frames by a lab, and estimates figures from the frames that came back.
#pragma once

#include "found.h"
#include "lab/lab.h"

// Steps, in the only safe order.
enum probe_step {
	PROBE_STEP_SELF,
	PROBE_STEP_MAP,
	PROBE_STEP_PAUSE,
	PROBE_STEP_OVERFILL,
	PROBE_STEP_XOFF,
	PROBE_STEP_CELL,
	PROBE_STEP_REFRESH,
	PROBE_STEP_XON,
	PROBE_STEP_ALPHA,
	PROBE_STEP_LOSSY,
	PROBE_STEP_MARKS,
	PROBE_STEP_WEIGHTS,
	PROBE_STEP_POOL,
	PROBE_STEP_WATCHDOG,
	PROBE_STEPS
};

#define PROBE_NO_DSCP 0xff

// Settings of a probe: section `probe` of a scenario, and options of the command.
struct probe_cfg {
	unsigned in[TESTER_PORTS], n_in;   // ports of the lab: the first is the measured group's
	unsigned out[TESTER_PORTS], n_out; // the first is the egress that is blocked
	uint8_t dscp[PKT_CLASSES];         // one of each class; PROBE_NO_DSCP: not given
	bool dscp_auto;                    // none is given: only classes that obey PFC are found
	uint8_t pcp[PKT_CLASSES];          // one of each class; TESTER_UNTAGGED: not given
	bool map_pcp;                      // step `map` finds the classes of PCPs, too
	bool by_pcp;     // no DSCP is given, but PCPs are asked for: all frames have a tag
	uint8_t classes; // bitmap of those to be measured; 0: each that obeys PFC
	double accuracy; // half width of 95 % at which a statistical step stops, 0..1
	uint32_t steps;  // bitmap of enum probe_step, which holds the needs of each, too
	tstamp most_hold, most_step, most_time;
	uint64_t most_frames, most_buffer; // of a statistical step; bytes of an overfill
	unsigned response_limit; // quanta of 802.3 31B.3.7 at the rate of the measured ports
	uint64_t seed;
};

struct probe_step_row {
	const char *name;
	uint32_t needs;   // bitmap of steps
	unsigned in, out; // ports that it wants at least
	bool by_class;    // it is done for each class that is measured
	// Whether it keeps a device's egress in XOFF.
	bool holds;
	const char *text;
};

extern const struct probe_step_row probe_step[PROBE_STEPS];

struct probe;

// Tells somebody what is under way. NULL: nobody listens.
struct probe_listener {
	void (*told)(void *arg, enum probe_step step, unsigned cls, const char *text);
	void *arg;
};

// The longest pause of the device's egress that the steps will cause at most, for --allow-storm.
tstamp probe_longest_hold(const struct probe_cfg *cfg, rate_t rate);

// Does the steps. 0: done; -EINTR: it was ended, and *found has the findings so far; other -errno
// and a line: the device or the instrument made it impossible (link gone for good, our own port
// obeys PFC, nothing is forwarded). Figures that were not measured say why.
int probe_run(struct lab *lab, const struct probe_cfg *cfg, const struct probe_listener *listener,
	struct probe_found *found, struct err *err);
