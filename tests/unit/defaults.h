// SPDX-License-Identifier: BSD-3-Clause
// Parameters as the standards and the tables of scenarios have them by default, for tests.
#pragma once

#include "algo/fast_cnp.h"
#include "algo/iqcn.h"
#include "algo/qcn_cp.h"
#include "rp/qcn_rp.h"

// 64 Ki entries, 50 us, 1 s.
static inline void fast_cnp_defaults(struct fast_cnp_params *params)
{
	*params = (struct fast_cnp_params){
		.entries = 65536, .interval_ps = 50 * PS_PER_US, .age_ps = PS_PER_S};
}

// T_inc 300 us, margin 0.9, 64 Ki entries, entry gap 4 us, no limit per port.
static inline void iqcn_defaults(struct iqcn_params *params)
{
	*params = (struct iqcn_params){
		.n_ports = 1,
		.entries = 65536,
		.rpg_time_reset_ps = 300 * PS_PER_US,
		.margin = 0.9,
		.entry_gap_ps = 4 * PS_PER_US,
		.port_burst = 64,
	};
}

// Defaults of the MIB: 26000 bytes, W = 2, base 150000 bytes, +-15 %.
static inline void qcn_cp_defaults(struct qcn_cp_params *params)
{
	*params = (struct qcn_cp_params){
		.set_point = 26000,
		.weight = 1,
		.sample_base = 150000,
		.randomise_percent = 15,
		.quant = QCN_CP_DIV63,
	};
}

// Defaults of the MIB for a line rate; +-15 %, convention P.
static inline void qcn_rp_defaults(struct qcn_rp_params *params, rate_t line_rate)
{
	*params = (struct qcn_rp_params){
		.max_rate = line_rate,
		.min_rate = line_rate < 5 * RATE_MBPS ? line_rate : 5 * RATE_MBPS,
		.ai_rate = 5 * RATE_MBPS,
		.hai_rate = 50 * RATE_MBPS,
		.time_reset_ps = 15 * PS_PER_MS,
		.byte_reset = 150000,
		.threshold = 5,
		.gd = 7,
		.min_dec_fac = 50,
		.randomise_percent = 15,
		.fr_convention = QCN_RP_P,
		.half_from = QCN_RP_HALF_ACTIVE,
		.target_test = QCN_RP_BYTE,
	};
}
