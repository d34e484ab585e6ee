// SPDX-License-Identifier: BSD-3-Clause
// A rank of a job: which operations of its graph run, what each waits for, and which parts of the
// time the longest chain of them took.
//
// A rank knows no other rank: messages are all that joins them. So each rank may run in a thread or
// a process of its own. The driver calls it with what happens (a message has arrived, a send has
// ended, a deadline has come), takes the sends that have started, and posts them to the network.
//
// Each call starts at most one cascade: an operation ends, and operations that waited for it start,
// of which some end at once. After each call the driver takes all sends (job_take_send) and the
// step that may have ended (job_take_step).
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/tstamp.h"
#include "graph.h"

// Where time went, along a chain of operations each of which started when the one before ended.
enum job_part {
	JOB_WIRE,    // serialization and propagation
	JOB_COMPUTE, // CALCs
	JOB_PAUSE,   // PFC and PAUSE held a message back
	JOB_RATE,    // the sender's rate was below the line rate
	JOB_RESEND,  // frames were lost and came again
	JOB_WAIT,    // others were in the way: frames of other messages, or a rank that began later
	JOB_PARTS,
};

struct job_split {
	tstamp part[JOB_PARTS]; // ps
	bool unknown; // the chain came by a message whose past is not known, and `part` lacks it
};

// A message from the start of its SEND on.
struct job_message {
	uint32_t from, to; // ranks
	uint32_t tag;
	uint32_t op;        // the SEND, in its rank
	uint32_t iteration; // from 0 on
	uint64_t bytes;
	uint8_t nic;
	tstamp posted;           // start of the SEND; TSTAMP_NEVER: not known, nor is `so_far`
	struct job_split so_far; // of the chain that ends with that start
};

// An iteration of a rank.
struct job_step {
	uint32_t iteration;
	tstamp start;
	// The last end of a RECV or CALC, and the split of the chain that led to it. That chain
	// began `split`'s sum before `done`, at the start of this iteration at some rank. Of a rank
	// with SENDs alone: the start of the last of them. Of one without operations: as `ended`.
	tstamp done;
	struct job_split split;
	tstamp ended; // the last end of an operation, ACKs of SENDs included
};

// A CALC that has ended.
struct job_calc {
	uint32_t op;
	tstamp start; // its CPU began with it
};

struct job_params {
	const struct graph *graph; // outlives the rank
	uint32_t rank;
	uint32_t iterations; // from 1 on
	tstamp gap;          // from the end of an iteration of this rank to the start of its next
};

struct job_rank;

// Takes all memory: 5 bytes for each operation of the rank, 16 for each two RECVs, and room for
// messages that arrive before their RECV starts, which is written only where they do. NULL: memory
// is out, or a parameter is out of range.
struct job_rank *job_rank_new(const struct job_params *p);
void job_rank_free(struct job_rank *r);

// Starts the first iteration.
void job_start(struct job_rank *r, tstamp now);

// A message is whole at this rank. `took` divides the time since it was posted: WIRE, PAUSE, RATE
// and RESEND, with a sum of at most now - posted; the rest becomes WAIT. False: there is no room
// for another message that no RECV has asked for; the message is lost to the job.
bool job_arrived(
	struct job_rank *r, const struct job_message *m, const struct job_split *took, tstamp now);

// A send of this rank has ended: its last ACK is there, or its last bit has left, as the driver's
// configuration says. `m` is what job_take_send() gave, `took` as in job_arrived().
void job_send_done(
	struct job_rank *r, const struct job_message *m, const struct job_split *took, tstamp now);

// The earliest instant at which job_expire() has something to do; TSTAMP_NEVER: none.
tstamp job_deadline(const struct job_rank *r);

// Ends one CALC that is due, or starts the next iteration. Call it until the deadline is later than
// `now`, and take the sends after each call.
void job_expire(struct job_rank *r, tstamp now);

// The next SEND that has started. False: there is none.
bool job_take_send(struct job_rank *r, struct job_message *m);

// The iteration that ended in the last call. False: none did.
bool job_take_step(struct job_rank *r, struct job_step *step);

// The CALC that ended in the last call. False: none did.
bool job_take_calc(struct job_rank *r, struct job_calc *calc);

// Whether all iterations have ended.
bool job_is_over(const struct job_rank *r);

// The 32 bits by which a rank in another process finds the message: the number of its SEND and the
// last two bits of its iteration.
uint32_t job_message_word(const struct job_message *m);

// Finds the message of rank `from` to rank `to` that has this word. `iteration`: of the message
// before it from the same rank by the same queue pair; 0 at first. As each iteration sends a
// message by each queue pair, the next one has this iteration or the one after it. `posted` is
// TSTAMP_NEVER. False: there is no such message.
bool job_message_of(const struct graph *g, uint32_t from, uint32_t to, uint32_t word,
	uint32_t iteration, struct job_message *m);

// Why a job does not go on. All of these walk the rank's whole graph.

// The first operation, from number `from` on, that has started and not ended; GRAPH_NONE: none.
uint32_t job_pending(const struct job_rank *r, uint32_t from);

// The first operation that has started and not ended and on which `op` depends, directly or by
// others; `op` itself if it has started. `mark` has room for a bit for each operation of the rank,
// in bytes that are 0. GRAPH_NONE: `op` has ended.
uint32_t job_blocker(const struct job_rank *r, uint32_t op, uint8_t *mark);

// The first SEND of this rank to `to` with this tag (or GRAPH_ANY) that has not started;
// GRAPH_NONE: none.
uint32_t job_send_to_come(const struct job_rank *r, uint32_t to, uint32_t tag);

// Walks the messages that no RECV has taken: `*at` is GRAPH_NONE at first. `m` gets from, to, tag,
// op, iteration and bytes. False: there is no other.
bool job_untaken(const struct job_rank *r, uint32_t *at, struct job_message *m);

static inline tstamp job_split_sum(const struct job_split *s)
{
	tstamp sum = 0;

	for (unsigned i = 0; i < JOB_PARTS; i++)
		sum += s->part[i];
	return sum;
}
