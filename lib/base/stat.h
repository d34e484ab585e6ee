// SPDX-License-Identifier: BSD-3-Clause
// Counters: uint64 fields of an object, described by one table that every output is made from.
#pragma once

#include <stddef.h>
#include <stdint.h>

// One counter: its public name (measures.md), unit, place in the object and a line of help.
struct stat_row {
	const char *name; // "rx_frames"
	const char *unit; // "frames", "bytes", "ps", "events"
	uint32_t offset;  // of the uint64_t in the object
	const char *help;
};

struct stat_table {
	const char *object; // "sw_port"
	const struct stat_row *row;
	unsigned n;
};

#define STAT_ROW(type, field, unit, help)                 \
	{                                                 \
#field, unit, offsetof(type, field), help \
	}

// Value of row i of an object.
static inline uint64_t stat_get(const struct stat_table *t, const void *obj, unsigned i)
{
	return *(const uint64_t *)((const char *)obj + t->row[i].offset);
}

// Row by name; -1 where there is none.
int stat_find(const struct stat_table *t, const char *name);
