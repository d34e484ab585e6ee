// SPDX-License-Identifier: BSD-3-Clause
// Random parameters that several tests of a switch draw.
#pragma once

#include "base/prng.h"
#include "sw/sw.h"

// Weight, marker and drop curve of a class.
static inline void draw_curves(struct prng *r, struct sw_class_params *k)
{
	k->weight = (uint16_t)prng_below(r, 10);
	k->mark = (enum sw_mark)prng_below(r, 3);
	k->red.kmin_bytes = (uint32_t)prng_below(r, 20000);
	k->red.kmax_bytes = k->red.kmin_bytes + (uint32_t)prng_below(r, 20000);
	k->red.pmax = (1 + (double)prng_below(r, 10)) / 10;
	k->wred = (enum sw_wred)(prng_below(r, 3) ? prng_below(r, 4) : SW_WRED_OFF);
	k->wred_drop.kmin_bytes = (uint32_t)prng_below(r, 20000);
	k->wred_drop.kmax_bytes = k->wred_drop.kmin_bytes + (uint32_t)prng_below(r, 20000);
	k->wred_drop.pmax = (double)prng_below(r, 11) / 10;
	k->wred_exponent = (uint8_t)(prng_below(r, 4) ? 0 : prng_below(r, 16));
}
