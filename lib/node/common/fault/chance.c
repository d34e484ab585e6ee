// SPDX-License-Identifier: BSD-3-Clause
// Chance: shares, the two states of Gilbert and Elliott, and bit errors by their gaps.
#include "chance.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>

#include "base/dist.h"
#include "wire/pkt.h"

#define NAME_MAX 256

// -ln(1 - rate), by its series where 1 - rate would lose the digits of a small rate.
static double minus_ln_good(double rate)
{
	if (rate > 1e-3)
		return -log(1 - rate);
	return rate * (1 + rate * (1.0 / 2 + rate * (1.0 / 3 + rate * (1.0 / 4 + rate / 5))));
}

// Good bits up to the next error are geometric: the whole part of an exponential distance with mean
// 1 / -ln(1 - rate) has just that distribution.
static void chance_draw_gap(struct chance *c)
{
	unsigned __int128 gap = (unsigned __int128)dist_exponential(&c->prng) * c->gap_factor;

	gap >>= 32 + 8;
	c->gap = gap > UINT64_MAX / 2 ? UINT64_MAX / 2 : (uint64_t)gap;
}

int chance_init(struct chance *c, const struct fault_record *r, uint64_t seed, const char *port)
{
	const struct fault_chance *rule = &r->chance;
	double rate = rule->bit_error_rate;
	char name[NAME_MAX];

	*c = (struct chance){0};
	if (rule->share > CHANCE_ALWAYS || rule->to_bad > CHANCE_ALWAYS ||
		rule->to_good > CHANCE_ALWAYS || rule->bad_share > CHANCE_ALWAYS)
		return -EINVAL;
	if (!(rate >= 0 && rate <= 0.5))
		return -EINVAL;
	snprintf(name, sizeof(name), "fault %u at %s", r->number, port);
	prng_init(&c->prng, seed, name);
	if (rate > 0) {
		double factor = 256 / minus_ln_good(rate);

		c->gap_factor = factor < 0x1p63 ? (uint64_t)(factor + 0.5) : UINT64_MAX / 2;
		chance_draw_gap(c);
	}
	return 0;
}

static bool chance_draw(struct chance *c, uint64_t share)
{
	return share && prng_below(&c->prng, CHANCE_ALWAYS) < share;
}

// The state changes behind the frame.
static bool chance_share(struct chance *c, const struct fault_chance *rule)
{
	bool hit = chance_draw(c, c->is_bad ? rule->bad_share : rule->share);

	if (rule->to_bad && chance_draw(c, c->is_bad ? rule->to_good : rule->to_bad))
		c->is_bad = !c->is_bad;
	return hit;
}

// Bit errors are independent, so the next gap may begin at the end of a frame that is hit.
static bool chance_bits(struct chance *c, uint64_t bits)
{
	if (c->gap >= bits) {
		c->gap -= bits;
		return false;
	}
	chance_draw_gap(c);
	return true;
}

bool chance_hits(struct chance *c, const struct fault_chance *rule, unsigned len)
{
	bool hit = chance_share(c, rule);

	if (c->gap_factor)
		hit |= chance_bits(c, 8ull * (len + PKT_FCS));
	return hit;
}
