// SPDX-License-Identifier: BSD-3-Clause
// The DCQCN reaction point's engine: cuts, fast recovery, additive and hyper increase, lazy timers.
#include "dcqcn_rp.h"

#include <assert.h>

#include "base/fixed.h"

void dcqcn_rp_init(struct dcqcn_rp *rp, const struct dcqcn_rp_cfg *cfg)
{
	*rp = (struct dcqcn_rp){
		.cfg = cfg,
		.rc = cfg->initial_rate,
		.rt = cfg->initial_rate,
		.alpha = cfg->initial_alpha,
		.bytes_left = DCQCN_RP_NO_BYTES, // the byte counter starts with the first cut
		.alpha_at = TSTAMP_NEVER,
		.rate_at = TSTAMP_NEVER,
	};
}

static rate_t whole(const struct dcqcn_rp *rp, rate_t rate)
{
	return rp->cfg->p.rate_unit == 1 ? rate : rate - rate % rp->cfg->p.rate_unit;
}

// (RT + RC) / 2. Where each half is rounded down by itself RC stays one bit/s below RT for ever, as
// in the simulator that does so.
static rate_t rate_after_increase(const struct dcqcn_rp *rp)
{
	rate_t rc = rp->rc, rt = rp->rt;

	if (rp->cfg->p.halves_down)
		return rc / 2 + rt / 2;
	return rp_halfway(rc, rt, rp->cfg->p.rate_unit);
}

// Returns whether no increase can change the rate any more.
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

bool dcqcn_rp_same(const struct dcqcn_rp_cfg *one, const struct dcqcn_rp_cfg *two)
{
	const struct dcqcn_rp_params *a = &one->p, *b = &two->p;

	return RP_SAME(line_rate) && RP_SAME(initial_rate) && RP_SAME(min_rate) &&
	       RP_SAME(ai_rate) && RP_SAME(hai_rate) && RP_SAME(g) && RP_SAME(initial_alpha) &&
	       RP_SAME(alpha_timer_ps) && RP_SAME(rate_timer_ps) && RP_SAME(cut_interval_ps) &&
	       RP_SAME(byte_counter) && RP_SAME(f) && RP_SAME(fr_convention) &&
	       RP_SAME(hai_progressive) && RP_SAME(alpha_order) && RP_SAME(clamp_target) &&
	       RP_SAME(reaction) && RP_SAME(first_cnp) && RP_SAME(first_cnp_rate) &&
	       RP_SAME(cut_shift) && RP_SAME(min_dec_fac) && RP_SAME(alpha_bits) &&
	       RP_SAME(rate_unit) && RP_SAME(halves_down);
}

bool dcqcn_rp_may_adopt(const struct dcqcn_rp_cfg *was, const struct dcqcn_rp_cfg *to)
{
	const struct dcqcn_rp_params *a = &was->p, *b = &to->p;

	return a->line_rate == b->line_rate && was->initial_rate == to->initial_rate &&
	       a->reaction == b->reaction && a->first_cnp == b->first_cnp &&
	       a->alpha_bits == b->alpha_bits && a->rate_unit == b->rate_unit &&
	       a->halves_down == b->halves_down;
}

// RC (1 - alpha / 2^cut_shift), not below min_dec_fac percent of RC. In units of 1 bit/s the rate
// is rounded down, in larger ones the cut is (standards.md 4.4 items 2 and 6).
static rate_t rate_after_cut(const struct dcqcn_rp *rp, uint64_t alpha)
{
	const struct dcqcn_rp_params *p = &rp->cfg->p;
	unsigned shift = 60 + p->cut_shift;
	rate_t rc = rp->rc;

	if (p->rate_unit == 1) {
		rate_t left = fixed_mul(rc, (1ull << shift) - alpha, shift);
		rate_t least = rc * p->min_dec_fac / 100;

		return left < least ? least : left;
	}

	rate_t cut = whole(rp, fixed_mul(rc, alpha, shift));
	rate_t most = whole(rp, rc * (100 - p->min_dec_fac) / 100);

	return rc - (cut < most ? cut : most);
}

// RT = RC as clamp_target says, RC is cut, T = BC = 0, timer and byte counter restart.
static void cut_rate(struct dcqcn_rp *rp, uint64_t alpha, tstamp at)
{
	const struct dcqcn_rp_params *p = &rp->cfg->p;

	rate_t rc = rate_after_cut(rp, alpha);

	if (rp_lowers_target(p->clamp_target, rp->increased, rp->bc_stage))
		rp->rt = rp->rc;
	if (rc < p->min_rate)
		rc = p->min_rate;
	rp->fell = rc < rp->rc;
	rp->rc = rc;
	rp->t_stage = 0;
	rp->bc_stage = 0;
	rp->increased = false;
	rp->bytes_left = rp->cfg->byte_counter;
	rp->rate_at = tstamp_add(at, p->rate_timer_ps);
}

// One expiry of T or BC: RT += R_AI or i R_HAI outside fast recovery, then RC goes halfway to it.
static enum rp_event increase_rc(struct dcqcn_rp *rp, bool timer)
{
	const struct dcqcn_rp_cfg *cfg = rp->cfg;
	rate_t rt = rp->rt;
	uint64_t add;
	enum rp_phase phase = rp_increase(&cfg->stages, rp->t_stage, rp->bc_stage, timer, &add);

	if (timer)
		rp->t_stage = rp_stage_plus(rp->t_stage, 1);
	else
		rp->bc_stage = rp_stage_plus(rp->bc_stage, 1);
	rt += add;
	rp->rt = rt < cfg->p.line_rate ? rt : cfg->p.line_rate;
	rp->rc = rate_after_increase(rp);
	rp->increased = true;
	return rp_increase_event(timer, phase);
}

enum rp_event dcqcn_rp_byte_counter(struct dcqcn_rp *rp)
{
	if (rp->cfg->byte_counter == DCQCN_RP_NO_BYTES || !rp->counts) { // that many have been sent
		rp->bytes_left = DCQCN_RP_NO_BYTES;
		return RP_NONE;
	}
	rp->bytes_left += rp->cfg->byte_counter;
	if (at_rest(rp)) {
		rp->bc_stage = rp_stage_plus(rp->bc_stage, 1);
		rp->increased = true;
		return RP_NONE;
	}
	return increase_rc(rp, false);
}

static bool steps_are_rounded(const struct dcqcn_rp_cfg *cfg)
{
	return cfg->alpha_mask != UINT64_MAX;
}

// alpha (1 - g)^n, n up to DCQCN_RP_TICKS
static uint64_t decayed(const struct dcqcn_rp_cfg *cfg, uint64_t alpha, unsigned n)
{
	uint64_t near = cfg->power[n % DCQCN_RP_POWERS], far = cfg->far_power[n / DCQCN_RP_POWERS];

	return fixed_mul(alpha, fixed_mul(near, far, 63), 63);
}

static uint64_t alpha_now(const struct dcqcn_rp *rp)
{
	return decayed(rp->cfg, rp->alpha, rp->ticks);
}

// n instants of alpha's timer pass without a CNP. Steps that are rounded end where alpha rounds to
// itself.
static void decay(struct dcqcn_rp *rp, uint64_t n)
{
	const struct dcqcn_rp_cfg *cfg = rp->cfg;
	uint64_t alpha = rp->alpha, before = alpha + 1;

	if (steps_are_rounded(cfg)) {
		for (; n && alpha != before; n--) {
			before = alpha;
			alpha = fixed_mul(alpha, cfg->one_minus_g, 60) & cfg->alpha_mask;
		}
	} else {
		for (n += rp->ticks; n >= DCQCN_RP_TICKS && alpha; n -= DCQCN_RP_TICKS)
			alpha = decayed(cfg, alpha, DCQCN_RP_TICKS);
		rp->ticks = n % DCQCN_RP_TICKS;
	}
	rp->alpha = alpha;
}

// (1 - g) alpha + g
static void raise_alpha(struct dcqcn_rp *rp)
{
	uint64_t alpha;

	decay(rp, 1);
	alpha = alpha_now(rp) + rp->cfg->g;
	rp->alpha = alpha < rp->cfg->alpha_max ? alpha : rp->cfg->alpha_max;
	rp->ticks = 0;
}

// Lets n instants (at least one) of alpha's timer pass. A CNP that was flagged raises alpha at the
// first of them.
static void alpha_instants(struct dcqcn_rp *rp, uint64_t n)
{
	if (rp->cnp_alpha) {
		raise_alpha(rp);
		rp->cnp_alpha = false;
		n--;
	}
	decay(rp, n);
}

// Brings alpha up to `now`. It is not updated at each instant, because nothing reads it in between.
static void catch_up_alpha(struct dcqcn_rp *rp, tstamp now)
{
	if (rp->alpha_at <= now)
		alpha_instants(rp, rp_skip(&rp->alpha_at, rp->cfg->p.alpha_timer_ps, now));
}

// The decrease timer; without a CNP since its last instant it does nothing, and dcqcn_rp_cnp
// catches up with it.
static tstamp cut_due(const struct dcqcn_rp *rp)
{
	return rp->cnp_cut ? rp->cut_at : TSTAMP_NEVER;
}

// Q0.60: if an instant takes at least this much of alpha, the rounding of two powers and two
// products cannot hide the change.
#define SURE_MOVE 4

static bool moves_surely(const struct dcqcn_rp *rp, uint64_t alpha)
{
	return fixed_mul(alpha, rp->cfg->g, 60) >= SURE_MOVE;
}

// Like decay(), and returns at how many of the n instants alpha changed. If steps are not rounded
// and alpha is not near 0, it changes at all of them.
static uint64_t decay_counted(struct dcqcn_rp *rp, uint64_t n)
{
	const bool rounded = steps_are_rounded(rp->cfg);
	uint64_t moves = 0, ticks = rp->ticks + n;

	if (!rounded && ticks < DCQCN_RP_TICKS &&
		moves_surely(rp, decayed(rp->cfg, rp->alpha, (unsigned)ticks))) {
		rp->ticks = (unsigned)ticks;
		return n;
	}
	// The powers of 1 - g are rounded, so a value that was 0 by them may be 1 again. Only alpha
	// itself being 0 ends the decay.
	while (n && rp->alpha) {
		uint64_t before = alpha_now(rp), part = n < DCQCN_RP_TICKS ? n : DCQCN_RP_TICKS;
		struct dcqcn_rp then = *rp;

		if (!rounded)
			decay(&then, part);
		if (rounded || !moves_surely(rp, alpha_now(&then))) {
			then = *rp;
			part = 1;
			decay(&then, part);
		}
		*rp = then;
		n -= part;
		if (alpha_now(rp) != before)
			moves += part;
		else if (rounded)
			break;
	}
	decay(rp, n);
	return moves;
}

uint64_t dcqcn_rp_alpha_moves(struct dcqcn_rp *rp, tstamp now)
{
	tstamp until = tstamp_min(now, cut_due(rp));
	uint64_t n, raises = rp->cnp_alpha;

	if (rp->alpha_at > until)
		return 0;
	n = rp_skip(&rp->alpha_at, rp->cfg->p.alpha_timer_ps, until);
	if (raises) {
		raise_alpha(rp);
		rp->cnp_alpha = false;
	}
	return raises + decay_counted(rp, n - raises);
}

uint64_t dcqcn_rp_alpha(const struct dcqcn_rp *rp, tstamp at)
{
	struct dcqcn_rp then = *rp;

	catch_up_alpha(&then, at);
	return alpha_now(&then);
}

// Lets one instant of alpha's timer pass and returns RP_ALPHA if alpha changed. Once alpha does not
// change any more, idle time costs one division.
static enum rp_event alpha_expire(struct dcqcn_rp *rp, tstamp now, tstamp *at)
{
	tstamp due = rp->alpha_at;
	uint64_t before = alpha_now(rp);
	bool raised = rp->cnp_alpha;

	rp->alpha_at += rp->cfg->p.alpha_timer_ps;
	alpha_instants(rp, 1);
	if (raised || alpha_now(rp) != before) {
		*at = due;
		return RP_ALPHA;
	}
	if (steps_are_rounded(rp->cfg) || !rp->alpha)
		catch_up_alpha(rp, now);
	return RP_NONE;
}

static enum rp_event rate_expire(struct dcqcn_rp *rp, tstamp now, tstamp *at)
{
	if (at_rest(rp)) {
		uint64_t n = rp_skip(&rp->rate_at, rp->cfg->p.rate_timer_ps, now);

		rp->t_stage = rp_stage_plus(rp->t_stage, n);
		rp->increased = true;
		return RP_NONE;
	}
	*at = rp->rate_at;
	rp->rate_at += rp->cfg->p.rate_timer_ps;
	return increase_rc(rp, true);
}

static enum rp_event cut_expire(struct dcqcn_rp *rp, tstamp *at)
{
	*at = rp->cut_at;
	catch_up_alpha(rp, rp->cut_at);
	cut_rate(rp, alpha_now(rp), rp->cut_at);
	rp->cut_at += rp->cfg->p.cut_interval_ps;
	rp->cnp_cut = false;
	return RP_DECREASE;
}

enum rp_event dcqcn_rp_expire(struct dcqcn_rp *rp, tstamp now, tstamp *at, bool with_alpha)
{
	enum rp_event e = RP_NONE;

	while (e == RP_NONE) {
		tstamp alpha_at = with_alpha ? rp->alpha_at : TSTAMP_NEVER;

		switch (rp_timer_due(alpha_at, rp->rate_at, cut_due(rp), now)) {
		case RP_TIMER_ALPHA:
			e = alpha_expire(rp, now, at);
			break;
		case RP_TIMER_RATE:
			e = rate_expire(rp, now, at);
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

// n times RT grows by `add`, which keeps it within the line's rate, and RC goes halfway to it.
static void repeat(struct dcqcn_rp *rp, uint64_t add, uint64_t n)
{
	rate_t rc = rp->rc, rt = rp->rt, before = rc + 1;

	if (rp->cfg->p.rate_unit == 1 && !rp->cfg->p.halves_down) {
		rp->rt = rt + n * add;
		rp->rc = rp->rt - rp_distance(rt - rc, add, n);
		return;
	}
	for (; n && (add || rc != before); n--) {
		before = rc;
		rp->rt += add;
		rp->rc = rc = rate_after_increase(rp);
	}
}

// n expiries of T in a row; stretches in which each expiry adds the same to RT are computed at
// once.
static void climb(struct dcqcn_rp *rp, uint64_t n)
{
	const struct dcqcn_rp_cfg *cfg = rp->cfg;

	rp->increased = true;
	while (n) {
		rate_t room = cfg->p.line_rate - rp->rt;
		uint64_t part = n, add = 0;

		if (room)
			part = rp_alike(&cfg->stages, rp->t_stage, rp->bc_stage, n, &add);
		if (add > room) {
			add = room;
			part = 1;
		} else if (add && part > room / add) {
			part = room / add;
		}
		repeat(rp, add, part);
		rp->t_stage = rp_stage_plus(rp->t_stage, part);
		n -= part;
	}
}

enum rp_event dcqcn_rp_catch_up(struct dcqcn_rp *rp, tstamp now, tstamp *at)
{
	tstamp cut_at = cut_due(rp), until = tstamp_min(now, cut_at);

	if (rp->rate_at <= until)
		climb(rp, rp_skip(&rp->rate_at, rp->cfg->p.rate_timer_ps, until));
	return cut_at <= now ? cut_expire(rp, at) : RP_NONE;
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
		rp_skip(&rp->cut_at, rp->cfg->p.cut_interval_ps, now);
	rp->cnp_cut = true;
	rp->cnp_alpha = true;
	return RP_CNP;
}

enum rp_event dcqcn_rp_cnp(struct dcqcn_rp *rp, tstamp now)
{
	const struct dcqcn_rp_cfg *cfg = rp->cfg;
	uint64_t before;

	assert(rp->rate_at > now && cut_due(rp) > now);
	catch_up_alpha(rp, now);
	if (cfg->p.reaction == RP_TIMED)
		return cnp_timed(rp, now);
	if (now < rp->cut_at)
		return RP_CNP;
	before = alpha_now(rp);
	raise_alpha(rp);
	cut_rate(rp, cfg->p.alpha_order == RP_ALPHA_FIRST ? rp->alpha : before, now);
	rp->active = rp->counts = true;
	rp->alpha_at = now + cfg->p.alpha_timer_ps;
	rp->cut_at = now + cfg->p.cut_interval_ps;
	return RP_DECREASE;
}

// With another g the alpha of this instant is written down, because the new g must not count
// earlier. Until its first CNP a reaction point has the initial alpha.
static void adopt_alpha(struct dcqcn_rp *rp, const struct dcqcn_rp_cfg *cfg, tstamp now)
{
	catch_up_alpha(rp, now);
	if (!rp->active) {
		rp->alpha = cfg->initial_alpha;
	} else if (rp->cfg->one_minus_g != cfg->one_minus_g) {
		rp->alpha = alpha_now(rp);
		rp->ticks = 0;
	}
	rp->alpha_at =
		rp_rearm(rp->alpha_at, rp->cfg->p.alpha_timer_ps, cfg->p.alpha_timer_ps, now);
}

static void adopt_cut_timer(struct dcqcn_rp *rp, const struct dcqcn_rp_cfg *cfg, tstamp now)
{
	tstamp old = rp->cfg->p.cut_interval_ps;

	if (!rp->active)
		return;
	if (cfg->p.reaction == RP_TIMED && rp->cut_at <= now)
		rp_skip(&rp->cut_at, old, now);
	if (rp->cut_at > now)
		rp->cut_at = rp_rearm(rp->cut_at, old, cfg->p.cut_interval_ps, now);
}

// One that was off begins now, if increases go on.
static void adopt_rate_timer(struct dcqcn_rp *rp, const struct dcqcn_rp_cfg *cfg, tstamp now)
{
	tstamp old = rp->cfg->p.rate_timer_ps, period = cfg->p.rate_timer_ps;

	if (old == TSTAMP_NEVER && rp->counts)
		rp->rate_at = tstamp_add(now, period);
	else
		rp->rate_at = rp_rearm(rp->rate_at, old, period, now);
}

static void adopt_byte_counter(struct dcqcn_rp *rp, const struct dcqcn_rp_cfg *cfg)
{
	int64_t old = rp->cfg->byte_counter, counted = old - rp->bytes_left;
	int64_t left = cfg->byte_counter;

	if (!rp->counts || old == left)
		return;
	if (old != DCQCN_RP_NO_BYTES && left != DCQCN_RP_NO_BYTES)
		left = counted < left ? left - counted : 0;
	rp->bytes_left = left;
}

void dcqcn_rp_adopt(struct dcqcn_rp *rp, const struct dcqcn_rp_cfg *cfg, tstamp now)
{
	assert(dcqcn_rp_may_adopt(rp->cfg, cfg));
	adopt_alpha(rp, cfg, now);
	adopt_cut_timer(rp, cfg, now);
	adopt_rate_timer(rp, cfg, now);
	adopt_byte_counter(rp, cfg);
	rp->cfg = cfg;
	if (rp->rc < cfg->p.min_rate)
		rp->rc = cfg->p.min_rate;
	if (rp->rt < rp->rc)
		rp->rt = rp->rc;
}

tstamp dcqcn_rp_deadline(const struct dcqcn_rp *rp)
{
	return tstamp_min(at_rest(rp) ? TSTAMP_NEVER : rp->rate_at, cut_due(rp));
}

// Returns the next instant at which alpha's value changes. Near 0 the value may outlast several
// instants of alpha's timer.
static tstamp alpha_moves_at(const struct dcqcn_rp *rp)
{
	const uint64_t alpha = alpha_now(rp);
	struct dcqcn_rp then = *rp;

	if (rp->alpha_at == TSTAMP_NEVER || rp->cnp_alpha)
		return rp->alpha_at;
	while (alpha) {
		decay(&then, 1);
		if (alpha_now(&then) != alpha)
			return then.alpha_at;
		if (steps_are_rounded(rp->cfg))
			break;
		then.alpha_at += rp->cfg->p.alpha_timer_ps;
	}
	return TSTAMP_NEVER;
}

tstamp dcqcn_rp_next(const struct dcqcn_rp *rp)
{
	return tstamp_min(dcqcn_rp_deadline(rp), alpha_moves_at(rp));
}

// TIMED: the next decrease instant. ON_CNP: the end of the interval in which CNPs are ignored.
static tstamp shown_cut_at(const struct dcqcn_rp *rp, tstamp now)
{
	const struct dcqcn_rp_params *p = &rp->cfg->p;

	if (!rp->active)
		return TSTAMP_NEVER;
	if (p->reaction == RP_TIMED)
		return rp_state_next(rp->cut_at, p->cut_interval_ps, now);
	return rp->cut_at > now ? rp->cut_at : TSTAMP_NEVER;
}

unsigned dcqcn_rp_states(const struct dcqcn_rp *rp, struct rp_state *row, tstamp now)
{
	const struct dcqcn_rp_params *p = &rp->cfg->p;
	bool counts = p->byte_counter && rp->bytes_left <= rp->cfg->byte_counter;
	struct rp_state *to = row;

	*to++ = (struct rp_state){"target_rate", "bit/s", "Rt", rp_state_value(rp->rt), 0};
	*to++ = (struct rp_state){"alpha", "", "alpha",
		(int64_t)(dcqcn_rp_alpha(rp, now) >> (60 - p->alpha_bits)), (uint8_t)p->alpha_bits};
	*to++ = (struct rp_state){
		"t_stage", "", "T: expiries of the timer since the last decrease", rp->t_stage, 0};
	*to++ = (struct rp_state){"bc_stage", "",
		"BC: expiries of the byte counter since the last decrease", rp->bc_stage, 0};
	*to++ = (struct rp_state){"bytes_left", "bytes",
		"until the byte counter expires; none: it is off",
		counts ? (int64_t)rp->bytes_left : RP_STATE_NONE, 0};
	*to++ = (struct rp_state){"timer_at", "ps", "the increase timer's next expiry",
		rp_state_value(rp->rate_at), 0};
	*to++ = (struct rp_state){
		"alpha_at", "ps", "the alpha timer's next expiry", rp_state_value(rp->alpha_at), 0};
	*to++ = (struct rp_state){"cut_at", "ps",
		"timed: the decrease timer's next expiry; on_cnp: until then CNPs are ignored",
		rp_state_value(shown_cut_at(rp, now)), 0};
	*to++ = (struct rp_state){"cnp_alpha", "",
		"timed: a CNP has come since the last alpha instant", rp->cnp_alpha, 0};
	*to++ = (struct rp_state){"cnp_cut", "",
		"timed: a CNP has come since the last decrease instant", rp->cnp_cut, 0};
	*to++ = (struct rp_state){
		"increased", "", "the rate has risen since the last decrease", rp->increased, 0};
	return (unsigned)(to - row);
}
