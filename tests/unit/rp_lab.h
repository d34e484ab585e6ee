// SPDX-License-Identifier: BSD-3-Clause
// Compiled reaction points of each kind, for tests.
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "rp/rp.h"

static inline struct rp_cfg rp_of_dcqcn(const struct dcqcn_rp_params *p)
{
	struct rp_cfg cfg = {.kind = RP_DCQCN};

	assert_int_equal(dcqcn_rp_cfg_init(&cfg.u.dcqcn, p), 0);
	return cfg;
}

// DCQCN as a profile has it.
static inline struct rp_cfg rp_of_profile(const char *profile, rate_t line_rate)
{
	struct dcqcn_rp_params p;

	assert_int_equal(dcqcn_rp_profile(&p, profile, line_rate), 0);
	return rp_of_dcqcn(&p);
}

static inline struct rp_cfg rp_of_qcn(const struct qcn_rp_params *p)
{
	struct rp_cfg cfg = {.kind = RP_QCN};

	assert_int_equal(qcn_rp_cfg_init(&cfg.u.qcn, p), 0);
	return cfg;
}

static inline struct rp_cfg rp_of_rdma_ip(const struct rdma_ip_reg_params *p)
{
	return (struct rp_cfg){.kind = RP_RDMA_IP, .u.rdma_ip = *p};
}
