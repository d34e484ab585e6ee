// SPDX-License-Identifier: BSD-3-Clause
// QCN reaction point: the rate limiter of one flow, from its first CNM until it is at line rate
// again.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "rp_step.h"
#include "base/prng.h"
#include "base/rate.h"
#include "base/tstamp.h"

// Where fast recovery ends. P: stage counted first, FR while <= threshold. N: counted first, FR
// while < threshold. X: evaluated with the old stage, counted afterwards.
enum qcn_rp_convention { QCN_RP_P, QCN_RP_N, QCN_RP_X };
// When a counter's period becomes half as long. ACTIVE: once its own stage has reached the
// threshold. HYPER: once both stages have.
enum qcn_rp_half { QCN_RP_HALF_ACTIVE, QCN_RP_HALF_HYPER };
// Which stages show that the rate was increased since the last CNM, so that the target moves.
enum qcn_rp_target { QCN_RP_BYTE, QCN_RP_BYTE_OR_TIME };

// Names of the CN-MIB (standards.md 1.6).
struct qcn_rp_params {
	rate_t max_rate; // rpgMaxRate: line rate; bit/s
	// at the start, with a rate limiter: min_rate..max_rate; 0: max_rate, without
	rate_t initial_rate;
	rate_t min_rate;      // rpgMinRate, RATE_MIN..max_rate
	rate_t ai_rate;       // rpgAiRate
	rate_t hai_rate;      // rpgHaiRate
	tstamp time_reset_ps; // rpgTimeReset, 1 us..10 s
	uint64_t byte_reset;  // rpgByteReset, 64..2^32-1 bytes with FCS
	unsigned threshold;   // rpgThreshold, 1..31 cycles
	unsigned gd;          // rpgGd, 0..16: Gd = 2^-gd
	unsigned min_dec_fac; // rpgMinDecFac, 1..100 percent: the least factor of one reduction
	unsigned randomise_percent; // of a cycle's length, up and down, 0..99
	enum qcn_rp_convention fr_convention;
	enum qcn_rp_half half_from;
	enum qcn_rp_target target_test;
	tstamp hai_after_ps;       // no hyper-active increase sooner after a CNM, 0..10 s ...
	uint64_t hai_after_octets; // ... nor before that many bytes were sent, 0..2^32-1
	// rpppMaxRps: of a port and priority, 1..100; 0: no limit; the owner's business
	unsigned max_rps;
};

// Compiled; const and shared. The implementation owns its content.
struct qcn_rp_cfg {
	struct qcn_rp_params p; // for reports
	rate_t initial_rate;
	struct {
		uint64_t least; // a cycle lasts least .. least + span - 1
		uint64_t span;
	} byte[2], time[2]; // full, half
	uint32_t ai_from;   // active increase from max(byte_stage, time_stage) on
	uint32_t hai_from;  // hyper-active increase from min(byte_stage, time_stage) on
	uint32_t hai_base;  // i = min(byte_stage, time_stage) - hai_base
	bool count_first;   // stage counted before it is evaluated
};

struct qcn_rp {
	const struct qcn_rp_cfg *cfg;
	struct prng *rng;
	rate_t rc;          // rpCurrentRate
	rate_t rt;          // rpTargetRate
	int64_t bytes_left; // rpByteCount; INT64_MAX while there is no rate limiter
	int64_t loaded;     // bytes sent since the last CNM + bytes_left
	tstamp time_at;     // end of the timer's cycle, TSTAMP_NEVER while there is no rate limiter
	tstamp cut_at;      // of the last CNM
	tstamp at;          // nominal instant of the event returned last
	uint16_t byte_stage; // rpByteStage
	uint16_t time_stage; // rpTimeStage
	bool active;         // the rate limiter exists
	bool fell;           // the last reduction lowered rc
	tstamp since;        // of its creation
	uint64_t created;    // ieee8021CnRpPortPriCreatedRps
	tstamp active_ps;    // ieee8021CnRpPortPriCentiseconds, of limiters that are gone
};

// Compiles; -EINVAL where a value is out of the range given above.
int qcn_rp_cfg_init(struct qcn_rp_cfg *cfg, const struct qcn_rp_params *params);

// The rest is for the files of this room only: others have it by rp.h.
#pragma GCC visibility push(hidden)

// Initialises the reaction point. `rng` belongs to the owner, serves this reaction point alone, and
// must outlive it.
void qcn_rp_init(struct qcn_rp *rp, const struct qcn_rp_cfg *cfg, struct prng *rng);

bool qcn_rp_same(const struct qcn_rp_cfg *one, const struct qcn_rp_cfg *two); // all values
// Like dcqcn_rp_may_adopt() and dcqcn_rp_adopt(). The lengths of cycles are drawn, so what is left
// of a running cycle stays, but is at most the longest whole one.
bool qcn_rp_may_adopt(const struct qcn_rp_cfg *was, const struct qcn_rp_cfg *to);
void qcn_rp_adopt(struct qcn_rp *rp, const struct qcn_rp_cfg *cfg, tstamp now);

// A queue pair begins, or goes on: where initial_rate is below max_rate the first makes the rate
// limiter.
void qcn_rp_start(struct qcn_rp *rp, tstamp now);

// One due timer event with its nominal instant in rp->at; RP_NONE when none is due by `now`.
// Call until RP_NONE. An increase may release the limiter: then rp->active is false.
enum rp_event qcn_rp_expire(struct qcn_rp *rp, tstamp now);

// Takes a CNM with QntzFb; 0 changes nothing. Timers that are due by `now` must have been expired.
enum rp_event qcn_rp_cnm(struct qcn_rp *rp, unsigned qntzfb, tstamp now);

// The byte counter has run out: the rest of qcn_rp_sent.
enum rp_event qcn_rp_byte_counter(struct qcn_rp *rp, tstamp now);

// Counts `bytes` (len + FCS) that were sent. Returns at most one event of the byte counter. Timers
// that are due by `now` must have been expired.
static inline enum rp_event qcn_rp_sent(struct qcn_rp *rp, uint32_t bytes, tstamp now)
{
	rp->bytes_left -= bytes;
	return rp->bytes_left >= 0 ? RP_NONE : qcn_rp_byte_counter(rp, now);
}

#pragma GCC visibility pop

// Next instant at which the timer changes stage or rate; TSTAMP_NEVER while there is no limiter.
static inline tstamp qcn_rp_deadline(const struct qcn_rp *rp)
{
	return rp->time_at;
}

// Current rate, bit/s. Equals max_rate while there is no limiter, initial_rate before the start.
static inline rate_t qcn_rp_rate(const struct qcn_rp *rp)
{
	return rp->rc;
}

// The rest is for the files of this room only.
#pragma GCC visibility push(hidden)

// Writes its state into RP_STATES_MOST rows at most; returns how many.
unsigned qcn_rp_states(const struct qcn_rp *rp, struct rp_state *row);

#pragma GCC visibility pop
