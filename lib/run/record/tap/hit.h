// SPDX-License-Identifier: BSD-3-Clause
// The faults that hit frames of a port, for the comments of these frames in a capture.
#pragma once

#include "contract/contract.h"
#include "wire/pkt.h"

struct tap_hits;

// NULL: no memory.
struct tap_hits *tap_hits_new(void);
void tap_hits_free(struct tap_hits *h);
// Takes an EV_FAULT of the port. Events of a frame come before the frame.
void tap_hits_take(struct tap_hits *h, const struct ev *e);
// Writes which faults hit a frame that came in at `t`, "dropped here by fault 3"; "": none did.
// Frames come in the order of their time. Returns the length.
size_t tap_hits_say(struct tap_hits *h, const struct pkt *p, tstamp t, char *buf, size_t size);
