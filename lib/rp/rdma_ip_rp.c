// SPDX-License-Identifier: BSD-3-Clause
// The RDMA IP's reaction point: decrease, three phases of increase and alpha, bit by bit.
#include "rdma_ip_rp.h"

#include <assert.h>
#include <errno.h>

#include "base/fixed.h"

// R = rate / 8 * 1024 / clock
uint64_t rdma_ip_rp_units(rate_t rate, uint64_t clock_hz)
{
	return (rate * 128 + clock_hz / 2) / clock_hz;
}

rate_t rdma_ip_rp_bps(uint32_t units, uint64_t clock_hz)
{
	return (units * clock_hz + 64) / 128;
}

rate_t rdma_ip_rp_bps_q8(uint32_t rate, uint64_t clock_hz)
{
	return (rate * clock_hz + (1 << 14)) >> 15;
}

static bool core_ok(const struct rdma_ip_rp_core *c)
{
	bool bits_ok = c->alpha_bits == RDMA_IP_RP_ALPHA_BITS ||
		       (c->alpha_bits >= RDMA_IP_RP_ALPHA_BITS + 8 && c->alpha_bits <= 32);

	return c->clock_hz >= 1000000 && c->clock_hz <= 2000000000 && c->byte_unit >= 1 &&
	       c->byte_unit <= 4096 && bits_ok && c->merge <= RDMA_IP_RP_PERIOD_END &&
	       c->fr_convention <= RP_FR_X && c->clamp_target <= RP_CLAMP_AFTER_BYTES;
}

static bool widths_ok(const struct rdma_ip_rp_regs *r)
{
	return (r->nocnp_timer_th | r->alpha_timer_th | r->rx_cnp_merge_period) >> 16 == 0 &&
	       (r->max_rate | r->min_rate | r->rate_ai | r->rate_hai) >> 16 == 0 &&
	       r->byte_cnt_th >> 19 == 0 && r->upd_alpha_g >> 10 == 0 &&
	       r->alpha_rate_shift >> 4 == 0 && r->phase_threshold >> 5 == 0 &&
	       r->min_dec_fac >> 7 == 0 && r->hw_en <= 1;
}

static tstamp timer(uint32_t us)
{
	return us ? us * PS_PER_US : TSTAMP_NEVER;
}

// A rate of 0 would never rise again (6.1 item 12): min_rate is at least 1, max_rate at least
// min_rate.
static void compile_rates(struct rdma_ip_rp_cfg *cfg)
{
	const struct rdma_ip_rp_regs *r = &cfg->r;
	uint32_t min = r->min_rate ? r->min_rate : 1, max = r->max_rate;

	cfg->min = min << RDMA_IP_RP_RATE_FRAC;
	cfg->max = (max < min ? min : max) << RDMA_IP_RP_RATE_FRAC;
	cfg->stages.ai = r->rate_ai << RDMA_IP_RP_RATE_FRAC;
	cfg->stages.hai = r->rate_hai << RDMA_IP_RP_RATE_FRAC;
	cfg->stages.progressive = cfg->core.hai_progressive;
}

int rdma_ip_rp_cfg_init(struct rdma_ip_rp_cfg *cfg, const struct rdma_ip_rp_core *core,
	const struct rdma_ip_rp_regs *r)
{
	unsigned more = core->alpha_bits - RDMA_IP_RP_ALPHA_BITS;

	if (!core_ok(core) || !widths_ok(r))
		return -EINVAL;
	*cfg = (struct rdma_ip_rp_cfg){
		.core = *core,
		.r = *r,
		.rate_timer_ps = timer(r->nocnp_timer_th),
		.alpha_timer_ps = timer(r->alpha_timer_th),
		.merge_ps = r->rx_cnp_merge_period * PS_PER_US,
		.byte_counter =
			r->byte_cnt_th ? (int64_t)r->byte_cnt_th * core->byte_unit : INT64_MAX,
		.alpha_max = (uint32_t)((1ull << core->alpha_bits) - 1),
		.alpha_g = r->upd_alpha_g << more,
		.cut_mask = more ? UINT32_MAX : UINT32_MAX << RDMA_IP_RP_RATE_FRAC,
		.stages = rp_stages(r->phase_threshold, core->fr_convention,
			!r->byte_cnt_th || !r->nocnp_timer_th),
	};
	compile_rates(cfg);
	return 0;
}

void rdma_ip_rp_init(struct rdma_ip_rp *rp, const struct rdma_ip_rp_cfg *cfg)
{
	*rp = (struct rdma_ip_rp){
		.cfg = cfg,
		.rc = cfg->max,
		.rt = cfg->max,
		.alpha = cfg->alpha_max,
		.bytes_left = INT64_MAX,
		.alpha_at = TSTAMP_NEVER,
		.rate_at = TSTAMP_NEVER,
	};
}

// Returns whether timer and byte counter are off: at max_rate, or if the hardware is disabled (6.1
// item 12).
static bool rests(const struct rdma_ip_rp *rp)
{
	return rp->rc == rp->cfg->max || !rp->cfg->r.hw_en;
}

static void rest(struct rdma_ip_rp *rp)
{
	rp->rate_at = TSTAMP_NEVER;
	rp->bytes_left = INT64_MAX;
}

static bool counts(const struct rdma_ip_rp *rp)
{
	return rp->bytes_left <= RDMA_IP_RP_BYTES_MAX;
}

int64_t rdma_ip_rp_bytes(const struct rdma_ip_rp *rp)
{
	return counts(rp) ? rp->cfg->byte_counter - rp->bytes_left : 0;
}

void rdma_ip_rp_set_bytes(struct rdma_ip_rp *rp, int64_t bytes)
{
	if (counts(rp))
		rp->bytes_left = rp->cfg->byte_counter - bytes;
}

static uint32_t within(const struct rdma_ip_rp_cfg *cfg, uint32_t rate)
{
	return rate < cfg->min ? cfg->min : rate > cfg->max ? cfg->max : rate;
}

void rdma_ip_rp_set_rate(struct rdma_ip_rp *rp, uint32_t rc, uint32_t rt)
{
	rp->rc = within(rp->cfg, rc);
	rp->rt = within(rp->cfg, rt < rp->rc ? rp->rc : rt);
	if (rests(rp))
		rest(rp);
	else if (!counts(rp))
		rp->bytes_left = rp->cfg->byte_counter;
}

void rdma_ip_rp_start_timer(struct rdma_ip_rp *rp, tstamp now)
{
	if (!rests(rp) && rp->rate_at == TSTAMP_NEVER)
		rp->rate_at = tstamp_add(now, rp->cfg->rate_timer_ps);
}

void rdma_ip_rp_reload(struct rdma_ip_rp *rp, const struct rdma_ip_rp_cfg *old, tstamp now)
{
	const struct rdma_ip_rp_cfg *cfg = rp->cfg;
	int64_t counted = old->byte_counter - rp->bytes_left;

	if (!cfg->r.hw_en) {
		rp->alpha_at = TSTAMP_NEVER;
		rp->merge_at = 0;
		rp->cnp_cut = false;
	}
	rp->alpha_at = rp_rearm(rp->alpha_at, old->alpha_timer_ps, cfg->alpha_timer_ps, now);
	rp->rate_at = rp_rearm(rp->rate_at, old->rate_timer_ps, cfg->rate_timer_ps, now);
	if (rp->merge_at > now)
		rp->merge_at = tstamp_max(rp->merge_at - old->merge_ps + cfg->merge_ps, now);
	if (counts(rp))
		rp->bytes_left =
			cfg->byte_counter == INT64_MAX ? INT64_MAX : cfg->byte_counter - counted;
	rdma_ip_rp_set_rate(rp, rp->rc, rp->rt);
}

// Returns the decrease of RC: floor(RC alpha / 2^(shift + 10)), but at least min_dec_fac percent of
// RC are left. With an alpha of 10 bits it is in whole units.
static uint32_t cut_of(const struct rdma_ip_rp *rp)
{
	const struct rdma_ip_rp_cfg *cfg = rp->cfg;
	unsigned shift = cfg->core.alpha_bits + cfg->r.alpha_rate_shift;
	uint32_t off = (uint32_t)fixed_mul(rp->rc, rp->alpha, shift) & cfg->cut_mask;
	uint32_t fac = cfg->r.min_dec_fac < 100 ? cfg->r.min_dec_fac : 100;
	uint32_t most = (uint32_t)((uint64_t)rp->rc * (100 - fac) / 100) & cfg->cut_mask;

	return off < most ? off : most;
}

// floor((1024 - g) alpha / 1024)
static uint32_t alpha_decayed(const struct rdma_ip_rp *rp)
{
	return (uint32_t)fixed_mul(rp->alpha, 1024 - rp->cfg->r.upd_alpha_g, 10);
}

// alpha_decayed() + g, saturated; 1.0 is 1024, so that the summand is g, not g / 1024 (6.1 item 1).
static uint32_t alpha_raised(const struct rdma_ip_rp *rp)
{
	uint64_t alpha = (uint64_t)alpha_decayed(rp) + rp->cfg->alpha_g;

	return alpha < rp->cfg->alpha_max ? (uint32_t)alpha : rp->cfg->alpha_max;
}

// TR = CR, CR = CR - cut, with the alpha of before; alpha rises, T = BC = 0, what runs starts anew.
static void cut_current(struct rdma_ip_rp *rp, tstamp at)
{
	const struct rdma_ip_rp_cfg *cfg = rp->cfg;

	if (rp_lowers_target(cfg->core.clamp_target, rp->increased, rp->bc_stage))
		rp->rt = rp->rc;
	rp->rc = within(cfg, rp->rc - cut_of(rp));
	rp->alpha = alpha_raised(rp);
	rp->t_stage = 0;
	rp->bc_stage = 0;
	rp->increased = false;
	rp->alpha_at = tstamp_add(at, cfg->alpha_timer_ps);
	rp->rate_at = tstamp_add(at, cfg->rate_timer_ps);
	rp->bytes_left = cfg->byte_counter;
	if (rests(rp))
		rest(rp);
}

// One expiry of timer or byte counter: TR += R_AI or R_HAI outside fast recovery, CR = (CR + TR) /
// 2. TR keeps what was added (6.1 item 5).
static enum rp_event increase_cr(struct rdma_ip_rp *rp, bool timer)
{
	const struct rdma_ip_rp_cfg *cfg = rp->cfg;
	uint64_t rt;
	enum rp_phase phase = rp_increase(&cfg->stages, rp->t_stage, rp->bc_stage, timer, &rt);

	if (timer)
		rp->t_stage = rp_stage_plus(rp->t_stage, 1);
	else
		rp->bc_stage = rp_stage_plus(rp->bc_stage, 1);
	rt += rp->rt;
	rp->rt = rt < cfg->max ? (uint32_t)rt : cfg->max;
	rp->rc = (uint32_t)rp_halfway(rp->rc, rp->rt, 1);
	rp->increased = true;
	if (rests(rp))
		rest(rp);
	return rp_increase_event(timer, phase);
}

enum rp_event rdma_ip_rp_byte_counter(struct rdma_ip_rp *rp)
{
	if (rests(rp) || rp->cfg->byte_counter == INT64_MAX) { // INT64_MAX bytes have been sent
		rp->bytes_left = INT64_MAX;
		return RP_NONE;
	}
	rp->bytes_left += rp->cfg->byte_counter;
	return increase_cr(rp, false);
}

// Handles alpha's timer, which is due. Once alpha is so small that it rounds to itself, one
// division skips the idle time up to `now`.
static enum rp_event alpha_expire(struct rdma_ip_rp *rp, tstamp now, tstamp *at)
{
	uint32_t alpha = alpha_decayed(rp);

	if (alpha == rp->alpha) {
		rp_skip(&rp->alpha_at, rp->cfg->alpha_timer_ps, now);
		return RP_NONE;
	}
	rp->alpha = alpha;
	*at = rp->alpha_at;
	rp->alpha_at += rp->cfg->alpha_timer_ps;
	return RP_ALPHA;
}

static enum rp_event rate_expire(struct rdma_ip_rp *rp, tstamp *at)
{
	*at = rp->rate_at;
	rp->rate_at += rp->cfg->rate_timer_ps;
	return increase_cr(rp, true);
}

static enum rp_event cut_expire(struct rdma_ip_rp *rp, tstamp *at)
{
	*at = rp->merge_at;
	rp->merge_at += rp->cfg->merge_ps;
	rp->cnp_cut = false;
	cut_current(rp, *at);
	return RP_DECREASE;
}

// A period without CNP does nothing, and rdma_ip_rp_cnp catches up with it.
static tstamp cut_due(const struct rdma_ip_rp *rp)
{
	return rp->cnp_cut ? rp->merge_at : TSTAMP_NEVER;
}

enum rp_event rdma_ip_rp_expire(struct rdma_ip_rp *rp, tstamp now, tstamp *at)
{
	enum rp_event e = RP_NONE;

	while (e == RP_NONE) {
		switch (rp_timer_due(rp->alpha_at, rp->rate_at, cut_due(rp), now)) {
		case RP_TIMER_ALPHA:
			e = alpha_expire(rp, now, at);
			break;
		case RP_TIMER_RATE:
			e = rate_expire(rp, at);
			break;
		case RP_TIMER_CUT:
			e = cut_expire(rp, at);
			break;
		default:
			return RP_NONE;
		}
	}
	return e;
}

static void merged(struct rdma_ip_rp *rp, tstamp now)
{
	if (!rp->cfg->core.merged_restart)
		return;
	if (rp->alpha_at != TSTAMP_NEVER)
		rp->alpha_at = now + rp->cfg->alpha_timer_ps;
	if (rp->rate_at != TSTAMP_NEVER)
		rp->rate_at = now + rp->cfg->rate_timer_ps;
}

static enum rp_event flagged(struct rdma_ip_rp *rp, tstamp now)
{
	if (!rp->merge_at)
		rp->merge_at = now + rp->cfg->merge_ps;
	else if (rp->merge_at <= now)
		rp_skip(&rp->merge_at, rp->cfg->merge_ps, now);
	rp->cnp_cut = true;
	merged(rp, now);
	return RP_CNP;
}

enum rp_event rdma_ip_rp_cnp(struct rdma_ip_rp *rp, tstamp now)
{
	const struct rdma_ip_rp_cfg *cfg = rp->cfg;

	assert(rp->alpha_at > now && rp->rate_at > now && cut_due(rp) > now);
	if (!cfg->r.hw_en)
		return RP_CNP;
	if (cfg->core.merge == RDMA_IP_RP_PERIOD_END && cfg->merge_ps)
		return flagged(rp, now);
	if (now < rp->merge_at) {
		merged(rp, now);
		return RP_CNP;
	}
	rp->merge_at = now + cfg->merge_ps;
	cut_current(rp, now);
	return RP_DECREASE;
}

tstamp rdma_ip_rp_deadline(const struct rdma_ip_rp *rp)
{
	return tstamp_min(rp->rate_at, cut_due(rp));
}

tstamp rdma_ip_rp_next(const struct rdma_ip_rp *rp)
{
	bool moves = alpha_decayed(rp) != rp->alpha;

	return tstamp_min(rdma_ip_rp_deadline(rp), moves ? rp->alpha_at : TSTAMP_NEVER);
}

// PERIOD_END: the end of the running period; periods follow each other. IMMEDIATE: the end of the
// period in which CNPs are ignored.
static tstamp shown_merge_at(const struct rdma_ip_rp *rp, tstamp now)
{
	const struct rdma_ip_rp_cfg *cfg = rp->cfg;

	if (rp->merge_at && cfg->core.merge == RDMA_IP_RP_PERIOD_END && cfg->merge_ps)
		return rp_state_next(rp->merge_at, cfg->merge_ps, now);
	return rp->merge_at > now ? rp->merge_at : TSTAMP_NEVER;
}

unsigned rdma_ip_rp_states(const struct rdma_ip_rp *rp, struct rp_state *row, tstamp now)
{
	const struct rdma_ip_rp_core *core = &rp->cfg->core;
	struct rp_state *to = row;

	*to++ = (struct rp_state){"current_rate", "bit/s", "CR",
		rp_state_value(rdma_ip_rp_bps_q8(rp->rc, core->clock_hz)), 0};
	*to++ = (struct rp_state){"target_rate", "bit/s", "TR",
		rp_state_value(rdma_ip_rp_bps_q8(rp->rt, core->clock_hz)), 0};
	*to++ = (struct rp_state){"alpha", "", "alpha", rp->alpha, (uint8_t)core->alpha_bits};
	*to++ = (struct rp_state){"bytes_left", "bytes",
		"until the byte counter expires; none: it is off",
		counts(rp) ? rp->bytes_left : RP_STATE_NONE, 0};
	*to++ = (struct rp_state){"timer_at", "ps", "the increase timer's next expiry",
		rp_state_value(rp->rate_at), 0};
	*to++ = (struct rp_state){
		"alpha_at", "ps", "the alpha timer's next expiry", rp_state_value(rp->alpha_at), 0};
	*to++ = (struct rp_state){"merge_at", "ps", "end of the merge period",
		rp_state_value(shown_merge_at(rp, now)), 0};
	*to++ = (struct rp_state){
		"increased", "", "the rate has risen since the last decrease", rp->increased, 0};
	return (unsigned)(to - row);
}
