// SPDX-License-Identifier: BSD-3-Clause
// DCQCN reaction point in the RDMA IP's registers: fixed point of their widths (standards.md 11,
// 6.12, and 6.1).
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "rp_step.h"
#include "base/rate.h"
#include "base/tstamp.h"

#define RDMA_IP_RP_RATE_MAX   65535u             // a rate has 16 bits
#define RDMA_IP_RP_ALPHA_BITS 10u                // of ALPHA_MEM
#define RDMA_IP_RP_RATE_FRAC  8u                 // fraction bits that the engine keeps of a rate
#define RDMA_IP_RP_BYTES_MAX  ((int64_t)1 << 32) // more than any byte_cnt_th

// When CNPs of one merge period cut (6.1 item 11). IMMEDIATE: the first cuts at once, later ones
// within the period are ignored. PERIOD_END: periods follow each other from the first CNP, and a
// flag is looked at as each ends.
enum rdma_ip_rp_merge { RDMA_IP_RP_IMMEDIATE, RDMA_IP_RP_PERIOD_END };

// Choices that the guide leaves open and that are fixed when the core is built.
struct rdma_ip_rp_core {
	uint64_t clock_hz;   // 1 MHz..2 GHz; the unit of rates is one byte in 1024 cycles
	uint32_t byte_unit;  // bytes of one count of byte_cnt_th, 1..4096
	uint32_t alpha_bits; // 10: as the register, or 18..32: with more fraction bits behind it
	enum rdma_ip_rp_merge merge;
	bool merged_restart; // ignored CNPs start the timers anew all the same
	enum rp_fr_convention fr_convention;
	enum rp_clamp_target clamp_target;
	bool hai_progressive;
};

// Parameters as registers hold them; the names are the guide's without "dcqcn_".
struct rdma_ip_rp_regs {
	uint32_t hw_en;               // 1 bit
	uint32_t nocnp_timer_th;      // us, 16 bits; 0: no timer
	uint32_t byte_cnt_th;         // of byte_unit, 19 bits; 0: no byte counter
	uint32_t alpha_timer_th;      // us, 16 bits; 0: alpha does not decay
	uint32_t rx_cnp_merge_period; // us, 16 bits; 0: each CNP cuts
	uint32_t max_rate, min_rate;  // 16 bits; min_rate from 1
	uint32_t rate_ai, rate_hai;   // 16 bits
	uint32_t upd_alpha_g;         // of 1024, 10 bits
	uint32_t alpha_rate_shift;    // 4 bits
	uint32_t phase_threshold;     // F, 5 bits
	uint32_t min_dec_fac;         // percent of RC that a cut leaves at least, 7 bits
};

// Compiled from both; the implementation owns its content.
struct rdma_ip_rp_cfg {
	struct rdma_ip_rp_core core;
	struct rdma_ip_rp_regs r;
	tstamp rate_timer_ps, alpha_timer_ps; // TSTAMP_NEVER: none
	tstamp merge_ps;
	int64_t byte_counter; // bytes; INT64_MAX: none
	uint32_t max, min;    // Q16.8
	uint32_t alpha_max, alpha_g;
	uint32_t cut_mask; // of a cut's bits: whole units, or all
	struct rp_stages stages;
};

struct rdma_ip_rp {
	const struct rdma_ip_rp_cfg *cfg;
	uint32_t rc;        // current rate, Q16.8
	uint32_t rt;        // target rate, Q16.8
	uint32_t alpha;     // Q0.alpha_bits
	uint16_t bc_stage;  // BC
	uint16_t t_stage;   // T
	int64_t bytes_left; // of the byte counter; above RDMA_IP_RP_BYTES_MAX: it rests
	tstamp alpha_at;    // next instants, TSTAMP_NEVER while off
	tstamp rate_at;
	// IMMEDIATE: end of the period, PERIOD_END: of the running one, 0: none runs
	tstamp merge_at;
	bool cnp_cut;   // PERIOD_END: CNP in the running period
	bool increased; // since the last cut
};

// Rate as a register has it, to nearest; may be above RDMA_IP_RP_RATE_MAX. Back: bit/s, to nearest.
uint64_t rdma_ip_rp_units(rate_t rate, uint64_t clock_hz);
rate_t rdma_ip_rp_bps(uint32_t units, uint64_t clock_hz);

// Current rate in whole units.
static inline uint32_t rdma_ip_rp_rate(const struct rdma_ip_rp *rp)
{
	return rp->rc >> RDMA_IP_RP_RATE_FRAC;
}

// The rest is for the files of this room only.
#pragma GCC visibility push(hidden)

rate_t rdma_ip_rp_bps_q8(uint32_t rate, uint64_t clock_hz); // of a rate in Q16.8

// Next instant at which a timer can change the rate; alpha's own is left to be caught up with.
tstamp rdma_ip_rp_deadline(const struct rdma_ip_rp *rp);

// Compiles; -EINVAL where the core or a width is out of range.
int rdma_ip_rp_cfg_init(struct rdma_ip_rp_cfg *cfg, const struct rdma_ip_rp_core *core,
	const struct rdma_ip_rp_regs *r);

// Starts at max_rate with alpha at its maximum; no timer runs.
void rdma_ip_rp_init(struct rdma_ip_rp *rp, const struct rdma_ip_rp_cfg *cfg);

// Takes over a changed cfg; `old` is the one before. Running timers keep the instants at which they
// began, and rates stay within their bounds. Expire the timers that are due by `now` before the
// change. Afterwards some may be due again.
void rdma_ip_rp_reload(struct rdma_ip_rp *rp, const struct rdma_ip_rp_cfg *old, tstamp now);

// Software writes the rates, Q16.8: kept within bounds; a target below the current rate is that
// rate (6.1 item 6).
void rdma_ip_rp_set_rate(struct rdma_ip_rp *rp, uint32_t rc, uint32_t rt);

// nocnp_timer_start: starts the timer of a rate below max_rate unless it runs (standards.md 11,
// 6.12.4 step 3).
void rdma_ip_rp_start_timer(struct rdma_ip_rp *rp, tstamp now);

// Like dcqcn_rp_expire(): one due timer event with its nominal instant in *at, in order of time
// (alpha, increase, decrease if they coincide); RP_NONE, and *at is left alone, when none is due.
// An alpha that does not change is no event.
enum rp_event rdma_ip_rp_expire(struct rdma_ip_rp *rp, tstamp now, tstamp *at);

// Takes a CNP. Timers that are due by `now` must have been expired. RP_CNP: the CNP was merged with
// an earlier one, or flagged, or is not for this engine.
enum rp_event rdma_ip_rp_cnp(struct rdma_ip_rp *rp, tstamp now);

// The byte counter has run out: the rest of rdma_ip_rp_sent.
enum rp_event rdma_ip_rp_byte_counter(struct rdma_ip_rp *rp);

// Counts `bytes` (len + FCS) that were sent. Returns at most one event; the remainder counts for
// the next call.
static inline enum rp_event rdma_ip_rp_sent(struct rdma_ip_rp *rp, uint32_t bytes)
{
	rp->bytes_left -= bytes;
	return rp->bytes_left > 0 ? RP_NONE : rdma_ip_rp_byte_counter(rp);
}

// Writes the state at `now` into rows; returns how many.
unsigned rdma_ip_rp_states(const struct rdma_ip_rp *rp, struct rp_state *row, tstamp now);

// Bytes that the byte counter holds; software may write them. At rest it holds 0.
int64_t rdma_ip_rp_bytes(const struct rdma_ip_rp *rp);
void rdma_ip_rp_set_bytes(struct rdma_ip_rp *rp, int64_t bytes);

// Instant of the next event that rdma_ip_rp_expire returns if nothing else comes before, alpha's
// too; TSTAMP_NEVER: none.
tstamp rdma_ip_rp_next(const struct rdma_ip_rp *rp);

#pragma GCC visibility pop
