// SPDX-License-Identifier: BSD-3-Clause
// Where the time of a frame through the switch goes: the loop's calls for a burst, with the time
// stamp counter read before and behind each. Calls that can be timed run through more code than
// others do, so there are two programs: rt_part_bench is linked with rt_part.c, and rt_bench with
// rt_whole.c in its place.
#pragma once

#include <stdint.h>

enum part {
	PART_RECEIVE, // the driver
	PART_PARSE,
	PART_FDB, // look-up and learning
	PART_ADMISSION,
	PART_EGRESS,
	PART_RENDER,
	PART_SEND,
	PARTS,
};

struct dev;

struct part_timer {
	// Has the devices' drivers timed; all other calls are sent to rt_part.c by the linker
	// (meson.build). Until begin() they only go through.
	void (*open)(const struct dev *dev, unsigned n_devs);
	void (*begin)(void);
	// The parts' ns of each of `frames` since, without what reading the counter took.
	void (*end)(double ns[PARTS], uint64_t frames);
	const char *name[PARTS];
};

// NULL: this program times no parts.
extern const struct part_timer *const part_timer;
