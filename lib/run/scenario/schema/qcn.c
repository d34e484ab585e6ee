// SPDX-License-Identifier: BSD-3-Clause
// Controls of QCN, a reaction point of 802.1Qau: its keys and its compilation.
#include "profile.h"
#include "rows.h"

static const char *const convention_names[] = {"P", "N", "X", NULL};
static const char *const half_names[] = {"active", "hyper", NULL};
static const char *const target_names[] = {"byte", "byte_or_time", NULL};

static const struct opt qcn_rp_rows[] = {
	{ROW(spec_qcn_rp, p.time_reset_ps, "time_reset", OPT_TIME), .flags = OPT_F_LIVE, .min = US,
		.max = 10 * S, .def = "15ms",
		.help = "rpgTimeReset: an increase each time it expires"},
	{ROW(spec_qcn_rp, p.byte_reset, "byte_reset", OPT_SIZE), .flags = OPT_F_LIVE, .min = 64,
		.max = UINT32_MAX, .def = "150KB",
		.help = "rpgByteReset: bytes (with FCS) from one increase to the next"},
	{ROW(spec_qcn_rp, p.threshold, "threshold", OPT_UINT), .flags = OPT_F_LIVE, .min = 1,
		.max = 31, .def = "5", .help = "rpgThreshold: cycles of fast recovery"},
	{ROW(spec_qcn_rp, p.ai_rate, "ai_rate", OPT_RATE), .flags = OPT_F_LIVE, .min = 1,
		.max = 800 * GBPS, .def = "5Mbps", .help = "rpgAiRate: step of active increase"},
	{ROW(spec_qcn_rp, p.hai_rate, "hai_rate", OPT_RATE), .flags = OPT_F_LIVE, .min = 1,
		.max = 800 * GBPS, .def = "50Mbps",
		.help = "rpgHaiRate: step of hyper-active increase, times its number"},
	{ROW(spec_qcn_rp, p.min_rate, "min_rate", OPT_RATE), .flags = OPT_F_LIVE, .min = 100000,
		.max = 800 * GBPS, .def = "5Mbps", .help = "rpgMinRate: no cut goes below it"},
	{ROW(spec_qcn_rp, p.initial_rate, "initial_rate", OPT_RATE), .min = 100000,
		.max = 800 * GBPS, .def = "auto", .flags = OPT_F_AUTO,
		.help = "at which a queue pair starts, before its first CNM; auto: the line's"},
	{ROW(spec_qcn_rp, p.gd, "gd", OPT_UINT), .flags = OPT_F_LIVE, .max = 16, .def = "7",
		.help = "rpgGd: a CNM cuts QntzFb / 2^gd of the rate"},
	{ROW(spec_qcn_rp, min_dec_fac, "min_dec_fac", OPT_SHARE), .flags = OPT_F_LIVE, .def = "50%",
		.help = "rpgMinDecFac: the least that a cut leaves"},
	{ROW(spec_qcn_rp, randomise, "randomise", OPT_SHARE), .flags = OPT_F_LIVE, .def = "15%",
		.help = "of the length of a cycle, up and down"},
	{ROW(spec_qcn_rp, p.fr_convention, "fr_convention", OPT_ENUM), .flags = OPT_F_LIVE,
		.names = convention_names, .def = "P",
		.help = "fast recovery while the stage, counted first (P, N) or afterwards (X), "
			"is <= threshold (P), < (N, X)"},
	{ROW(spec_qcn_rp, p.half_from, "half_from", OPT_ENUM), .flags = OPT_F_LIVE,
		.names = half_names, .def = "active",
		.help = "cycles are halved once the counter's own fast recovery is over, or both "
			"counters'"},
	{ROW(spec_qcn_rp, p.target_test, "target_test", OPT_ENUM), .flags = OPT_F_LIVE,
		.names = target_names, .def = "byte",
		.help = "which stages tell of an increase since the last CNM, so that the target "
			"moves"},
	{ROW(spec_qcn_rp, p.hai_after_ps, "hai_after", OPT_TIME), .flags = OPT_F_LIVE,
		.max = 10 * S, .def = "0us", .help = "no hyper-active increase sooner after a CNM"},
	{ROW(spec_qcn_rp, p.hai_after_octets, "hai_after_octets", OPT_SIZE), .flags = OPT_F_LIVE,
		.max = UINT32_MAX, .def = "0", .help = "nor before this number of bytes was sent"},
	{ROW(spec_qcn_rp, max_rps, "max_rps", OPT_UINT), .min = 1, .max = 100, .def = "none",
		.flags = OPT_F_NONE, .example = "1",
		.help = "rpppMaxRps: number of reaction points that the queue pairs of a host and "
			"class share; needs cn_tag"},
	{ROW(spec_qcn_rp, cn_tag, "cn_tag", OPT_BOOL), .def = "true",
		.help = "data has a CN-TAG, each queue pair its reaction point; else they share "
			"one by destination and class"},
};
const struct opt_table scene_opts_qcn_rp = {"qcn", qcn_rp_rows, N(qcn_rp_rows), false};

#define GIVEN(name) schema_given(c, &scene_opts_qcn_rp, s, name)

int schema_qcn(const struct schema_control *c, struct rp_cfg *cfg, const struct spec_qcn_rp *s)
{
	struct qcn_rp_params p = s->p;
	int rc;

	p.max_rate = c->line_rate;
	if (p.initial_rate == OPT_AUTO)
		p.initial_rate = c->line_rate;
	p.max_rps = s->max_rps == OPT_NONE ? 0 : (unsigned)s->max_rps;
	if (p.max_rps && !s->cn_tag)
		return yamldoc_err(c->err, GIVEN("max_rps"),
			"control '%s': max_rps needs cn_tag; "
			"without tags there is one reaction point for each destination and class",
			c->name);
	rc = schema_percent(
		c->err, &p.randomise_percent, s->randomise, "randomise", GIVEN("randomise"));
	if (!rc)
		rc = schema_percent(c->err, &p.min_dec_fac, s->min_dec_fac, "min_dec_fac",
			GIVEN("min_dec_fac"));
	if (rc)
		return rc;
	if (p.min_rate > c->line_rate)
		return schema_min_rate_wrong(c, GIVEN("min_rate"), p.min_rate);
	if (p.initial_rate < p.min_rate || p.initial_rate > c->line_rate)
		return schema_initial_rate_wrong(
			c, opt_source(&scene_opts_qcn_rp, s, "initial_rate"), p.initial_rate);
	cfg->kind = RP_QCN;
	if (!qcn_rp_cfg_init(&cfg->u.qcn, &p))
		return 0;
	return yamldoc_err(c->err, c->key,
		"control '%s': randomise and min_dec_fac are 0%%..99%% and 1%%..100%%", c->name);
}
