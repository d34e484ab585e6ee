// SPDX-License-Identifier: BSD-3-Clause
// Profiles of the DCQCN reaction point and how their numbers become its fixed-point configuration.
#include "algo/dcqcn_rp.h"

#include <errno.h>
#include <string.h>

#define ONE_Q60  (1ull << 60)
#define RATE_MAX (1ull << 44) // 17.6 Tb/s: 2^16 stages of R_HAI still fit 64 bits

// SIGCOMM'15, open points as STANDARDS 4.3 settles them.
static struct dcqcn_rp_params paper(rate_t line_rate)
{
	return (struct dcqcn_rp_params){
		.line_rate = line_rate,
		.min_rate = 40 * RATE_MBPS,
		.ai_rate = 40 * RATE_MBPS,
		.hai_rate = 200 * RATE_MBPS,
		.g = 1.0 / 256,
		.initial_alpha = 1,
		.alpha_timer_ps = 55 * PS_PER_US,
		.rate_timer_ps = 55 * PS_PER_US,
		.cut_interval_ps = 0,
		.byte_counter = 10000000,
		.f = 5,
		.fr_convention = RP_FR_P,
		.hai_progressive = true,
		.alpha_order = RP_CUT_FIRST,
		.clamp_target = RP_CLAMP_ALWAYS,
		.reaction = RP_ON_CNP,
	};
}

// The reference simulator's DCQCN: 5 and 50 Mb/s of increase at 25 Gb/s, scaled with the line.
static struct dcqcn_rp_params hpcc(rate_t line_rate)
{
	return (struct dcqcn_rp_params){
		.line_rate = line_rate,
		.min_rate = 1000 * RATE_MBPS,
		.ai_rate = line_rate / 5000,
		.hai_rate = line_rate / 500,
		.g = 1.0 / 256,
		.initial_alpha = 1,
		.alpha_timer_ps = 1 * PS_PER_US,
		.rate_timer_ps = 300 * PS_PER_US,
		.cut_interval_ps = 4 * PS_PER_US,
		.byte_counter = 0,
		.f = 1,
		.fr_convention = RP_FR_X,
		.hai_progressive = false,
		.alpha_order = RP_ALPHA_FIRST,
		.clamp_target = RP_CLAMP_AFTER_INCREASE,
		.reaction = RP_TIMED,
	};
}

int dcqcn_rp_profile(struct dcqcn_rp_params *params, const char *profile, rate_t line_rate)
{
	struct dcqcn_rp_params p;

	if (!strcmp(profile, "paper"))
		p = paper(line_rate);
	else if (!strcmp(profile, "hpcc"))
		p = hpcc(line_rate);
	else
		return -ENOENT;
	if (p.min_rate > line_rate)
		p.min_rate = line_rate;
	*params = p;
	return 0;
}

static bool timer_ok(tstamp period)
{
	return period >= PS_PER_US && period <= PS_PER_S;
}

static bool rates_ok(const struct dcqcn_rp_params *p)
{
	return p->line_rate <= RATE_MAX && p->min_rate >= RATE_MIN && p->min_rate <= p->line_rate &&
	       p->ai_rate <= RATE_MAX && p->hai_rate <= RATE_MAX;
}

static bool timers_ok(const struct dcqcn_rp_params *p)
{
	bool cut_ok = p->reaction == RP_TIMED ? timer_ok(p->cut_interval_ps)
					      : p->cut_interval_ps <= PS_PER_S;

	return timer_ok(p->alpha_timer_ps) && cut_ok &&
	       (p->rate_timer_ps == TSTAMP_NEVER || timer_ok(p->rate_timer_ps));
}

static bool switches_ok(const struct dcqcn_rp_params *p)
{
	return p->f >= 1 && p->f <= 31 && p->fr_convention <= RP_FR_X &&
	       p->alpha_order <= RP_ALPHA_FIRST && p->clamp_target <= RP_CLAMP_NEVER &&
	       p->reaction <= RP_TIMED;
}

int dcqcn_rp_cfg_init(struct dcqcn_rp_cfg *cfg, const struct dcqcn_rp_params *params)
{
	const struct dcqcn_rp_params *p = params;

	if (!rates_ok(p) || !timers_ok(p) || !switches_ok(p) || p->byte_counter > INT64_MAX / 2)
		return -EINVAL;
	if (!(p->g >= 0x1p-20 && p->g <= 1 && p->initial_alpha >= 0 && p->initial_alpha <= 1))
		return -EINVAL; // not a number fails too
	*cfg = (struct dcqcn_rp_cfg){
		.p = *p,
		.g = (uint64_t)(p->g * 0x1p60),
		.initial_alpha = (uint64_t)(p->initial_alpha * 0x1p60),
		.byte_counter = p->byte_counter ? (int64_t)p->byte_counter : INT64_MAX,
		.ai_from = p->fr_convention == RP_FR_P ? p->f + 1 : p->f,
		.hai_from = p->fr_convention == RP_FR_N ? p->f : p->f + 1,
		.hai_base = p->fr_convention == RP_FR_N ? p->f - 1 : p->f,
		.count_first = p->fr_convention != RP_FR_X,
		.one_counter = !p->byte_counter || p->rate_timer_ps == TSTAMP_NEVER,
	};
	cfg->one_minus_g = ONE_Q60 - cfg->g;
	return 0;
}
