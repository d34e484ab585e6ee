// SPDX-License-Identifier: BSD-3-Clause
// Faults of the switch of unit tests: it starts again, or a link is lost.
#include <stdlib.h>
#include <string.h>

#include "device_inside.h"

void device_restarts(struct device *d, tstamp in, tstamp lasts)
{
	device_event(
		d, (struct event){.at = d->now + in, .kind = RESTART, .arg = d->now + in + lasts});
}

void device_link_is_lost(struct device *d, unsigned port, tstamp in, tstamp lasts)
{
	device_event(d,
		(struct event){
			.at = d->now + in, .kind = CUT, .port = port, .arg = d->now + in + lasts});
}

static void empty(struct parcel **head)
{
	for (struct parcel *f; (f = *head) != NULL; free(f))
		*head = f->next;
}

// Frames, pauses, groups and addresses are gone.
void device_forget(struct device *d)
{
	for (unsigned p = 0; p < d->p.ports; p++) {
		struct egress *e = &d->egress[p];

		empty(&e->control);
		for (unsigned c = 0; c < PKT_CLASSES; c++) {
			empty(&e->q[c].head);
			e->q[c].bytes = 0;
			e->until[c] = 0;
			e->let[c] = d->order;
			e->shut[c] = false;
			d->group[p][c] = (struct group){.xoffs = d->group[p][c].xoffs + 1};
		}
	}
	d->shared = d->pooled = 0;
	d->unlearnt = 0xff;
}

// The step ends, and the port's pauses with it.
void device_lose_link(struct device *d, unsigned port, tstamp until)
{
	struct egress *e = &d->egress[port];

	d->down = true;
	d->link_up = until;
	d->gone[port] = until;
	for (unsigned c = 0; c < PKT_CLASSES; c++) {
		e->until[c] = 0;
		e->let[c] = d->order;
	}
	device_kick(d, port, d->now);
}

bool device_loses(struct device *d, unsigned port, struct parcel *f)
{
	if (d->now >= d->gone[port])
		return false;
	free(f);
	return true;
}
