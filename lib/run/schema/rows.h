// SPDX-License-Identifier: BSD-3-Clause
// How a row of an option table is written; for the files that hold the tables.
#pragma once

#include "schema.h"

#define N(rows) (sizeof(rows) / sizeof((rows)[0]))
#define GIB     (1ll << 30)
#define US      1000000ll
#define MS      1000000000ll
#define S       1000000000000ll
#define GBPS    1000000000ll

// One row: key, type, and the field it fills; the rest is written out where it stands.
#define ROW(struct_type, member, name, kind) \
	.key = (name), .type = (kind), OPT_AT(struct struct_type, member)
