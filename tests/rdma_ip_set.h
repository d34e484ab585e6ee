// SPDX-License-Identifier: BSD-3-Clause
// Registers of the RDMA IP, for tests: scheme 1 of standards.md 11, 6.12.6, all of it in hardware.
// A test sets what it wants otherwise.
#pragma once

#include "rp/rp.h"

// At 250 MHz 51200 units are 100 Gb/s, 512 are 1 Gb/s.
#define RDMA_IP_CORE                               \
	{                                          \
		.rp = {.clock_hz = 250000000,      \
			.byte_unit = 1,            \
			.alpha_bits = 10,          \
			.fr_convention = RP_FR_X}, \
	}
#define RDMA_IP_REGS                                                                       \
	{                                                                                  \
		.rp = {.hw_en = 1,                                                         \
			.nocnp_timer_th = 55,                                              \
			.alpha_timer_th = 55,                                              \
			.max_rate = 51200,                                                 \
			.min_rate = 1,                                                     \
			.rate_ai = 20,                                                     \
			.rate_hai = 100,                                                   \
			.upd_alpha_g = 4,                                                  \
			.alpha_rate_shift = 1,                                             \
			.phase_threshold = 5},                                             \
		.hw_rate_throttle_en = 1, .speed_limiter_en = 1, .tx_wqe_ost_limit_en = 1, \
		.cnp_timer_thrd = 12500, /* 50 us */                                       \
	}
#define RDMA_IP_SET                                                                   \
	{                                                                             \
		.core = RDMA_IP_CORE, .init.qp = RDMA_IP_REGS, .initial_rate = 51200, \
		.initial_alpha = 1023,                                                \
	}

// The same at 322.265625 MHz, with a line rate of so many units, and a byte counter.
static inline struct rdma_ip_reg_params rdma_ip_set(uint32_t line, uint32_t byte_cnt_th)
{
	struct rdma_ip_reg_params p = RDMA_IP_SET;
	struct rdma_ip_rp_regs *r = &p.init.qp.rp;

	p.core.rp.clock_hz = 322265625;
	r->byte_cnt_th = byte_cnt_th;
	r->rx_cnp_merge_period = 4;
	r->max_rate = line;
	r->min_rate = 16;
	r->rate_ai = 16;
	r->rate_hai = 79;
	p.init.qp.cnp_timer_thrd = 16113; // 50 us
	p.initial_rate = line;
	return p;
}
