// SPDX-License-Identifier: BSD-3-Clause
// What reaction points have in common: the names of their events and switches, the stages of
// increase.
#pragma once

#include <stdbool.h>
#include <stdint.h>

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

// "decrease", "t_additive_increase", ...; "?" for what is none.
const char *rp_event_name(enum rp_event e);

// The increase that an expiry of T or BC leads to, as a distance from fast recovery's event.
enum rp_phase { RP_FAST_RECOVERY, RP_ADDITIVE_INCREASE, RP_HYPER_INCREASE };

struct rp_stages {
	uint32_t ai_from;  // additive increase from max(T, BC) on
	uint32_t hai_from; // hyper increase from min(T, BC) on
	uint32_t hai_base; // i = min(T, BC) - hai_base
	bool count_first;  // stage counted before it is evaluated
	bool one_counter;  // T or BC is off: min and max are the other one
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
