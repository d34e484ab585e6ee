// SPDX-License-Identifier: BSD-3-Clause
// A trace for a reaction point: lines of CSV, each with an instant, an event and its values.
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "rp/rp.h"
#include "base/tstamp.h"
#include "conf/conf.h"

#define TRACE_LINE   1000u        // most bytes of a line
#define TRACE_VALUES 3u           // most values of an event
#define TRACE_END    (1ull << 61) // no instant is later, ps: 26 days

enum trace_kind {
	TRACE_START,
	TRACE_CNP,
	TRACE_CNM,
	TRACE_ACK,
	TRACE_NAK,
	TRACE_SENT,
	TRACE_WRITE,
	TRACE_READ,
	TRACE_TICK,
	TRACE_KINDS,
};

struct trace_event {
	tstamp at;
	enum trace_kind kind;
	uint64_t line;   // from 1
	unsigned column; // of its first value, from 1; of the event where there is none
	uint64_t value[TRACE_VALUES];
	unsigned n;                 // values that are given, a register's name apart
	bool has_place;             // it names a register
	struct rdma_ip_place place; // of queue pair 1
};

struct trace {
	FILE *f;
	const char *name; // of the file, for messages
	bool registers;   // the reaction point has some
	uint64_t line;    // that was read last
	tstamp at;        // of the event before
	uint64_t at_line; // where it stands; 0: there is none yet
};

// Begins to read a trace. `f` and `name` must outlive it.
void trace_init(struct trace *t, FILE *f, const char *name, bool registers);

// The next event: 1; 0 at the end; -EINVAL, or -EIO where the file cannot be read, and one line:
// "name:line:column: what is wrong, what would be right".
int trace_next(struct trace *t, struct trace_event *e, struct err *err);

// Puts the place of an event in the file before an error message. Returns `code`.
int trace_err(const struct trace *t, const struct trace_event *e, struct err *err, int code);

// The rest is for the files of this room only.
#pragma GCC visibility push(hidden)

// "cnp", "sent"
const char *trace_name(enum trace_kind kind);

// The values behind that word: ",BYTES[,PAYLOAD]"; "": none.
const char *trace_values(enum trace_kind kind);

#pragma GCC visibility pop
