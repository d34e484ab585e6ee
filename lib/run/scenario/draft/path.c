// SPDX-License-Identifier: BSD-3-Clause
// The longest path between two hosts of a scene with empty queues: its round-trip time and the
// bytes that fill it.
#include <errno.h>

#include "draft.h"

#define SIM_PAYLOAD 1000u // of the simulator's frames
#define ACK_BYTES   62u
// The frame where the scene has no queue pair: its payload, and its other bytes without FCS.
#define USUAL_PAYLOAD  1024u
#define USUAL_OVERHEAD 58u

// A node as a search from one host knows it.
struct reached {
	const struct draft_node *node;
	tstamp rtt;
	rate_t slowest;
};

// The round trip of one hop, with the latency that the node at its near end adds to each frame.
static tstamp hop(const struct draft *b, const struct draft_link *l)
{
	uint32_t frame = (b->longest ? b->longest : PKT_MIN_LEN) + PKT_WIRE;
	tstamp there;

	if (b->s->hpcc_sim)
		return 2 * l->spec.delay +
		       SIM_PAYLOAD * 8 * (PS_PER_S / PS_PER_NS) / l->spec.rate * PS_PER_NS;
	there = rate_time(rate_byte_ps(l->spec.rate), frame);
	return 2 * l->spec.delay + there +
	       rate_time(rate_byte_ps(l->spec.rate), ACK_BYTES + PKT_WIRE);
}

static tstamp latency(const struct draft_node *n)
{
	return n->is_switch ? n->sw->latency : n->host->latency;
}

// Goes on from a node to its neighbours that the search has not visited; hosts end the search.
static unsigned go_on(
	const struct draft *b, struct reached *all, unsigned n, unsigned from, bool *seen)
{
	const struct reached r = all[from];

	for (unsigned p = 0; p < r.node->n_ports; p++) {
		const struct draft_link *l = r.node->port[p]->link;
		const struct draft_node *peer = draft_peer(r.node, p);

		if (seen[peer->place])
			continue;
		seen[peer->place] = true;
		all[n++] = (struct reached){.node = peer,
			.rtt = r.rtt + hop(b, l) + latency(r.node) + latency(peer),
			.slowest = l->spec.rate < r.slowest ? l->spec.rate : r.slowest};
	}
	return n;
}

static void longest_from(const struct draft *b, const struct draft_node *host, struct reached *all,
	bool *seen, struct schema_path *path)
{
	unsigned n = 1;

	for (unsigned i = 0; i < b->n_nodes; i++)
		seen[i] = false;
	seen[host->place] = true;
	all[0] = (struct reached){.node = host, .slowest = UINT64_MAX};
	for (unsigned i = 0; i < n; i++) {
		uint64_t bdp;

		if (!i || all[i].node->is_switch) {
			n = go_on(b, all, n, i, seen);
			continue;
		}
		bdp = all[i].rtt / PS_PER_NS * all[i].slowest / 1000000000 / 8;
		path->rtt = tstamp_max(path->rtt, all[i].rtt);
		path->bdp = bdp > path->bdp ? bdp : path->bdp;
	}
}

int draft_path(struct draft *b, struct schema_path *path)
{
	struct reached *all = draft_scrap(b, b->n_nodes * sizeof(*all));
	bool *seen = draft_scrap(b, b->n_nodes * sizeof(*seen));

	*path = (struct schema_path){0};
	if (!all || !seen)
		return -ENOMEM;
	for (unsigned i = 0; i < b->n_flows; i++) {
		const struct draft_flow *f = b->flow[i];

		if (f->is_open_loop || f->spec->mtu <= path->mtu)
			continue;
		path->mtu = f->spec->mtu;
		path->frame = f->longest + b->s->framing.wire_extra;
	}
	if (!path->mtu) {
		path->mtu = b->s->hpcc_sim ? SIM_PAYLOAD : USUAL_PAYLOAD;
		path->frame = path->mtu + USUAL_OVERHEAD + b->s->framing.wire_extra;
	}
	for (unsigned i = 0; i < b->n_nodes; i++)
		if (!b->node[i]->is_switch)
			longest_from(b, b->node[i], all, seen, path);
	return 0;
}
