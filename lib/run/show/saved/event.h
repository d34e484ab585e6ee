// SPDX-License-Identifier: BSD-3-Clause
// The events of a run's folder, one after the other, whichever form they were recorded in.
#pragma once

#include "contract/contract.h"

struct saved;

#define SAVED_NONE UINT64_MAX // a number that the event does not have

// An event as events.csv has it (docs/formats.md).
struct saved_ev {
	tstamp t;
	enum ev_type type;
	int cls;            // -1: none
	unsigned object;    // whose port, a number of saved_object()
	int flow;           // a number of saved_flow(); -1: none
	const char *detail; // "" for none; stays until the next event is asked for
	uint64_t bytes, queue_bytes, quanta, psn; // SAVED_NONE: none
	double rc_gbps, rt_gbps, alpha;           // NAN: none
};

// Begins with the first event again. False: the folder has no record of events, or it cannot be
// read; saved_missing() says why.
bool saved_events(struct saved *s);

// The next event, which stays until the next call, in order of time; NULL: there is none any more.
// A line that is no event, or of a type that this program does not know, is passed over, and
// saved_missing() then counts such lines.
const struct saved_ev *saved_next(struct saved *s);

// Returns how many names of ports and flows are known so far. They are numbered in the order in
// which they are read. A number stays valid until the folder is closed.
unsigned saved_objects(const struct saved *s);
const char *saved_object(const struct saved *s, unsigned i);
unsigned saved_flows(const struct saved *s);
const char *saved_flow(const struct saved *s, unsigned i);

// The port at the other end of the link of a port, as a number of saved_object(); -1: not known.
int saved_peer(struct saved *s, unsigned object);
// Whether the type was recorded, so that none in the file means that there was none.
bool saved_recorded(const struct saved *s, enum ev_type type);
