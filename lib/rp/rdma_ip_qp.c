// SPDX-License-Identifier: BSD-3-Clause
// The parts of an RDMA IP's queue pair besides its reaction point: limiter, brake, debugging
// window.
#include "rdma_ip_qp.h"

#include <errno.h>

#include "base/fixed.h"

static tstamp cycles(uint64_t n, uint64_t clock_hz)
{
	return fixed_muldiv(n, PS_PER_S, clock_hz);
}

int rdma_ip_qp_cfg_init(struct rdma_ip_qp_cfg *cfg, const struct rdma_ip_qp_core *core,
	const struct rdma_ip_qp_regs *r)
{
	struct rdma_ip_rp_cfg rp;
	int rc = rdma_ip_rp_cfg_init(&rp, &core->rp, &r->rp);

	if (rc)
		return rc;
	if (core->limiter > RDMA_IP_WINDOW)
		return -EINVAL;
	*cfg = (struct rdma_ip_qp_cfg){
		.rp = rp,
		.r = *r,
		.cnp_timer_us = core->cnp_timer_us,
		.limiter = core->limiter,
		.limits = r->hw_rate_throttle_en && r->speed_limiter_en,
	};
	if (r->tx_wqe_ost_limit_en)
		cfg->ost_ps = core->cnp_timer_us ? r->cnp_timer_thrd * PS_PER_US
						 : cycles(r->cnp_timer_thrd, core->rp.clock_hz);
	return 0;
}

void rdma_ip_qp_init(struct rdma_ip_qp *qp, const struct rdma_ip_qp_cfg *cfg)
{
	*qp = (struct rdma_ip_qp){.cfg = cfg, .cc_most = RDMA_IP_WINDOW_NO_LIMIT};
	rdma_ip_window_init(&qp->window, cfg->rp.core.clock_hz);
	rdma_ip_rp_init(&qp->rp, &cfg->rp);
	rdma_ip_rp_set_rate(&qp->rp, 0, 0);
	qp->rp.alpha = 0;
}

// Bytes that a window lets pass.
static uint32_t credit(const struct rdma_ip_qp *qp, const struct rdma_ip_qp_cfg *cfg)
{
	uint32_t rate = qp->cc_rate ? qp->cc_rate : 1;

	if (cfg->limiter != RDMA_IP_WINDOW)
		return RDMA_IP_WINDOW_NO_LIMIT;
	return cfg->limits && rate < qp->cc_most ? rate : qp->cc_most;
}

void rdma_ip_qp_set_most(struct rdma_ip_qp *qp, rate_t rate, tstamp now)
{
	uint64_t units = rdma_ip_rp_units(rate, qp->cfg->rp.core.clock_hz);

	rdma_ip_window_roll(&qp->window, credit(qp, qp->cfg), now);
	if (!rate)
		units = RDMA_IP_WINDOW_NO_LIMIT;
	qp->cc_most = units ? (uint32_t)units : 1;
}

void rdma_ip_qp_set_cc_rate(struct rdma_ip_qp *qp, uint32_t rate, tstamp now)
{
	rdma_ip_window_roll(&qp->window, credit(qp, qp->cfg), now);
	qp->cc_rate = rate;
}

uint32_t rdma_ip_qp_bytes(const struct rdma_ip_qp *qp, tstamp now)
{
	struct rdma_ip_window w = qp->window;

	rdma_ip_window_roll(&w, credit(qp, qp->cfg), now);
	return w.bytes;
}

void rdma_ip_qp_set_bytes(struct rdma_ip_qp *qp, uint32_t bytes, tstamp now)
{
	rdma_ip_window_roll(&qp->window, credit(qp, qp->cfg), now);
	qp->window.bytes = bytes;
}

void rdma_ip_qp_passed(struct rdma_ip_qp *qp, uint32_t wire_bytes, tstamp now)
{
	rdma_ip_window_roll(&qp->window, credit(qp, qp->cfg), now);
	qp->window.bytes += wire_bytes;
}

tstamp rdma_ip_qp_next(const struct rdma_ip_qp *qp)
{
	return rdma_ip_window_next(&qp->window, credit(qp, qp->cfg));
}

void rdma_ip_qp_reload(struct rdma_ip_qp *qp, const struct rdma_ip_qp_cfg *old, tstamp now)
{
	uint32_t rate = rdma_ip_rp_rate(&qp->rp);

	rdma_ip_window_roll(&qp->window, credit(qp, old), now);
	rdma_ip_rp_reload(&qp->rp, &old->rp, now);
	if (rdma_ip_rp_rate(&qp->rp) != rate && qp->cfg->rp.r.hw_en)
		qp->cc_rate = rdma_ip_rp_rate(&qp->rp);
	if (qp->ost_until > now)
		qp->ost_until = tstamp_max(qp->ost_until - old->ost_ps + qp->cfg->ost_ps, now);
}

// Takes over an event of the engine: the limiter gets the engine's rate, in place of a rate that
// software wrote. Returns the event.
static enum rp_event noted(struct rdma_ip_qp *qp, enum rp_event e, tstamp at)
{
	if (rdma_ip_dfx_code(e) < 0)
		return e;
	qp->fell = qp->cfg->limits && rdma_ip_rp_rate(&qp->rp) < qp->cc_rate;
	rdma_ip_qp_set_cc_rate(qp, rdma_ip_rp_rate(&qp->rp), at);
	rdma_ip_dfx_note(&qp->dfx, e, qp->cc_rate, at);
	return e;
}

enum rp_event rdma_ip_qp_expire(struct rdma_ip_qp *qp, tstamp now, tstamp *at)
{
	enum rp_event e = rdma_ip_rp_expire(&qp->rp, now, at);

	return e == RP_NONE ? e : noted(qp, e, *at);
}

enum rp_event rdma_ip_qp_cnp(struct rdma_ip_qp *qp, tstamp now)
{
	if (qp->cfg->ost_ps)
		qp->ost_until = now + qp->cfg->ost_ps;
	return noted(qp, rdma_ip_rp_cnp(&qp->rp, now), now);
}

enum rp_event rdma_ip_qp_sent(struct rdma_ip_qp *qp, uint32_t bytes, tstamp now)
{
	return noted(qp, rdma_ip_rp_sent(&qp->rp, bytes), now);
}

rate_t rdma_ip_qp_rate(const struct rdma_ip_qp *qp)
{
	if (!qp->cfg->limits)
		return UINT64_MAX;
	return rdma_ip_rp_bps(qp->cc_rate ? qp->cc_rate : 1, qp->cfg->rp.core.clock_hz);
}

unsigned rdma_ip_qp_states(const struct rdma_ip_qp *qp, struct rp_state *row, tstamp now)
{
	uint32_t most = rdma_ip_qp_outstanding(qp, now);
	bool windows = qp->cfg->limiter == RDMA_IP_WINDOW;
	struct rp_state *to = row + rdma_ip_rp_states(&qp->rp, row, now);

	*to++ = (struct rp_state){"frame_at", "ps",
		"`limiter: window`: when the next frame may start",
		windows ? rp_state_value(rdma_ip_qp_next(qp)) : RP_STATE_NONE, 0};
	*to++ = (struct rp_state){"outstanding", "", "most outstanding requests; none: no limit",
		most == UINT32_MAX ? RP_STATE_NONE : most, 0};
	*to++ = (struct rp_state){"brake_until", "ps", "end of the lower limit after a CNP",
		rp_state_value(qp->ost_until > now ? qp->ost_until : TSTAMP_NEVER), 0};
	return (unsigned)(to - row);
}
