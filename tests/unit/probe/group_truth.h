// SPDX-License-Identifier: BSD-3-Clause
// Devices of the tests about thresholds, drawn by seed, and the counts that must be found.
#pragma once

#include <math.h>
#include <stdio.h>

#include "device.h"

static inline unsigned truth_cost(const struct device_params *p, unsigned bytes)
{
	return (bytes + p->cell - 1) / p->cell * p->cell;
}

// A lossless class 3 with a static or a dynamic threshold.
static inline struct device_params truth_draw(uint64_t seed, bool dynamic)
{
	static const unsigned cells[] = {1, 144, 208, 256};
	static const rate_t rates[] = {25, 40, 100};
	struct device_params p = device_usual();
	struct prng r;
	unsigned cost;

	prng_init(&r, seed, "truth");
	p.seed = seed;
	p.rate = rates[prng_below(&r, 3)] * RATE_GBPS;
	p.cell = cells[prng_below(&r, 4)];
	cost = truth_cost(&p, 64);
	p.buffer = cost * (15000 + prng_below(&r, 15000));
	p.reserve = prng_below(&r, 2) ? prng_below(&r, 20000) : 0;
	p.alpha = dynamic ? exp2((double)prng_below(&r, 5) - 4) : 0;
	p.xoff = cost * (400 + prng_below(&r, 1500));
	p.hyst = cost * (20 + prng_below(&r, 200));
	p.headroom = cost * (300 + prng_below(&r, 900));
	p.forward = (200 + prng_below(&r, 1800)) * PS_PER_NS;
	p.response = (10 + prng_below(&r, 690)) * 512 * PS_PER_S / p.rate;
	p.resume = p.response;
	p.quanta = (uint16_t)(20000 + prng_below(&r, 45535));
	p.refresh = 0.3 + 0.1 * (double)prng_below(&r, 6);
	return p;
}

// Frames of 64 bytes up to and with the one that brings XOFF, while others hold bytes of the shared
// buffer.
static inline uint32_t truth_xoff(const struct device_params *p, uint64_t shared)
{
	uint64_t base = 0, cost = truth_cost(p, 64);

	for (uint32_t n = 1;; n++) {
		uint64_t own = base > p->reserve ? base - p->reserve : 0;
		uint64_t limit =
			p->alpha <= 0 ? p->xoff
				      : p->reserve + (uint64_t)(p->alpha *
								(double)(p->buffer - shared - own));

		if (base + cost > limit)
			return n;
		base += cost;
		if (base >= limit)
			return n;
	}
}

// Frames of 64 bytes that are left when XON comes; `all` stand at first.
static inline uint32_t truth_xon(const struct device_params *p, uint32_t all)
{
	uint64_t cost = truth_cost(p, 64), base = all * cost;
	uint32_t n = all;

	do {
		uint64_t own, limit;

		n--;
		base -= cost;
		own = base > p->reserve ? base - p->reserve : 0;
		limit = p->alpha <= 0
				? p->xoff
				: p->reserve + (uint64_t)(p->alpha * (double)(p->buffer - own));
		if (base + p->hyst <= limit)
			return n;
	} while (n);
	return 0;
}

// A probe of such a device, as the earlier steps leave it.
static inline struct probe *truth_probe(struct device *d, unsigned cls)
{
	struct probe *p = device_probe(d, (uint8_t)(1u << cls));
	const struct device_params *par = device_params(d);
	struct probe_group *g = &p->group[cls];

	p->obeys = par->obeys;
	p->transit = par->forward;
	p->response = par->response;
	p->unit = (uint16_t)(truth_cost(par, 64) - PKT_FCS);
	found_is(p->found, PROBE_DEVICE, PROBE_CELL, par->cell, 0);
	g->n_xoff = truth_xoff(par, 0);
	g->quanta = par->quanta;
	g->d = 2 * par->cable + probe_wire(p, PROBE_SHORT) + par->gap;
	g->out = g->n_xoff + (uint32_t)(par->headroom / truth_cost(par, 64));
	g->left_at_xon = truth_xon(par, g->n_xoff + 2);
	return p;
}
