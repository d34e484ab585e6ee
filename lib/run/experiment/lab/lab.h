// SPDX-License-Identifier: BSD-3-Clause
// Room lab has the steps of an experiment: its ports send lists of frames and keep an entry of each
// frame that they see. Each clock makes a lab of its own; an experiment does not know which.
//
// An experiment is code that calls lab_do() again and again, and decides by the frames that its
// ports saw. It reads no clock, so a test may give it a lab of its own.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/rate.h"
#include "conf/conf.h"
#include "tester/tester.h"

#include "book.h"

struct lab_port {
	const char *name; // of the host: "p1"
	uint8_t mac[6];
	rate_t rate;
	tstamp cable; // one way, from it to the device
	bool stamped; // the hardware says when its frames came
};

struct lab_list {
	const struct tester_item *item; // lives until lab_do() is over
	unsigned n;
};

struct lab_step {
	const char *name; // for messages: "xoff"
	struct lab_list port[TESTER_PORTS];
	tstamp tail;    // the step lasts so long after the last frame of all finite items
	tstamp longest; // the step lasts no longer; 0: the lab's own bound
	uint32_t room;  // frames that each port sees at most; 0: the lab's own bound, many millions
};

// What one port saw, by time. Instants count from the step's start, the same for all ports.
struct lab_seen {
	const struct tester_seen *entry;
	uint32_t n;
	const struct tester_control *control; // entry.number of TESTER_CONTROL is its index
	uint32_t n_control;
};

// The result of a step. The lab owns it, and it is valid until the next step.
struct lab_sight {
	struct lab_seen port[TESTER_PORTS];
	tstamp took;
	tstamp gap,
		gap_longest; // loops of our ports in this step: the 99th percentile, the longest
	tstamp late;         // the most by which a frame left later than its list says
	// Least of all ports, 0..1: the share of the wire that frames without a gap took while they
	// were due. 1 where none were due.
	double kept;
	uint64_t lost;   // frames that we lost ourselves
	uint64_t unseen; // frames for which there was no room
	bool cut;        // `longest` ended it
	bool down;       // a link was lost in it, which ended it
};

struct lab {
	unsigned ports;
	struct lab_port port[TESTER_PORTS];
	// Loops of our ports so far, as in struct lab_sight; 0 where ports act at any instant.
	tstamp gap, gap_longest;
	tstamp scene_time; // that all steps have taken
	unsigned steps;
	// Waits for all links, then does the step. 0; -EINTR: somebody ends the run; -ENETDOWN: a
	// link has been gone for good; -ETIME: the run is over; -errno and a line. The lab sends
	// XON for all that it holds when it ends, whatever happens.
	int (*step)(struct lab *lab, const struct lab_step *step, struct lab_sight *sight,
		struct err *err);
};

// Does a step: checks its lists (-EINVAL), and adds up its time.
int lab_do(struct lab *lab, const struct lab_step *step, struct lab_sight *sight, struct err *err);

// Frames of `source` that left a port before `until`.
uint32_t lab_sent(const struct lab_seen *s, unsigned source, tstamp until);
// Frames of `source` that came by `until`, that instant included.
uint32_t lab_came(const struct lab_seen *s, unsigned source, tstamp until);

// The next PFC frame that came for a class behind entry *at, which is moved to it: XOFF, or XON
// (quanta 0). NULL: there is none. *at is UINT32_MAX at first.
const struct tester_seen *lab_pfc(const struct lab_seen *s, unsigned cls, bool xoff, uint32_t *at);
// The control frame of such an entry.
static inline const struct tester_control *lab_control(
	const struct lab_seen *s, const struct tester_seen *entry)
{
	return &s->control[entry->number];
}
