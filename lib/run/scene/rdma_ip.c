// SPDX-License-Identifier: BSD-3-Clause
// Controls with parameters of their own: ConnectX's, and the RDMA IP's core and registers at a line
// rate.
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/fixed.h"
#include "reg_name.h"
#include "int.h"

#define GIVEN_CX(name) scene_given(&scene_opts_connectx, &c->cx, name, c->key)
#define GIVEN_IP(name) scene_given(&scene_opts_rdma_ip, &c->ip, name, c->key)

static int whole_mbps(struct build *b, const struct build_control *c, const char *key, rate_t rate)
{
	char text[32];

	if (rate % RATE_MBPS == 0)
		return 0;
	return yamldoc_err(b->err, GIVEN_CX(key),
		"control '%s': %s %s is not a whole number of Mb/s, in which ConnectX counts",
		c->name, key, units_format(UNITS_RATE, rate, text, sizeof(text)));
}

// rate_to_set_on_first_cnp is 0 or lies between rpg_min_rate and the line.
static int first_rate(struct build *b, const struct build_control *c, rate_t rate)
{
	rate_t first = c->cx.rate_to_set_on_first_cnp;
	char text[32], line[32];

	if (!first || (first >= c->cx.rpg_min_rate && first <= rate))
		return 0;
	return yamldoc_err(b->err, GIVEN_CX("rate_to_set_on_first_cnp"),
		"control '%s': rate_to_set_on_first_cnp %s is not between rpg_min_rate and the "
		"line rate %s",
		c->name, units_format(UNITS_RATE, first, text, sizeof(text)),
		units_format(UNITS_RATE, rate, line, sizeof(line)));
}

int scene_control_connectx(
	struct build *b, struct dcqcn_rp_params *p, const struct build_control *c, rate_t rate)
{
	const struct spec_connectx *s = &c->cx;
	int rc = whole_mbps(b, c, "rpg_ai_rate", s->rpg_ai_rate);

	if (!rc)
		rc = whole_mbps(b, c, "rpg_hai_rate", s->rpg_hai_rate);
	if (!rc)
		rc = whole_mbps(b, c, "rpg_min_rate", s->rpg_min_rate);
	if (!rc)
		rc = whole_mbps(b, c, "rate_to_set_on_first_cnp", s->rate_to_set_on_first_cnp);
	if (!rc)
		rc = first_rate(b, c, rate);
	if (!rc && s->initial_rate != OPT_AUTO)
		rc = whole_mbps(b, c, "initial_rate", s->initial_rate);
	if (rc)
		return rc;
	dcqcn_rp_profile(p, "connectx", rate);
	p->initial_rate = s->initial_rate != OPT_AUTO ? s->initial_rate : rate;
	p->rate_timer_ps = s->rpg_time_reset;
	p->byte_counter = s->rpg_byte_reset * 64ull;
	p->f = s->rpg_threshold;
	p->ai_rate = s->rpg_ai_rate;
	p->hai_rate = s->rpg_hai_rate;
	p->min_rate = s->rpg_min_rate;
	p->cut_shift = s->rpg_gd - 10;
	p->min_dec_fac = s->rpg_min_dec_fac;
	p->first_cnp_rate = s->rate_to_set_on_first_cnp;
	p->g = 1 - s->dce_tcp_g / 1024.0;
	p->alpha_timer_ps = s->dce_tcp_rtt;
	p->initial_alpha = s->initial_alpha_value / 1024.0;
	p->cut_interval_ps = s->rate_reduce_monitor_period;
	p->clamp_target = s->clamp_tgt_rate                  ? RP_CLAMP_ALWAYS
			  : s->clamp_tgt_rate_after_time_inc ? RP_CLAMP_AFTER_INCREASE
							     : RP_CLAMP_AFTER_BYTES;
	return 0;
}

static int microseconds(
	struct build *b, const struct build_control *c, uint32_t *us, const char *key, tstamp t)
{
	char text[32];

	if (t % PS_PER_US)
		return yamldoc_err(b->err, GIVEN_IP(key),
			"control '%s': %s %s is not a whole number of microseconds, in which its "
			"register counts",
			c->name, key, units_format(UNITS_TIME, t, text, sizeof(text)));
	*us = (uint32_t)(t / PS_PER_US);
	return 0;
}

// A rate as its register has it; what is not 0 is at least 1.
static int units(
	struct build *b, const struct build_control *c, uint32_t *to, const char *key, rate_t rate)
{
	uint64_t u = rdma_ip_rp_units(rate, c->ip.clock);
	char text[32], most[32], clock[32];

	if (u > RDMA_IP_RP_RATE_MAX)
		return yamldoc_err(b->err, GIVEN_IP(key),
			"control '%s': %s %s is %llu bytes in 1024 cycles at %s, and registers "
			"hold 65535, %s",
			c->name, key, units_format(UNITS_RATE, rate, text, sizeof(text)),
			(unsigned long long)u,
			units_format(UNITS_CLOCK, c->ip.clock, clock, sizeof(clock)),
			units_format(UNITS_RATE,
				rdma_ip_rp_bps(RDMA_IP_RP_RATE_MAX, c->ip.clock) / RATE_MBPS *
					RATE_MBPS,
				most, sizeof(most)));
	*to = rate && !u ? 1 : (uint32_t)u;
	return 0;
}

// auto: the line's rate, or where 16 bits end.
static int highest(struct build *b, const struct build_control *c, uint32_t *to, rate_t line)
{
	char text[32], clock[32];

	if (c->ip.max_rate != OPT_AUTO)
		return units(b, c, to, "max_rate", c->ip.max_rate);
	*to = RDMA_IP_RP_RATE_MAX;
	if (rdma_ip_rp_units(line, c->ip.clock) <= RDMA_IP_RP_RATE_MAX)
		return units(b, c, to, "max_rate", line);
	scene_warn(b, c->key,
		"control '%s': at %s rates end at %s, below the line's; a faster clock reaches "
		"further",
		c->name, units_format(UNITS_CLOCK, c->ip.clock, clock, sizeof(clock)),
		units_format(UNITS_RATE,
			rdma_ip_rp_bps(RDMA_IP_RP_RATE_MAX, c->ip.clock) / RATE_MBPS * RATE_MBPS,
			text, sizeof(text)));
	return 0;
}

static int rates(
	struct build *b, const struct build_control *c, struct rdma_ip_reg_params *p, rate_t line)
{
	struct rdma_ip_rp_regs *r = &p->init.qp.rp;
	int rc = highest(b, c, &r->max_rate, line);

	if (!rc)
		rc = units(b, c, &r->min_rate, "min_rate", c->ip.min_rate);
	if (!rc)
		rc = units(b, c, &r->rate_ai, "rate_ai", c->ip.rate_ai);
	if (!rc)
		rc = units(b, c, &r->rate_hai, "rate_hai", c->ip.rate_hai);
	p->initial_rate = r->max_rate;
	if (!rc && c->ip.initial_rate != OPT_AUTO)
		rc = units(b, c, &p->initial_rate, "initial_rate", c->ip.initial_rate);
	if (rc || r->min_rate <= r->max_rate)
		return rc;
	return yamldoc_err(
		b->err, GIVEN_IP("min_rate"), "control '%s': min_rate is above max_rate", c->name);
}

static int times(struct build *b, const struct build_control *c, struct rdma_ip_reg_params *p)
{
	const struct spec_rdma_ip *s = &c->ip;
	struct rdma_ip_rp_regs *r = &p->init.qp.rp;
	int rc = microseconds(b, c, &r->nocnp_timer_th, "nocnp_timer_th", s->nocnp_timer_th);

	if (!rc)
		rc = microseconds(b, c, &r->alpha_timer_th, "alpha_timer_th", s->alpha_timer_th);
	if (!rc)
		rc = microseconds(b, c, &r->rx_cnp_merge_period, "rx_cnp_merge_period",
			s->rx_cnp_merge_period);
	if (rc)
		return rc;
	p->init.qp.cnp_timer_thrd =
		s->cnp_timer_unit ? (uint32_t)(s->cnp_timer_thrd / PS_PER_US)
				  : (uint32_t)fixed_muldiv(s->cnp_timer_thrd, s->clock, PS_PER_S);
	return 0;
}

// A register of `registers` or of an event, and the value that it can hold. The queue pair is
// number 1.
int scene_register(struct build *b, struct rdma_ip_place *place, uint64_t *value,
	const struct yamldoc_node *name, const struct yamldoc_node *number, uint32_t qpn)
{
	struct err why;

	if (reg_name_find(place, name->text, qpn, &why))
		return yamldoc_err(b->err, name, "%s", why.text);
	if (reg_name_value(value, number->text, place, &why))
		return yamldoc_err(b->err, number, "%s", why.text);
	return 0;
}

static int preloads(struct build *b, const struct build_control *c, struct rdma_ip_reg_params *p)
{
	const struct yamldoc_node *map = c->ip.registers;
	struct rdma_ip_reg_preload *all;
	int rc = 0;

	if (!map || !map->n)
		return 0;
	all = scene_get(b, map->n * sizeof(*all));
	if (!all)
		return -ENOMEM;
	for (unsigned i = 0; !rc && i < map->n; i++)
		rc = scene_register(
			b, &all[i].place, &all[i].value, map->item[i].key, map->item[i].value, 1);
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

int scene_control_rdma_ip(
	struct build *b, struct rdma_ip_reg_params *p, const struct build_control *c, rate_t rate)
{
	const struct spec_rdma_ip *s = &c->ip;
	int rc;

	if (s->alpha_bits > 10 && s->alpha_bits < 18)
		return yamldoc_err(b->err, GIVEN_IP("alpha_bits"),
			"control '%s': alpha_bits is 10, as in the register, or 18 to 32", c->name);
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
	rc = rates(b, c, p, rate);
	if (!rc)
		rc = times(b, c, p);
	return rc ? rc : preloads(b, c, p);
}
