// SPDX-License-Identifier: BSD-3-Clause
// Pacer: what a change of rate makes of a gap that is still running.
#include "algo/pacer.h"

#include "base/fixed.h"

void pacer_set_rate(struct pacer *p, rate_t rate, tstamp now)
{
	octet_ps ps = rate ? rate_octet_ps(rate) : 0;
	tstamp left = tstamp_since(p->next, now);

	// The octets that the gap still stands for are left / old ps; they now take the new time each.
	if (left && p->ps && !p->fixed_gap)
		p->next = now + fixed_muldiv(left, ps, p->ps);
	p->ps = ps;
}
