// SPDX-License-Identifier: BSD-3-Clause
// Functions that option tables and units share.
#pragma once

#include "opt.h"

#pragma GCC visibility push(hidden)

// A share of a whole, "20%" or "12.5%": parts per 10^9, 0 .. 10^9.
enum units_error units_parse_share(const char *text, uint64_t *ppb);
char *units_format_share(uint64_t ppb, char *buf, size_t size);

#define OPT_PER_GBPS "/Gbps" // behind an amount for each Gbit/s of a link

// Returns the units of a row's type; UNITS_COUNT: it has none.
enum units_kind opt_units(const struct opt *row);

// One value: reads a node into the row's field at `at`; opt_apply does this for every key.
int opt_value(const struct opt *row, void *at, const struct yamldoc_node *n, struct err *err);

#pragma GCC visibility pop
