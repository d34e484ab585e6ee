// SPDX-License-Identifier: BSD-3-Clause
// Reaction points of a scene: named controls, compiled once for each line rate that uses them.
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "int.h"

// The word that a control's key has as value; NULL: the value is no word, or the key is not there.
static const struct yamldoc_node *word_of(const struct yamldoc_node *layer, const char *key)
{
	const struct yamldoc_node *n =
		layer && layer->type == YAMLDOC_MAP ? yamldoc_get(layer, key) : NULL;

	return n && n->type == YAMLDOC_SCALAR && !yamldoc_is_null(n) ? n : NULL;
}

// Loads the plug-in that a control names, once.
static int plugin_load(struct draft *b, struct draft_control *c, const struct yamldoc_node *at)
{
	struct scene_plugin *p;
	struct err why;
	void **place;
	char *file;

	if (c->plugin)
		return 0;
	file = hardware_object_file(b, at->text);
	p = draft_get(b, sizeof(*p));
	if (!file || !p)
		return err_set(b->err, -ENOMEM, "out of memory");
	if (draft_trust(b, at))
		return -EPERM;
	if (schema_plugin(&c->plugin, b->a, file, b->s->trusts, &why))
		return yamldoc_err(b->err, at, "control '%s': %s", c->name, why.text);
	place = draft_push(b, &b->s->plugin, &b->s->n_plugins);
	if (!place) {
		guest_free(c->plugin->guest);
		return -ENOMEM;
	}
	*p = (struct scene_plugin){c->name, c->plugin->guest};
	*place = p;
	c->profile = &c->plugin->profile;
	return 0;
}

static bool is_profile(const char *word)
{
	for (unsigned i = 0; scene_opts_profiles[i]; i++)
		if (!strcmp(scene_opts_profiles[i], word))
			return true;
	return false;
}

// A profile that is not there. Which of them are DCQCN their names do not say.
static int no_profile(struct draft *b, const struct yamldoc_node *at)
{
	char dcqcn[128] = "", others[128] = "";

	for (unsigned i = 0; scene_opts_profiles[i]; i++) {
		const char *word = scene_opts_profiles[i];
		char *list = schema_is_dcqcn(word) ? dcqcn : others;

		append_text(list, sizeof(dcqcn), "%s%s", *list ? ", " : "", word);
	}
	return yamldoc_err(b->err, at,
		"profile: '%.60s' is not right; write one of %s, which are DCQCN, or of %s",
		at->text, dcqcn, others);
}

// Finds the profile or plug-in of a control. c->profile stays NULL if it has DCQCN's keys.
static int find_profile(struct draft *b, struct draft_control *c)
{
	const struct yamldoc_node *profile = word_of(c->layer, "profile");
	const struct yamldoc_node *plugin = word_of(c->layer, "plugin");

	if (plugin && !yamldoc_get(c->layer, "profile"))
		return plugin_load(b, c, plugin);
	c->profile = profile && !plugin ? schema_profile(profile->text) : NULL;
	return profile && !plugin && !is_profile(profile->text) ? no_profile(b, profile) : 0;
}

const struct opt_table *traffic_control_table(const struct draft_control *c)
{
	return c->profile ? c->profile->table : &scene_opts_control;
}

const void *traffic_control_spec(const struct draft_control *c)
{
	return c->profile ? c->own : &c->spec;
}

static int own_read(struct draft *b, struct draft_control *c)
{
	c->own = draft_get(b, c->profile->spec_size);
	if (!c->own)
		return -ENOMEM;
	opt_init(c->profile->table, c->own);
	if (c->plugin)
		guest_defaults(c->plugin->guest, c->own);
	return opt_apply(c->profile->table, c->own, c->layer, b->err);
}

// The profile's values at a line rate, and over them what the file says.
static int control_read(struct draft *b, struct draft_control *c, rate_t line_rate)
{
	struct spec_control *s = &c->spec;
	int rc = find_profile(b, c);

	*s = (struct spec_control){.p.line_rate = line_rate};
	if (rc)
		return rc;
	if (c->profile)
		return own_read(b, c);
	opt_init(&scene_opts_control, s);

	// Twice: the first time tells the profile.
	rc = opt_apply(&scene_opts_control, s, c->layer, b->err);
	if (rc)
		return rc;
	if (dcqcn_rp_profile(&s->p, scene_opts_profiles[s->profile], line_rate))
		return yamldoc_err(b->err, c->key, "there is no profile '%s'",
			scene_opts_profiles[s->profile]);
	s->p.initial_rate = OPT_AUTO;
	rc = opt_apply(&scene_opts_control, s, c->layer, b->err);
	return !rc && hardware_control_is_qcn(c) ? hardware_control_qcn_check(b, c) : rc;
}

int traffic_controls(struct draft *b)
{
	const struct yamldoc_node *map = b->top.controls;

	for (unsigned i = 0; map && i < map->n; i++) {
		struct draft_control *c = draft_get(b, sizeof(*c));
		void **place = c ? draft_push(b, &b->control, &b->n_controls) : NULL;
		struct draft_names name = {0};

		if (!place)
			return -ENOMEM;
		*place = c;

		int rc = draft_names(b, &name, map->item[i].key);

		if (rc)
			return rc;
		*c = (struct draft_control){
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

static int control_find(
	struct draft *b, struct draft_control **c, const char *name, const struct yamldoc_node *at)
{
	struct near near = near_to(name);
	char hint[NEAR_NAME + 32];

	for (unsigned i = 0; i < b->n_controls; i++) {
		*c = b->control[i];
		if (strcmp((*c)->name, name) == 0)
			return 0;
	}
	for (unsigned i = 0; i < b->n_controls; i++)
		near_see(&near, b->control[i]->name);
	return yamldoc_err(b->err, at, "there is no control '%.60s'%s", name,
		near_hint(&near, "; name it under `controls`, or write none", hint, sizeof(hint)));
}

static int control_of_flow(struct draft *b, struct draft_control **c, const struct draft_flow *f)
{
	return control_find(
		b, c, f->spec->control, opt_source(&scene_opts_flow, f->spec, "control"));
}

static void warn(void *arg, const struct yamldoc_node *at, const char *text)
{
	draft_warn(arg, at, "%s", text);
}

static int path(void *arg, struct schema_path *path)
{
	return draft_path(arg, path);
}

static int control_compile(
	struct draft *b, struct scene_control *to, struct draft_control *c, rate_t rate)
{
	struct schema_control with = {.name = c->name,
		.key = c->key,
		.line_rate = rate,
		.hpcc_sim = b->s->hpcc_sim,
		.arena = b->a,
		.err = b->err,
		.scene = b,
		.warn = warn,
		.path = path};
	const char *profile = "qcn";
	int rc = control_read(b, c, rate);

	if (rc)
		return rc;
	with.profile = c->profile;
	if (hardware_control_is_qcn(c)) {
		rc = schema_qcn(&with, &to->cfg, &c->spec.qcn);
	} else if (c->profile) {
		rc = c->profile->compile(&with, &to->cfg, c->own);
		profile = c->profile->name;
	} else {
		rc = schema_dcqcn(&with, &to->cfg, c->spec.p, &scene_opts_control, &c->spec);
		profile = scene_opts_profiles[c->spec.profile];
	}
	if (rc)
		return rc;
	snprintf(to->name, sizeof(to->name), "%s", c->name);
	snprintf(to->profile, sizeof(to->profile), "%s", profile);
	to->line_rate = rate;
	return 0;
}

int traffic_cn_tagged(struct draft *b, const struct draft_flow *f, bool *tagged)
{
	struct draft_control *c = NULL;
	int rc;

	*tagged = false;
	if (strcmp(f->spec->control, "none") == 0)
		return 0;
	rc = control_of_flow(b, &c, f);
	if (!rc)
		*tagged = hardware_control_is_qcn(c) && c->spec.qcn.cn_tag;
	return rc;
}

int traffic_control_asks(struct draft *b, const struct draft_flow *f, unsigned *asks)
{
	struct draft_control *c = NULL;
	int rc;

	*asks = 0;
	if (strcmp(f->spec->control, "none") == 0)
		return 0;
	rc = control_of_flow(b, &c, f);
	if (!rc && c->profile)
		*asks = rp_asks(&(struct rp_cfg){.kind = c->profile->kind});
	return rc;
}

// The control compiled at a line rate, once.
static int control_at(
	struct draft *b, const struct scene_control **to, struct draft_control *c, rate_t line_rate)
{
	struct scene *s = b->s;

	for (unsigned i = 0; i < s->n_controls; i++) {
		*to = s->control[i];
		if ((*to)->line_rate == line_rate && strcmp((*to)->name, c->name) == 0)
			return 0;
	}

	struct scene_control *one = draft_get(b, sizeof(*one));
	void **place = one ? draft_push(b, &s->control, &s->n_controls) : NULL;

	if (!place)
		return -ENOMEM;
	*place = one;
	*to = one;
	return control_compile(b, one, c, line_rate);
}

int traffic_control(struct draft *b, const struct scene_control **to, const struct draft_flow *f,
	rate_t line_rate)
{
	struct draft_control *c = NULL;

	*to = NULL;
	if (strcmp(f->spec->control, "none") == 0)
		return 0;

	int rc = control_of_flow(b, &c, f);

	return rc ? rc : control_at(b, to, c, line_rate);
}

int traffic_control_asked(struct draft *b)
{
	const struct scene_opts *o = b->opts;
	const struct scene_control *to;
	struct draft_control *c = NULL;

	if (!o || !o->control)
		return 0;

	int rc = control_find(b, &c, o->control, b->doc);

	return rc || !o->control_rate ? rc : control_at(b, &to, c, o->control_rate);
}
