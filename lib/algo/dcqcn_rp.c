// SPDX-License-Identifier: BSD-3-Clause
// The DCQCN reaction point's engine: cuts, fast recovery, additive and hyper increase, lazy timers.
#include "algo/dcqcn_rp.h"

#include <assert.h>

#include "base/fixed.h"

void dcqcn_rp_init(struct dcqcn_rp *rp, const struct dcqcn_rp_cfg *cfg)
{
	*rp = (struct dcqcn_rp){
		.cfg = cfg,
		.rc = cfg->initial_rate,
		.rt = cfg->initial_rate,
		.alpha = cfg->initial_alpha,
		.bytes_left = INT64_MAX, // the byte counter starts with the first cut
		.alpha_at = TSTAMP_NEVER,
		.rate_at = TSTAMP_NEVER,
	};
}

// Moves a periodic instant that is due beyond now; returns how many instants passed.
static uint64_t skip_instants(tstamp *at, tstamp period, tstamp now)
{
	uint64_t n = (now - *at) / period + 1;

	*at += n * period;
	return n;
}

static rate_t whole(const struct dcqcn_rp *rp, rate_t rate)
{
	return rp->cfg->p.rate_unit == 1 ? rate : rate - rate % rp->cfg->p.rate_unit;
}

// (RT + RC) / 2. Rounding down must not keep RC below RT for ever, so the last step arrives. Where
// each half is rounded down by itself it does not: RC stays one bit/s below, as in the simulator
// that does so.
static rate_t rate_after_increase(const struct dcqcn_rp *rp)
{
	rate_t rc = rp->rc, rt = rp->rt, half;

	if (rp->cfg->p.halves_down)
		return rc / 2 + rt / 2;
	half = whole(rp, (rc + rt) / 2);
	return rt - half <= rp->cfg->p.rate_unit ? rt : half;
}

// No increase can change the rate.
static bool at_rest(const struct dcqcn_rp *rp)
{
	return rp->rt == rp->cfg->p.line_rate && rate_after_increase(rp) == rp->rc;
}

void dcqcn_rp_start(struct dcqcn_rp *rp, tstamp now)
{
	if (rp->started)
		return;
	rp->started = true;
	if (rp->rc == rp->cfg->p.line_rate || rp->active)
		return;
	rp->counts = true;
	rp->bytes_left = rp->cfg->byte_counter;
	rp->rate_at = tstamp_add(now, rp->cfg->p.rate_timer_ps);
}

// RC (1 - alpha / 2^cut_shift), not below min_dec_fac percent of RC. In units of 1 bit/s the rate
// is rounded down, in larger ones the cut is (standards.md 4.4 items 2 and 6).
static rate_t rate_after_cut(const struct dcqcn_rp *rp)
{
	const struct dcqcn_rp_params *p = &rp->cfg->p;
	unsigned shift = 60 + p->cut_shift;

	if (p->rate_unit == 1) {
		rate_t left = fixed_mul(rp->rc, (1ull << shift) - rp->alpha, shift);
		rate_t least = rp->rc * p->min_dec_fac / 100;

		return left < least ? least : left;
	}

	rate_t cut = whole(rp, fixed_mul(rp->rc, rp->alpha, shift));
	rate_t most = whole(rp, rp->rc * (100 - p->min_dec_fac) / 100);

	return rp->rc - (cut < most ? cut : most);
}

static bool lowers_target(const struct dcqcn_rp *rp)
{
	switch (rp->cfg->p.clamp_target) {
	case RP_CLAMP_ALWAYS:
		return true;
	case RP_CLAMP_AFTER_INCREASE:
		return rp->increased;
	case RP_CLAMP_AFTER_BYTES:
		return rp->bc_stage;
	default:
		return false;
	}
}

// RT = RC as clamp_target says, RC is cut, T = BC = 0, timer and byte counter restart.
static void cut_rate(struct dcqcn_rp *rp, tstamp at)
{
	const struct dcqcn_rp_params *p = &rp->cfg->p;

	if (lowers_target(rp))
		rp->rt = rp->rc;
	rp->rc = rate_after_cut(rp);
	if (rp->rc < p->min_rate)
		rp->rc = p->min_rate;
	rp->t_stage = 0;
	rp->bc_stage = 0;
	rp->increased = false;
	rp->bytes_left = rp->cfg->byte_counter;
	rp->rate_at = tstamp_add(at, p->rate_timer_ps);
}

// The phase that stages T and BC lead to; RT grows.
static enum rp_phase raise_target(struct dcqcn_rp *rp)
{
	const struct dcqcn_rp_params *p = &rp->cfg->p;
	uint32_t i;
	enum rp_phase phase = rp_phase(&rp->cfg->stages, rp->t_stage, rp->bc_stage, &i);

	if (phase == RP_ADDITIVE_INCREASE)
		rp->rt += p->ai_rate;
	if (phase == RP_HYPER_INCREASE)
		rp->rt += p->hai_rate * (p->hai_progressive ? i : 1);
	return phase;
}

// One expiry of T or BC: RT += R_AI or i R_HAI outside fast recovery, then RC goes halfway to it.
static enum rp_event increase(struct dcqcn_rp *rp, uint16_t *stage, enum rp_event fast_recovery)
{
	const struct dcqcn_rp_cfg *cfg = rp->cfg;
	enum rp_phase phase;

	if (cfg->stages.count_first)
		*stage = rp_stage_plus(*stage, 1);
	phase = raise_target(rp);
	if (!cfg->stages.count_first)
		*stage = rp_stage_plus(*stage, 1);
	if (rp->rt > cfg->p.line_rate)
		rp->rt = cfg->p.line_rate;
	rp->rc = rate_after_increase(rp);
	rp->increased = true;
	return fast_recovery + phase;
}

enum rp_event dcqcn_rp_byte_counter(struct dcqcn_rp *rp, tstamp now)
{
	rp->bytes_left += rp->cfg->byte_counter;
	if (at_rest(rp)) {
		rp->bc_stage = rp_stage_plus(rp->bc_stage, 1);
		rp->increased = true;
		return RP_NONE;
	}
	rp->at = now;
	return increase(rp, &rp->bc_stage, RP_BC_FAST_RECOVERY);
}

// (1 - g) alpha
static uint64_t alpha_decayed(const struct dcqcn_rp *rp)
{
	const struct dcqcn_rp_cfg *cfg = rp->cfg;

	if (cfg->alpha_mask == UINT64_MAX)
		return fixed_mul_near(rp->alpha, cfg->one_minus_g, 60);
	return fixed_mul(rp->alpha, cfg->one_minus_g, 60) & cfg->alpha_mask;
}

// (1 - g) alpha + g
static uint64_t alpha_raised(const struct dcqcn_rp *rp)
{
	uint64_t alpha = alpha_decayed(rp) + rp->cfg->g;

	return alpha < rp->cfg->alpha_max ? alpha : rp->cfg->alpha_max;
}

// alpha's timer is due. Decay ends where alpha rounds to itself, after at most 42 / g steps; from
// there on idle time costs one division.
static enum rp_event alpha_expire(struct dcqcn_rp *rp, tstamp now)
{
	uint64_t alpha = rp->cnp_alpha ? alpha_raised(rp) : alpha_decayed(rp);

	if (!rp->cnp_alpha && alpha == rp->alpha) {
		skip_instants(&rp->alpha_at, rp->cfg->p.alpha_timer_ps, now);
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
	if (at_rest(rp)) {
		uint64_t n = skip_instants(&rp->rate_at, rp->cfg->p.rate_timer_ps, now);

		rp->t_stage = rp_stage_plus(rp->t_stage, n);
		rp->increased = true;
		return RP_NONE;
	}
	rp->at = rp->rate_at;
	rp->rate_at += rp->cfg->p.rate_timer_ps;
	return increase(rp, &rp->t_stage, RP_T_FAST_RECOVERY);
}

static enum rp_event cut_expire(struct dcqcn_rp *rp)
{
	rp->at = rp->cut_at;
	cut_rate(rp, rp->cut_at);
	rp->cut_at += rp->cfg->p.cut_interval_ps;
	rp->cnp_cut = false;
	return RP_DECREASE;
}

// The decrease timer; without a CNP since its last instant it does nothing, and dcqcn_rp_cnp
// catches up with it.
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

// The first CNP starts the timers of alpha and decrease, and does what first_cnp says.
static void start_timed(struct dcqcn_rp *rp, tstamp now)
{
	const struct dcqcn_rp_cfg *cfg = rp->cfg;

	rp->active = rp->counts = true;
	rp->alpha_at = now + cfg->p.alpha_timer_ps;
	rp->cut_at = now + cfg->p.cut_interval_ps + cfg->cut_lag;
	if (cfg->p.first_cnp == RP_FIRST_FLAGS) {
		rp->cnp_cut = true;
		return;
	}
	if (rp->rc > cfg->first_cnp_rate)
		rp->rc = cfg->first_cnp_rate;
	if (rp->rt > cfg->first_cnp_rate)
		rp->rt = cfg->first_cnp_rate;
	rp->t_stage = rp->bc_stage = 0;
	rp->increased = false;
	rp->bytes_left = cfg->byte_counter;
	rp->rate_at = tstamp_add(now, cfg->p.rate_timer_ps);
}

// Flags for the next alpha and decrease instants.
static enum rp_event cnp_timed(struct dcqcn_rp *rp, tstamp now)
{
	if (!rp->active) {
		start_timed(rp, now);
		return RP_START;
	}
	if (rp->cut_at <= now)
		skip_instants(&rp->cut_at, rp->cfg->p.cut_interval_ps, now);
	rp->cnp_cut = true;
	rp->cnp_alpha = true;
	return RP_CNP;
}

enum rp_event dcqcn_rp_cnp(struct dcqcn_rp *rp, tstamp now)
{
	const struct dcqcn_rp_cfg *cfg = rp->cfg;
	uint64_t raised;

	assert(rp->alpha_at > now && rp->rate_at > now && cut_due(rp) > now);
	rp->at = now;
	if (cfg->p.reaction == RP_TIMED)
		return cnp_timed(rp, now);
	if (now < rp->cut_at)
		return RP_CNP;
	raised = alpha_raised(rp);
	if (cfg->p.alpha_order == RP_ALPHA_FIRST)
		rp->alpha = raised;
	cut_rate(rp, now);
	rp->alpha = raised;
	rp->active = rp->counts = true;
	rp->alpha_at = now + cfg->p.alpha_timer_ps;
	rp->cut_at = now + cfg->p.cut_interval_ps;
	return RP_DECREASE;
}

tstamp dcqcn_rp_deadline(const struct dcqcn_rp *rp)
{
	return tstamp_min(at_rest(rp) ? TSTAMP_NEVER : rp->rate_at, cut_due(rp));
}
