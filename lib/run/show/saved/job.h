// SPDX-License-Identifier: BSD-3-Clause
// Events of jobs, from their text in `detail` (docs/formats.md, events.csv).
#pragma once

#include "event.h"
#include "job/job.h"

struct saved_job {
	const char *rank;  // "ring.3", name_len characters of the detail
	unsigned name_len; // of them, "ring" is so long
	unsigned rank_len;
	uint32_t number; // of the rank in its job
	// EV_JOB_STEP, EV_JOB_PART: the iteration. EV_JOB_CALC: the operation. EV_JOB_MESSAGE: the
	// rank that sent it.
	uint32_t of;
	uint32_t tag;   // EV_JOB_MESSAGE
	unsigned part;  // EV_JOB_PART: enum job_part
	tstamp from;    // EV_JOB_STEP, EV_JOB_CALC: its start; EV_JOB_MESSAGE: of its send
	tstamp to;      // EV_JOB_STEP: the last end of a receive or calc
	tstamp part_ps; // EV_JOB_PART
};

// Reads an event of a job. False: it is none, or its detail is broken.
bool saved_job(const struct saved_ev *ev, struct saved_job *to);
