// SPDX-License-Identifier: BSD-3-Clause
// Queue pairs that end at an external host: settings of the other end.
#include <errno.h>
#include <string.h>

#include "int.h"
#include "transport/cm_table.h"
#include "wire/bth.h"

static bool given(const struct draft_flow *f, const char *key)
{
	return opt_source(opt_row(&scene_opts_flow, "peer")->sub, &f->spec->peer, key) != NULL;
}

static const struct yamldoc_node *where(const struct draft_flow *f, const char *key)
{
	const struct opt_table *t = opt_row(&scene_opts_flow, "peer")->sub;
	const struct yamldoc_node *at = opt_source(&scene_opts_flow, f->spec, "peer");

	return draft_given(t, &f->spec->peer, key, at ? at : f->key);
}

static int check_mtu(struct draft *b, struct draft_flow *f)
{
	const struct spec_peer *s = &f->spec->peer;

	if (s->mtu == OPT_NONE && traffic_mtu_is_standard(f->spec->mtu))
		return 0;
	if (s->mtu == OPT_NONE || !traffic_mtu_is_standard(s->mtu))
		return yamldoc_err(b->err,
			s->mtu == OPT_NONE ? draft_given(&scene_opts_flow, f->spec, "mtu", f->key)
					   : where(f, "mtu"),
			"an external host has a path MTU of 256, 512, 1024, 2048 or 4096, not %u",
			s->mtu == OPT_NONE ? f->spec->mtu : (unsigned)s->mtu);
	if (opt_source(&scene_opts_flow, f->spec, "mtu") && f->spec->mtu != s->mtu)
		return yamldoc_err(b->err, where(f, "mtu"),
			"flow '%s' has mtu %u, and its peer %u; both ends have one path MTU",
			f->name, f->spec->mtu, (unsigned)s->mtu);
	f->spec->mtu = (uint32_t)s->mtu;
	return 0;
}

static int check_numbers(struct draft *b, const struct draft_flow *f)
{
	const struct spec_peer *s = &f->spec->peer;

	if (s->port == OPT_NONE && s->qpn == OPT_NONE)
		return yamldoc_err(b->err, where(f, "qpn"),
			"flow '%s' has an external end, and nothing says which queue pair that is; "
			"write peer: {port: N} to connect by RDMA-CM, or its {qpn, psn, rkey, va}",
			f->name);
	if (s->port != OPT_NONE && s->qpn != OPT_NONE)
		return yamldoc_err(b->err, where(f, "qpn"),
			"flow '%s': RDMA-CM brings the QPN; drop qpn, or port", f->name);
	if (s->port == OPT_NONE && (f->n_pairs > 1 || f->spec->qps > 1))
		return yamldoc_err(b->err, where(f, "qpn"),
			"flow '%s' has %u queue pairs, and qpn is of one; "
			"give each a flow, or connect by port",
			f->name, f->n_pairs * (unsigned)f->spec->qps);
	if (s->port == OPT_NONE && f->of)
		return yamldoc_err(b->err, where(f, "qpn"),
			"flow '%s' has a queue pair for each message, and qpn is of one; drop qps, "
			"or connect by port",
			f->of->name);
	if ((s->rkey == OPT_NONE) != (s->va == OPT_NONE))
		return yamldoc_err(b->err, where(f, s->rkey == OPT_NONE ? "va" : "rkey"),
			"flow '%s': rkey and va name one region; give both, or neither", f->name);
	return 0;
}

static bool is_external(const struct draft_node *n)
{
	return !n->is_switch && n->host->external;
}

// How many ends of the pair are external hosts.
static unsigned externals(const struct draft_pair *p)
{
	return (unsigned)is_external(p->from) + is_external(p->to);
}

static int check_pair(struct draft *b, const struct draft_flow *f, const struct draft_pair *p)
{
	const struct draft_node *ours = is_external(p->from) ? p->to : p->from;
	const struct draft_node *there = is_external(p->from) ? p->from : p->to;

	if (externals(p) == 2)
		return yamldoc_err(b->err, f->key,
			"flow '%s': %s and %s are both external; one end is ours", f->name,
			p->from->name, p->to->name);
	if (ours->host->lcores > 1)
		return yamldoc_err(b->err, f->key,
			"flow '%s': %s has %u lcores, and a flow to an external host wants one",
			f->name, ours->name, ours->host->lcores);
	if (f->is_open_loop && f->spec->open_loop.raw && traffic_peer_asks(p))
		return yamldoc_err(b->err, there->key,
			"host '%s' gets the flow '%s', whose raw frames have no IP address to ask "
			"for; give the host its mac",
			there->name, f->name);
	return 0;
}

bool traffic_source_asks(const struct draft *b, const struct draft_pair *p)
{
	return traffic_peer_asks(p) || hardware_by_gateway(b, p->from, p->to);
}

bool traffic_peer_asks(const struct draft_pair *p)
{
	struct opt_ip ip;
	uint8_t mac[6];

	hardware_address(p->to, mac, &ip);
	return is_external(p->to) && p->to->outside && !memcmp(mac, (uint8_t[6]){0}, 6);
}

int traffic_peer_check(struct draft *b, struct draft_flow *f)
{
	bool any = false;
	int rc = 0;

	for (unsigned i = 0; !rc && i < f->n_pairs; i++) {
		if (!externals(&f->pair[i]))
			continue;
		any = true;
		rc = check_pair(b, f, &f->pair[i]);
	}
	if (rc || f->is_open_loop)
		return rc;
	if (!any && opt_source(&scene_opts_flow, f->spec, "peer"))
		return yamldoc_err(b->err, where(f, "qpn"),
			"flow '%s' has no end at an external host; drop peer, or write external: "
			"true at the host",
			f->name);
	if (!any)
		return 0;
	rc = check_numbers(b, f);
	return rc ? rc : check_mtu(b, f);
}

// Whether our end of the pair asks: it sends requests, and connects. Of a READ the data go to who
// asks.
static bool asks(const struct draft_flow *f, const struct draft_pair *p)
{
	return is_external(p->to) != (f->spec->verb == RC_READ);
}

// One end of ours finds the way to the other one, which is ours, by its gateway.
static int give_way(struct draft *b, struct scene_flow *q, const struct draft_flow *f,
	const struct draft_pair *p, bool sends)
{
	bool we_ask = sends != (f->spec->verb == RC_READ);
	struct scene_way *way;

	if (!hardware_by_gateway(b, sends ? p->from : p->to, sends ? p->to : p->from))
		return 0;
	way = q->way[!sends] = draft_get(b, sizeof(*way));
	if (!way)
		return -ENOMEM;
	way->p.resolve = true;
	if (we_ask)
		way->p.data = &way->data;
	else
		way->p.ack = sends ? &q->hdr_data : &q->hdr_ack;
	if (!sends)
		way->p.cnp = &q->hdr_cnp;
	*(sends ? &q->req.peer : &q->rsp.peer) = &way->p;
	return 0;
}

int traffic_peer_give(struct draft *b, struct scene_flow *q, const struct draft_flow *f,
	const struct draft_pair *p)
{
	const struct spec_peer *s = &f->spec->peer;
	bool sends = is_external(p->to), we_ask = asks(f, p), finds; // data
	struct scene_peer *peer;
	struct opt_ip ip;
	uint8_t mac[6];

	if (!externals(p)) {
		int rc = give_way(b, q, f, p, true);

		return rc ? rc : give_way(b, q, f, p, false);
	}
	peer = q->peer = draft_get(b, sizeof(*peer));
	if (!peer)
		return -ENOMEM;
	hardware_address(sends ? p->to : p->from, mac, &ip);
	finds = !memcmp(mac, (uint8_t[6]){0}, 6) ||
		hardware_by_gateway(b, sends ? p->from : p->to, sends ? p->to : p->from);
	peer->p = (struct nic_peer_params){
		.resolve = finds && (we_ask || s->port == OPT_NONE),
		.port = s->port == OPT_NONE ? 0 : (uint16_t)s->port,
		.has_region = given(f, "rkey"),
		.guards = !we_ask && (s->port != OPT_NONE || given(f, "rkey")),
		.length = (uint32_t)s->length,
		.va = s->va == OPT_NONE ? 0 : s->va,
		.rkey = s->rkey == OPT_NONE ? 0 : (uint32_t)s->rkey,
	};
	if (we_ask)
		peer->p.data = &peer->data;
	else
		peer->p.ack = sends ? &q->hdr_data : &q->hdr_ack;
	if (!sends)
		peer->p.cnp = &q->hdr_cnp;
	if (!q->psn_given) {
		q->req.psn = q->rsp.psn = (uint32_t)s->psn;
		q->psn_given = s->qpn != OPT_NONE || given(f, "psn");
	}
	peer->qpn = s->qpn == OPT_NONE ? 0 : (uint32_t)s->qpn;
	if (!p->from->outside && !p->to->outside)
		return 0; // in virtual time it is a host of ours
	*(sends ? &q->req.peer : &q->rsp.peer) = &peer->p;
	return 0;
}

// Checks the connections that a host of ours can have.
static int check_connects(struct draft *b, const struct draft_flow *f)
{
	const struct draft_node *ours =
		is_external(f->pair[0].from) ? f->pair[0].to : f->pair[0].from;
	unsigned connects = 0, ports = 0;

	for (unsigned i = 0; i < b->n_flows; i++) {
		const struct draft_flow *g = b->flow[i];

		for (unsigned k = 0; !g->is_open_loop && k < g->n_pairs; k++) {
			const struct draft_pair *p = &g->pair[k];
			bool listens = externals(p) && !asks(g, p);

			if (g->spec->peer.port == OPT_NONE || !externals(p) ||
				(p->from != ours && p->to != ours))
				continue;
			connects += g->spec->qps;
			ports += listens && !k;
		}
	}
	if (connects > NIC_CONNECTS)
		return yamldoc_err(b->err, where(f, "port"),
			"host '%s' has %u queue pairs that connect; %u is the most", ours->name,
			connects, NIC_CONNECTS);
	if (ports > CM_SERVICES)
		return yamldoc_err(b->err, where(f, "port"),
			"host '%s' is asked at %u ports; %u is the most: let flows share one",
			ours->name, ports, CM_SERVICES);
	return 0;
}

// The header of an end that asks, with which its frames leave: a copy of the flow's.
static void give_header(struct scene_flow *q, unsigned end)
{
	struct scene_way *way = q->way[end];

	if (!way || !way->p.data)
		return;
	way->data = (struct hdr_region){
		.hdr = end ? q->hdr_ack : q->hdr_data,
		.bytes = q->req.message_bytes,
	};
	way->data.hdr.flags |= HDR_REGION;
	*(end ? &q->rsp.ack_hdr : &q->req.data_hdr) = &way->data.hdr;
}

int traffic_peers(struct draft *b)
{
	for (unsigned i = 0; i < b->n_flows; i++) {
		const struct draft_flow *f = b->flow[i];
		bool connects = f->n_pairs && !f->is_open_loop && f->spec->peer.port != OPT_NONE;
		int rc = connects && externals(&f->pair[0]) ? check_connects(b, f) : 0;

		if (rc)
			return rc;
	}
	for (unsigned i = 0; i < b->s->n_flows; i++) {
		struct scene_flow *q = b->s->flow[i];

		give_header(q, 0);
		give_header(q, 1);
		if (!q->peer || !q->peer->p.data || (!q->req.peer && !q->rsp.peer))
			continue;
		q->peer->data = (struct hdr_region){
			.hdr = q->req.peer ? q->hdr_data : q->hdr_ack,
			.va = q->peer->p.va,
			.rkey = q->peer->p.rkey,
			.bytes = q->req.message_bytes,
		};
		q->peer->data.hdr.flags |= HDR_REGION;
		*(q->req.peer ? &q->req.data_hdr : &q->rsp.ack_hdr) = &q->peer->data.hdr;
	}
	return 0;
}
