// SPDX-License-Identifier: BSD-3-Clause
// The work of a NIC's queue pairs: messages that wait (fifo.h), and the jobs of its host.
//
// The ranks of a job run beside the NIC. The NIC says what happens to their messages: one was
// posted, its last frame left, it is done, one came whole. These calls only note it. The ranks go
// on in nic_work_step(), which the NIC calls with its timers. nic_work_next() gives the queue pairs
// that have got messages. So no rank acts while the NIC handles a frame.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "contract/contract.h"
#include "fifo.h"
#include "nic_terms/nic_terms.h"

#define NIC_WORK_JOB (1u << 31) // nic_fifo.of: a way of a job, behind this bit

struct nic_work;

// Adds a job. `qp` has the indices of the queue pairs of p->out and then of p->in;
// NIC_FIFO_NOBODY: it has none. *work is made with the first job. All FIFOs of the NIC are there.
// -EINVAL: a rank or a way is none of the graph's; -ENOMEM.
int nic_work_add(struct nic_work **work, const struct nic_job_params *p, const uint32_t *qp,
	struct nic_fifos *fifos, struct ev_ring *events);
void nic_work_fini(struct nic_work *w);

// When it has something to do; TSTAMP_NEVER: nothing.
tstamp nic_work_at(const struct nic_work *w);
// Does one thing that is due. nic_work_next() must be called until it returns NIC_FIFO_NOBODY.
void nic_work_step(struct nic_work *w, tstamp now);
// Returns the index of a queue pair that has got a message; NIC_FIFO_NOBODY: all is done.
uint32_t nic_work_next(struct nic_work *w, tstamp now);
// Of the message that nic_work_next() has just put into a FIFO: for how many ps its class has been
// shut, until now.
void nic_work_shut(struct nic_work *w, tstamp shut);

// The rest is about the way `of` (nic_fifo.of).

// Whether the sender may post one more message.
bool nic_work_may_post(const struct nic_work *w, uint32_t of);
// The message that was in this place of the FIFOs is posted: these PSNs.
void nic_work_posted(
	struct nic_work *w, uint32_t of, uint32_t place, uint32_t psn, uint32_t packets);
// A frame leaves that is the last of a message, or is sent again. `psn`: of the frame; `wire`: its
// bytes on the wire; `shut`: as in nic_work_shut(); `free`: when its last bit has left.
struct nic_work_frame {
	uint32_t psn, wire;
	bool last, again;
	bool ends; // its arrival may end the message
	tstamp shut, free;
};
void nic_work_left(struct nic_work *w, uint32_t of, const struct nic_work_frame *f, tstamp now);
// The sender has waited for a timeout since `from`, without the pauses.
void nic_work_timeout(struct nic_work *w, uint32_t of, tstamp from, tstamp paused, tstamp now);
// From `at` on the sender has this rate; 0: that of its way.
void nic_work_rate(struct nic_work *w, uint32_t of, rate_t rate, tstamp at);
// The oldest message of the sender that was posted and not done is done.
void nic_work_done(struct nic_work *w, uint32_t of);
// The queue pair has failed: its messages never come.
void nic_work_failed(struct nic_work *w, uint32_t of);
// At the receiver: the next message has come whole with a frame that left at `born`. `word`: its
// immediate data.
void nic_work_came(struct nic_work *w, uint32_t of, uint32_t word, tstamp born);
// The immediate data of a message, where the receiver is in another process. `number`: among those
// that the queue pair has posted, from 0, modulo 2^32.
uint32_t nic_work_word(const struct nic_work *w, uint32_t of, uint32_t number);

// How job `number` of the scene stands; zeros: the NIC has none of it.
struct nic_job_state nic_work_state(const struct nic_work *w, uint32_t number);
// A rank of it; NULL: it is not here.
struct job_rank *nic_work_rank(const struct nic_work *w, uint32_t number, uint32_t rank);
