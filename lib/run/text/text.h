// SPDX-License-Identifier: BSD-3-Clause
// Room text has what a terminal shows of a run that has ended: its table, with the verdicts last.
// It needs figures (summary) and what was judged of them (verdict).
#pragma once

#include "summary/summary.h"
#include "verdict/verdict.h"

// The nodes are still there. The text is the caller's; NULL: no memory.
char *text_make(const struct summary *s, const struct verdict *v);
