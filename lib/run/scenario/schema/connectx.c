// SPDX-License-Identifier: BSD-3-Clause
// Controls of profile connectx: NVIDIA's mlx5 parameters by their own names.
#include "profile.h"
#include "rows.h"

// The ranges are the driver's (standards.md 4.3).
static const struct opt connectx_rows[] = {
	{ROW(spec_connectx, profile, "profile", OPT_ENUM), .names = scene_opts_profiles,
		.example = "connectx", .help = "NVIDIA's engine, parameters by their mlx5 names"},
	{ROW(spec_connectx, rpg_time_reset, "rpg_time_reset", OPT_TIME), .flags = OPT_F_LIVE,
		.min = US, .max = 131071 * US, .def = "300us",
		.help = "an increase each time it expires"},
	{ROW(spec_connectx, rpg_byte_reset, "rpg_byte_reset", OPT_UINT), .flags = OPT_F_LIVE,
		.min = 1, .max = 32767, .def = "32767",
		.help = "an increase each time 64 times this number of bytes was sent"},
	{ROW(spec_connectx, rpg_threshold, "rpg_threshold", OPT_UINT), .flags = OPT_F_LIVE,
		.min = 1, .max = 31, .def = "1", .help = "F: expiries of fast recovery"},
	{ROW(spec_connectx, rpg_ai_rate, "rpg_ai_rate", OPT_RATE), .flags = OPT_F_LIVE,
		.min = 1000000, .max = 800 * GBPS, .def = "5Mbps",
		.help = "step of additive increase; whole Mb/s, as every rate here"},
	{ROW(spec_connectx, rpg_hai_rate, "rpg_hai_rate", OPT_RATE), .flags = OPT_F_LIVE,
		.min = 1000000, .max = 800 * GBPS, .def = "50Mbps",
		.help = "step of hyper increase"},
	{ROW(spec_connectx, rpg_min_rate, "rpg_min_rate", OPT_RATE), .flags = OPT_F_LIVE,
		.min = 1000000, .max = 800 * GBPS, .def = "1Mbps", .help = "no cut goes below it"},
	{ROW(spec_connectx, initial_rate, "initial_rate", OPT_RATE), .min = 1000000,
		.max = 800 * GBPS, .def = "auto", .flags = OPT_F_AUTO,
		.help = "at which a queue pair starts, before its first CNP; auto: the line's"},
	{ROW(spec_connectx, rpg_gd, "rpg_gd", OPT_UINT), .flags = OPT_F_LIVE, .min = 10, .max = 11,
		.def = "11", .help = "a cut takes alpha (of 1024) / 2^rpg_gd of the rate"},
	{ROW(spec_connectx, rpg_min_dec_fac, "rpg_min_dec_fac", OPT_UINT), .flags = OPT_F_LIVE,
		.max = 100, .def = "50",
		.help = "a cut leaves at least this percentage of the rate"},
	{ROW(spec_connectx, rate_to_set_on_first_cnp, "rate_to_set_on_first_cnp", OPT_RATE),
		.flags = OPT_F_LIVE, .max = 800 * GBPS, .def = "0bps",
		.help = "rate and target after the first CNP, unless lower before; 0: the line's"},
	{ROW(spec_connectx, dce_tcp_g, "dce_tcp_g", OPT_UINT), .flags = OPT_F_LIVE, .max = 1023,
		.def = "1019", .help = "what alpha keeps at each update, of 1024"},
	{ROW(spec_connectx, dce_tcp_rtt, "dce_tcp_rtt", OPT_TIME), .flags = OPT_F_LIVE, .min = US,
		.max = 131071 * US, .def = "1us", .help = "period of alpha's updates"},
	{ROW(spec_connectx, initial_alpha_value, "initial_alpha_value", OPT_UINT),
		.flags = OPT_F_LIVE, .min = 1, .max = 1023, .def = "1023",
		.help = "alpha after the first CNP, of 1024"},
	{ROW(spec_connectx, rate_reduce_monitor_period, "rate_reduce_monitor_period", OPT_TIME),
		.flags = OPT_F_LIVE, .min = US, .max = S, .def = "4us",
		.help = "CNPs within it cut once, as it ends"},
	{ROW(spec_connectx, clamp_tgt_rate, "clamp_tgt_rate", OPT_BOOL), .flags = OPT_F_LIVE,
		.def = "false",
		.help = "every cut lowers the target to the rate before it; else only after the "
			"byte counter"},
	{ROW(spec_connectx, clamp_tgt_rate_after_time_inc, "clamp_tgt_rate_after_time_inc",
		 OPT_BOOL),
		.flags = OPT_F_LIVE, .def = "true",
		.help = "or the timer has raised the rate since the last cut"},
};
SCHEMA_TABLE(connectx) = {"control of profile connectx", connectx_rows, N(connectx_rows), true};

#define GIVEN(name) schema_given(c, &scene_opts_connectx, s, name)

static int whole_mbps(
	const struct schema_control *c, const struct spec_connectx *s, const char *key, rate_t rate)
{
	char text[32];

	if (rate % RATE_MBPS == 0)
		return 0;
	return yamldoc_err(c->err, GIVEN(key),
		"control '%s': %s %s is not a whole number of Mb/s, in which ConnectX counts",
		c->name, key, units_format(UNITS_RATE, rate, text, sizeof(text)));
}

// rate_to_set_on_first_cnp is 0 or lies between rpg_min_rate and the line.
static int first_rate(const struct schema_control *c, const struct spec_connectx *s)
{
	rate_t first = s->rate_to_set_on_first_cnp;
	char text[32], line[32];

	if (!first || (first >= s->rpg_min_rate && first <= c->line_rate))
		return 0;
	return yamldoc_err(c->err, GIVEN("rate_to_set_on_first_cnp"),
		"control '%s': "
		"rate_to_set_on_first_cnp %s is not between rpg_min_rate and the line rate %s",
		c->name, units_format(UNITS_RATE, first, text, sizeof(text)),
		units_format(UNITS_RATE, c->line_rate, line, sizeof(line)));
}

static int connectx_compile(const struct schema_control *c, struct rp_cfg *cfg, const void *spec)
{
	const struct spec_connectx *s = spec;
	struct dcqcn_rp_params params, *p = &params;
	int rc = whole_mbps(c, s, "rpg_ai_rate", s->rpg_ai_rate);

	if (!rc)
		rc = whole_mbps(c, s, "rpg_hai_rate", s->rpg_hai_rate);
	if (!rc)
		rc = whole_mbps(c, s, "rpg_min_rate", s->rpg_min_rate);
	if (!rc)
		rc = whole_mbps(c, s, "rate_to_set_on_first_cnp", s->rate_to_set_on_first_cnp);
	if (!rc)
		rc = first_rate(c, s);
	if (!rc && s->initial_rate != OPT_AUTO)
		rc = whole_mbps(c, s, "initial_rate", s->initial_rate);
	if (rc)
		return rc;
	dcqcn_rp_profile(p, "connectx", c->line_rate);
	p->initial_rate = s->initial_rate;
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
	return schema_dcqcn(c, cfg, params, &scene_opts_connectx, s);
}

SCHEMA_PROFILE(connectx) = {"connectx", RP_DCQCN, &scene_opts_connectx,
	sizeof(struct spec_connectx), connectx_compile, 0, NULL};
