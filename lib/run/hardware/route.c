// SPDX-License-Identifier: BSD-3-Clause
// Paths of a scene: nodes and ports as drivers see them, static entries along shortest paths.
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "int.h"

static int lcore_of(uint64_t lcore)
{
	return lcore == OPT_AUTO ? -1 : (int)lcore;
}

bool hardware_is_cut(const struct draft *b, const struct draft_link *l)
{
	bool device = l->node[0]->port[l->port[0]]->spec.device ||
		      l->node[1]->port[l->port[1]]->spec.device;

	return b->opts && b->opts->real && device;
}

static bool port_gives_mac(const struct draft_node *n, unsigned port)
{
	return opt_source(&scene_opts_port, &n->port[port]->spec, "mac") != NULL;
}

// The address that a port has, or that of its host; zero: it is asked for.
static void port_mac(const struct draft_node *n, unsigned port, uint8_t mac[6])
{
	struct opt_ip ip;

	if (!n->is_switch)
		hardware_address(n, mac, &ip);
	else if (port_gives_mac(n, port))
		memcpy(mac, n->port[port]->spec.mac, 6);
	else
		memcpy(mac,
			(uint8_t[]){2, 1, 0, (uint8_t)(n->number >> 8), (uint8_t)n->number,
				(uint8_t)(port + 1)},
			6);
}

void hardware_far_mac(const struct draft_node *n, unsigned port, uint8_t mac[6])
{
	const struct draft_node *peer = draft_peer(n, port);
	unsigned at = n->port[port]->link->port[!n->port[port]->end];
	bool given = port_gives_mac(peer, at) || (!peer->is_switch && hardware_gives_mac(peer));

	if (peer->external && !given)
		memset(mac, 0, 6);
	else
		port_mac(peer, at, mac);
}

static void hardware_port_fill(
	struct draft *b, struct scene_port *to, const struct draft_node *n, unsigned port)
{
	const struct draft_port *p = n->port[port];
	const struct draft_node *peer = draft_peer(n, port);

	snprintf(to->name, sizeof(to->name), "%s", p->name);
	port_mac(n, port, to->mac);
	to->rate = p->link->spec.rate;
	to->delay = p->link->spec.delay;
	to->mtu = hardware_port_mtu(b, p);
	to->tags = (uint8_t)hardware_port_tags(b, p);
	to->peer_node = hardware_is_cut(b, p->link) ? -1 : (int32_t)peer->index;
	to->peer_port = (uint16_t)p->link->port[!p->end];
	to->device = (char *)p->spec.device;
	to->lcore = lcore_of(p->spec.lcore);
	to->selftest = (enum scene_selftest)p->spec.selftest;
	to->capture = p->spec.capture;
	to->capture_ps = p->spec.resolution == SPEC_PS;
	if (to->peer_node < 0) {
		b->s->needs_bytes = true;
		if (to->mtu > b->s->max_frame)
			b->s->max_frame = to->mtu;
	}
}

static int hardware_node_fill(struct draft *b, struct scene_node *to, const struct draft_node *n)
{
	struct opt_ip ip = {0};

	to->kind = n->is_switch ? SCENE_SW : SCENE_NIC;
	snprintf(to->name, sizeof(to->name), "%s", n->name);
	to->n_ports = n->n_ports;
	to->port = draft_get(b, n->n_ports * sizeof(*to->port));
	if (!to->port)
		return -ENOMEM;
	to->latency = n->is_switch ? n->sw->latency : n->host->latency;
	to->lcore = lcore_of(n->is_switch ? n->sw->lcore : n->host->lcore);
	if (n->is_switch) {
		memcpy(to->mac,
			(uint8_t[]){2, 1, 0, (uint8_t)(n->number >> 8), (uint8_t)n->number, 0}, 6);
	} else {
		hardware_address(n, to->mac, &ip);
		memcpy(to->ip, ip.bytes, sizeof(to->ip));
		to->ipv6 = ip.v6;
		to->external = n->host->external;
	}
	for (unsigned i = 0; i < n->n_ports; i++)
		hardware_port_fill(b, &to->port[i], n, i);
	return 0;
}

int hardware_nodes_fill(struct draft *b)
{
	struct scene *s = b->s;

	for (unsigned i = 0; i < b->n_nodes; i++) {
		if (!b->node[i]->external)
			b->node[i]->index = s->n_nodes++;
	}
	if (!s->n_nodes)
		return yamldoc_err(b->err, b->doc,
			"every node is behind a device; nothing is left to run on the real clock");
	for (unsigned i = 0; i < b->n_links; i++)
		b->is_cut |= hardware_is_cut(b, b->link[i]);
	s->node = draft_get(b, s->n_nodes * sizeof(*s->node));
	if (!s->node)
		return -ENOMEM;
	for (unsigned i = 0; i < b->n_nodes; i++) {
		const struct draft_node *n = b->node[i];
		int rc = n->external ? 0 : hardware_node_fill(b, &s->node[n->index], n);

		if (rc)
			return rc;
	}
	return 0;
}

// Breadth first from one host over switches: dist in hops, UINT_MAX where it does not come.
static void distances(const struct draft *b, const struct draft_node *host, unsigned *dist,
	const struct draft_node **queue)
{
	unsigned head = 0, tail = 0;

	for (unsigned i = 0; i < b->n_nodes; i++)
		dist[b->node[i]->place] = UINT32_MAX;
	dist[host->place] = 0;
	queue[tail++] = host;
	while (head < tail) {
		const struct draft_node *n = queue[head++];

		if (n != host && !n->is_switch)
			continue;
		for (unsigned i = 0; i < n->n_ports; i++) {
			const struct draft_node *peer = draft_peer(n, i);

			if (dist[peer->place] == UINT32_MAX) {
				dist[peer->place] = dist[n->place] + 1;
				queue[tail++] = peer;
			}
		}
	}
}

// The ports of a switch on shortest paths, or its default port; how many, and the lowest of them.
static unsigned towards(const struct draft_node *sw, const unsigned *dist,
	struct sw_ecmp_group *ecmp, unsigned *lowest)
{
	unsigned n = 0;

	*ecmp = (struct sw_ecmp_group){0};
	*lowest = sw->default_port;
	if (*lowest != PKT_NO_PORT && dist[sw->place] > 1)
		return 1;
	for (unsigned i = sw->n_ports; i-- > 0;) {
		if (dist[draft_peer(sw, i)->place] != dist[sw->place] - 1)
			continue;
		ecmp->port[i / 64] |= 1ull << i % 64;
		*lowest = i;
		n++;
	}
	return sw->sw->ecmp ? n : 1;
}

// The number, from 1, of a set of equal ways at a switch; 0 sets the error.
static unsigned ecmp_number(
	struct draft *b, const struct draft_node *sw, const struct sw_ecmp_group *ecmp)
{
	struct sw_params *p = &b->s->node[sw->index].u.sw;
	struct sw_ecmp_group *all = (struct sw_ecmp_group *)p->ecmp;

	for (unsigned i = 0; i < p->n_ecmp; i++) {
		if (!memcmp(&all[i], ecmp, sizeof(*ecmp)))
			return i + 1;
	}
	if ((p->n_ecmp & (p->n_ecmp - 1)) == 0) {
		p->ecmp = draft_get(b, (p->n_ecmp ? p->n_ecmp * 2 : 1) * sizeof(*all));
		if (!p->ecmp)
			return 0;
		if (p->n_ecmp)
			memcpy((void *)p->ecmp, all, p->n_ecmp * sizeof(*all));
		all = (struct sw_ecmp_group *)p->ecmp;
	}
	all[p->n_ecmp] = *ecmp;
	return ++p->n_ecmp;
}

static int add_entries(struct draft *b, const struct draft_node *sw, const uint8_t mac[6],
	const unsigned *dist, struct sw_fdb_params *fdb)
{
	struct sw_params *p = &b->s->node[sw->index].u.sw;
	struct sw_ecmp_group ways;
	unsigned port, number = 0;

	if (towards(sw, dist, &ways, &port) > 1) {
		number = ecmp_number(b, sw, &ways);
		if (!number)
			return -ENOMEM;
	}
	for (unsigned v = 0; v < b->n_vids; v++) {
		struct sw_fdb_params *e = &fdb[p->n_fdb++];

		*e = (struct sw_fdb_params){
			.vid = b->vid[v], .port = (uint16_t)port, .ecmp = (uint16_t)number};
		memcpy(e->mac, mac, sizeof(e->mac));
	}
	return 0;
}

static int own_port(struct draft *b, const struct draft_node *sw, unsigned *port, const char *name,
	const struct yamldoc_node *at)
{
	struct draft_node *node;
	int rc = draft_find_port(b, &node, port, name, at);

	if (!rc && node != sw)
		return yamldoc_err(b->err, at, "'%s' is not a port of switch '%s'", name, sw->name);
	return rc;
}

static int file_entry(struct draft *b, const struct draft_node *sw, const struct yamldoc_node *at,
	struct sw_fdb_params *fdb)
{
	struct sw_params *p = &b->s->node[sw->index].u.sw;
	struct spec_fdb spec = {0};
	unsigned port;

	opt_init(&scene_opts_fdb, &spec);

	int rc = opt_apply(&scene_opts_fdb, &spec, at, b->err);

	if (!rc)
		rc = opt_require(&scene_opts_fdb, &spec, at, b->err);
	if (!rc)
		rc = own_port(b, sw, &port, spec.port, opt_source(&scene_opts_fdb, &spec, "port"));
	if (rc)
		return rc;

	struct sw_fdb_params *e = &fdb[p->n_fdb++];

	*e = (struct sw_fdb_params){
		.vid = spec.vlan == OPT_NONE ? 0 : (uint16_t)spec.vlan, .port = (uint16_t)port};
	memcpy(e->mac, spec.mac, sizeof(e->mac));
	return 0;
}

// What the file says of an address goes before a path that was computed for it.
static bool in_file(
	const struct draft_node *sw, const struct sw_fdb_params *fdb, const uint8_t mac[6])
{
	for (unsigned i = 0; sw->sw->fdb && i < sw->sw->fdb->n; i++) {
		if (memcmp(fdb[i].mac, mac, 6) == 0)
			return true;
	}
	return false;
}

static int default_port(struct draft *b, struct draft_node *sw)
{
	sw->default_port = PKT_NO_PORT;
	if (!sw->sw->default_port)
		return 0;
	return own_port(b, sw, &sw->default_port, sw->sw->default_port,
		opt_source(&scene_opts_switch, sw->sw, "default_port"));
}

static int own_entries(struct draft *b, const struct draft_node *sw)
{
	struct sw_params *p = &b->s->node[sw->index].u.sw;
	const struct yamldoc_node *list = sw->sw->fdb;
	unsigned n = list ? list->n : 0;
	struct sw_fdb_params *fdb = draft_get(b, (n + b->n_hosts * b->n_vids) * sizeof(*fdb));

	if (!fdb)
		return -ENOMEM;
	p->fdb = fdb;
	for (unsigned i = 0; i < n; i++) {
		int rc = file_entry(b, sw, list->item[i].value, fdb);

		if (rc)
			return rc;
	}
	p->shared_hdrs = b->s->n_hdrs + 1;
	p->fdb_entries = 4 * (n + b->n_hosts * b->n_vids);
	if (sw->sw->fdb_entries != OPT_AUTO)
		p->fdb_entries = (uint32_t)sw->sw->fdb_entries;
	else if (p->fdb_entries < 16384)
		p->fdb_entries = 16384;
	return 0;
}

// The address of an external host that is asked for: switches learn where it is.
static bool is_zero(const uint8_t mac[6])
{
	return !memcmp(mac, (uint8_t[6]){0}, 6);
}

int hardware_routes(struct draft *b)
{
	if ((uint64_t)b->n_hosts * b->n_vids * b->n_switches > SCENE_PATHS)
		return yamldoc_err(b->err, b->doc,
			"%u hosts, %u VLANs and %u switches make more than %u static entries",
			b->n_hosts, b->n_vids - 1, b->n_switches, SCENE_PATHS);

	unsigned *dist = draft_get(b, b->n_nodes * sizeof(*dist));
	const struct draft_node **queue = draft_get(b, b->n_nodes * sizeof(void *));
	int rc = dist && queue ? 0 : -ENOMEM;

	for (unsigned i = 0; !rc && i < b->n_nodes; i++) {
		if (b->node[i]->is_switch && !b->node[i]->external)
			rc = default_port(b, b->node[i]);
		if (!rc && b->node[i]->is_switch && !b->node[i]->external)
			rc = own_entries(b, b->node[i]);
	}
	for (unsigned h = 0; !rc && h < b->n_nodes; h++) {
		const struct draft_node *host = b->node[h];
		struct opt_ip ip;
		uint8_t mac[6];

		if (host->is_switch)
			continue;
		hardware_address(host, mac, &ip);
		distances(b, host, dist, queue);
		for (unsigned i = 0; i < b->n_nodes; i++) {
			const struct draft_node *sw = b->node[i];

			if (!sw->is_switch || sw->external || dist[i] == UINT32_MAX)
				continue;

			struct sw_params *p = &b->s->node[sw->index].u.sw;
			struct sw_fdb_params *fdb = (struct sw_fdb_params *)p->fdb;

			if (!rc && !is_zero(mac) && !in_file(sw, fdb, mac))
				rc = add_entries(b, sw, mac, dist, fdb);
		}
	}
	return rc;
}
