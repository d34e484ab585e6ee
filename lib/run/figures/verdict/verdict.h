// SPDX-License-Identifier: BSD-3-Clause
// Room verdict judges figures: what a run was asked and whether it holds (the verdict sheet,
// measuring.md M10), why a queue saw PFC and marks or did not, which peer did not stop, and whether
// both clocks agree. It needs the summary.
#pragma once

#include "conf/conf.h"
#include "out/out.h"
#include "summary/summary.h"

enum criterion_verdict {
	CRITERION_PASS,
	CRITERION_FAIL,
	CRITERION_INVALID,
	CRITERION_UNSEEN, // only the device could judge it, and there is no counter of it
};

#define VERDICT_SEEN 160 // the longest text of a criterion about a device, with its end

// One line of the sheet.
struct criterion {
	const char *name, *figure; // figure "": every run is asked this
	double min, max, value;
	enum criterion_verdict verdict;
	const char *unsound; // why the run is not judged; NULL: it is
	// Of a device that is judged by our ports alone: the figure at our ports, or the counter of
	// the device, that gave the value; "": the figure itself. Why nothing did.
	char seen[VERDICT_SEEN], why[VERDICT_SEEN];
};

struct verdict {
	struct criterion *criterion;
	unsigned n, unexpected;      // of the scenario's own, failed or invalid
	unsigned unseen;             // of the scenario's own, CRITERION_UNSEEN
	char device_error[ERR_TEXT]; // the line about the device's counters; "": none
	// Of a part: the scenario's expectations, with this part's values.
	struct criterion *for_all;
	unsigned n_for_all;
};

#define VERDICT_LINE 512

// Returns whether a value is within its limits, or beyond one by at most 1e-9 of that limit.
bool verdict_holds(double value, double min, double max);

// Checks the first file of a device's counters (scene.counters). -errno and a line.
int verdict_counters_check(const char *path, struct err *err);

// Why a criterion of the scenario cannot be judged by our ports, nor by counters of the device if
// the scene names some; NULL: it can, or there is no such device.
const char *verdict_unseen(const struct scene *s, unsigned expect);

// Returns whether a figure only counts frames, messages or events. Where loops of ours were late, a
// criterion on it that holds is still passed; any other criterion is invalid.
bool verdict_is_timeless(const char *figure);

// Returns whether lost events make a figure incomplete.
bool verdict_lacks_events(double events_lost, const char *figure);

// What every run is asked, then what the scenario expects. -ENOMEM.
int verdict_make(struct verdict *v, const struct summary *s);
void verdict_free(struct verdict *v);

// Whether one failed, or something that every run is asked does not hold.
bool verdict_failed(const struct verdict *v, const struct summary *s);

// The first criterion that does not hold, and how many more; "" where all do. Returns buf.
char *verdict_failure(const struct verdict *v, char *buf, size_t size);
// "jain is 0.93; at least 0.97 was expected". Returns buf.
char *criterion_text(const struct criterion *c, char *buf, size_t size);

// The criteria as members of a JSON object.
void verdict_put(struct jw *w, const struct verdict *v);

// A run's criteria as an element `testsuite` of JUnit's XML, of that name.
void verdict_junit_put(
	struct out *o, const struct verdict *v, const struct summary *s, const char *suite);

// Why lossless queues saw PFC and marks, or did not: of all queues of a run, which stays as it is
// meanwhile. NULL: memory is out.
struct why;
struct why *verdict_why_make(const struct summary *s);
void verdict_why_free(struct why *w);
// The answer for a queue as one line of at most VERDICT_LINE. False: it is no lossless queue of a
// switch.
bool verdict_why(const struct why *w, const struct fabric_queue *q, char *text, size_t size);

// Says which rank held job i of the summary up, what the job's time went to, and, if pauses or
// losses took more than 1 % of it, which sender they met most: one line of at most VERDICT_LINE.
// False: no iteration has ended.
bool verdict_job(const struct summary *s, unsigned i, char *text, size_t size);

#define VERDICT_LOST 8

// The flows that sent frames again or waited for a timeout in the window.
struct verdict_lost {
	unsigned flows;
	unsigned n, flow[VERDICT_LOST]; // numbers of some, in falling order of their losses' cost
};

void verdict_lost_find(struct verdict_lost *to, const struct summary *s);
// Says the cost of the losses of the i-th of them, as one line of at most VERDICT_LINE.
void verdict_lost_text(
	const struct verdict_lost *l, const struct summary *s, unsigned i, char *text, size_t size);

// Writes about a priority that lost frames that XOFF was sent and that the peer went on sending for
// longer than it may, as one line of at most VERDICT_LINE. `i`: the number of the pause that was
// sent. False: the peer stopped in time.
bool verdict_went_on(const struct summary *s, unsigned i, char *text, size_t size);

#define VERDICT_FIGURES    14
#define VERDICT_REFERENCES 1000 // at most
#define VERDICT_FRAMES     100  // of data: with fewer in its window no run is compared

// The figures of a run by which runs are compared; NAN: it has none. `frames`: data that arrived.
struct verdict_figures {
	double value[VERDICT_FIGURES];
	double frames;
};

void verdict_figures(const struct summary *s, struct verdict_figures *to);

// Says of each figure whether a run in real time is one more of n >= 2 reference runs in virtual
// time that differ in the seed only, a line each (real-time.md, Both clocks). False: it is not. One
// reference run is enough where that one has fewer than VERDICT_FRAMES.
bool verdict_agree(
	const struct verdict_figures *ref, unsigned n, const struct summary *run, FILE *f);

// What follows is for the files of this room only.
#pragma GCC visibility push(hidden)

// Why a run is unsound, so that the expectations of its scenario are not judged: "interrupted",
// "timing broken" ... NULL: the run is sound.
const char *verdict_unsound(const struct summary *s);

// Whether conservation and the pool hold. Runs that mean to lose lossless frames are asked no more.
bool verdict_conserved(const struct summary *s);

#pragma GCC visibility pop
