// SPDX-License-Identifier: BSD-3-Clause
// Pacer: the bound of catching up, and the effect of a change of rate on the bytes owed.
#include "algo/pacer.h"

#include "base/fixed.h"

uint64_t pacer_bytes(byte_ps ps, tstamp time)
{
	if (!ps)
		return 0;
	// 17 s fit a division of 64 bits.
	return time >> 44 ? (uint64_t)(((unsigned __int128)time << 20) / ps) : (time << 20) / ps;
}

uint64_t pacer_give_up(struct pacer *p, tstamp late)
{
	p->next += late;
	return pacer_bytes(p->ps, late);
}

uint64_t pacer_bound(struct pacer *p, uint32_t wire_bytes, tstamp late, tstamp catch_up)
{
	if (catch_up == PACER_AUTO) {
		tstamp gaps = PACER_AUTO_GAPS * rate_time(p->ps, wire_bytes);

		catch_up = tstamp_max(gaps, PACER_AUTO_LEAST);
	}
	return late > catch_up ? pacer_give_up(p, late - catch_up) : 0;
}

// The time that the flow is behind at `at`, in ps of the new rate. A lower rate clips it, and so
// does the instant 0, before which there is none: the rest is lost.
static tstamp credit_at(const struct pacer *p, byte_ps ps, tstamp at, uint64_t *lost)
{
	tstamp credit = at - p->next;
	tstamp scaled = fixed_muldiv(credit, ps, p->ps);
	tstamp most = tstamp_min(at, ps > p->ps ? rate_time(ps, p->bytes) : scaled);

	if (scaled <= most)
		return scaled;
	*lost = pacer_bytes(ps, scaled - most);
	return most;
}

uint64_t pacer_set_rate(struct pacer *p, rate_t rate, tstamp at)
{
	byte_ps ps = rate ? rate_byte_ps(rate) : 0;
	uint64_t lost = 0;

	if (p->ps && p->next > at)
		p->next = at + fixed_muldiv(p->next - at, ps, p->ps);
	else if (p->ps && p->next < at)
		p->next = at - credit_at(p, ps, at, &lost);
	p->ps = ps;
	return lost;
}
