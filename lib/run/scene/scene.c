// SPDX-License-Identifier: BSD-3-Clause
// The scene: a scenario file read, resolved and compiled, or one line that says why not.
#include "scene.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "int.h"

// All of a scene but its captures lives in one arena.
struct scene_all {
	struct scene s; // first: what the user holds
	struct arena arena;
	struct build_capture *captures;
};

// What is set of the generated topology must come before it is made, all else afterwards.
static int apply_sets(struct build *b, bool topology)
{
	for (unsigned i = 0; b->opts && i < b->opts->n_set; i++) {
		const struct scene_set *set = &b->opts->set[i];
		int rc = 0;

		if (topology == !strncmp(set->path, "topology", 8))
			rc = scene_set_value(b, set);
		if (rc)
			return rc;
	}
	return 0;
}

static int early_sets(struct build *b)
{
	return apply_sets(b, true);
}

static int late_sets(struct build *b)
{
	return apply_sets(b, false);
}

static int name_of(struct build *b)
{
	const char *slash = strrchr(b->s->path, '/');
	const char *name = b->top.name ? b->top.name : slash ? slash + 1 : b->s->path;
	size_t n = strlen(name), i = 0;
	const char *dot = b->top.name ? NULL : strrchr(name, '.');

	if (dot && dot > name)
		n = (size_t)(dot - name);
	if (!b->top.name && n > 2 && *name == '<' && name[n - 1] == '>') { // <stdin>
		name++;
		n -= 2;
	}
	// It becomes part of a folder's name.
	b->s->name = arena_text(b->a, name, n);
	if (!b->s->name)
		return err_set(b->err, -ENOMEM, "out of memory");
	for (; i < n; i++) {
		char c = name[i];
		bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
			     (c >= '0' && c <= '9') || (c == '.' && i) || c == '_' || c == '-';

		b->s->name[i] = plain ? c : '_';
	}
	return 0;
}

static int top(struct build *b)
{
	struct spec_scene *t = &b->top;
	struct scene *s = b->s;

	opt_init(&scene_opts_scene, t);

	int rc = opt_apply(&scene_opts_scene, t, b->doc, b->err);

	if (!rc)
		rc = opt_require(&scene_opts_scene, t, b->doc, b->err);
	if (rc)
		return rc;
	if (t->name && !*t->name)
		return yamldoc_err(b->err, scene_given(&scene_opts_scene, &b->top, "name", b->doc),
			"name is empty; write a word, or leave it out");
	rc = name_of(b);
	if (rc)
		return rc;
	s->duration = b->opts && b->opts->duration ? *b->opts->duration : t->duration;
	s->until_replayed = b->opts && b->opts->until_replayed;
	s->seed = b->opts && b->opts->seed ? *b->opts->seed : t->seed;
	s->warmup = t->warmup;
	s->drain = t->drain;
	s->sample = t->sample == OPT_NONE ? 0 : t->sample;
	s->wait_link = t->wait_link;
	s->fail_on_silent_peer = t->on_peer_silent == SPEC_LINK_LOSS_FAIL;
	s->yields = t->poll == SPEC_POLL_YIELD;
	s->fail_on_link_loss = t->on_link_loss == SPEC_LINK_LOSS_FAIL;
	s->hpcc_sim = t->framing == SPEC_HPCC_SIM;
	s->framing = s->hpcc_sim ? (struct eport_framing){.whole_ns = 1}
				 : (struct eport_framing){
					   .queue_extra = PKT_FCS, .wire_extra = PKT_WIRE};
	if (s->warmup >= s->duration)
		return yamldoc_err(b->err,
			scene_given(&scene_opts_scene, &b->top, "warmup", b->doc),
			"warmup takes all of the duration; make it shorter");
	if (s->drain >= s->duration)
		return yamldoc_err(b->err, scene_given(&scene_opts_scene, &b->top, "drain", b->doc),
			"drain takes all of the duration; make it shorter");
	if (s->hpcc_sim && b->opts && b->opts->real)
		return yamldoc_err(b->err,
			scene_given(&scene_opts_scene, &b->top, "framing", b->doc),
			"framing hpcc_sim is for the virtual clock only; no wire carries it");
	return 0;
}

static int build(struct build *b)
{
	static int (*const steps[])(struct build *) = {
		early_sets,
		scene_topology,
		late_sets,
		scene_old_words,
		top,
		scene_nodes,
		scene_links,
		scene_ports,
		scene_part_read,
		scene_addresses,
		scene_controls,
		scene_flows_read,
		scene_nodes_fill,
		scene_switches,
		scene_hosts,
		scene_pools,
		scene_flows,
		scene_peers,
		scene_control_asked,
		scene_phases,
		scene_finish_hosts,
		scene_routes,
		scene_shards,
		scene_events,
		scene_expects,
		scene_record,
		scene_bounds,
		scene_lanes,
		scene_part_cut,
		scene_warnings,
		scene_resolve_text,
		scene_digests,
	};
	const struct scene_opts *o = b->opts;
	int rc = o && o->text ? yamldoc_parse(b->a, &b->doc, b->s->path, o->text, o->size, b->err)
			      : yamldoc_read(b->a, &b->doc, b->s->path, b->err);

	for (unsigned i = 0; !rc && i < sizeof(steps) / sizeof(steps[0]); i++)
		rc = steps[i](b);
	return rc;
}

int scene_load(struct scene **out, const char *path, const struct scene_opts *opts, struct err *err)
{
	struct scene_all *all = calloc(1, sizeof(*all));

	if (!all)
		return err_set(err, -ENOMEM, "out of memory");

	struct arena draft = {0};
	struct build b = {
		.s = &all->s, .a = &all->arena, .draft = &draft, .err = err, .opts = opts};
	int rc;

	all->s.path = arena_text(b.a, path, strlen(path));
	rc = all->s.path ? build(&b) : err_set(err, -ENOMEM, "out of memory");
	arena_free(&draft);
	all->captures = b.captures;
	if (rc) {
		scene_free(&all->s);
		return rc;
	}
	*out = &all->s;
	return 0;
}

struct arena *scene_arena(struct scene *s)
{
	return &((struct scene_all *)s)->arena;
}

void scene_free(struct scene *s)
{
	struct scene_all *all = (struct scene_all *)s;

	if (!s)
		return;
	for (struct build_capture *c = all->captures; c; c = c->next)
		cap_scan_free(&c->scan);
	for (unsigned i = 0; i < s->n_plugins; i++)
		guest_free(s->plugin[i]->guest);
	arena_free(&all->arena);
	free(all);
}

int scene_node(const struct scene *s, const char *name)
{
	for (unsigned i = 0; i < s->n_nodes; i++) {
		if (strcmp(s->node[i].name, name) == 0)
			return (int)i;
	}
	return -1;
}

bool scene_port(const struct scene *s, const char *name, unsigned *node, unsigned *port)
{
	for (unsigned i = 0; i < s->n_nodes; i++) {
		for (unsigned p = 0; p < s->node[i].n_ports; p++) {
			if (strcmp(s->node[i].port[p].name, name) == 0) {
				*node = i;
				*port = p;
				return true;
			}
		}
	}
	return false;
}
