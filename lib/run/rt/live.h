// SPDX-License-Identifier: BSD-3-Clause
// Figures of a run so far: asked for by another thread, made by the recorder's.
#pragma once

#include <stdatomic.h>
#include <stdbool.h>

#include "base/tstamp.h"
#include "live/live.h"

#pragma GCC visibility push(hidden)

struct rt;

struct rt_live {
	atomic_bool wanted;
	struct live *_Atomic made; // NULL: not yet, or memory is out
	atomic_bool answered;
};

// By the recorder's thread: makes them where they are wanted.
void rt_live_answer(struct rt *rt, tstamp now);
// By one other thread at a time: *out is the caller's. -ESHUTDOWN: the run is
// over; -ETIMEDOUT: the recorder is held up; -ENOMEM.
int rt_live_ask(struct rt *rt, struct live **out, unsigned timeout_ms);

#pragma GCC visibility pop
