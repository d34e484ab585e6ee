// SPDX-License-Identifier: BSD-3-Clause
// A scenario file read, resolved and compiled, or one line that says why not.
#include "int.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "guest/guest.h"

#define NAME_MOST 200 // characters of a scenario's name

// Values for the generated topology must be set before it is made, all others afterwards.
static int apply_sets(struct draft *b, bool topology)
{
	const struct scene_opts *o = b->opts;

	for (unsigned i = 0; o && i < o->n_set; i++) {
		const struct draft_set set = {
			o->set_by ? o->set_by[i] : "--set", o->set[i].path, o->set[i].value};
		int rc = 0;

		if (topology != !strncmp(set.path, "topology", 8))
			continue;
		rc = draft_set_value(b, &set);
		if (!rc && b->again && i >= o->n_set - b->again->n_now)
			rc = compile_is_live(b, &set);
		if (rc)
			return rc;
	}
	return 0;
}

static int early_sets(struct draft *b)
{
	return apply_sets(b, true);
}

static int late_sets(struct draft *b)
{
	return apply_sets(b, false);
}

static int name_scene(struct draft *b)
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
	if (n > NAME_MOST && b->top.name)
		return yamldoc_err(b->err, draft_given(&scene_opts_scene, &b->top, "name", b->doc),
			"name has %zu characters; "
			"it becomes part of a folder's name, and may have %d",
			n, NAME_MOST);
	// The name becomes part of a folder's name.
	n = n > NAME_MOST ? NAME_MOST : n;
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

static int top(struct draft *b)
{
	struct spec_scene *t = &b->top;
	struct scene *s = b->s;

	opt_init(&scene_opts_scene, t);

	int rc = opt_apply(&scene_opts_scene, t, b->doc, b->err);

	if (!rc)
		compile_probe_duration(b);
	if (!rc)
		rc = opt_require(&scene_opts_scene, t, b->doc, b->err);
	if (rc)
		return rc;
	if (t->name && !*t->name)
		return yamldoc_err(b->err, draft_given(&scene_opts_scene, &b->top, "name", b->doc),
			"name is empty; write a word, or leave it out");
	rc = name_scene(b);
	if (rc)
		return rc;
	s->duration = b->opts && b->opts->duration ? *b->opts->duration : t->duration;
	s->until_replayed = b->opts && b->opts->until_replayed;
	s->until_alone = b->opts && b->opts->until_alone;
	s->seed = b->opts && b->opts->seed ? *b->opts->seed : t->seed;
	s->finds_warmup = t->warmup == OPT_AUTO;
	s->warmup = s->finds_warmup ? 0 : t->warmup;
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
			draft_given(&scene_opts_scene, &b->top, "warmup", b->doc),
			"warmup takes all of the duration; "
			"make it shorter than %s (--set warmup=0us: none), or the duration longer",
			units_format(UNITS_TIME, s->duration, (char[32]){0}, 32));
	if (s->drain >= s->duration)
		return yamldoc_err(b->err, draft_given(&scene_opts_scene, &b->top, "drain", b->doc),
			"drain takes all of the duration; make it shorter");
	if (s->hpcc_sim && b->opts && b->opts->real)
		return yamldoc_err(b->err,
			draft_given(&scene_opts_scene, &b->top, "framing", b->doc),
			"framing hpcc_sim is for the virtual clock only; no wire carries it");
	return 0;
}

// Keeps the text until it is known whether the scene may be compiled again.
static void see_file(void *arg, int fd, const char *text, size_t size)
{
	struct draft *b = arg;
	char why[PATH_MAX + 128];

	b->text = arena_text(b->scrap, text, size);
	b->size = size;
	if (!trust_file(fd, why, sizeof(why)))
		b->distrust = arena_text(b->a, why, strlen(why));
}

// From a document to a scene, in this order.
static int (*const steps[])(struct draft *) = {
	early_sets,
	draft_topology,
	late_sets,
	compile_replace_events,
	draft_old_words,
	top,
	draft_nodes,
	draft_links,
	draft_ports,
	draft_part_read,
	compile_probe,
	compile_devices,
	hardware_addresses,
	traffic_controls,
	traffic_flows_read,
	hardware_nodes_fill,
	hardware_testers,
	hardware_observers,
	hardware_switches,
	hardware_hosts,
	traffic_pools,
	traffic_flows,
	traffic_jobs,
	traffic_bins,
	traffic_peers,
	traffic_control_asked,
	traffic_spread,
	hardware_finish_hosts,
	hardware_routes,
	hardware_filtered,
	hardware_shards,
	compile_faults,
	compile_events,
	compile_expects,
	compile_record,
	compile_bounds,
	hardware_lanes,
	compile_numbers,
	draft_part_cut,
	compile_warnings,
	compile_resolve_text,
	compile_digests,
	compile_changes,
};

static int build(struct draft *b)
{
	const struct scene_opts *o = b->opts;
	int rc;

	if (o && o->text) {
		b->text = o->text;
		b->size = o->size;
		b->distrust = b->again ? b->again->distrust : NULL;
		rc = yamldoc_parse(b->a, &b->doc, b->s->path, o->text, o->size, b->err);
	} else {
		rc = yamldoc_read_seen(b->a, &b->doc, b->s->path, see_file, b, b->err);
	}
	for (unsigned i = 0; !rc && i < sizeof(steps) / sizeof(steps[0]); i++)
		rc = steps[i](b);
	return rc;
}

int compile_as(struct scene **out, const char *path, const struct scene_opts *opts,
	const struct draft_again *again, struct err *err)
{
	struct scene *s = scene_new();

	if (!s)
		return err_set(err, -ENOMEM, "out of memory");

	struct arena scrap = {0};
	struct draft b = {.s = s,
		.a = scene_arena(s),
		.scrap = &scrap,
		.err = err,
		.opts = opts,
		.again = again};
	int rc;

	s->path = arena_text(b.a, path, strlen(path));
	s->trusts = opts && opts->trusts;
	rc = s->path ? build(&b) : err_set(err, -ENOMEM, "out of memory");
	index_fini(&b.by_name);
	index_fini(&b.by_port);
	index_fini(&b.by_pair);
	arena_free(&scrap);
	scene_keep(s, b.captures);
	if (rc) {
		scene_free(s);
		return rc;
	}
	*out = s;
	return 0;
}

int compile_scene(
	struct scene **out, const char *path, const struct scene_opts *opts, struct err *err)
{
	return compile_as(out, path, opts, NULL, err);
}
