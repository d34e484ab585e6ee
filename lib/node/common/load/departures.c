// SPDX-License-Identifier: BSD-3-Clause
// Departures of numbered frames: writes their instants and keeps the last ones.
#include "departures.h"

#include <errno.h>
#include <stdlib.h>

int departures_init(struct departures *d, uint32_t frames)
{
	uint32_t room = 1;

	*d = (struct departures){0};
	if (!frames || frames > DEPARTURES_MOST)
		return -EINVAL;
	while (room < frames)
		room *= 2;
	d->at = malloc(room * sizeof(*d->at));
	if (!d->at)
		return -ENOMEM;
	d->mask = room - 1;
	for (uint32_t i = 0; i < room; i++) // and no page of it is new later
		atomic_init(&d->at[i], TSTAMP_NEVER);
	return 0;
}

void departures_fini(struct departures *d)
{
	free(d->at);
	d->at = NULL;
}

void departures_add(struct departures *d, uint32_t seq, tstamp now)
{
	uint64_t next = atomic_load_explicit(&d->next, memory_order_relaxed);
	uint32_t skipped = seq - (uint32_t)next; // dropped before they left

	atomic_store_explicit(&d->next, next + skipped + 1, memory_order_release);
	for (uint32_t i = 0; i < skipped && i <= d->mask; i++)
		atomic_store_explicit(
			&d->at[(next + i) & d->mask], TSTAMP_NEVER, memory_order_release);
	atomic_store_explicit(&d->at[seq & d->mask], now, memory_order_release);
}
