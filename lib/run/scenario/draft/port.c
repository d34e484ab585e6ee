// SPDX-License-Identifier: BSD-3-Clause
// The ports of a scenario: how they are found by name, and the entries of `ports`, each of which is
// for one port or for all ports between two ranges of nodes.
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "draft.h"

// The ports that an entry names.
struct named {
	struct draft_port **port;
	unsigned n;
};

static uint32_t name_hash(const char *name)
{
	return index_hash(0, name, strlen(name));
}

int draft_port_add(struct draft *b, struct draft_port *p)
{
	const unsigned number = b->n_ports;
	void **place = draft_push(b, &b->port_at, &b->n_ports);

	if (!place)
		return -ENOMEM;
	*place = p;
	return index_add(&b->by_port, name_hash(p->name), number)
		       ? err_set(b->err, -ENOMEM, "out of memory")
		       : 0;
}

static struct draft_port *find_port(const struct draft *b, const char *name)
{
	uint32_t hash = name_hash(name), at = hash, i;

	while ((i = index_next(&b->by_port, hash, &at)) != INDEX_NONE)
		if (strcmp(b->port_at[i]->name, name) == 0)
			return b->port_at[i];
	return NULL;
}

// Says that there is no such port. `left`: the name of its node.
static int no_such_port(
	struct draft *b, const char *name, const char *left, const struct yamldoc_node *at)
{
	struct near near = near_to(name + strlen(left) + 1);
	struct draft_node *n;
	int rc = draft_find_node(b, &n, left, at);

	if (rc)
		return rc;
	if (!n->n_ports)
		return yamldoc_err(b->err, at, "'%.60s': %s has no link at all; add one to `links`",
			name, left);
	for (unsigned i = 0; i < n->n_ports; i++)
		near_see(&near, strchr(n->port[i]->name, ':') + 1);
	if (*near.name)
		return yamldoc_err(b->err, at, "there is no port '%.60s'; did you mean '%s:%s'?",
			name, left, near.name);
	return yamldoc_err(b->err, at, "there is no port '%.60s'; %s has %s%s%s", name, left,
		n->port[0]->name, n->n_ports > 1 ? " .. " : "",
		n->n_ports > 1 ? n->port[n->n_ports - 1]->name : "");
}

int draft_find_port(struct draft *b, struct draft_node **node, unsigned *port, const char *name,
	const struct yamldoc_node *at)
{
	const struct draft_port *p = find_port(b, name);
	const char *colon = strchr(name, ':');
	char left[DRAFT_NAME + 1];

	if (p) {
		*node = draft_port_node(p);
		*port = p->link->port[p->end];
		return 0;
	}
	if (!colon || (size_t)(colon - name) > DRAFT_NAME)
		return yamldoc_err(
			b->err, at, "'%.60s' is no port; write node:peer, as in s1:h3", name);
	snprintf(left, sizeof(left), "%.*s", (int)(colon - name), name);
	return no_such_port(b, name, left, at);
}

static int add_port(
	struct draft *b, struct named *to, const char *name, const struct yamldoc_node *at)
{
	struct draft_node *node;
	unsigned port;
	int rc = draft_find_port(b, &node, &port, name, at);
	void **place = rc ? NULL : draft_push(b, &to->port, &to->n);

	if (rc || !place)
		return rc ? rc : -ENOMEM;
	*place = node->port[port];
	return 0;
}

// Reads one side of a range of ports, `n` characters of `text`, as names.
static int read_side(struct draft *b, struct draft_names *names, const struct yamldoc_node *at,
	const char *text, size_t n)
{
	struct yamldoc_node *side = draft_scrap(b, sizeof(*side));

	if (!side)
		return -ENOMEM;
	*side = *at;
	side->text = arena_text(b->scrap, text, n);
	return side->text ? draft_names(b, names, side) : err_set(b->err, -ENOMEM, "out of memory");
}

// Finds the ports of a key: "s1:h1", "s1:h1..8", or "s1..2:h1..8", which are all from the first
// range to the second; no node has a port to itself.
static int read_key(struct draft *b, struct named *to, const struct yamldoc_node *key)
{
	const char *colon = strchr(key->text, ':');
	struct draft_names from = {0}, peers = {0};
	int rc;

	if (!colon || !strstr(key->text, ".."))
		return add_port(b, to, key->text, key);
	rc = read_side(b, &from, key, key->text, (size_t)(colon - key->text));
	if (!rc)
		rc = read_side(b, &peers, key, colon + 1, strlen(colon + 1));
	for (unsigned i = 0; !rc && i < from.n; i++)
		for (unsigned k = 0; !rc && k < peers.n; k++) {
			const char *name;

			if (!strcmp(from.name[i], peers.name[k]))
				continue;
			name = arena_format(b->scrap, "%s:%s", from.name[i], peers.name[k]);
			rc = name ? add_port(b, to, name, key)
				  : err_set(b->err, -ENOMEM, "out of memory");
		}
	return rc;
}

// The command line may change one port of a range; the file names each port once.
static int check_once(struct draft *b, const struct draft_port *p, const struct yamldoc_node *key)
{
	for (const struct draft_layer *l = p->layer; l && key->line; l = l->before)
		if (l->key->line)
			return yamldoc_err(b->err, key,
				"'%s' stands in '%.60s' and in '%.60s' (line %u); write its "
				"settings in one of them",
				p->name, key->text, l->key->text, l->key->line);
	return 0;
}

// Refuses keys of switches at a host's port, and a map of groups where PAUSE leaves one group.
static int check_switch_keys(
	struct draft *b, const struct spec_port *own, const struct draft_port *p)
{
	static const char *const keys[] = {
		"classes", "trust", "dscp_map", "pcp_map", "queue_map", "pg_map", "default_class"};
	const struct draft_node *n = draft_port_node(p);
	const struct yamldoc_node *map = opt_source(&scene_opts_port, own, "pg_map");

	for (unsigned i = 0; !n->is_switch && i < sizeof(keys) / sizeof(keys[0]); i++) {
		const struct yamldoc_node *at = opt_source(&scene_opts_port, own, keys[i]);

		if (at)
			return yamldoc_err(b->err, at,
				"'%s' is a host's port; %s belong%s to a switch's", p->name,
				keys[i], i ? "s" : "");
	}
	if (map && n->sw->flow_control == SPEC_PAUSE)
		return yamldoc_err(b->err, map,
			"switch '%s' has flow_control: pause, so all classes of a port are in one "
			"priority group; leave pg_map out",
			n->name);
	return 0;
}

// Reads what an entry says, over the settings that the port has had so far.
static int read_settings(struct draft *b, struct spec_port *to, const struct draft_port *p,
	const struct yamldoc_node *value)
{
	int rc;

	*to = *p->spec;
	rc = opt_apply(&scene_opts_port, to, value, b->err);
	if (!rc)
		rc = check_switch_keys(b, to, p);
	if (!rc && to->device && !*to->device)
		return yamldoc_err(b->err, opt_source(&scene_opts_port, to, "device"),
			"device is empty; write a PCI address, a vdev or a name");
	return rc;
}

// Refuses settings that two ports cannot both have.
static int check_range(struct draft *b, const struct yamldoc_node *value, const struct named *named)
{
	static const char *const one[] = {"device", "mac", "ip"};

	for (unsigned i = 0; named->n > 1 && i < sizeof(one) / sizeof(one[0]); i++) {
		const struct yamldoc_node *at = yamldoc_get(value, one[i]);

		if (at)
			return yamldoc_err(b->err, at,
				"%s is one port's, and this is for %u ports; write it at the port "
				"alone, as in '%s'",
				one[i], named->n, named->port[0]->name);
	}
	return 0;
}

// Ports that had the same settings share their new ones.
static int read_entry(struct draft *b, const struct yamldoc_item *item)
{
	const struct spec_port *had = NULL;
	struct spec_port *own = NULL;
	struct draft_layer *layer = NULL;
	struct named named = {0};
	int rc = read_key(b, &named, item->key);

	for (unsigned i = 0; !rc && i < named.n; i++) {
		struct draft_port *p = named.port[i];

		rc = check_once(b, p, item->key);
		if (rc)
			return rc;
		if (p->spec != had || layer->before != p->layer) {
			had = p->spec;
			own = draft_scrap(b, sizeof(*own));
			layer = draft_scrap(b, sizeof(*layer));
			if (!own || !layer)
				return -ENOMEM;
			*layer = (struct draft_layer){item->key, item->value, p->layer};
			rc = read_settings(b, own, p, item->value);
			if (!rc)
				rc = check_range(b, item->value, &named);
		}
		p->spec = own;
		p->layer = layer;
	}
	return rc;
}

int draft_port_settings(struct draft *b)
{
	const struct yamldoc_node *map = b->top.ports;
	int rc = 0;

	for (unsigned i = 0; map && !rc && i < map->n; i++)
		rc = read_entry(b, &map->item[i]);
	return rc;
}
