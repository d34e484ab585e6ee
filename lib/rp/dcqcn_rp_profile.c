// SPDX-License-Identifier: BSD-3-Clause
// Profiles of the DCQCN reaction point and how their numbers become its fixed-point configuration.
#include "dcqcn_rp.h"

#include <errno.h>
#include <string.h>

#define ONE_Q60   (1ull << 60)
#define RATE_MAX  (1ull << 44) // 17.6 Tb/s: 2^16 stages of R_HAI still fit 64 bits
#define BYTES_MAX (1ull << 42) // of the byte counter

typedef unsigned __int128 wide;

// The reference simulator runs the decrease timer so much behind alpha's, so that a cut sees the
// alpha of its own instant; its vectors show it.
#define CUT_LAG PS_PER_NS

// SIGCOMM'15, open points as standards.md 4.3 settles them.
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
		.cut_shift = 1,
		.alpha_bits = 60,
		.rate_unit = 1,
	};
}

// The reference simulator's DCQCN: 5 and 50 Mb/s of increase at 25 Gb/s, scaled with the line.
static struct dcqcn_rp_params hpcc_sim_dcqcn(rate_t line_rate)
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
		.first_cnp = RP_FIRST_FLAGS,
		.cut_shift = 1,
		.alpha_bits = 60,
		.rate_unit = 1,
		.halves_down = true,
	};
}

// NVIDIA's parameters at the defaults of their driver, under their mlx5 names beside each; where
// the sources differ (standards.md 4.3) rate_to_set_on_first_cnp is 0 and rpg_hai_rate 50 Mb/s.
static struct dcqcn_rp_params connectx(rate_t line_rate)
{
	return (struct dcqcn_rp_params){
		.line_rate = line_rate,
		.min_rate = 1 * RATE_MBPS,        // rpg_min_rate
		.ai_rate = 5 * RATE_MBPS,         // rpg_ai_rate
		.hai_rate = 50 * RATE_MBPS,       // rpg_hai_rate
		.g = 1 - 1019.0 / 1024,           // dce_tcp_g: what is kept of alpha
		.initial_alpha = 1023.0 / 1024,   // initial_alpha_value
		.alpha_timer_ps = 1 * PS_PER_US,  // dce_tcp_rtt
		.rate_timer_ps = 300 * PS_PER_US, // rpg_time_reset
		.cut_interval_ps = 4 * PS_PER_US, // rate_reduce_monitor_period
		.byte_counter = 32767 * 64,       // rpg_byte_reset, in 64 bytes
		.f = 1,                           // rpg_threshold
		.fr_convention = RP_FR_X,
		.hai_progressive = false,
		.alpha_order = RP_ALPHA_FIRST,
		.clamp_target = RP_CLAMP_AFTER_INCREASE, // clamp_tgt_rate 0, _after_time_inc 1
		.reaction = RP_TIMED,
		.first_cnp = RP_FIRST_SETS,
		.first_cnp_rate = 0, // rate_to_set_on_first_cnp
		.cut_shift = 1,      // rpg_gd 11: alpha in 1024ths
		.min_dec_fac = 50,   // rpg_min_dec_fac
		.alpha_bits = 10,
		.rate_unit = RATE_MBPS,
	};
}

int dcqcn_rp_profile(struct dcqcn_rp_params *params, const char *profile, rate_t line_rate)
{
	struct dcqcn_rp_params p;

	if (!strcmp(profile, "paper"))
		p = paper(line_rate);
	else if (!strcmp(profile, "hpcc_sim_dcqcn"))
		p = hpcc_sim_dcqcn(line_rate);
	else if (!strcmp(profile, "connectx"))
		p = connectx(line_rate);
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

static bool multiple_ok(const struct dcqcn_rp_params *p)
{
	rate_t u = p->rate_unit;

	return u >= 1 && (u == 1 || !p->halves_down) && u <= RATE_GBPS && p->ai_rate % u == 0 &&
	       p->hai_rate % u == 0 && p->min_rate % u == 0 && p->first_cnp_rate % u == 0;
}

static bool initial_ok(const struct dcqcn_rp_params *p)
{
	return !p->initial_rate || p->initial_rate == p->line_rate ||
	       (p->initial_rate >= p->min_rate && p->initial_rate < p->line_rate &&
		       p->initial_rate % p->rate_unit == 0);
}

static bool rates_ok(const struct dcqcn_rp_params *p)
{
	return p->line_rate <= RATE_MAX && p->min_rate >= RATE_MIN && p->min_rate <= p->line_rate &&
	       p->ai_rate <= RATE_MAX && p->hai_rate <= RATE_MAX && multiple_ok(p) &&
	       initial_ok(p) &&
	       (!p->first_cnp_rate ||
		       (p->first_cnp_rate >= p->min_rate && p->first_cnp_rate <= p->line_rate));
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
	       p->alpha_order <= RP_ALPHA_FIRST && p->clamp_target <= RP_CLAMP_AFTER_BYTES &&
	       p->reaction <= RP_TIMED && p->first_cnp <= RP_FIRST_SETS;
}

// a b / 2^60, b below 2^60
static wide times_q60(wide a, uint64_t b)
{
	return ((wide)(uint64_t)(a >> 64) * b << 4) + ((wide)(uint64_t)a * b >> 60);
}

// The powers of 1 - g are computed in Q1.127, where rounding on the way does not show.
static void compile_powers(struct dcqcn_rp_cfg *cfg)
{
	wide power = (wide)1 << 127;

	for (unsigned n = 0; n <= DCQCN_RP_TICKS; n++) {
		if (n < DCQCN_RP_POWERS)
			cfg->power[n] = (uint64_t)(power >> 64);
		if (n % DCQCN_RP_POWERS == 0)
			cfg->far_power[n / DCQCN_RP_POWERS] = (uint64_t)(power >> 64);
		power = times_q60(power, cfg->one_minus_g);
	}
}

// Constants of alpha in Q0.60, whole in the bits that it has.
static void compile_alpha(struct dcqcn_rp_cfg *cfg)
{
	const struct dcqcn_rp_params *p = &cfg->p;
	uint64_t lsb = 1ull << (60 - p->alpha_bits);

	cfg->alpha_mask = p->alpha_bits == 60 ? UINT64_MAX : -lsb;
	cfg->alpha_max = p->alpha_bits == 60 ? ONE_Q60 : ONE_Q60 - lsb;
	// Nearest, so that 1019 / 1024 is 1019 though doubles carry a rounding error.
	cfg->g = ((uint64_t)(p->g * 0x1p60) + lsb / 2) & cfg->alpha_mask;
	cfg->one_minus_g = ONE_Q60 - cfg->g;
	cfg->initial_alpha = ((uint64_t)(p->initial_alpha * 0x1p60) + lsb / 2) & cfg->alpha_mask;
	if (cfg->initial_alpha > cfg->alpha_max)
		cfg->initial_alpha = cfg->alpha_max;
	compile_powers(cfg);
}

int dcqcn_rp_cfg_init(struct dcqcn_rp_cfg *cfg, const struct dcqcn_rp_params *params)
{
	const struct dcqcn_rp_params *p = params;

	if (!rates_ok(p) || !timers_ok(p) || !switches_ok(p) || p->byte_counter > BYTES_MAX)
		return -EINVAL;
	if (!(p->g >= 0x1p-20 && p->g <= 1 && p->initial_alpha >= 0 && p->initial_alpha <= 1))
		return -EINVAL; // not a number fails too
	if (p->cut_shift > 3 || p->min_dec_fac > 100 ||
		(p->alpha_bits != 60 && (p->alpha_bits < 8 || p->alpha_bits > 32)))
		return -EINVAL;
	*cfg = (struct dcqcn_rp_cfg){
		.p = *p,
		.byte_counter = p->byte_counter ? (int64_t)p->byte_counter : DCQCN_RP_NO_BYTES,
		.stages = rp_stages(p->f, p->fr_convention,
			!p->byte_counter || p->rate_timer_ps == TSTAMP_NEVER),
		.initial_rate = p->initial_rate ? p->initial_rate : p->line_rate,
		.first_cnp_rate = p->first_cnp_rate ? p->first_cnp_rate : p->line_rate,
		.cut_lag = p->first_cnp == RP_FIRST_FLAGS ? CUT_LAG : 0,
	};
	cfg->stages.ai = p->ai_rate;
	cfg->stages.hai = p->hai_rate;
	cfg->stages.progressive = p->hai_progressive;
	compile_alpha(cfg);
	return 0;
}
