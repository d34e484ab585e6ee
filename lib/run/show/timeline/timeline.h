// SPDX-License-Identifier: BSD-3-Clause
// Room timeline: what happened in a run as a trace of Perfetto.
#pragma once

#include "saved/saved.h"

struct timeline_told {
	uint64_t events;  // of the run's record that are shown
	uint64_t packets; // of the trace that say what happened, counters included
	uint64_t bytes;
	uint32_t arrows;
	const char *missing; // records that arrows need and the run lacks; NULL: none
};

// Writes what happened from <= t < to (TSTAMP_NEVER: to the end) into the file; a pause, a storm, a
// deadlock or a message that reaches into that time is shown whole. Instants are rounded down to
// ns. What of the folder could not be shown is in the trace too, and saved_missing() has it
// afterwards. -errno with a line where the file cannot be written, or memory is out.
int timeline_write(struct saved *s, const char *path, tstamp from, tstamp to,
	struct timeline_told *told, struct err *err);
