// SPDX-License-Identifier: BSD-3-Clause
// The inside of a rank, for the files of this room.
#pragma once

#include "job.h"

#pragma GCC visibility push(hidden)

enum job_phase { JOB_WAITS, JOB_RUNS, JOB_ENDED };

struct job_list {
	uint32_t first, last; // linked by job_rank.link; GRAPH_NONE: empty
};

// RECVs that have started, and messages that no RECV has taken, of the sources and tags that one
// hash has.
struct job_bucket {
	struct job_list posted;
	uint32_t arrived, arrived_last; // numbers of entries
};

// A message that no RECV has taken.
struct job_entry {
	uint64_t bytes;
	uint32_t from, tag, op, iteration;
	uint32_t next;         // of the bucket; of the free entries
	uint32_t before, then; // in order of arrival
};

struct job_match {
	struct job_bucket *bucket; // [mask + 1]
	uint32_t mask;
	struct job_list any; // RECVs of any source or tag that have started
	uint32_t *order;     // [n_ops] when a RECV started; NULL: the rank has no RECV of any
	uint32_t n_posted;
	struct job_entry *entry; // [room]
	uint32_t room, used, free;
	uint32_t oldest, newest;
};

struct job_cpu {
	uint32_t runs; // its CALC; GRAPH_NONE: it is idle
	struct job_list waits;
	tstamp end;             // of the CALC that runs
	struct job_split split; // at its end
};

struct job_rank {
	struct job_params p;
	const struct graph_op *op;
	const struct graph_edge *edge;
	uint32_t n_ops, n_cpus;
	// [n_ops] An operation that waits: the edges that are missing. One that has started: the
	// next of the list in which it is.
	uint32_t *link;
	uint8_t *phase; // [n_ops] enum job_phase
	struct job_cpu *cpu;
	struct job_match match;
	struct job_list ready;  // operations that start in this cascade
	struct job_list sends;  // SENDs that have started and have not been taken
	tstamp now;             // of the last call
	struct job_split split; // of the chain that ends with the operation that began the cascade
	tstamp next;            // the earliest end of a CALC, or the start of the next iteration
	uint32_t n_ended;       // operations of this iteration
	uint32_t n_iterations;  // that have ended
	bool only_sends;        // it has neither RECVs nor CALCs
	bool has_step;          // `step` has not been taken
	bool between;           // iterations: the next one starts at `next`
	struct job_step step;   // of the current iteration
	struct job_calc calc;   // that ended in this call; its `op` is GRAPH_NONE: none did
};

void job_list_add(struct job_rank *r, struct job_list *l, uint32_t op);
uint32_t job_list_take(struct job_rank *r, struct job_list *l);
// Takes `op` out, which follows `before` (GRAPH_NONE: it is the first).
void job_list_cut(struct job_rank *r, struct job_list *l, uint32_t before, uint32_t op);

// wait.c
enum job_phase job_phase_of(const struct job_rank *r, uint32_t op);

// match.c
int job_match_init(struct job_rank *r, uint32_t n_recvs, uint32_t n_any, uint64_t incoming);
void job_match_fini(struct job_match *m);
// A RECV starts. True: its message is there already, and is taken.
bool job_match_recv(struct job_rank *r, uint32_t op);
// A message is there. Returns the RECV that takes it, which is no longer in a list; GRAPH_NONE: no
// such RECV has started.
uint32_t job_match_message(struct job_rank *r, const struct job_message *m);
// Keeps a message for a RECV that starts later. False: there is no room.
bool job_match_keep(struct job_rank *r, const struct job_message *m);

#pragma GCC visibility pop
