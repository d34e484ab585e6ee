// SPDX-License-Identifier: BSD-3-Clause
// Hosts on several lcores: on the real clock each is as many NICs, its lanes, behind one wire.
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "int.h"

// Says why a host cannot be divided among lcores, for example "has firmware". NULL: it can.
static const char *undivided(const struct scene *s, const struct draft_node *n)
{
	const struct spec_host *h = n->host;

	if (hardware_replays(n))
		return "replays a capture";
	if (s->node[n->index].u.nic.rxbuf.drain_rate)
		return "has an rx_buffer";
	if (s->node[n->index].u.nic.max_rate)
		return "has a max_rate";
	if (s->node[n->index].u.nic.gateway.prefix)
		return "has a gateway";
	if (s->node[n->index].fw_file)
		return "has firmware";
	if (n->rdma_ip)
		return "has the registers of an RDMA IP";
	if (h->np.key != NP_KEY_QP || h->np.cnps_per_s != OPT_NONE)
		return "has a notification point that several queue pairs share";
	if (h->rp_scope == SPEC_RP_PRIORITY)
		return "has rp_scope: priority";
	for (unsigned i = 0; i < s->n_loads; i++)
		if (s->load[i]->arrivals.kind == ARRIVALS_CLOSED &&
			s->flow[s->load[i]->first]->from == n->index)
			return "has a load with arrivals: closed";
	for (unsigned c = 0; c < PKT_CLASSES; c++)
		if (n->rps[c])
			return "has reaction points that several queue pairs share (max_rps)";
	return NULL;
}

static int check_lanes(struct draft *b, const struct draft_node *n)
{
	const struct yamldoc_node *at = draft_given(&scene_opts_host, n->host, "lcores", n->key);
	const struct scene_port *port = &b->s->node[n->index].port[0];
	const char *why = undivided(b->s, n);

	if (why)
		return yamldoc_err(b->err, at,
			"host '%s' %s, which one lcore must have to itself; drop lcores", n->name,
			why);
	if (!port->device)
		return yamldoc_err(b->err, at,
			"host '%s' has lcores: %u and no device at %s; a link in memory has one "
			"lcore at each end: give the port a device, or make several hosts of it",
			n->name, n->host->lcores, port->name);
	return 0;
}

// Lane `k` has the queue pairs whose numbers leave k as remainder, and tables for no others.
static void divide(struct nic_params *p, unsigned lanes, unsigned k)
{
	p->max_qps = (p->max_qps + (k ? lanes - k : 0)) / lanes;
	p->lanes = lanes;
	p->lane = k;
}

// Lane `k` of a host: its NIC once more, with a port that sends by the same device.
static int add_lane(struct draft *b, struct scene_node *lane, const struct draft_node *of,
	const struct scene_node *host, unsigned k)
{
	struct scene_port *port = draft_get(b, sizeof(*port));
	size_t room = sizeof(lane->name);
	const char *name = of->name;

	if (!port)
		return -ENOMEM;
	*lane = *host;
	if (snprintf(lane->name, room, "%s#%u", name, k + 1) >= (int)room)
		return err_set(b->err, -EINVAL,
			"host '%s' has lcores, and a name too long for \"%s#%u\"; shorten it", name,
			name, k + 1);
	lane->u.nic.name = lane->name;
	lane->lane_of = (uint16_t)of->index;
	lane->lane = (uint8_t)k;
	*port = host->port[0];
	snprintf(port->name, sizeof(port->name), "%s#%u%s", name, k + 1,
		host->port[0].name + strlen(name));
	port->device = NULL;
	port->peer_node = -1;
	lane->port = port;
	return 0;
}

// Adds the nodes of lanes after all other nodes. lane[i]: the first lane of node i; 0: it has none.
static int add_nodes(struct draft *b, unsigned more, unsigned *lane)
{
	struct scene *s = b->s;
	struct scene_node *node = draft_get(b, (s->n_nodes + more) * sizeof(*node));
	unsigned n = s->n_nodes;
	int rc = node ? 0 : -ENOMEM;

	if (rc)
		return rc;
	memcpy(node, s->node, n * sizeof(*node));
	for (unsigned i = 0; !rc && i < b->n_nodes; i++) {
		const struct draft_node *h = b->node[i];

		if (h->is_switch || h->external || h->elsewhere || h->host->lcores < 2)
			continue;
		lane[h->index] = n;
		node[h->index].n_lanes = (uint8_t)h->host->lcores;
		node[h->index].lane_at = (uint16_t)n;
		node[h->index].port[0].lanes = (uint8_t)h->host->lcores;
		for (unsigned k = 1; !rc && k < h->host->lcores; k++) {
			rc = add_lane(b, &node[n], h, &node[h->index], k);
			divide(&node[n++].u.nic, h->host->lcores, k);
		}
		divide(&node[h->index].u.nic, h->host->lcores, 0);
	}
	s->node = node;
	s->n_nodes = n;
	return rc;
}

static uint16_t lane_of(const struct scene *s, const unsigned *lane, unsigned node, uint32_t number)
{
	unsigned k = lane[node] ? number % s->node[node].n_lanes : 0;

	return (uint16_t)(k ? lane[node] + k - 1 : node);
}

int hardware_lanes(struct draft *b)
{
	struct scene *s = b->s;
	unsigned more = 0, *lane;

	for (unsigned i = 0; b->opts && b->opts->real && i < b->n_nodes; i++) {
		const struct draft_node *n = b->node[i];
		int rc;

		if (n->is_switch || n->external || n->elsewhere || n->host->lcores < 2)
			continue;
		rc = check_lanes(b, n);
		if (rc)
			return rc;
		more += n->host->lcores - 1;
	}
	if (!more)
		return 0;
	lane = draft_scrap(b, s->n_nodes * sizeof(*lane));
	if (!lane)
		return -ENOMEM;

	int rc = add_nodes(b, more, lane);

	for (unsigned i = 0; !rc && i < s->n_flows; i++) {
		struct scene_flow *f = s->flow[i];

		f->from = lane_of(s, lane, f->from, f->src_qp);
		f->to = lane_of(s, lane, f->to, f->dst_qp);
	}
	for (unsigned i = 0; !rc && i < s->n_sources; i++)
		s->source[i]->from = lane_of(s, lane, s->source[i]->from, i);
	return rc;
}
