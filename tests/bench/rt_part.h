// SPDX-License-Identifier: BSD-3-Clause
// Where the time of a frame through the switch goes: the loop's calls for a burst, with the time
// stamp counter read before and behind each. Calls that can be timed run through more code than
// those of a program that times none, so there are two programs: rt_part_bench has rt_part.c, and
// rt_bench has rt_whole.c in its place.
#pragma once

#include <stdbool.h>
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

// Has the devices' drivers timed; all other calls are sent here by the linker (meson.build). Until
// part_begin they only go through. False: this program times no parts.
bool part_open(const struct dev *dev, unsigned n_devs);
void part_begin(void);
// The parts' ns of each of `frames` since, without what reading the counter took.
void part_end(double ns[PARTS], uint64_t frames);
const char *part_name(enum part p);
