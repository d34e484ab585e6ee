// SPDX-License-Identifier: BSD-3-Clause
// Room kind is the language in which the figures of a run are told. A kind of thing that is
// reported is one row: its name, its objects, and its figures. summary.json and its schema, the
// paths of criteria and sweeps, `quench figures` and the answers of a running instance are loops
// over these rows. It needs the record; rooms host, fabric and summary have the kinds, and summary
// has the list of all.
#pragma once

#include <stddef.h>

#include "base/stat.h"
#include "out/out.h"
#include "record/record.h"
#include "dist.h"
#include "look.h"
#include "rank.h"
#include "row.h"

#define KIND_NAME (2 * REC_LABEL) // longest name of an object, with its end

struct summary;
struct set;

// The kinds of things that are reported, in the order of summary.json. Those with _TABLE share the
// word of the kind before in paths.
enum kind_id {
	KIND_TOTAL,
	KIND_DROP,
	KIND_NIC_DROP,
	KIND_GROUP,
	KIND_SIZE,
	KIND_SLOWDOWN,
	KIND_FLOW,
	KIND_LINK,
	KIND_QUEUE,
	KIND_MARKING,
	KIND_BIN,
	KIND_PFC,
	KIND_PFC_TX,
	KIND_PG,
	KIND_POOL,
	KIND_BUFFER,
	KIND_WD,
	KIND_DEADLOCK,
	KIND_NP,
	KIND_CNP,
	KIND_CP,
	KIND_IQCN,
	KIND_IQCN_TABLE,
	KIND_FAST_CNP,
	KIND_FAST_CNP_TABLE,
	KIND_SOURCE,
	KIND_STREAM,
	KIND_JOB,
	KIND_JOB_STEP,
	KIND_REPLAY,
	KIND_RXBUF,
	KIND_NIC,
	KIND_PORT,
	KIND_PLUGIN,
	KIND_DEVICE,
	KIND_OUTSIDE,
	KIND_OUTSIDE_PAUSE,
	KIND_OUTSIDE_CNP,
	KIND_OUTSIDE_STREAM,
	KIND_FAULT,
	KIND_RECON,
	KIND_STEADY,
	KIND_INSTRUMENT,
	KINDS
};

// How a member of an object is stored: in a field at an offset, of this form.
enum figure_form {
	FIGURE_COUNT, // uint64_t, divided
	FIGURE_VALUE, // double; NAN: not known
	FIGURE_DIST,  // of a struct kind_dist, the double at `which`
	// The forms below are no figures: they have no path, and only summary.json has them.
	FIGURE_ID,   // unsigned: a number that tells which object it is
	FIGURE_BOOL, // bool
	FIGURE_TEXT, // const char *; NULL: not known
	FIGURE_LIST, // several numbers or texts, which the kind writes
};

// How the numbers become one that several parts of a scenario report of the same object. A text is
// the same in all parts, a flag is true if it is in one part, a list is the first part's.
enum figure_merge {
	FIGURE_ONE, // one part tells it, which runs the node or the end of a flow
	FIGURE_SUM,
	FIGURE_LEAST,
	FIGURE_MOST,
	FIGURE_MEAN,  // weighted by another figure of the object
	FIGURE_SAME,  // all tell the same; where they do not, it is not known
	FIGURE_NEVER, // does not follow from the parts' numbers, so it is not known
};

// A list or map of an object in summary.json, and its JSON Schema.
struct figure_list {
	void (*put)(struct jw *w, const struct summary *s, const void *object, const char *name);
	const char *schema;
};

struct figure {
	const char *name; // with its unit last
	const char *was;  // an older name, which paths may still have; NULL: none
	const char *unit; // "" where it has none
	uint8_t form;     // enum figure_form
	uint8_t decimals;
	uint8_t merge; // enum figure_merge
	uint16_t which;
	uint32_t offset; // in the object
	uint32_t only;   // offset of a bool that says whether an object has it; 0: each has it
	bool never;      // a count: 0 says that it never happened, so that it is not known
	bool of_counts;  // follows from counts alone, though it is none
	double divisor;
	const struct figure_list *list;
	const char *weight;  // FIGURE_MEAN: the figure
	const char *meaning; // Markdown
};

// Counters of an object over the window: a table's rows are figures too.
struct kind_counters {
	const struct stat_table *table; // NULL: none
	uint32_t offset;                // of its struct in the object
};

// Reasons for which something is counted, in an array at the start of the object.
struct kind_reasons {
	unsigned n;
	const char *(*name)(unsigned reason);
	const char *unit;
	const char *meaning; // of each
};

struct kind {
	const char *key;  // of summary.json; kinds with one key, one behind the other, share it
	const char *path; // first word of paths; NULL: it has none
	const char *title;
	const char *about;   // which objects there are, Markdown
	const char *example; // of an object's name in a path: "s1:r.3"
	bool single;         // the run has one: an object in summary.json, a path without a name
	bool if_any;         // the key is left out where there is no object
	bool late;           // its objects, which are many, are made when one is asked for
	// Several parts of a scenario may tell of one object: of one for which these members are
	// the same. NULL: each object is one part's, or the run has one.
	const char *one_by[2];
	size_t size; // of an object
	const struct figure *figure;
	unsigned n_figures;
	struct kind_counters counters[2];
	struct kind_reasons reasons;
	// Makes all objects with set_room(). -ENOMEM.
	int (*make)(struct summary *s, struct set *to);
	// An object's name in a path: the text at an offset, followed by the number at `number_at`,
	// if that is not 0; or the text that the function gives. The object of a single kind has
	// none.
	uint32_t name_at, number_at;
	uint32_t listed_at; // offset of a bool: whether summary.json lists it; 0: it lists all
	const char *(*name)(const void *object, char buf[static KIND_NAME]);
	// Tells the name of each object that a run of a scene can have. NULL for a single kind.
	void (*could)(struct kind_look *l);
	// Makes an object that is left out because nothing happened there, by its name. False: the
	// record has no such place. NULL: whatever is left out has no figures.
	bool (*quiet)(const struct summary *s, const char *name, size_t len, void *object);
};

// All objects of a kind.
struct set {
	void *object;
	size_t size; // of one
	unsigned n;
	bool made;
};

// All figures of a run: the objects of all kinds. Room summary makes and frees it. It refers to the
// record and the scene, not to the nodes: these may be gone when it is read.
struct summary {
	const struct kind *const *kind; // all, by enum kind_id
	const struct record *rec;       // that it is of
	struct record_run run;
	tstamp from, to; // window
	bool live;       // of a run that goes on: nothing of it is changed
	struct set set[KINDS];
	bool no_memory;
	// Over all devices: frames that the instrument lost itself; frames lost that may have been
	// lossless, of all losses and of the instrument's.
	uint64_t lost_own, lost_lossless, lost_lossless_own;
	unsigned main_group; // the largest; lowest number where several are
	int bottleneck;      // link; -1: none carried a frame
};

// Returns all objects of a kind. They are made at the first use and do not move.
const struct set *kind_set(struct summary *s, enum kind_id kind);

// The same for readers. Objects of a kind that is `late` are made of objects that there are.
static inline const struct set *kind_objects(const struct summary *s, enum kind_id kind)
{
	return kind_set((struct summary *)s, kind);
}

// Room for n zeroed objects of a kind in an empty set. -ENOMEM.
int set_room(struct set *set, const struct kind *k, size_t n);

static inline void *set_at(const struct set *set, unsigned i)
{
	return (char *)set->object + (size_t)i * set->size;
}

// The next object of the set; set_room() has made room for it.
static inline void *set_add(struct set *set)
{
	return set_at(set, set->n++);
}

// Member i of a kind: its rows, then its counters and reasons. False: i is beyond the last.
bool kind_member(const struct kind *k, unsigned i, struct figure *out);
// All members of a kind, found once for many objects.
#define KIND_MEMBERS 256 // more than a kind has
struct kind_members {
	unsigned n;
	struct figure member[KIND_MEMBERS];
	struct kind_key {
		char quoted[63]; // as in JSON: "\"name\": "
		uint8_t len;
	} key[KIND_MEMBERS];
};
void kind_members(struct kind_members *m, const struct kind *k);
// Finds the member of this name; false: there is none.
bool kind_named(const struct kind *k, const char *name, struct figure *out);
// Finds the figure of this name; false: there is none, or the member is no figure.
bool kind_figure(const struct kind *k, const char *name, struct figure *out);
// Finds the figure that once had this name; false: there is none.
bool kind_figure_was(const struct kind *k, const char *name, struct figure *out);

static inline bool figure_is_number(const struct figure *f)
{
	return f->form < FIGURE_ID;
}

// Whether an object has this member.
static inline bool figure_has(const struct figure *f, const void *object)
{
	return !f->only || *(const bool *)((const char *)object + f->only);
}

// The figure of an object; NAN: the object does not have it, or it is not known.
double figure_value(const struct figure *f, const void *object);
// The name of an object in a path. Returns buf, or a text that stays.
const char *kind_name(const struct kind *k, const void *object, char buf[static KIND_NAME]);

// Members of an object as members of one of JSON.
void figure_put(
	struct jw *w, const struct summary *s, const struct kind_members *m, const void *object);
