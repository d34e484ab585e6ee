// SPDX-License-Identifier: BSD-3-Clause
// Messages of flows: when each began, and which of them overlap.
#pragma once

#include "saved/saved.h"
#include "tracks.h"

#pragma GCC visibility push(hidden)

struct messages;

struct message {
	tstamp begin;
	double slowdown; // NAN: not known
};

// Reads fct.txt of the folder; without it no message has a beginning. NULL: no memory.
struct messages *messages_new(struct saved *s);
void messages_free(struct messages *m);

// Gives the message of an event msg_done: false: its beginning is not known.
bool messages_next(struct messages *m, const struct saved_ev *ev, struct message *got);

// The sequence of a track of the flow on which nothing overlaps it. 0: no memory.
uint32_t messages_sequence(
	struct messages *m, struct tracks *t, int flow, const struct message *got, tstamp end);

#pragma GCC visibility pop
