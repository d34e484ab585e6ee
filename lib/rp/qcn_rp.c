// SPDX-License-Identifier: BSD-3-Clause
// QCN reaction point: reduction, byte counter and timer, fast recovery, active and hyper-active
// increase.
#include "qcn_rp.h"

#include <assert.h>
#include <errno.h>

#define RATE_MAX (1ull << 44) // 17.6 Tb/s: 2^16 stages of rpgHaiRate still fit 64 bits

enum { FULL, HALF };

static bool rates_ok(const struct qcn_rp_params *p)
{
	return p->max_rate <= RATE_MAX && p->min_rate >= RATE_MIN && p->min_rate <= p->max_rate &&
	       p->ai_rate <= RATE_MAX && p->hai_rate <= RATE_MAX &&
	       (!p->initial_rate ||
		       (p->initial_rate >= p->min_rate && p->initial_rate <= p->max_rate));
}

static bool cycles_ok(const struct qcn_rp_params *p)
{
	return p->time_reset_ps >= PS_PER_US && p->time_reset_ps <= 10 * PS_PER_S &&
	       p->byte_reset >= 64 && p->byte_reset <= UINT32_MAX && p->randomise_percent <= 99 &&
	       p->hai_after_ps <= 10 * PS_PER_S && p->hai_after_octets <= UINT32_MAX;
}

static bool switches_ok(const struct qcn_rp_params *p)
{
	return p->threshold >= 1 && p->threshold <= 31 && p->gd <= 16 && p->min_dec_fac >= 1 &&
	       p->min_dec_fac <= 100 && p->fr_convention <= QCN_RP_X && p->max_rps <= 100 &&
	       p->half_from <= QCN_RP_HALF_HYPER && p->target_test <= QCN_RP_BYTE_OR_TIME;
}

int qcn_rp_cfg_init(struct qcn_rp_cfg *cfg, const struct qcn_rp_params *params)
{
	const struct qcn_rp_params *p = params;

	if (!rates_ok(p) || !cycles_ok(p) || !switches_ok(p))
		return -EINVAL;
	*cfg = (struct qcn_rp_cfg){
		.p = *p,
		.initial_rate = p->initial_rate ? p->initial_rate : p->max_rate,
		.ai_from = p->fr_convention == QCN_RP_P ? p->threshold + 1 : p->threshold,
		.hai_from = p->fr_convention == QCN_RP_N ? p->threshold : p->threshold + 1,
		.hai_base = p->fr_convention == QCN_RP_N ? p->threshold - 1 : p->threshold,
		.count_first = p->fr_convention != QCN_RP_X,
	};
	for (unsigned i = FULL; i <= HALF; i++) {
		uint64_t byte = p->byte_reset >> i, time = p->time_reset_ps >> i;
		uint64_t byte_swing = byte * p->randomise_percent / 100;
		uint64_t time_swing = time * p->randomise_percent / 100;

		cfg->byte[i].least = byte - byte_swing;
		cfg->byte[i].span = 2 * byte_swing + 1;
		cfg->time[i].least = time - time_swing;
		cfg->time[i].span = 2 * time_swing + 1;
	}
	return 0;
}

void qcn_rp_init(struct qcn_rp *rp, const struct qcn_rp_cfg *cfg, struct prng *rng)
{
	*rp = (struct qcn_rp){
		.cfg = cfg,
		.rng = rng,
		.rc = cfg->initial_rate,
		.rt = cfg->initial_rate,
		.bytes_left = INT64_MAX,
		.loaded = INT64_MAX,
		.time_at = TSTAMP_NEVER,
	};
}

static uint64_t drawn(struct qcn_rp *rp, uint64_t least, uint64_t span)
{
	return span > 1 ? least + prng_below(rp->rng, span) : least;
}

// Returns the length of a counter's cycle: FULL, or HALF once the stage has reached the threshold.
static unsigned length_of(const struct qcn_rp *rp, uint16_t stage)
{
	unsigned least = rp->byte_stage < rp->time_stage ? rp->byte_stage : rp->time_stage;
	unsigned reached = rp->cfg->p.half_from == QCN_RP_HALF_HYPER ? least : stage;

	return reached >= rp->cfg->p.threshold ? HALF : FULL;
}

static void create(struct qcn_rp *rp, tstamp now)
{
	rp->active = true;
	rp->created++;
	rp->since = now;
	rp->byte_stage = 0;
	rp->bytes_left = (int64_t)rp->cfg->p.byte_reset;
}

void qcn_rp_start(struct qcn_rp *rp, tstamp now)
{
	if (rp->created || rp->rc == rp->cfg->p.max_rate)
		return;
	create(rp, now);
	rp->time_at = tstamp_add(now, rp->cfg->p.time_reset_ps);
	rp->loaded = rp->bytes_left;
	rp->cut_at = now;
	rp->at = now;
}

// rpCurrentRate has reached rpgMaxRate: the limiter goes. The MIB's rates are whole Mb/s, so a rate
// that lacks less than one has reached it; halving the distance never would.
static void release_at_max(struct qcn_rp *rp)
{
	const rate_t max = rp->cfg->p.max_rate;

	if (max - rp->rc >= RATE_MBPS)
		return;
	rp->rc = max;
	rp->rt = max;
	rp->active = false;
	rp->active_ps += tstamp_since(rp->at, rp->since);
	rp->byte_stage = 0;
	rp->time_stage = 0;
	rp->bytes_left = INT64_MAX;
	rp->time_at = TSTAMP_NEVER;
}

// crate = max(crate f, rpgMinRate), f = max(rpgMinDecFac / 100, 1 - QntzFb Gd).
static rate_t reduced(const struct qcn_rp_params *p, rate_t rc, unsigned qntzfb)
{
	rate_t least = rc * p->min_dec_fac / 100, whole = 1ull << p->gd;
	rate_t cut = qntzfb < whole ? rc * (whole - qntzfb) >> p->gd : 0;

	cut = cut > least ? cut : least;
	return cut > p->min_rate ? cut : p->min_rate;
}

enum rp_event qcn_rp_cnm(struct qcn_rp *rp, unsigned qntzfb, tstamp now)
{
	const struct qcn_rp_params *p = &rp->cfg->p;
	bool by_time = p->target_test == QCN_RP_BYTE_OR_TIME && rp->time_stage;
	rate_t rc;

	assert(rp->time_at > now);
	if (!qntzfb)
		return RP_NONE;
	if (!rp->active) {
		create(rp, now);
	} else if (rp->byte_stage || by_time) {
		rp->rt = rp->rc; // the rate before the reduction: what fast recovery goes back to
		rp->bytes_left = (int64_t)p->byte_reset;
	}
	rc = reduced(p, rp->rc, qntzfb < 63 ? qntzfb : 63);
	rp->fell = rc < rp->rc;
	rp->rc = rc;
	rp->byte_stage = 0;
	rp->time_stage = 0;
	rp->time_at = tstamp_add(now, p->time_reset_ps);
	rp->loaded = rp->bytes_left;
	rp->cut_at = now;
	rp->at = now;
	return RP_DECREASE;
}

// Whether enough time has passed and enough was sent since the last CNM for hyper-active increase.
static bool may_hyper(const struct qcn_rp *rp)
{
	const struct qcn_rp_params *p = &rp->cfg->p;

	return tstamp_since(rp->at, rp->cut_at) >= p->hai_after_ps &&
	       rp->loaded - rp->bytes_left >= (int64_t)p->hai_after_octets;
}

// The phase that these stages give, as a distance from fast recovery's event, and its R_i.
static unsigned phase_of(const struct qcn_rp *rp, uint32_t byte, uint32_t time, rate_t *ri)
{
	const struct qcn_rp_cfg *cfg = rp->cfg;
	uint32_t most = byte > time ? byte : time, least = byte < time ? byte : time;

	*ri = 0;
	if (most < cfg->ai_from)
		return 0;
	*ri = cfg->p.ai_rate;
	if (least < cfg->hai_from || !may_hyper(rp))
		return 1;
	*ri = cfg->p.hai_rate * (least - cfg->hai_base);
	return 2;
}

// Increases the rates. In the first cycle trate becomes an eighth if it is far above crate (extra
// fast recovery), else it grows by R_i. Then crate = (crate + trate) / 2.
static enum rp_event increase_crate(struct qcn_rp *rp, uint16_t *stage, enum rp_event fast_recovery)
{
	uint32_t byte = rp->byte_stage, time = rp->time_stage;
	unsigned phase;
	rate_t ri;

	*stage += *stage < UINT16_MAX;
	if (rp->cfg->count_first) {
		byte = rp->byte_stage;
		time = rp->time_stage;
	}
	phase = phase_of(rp, byte, time, &ri);
	if ((rp->byte_stage == 1 || rp->time_stage == 1) && rp->rt > 10 * rp->rc)
		rp->rt /= 8;
	else
		rp->rt += ri;
	if (rp->rt > rp->cfg->p.max_rate)
		rp->rt = rp->cfg->p.max_rate;
	rp->rc = (rp->rc + rp->rt) / 2;
	release_at_max(rp);
	return fast_recovery + phase;
}

enum rp_event qcn_rp_byte_counter(struct qcn_rp *rp, tstamp now)
{
	enum rp_event e;
	unsigned i;
	int64_t load;

	if (!rp->active) {
		rp->bytes_left = INT64_MAX;
		return RP_NONE;
	}
	assert(rp->time_at > now);
	rp->at = now;
	e = increase_crate(rp, &rp->byte_stage, RP_BC_FAST_RECOVERY);
	if (!rp->active)
		return e;
	i = length_of(rp, rp->byte_stage);
	load = (int64_t)drawn(rp, rp->cfg->byte[i].least, rp->cfg->byte[i].span);
	rp->loaded += load - rp->bytes_left;
	rp->bytes_left = load; // bytes beyond the cycle are not carried over
	return e;
}

enum rp_event qcn_rp_expire(struct qcn_rp *rp, tstamp now)
{
	enum rp_event e;
	unsigned i;

	if (rp->time_at > now)
		return RP_NONE;
	rp->at = rp->time_at;
	e = increase_crate(rp, &rp->time_stage, RP_T_FAST_RECOVERY);
	if (!rp->active)
		return e;
	i = length_of(rp, rp->time_stage);
	rp->time_at += drawn(rp, rp->cfg->time[i].least, rp->cfg->time[i].span);
	return e;
}

bool qcn_rp_same(const struct qcn_rp_cfg *one, const struct qcn_rp_cfg *two)
{
	const struct qcn_rp_params *a = &one->p, *b = &two->p;

	return RP_SAME(max_rate) && RP_SAME(initial_rate) && RP_SAME(min_rate) &&
	       RP_SAME(ai_rate) && RP_SAME(hai_rate) && RP_SAME(time_reset_ps) &&
	       RP_SAME(byte_reset) && RP_SAME(threshold) && RP_SAME(gd) && RP_SAME(min_dec_fac) &&
	       RP_SAME(randomise_percent) && RP_SAME(fr_convention) && RP_SAME(half_from) &&
	       RP_SAME(target_test) && RP_SAME(hai_after_ps) && RP_SAME(hai_after_octets) &&
	       RP_SAME(max_rps);
}

bool qcn_rp_may_adopt(const struct qcn_rp_cfg *was, const struct qcn_rp_cfg *to)
{
	return was->p.max_rate == to->p.max_rate && was->initial_rate == to->initial_rate &&
	       was->p.max_rps == to->p.max_rps;
}

void qcn_rp_adopt(struct qcn_rp *rp, const struct qcn_rp_cfg *cfg, tstamp now)
{
	int64_t bytes = (int64_t)(cfg->byte[FULL].least + cfg->byte[FULL].span - 1);
	tstamp time = cfg->time[FULL].least + cfg->time[FULL].span - 1;

	assert(qcn_rp_may_adopt(rp->cfg, cfg));
	rp->cfg = cfg;
	if (rp->rc < cfg->p.min_rate)
		rp->rc = cfg->p.min_rate;
	if (rp->rt < rp->rc)
		rp->rt = rp->rc;
	if (!rp->active)
		return;
	rp->time_at = tstamp_min(rp->time_at, now + time);
	if (rp->bytes_left > bytes) {
		rp->loaded -= rp->bytes_left - bytes;
		rp->bytes_left = bytes;
	}
	rp->at = now;
	release_at_max(rp);
}

unsigned qcn_rp_states(const struct qcn_rp *rp, struct rp_state *row)
{
	struct rp_state *to = row;

	*to++ = (struct rp_state){
		"target_rate", "bit/s", "rpTargetRate", rp_state_value(rp->rt), 0};
	*to++ = (struct rp_state){"limiter", "", "the rate limiter exists", rp->active, 0};
	*to++ = (struct rp_state){"time_stage", "", "rpTimeStage", rp->time_stage, 0};
	*to++ = (struct rp_state){"byte_stage", "", "rpByteStage", rp->byte_stage, 0};
	*to++ = (struct rp_state){"bytes_left", "bytes",
		"rpByteCount: until the byte counter's cycle ends; none: no limiter",
		rp->active ? rp->bytes_left : RP_STATE_NONE, 0};
	*to++ = (struct rp_state){
		"timer_at", "ps", "end of the timer's cycle", rp_state_value(rp->time_at), 0};
	*to++ = (struct rp_state){"cut_at", "ps", "of the last CNM, or the limited start",
		rp->created ? rp_state_value(rp->cut_at) : RP_STATE_NONE, 0};
	return (unsigned)(to - row);
}
