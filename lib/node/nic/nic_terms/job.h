// SPDX-License-Identifier: BSD-3-Clause
// The terms of jobs whose ranks run beside NICs: the queue pairs of their messages, and the memory
// by which the sender of a message tells the receiver what it is.
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/rate.h"
#include "job/job.h"

// What held a message back since it was posted, ps, until a frame of it left that may be the last
// to arrive: frames that were sent again and waits for timeouts; pauses; a rate below the way's.
struct nic_causes {
	_Atomic tstamp left, resend, pause, rate;
};

// A message of a job whose frames are on their way. The sender writes it before they leave, and
// the receiver reads it when the message is whole.
struct nic_letter {
	struct job_message m;
	_Atomic uint32_t whys; // causes that it has had
	// The message's number among those of its queue pair, from 1. It is written last, with
	// release, and read first, with acquire.
	_Atomic uint64_t number;
};

// The letters of a queue pair, one for each message that it may have sent and not ended, by number.
// Each has the last `causes` of its causes. In virtual time the sender may be ahead of the
// receiver, and have sent a frame again by then: so the receiver looks for what held when the frame
// left that came. A queue pair that goes back to the first frame that is missing sends the last one
// of a message again once in a round trip; with selective repeat any frame may end a message.
struct nic_mail {
	uint32_t mask; // letters, a power of two, less 1
	uint32_t causes;
	struct nic_causes *why; // [letters * causes]
	struct nic_letter letter[];
};

// For a queue pair with so many messages outstanding; free() gives it back. `repeats`: with
// selective repeat. NULL: no memory.
struct nic_mail *nic_mail_new(unsigned outstanding, bool repeats);

static inline struct nic_causes *nic_mail_causes(
	const struct nic_mail *m, uint64_t number, uint32_t cause)
{
	return &m->why[(number & m->mask) * m->causes + cause % m->causes];
}

// How far a message goes alone: until its last bit leaves the sender; until it arrives; until the
// sender has its last ACK.
enum nic_alone { NIC_ALONE_LEFT, NIC_ALONE_ARRIVED, NIC_ALONE_ACKED, NIC_ALONES };

// The messages of one rank to another one, by one NIC number of the graph.
struct nic_job_way {
	uint32_t from, to; // ranks
	uint8_t nic;
	uint32_t qp; // number of the queue pair; 0: both ranks are on this host, and it has none
	// The other rank is in another process. Its messages are known by their immediate data
	// (job_message_word), and their past is not. `mail` is of this end alone.
	bool apart;
	uint32_t flow;
	rate_t slowest;        // of the links on the way
	struct nic_mail *mail; // outlives both NICs
};

struct nic_job_params {
	uint32_t number;           // in the scene
	const struct graph *graph; // outlives the NIC
	uint32_t iterations;       // from 1 on
	tstamp start, gap;
	const uint32_t *rank; // of this host, rising
	uint32_t n_ranks;
	uint32_t rank_at; // number of rank 0 among those of all jobs, for events
	bool sent;        // a SEND ends with its last bit, else with its last ACK
	// Messages that leave and messages that come, each by from, to and nic. A message between
	// two ranks of this host leaves only.
	const struct nic_job_way *out, *in;
	uint32_t n_out, n_in;
	// The time of a message of a flow that has all links to itself, ps.
	tstamp (*alone)(const void *arg, uint32_t flow, uint64_t bytes, enum nic_alone until);
	const void *alone_arg;
};

// How a job stands at one NIC.
struct nic_job_state {
	uint32_t ranks, over; // of the job, that are here; of these, over
	bool goes_on;         // a rank works or waits for a start, or a message is on its way
	uint64_t lost;        // messages that came and found no room
};
