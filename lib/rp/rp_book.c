// SPDX-License-Identifier: BSD-3-Clause
// The stages of a reaction point by its events, and which CNP a cut answers.
#include "rp_book.h"

void rp_book_init(struct rp_book *b, const tstamp *window, rate_t rate, rate_t line)
{
	*b = (struct rp_book){
		.window = window,
		.line = line,
		.rate = rate,
		.cnp_first = TSTAMP_NEVER,
		.cnp_last = TSTAMP_NEVER,
		.stage = rate < line ? RP_STAGE_FAST_RECOVERY : RP_STAGE_LINE_RATE,
	};
}

enum rp_stage rp_book_stage(const struct rp_book *b, enum rp_event e, rate_t rc, rate_t rt)
{
	static const uint8_t stage[RP_EVENTS] = {
		[RP_DECREASE] = RP_STAGE_FAST_RECOVERY,
		[RP_BC_FAST_RECOVERY] = RP_STAGE_FAST_RECOVERY,
		[RP_T_FAST_RECOVERY] = RP_STAGE_FAST_RECOVERY,
		[RP_BC_ADDITIVE_INCREASE] = RP_STAGE_ADDITIVE_INCREASE,
		[RP_T_ADDITIVE_INCREASE] = RP_STAGE_ADDITIVE_INCREASE,
		[RP_BC_HYPER_INCREASE] = RP_STAGE_HYPER_INCREASE,
		[RP_T_HYPER_INCREASE] = RP_STAGE_HYPER_INCREASE,
		[RP_ACK_ADDITIVE_INCREASE] = RP_STAGE_ADDITIVE_INCREASE,
		[RP_ACK_HYPER_INCREASE] = RP_STAGE_HYPER_INCREASE,
	};

	if (rc >= b->line && rt >= b->line)
		return RP_STAGE_LINE_RATE;
	return e < RP_EVENTS && stage[e] ? stage[e] : b->stage;
}

tstamp rp_book_cut(struct rp_book *b, tstamp next, tstamp t)
{
	// A reaction point that acts at once answers this CNP; one that acts by a timer answers all
	// CNPs since its last cut.
	tstamp cnp = b->cnp_last == t ? t : b->cnp_first;
	// A timer may be caught up with when the next CNP comes; its cut is then told after that
	// CNP.
	bool is_late = b->cnp_last != TSTAMP_NEVER && b->cnp_last > t;

	b->cnp_first = is_late ? b->cnp_last : TSTAMP_NEVER;
	if (cnp == TSTAMP_NEVER || cnp > t || next <= t || t < *b->window)
		return TSTAMP_NEVER;
	return tstamp_since(next, cnp);
}
