// SPDX-License-Identifier: BSD-3-Clause
// Room report ends a run: of its record it makes the figures, the verdicts and the table, and the
// files that hold them. It needs rooms record, summary, verdict and text.
#pragma once

#include <stdio.h>

#include "record/record.h"
#include "summary/summary.h"

struct report;

// Ends the record, which is the report's from here on: computes the summary, writes and closes all
// files. Where a file could not be written whole, -errno and a line that names it; summary and text
// are there all the same, and name every such file. Afterwards the nodes may be freed, not the
// scene. *out is set, too, where a file could not be written; NULL where memory is out.
int report_close(
	struct report **out, struct record *r, const struct record_run *run, struct err *err);

// The summary table and verdict lines, as text for the terminal.
const char *report_text(const struct report *r);

// The line about firmware that crashed and ended the run; NULL: none did.
const char *report_crash(const struct report *r);

// The line about a port whose lost link ended the run; NULL: none did.
const char *report_link_loss(const struct report *r);

// Whether every verdict of the run held: no firmware has crashed, no lost link has ended it,
// conservation, the pool whole, no lossless frame lost (but by the instrument itself), all replayed
// frames sent that were due, all that the scenario expects.
bool report_passed(const struct report *r);

// Whether a verdict failed. A criterion that could not be judged (INVALID) has neither failed nor
// passed.
bool report_failed(const struct report *r);

// The verdict that failed, as a line: "jain is 0.93; at least 0.97 was expected (and 2 more)".
// Returns buf.
char *report_failure(const struct report *r, char *buf, size_t size);

// All verdicts as an element of JUnit's XML, a testsuite of this name.
void report_junit(const struct report *r, const char *suite, struct out *o);

// The folder that its files are in; NULL: it has none.
const char *report_folder(const struct report *r);

// Returns the i-th file that is not complete, and why: "events.csv: incomplete: No space left on
// device"; NULL: there are no more.
const char *report_missing(const struct report *r, unsigned i);

// Whether the run was to send to external hosts, and none has answered (scene.until_alone).
bool report_alone(const struct report *r);

// Whether a signal ended it before its time.
bool report_interrupted(const struct report *r);

// Whether the instrument spoilt the run (real clock): it broke its own timing, lost frames itself,
// lost events that a criterion lacks, a device of it was gone for good, or a port had no link for a
// time.
bool report_spoilt(const struct report *r);

// How many criteria only the device itself could judge (scene.dut).
unsigned report_unseen(const struct report *r);

// The line about counters of the device that cannot be taken; NULL: they can, or there are none.
const char *report_device_error(const struct report *r);

// Figures of the summary by path ("total.goodput_gbps", "jain"), for comparisons and tests; NAN:
// none.
double report_value(const struct report *r, const char *path);

// All its figures.
const struct summary *report_summary(const struct report *r);

void report_free(struct report *r);

// The JSON Schema of summary.json, number REPORT_SCHEMA, which is one more where a member goes or
// changes its meaning.
#define REPORT_SCHEMA 1
void report_schema(FILE *f);
