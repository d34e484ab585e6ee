// SPDX-License-Identifier: BSD-3-Clause
// A trace of Perfetto, written: a file of packets in the wire form of Protocol Buffers, which
// describe tracks and what happened on them (docs/timeline.md).
#pragma once

#include "base/tstamp.h"
#include "conf/conf.h"

#pragma GCC visibility push(hidden)

#define PFTRACE_NOTES  8   // of an event, at most
#define PFTRACE_VALUES 2   // counters that come with an event, whole numbers
#define PFTRACE_FLOWS  64  // arrows that an event can have; those beyond are left out
#define PFTRACE_TEXT   500 // bytes of a text as printable() has it; what is longer is cut

struct pftrace;

// Creates or truncates the file. -errno and a line with the path.
int pftrace_open(struct pftrace **p, const char *path, struct err *err);
// Writes what is left. -errno of the first failure, memory's too, with a line that says that the
// file is incomplete; NULL is closed already.
int pftrace_close(struct pftrace *p, struct err *err);

// Bytes written so far, and events.
uint64_t pftrace_bytes(const struct pftrace *p);
uint64_t pftrace_events(const struct pftrace *p);

// A track. It is shown below its parent, among its siblings by rank.
struct pftrace_track {
	const char *name;
	const char *about; // NULL: no more than the name
	uint32_t parent;   // 0: none
	int rank;
	bool counter;
	bool bytes;       // a counter of bytes
	const char *unit; // of any other counter; NULL: none
	int scale;        // what its whole numbers are multiplied by; 0: nothing
	const char *axis; // counters of one parent that name the same have one axis; NULL: its own
};

// Makes a track and returns its number, from 1 on. Its name and unit are written at once.
uint32_t pftrace_track(struct pftrace *p, const struct pftrace_track *t);

// A sequence: what its events share need not be said by each. The first one, 0, shares nothing.
struct pftrace_shared {
	uint32_t track;                  // of its events that name no track
	uint32_t values[PFTRACE_VALUES]; // counters of the whole numbers of an event; 0: none
	uint32_t real;                   // of its real number; 0: none
};

uint32_t pftrace_sequence(struct pftrace *p, const struct pftrace_shared *shared);

// The uses of a text. A text that is used often costs a number only.
enum pftrace_index {
	PFTRACE_CATEGORY,
	PFTRACE_NAME,
	PFTRACE_KEY,   // of a note
	PFTRACE_VALUE, // of a note
	PFTRACE_WHOSE, // the owner of an event, on any track: shown in one colour
	PFTRACE_INDEXES,
};

// The number of a text, from 1 on; 0: no memory, and pftrace_close() says so.
uint32_t pftrace_text(struct pftrace *p, enum pftrace_index index, const char *text);

struct pftrace_note {
	uint32_t key; // PFTRACE_KEY
	enum pftrace_kind { PFTRACE_UINT, PFTRACE_REAL, PFTRACE_WORD, PFTRACE_LITERAL } kind;
	union {
		uint64_t number;
		double real;
		uint32_t word;       // PFTRACE_VALUE
		const char *literal; // one that hardly comes twice
	};
};

enum pftrace_type { PFTRACE_BEGIN = 1, PFTRACE_END, PFTRACE_INSTANT, PFTRACE_COUNTER };

struct pftrace_event {
	tstamp t; // rounded down to whole ns
	enum pftrace_type type;
	uint32_t sequence;
	uint32_t track;                 // 0: that of the sequence
	uint32_t name, category, whose; // 0: none
	unsigned n_notes, n_values;
	struct pftrace_note note[PFTRACE_NOTES];
	int64_t value[PFTRACE_VALUES]; // of the sequence's counters
	// NAN: none. Of a PFTRACE_COUNTER the value of its track; without it `whole` is the value.
	double real;
	int64_t whole;
	unsigned flows; // arrows that it begins, continues or ends
	const uint32_t *flow;
};

// Events of one track and instant stay in the order in which they are put; others need none.
void pftrace_put(struct pftrace *p, const struct pftrace_event *e);

#pragma GCC visibility pop
