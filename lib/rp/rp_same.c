// SPDX-License-Identifier: BSD-3-Clause
// Whether two configurations of reaction points have the same values.
#include "rp.h"

#define SAME(member) (a->member == b->member)

static bool same_dcqcn(const struct dcqcn_rp_params *a, const struct dcqcn_rp_params *b)
{
	return SAME(line_rate) && SAME(initial_rate) && SAME(min_rate) && SAME(ai_rate) &&
	       SAME(hai_rate) && SAME(g) && SAME(initial_alpha) && SAME(alpha_timer_ps) &&
	       SAME(rate_timer_ps) && SAME(cut_interval_ps) && SAME(byte_counter) && SAME(f) &&
	       SAME(fr_convention) && SAME(hai_progressive) && SAME(alpha_order) &&
	       SAME(clamp_target) && SAME(reaction) && SAME(first_cnp) && SAME(first_cnp_rate) &&
	       SAME(cut_shift) && SAME(min_dec_fac) && SAME(alpha_bits) && SAME(rate_unit) &&
	       SAME(halves_down);
}

static bool same_qcn(const struct qcn_rp_params *a, const struct qcn_rp_params *b)
{
	return SAME(max_rate) && SAME(initial_rate) && SAME(min_rate) && SAME(ai_rate) &&
	       SAME(hai_rate) && SAME(time_reset_ps) && SAME(byte_reset) && SAME(threshold) &&
	       SAME(gd) && SAME(min_dec_fac) && SAME(randomise_percent) && SAME(fr_convention) &&
	       SAME(half_from) && SAME(target_test) && SAME(hai_after_ps) &&
	       SAME(hai_after_octets) && SAME(max_rps);
}

static bool same_registers(const struct rdma_ip_reg_params *a, const struct rdma_ip_reg_params *b)
{
	struct rdma_ip_reg_global one = a->init, two = b->init;

	for (unsigned i = 0; i < rdma_ip_n_fields; i++) {
		const struct rdma_ip_field *f = &rdma_ip_fields[i];

		if (f->what == RDMA_IP_PLAIN &&
			*rdma_ip_field_plain(&one, f) != *rdma_ip_field_plain(&two, f))
			return false;
	}
	return rdma_ip_reg_may_adopt(a, b);
}

static bool same_dctcp(const struct dctcp_rp_params *a, const struct dctcp_rp_params *b)
{
	return SAME(simulator) && SAME(line_rate) && SAME(g) && SAME(mtu) && SAME(bdp) &&
	       SAME(min_rate) && SAME(ai_rate);
}

static bool same_timely(const struct timely_rp_params *a, const struct timely_rp_params *b)
{
	return SAME(simulator) && SAME(line_rate) && SAME(min_rate) && SAME(delta) && SAME(n) &&
	       SAME(alpha) && SAME(beta) && SAME(t_low_ps) && SAME(t_high_ps) && SAME(min_rtt_ps) &&
	       SAME(segment);
}

bool rp_same(const struct rp_cfg *a, const struct rp_cfg *b)
{
	if (!a || !b || a->kind != b->kind)
		return !a && !b;
	switch (a->kind) {
	case RP_DCQCN:
		return same_dcqcn(&a->u.dcqcn.p, &b->u.dcqcn.p);
	case RP_QCN:
		return same_qcn(&a->u.qcn.p, &b->u.qcn.p);
	case RP_RDMA_IP:
		return same_registers(&a->u.rdma_ip, &b->u.rdma_ip);
	case RP_DCTCP:
		return same_dctcp(&a->u.dctcp.p, &b->u.dctcp.p);
	case RP_TIMELY:
		return same_timely(&a->u.timely.p, &b->u.timely.p);
	default:
		return a == b;
	}
}
