// SPDX-License-Identifier: BSD-3-Clause
// Shared by all figures of a run: its data as the page has it (page/page.h), memory that lasts
// until all figures are drawn, and helpers for lists of numbers.
#pragma once

#include "plate.h"

#pragma GCC visibility push(hidden)

struct plate {
	const json_t *run;
	const char *name; // of the scenario
	const char *dir;
	unsigned formats; // 0 once gnuplot has failed
	struct arena arena;
	double end_us;
	char **stem; // that are written
	unsigned n;
	int rc; // first failure
	struct err *err;
};

// Writes a figure. Its stem is `kind` and, if not NULL, a name that may have any characters. A
// failure is kept; the other figures are still written, while there is memory.
void plate_put(struct plate *p, struct paper *f, const char *kind, const char *name);

// Returns the numbers of a member that is a list, NAN for null; NULL: there is no list. *n becomes
// the smaller of its length and *n.
double *plate_numbers(struct plate *p, const json_t *object, const char *key, size_t *n);
// Return a member of an object; NAN or "" if there is none.
// n zeroed elements; where memory is out, NULL, and that is kept as the failure.
void *plate_room(struct plate *p, size_t n, size_t size);
#define PLATE_ROOM(p, n, type) ((type *)plate_room(p, n, sizeof(type)))
__attribute__((format(printf, 2, 3))) const char *plate_format(
	struct plate *p, const char *fmt, ...);

// Time from the start to the end of the run; what us are divided by.
struct paper_axis plate_time(const struct plate *p, double *unit_us);

// Each draws what there is.
void plate_queues(struct plate *p);
void plate_rates(struct plate *p);
void plate_pauses(struct plate *p);
void plate_marking(struct plate *p);
void plate_cdfs(struct plate *p);
void plate_slowdown(struct plate *p);

#pragma GCC visibility pop
