// SPDX-License-Identifier: BSD-3-Clause
// The reconciliation table (measuring.md M8): what went over the links, told by events and
// serializers, against the counters of both ends, over the whole run.
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "int.h"

// Rows of the nodes, and of each port: frames, PAUSE, and PFC of each priority; of a real port:
// frames to its node and from it, and pause frames of its MAC.
#define NODE_ROWS   4
#define PORT_ROWS   (2 + PAUSE_PRIOS)
#define DEVICE_ROWS 4

struct recon {
	const char *counter, *object; // of the port that sends, or the node
	double prio;                  // NAN: of none
	bool events;                  // the truth is counted in events, which may be lost
	bool forgot;                  // a driver has lost its last counts
	double truth, sent, received; // by the counters of the two ends; NAN: there is none
	double delta, tolerance, own; // own: of the sender's own counter
	const char *verdict;          // "INVALID": the truth is not whole
	bool stuck;                   // a counter stands at 0
};

static double off(double counter, double truth)
{
	return isnan(counter) ? 0 : counter - truth;
}

// Adds a row, unless it is all zero. Counters that do not exist are NAN.
static void add_counter(struct summary *s, struct set *to, struct recon x)
{
	double sent = off(x.sent, x.truth), received = off(x.received, x.truth);
	bool zero = (isnan(x.sent) || x.sent == 0) && (isnan(x.received) || x.received == 0);

	if (x.truth == 0 && zero)
		return;
	if (strcmp(x.counter, "pfc") != 0)
		x.prio = NAN;
	x.delta = fabs(sent) > fabs(received) ? sent : received;
	x.stuck = x.truth > x.tolerance && (x.sent == 0 || x.received == 0);
	if (s->run.events_lost && x.events)
		x.verdict = "INVALID";
	else if (fabs(received) <= x.tolerance && fabs(sent) <= x.own)
		x.verdict = "PASS";
	else // the sender's own counter has no frame on its way
		x.verdict = x.forgot ? "INVALID" : "FAIL";
	*(struct recon *)set_add(to) = x;
}

static const struct rec_port *peer_of(const struct record *r, const struct rec_port *p)
{
	if (p->scene->peer_node < 0)
		return NULL;
	return record_obj_port(r, (unsigned)p->scene->peer_node, p->scene->peer_port);
}

static double pfc(const struct pause_stats *s)
{
	return (double)(s->xoff_frames + s->xon_frames);
}

// Returns how many PFC or PAUSE frames of `p` may be on their way: at most as many as frames of any
// kind, and at most as many as can leave while the first of them travels.
static double on_their_way(const struct record *r, const struct rec_port *p, double frames)
{
	tstamp wire = rate_time(rate_byte_ps(p->scene->rate), PKT_MIN_LEN + PKT_WIRE);
	tstamp way = tstamp_add(p->scene->delay, r->scene->node[p->node].latency);

	return fmin(fmax(frames, 0), 1 + (double)(way / wire));
}

// Frames that a port dropped because its link was down. PFC and PAUSE frames that came then may be
// among them, and were not obeyed.
static double came_while_down(const struct record *r, const struct rec_port *p)
{
	const struct nic *nic = net_nic(r->net, p->node);

	if (p->sw)
		return (double)sw_port_rare_stats(p->sw, p->port)->drop[SW_DROP_LINK_DOWN];
	return nic ? (double)nic_stats(nic)->drop[NIC_DROP_LINK_DOWN] : 0;
}

// Adds a link's direction from `p`. Frames must agree to 5 % or to the number that may be on links.
// PFC frames must agree exactly, except for frames on their way, frames that found the link down,
// and frames that faults changed.
static void add_link(struct summary *s, struct set *to, const struct rec_port *p)
{
	const struct record *r = s->rec;
	const struct rec_port *peer = peer_of(r, p);
	double sent, received, away;

	if (!peer)
		return;
	sent = (double)rec_port_tx_frames(p);
	received = fabric_port_came(r, peer);
	away = on_their_way(r, p, sent - received) + came_while_down(r, peer) +
	       fabric_changed_by_faults(r, peer);
	add_counter(s, to,
		(struct recon){.counter = "frames",
			.object = p->scene->name,
			.truth = sent,
			.sent = fabric_port_frames(r, p, true),
			.received = received,
			.tolerance = fmax(0.05 * sent, (double)s->run.link_frames)});
	if (p->pause_tx && peer->pause_rx)
		add_counter(s, to,
			(struct recon){.counter = "pause",
				.object = p->scene->name,
				.truth = (double)*p->pause_tx,
				.sent = NAN,
				.received = (double)*peer->pause_rx,
				.tolerance = away});
	for (unsigned i = 0; i < PAUSE_PRIOS && p->tx && peer->rx; i++)
		add_counter(s, to,
			(struct recon){.counter = "pfc",
				.object = p->scene->name,
				.prio = i,
				.events = true,
				.truth = (double)p->pfc_seen[i],
				.sent = pfc(&p->tx->stats[i]),
				.received = pfc(&peer->rx->stats[i]),
				.tolerance = away});
}

// A real port. Frames received by the device = frames received by the node + frames named as lost
// or unread. Frames sent by the node = frames that the driver took + frames that it refused. A PFC
// frame at the run's very end belongs to no node.
static void add_device(struct summary *s, struct set *to, const struct fabric_device *d)
{
	const struct rec_port *p = record_obj_port(s->rec, d->is.node, d->is.port);
	double sent = fabric_port_frames(s->rec, p, true);

	if (d->is.came_known && !isnan(d->received))
		add_counter(s, to,
			(struct recon){.counter = "device_rx",
				.object = p->scene->name,
				.forgot = d->is.forgot,
				.truth = (double)d->is.came,
				.sent = NAN,
				.received = d->received + (double)(d->lost_rx + d->is.unread)});
	if (p->e && !isnan(sent))
		add_counter(s, to,
			(struct recon){.counter = "device_tx",
				.object = p->scene->name,
				.forgot = d->is.forgot,
				.truth = (double)rec_port_tx_frames(p),
				.sent = sent,
				.received = (double)(d->is.taken + d->is.unsent),
				.tolerance = 1});
}

// Pause frames that the MAC of a real port counted, and of these the frames that its node has had
// or made. The figures of kind_device say how many are not the node's.
static void add_mac(struct summary *s, struct set *to, const struct fabric_device *d)
{
	const char *port = record_obj_port(s->rec, d->is.node, d->is.port)->scene->name;

	if (!isnan(d->mac.kept))
		add_counter(s, to,
			(struct recon){.counter = "mac_rx_pause",
				.object = port,
				.truth = d->mac.rx,
				.sent = NAN,
				.received = d->mac.rx - d->mac.kept});
	if (!isnan(d->mac.made))
		add_counter(s, to,
			(struct recon){.counter = "mac_tx_pause",
				.object = port,
				.truth = d->mac.tx,
				.sent = d->mac.tx - d->mac.made,
				.received = NAN});
}

// The ledger of discarded frames at a node, where the run records the events of drops.
static void add_drops(struct summary *s, struct set *to, unsigned node, uint64_t discarded)
{
	const struct net_node *n = net_node(s->rec->net, node);

	if (!(n->events.want >> EV_DROP & 1))
		return;
	add_counter(s, to,
		(struct recon){.counter = "discarded",
			.object = n->scene->name,
			.events = true,
			.truth = (double)s->rec->seen[node].drops,
			.sent = (double)discarded,
			.received = NAN});
}

static void add_nic(struct summary *s, struct set *to, unsigned node)
{
	const struct record *r = s->rec;
	const struct nic *nic = net_node(r->net, node)->u.nic;
	const struct nic_stats *c = nic_stats(nic);
	const char *name = net_node(r->net, node)->scene->name;
	uint64_t ce = 0, discarded = 0;

	for (unsigned d = 0; d < NIC_DROPS; d++)
		discarded += nic_drop_is_event((enum nic_drop)d) ? c->drop[d] : 0;
	add_drops(s, to, node, discarded);
	for (unsigned i = 0; i < nic_qps(nic); i++)
		ce += nic_qp_stats(nic, i)->ecn_ce_rx;
	add_counter(s, to,
		(struct recon){.counter = "np_cnp_sent",
			.object = name,
			.events = true,
			.truth = (double)r->seen[node].cnp_tx,
			.sent = (double)c->np_cnp_sent,
			.received = NAN,
			.own = 1});
	add_counter(s, to,
		(struct recon){.counter = "rp_cnp_handled, rp_cnp_ignored",
			.object = name,
			.events = true,
			.truth = (double)r->seen[node].cnp_rx,
			.sent = NAN,
			.received = (double)(c->rp_cnp_handled + c->rp_cnp_ignored),
			.tolerance = 1});
	add_counter(s, to,
		(struct recon){.counter = "np_ecn_marked_roce_packets",
			.object = name,
			.truth = (double)ce,
			.sent = NAN,
			.received = (double)c->np_ecn_marked_roce_packets,
			.tolerance = 0.05 * (double)ce});
}

static void add_sw(struct summary *s, struct set *to, unsigned node)
{
	const struct record *r = s->rec;
	const struct net_node *n = net_node(r->net, node);
	uint64_t marked = 0, discarded = 0;

	for (unsigned p = 0; p < n->scene->n_ports; p++) {
		for (unsigned c = 0; c < PKT_CLASSES; c++)
			marked += sw_class_stats(n->u.sw, p, c).ecn_marked_frames;
		for (unsigned d = 0; d < SW_DROPS; d++)
			discarded += sw_port_rare_stats(n->u.sw, p)->drop[d];
	}
	add_drops(s, to, node, discarded + (s->live ? 0 : sw_dropped_crossing(n->u.sw)));
	add_counter(s, to,
		(struct recon){.counter = "ecn_marked_frames",
			.object = n->scene->name,
			.events = true,
			.truth = (double)r->seen[node].marks,
			.sent = (double)marked,
			.received = NAN});
}

static int make_recon(struct summary *s, struct set *to)
{
	const struct record *r = s->rec;

	if (set_room(to, &kind_recon,
		    (size_t)r->n_ports * PORT_ROWS + (size_t)r->net->n_nodes * NODE_ROWS +
			    (size_t)s->set[KIND_DEVICE].n * DEVICE_ROWS))
		return -ENOMEM;
	for (unsigned i = 0; i < r->n_ports; i++)
		add_link(s, to, &r->port[i]);
	for (unsigned i = 0; i < s->set[KIND_DEVICE].n; i++) {
		add_device(s, to, fabric_device(s, i));
		add_mac(s, to, fabric_device(s, i));
	}
	for (unsigned i = 0; i < r->net->n_nodes; i++) {
		if (net_node(r->net, i)->kind == SCENE_NIC)
			add_nic(s, to, i);
		else if (net_node(r->net, i)->kind == SCENE_SW)
			add_sw(s, to, i);
	}
	return 0;
}

#define V(field, name, unit, decimals, ...) \
	ROW_VALUE(struct recon, field, name, unit, decimals, __VA_ARGS__)

static const struct figure figures[] = {
	ROW_TEXT(struct recon, counter, "counter", "what is counted"),
	ROW_TEXT(struct recon, object, "object", "of the port that sends, or the node"),
	V(prio, "priority", "", 0, "of PFC frames; else `null`"),
	V(truth, "truth", "", 0,
		"by the serializer, or by events; `device_rx`: by the interface and the socket"),
	V(sent, "sent", "", 0, "by the sender's counter; `null`: there is none"),
	V(received, "received", "", 0, "by the receiver's counter; `null`: there is none"),
	V(delta, "delta", "", 0, "the counter that is furthest off, less the truth"),
	V(tolerance, "tolerance", "", 1, "how far the receiver's may be off"),
	ROW_TEXT(struct recon, verdict, "verdict",
		"`PASS`, `FAIL`; `INVALID`: events were lost, or a driver whose peer has left "
		"forgot what it counted last"),
	ROW_BOOL(struct recon, stuck, "stuck", "whether a counter stands at 0"),
};

const struct kind kind_recon = {
	.key = "reconciliation",
	.title = "Reconciliation",
	.about = "What went over the links, against the counters of both ends, whole run.",
	.size = sizeof(struct recon),
	KIND_FIGURES(figures),
	.make = make_recon,
};
