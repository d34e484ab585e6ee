// SPDX-License-Identifier: BSD-3-Clause
// The DCQCN reaction point's engine: cuts, fast recovery, additive and hyper increase, lazy timers.
#include "algo/dcqcn_rp.h"

#include <assert.h>

#include "base/fixed.h"

// TIMED: the decrease timer runs this much behind alpha's, so that a cut sees the alpha of its own
// instant (the reference simulator does the same, and its vectors show it).
#define CUT_LAG PS_PER_NS

static const char *const event_name[RP_EVENTS] = {
	[RP_NONE] = "none",
	[RP_CNP] = "cnp",
	[RP_START] = "start",
	[RP_DECREASE] = "decrease",
	[RP_BC_FAST_RECOVERY] = "bc_fast_recovery",
	[RP_BC_ADDITIVE_INCREASE] = "bc_additive_increase",
	[RP_BC_HYPER_INCREASE] = "bc_hyper_increase",
	[RP_T_FAST_RECOVERY] = "t_fast_recovery",
	[RP_T_ADDITIVE_INCREASE] = "t_additive_increase",
	[RP_T_HYPER_INCREASE] = "t_hyper_increase",
	[RP_ALPHA] = "alpha",
};

const char *dcqcn_rp_event_name(enum rp_event e)
{
	return (unsigned)e < RP_EVENTS ? event_name[e] : "?";
}

void dcqcn_rp_init(struct dcqcn_rp *rp, const struct dcqcn_rp_cfg *cfg)
{
	*rp = (struct dcqcn_rp){
		.cfg = cfg,
		.rc = cfg->p.line_rate,
		.rt = cfg->p.line_rate,
		.alpha = cfg->initial_alpha,
		.bytes_left = INT64_MAX, // the byte counter starts with the first cut
		.alpha_at = TSTAMP_NEVER,
		.rate_at = TSTAMP_NEVER,
	};
}

// No increase can change the rate.
static bool at_line_rate(const struct dcqcn_rp *rp)
{
	return rp->rc == rp->cfg->p.line_rate && rp->rt == rp->rc;
}

static uint16_t stage_plus(uint16_t stage, uint64_t n)
{
	return n < (uint64_t)(UINT16_MAX - stage) ? (uint16_t)(stage + n) : UINT16_MAX;
}

// Moves a periodic instant that is due beyond now; returns how many instants passed.
static uint64_t skip(tstamp *at, tstamp period, tstamp now)
{
	uint64_t n = (now - *at) / period + 1;

	*at += n * period;
	return n;
}

// RT = RC as clamp_target says, RC = RC (1 - alpha / 2), T = BC = 0, timer and byte counter restart.
static void cut(struct dcqcn_rp *rp, tstamp at)
{
	const struct dcqcn_rp_params *p = &rp->cfg->p;

	if (p->clamp_target == RP_CLAMP_ALWAYS ||
		(p->clamp_target == RP_CLAMP_AFTER_INCREASE && rp->increased))
		rp->rt = rp->rc;
	rp->rc = fixed_mul(rp->rc, (2ull << 60) - rp->alpha, 61); // floor(RC (2 - alpha) / 2)
	if (rp->rc < p->min_rate)
		rp->rc = p->min_rate;
	rp->t_stage = 0;
	rp->bc_stage = 0;
	rp->increased = false;
	rp->bytes_left = rp->cfg->byte_counter;
	rp->rate_at = tstamp_add(at, p->rate_timer_ps);
}

// The phase that a stage of T or BC leads to, as a distance from fast recovery's event; RT grows.
static unsigned raise_target(struct dcqcn_rp *rp)
{
	const struct dcqcn_rp_cfg *cfg = rp->cfg;
	uint32_t t = rp->t_stage, bc = rp->bc_stage, most = t > bc ? t : bc;
	uint32_t least = cfg->one_counter ? most : t < bc ? t : bc;

	if (most < cfg->ai_from)
		return 0;
	if (least < cfg->hai_from) {
		rp->rt += cfg->p.ai_rate;
		return 1;
	}
	rp->rt += cfg->p.hai_rate * (cfg->p.hai_progressive ? least - cfg->hai_base : 1);
	return 2;
}

// One expiry of T or BC: RT += R_AI or i R_HAI outside fast recovery, RC = (RT + RC) / 2.
static enum rp_event increase(struct dcqcn_rp *rp, uint16_t *stage, enum rp_event fast_recovery)
{
	const struct dcqcn_rp_cfg *cfg = rp->cfg;
	unsigned phase;

	if (cfg->count_first)
		*stage = stage_plus(*stage, 1);
	phase = raise_target(rp);
	if (!cfg->count_first)
		*stage = stage_plus(*stage, 1);
	if (rp->rt > cfg->p.line_rate)
		rp->rt = cfg->p.line_rate;
	rp->rc = (rp->rc + rp->rt) / 2;
	if (rp->rt - rp->rc == 1) // rounding down must not keep RC 1 bit/s from RT for ever
		rp->rc = rp->rt;
	rp->increased = true;
	return fast_recovery + phase;
}

enum rp_event dcqcn_rp_byte_counter(struct dcqcn_rp *rp, tstamp now)
{
	rp->bytes_left += rp->cfg->byte_counter;
	if (at_line_rate(rp)) {
		rp->bc_stage = stage_plus(rp->bc_stage, 1);
		return RP_NONE;
	}
	rp->at = now;
	return increase(rp, &rp->bc_stage, RP_BC_FAST_RECOVERY);
}

// (1 - g) alpha, rounded to nearest.
static uint64_t alpha_decayed(const struct dcqcn_rp *rp)
{
	return fixed_mul_near(rp->alpha, rp->cfg->one_minus_g, 60);
}

// alpha's timer is due. Decay ends where alpha rounds to itself, after at most 42 / g steps; from
// there on idle time costs one division.
static enum rp_event alpha_expire(struct dcqcn_rp *rp, tstamp now)
{
	uint64_t alpha = alpha_decayed(rp);

	if (rp->cnp_alpha) {
		alpha += rp->cfg->g;
	} else if (alpha == rp->alpha) {
		skip(&rp->alpha_at, rp->cfg->p.alpha_timer_ps, now);
		return RP_NONE;
	}
	rp->alpha = alpha;
	rp->cnp_alpha = false;
	rp->at = rp->alpha_at;
	rp->alpha_at += rp->cfg->p.alpha_timer_ps;
	return RP_ALPHA;
}

static enum rp_event rate_expire(struct dcqcn_rp *rp, tstamp now)
{
	if (at_line_rate(rp)) {
		uint64_t n = skip(&rp->rate_at, rp->cfg->p.rate_timer_ps, now);

		rp->t_stage = stage_plus(rp->t_stage, n);
		return RP_NONE;
	}
	rp->at = rp->rate_at;
	rp->rate_at += rp->cfg->p.rate_timer_ps;
	return increase(rp, &rp->t_stage, RP_T_FAST_RECOVERY);
}

static enum rp_event cut_expire(struct dcqcn_rp *rp)
{
	rp->at = rp->cut_at;
	cut(rp, rp->cut_at);
	rp->cut_at += rp->cfg->p.cut_interval_ps;
	rp->cnp_cut = false;
	return RP_DECREASE;
}

// The decrease timer; without a CNP since its last instant it does nothing, and dcqcn_rp_cnp catches
// up with it.
static tstamp cut_due(const struct dcqcn_rp *rp)
{
	return rp->cnp_cut ? rp->cut_at : TSTAMP_NEVER;
}

// Increase before decrease: of two timers that coincide the one armed first expires first.
enum rp_event dcqcn_rp_expire(struct dcqcn_rp *rp, tstamp now)
{
	enum rp_event e = RP_NONE;

	while (e == RP_NONE) {
		tstamp cut_at = cut_due(rp), rate_at = tstamp_min(rp->rate_at, cut_at);

		if (tstamp_min(rp->alpha_at, rate_at) > now)
			return RP_NONE;
		if (rp->alpha_at <= rate_at)
			e = alpha_expire(rp, now);
		else if (rp->rate_at <= cut_at)
			e = rate_expire(rp, now);
		else
			e = cut_expire(rp);
	}
	return e;
}

// Flags for the next alpha and decrease instants. The first CNP starts the timers, and counts for the
// decrease instant only.
static enum rp_event cnp_timed(struct dcqcn_rp *rp, tstamp now)
{
	const struct dcqcn_rp_params *p = &rp->cfg->p;

	if (!rp->active) {
		rp->active = true;
		rp->cnp_cut = true;
		rp->alpha_at = now + p->alpha_timer_ps;
		rp->cut_at = now + p->cut_interval_ps + CUT_LAG;
		return RP_START;
	}
	if (rp->cut_at <= now)
		skip(&rp->cut_at, p->cut_interval_ps, now);
	rp->cnp_cut = true;
	rp->cnp_alpha = true;
	return RP_CNP;
}

enum rp_event dcqcn_rp_cnp(struct dcqcn_rp *rp, tstamp now)
{
	const struct dcqcn_rp_cfg *cfg = rp->cfg;
	uint64_t raised = alpha_decayed(rp) + cfg->g; // (1 - g) alpha + g

	assert(rp->alpha_at > now && rp->rate_at > now && cut_due(rp) > now);
	rp->at = now;
	if (cfg->p.reaction == RP_TIMED)
		return cnp_timed(rp, now);
	if (now < rp->cut_at)
		return RP_CNP;
	if (cfg->p.alpha_order == RP_ALPHA_FIRST)
		rp->alpha = raised;
	cut(rp, now);
	rp->alpha = raised;
	rp->active = true;
	rp->alpha_at = now + cfg->p.alpha_timer_ps;
	rp->cut_at = now + cfg->p.cut_interval_ps;
	return RP_DECREASE;
}

tstamp dcqcn_rp_deadline(const struct dcqcn_rp *rp)
{
	return tstamp_min(at_line_rate(rp) ? TSTAMP_NEVER : rp->rate_at, cut_due(rp));
}
