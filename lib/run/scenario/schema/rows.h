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

#pragma GCC visibility push(hidden)

// Words of enum spec_honour, and of enum sw_trust.
extern const char *const scene_honour_names[], *const scene_trust_names[];
// A switch port's own part of its classes; Fast CNP of a class.
extern const struct opt_table scene_opts_port_class, scene_opts_fast_cnp;
// Words and tables of queue pairs, which flows and jobs have.
extern const char *const scene_ecn_names[],
	*const scene_codepoint_names[],
		*const scene_host_names[], *const scene_rto_names[], *const scene_recovery_names[];
extern const struct opt_table scene_opts_adaptive;

#pragma GCC visibility pop
