// SPDX-License-Identifier: BSD-3-Clause
// ECN marker: probability from the instantaneous queue length between Kmin and Kmax (the DCQCN CP).
#pragma once

#include <stdint.h>

#include "base/prng.h"

enum red_not_ect { RED_NOT_ECT_FORWARD, RED_NOT_ECT_DROP };

struct red_params {
	uint64_t kmin_bytes; // 0..2^32-1, frames counted with FCS
	uint64_t kmax_bytes; // kmin..2^32-1
	double pmax;         // 0..1
	enum red_not_ect not_ect;
};

struct red_cfg {
	uint32_t kmin_bytes;
	uint32_t kmax_bytes;
	uint64_t slope; // probability per byte above kmin, Q16.48
	uint8_t not_ect;
	uint8_t on;
};

enum red_verdict { RED_PASS, RED_MARK, RED_DROP };

// Compiles; -EINVAL where kmin > kmax or pmax is not in 0..1. cfg->on is set.
int red_cfg_init(struct red_cfg *cfg, const struct red_params *params);

// Whether the queue asks for a mark at this length: 0 for q <= Kmin, Pmax (q - Kmin) / (Kmax - Kmin)
// for q <= Kmax, 1 above (STANDARDS 4.1).
static inline int red_wants(const struct red_cfg *cfg, struct prng *rng, uint32_t qlen_bytes)
{
	if (qlen_bytes <= cfg->kmin_bytes)
		return 0;
	if (qlen_bytes > cfg->kmax_bytes)
		return 1;
	return prng_u32(rng) < (uint64_t)(qlen_bytes - cfg->kmin_bytes) * cfg->slope >> 16;
}

// What happens to a frame with this ECN codepoint (0..3): CE passes, ECT is marked, Not-ECT follows
// cfg->not_ect.
enum red_verdict red_mark(
	const struct red_cfg *cfg, struct prng *rng, uint32_t qlen_bytes, unsigned ecn);
