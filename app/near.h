// SPDX-License-Identifier: BSD-3-Clause
// The name that comes nearest to one that was mistyped.
#pragma once

#include <stddef.h>

#define NEAR_NAME 256

struct near {
	const char *wanted; // what was typed
	int best;           // its distance from `name`; 0: none is near
	char name[NEAR_NAME];
};

// Looks at one more name.
void near_see(struct near *n, const char *name);

// "; did you mean 'x'?", where a name came near; else what is said instead.
const char *near_hint(const struct near *n, const char *otherwise, char *buf, size_t size);
