// SPDX-License-Identifier: BSD-3-Clause
// The buffer of the switch of unit tests: groups, their thresholds and headroom, XOFF and XON.
#include <stdlib.h>
#include <string.h>

#include "device_inside.h"
#include "wire/pfc.h"

static void tell(struct device *d, unsigned port, unsigned cls, uint16_t quanta)
{
	struct egress *e = &d->egress[port];
	struct parcel *f = calloc(1, sizeof(*f));

	f->kind = TESTER_CONTROL;
	f->len = PROBE_SHORT;
	f->pcp = TESTER_UNTAGGED;
	f->control = (struct tester_control){.src = {2, 1, [5] = (uint8_t)port},
		.opcode = MACCTL_PFC,
		.pfc.enable = (uint8_t)(1u << cls),
		.pfc.enable_high = d->p.reserved};
	memcpy(f->control.dst, pfc_dst, sizeof(pfc_dst));
	f->control.pfc.quanta[cls] = quanta;
	if (!e->control)
		e->control_tail = &e->control;
	*e->control_tail = f;
	e->control_tail = &f->next;
	device_kick(d, port, d->now);
}

void device_tell_xoff(struct device *d, unsigned port, unsigned cls)
{
	struct group *g = &d->group[port][cls];

	tell(d, port, cls, d->p.quanta);
	g->xoffs++;
	if (d->p.refresh > 0)
		device_event(d, (struct event){.at = d->now + (tstamp)(d->p.refresh * d->p.quanta *
								       (double)d->quantum),
					.kind = REFRESH,
					.port = port,
					.cls = cls,
					.arg = g->xoffs});
}

static bool is_lossless(const struct device *d, unsigned cls)
{
	return d->p.lossless >> cls & 1;
}

static uint64_t reserve_of(const struct device *d, unsigned cls)
{
	return is_lossless(d, cls) ? d->p.reserve : 0;
}

// The bytes of a group at which it sends XOFF, or, if it is lossy, drops.
static uint64_t limit_of(const struct device *d, unsigned cls)
{
	double alpha = is_lossless(d, cls) ? d->p.alpha : d->p.tail_alpha;
	uint64_t fixed = is_lossless(d, cls) ? d->p.xoff : d->p.tail;

	if (alpha <= 0)
		return (uint64_t)((int64_t)fixed + d->shift);
	return reserve_of(d, cls) + (uint64_t)(alpha * (double)(d->p.buffer - d->shared));
}

static void base_change(struct device *d, struct group *g, unsigned cls, int64_t by)
{
	uint64_t r = reserve_of(d, cls);

	d->shared -= g->base > r ? g->base - r : 0;
	g->base = (uint64_t)((int64_t)g->base + by);
	d->shared += g->base > r ? g->base - r : 0;
}

static bool headroom_takes(const struct device *d, const struct group *g, unsigned cost)
{
	return (!d->p.pool || d->pooled + cost <= d->p.pool) && g->headroom + cost <= d->p.headroom;
}

// Whether the buffer takes a frame of a group.
bool device_admit(struct device *d, unsigned in, unsigned cls, unsigned cost)
{
	struct group *g = &d->group[in][cls];
	uint64_t limit = limit_of(d, cls);
	bool fits = g->base + cost <= limit && d->shared + cost <= d->p.buffer;

	if (!fits && (!is_lossless(d, cls) || !headroom_takes(d, g, cost)))
		return false;
	if (fits) {
		base_change(d, g, cls, cost);
	} else {
		g->headroom += cost;
		d->pooled += cost;
	}
	if (is_lossless(d, cls) && !g->off && (g->headroom || g->base >= limit)) {
		g->off = true;
		device_tell_xoff(d, in, cls);
	}
	return true;
}

void device_give_back(struct device *d, const struct parcel *f)
{
	struct group *g = &d->group[f->in][f->cls];
	uint64_t h, limit;

	if (!f->cost)
		return;
	h = g->headroom < f->cost ? g->headroom : f->cost;
	g->headroom -= h;
	d->pooled -= h;
	base_change(d, g, f->cls, -(int64_t)(f->cost - h));
	limit = limit_of(d, f->cls);
	if (g->off && g->headroom + g->base + d->p.hyst <= limit) {
		g->off = false;
		g->xoffs++;
		tell(d, f->in, f->cls, 0);
	}
}
