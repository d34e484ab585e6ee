// SPDX-License-Identifier: BSD-3-Clause
// Pacer: spaces the frames of one flow so that they leave at a rate; a pending gap follows rate changes.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/rate.h"
#include "base/tstamp.h"

struct pacer {
	octet_ps ps;    // at the current rate; 0: unpaced
	tstamp next;    // earliest instant of the next frame
	bool fixed_gap; // a change of rate leaves a running gap as it is (framing hpcc_sim)
};

// rate 0: no pacing.
static inline void pacer_init(struct pacer *p, rate_t rate)
{
	p->ps = rate ? rate_octet_ps(rate) : 0;
	p->next = 0;
	p->fixed_gap = false;
}

// A frame of `wire_octets` (len + 24) leaves at `now`: the next one may leave its wire time later,
// reckoned from now. A frame that left late is not made up for.
static inline void pacer_sent(struct pacer *p, uint32_t wire_octets, tstamp now)
{
	p->next = now + rate_time(p->ps, wire_octets);
}

// The rate changes while a gap may be pending: what is left of it is stretched or shrunk in proportion,
// unless gaps are fixed.
void pacer_set_rate(struct pacer *p, rate_t rate, tstamp now);
