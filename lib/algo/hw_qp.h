// SPDX-License-Identifier: BSD-3-Clause
// A queue pair of the RDMA IP: its reaction point, the rate limiter, and the brake on outstanding requests.
#pragma once

#include "algo/hw_dfx.h"
#include "algo/hw_rp.h"

#define HW_QP_OST     16u // outstanding requests (guide 6.11.2)
#define HW_QP_OST_CNP 8u  // after a CNP, until CNP_TIMER_THRD

// Registers that act on queue pairs beside the reaction point's.
struct hw_qp_regs {
	struct hw_rp_regs rp;
	uint32_t hw_rate_throttle_en; // CC_RATE_MEM limits where both are set
	uint32_t speed_limiter_en;
	uint32_t tx_wqe_ost_limit_en;
	uint32_t cnp_timer_thrd; // cycles, or us; 32 bits
	uint32_t cnp_int_en;
};

struct hw_qp_core {
	struct hw_rp_core rp;
	bool cnp_timer_us; // CNP_TIMER_THRD counts microseconds, not cycles (6.1 item 13)
};

struct hw_qp_cfg {
	struct hw_rp_cfg rp;
	struct hw_qp_regs r;
	bool cnp_timer_us;
	bool limits;      // by CC_RATE_MEM
	tstamp ost_ps;    // of the brake; 0: it is off
	tstamp window_ps; // 1024 cycles
};

struct hw_qp {
	const struct hw_qp_cfg *cfg;
	struct hw_rp rp;
	uint32_t cc_rate;  // CC_RATE_MEM: the rate that is enforced
	uint32_t cc_bytes; // CC_BYTE_CNT_MEM: octets that passed the limiter in the current window
	tstamp cc_window_at; // end of that window
	tstamp ost_until;    // end of the brake, 0: it never was on
	bool sq_arb_mask;    // the send queue is left out of arbitration
	struct hw_dfx dfx;
};

// -EINVAL as hw_rp_cfg_init.
int hw_qp_cfg_init(
	struct hw_qp_cfg *cfg, const struct hw_qp_core *core, const struct hw_qp_regs *r);

// As after a reset: every memory is 0.
void hw_qp_init(struct hw_qp *qp, const struct hw_qp_cfg *cfg);

// The cfg has changed from `old`; see hw_rp_reload.
void hw_qp_reload(struct hw_qp *qp, const struct hw_qp_cfg *old, tstamp now);

// The reaction point's calls (hw_rp.h); a new rate goes to the limiter, and what happened to the window.
enum rp_event hw_qp_expire(struct hw_qp *qp, tstamp now);
enum rp_event hw_qp_cnp(struct hw_qp *qp, tstamp now);
enum rp_event hw_qp_sent(struct hw_qp *qp, uint32_t octets, tstamp now);

static inline tstamp hw_qp_deadline(const struct hw_qp *qp)
{
	return hw_rp_deadline(&qp->rp);
}

// What the limiter lets pass, bit/s; UINT64_MAX: it is off. A rate of 0 is taken as 1.
rate_t hw_qp_rate(const struct hw_qp *qp);

// Most outstanding requests at `now`; UINT32_MAX: the limit is off.
static inline uint32_t hw_qp_outstanding(const struct hw_qp *qp, tstamp now)
{
	if (!qp->cfg->r.tx_wqe_ost_limit_en)
		return UINT32_MAX;
	return now < qp->ost_until ? HW_QP_OST_CNP : HW_QP_OST;
}
