// SPDX-License-Identifier: BSD-3-Clause
// Controls of profile timely: their keys, and their compilation.
#include "profile.h"
#include "rows.h"

struct spec_timely {
	struct opt_src src;
	unsigned profile;
	double alpha, beta;
	tstamp t_low, t_high, min_rtt;
	rate_t delta; // OPT_AUTO
	uint32_t n;
	uint32_t segment;
	rate_t min_rate; // OPT_AUTO
};

static const struct opt timely_rows[] = {
	{ROW(spec_timely, profile, "profile", OPT_ENUM), .names = scene_opts_profiles,
		.example = "timely",
		.help = "a rate that follows the gradient of the RTT (docs/algo/timely.md)"},
	{ROW(spec_timely, alpha, "alpha", OPT_REAL), .flags = OPT_F_LIVE, .max = 1000000,
		.def = "0.875", .help = "weight of the newest difference of two RTTs"},
	{ROW(spec_timely, beta, "beta", OPT_REAL), .flags = OPT_F_LIVE, .max = 1000000,
		.def = "0.8", .help = "of a decrease"},
	{ROW(spec_timely, t_low, "t_low", OPT_TIME), .flags = OPT_F_LIVE, .max = S, .def = "50us",
		.help = "T_low: at a shorter RTT the rate rises, whatever the gradient"},
	{ROW(spec_timely, t_high, "t_high", OPT_TIME), .flags = OPT_F_LIVE, .min = US, .max = S,
		.def = "500us",
		.help = "T_high: at a longer RTT the rate falls, whatever the gradient"},
	{ROW(spec_timely, min_rtt, "min_rtt", OPT_TIME), .flags = OPT_F_LIVE, .min = US, .max = S,
		.def = "20us", .help = "differences of RTTs divided by it are the gradient"},
	{ROW(spec_timely, delta, "delta", OPT_RATE), .min = 1, .max = 800 * GBPS, .def = "auto",
		.flags = OPT_F_LIVE | OPT_F_AUTO,
		.help = "additive increase; auto: 10 Mb/s, framing hpcc_sim: a thousandth of the "
			"line's rate"},
	{ROW(spec_timely, n, "n", OPT_UINT), .flags = OPT_F_LIVE, .min = 1, .max = 1000, .def = "5",
		.help = "N: hyper increase adds this number of delta"},
	{ROW(spec_timely, segment, "segment", OPT_UINT), .flags = OPT_F_LIVE, .min = 1,
		.max = 1 << 30, .def = "16384",
		.help = "bytes acknowledged from one decision to the next (framing hpcc_sim: "
			"those that were in flight)"},
	{ROW(spec_timely, min_rate, "min_rate", OPT_RATE), .min = 100000, .max = 800 * GBPS,
		.def = "auto", .flags = OPT_F_LIVE | OPT_F_AUTO,
		.help = "no decrease goes below it; auto: 100 Mb/s, framing hpcc_sim: 1 Gb/s"},
};
SCHEMA_TABLE(timely) = {"control of profile timely", timely_rows, N(timely_rows), true};

#define GIVEN(name) schema_given(c, &scene_opts_timely, s, name)

static int timely_compile(const struct schema_control *c, struct rp_cfg *cfg, const void *spec)
{
	const struct spec_timely *s = spec;
	struct timely_rp_params p;
	char line[32];

	if (s->t_low > s->t_high)
		return yamldoc_err(c->err, GIVEN("t_low"),
			"control '%s': t_low is above t_high; lower it", c->name);
	if (c->hpcc_sim)
		schema_idle(c, &scene_opts_timely, s, "segment", "in framing hpcc_sim");
	timely_rp_defaults(&p, c->line_rate, c->hpcc_sim);
	p.alpha = s->alpha;
	p.beta = s->beta;
	p.t_low_ps = s->t_low;
	p.t_high_ps = s->t_high;
	p.min_rtt_ps = s->min_rtt;
	p.n = s->n;
	p.segment = s->segment;
	if (s->delta != OPT_AUTO)
		p.delta = s->delta;
	if (s->min_rate != OPT_AUTO)
		p.min_rate = s->min_rate;
	if (p.min_rate > c->line_rate)
		return schema_min_rate_wrong(c, GIVEN("min_rate"), p.min_rate);
	cfg->kind = RP_TIMELY;
	if (!timely_rp_cfg_init(&cfg->u.timely, &p))
		return 0;
	return yamldoc_err(c->err, c->key, "control '%s': these values do not go together at %s",
		c->name, units_format(UNITS_RATE, c->line_rate, line, sizeof(line)));
}

static const struct schema_sim_key sim_keys[] = {
	{"RATE_AI", "delta"},
	{"MIN_RATE", "min_rate"},
	{NULL, NULL},
};

SCHEMA_PROFILE(timely) = {"timely", RP_TIMELY, &scene_opts_timely, sizeof(struct spec_timely),
	timely_compile, 7, sim_keys};
