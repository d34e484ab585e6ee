// SPDX-License-Identifier: BSD-3-Clause
// Room text shows a run that has ended on a terminal: its table, with the verdicts last. It needs
// figures (summary) and their verdicts (verdict).
#pragma once

#include <stdio.h>

#include "summary/summary.h"
#include "verdict/verdict.h"

// A time with a unit that fits it.
static inline const char *text_duration(char *to, size_t size, double us)
{
	if (us >= 1e6)
		snprintf(to, size, "%.3f s", us / 1e6);
	else if (us >= 1e3)
		snprintf(to, size, "%.3f ms", us / 1e3);
	else if (us > 0 && us < 1)
		snprintf(to, size, "%.0f ns", us * 1e3);
	else
		snprintf(to, size, "%.1f us", us);
	return to;
}

// The nodes are still there. The text is the caller's; NULL: no memory.
char *text_make(const struct summary *s, const struct verdict *v);
