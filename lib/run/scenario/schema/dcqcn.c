// SPDX-License-Identifier: BSD-3-Clause
// Controls of DCQCN: its keys, which profiles give their values, and its compilation.
#include "profile.h"
#include "rows.h"

static const char *const convention_names[] = {"P", "N", "X", NULL};
static const char *const order_names[] = {"cut_first", "alpha_first", NULL};
static const char *const clamp_names[] = {"always", "after_increase", "never", NULL};
static const char *const reaction_names[] = {"on_cnp", "timed", NULL};

static const struct opt control_rows[] = {
	{ROW(spec_control, profile, "profile", OPT_ENUM), .names = scene_opts_profiles,
		.def = "paper",
		.help = "what gives the values that do not stand here; hpcc_sim_dcqcn: the public "
			"HPCC simulator"},
	{ROW(spec_control, plugin, "plugin", OPT_TEXT), .flags = OPT_F_ASIDE | OPT_F_LOCAL,
		.excludes = "profile", .example = "mine.so",
		.help = "an algorithm of your own instead: a shared object (quench/plugin.h), a "
			"path from the scenario's folder; the other keys are its own"},
	{ROW(spec_control, p.ai_rate, "ai_rate", OPT_RATE), .flags = OPT_F_LIVE, .min = 1,
		.max = 800 * GBPS, .example = "40Mbps", .help = "R_AI: step of additive increase"},
	{ROW(spec_control, p.hai_rate, "hai_rate", OPT_RATE), .flags = OPT_F_LIVE, .min = 1,
		.max = 800 * GBPS, .example = "200Mbps", .help = "R_HAI: step of hyper increase"},
	{ROW(spec_control, p.min_rate, "min_rate", OPT_RATE), .flags = OPT_F_LIVE, .min = 100000,
		.max = 800 * GBPS, .example = "40Mbps", .help = "no cut goes below it"},
	{ROW(spec_control, p.initial_rate, "initial_rate", OPT_RATE), .min = 100000,
		.max = 800 * GBPS, .flags = OPT_F_AUTO, .example = "auto",
		.help = "at which a queue pair starts, before its first CNP; auto: the line's"},
	{ROW(spec_control, p.g, "g", OPT_REAL), .flags = OPT_F_LIVE, .min = 1, .max = 1000000,
		.example = "1/256", .help = "gain of alpha"},
	{ROW(spec_control, p.initial_alpha, "initial_alpha", OPT_REAL), .flags = OPT_F_LIVE,
		.max = 1000000, .example = "1", .help = "alpha before the first CNP"},
	{ROW(spec_control, p.alpha_timer_ps, "alpha_timer", OPT_TIME), .flags = OPT_F_LIVE,
		.min = US, .max = S, .example = "55us",
		.help = "K: time without a CNP after which alpha decays"},
	{ROW(spec_control, p.rate_timer_ps, "rate_timer", OPT_TIME), .min = US, .max = S,
		.flags = OPT_F_LIVE | OPT_F_NONE, .example = "55us",
		.help = "T: an increase each time it expires"},
	{ROW(spec_control, p.byte_counter, "byte_counter", OPT_SIZE), .min = 64, .max = 1024 * GIB,
		.flags = OPT_F_LIVE | OPT_F_NONE, .example = "10MB",
		.help = "B: bytes (with FCS) from one increase to the next"},
	{ROW(spec_control, p.f, "fr_threshold", OPT_UINT), .flags = OPT_F_LIVE, .min = 1, .max = 31,
		.example = "5", .help = "F: stages of fast recovery"},
	{ROW(spec_control, p.fr_convention, "fr_convention", OPT_ENUM), .flags = OPT_F_LIVE,
		.names = convention_names, .example = "P",
		.help = "fast recovery while the stage, counted first (P, N) or afterwards (X), "
			"is <= F (P), < F (N, X)"},
	{ROW(spec_control, p.hai_progressive, "hai_progressive", OPT_BOOL), .flags = OPT_F_LIVE,
		.example = "true", .help = "the i-th hyper increase adds i times hai_rate"},
	{ROW(spec_control, p.alpha_order, "alpha_order", OPT_ENUM), .flags = OPT_F_LIVE,
		.names = order_names, .example = "cut_first",
		.help = "whether the cut uses alpha from before or after its update"},
	{ROW(spec_control, p.clamp_target, "clamp_target", OPT_ENUM), .flags = OPT_F_LIVE,
		.names = clamp_names, .example = "always",
		.help = "when a cut sets the target rate to the rate before it"},
	{ROW(spec_control, p.cut_interval_ps, "cut_interval", OPT_TIME), .max = S,
		.flags = OPT_F_LIVE | OPT_F_NONE, .example = "none",
		.help = "on_cnp: CNPs sooner after a cut are ignored; timed: period of the "
			"decrease timer"},
	{ROW(spec_control, p.reaction, "reaction", OPT_ENUM), .names = reaction_names,
		.example = "on_cnp",
		.help = "a CNP cuts at once, or sets a flag that free-running timers look at"},
	{ROW(spec_control, qcn, "qcn", OPT_MAP), .sub = &scene_opts_qcn_rp,
		.flags = OPT_F_OPTIONAL | OPT_F_ASIDE,
		.help = "a reaction point of 802.1Qau instead of DCQCN"},
};
const struct opt_table scene_opts_control = {"control", control_rows, N(control_rows), true};

#define GIVEN(name) schema_given(c, t, spec, name)

static int goes_wrong(const struct schema_control *c, const struct dcqcn_rp_params *p,
	const struct opt_table *t, const void *spec)
{
	if (p->min_rate > c->line_rate)
		return schema_min_rate_wrong(c, GIVEN("min_rate"), p->min_rate);
	if (p->initial_rate < p->min_rate || p->initial_rate > c->line_rate)
		return schema_initial_rate_wrong(c, GIVEN("initial_rate"), p->initial_rate);
	if (p->reaction == RP_TIMED && !p->cut_interval_ps)
		return yamldoc_err(c->err, GIVEN("cut_interval"),
			"control '%s': reaction timed wants a cut_interval, as in 4us", c->name);
	return 0;
}

int schema_dcqcn(const struct schema_control *c, struct rp_cfg *cfg, struct dcqcn_rp_params p,
	const struct opt_table *t, const void *spec)
{
	char line[32];
	int rc;

	if (p.initial_rate == OPT_AUTO)
		p.initial_rate = c->line_rate;
	if (p.byte_counter == OPT_NONE)
		p.byte_counter = 0;
	if (p.cut_interval_ps == OPT_NONE)
		p.cut_interval_ps = 0;
	rc = goes_wrong(c, &p, t, spec);
	if (rc)
		return rc;
	cfg->kind = RP_DCQCN;
	if (!dcqcn_rp_cfg_init(&cfg->u.dcqcn, &p))
		return 0;
	return yamldoc_err(c->err, c->key, "control '%s': these values do not go together at %s",
		c->name, units_format(UNITS_RATE, c->line_rate, line, sizeof(line)));
}
