// SPDX-License-Identifier: BSD-3-Clause
// Switches that are cut into shards by port: the number of shards, and settings that prevent a cut.
#include <errno.h>
#include <stdio.h>

#include "int.h"

// Virtual time: how long a frame or credit needs from shard to shard. It stands for the time until
// the other lcore polls.
#define HOP (200 * PS_PER_NS)

typedef unsigned long long ull; // of messages

// One shard has taken a lossless frame when another queues it.
#define MAY_NOT "so no shard may refuse a lossless frame that another has taken"

// Says why a buffer with two sides cannot be divided, and which number would be right. Pools and
// the bytes of the ingress side are shown as in the scenario, without the room for late loops.
static int undivided_buffer(struct draft *b, const struct draft_node *n,
	const struct sw_parts *parts, const char *key, unsigned shards)
{
	const struct yamldoc_node *at = draft_given(&scene_opts_switch, n->sw, "pools", n->key);
	const char *port = n->port[parts->port]->name;
	ull late = b->s->node[n->index].late_bytes;

	if (parts->fault == SW_PARTS_HEADROOM)
		return yamldoc_err(b->err, at,
			"switch '%s' has %s: %u, and of its headroom pool shard %u gets %llu "
			"bytes, less than group %u of port %s alone may take (%llu); make "
			"pools.headroom %llu or more, or drop %s",
			n->name, key, shards, parts->port % shards, (ull)parts->has, parts->cls,
			port, (ull)parts->wants, (ull)parts->right - late, key);
	if (parts->fault == SW_PARTS_EGRESS)
		return yamldoc_err(b->err, at,
			"switch '%s' has %s: %u, " MAY_NOT "; pools.egress_lossless (%llu) does "
			"not hold all that ingress may (%llu) beside what its queues reserve and "
			"their dynamic_th leaves free; make it %llu or more, or drop %s",
			n->name, key, shards, (ull)parts->has - late, (ull)parts->wants - late,
			(ull)parts->right - late, key);
	if (parts->fault == SW_PARTS_LIMIT)
		return yamldoc_err(b->err, n->key,
			"switch '%s' has %s: %u, " MAY_NOT "; the limit of lossless egress queue "
			"%u of port %s (%llu) is less than ingress may hold (%llu); make it %llu "
			"or more, or drop %s",
			n->name, key, shards, parts->cls, port, (ull)parts->has, (ull)parts->wants,
			(ull)parts->right, key);
	return yamldoc_err(b->err, at,
		"switch '%s' has %s: %u, " MAY_NOT "; by its dynamic_th lossless egress queue %u "
		"of port %s does not get as much of pools.egress_lossless (%llu) as ingress may "
		"hold (%llu); make that pool %llu or more, or drop %s",
		n->name, key, shards, parts->cls, port, (ull)parts->has - late,
		(ull)parts->wants - late, (ull)parts->right - late, key);
}

// Tells the user that a headroom pool is divided because it cannot hold all bytes that groups may
// take. The groups of one shard then cannot use another shard's part.
static void tell_division(struct draft *b, const struct draft_node *n, const struct sw_parts *parts,
	const char *key, unsigned shards)
{
	char list[SW_SHARDS * 64];
	size_t at = 0;

	for (unsigned k = 0; k < shards; k++)
		at += (size_t)snprintf(list + at, sizeof(list) - at, "%s%llu of %llu",
			k ? ", " : "", (ull)parts->headroom[k], (ull)parts->may_take[k]);
	draft_warn(b, draft_given(&scene_opts_switch, n->sw, "pools", n->key),
		"switch '%s' has %s: %u, among which its headroom pool is divided; it is smaller "
		"than what all groups may take, so a shard's part is smaller, too, in bytes: %s",
		n->name, key, shards, list);
}

static int divide_buffer(
	struct draft *b, const struct draft_node *n, const char *key, unsigned shards)
{
	const struct sw_params *p = &b->s->node[n->index].u.sw;
	struct sw_parts parts;

	if (!sw_has_two_sides(p))
		return 0;
	if (!sw_parts(&parts, p, shards))
		return undivided_buffer(b, n, &parts, key, shards);
	if (p->headroom_pool_bytes && p->headroom_pool_bytes < parts.all_may_take)
		tell_division(b, n, &parts, key, shards);
	return 0;
}

// Cuts a switch into shards. `key`: the option that asks for it, lcores on the real clock and
// shards in virtual time.
static int cut(struct draft *b, const struct draft_node *n, const char *key, unsigned shards)
{
	const struct yamldoc_node *at = draft_given(&scene_opts_switch, n->sw, key, n->key);
	struct sw_params *p = &b->s->node[n->index].u.sw;

	if (shards > p->n_ports)
		return yamldoc_err(b->err, at,
			"switch '%s' has %s: %u and %u ports, of which each shard wants one; "
			"write at most %u",
			n->name, key, shards, p->n_ports, p->n_ports);
	if (p->n_ports + shards > NODE_PORTS)
		return yamldoc_err(b->err, at,
			"switch '%s' has %u ports and %s: %u; both together may be %u at most",
			n->name, p->n_ports, key, shards, NODE_PORTS);
	p->shards = shards;
	p->hop_ps = b->opts && b->opts->real ? 0 : HOP;
	return divide_buffer(b, n, key, shards);
}

// A queue of a port's device for a shard each.
static int spread(struct draft *b, const struct draft_node *n, unsigned port, unsigned shards)
{
	const struct draft_port *p = n->port[port];
	const struct yamldoc_node *at = draft_given(&scene_opts_port, p->spec, "rx_queues", n->key);

	if (!n->is_switch)
		return yamldoc_err(b->err, at,
			"port %s: rx_queues is for ports of switches; lcores of host '%s' gives "
			"its device a queue for each",
			p->name, n->name);
	if (!p->spec->device)
		return yamldoc_err(b->err, at,
			"port %s has rx_queues: %u and no device, whose queues these are; give it "
			"one, or leave rx_queues out",
			p->name, p->spec->rx_queues);
	if (p->spec->rx_queues > shards)
		return yamldoc_err(b->err, at,
			"port %s has rx_queues: %u, and switch '%s' lcores: %u, each of which "
			"reads one; write at most rx_queues: %u",
			p->name, p->spec->rx_queues, n->name, shards, shards);
	b->s->node[n->index].port[port].rx_queues = (uint8_t)p->spec->rx_queues;
	return 0;
}

static int spread_ports(struct draft *b, const struct draft_node *n, unsigned shards)
{
	int rc = 0;

	for (unsigned i = 0; !rc && i < n->n_ports; i++)
		if (n->port[i]->spec->rx_queues > 1)
			rc = spread(b, n, i, shards);
	return rc;
}

int hardware_shards(struct draft *b)
{
	bool real = b->opts && b->opts->real;

	for (unsigned i = 0; i < b->n_nodes; i++) {
		const struct draft_node *n = b->node[i];
		unsigned shards = !n->is_switch ? 1 : real ? n->sw->lcores : n->sw->shards;
		int rc = 0;

		if (shards > 1 && !n->external && !n->elsewhere)
			rc = cut(b, n, real ? "lcores" : "shards", shards);
		if (!rc && real && !n->external && !n->elsewhere)
			rc = spread_ports(b, n, shards);
		if (rc)
			return rc;
	}
	return 0;
}
