// SPDX-License-Identifier: BSD-3-Clause
// The argument vector that DPDK starts with.
#pragma once

#include "eal.h"

#pragma GCC visibility push(hidden)

#define EAL_ARGS 96

struct eal_args {
	int argc;
	char *argv[EAL_ARGS];
	char text[4096];
	size_t used;
};

// Writes the argument vector; -E2BIG: it does not fit.
int eal_compose(struct eal_args *a, const struct eal_params *params);

#pragma GCC visibility pop
