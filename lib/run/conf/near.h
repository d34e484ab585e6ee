// SPDX-License-Identifier: BSD-3-Clause
// The name that comes nearest to one that is not there.
#pragma once

#include <stddef.h>

#define NEAR_NAME 256

struct near {
	const char *wanted;
	long distance;        // of `name`
	char name[NEAR_NAME]; // the nearest so far; "": none is near enough to be meant
};

static inline struct near near_to(const char *wanted)
{
	return (struct near){.wanted = wanted};
}

// Takes `name` where it is nearer than those before it. Nearest are names that are one mistyped
// (opt_distance), then those that begin with what was wanted, then those that hold it, and last
// other numbers of one row, as s1 is to s2.
void near_see(struct near *n, const char *name);

// "; did you mean 'x'?", where a name came near; else `otherwise`.
const char *near_hint(const struct near *n, const char *otherwise, char *buf, size_t size);
