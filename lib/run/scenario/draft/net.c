// SPDX-License-Identifier: BSD-3-Clause
// The network of a scene: nodes declared, links drawn between them, ports named, paths found.
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "draft.h"

static void switch_defaults(struct spec_switch *sw)
{
	opt_init(&scene_opts_switch, sw);
	for (unsigned i = 0; i < 64; i++)
		sw->dscp_map[i] = (uint8_t)(i / 8);
	for (unsigned i = 0; i < 8; i++)
		sw->pcp_map[i] = sw->queue_map[i] = sw->pg_map[i] = (uint8_t)i;
	sw->cls[6].strict = true; // CNPs and ACKs
}

static void host_defaults(struct spec_host *host)
{
	opt_init(&scene_opts_host, host);
	for (unsigned i = 0; i < PKT_CLASSES; i++)
		host->weights[i] = 1;
	for (unsigned i = 0; i < 64; i++)
		host->dscp_map[i] = (uint8_t)(i / 8);
	for (unsigned i = 0; i < 8; i++)
		host->pcp_map[i] = host->queue_map[i] = (uint8_t)i;
	host->strict = 1 << 6;
}

static struct draft_node *node_new(
	struct draft *b, const char *name, const struct yamldoc_node *key, bool is_switch)
{
	struct draft_node *n = draft_scrap(b, sizeof(*n));
	void **place = n ? draft_push(b, &b->node, &b->n_nodes) : NULL;

	if (!place)
		return NULL;
	*place = n;
	n->name = name;
	n->key = key;
	n->is_switch = is_switch;
	n->place = b->n_nodes - 1;
	n->number = is_switch ? ++b->n_switches : ++b->n_hosts;
	if (!index_add(&b->by_name, index_hash(0, name, strlen(name)), n->place))
		return n;
	err_set(b->err, -ENOMEM, "out of memory");
	return NULL;
}

// Gives a node the settings that the file does not say of it by name.
static int settings_new(struct draft *b, struct draft_node *n)
{
	if (n->is_switch) {
		n->sw = draft_get(b, sizeof(*n->sw)); // its maps are the scene's
		if (!n->sw)
			return -ENOMEM;
		switch_defaults(n->sw);
		return opt_apply(&scene_opts_switch, n->sw, b->top.defaults.switches, b->err);
	}
	n->host = draft_scrap(b, sizeof(*n->host));
	if (!n->host)
		return -ENOMEM;
	host_defaults(n->host);
	return opt_apply(&scene_opts_host, n->host, b->top.defaults.hosts, b->err);
}

// Gives a node a copy of its settings, which other nodes may share.
static int settings_copy(struct draft *b, struct draft_node *n)
{
	struct spec_switch *sw = n->is_switch ? draft_get(b, sizeof(*sw)) : NULL;
	struct spec_host *host = n->is_switch ? NULL : draft_scrap(b, sizeof(*host));

	if (!sw && !host)
		return -ENOMEM;
	if (sw)
		*sw = *n->sw;
	else
		*host = *n->host;
	n->sw = sw;
	n->host = host;
	return 0;
}

// Reads what an item says of one of the nodes that it names. *like: the node that the item has made
// last, whose settings are the same; NULL: none yet.
static int node_named(struct draft *b, const char *name, const struct yamldoc_item *item,
	bool is_switch, struct draft_node **like)
{
	struct draft_node *n = draft_find(b, name);
	int rc;

	// For one node of a range, the command line overrides the file. For a generated node, the
	// file overrides the generator. So these two may name a node twice.
	if (n && ((item->key->line && !n->key->made) || n->is_switch != is_switch))
		return yamldoc_err(b->err, item->key,
			"the name '%s' stands here twice (first in line %u); names of nodes differ",
			name, n->key->line);
	if (n) {
		rc = settings_copy(b, n);
	} else {
		n = node_new(b, name, item->key, is_switch);
		if (n && *like) {
			n->sw = (*like)->sw;
			n->host = (*like)->host;
			return 0;
		}
		rc = n ? settings_new(b, n) : -ENOMEM;
		*like = n;
	}
	if (rc)
		return rc;
	if (item->key->line)
		n->key = item->key;
	return is_switch ? opt_apply(&scene_opts_switch, n->sw, item->value, b->err)
			 : opt_apply(&scene_opts_host, n->host, item->value, b->err);
}

static int section(struct draft *b, const struct yamldoc_node *map, bool is_switch)
{
	for (unsigned i = 0; map && i < map->n; i++) {
		struct draft_node *like = NULL;
		struct draft_names names = {0};
		int rc = draft_names(b, &names, map->item[i].key);

		for (unsigned k = 0; !rc && k < names.n; k++) {
			if (b->n_nodes == SCENE_NODES)
				return yamldoc_err(b->err, map,
					"more than %u nodes; a scenario has at most so many",
					SCENE_NODES);
			rc = node_named(b, names.name[k], &map->item[i], is_switch, &like);
		}
		if (rc)
			return rc;
	}
	return 0;
}

// With PAUSE, puts all classes of a port into one priority group: the group in pg_map, else the
// group of the lowest lossless class, or of class 0.
static int one_group(struct draft *b, const struct draft_node *n)
{
	const struct yamldoc_node *map = opt_source(&scene_opts_switch, n->sw, "pg_map");
	uint8_t *pg = n->sw->pg_map;
	unsigned first = 0;

	if (n->sw->flow_control != SPEC_PAUSE)
		return 0;
	if (map && memcmp(pg, pg + 1, sizeof(n->sw->pg_map) - 1) != 0)
		return yamldoc_err(b->err, map,
			"switch '%s' has flow_control: pause, so all classes of a port are in one "
			"priority group; leave pg_map out",
			n->name);
	while (first < PKT_CLASSES && !n->sw->cls[first].lossless)
		first++;
	if (!map)
		memset(pg, (int)(first % PKT_CLASSES), sizeof(n->sw->pg_map));
	return 0;
}

int draft_nodes(struct draft *b)
{
	int rc = section(b, b->top.switches, true);

	for (unsigned i = 0; !rc && i < b->n_nodes; i++)
		rc = b->node[i]->is_switch ? one_group(b, b->node[i]) : 0;
	return rc ? rc : section(b, b->top.hosts, false);
}

// How many links two nodes have in common.
static unsigned links_between(const struct draft_node *one, const struct draft_node *two)
{
	const struct draft_node *few = one->n_ports < two->n_ports ? one : two;
	const struct draft_node *other = few == one ? two : one;
	unsigned n = 0;

	for (unsigned i = 0; i < few->n_ports; i++)
		n += draft_peer(few, i) == other;
	return n;
}

// A port of `node` towards the other end of `link`, which is one of `twins` between the two.
static int port_new(struct draft *b, struct draft_link *link, unsigned end, unsigned twins)
{
	struct draft_node *node = link->node[end], *peer = link->node[!end];

	if (!node->is_switch && node->n_ports)
		return yamldoc_err(b->err, link->at,
			"host '%s' has a link already (%s); a host has one", node->name,
			node->port[0]->name);
	if (node->n_ports == NODE_PORTS)
		return yamldoc_err(b->err, link->at,
			"'%s' has %u ports already; that is the most of one node", node->name,
			NODE_PORTS);

	struct draft_port *p = draft_scrap(b, sizeof(*p));

	if (!p)
		return -ENOMEM;
	if (twins > 1)
		snprintf(p->name, sizeof(p->name), "%s:%s.%u", node->name, peer->name, twins);
	else
		snprintf(p->name, sizeof(p->name), "%s:%s", node->name, peer->name);
	p->link = link;
	p->end = end;
	p->spec = node->is_switch ? node->spec : &b->port;
	link->port[end] = node->n_ports;
	node->port[node->n_ports++] = p;
	return draft_port_add(b, p);
}

// Gives a port what its switch says of all its ports.
static void take_switch(struct spec_port *p, const struct spec_switch *sw)
{
	memcpy(p->cls, sw->cls, sizeof(p->cls));
	memcpy(p->dscp_map, sw->dscp_map, sizeof(p->dscp_map));
	memcpy(p->pcp_map, sw->pcp_map, sizeof(p->pcp_map));
	memcpy(p->queue_map, sw->queue_map, sizeof(p->queue_map));
	memcpy(p->pg_map, sw->pg_map, sizeof(p->pg_map));
	p->trust = sw->trust;
	p->default_class = sw->default_class;
	p->wd = sw->wd;
}

// What ports have that `ports` does not name.
static int port_defaults(struct draft *b)
{
	opt_init(&scene_opts_port, &b->port);
	for (unsigned i = 0; i < b->n_switches; i++) {
		struct draft_node *n = b->node[i];

		if (i && b->node[i - 1]->sw == n->sw) {
			n->spec = b->node[i - 1]->spec;
			continue;
		}
		n->spec = draft_scrap(b, sizeof(*n->spec));
		if (!n->spec)
			return -ENOMEM;
		*n->spec = b->port;
		take_switch(n->spec, n->sw);
	}
	return 0;
}

static int link_new(struct draft *b, const struct spec_link *spec, const struct yamldoc_node *at,
	struct draft_node *one, struct draft_node *two)
{
	struct draft_link *l = draft_scrap(b, sizeof(*l));
	void **place = l ? draft_push(b, &b->link, &b->n_links) : NULL;

	if (!place)
		return -ENOMEM;
	*place = l;
	*l = (struct draft_link){.spec = *spec, .at = at, .node = {one, two}};

	unsigned twins = links_between(one, two) + 1;
	int rc = port_new(b, l, 0, twins);

	return rc ? rc : port_new(b, l, 1, twins);
}

// Returns whether this line of `links` has already joined the two nodes, in the other order.
static bool is_joined(
	const struct draft_node *one, const struct draft_node *two, const struct yamldoc_node *line)
{
	const struct draft_node *few = one->n_ports < two->n_ports ? one : two;

	for (unsigned i = 0; i < few->n_ports; i++) {
		const struct draft_link *l = few->port[i]->link;

		if (l->at == line && l->node[0] == two && l->node[1] == one)
			return true;
	}
	return false;
}

static int link_pairs(struct draft *b, const struct spec_link *spec, const struct yamldoc_node *at,
	const struct draft_names end[2])
{
	bool same_index = spec->pairs == SPEC_PAIRS_SAME_INDEX;
	unsigned first = b->n_links;

	if (same_index && end[0].n != end[1].n)
		return yamldoc_err(b->err, at,
			"pairs: same_index wants as many on both sides; here are %u and %u",
			end[0].n, end[1].n);
	for (unsigned i = 0; i < end[0].n; i++) {
		for (unsigned j = same_index ? i : 0; j < (same_index ? i + 1 : end[1].n); j++) {
			struct draft_node *one, *two;
			int rc = draft_find_node(b, &one, end[0].name[i], end[0].at[i]);

			if (!rc)
				rc = draft_find_node(b, &two, end[1].name[j], end[1].at[j]);
			if (!rc && one != two && !is_joined(one, two, at))
				rc = link_new(b, spec, at, one, two);
			if (rc)
				return rc;
		}
	}
	if (b->n_links == first)
		return yamldoc_err(
			b->err, spec->between, "this joins nothing; a link has two different ends");
	return 0;
}

static int link_line(struct draft *b, const struct yamldoc_node *at)
{
	struct spec_link spec = {0};
	struct draft_names end[2] = {0};

	opt_init(&scene_opts_link, &spec);

	int rc = opt_apply(&scene_opts_link, &spec, b->top.defaults.links, b->err);

	if (!rc)
		rc = opt_apply(&scene_opts_link, &spec, at, b->err);
	if (!rc)
		rc = opt_require(&scene_opts_link, &spec, at, b->err);
	if (rc)
		return rc;
	if (spec.between->type != YAMLDOC_LIST || spec.between->n != 2)
		return yamldoc_err(b->err, spec.between, "between has two ends, as in [h1..8, s1]");
	for (unsigned e = 0; !rc && e < 2; e++)
		rc = draft_names(b, &end[e], spec.between->item[e].value);
	return rc ? rc : link_pairs(b, &spec, at, end);
}

// Numbers the switches that reach each other, by their lowest one.
static void areas(struct draft *b)
{
	bool changed = true;

	for (unsigned i = 0; i < b->n_nodes; i++)
		b->node[i]->area = i;
	while (changed) {
		changed = false;
		for (unsigned i = 0; i < b->n_links; i++) {
			struct draft_node *one = b->link[i]->node[0], *two = b->link[i]->node[1];

			if (!one->is_switch || !two->is_switch || one->area == two->area)
				continue;
			one->area = two->area = one->area < two->area ? one->area : two->area;
			changed = true;
		}
	}
}

int draft_links(struct draft *b)
{
	const struct yamldoc_node *list = b->top.links;
	int rc = port_defaults(b);

	for (unsigned i = 0; !rc && i < list->n; i++)
		rc = link_line(b, list->item[i].value);
	if (rc)
		return rc;
	for (unsigned i = 0; i < b->n_nodes; i++) {
		const struct draft_node *n = b->node[i];

		if (!n->n_ports)
			return yamldoc_err(b->err, n->key,
				"%s '%s' has no link; add one to `links`",
				n->is_switch ? "switch" : "host", n->name);
	}
	areas(b);
	return 0;
}

const struct draft_link *draft_host_link(const struct draft_node *host)
{
	return host->port[0]->link;
}

bool draft_reaches(const struct draft_node *from, const struct draft_node *to)
{
	const struct draft_node *a = draft_peer(from, 0), *z = draft_peer(to, 0);

	if (a == to)
		return true;
	return a->is_switch && z->is_switch && a->area == z->area;
}

// Real clock: finds the hosts and switches that quench does not run. Such a node has a device at
// the far end of every link. If --nodes names the nodes of this part, other parts run the rest. A
// host that the scenario calls external can also have flows.
static void mark_external(struct draft *b)
{
	for (unsigned i = 0; i < b->n_nodes; i++) {
		struct draft_node *n = b->node[i];

		n->outside = b->opts && b->opts->real && !n->is_switch && n->host->external;
		b->n_outside += n->outside;
		n->external = b->opts && b->opts->real && !b->opts->nodes && !n->outside;
		for (unsigned p = 0; p < n->n_ports && n->external; p++) {
			const struct draft_port *far = draft_far_port(n->port[p]);

			n->external = far->spec->device && !n->port[p]->spec->device;
		}
		n->external |= n == b->dut && b->opts->real;
	}
}

// The device that is judged: on the real clock each node that is linked to it needs a device.
static int read_dut(struct draft *b)
{
	const char *name = b->opts ? b->opts->dut : NULL;
	const struct yamldoc_node at = {.where = "--dut"};
	int rc = name ? draft_find_node(b, &b->dut, name, &at) : 0;

	if (rc || !name)
		return rc;
	if (b->opts->nodes)
		return err_set(b->err, -EINVAL,
			"--dut %s: it is for a scenario of which all other nodes run here; drop "
			"--nodes",
			name);
	if (!b->dut->is_switch)
		return err_set(b->err, -EINVAL,
			"--dut %s: it is a host; name the switch that is judged", name);
	for (unsigned p = 0; p < b->dut->n_ports; p++) {
		const struct draft_port *far = draft_far_port(b->dut->port[p]);

		if (b->opts->real && !far->spec->device)
			return err_set(b->err, -EINVAL,
				"--dut %s: port %s has no device, and '%s' is behind it; give "
				"ports.%s a device",
				name, far->name, name, far->name);
	}
	b->s->dut = b->dut->name;
	b->s->counters[0] = b->opts->counters[0];
	b->s->counters[1] = b->opts->counters[1];
	return 0;
}

int draft_ports(struct draft *b)
{
	int rc = draft_port_settings(b);

	if (!rc)
		rc = read_dut(b);
	if (!rc)
		mark_external(b);
	return rc;
}
