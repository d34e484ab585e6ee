// SPDX-License-Identifier: BSD-3-Clause
// Paths of a scene: nodes and ports as drivers see them, static entries along shortest paths.
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "int.h"

#define NO_SWITCH UINT32_MAX // at the other end of a port

static int lcore_of(uint64_t lcore)
{
	return lcore == OPT_AUTO ? -1 : (int)lcore;
}

bool hardware_is_cut(const struct draft *b, const struct draft_link *l)
{
	bool device = l->node[0]->port[l->port[0]]->spec->device ||
		      l->node[1]->port[l->port[1]]->spec->device;

	return b->opts && b->opts->real && device;
}

static bool port_gives_mac(const struct draft_node *n, unsigned port)
{
	return opt_source(&scene_opts_port, n->port[port]->spec, "mac") != NULL;
}

// The address that a port has, or that of its host; zero: it is asked for.
static void port_mac(const struct draft_node *n, unsigned port, uint8_t mac[6])
{
	struct opt_ip ip;

	if (!n->is_switch)
		hardware_address(n, mac, &ip);
	else if (port_gives_mac(n, port))
		memcpy(mac, n->port[port]->spec->mac, 6);
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
	to->device = (char *)p->spec->device;
	to->lcore = lcore_of(p->spec->lcore);
	to->selftest = (enum scene_selftest)p->spec->selftest;
	to->rx_stamps = (enum scene_stamps)p->spec->rx_stamps;
	if (n->is_switch && to->rx_stamps == SCENE_STAMPS_AUTO)
		to->rx_stamps = SCENE_STAMPS_NONE;
	to->capture = p->spec->capture;
	to->capture_ps = p->spec->resolution == SPEC_PS;
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

// How a switch sends to a host.
struct way {
	uint16_t port; // the lowest of equal ports; PKT_NO_PORT: it has no way
	uint16_t ecmp; // as in struct sw_fdb_params
	bool known;
};

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

// Whether the file has an FDB entry for an address: it takes precedence over a computed path.
static bool in_file(
	const struct draft_node *sw, const struct sw_fdb_params *fdb, const uint8_t mac[6])
{
	for (unsigned i = 0; i < sw->sw->fdb->n; i++) {
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

// Returns whether an address is zero: that of an external host that ARP has to find. Switches learn
// where it is.
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

// An address that switches have entries for.
struct target {
	const uint8_t *mac;
	const uint16_t *vid; // the VLANs of its entries
	unsigned n_vids;
	bool captured;               // an address of a split capture, which its host sends from
	uint16_t port;               // of `to` to its host
	const struct draft_node *to; // the switch that its host is linked to
};

// Writes the entries of an address and returns their end. A capture keeps its order, so ways of
// equal cost are not for its addresses.
static struct sw_fdb_params *put_entries(
	struct sw_fdb_params *e, const struct target *t, const struct way *way)
{
	for (unsigned v = 0; v < t->n_vids; v++, e++) {
		*e = (struct sw_fdb_params){
			.vid = t->vid[v], .port = way->port, .ecmp = t->captured ? 0 : way->ecmp};
		memcpy(e->mac, t->mac, sizeof(e->mac));
	}
	return e;
}

// The search for ways to hosts: hosts of one switch have all but the last hop in common.
struct search {
	struct draft *b;
	struct target *target;
	unsigned n;
	unsigned **peer; // by switch and port: the place of the switch there, or NO_SWITCH
	unsigned **dist; // by switch that hosts are linked to: of each switch from it
	struct way *way; // of one switch, to each switch that hosts are linked to
};

// Lists the neighbours of all switches, so that searches read them in a row.
static int find_peers(struct search *s)
{
	const struct draft *b = s->b;

	s->peer = draft_scrap(s->b, b->n_switches * sizeof(*s->peer));
	for (unsigned i = 0; s->peer && i < b->n_switches; i++) {
		const struct draft_node *n = b->node[i];

		s->peer[i] = draft_scrap(s->b, n->n_ports * sizeof(**s->peer));
		if (!s->peer[i])
			return -ENOMEM;
		for (unsigned p = 0; p < n->n_ports; p++) {
			const struct draft_node *peer = draft_peer(n, p);

			s->peer[i][p] = peer->is_switch ? peer->place : NO_SWITCH;
		}
	}
	return s->peer ? 0 : -ENOMEM;
}

// Finds the distances in hops from switch `from` (place) to all others by a breadth-first search;
// UINT32_MAX: no path. `queue` is room for all switches.
static void distances(const struct search *s, unsigned from, unsigned *dist, unsigned *queue)
{
	unsigned head = 0, tail = 0;

	for (unsigned i = 0; i < s->b->n_switches; i++)
		dist[i] = UINT32_MAX;
	dist[from] = 0;
	queue[tail++] = from;
	while (head < tail) {
		unsigned n = queue[head++];

		for (unsigned i = 0; i < s->b->node[n]->n_ports; i++) {
			unsigned peer = s->peer[n][i];

			if (peer != NO_SWITCH && dist[peer] == UINT32_MAX) {
				dist[peer] = dist[n] + 1;
				queue[tail++] = peer;
			}
		}
	}
}

// The ports of a switch on shortest paths to another one, or its default port; how many, and the
// lowest of them.
static unsigned towards(const struct search *s, const struct draft_node *sw, const unsigned *dist,
	struct sw_ecmp_group *ecmp, unsigned *lowest)
{
	const unsigned *peer = s->peer[sw->place], nearer = dist[sw->place] - 1;
	unsigned n = 0;

	*ecmp = (struct sw_ecmp_group){0};
	*lowest = sw->default_port;
	if (*lowest != PKT_NO_PORT)
		return 1;
	for (unsigned i = sw->n_ports; i-- > 0;) {
		if (peer[i] == NO_SWITCH || dist[peer[i]] != nearer)
			continue;
		ecmp->port[i / 64] |= 1ull << i % 64;
		*lowest = i;
		n++;
	}
	return sw->sw->ecmp ? n : 1;
}

// Adds an address of a host; NULL: the host is linked to no switch.
static struct target *add_target(struct search *s, const struct draft_node *host)
{
	const struct draft_port *port = host->port[0];
	const struct draft_node *to = draft_peer(host, 0);
	struct target *t = &s->target[s->n];

	if (!to->is_switch)
		return NULL;
	s->n++;
	*t = (struct target){.vid = s->b->vid,
		.n_vids = s->b->n_vids,
		.port = (uint16_t)port->link->port[!port->end],
		.to = to};
	return t;
}

// Lists all addresses. Hosts' own addresses come before those of captures; hardware_entry() needs
// this order.
static int find_addresses(struct search *s)
{
	struct draft *b = s->b;
	uint8_t(*mac)[6] = draft_scrap(b, b->n_hosts * sizeof(*mac));
	struct target *t;

	for (unsigned i = b->n_switches; mac && i < b->n_nodes; i++) {
		uint8_t *own = mac[i - b->n_switches];
		struct opt_ip ip;

		hardware_address(b->node[i], own, &ip);
		t = is_zero(own) || is_captured(b, b->node[i], own) ? NULL
								    : add_target(s, b->node[i]);
		if (t)
			t->mac = own;
	}
	for (unsigned i = b->n_switches; mac && i < b->n_nodes; i++)
		for (unsigned k = 0; k < b->node[i]->n_owned; k++) {
			const struct cap_station *x = &b->node[i]->owned[k];

			t = add_target(s, b->node[i]);
			if (!t)
				break;
			t->mac = x->mac;
			t->vid = &x->vid;
			t->n_vids = 1;
			t->captured = true;
		}
	return mac ? 0 : -ENOMEM;
}

static int find_targets(struct search *s)
{
	struct draft *b = s->b;
	unsigned *queue = draft_scrap(b, b->n_switches * sizeof(*queue));

	s->target = draft_scrap(b, (b->n_hosts + all_owned(b)) * sizeof(*s->target));
	s->dist = draft_scrap(b, b->n_switches * sizeof(*s->dist));
	s->way = draft_scrap(b, b->n_switches * sizeof(*s->way));
	if (!queue || !s->target || !s->dist || !s->way || find_addresses(s) || find_peers(s))
		return -ENOMEM;
	for (unsigned i = 0; i < s->n; i++) {
		const struct draft_node *to = s->target[i].to;

		if (s->dist[to->place])
			continue;
		s->dist[to->place] = draft_scrap(b, b->n_switches * sizeof(**s->dist));
		if (!s->dist[to->place])
			return -ENOMEM;
		distances(s, to->place, s->dist[to->place], queue);
	}
	return 0;
}

// Finds the way of a switch to another one. -ENOMEM.
static int find_way(struct search *s, const struct draft_node *sw, const struct draft_node *to)
{
	const unsigned *dist = s->dist[to->place];
	struct way *way = &s->way[to->place];
	struct sw_ecmp_group ways;
	unsigned port, number = 0;

	*way = (struct way){.port = PKT_NO_PORT, .known = true};
	if (dist[sw->place] == UINT32_MAX)
		return 0;
	if (towards(s, sw, dist, &ways, &port) > 1) {
		number = ecmp_number(s->b, sw, &ways);
		if (!number)
			return -ENOMEM;
	}
	way->port = (uint16_t)port;
	way->ecmp = (uint16_t)number;
	return 0;
}

// Entries of a switch for all hosts whose addresses the file does not have there.
static int to_hosts(struct search *s, const struct draft_node *sw)
{
	struct sw_params *p = &s->b->s->node[sw->index].u.sw;
	struct sw_fdb_params *end = (struct sw_fdb_params *)p->fdb + p->n_fdb;

	memset(s->way, 0, s->b->n_switches * sizeof(*s->way));
	for (unsigned i = 0; i < s->n; i++) {
		const struct target *t = &s->target[i];
		const struct way *way = &s->way[t->to->place];
		const struct way last = {t->port, 0, true};

		if (sw->sw->fdb && in_file(sw, p->fdb, t->mac))
			continue;
		if (t->to == sw)
			way = &last;
		else if (!way->known && find_way(s, sw, t->to))
			return -ENOMEM;
		if (way->port != PKT_NO_PORT)
			end = put_entries(end, t, way);
	}
	p->n_fdb = (unsigned)(end - p->fdb);
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
	if (!rc)
		rc = find_targets(&s);
	for (unsigned i = 0; !rc && i < b->n_switches; i++)
		if (!b->node[i]->external)
			rc = default_port(b, b->node[i]);
	for (unsigned i = 0; !rc && i < b->n_switches; i++) {
		if (b->node[i]->external)
			continue;
		rc = own_entries(b, b->node[i], (unsigned)each);
		if (!rc)
			rc = to_hosts(&s, b->node[i]);
	}
	return rc;
}

// Returns the FDB entry of a switch for a host. Entries of the file come first. Then each host has
// as many entries as there are VLANs, in the order of hosts. Some hosts have none, so an entry may
// come earlier than its number says, and the search goes backwards.
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
