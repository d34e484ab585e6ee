// SPDX-License-Identifier: BSD-3-Clause
// Whole distributions of a run's folder: files of the folder hdr, and fct.txt.
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct saved;

#define SAVED_DIST 512 // values of one at most

struct saved_dist {
	unsigned n;
	double value[SAVED_DIST]; // ascending
	double share[SAVED_DIST]; // the percentile that a value stands for, 0 to 1
	double count[SAVED_DIST]; // how many values are at most as large
};

// Reads hdr/NAME.hgrm, "group.incast.fct_us" (docs/formats.md). Returns how many values were read;
// 0: the run has not stored it, or nothing in it can be read.
unsigned saved_dist(const struct saved *s, struct saved_dist *d, const char *name);

// Reads fct.txt: completion times, us, or slowdowns of the messages that ended in the window,
// ascending. The caller frees them. *n 0: there are none, or there is no memory.
double *saved_messages(struct saved *s, bool slowdown, size_t *n);
