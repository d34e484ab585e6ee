// SPDX-License-Identifier: BSD-3-Clause
// JSON writer: commas, indentation and escapes, so that the caller says only keys and values.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "out.h"

#define JW_DEPTH 16

// Objects and arrays that are opened `flat` stand on one line.
struct jw {
	struct out *out;
	unsigned depth;
	uint16_t has;   // bitmap by depth: something has been written there
	uint16_t flat;  // bitmap by depth
	uint16_t array; // bitmap by depth
	bool keyed;     // a key waits for its value
};

void jw_init(struct jw *w, struct out *out);

// Writes the key of the next value, for which NULL is passed then. `quoted`: n bytes as they are in
// the file, "\"key\": ", for keys of many objects.
void jw_key(struct jw *w, const char *quoted, size_t n);

// Values. `key` NULL: in an array.
void jw_object(struct jw *w, const char *key, bool flat);
void jw_array(struct jw *w, const char *key, bool flat);
void jw_end(struct jw *w); // closes what was opened last
void jw_str(struct jw *w, const char *key, const char *value);
void jw_u64(struct jw *w, const char *key, uint64_t value);
void jw_i64(struct jw *w, const char *key, int64_t value);
void jw_bool(struct jw *w, const char *key, bool value);
void jw_null(struct jw *w, const char *key);
// Writes a number exactly as given in `text`.
void jw_number(struct jw *w, const char *key, const char *text);
// Writes a number rounded to `decimals` (0..9) digits after the point, to nearest; null if it is
// not finite.
void jw_num(struct jw *w, const char *key, double value, unsigned decimals);
