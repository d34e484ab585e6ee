// SPDX-License-Identifier: BSD-3-Clause
// Types and functions that the parts of a page's data share. Each part writes members of one run's
// object; data.h says which members there are.
#pragma once

#include "data.h"
#include "lineage/lineage.h"
#include "out/out.h"
#include "page.h"

#pragma GCC visibility push(hidden)

#define PAGE_POINTS 1000 // of a series at most

// A text that is put into the page unchanged.
struct page_asset {
	const char *name;
	const char *text;
	size_t len;
};
extern const struct page_asset page_style[], page_script[], page_licence[]; // name NULL: the end

// A number; null if it is not finite.
void put_real(struct jw *w, const char *key, double value);
void put_us(struct jw *w, const char *key, tstamp t);
// A list of numbers on one line.
void put_reals(struct jw *w, const char *key, const double *value, size_t n);

// The JSON Schema of summary.json, freed by the caller, NULL where memory is out; of a member of
// summary.json, or of each object in its list, the members; a member's unit and meaning, as two
// members of an object or as two elements of a list.
json_t *meaning_schema(void);
const json_t *meaning_members(const json_t *schema, const char *key);
void meaning_put(struct jw *w, const json_t *member, bool keyed);

// Hands out every value of a run's configuration with its path, "switches.s1.buffer".
typedef void config_take(void *arg, const char *path, const json_t *value);
void config_each(const struct saved *s, config_take *take, void *arg);
// A value as text. Returns `to`.
char *config_text(char *to, size_t size, const json_t *value);

// Writes lineage.csv and lineage_bills.csv beside a page, where the run has pauses. -errno and a
// line with the path.
int page_lineage(const struct lineage *l, const char *page, struct err *err);

// The instants at which somebody marked or changed the run, of all its events in order. NULL: no
// memory. Freed by free().
struct moments;
struct moments *moments_new(void);
void moments_take(struct moments *m, const struct saved_ev *e);
void moments_put(struct jw *w, const struct saved *s, const struct moments *m);

// The losses of queue pairs and their repair, of all events of a run in order, which ends at
// `end_us`. NULL: no memory.
struct recovery;
struct recovery *recovery_new(double end_us);
void recovery_free(struct recovery *v);
void recovery_take(struct recovery *v, const struct saved_ev *e);
void recovery_put(struct jw *w, const struct saved *s, struct recovery *v);

// The ranks of jobs over time, of all events in order of a run that ends at `end`, and the parts of
// iterations. NULL: no memory.
struct ranks;
struct ranks *ranks_new(tstamp end);
void ranks_free(struct ranks *r);
void ranks_take(struct ranks *r, const struct saved_ev *e);
void ranks_put(struct jw *w, const struct saved *s, struct ranks *r);

// Parts of the data of one run, in the order of the page.
void data_head(
	struct jw *w, struct saved *s, const char *label); // with the missing things, at the end
void data_missing(struct jw *w, const struct saved *s);
void data_net(struct jw *w, const struct saved *s);
void data_series(struct jw *w, struct saved *s);
void data_lanes(struct jw *w, struct saved *s);
void data_lineage(struct jw *w, const struct lineage *l); // NULL: it is not known
void data_marking(struct jw *w, struct saved *s);
void data_sizes(struct jw *w, const struct saved *s);
void data_cdfs(struct jw *w, struct saved *s);
void data_tables(struct jw *w, const struct saved *s);
void data_config(struct jw *w, const struct saved *s);
void data_again(struct jw *w, const struct saved *s);

// Writes the differences between several runs.
void data_compare(struct jw *w, struct saved *const *run, unsigned n);
// A short text for each of the runs that no other has; freed by the caller with the array.
char **data_labels(struct saved *const *run, unsigned n);

#pragma GCC visibility pop
