// SPDX-License-Identifier: BSD-3-Clause
// A run judged frame by frame: what every port may send, by the PFC frames that it has had and sent
// itself.
//
// The linker puts __wrap_record_frame and __wrap_record_drain in place of the record's own: every
// frame on every link passes here, and every event.
#include "compile/compile.h"
#include "port.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "record/record.h"
#include "report/int.h"
#include "summary/summary.h"
#include "vt/vt.h"

#define FNV 0x100000001b3u

static struct wire {
	const struct scene *scene;
	struct ll_verdict v;
	struct ll_port *port;
	unsigned *base;   // by node
	uint8_t lossless; // classes
	int64_t inside;   // frames of lossless classes between two hosts
	tstamp moved;     // the last time one of them was sent
} w;

void __real_record_drain(struct record *r, unsigned node);
void __wrap_record_drain(struct record *r, unsigned node);
uint64_t __real_record_events_wanted(const struct scene *scene, const struct record_opts *opts);
uint64_t __wrap_record_events_wanted(const struct scene *scene, const struct record_opts *opts);
void __wrap_record_frame(
	struct record *r, unsigned node, unsigned port, int dir, const struct pkt *p, tstamp t);

void ll_fault(enum ll_fault f, const char *fmt, ...)
{
	va_list ap;

	if (w.v.fault)
		return;
	w.v.fault = f;
	va_start(ap, fmt);
	vsnprintf(w.v.why, sizeof(w.v.why), fmt, ap);
	va_end(ap);
}

static bool is_control(const struct pkt *p)
{
	return p->kind == PKT_PFC || p->kind == PKT_PAUSE || p->kind == PKT_MACCTL;
}

// PAUSE is XOFF, or XON, for every class.
static struct pkt_pfc of_all_classes(const struct pkt *pkt)
{
	struct pkt_pfc f = {.enable = 0xff};

	for (unsigned c = 0; c < PKT_CLASSES; c++)
		f.quanta[c] = pkt->u.pfc.quanta[0];
	return f;
}

static void frame_sent(struct ll_port *p, const struct pkt *pkt, tstamp now)
{
	const struct ll_prio *q = &p->prio[pkt->cls & 7];

	if (now < p->busy)
		ll_fault(LL_OVERLAP, "%s: a frame at %lu ps, the wire is busy until %lu ps",
			p->name, now, p->busy);
	p->busy = now + rate_time(p->ps, pkt->len + PKT_WIRE);
	if (pkt->kind == PKT_PFC)
		ll_port_sent(p, &pkt->u.pfc, true, now);
	if (pkt->kind == PKT_PAUSE && p->pauses) {
		struct pkt_pfc f = of_all_classes(pkt);

		ll_port_sent(p, &f, false, now);
	}
	if (is_control(pkt))
		return;
	ll_port_catch_up(p, now);
	if (q->paused)
		ll_fault(LL_QUANTA, "%s.%u: a frame at %lu ps, paused until %lu ps", p->name,
			pkt->cls, now, q->until);
}

// Frames that only hosts make; CNMs and CNPs may be a switch's.
static bool is_of_hosts(const struct pkt *p)
{
	return p->kind == PKT_DATA || p->kind == PKT_ACK || p->kind == PKT_GEN;
}

static void control_received(struct ll_port *p, const struct pkt *pkt, tstamp now)
{
	struct pkt_pfc f = pkt->u.pfc;

	if (pkt->kind == PKT_PAUSE)
		f = of_all_classes(pkt);
	else
		f.enable &= p->mask;
	ll_port_received(p, &f, pkt->kind == PKT_PFC ? &pkt->u.pfc : NULL, now);
}

void __wrap_record_frame(
	struct record *r, unsigned node, unsigned port, int dir, const struct pkt *pkt, tstamp t)
{
	struct ll_port *p = &w.port[w.base[node] + port];
	bool counts = is_of_hosts(pkt) && w.lossless >> pkt->cls & 1;

	(void)r;
	w.v.frames++;
	p->trace = ((p->trace ^ t) * FNV ^ pkt->len ^ (uint64_t)pkt->kind << 16 ^
			   (uint64_t)dir << 24) *
		   FNV;
	if (counts && w.scene->node[node].kind == SCENE_NIC)
		w.inside += dir ? 1 : -1;
	if (counts)
		w.moved = tstamp_max(w.moved, t);
	if (dir)
		frame_sent(p, pkt, t);
	else if (pkt->kind == PKT_PFC || (pkt->kind == PKT_PAUSE && p->honour))
		control_received(p, pkt, t);
}

static void drop_event(unsigned node, const struct ev *e)
{
	bool is_switch = w.scene->node[node].kind == SCENE_SW;

	// Frames made by the switch take no headroom; a lossless group drops no others for want of
	// it.
	if (is_switch && e->drop.reason == SW_DROP_SHARED)
		return;
	if (!is_switch && e->drop.reason != NIC_DROP_NOT_FOR_US && w.lossless >> e->cls & 1)
		ll_fault(LL_LOST, "%s: a frame of class %u was dropped at %lu ps: %s",
			w.scene->node[node].name, e->cls, e->t, nic_drop_name(e->drop.reason));
	else if (is_switch && w.lossless >> e->cls & 1)
		ll_fault(LL_LOST, "%s.%u: a frame was dropped at %lu ps: %s, %lu bytes are there",
			w.scene->node[node].port[e->port].name, e->cls, e->t,
			sw_drop_name(e->drop.reason), e->drop.held_bytes);
}

// The judge asks for drops, too, which no figure does, and for CNPs of switches.
uint64_t __wrap_record_events_wanted(const struct scene *scene, const struct record_opts *opts)
{
	return __real_record_events_wanted(scene, opts) | 1ull << EV_DROP | 1ull << EV_IQCN_TX |
	       1ull << EV_FAST_CNP_TX;
}

void __wrap_record_drain(struct record *r, unsigned node)
{
	const struct ev_ring *ring = &net_node(r->net, node)->events;

	if (w.scene && ring->lost)
		ll_fault(LL_UNBALANCED, "%lu events were lost", ring->lost);
	for (uint32_t i = ring->tail; w.scene && i != ring->head; i++) {
		const struct ev *e = &ring->slot[i & ring->mask];

		if (e->type == EV_PAUSE_RX || e->type == EV_RESUME_RX)
			ll_port_event(&w.port[w.base[node] + e->port], e);
		else if (e->type == EV_DROP)
			drop_event(node, e);
		w.v.iqcn += e->type == EV_IQCN_TX;
		w.v.fast_cnp += e->type == EV_FAST_CNP_TX;
	}
	__real_record_drain(r, node);
}

static void learn_port(struct ll_port *p, const struct scene_node *n, unsigned i)
{
	bool is_switch = n->kind == SCENE_SW;
	tstamp quantum = (512 * PS_PER_S + n->port[i].rate / 2) / n->port[i].rate;

	p->name = n->port[i].name;
	p->ps = rate_byte_ps(n->port[i].rate);
	p->slack = rate_time(p->ps, w.scene->max_frame + 4 * (PKT_MIN_LEN + PKT_WIRE));
	p->quantum = quantum;
	p->response = quantum * (is_switch ? n->u.sw.port[i].pfc_response : n->u.nic.pfc_response);
	for (unsigned c = 0; c < PKT_CLASSES; c++) {
		const struct sw_class_params *k =
			is_switch ? &sw_port_set(&n->u.sw, i)->cls[c] : NULL;
		tstamp time = quantum * (is_switch ? k->quanta : n->u.nic.quanta);
		unsigned permille = is_switch ? k->refresh_permille : n->u.nic.refresh_permille;

		p->prio[c].refresh = permille ? time * permille / 1000 : TSTAMP_NEVER;
		if (is_switch ? k->pfc : n->u.nic.pfc_classes >> c & 1)
			p->obey |= (uint8_t)(1u << c);
	}
	p->mask = 0xff;
	p->pauses = is_switch ? n->u.sw.pause : n->u.nic.pause;
	p->honour = is_switch ? n->u.sw.port[i].pause_honour : n->u.nic.pause_honour;
	if (p->pauses) {
		p->obey = 0xff;
		p->mask = 0;
	}
	if (p->pauses || !is_switch)
		return;
	if (p->honour && !n->u.sw.port[i].pfc_asym)
		p->mask = p->obey;
	if (p->honour || n->u.sw.port[i].pfc_asym)
		p->obey = 0xff;
}

static void learn_event(const struct scene_event *e)
{
	bool frames = e->ctl.type == CTL_MAC_FRAMES;
	struct ll_port *p;

	if (!frames && e->ctl.type != CTL_PFC_STORM)
		return;
	p = &w.port[w.base[e->node] + (frames ? 0 : e->ctl.port)]; // a host has one port
	p->storm |= p->pauses ? 0xff
		    : frames  ? ((const struct ctl_mac *)e->ctl.with)->f.enable
			      : (uint8_t)(1u << e->ctl.cls);
}

static unsigned group_of(const struct sw_params *p, unsigned port, unsigned cls)
{
	return sw_port_set(p, port)->pg_map[cls];
}

static void learn(struct scene *s)
{
	unsigned ports = 0;

	w = (struct wire){
		.scene = s, .lossless = 0xff, .base = calloc(s->n_nodes, sizeof(*w.base))};
	for (unsigned i = 0; i < s->n_nodes; i++) {
		w.base[i] = ports;
		ports += s->node[i].n_ports;
		for (unsigned c = 0; s->node[i].kind == SCENE_SW && c < PKT_CLASSES; c++)
			if (!s->node[i].u.sw.port[0].pg[group_of(&s->node[i].u.sw, 0, c)].lossless)
				w.lossless &= (uint8_t) ~(1u << c);
	}
	w.port = calloc(ports, sizeof(*w.port));
	for (unsigned i = 0; i < s->n_nodes; i++)
		for (unsigned p = 0; p < s->node[i].n_ports; p++) {
			s->node[i].port[p].capture =
				true; // no file is written: they only pass here
			learn_port(&w.port[w.base[i] + p], &s->node[i], p);
		}
	for (unsigned i = 0; i < s->n_events; i++)
		learn_event(&s->event[i]);
}

static bool same(const struct pause_stats *want, const struct pause_stats *is, bool sent)
{
	if (want->xoff_frames != is->xoff_frames || want->xon_frames != is->xon_frames ||
		want->pause_requested_ps != is->pause_requested_ps)
		return false;
	return sent || (want->refresh_frames == is->refresh_frames &&
			       want->transitions_on == is->transitions_on &&
			       want->transitions_off == is->transitions_off &&
			       want->expired == is->expired &&
			       want->pause_effective_ps == is->pause_effective_ps);
}

static const struct ll_port *port_named(const char *name)
{
	unsigned i = 0;

	while (strcmp(w.port[i].name, name) != 0)
		i++;
	return &w.port[i];
}

// The counters of object i of a kind. Its times are in us, which have each ps.
static struct pause_stats counters_of(const struct summary *s, enum kind_id kind, unsigned i)
{
	return (struct pause_stats){
		.xoff_frames = summary_count(s, kind, i, "xoff_frames"),
		.xon_frames = summary_count(s, kind, i, "xon_frames"),
		.refresh_frames = summary_count(s, kind, i, "refresh_frames"),
		.transitions_on = summary_count(s, kind, i, "transitions_on"),
		.transitions_off = summary_count(s, kind, i, "transitions_off"),
		.expired = summary_count(s, kind, i, "expired"),
		.pause_requested_ps =
			(uint64_t)llround(1e6 * summary_at(s, kind, i, "pause_requested_us")),
		.pause_effective_ps =
			(uint64_t)llround(1e6 * summary_at(s, kind, i, "pause_effective_us")),
	};
}

// The counters of pauses sent or received. Returns how many pauses were received.
static uint64_t judge_counters_of(const struct summary *s, enum kind_id kind, tstamp end)
{
	bool sent = kind == KIND_PFC_TX;
	uint64_t pauses = 0;

	for (unsigned i = 0; i < s->set[kind].n; i++) {
		char name[KIND_NAME];
		const struct ll_port *p = port_named(summary_label(s, kind, i, "port", name));
		unsigned prio = (unsigned)summary_id(s, kind, i, "priority");
		const struct ll_prio *q = &p->prio[prio];
		struct pause_stats in = q->in, row = counters_of(s, kind, i);

		if (q->paused)
			in.pause_effective_ps += end - q->began;
		pauses += sent ? 0 : row.transitions_on;
		if (!same(sent ? &q->out : &in, &row, sent))
			ll_fault(LL_UNBALANCED,
				"%s.%u: counters of PFC %s: %lu XOFF, %lu XON, paused for %lu ps; "
				"seen "
				"were %lu, %lu, %lu",
				p->name, prio, sent ? "sent" : "received", row.xoff_frames,
				row.xon_frames, row.pause_effective_ps,
				sent ? q->out.xoff_frames : in.xoff_frames,
				sent ? q->out.xon_frames : in.xon_frames, in.pause_effective_ps);
	}
	return pauses;
}

// The counters of pauses, and none where nothing was counted.
static void judge_counters(const struct report *r, tstamp end)
{
	uint64_t pauses = judge_counters_of(r->sum, KIND_PFC, end);

	judge_counters_of(r->sum, KIND_PFC_TX, end);
	if (pauses != w.v.pauses)
		ll_fault(LL_UNBALANCED, "%lu pauses are counted of %lu", pauses, w.v.pauses);
}

// All peers stop in time, so that of none more came after an XOFF than may.
static void judge_answers(const struct summary *s)
{
	struct fabric_answer a;

	for (unsigned i = 0; i < s->set[KIND_PFC_TX].n; i++)
		if (fabric_went_on(s, i, &a))
			ll_fault(LL_QUANTA, "%s.%u: %lu bytes came after XOFF, of at most %lu",
				a.port->scene->name, a.prio, a.after_bytes, a.limit_bytes);
}

// A lossless one has nothing to repair; one that ends, ends with every message once, whatever was
// lost.
static void judge_flow(const struct host_flow *f)
{
	const struct scene_flow *scene = f->rec->scene;
	uint64_t count = scene->req.count;

	w.v.resent += f->tx.data_frames_retransmitted;
	if (w.lossless >> scene->cls & 1 &&
		(f->tx.data_frames_retransmitted || f->rx.frame_sequence_error))
		ll_fault(LL_LOST, "%s: frames were sent again or came out of order", scene->name);
	if (count && !w.scene->drain &&
		(f->rx.message_complete_rx != count || f->rec->messages != count))
		ll_fault(LL_MESSAGES, "%s: %lu messages came and %lu were acknowledged of %lu",
			scene->name, f->rx.message_complete_rx, f->rec->messages, count);
}

// Checks the end of a run: expired timers, sums, and frames that stand still.
static void judge_end(const struct report *r)
{
	tstamp end = w.scene->duration;
	unsigned ports = w.base[w.scene->n_nodes - 1] + w.scene->node[w.scene->n_nodes - 1].n_ports;

	for (unsigned i = 0; i < ports; i++) {
		ll_port_catch_up(&w.port[i], end - 1);
		w.v.trace = (w.v.trace ^ w.port[i].trace) * FNV;
		for (unsigned c = 0; c < PKT_CLASSES; c++) {
			w.v.pauses += w.port[i].prio[c].in.transitions_on;
			if (w.port[i].prio[c].n)
				ll_fault(LL_QUANTA,
					"%s.%u: a change of its pause at %lu ps is missing",
					w.port[i].name, c,
					w.port[i].prio[c].ahead[w.port[i].prio[c].first].t);
		}
	}
	judge_counters(r, end);
	judge_answers(r->sum);
	for (unsigned i = 0; i < r->rec->n_flows; i++)
		judge_flow(set_at(&r->sum->set[KIND_FLOW], i));
	if (!report_passed(r))
		ll_fault(LL_UNBALANCED, "%s", report_text(r));
	if (w.scene->drain && w.inside && !r->rec->dead.n && end - w.moved > w.scene->drain / 2)
		ll_fault(LL_STUCK, "%ld lossless frames stand still since %lu ps", (long)w.inside,
			w.moved);
}

struct ll_verdict ll_judge_file(const char *path, bool lockstep)
{
	struct vt_opts vo = {
		.record.no_files = true, .record.command = "test", .lockstep = lockstep};
	struct scene_opts so = {0};
	struct scene *scene = NULL;
	struct report *rec = NULL;
	struct err err = {0};

	if (compile_scene(&scene, path, &so, &err)) {
		struct ll_verdict v = {.fault = LL_REFUSED};

		snprintf(v.why, sizeof(v.why), "%.290s", err.text);
		return v;
	}
	learn(scene);
	if (vt_run(scene, &vo, &rec, &err))
		ll_fault(LL_REFUSED, "%.290s", err.text);
	else
		judge_end(rec);
	report_free(rec);
	scene_free(scene);
	free(w.port);
	free(w.base);
	w.scene = NULL;
	return w.v;
}

static struct ll_verdict judge(const struct ll_case *c, bool lockstep)
{
	char path[] = "/tmp/quench-lossless-XXXXXX";
	struct ll_verdict v = {.fault = LL_REFUSED, .why = "no temporary file"};
	int fd = mkstemp(path);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "w");

	if (!f)
		return v;
	ll_print(f, c, "a case of tests/scenario/lossless");
	fclose(f);
	v = ll_judge_file(path, lockstep);
	unlink(path);
	return v;
}

struct ll_verdict ll_judge(const struct ll_case *c)
{
	return judge(c, false);
}

struct ll_verdict ll_judge_order(const struct ll_case *c)
{
	struct ll_verdict ahead = judge(c, false), v = judge(c, true);

	if (v.fault || v.trace == ahead.trace)
		return v;
	v.fault = LL_ORDER;
	snprintf(v.why, sizeof(v.why), "%lu frames on links, in lockstep %lu", ahead.frames,
		v.frames);
	return v;
}

const char *ll_fault_name(enum ll_fault f)
{
	static const char *const name[LL_FAULTS] = {"held", "refused", "a lossless frame was lost",
		"does not add up", "XOFF and XON do not take turns",
		"a pause is not as long as told", "two frames at once on a wire",
		"frames stand still", "a message is missing or came twice", "lockstep differs"};

	return name[f];
}
