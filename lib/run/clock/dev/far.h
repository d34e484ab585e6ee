// SPDX-License-Identifier: BSD-3-Clause
// A device whose received frames lie in memory far from the processor: it is read before its turn,
// so that the frames are near when it has its turn.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/tstamp.h"
#include "eal/eal.h"

struct dev;

#define DEV_FAR_PARTS 3 // in which the memory of a burst is fetched

struct dev_far {
	bool is;       // that memory is far
	bool backlog;  // the last burst was full: more frames stand in the device
	uint8_t times; // a bit for each of the last times that it was timed, 1: it was far
	uint16_t n;    // frames that have been read ahead
	struct rte_mbuf *m[EAL_BURST];
};

// The first half of dev_rx(): up to EAL_BURST mbufs. Frames that were read ahead come first,
// followed by frames that have reached the queue since, which may include a PFC frame: no frame is
// later than without reading ahead.
unsigned dev_far_take(struct dev *d, struct rte_mbuf **m, tstamp now);
// Finds out whether the memory of the n frames that dev_far_take() has just given is far. The burst
// must not have been read ahead, so that nobody has fetched that memory. After a burst that is not
// full, the device is near until it is timed again.
void dev_far_time(struct dev *d, struct rte_mbuf *const *m, unsigned n);
// Reads the next burst where the device is far and has a backlog. By dev_rx's thread, which then
// must call dev_far_take in place of dev_rx until the device is far no longer.
void dev_far_read(struct dev *d);
// Has part 0..DEV_FAR_PARTS-1 of that burst fetched. `own`: headers will go behind descriptors.
void dev_far_fetch(struct dev *d, unsigned part, bool own);

// The rest is for the files of this room and their tests only.
#pragma GCC visibility push(hidden)

// Up to EAL_BURST mbufs of the device as dev_rx reads them, where none have been read ahead.
unsigned dev_rx_mbufs(struct dev *d, struct rte_mbuf **m, tstamp now);
// Notes what came of one time. One alone decides nothing, since others may have had the processor.
void dev_far_note(struct dev_far *f, bool far);

#pragma GCC visibility pop
