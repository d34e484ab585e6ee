// SPDX-License-Identifier: BSD-3-Clause
// Reaction points of a scene: named controls, compiled once for each line rate that uses them.
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "int.h"

// The profile that a control names: it decides which keys there are.
static enum spec_profile profile_of(const struct yamldoc_node *layer)
{
	for (unsigned i = 0; layer && layer->type == YAMLDOC_MAP && i < layer->n; i++) {
		const struct yamldoc_node *value = layer->item[i].value;

		if (strcmp(layer->item[i].key->text, "profile") != 0 ||
			value->type != YAMLDOC_SCALAR)
			continue;
		if (strcmp(value->text, scene_opts_profiles[SPEC_CONNECTX]) == 0)
			return SPEC_CONNECTX;
		if (strcmp(value->text, scene_opts_profiles[SPEC_RDMA_IP]) == 0)
			return SPEC_RDMA_IP;
	}
	return SPEC_PAPER;
}

const struct opt_table *scene_control_table(const struct build_control *c)
{
	return c->profile == SPEC_CONNECTX  ? &scene_opts_connectx
	       : c->profile == SPEC_RDMA_IP ? &scene_opts_rdma_ip
					    : &scene_opts_control;
}

const void *scene_control_spec(const struct build_control *c)
{
	return c->profile == SPEC_CONNECTX  ? (const void *)&c->cx
	       : c->profile == SPEC_RDMA_IP ? (const void *)&c->ip
					    : &c->spec;
}

// Parameters of a profile that has names of its own do not hang on the line's rate.
static int own_read(struct build *b, struct build_control *c)
{
	void *spec = c->profile == SPEC_CONNECTX ? (void *)&c->cx : &c->ip;
	const struct opt_table *t = scene_control_table(c);

	c->cx = (struct spec_connectx){.profile = SPEC_CONNECTX};
	c->ip = (struct spec_rdma_ip){.profile = SPEC_RDMA_IP};
	opt_init(t, spec);
	return opt_apply(t, spec, c->layer, b->err);
}

// The profile's values at a line rate, and over them what the file says.
static int control_read(struct build *b, struct build_control *c, rate_t line_rate)
{
	struct spec_control *s = &c->spec;

	*s = (struct spec_control){.p.line_rate = line_rate};
	c->profile = profile_of(c->layer);
	if (c->profile != SPEC_PAPER)
		return own_read(b, c);
	opt_init(&scene_opts_control, s);

	// Twice: the first time tells the profile.
	int rc = opt_apply(&scene_opts_control, s, c->layer, b->err);

	if (rc)
		return rc;
	if (dcqcn_rp_profile(&s->p, scene_opts_profiles[s->profile], line_rate))
		return yamldoc_err(b->err, c->key, "there is no profile '%s'",
			scene_opts_profiles[s->profile]);
	s->p.initial_rate = OPT_AUTO;
	rc = opt_apply(&scene_opts_control, s, c->layer, b->err);
	return !rc && scene_control_is_qcn(c) ? scene_control_qcn_check(b, c) : rc;
}

int scene_controls(struct build *b)
{
	const struct yamldoc_node *map = b->top.controls;

	for (unsigned i = 0; map && i < map->n; i++) {
		struct build_control *c = scene_get(b, sizeof(*c));
		void **place = c ? scene_push(b, &b->control, &b->n_controls) : NULL;
		struct build_names name = {0};

		if (!place)
			return -ENOMEM;
		*place = c;

		int rc = scene_names(b, &name, map->item[i].key);

		if (rc)
			return rc;
		*c = (struct build_control){
			.name = name.name[0], .key = map->item[i].key, .layer = map->item[i].value};
		if (name.n > 1 || strcmp(c->name, "none") == 0)
			return yamldoc_err(
				b->err, c->key, "'%s' is no name of a control", c->key->text);
		rc = control_read(b, c, 100 * RATE_GBPS);
		if (rc)
			return rc;
	}
	return 0;
}

static int control_of_flow(struct build *b, struct build_control **c, const struct build_flow *f)
{
	const struct yamldoc_node *at = opt_source(&scene_opts_flow, &f->spec, "control");
	struct near near = near_to(f->spec.control);
	char hint[NEAR_NAME + 32];

	for (unsigned i = 0; i < b->n_controls; i++) {
		*c = b->control[i];
		if (strcmp((*c)->name, f->spec.control) == 0)
			return 0;
	}
	for (unsigned i = 0; i < b->n_controls; i++)
		near_see(&near, b->control[i]->name);
	return yamldoc_err(b->err, at, "there is no control '%.60s'%s", f->spec.control,
		near_hint(&near, "; name it under `controls`, or write none", hint, sizeof(hint)));
}

static const struct yamldoc_node *control_given(const struct build_control *c, const char *key)
{
	const struct yamldoc_node *n =
		c->profile == SPEC_PAPER ? opt_source(&scene_opts_control, &c->spec, key) : NULL;

	return n ? n : c->key;
}

int scene_initial_rate_wrong(struct build *b, const struct build_control *c,
	const struct yamldoc_node *at, rate_t initial_rate, rate_t rate)
{
	char line[32], low[32];

	return yamldoc_err(b->err, at ? at : c->key,
		"control '%s': initial_rate %s is not between min_rate and the line rate %s of a "
		"sender "
		"that uses it",
		c->name, units_format(UNITS_RATE, initial_rate, low, sizeof(low)),
		units_format(UNITS_RATE, rate, line, sizeof(line)));
}

static int compile_dcqcn(
	struct build *b, struct dcqcn_rp_cfg *cfg, const struct build_control *c, rate_t rate)
{
	struct dcqcn_rp_params p = c->spec.p;
	char line[32], low[32];
	int rc = c->profile == SPEC_CONNECTX ? scene_control_connectx(b, &p, c, rate) : 0;

	if (rc)
		return rc;
	units_format(UNITS_RATE, rate, line, sizeof(line));
	if (p.min_rate > rate)
		return yamldoc_err(b->err, control_given(c, "min_rate"),
			"control '%s': min_rate %s is above the line rate %s of a sender that "
			"uses it",
			c->name, units_format(UNITS_RATE, p.min_rate, low, sizeof(low)), line);
	if (p.initial_rate == OPT_AUTO)
		p.initial_rate = rate;
	if (p.initial_rate < p.min_rate || p.initial_rate > rate)
		return scene_initial_rate_wrong(b, c,
			opt_source(scene_control_table(c), scene_control_spec(c), "initial_rate"),
			p.initial_rate, rate);
	if (p.byte_counter == OPT_NONE)
		p.byte_counter = 0;
	if (p.cut_interval_ps == OPT_NONE)
		p.cut_interval_ps = 0;
	if (p.reaction == RP_TIMED && !p.cut_interval_ps)
		return yamldoc_err(b->err, control_given(c, "cut_interval"),
			"control '%s': reaction timed wants a cut_interval, as in 4us", c->name);
	if (dcqcn_rp_cfg_init(cfg, &p))
		return yamldoc_err(b->err, c->key,
			"control '%s': these values do not go together at %s", c->name, line);
	return 0;
}

static int compile(struct build *b, struct scene_control *to, struct build_control *c, rate_t rate)
{
	int rc = control_read(b, c, rate);

	if (rc)
		return rc;
	to->is_qcn = scene_control_is_qcn(c);
	to->is_rdma_ip = c->profile == SPEC_RDMA_IP;
	rc = to->is_qcn       ? scene_control_qcn(b, &to->qcn, c, rate)
	     : to->is_rdma_ip ? scene_control_rdma_ip(b, &to->rdma_ip, c, rate)
			      : compile_dcqcn(b, &to->cfg, c, rate);
	if (rc)
		return rc;
	snprintf(to->name, sizeof(to->name), "%s", c->name);
	snprintf(to->profile, sizeof(to->profile), "%s",
		to->is_qcn                 ? "qcn"
		: c->profile != SPEC_PAPER ? scene_opts_profiles[c->profile]
					   : scene_opts_profiles[c->spec.profile]);
	to->line_rate = rate;
	return 0;
}

int scene_cn_tagged(struct build *b, const struct build_flow *f, bool *tagged)
{
	struct build_control *c = NULL;
	int rc;

	*tagged = false;
	if (strcmp(f->spec.control, "none") == 0)
		return 0;
	rc = control_of_flow(b, &c, f);
	if (!rc)
		*tagged = scene_control_is_qcn(c) && c->spec.qcn.cn_tag;
	return rc;
}

int scene_control(struct build *b, const struct scene_control **to, const struct build_flow *f,
	rate_t line_rate)
{
	struct scene *s = b->s;
	struct build_control *c = NULL;

	*to = NULL;
	if (strcmp(f->spec.control, "none") == 0)
		return 0;

	int rc = control_of_flow(b, &c, f);

	if (rc)
		return rc;
	for (unsigned i = 0; i < s->n_controls; i++) {
		*to = s->control[i];
		if ((*to)->line_rate == line_rate && strcmp((*to)->name, c->name) == 0)
			return 0;
	}

	struct scene_control *one = scene_get(b, sizeof(*one));
	void **place = one ? scene_push(b, &s->control, &s->n_controls) : NULL;

	if (!place)
		return -ENOMEM;
	*place = one;
	*to = one;
	return compile(b, one, c, line_rate);
}
