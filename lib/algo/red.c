// SPDX-License-Identifier: BSD-3-Clause
// ECN marker: compiling Kmin, Kmax and Pmax, and what a wish to mark means for each codepoint.
#include "algo/red.h"

#include <errno.h>

enum { CODEPOINT_NOT_ECT = 0, CODEPOINT_CE = 3 }; // RFC 3168 section 5

int red_cfg_init(struct red_cfg *cfg, const struct red_params *params)
{
	if (params->kmin_bytes > params->kmax_bytes || params->kmax_bytes > UINT32_MAX)
		return -EINVAL;
	if (!(params->pmax >= 0 && params->pmax <= 1))
		return -EINVAL;

	uint64_t span = params->kmax_bytes - params->kmin_bytes;
	uint64_t slope = 0;

	// Pmax / (Kmax - Kmin) in Q16.48, rounded up so that Pmax 100 % marks every frame at Kmax.
	if (span) {
		double exact = params->pmax * 0x1p48 / (double)span;

		slope = (uint64_t)exact;
		slope += (double)slope < exact;
	}
	*cfg = (struct red_cfg){
		.kmin_bytes = (uint32_t)params->kmin_bytes,
		.kmax_bytes = (uint32_t)params->kmax_bytes,
		.slope = slope,
		.not_ect = (uint8_t)params->not_ect,
		.on = 1,
	};
	return 0;
}

enum red_verdict red_mark(
	const struct red_cfg *cfg, struct prng *rng, uint32_t qlen_bytes, unsigned ecn)
{
	if (ecn == CODEPOINT_CE || !red_wants(cfg, rng, qlen_bytes))
		return RED_PASS;
	if (ecn != CODEPOINT_NOT_ECT)
		return RED_MARK;
	return cfg->not_ect == RED_NOT_ECT_DROP ? RED_DROP : RED_PASS;
}
