// SPDX-License-Identifier: BSD-3-Clause
// A part of a scenario: the nodes that this process runs, where others run the rest. The scene is
// compiled whole, so that all parts agree on addresses and numbers, and is cut once it is.
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "draft.h"

// The text of the list as nodes of a document, so that names are read as in a scenario.
static struct yamldoc_node *list_of(struct draft *b, const char *text)
{
	unsigned n = 1, i = 0;

	for (const char *c = text; *c; c++)
		n += *c == ',';

	struct yamldoc_node *list = draft_get(b, sizeof(*list) + n * sizeof(*list));
	struct yamldoc_item *item = list ? draft_get(b, n * sizeof(*item)) : NULL;
	char *words = item ? arena_text(b->a, text, strlen(text)) : NULL;

	if (!words)
		return NULL;
	*list = (struct yamldoc_node){.type = YAMLDOC_LIST, .n = n, .item = item};
	list->where = arena_format(b->a, "--nodes %.80s", text);
	for (char *word = words; word; i++) {
		char *comma = strchr(word, ',');

		if (comma)
			*comma++ = 0;
		list[1 + i] = (struct yamldoc_node){.where = list->where, .text = word};
		item[i] = (struct yamldoc_item){.value = &list[1 + i]};
		word = comma;
	}
	return list->where ? list : NULL;
}

// A frame that goes to a node elsewhere leaves this process, and only a device takes it.
static int check_links(struct draft *b)
{
	for (unsigned i = 0; i < b->n_links; i++) {
		const struct draft_link *l = b->link[i];
		unsigned here = l->node[0]->elsewhere;
		const struct draft_port *port = l->node[here]->port[l->port[here]];

		if (l->node[0]->elsewhere == l->node[1]->elsewhere || port->spec->device)
			continue;
		return yamldoc_err(b->err, port->layer ? port->layer->key : l->at,
			"port %s: '%s' is %s, so this link leaves the process; "
			"give %s a device in `ports`",
			port->name, l->node[!here]->name,
			l->node[!here]->outside ? "external" : "not among --nodes", port->name);
	}
	return 0;
}

int draft_part_read(struct draft *b)
{
	const char *text = b->opts ? b->opts->nodes : NULL;
	struct draft_names names = {0};
	struct yamldoc_node *list;
	int rc;

	for (unsigned i = 0; i < b->n_nodes; i++)
		b->node[i]->elsewhere = b->node[i]->outside;
	if (!text)
		return check_links(b);
	if (!b->opts->real)
		return err_set(b->err, -EINVAL,
			"--nodes %s: the virtual clock runs a scenario whole; "
			"parts of one are for --clock real",
			text);
	list = list_of(b, text);
	if (!list)
		return err_set(b->err, -ENOMEM, "out of memory");
	b->s->part = arena_text(b->a, text, strlen(text));
	rc = b->s->part ? draft_names(b, &names, list) : -ENOMEM;
	for (unsigned i = 0; i < b->n_nodes; i++)
		b->node[i]->elsewhere = true;
	for (unsigned i = 0; !rc && i < names.n; i++) {
		struct draft_node *node;

		rc = draft_find_node(b, &node, names.name[i], names.at[i]);
		if (!rc && node->outside)
			return yamldoc_err(b->err, names.at[i],
				"'%s' is external: it runs elsewhere; drop it from --nodes",
				node->name);
		if (!rc)
			node->elsewhere = false;
	}
	return rc ? rc : check_links(b);
}

// The new places of all nodes: ours first, then the others, each in their order. Lanes are ours.
static uint16_t *places(struct draft *b)
{
	struct scene *s = b->s;
	uint16_t *place = draft_scrap(b, s->n_nodes * sizeof(*place));
	bool *elsewhere = draft_scrap(b, s->n_nodes * sizeof(*elsewhere));
	unsigned here = 0;

	if (!place || !elsewhere)
		return NULL;
	for (unsigned i = 0; i < b->n_nodes; i++) {
		elsewhere[b->node[i]->index] = b->node[i]->elsewhere;
		s->n_elsewhere += b->node[i]->elsewhere;
	}
	for (unsigned i = 0, next = s->n_nodes - s->n_elsewhere; i < s->n_nodes; i++)
		place[i] = (uint16_t)(elsewhere[i] ? next++ : here++);
	for (unsigned i = 0; i < b->n_nodes; i++)
		b->node[i]->index = place[b->node[i]->index];
	return place;
}

static int move_nodes(struct draft *b, const uint16_t *place)
{
	struct scene *s = b->s;
	struct scene_node *node = draft_get(b, s->n_nodes * sizeof(*node));

	if (!node)
		return -ENOMEM;
	for (unsigned i = 0; i < s->n_nodes; i++) {
		for (unsigned p = 0; p < s->node[i].n_ports; p++) {
			struct scene_port *port = &s->node[i].port[p];

			if (port->peer_node >= 0)
				port->peer_node = place[port->peer_node];
		}
		node[place[i]] = s->node[i];
		if (s->node[i].lane)
			node[place[i]].lane_of = place[s->node[i].lane_of];
		if (s->node[i].other_side)
			node[place[i]].other_side =
				(uint16_t)(place[s->node[i].other_side - 1] + 1);
		if (s->node[i].n_lanes)
			node[place[i]].lane_at = place[s->node[i].lane_at];
	}
	s->node = node;
	s->n_nodes -= s->n_elsewhere;
	for (unsigned i = 0; i < s->n_nodes; i++)
		if (s->node[i].other_side > s->n_nodes)
			s->node[i].other_side = 0;
	return 0;
}

// Each end of a link that is cut knows the other.
static void join_ends(struct draft *b)
{
	for (unsigned i = 0; i < b->n_links; i++) {
		const struct draft_link *l = b->link[i];
		struct scene_port *end[2];

		if (l->node[0]->elsewhere == l->node[1]->elsewhere || l->node[0]->outside ||
			l->node[1]->outside)
			continue;
		for (unsigned e = 0; e < 2; e++)
			end[e] = &b->s->node[l->node[e]->index].port[l->port[e]];
		end[0]->far = end[1];
		end[1]->far = end[0];
	}
}

// Events of nodes elsewhere happen there.
static void move_events(struct scene *s, const uint16_t *place)
{
	unsigned n = 0;

	for (unsigned i = 0; i < s->n_events; i++) {
		struct scene_event e = s->event[i];

		e.node = place[e.node];
		if (scene_is_here(s, e.node))
			s->event[n++] = e;
	}
	s->n_events = n;
}

// Clocks of two parts differ, so what goes from one to another says when it left.
static void stamp_sources(const struct scene *s)
{
	for (unsigned i = 0; i < s->n_sources; i++) {
		struct scene_source *src = s->source[i];

		src->gen.stamped = scene_is_here(s, src->from) != scene_is_here(s, src->to) &&
				   !s->node[src->to].external;
	}
}

int draft_part_cut(struct draft *b)
{
	struct scene *s = b->s;
	uint16_t *place;
	bool cut = s->part;

	for (unsigned i = 0; i < b->n_nodes; i++)
		cut |= b->node[i]->outside;
	for (unsigned i = 0; i < s->n_nodes; i++)
		s->node[i].number = (uint16_t)i;
	if (!cut)
		return 0;
	place = places(b);
	if (!place || move_nodes(b, place))
		return -ENOMEM;
	join_ends(b);
	for (unsigned i = 0; i < s->n_flows; i++) {
		s->flow[i]->from = place[s->flow[i]->from];
		s->flow[i]->to = place[s->flow[i]->to];
	}
	for (unsigned i = 0; i < s->n_sources; i++) {
		s->source[i]->from = place[s->source[i]->from];
		s->source[i]->to = place[s->source[i]->to];
	}
	for (unsigned i = 0; i < s->n_jobs; i++)
		for (uint32_t r = 0; r < s->job[i]->graph->n_ranks; r++)
			s->job[i]->node[r] = place[s->job[i]->node[r]];
	stamp_sources(s);
	move_events(s, place);
	for (unsigned i = 0; i < s->n_faults; i++)
		s->fault[i]->node = place[s->fault[i]->node];
	if (s->n_expects && s->part && s->n_elsewhere)
		draft_warn(b, b->top.expect,
			"`expect` is of the whole scenario; "
			"`quench merge` judges it, and not a part");
	return 0;
}
