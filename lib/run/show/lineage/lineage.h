// SPDX-License-Identifier: BSD-3-Clause
// Room lineage: which pause caused which, and to which cause lost time goes back (docs/lineage.md).
#pragma once

#include "out/out.h"
#include "saved/saved.h"

struct lineage;

#define LINEAGE_NONE UINT32_MAX // no such number

// How a pause ended.
enum lineage_end {
	LINEAGE_XON,
	LINEAGE_EXPIRED,
	LINEAGE_WATCHDOG,
	LINEAGE_RUNNING, // the run ended first
	LINEAGE_UNTOLD,  // the next one began without an end of this one
};

// The lineage of the pauses of a saved run, finished. NULL: no memory, with a line in err. Without
// a record of pauses it is empty; lineage_lacks() lists whatever else the record lacks.
struct lineage *lineage_of(struct saved *s, struct err *err);
void lineage_free(struct lineage *l);

// The things that a lineage needs and the record of a saved run lacks, a sentence for each i. NULL
// behind the last one.
const char *lineage_lacks(const struct lineage *l, unsigned i);

// Roots, bills and edges stand in order of their time, the longest first, and pauses in that of
// their begins.

// A queue is an egress port and a class: port * 8 + class.
static inline uint32_t lineage_port_of(uint32_t queue)
{
	return queue / 8;
}

static inline unsigned lineage_class_of(uint32_t queue)
{
	return queue % 8;
}

enum lineage_kind {
	LINEAGE_EGRESS,  // a queue that was not paused held the bytes: its port is congested
	LINEAGE_HOST,    // a host sent XOFF
	LINEAGE_SWITCH,  // a switch sent XOFF without holding anything: it was told to
	LINEAGE_CYCLE,   // pauses that wait for themselves
	LINEAGE_OTHER,   // bytes in more queues than are told of, and shares too small to keep
	LINEAGE_UNKNOWN, // the record does not say
};

struct lineage_root {
	enum lineage_kind kind;
	uint32_t queue;   // of LINEAGE_EGRESS
	const char *name; // "egress s2:r.3", "host r", "cycle s1:s2.3>s2:s3.3>s3:s1.3"
	tstamp ps;        // billed to it, of all pauses
};

// The time between an egress queue's pause_rx and resume_rx.
struct lineage_pause {
	tstamp from, to;
	uint32_t queue;    // that was stopped; its port's peer sent the XOFF
	uint32_t previous; // pause of this queue; LINEAGE_NONE: it is the first
	uint32_t part;     // the first of its parts; LINEAGE_NONE: it took no time
	uint32_t renewed;  // XOFFs that came while it went on and told of their holders anew
	enum lineage_end end;
};

// The share of a pause that is owed directly to the pauses of a queue, or to a root. The parts of a
// pause sum to its time.
struct lineage_part {
	tstamp ps;
	uint32_t queue; // LINEAGE_NONE: a root
	uint32_t root;  // LINEAGE_NONE: a queue
	uint32_t pause; // the newest of the queue's pauses that it owes to; LINEAGE_NONE: a root
	uint32_t next;  // part of the same pause; LINEAGE_NONE: none
};

// The share of a queue's pauses that is owed to a root in the end. The bills of a queue sum to its
// pause time.
struct lineage_bill {
	uint32_t queue, root;
	tstamp ps;
};

// Time that a queue stood because another one did, or because of a root: its pauses' parts, over
// the run. The edges from a queue sum to its pause time.
struct lineage_edge {
	uint32_t queue;
	uint32_t to, root; // a queue or a root; the other is LINEAGE_NONE
	tstamp ps;
	bool strongest; // of its queue's edges
};

// A line of the strongest tree, parents first: each queue stands below the queue or root to which
// it owes most of its time. If that makes a circle, the queue of the circle that was paused longest
// stands at depth 0.
struct lineage_row {
	unsigned depth;
	uint32_t queue, root; // the other is LINEAGE_NONE
	uint32_t to;          // queue that it owes most to; LINEAGE_NONE: a root, or it is one
	tstamp ps;            // that it owes to that; all of a root's
};

// How many there are.
struct lineage_counts {
	uint32_t ports, pauses, roots, bills, edges, rows;
	tstamp ps;    // all pauses together
	uint64_t odd; // events that do not fit the others: a pause told twice, an end without begin
};

struct lineage_counts lineage_counts(const struct lineage *l);
const struct lineage_root *lineage_root(const struct lineage *l, uint32_t i);
const struct lineage_bill *lineage_bill(const struct lineage *l, uint32_t i);
const struct lineage_edge *lineage_edge(const struct lineage *l, uint32_t i);
// Returns the pause time of a queue; 0: it was not paused.
tstamp lineage_paused_ps(const struct lineage *l, uint32_t queue);
const char *lineage_port_name(const struct lineage *l, uint32_t port);

// lineage.csv: a line for each part of each pause; lineage_bills.csv: a line for each bill
// (docs/formats.md).
void lineage_write(const struct lineage *l, struct out *o);
void lineage_write_bills(const struct lineage *l, struct out *o);
// Writes a text for people: the roots, then at most `rows` lines of the strongest tree.
void lineage_text(const struct lineage *l, struct out *o, uint32_t rows);

// The rest is for the files of this room only.
#pragma GCC visibility push(hidden)

const struct lineage_pause *lineage_pause(const struct lineage *l, uint32_t i);
const struct lineage_part *lineage_part(const struct lineage *l, uint32_t i);
const struct lineage_row *lineage_row(const struct lineage *l, uint32_t i);
// Returns the port at the other end of the port's link.
uint32_t lineage_peer(const struct lineage *l, uint32_t port);

#pragma GCC visibility pop
