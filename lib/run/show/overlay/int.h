// SPDX-License-Identifier: BSD-3-Clause
// Shared by the files of this room: runs with their curves, and sets of runs.
#pragma once

#include <jansson.h>

#include "overlay.h"
#include "saved/saved.h"

#pragma GCC visibility push(hidden)

// A point of one run, or the mean of a set. Points of several runs belong together if their keys
// are equal: the bound of a bin, the number of a step of time; in a figure by port, the name.
struct overlay_point {
	double key, x;
	double y; // NAN: there is no value
	const char *name;
	double half; // of the 95 % interval of a mean; NAN: there is none
	unsigned n;  // runs that have the point
	// The mean of the differences from the set that this one is compared with, over equal
	// seeds.
	double less, less_half;
	unsigned pairs;
};

struct overlay_curve {
	// By key, ascending.
	struct overlay_point *point;
	size_t n;
};

struct overlay_run {
	struct saved *s;   // of the first run of a set; NULL: the folder was closed
	json_t *config;    // the resolved configuration without the seed, where `s` is open
	const json_t *row; // of sweep.json; NULL: it is of no sweep
	const char *label; // that the user gave; NULL: none
	json_int_t seed;
	unsigned set;
	bool quantiles; // of a distribution only some values are known, not each
	struct overlay_curve curve;
};

#define OVERLAY_FACTORS 6

// Runs that differ in their seed only.
struct overlay_set {
	unsigned *run; // the first one speaks for the others
	unsigned n;
	json_t *options;                    // by path, if it is of no sweep
	const char *value[OVERLAY_FACTORS]; // of the factors
	const char *name;                   // of the line
	unsigned colour, panel;
	int base; // the set that it is compared with; -1: none
	struct overlay_curve curve;
};

struct overlay {
	struct arena arena;
	struct overlay_want want;
	json_t **sweep; // sweep.json of the folders that are sweeps
	unsigned n_sweeps;
	struct overlay_run *run;
	unsigned n_runs, room_runs;
	struct overlay_set *set;
	unsigned n_sets;
	// The properties in which the sets differ: names and, of each set, values.
	const char *factor[OVERLAY_FACTORS];
	unsigned n_factors;
	unsigned line; // the factor that tells the lines of a plot apart
	const char *panel[PAPER_PANELS];
	unsigned n_panels; // 0: all lines stand in one plot
	bool all_groups;   // a run has its slowdown of all groups together
	double step_us;    // of figures over time: the longest step
	const char *queue; // whose length is drawn, of all runs
};

// folder.c: opens the runs of a folder.
int overlay_open(struct overlay *o, const char *dir, const char *label, struct err *err);

// curve.c and time.c: the points of a run.
int overlay_curve(struct overlay *o, struct overlay_run *r, struct err *err);
int overlay_course(struct overlay *o, struct overlay_run *r, struct err *err);
// Spells the slowdown's percentile as summary.json does: "slowdown_p999" of "99.9".
void overlay_percentile(char key[static 32], const char *percentile);
// The group of the figure; NULL: the run has none.
const char *overlay_group(const struct overlay *o, const struct overlay_run *r);
// Room for n points; -ENOMEM and a line.
int overlay_room(struct overlay *o, struct overlay_run *r, size_t n, struct err *err);
// The line of a figure that a run lacks.
__attribute__((format(printf, 3, 4))) int overlay_lacks(
	const struct overlay_run *r, struct err *err, const char *fmt, ...);

// set.c: sets, their means, their differences.
// Puts the last run into a set. Memory is for one open folder of each set.
void overlay_join(struct overlay *o);
int overlay_by_key(const void *a, const void *b); // of points
int overlay_sets(struct overlay *o, struct err *err);
int overlay_means(struct overlay *o, struct err *err);

// name.c: the names of the sets, their colours and plots.
int overlay_names(struct overlay *o, struct err *err);

#pragma GCC visibility pop
