// SPDX-License-Identifier: BSD-3-Clause
// A sweep: scenarios times varied values give runs; each run is a row of figures in one table.
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "out/out.h"
#include "paper/paper.h"
#include "report/report.h"
#include "scene/scene.h"
#include "summary/summary.h"

#define SWEEP_AXES    8
#define SWEEP_COLUMNS 32
#define SWEEP_RUNS    10000
#define SWEEP_WARNED  1000 // bytes of a run's warnings that are kept

// One --vary: a path of the scenario and the values that it takes, in their order.
struct sweep_axis {
	char *path;
	char **value;
	unsigned n;
};

// One figure of every run. The table shows value / shown; files hold the value itself.
struct sweep_column {
	const char *name;       // in files, the unit last
	const char *path;       // of the figure, as report_value knows it
	double scale;           // the figure times this is the value
	unsigned decimals;      // in files
	const char *head, *dim; // in the table; NULL: only in files
	double shown;
	unsigned shown_decimals;
};

enum sweep_state {
	SWEEP_WAITS, // not run
	SWEEP_PASSED,
	SWEEP_VERDICT, // ran, and a verdict of it failed
	SWEEP_STOPPED, // ran, not to its end
	SWEEP_ERROR,   // did not run
};

// Whether a run has settled (measuring.md).
enum sweep_steady { SWEEP_SETTLED, SWEEP_UNSETTLED, SWEEP_NOT_JUDGED };

#define SWEEP_WHY 400 // bytes of the reason that are kept

// The result of a run. Plain bytes: a process hands it to another.
struct sweep_row {
	enum sweep_state state;
	double value[SWEEP_COLUMNS]; // NAN: does not apply; INFINITY: never came
	struct err err;              // of SWEEP_ERROR; of SWEEP_VERDICT which it was
	enum sweep_steady steady;    // of a run that came to figures
	char why[SWEEP_WHY];         // it is not settled; "": it is
	char warned[SWEEP_WARNED];   // the scene's warnings, a line a kind, as many as fit
};

struct sweep {
	const char *const *scenario; // paths
	unsigned n_scenarios;
	struct sweep_axis axis[SWEEP_AXES];
	unsigned n_axes;
	struct sweep_column column[SWEEP_COLUMNS];
	unsigned n_columns, n_own; // sweep_column() added the last n_own
	bool known[SWEEP_COLUMNS]; // a run that can have the column was found
	struct sweep_row *row; // a run each: scenarios first, then the axes, the last one fastest
	bool has_folders;      // runs leave folders, which sweep.json names
	char **suite;          // JUnit's of each run; NULL: it came to no figures
	unsigned n_runs;
};

// The scenarios, which outlive the sweep, and the columns of every table.
void sweep_init(struct sweep *s, const char *const *scenario, unsigned n);

// "path=a,b,c": one more axis. "1..3" of an option that is a whole number is 1, 2 and 3. Commas
// within brackets, braces and quotes belong to a value. -EINVAL with a line; -E2BIG of a range that
// has too many values.
int sweep_vary(struct sweep *s, const char *text, struct err *err);

// One more column by a figure's path, as in "queue.s1:r.3.std_bytes"; the path outlives the sweep.
int sweep_column(struct sweep *s, const char *path, struct err *err);

// Checks the columns of sweep_column() that no scene so far can have against one more scene. True:
// each column is known now; otherwise err has a line about the first that is not.
bool sweep_knows(struct sweep *s, const struct scene *scene, struct err *err);

// Once all axes are there: the rows, none of them run. -E2BIG, -ENOMEM.
int sweep_plan(struct sweep *s, struct err *err);

// The scenario of a run, and its settings: n_axes of them.
const char *sweep_pick(const struct sweep *s, unsigned run, struct scene_set *set);

// "incast control=none seed=2": scenario without folder and suffix, then what varies. Returns buf.
char *sweep_name(const struct sweep *s, unsigned run, char *buf, size_t size);

// The name of a run as the name of a folder: "incast,control=none,seed=2", odd characters as
// underscores.
char *sweep_folder(const struct sweep *s, unsigned run, char *buf, size_t size);

// The figures of a run that is closed, and the warnings of its scene.
void sweep_fill(const struct sweep *s, struct sweep_row *row, const struct report *rec,
	const struct scene *scene);

// Writes the warnings about settings that are probably mistakes: each warning once, with the number
// of runs that it was in. Writes nothing if there was none.
void sweep_warnings(const struct sweep *s, FILE *f);

// The table for the terminal; CSV; JSON.
void sweep_text(const struct sweep *s, FILE *f);
void sweep_csv(const struct sweep *s, struct out *o);
void sweep_json(const struct sweep *s, struct out *o);

// How many values the seed takes; 1 where it is not varied.
unsigned sweep_seeds(const struct sweep *s);
// Where it is varied: a table, and CSV, of the runs that differ in their seed only, taken together:
// the mean of each figure, half of its 95 % interval, and how many runs have it.
void sweep_seeds_text(const struct sweep *s, FILE *f);
void sweep_seeds_csv(const struct sweep *s, struct out *o);

// junit.xml, a testsuite for each run, in their order.
void sweep_junit(const struct sweep *s, struct out *o);

// Whether a column is one of sweep_column.
static inline bool sweep_is_own(const struct sweep *s, unsigned col)
{
	return col >= s->n_columns - s->n_own;
}

// Whether a run came to figures.
static inline bool sweep_has_figures(const struct sweep_row *row)
{
	return row->state != SWEEP_WAITS && row->state != SWEEP_ERROR;
}

// Whether a run came to figures of its whole window.
static inline bool sweep_is_whole(const struct sweep_row *row)
{
	return row->state == SWEEP_PASSED || row->state == SWEEP_VERDICT;
}

// Two columns of numbers by their names in files, "utilization_percent,queue_p99_bytes", figures or
// varied paths: -EINVAL with a line that lists them.
int sweep_plot_axes(const struct sweep *s, const char *text, unsigned axis[2], struct err *err);
// Writes the runs by these columns as the figure `sweep` into a folder, drawn in `formats`; errors
// as in paper_write(). Colour shows the first varied path, shape the second, and each value of the
// others has a plot of its own. A path that is an axis is shown by place.
int sweep_plot(const struct sweep *s, const unsigned axis[2], const char *dir, unsigned formats,
	struct err *err);
// Writes the runs of the Pareto front by name, with both figures, and which runs are left out of it
// and why; nothing if it is not known what is better. -ENOMEM.
int sweep_front(const struct sweep *s, const unsigned axis[2], FILE *f);

void sweep_free(struct sweep *s);
