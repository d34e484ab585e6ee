// SPDX-License-Identifier: BSD-3-Clause
// How many rounds a random test has.
#pragma once

#include <stdbool.h>
#include <stdlib.h>

// QUENCH_FEWER=N in the environment: a random test has one of N of its rounds, and at least one.
// .ci/run sets it under sanitizers, since the other rounds run the same code; scripts/ci-full does
// not.
static inline unsigned rounds_of(unsigned all)
{
	const char *fewer = getenv("QUENCH_FEWER");
	unsigned long n = fewer ? strtoul(fewer, NULL, 10) : 1;

	return n <= 1 ? all : n < all ? all / (unsigned)n : 1;
}

// Whether all rounds are run, so that sums over them can be judged.
static inline bool rounds_are_all(void)
{
	return rounds_of(1000) == 1000;
}
