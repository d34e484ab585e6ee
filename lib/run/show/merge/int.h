// SPDX-License-Identifier: BSD-3-Clause
// Shared by the files of this room: the parts, and the objects made of them.
#pragma once

#include <jansson.h>

#include "merge.h"
#include "out/out.h"
#include "saved/saved.h"

#pragma GCC visibility push(hidden)

struct part {
	const char *dir, *name; // name: its list of nodes, "h1..4,s1"
	struct saved *run;
	const json_t *manifest, *summary;
};

struct merge {
	struct part part[MERGE_PARTS];
	unsigned n;
	unsigned *owner;     // the part that has run each node of `nodes`; MERGE_PARTS: none
	const json_t *nodes; // names of all nodes, in the file's order
	json_t *place;       // of each name in `nodes`
	json_t *summary;     // of the whole
	json_t *lost;        // sentences about files that are not whole
	bool passed;
};

// cut.c: compares the frames that one end of a cut link sent with the frames that the other end
// received, as rows of `reconciliation` and as criteria.
int cut_links(const struct merge *m, json_t *rows, json_t *criteria);
// The part that runs the node of a port "s1:r", or of the peer that its name ends with.
unsigned cut_owner(const struct merge *m, const char *port, bool peer);

// met.c
#define MET_WHEN 64
// Writes when two parts began, " (begun ... and ...)"; empty if one of them does not say it.
void met_when(const struct part *a, const struct part *b, char *text, size_t size);
// -EINVAL with a line if the process that a part met as the peer's node is not the process that
// wrote the peer's folder.
int met_check(const struct merge *m, struct err *err);
// A line for each part that began when another one had ended, where neither asked who is there.
void met_doubts(const struct merge *m, FILE *f);

// expect.c: judges the scenario's expectations, as criteria, when the objects have been merged.
int expect_judge(const struct merge *m, const json_t *verdicts, json_t *criteria);

// object.c: objects of several parts that are one: what is known of it by either. `key` is the
// list's or the object's in summary.json.
// The member that is an object's name in a path; NULL: the list is not shared, or no member is.
const char *object_name(const char *key);
// Adds the objects of a list to the objects that are there.
int object_add(json_t *to, const char *key, const json_t *from);
// Joins an object that the run has once.
int object_join(json_t *to, const char *key, const json_t *from);
// Call it when all parts have been added: a number that cannot be computed from the parts becomes
// null.
int object_end(json_t *summary);
// Computes the figures that need all flows, if no part knows all of them.
void object_recompute(const struct merge *m, json_t *summary);

// summary.c
int merge_summary(struct merge *m);

// verdict.c: `verdicts` of the whole run from the parts' verdicts.
json_t *verdict_of(const struct merge *m, json_t *reconciliation);
int verdict_junit(const struct merge *m, const char *dir, struct err *err);

// rows.c: the files of lines, in order of time.
int rows_write(struct merge *m, const char *dir, struct err *err);

// manifest.c
int manifest_write(const struct merge *m, const char *dir, const char *command, struct err *err);

// json.c: a value of jansson's as a member of a file; objects in arrays stand on a line each.
void json_put(struct jw *w, const char *key, const json_t *value, bool flat);
// A whole file.
int json_file(const json_t *value, const char *dir, const char *name, struct err *err);
// Copies a member of another object; null if it has none.
int json_take(json_t *to, const char *key, const json_t *from);
// Sets a number with `decimals` decimals, 0: a whole one; NAN: null.
void json_set(json_t *object, const char *key, double value, unsigned decimals);

#pragma GCC visibility pop
