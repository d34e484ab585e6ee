// SPDX-License-Identifier: BSD-3-Clause
// The tracks of a run: nodes, below them their ports, below those their classes; and flows.
#pragma once

#include "pftrace.h"
#include "spans.h"
#include "conf/conf.h"

#pragma GCC visibility push(hidden)

// The tracks of a port that belong to no class.
enum port_track { PORT_SELF, PORT_CNPS, PORT_RXBUF, PORT_TRACKS };

enum class_track {
	CLASS_SELF, // pauses
	CLASS_QLEN,
	CLASS_QLEN_MAX,
	CLASS_QLEN_MARKED,
	CLASS_TX,
	CLASS_MARKS,
	CLASS_DROPS,
	CLASS_STORMS,
	CLASS_DEADLOCKS,
	CLASS_TRACKS
};

enum flow_track {
	FLOW_SELF, // CNPs, what the reaction point does
	FLOW_RC,
	FLOW_RT,
	FLOW_GOODPUT,
	FLOW_ALPHA,
	FLOW_RTT,
	FLOW_MESSAGES, // the first of as many as it takes for messages that overlap
	FLOW_TRACKS
};

struct tracks;

// Tracks of a trace that is given later. NULL: no memory.
struct tracks *tracks_new(void);
void tracks_free(struct tracks *t);

// The number of a port, NODE:PEER, or of a flow, which is added if it is new; -1: no memory. They
// are numbered before tracks_begin(), and not later.
int tracks_port(struct tracks *t, const char *name, size_t len);
int tracks_flow(struct tracks *t, const char *name);

// Describes the run's own track, which it returns; all others come below it, by name, nodes with
// several ports first. They are described when they are first asked for. 0: no memory.
uint32_t tracks_begin(struct tracks *t, struct pftrace *p, const char *name, const char *about);

// The track of marks and changes, right below the run's own.
uint32_t tracks_of_moments(struct tracks *t);
// A new track right below the run's own, behind nodes and flows, among others of its kind by place.
uint32_t tracks_below_run(struct tracks *t, const char *name, unsigned place);
uint32_t tracks_of_port(struct tracks *t, int port, enum port_track which);
// A track of the class `cls`; if `cls` is below 0, the port's own track.
uint32_t tracks_of_class(struct tracks *t, int port, int cls, enum class_track which);
uint32_t tracks_of_flow(struct tracks *t, int flow, enum flow_track which);
// Sequences: a class's marks with the length that the marker saw; a flow's own events with Rc, Rt
// (kb/s) and alpha.
uint32_t tracks_of_marks(struct tracks *t, int port, int cls);
uint32_t tracks_of_reaction(struct tracks *t, int flow);
// Sequences of one track each: of a port's CNPs, of a flow, and of one track more for messages.
uint32_t tracks_of_cnps(struct tracks *t, int port);
uint32_t tracks_alone(struct tracks *t, int flow, enum flow_track which);
uint32_t tracks_more_messages(struct tracks *t, int flow);

#pragma GCC visibility pop
