// SPDX-License-Identifier: BSD-3-Clause
// Sorts events of many nodes: a stable merge that is cheap if they are nearly in order.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "contract/contract.h"

// Returns whether a comes before b: at an earlier instant, or at the same one from a smaller node.
static inline bool evsort_before(const struct ev *a, const struct ev *b)
{
	return a->t < b->t || (a->t == b->t && a->node < b->node);
}

#pragma GCC visibility push(hidden)

// Sorts by instant, then node; events of one node and instant keep their order. `room` holds n
// events. Bottom-up merge sort that moves only what overlaps at each seam (the galloping idea of
// Tim Peters' list sort).
void evsort(struct ev *e, size_t n, struct ev *room);

#pragma GCC visibility pop
