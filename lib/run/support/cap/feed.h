// SPDX-License-Identifier: BSD-3-Clause
// Reading ahead: a capture's frames go into the ring from which a player takes them.
#pragma once

#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "conf/conf.h"
#include "play.h"

#define CAP_FEED_RING (8u << 20) // bytes: what is read ahead at most, besides a window of the file

struct cap_feed;

// Opens the capture and fills the ring. Frames of more than `longest` bytes, which a file has that
// has changed since it was scanned, are an error of the file. As cap_play_open.
// *failed becomes true where the file is found to be broken later; NULL: nobody is told.
int cap_feed_open(struct cap_feed **f, const struct cap_play_params *params, uint16_t longest,
	size_t ring_bytes, atomic_bool *failed, struct err *err);
struct replay_ring *cap_feed_ring(struct cap_feed *f);
// Starts a thread that fills the ring, so that the player never waits for the file. Without a
// thread the player fills the ring itself whenever it is empty. `cpus`: processors for the thread;
// NULL: those of the caller. 0, or -errno.
int cap_feed_start(struct cap_feed *f, const cpu_set_t *cpus);
// What ended the feed early, once its thread has ended or there is none; NULL: nothing.
const char *cap_feed_error(const struct cap_feed *f);
// Ends the thread.
void cap_feed_stop(struct cap_feed *f);
// Ends the thread and frees the feed with its ring. Call it once no node takes frames from the ring
// any more.
void cap_feed_close(struct cap_feed *f);
