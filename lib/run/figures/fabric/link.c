// SPDX-License-Identifier: BSD-3-Clause
// The use of each link direction's capacity: goodput, the headers that carry it, idle time and its
// reason.
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "int.h"

// Frames without FCS (standards.md 3.2): PFC padded, CNP with IPv4 and IPv6, and the bytes of a
// VLAN tag.
enum { PFC_FRAME = 60, CNP_IPV4 = 74, CNP_IPV6 = 94, TAG = 4 };
// A CNM with n bytes of the sampled frame has 46 + n, and 60 at least (standards.md 1.3).
enum { CNM_FRAME = 60, CNM_FIXED = 46 };

// Bytes on the wire in the window.
struct share {
	double goodput, headers, repeated, control, cnm, open_loop;
};

struct link {
	const struct rec_port *port;
	const char *name;
	double rate_bps;
	double tx_gbps;     // frames with FCS, preamble and gap
	double utilization; // share of the window in which frames were on the wire, percent
	double goodput, headers, repeated, control, cnm, open_loop, other; // percent
	double idle_paused, idle_empty;
	double refused;  // its device took no more frames (real time)
	double given_up; // the port was not asked in time for a frame that stood there (real time)
};

// The data of one flow: counted by its sender on the sender's own link, by its receiver further on.
// The bytes that are neither goodput nor headers were sent again, if the flow sent any again; else
// they are still on their way.
static void add_data(
	struct share *o, const struct host_flow *f, bool first, unsigned overhead, double extra)
{
	uint64_t frames = first ? f->tx.data_frames_tx : f->rx.data_frames_rx;
	uint64_t wire = first ? f->tx.wire_bytes_tx : f->rx.wire_bytes_rx;
	uint64_t messages = first ? f->tx.message_tx : f->rx.message_complete_rx;
	double headers =
		(double)frames * (overhead + extra) + (double)messages * route_ext(f->rec->scene);
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

// Bytes of the CNMs that the switch at a hop of the way back made; the flow's class in the switch
// gives their length.
static double cnm_bytes(
	const struct record *r, const struct rec_flow *f, unsigned hop, double extra)
{
	const struct scene_node *n = &r->scene->node[f->back.hop[hop].node];
	unsigned len = CNM_FIXED;

	if (!f->made || !f->made->cnms[hop] || n->kind != SCENE_SW)
		return 0;
	len += n->u.sw.set->cls[f->scene->cls].qcn.min_header_octets;
	return (double)f->made->cnms[hop] * ((len > CNM_FRAME ? len : CNM_FRAME) + extra);
}

static struct share *share_of(const struct record *r, struct share *all, const struct route_hop *h)
{
	return &all[record_obj_port(r, h->node, h->port) - r->port];
}

// Returns the path of a flow between two hosts of this process. If other machines, such as a switch
// under test, are on the path, only its first hop is known: the host's port.
static const struct route *way_known(const struct record *r, const struct route *way, unsigned from,
	unsigned to, struct route *first)
{
	if (way->n || !scene_is_here(r->scene, from) || !scene_is_here(r->scene, to))
		return way;
	first->n = 1;
	first->hop[0] = (struct route_hop){(uint16_t)from, 0};
	return first;
}

// Adds a flow's ACKs and CNPs to each hop of the way back, and the switches' CNPs and CNMs from
// where they were made. Framing hpcc_sim has no CNP frames.
static void add_answers(
	struct share *all, const struct record *r, const struct host_flow *f, double extra)
{
	const struct scene_flow *s = f->rec->scene;
	struct route first;
	const struct route *back = way_known(r, &f->rec->back, s->to, s->from, &first);
	uint64_t cnps = f->rx.cnp_tx;
	double cnm = 0;

	for (unsigned i = 0; i < back->n; i++) {
		struct share *o = share_of(r, all, &back->hop[i]);

		cnps += f->rec->made ? f->rec->made->cnps[i] : 0;
		cnm += cnm_bytes(r, f->rec, i, extra);
		o->control += (double)(f->tx.ack_rx + f->tx.nak_rx) * (route_ack_len(s) + extra);
		if (!r->scene->hpcc_sim)
			o->control += (double)cnps * (cnp_len(&s->hdr_cnp) + extra);
		o->cnm += cnm;
	}
}

static void add_flow(
	struct share *all, const struct record *r, const struct host_flow *f, double extra)
{
	const struct scene_flow *s = f->rec->scene;
	struct route first;
	const struct route *way = way_known(r, &f->rec->route, s->from, s->to, &first);

	for (unsigned i = 0; i < way->n; i++)
		add_data(share_of(r, all, &way->hop[i]), f, i == 0,
			route_overhead(s) - route_stripped(r->scene, s, way, i), extra);
	add_answers(all, r, f, extra);
}

static void add_source(
	struct share *all, const struct record *r, const struct host_source *src, double extra)
{
	const struct scene_source *s = src->rec->scene;
	struct route first;
	const struct route *way = way_known(r, &src->rec->route, s->from, s->to, &first);

	for (unsigned i = 0; i < way->n; i++)
		share_of(r, all, &way->hop[i])->open_loop +=
			(double)src->rx.rx_bytes + (double)src->rx.rx_frames * (extra - PKT_FCS);
	way = s->echoes ? way_known(r, &src->rec->back, s->to, s->from, &first) : &src->rec->back;
	for (unsigned i = 0; i < way->n; i++)
		share_of(r, all, &way->hop[i])->open_loop +=
			(double)src->trips.echo_rx_bytes +
			(double)src->trips.echo_rx_frames * (extra - PKT_FCS);
}

static void add_pfc(struct share *o, const struct rec_port *p, double extra)
{
	uint64_t frames = p->pause_tx ? *p->pause_tx - p->warm->pause_tx : 0;

	frames += p->tx ? p->tx->pfc_frames - p->warm->pfc_tx : 0;
	o->control += (double)frames * (PFC_FRAME + extra);
}

// The shares of each port's traffic, by the port's number.
static struct share *shares(struct summary *s, const struct record *r)
{
	const struct set *flows = kind_set(s, KIND_FLOW), *sources = kind_set(s, KIND_SOURCE);
	struct share *all = calloc(r->n_ports + 1ul, sizeof(*all));
	double extra = r->scene->framing.wire_extra;

	for (unsigned i = 0; all && i < flows->n; i++)
		add_flow(all, r, set_at(flows, i), extra);
	for (unsigned i = 0; all && i < sources->n; i++)
		add_source(all, r, set_at(sources, i), extra);
	for (unsigned i = 0; all && i < r->n_ports; i++)
		add_pfc(&all[i], &r->port[i], extra);
	return all;
}

// The longest time that a class of the port was stopped by its peer.
static tstamp paused(const struct rec_port *p)
{
	tstamp most = 0;

	for (unsigned i = 0; p->rx && i < PAUSE_PRIOS; i++)
		most = tstamp_max(most, fabric_pause_window(p, i, false).pause_effective_ps);
	return most;
}

// Takes a share (percent) of the time that is still idle, at most all of it. Returns the part
// taken.
static double of_idle(double *idle, double percent)
{
	double part = percent < *idle ? percent : *idle > 0 ? *idle : 0;

	*idle -= part;
	return part;
}

// Computes the shares of a link. The time with a frame on the wire is the port's own counter. Known
// frames are counted where they end, which is later at the edges of the window. So together they
// get at most that time.
static void link_make(
	struct link *l, const struct summary *s, const struct rec_port *p, const struct share *o)
{
	const double span = (double)(s->to - s->from);
	double idle =
		fmin(100, 100 * (double)(rec_port_idle_ps(p, s->to) - p->warm->idle_ps) / span);
	double busy = 100 - idle, refused, lost;
	double known = o->goodput + o->headers + o->repeated + o->control + o->cnm + o->open_loop;
	double percent = fmin(100 * 8e12 / ((double)p->scene->rate * span), busy / fmax(known, 1));

	*l = (struct link){
		.port = p,
		.name = p->scene->name,
		.rate_bps = (double)p->scene->rate,
		.tx_gbps = (double)p->scene->rate * busy / 100e9,
		.utilization = busy,
		.goodput = o->goodput * percent,
		.headers = o->headers * percent,
		.repeated = o->repeated * percent,
		.control = o->control * percent,
		.cnm = o->cnm * percent,
		.open_loop = o->open_loop * percent,
	};
	l->other = fmax(0, busy - known * percent);
	refused = (double)(rec_port_refused_ps(p) - p->warm->refused_ps);
	lost = (double)(rec_port_lost_ps(p) - p->warm->lost_ps);
	// Time lost while the device took no more frames is the device's fault. A port without a
	// device leads to another loop of ours, and that loop is at fault.
	l->refused = p->scene->device ? of_idle(&idle, 100 * refused / span) : 0;
	l->given_up = of_idle(&idle,
		100 * (p->scene->device ? fmax(0, lost - refused) : fmax(lost, refused)) / span);
	l->idle_paused = of_idle(&idle, 100 * (double)paused(p) / span);
	l->idle_empty = idle;
}

// The busiest direction that leaves a switch; without a switch, the busiest at all.
static int busiest(const struct set *set)
{
	const struct link *b = NULL;
	int best = -1;

	for (unsigned i = 0; i < set->n; i++) {
		const struct link *l = set_at(set, i);
		bool sw = l->port->sw != NULL, best_sw = b && b->port->sw;

		if (b && (sw == best_sw ? l->utilization <= b->utilization : best_sw))
			continue;
		b = l;
		best = (int)i;
	}
	return best;
}

static int make_links(struct summary *s, struct set *to)
{
	const struct record *r = s->rec;
	struct share *all = shares(s, r);

	if (!all || set_room(to, &kind_link, r->n_ports)) {
		free(all);
		return -ENOMEM;
	}
	for (unsigned i = 0; i < r->n_ports && s->to > s->from; i++)
		if (rec_port_tx_frames(&r->port[i]))
			link_make(set_add(to), s, &r->port[i], &all[i]);
	free(all);
	s->bottleneck = busiest(to);
	return 0;
}

const struct rec_port *fabric_bottleneck(const struct summary *s)
{
	const struct set *set = &s->set[KIND_LINK];

	return s->bottleneck < 0
		       ? NULL
		       : ((const struct link *)set_at(set, (unsigned)s->bottleneck))->port;
}

#define SHARE(field, name, ...) ROW_VALUE(struct link, field, name, "%", 4, __VA_ARGS__)

static const struct figure figures[] = {
	ROW_TEXT(struct link, name, "port", "the port that sends"),
	ROW_VALUE(struct link, rate_bps, "rate_bps", "bit/s", 0, "the link's rate"),
	ROW_VALUE(struct link, tx_gbps, "tx_gbps", "Gb/s", 6,
		"frames with FCS, preamble and gap: `utilization_percent` of the rate"),
	SHARE(utilization, "utilization_percent",
		"share of the time with a frame on the wire; a frame counts for the part of it "
		"that lies in the window. The shares below and the idle ones add up to 100"),
	SHARE(goodput, "goodput_percent", "payload that its receivers accepted in order"),
	SHARE(headers, "headers_percent", "headers, ICRC, FCS, preamble and gap of data frames"),
	SHARE(repeated, "repeated_percent",
		"payload that was sent more than once, where anything was"),
	SHARE(control, "control_percent", "ACKs, NAKs, CNPs and PFC"),
	SHARE(cnm, "cnm_percent", "CNMs"),
	SHARE(open_loop, "open_loop_percent", "frames of open-loop sources"),
	SHARE(other, "other_percent",
		"frames of others (replays, floods), and frames on their way at the window's end"),
	SHARE(refused, "refused_percent",
		"real clock: frames waited, because the port's device took no more: its link is "
		"slower than `rate`, or was stopped"),
	SHARE(given_up, "given_up_percent",
		"real clock: a frame stood there, but a loop of ours took too long to send it in "
		"time (of `lost_tx_us`, this port's part)"),
	SHARE(idle_paused, "idle_paused_percent",
		"nothing sent while a class was stopped by the peer: its time stopped, at most "
		"the idle time"),
	SHARE(idle_empty, "idle_empty_percent",
		"nothing sent, nothing stopped: no frame was there, or senders were held back by "
		"their reaction points"),
};

static void possible_links(struct kind_look *l)
{
	look_ports(l, NULL);
}

const struct kind kind_link = {
	.key = "links",
	.path = "link",
	.title = "Links",
	.about = "Each port that sent, for its direction of the link: where the capacity of the "
		 "window went.",
	.example = "s1:r",
	.size = sizeof(struct link),
	KIND_FIGURES(figures),
	.make = make_links,
	.name_at = offsetof(struct link, name),
	.could = possible_links,
};
