// SPDX-License-Identifier: BSD-3-Clause
// Controls of profile dctcp: their keys, and the window that fills the longest way of the scene.
#include "base/fixed.h"
#include "profile.h"
#include "rows.h"

struct spec_dctcp {
	struct opt_src src;
	unsigned profile;
	double g;
	tstamp base_rtt; // OPT_AUTO
	rate_t ai_rate;
	rate_t min_rate; // OPT_AUTO
};

static const struct opt dctcp_rows[] = {
	{ROW(spec_dctcp, profile, "profile", OPT_ENUM), .names = scene_opts_profiles,
		.example = "dctcp",
		.help = "a window that shrinks by the share of marked bytes (docs/algo/dctcp.md)"},
	{ROW(spec_dctcp, g, "g", OPT_REAL), .flags = OPT_F_LIVE, .min = 1, .max = 1000000,
		.def = "1/16", .help = "weight of a window's share of marks in alpha"},
	{ROW(spec_dctcp, base_rtt, "base_rtt", OPT_TIME), .min = 100000, .max = S, .def = "auto",
		.flags = OPT_F_AUTO,
		.help = "RTT for which the first window fills the line; auto: that of the longest "
			"path between two hosts with empty queues"},
	{ROW(spec_dctcp, ai_rate, "ai_rate", OPT_RATE), .flags = OPT_F_LIVE, .min = 1,
		.max = 800 * GBPS, .def = "615Mbps",
		.help = "framing hpcc_sim: what each window without a cut adds to the rate"},
	{ROW(spec_dctcp, min_rate, "min_rate", OPT_RATE), .min = 100000, .max = 800 * GBPS,
		.def = "auto", .flags = OPT_F_LIVE | OPT_F_AUTO,
		.help = "framing hpcc_sim: no cut goes below it; auto: 1 Gb/s"},
};
SCHEMA_TABLE(dctcp) = {"control of profile dctcp", dctcp_rows, N(dctcp_rows), true};

#define GIVEN(name) schema_given(c, &scene_opts_dctcp, s, name)

// Returns the bytes of payload in flight while the line is full. With Ethernet's framing the other
// bytes of each frame are subtracted; the simulator has none.
static uint64_t in_flight(
	const struct schema_control *c, const struct spec_dctcp *s, const struct schema_path *path)
{
	tstamp rtt = s->base_rtt == OPT_AUTO ? path->rtt : s->base_rtt;
	uint64_t bytes = fixed_muldiv(c->line_rate, rtt, 8 * PS_PER_S);

	if (c->hpcc_sim)
		return s->base_rtt == OPT_AUTO ? path->bdp : bytes;
	return fixed_muldiv(bytes, path->mtu, path->frame);
}

static int limits(
	const struct schema_control *c, const struct spec_dctcp *s, struct dctcp_rp_params *p)
{
	if (!c->hpcc_sim) {
		schema_idle(c, &scene_opts_dctcp, s, "ai_rate", "outside framing hpcc_sim");
		schema_idle(c, &scene_opts_dctcp, s, "min_rate", "outside framing hpcc_sim");
		return 0;
	}
	p->ai_rate = s->ai_rate;
	if (s->min_rate != OPT_AUTO)
		p->min_rate = s->min_rate;
	return p->min_rate > c->line_rate ? schema_min_rate_wrong(c, GIVEN("min_rate"), p->min_rate)
					  : 0;
}

static int dctcp_compile(const struct schema_control *c, struct rp_cfg *cfg, const void *spec)
{
	const struct spec_dctcp *s = spec;
	struct dctcp_rp_params p;
	struct schema_path path;
	int rc;

	dctcp_rp_defaults(&p, c->line_rate, c->hpcc_sim);
	p.g = s->g;
	rc = limits(c, s, &p);
	if (!rc)
		rc = c->path(c->scene, &path);
	if (rc)
		return rc;
	p.mtu = path.mtu;
	p.bdp = in_flight(c, s, &path);
	cfg->kind = RP_DCTCP;
	if (!dctcp_rp_cfg_init(&cfg->u.dctcp, &p))
		return 0;
	return yamldoc_err(c->err, GIVEN("base_rtt"),
		"control '%s': its line has %llu bytes in flight during base_rtt; 1 to %llu can be",
		c->name, (unsigned long long)p.bdp, DCTCP_RP_BDP_MAX);
}

static const struct schema_sim_key sim_keys[] = {
	{"EWMA_GAIN", "g"},
	{"DCTCP_RATE_AI", "ai_rate"},
	{"MIN_RATE", "min_rate"},
	{NULL, NULL},
};

SCHEMA_PROFILE(dctcp) = {"dctcp", RP_DCTCP, &scene_opts_dctcp, sizeof(struct spec_dctcp),
	dctcp_compile, 8, sim_keys};
