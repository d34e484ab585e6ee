// SPDX-License-Identifier: BSD-3-Clause
// A device whose received frames are in memory far from the processor. It is read ahead of its
// turn, so that the frames are in the cache when it has its turn.
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
// Measures whether the memory of n frames is far: whether the processor has to wait for it. The
// frames are those that dev_far_take() has just given, and must not have been read ahead. After a
// burst that is not full the device counts as near until it is measured again.
void dev_far_time(struct dev *d, struct rte_mbuf *const *m, unsigned n);
// Reads the next burst where the device is far and has a backlog. By dev_rx's thread, which then
// must call dev_far_take in place of dev_rx until the device is far no longer.
void dev_far_read(struct dev *d);
// Prefetches part 0..DEV_FAR_PARTS-1 of the burst that was read ahead. `own`: headers will be
// written behind descriptors.
void dev_far_fetch(struct dev *d, unsigned part, bool own);

// The rest is for the files of this room and their tests only.
#pragma GCC visibility push(hidden)

// Reads up to EAL_BURST mbufs as dev_rx() does, if none have been read ahead.
unsigned dev_rx_mbufs(struct dev *d, struct rte_mbuf **m, tstamp now);
// Notes the result of one measurement. A single one decides nothing, because others may have had
// the processor.
void dev_far_note(struct dev_far *f, bool far);

#pragma GCC visibility pop
