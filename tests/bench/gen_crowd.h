// SPDX-License-Identifier: BSD-3-Clause
// Two NICs for benchmarks: one with as many requesters as are asked for, all of which want to send,
// and one with their responders. Or the first alone, whose frames are acknowledged by nobody's NIC.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "nic/nic.h"

#define CROWD_BURST 64 // frames of a turn at most, as a loop of real time has them

struct crowd_params {
	unsigned qps;
	unsigned octets; // of a frame without FCS: 64, 1082 or 4178
	rate_t rate;     // of the link
	rate_t limit;    // of each queue pair, bit/s; 0: none
	unsigned cuts;   // CNPs that each had before its first frame; 0: no reaction point
	bool responders; // the second NIC is there, too
	bool check_icrc; // by the second NIC
	bool drawn;      // they take turns in no order; else in that of their numbers
	tstamp turn_ps;  // from one turn to the next; 0: the wire time of 32 frames
	// By number, of which all frames have 1 and the second NIC compares it; NULL: it does not
	const struct payload *payload;
	tstamp tolerance_ps;
};

struct crowd {
	struct nic *from, *to; // to: NULL where there are no responders
	struct pkt_stack *stack;
	struct ev ev;
	struct ev_ring events;
	struct hdr *hdr; // of each queue pair's frames
	struct hdr answer;
	struct rc_cfg rc;
	struct rp_cfg rp;
	struct crowd_params p;
	tstamp now;
	uint64_t frames, turns;
};

// 0, or what the NIC refused with: -ENOMEM, -ENOSPC, -EINVAL. `stack` outlives the crowd.
int crowd_init(struct crowd *c, const struct crowd_params *params, struct pkt_stack *stack);
void crowd_fini(struct crowd *c);
// The next turn: time moves on by turn_ps, or to the first instant at which there is a frame. Gives
// the frames of that turn, at least one; 0 where nobody will ever send again.
unsigned crowd_turn(struct crowd *c, struct pkt **burst);
// An ACK for every 16th frame of a queue pair among those of a turn, given to the sender at once.
// Which one that is differs by queue pair, since all of them have sent as many frames.
void crowd_acknowledge(struct crowd *c, struct pkt *const *burst, unsigned n);
// Gives the frames that the second NIC has to send to the first NIC.
void crowd_return(struct crowd *c);
// The rate of the first queue pair, bit/s.
rate_t crowd_rate(const struct crowd *c);
// Frames that were sent again, of all queue pairs: a benchmark wants none.
uint64_t crowd_repeated(const struct crowd *c);

// A stack of `n` free descriptors with `room` bytes each for a private header and a frame; false
// where there is no memory.
bool crowd_stack(struct pkt_stack *s, unsigned n, unsigned room);
// Whether frames of so many octets are IPv6's.
bool crowd_is_v6(unsigned octets);
// Processor time of the calling thread, ns.
double crowd_cpu_ns(void);
