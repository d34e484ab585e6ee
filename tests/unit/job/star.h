// SPDX-License-Identifier: BSD-3-Clause
// A network for tests of jobs: hosts around one store-and-forward switch, a rank at each.
//
// Every link has 100 Gb/s and 1 us of propagation. A message goes as frames of 1024 bytes of
// payload and 82 more on the wire. A host serves its messages to different receivers round robin,
// frame by frame, and those to one receiver one after the other. ACKs are not on the links: a send
// ends 2 * 6.88 ns + 2 us after its last frame has arrived.
#pragma once

#include "job/job.h"

#define STAR_TAU   88480ull   // ps of a whole frame
#define STAR_DELAY 1000000ull // ps of a link
#define STAR_ACK   (2 * 6880ull + 2 * STAR_DELAY)

// From posting to the last bit, where nothing is in the way: (n + 1) tau + 2 d for n whole frames.
// A shorter last frame waits for the one before it at the switch.
static inline tstamp star_alone(uint64_t bytes)
{
	uint64_t n = (bytes + 1023) / 1024, last = bytes - (n ? n - 1 : 0) * 1024;
	tstamp wire = (last + 82) * 80;

	return (n <= 1 ? wire : n * STAR_TAU) + wire + 2 * STAR_DELAY;
}

struct star_result {
	tstamp done;            // the last end of a RECV or CALC of the last iteration, of any rank
	struct job_split split; // of the chain that led to it
	uint32_t slowest;
	tstamp ended; // the last end of all
	uint64_t frames;
	unsigned over; // ranks that have ended all iterations
};

// Runs all ranks of a graph until nothing happens any more. The result lists the last iteration.
// `look` is called at the end, before the ranks are freed (NULL: nobody looks).
struct star_result star_run(const struct graph *g, uint32_t iterations, tstamp gap,
	void (*look)(struct job_rank *const *rank, void *arg), void *arg);
