// SPDX-License-Identifier: BSD-3-Clause
// How far a run has come, and how it goes: what a line for the user says meanwhile.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/tstamp.h"

struct record;

struct live_progress {
	tstamp now, end;        // scene time
	double goodput_gbps;    // payload that arrived in order since the line before
	uint64_t drops, pauses; // since the run began; as total.drops_total, total.pauses
	char fullest[96];    // "s1:h3.3": the ingress group or queue that is; "": nothing is held
	double xoff_percent; // of the bytes that the group may hold before XOFF; < 0: it is a queue
	uint64_t held_bytes;
	uint64_t rx_bytes; // of all flows until now
};

// Brings *p, at first zero and then as this call has left it, to the instant `now`. Linear in ports
// and flows; only reads counters, as another thread may while the run goes on.
void live_progress(const struct record *r, tstamp now, struct live_progress *p);

// The line, of as many parts as `columns` have room for, from the left. `left_s`: wall time that
// the rest is thought to take, in seconds; < 0: not known. Returns buf.
char *live_progress_text(
	const struct live_progress *p, double left_s, unsigned columns, char *buf, size_t size);
