// SPDX-License-Identifier: BSD-3-Clause
// A kind of thing that is reported is one row: what it is called, which objects of it there are and
// what is told of each. summary.json and its schema, the paths of criteria and sweeps, `quench
// figures` and what a running instance answers are loops over these rows.
#pragma once

#include <stddef.h>

#include "base/stat.h"
#include "path.h"
#include "out/out.h"
#include "summary.h"

// How a member of an object is told: by a field of it, at an offset.
enum figure_form {
	FIGURE_COUNT, // uint64_t, divided
	FIGURE_VALUE, // double; NAN: not known
	FIGURE_DIST,  // of a struct summary_dist, the double at `which`
	// What follows is no figure: it has no path, and summary.json alone has it.
	FIGURE_ID,   // unsigned: a number that tells which object it is
	FIGURE_BOOL, // bool
	FIGURE_TEXT, // const char *; NULL: not known
	FIGURE_LIST, // several numbers or texts, which the kind writes
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
	uint16_t which;
	uint32_t offset; // in the object
	uint32_t only;   // offset of a bool that says whether an object has it; 0: each has it
	double divisor;
	const struct figure_list *list;
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

// A scene, and who is told the names of what it can have.
struct kind_look;

struct kind {
	const char *key;  // of summary.json; kinds with one key, one behind the other, share it
	const char *path; // first word of paths; NULL: it has none
	const char *title;
	const char *about;   // which objects there are, Markdown
	const char *example; // of an object's name in a path: "s1:r.3"
	bool single;         // the run has one: an object in summary.json, a path without a name
	bool if_any;         // the key is left out where there is no object
	size_t size;         // of an object
	const struct figure *figure;
	unsigned n_figures;
	struct kind_counters counters[2];
	struct kind_reasons reasons;
	// Makes all objects with set_room(). -ENOMEM.
	int (*make)(struct summary *s, struct set *to);
	// Its name in a path: the text at an offset, with the number at another one behind it,
	// where that is not 0; or by a function. A single one has none.
	uint32_t name_at, number_at;
	uint32_t listed_at; // offset of a bool: whether summary.json lists it; 0: it lists all
	const char *(*name)(const void *object, char buf[static SUMMARY_NAME]);
	// Tells the name of each object that a run of a scene can have. NULL for a single one.
	void (*could)(struct kind_look *l);
};

#pragma GCC visibility push(hidden)

extern const struct kind *const kinds[KINDS];

// The kinds, each in the file of its noun.
extern const struct kind kind_total, kind_drop, kind_nic_drop, kind_group, kind_size, kind_flow,
	kind_link, kind_queue, kind_marking, kind_bin, kind_pfc, kind_pfc_tx, kind_pg, kind_pool,
	kind_buffer, kind_wd, kind_deadlock, kind_np, kind_cnp, kind_cp, kind_iqcn, kind_iqcn_table,
	kind_fast_cnp, kind_fast_cnp_table, kind_source, kind_stream, kind_replay, kind_rxbuf,
	kind_nic, kind_port, kind_plugin, kind_device, kind_recon, kind_instrument;

// All objects of a kind, made at the first use. They stay where they are.
const struct set *summary_set(struct summary *s, enum kind_id kind);

// Room for n zeroed objects of a kind in an empty set. -ENOMEM.
int set_room(struct set *set, const struct kind *k, size_t n);

static inline void *set_at(const struct set *set, unsigned i)
{
	return (char *)set->object + (size_t)i * set->size;
}

// The next object of those that set_room() made room for.
static inline void *set_add(struct set *set)
{
	return set_at(set, set->n++);
}

// A figure or other member of a kind, of all: rows, then counters and reasons. False: there are no
// more.
bool kind_member(const struct kind *k, unsigned i, struct figure *out);
// The figure of this name; false: there is none.
bool kind_figure(const struct kind *k, const char *name, struct figure *out);
// The figure that had this name once; false: none had.
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

// Its value for an object; NAN: the object does not have it, or it is not known.
double figure_value(const struct figure *f, const void *object);
// The name of an object in a path. Returns buf, or a text that stays.
const char *kind_name(const struct kind *k, const void *object, char buf[static SUMMARY_NAME]);

// Figure `name` of object i of a kind; NAN: there is none.
double summary_at(const struct summary *s, enum kind_id kind, unsigned i, const char *name);
// The same as a whole number; 0 where there is none.
unsigned long long summary_count(
	const struct summary *s, enum kind_id kind, unsigned i, const char *name);
// A text of object i ("port"), or its name in a path where `name` is NULL. Returns buf, or a text
// that stays; "" where there is none.
const char *summary_label(const struct summary *s, enum kind_id kind, unsigned i, const char *name,
	char buf[static SUMMARY_NAME]);
// A number that tells which object i is ("class"); NAN: there is none.
double summary_id(const struct summary *s, enum kind_id kind, unsigned i, const char *name);
// Whether a member of object i is true.
bool summary_is(const struct summary *s, enum kind_id kind, unsigned i, const char *name);
// Figure `name` of all objects of a kind together; those that do not have it count nothing.
double summary_sum(struct summary *s, enum kind_id kind, const char *name);

// Members of an object as members of one of JSON.
void figure_put(struct jw *w, const struct summary *s, const struct kind *k, const void *object);

// kind.c: names of what a scene can have, for `could`.
struct kind_look {
	const struct scene *s;
	figure_see *see;
	void *arg;
	bool enough;
};
__attribute__((format(printf, 2, 3))) void look_tell(struct kind_look *l, const char *fmt, ...);
// Each node, each port, each port and class that `fits`, which may be NULL: all do.
typedef bool look_fits(const struct scene_node *n, unsigned port, unsigned cls);
void look_nodes(struct kind_look *l, look_fits *fits);
void look_ports(struct kind_look *l, look_fits *fits);
void look_classes(struct kind_look *l, look_fits *fits);
void look_numbers(struct kind_look *l, unsigned n);

#pragma GCC visibility pop

// Rows. `field` is a field of the object; its type is held against the form. Those with _IF are of
// objects only whose field `flag`, a bool, is true. Behind the meaning `.was` may stand.
#define FIGURE_TYPE_FIGURE_COUNT uint64_t
#define FIGURE_TYPE_FIGURE_VALUE double
#define FIGURE_TYPE_FIGURE_DIST  struct summary_dist
#define FIGURE_TYPE_FIGURE_ID    unsigned
#define FIGURE_TYPE_FIGURE_BOOL  bool
#define FIGURE_TYPE_FIGURE_TEXT  const char *
#define FIGURE_AT(type, field, form_, name_, unit_, decimals_, divisor_, ...) \
	.name = name_, .unit = unit_, .form = form_,                          \
	.offset = _Generic(((type *)0)->field, FIGURE_TYPE_##form_            \
			   : offsetof(type, field)),                          \
	.decimals = decimals_, .divisor = divisor_, .meaning = __VA_ARGS__
#define FIGURE_ONLY(type, flag) .only = _Generic(((type *)0)->flag, bool : offsetof(type, flag))
#define COUNT(type, field, name, unit, ...)                                         \
	{                                                                           \
		FIGURE_AT(type, field, FIGURE_COUNT, name, unit, 0, 1, __VA_ARGS__) \
	}
#define COUNT_IF(type, flag, field, name, unit, ...)                                 \
	{                                                                            \
		FIGURE_AT(type, field, FIGURE_COUNT, name, unit, 0, 1, __VA_ARGS__), \
			FIGURE_ONLY(type, flag)                                      \
	}
#define VALUE(type, field, name, unit, decimals, ...)                                      \
	{                                                                                  \
		FIGURE_AT(type, field, FIGURE_VALUE, name, unit, decimals, 1, __VA_ARGS__) \
	}
#define VALUE_IF(type, flag, field, name, unit, decimals, ...)                              \
	{                                                                                   \
		FIGURE_AT(type, field, FIGURE_VALUE, name, unit, decimals, 1, __VA_ARGS__), \
			FIGURE_ONLY(type, flag)                                             \
	}
// A time in ps, told in us.
#define TIME_US(type, field, name, decimals, ...)                                            \
	{                                                                                    \
		FIGURE_AT(type, field, FIGURE_COUNT, name, "us", decimals, 1e6, __VA_ARGS__) \
	}
// Of a distribution: one of its quantiles, its mean, an extreme.
#define DIST(type, field, which_, name_, unit_, ...)                                  \
	{                                                                             \
		FIGURE_AT(type, field, FIGURE_DIST, name_, unit_, 3, 1, __VA_ARGS__), \
			.which = offsetof(struct summary_dist, which_)                \
	}
#define DIST_IF(type, flag, field, which_, name_, unit_, ...)                                   \
	{                                                                                       \
		FIGURE_AT(type, field, FIGURE_DIST, name_, unit_, 3, 1, __VA_ARGS__),           \
			.which = offsetof(struct summary_dist, which_), FIGURE_ONLY(type, flag) \
	}
#define ID(type, field, name, ...)                                             \
	{                                                                      \
		FIGURE_AT(type, field, FIGURE_ID, name, "", 0, 1, __VA_ARGS__) \
	}
#define BOOL(type, field, name, ...)                                             \
	{                                                                        \
		FIGURE_AT(type, field, FIGURE_BOOL, name, "", 0, 1, __VA_ARGS__) \
	}
#define TEXT(type, field, name, ...)                                             \
	{                                                                        \
		FIGURE_AT(type, field, FIGURE_TEXT, name, "", 0, 1, __VA_ARGS__) \
	}
#define TEXT_IF(type, flag, field, name, ...)                                     \
	{                                                                         \
		FIGURE_AT(type, field, FIGURE_TEXT, name, "", 0, 1, __VA_ARGS__), \
			FIGURE_ONLY(type, flag)                                   \
	}
#define LIST(list_, name_, ...)                                                \
	{                                                                      \
		.name = name_, .unit = "", .form = FIGURE_LIST, .list = list_, \
		.meaning = __VA_ARGS__                                         \
	}
// The five that each has: p50 to maximum of `of`, which `def` defines behind the first.
#define SPREAD(type, field, before, after, unit, of, def)                            \
	DIST(type, field, p50, before "_p50" after, unit, "p50 of " of def),         \
		DIST(type, field, p90, before "_p90" after, unit, "p90 of " of),     \
		DIST(type, field, p99, before "_p99" after, unit, "p99 of " of),     \
		DIST(type, field, p999, before "_p999" after, unit, "p99.9 of " of), \
		DIST(type, field, max, before "_max" after, unit, "maximum of " of)

#define KIND_FIGURES(rows) .figure = rows, .n_figures = sizeof(rows) / sizeof((rows)[0])
// Of latencies in us of the frames that `frames` names.
#define SUMMARY_LATENCY(type, field, frames)                                            \
	DIST(type, field, mean, "latency_mean_us", "us",                                \
		"mean one-way latency of " frames " that came in the window, from the " \
		"first bit out to the last bit in"),                                    \
		DIST(type, field, min, "latency_min_us", "us",                          \
			"minimum of the one-way latency of " frames),                   \
		SPREAD(type, field, "latency", "_us", "us", "the one-way latency of " frames, "")
// Of struct summary_among: p1, p50 and p99 of what the flows have.
#define AMONG(type, field, before, after, unit, decimals, of)                                   \
	VALUE(type, field.p1, before "_p1" after, unit, decimals, "p1 among the flows of " of), \
		VALUE(type, field.p50, before "_p50" after, unit, decimals,                     \
			"p50 among the flows of " of),                                          \
		VALUE(type, field.p99, before "_p99" after, unit, decimals,                     \
			"p99 among the flows of " of)
#define SUMMARY_AMONG_FLOWS(type, goodput, rc, alpha)                       \
	AMONG(type, goodput, "goodput", "_gbps", "Gb/s", 6, "the goodput"), \
		AMONG(type, rc, "rc", "_gbps", "Gb/s", 6,                   \
			"the reaction point's current rate at the end"),    \
		AMONG(type, alpha, "alpha", "", "", 6, "the reaction point's alpha at the end")

// Of struct summary_messages.
#define FCT        "the messages' completion time"
#define FCT_POSTED "the messages' completion time from posting"
#define SLOWDOWN   "the messages' slowdown"
#define SUMMARY_MESSAGES(type, field)                                                           \
	COUNT(type, field.fct_us.n, "messages", "messages",                                     \
		"messages that were acknowledged in the window"),                               \
		DIST(type, field.fct_us, mean, "fct_mean_us", "us",                             \
			"mean of " FCT ", from the instant at which a message can be sent (it " \
			"is posted, and the last frame of its queue pair's message before has " \
			"left) to its last acknowledgement"),                                   \
		DIST(type, field.fct_us, p1, "fct_p1_us", "us", "p1 of " FCT),                  \
		SPREAD(type, field.fct_us, "fct", "_us", "us", FCT, ""),                        \
		DIST(type, field.fct_us, p95, "fct_p95_us", "us", "p95 of " FCT),               \
		DIST(type, field.fct_posted_us, mean, "fct_posted_mean_us", "us",               \
			"mean of " FCT_POSTED ", which has the time that a message waited "     \
			"behind those of its own queue pair (`outstanding`)"),                  \
		SPREAD(type, field.fct_posted_us, "fct_posted", "_us", "us", FCT_POSTED, ""),   \
		DIST(type, field.fct_posted_us, p95, "fct_posted_p95_us", "us",                 \
			"p95 of " FCT_POSTED),                                                  \
		SPREAD(type, field.slowdown, "slowdown", "", "", SLOWDOWN,                      \
			": the completion time over the time that the message would have "      \
			"taken alone"),                                                         \
		DIST(type, field.slowdown, p95, "slowdown_p95", "", "p95 of " SLOWDOWN)
