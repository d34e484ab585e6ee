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

// Returns the offset of the number at the end of a name.
size_t near_number_at(const char *name);

// Takes `name` if it is nearer than all names before it. The order, nearest first: names that are
// one mistake away (opt_distance), names that begin with the wanted word, names that contain it,
// and names that differ in a number only, as s1 and s2.
void near_see(struct near *n, const char *name);

// "; did you mean 'x'?", where a name came near; else `otherwise`.
const char *near_hint(const struct near *n, const char *otherwise, char *buf, size_t size);
