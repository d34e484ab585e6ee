// SPDX-License-Identifier: BSD-3-Clause
// Retransmission timeouts that vary. The adaptive one is a power of two of a base, larger with each
// timeout (standards.md 3.9).
#include "transport/rc.h"

bool rc_adaptive_is_valid(const struct rc_adaptive *a)
{
	if (a->first > RC_ADAPTIVE_MAX || a->base > RC_ADAPTIVE_SHIFT || a->n > RC_ADAPTIVE_RANGES)
		return false;
	for (unsigned i = 0; i < a->n; i++) {
		const struct rc_adaptive_range *r = &a->range[i];

		if (r->low > r->high || r->high > RC_ADAPTIVE_MAX || !r->each ||
			(i && r->low <= a->range[i - 1].high))
			return false;
	}
	return true;
}

// The first value was used once, so a range that has it goes on with the value after it.
static unsigned begin(const struct rc_adaptive *a, unsigned *range)
{
	for (unsigned i = 0; i < a->n; i++)
		if (a->first >= a->range[i].low && a->first <= a->range[i].high) {
			*range = i;
			return a->first + 1u;
		}
	*range = 0;
	return a->range[0].low;
}

unsigned rc_adaptive_value(const struct rc_adaptive *a, uint32_t timeouts)
{
	unsigned i, from = begin(a, &i), value = a->first;

	while (timeouts && i < a->n) {
		const struct rc_adaptive_range *r = &a->range[i];
		uint32_t waits = (r->high + 1u - from) * r->each;

		if (timeouts <= waits)
			return from + (timeouts - 1) / r->each;
		timeouts -= waits;
		value = r->high;
		if (++i < a->n)
			from = a->range[i].low;
	}
	return value;
}

tstamp rc_tx_rto_varying(const struct rc_tx *tx, const struct rc_cfg *cfg)
{
	if (tx->past->tries && cfg->p.adaptive.n)
		return rc_adaptive_time(&cfg->p.adaptive, tx->past->tries);
	return cfg->repairs && tx->past->rto_low ? cfg->p.rto_low_ps : cfg->p.rto_ps;
}
