// SPDX-License-Identifier: BSD-3-Clause
// The reconciliation table (measures.md M8): what went over the links, told by events and
// serializers, against the counters of both ends, over the whole run.
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "out/out.h"
#include "summary.h"

// Rows of the nodes, and of each port: frames, PAUSE, and PFC of each priority.
#define NODE_ROWS 4
#define PORT_ROWS (2 + PAUSE_PRIOS)

static const char *const word[] = {
	[CRITERION_PASS] = "PASS",
	[CRITERION_FAIL] = "FAIL",
	[CRITERION_INVALID] = "INVALID",
};

static double off(double counter, double truth)
{
	return isnan(counter) ? 0 : counter - truth;
}

// One row, unless it is all zero. Counters that do not exist are NAN.
static void add_row(struct summary *s, struct summary_recon x)
{
	double sent = off(x.sent, x.truth), received = off(x.received, x.truth);
	bool zero = (isnan(x.sent) || x.sent == 0) && (isnan(x.received) || x.received == 0);

	if (x.truth == 0 && zero)
		return;
	x.delta = fabs(sent) > fabs(received) ? sent : received;
	x.stuck = x.truth > x.tolerance && (x.sent == 0 || x.received == 0);
	// The sender's own counter has no frame on its way.
	x.verdict = fabs(received) <= x.tolerance && fabs(sent) <= x.own ? CRITERION_PASS
									 : CRITERION_FAIL;
	if (s->run.events_lost && x.events)
		x.verdict = CRITERION_INVALID;
	s->recon[s->n_recons++] = x;
	s->unreconciled += x.verdict == CRITERION_FAIL;
}

static const struct rec_port *peer_of(const struct record *r, const struct rec_port *p)
{
	if (p->scene->peer_node < 0 || !p->e)
		return NULL;
	return record_obj_port(r, (unsigned)p->scene->peer_node, p->scene->peer_port);
}

// All that a port has sent or received, by its own counter; NAN: a replay's, which counts other
// things.
static double frames(const struct record *r, const struct rec_port *p, bool sent)
{
	const struct net_node *n = &r->net->node[p->node];

	if (n->kind == SCENE_NIC)
		return (double)(sent ? nic_stats(n->u.nic)->tx_frames
				     : nic_stats(n->u.nic)->rx_frames);
	if (n->kind == SCENE_SW)
		return (double)(sent ? p->sw->tx_frames : p->sw->rx_frames);
	return NAN;
}

static double pfc(const struct pause_stats *s)
{
	return (double)(s->xoff_frames + s->xon_frames);
}

// A link's direction from `p`: frames to 5 % or what may be on links, PFC frames exactly but for
// one on its way.
static void add_link(struct summary *s, const struct record *r, const struct rec_port *p)
{
	const struct rec_port *peer = peer_of(r, p);
	double sent, received;

	if (!peer)
		return;
	sent = (double)p->e->tx_frames;
	received = frames(r, peer, false);
	add_row(s, (struct summary_recon){.counter = "frames",
			   .object = p->scene->name,
			   .truth = sent,
			   .sent = frames(r, p, true),
			   .received = received,
			   .tolerance = fmax(0.05 * sent, (double)s->run.link_frames)});
	if (p->pause_tx && peer->pause_rx)
		add_row(s, (struct summary_recon){.counter = "pause",
				   .object = p->scene->name,
				   .truth = (double)*p->pause_tx,
				   .sent = NAN,
				   .received = (double)*peer->pause_rx,
				   .tolerance = received < sent});
	for (unsigned i = 0; i < PAUSE_PRIOS && p->tx && peer->rx; i++)
		add_row(s, (struct summary_recon){.counter = "pfc",
				   .object = p->scene->name,
				   .prio = (int)i,
				   .events = true,
				   .truth = (double)p->pfc_seen[i],
				   .sent = pfc(&p->tx->stats[i]),
				   .received = pfc(&peer->rx->stats[i]),
				   .tolerance = received < sent});
}

static void add_nic(struct summary *s, const struct record *r, unsigned node)
{
	const struct nic *nic = r->net->node[node].u.nic;
	const struct nic_stats *c = nic_stats(nic);
	const char *name = r->net->node[node].scene->name;
	uint64_t ce = 0;

	for (unsigned i = 0; i < nic_qps(nic); i++)
		ce += nic_qp_stats(nic, i)->ecn_ce_rx;
	add_row(s, (struct summary_recon){.counter = "np_cnp_sent",
			   .object = name,
			   .events = true,
			   .truth = (double)r->seen[node].cnp_tx,
			   .sent = (double)c->np_cnp_sent,
			   .received = NAN,
			   .own = 1});
	add_row(s, (struct summary_recon){.counter = "rp_cnp_handled, rp_cnp_ignored",
			   .object = name,
			   .events = true,
			   .truth = (double)r->seen[node].cnp_rx,
			   .sent = NAN,
			   .received = (double)(c->rp_cnp_handled + c->rp_cnp_ignored),
			   .tolerance = 1});
	add_row(s, (struct summary_recon){.counter = "np_ecn_marked_roce_packets",
			   .object = name,
			   .truth = (double)ce,
			   .sent = NAN,
			   .received = (double)c->np_ecn_marked_roce_packets,
			   .tolerance = 0.05 * (double)ce});
}

static void add_sw(struct summary *s, const struct record *r, unsigned node)
{
	const struct net_node *n = &r->net->node[node];
	uint64_t marked = 0;

	for (unsigned p = 0; p < n->scene->n_ports; p++)
		for (unsigned c = 0; c < PKT_CLASSES; c++)
			marked += sw_class_stats(n->u.sw, p, c)->ecn_marked_frames;
	add_row(s, (struct summary_recon){.counter = "ecn_marked_frames",
			   .object = n->scene->name,
			   .events = true,
			   .truth = (double)r->seen[node].marks,
			   .sent = (double)marked,
			   .received = NAN});
}

int summary_recons(struct summary *s, const struct record *r)
{
	s->recon = calloc((size_t)r->n_ports * PORT_ROWS + r->net->n_nodes * NODE_ROWS + 1,
		sizeof(*s->recon));
	if (!s->recon)
		return -ENOMEM;
	for (unsigned i = 0; i < r->n_ports; i++)
		add_link(s, r, &r->port[i]);
	for (unsigned i = 0; i < r->net->n_nodes; i++) {
		if (r->net->node[i].kind == SCENE_NIC)
			add_nic(s, r, i);
		else if (r->net->node[i].kind == SCENE_SW)
			add_sw(s, r, i);
	}
	return 0;
}

void summary_recons_put(struct jw *w, const struct summary *s)
{
	jw_array(w, "reconciliation", false);
	for (unsigned i = 0; i < s->n_recons; i++) {
		const struct summary_recon *x = &s->recon[i];

		jw_object(w, NULL, true);
		jw_str(w, "counter", x->counter);
		jw_str(w, "object", x->object);
		jw_num(w, "priority", strcmp(x->counter, "pfc") != 0 ? NAN : x->prio, 0);
		jw_num(w, "truth", x->truth, 0);
		jw_num(w, "sent", x->sent, 0);
		jw_num(w, "received", x->received, 0);
		jw_num(w, "delta", x->delta, 0);
		jw_num(w, "tolerance", x->tolerance, 1);
		jw_str(w, "verdict", word[x->verdict]);
		jw_bool(w, "stuck", x->stuck);
		jw_end(w);
	}
	jw_end(w);
}
