// SPDX-License-Identifier: BSD-3-Clause
// A YAML document as a tree that knows the place of each node in the file. Features that no
// scenario needs are refused.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arena.h"
#include "err.h"

#define YAMLDOC_MAX_BYTES (16u << 20)
#define YAMLDOC_MAX_DEPTH 16
#define YAMLDOC_MAX_NODES (2u << 20)
#define YAMLDOC_MAX_ITEMS 65536 // of one map or list

enum yamldoc_type { YAMLDOC_SCALAR, YAMLDOC_LIST, YAMLDOC_MAP };

struct yamldoc_node;

struct yamldoc_item {
	struct yamldoc_node *key; // NULL in a list
	struct yamldoc_node *value;
};

struct yamldoc_node {
	enum yamldoc_type type;
	bool quoted; // a scalar in quotes: never null
	bool flow;   // a map or list in braces or brackets
	bool made;   // not written in the file, but generated from its text, as a topology
	uint32_t line, column;     // from 1; 0: no place in a file
	const char *where;         // path of the file, or "--set path=value"
	const char *text;          // scalar
	unsigned n, room;          // room: items that have memory
	struct yamldoc_item *item; // n of them
};

// Reads text of `size` bytes; `where` names it in messages and outlives the tree, which lives in
// the arena. -EINVAL with "where:line:column: the error". Anchors, aliases, tags, a second
// document, keys that are not plain scalars and a key twice are refused.
int yamldoc_parse(struct arena *a, struct yamldoc_node **root, const char *where, const char *text,
	size_t size, struct err *err);

// Like yamldoc_parse(), without a limit of length: for text that quench wrote itself.
int yamldoc_parse_own(struct arena *a, struct yamldoc_node **root, const char *where,
	const char *text, size_t size, struct err *err);

// Like yamldoc_parse(), from a file; -errno if it cannot be read.
int yamldoc_read(struct arena *a, struct yamldoc_node **root, const char *path, struct err *err);

// Like yamldoc_read(); `see` gets the text of the file, and its descriptor while it is open.
int yamldoc_read_seen(struct arena *a, struct yamldoc_node **root, const char *path,
	void (*see)(void *arg, int fd, const char *text, size_t size), void *arg, struct err *err);

// Puts `value` (YAML) at a path of keys and list numbers, "switches.s1.buffer": replaces the value
// there, or adds it. A dot within ".." or within a key that exists does not part. Messages about
// the value begin with `by` and these two, as in "--set path=value".
int yamldoc_set(struct arena *a, struct yamldoc_node *root, const char *by, const char *path,
	const char *value, struct err *err);

// Length of a path's first part: a key of the map that fits (the longest), else up to a single dot.
// NULL: no map.
size_t yamldoc_part(const struct yamldoc_node *map, const char *path);

// The value of a key, or NULL; the item itself with its key.
const struct yamldoc_node *yamldoc_get(const struct yamldoc_node *map, const char *key);
const struct yamldoc_item *yamldoc_find(const struct yamldoc_node *map, const char *key);

// Whether the scalar at a line and column of a text that was parsed is spelled as its value,
// without escapes or folds, be it plain, in quotes or a block: *at is the value's first byte.
bool yamldoc_spelled(const char *text, size_t size, uint32_t line, uint32_t column,
	const char *value, size_t *at);

// Returns whether a node is an empty scalar, "~" or "null": a key without a value.
bool yamldoc_is_null(const struct yamldoc_node *n);

// A line about a node: "where:line:column: ..." Returns -EINVAL.
__attribute__((format(printf, 3, 4))) int yamldoc_err(
	struct err *err, const struct yamldoc_node *n, const char *fmt, ...);
