// SPDX-License-Identifier: BSD-3-Clause
// Room summary has the figures of a run, computed once at its end, or so far while it goes on: the
// list of all kinds, those of the run as a whole (totals, the ledger of discarded frames, the
// reconciliation of counters, the instrument), and the paths of figures. It needs the kinds of
// rooms host and fabric, and gives what verdicts, the table, summary.json and a running instance's
// answers read.
#pragma once

#include "fabric/fabric.h"
#include "ledger.h"
#include "page.h"
#include "path.h"

extern const struct kind *const summary_kind[KINDS]; // by enum kind_id

// -ENOMEM.
int summary_make(struct summary **out, const struct record *r, const struct record_run *run);
// Makes the figures of a run that still goes on; run->end is the present. It changes neither the
// record nor the nodes.
int summary_so_far(struct summary **out, const struct record *r, const struct record_run *run);
void summary_free(struct summary *s);

// Whether a first pass in virtual time has run for long enough: all of it and its first half are
// settled, and steady from its first quarter on. The load must not change later. It judges only
// where the intervals of the run's course are full, at a quarter and at half of the run.
bool summary_steady_pass(const struct record *r, tstamp now);

// Figure `name` of object i of a kind; NAN: there is none.
double summary_at(const struct summary *s, enum kind_id kind, unsigned i, const char *name);
// That figure as a whole number; 0 if there is none.
unsigned long long summary_count(
	const struct summary *s, enum kind_id kind, unsigned i, const char *name);
// A text of object i ("port"), or its name in a path if `name` is NULL. Returns buf, or a text that
// stays; "" if there is none.
const char *summary_label(const struct summary *s, enum kind_id kind, unsigned i, const char *name,
	char buf[static KIND_NAME]);
// A number that tells which object i is ("class"); NAN: there is none.
double summary_id(const struct summary *s, enum kind_id kind, unsigned i, const char *name);
// Whether a member of object i is true.
bool summary_is(const struct summary *s, enum kind_id kind, unsigned i, const char *name);
// Sum of figure `name` over all objects of a kind; objects without it count as 0.
double summary_sum(const struct summary *s, enum kind_id kind, const char *name);
// A figure by its path; NAN: there is none.
double summary_value(const struct summary *s, const char *path);
