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

// Breadth first from one node over switches: dist in hops, UINT_MAX where it does not come.
static void distances(const struct draft *b, const struct draft_node *from, unsigned *dist,
	const struct draft_node **queue)
{
	unsigned head = 0, tail = 0;

	for (unsigned i = 0; i < b->n_nodes; i++)
		dist[b->node[i]->place] = UINT32_MAX;
	dist[from->place] = 0;
	queue[tail++] = from;
	while (head < tail) {
		const struct draft_node *n = queue[head++];

		if (n != from && !n->is_switch)
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

// How a switch sends to a host.
struct way {
	uint16_t port; // the lowest of equal ports; PKT_NO_PORT: it has no way
	uint16_t ecmp; // as in struct sw_fdb_params
	bool known;
};

// The ports of a switch on shortest paths to another one, or its default port; how many, and the
// lowest of them.
static unsigned towards(const struct draft_node *sw, const unsigned *dist,
	struct sw_ecmp_group *ecmp, unsigned *lowest)
{
	unsigned n = 0;

	*ecmp = (struct sw_ecmp_group){0};
	*lowest = sw->default_port;
	if (*lowest != PKT_NO_PORT)
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

static void add_entries(const struct draft *b, const struct draft_node *sw, const uint8_t mac[6],
	const struct way *way)
{
	struct sw_params *p = &b->s->node[sw->index].u.sw;
	struct sw_fdb_params *fdb = (struct sw_fdb_params *)p->fdb;

	for (unsigned v = 0; v < b->n_vids; v++) {
		struct sw_fdb_params *e = &fdb[p->n_fdb++];

		*e = (struct sw_fdb_params){.vid = b->vid[v], .port = way->port, .ecmp = way->ecmp};
		memcpy(e->mac, mac, sizeof(e->mac));
	}
}

// The way to an address of a split capture, of frames in its VLAN. True ways of equal cost are for
// hosts' own addresses: a capture keeps its order.
static void add_owned(struct draft *b, const struct draft_node *sw, const struct cap_station *x,
	const struct way *way)
{
	struct sw_params *p = &b->s->node[sw->index].u.sw;
	struct sw_fdb_params *e = (struct sw_fdb_params *)&p->fdb[p->n_fdb++];

	*e = (struct sw_fdb_params){.vid = x->vid, .port = way->port};
	memcpy(e->mac, x->mac, sizeof(e->mac));
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

static unsigned all_owned(const struct draft *b)
{
	unsigned n = 0;

	for (unsigned i = 0; i < b->n_nodes; i++)
		n += b->node[i]->n_owned;
	return n;
}

// The entries of the file, and room for `more`.
static int own_entries(struct draft *b, const struct draft_node *sw, unsigned more)
{
	struct sw_params *p = &b->s->node[sw->index].u.sw;
	const struct yamldoc_node *list = sw->sw->fdb;
	unsigned n = list ? list->n : 0;
	struct sw_fdb_params *fdb = draft_get(b, (n + more) * sizeof(*fdb));

	if (!fdb)
		return -ENOMEM;
	p->fdb = fdb;
	for (unsigned i = 0; i < n; i++) {
		int rc = file_entry(b, sw, list->item[i].value, fdb);

		if (rc)
			return rc;
	}
	p->shared_hdrs = b->s->n_hdrs + 1;
	p->fdb_entries = 4 * (n + more);
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

// Whether a host without a NIC has by chance an address of a split capture. Then frames to that
// address go where the capture's address is.
static bool is_captured(const struct draft *b, const struct draft_node *host, const uint8_t mac[6])
{
	if (!hardware_only_replays(host))
		return false;
	for (unsigned i = 0; i < b->n_nodes; i++)
		for (unsigned k = 0; k < b->node[i]->n_owned; k++)
			if (memcmp(b->node[i]->owned[k].mac, mac, 6) == 0)
				return true;
	return false;
}

// The search for ways to hosts: hosts of one switch have all but the last hop in common.
struct search {
	struct draft *b;
	struct way **way;            // by node that hosts are linked to: a way of each switch to it
	const struct draft_node *to; // the node from which `dist` is; NULL: none yet
	unsigned *dist;
	const struct draft_node **queue;
	struct way last; // of the switch that a host is linked to
};

// The way of a switch to another one, found at the first call. -ENOMEM.
static int find_way(
	struct search *s, const struct draft_node *sw, const struct draft_node *to, struct way *way)
{
	struct sw_ecmp_group ways;
	unsigned port, number = 0;

	if (way->known)
		return 0;
	if (s->to != to)
		distances(s->b, to, s->dist, s->queue);
	s->to = to;
	way->known = true;
	way->port = PKT_NO_PORT;
	if (s->dist[sw->place] == UINT32_MAX)
		return 0;
	if (towards(sw, s->dist, &ways, &port) > 1) {
		number = ecmp_number(s->b, sw, &ways);
		if (!number)
			return -ENOMEM;
	}
	way->port = (uint16_t)port;
	way->ecmp = (uint16_t)number;
	return 0;
}

// The way of a switch to a host; NULL: memory is out. One without a port: there is none.
static const struct way *way_to(
	struct search *s, const struct draft_node *sw, const struct draft_node *host)
{
	static const struct way none = {.port = PKT_NO_PORT};
	const struct draft_node *to = draft_peer(host, 0);
	struct draft *b = s->b;
	struct way *way;

	if (!to->is_switch)
		return &none;
	if (!s->way[to->place])
		s->way[to->place] = draft_scrap(b, b->n_switches * sizeof(*way));
	if (!s->way[to->place])
		return NULL;
	way = &s->way[to->place][sw->place];
	if (sw != to)
		return find_way(s, sw, to, way) ? NULL : way;
	s->last = (struct way){(uint16_t)host->port[0]->link->port[!host->port[0]->end], 0, true};
	return &s->last;
}

// Entries of all switches for a host, where the file does not have its address.
static int to_host(struct search *s, const struct draft_node *host)
{
	struct draft *b = s->b;
	struct opt_ip ip;
	uint8_t mac[6];

	hardware_address(host, mac, &ip);
	if (is_zero(mac) || is_captured(b, host, mac))
		return 0;
	for (unsigned i = 0; i < b->n_switches; i++) {
		const struct draft_node *sw = b->node[i];
		const struct way *way;

		if (sw->external || in_file(sw, b->s->node[sw->index].u.sw.fdb, mac))
			continue;
		way = way_to(s, sw, host);
		if (!way)
			return -ENOMEM;
		if (way->port != PKT_NO_PORT)
			add_entries(b, sw, mac, way);
	}
	return 0;
}

// The same for the addresses of a split capture that a host sends from. These entries stand behind
// all hosts' own.
static int to_owned(struct search *s, const struct draft_node *host)
{
	struct draft *b = s->b;

	for (unsigned i = 0; i < b->n_switches && host->n_owned; i++) {
		const struct draft_node *sw = b->node[i];
		const struct way *way = sw->external ? NULL : way_to(s, sw, host);

		if (!way && !sw->external)
			return -ENOMEM;
		for (unsigned k = 0; way && way->port != PKT_NO_PORT && k < host->n_owned; k++)
			if (!in_file(sw, b->s->node[sw->index].u.sw.fdb, host->owned[k].mac))
				add_owned(b, sw, &host->owned[k], way);
	}
	return 0;
}

// Static entries, `each` of a switch, have no bound but memory.
static int check_memory(struct draft *b, uint64_t each)
{
	uint64_t entries = each * b->n_switches;

	if (entries > scene_available("") / sizeof(struct sw_fdb_params))
		return yamldoc_err(b->err, b->doc,
			"%u hosts, %u VLANs, %u addresses of captures and %u switches make %llu "
			"static entries, for which this machine has no memory",
			b->n_hosts, b->n_vids - 1, all_owned(b), b->n_switches,
			(unsigned long long)entries);
	return 0;
}

int hardware_routes(struct draft *b)
{
	struct search s = {.b = b};
	uint64_t each;
	int rc = hardware_sides(b);

	each = (uint64_t)b->n_hosts * b->n_vids + all_owned(b);
	if (!rc)
		rc = check_memory(b, each);
	if (rc)
		return rc;
	s.dist = draft_scrap(b, b->n_nodes * sizeof(*s.dist));
	s.queue = draft_scrap(b, b->n_nodes * sizeof(*s.queue));
	s.way = draft_scrap(b, b->n_nodes * sizeof(*s.way));
	rc = s.dist && s.queue && s.way ? 0 : -ENOMEM;
	for (unsigned i = 0; !rc && i < b->n_switches; i++) {
		if (!b->node[i]->external)
			rc = default_port(b, b->node[i]);
		if (!rc && !b->node[i]->external)
			rc = own_entries(b, b->node[i], (unsigned)each);
	}
	for (unsigned h = b->n_switches; !rc && h < b->n_nodes; h++)
		rc = to_host(&s, b->node[h]);
	for (unsigned h = b->n_switches; !rc && h < b->n_nodes; h++)
		rc = to_owned(&s, b->node[h]);
	return rc;
}

// Entries stand behind those of the file in the order of hosts, as many for each as there are
// VLANs. Hosts that have none make those of later hosts stand earlier.
const struct sw_fdb_params *hardware_entry(const struct draft *b, const struct draft_node *sw,
	const struct draft_node *host, const uint8_t mac[6])
{
	const struct sw_params *p = &b->s->node[sw->index].u.sw;
	const unsigned given = sw->sw->fdb ? sw->sw->fdb->n : 0;
	unsigned at = given + host->number * b->n_vids;

	for (unsigned i = 0; i < given; i++)
		if (!memcmp(p->fdb[i].mac, mac, 6))
			return &p->fdb[i];
	while (at > p->n_fdb)
		at -= b->n_vids;
	for (; at > given; at -= b->n_vids)
		if (!memcmp(p->fdb[at - b->n_vids].mac, mac, 6))
			return &p->fdb[at - b->n_vids];
	return NULL;
}
