// SPDX-License-Identifier: BSD-3-Clause
// The order of a probe's steps.
#include "int.h"

void probe_init(struct probe *p, struct lab *lab, const struct probe_cfg *cfg,
	struct probe_found *found, struct err *err)
{
	rate_t rate = lab->port[cfg->in[0]].rate;

	*p = (struct probe){.lab = lab,
		.cfg = cfg,
		.found = found,
		.err = err,
		.rate = rate,
		.ps = rate_byte_ps(rate),
		.quantum = 512 * PS_PER_S / rate,
		.unit = PROBE_SHORT};
	prng_init(&p->rng, cfg->seed, "probe");
}
