// SPDX-License-Identifier: BSD-3-Clause
// Counters: uint64 fields of an object, described by one table that every output is made from.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// One counter: its public name (measuring.md), unit, place in the object and a line of help.
struct stat_row {
	const char *name; // "rx_frames"
	const char *unit; // "frames", "bytes", "ps", "events"
	const char *help;
	uint32_t offset; // of the uint64_t in the object
	// An instant or an extreme of the whole run: differences of two values mean nothing.
	bool whole;
	uint32_t only; // offset of a bool that says whether an object counts it; 0: each does
};

struct stat_table {
	const char *object; // "sw_port"
	const struct stat_row *row;
	unsigned n;
};

// Declares a field under another name, for example an element of an array.
#define STAT_NAMED(type, name, field, unit, help)                 \
	{                                                         \
		name, unit, help, offsetof(type, field), false, 0 \
	}
#define STAT_ROW(type, field, unit, help) STAT_NAMED(type, #field, field, unit, help)
#define STAT_WHOLE(type, field, unit, help)                        \
	{                                                          \
#field, unit, help, offsetof(type, field), true, 0 \
	}
#define STAT_ROW_IF(type, flag, field, unit, help)                                     \
	{                                                                              \
#field, unit, help, offsetof(type, field), false, offsetof(type, flag) \
	}

// Value of row i of an object.
static inline uint64_t stat_get(const struct stat_table *t, const void *obj, unsigned i)
{
	return *(const uint64_t *)((const char *)obj + t->row[i].offset);
}

// Whether an object counts row i.
static inline bool stat_has(const struct stat_table *t, const void *obj, unsigned i)
{
	return !t->row[i].only || *(const bool *)((const char *)obj + t->row[i].only);
}

// The counts between two looks at an object: to = now - then in each counter of the table. An
// instant or an extreme is taken from `now`, and fields that have no row stay as they are in `to`.
// `to` may be `now`.
void stat_diff(const struct stat_table *t, void *to, const void *now, const void *then);

// Adds what was counted at another object of the kind; of instants and extremes the larger stays.
void stat_sum(const struct stat_table *t, void *to, const void *more);
