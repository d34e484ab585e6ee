// SPDX-License-Identifier: BSD-3-Clause
// The DCTCP reaction point: the marks of a window give alpha, and alpha gives the cut. Only the
// reference simulator's rules use doubles, because the simulator does.
#include "dctcp_rp.h"

#include <assert.h>
#include <errno.h>

#include "base/fixed.h"

#define ONE_Q60   (1ull << 60)
#define RATE_MAX  (1ull << 44)
#define NOT_KNOWN UINT64_MAX // cut_end: set by the next ACK

#define WINDOW_MAX DCTCP_RP_BDP_MAX // twice as much still fits the counter of credit

_Static_assert(sizeof(struct dctcp_rp) <= 64, "a reaction point fits a cache line");

void dctcp_rp_defaults(struct dctcp_rp_params *params, rate_t line_rate, bool simulator)
{
	*params = (struct dctcp_rp_params){
		.simulator = simulator,
		.line_rate = line_rate,
		.g = 1.0 / 16,
		.mtu = simulator ? 1000 : 1024,
		.bdp = line_rate / RATE_MBPS, // bits of 1 us are bytes of 8 us
		.min_rate = 1000 * RATE_MBPS,
		.ai_rate = 615 * RATE_MBPS,
	};
	if (params->min_rate > line_rate)
		params->min_rate = line_rate;
}

int dctcp_rp_cfg_init(struct dctcp_rp_cfg *cfg, const struct dctcp_rp_params *params)
{
	const struct dctcp_rp_params *p = params;

	if (p->line_rate > RATE_MAX || p->min_rate < RATE_MIN || p->min_rate > p->line_rate ||
		p->ai_rate > RATE_MAX)
		return -EINVAL;
	if (!(p->g >= 0x1p-20 && p->g <= 1)) // not a number fails too
		return -EINVAL;
	if (p->mtu < 1 || p->mtu > UINT16_MAX || p->bdp < 1 || p->bdp > DCTCP_RP_BDP_MAX)
		return -EINVAL;
	*cfg = (struct dctcp_rp_cfg){
		.p = *p,
		.g = (uint64_t)(p->g * 0x1p60),
		.min_window = p->simulator ? 1 : 2 * p->mtu, // RFC 5681 eq. 4: two segments
	};
	cfg->one_minus_g = ONE_Q60 - cfg->g;
	cfg->initial_window = p->bdp < cfg->min_window ? cfg->min_window : p->bdp;
	return 0;
}

void dctcp_rp_init(struct dctcp_rp *rp, const struct dctcp_rp_cfg *cfg)
{
	*rp = (struct dctcp_rp){
		.cfg = cfg,
		.rate = cfg->p.line_rate,
		.window = cfg->initial_window,
		.alpha.q60 = ONE_Q60,
	};
	if (cfg->p.simulator)
		rp->alpha.ieee = 1;
}

// The simulator's window: BDP * rate div line rate, at least 1.
static void follow_rate(struct dctcp_rp *rp, rate_t rate)
{
	const struct dctcp_rp_cfg *cfg = rp->cfg;

	rp->rate = rate;
	rp->window = fixed_muldiv(cfg->p.bdp, rate, cfg->p.line_rate);
	if (rp->window < cfg->min_window)
		rp->window = cfg->min_window;
}

bool dctcp_rp_same(const struct dctcp_rp_cfg *one, const struct dctcp_rp_cfg *two)
{
	const struct dctcp_rp_params *a = &one->p, *b = &two->p;

	return RP_SAME(simulator) && RP_SAME(line_rate) && RP_SAME(g) && RP_SAME(mtu) &&
	       RP_SAME(bdp) && RP_SAME(min_rate) && RP_SAME(ai_rate);
}

bool dctcp_rp_may_adopt(const struct dctcp_rp_cfg *was, const struct dctcp_rp_cfg *to)
{
	const struct dctcp_rp_params *a = &was->p, *b = &to->p;

	return a->simulator == b->simulator && a->line_rate == b->line_rate && a->mtu == b->mtu &&
	       a->bdp == b->bdp;
}

void dctcp_rp_adopt(struct dctcp_rp *rp, const struct dctcp_rp_cfg *cfg)
{
	assert(dctcp_rp_may_adopt(rp->cfg, cfg));
	rp->cfg = cfg;
	if (cfg->p.simulator && rp->rate < cfg->p.min_rate)
		follow_rate(rp, cfg->p.min_rate);
}

// The simulator's share of marks is of the packets in flight when the window began. The first ACK
// only begins one.
static void simulator_batch(struct dctcp_rp *rp, const struct rp_ack *ack)
{
	const struct dctcp_rp_params *p = &rp->cfg->p;
	uint64_t flight = ack->sent;

	if (rp->window_end) {
		double f = (double)rp->marked / rp->acked;

		rp->alpha.ieee = (1 - p->g) * rp->alpha.ieee + p->g * (f < 1 ? f : 1);
		rp->marked = 0;
		flight -= ack->acked;
	}
	rp->window_end = ack->sent;
	rp->acked = (uint32_t)(flight / p->mtu) + 1;
}

// rate (1 - alpha / 2), rounded towards zero.
static void simulator_cut(struct dctcp_rp *rp, uint64_t sent)
{
	const struct dctcp_rp_params *p = &rp->cfg->p;
	rate_t rate = (rate_t)((double)rp->rate * (1 - rp->alpha.ieee / 2));

	if (rate < p->min_rate)
		rate = p->min_rate;
	rp->fell = rate < rp->rate;
	follow_rate(rp, rate);
	rp->cwr = true;
	rp->cut_end = sent;
}

// The order is the simulator's: alpha, end of the reduction, cut, increase.
static enum rp_event simulator_ack(struct dctcp_rp *rp, const struct rp_ack *ack)
{
	const struct dctcp_rp_params *p = &rp->cfg->p;
	bool is_end = ack->acked > rp->window_end;
	double alpha = rp->alpha.ieee;

	rp->marked += ack->ce;
	if (is_end)
		simulator_batch(rp, ack);
	if (ack->acked > rp->cut_end)
		rp->cwr = false;
	if (ack->ce && !rp->cwr) {
		simulator_cut(rp, ack->sent);
		return RP_DECREASE;
	}
	if (is_end && !rp->cwr && rp->rate < p->line_rate) {
		rate_t rate = rp->rate + p->ai_rate;

		follow_rate(rp, rate < p->line_rate ? rate : p->line_rate);
		return RP_ACK_ADDITIVE_INCREASE;
	}
	return rp->alpha.ieee == alpha ? RP_NONE : RP_ALPHA;
}

static uint32_t count_bytes(uint32_t count, uint64_t bytes)
{
	return bytes < UINT32_MAX - count ? count + (uint32_t)bytes : UINT32_MAX;
}

// RFC 8257 3.3 steps 5 to 8: alpha = (1 - g) alpha + g F, F = bytes marked / bytes acknowledged.
static void end_window(struct dctcp_rp *rp, uint64_t sent)
{
	const struct dctcp_rp_cfg *cfg = rp->cfg;
	uint64_t f = rp->acked ? fixed_muldiv(rp->marked, ONE_Q60, rp->acked) : 0;

	rp->alpha.q60 =
		fixed_mul_near(rp->alpha.q60, cfg->one_minus_g, 60) + fixed_mul_near(f, cfg->g, 60);
	rp->marked = rp->acked = 0;
	rp->window_end = sent;
}

// window (1 - share / 2); share Q0.60. Progress towards an increase is lost.
static enum rp_event cut_window(struct dctcp_rp *rp, uint64_t share, uint64_t cut_end)
{
	uint64_t window = fixed_mul(rp->window, 2 * ONE_Q60 - share, 61);

	if (window < rp->cfg->min_window)
		window = rp->cfg->min_window;
	rp->fell = window < rp->window;
	rp->window = window;
	rp->credit = 0;
	rp->cwr = true;
	rp->cut_end = cut_end;
	return RP_DECREASE;
}

// Adds one MTU for each window that was acknowledged while the window held the sender back (RFC
// 5681 3.1, RFC 3465 2.1). A window that the line or the queue pair's own work limits must not
// grow.
static bool grows(struct dctcp_rp *rp, const struct rp_ack *ack)
{
	uint64_t window = rp->window, before = ack->acked - ack->bytes; // acknowledged until now

	if (ack->sent < before || ack->sent - before < window)
		return false;
	rp->credit += (uint32_t)(ack->bytes < window ? ack->bytes : window);
	if (rp->credit < window)
		return false;
	rp->credit -= (uint32_t)window;
	rp->window += rp->cfg->p.mtu;
	if (rp->window > WINDOW_MAX)
		rp->window = WINDOW_MAX;
	return rp->window > window;
}

static enum rp_event paper_ack(struct dctcp_rp *rp, const struct rp_ack *ack)
{
	uint64_t alpha = rp->alpha.q60;

	rp->acked = count_bytes(rp->acked, ack->bytes);
	if (ack->ce)
		rp->marked = count_bytes(rp->marked, ack->bytes);
	if (ack->acked > rp->window_end)
		end_window(rp, ack->sent);
	if (rp->cut_end == NOT_KNOWN)
		rp->cut_end = ack->sent;
	if (ack->acked > rp->cut_end)
		rp->cwr = false;
	if (ack->ce && !rp->cwr)
		return cut_window(rp, rp->alpha.q60, ack->sent);
	if (!rp->cwr && grows(rp, ack))
		return RP_ACK_ADDITIVE_INCREASE;
	return rp->alpha.q60 == alpha ? RP_NONE : RP_ALPHA;
}

enum rp_event dctcp_rp_ack(struct dctcp_rp *rp, const struct rp_ack *ack)
{
	return rp->cfg->p.simulator ? simulator_ack(rp, ack) : paper_ack(rp, ack);
}

// A NAK does not say how much was in flight. The window in flight when the next ACK comes is the
// one that is spared a second cut.
enum rp_event dctcp_rp_nak(struct dctcp_rp *rp)
{
	if (rp->cfg->p.simulator || rp->cwr)
		return RP_NONE;
	return cut_window(rp, ONE_Q60, NOT_KNOWN);
}

rate_t dctcp_rp_mean_rate(const struct dctcp_rp *rp)
{
	const struct dctcp_rp_params *p = &rp->cfg->p;

	if (p->simulator)
		return rp->rate;
	return rp->window < p->bdp ? fixed_muldiv(p->line_rate, rp->window, p->bdp) : p->line_rate;
}

uint64_t dctcp_rp_alpha(const struct dctcp_rp *rp)
{
	return rp->cfg->p.simulator ? (uint64_t)(rp->alpha.ieee * 0x1p60) : rp->alpha.q60;
}

unsigned dctcp_rp_states(const struct dctcp_rp *rp, struct rp_state *row)
{
	struct rp_state *to = row;

	*to++ = (struct rp_state){"alpha", "", "alpha", rp_state_value(dctcp_rp_alpha(rp)), 60};
	*to++ = (struct rp_state){"window_end", "bytes",
		"since the start: an ACK beyond it ends the window in which marks are counted",
		rp_state_value(rp->window_end), 0};
	*to++ = (struct rp_state){"marked", "",
		"with CE in this window so far: bytes; the simulator counts ACKs", rp->marked, 0};
	*to++ = (struct rp_state){"acked", "",
		"in this window: bytes so far; the simulator counts packets in flight at its begin",
		rp->acked, 0};
	*to++ = (struct rp_state){"credit", "bytes",
		"acknowledged towards the next additive increase", rp->credit, 0};
	*to++ = (struct rp_state){
		"cwr", "", "the window has been cut for the data in flight", rp->cwr, 0};
	*to++ = (struct rp_state){"cut_end", "bytes",
		"since the start: an ACK beyond it allows the next cut",
		rp_state_value(rp->cut_end), 0};
	return (unsigned)(to - row);
}
