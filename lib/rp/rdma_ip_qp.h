// SPDX-License-Identifier: BSD-3-Clause
// A queue pair of the RDMA IP: its reaction point, the rate limiter, and the brake on outstanding
// requests.
#pragma once

#include "rdma_ip_dfx.h"
#include "rdma_ip_rp.h"
#include "rdma_ip_window.h"

#define RDMA_IP_QP_OST     16u // outstanding requests (standards.md 11, 6.11.2)
#define RDMA_IP_QP_OST_CNP 8u  // after a CNP, until CNP_TIMER_THRD

// Registers that act on queue pairs beside the reaction point's.
struct rdma_ip_qp_regs {
	struct rdma_ip_rp_regs rp;
	uint32_t hw_rate_throttle_en; // CC_RATE_MEM limits where both are set
	uint32_t speed_limiter_en;
	uint32_t tx_wqe_ost_limit_en;
	uint32_t cnp_timer_thrd; // cycles, or us; 32 bits
	uint32_t cnp_int_en;
};

// How "the number of bytes allowed to pass through within the 1024 cycle time window" (standards.md
// 11, 6.12) limits frames. RDMA_IP_SPACING: frames leave a gap apart, so that they pass at that
// rate. RDMA_IP_WINDOW: frames leave at once until the bytes of the running 1024 cycles have
// reached the rate (rdma_ip_window.h).
enum rdma_ip_limiter { RDMA_IP_SPACING, RDMA_IP_WINDOW };

struct rdma_ip_qp_core {
	struct rdma_ip_rp_core rp;
	bool cnp_timer_us; // CNP_TIMER_THRD counts microseconds, not cycles (6.1 item 13)
	enum rdma_ip_limiter limiter;
};

struct rdma_ip_qp_cfg {
	struct rdma_ip_rp_cfg rp;
	struct rdma_ip_qp_regs r;
	bool cnp_timer_us;
	enum rdma_ip_limiter limiter;
	bool limits;   // by CC_RATE_MEM
	tstamp ost_ps; // of the brake; 0: it is off
};

struct rdma_ip_qp {
	const struct rdma_ip_qp_cfg *cfg;
	struct rdma_ip_rp rp;
	uint32_t cc_rate;             // CC_RATE_MEM: the rate that is enforced
	uint32_t cc_most;             // its highest rate, in the same unit
	struct rdma_ip_window window; // CC_BYTE_CNT_MEM
	tstamp ost_until;             // end of the brake, 0: it never was on
	bool sq_arb_mask;             // the send queue is left out of arbitration
	bool fell;                    // the last event of the engine lowered the enforced rate
	struct rdma_ip_dfx dfx;
};

// Sets a limit besides CC_RATE_MEM, bit/s, 0: none. Windows let no more than this pass, also if
// that limiter is off; the running window is the first that it is the credit of.
void rdma_ip_qp_set_most(struct rdma_ip_qp *qp, rate_t rate, tstamp now);

// The rate of the limiter, bit/s; UINT64_MAX: it is off. A rate of 0 is taken as 1.
rate_t rdma_ip_qp_rate(const struct rdma_ip_qp *qp);

// A frame of `wire_bytes` (len + 24) passed the limiter.
void rdma_ip_qp_passed(struct rdma_ip_qp *qp, uint32_t wire_bytes, tstamp now);

// With the limiter WINDOW: returns the earliest instant of the next frame (0: at once). It holds
// until a rate or the count changes.
tstamp rdma_ip_qp_next(const struct rdma_ip_qp *qp);

// Most outstanding requests at `now`; UINT32_MAX: the limit is off.
static inline uint32_t rdma_ip_qp_outstanding(const struct rdma_ip_qp *qp, tstamp now)
{
	if (!qp->cfg->r.tx_wqe_ost_limit_en)
		return UINT32_MAX;
	return now < qp->ost_until ? RDMA_IP_QP_OST_CNP : RDMA_IP_QP_OST;
}

// The rest is for the files of this room only.
#pragma GCC visibility push(hidden)

enum rp_event rdma_ip_qp_sent(struct rdma_ip_qp *qp, uint32_t bytes, tstamp now);
enum rp_event rdma_ip_qp_expire(struct rdma_ip_qp *qp, tstamp now, tstamp *at);
enum rp_event rdma_ip_qp_cnp(struct rdma_ip_qp *qp, tstamp now);

static inline tstamp rdma_ip_qp_deadline(const struct rdma_ip_qp *qp)
{
	return rdma_ip_rp_deadline(&qp->rp);
}

// Compiles the parameters. -EINVAL as rdma_ip_rp_cfg_init(), or there is no such limiter.
int rdma_ip_qp_cfg_init(struct rdma_ip_qp_cfg *cfg, const struct rdma_ip_qp_core *core,
	const struct rdma_ip_qp_regs *r);

// Sets the state after a reset: every memory is 0.
void rdma_ip_qp_init(struct rdma_ip_qp *qp, const struct rdma_ip_qp_cfg *cfg);

// The cfg has changed from `old`; see rdma_ip_rp_reload.
void rdma_ip_qp_reload(struct rdma_ip_qp *qp, const struct rdma_ip_qp_cfg *old, tstamp now);

// Software writes CC_RATE_MEM. It acts at once: the running window is the first that it is the
// credit of.
void rdma_ip_qp_set_cc_rate(struct rdma_ip_qp *qp, uint32_t rate, tstamp now);

// CC_BYTE_CNT_MEM: bytes on the wire that passed the limiter in the window that `now` is in. With
// the limiter WINDOW it includes bytes that earlier windows have carried into it. Software may
// write it.
uint32_t rdma_ip_qp_bytes(const struct rdma_ip_qp *qp, tstamp now);
void rdma_ip_qp_set_bytes(struct rdma_ip_qp *qp, uint32_t bytes, tstamp now);

// Writes the state of queue pair and reaction point at `now` into at most RP_STATES_MOST rows;
// returns the number of rows. Timers that are due must have been expired.
unsigned rdma_ip_qp_states(const struct rdma_ip_qp *qp, struct rp_state *row, tstamp now);

#pragma GCC visibility pop
