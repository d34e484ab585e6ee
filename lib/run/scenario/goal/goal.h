// SPDX-License-Identifier: BSD-3-Clause
// The graph of a job, as it is built: by a reader of GOAL text or by a generator. GOAL is the text
// form of LogGOPSim and ATLAHS.
//
// The arrays of a graph (job/graph.h) are files that are mapped into memory. They have no names, so
// nothing is left of them when the process ends. goal_forget() gives the memory of their pages
// back, and the kernel reads pages that are used again. So a job of many operations takes the
// memory of its pending operations.
#pragma once

#include <stdint.h>
#include <stdio.h>

#include "conf/conf.h"
#include "job/job.h"

// An array in a file without a name.
struct goal_spill {
	void *at;
	uint64_t bytes, room;
	int fd; // -1: there is none yet
};

struct goal {
	struct graph graph; // complete after goal_end()
	char *folder;
	struct err *err;
	struct goal_spill ops, edges, names;
	struct graph_rank *rank; // [graph.n_ranks]
	bool *done;              // [graph.n_ranks] it has had its operations
	uint32_t now;            // the rank whose operations come; GRAPH_NONE: none
};

// An operation to be added. Values are as in struct graph_op.
struct goal_op {
	enum graph_kind kind;
	uint64_t amount;
	uint32_t peer, tag;
	uint16_t cpu;
	uint8_t nic;
	const char *label; // NULL: none
};

// A graph of 1..GRAPH_RANKS ranks, without operations, in files of `folder`. All calls that fail
// write a line into *err, which stays where it is until goal_fini. 0, -EINVAL or -ENOMEM.
int goal_init(struct goal *g, uint32_t n_ranks, const char *folder, struct err *err);
void goal_fini(struct goal *g);

// The operations that follow belong to this rank. A rank has one such call at most. -EINVAL: there
// is no such rank; -EEXIST: it has had its call.
int goal_rank(struct goal *g, uint32_t rank);

// Adds an operation and writes its number to *number (NULL: nobody asks). -EINVAL: a value is out
// of range, a SEND goes to its own rank or to no rank; -ENOSPC: the disk is full; -ENOMEM.
int goal_op(struct goal *g, const struct goal_op *op, uint32_t *number);

// `to` waits for the end of `from`, or for its start. Both are numbers of operations of this rank.
// -EINVAL: `to` is not above `from`; else as goal_op().
int goal_edge(struct goal *g, uint32_t from, uint32_t to, bool at_start);

// Completes the graph.
void goal_end(struct goal *g);

// Gives back the memory of all pages. The graph stays as it is.
void goal_forget(const struct goal *g);

// Reads GOAL text, in one pass: goal_init() to goal_end(). -errno with "file:line: ..." in *err;
// goal_fini() in any case.
int goal_read(struct goal *g, const char *path, const char *folder, struct err *err);

// Prints a graph as GOAL text. Operations without a label get one, o and their number, where others
// wait for them. Times are whole ns, rounded up. False: it could not be written.
bool goal_print(const struct graph *g, FILE *to);

#define GOAL_UNTAKEN 10 // messages that goal_stuck() names

// Prints why a job does not go on, when nothing happens in the network any more: from the first
// rank that is not over, which operation waits for which message, and so on until the chain ends or
// closes. Then the messages that no recv has taken. `rank` has all ranks of the graph; NULL:
// another process runs it. -ENOMEM.
int goal_stuck(const struct graph *g, struct job_rank *const *rank, FILE *to);
