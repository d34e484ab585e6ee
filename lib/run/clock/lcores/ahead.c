// SPDX-License-Identifier: BSD-3-Clause
// Clocks of other parts, as an lcore takes them from the main one.
#include "ahead.h"

#include "lcore.h"

void rt_ahead_take(struct rt_lcore *lc)
{
	for (unsigned i = 0; lc->ahead && i < lc->ahead->n; i++) {
		struct rt_clock_ahead *c = &lc->ahead->clock[i];

		if (c->lcore == lc)
			c->ps = atomic_load_explicit(&c->told, memory_order_relaxed);
	}
}
