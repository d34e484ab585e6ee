// SPDX-License-Identifier: BSD-3-Clause
// Recorded senders of the reference simulator: reads a line, and knows when such a sender starts
// its next packet.
#pragma once

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "rp/rp_step.h"

#define NEVER TSTAMP_NEVER
#define MTU   1000 // of payload

struct rp_trace {
	FILE *f;
	unsigned line;
	unsigned wire;    // bytes of a full packet
	rate_t line_rate; // of the sender's port
	uint64_t sent, acked;
	uint64_t avail;  // ns; when the rate allows the next packet
	uint64_t free;   // when the port does
	uint64_t opened; // since when the window has been open; NEVER: it is closed
};

static inline void rp_trace_open(struct rp_trace *t, const char *path, unsigned wire, rate_t line)
{
	*t = (struct rp_trace){.f = fopen(path, "r"), .wire = wire, .line_rate = line};
	if (!t->f)
		fail_msg("%s cannot be read", path);
}

// The kind of the next line, 0 at the end. Its numbers follow in v[], at most `n` of them; real[i]
// is the same as a double, exactly.
static inline int rp_trace_next(struct rp_trace *t, uint64_t *v, double *real, unsigned n)
{
	char line[256], *at = line + 1, *end;

	if (!fgets(line, sizeof(line), t->f))
		return 0;
	t->line++;
	for (unsigned i = 0; i < n; i++, at = end) {
		v[i] = strtoull(at, NULL, 10);
		real[i] = strtod(at, &end);
		if (end == at)
			break;
	}
	return line[0];
}

// Serialization as the simulator reckons it: seconds as a double, cut to 2^-64 s, then to ns.
static inline uint64_t rp_trace_ns(unsigned bytes, rate_t rate)
{
	double seconds = (double)bytes * 8 / (double)rate;

	return (uint64_t)((unsigned __int128)(uint64_t)(seconds * 0x1p64) * 1000000000 >> 64);
}

static inline void rp_trace_window(struct rp_trace *t, uint64_t window, uint64_t now)
{
	if (window && t->sent - t->acked >= window)
		t->opened = NEVER;
	else if (t->opened == NEVER)
		t->opened = now;
}

// An ACK up to `acked` has come, and `window` (0: none) has come of it.
static inline void rp_trace_acked(struct rp_trace *t, uint64_t acked, uint64_t window, uint64_t now)
{
	if (acked > t->acked)
		t->acked = acked;
	rp_trace_window(t, window, now);
}

// A packet starts at `now`: the trace must say so, with this rate, window and next instant.
static inline void rp_trace_sent(
	struct rp_trace *t, const uint64_t *v, rate_t rate, uint64_t window)
{
	uint64_t now = t->avail > t->free ? t->avail : t->free;

	if (t->opened > now)
		now = t->opened;
	t->sent += MTU;
	t->avail = now + rp_trace_ns(t->wire, rate);
	t->free = now + rp_trace_ns(t->wire, t->line_rate);
	rp_trace_window(t, window, now);
	if (v[0] != now || v[1] != t->sent || v[2] != rate || v[3] != t->avail)
		fail_msg("line %u: sent %llu at %llu, rate %llu, next at %llu", t->line,
			(unsigned long long)t->sent, (unsigned long long)now,
			(unsigned long long)rate, (unsigned long long)t->avail);
}
