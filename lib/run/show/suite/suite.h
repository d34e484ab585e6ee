// SPDX-License-Identifier: BSD-3-Clause
// Room suite has the tests of a device, row by row: a file for each row, what a run or a probe of
// it found, the verdict, and the sheet of all rows as table and files. It needs rooms conf, out and
// saved.
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "conf/conf.h"
#include "out/out.h"

#define SUITE_STEP ".step" // end of the name of a row's file that names a step of `quench probe`

// The worst last, so that the verdict of a row is the highest of its criteria.
enum suite_verdict {
	SUITE_PASS,
	SUITE_NOT_JUDGED,
	SUITE_INVALID, // our own instrument was at fault
	SUITE_FAIL,
	SUITE_NOT_RUN, // of a row alone
	SUITE_VERDICTS
};

extern const char *const suite_verdict_name[]; // "NOT JUDGED"

// A criterion of a row, with its result.
struct suite_line {
	const char *figure; // "source.prio3[h1>r].rx_frames", "class 3 xoff_bytes"
	double min, max;    // infinite: no limit; of a configured value both are that value
	bool any;           // of a figure of the probe: the configuration has the limit
	bool never;         // of a wanted word: any other one passes
	const char *seen;   // a word in place of `value`; NULL: it is a number
	double value, half; // half width of 95 %; NAN: none is known
	enum suite_verdict verdict;
	const char *why; // it was not judged, or is INVALID; NULL: see the limits
};

struct suite_row {
	const char *suite, *name; // "pfc", "L01-single-lossless"
	const char *path;         // of its file
	const char *stimulus;     // the first sentence of the comment at the top of the file
	const char *step;         // of the probe; NULL: the file is a scenario
	unsigned ports;           // of ours that it wants; 0: not known
	uint64_t scene_us;        // duration in scene time; 0: a probe, which ends by itself
	uint64_t pause_us;        // longest pause that it causes
	struct suite_line *want;  // criteria of a step, as the file has them
	unsigned n_want;
	struct suite_line *line;
	unsigned n;
	enum suite_verdict verdict;
	const char *why; // no criterion was judged; NULL: see the lines
	double wall_s;   // that it took; NAN: unknown
	double scene_s;  // of its run; NAN: unknown
};

struct suite_sheet {
	struct arena arena; // has all texts and rows
	struct suite_row *row;
	unsigned n, room;
	const char *command, *device, *clock, *against; // NULL: none
	const char *version;
};

// Adds the row of a file, PATH/SUITE/NAME.yaml or .step. -errno and a line: it cannot be read, or
// is no row.
int suite_row_add(struct suite_sheet *s, const char *suite, const char *path, struct err *err);

// Takes the result of a row from the folder of its run or probe. False: the folder has no whole
// result, and the row stays as it was.
bool suite_take(struct suite_sheet *s, struct suite_row *r, const char *folder);

// Says of a row that nothing of it was judged. The text is copied.
void suite_refuse(
	struct suite_sheet *s, struct suite_row *r, enum suite_verdict v, const char *why);

// 0: every row passed, or nothing in it could be judged; 1: a FAIL; 3: INVALID, or with `strict`
// anything that was not judged.
int suite_status(const struct suite_sheet *s, bool strict);

// The sheet for a terminal.
void suite_text(const struct suite_sheet *s, FILE *f);

// Files: verify.json, junit.xml, and a page of HTML that fetches nothing.
void suite_json(const struct suite_sheet *s, struct out *o);
void suite_junit(const struct suite_sheet *s, struct out *o);
void suite_page(const struct suite_sheet *s, struct out *o);

// The JSON Schema (draft 7) of verify.json.
void suite_schema(FILE *f);

void suite_free(struct suite_sheet *s);

// The rest is for the files of this room only.
#pragma GCC visibility push(hidden)

#define SUITE_TEXT 160 // bytes of a text of a criterion

// The criterion of a line without its figure, "0", ">= 1", "4 .. 6", "as configured".
char *suite_limits(const struct suite_line *l, char *buf, size_t size);
// The value that was seen, and its half width; "-" where there is none.
char *suite_seen(const struct suite_line *l, char *buf, size_t size);
char *suite_half(const struct suite_line *l, char *buf, size_t size);

// Sets the verdict of a row by its lines.
void suite_judge(struct suite_row *r);

#pragma GCC visibility pop

#pragma GCC visibility push(hidden)

// The rows with a verdict.
unsigned suite_count(const struct suite_sheet *s, enum suite_verdict v);
// A row for a terminal, without its suite.
void suite_row_text(const struct suite_row *r, FILE *f);

#pragma GCC visibility pop
