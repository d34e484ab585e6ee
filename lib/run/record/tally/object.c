// SPDX-License-Identifier: BSD-3-Clause
// The objects of a run that are watched: ports, queues, flows, groups and sources, and their first
// marks.
#include "int.h"

#include <errno.h>
#include <stdlib.h>

static const struct nic_qp_stats no_qp;
static const struct rec_flow_mark no_mark;
static const struct rec_port_mark no_port_mark;
static const struct rec_queue_mark no_queue_mark;
static const struct nic_gen_stats no_gen;

// Counters of the nodes that share the port's wire.
static const struct eport *of_lane(const struct rec_port *p, unsigned i)
{
	return nic_eport(p->lane[i].u.nic);
}

const struct nic_qp_stats *rec_flow_tx(const struct rec_flow *f)
{
	return f->tx ? f->tx : nic_qp_stats(f->nic, f->qp);
}

const struct nic_qp_stats *rec_flow_rx(const struct rec_flow *f)
{
	return f->rx ? f->rx : nic_qp_stats(f->to, f->to_qp);
}

const struct rc_tx *rec_flow_rc(const struct rec_flow *f)
{
	return f->asks ? nic_qp_rc_tx(f->asks, f->asks_qp) : NULL;
}

void rec_flow_sent(const struct rec_flow *f, struct nic_qp_stats *s)
{
	if (f->limiter)
		nic_qp_counts(f->nic, f->qp, s);
	else
		*s = *rec_flow_tx(f);
}

uint64_t rec_port_tx_frames(const struct rec_port *p)
{
	uint64_t n = eport_tx_frames(p->wire);

	for (unsigned i = 0; i < p->n_lanes; i++)
		n += eport_tx_frames(of_lane(p, i));
	return n;
}

tstamp rec_port_idle_ps(const struct rec_port *p, tstamp now)
{
	tstamp tat = p->wire->tat, idle = p->wire->idle_ps;

	for (unsigned i = 0; i < p->n_lanes; i++) {
		tat = tstamp_max(tat, of_lane(p, i)->tat);
		idle += of_lane(p, i)->idle_ps;
	}
	return idle + tstamp_since(now, tat);
}

tstamp rec_port_lost_ps(const struct rec_port *p)
{
	tstamp lost = p->e ? p->e->lost_ps : 0;

	for (unsigned i = 0; i < p->n_lanes; i++)
		lost += of_lane(p, i)->lost_ps;
	return lost;
}

struct sw_class_stats rec_class_stats(const struct rec_queue *q)
{
	return sw_class_stats(q->sw, q->port->port, q->cls);
}

uint64_t rec_queue_bytes(const struct rec_queue *q)
{
	uint64_t n = q->q->bytes;

	for (unsigned i = 0; i < q->port->n_lanes; i++)
		n += of_lane(q->port, i)->q[q->cls].bytes;
	return n;
}

uint64_t rec_queue_max(const struct rec_queue *q)
{
	uint64_t n = q->q->max_bytes;

	for (unsigned i = 0; i < q->port->n_lanes; i++)
		n += of_lane(q->port, i)->q[q->cls].max_bytes;
	return n;
}

struct hist *rec_queue_hist(const struct rec_queue *q)
{
	return q->port->n_lanes ? NULL : eport_hist(q->port->e, q->cls);
}

unsigned __int128 rec_queue_byte_ps(const struct eport_q *q, const struct hist *h, tstamp now)
{
	return h->sum + (unsigned __int128)q->bytes * tstamp_since(now, q->changed);
}

tstamp rec_port_refused_ps(const struct rec_port *p)
{
	return p->refused_ps ? *p->refused_ps : 0;
}

static void port_init(struct rec_port *p, const struct net_node *n, unsigned node, unsigned port)
{
	*p = (struct rec_port){
		.node = (uint16_t)node,
		.port = (uint16_t)port,
		.scene = &n->scene->port[port],
		.warm = &no_port_mark,
		.capture = -1,
	};
	fmt_text_set(&p->label, p->scene->name);
	switch (n->kind) {
	case SCENE_SW:
		p->wire = p->e = sw_eport(n->u.sw, port);
		p->rx = sw_pause_rx(n->u.sw, port);
		p->tx = sw_pause_tx(n->u.sw, port);
		p->pause_tx = &sw_port_rare_stats(n->u.sw, port)->pause_tx_frames;
		p->pause_rx = &sw_port_rare_stats(n->u.sw, port)->pause_rx_frames;
		p->sw = n->u.sw;
		break;
	case SCENE_NIC:
		p->wire = p->e = nic_eport(n->u.nic);
		p->rx = nic_pause_rx(n->u.nic);
		p->tx = nic_pause_tx(n->u.nic);
		p->pause_tx = &nic_stats(n->u.nic)->pause_tx_frames;
		p->pause_rx = &nic_stats(n->u.nic)->pause_rx_frames;
		break;
	case SCENE_REPLAY:
		p->replay = replay_stats(n->u.replay);
		p->wire = replay_eport(n->u.replay);
		p->rx = replay_pause_rx(n->u.replay);
		p->tx = replay_pause_tx(n->u.replay);
		p->pause_tx = replay_pause_frames(n->u.replay, true);
		p->pause_rx = replay_pause_frames(n->u.replay, false);
		break;
	case SCENE_TESTER:
		p->tester = tester_stats(n->u.tester);
		p->wire = tester_eport(n->u.tester);
		p->rx = tester_pause_rx(n->u.tester);
		p->tx = tester_pause_tx(n->u.tester);
		p->pause_tx = &p->tester->pause_tx_frames;
		p->pause_rx = &p->tester->pause_rx_frames;
		break;
	}
}

void record_replay(const struct net_node *n, struct replay_stats *s)
{
	const struct nic_stats *nic = n->kind == SCENE_NIC ? nic_stats(n->u.nic) : NULL;

	*s = *net_replay_stats(n);
	if (!nic)
		return;
	s->rx_frames = nic->rx_frames;
	s->rx_bytes = nic->rx_bytes;
	s->rx_ce_frames = nic->np_ecn_marked_roce_packets;
}

// The lanes of a host are one port to who looks.
static void add_lanes(struct rec_port *p, const struct net *net)
{
	const struct scene_node *s = net_node(net, p->node)->scene;

	if (!s->n_lanes)
		return;
	p->lane = net_node(net, s->lane_at);
	p->n_lanes = s->n_lanes - 1u;
}

static void queue_init(
	struct rec_queue *q, struct rec_port *p, const struct net_node *n, unsigned cls)
{
	*q = (struct rec_queue){
		.port = p,
		.cls = (uint8_t)cls,
		.q = &p->e->q[cls],
		.warm = &no_queue_mark,
		.first_mark = TSTAMP_NEVER,
		.last_mark = TSTAMP_NEVER,
	};
	if (n->kind != SCENE_SW)
		return;
	q->sw = n->u.sw;
	q->curve = sw_curve(n->u.sw, p->port, cls);
	q->wd = sw_wd_stats(n->u.sw, p->port, cls);
}

static int build_ports(struct record *r)
{
	unsigned at = 0, queues = 0;

	for (unsigned i = 0; i < r->net->n_nodes; i++)
		r->n_ports +=
			net_node(r->net, i)->scene->lane ? 0 : net_node(r->net, i)->scene->n_ports;
	r->first_port = calloc(r->net->n_nodes + 1, sizeof(*r->first_port));
	r->port = calloc(r->n_ports + 1, sizeof(*r->port));
	r->queue = calloc(r->n_ports * PKT_CLASSES + 1, sizeof(*r->queue));
	r->watch = calloc(r->n_ports * PKT_CLASSES + 1, sizeof(*r->watch));
	r->live = calloc(r->n_ports * PKT_CLASSES + 1, sizeof(struct rec_queue *));
	r->node_warm = calloc(r->net->n_nodes + 1, sizeof(*r->node_warm));
	r->seen = calloc(r->net->n_nodes + 1, sizeof(*r->seen));
	if (!r->first_port || !r->port || !r->queue || !r->live || !r->watch || !r->node_warm ||
		!r->seen)
		return -ENOMEM;
	for (unsigned i = 0; i < r->net->n_nodes; i++) {
		const struct net_node *n = net_node(r->net, i);

		if (n->scene->lane) { // behind lane 0
			r->first_port[i] = r->first_port[n->scene->lane_of];
			continue;
		}
		r->first_port[i] = at;
		for (unsigned p = 0; p < n->scene->n_ports; p++) {
			port_init(&r->port[at], n, i, p);
			add_lanes(&r->port[at], r->net);
			r->port[at].queue = r->port[at].e ? &r->queue[queues] : NULL;
			for (unsigned c = 0; r->port[at].e && c < PKT_CLASSES; c++)
				queue_init(&r->queue[queues++], &r->port[at], n, c);
			at++;
		}
	}
	r->n_queues = queues;
	for (unsigned i = 0; i < queues; i++) {
		const struct rec_queue *q = &r->queue[i];

		if (!q->sw)
			continue;
		r->watch[r->n_watched] = (struct rec_watch){&q->q->max_bytes,
			&sw_class_rare_stats(q->sw, q->port->port, q->cls)->dropped_frames};
		r->live[r->n_watched++] = &r->queue[i];
	}
	return 0;
}

static int flow_init(struct record *r, struct rec_flow *f, unsigned i, struct routes *routes)
{
	const struct scene_flow *s = r->scene->flow[i];
	struct nic *from = net_nic(r->net, s->from), *to = net_nic(r->net, s->to);
	int q = from ? nic_find_qp(from, i, true) : -1;
	struct rp_look look;
	bool there, back;

	*f = (struct rec_flow){.scene = s, .tx = &no_qp, .rx = &no_qp, .warm = &no_mark};
	fmt_text_set(&f->label, s->name);
	if (q >= 0) {
		f->tx = NULL;
		f->nic = from;
		f->qp = (unsigned)q;
		f->wire_extra = r->scene->framing.wire_extra;
		f->rp = nic_qp_look(f->nic, f->qp, &look);
	}
	q = to ? nic_find_qp(to, i, false) : -1;
	if (q >= 0) {
		f->rx = NULL;
		f->to = to;
		f->to_qp = (unsigned)q;
	}
	f->asks = s->rc->p.verb == RC_READ ? f->to : f->nic;
	f->asks_qp = s->rc->p.verb == RC_READ ? f->to_qp : f->qp;
	rp_book_init(&f->book, &r->warm, f->rp ? look.rc : 0, f->rp ? look.line : 0);
	if (!scene_is_here(r->scene, s->from) || !scene_is_here(r->scene, s->to))
		return 0;
	there = !route_find(&f->route, routes, s->from, s->to, &s->hdr_data);
	back = !route_find(&f->back, routes, s->to, s->from, &s->hdr_ack);
	return there && back ? record_standalone_build(r, f) : 0;
}

static int by_bytes(const void *a, const void *b)
{
	const struct rec_size *x = a, *y = b;

	return (x->bytes > y->bytes) - (x->bytes < y->bytes);
}

// The sizes of the flows' messages, each once.
static void build_sizes(struct record *r)
{
	unsigned all = 0, n = 0;

	// Most flows have the same size as the flow before them.
	for (unsigned i = 0; i < r->n_flows; i++) {
		uint64_t bytes = r->flow[i].scene->req.message_bytes;

		if (!all || r->size[all - 1].bytes != bytes)
			r->size[all++].bytes = bytes;
	}
	qsort(r->size, all, sizeof(*r->size), by_bytes);
	for (unsigned i = 0; i < all; i++)
		if (!n || r->size[n - 1].bytes != r->size[i].bytes)
			r->size[n++] = r->size[i];
	r->n_sizes = n;
	for (unsigned i = 0; i < r->n_flows; i++) {
		struct rec_size key = {.bytes = r->flow[i].scene->req.message_bytes};
		const struct rec_size *z = bsearch(&key, r->size, n, sizeof(key), by_bytes);

		r->flow[i].size = (unsigned)(z - r->size);
	}
}

static int build_flows(struct record *r, struct routes *routes)
{
	int code = 0;

	r->n_flows = r->scene->n_flows;
	r->flow = calloc(r->n_flows + 1, sizeof(*r->flow));
	r->size = calloc(r->n_flows + 1, sizeof(*r->size));
	if (!r->flow || !r->size)
		return -ENOMEM;
	for (unsigned i = 0; i < r->n_flows && !code; i++)
		code = flow_init(r, &r->flow[i], i, routes);
	if (!code)
		code = record_groups_build(r);
	if (!code)
		code = record_bins_build(r);
	if (code)
		return code;
	code = record_steady_build(r);
	if (code)
		return code;
	build_sizes(r);
	code = record_share_build(r);
	if (!code)
		code = record_rate_build(r);
	return code ? code : record_limiters_build(r);
}

static void source_init(struct record *r, struct rec_source *o, unsigned i, struct routes *routes)
{
	const struct scene_source *s = r->scene->source[i];
	const struct nic *from = net_nic(r->net, s->from), *to = net_nic(r->net, s->to);
	int k = from ? nic_find_gen(from, s->gen.source) : -1;

	*o = (struct rec_source){.scene = s, .rx = &no_gen};
	fmt_text_set(&o->label, s->name);
	if (k >= 0)
		o->gen = nic_gen(from, (unsigned)k);
	o->counted = to;
	if (o->counted)
		o->rx = nic_gen_stats(to, s->gen.source);
	if (from)
		o->trips = nic_trip_stats(from, s->gen.source);
	if (!scene_is_here(r->scene, s->from) || !scene_is_here(r->scene, s->to))
		return;
	route_find(&o->route, routes, s->from, s->to, &s->hdr);
	if (s->echoes)
		route_find(&o->back, routes, s->to, s->from, &s->back);
}

static void name_hdr(struct record *r, uint32_t id, enum evf_owner_kind kind, uint32_t i)
{
	if (id && id <= r->scene->n_hdrs)
		r->hdr[id] = (struct evf_owner){.kind = kind, .i = i};
}

static int build_sources(struct record *r, struct routes *routes)
{
	r->n_sources = r->scene->n_sources;
	r->source = calloc(r->n_sources + 1, sizeof(*r->source));
	r->hdr = calloc(r->scene->n_hdrs + 1, sizeof(*r->hdr));
	if (!r->source || !r->hdr)
		return -ENOMEM;
	for (unsigned i = 0; i < r->n_sources; i++) {
		source_init(r, &r->source[i], i, routes);
		name_hdr(r, r->scene->source[i]->hdr.id, EVF_SOURCE, i);
		name_hdr(r, r->scene->source[i]->back.id, EVF_SOURCE, i);
	}
	for (unsigned i = 0; i < r->n_flows; i++) {
		const struct scene_flow *s = r->scene->flow[i];

		name_hdr(r, s->hdr_data.id, EVF_FLOW, i);
		name_hdr(r, s->hdr_ack.id, EVF_FLOW, i);
		name_hdr(r, s->hdr_cnp.id, EVF_FLOW, i);
	}
	return 0;
}

static int build_rxbufs(struct record *r)
{
	r->rxbuf = calloc(r->net->n_nodes + 1, sizeof(*r->rxbuf));
	if (!r->rxbuf)
		return -ENOMEM;
	for (unsigned i = 0; i < r->net->n_nodes; i++) {
		const struct net_node *n = net_node(r->net, i);
		struct rec_rxbuf *b = &r->rxbuf[r->n_rxbufs];
		char label[REC_LABEL];

		if (n->kind != SCENE_NIC || !n->scene->u.nic.rxbuf.drain_rate)
			continue;
		snprintf(label, sizeof(label), "%s.rxbuf", n->scene->port[0].name);
		*b = (struct rec_rxbuf){.scene = n->scene, .nic = n->u.nic};
		fmt_text_set(&b->label, label);
		r->n_rxbufs++;
	}
	return 0;
}

// The texts of the scenario's marks, and room for those that come while the run goes on.
static int build_marks(struct record *r)
{
	const struct scene *s = r->scene;
	unsigned n = 0;

	for (unsigned i = 0; i < s->n_events; i++)
		if (s->event[i].ctl.type == CTL_USER_MARK && n <= s->event[i].ctl.id)
			n = s->event[i].ctl.id + 1;
	r->mark_texts = calloc(n + REC_MARKS, sizeof(*r->mark_texts));
	if (!r->mark_texts)
		return -ENOMEM;
	for (unsigned i = 0; i < s->n_events; i++)
		if (s->event[i].ctl.type == CTL_USER_MARK)
			fmt_text_set(&r->mark_texts[s->event[i].ctl.id], s->event[i].ctl.with);
	r->names->mark = (struct evf_texts){r->mark_texts, sizeof(*r->mark_texts), n + REC_MARKS};
	r->n_marks = n;
	return 0;
}

static void name_jobs(struct record *r)
{
	for (unsigned i = 0; i < r->n_jobs; i++) {
		const struct scene_job *j = r->scene->job[i];

		r->job_names[i].first = j->rank_at;
		r->job_names[i].n = j->graph->n_ranks;
		fmt_text_set(&r->job_names[i].name, j->name);
	}
}

// Builds the tables of names for event lines from the objects that exist by now.
static int build_names(struct record *r)
{
	static const uint8_t kind[] = {[SCENE_SW] = EVF_SWITCH,
		[SCENE_NIC] = EVF_NIC,
		[SCENE_REPLAY] = EVF_REPLAY,
		[SCENE_TESTER] = EVF_REPLAY};
	struct evf_names *n = r->names = evf_names_new();

	r->node_names = calloc(r->net->n_nodes + 1, sizeof(*r->node_names));
	r->job_names = calloc(r->n_jobs + 1ul, sizeof(*r->job_names));
	if (!n || !r->node_names || !r->job_names)
		return -ENOMEM;
	name_jobs(r);
	for (unsigned i = 0; i < r->net->n_nodes; i++) {
		const struct net_node *node = net_node(r->net, i);

		r->node_names[i] = (struct evf_node){.name = node->scene->name,
			.first_port = r->first_port[i],
			.n_ports = (uint16_t)node->scene->n_ports,
			.kind = kind[node->kind]};
	}
	n->node = r->node_names;
	n->n_nodes = r->net->n_nodes;
	n->port = (struct evf_texts){&r->port->label, sizeof(*r->port), r->n_ports};
	n->flow = (struct evf_texts){&r->flow->label, sizeof(*r->flow), r->n_flows};
	n->source = (struct evf_texts){&r->source->label, sizeof(*r->source), r->n_sources};
	n->job = r->job_names;
	n->n_jobs = r->n_jobs;
	n->hdr = r->hdr;
	n->n_hdrs = r->scene->n_hdrs;
	return 0;
}

int record_obj_build(struct record *r)
{
	struct routes *routes = routes_new(r->scene);
	int code = routes ? build_ports(r) : -ENOMEM;

	if (!code)
		code = build_flows(r, routes);
	if (!code)
		code = record_cnp_build(r);
	if (!code)
		code = build_sources(r, routes);
	if (!code)
		code = record_latency_build(r);
	if (!code)
		code = build_rxbufs(r);
	if (!code)
		code = record_jobs_build(r);
	if (!code)
		code = build_names(r);
	if (!code)
		code = build_marks(r);
	routes_free(routes);
	return code ? code : deadlock_init(&r->dead, r->net);
}

void record_obj_free(struct record *r)
{
	record_share_free(r);
	record_split_free(r);
	record_dists_free(r);
	free(r->cnp);
	record_latency_free(r);
	for (unsigned i = 0; r->port && i < r->n_ports; i++) {
		struct rec_port *p = &r->port[i];

		free(p->episodes);
		free(p->bin);
		tap_hits_free(p->hits);
	}
	for (unsigned i = 0; i < r->n_queues; i++) {
		free(r->queue[i].warm_hist);
		free(r->queue[i].warm_curve);
	}
	for (unsigned i = 0; i < r->n_groups; i++)
		record_spread_free(r->group[i].wire);
	record_bins_free(r);
	record_jobs_free(r);
	record_steady_free(r);
	deadlock_fini(&r->dead);
	record_rate_free(r);
	record_limiters_free(r);
	record_standalone_free(r);
	free(r->first_port);
	free(r->port);
	free(r->queue);
	free(r->live);
	free(r->watch);
	free(r->names);
	free(r->node_names);
	free(r->job_names);
	free(r->mark_texts);
	free(r->node_warm);
	free(r->seen);
	for (unsigned i = 0; r->flow && i < r->n_flows; i++)
		free(r->flow[i].made);
	free(r->flow);
	free(r->flow_warm);
	free(r->port_warm);
	free(r->queue_warm);
	free(r->group);
	record_sizes_free(r);
	free(r->source);
	free(r->rxbuf);
	free(r->hdr);
}

static void no_room_to_mark(struct record *r)
{
	record_fail(r, -ENOMEM, "no memory for the figures at the end of the warm-up");
}

static void mark_curve(struct record *r, struct rec_queue *q)
{
	struct sw_class_stats s;

	if (!q->curve)
		return;
	s = rec_class_stats(q);
	if (!sw_class_ect(&s))
		return;
	if (!q->warm_curve)
		q->warm_curve = malloc(sizeof(*q->warm_curve));
	if (q->warm_curve)
		*q->warm_curve = *q->curve;
	else
		no_room_to_mark(r);
}

// A queue that has counted nothing takes no room.
static void mark_counters(struct record *r, struct rec_queue *q)
{
	struct rec_queue_mark m = {0};
	unsigned i = (unsigned)(q - r->queue);

	if (q->sw)
		m.cls = rec_class_stats(q);
	if (q->wd)
		m.wd = *q->wd;
	if (!memcmp(&m, &no_queue_mark, sizeof(m)))
		return;
	if (!r->queue_warm)
		r->queue_warm = calloc(r->n_queues, sizeof(*r->queue_warm));
	if (!r->queue_warm) {
		no_room_to_mark(r);
		return;
	}
	r->queue_warm[i] = m;
	q->warm = &r->queue_warm[i];
}

static void mark_queue(struct record *r, struct rec_queue *q)
{
	struct hist *h;

	mark_curve(r, q);
	mark_counters(r, q);
	q->max_bytes = rec_queue_bytes(q);
	h = rec_queue_hist(q);
	if (!h || !q->q->max_bytes)
		return;
	free(q->warm_hist);
	q->warm_hist = hist_keep(h);
	if (!q->warm_hist) {
		no_room_to_mark(r);
		return;
	}
	hist_take_max(h);
}

// A port that has counted nothing takes no room: at the instant 0 no port has.
static void mark_port(struct record *r, unsigned i, tstamp now)
{
	struct rec_port *p = &r->port[i];
	struct rec_port_mark m = {.idle_ps = rec_port_idle_ps(p, now),
		.lost_ps = rec_port_lost_ps(p),
		.refused_ps = rec_port_refused_ps(p),
		.pause_tx = p->pause_tx ? *p->pause_tx : 0};

	if (p->rx)
		memcpy(m.rx, p->rx->stats, sizeof(m.rx));
	if (p->tx) {
		memcpy(m.tx, p->tx->stats, sizeof(m.tx));
		m.pfc_tx = p->tx->pfc_frames;
	}
	if (p->sw)
		m.sw = sw_port_stats(p->sw, p->port);
	m.sw.knows_far = false; // it is no counter
	if (!memcmp(&m, &no_port_mark, sizeof(m)))
		return;
	if (!r->port_warm)
		r->port_warm = calloc(r->n_ports, sizeof(*r->port_warm));
	if (!r->port_warm) {
		no_room_to_mark(r);
		return;
	}
	r->port_warm[i] = m;
	p->warm = &r->port_warm[i];
}

// A flow that has counted nothing takes no room.
static void mark_flow(struct record *r, unsigned i)
{
	struct rec_flow *f = &r->flow[i];
	struct rec_flow_mark m;

	f->in_flight_warm = f->in_flight;
	rec_flow_sent(f, &m.tx);
	m.rx = *rec_flow_rx(f);
	if (!memcmp(&m.tx, &no_qp, sizeof(no_qp)) && !memcmp(&m.rx, &no_qp, sizeof(no_qp)))
		return;
	if (!r->flow_warm)
		r->flow_warm = calloc(r->n_flows, sizeof(*r->flow_warm));
	if (!r->flow_warm) {
		no_room_to_mark(r);
		return;
	}
	r->flow_warm[i] = m;
	f->warm = &r->flow_warm[i];
}

void record_obj_mark(struct record *r, tstamp now)
{
	r->warm = now;
	r->warmed = true;
	record_latency_lend(r);
	for (unsigned i = 0; i < r->n_ports; i++)
		mark_port(r, i, now);
	for (unsigned i = 0; i < r->n_queues; i++)
		mark_queue(r, &r->queue[i]);
	for (unsigned i = 0; i < r->n_flows; i++)
		mark_flow(r, i);
	for (unsigned i = 0; i < r->n_sources; i++) {
		struct rec_source *s = &r->source[i];

		s->tx_frames_warm = s->gen ? s->gen->tx_frames : 0;
		s->tx_bytes_warm = s->gen ? s->gen->tx_bytes : 0;
		s->lost_warm = s->gen ? s->gen->lost_bytes : 0;
		s->rx_warm = *s->rx;
		s->gone_warm = record_source_lost(r, s, &(uint64_t){0});
		if (!s->trips)
			continue;
		s->trips_warm = *s->trips;
		s->echo_gone_warm = record_echo_lost(r, s, &(uint64_t){0});
	}
	for (unsigned i = 0; i < r->net->n_nodes; i++) {
		const struct net_node *n = net_node(r->net, i);

		if (n->kind == SCENE_NIC)
			r->node_warm[i].nic = *nic_stats(n->u.nic);
		if (net_replay_stats(n))
			record_replay(n, &r->node_warm[i].replay);
	}
}
