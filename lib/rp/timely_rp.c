// SPDX-License-Identifier: BSD-3-Clause
// The TIMELY reaction point: additive increase below T_low, decrease above T_high, and the gradient
// decides between them. Only the reference simulator's rules use doubles, because the simulator
// does.
#include "timely_rp.h"

#include <assert.h>
#include <errno.h>

#include "base/fixed.h"

#define ONE_Q60   (1ull << 60)
#define RATE_MAX  (1ull << 44)
#define RTT_MAX   PS_PER_S // a longer one counts as this, so that differences fit
#define HAI_AFTER 5

_Static_assert(sizeof(struct timely_rp) <= 64, "a reaction point fits a cache line");

void timely_rp_defaults(struct timely_rp_params *params, rate_t line_rate, bool simulator)
{
	*params = (struct timely_rp_params){
		.simulator = simulator,
		.line_rate = line_rate,
		// of the paper's mode: a segment takes at most 1.3 ms
		.min_rate = (simulator ? 1000 : 100) * RATE_MBPS,
		.delta = simulator ? line_rate / 1000 : 10 * RATE_MBPS,
		.n = 5,
		.alpha = 0.875,
		.beta = 0.8,
		.t_low_ps = 50 * PS_PER_US,
		.t_high_ps = 500 * PS_PER_US,
		.min_rtt_ps = 20 * PS_PER_US,
		.segment = 16384,
	};
	if (params->min_rate > line_rate)
		params->min_rate = line_rate;
}

static bool time_ok(tstamp t)
{
	return t >= PS_PER_US && t <= PS_PER_S;
}

static bool share_ok(double x)
{
	return x >= 0 && x <= 1; // not a number fails too
}

int timely_rp_cfg_init(struct timely_rp_cfg *cfg, const struct timely_rp_params *params)
{
	const struct timely_rp_params *p = params;

	if (p->line_rate > RATE_MAX || p->min_rate < RATE_MIN || p->min_rate > p->line_rate ||
		p->delta > RATE_MAX || p->n < 1 || p->n > 1000)
		return -EINVAL;
	if (!share_ok(p->alpha) || !share_ok(p->beta))
		return -EINVAL;
	if (!time_ok(p->t_high_ps) || p->t_low_ps > p->t_high_ps || !time_ok(p->min_rtt_ps) ||
		p->segment < 1 || p->segment > 1u << 30)
		return -EINVAL;
	*cfg = (struct timely_rp_cfg){
		.p = *p,
		.alpha = (uint64_t)(p->alpha * 0x1p60),
		.beta = (uint64_t)(p->beta * 0x1p60),
		.beta_per_ps = (uint64_t)(p->beta * 0x1p80 / (double)p->min_rtt_ps),
	};
	return 0;
}

void timely_rp_init(struct timely_rp *rp, const struct timely_rp_cfg *cfg)
{
	*rp = (struct timely_rp){.cfg = cfg, .rate = cfg->p.line_rate};
	if (cfg->p.simulator)
		rp->diff.ieee = 0;
}

bool timely_rp_same(const struct timely_rp_cfg *one, const struct timely_rp_cfg *two)
{
	const struct timely_rp_params *a = &one->p, *b = &two->p;

	return RP_SAME(simulator) && RP_SAME(line_rate) && RP_SAME(min_rate) && RP_SAME(delta) &&
	       RP_SAME(n) && RP_SAME(alpha) && RP_SAME(beta) && RP_SAME(t_low_ps) &&
	       RP_SAME(t_high_ps) && RP_SAME(min_rtt_ps) && RP_SAME(segment);
}

bool timely_rp_may_adopt(const struct timely_rp_cfg *was, const struct timely_rp_cfg *to)
{
	return was->p.simulator == to->p.simulator && was->p.line_rate == to->p.line_rate;
}

void timely_rp_adopt(struct timely_rp *rp, const struct timely_rp_cfg *cfg)
{
	assert(timely_rp_may_adopt(rp->cfg, cfg));
	rp->cfg = cfg;
	if (rp->rate < cfg->p.min_rate)
		rp->rate = cfg->p.min_rate;
}

static enum rp_event increase_rate(struct timely_rp *rp, bool is_hyper)
{
	const struct timely_rp_params *p = &rp->cfg->p;
	rate_t rate = rp->rate + p->delta * (is_hyper ? p->n : 1), was = rp->rate;

	rp->rate = rate < p->line_rate ? rate : p->line_rate;
	if (rp->rate == was)
		return RP_NONE;
	return is_hyper ? RP_ACK_HYPER_INCREASE : RP_ACK_ADDITIVE_INCREASE;
}

static enum rp_event decrease(struct timely_rp *rp, rate_t rate)
{
	if (rate < rp->cfg->p.min_rate)
		rate = rp->cfg->p.min_rate;
	rp->fell = rate < rp->rate;
	rp->rate = rate;
	return RP_DECREASE;
}

// Whether the simulator decreases, and by which factor.
static bool simulator_decreases(
	const struct timely_rp_params *p, uint64_t rtt, double diff, double *factor)
{
	uint64_t low = p->t_low_ps / PS_PER_NS, high = p->t_high_ps / PS_PER_NS;
	double gradient = diff / (double)(p->min_rtt_ps / PS_PER_NS);

	if (rtt < low)
		return false;
	if (rtt > high) {
		*factor = 1 - p->beta * (1 - (double)high / (double)rtt);
		return true;
	}
	*factor = 1 - p->beta * gradient;
	if (*factor < 0)
		*factor = 0;
	return gradient > 0;
}

// One decision for each flight: packets sent before the last decision do not count. The first ACK
// brings a first RTT and nothing else.
static enum rp_event simulator_ack(struct timely_rp *rp, const struct rp_ack *ack)
{
	const struct timely_rp_params *p = &rp->cfg->p;
	uint64_t rtt = ack->rtt / PS_PER_NS;
	enum rp_event e = RP_NONE;
	double factor = 0;

	if (ack->acked <= rp->last)
		return RP_NONE;
	if (rp->last) {
		double change = (double)((int64_t)rtt - (int64_t)rp->last_rtt);

		rp->diff.ieee = (1 - p->alpha) * rp->diff.ieee + p->alpha * change;
		if (simulator_decreases(p, rtt, rp->diff.ieee, &factor)) {
			e = decrease(rp, (rate_t)((double)rp->rate * factor));
			rp->stage = 0;
		} else {
			e = increase_rate(rp, rp->stage >= HAI_AFTER);
			rp->stage++;
		}
	}
	if (ack->sent > rp->last) {
		rp->last = ack->sent;
		rp->last_rtt = rtt;
	}
	return e;
}

// diff = (1 - alpha) diff + alpha (rtt - last_rtt), rounded towards 0. The first RTT has no
// predecessor: its difference is 0.
static void smooth(struct timely_rp *rp, tstamp rtt)
{
	const struct timely_rp_cfg *cfg = rp->cfg;
	__int128 change = rp->started ? ((__int128)rtt - rp->last_rtt) * 65536 : 0;
	__int128 old = rp->diff.q16;

	rp->diff.q16 =
		(int64_t)((old * (int64_t)(ONE_Q60 - cfg->alpha) + change * (int64_t)cfg->alpha) /
			  (__int128)ONE_Q60);
	rp->last_rtt = rtt;
	rp->started = true;
	rp->stage = rp->diff.q16 <= 0 ? rp->stage + 1 : 0;
	if (rp->stage > HAI_AFTER)
		rp->stage = HAI_AFTER;
}

// beta diff / min_rtt, Q0.60; a gradient above 1 counts as 1. diff is above 0.
static uint64_t gradient_cut(const struct timely_rp *rp)
{
	unsigned __int128 cut = (unsigned __int128)rp->cfg->beta_per_ps * (uint64_t)rp->diff.q16;

	cut >>= 16 + 20; // of diff and of beta_per_ps, down to Q0.60
	return cut < rp->cfg->beta ? (uint64_t)cut : rp->cfg->beta;
}

// Algorithm 1 of the paper.
static enum rp_event paper_ack(struct timely_rp *rp, const struct rp_ack *ack)
{
	const struct timely_rp_params *p = &rp->cfg->p;
	tstamp rtt = tstamp_min(ack->rtt, RTT_MAX);
	uint64_t cut;

	if (ack->acked - rp->last < p->segment)
		return RP_NONE;
	rp->last = ack->acked;
	smooth(rp, rtt);
	if (rtt < p->t_low_ps)
		return increase_rate(rp, false);
	if (rtt > p->t_high_ps)
		cut = fixed_muldiv(rp->cfg->beta, rtt - p->t_high_ps, rtt);
	else if (rp->diff.q16 <= 0)
		return increase_rate(rp, rp->stage == HAI_AFTER);
	else
		cut = gradient_cut(rp);
	return decrease(rp, fixed_mul(rp->rate, ONE_Q60 - cut, 60));
}

enum rp_event timely_rp_ack(struct timely_rp *rp, const struct rp_ack *ack)
{
	if (ack->rtt == TSTAMP_NEVER)
		return RP_NONE;
	return rp->cfg->p.simulator ? simulator_ack(rp, ack) : paper_ack(rp, ack);
}

unsigned timely_rp_states(const struct timely_rp *rp, struct rp_state *row)
{
	const bool simulator = rp->cfg->p.simulator;
	uint64_t rtt = simulator ? rp->last_rtt * PS_PER_NS : rp->last_rtt;
	struct rp_state *to = row;

	*to++ = (struct rp_state){"last_rtt", "ps", "of the last decision; none: there was none",
		rp->started || rp->last ? rp_state_value(rtt) : RP_STATE_NONE, 0};
	*to++ = (struct rp_state){"diff", "ps", "the smoothed difference of two RTTs",
		simulator ? (int64_t)(rp->diff.ieee * 1000 * 65536) : rp->diff.q16, 16};
	*to++ = (struct rp_state){
		"stage", "", "decisions in a row that may lead to hyper increase", rp->stage, 0};
	*to++ = (struct rp_state){"last", "bytes",
		"since the start: acknowledged at the last decision; in the simulator sent",
		rp_state_value(rp->last), 0};
	return (unsigned)(to - row);
}
