// SPDX-License-Identifier: BSD-3-Clause Captures of a running instance: another thread asks for
// them, the recorder's thread feeds and ends them.
#pragma once

#include <pthread.h>
#include <stdatomic.h>

#include "lcores/lcores.h"
#include "tap/tap.h"

#pragma GCC visibility push(hidden)

#define RT_TAPS 32 // open at a time

struct rt_tap;

struct rt_taps {
	pthread_mutex_t lock;
	struct rt_world *world;
	uint64_t begin_ns;     // scene time 0, ns since 1970
	struct rt_tap *asked;  // asked for, and not begun
	struct rt_tap *first;  // of the open ones
	atomic_uint n;         // open ones
	bool over;             // the run is
	uint64_t lost_closed;  // frames that captures lack which have ended
	_Atomic uint64_t lost; // and with them those that are open
};

void rt_taps_init(struct rt_taps *taps, struct rt_world *world);
void rt_taps_fini(struct rt_taps *taps);
// Returns whether a capture is open.
bool rt_taps_any(const struct rt_taps *taps);

// Makes the capture that `text` asks for (tap_new). -EINVAL, -ENOENT, -ENOMEM, -EBUSY or
// -ESHUTDOWN, and a line. Where it returns 0, rt_taps_begin() follows, of the same thread.
int rt_taps_ask(void *taps, const char *text, struct err *err);
// Begins it, and sends it to a socket of kind SOCK_STREAM, which it closes at the end. The capture
// also ends when the reader shuts the socket down for writing, and is then sent whole.
void rt_taps_begin(void *taps, int fd);

// The recorder's turn: between rt_taps_turn_begin() and rt_taps_turn_end() it hands over events,
// then frames. False: no capture is open, and none of these calls follows.
bool rt_taps_turn_begin(struct rt_taps *taps);
void rt_taps_events(struct rt_taps *taps, const struct record *record, unsigned node,
	const struct ev_ring *ring);
void rt_taps_frame(struct rt_taps *taps, const struct rt_seen *s);
void rt_taps_turn_end(struct rt_taps *taps, tstamp now);
// The run is over: all captures end. Waits until they are sent, but for no reader that takes
// nothing for a second.
void rt_taps_end(struct rt_taps *taps, tstamp now);
// Frames that captures lack because recorder or reader came too late.
uint64_t rt_taps_lost(const struct rt_taps *taps);

#pragma GCC visibility pop
