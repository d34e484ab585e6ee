// SPDX-License-Identifier: BSD-3-Clause
// The scene: its memory, its warnings, and nodes and ports by their names.
#include "scene.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// All of a scene but its captures lives in one arena.
struct scene_all {
	struct scene s; // first: what the user holds
	struct arena arena;
	struct scene_capture *captures;
	struct scene_graph *graphs;
};

const char *const scene_section_name[SCENE_SECTIONS] = {
	[SCENE_SECTION_TIMES] = "times, seed and framing",
	[SCENE_SECTION_CONTROLS] = "controls",
	[SCENE_SECTION_SWITCHES] = "switches",
	[SCENE_SECTION_HOSTS] = "hosts",
	[SCENE_SECTION_LINKS] = "links",
	[SCENE_SECTION_PORTS] = "ports",
	[SCENE_SECTION_FLOWS] = "flows",
	[SCENE_SECTION_EVENTS] = "events and faults",
	[SCENE_SECTION_ADDRESSES] = "addresses and numbers",
	[SCENE_SECTION_WIRE] = "version of the frames between parts",
};

struct scene *scene_new(void)
{
	struct scene_all *all = calloc(1, sizeof(*all));

	return all ? &all->s : NULL;
}

struct arena *scene_arena(struct scene *s)
{
	return &((struct scene_all *)s)->arena;
}

void scene_keep(struct scene *s, struct scene_capture *captures)
{
	((struct scene_all *)s)->captures = captures;
}

void scene_keep_graph(struct scene *s, struct scene_graph *graph)
{
	struct scene_all *all = (struct scene_all *)s;

	graph->next = all->graphs;
	all->graphs = graph;
}

void scene_free(struct scene *s)
{
	struct scene_all *all = (struct scene_all *)s;

	if (!s)
		return;
	for (struct scene_capture *c = all->captures; c; c = c->next) {
		cap_scan_free(&c->scan);
		cap_split_free(c->split);
	}
	for (struct scene_graph *g = all->graphs; g; g = g->next)
		goal_fini(&g->goal);
	for (unsigned i = 0; i < s->n_plugins; i++)
		guest_free(s->plugin[i]->guest);
	for (unsigned i = 0; i < s->n_changes; i++)
		scene_free(s->change[i].to);
	arena_free(&all->arena);
	free(all);
}

// The scene's copy of a kind; most often it is the last warning's. NULL: no memory.
static const char *keep_kind(struct scene *s, const char *kind)
{
	const char *last = s->n_warnings ? s->warning[s->n_warnings - 1].kind : NULL;

	if (last && !strcmp(last, kind))
		return last;
	return arena_text(scene_arena(s), kind, strlen(kind));
}

void scene_vwarn(struct scene *s, uint32_t line, const char *kind, const char *fmt, va_list ap)
{
	struct scene_warning one = {.line = line};
	unsigned n = s->n_warnings;
	char pattern[sizeof(one.text)];

	vsnprintf(one.text, sizeof(one.text), fmt, ap);
	if (!kind)
		kind = strcmp(fmt, "%s") ? alike_pattern(fmt, pattern, sizeof(pattern)) : one.text;
	one.kind = keep_kind(s, kind);
	if ((n & (n - 1)) == 0) {
		struct scene_warning *more =
			arena_get(scene_arena(s), (n ? 2 * n : 1) * sizeof(*more));

		if (!more)
			return;
		if (n)
			memcpy(more, s->warning, n * sizeof(*more));
		s->warning = more;
	}
	if (one.kind)
		s->warning[s->n_warnings++] = one;
}

uint64_t scene_tx_held(rate_t rate, uint32_t mtu)
{
	unsigned __int128 bits = (unsigned __int128)rate * SCENE_TX_AHEAD;
	uint64_t ahead = (uint64_t)((bits + 8 * PS_PER_S - 1) / (8 * PS_PER_S));
	uint64_t full = SCENE_TX_RING * (uint64_t)(mtu + PKT_WIRE);

	return ahead > full ? ahead : full;
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

tstamp scene_end(const struct scene *s)
{
	tstamp end = s->duration;

	for (unsigned i = 0; i < s->n_events; i++)
		if (s->event[i].ctl.type == CTL_STOP)
			end = tstamp_min(end, s->event[i].at);
	return end;
}
