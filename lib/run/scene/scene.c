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
};

const char *const scene_section_name[SCENE_SECTIONS] = {
	[SCENE_SECTION_TIMES] = "times, seed and framing",
	[SCENE_SECTION_CONTROLS] = "controls",
	[SCENE_SECTION_SWITCHES] = "switches",
	[SCENE_SECTION_HOSTS] = "hosts",
	[SCENE_SECTION_LINKS] = "links",
	[SCENE_SECTION_PORTS] = "ports",
	[SCENE_SECTION_FLOWS] = "flows",
	[SCENE_SECTION_EVENTS] = "events",
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

void scene_free(struct scene *s)
{
	struct scene_all *all = (struct scene_all *)s;

	if (!s)
		return;
	for (struct scene_capture *c = all->captures; c; c = c->next)
		cap_scan_free(&c->scan);
	for (unsigned i = 0; i < s->n_plugins; i++)
		guest_free(s->plugin[i]->guest);
	arena_free(&all->arena);
	free(all);
}

void scene_vwarn(struct scene *s, uint32_t line, const char *fmt, va_list ap)
{
	struct scene_warning *more = arena_get(scene_arena(s), (s->n_warnings + 1) * sizeof(*more));

	if (!more)
		return;
	if (s->n_warnings)
		memcpy(more, s->warning, s->n_warnings * sizeof(*more));
	s->warning = more;
	more += s->n_warnings++;
	more->line = line;
	vsnprintf(more->text, sizeof(more->text), fmt, ap);
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
