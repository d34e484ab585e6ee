// SPDX-License-Identifier: BSD-3-Clause
// Jobs of a NIC from inside, for the files of this room.
#pragma once

#include "base/wheel.h"
#include "work.h"

#pragma GCC visibility push(hidden)

#define NOBODY NIC_FIFO_NOBODY

// The time that a queue pair has lost since the start, by causes, ps; and the bits * ps that its
// rate has allowed.
struct work_sums {
	tstamp resent, waited, shut;
	unsigned __int128 allowed;
};

// A message that waits in a FIFO.
struct work_send {
	struct job_message m;
	struct work_sums since; // of its queue pair, when it was posted
	uint32_t way;           // in nic_work.out
};

// What held a message back, ps.
struct work_causes {
	tstamp resend, pause, rate;
};

// A message that was posted and not ended.
struct work_sent {
	struct work_send s;
	struct work_causes why; // until its last frame left
	uint32_t psn, packets;
	tstamp left; // its last bit has left then
};

// The time alone of the last message, for the next one, which mostly has as many bytes.
struct work_alone {
	uint64_t bytes;
	tstamp ps;
	bool known;
};

// A way by which messages leave.
struct work_out {
	struct work_job *job;
	uint32_t from; // in nic_work.rank
	uint32_t to;   // rank
	uint32_t here; // where the other rank is on this host: in nic_work.rank; else NOBODY
	uint32_t qp;   // index of the queue pair; NOBODY: none
	uint32_t flow;
	uint8_t nic;
	bool failed;
	bool apart; // the other rank is in another process
	struct nic_mail *mail;
	struct work_sent *sent; // by number, modulo mask + 1
	uint32_t mask;
	// Messages posted; of these: whose last frame has left, and (job.sent) whose rank knows it;
	// that have their last ACK; of which the rank knows that.
	uint64_t posted, left, told, acked, ended;
	rate_t slowest;
	byte_ps slowest_ps;
	tstamp waited_to;      // the end of the last wait for a timeout
	struct work_sums sums; // `allowed`: until `since`
	rate_t rate;           // since then
	tstamp since;
	struct work_alone alone;
};

// A way by which messages come.
struct work_in {
	struct work_job *job;
	uint32_t to; // in nic_work.rank
	uint32_t flow;
	struct nic_mail *mail;
	uint64_t came, taken; // messages; of these, that the rank knows of
	bool apart;           // the other rank is in another process
	uint32_t from;        // that rank
	uint32_t iteration;   // of the last message, where `apart`
	tstamp *born;         // by number, modulo the letters: the frame that ended it left then
	struct work_alone alone;
};

// A rank of the host.
struct work_rank {
	struct job_rank *r;
	struct work_job *job;
	uint32_t number;       // in its job
	uint32_t first, n_out; // its ways in nic_work.out
	bool started;
};

struct work_job {
	struct nic_job_params p; // without the arrays
	uint32_t first, n_ranks; // in nic_work.rank
	uint32_t first_out, n_out;
	uint64_t lost;
};

// A FIFO of numbers, with room for all that there can be.
struct work_ring {
	uint32_t *of;
	uint32_t mask, head, tail;
};

#define WORK_IN (1u << 31) // in nic_work.news: a way by which messages come

struct nic_work {
	struct nic_fifos *fifos;
	struct ev_ring *events;
	struct work_job **job;
	unsigned n_jobs;
	struct work_rank *rank;
	struct work_out *out;
	struct work_in *in;
	uint32_t n_ranks, n_out, n_in;
	uint64_t letters;         // of all ways
	struct work_send *send;   // by place of the FIFOs
	struct wheel timers;      // ranks, and `leaving` behind them
	struct work_ring news;    // ways whose next message has come, or is done
	struct work_ring leaving; // ways whose next message leaves
	struct nic_fifo near;     // messages of two ranks on this host
	uint32_t runs;            // the rank that has acted; NOBODY: none
	uint32_t put;             // the place of the last message that joined a FIFO
	bool meets;               // `met` has arrived, and its SEND has not ended
	struct work_send met;
};

void work_ring_put(struct work_ring *r, uint32_t number);
uint32_t work_ring_take(struct work_ring *r);
static inline bool work_ring_has(const struct work_ring *r)
{
	return r->head != r->tail;
}

// rank.c
void work_rank_arrived(struct nic_work *w, uint32_t to, const struct job_message *m,
	const struct job_split *took, tstamp now);
void work_rank_sent(struct nic_work *w, uint32_t from, const struct job_message *m,
	const struct job_split *took, tstamp now);
// The next message of two ranks on this host: it arrives, and in the next call its SEND ends.
void work_rank_meet(struct nic_work *w, tstamp now);
void work_rank_due(struct nic_work *w, uint32_t rank, tstamp now);

// message.c
void work_message_news(struct nic_work *w, tstamp now);
void work_message_leaving(struct nic_work *w, tstamp now);
// Of a queue pair, at `now`; `shut` is that of the message before.
struct work_sums work_message_sums(const struct work_out *o, tstamp now);

#pragma GCC visibility pop
