// SPDX-License-Identifier: BSD-3-Clause
// Virtual time: the node with the earliest event runs until a neighbour's frame could reach it.
//
// Let E(k) be the next event of node k and A the node with the smallest. No node acts before E(A),
// so a neighbour m acts no sooner than min(E(m), E(A) + the least time any frame needs to reach m),
// and its frame reaches A the least time of its link later. Below the minimum of that over all m, A
// needs nobody.
#include "vt.h"

#include <assert.h>
#include <errno.h>
#include <time.h>

#include "int.h"

#include "base/hint.h"

// How far a node may run ahead of all others in one turn. It bounds the work that is left after a
// stop.
#define AHEAD (10 * PS_PER_US)
#define TICK  PS_PER_MS

static const atomic_bool never; // the stop flag of a run that nobody may stop

static double seconds(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec * 1e-9;
}

static tstamp horizon(const struct vt *vt, const struct vt_node *v, tstamp first)
{
	tstamp h = TSTAMP_NEVER;

	for (unsigned i = 0; i < v->peers; i++) {
		const struct vt_peer *m = &v->peer[i];
		tstamp acts = tstamp_min(wtree_at(&vt->order, m->node), first + m->reach);

		h = tstamp_min(h, acts + m->least);
	}
	return h;
}

// A frame leaves a port that is captured or observed.
ASIDE void leave_aside(
	struct vt *vt, const struct vt_node *v, unsigned port, const struct pkt *p, tstamp now)
{
	struct outside *o = net_outside(v->n, port);

	if (v->out[port]->tx_cap)
		record_frame(vt->rec, v->index, port, 1, p, now);
	if (o)
		outside_left(o, p, now);
}

// A frame leaves on a port at `now`: it stands on the link until its last bit has arrived.
static inline void link_push(
	struct vt *vt, struct vt_node *v, unsigned port, struct pkt *p, tstamp now)
{
	struct vt_link *l = v->out[port];
	uint32_t bytes = p->len + vt->framing.wire_extra;
	tstamp wire;

	if (!l) { // nothing is plugged in
		pkt_put(&vt->stack, p);
		return;
	}
	if (UNLIKELY(l->tx_aside))
		leave_aside(vt, v, port, p, now);
	wire = vt->framing.whole_ns ? rate_simulator_time(l->rate, bytes) : rate_time(l->ps, bytes);
	p->when = now + wire + l->delay;
	p->next = NULL;
	l->frames++;
	if (l->head) {
		l->tail->next = p;
		l->tail = p;
		return;
	}
	l->head = l->tail = p;
	wtree_set(&l->to->rx, l->to_port, p->when);
	if (p->when < wtree_at(&vt->order, l->to->index))
		wtree_set(&vt->order, l->to->index, p->when);
}

// The packet behind the last one of a link.
static const struct pkt nothing = {.when = TSTAMP_NEVER};

static inline struct pkt *link_pop(struct vt_node *v, unsigned port)
{
	struct vt_link *l = &v->in[port];
	struct pkt *p = l->head, *next = p->next;
	const struct pkt *first = next ? next : &nothing;

	l->head = next;
	l->frames--;
	wtree_set(&v->rx, port, first->when);
	__builtin_prefetch(first->next); // its instant is asked for when `first` has arrived
	__builtin_prefetch(first->hdr);
	return p;
}

// Reads a port's deadline again; a deadline that has passed is due now.
static inline void refresh(struct vt_node *v, const struct net_node *n, unsigned port, tstamp now)
{
	wtree_set(&v->tx, port, tstamp_max(net_deadline(n, port), now));
}

static inline void refresh_touched(struct vt_node *v, const struct net_node *n, tstamp now)
{
	uint64_t *word = n->touched->word;

	for (unsigned w = 0; w < v->ports; w += 64, word++) {
		uint64_t left = *word;

		if (!left)
			continue;
		*word = 0;
		for (; left; left &= left - 1)
			refresh(v, n, w + (unsigned)__builtin_ctzll(left), now);
	}
}

static inline void node_tx(
	struct vt *vt, struct vt_node *v, struct net_node *n, unsigned port, tstamp now)
{
	struct pkt *p;

	if (net_tx(n, port, &p, 1, now))
		link_push(vt, v, port, p, now);
	else
		assert(net_deadline(n, port) > now); // design.md 2: a call that gave less has moved
	refresh(v, n, port, now);
}

int vt_command(struct vt *vt, struct vt_node *v, const struct ctl *ctl, tstamp now)
{
	int rc = net_ctl(v->n, ctl, now);

	refresh_touched(v, v->n, now);
	wtree_set(&vt->order, v->index, vt_next(v));
	return rc;
}

static void node_ctl(const struct vt *vt, struct vt_node *v, tstamp now)
{
	net_ctl(v->n, net_command(vt->net, v->ctl[v->ctl_at++]), now);
	v->ctl_due = v->ctl_at < v->ctl_n ? v->ctl[v->ctl_at]->at : TSTAMP_NEVER;
}

static void give_node(struct vt *vt, struct vt_node *v, unsigned port, struct pkt *p, tstamp now)
{
	struct net_node n = {.kind = (enum scene_kind)v->kind, .u = v->n->u};

	vt->hops++;
	net_rx(&n, port, &p, 1, now);
}

// Gives the node the frames that go on from the injector of a port.
static void injector_get(struct vt *vt, struct vt_node *v, const struct vt_link *l, tstamp now)
{
	struct fault *f = net_fault(v->n, l->to_port);
	struct pkt *p;

	while ((p = fault_get(f, now))) {
		p->when = now;
		give_node(vt, v, l->to_port, p, now);
	}
	wtree_set(&v->rx, l->injector, fault_deadline(f));
}

// A frame comes to an injector at a captured port. The capture shows the frame as it came, and its
// comment names the faults that hit it.
static void injector_put_captured(
	struct vt *vt, struct vt_node *v, unsigned port, struct pkt *p, tstamp now)
{
	pkt_clone(vt->shown, p, vt->stack.data_off);
	fault_put(net_fault(v->n, port), p, now);
	record_drain(vt->rec, v->index);
	ev_rewind(&v->n->events);
	record_frame(vt->rec, v->index, port, 0, vt->shown, now);
}

// A frame arrives at a port that is captured or observed or has an injector, or the deadline of the
// injector has come.
ASIDE void arrive_aside(struct vt *vt, struct vt_node *v, unsigned leaf, tstamp now)
{
	const struct vt_link *l = &v->in[leaf];
	struct pkt *p = l->head ? link_pop(v, leaf) : NULL;
	struct outside *o = net_outside(v->n, l->to_port);

	if (p && o)
		outside_came(o, p, now);
	if (!l->injector) {
		if (l->rx_cap)
			record_frame(vt->rec, v->index, leaf, 0, p, now);
		give_node(vt, v, leaf, p, now);
		return;
	}
	if (p && l->rx_cap)
		injector_put_captured(vt, v, leaf, p, now);
	else if (p)
		fault_put(net_fault(v->n, leaf), p, now);
	injector_get(vt, v, l, now);
}

// Runs all events of a node before `until`. At one instant: arrivals by port, then commands, then
// ports that may send, lowest first. Each kind of node has a loop of its own. A NIC whose events
// become many, as the ranks of a job may make them at one instant, stops so that they are taken.
INLINE void run_kind(struct vt *vt, struct vt_node *v, unsigned kind, tstamp until)
{
	struct net_node n = {.kind = (enum scene_kind)kind, .u = v->n->u, .touched = v->n->touched};

	for (;;) {
		tstamp now = vt_next(v);

		if (now >= until || (kind == SCENE_NIC && UNLIKELY(ev_crowded(&v->n->events))))
			return;
		if (v->rx.min == now && UNLIKELY(v->in[v->rx.leaf].rx_aside)) {
			arrive_aside(vt, v, v->rx.leaf, now);
		} else if (v->rx.min == now) {
			unsigned port = v->rx.leaf;
			struct pkt *p = link_pop(v, port);

			vt->hops++;
			net_rx(&n, port, &p, 1, now);
			if (kind == SCENE_SW && v->in[port].head)
				sw_fetch(n.u.sw, v->in[port].head->hdr);
		} else if (v->ctl_due == now) {
			node_ctl(vt, v, now);
		} else {
			node_tx(vt, v, &n, v->tx.leaf, now);
		}
		refresh_touched(v, &n, now);
	}
}

static void node_run(struct vt *vt, struct vt_node *v, tstamp until)
{
	if (v->kind == SCENE_SW)
		run_kind(vt, v, SCENE_SW, until);
	else if (v->kind == SCENE_NIC)
		run_kind(vt, v, SCENE_NIC, until);
	else if (v->kind == NET_SW_CUT)
		run_kind(vt, v, NET_SW_CUT, until);
	else if (v->kind == SCENE_TESTER)
		run_kind(vt, v, SCENE_TESTER, until);
	else
		run_kind(vt, v, SCENE_REPLAY, until);
}

// Runs all events before `end`. With `stop` it ends early when *stop is set or firmware has
// crashed, which it checks before each node's turn. It then returns false, and no node is more than
// AHEAD beyond the earliest event that is left.
static bool run_to(struct vt *vt, tstamp end, const atomic_bool *stop)
{
	for (;;) {
		tstamp first = vt->order.min;
		struct vt_node *v = &vt->node[vt->order.leaf];

		if (first >= end)
			return true;
		if (stop && (vt->net->crashed || atomic_load_explicit(stop, memory_order_relaxed)))
			return false;
		if (vt->opts->lockstep)
			node_run(vt, v, first + 1);
		else
			node_run(vt, v,
				tstamp_min(horizon(vt, v, first), tstamp_min(end, first + AHEAD)));
		wtree_set(&vt->order, v->index, vt_next(v));
		if (v->n->events.head != v->n->events.tail) {
			record_drain(vt->rec, v->index);
			ev_rewind(&v->n->events);
		}
	}
}

static void progress(struct vt *vt, tstamp now)
{
	struct vt_clock *c = &vt->clock;
	double wall = seconds(CLOCK_MONOTONIC);

	if (!vt->opts->progress || wall - c->shown < 1.0)
		return;
	c->shown = wall;
	live_progress(vt->rec, now, &c->last);
	vt->opts->progress(vt->opts->arg, &c->last);
}

// Writes frames that are on their way into the record.
static void in_flight(struct vt *vt)
{
	record_in_flight_begin(vt->rec);
	for (unsigned i = 0; i < vt->scene->n_nodes; i++)
		for (unsigned port = 0; port < vt->node[i].ports; port++)
			for (const struct pkt *p = vt->node[i].in[port].head; p; p = p->next)
				record_in_flight(vt->rec, p);
}

// Reports the events of queue pairs now, although they could wait: files want them before they are
// sorted, and the ring of a node has no room for those of seconds.
static void settle_qps(struct vt *vt, tstamp now)
{
	for (unsigned i = 0; i < vt->scene->n_nodes; i++) {
		struct net_node *n = vt->node[i].n;

		for (unsigned qp = 0; n->kind == SCENE_NIC && qp < nic_qps(n->u.nic);) {
			qp = nic_settle(n->u.nic, qp, now);
			record_drain(vt->rec, i);
			ev_rewind(&n->events);
		}
	}
}

// Brings all nodes to one instant, so that the results equal a run of that duration.
static tstamp stop_here(struct vt *vt, tstamp end)
{
	end = tstamp_min(end, vt->order.min + AHEAD);
	run_to(vt, end, NULL);
	return end;
}

// Goes to an instant, and takes the values of the intervals that end on the way. It returns false
// where it ends early: as in run_to(), and where a first pass has run for long enough.
static bool run_on(struct vt *vt, tstamp end, const atomic_bool *stop)
{
	for (tstamp due; (due = record_steady_due(vt->rec)) <= end;) {
		if (!run_to(vt, due, stop))
			return false;
		record_steady_take(vt->rec, due);
		if (vt->opts->enough && vt->opts->enough(vt->opts->arg, vt->rec, due))
			return false;
	}
	return run_to(vt, end, stop);
}

// Does what is due at the instant that the run has come to.
static void look(struct vt *vt, tstamp now)
{
	const struct scene *s = vt->scene;
	struct vt_course *c = &vt->course;

	settle_qps(vt, now);
	record_sort(vt->rec, now);
	if (now == s->warmup && now) {
		in_flight(vt);
		record_warm(vt->rec, now);
	}
	if (now == c->sample) {
		record_sample(vt->rec, now);
		c->sample += s->sample ? s->sample : TICK;
	}
	if (now == c->tick) {
		progress(vt, now);
		c->tick += TICK;
		vt->stuck = net_job_stuck(vt->net);
		vt->ended = vt->stuck >= 0;
	}
	if (now == vt->quiet.look)
		vt->ended |= vt_quiet_over(vt, now);
}

static void course_begin(struct vt *vt)
{
	const struct scene *s = vt->scene;

	vt->course = (struct vt_course){
		.sample = s->sample ? s->sample : TICK, .tick = TICK, .replayed = TSTAMP_NEVER};
	if (!s->warmup)
		record_warm(vt->rec, 0);
}

// Goes from one instant that concerns all nodes to the next: samples, the end of warm-up, each ms,
// looks at a quiesce.
bool vt_go(struct vt *vt, tstamp until)
{
	const atomic_bool *stop = vt->opts->stop && !vt->ending ? vt->opts->stop : &never;
	const tstamp warm = vt->scene->warmup;
	struct vt_course *c = &vt->course;

	while (c->now < until) {
		tstamp now = tstamp_min(tstamp_min(until, c->tick),
			tstamp_min(c->sample, warm > c->now ? warm : TSTAMP_NEVER));

		now = tstamp_min(now, vt->quiet.look);
		if (!run_on(vt, now, stop)) {
			c->now = stop_here(vt, now);
			return false;
		}
		c->now = now;
		look(vt, now);
		if (vt->ended || *stop || net_ends_after_replay(vt->net, now, &c->replayed))
			return false;
	}
	return true;
}

// Runs to the end of the scene or of its experiment. Returns what the experiment returned.
static int run_all(struct vt *vt, struct record_run *run, struct err *err)
{
	int did = 0;

	if (vt->opts->experiment) {
		did = vt_experiment(vt, err);
		run->interrupted = did == -EINTR && !vt->net->crashed;
		return did == -EINTR ? 0 : did;
	}
	vt_go(vt, vt->end);
	run->interrupted = vt->course.now < vt->end && !vt->ended && !vt->net->crashed &&
			   !(vt->scene->until_replayed && net_replayed(vt->net));
	return 0;
}

static void finish_run(struct vt *vt, struct record_run *run, tstamp end)
{
	const struct net_job_say say = {vt->opts->record.say, vt->opts->record.say_arg};
	struct err why = {0};

	net_end(vt->net, run->crash, sizeof(run->crash));
	net_jobs_end(vt->net, vt->stuck, &say, run->crash, sizeof(run->crash));
	settle_qps(vt, end);
	in_flight(vt);
	run->clock = "virtual";
	run->dilate = 1;
	run->end = end;
	run->packet_hops = vt->hops;
	for (unsigned i = 0; i < vt->scene->n_nodes; i++)
		for (unsigned p = 0; p < vt->node[i].ports; p++)
			run->link_frames += vt->node[i].in[p].frames;
	net_account(vt->net, end);
	for (unsigned i = 0; i < vt->scene->n_nodes; i++)
		run->events_lost += vt->node[i].n->events.lost;
	run->conserved = net_conserve(vt->net, &why);
	snprintf(run->conserve_text, sizeof(run->conserve_text), "%s", why.text);
	run->pool_size = vt->stack.cap;
	run->pool_missing = vt->stack.cap - vt->stack.n - vt->stack.n_fresh - run->link_frames -
			    net_held(vt->net);
}

int vt_run(const struct scene *scene, const struct vt_opts *opts, struct report **report,
	struct err *err)
{
	struct vt vt = {.scene = scene, .opts = opts, .stuck = -1};
	struct record_run run = {0};
	int rc, did = 0;

	vt.clock = (struct vt_clock){
		.wall = seconds(CLOCK_MONOTONIC), .cpu = seconds(CLOCK_PROCESS_CPUTIME_ID)};
	vt.clock.shown = vt.clock.wall;
	rc = vt_setup(&vt, err);
	if (!rc)
		rc = record_open(&vt.rec, scene, vt.net, &opts->record, err);
	if (!rc)
		rc = record_begin(vt.rec, 0, err);
	if (!rc) {
		record_lend(vt.rec);
		vt_quiet_init(&vt);
		course_begin(&vt);
		did = run_all(&vt, &run, err);
		finish_run(&vt, &run, vt.course.now);
		run.wall_s = seconds(CLOCK_MONOTONIC) - vt.clock.wall;
		run.cpu_s = seconds(CLOCK_PROCESS_CPUTIME_ID) - vt.clock.cpu;
		rc = report_close(report, vt.rec, &run, err);
	}
	vt_teardown(&vt);
	return did ? did : rc;
}
