// SPDX-License-Identifier: BSD-3-Clause
// DCQCN notification point: the window of N after each CNP (standards.md 4.2).
#include "algo/dcqcn_np.h"

#include <errno.h>

int dcqcn_np_cfg_init(struct dcqcn_np_cfg *cfg, const struct dcqcn_np_params *params)
{
	if ((unsigned)params->mode > NP_PER_PACKET || (unsigned)params->key > NP_KEY_PORT)
		return -EINVAL;
	if (params->mode != NP_PER_PACKET && params->interval_ps > 100 * PS_PER_MS)
		return -EINVAL;
	*cfg = (struct dcqcn_np_cfg){
		.interval_ps = params->interval_ps,
		.mode = params->interval_ps ? params->mode : NP_PER_PACKET,
		.key = params->key,
		.with_nak = params->with_nak,
		.gap_ps = params->cnps_per_s ? PS_PER_S / params->cnps_per_s : 0,
	};
	return 0;
}

void dcqcn_np_init(struct dcqcn_np *np, const struct dcqcn_np_cfg *cfg)
{
	*np = (struct dcqcn_np){.cfg = cfg};
}

void dcqcn_np_adopt(struct dcqcn_np *np, const struct dcqcn_np_cfg *old, tstamp now)
{
	if (np->window_end > now)
		np->window_end =
			tstamp_max(np->window_end - old->interval_ps + np->cfg->interval_ps, now);
}

bool dcqcn_np_ce(struct dcqcn_np *np, tstamp now)
{
	const struct dcqcn_np_cfg *c = np->cfg;

	if (c->mode == NP_PER_PACKET)
		return true;
	if (now < np->window_end) {
		np->seen = c->mode == NP_WINDOW;
		return false;
	}
	np->window_end = now + c->interval_ps;
	return true;
}

bool dcqcn_np_expire(struct dcqcn_np *np, tstamp now)
{
	if (now < dcqcn_np_deadline(np))
		return false;
	np->seen = false;
	np->window_end += np->cfg->interval_ps;
	return true;
}
