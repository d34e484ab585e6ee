// SPDX-License-Identifier: BSD-3-Clause
// Option tables: a row says a key's type, range, default, help and place; reading follows it.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "err.h"
#include "units.h"
#include "yamldoc.h"

enum opt_type {
	OPT_BOOL,
	OPT_UINT,       // whole number; field of 1, 2, 4 or 8 bytes
	OPT_INT,        // the same with a sign
	OPT_REAL,       // double: 0.5, 1/256; min and max in millionths
	OPT_PERCENT,    // the same, shown as 50%
	OPT_RATE,       // bit/s
	OPT_TIME,       // ps
	OPT_SIZE,       // bytes
	OPT_CLOCK,      // Hz
	OPT_RATE_SHARE, // struct opt_amount: a rate, or a share of a link's
	OPT_RATE_PPS,   // the same, or a number of frames per second
	OPT_SIZE_SHARE, // struct opt_amount: a size, or a share of a buffer's
	OPT_SIZE_SPEED, // the same, or a size for each Gbit/s of a link: 4KB/Gbps
	OPT_SHARE,      // unsigned, in permille
	OPT_ENUM,       // an enum; row.names
	OPT_CHOICE,     // struct opt_choice; row.names, with a number behind "incast()"
	OPT_TEXT,       // const char *
	OPT_MAC,        // uint8_t[6]
	OPT_IP,         // struct opt_ip
	OPT_RANGE,      // struct opt_range
	OPT_TIME_RANGE, // the same, of times in ps
	OPT_BITS,       // uint8_t, a bitmap: [6, 7], 0..3
	OPT_SLOTS,      // uint8_t or uint16_t [row.count]: {26: 3, 0..7: 1}
	OPT_NODE,       // const struct yamldoc_node *: names and lists, read by the owner
	OPT_WORDS,      // the same of other words than names
	OPT_ANY,        // the same of any shape; row.example has what is wanted
	OPT_MAP,        // a struct with its own table
	OPT_KEYED,      // row.count structs of row.size bytes with one table: keys 0 .. count-1
	OPT_SECTION,    // OPT_NODE: a map of named things, each with row.sub
	OPT_LIST,       // OPT_NODE: a list of things, each with row.sub
};

// The words that a file may write instead of a number.
#define OPT_AUTO    (UINT64_MAX - 1)
#define OPT_NONE    UINT64_MAX           // the same as TSTAMP_NEVER
#define OPT_WORD(i) (OPT_AUTO - 1 - (i)) // the i-th of row.names, of a number

// row.flags
enum {
	OPT_F_AUTO = 1 << 0,     // "auto" is allowed
	OPT_F_NONE = 1 << 1,     // "none" is allowed
	OPT_F_REQUIRED = 1 << 2, // has no default: opt_require complains
	OPT_F_ROCE = 1 << 3,     // flows: not beside open_loop
	OPT_F_OPTIONAL = 1 << 5, // it means something by being there
	OPT_F_ASIDE =
		1 << 4, // the reference shows it commented out: it excludes what stands beside it
	OPT_F_LOCAL = 1 << 6, // of one machine, or one run's files: parts of a scenario may differ
	OPT_F_LIVE = 1 << 7,  // the value may change while the scene runs
};

#define OPT_PPS_MAX 10000000000ull // frames per second of OPT_RATE_PPS

struct opt_amount {
	uint64_t value; // OPT_AUTO, OPT_NONE; unused where is_share is set
	uint64_t share_ppb;
	bool is_share;
	bool per_gbps; // value is for each Gbit/s
	bool is_pps;   // the value is a number of frames per second
};

struct opt_choice {
	unsigned which; // of row.names
	uint64_t n;     // where its name ends in (): row.min to row.max; else 0
};

struct opt_range {
	uint64_t low, high;
};

struct opt_ip {
	uint8_t bytes[16]; // IPv4 in the first four
	bool v6;
};

struct opt_table;

struct opt_variant {
	const char *example; // the name of a thing
	const struct opt_table *table;
};

struct opt {
	const char *key;
	enum opt_type type;
	uint32_t offset, size; // of the field
	int64_t min, max;      // in base units; both 0: as the type
	const char *def;       // default, as a file would say it; NULL: the field is left as it is
	const char *help;
	// NULL at the end. OPT_ENUM, OPT_CHOICE; of a number: words besides auto and none
	const char *const *names;
	const struct opt_table *sub;
	uint16_t count;
	uint16_t flags;
	const char *excludes; // another key: not both in one place, and the later place wins
	const char *example;  // for the reference: what stands there; sections: the name
	// sections: more of them, with tables of their own; NULL ends them
	const struct opt_variant *variants;
};

struct opt_table {
	const char *name; // of the thing: "switch", "class", or its key: "pools"
	const struct opt *row;
	unsigned n;
	bool is_noun; // the name is a noun, which has an article in a sentence
};

// The field of a row: where, and how large.
#define OPT_AT(type, member) \
	.offset = offsetof(type, member), .size = sizeof(((type *)NULL)->member)

// The place from which each row's value came: the first member of every struct that a table fills.
#define OPT_ROWS 56
struct opt_src {
	const struct yamldoc_node *node[OPT_ROWS];
};

// Sets every field that has a default, in nested tables too. The tables are constant and known to
// be
// right: a default that does not parse is an assertion.
void opt_init(const struct opt_table *t, void *base);

// Overlays what a map says: later calls win. NULL or null: nothing. 0, or -EINVAL with where, what
// is
// wrong and what would be right.
int opt_apply(
	const struct opt_table *t, void *base, const struct yamldoc_node *map, struct err *err);

// Checks that each required key was given. -EINVAL otherwise; `at`: where it should have been.
int opt_require(const struct opt_table *t, const void *base, const struct yamldoc_node *at,
	struct err *err);

// The place from which a key's value came; NULL: it is the default.
const struct yamldoc_node *opt_source(const struct opt_table *t, const void *base, const char *key);

// Gives an option its default again, as if no layer had given it.
void opt_leave(const struct opt_table *t, void *base, const char *key);

const struct opt *opt_row(const struct opt_table *t, const char *key);

// The row of a path, "switches.s1.classes.3.wred.min", whatever names and numbers are in it; NULL:
// there is none.
const struct opt *opt_at(const struct opt_table *t, const char *path);

// Whether the name or number of a thing stands behind the key of a row.
static inline bool opt_has_things(const struct opt *row)
{
	return row->type == OPT_KEYED || row->type == OPT_LIST ||
	       (row->type == OPT_SECTION && row->example);
}

// Writes the row's value as a file would have it. False: it is not one value (nested, or not
// given).
bool opt_format(const struct opt *row, const void *base, char *buf, size_t size);

// "did you mean 'xoff'?" or the list of keys, for which ERR_HINT bytes are enough. Returns buf.
char *opt_suggest(const struct opt_table *t, const char *key, char *buf, size_t size);

// The key of a place, or of a map below it, that a word of another tool means, or that was put too
// high: "wred.min" for "kmin" in a class. False: none.
bool opt_word(const struct opt_table *t, const char *key, char *path, size_t size);

// Whether two words are near enough to be one mistyped: the distance, or -1.
int opt_distance(const char *a, const char *b);

// The values that a row takes, in words: "a size, as in 400KB", "one of dscp, pcp". opt_limits()
// says their range; "" if there is none.
char *opt_wants(const struct opt *row, char *buf, size_t size);
char *opt_limits(const struct opt *row, char *buf, size_t size);
