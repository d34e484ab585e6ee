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

// Copies all rows of `obj` into out[0..t->n).
void stat_snapshot(const struct stat_table *t, const void *obj, uint64_t *out);

// out[i] = now[i] - then[i].
void stat_diff(
	const struct stat_table *t, const uint64_t *now, const uint64_t *then, uint64_t *out);

// Row by name; -1 where there is none.
int stat_find(const struct stat_table *t, const char *name);

// One object's values as text into buf (NUL-terminated, cut at `size`); returns the length that the
// whole text has, as snprintf does. CSV: values only, or the header line "name_unit,...".
// JSON: {"name": value, ...}. Prometheus: quench_<object>_<name>_<unit>{<labels>} value.
size_t stat_csv_header(const struct stat_table *t, char *buf, size_t size);
size_t stat_csv(const struct stat_table *t, const uint64_t *v, char *buf, size_t size);
size_t stat_json(const struct stat_table *t, const uint64_t *v, char *buf, size_t size);
size_t stat_prometheus(
	const struct stat_table *t, const uint64_t *v, const char *labels, char *buf, size_t size);
