// SPDX-License-Identifier: BSD-3-Clause
// The FIFOs of messages and their places.
#include "fifo.h"

#include <errno.h>
#include <stdlib.h>

#define NOBODY NIC_FIFO_NOBODY

int nic_fifos_init(struct nic_fifos *f, uint32_t queue_pairs)
{
	if (f->fifo)
		return 0;
	f->fifo = malloc((queue_pairs + 1ul) * sizeof(*f->fifo));
	if (!f->fifo)
		return -ENOMEM;
	for (uint32_t i = 0; i <= queue_pairs; i++)
		f->fifo[i] = (struct nic_fifo){NOBODY, NOBODY, NOBODY};
	f->free = NOBODY;
	return 0;
}

int nic_fifos_grow(struct nic_fifos *f, uint64_t places)
{
	struct nic_waiting *p;

	if (places >= NOBODY - f->room)
		return -ENOMEM;
	p = realloc(f->place, (f->room + places + 1) * sizeof(*p));
	if (!p)
		return -ENOMEM;
	f->place = p;
	f->room += (uint32_t)places;
	return 0;
}

void nic_fifos_fini(struct nic_fifos *f)
{
	free(f->fifo);
	free(f->place);
}

uint32_t nic_fifo_put(struct nic_fifos *f, struct nic_fifo *to, uint32_t bytes, tstamp at)
{
	uint32_t i = f->free;

	if (i != NOBODY)
		f->free = f->place[i].next;
	else if (f->lent < f->room)
		i = f->lent++;
	else
		return NOBODY;
	f->place[i] = (struct nic_waiting){.at = at, .bytes = bytes, .next = NOBODY};
	if (to->head == NOBODY)
		to->head = i;
	else
		f->place[to->tail].next = i;
	to->tail = i;
	return i;
}

uint32_t nic_fifo_take(struct nic_fifos *f, struct nic_fifo *from)
{
	uint32_t i = from->head;
	struct nic_waiting *w = &f->place[i];

	from->head = w->next;
	w->next = f->free;
	f->free = i;
	return i;
}
