// SPDX-License-Identifier: BSD-3-Clause
// Where the capacity of each link direction went: goodput, what carries it, and what was idle, and
// why.
#include "summary.h"

#include <errno.h>
#include <stdlib.h>

// Frames without FCS (standards.md 3.2): PFC padded, CNP with IPv4 and IPv6 and what a VLAN tag
// adds.
enum { PFC_FRAME = 60, CNP_IPV4 = 74, CNP_IPV6 = 94, TAG = 4 };
// A CNM with n bytes of the sampled frame has 46 + n, and 60 at least (standards.md 1.3).
enum { CNM_FRAME = 60, CNM_FIXED = 46 };

// Bytes on the wire in the window.
struct share {
	double goodput, headers, repeated, control, cnm, open_loop;
};

// Position of a port on a way; -1.
static int on_route(const struct route *r, const struct rec_port *p)
{
	for (unsigned i = 0; i < r->n; i++)
		if (r->hop[i].node == p->node && r->hop[i].port == p->port)
			return (int)i;
	return -1;
}

// The data of one flow: counted by its sender on the sender's own link, by its receiver further on.
// What is neither goodput nor headers was sent again, where anything was; else it is still on its
// way.
static void add_data(
	struct share *o, const struct summary_flow *f, bool first, unsigned overhead, double extra)
{
	uint64_t frames = first ? f->tx.data_frames_tx : f->rx.data_frames_rx;
	uint64_t wire = first ? f->tx.wire_bytes_tx : f->rx.wire_bytes_rx;
	uint64_t messages = first ? f->tx.message_tx : f->rx.message_complete_rx;
	double headers =
		(double)frames * (overhead + extra) + (double)messages * route_reth(f->rec->scene);
	double all = (double)wire + (double)frames * (extra - PKT_FCS);
	double rest = all - headers - (double)f->rx.rx_bytes;

	o->goodput += (double)f->rx.rx_bytes;
	o->headers += headers;
	if (rest > 0 && (f->tx.data_frames_retransmitted || f->rx.frame_sequence_error))
		o->repeated += rest;
}

static unsigned cnp_len(const struct hdr *h)
{
	return (h->flags & HDR_IPV6 ? CNP_IPV6 : CNP_IPV4) + (h->flags & HDR_VLAN ? TAG : 0);
}

// The CNMs of switches on the way back, up to the one at `hop`: by class of theirs, as long as
// configured.
static double cnm_bytes(
	const struct record *r, const struct rec_flow *f, unsigned hop, double extra)
{
	double sum = 0;

	for (unsigned i = 0; i <= hop; i++) {
		const struct scene_node *n = &r->scene->node[f->back.hop[i].node];
		unsigned len = CNM_FIXED;

		if (!f->cnms_made[i] || n->kind != SCENE_SW)
			continue;
		len += n->u.sw.cls[f->scene->cls].qcn.min_header_octets;
		sum += (double)f->cnms_made[i] * ((len > CNM_FRAME ? len : CNM_FRAME) + extra);
	}
	return sum;
}

// ACKs and CNPs of one flow that pass a hop of its way back, CNPs of switches from where they
// began. Framing hpcc_sim has no CNP frames.
static void add_answers(struct share *o, const struct record *r, const struct summary_flow *f,
	unsigned hop, double extra)
{
	const struct scene_flow *s = f->rec->scene;
	uint64_t cnps = f->rx.cnp_tx;

	for (unsigned i = 0; i <= hop; i++)
		cnps += f->rec->cnps_made[i];
	o->control += (double)(f->tx.ack_rx + f->tx.nak_rx) * (route_ack_len(s) + extra);
	if (!r->scene->hpcc_sim)
		o->control += (double)cnps * (cnp_len(&s->hdr_cnp) + extra);
	o->cnm += cnm_bytes(r, f->rec, hop, extra);
}

static void add_pfc(struct share *o, const struct rec_port *p, double extra)
{
	uint64_t frames = p->pause_tx ? *p->pause_tx - p->warm.pause_tx : 0;

	for (unsigned i = 0; p->tx && i < PAUSE_PRIOS; i++)
		frames += p->tx->stats[i].xoff_frames + p->tx->stats[i].xon_frames -
			  p->warm.tx[i].xoff_frames - p->warm.tx[i].xon_frames;
	o->control += (double)frames * (PFC_FRAME + extra);
}

static struct share share_of(
	const struct summary *s, const struct record *r, const struct rec_port *p)
{
	double extra = r->scene->framing.wire_extra;
	struct share o = {0};

	for (unsigned i = 0; i < s->n_flows; i++) {
		const struct rec_flow *f = &r->flow[i];
		int hop = on_route(&f->route, p);

		if (hop >= 0)
			add_data(&o, &s->flow[i], hop == 0,
				route_overhead(f->scene) - route_stripped(r->scene, f->scene,
								   &f->route, (unsigned)hop),
				extra);
		hop = on_route(&f->back, p);
		if (hop >= 0)
			add_answers(&o, r, &s->flow[i], (unsigned)hop, extra);
	}
	for (unsigned i = 0; i < s->n_sources; i++) {
		const struct summary_source *src = &s->source[i];

		if (on_route(&src->rec->route, p) >= 0)
			o.open_loop += (double)src->rx.rx_bytes +
				       (double)src->rx.rx_frames * (extra - PKT_FCS);
	}
	add_pfc(&o, p, extra);
	return o;
}

// The longest time that a class of the port was stopped by its peer.
static tstamp paused(const struct rec_port *p)
{
	tstamp most = 0;

	for (unsigned i = 0; p->rx && i < PAUSE_PRIOS; i++)
		most = tstamp_max(most,
			p->rx->stats[i].pause_effective_ps - p->warm.rx[i].pause_effective_ps);
	return most;
}

// Takes a share of what is still idle, at most all of it.
static double of_idle(double *idle, double percent)
{
	double part = percent < *idle ? percent : *idle > 0 ? *idle : 0;

	*idle -= part;
	return part;
}

static void link_make(struct summary_link *l, const struct summary *s, const struct record *r,
	const struct rec_port *p)
{
	double extra = r->scene->framing.wire_extra, span = (double)(s->to - s->from);
	uint64_t frames = rec_port_tx_frames(p) - p->warm.tx_frames;
	uint64_t bytes = rec_port_tx_bytes(p) - p->warm.tx_bytes;
	double wire_bytes = (double)bytes + (double)frames * (extra - PKT_FCS);
	double percent = 100 * 8e12 / ((double)p->scene->rate * span), idle;
	// What of the counted frames left before and after the window.
	double edges = (double)p->warm.booked_ps - (double)rec_port_booked_ps(p, s->to);
	struct share o = share_of(s, r, p);

	*l = (struct summary_link){
		.port = p,
		.tx_gbps = wire_bytes * 8e3 / span,
		.utilization = wire_bytes * percent + 100 * edges / span,
		.goodput = o.goodput * percent,
		.headers = o.headers * percent,
		.repeated = o.repeated * percent,
		.control = o.control * percent,
		.cnm = o.cnm * percent,
		.open_loop = o.open_loop * percent,
	};
	l->other = l->utilization - l->goodput - l->headers - l->repeated - l->control - l->cnm -
		   l->open_loop;
	idle = 100 - l->utilization;
	l->given_up = of_idle(&idle, 100 * (double)(rec_port_lost_ps(p) - p->warm.lost_ps) / span);
	l->idle_paused = of_idle(&idle, 100 * (double)paused(p) / span);
	l->idle_empty = idle;
}

// The busiest direction that leaves a switch; without a switch, the busiest at all.
static int busiest(const struct summary *s)
{
	int best = -1;

	for (unsigned i = 0; i < s->n_links; i++) {
		const struct summary_link *l = &s->link[i], *b = best < 0 ? NULL : &s->link[best];
		bool sw = l->port->sw != NULL, best_sw = b && b->port->sw;

		if (!b || (sw && !best_sw) || (sw == best_sw && l->utilization > b->utilization))
			best = (int)i;
	}
	return best;
}

int summary_links(struct summary *s, const struct record *r)
{
	s->link = calloc(r->n_ports + 1, sizeof(*s->link));
	if (!s->link)
		return -ENOMEM;
	for (unsigned i = 0; i < r->n_ports && s->to > s->from; i++)
		if (rec_port_tx_frames(&r->port[i]))
			link_make(&s->link[s->n_links++], s, r, &r->port[i]);
	s->bottleneck = busiest(s);
	return 0;
}
