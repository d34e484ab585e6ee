// SPDX-License-Identifier: BSD-3-Clause
// Devices by seed, in the ranges of a blind test.
#pragma once

#include <stdio.h>

#include "device.h"

static inline uint64_t draw_between(struct prng *g, uint64_t least, uint64_t most)
{
	return least + prng_below(g, most - least + 1);
}

// DSCPs go to classes as they fall, but 8 c to class c.
static inline struct device_params draw_device(uint64_t seed)
{
	static const rate_t rate[] = {25 * RATE_GBPS, 40 * RATE_GBPS, 100 * RATE_GBPS};
	static const unsigned cell[] = {1, 144, 208, 256};
	struct device_params p = device_usual();
	struct prng g;

	prng_init(&g, seed, "draw");
	p.seed = seed;
	p.rate = rate[prng_below(&g, 3)];
	p.cell = cell[prng_below(&g, 4)];
	p.forward = draw_between(&g, 200, 2000) * PS_PER_NS;
	p.response = draw_between(&g, 10, 700) * (512 * PS_PER_S / p.rate);
	for (unsigned k = 0; k < 64; k++)
		p.cls[k] = (uint8_t)(k % 8 ? prng_below(&g, 8) : k / 8);
	if (prng_below(&g, 2))
		p.alpha = 1.0 / (double)(1u << prng_below(&g, 5));
	p.reserve = p.alpha > 0 ? prng_below(&g, 20000) : 0;
	p.buffer = draw_between(&g, 500000, 3000000);
	p.xoff = draw_between(&g, 30000, 400000);
	p.hyst = draw_between(&g, 2000, 20000);
	p.headroom = draw_between(&g, 20000, 160000);
	p.quanta = prng_below(&g, 2) ? 65535 : (uint16_t)draw_between(&g, 2000, 60000);
	return p;
}

// Loops as on a busy machine: ours are longer than a frame, and the device is away now and then for
// as long as a wait of ours lasts, nearly.
static inline void draw_busy(struct device_params *p)
{
	p->gap = PS_PER_US;
	p->hang = 35 * PS_PER_US;
	p->between = 500 * PS_PER_US;
}

static inline void draw_print(uint64_t seed, const struct device_params *p)
{
	printf("seed %lu: %llu Gb/s, cell %u, xoff %lu, alpha %g, reserve %lu, buffer %lu, "
	       "headroom %lu, response %lu ps, loops of %lu ps\n",
		seed, p->rate / RATE_GBPS, p->cell, p->xoff, p->alpha, p->reserve, p->buffer,
		p->headroom, p->response, p->gap);
}
