// SPDX-License-Identifier: BSD-3-Clause
// Controls of profile rdma_ip: the RDMA IP's core and registers.
#include <errno.h>
#include <stdio.h>

#include "base/fixed.h"
#include "profile.h"
#include "reg_name.h"
#include "rows.h"

static const char *const merge_names[] = {"immediate", "period_end", NULL};
static const char *const convention_names[] = {"P", "N", "X", NULL};
static const char *const clamp_names[] = {"always", "after_increase", "never", "after_bytes", NULL};
static const char *const limiter_names[] = {"spacing", "window", NULL};
static const char *const timer_unit_names[] = {"cycles", "us", NULL};

// Registers here have units of time and rate; docs/registers.md has the registers' own units.
static const struct opt rdma_ip_rows[] = {
	{ROW(spec_rdma_ip, profile, "profile", OPT_ENUM), .names = scene_opts_profiles,
		.example = "rdma_ip", .help = "the RDMA IP's registers (docs/algo/rdma_ip.md)"},
	{ROW(spec_rdma_ip, clock, "clock", OPT_CLOCK), .min = 1000000, .max = 2000000000,
		.def = "322.265625MHz",
		.help = "of the core: a rate is counted in bytes in 1024 cycles, 65535 at most"},
	{ROW(spec_rdma_ip, scheme, "scheme", OPT_UINT), .min = 1, .max = 3, .def = "1",
		.help = "1: hardware reacts; 2: software writes CC_RATE_MEM; 3: software masks "
			"send queues"},
	{ROW(spec_rdma_ip, limiter, "limiter", OPT_ENUM), .names = limiter_names, .def = "spacing",
		.help = "frames leave a gap apart, or at the line's rate until a window of 1024 "
			"cycles has let its bytes pass"},
	{ROW(spec_rdma_ip, merge, "merge", OPT_ENUM), .names = merge_names, .def = "immediate",
		.help = "the first CNP of a merge period cuts at once, or a flag at its end"},
	{ROW(spec_rdma_ip, merged_restart, "merged_restart", OPT_BOOL), .def = "false",
		.help = "CNPs that were merged restart the timers too"},
	{ROW(spec_rdma_ip, alpha_bits, "alpha_bits", OPT_UINT), .min = 10, .max = 32, .def = "10",
		.help = "10: the register's arithmetic; 18 and more: alpha has bits behind it, "
			"and rises to 1"},
	{ROW(spec_rdma_ip, byte_unit, "byte_unit", OPT_UINT), .min = 1, .max = 4096, .def = "1",
		.help = "bytes that one count of byte_cnt_th is"},
	{ROW(spec_rdma_ip, clamp_target, "clamp_target", OPT_ENUM), .names = clamp_names,
		.def = "always", .help = "when a cut sets the target rate to the rate before it"},
	{ROW(spec_rdma_ip, fr_convention, "fr_convention", OPT_ENUM), .names = convention_names,
		.def = "X",
		.help = "fast recovery while the stage, counted first (P, N) or afterwards (X), "
			"is <= F (P), < F (N, X)"},
	{ROW(spec_rdma_ip, hai_progressive, "hai_progressive", OPT_BOOL), .def = "false",
		.help = "the i-th hyper increase adds i times rate_hai"},
	{ROW(spec_rdma_ip, nocnp_timer_th, "nocnp_timer_th", OPT_TIME), .flags = OPT_F_LIVE,
		.max = 65535 * US, .def = "55us",
		.help = "an increase each time it expires; whole us, 0: never"},
	{ROW(spec_rdma_ip, byte_cnt_th, "byte_cnt_th", OPT_UINT), .flags = OPT_F_LIVE,
		.max = 524287, .def = "524287",
		.help = "an increase each time this number of byte_unit was sent; 0: never"},
	{ROW(spec_rdma_ip, alpha_timer_th, "alpha_timer_th", OPT_TIME), .flags = OPT_F_LIVE,
		.max = 65535 * US, .def = "55us",
		.help = "time without a CNP after which alpha decays; whole us, 0: never"},
	{ROW(spec_rdma_ip, rx_cnp_merge_period, "rx_cnp_merge_period", OPT_TIME),
		.flags = OPT_F_LIVE, .max = 65535 * US, .def = "4us",
		.help = "CNPs within it cut once; whole us"},
	{ROW(spec_rdma_ip, max_rate, "max_rate", OPT_RATE), .min = 1000000, .max = 800 * GBPS,
		.def = "auto", .flags = OPT_F_AUTO,
		.help = "auto: the line's, or what 16 bits hold"},
	{ROW(spec_rdma_ip, min_rate, "min_rate", OPT_RATE), .flags = OPT_F_LIVE, .max = 800 * GBPS,
		.def = "40Mbps", .help = "no cut goes below it"},
	{ROW(spec_rdma_ip, rate_ai, "rate_ai", OPT_RATE), .flags = OPT_F_LIVE, .max = 800 * GBPS,
		.def = "40Mbps", .help = "step of additive increase"},
	{ROW(spec_rdma_ip, rate_hai, "rate_hai", OPT_RATE), .flags = OPT_F_LIVE, .max = 800 * GBPS,
		.def = "200Mbps", .help = "step of hyper increase"},
	{ROW(spec_rdma_ip, upd_alpha_g, "upd_alpha_g", OPT_UINT), .flags = OPT_F_LIVE, .max = 1023,
		.def = "4", .help = "gain of alpha, of 1024"},
	{ROW(spec_rdma_ip, alpha_rate_shift, "alpha_rate_shift", OPT_UINT), .flags = OPT_F_LIVE,
		.max = 15, .def = "1",
		.help = "a cut takes alpha (of 1024) / 2^(shift + 10) of the rate"},
	{ROW(spec_rdma_ip, phase_threshold, "phase_threshold", OPT_UINT), .flags = OPT_F_LIVE,
		.max = 31, .def = "5", .help = "F: expiries of fast recovery"},
	{ROW(spec_rdma_ip, min_dec_fac, "min_dec_fac", OPT_UINT), .flags = OPT_F_LIVE, .max = 100,
		.def = "0", .help = "a cut leaves at least this percentage of the rate"},
	{ROW(spec_rdma_ip, cnp_timer_thrd, "cnp_timer_thrd", OPT_TIME), .flags = OPT_F_LIVE,
		.max = S, .def = "50us",
		.help = "time after a CNP with at most 8 outstanding requests, else 16"},
	{ROW(spec_rdma_ip, cnp_timer_unit, "cnp_timer_unit", OPT_ENUM), .names = timer_unit_names,
		.def = "cycles", .help = "what CNP_TIMER_THRD counts"},
	{ROW(spec_rdma_ip, cnp_int_en, "cnp_int_en", OPT_BOOL), .flags = OPT_F_LIVE, .def = "false",
		.help = "a CNP raises the interrupt: an event, and a call of firmware"},
	{ROW(spec_rdma_ip, initial_rate, "initial_rate", OPT_RATE), .max = 800 * GBPS,
		.def = "auto", .flags = OPT_F_AUTO,
		.help = "written to RATE_MEM and CC_RATE_MEM; auto: max_rate"},
	{ROW(spec_rdma_ip, initial_alpha, "initial_alpha", OPT_UINT), .max = 1023, .def = "1023",
		.help = "written to ALPHA_MEM"},
	{ROW(spec_rdma_ip, registers, "registers", OPT_SECTION),
		.example = "{dcqcn_rate_ai: 16, alpha: 1023}",
		.help = "written last, by name or address; of a queue pair: for each"},
};
SCHEMA_TABLE(rdma_ip) = {"control of profile rdma_ip", rdma_ip_rows, N(rdma_ip_rows), true};

#define GIVEN(name) schema_given(c, &scene_opts_rdma_ip, s, name)

static int microseconds(const struct schema_control *c, const struct spec_rdma_ip *s, uint32_t *us,
	const char *key, tstamp t)
{
	char text[32];

	if (t % PS_PER_US)
		return yamldoc_err(c->err, GIVEN(key),
			"control '%s': %s %s is not a whole number of microseconds, in which its "
			"register counts",
			c->name, key, units_format(UNITS_TIME, t, text, sizeof(text)));
	*us = (uint32_t)(t / PS_PER_US);
	return 0;
}

// Converts a rate to the units of its register. A rate above 0 becomes at least 1.
static int units(const struct schema_control *c, const struct spec_rdma_ip *s, uint32_t *to,
	const char *key, rate_t rate)
{
	uint64_t u = rdma_ip_rp_units(rate, s->clock);
	char text[32], most[32], clock[32];

	if (u > RDMA_IP_RP_RATE_MAX)
		return yamldoc_err(c->err, GIVEN(key),
			"control '%s': %s %s is %llu bytes in 1024 cycles at %s, and registers "
			"hold 65535, %s",
			c->name, key, units_format(UNITS_RATE, rate, text, sizeof(text)),
			(unsigned long long)u,
			units_format(UNITS_CLOCK, s->clock, clock, sizeof(clock)),
			units_format(UNITS_RATE,
				rdma_ip_rp_bps(RDMA_IP_RP_RATE_MAX, s->clock) / RATE_MBPS *
					RATE_MBPS,
				most, sizeof(most)));
	*to = rate && !u ? 1 : (uint32_t)u;
	return 0;
}

// auto: the line's rate, or where 16 bits end.
static int highest(const struct schema_control *c, const struct spec_rdma_ip *s, uint32_t *to)
{
	char text[32], clock[32], why[256];

	if (s->max_rate != OPT_AUTO)
		return units(c, s, to, "max_rate", s->max_rate);
	*to = RDMA_IP_RP_RATE_MAX;
	if (rdma_ip_rp_units(c->line_rate, s->clock) <= RDMA_IP_RP_RATE_MAX)
		return units(c, s, to, "max_rate", c->line_rate);
	snprintf(why, sizeof(why),
		"control '%s': at %s rates end at %s, below the line's; "
		"a faster clock reaches further",
		c->name, units_format(UNITS_CLOCK, s->clock, clock, sizeof(clock)),
		units_format(UNITS_RATE,
			rdma_ip_rp_bps(RDMA_IP_RP_RATE_MAX, s->clock) / RATE_MBPS * RATE_MBPS, text,
			sizeof(text)));
	c->warn(c->scene, c->key, why);
	return 0;
}

static int rates(
	const struct schema_control *c, const struct spec_rdma_ip *s, struct rdma_ip_reg_params *p)
{
	struct rdma_ip_rp_regs *r = &p->init.qp.rp;
	int rc = highest(c, s, &r->max_rate);

	if (!rc)
		rc = units(c, s, &r->min_rate, "min_rate", s->min_rate);
	if (!rc)
		rc = units(c, s, &r->rate_ai, "rate_ai", s->rate_ai);
	if (!rc)
		rc = units(c, s, &r->rate_hai, "rate_hai", s->rate_hai);
	p->initial_rate = r->max_rate;
	if (!rc && s->initial_rate != OPT_AUTO)
		rc = units(c, s, &p->initial_rate, "initial_rate", s->initial_rate);
	if (rc || r->min_rate <= r->max_rate)
		return rc;
	return yamldoc_err(
		c->err, GIVEN("min_rate"), "control '%s': min_rate is above max_rate", c->name);
}

static int timer_registers(
	const struct schema_control *c, const struct spec_rdma_ip *s, struct rdma_ip_reg_params *p)
{
	struct rdma_ip_rp_regs *r = &p->init.qp.rp;
	int rc = microseconds(c, s, &r->nocnp_timer_th, "nocnp_timer_th", s->nocnp_timer_th);

	if (!rc)
		rc = microseconds(c, s, &r->alpha_timer_th, "alpha_timer_th", s->alpha_timer_th);
	if (!rc)
		rc = microseconds(c, s, &r->rx_cnp_merge_period, "rx_cnp_merge_period",
			s->rx_cnp_merge_period);
	if (rc)
		return rc;
	p->init.qp.cnp_timer_thrd =
		s->cnp_timer_unit ? (uint32_t)(s->cnp_timer_thrd / PS_PER_US)
				  : (uint32_t)fixed_muldiv(s->cnp_timer_thrd, s->clock, PS_PER_S);
	return 0;
}

static int preloads(
	const struct schema_control *c, const struct spec_rdma_ip *s, struct rdma_ip_reg_params *p)
{
	const struct yamldoc_node *map = s->registers;
	struct rdma_ip_reg_preload *all;
	int rc = 0;

	if (!map || !map->n)
		return 0;
	all = arena_get(c->arena, map->n * sizeof(*all));
	if (!all)
		return err_set(c->err, -ENOMEM, "out of memory");
	for (unsigned i = 0; !rc && i < map->n; i++)
		rc = reg_name_write(&all[i].place, &all[i].value, map->item[i].key,
			map->item[i].value, 1, c->err);
	p->preload = all;
	p->n_preload = map->n;
	return rc;
}

static struct rdma_ip_rp_core core_of(const struct spec_rdma_ip *s)
{
	return (struct rdma_ip_rp_core){
		.clock_hz = s->clock,
		.byte_unit = s->byte_unit,
		.alpha_bits = s->alpha_bits,
		.merge = s->merge,
		.merged_restart = s->merged_restart,
		.fr_convention = s->fr_convention,
		.clamp_target = s->clamp_target,
		.hai_progressive = s->hai_progressive,
	};
}

static int rdma_ip_compile(const struct schema_control *c, struct rp_cfg *cfg, const void *spec)
{
	const struct spec_rdma_ip *s = spec;
	struct rdma_ip_reg_params *p = &cfg->u.rdma_ip;
	int rc;

	if (s->alpha_bits > 10 && s->alpha_bits < 18)
		return yamldoc_err(c->err, GIVEN("alpha_bits"),
			"control '%s': alpha_bits is 10, as in the register, or 18 to 32", c->name);
	cfg->kind = RP_RDMA_IP;
	*p = (struct rdma_ip_reg_params){
		.core.rp = core_of(s),
		.core.cnp_timer_us = s->cnp_timer_unit,
		.core.limiter = s->limiter,
		.initial_alpha = s->initial_alpha,
		.init.qp = {.rp = {.hw_en = s->scheme == 1,
				    .byte_cnt_th = s->byte_cnt_th,
				    .upd_alpha_g = s->upd_alpha_g,
				    .alpha_rate_shift = s->alpha_rate_shift,
				    .phase_threshold = s->phase_threshold,
				    .min_dec_fac = s->min_dec_fac},
			.hw_rate_throttle_en = s->scheme != 3,
			.speed_limiter_en = s->scheme != 3,
			.tx_wqe_ost_limit_en = s->scheme != 3,
			.cnp_int_en = s->cnp_int_en},
	};
	rc = rates(c, s, p);
	if (!rc)
		rc = timer_registers(c, s, p);
	return rc ? rc : preloads(c, s, p);
}

SCHEMA_PROFILE(rdma_ip) = {"rdma_ip", RP_RDMA_IP, &scene_opts_rdma_ip, sizeof(struct spec_rdma_ip),
	rdma_ip_compile, 0, NULL};
