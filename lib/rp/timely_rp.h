// SPDX-License-Identifier: BSD-3-Clause
// TIMELY reaction point: a rate that follows the gradient of the RTT, by the paper; or as the
// reference simulator has it (docs/algo/timely.md).
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "rp_step.h"
#include "base/rate.h"
#include "base/tstamp.h"

// Names of the paper.
struct timely_rp_params {
	bool simulator;    // the reference simulator's rules, with doubles; else the paper's
	rate_t line_rate;  // bit/s; the rate at the start, and the ceiling
	rate_t min_rate;   // RATE_MIN..line_rate
	rate_t delta;      // additive increase
	unsigned n;        // hyper increase adds n delta, 1..1000
	double alpha;      // weight of the newest difference of RTTs, 0..1
	double beta;       // of a decrease, 0..1
	tstamp t_low_ps;   // below it the rate rises whatever the gradient, 0..t_high
	tstamp t_high_ps;  // above it the rate falls whatever the gradient, 1 us..1 s
	tstamp min_rtt_ps; // divisor of differences, 1 us..1 s
	uint32_t segment;  // paper: bytes of payload acknowledged between two decisions, 1..2^30
};

// Compiled; const and shared. The implementation owns its content.
struct timely_rp_cfg {
	struct timely_rp_params p; // for reports
	uint64_t alpha;            // Q0.60
	uint64_t beta;             // Q0.60
	uint64_t beta_per_ps;      // beta / min_rtt, Q-16.80
};

struct timely_rp {
	const struct timely_rp_cfg *cfg;
	rate_t rate;
	uint64_t last;     // acknowledged at the last decision; simulator: sent
	uint64_t last_rtt; // ps; simulator: ns
	union {
		int64_t q16; // ps, Q47.16
		double ieee; // ns; simulator
	} diff;              // smoothed difference of RTTs
	uint32_t stage; // decisions in a row whose gradient was not above 0; simulator: increases
	bool started;   // there is a last RTT
	bool fell;      // the last decrease lowered the rate
};

// Defaults for a line rate.
void timely_rp_defaults(struct timely_rp_params *params, rate_t line_rate, bool simulator);

// Compiles; -EINVAL where a value is out of the range given above.
int timely_rp_cfg_init(struct timely_rp_cfg *cfg, const struct timely_rp_params *params);

// Functions for rp.c, and nobody outside this room.
#pragma GCC visibility push(hidden)

void timely_rp_init(struct timely_rp *rp, const struct timely_rp_cfg *cfg);

bool timely_rp_same(const struct timely_rp_cfg *one, const struct timely_rp_cfg *two); // all values
// Like dcqcn_rp_may_adopt() and dcqcn_rp_adopt(); there are no timers.
bool timely_rp_may_adopt(const struct timely_rp_cfg *was, const struct timely_rp_cfg *to);
void timely_rp_adopt(struct timely_rp *rp, const struct timely_rp_cfg *cfg);

// RP_NONE: no decision was due, or the rate stays at line_rate.
enum rp_event timely_rp_ack(struct timely_rp *rp, const struct rp_ack *ack);

// Pacing, bit/s; there is no window.
static inline rate_t timely_rp_rate(const struct timely_rp *rp)
{
	return rp->rate;
}

// Writes the variables of the reaction point, for rp_states(); returns how many there are.
unsigned timely_rp_states(const struct timely_rp *rp, struct rp_state *row);

#pragma GCC visibility pop
