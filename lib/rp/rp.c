// SPDX-License-Identifier: BSD-3-Clause
// Reaction points: calls the algorithm for each verb, and names the events.
#include "rp.h"

#include <assert.h>

_Static_assert(sizeof(((struct rp *)0)->u) <= 64, "a reaction point takes little room in place");

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
	[RP_WRITTEN] = "written",
	[RP_ACK_ADDITIVE_INCREASE] = "ack_additive_increase",
	[RP_ACK_HYPER_INCREASE] = "ack_hyper_increase",
};

const char *rp_event_name(enum rp_event e)
{
	return (unsigned)e < RP_EVENTS ? event_name[e] : "?";
}

unsigned rp_asks(const struct rp_cfg *cfg)
{
	switch (cfg ? cfg->kind : RP_NO_KIND) {
	case RP_DCQCN:
	case RP_RDMA_IP:
		return RP_ASKS_CNP;
	case RP_QCN:
		return RP_ASKS_CNM;
	case RP_DCTCP:
		return RP_ASKS_ACK | RP_ASKS_CE;
	case RP_TIMELY:
		return RP_ASKS_ACK | RP_ASKS_RTT;
	case RP_PLUGIN:
		return cfg->u.plugin.asks;
	default:
		return 0;
	}
}

// 0 and TSTAMP_NEVER: there is no such timer.
static tstamp shorter(tstamp t, tstamp timer)
{
	return timer ? tstamp_min(t, timer) : t;
}

tstamp rp_shortest_timer(const struct rp_cfg *cfg)
{
	const struct rdma_ip_rp_regs *r = &cfg->u.rdma_ip.init.qp.rp;
	const struct dcqcn_rp_params *p = &cfg->u.dcqcn.p;

	switch (cfg->kind) {
	case RP_DCQCN:
		return shorter(shorter(TSTAMP_NEVER, p->alpha_timer_ps), p->rate_timer_ps);
	case RP_QCN:
		return cfg->u.qcn.p.time_reset_ps;
	case RP_RDMA_IP:
		return shorter(shorter(TSTAMP_NEVER, r->alpha_timer_th * PS_PER_US),
			r->nocnp_timer_th * PS_PER_US);
	default:
		return TSTAMP_NEVER;
	}
}

uint64_t rp_window_most(const struct rp_cfg *cfg)
{
	return cfg && cfg->kind == RP_DCTCP ? dctcp_rp_window_most(&cfg->u.dctcp) : 0;
}

size_t rp_state_size(const struct rp_cfg *cfg)
{
	if (cfg->kind == RP_PLUGIN)
		return plugin_rp_size(&cfg->u.plugin);
	return cfg->kind == RP_QCN ? sizeof(struct qcn_rp) : 0;
}

void rp_init(struct rp *rp, const struct rp_cfg *cfg, void *state, struct prng *rng)
{
	*rp = (struct rp){.asks = (uint8_t)rp_asks(cfg)};
	if (!cfg)
		return;
	rp->kind = (uint8_t)cfg->kind;
	switch (cfg->kind) {
	case RP_DCQCN:
		dcqcn_rp_init(&rp->u.dcqcn, &cfg->u.dcqcn);
		break;
	case RP_QCN:
		rp->u.qcn = state;
		qcn_rp_init(rp->u.qcn, &cfg->u.qcn, rng);
		break;
	case RP_RDMA_IP:
		rp->u.rdma_ip = state;
		break;
	case RP_DCTCP:
		dctcp_rp_init(&rp->u.dctcp, &cfg->u.dctcp);
		break;
	case RP_TIMELY:
		timely_rp_init(&rp->u.timely, &cfg->u.timely);
		break;
	case RP_PLUGIN:
		rp->u.plugin = state;
		plugin_rp_init(rp->u.plugin, &cfg->u.plugin);
		break;
	default:
		break;
	}
}

bool rp_may_adopt(const struct rp_cfg *was, const struct rp_cfg *to)
{
	if (!was || !to || was->kind != to->kind)
		return was == to;
	switch (was->kind) {
	case RP_DCQCN:
		return dcqcn_rp_may_adopt(&was->u.dcqcn, &to->u.dcqcn);
	case RP_QCN:
		return qcn_rp_may_adopt(&was->u.qcn, &to->u.qcn);
	case RP_RDMA_IP:
		return rdma_ip_reg_may_adopt(&was->u.rdma_ip, &to->u.rdma_ip);
	case RP_DCTCP:
		return dctcp_rp_may_adopt(&was->u.dctcp, &to->u.dctcp);
	case RP_TIMELY:
		return timely_rp_may_adopt(&was->u.timely, &to->u.timely);
	default:
		return false;
	}
}

bool rp_same(const struct rp_cfg *a, const struct rp_cfg *b)
{
	if (!a || !b || a->kind != b->kind)
		return !a && !b;
	switch (a->kind) {
	case RP_DCQCN:
		return dcqcn_rp_same(&a->u.dcqcn, &b->u.dcqcn);
	case RP_QCN:
		return qcn_rp_same(&a->u.qcn, &b->u.qcn);
	case RP_RDMA_IP:
		return rdma_ip_reg_same(&a->u.rdma_ip, &b->u.rdma_ip);
	case RP_DCTCP:
		return dctcp_rp_same(&a->u.dctcp, &b->u.dctcp);
	case RP_TIMELY:
		return timely_rp_same(&a->u.timely, &b->u.timely);
	default:
		return a == b;
	}
}

void rp_adopt(struct rp *rp, const struct rp_cfg *cfg, tstamp now)
{
	assert(rp->kind == cfg->kind);
	switch (rp->kind) {
	case RP_DCQCN:
		dcqcn_rp_adopt(&rp->u.dcqcn, &cfg->u.dcqcn, now);
		break;
	case RP_QCN:
		qcn_rp_adopt(rp->u.qcn, &cfg->u.qcn, now);
		break;
	case RP_DCTCP:
		dctcp_rp_adopt(&rp->u.dctcp, &cfg->u.dctcp);
		break;
	case RP_TIMELY:
		timely_rp_adopt(&rp->u.timely, &cfg->u.timely);
		break;
	default:
		break;
	}
}

void rp_start(struct rp *rp, tstamp now)
{
	if (rp->kind == RP_DCQCN)
		dcqcn_rp_start(&rp->u.dcqcn, now);
	else if (rp->kind == RP_QCN)
		qcn_rp_start(rp->u.qcn, now);
}

enum rp_event rp_expire(struct rp *rp, tstamp now, tstamp *at, bool with_alpha)
{
	enum rp_event e = RP_NONE;

	switch (rp->kind) {
	case RP_DCQCN:
		e = dcqcn_rp_expire(&rp->u.dcqcn, now, at, with_alpha);
		break;
	case RP_QCN:
		e = qcn_rp_expire(rp->u.qcn, now);
		*at = rp->u.qcn->at;
		break;
	case RP_RDMA_IP:
		do
			e = rdma_ip_qp_expire(rp->u.rdma_ip, now, at);
		while (e == RP_ALPHA && !with_alpha);
		break;
	case RP_PLUGIN:
		e = plugin_rp_expire(rp->u.plugin, now);
		*at = rp->u.plugin->at;
		break;
	default:
		break;
	}
	return e;
}

enum rp_event rp_catch_up(struct rp *rp, tstamp now, tstamp *at)
{
	if (rp_catches_up(rp))
		return dcqcn_rp_catch_up(&rp->u.dcqcn, now, at);
	return rp_expire(rp, now, at, false);
}

uint64_t rp_alpha_moves(struct rp *rp, tstamp now)
{
	return rp->kind == RP_DCQCN ? dcqcn_rp_alpha_moves(&rp->u.dcqcn, now) : 0;
}

tstamp rp_deadline(const struct rp *rp)
{
	switch (rp->kind) {
	case RP_DCQCN:
		return dcqcn_rp_deadline(&rp->u.dcqcn);
	case RP_QCN:
		return qcn_rp_deadline(rp->u.qcn);
	case RP_RDMA_IP:
		return rdma_ip_qp_deadline(rp->u.rdma_ip);
	case RP_PLUGIN:
		return rp->u.plugin->deadline;
	default:
		return TSTAMP_NEVER;
	}
}

enum rp_event rp_cnp(struct rp *rp, tstamp now)
{
	switch (rp->kind) {
	case RP_DCQCN:
		return dcqcn_rp_cnp(&rp->u.dcqcn, now);
	case RP_RDMA_IP:
		return rdma_ip_qp_cnp(rp->u.rdma_ip, now);
	case RP_PLUGIN:
		return plugin_rp_cnp(rp->u.plugin, now);
	default:
		return RP_NONE;
	}
}

enum rp_event rp_cnm(struct rp *rp, unsigned qntzfb, tstamp now)
{
	return rp->kind == RP_QCN ? qcn_rp_cnm(rp->u.qcn, qntzfb, now) : RP_NONE;
}

enum rp_event rp_ack(struct rp *rp, const struct rp_ack *ack, tstamp now)
{
	switch (rp->kind) {
	case RP_DCTCP:
		return dctcp_rp_ack(&rp->u.dctcp, ack);
	case RP_TIMELY:
		return timely_rp_ack(&rp->u.timely, ack);
	case RP_PLUGIN:
		return plugin_rp_ack(rp->u.plugin, ack, now);
	default:
		return RP_NONE;
	}
}

enum rp_event rp_nak(struct rp *rp, tstamp now)
{
	switch (rp->kind) {
	case RP_DCTCP:
		return dctcp_rp_nak(&rp->u.dctcp);
	case RP_PLUGIN:
		return plugin_rp_nak(rp->u.plugin, now);
	default:
		return RP_NONE;
	}
}

enum rp_event rp_sent_other(struct rp *rp, uint32_t bytes, tstamp now)
{
	switch (rp->kind) {
	case RP_QCN:
		return qcn_rp_sent(rp->u.qcn, bytes, now);
	case RP_RDMA_IP:
		return rdma_ip_qp_sent(rp->u.rdma_ip, bytes, now);
	case RP_PLUGIN:
		return rp->u.plugin->cfg->counts ? plugin_rp_sent(rp->u.plugin, bytes, now)
						 : RP_NONE;
	default:
		return RP_NONE;
	}
}

rate_t rp_rate(const struct rp *rp)
{
	switch (rp->kind) {
	case RP_DCQCN:
		return dcqcn_rp_rate(&rp->u.dcqcn);
	case RP_QCN:
		return qcn_rp_rate(rp->u.qcn);
	case RP_RDMA_IP:
		return rdma_ip_qp_rate(rp->u.rdma_ip);
	case RP_DCTCP:
		return dctcp_rp_rate(&rp->u.dctcp);
	case RP_TIMELY:
		return timely_rp_rate(&rp->u.timely);
	case RP_PLUGIN:
		return rp->u.plugin->rate;
	default:
		return UINT64_MAX;
	}
}

uint64_t rp_window(const struct rp *rp)
{
	switch (rp->kind) {
	case RP_DCTCP:
		return dctcp_rp_window(&rp->u.dctcp);
	case RP_PLUGIN:
		return rp->u.plugin->window;
	default:
		return 0;
	}
}

bool rp_fell(const struct rp *rp)
{
	switch (rp->kind) {
	case RP_DCQCN:
		return rp->u.dcqcn.fell;
	case RP_QCN:
		return rp->u.qcn->fell;
	case RP_RDMA_IP:
		return rp->u.rdma_ip->fell;
	case RP_DCTCP:
		return rp->u.dctcp.fell;
	case RP_TIMELY:
		return rp->u.timely.fell;
	case RP_PLUGIN:
		return rp->u.plugin->fell;
	default:
		return false;
	}
}

const struct rdma_ip_dfx *rp_dfx(const struct rp *rp)
{
	return rp->kind == RP_RDMA_IP ? &rp->u.rdma_ip->dfx : NULL;
}

void rp_look(const struct rp *rp, tstamp now, struct rp_look *look)
{
	const struct dcqcn_rp *d = &rp->u.dcqcn;
	const struct rdma_ip_rp *ip = rp->kind == RP_RDMA_IP ? &rp->u.rdma_ip->rp : NULL;

	*look = (struct rp_look){.window = rp_window(rp)};
	switch (rp->kind) {
	case RP_DCQCN:
		look->rc = d->rc;
		look->rt = d->rt;
		look->line = d->cfg->p.line_rate;
		look->has_alpha = true;
		look->alpha = dcqcn_rp_alpha(d, now);
		break;
	case RP_QCN:
		look->rc = rp->u.qcn->rc;
		look->rt = rp->u.qcn->rt;
		look->line = rp->u.qcn->cfg->p.max_rate;
		break;
	case RP_RDMA_IP:
		// The rate that the limiter enforces, whoever set it.
		look->rc = rdma_ip_qp_rate(rp->u.rdma_ip);
		look->rt = rdma_ip_rp_bps_q8(ip->rt, ip->cfg->core.clock_hz);
		look->line = rdma_ip_rp_bps(ip->cfg->r.max_rate, ip->cfg->core.clock_hz);
		look->has_alpha = true;
		look->alpha = (uint64_t)ip->alpha << (60 - ip->cfg->core.alpha_bits);
		break;
	case RP_DCTCP:
		look->rc = look->rt = dctcp_rp_mean_rate(&rp->u.dctcp);
		look->line = rp->u.dctcp.cfg->p.line_rate;
		look->has_alpha = true;
		look->alpha = dctcp_rp_alpha(&rp->u.dctcp);
		break;
	case RP_TIMELY:
		look->rc = look->rt = timely_rp_rate(&rp->u.timely);
		look->line = rp->u.timely.cfg->p.line_rate;
		break;
	case RP_PLUGIN:
		look->rc = look->rt = rp->u.plugin->rate;
		look->line = rp->u.plugin->cfg->line_rate;
		break;
	default:
		break;
	}
}

tstamp rp_next(const struct rp *rp)
{
	switch (rp->kind) {
	case RP_DCQCN:
		return dcqcn_rp_next(&rp->u.dcqcn);
	case RP_RDMA_IP:
		return rdma_ip_rp_next(&rp->u.rdma_ip->rp);
	default:
		return rp_deadline(rp);
	}
}

unsigned rp_states(const struct rp *rp, struct rp_state *row, tstamp now)
{
	uint64_t window = rp_window(rp);
	unsigned n = 0;

	row[n++] = (struct rp_state){"rate", "bit/s", "at which it may send; none: no limit",
		rp_state_value(rp_rate(rp)), 0};
	row[n++] = (struct rp_state){"window", "bytes",
		"of payload that may be in flight; none: no limit",
		window ? rp_state_value(window) : RP_STATE_NONE, 0};
	row[n++] = (struct rp_state){"deadline", "ps",
		"when a timer can change rate or window next", rp_state_value(rp_deadline(rp)), 0};
	switch (rp->kind) {
	case RP_DCQCN:
		return n + dcqcn_rp_states(&rp->u.dcqcn, row + n, now);
	case RP_QCN:
		return n + qcn_rp_states(rp->u.qcn, row + n);
	case RP_RDMA_IP:
		return n + rdma_ip_qp_states(rp->u.rdma_ip, row + n, now);
	case RP_DCTCP:
		return n + dctcp_rp_states(&rp->u.dctcp, row + n);
	case RP_TIMELY:
		return n + timely_rp_states(&rp->u.timely, row + n);
	default:
		return n;
	}
}
