// SPDX-License-Identifier: BSD-3-Clause
// DCQCN reaction point: one engine whose profiles are sets of named switches (standards.md 4.3,
// 4.4).
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "rp_step.h"
#include "base/rate.h"
#include "base/tstamp.h"

enum rp_alpha_order { RP_CUT_FIRST, RP_ALPHA_FIRST };
// ON_CNP: the paper: a CNP cuts and raises alpha at once, a timer lets alpha decay after K without
// CNP. TIMED: free-running timers from the first CNP (which does not cut); a flag set by CNPs
// decides at each alpha and decrease instant what happens (hpcc_sim_dcqcn, ConnectX).
enum rp_reaction { RP_ON_CNP, RP_TIMED };
// TIMED: what the first CNP does beside starting the timers of alpha and decrease. FLAGS: it counts
// for the next decrease instant (hpcc_sim_dcqcn). SETS: alpha and rates get their initial values,
// but no rate rises by it, and T and BC run from here on (ConnectX).
enum rp_first_cnp { RP_FIRST_FLAGS, RP_FIRST_SETS };

struct dcqcn_rp_params {
	rate_t line_rate;      // the ceiling of Rc and Rt; bit/s
	rate_t initial_rate;   // Rc and Rt at the start, min_rate..line_rate; 0: line_rate
	rate_t min_rate;       // RATE_MIN..line_rate
	rate_t ai_rate;        // R_AI
	rate_t hai_rate;       // R_HAI
	double g;              // gain of alpha, 2^-20..1
	double initial_alpha;  // 0..1
	tstamp alpha_timer_ps; // K, 1 us..1 s
	tstamp rate_timer_ps;  // T; TSTAMP_NEVER: none
	// ON_CNP: CNPs closer than this to the last cut are ignored, 0: none. TIMED: period of the
	// decrease timer
	tstamp cut_interval_ps;
	uint64_t byte_counter; // B, bytes with FCS, up to 2^42; 0: none
	unsigned f;            // F, 1..31
	enum rp_fr_convention fr_convention;
	bool hai_progressive;            // hyper increase adds i * R_HAI, else R_HAI
	enum rp_alpha_order alpha_order; // ON_CNP; TIMED has alpha first
	enum rp_clamp_target clamp_target;
	enum rp_reaction reaction;
	enum rp_first_cnp first_cnp;
	rate_t first_cnp_rate; // SETS: Rc and Rt after the first CNP; 0: line_rate
	unsigned cut_shift;    // a cut takes alpha / 2^cut_shift of Rc, 0..3; 1 in the paper
	unsigned min_dec_fac;  // percent of Rc that a cut leaves at least, 0..100
	// Fraction bits of alpha. 60: what it rose to last, times a power of 1 - g, is rounded down
	// once. 8..32: each step is rounded down, and alpha stays below 1.0
	unsigned alpha_bits;
	rate_t rate_unit; // rates and cuts are whole multiples of it: 1 bit/s..1 Gb/s
	// (Rt + Rc) / 2: each half is rounded down by itself, in bit/s; else the sum is
	bool halves_down;
};

#define DCQCN_RP_COUNTER_BIT \
	20 // of bytes_left in its word: what gcc and clang make of little endian
#define DCQCN_RP_NO_BYTES (((int64_t)1 << 43) - 1) // bytes_left without a byte counter

// Powers of 1 - g come from two tables; alpha is rounded again after DCQCN_RP_TICKS instants
// without a rise.
#define DCQCN_RP_POWERS 128u
#define DCQCN_RP_TICKS  (DCQCN_RP_POWERS * DCQCN_RP_POWERS)

// Compiled; const and shared. The implementation owns its content.
struct dcqcn_rp_cfg {
	struct dcqcn_rp_params p; // for reports
	uint64_t one_minus_g;     // Q0.60
	uint64_t g;               // Q0.60
	uint64_t initial_alpha;   // Q0.60
	int64_t byte_counter;     // B, DCQCN_RP_NO_BYTES: none
	struct rp_stages stages;
	uint64_t alpha_max;  // Q0.60
	uint64_t alpha_mask; // of the fraction bits that alpha has; all set: 60
	rate_t initial_rate, first_cnp_rate;
	tstamp cut_lag;                          // TIMED: of the decrease timer behind alpha's
	uint64_t power[DCQCN_RP_POWERS];         // (1 - g)^n, Q1.63, rounded down
	uint64_t far_power[DCQCN_RP_POWERS + 1]; // (1 - g)^(n DCQCN_RP_POWERS)
};

// 64 bytes. A bit field is narrower than a rate_t in an expression too, so that a sum or a product
// begins with a rate_t.
struct dcqcn_rp {
	const struct dcqcn_rp_cfg *cfg;
	uint64_t rc : 47;       // current rate
	uint64_t fell : 1;      // the last cut lowered it
	uint64_t t_stage : 16;  // T
	uint64_t rt : 48;       // target rate
	uint64_t bc_stage : 16; // BC
	union {
		struct {
			uint64_t started : 1; // the queue pair has begun
			uint64_t active : 1;  // a CNP has been taken
			// bytes sent mean something: a CNP has been taken, or the start was limited
			uint64_t counts : 1;
			uint64_t cnp_alpha : 1; // TIMED: CNP since the last alpha instant
			uint64_t cnp_cut : 1;   // TIMED: CNP since the last decrease instant
			uint64_t increased : 1; // since the last cut
			// instants of alpha's timer since `alpha`, below DCQCN_RP_TICKS
			uint64_t ticks : 14;
			int64_t bytes_left : 44; // of the byte counter
		};
		int64_t counter; // the same: bytes_left above its DCQCN_RP_COUNTER_BIT lowest bits
	};
	uint64_t alpha;  // Q0.60, 1.0 is 2^60; what it was when it rose last, if it has 60 bits
	tstamp alpha_at; // next instants, TSTAMP_NEVER while off
	tstamp rate_at;
	tstamp cut_at; // TIMED: next decrease instant. ON_CNP: end of cut_interval
};

// Defaults of a profile by name ("paper", "hpcc_sim_dcqcn", "connectx") for a line rate; -ENOENT.
int dcqcn_rp_profile(struct dcqcn_rp_params *params, const char *profile, rate_t line_rate);

// Compiles; -EINVAL where a value is out of the range given above.
int dcqcn_rp_cfg_init(struct dcqcn_rp_cfg *cfg, const struct dcqcn_rp_params *params);

// The rest is for the files of this room only: others have it by rp.h.
#pragma GCC visibility push(hidden)

void dcqcn_rp_init(struct dcqcn_rp *rp, const struct dcqcn_rp_cfg *cfg);

bool dcqcn_rp_same(const struct dcqcn_rp_cfg *one, const struct dcqcn_rp_cfg *two); // all values
// Returns whether a reaction point may take over the second configuration in place of the first:
// what gives its state a meaning, or is of its start alone, is the same.
bool dcqcn_rp_may_adopt(const struct dcqcn_rp_cfg *was, const struct dcqcn_rp_cfg *to);

// Takes another configuration over at `now`. Rates, alpha and stages stay, and rates are kept
// within their bounds. A timer or byte counter that runs keeps its begin; it is due at `now` at the
// earliest. Timers due by `now` must have been expired; afterwards some may be due again.
void dcqcn_rp_adopt(struct dcqcn_rp *rp, const struct dcqcn_rp_cfg *cfg, tstamp now);

// The queue pair begins, or goes on. Where initial_rate is below line_rate T and BC run from the
// first time on; alpha waits for the first CNP as ever.
void dcqcn_rp_start(struct dcqcn_rp *rp, tstamp now);

// One due timer event with its nominal instant in *at, in order of time (alpha, then increase, then
// decrease if they coincide); RP_NONE, and *at is left alone, when none is due by `now`. Call until
// RP_NONE. A change of the stages alone is no event: an increase that can raise neither Rt, which
// is line_rate, nor Rc; an alpha that does not change. If `with_alpha` is false, RP_ALPHA does not
// come, and alpha's instants wait until a cut or dcqcn_rp_alpha() needs them; nothing else depends
// on it.
enum rp_event dcqcn_rp_expire(struct dcqcn_rp *rp, tstamp now, tstamp *at, bool with_alpha);

// Brings the state to where calling dcqcn_rp_expire() until RP_NONE would, but reports only cuts:
// RP_DECREASE with its instant in *at, after which this is to be called again, or RP_NONE. Any
// number of increases costs little, unless each step is rounded (rate_unit, halves_down) or adds
// more than the one before (hai_progressive).
enum rp_event dcqcn_rp_catch_up(struct dcqcn_rp *rp, tstamp now, tstamp *at);

// alpha at `at`, Q0.60; `at` must not be before the last call.
uint64_t dcqcn_rp_alpha(const struct dcqcn_rp *rp, tstamp at);

// How often alpha's timer has changed alpha since the last call, up to `now` and no further than a
// cut that is due. Call it before dcqcn_rp_expire() without `with_alpha`, dcqcn_rp_catch_up() and
// dcqcn_rp_cnp(), and after the first two: the sum is then the number of RP_ALPHA with
// `with_alpha`.
uint64_t dcqcn_rp_alpha_moves(struct dcqcn_rp *rp, tstamp now);

// Takes a CNP. Timers that are due by `now` must have been expired, except for alpha's.
enum rp_event dcqcn_rp_cnp(struct dcqcn_rp *rp, tstamp now);

// Next instant at which a timer can change the *rate*; alpha's own timer is left to be caught up
// with, and so are the stages while no increase can change the rate.
tstamp dcqcn_rp_deadline(const struct dcqcn_rp *rp);

#pragma GCC visibility pop

// The part of dcqcn_rp_sent() that is out of line: the byte counter has expired.
enum rp_event dcqcn_rp_byte_counter(struct dcqcn_rp *rp);

// Counts `bytes` (len + FCS) that were sent. Returns at most one event of the byte counter; the
// remainder counts for the next call.
static inline enum rp_event dcqcn_rp_sent(struct dcqcn_rp *rp, uint32_t bytes)
{
	rp->counter -= (int64_t)bytes << DCQCN_RP_COUNTER_BIT;
	return rp->counter >> DCQCN_RP_COUNTER_BIT > 0 ? RP_NONE : dcqcn_rp_byte_counter(rp);
}

// Current rate, bit/s. Equals line_rate until the first CNP, unless initial_rate is less.
static inline rate_t dcqcn_rp_rate(const struct dcqcn_rp *rp)
{
	return rp->rc;
}

// The rest is for the files of this room only.
#pragma GCC visibility push(hidden)

// Instant of the next event that dcqcn_rp_expire returns if nothing else comes before, alpha's too;
// TSTAMP_NEVER: none.
tstamp dcqcn_rp_next(const struct dcqcn_rp *rp);

// Writes the state at `now` into at most RP_STATES_MOST rows; returns the number of rows. Timers
// that are due must have been expired.
unsigned dcqcn_rp_states(const struct dcqcn_rp *rp, struct rp_state *row, tstamp now);

#pragma GCC visibility pop
