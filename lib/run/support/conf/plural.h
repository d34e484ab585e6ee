// SPDX-License-Identifier: BSD-3-Clause
// Regular nouns behind a number: 1 frame, 2 frames, 0 frames.
#pragma once

#include <stdint.h>

// The end of a noun behind n, as in printf("%u frame%s", n, plural(n)).
static inline const char *plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}
