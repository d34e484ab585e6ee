// SPDX-License-Identifier: BSD-3-Clause
// Room suite has the tests of a device, row by row: a file for each row, what a run or a probe of
// it found, the verdict, and the sheet of all rows as table and files. It needs rooms conf, out and
// saved.
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "conf/conf.h"
#include "out/out.h"

// Ends of the names of rows' files that are no scenarios.
#define SUITE_STEP   ".step"   // names a step of `quench probe`
#define SUITE_SEARCH ".search" // searches the highest value of a setting

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

// Settings of a search that hold in all its trials.
struct suite_case {
	const char *name; // "size=64"
	const char **set; // "flows.load.open_loop.size=64"
	unsigned n;
};

// The highest value of a setting with which a scenario passes, by bisection, in each case.
struct suite_search {
	const char *scenario; // path of its file
	const char *path;     // the setting that is varied: "flows.load.open_loop.rate"
	const char *unit;     // behind each value: "%"; may be empty
	double from, to, by;  // values from + i by, up to `to`
	struct suite_case *each;
	unsigned n;
};

struct suite_row {
	const char *suite, *name; // "pfc", "L01-single-lossless"
	const char *path;         // of its file
	const char *stimulus;     // the first sentence of the comment at the top of the file
	const char *step;         // of the probe; NULL: the file is a scenario or a search
	const struct suite_search *search; // NULL: it searches nothing
	unsigned ports;                    // of ours that it wants; 0: not known
	uint64_t scene_us;       // duration in scene time; 0: a probe, which ends by itself
	uint64_t pause_us;       // longest pause that it causes
	struct suite_line *want; // criteria of a step, as the file has them
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

// Adds the row of a file, PATH/SUITE/NAME.yaml, .step or .search. -errno and a line: it cannot be
// read, or is no row.
int suite_row_add(struct suite_sheet *s, const char *suite, const char *path, struct err *err);

// The scenario that a row runs: its own file, or that of its search. A step has none.
const char *suite_scenario(const struct suite_row *r);

// Tries a value of case `i` of a search: PASS and FAIL are its results. After INVALID the search
// goes on below the value, NOT JUDGED ends the case, both for the reason in `why`, and NOT RUN ends
// the search.
typedef enum suite_verdict suite_try(
	void *arg, const struct suite_search *s, unsigned i, const char *value, const char **why);

// Searches in each case, and writes search.json in the folder. -errno and a line; -ECANCELED: a
// trial was NOT RUN, and there is no result.
int suite_seek(const struct suite_search *s, const char *folder, suite_try *try, void *arg,
	struct err *err);

// The most trials that a search takes, of all cases.
unsigned suite_trials(const struct suite_search *s);

// Takes the result of a row from the folder of its run, probe or search. False: the folder has no
// whole result, and the row stays as it was.
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

// Reads a number or the criteria of a row's file. -EINVAL, -ENOMEM and a line.
int suite_number(double *to, const struct yamldoc_node *n, const char *what, struct err *err);
int suite_wants(struct suite_sheet *s, struct suite_row *r, const struct yamldoc_node *root,
	struct err *err);
// Reads the search of a row.
int suite_read_search(struct suite_sheet *s, struct suite_row *r, const struct yamldoc_node *root,
	struct err *err);

// Makes room for n lines of a row. False: memory is out.
bool suite_make_lines(struct suite_sheet *s, struct suite_row *r, size_t n);
bool suite_take_search(struct suite_sheet *s, struct suite_row *r, const char *folder);

#pragma GCC visibility pop

#pragma GCC visibility push(hidden)

// The rows with a verdict.
unsigned suite_count(const struct suite_sheet *s, enum suite_verdict v);
// A row for a terminal, without its suite.
void suite_row_text(const struct suite_row *r, FILE *f);

#pragma GCC visibility pop
