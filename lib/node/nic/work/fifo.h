// SPDX-License-Identifier: BSD-3-Clause
// FIFOs of messages that queue pairs have not posted yet. All FIFOs of a NIC share the places.
#pragma once

#include <stdint.h>

#include "base/tstamp.h"

#define NIC_FIFO_NOBODY UINT32_MAX

// A message that its queue pair has not posted.
struct nic_waiting {
	tstamp at; // it came
	uint32_t bytes;
	uint32_t next; // behind it in its FIFO, or the next free place
};

struct nic_fifo {
	uint32_t head, tail; // NIC_FIFO_NOBODY: empty
	uint32_t of;         // whose messages it has; NIC_FIFO_NOBODY: nobody's
};

struct nic_fifos {
	struct nic_fifo *fifo; // by index of the queue pair; NULL: there are none
	struct nic_waiting *place;
	uint32_t room;
	// Places that were ever used; the first that is free again, or NIC_FIFO_NOBODY. The others
	// are untouched memory.
	uint32_t lent, free;
};

// Makes empty FIFOs for so many queue pairs, without places, unless they are there. 0 or -ENOMEM.
int nic_fifos_init(struct nic_fifos *f, uint32_t queue_pairs);
// Adds places; only before the run. 0 or -ENOMEM.
int nic_fifos_grow(struct nic_fifos *f, uint64_t places);
void nic_fifos_fini(struct nic_fifos *f);

// Puts a message behind the others of a FIFO. Returns its place; NIC_FIFO_NOBODY: there is none.
uint32_t nic_fifo_put(struct nic_fifos *f, struct nic_fifo *to, uint32_t bytes, tstamp at);
// Takes the first message out, which there must be. Returns its place, which is free now.
uint32_t nic_fifo_take(struct nic_fifos *f, struct nic_fifo *from);
