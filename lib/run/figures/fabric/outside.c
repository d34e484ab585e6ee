// SPDX-License-Identifier: BSD-3-Clause
// Observed ports: acknowledgements and repairs of the nodes behind their links.
#include <errno.h>
#include <math.h>

#include "int.h"

struct outside_port {
	const char *name;
	double interval_us;
	struct outside_totals total;
	uint64_t acks, naks, rnr_naks, sent_naks, unpaired;
	struct kind_dist ack_step, generation_us, reaction_us;
};

void fabric_each_outside(const struct summary *s, fabric_see *fn, void *arg)
{
	const struct record *r = s->rec;

	for (unsigned i = 0; i < r->n_ports; i++) {
		const struct rec_port *p = &r->port[i];
		const struct net_node *n = net_node(r->net, p->node);
		const struct outside *o = n ? net_outside(n, p->port) : NULL;

		if (o && !fn(arg, p->scene, o))
			return;
	}
}

static bool count_port(void *arg, const struct scene_port *p, const struct outside *o)
{
	(void)p;
	(void)o;
	++*(size_t *)arg;
	return true;
}

size_t fabric_n_outside(const struct summary *s)
{
	size_t n = 0;

	fabric_each_outside(s, count_port, &n);
	return n;
}

bool fabric_is_observed(const struct scene_node *n, unsigned port, unsigned cls)
{
	(void)cls;
	return n->port[port].observe;
}

static bool add_port(void *arg, const struct scene_port *p, const struct outside *o)
{
	const struct outside_repair *r = outside_repair(o);
	struct outside_port *to = set_add(arg);

	*to = (struct outside_port){.name = p->name,
		.interval_us = p->np_interval ? (double)p->np_interval / 1e6 : NAN,
		.total = *outside_totals(o),
		.acks = r->acks,
		.naks = r->naks,
		.rnr_naks = r->rnr_naks,
		.sent_naks = r->sent_naks,
		.unpaired = r->unpaired,
		.ack_step = kind_dist_look(&r->ack_step, 1),
		.generation_us = kind_dist_look(&r->generation, 1e6),
		.reaction_us = kind_dist_look(&r->reaction, 1e6)};
	return true;
}

static int make_ports(struct summary *s, struct set *to)
{
	if (set_room(to, &kind_outside, fabric_n_outside(s)))
		return -ENOMEM;
	fabric_each_outside(s, add_port, to);
	return 0;
}

#define N(field, name, unit, ...) ROW_COUNT(struct outside_port, field, name, unit, __VA_ARGS__)

static const struct figure figures[] = {
	ROW_TEXT(struct outside_port, name, "port", "the observed port"),
	ROW_VALUE(struct outside_port, interval_us, "np_interval_us", "us", 3,
		"the interval T by which CNPs of notification points outside are judged, of the "
		"scenario's hosts there; `null`: they have several"),
	N(total.came_frames, "rx_frames", "frames", "frames that arrived at the port"),
	N(total.left_frames, "tx_frames", "frames", "frames that left the port"),
	N(total.ce_came, "ce_rx_frames", "frames",
		"data and open-loop frames that arrived with CE"),
	N(total.ce_left, "ce_tx_frames", "frames", "data of queue pairs that left with CE"),
	N(acks, "ack_rx_frames", "frames", "ACKs that arrived"),
	ROW_DIST(struct outside_port, ack_step, min, "ack_step_min", "",
		"minimum of the packets from one ACK of a queue pair to the next ACK"),
	ROW_DIST(struct outside_port, ack_step, p50, "ack_step_p50", "",
		"p50 of the packets from one ACK of a queue pair to the next ACK"),
	ROW_DIST(struct outside_port, ack_step, max, "ack_step_max", "",
		"maximum of the packets from one ACK of a queue pair to the next ACK"),
	N(naks, "nak_rx_frames", "frames", "NAKs for a gap in the sequence that arrived"),
	N(rnr_naks, "rnr_nak_rx_frames", "frames", "RNR NAKs that arrived"),
	N(sent_naks, "nak_tx_frames", "frames", "NAKs for a gap in the sequence that left"),
	N(unpaired, "nak_unpaired_frames", "frames",
		"NAKs in either direction without latency: the data of none or of several queue "
		"pairs fits"),
	ROW_SPREAD(struct outside_port, generation_us, "nak_generation", "_us", "us",
		"the NACK generation of a responder outside",
		", from the data frame behind the missing one, as it leaves the port, to the NAK"),
	ROW_SPREAD(struct outside_port, reaction_us, "nak_reaction", "_us", "us",
		"the NACK reaction of a requester outside",
		", from our NAK, as it leaves the port, to the frame that is sent again"),
	N(total.unknown, "unknown_frames", "frames",
		"frames that count in no row by queue pair, source or key, because the observer "
		"had no room for another one"),
};

static void could_outside(struct kind_look *l)
{
	look_ports(l, fabric_is_observed);
}

const struct kind kind_outside = {
	.key = "seen_from_outside",
	.path = "outside",
	.title = "Seen from outside",
	.about = "Each observed port (`observe` in `ports`; real clock: each device whose peer is "
		 "not quench's), whole run: the nodes behind its link, by the frames that pass.",
	.example = "s1:h1",
	.if_any = true,
	.size = sizeof(struct outside_port),
	KIND_FIGURES(figures),
	.make = make_ports,
	.name_at = offsetof(struct outside_port, name),
	.could = could_outside,
};
