// SPDX-License-Identifier: BSD-3-Clause
// Common to reaction points: the names of their events and switches, the contents of an ACK, the
// stages of increase and what each adds, the order of their timers, and how they show their state.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/rate.h"
#include "base/tstamp.h"

// Where fast recovery ends. P: stage counted first, FR while <= F. N: counted first, FR while < F.
// X: evaluated with the old stage, counted afterwards.
enum rp_fr_convention { RP_FR_P, RP_FR_N, RP_FR_X };

// When a cut lowers Rt to Rc: always; if Rc rose since the last cut; never; if the byte counter
// raised it.
enum rp_clamp_target {
	RP_CLAMP_ALWAYS,
	RP_CLAMP_AFTER_INCREASE,
	RP_CLAMP_NEVER,
	RP_CLAMP_AFTER_BYTES,
};

enum rp_event {
	RP_NONE,
	RP_CNP,   // CNP taken, nothing changed (TIMED; or ignored within cut_interval)
	RP_START, // TIMED: first CNP, timers started
	RP_DECREASE,
	RP_BC_FAST_RECOVERY, // of the byte counter; T: of the timer, ACK: of an ACK
	RP_BC_ADDITIVE_INCREASE,
	RP_BC_HYPER_INCREASE,
	RP_T_FAST_RECOVERY,
	RP_T_ADDITIVE_INCREASE,
	RP_T_HYPER_INCREASE,
	RP_ALPHA,   // alpha updated, by its timer or by an ACK
	RP_WRITTEN, // software wrote the rate (RDMA IP, a plug-in)
	RP_ACK_ADDITIVE_INCREASE,
	RP_ACK_HYPER_INCREASE,
	RP_EVENTS,
};

// "decrease", "t_additive_increase", ...; "?" for a number that is no event.
const char *rp_event_name(enum rp_event e);

// The report of one switch on the path; no frame carries it yet.
struct rp_hop {
	uint64_t queue_bytes; // waiting behind the frame
	uint64_t sent_bytes;  // by the port, since its start
	tstamp at;            // when the frame left
	rate_t rate;          // of the port
};

// An ACK that acknowledges something new, or says something of CE.
struct rp_ack {
	uint64_t bytes; // of payload, newly acknowledged
	uint64_t acked; // the same, since the queue pair began
	uint64_t sent;  // next byte to send, counted likewise
	// Time from the first bit of the frame that asked for the ACK to the ACK's arrival;
	// TSTAMP_NEVER: not known, or the frame was sent again.
	tstamp rtt;
	bool ce;                  // the acknowledged frame had CE
	const struct rp_hop *hop; // NULL: none
	unsigned n_hops;
};

// The increase that an expiry of T or BC leads to, as a distance from fast recovery's event.
enum rp_phase { RP_FAST_RECOVERY, RP_ADDITIVE_INCREASE, RP_HYPER_INCREASE };

// Stages, and the rates that an increase adds to Rt; rates are in the unit of the engine.
struct rp_stages {
	uint64_t ai, hai;
	uint32_t ai_from;  // additive increase from max(T, BC) on
	uint32_t hai_from; // hyper increase from min(T, BC) on
	uint32_t hai_base; // i = min(T, BC) - hai_base
	bool count_first;  // stage counted before it is evaluated
	bool one_counter;  // T or BC is off: min and max are the other one
	bool progressive;  // hyper increase adds i hai, else hai
};

static inline struct rp_stages rp_stages(unsigned f, enum rp_fr_convention c, bool one_counter)
{
	return (struct rp_stages){
		.ai_from = c == RP_FR_P ? f + 1 : f,
		.hai_from = c == RP_FR_N ? f : f + 1,
		.hai_base = c == RP_FR_N ? f - 1 : f,
		.count_first = c != RP_FR_X,
		.one_counter = one_counter,
	};
}

// The phase of stages T and BC; *i: the step of hyper increase.
static inline enum rp_phase rp_phase(
	const struct rp_stages *s, uint32_t t, uint32_t bc, uint32_t *i)
{
	uint32_t most = t > bc ? t : bc;
	uint32_t least = s->one_counter ? most : t < bc ? t : bc;

	*i = least - s->hai_base;
	if (most < s->ai_from)
		return RP_FAST_RECOVERY;
	return least < s->hai_from ? RP_ADDITIVE_INCREASE : RP_HYPER_INCREASE;
}

// A stage counts up to its width.
static inline uint16_t rp_stage_plus(uint16_t stage, uint64_t n)
{
	return n < (uint64_t)(UINT16_MAX - stage) ? (uint16_t)(stage + n) : UINT16_MAX;
}

// The increase that an expiry of T (`timer`) or BC leads to, from the stages before it; *add: what
// Rt grows by.
static inline enum rp_phase rp_increase(
	const struct rp_stages *s, uint16_t t, uint16_t bc, bool timer, uint64_t *add)
{
	enum rp_phase phase;
	uint32_t i;

	if (s->count_first && timer)
		t = rp_stage_plus(t, 1);
	else if (s->count_first)
		bc = rp_stage_plus(bc, 1);
	phase = rp_phase(s, t, bc, &i);
	*add = 0;
	if (phase == RP_ADDITIVE_INCREASE)
		*add = s->ai;
	if (phase == RP_HYPER_INCREASE)
		*add = s->hai * (s->progressive ? i : 1);
	return phase;
}

// Returns how many of the next `most` expiries of T, the first included, add the same amount *add
// to Rt. 1: the amount grows with each expiry.
static inline uint64_t rp_alike(
	const struct rp_stages *s, uint16_t t, uint16_t bc, uint64_t most, uint64_t *add)
{
	uint32_t stage = s->count_first ? rp_stage_plus(t, 1) : t, end = UINT32_MAX;
	bool follows = s->one_counter || stage < bc; // min(T, BC) grows with T

	switch (rp_increase(s, t, bc, true, add)) {
	case RP_FAST_RECOVERY:
		end = s->ai_from;
		break;
	case RP_ADDITIVE_INCREASE:
		if (s->one_counter || bc >= s->hai_from)
			end = s->hai_from;
		break;
	default:
		if (s->progressive && follows && stage < UINT16_MAX)
			return 1;
	}
	return most < end - stage ? most : end - stage;
}

// The new value of `d`, which is Rt - Rc, after n steps, at least one, in which Rt grows by `add`
// and Rc goes halfway to it (rp_halfway, unit 1): ceil((d + add (2^n - 1)) / 2^n), or 0 if a step
// leaves 1.
static inline uint64_t rp_distance(uint64_t d, uint64_t add, uint64_t n)
{
	int64_t less = (int64_t)(add - d) >> (n < 63 ? n : 63);
	uint64_t left = add - (uint64_t)less;

	return d + add <= 2 || left <= 1 ? 0 : left;
}

static inline enum rp_event rp_increase_event(bool timer, enum rp_phase phase)
{
	return (timer ? RP_T_FAST_RECOVERY : RP_BC_FAST_RECOVERY) + phase;
}

// (Rt + Rc) / 2, rounded down to a multiple of `unit`. Rounding down must not keep Rc below Rt for
// ever, so the last step arrives.
static inline uint64_t rp_halfway(uint64_t rc, uint64_t rt, uint64_t unit)
{
	uint64_t half = (rc + rt) / 2;

	if (unit != 1)
		half -= half % unit;
	return rt - half <= unit ? rt : half;
}

static inline bool rp_lowers_target(enum rp_clamp_target clamp, bool increased, uint16_t bc)
{
	switch (clamp) {
	case RP_CLAMP_ALWAYS:
		return true;
	case RP_CLAMP_AFTER_INCREASE:
		return increased;
	case RP_CLAMP_AFTER_BYTES:
		return bc;
	default:
		return false;
	}
}

enum rp_timer { RP_TIMER_NONE, RP_TIMER_ALPHA, RP_TIMER_RATE, RP_TIMER_CUT };

// The timer that expires first, if it is due by `now`. Of timers that coincide, alpha's comes
// first, then increase, then decrease, because the timer armed first expires first.
static inline enum rp_timer rp_timer_due(tstamp alpha_at, tstamp rate_at, tstamp cut_at, tstamp now)
{
	tstamp other = tstamp_min(rate_at, cut_at);

	if (tstamp_min(alpha_at, other) > now)
		return RP_TIMER_NONE;
	if (alpha_at <= other)
		return RP_TIMER_ALPHA;
	return rate_at <= cut_at ? RP_TIMER_RATE : RP_TIMER_CUT;
}

// Moves a periodic instant that is due to the first one after `now`. Returns how many instants
// passed.
static inline uint64_t rp_skip(tstamp *at, tstamp period, tstamp now)
{
	uint64_t n = (now - *at) / period + 1;

	*at += n * period;
	return n;
}

// Of two sets of parameters, a and b.
#define RP_SAME(member) (a->member == b->member)

// An instant that was armed with one period, now that the period is another; not before now.
// TSTAMP_NEVER: no timer runs, or has a period.
static inline tstamp rp_rearm(tstamp at, tstamp old, tstamp period, tstamp now)
{
	if (at == TSTAMP_NEVER || period == TSTAMP_NEVER)
		return TSTAMP_NEVER;
	return tstamp_max(at - old + period, now);
}

// One variable of a reaction point's state, as a whole number.
#define RP_STATE_NONE  INT64_MAX // it has no value now: a timer that is off, no limit
#define RP_STATES_MOST 24u       // that one reaction point has
struct rp_state {
	const char *name;
	const char *unit; // "bit/s", "bytes", "ps"; "": a count, or 1 for yes
	const char *help;
	int64_t value;
	uint8_t frac; // its last bits that stand behind the binary point
};

// An instant or a rate; what does not fit is none: TSTAMP_NEVER, no limit.
static inline int64_t rp_state_value(uint64_t v)
{
	return v < (uint64_t)RP_STATE_NONE ? (int64_t)v : RP_STATE_NONE;
}

// The next of the instants at, at + period, ... that is later than now.
static inline tstamp rp_state_next(tstamp at, tstamp period, tstamp now)
{
	return at > now ? at : at + ((now - at) / period + 1) * period;
}
