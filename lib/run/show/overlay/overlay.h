// SPDX-License-Identifier: BSD-3-Clause
// Room overlay: one figure of several runs, in one plot. Runs that differ in their seed only are
// one line: the mean, with its 95 % interval.
#pragma once

#include "conf/conf.h"
#include "out/out.h"
#include "paper/paper.h"

#define OVERLAY_RUNS 4096 // that one figure can have

enum overlay_figure {
	OVERLAY_SLOWDOWN, // a percentile of the slowdown by size of message
	OVERLAY_CDF,      // the distribution of the messages of a group
	OVERLAY_QUEUE,    // the length of a queue over time
	OVERLAY_GOODPUT,  // of a group over time
	OVERLAY_PAUSES,   // how long each port was paused
};

struct overlay_want {
	enum overlay_figure figure;
	const char *percentile;   // "50", "95", "99", "99.9", of the slowdown
	const char *of;           // "fct", "fct_posted", "slowdown", of the distribution
	const char *group;        // NULL: the group of each run that has the most flows
	const char *queue;        // "s1:r.3"; NULL: the longest of the first run's bottleneck
	const char *const *label; // one for each folder, in their order, or none
	unsigned n_labels;
};

struct overlay;

// Reads the figure's numbers from folders. Each is the folder of a run, or of a sweep whose runs
// have left folders, which stands for all its runs. -errno and one line: a folder is neither, or a
// run lacks the figure.
int overlay_read(struct overlay **o, char *const *dir, unsigned n, const struct overlay_want *want,
	struct err *err);

// Writes STEM.dat, STEM.gp and pictures into `dir`, as paper_write().
int overlay_draw(const struct overlay *o, const char *dir, const char *stem, unsigned formats,
	struct err *err);

// Writes all points as CSV (docs/formats.md).
void overlay_csv(const struct overlay *o, struct out *to);

void overlay_free(struct overlay *o);
