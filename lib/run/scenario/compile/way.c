// SPDX-License-Identifier: BSD-3-Clause
// Warnings about a flow's path through the switches: a port that takes no frames of its length,
// another class, a switch that is lossy while another is lossless, a switch that does not mark
// while another does. And whether its control hears of congestion on that path at all.
#include <errno.h>
#include <string.h>

#include "int.h"

#define LOOKS 4096 // pairs of hosts that are looked at; each flow has its share, one at least

// The first of each kind that all pairs of a flow have met: names of switches, or of ports where
// the switch's differ. NULL: none was.
struct found {
	const char *other;            // puts it into class `cls`
	const char *lossless, *lossy; // in its class there
	const char *marks;
	const char *silent;              // does not mark, and congestion may begin there
	const char *drops;               // by WRED what is Not-ECT in a lossless queue, `queue`
	const struct scene_port *narrow; // takes no frames that are so long
	unsigned cls, queue;
	const char *met;     // a switch of ours
	const char *unknown; // not ours, or what comes after it is: it may signal
	const char *not_ect; // would mark ECT, which the flow's frames are not
	const char *beyond;  // has its Kmin, `kmin`, where its queue never comes
	const char *fast;    // marks and sends CNPs
	const char *cp;      // has a congestion point, which sends CNMs
	const char *mute;    // a receiver that sends no CNPs
	uint64_t kmin;
	uint64_t most;  // bytes that queue comes to, as far as windows and buffer let it
	bool by_buffer; // the buffer is less than the windows
};

struct walk {
	struct draft *b;
	unsigned *seen;                // by node: in which walk it was met
	unsigned turn;                 // of this walk
	uint64_t windows[PKT_CLASSES]; // bytes of all flows together; UINT64_MAX: no bound
	struct compile_fan *fan;       // by node
	int rc;                        // of fan
	// of this flow
	const struct draft_flow *f;
	unsigned asks;                      // what its control listens to: a bitmap of enum rp_asks
	const struct draft_node *from, *to; // of the data
	uint8_t mac[6];                     // of `to`
	struct found found;
};

// The class that a switch gives the flow's data, which come in by this port.
static unsigned class_at(const struct walk *w, const struct draft_port *in)
{
	const struct spec_flow *f = w->f->spec;
	unsigned cls = w->f->cls;
	bool raw = w->f->is_open_loop && f->open_loop.raw;
	unsigned dscp = f->dscp == OPT_AUTO ? hardware_dscp(w->from, cls) : (unsigned)f->dscp;
	unsigned pcp = f->pcp == OPT_AUTO ? hardware_pcp(w->from, cls) : (unsigned)f->pcp;

	if (f->vlan != OPT_NONE && (raw || in->spec->trust == SW_TRUST_PCP))
		return in->spec->pcp_map[pcp];
	return raw ? in->spec->default_class : in->spec->dscp_map[dscp];
}

static void note_first(const char **first, const char *name, bool is)
{
	if (is && !*first)
		*first = name;
}

// The name of a switch; of its port if ports of the switch differ.
static const char *name_at(const struct walk *w, const struct draft_node *sw, unsigned port)
{
	const struct sw_params *p = &w->b->s->node[sw->index].u.sw;

	return !sw->external && p->n_sets > 1 ? sw->port[port]->name : sw->name;
}

static void note_port(struct walk *w, const struct draft_node *n, unsigned port)
{
	const struct scene_port *p = &w->b->s->node[n->index].port[port];

	if (!w->found.narrow && p->mtu < w->f->longest)
		w->found.narrow = p;
}

// Whether RoCE data without ECT pass a queue of a port that is lossless except for WRED.
static bool drops_not_ect(
	const struct walk *w, const struct sw_params *p, unsigned port, unsigned queue)
{
	return w->f->n_qps && !w->f->is_open_loop &&
	       (w->b->s->flow[w->f->first_qp]->req.tos & 3) == ECN_NOT_ECT &&
	       p->port[port].queue[queue].lossless &&
	       sw_port_set(p, port)->cls[queue].wred != SW_WRED_OFF;
}

// The rates of all ports of a switch together.
static rate_t all_rates(const struct draft_node *sw)
{
	rate_t sum = 0;

	for (unsigned p = 0; p < sw->n_ports; p++)
		sum += sw->port[p]->link->spec.rate;
	return sum;
}

// The longest that a queue of a port gets by the windows of all queue pairs.
static uint64_t queue_windows(const struct walk *w, const struct draft_port *port, unsigned queue)
{
	uint64_t sum = 0;

	for (unsigned c = 0; c < PKT_CLASSES; c++) {
		uint64_t one = port->spec->queue_map[c] == queue ? w->windows[c] : 0;

		sum = one > UINT64_MAX - sum ? UINT64_MAX : sum + one;
	}
	return sum;
}

static bool is_not_ect(const struct walk *w)
{
	return (w->b->s->flow[w->f->first_qp]->req.tos & 3) == ECN_NOT_ECT;
}

// Whether and where a switch signals congestion to a flow with a control that leaves by this port.
static void note_signals(struct walk *w, const struct draft_node *sw, unsigned port, unsigned queue)
{
	const struct sw_params *p = &w->b->s->node[sw->index].u.sw;
	const struct sw_class_params *c = &sw_port_set(p, port)->cls[queue];
	uint64_t most = queue_windows(w, sw->port[port], queue);
	uint64_t kmin = c->force_ce ? 0 : c->red.kmin_bytes;
	bool marks = c->mark != SW_MARK_NONE || c->force_ce, by_buffer = p->buffer_bytes < most;
	bool takes = c->mark_any || c->wred == SW_WRED_H3C || !is_not_ect(w);

	most = by_buffer ? p->buffer_bytes : most;
	note_first(&w->found.cp, sw->name, c->qcn.on);
	note_first(&w->found.not_ect, sw->name, marks && !takes);
	if (marks && takes && most <= kmin && !w->found.beyond) {
		w->found.kmin = kmin;
		w->found.most = most;
		w->found.by_buffer = by_buffer;
	}
	note_first(&w->found.beyond, sw->name, marks && takes && most <= kmin);
	marks &= takes && most > kmin;
	note_first(&w->found.marks, name_at(w, sw, port), marks);
	note_first(&w->found.fast, sw->name, marks && c->fast_cnp != SW_FAST_CNP_OFF);
}

// Notes a switch where a flow comes in. `known`: it knows the port to the receiver.
static void note_switch(
	struct walk *w, const struct draft_node *sw, unsigned in, unsigned cls, bool known)
{
	const struct draft_port *port = sw->port[in];
	bool lossless;

	if (!w->found.other)
		w->found.cls = cls;
	note_first(&w->found.other, name_at(w, sw, in), cls != w->f->cls);
	note_first(&w->found.unknown, sw->name, sw->external || !known);
	if (sw->external)
		return;
	lossless = hardware_pg_is_lossless(port, port->spec->pg_map[cls]);
	note_first(&w->found.met, sw->name, true);
	note_first(lossless ? &w->found.lossless : &w->found.lossy, name_at(w, sw, in), true);
}

// Notes a switch of ours where a flow leaves. `all`: the rates of all its ports.
static void note_way(
	struct walk *w, const struct draft_node *sw, unsigned port, unsigned queue, rate_t all)
{
	const struct sw_params *p = &w->b->s->node[sw->index].u.sw;
	const struct sw_class_params *c = &sw_port_set(p, port)->cls[queue];
	bool may_congest = all > 2 * sw->port[port]->link->spec.rate;

	if (w->asks)
		note_signals(w, sw, port, queue);
	note_first(&w->found.silent, name_at(w, sw, port),
		c->mark == SW_MARK_NONE && !c->force_ce && may_congest);
	if (!w->found.drops)
		w->found.queue = queue;
	note_first(&w->found.drops, name_at(w, sw, port), drops_not_ect(w, p, port, queue));
}

// The port at the other end of a node's port, by its number there.
static unsigned far_port(const struct draft_port *port)
{
	return port->link->port[!port->end];
}

// Follows a flow over a switch and then over all switches behind it, and notes what it meets. `in`:
// the port by which the flow arrives.
static void follow_from(struct walk *w, const struct draft_node *sw, unsigned in)
{
	const struct sw_fdb_params *e;
	unsigned cls = class_at(w, sw->port[in]), queue;
	rate_t all;

	if (w->seen[sw->place] == w->turn)
		return;
	w->seen[sw->place] = w->turn;
	all = all_rates(sw);
	e = sw->external ? NULL : hardware_entry(w->b, sw, w->to, w->mac);
	note_switch(w, sw, in, cls, e);
	for (unsigned p = e ? compile_way_from(w->b, sw, e, 0) : PKT_NO_PORT; p != PKT_NO_PORT;
		p = compile_way_from(w->b, sw, e, p + 1)) {
		const struct draft_node *next = draft_peer(sw, p);

		queue = sw->port[p]->spec->queue_map[cls];
		note_way(w, sw, p, queue, all);
		if (!w->rc)
			w->rc = compile_fan_note(w->b, &w->fan[sw->place], sw, queue, in, p);
		note_port(w, sw, p);
		note_first(&w->found.unknown, next->name, next->external);
		if (!next->external)
			note_port(w, next, far_port(sw->port[p]));
		if (next->is_switch)
			follow_from(w, next, far_port(sw->port[p]));
	}
}

static void follow_pair(struct walk *w, const struct draft_pair *p)
{
	bool back = !w->f->is_open_loop && w->f->spec->verb == RC_READ;
	const struct draft_node *sw;
	const struct nic_params *nic;
	struct opt_ip ip;

	w->from = back ? p->to : p->from;
	w->to = back ? p->from : p->to;
	w->turn++;
	hardware_address(w->to, w->mac, &ip);
	sw = draft_peer(w->from, 0);
	note_first(&w->found.unknown, w->from->name, w->from->external);
	if (w->from->external || !sw->is_switch)
		return;
	nic = &w->b->s->node[w->to->index].u.nic;
	note_first(&w->found.mute, w->to->name, !w->to->external && nic->np_off && !nic->cnflag);
	if (!sw->external)
		note_port(w, sw, far_port(w->from->port[0]));
	follow_from(w, sw, far_port(w->from->port[0]));
}

// Follows `most` pairs of the flow, or one, spread over all that it has.
static void follow_flow(struct walk *w, unsigned most)
{
	unsigned n = w->f->n_pairs, looks = most ? most : 1;

	looks = n < looks ? n : looks;
	for (unsigned k = 0; k < looks; k++)
		follow_pair(w, &w->f->pair[(uint64_t)k * n / looks]);
}

// The signals that the flow's control listens to; 0: there is no control.
static unsigned asks_of(const struct draft *b, const struct draft_flow *f)
{
	return f->n_qps && !f->is_open_loop ? rp_asks(b->s->flow[f->first_qp]->rp) : 0;
}

// Returns whether the rate of an RDMA IP never changes: its hardware is off, and there is no
// firmware to write the rate.
static bool has_fixed_rate(const struct walk *w)
{
	const struct rdma_ip_reg_params *ip = rp_registers(w->b->s->flow[w->f->first_qp]->rp);

	return ip && !ip->init.qp.rp.hw_en && !w->b->s->node[w->from->index].fw_file;
}

// Returns the name of the signal by which the control learns of congestion. NULL: no switch has to
// signal, because the control measures round trips or is a plug-in that asks for none.
static const char *hears_by(const struct walk *w)
{
	if (w->asks & RP_ASKS_RTT)
		return NULL;
	if (w->asks & RP_ASKS_CE)
		return "marks";
	if (w->asks & RP_ASKS_CNP)
		return "CNPs";
	return w->asks & RP_ASKS_CNM ? "CNMs" : NULL;
}

// A control that hears nothing of congestion, and why: nothing on the way signals as it listens.
#define DEAF(why, mend)                                                                           \
	"flow '%s': control '%s' goes by %s, but " why ": it hears nothing of congestion; " mend, \
		f->name, control, by

static void warn_unmarked(const struct walk *w, const char *by)
{
	const struct draft_flow *f = w->f;
	const struct found *x = &w->found;
	const char *control = w->b->s->flow[f->first_qp]->control;
	char kmin[32], most[32];

	units_format(UNITS_SIZE, x->kmin, kmin, sizeof(kmin));
	units_format(UNITS_SIZE, x->most, most, sizeof(most));
	if (x->by_buffer)
		draft_warn(w->b, f->key,
			DEAF("the buffer of '%s' has %s, and Kmin is %s",
				"lower wred's min and max"),
			x->beyond, most, kmin);
	else if (x->beyond)
		draft_warn(w->b, f->key,
			DEAF("all windows of class %u make a queue of %s at most, and Kmin is %s",
				"lower wred's min and max"),
			f->cls, most, kmin);
	else if (x->not_ect)
		draft_warn(w->b, f->key,
			DEAF("its frames are Not-ECT, so that no switch marks them",
				"with ecn: ect0 they are marked"));
	else
		draft_warn(w->b, f->key,
			DEAF("no switch on its way marks class %u", "give the class wred"), f->cls);
}

static void warn_deaf(const struct walk *w)
{
	const struct draft_flow *f = w->f;
	const struct found *x = &w->found;
	const char *by = hears_by(w), *control;

	if (!by || !x->met || x->unknown || has_fixed_rate(w))
		return;
	control = w->b->s->flow[f->first_qp]->control;
	if (w->asks & RP_ASKS_CNM) {
		if (!x->cp)
			draft_warn(w->b, f->key,
				DEAF("no switch on its way has a congestion point of class %u",
					"give the class qcn"),
				f->cls);
	} else if (!x->marks) {
		warn_unmarked(w, by);
	} else if (x->mute && !x->fast && !(w->asks & RP_ASKS_CE)) {
		draft_warn(w->b, f->key,
			DEAF("'%s' sends none for marks", "np: {mode: window} sends them"),
			x->mute);
	}
}

static void warn_way(const struct walk *w, bool by_switch)
{
	const struct found *x = &w->found;
	const struct draft_flow *f = w->f;

	if (x->other)
		draft_warn(w->b, f->key,
			"flow '%s' has class %u, but '%s' puts its frames into class %u", f->name,
			f->cls, x->other, x->cls);
	else if (x->lossless && x->lossy && f->n_qps && !f->is_open_loop)
		draft_warn(w->b, f->key,
			"flow '%s' passes '%s', where class %u is lossless, and '%s', where it is "
			"not: frames may be dropped there; write lossless: true",
			f->name, x->lossless, f->cls, x->lossy);
	if (x->drops)
		draft_warn(w->b, f->key,
			"flow '%s' is Not-ECT: "
			"WRED of '%s' class %u drops its frames, lossless or not",
			f->name, x->drops, x->queue);
	if (x->narrow)
		draft_warn(w->b, f->key,
			"flow '%s' has frames of %u bytes, and %s on its way takes %u: "
			"they are dropped (too_long); raise its mtu",
			f->name, f->longest, x->narrow->name, x->narrow->mtu);
	if (x->marks && x->silent && !x->other && !by_switch &&
		w->asks & (RP_ASKS_CNP | RP_ASKS_CE))
		draft_warn(w->b, f->key,
			"flow '%s': '%s' marks its frames, '%s' does not: "
			"control '%s' hears nothing of congestion there; give class %u wred",
			f->name, x->marks, x->silent, w->b->s->flow[f->first_qp]->control, f->cls);
	warn_deaf(w);
}

bool compile_has_other_frames(const struct scene *s)
{
	bool has = false;

	for (unsigned i = 0; i < s->n_nodes; i++) {
		has |= s->node[i].kind == SCENE_REPLAY || s->node[i].kind == SCENE_TESTER;
		for (unsigned p = 0; p < s->node[i].n_ports; p++)
			has |= s->node[i].port[p].device != NULL;
	}
	for (unsigned i = 0; i < s->n_events; i++)
		has |= s->event[i].ctl.type == CTL_PFC_STORM ||
		       s->event[i].ctl.type == CTL_MAC_FRAMES;
	return has;
}

// Adds the bytes that the windows of a flow's queue pairs allow in a queue together. READs may be
// longer than the window.
static void add_windows(struct walk *w, const struct draft_flow *f)
{
	const struct draft *b = w->b;
	uint64_t *sum = &w->windows[f->cls], frames = f->spec->window, most;

	if (!f->is_open_loop && !f->n_qps)
		return;
	if (f->is_open_loop || f->spec->verb == RC_READ || *sum == UINT64_MAX) {
		*sum = UINT64_MAX;
		return;
	}
	most = (rp_window_most(b->s->flow[f->first_qp]->rp) + f->spec->mtu - 1) / f->spec->mtu;
	if (most && most < frames)
		frames = most;
	*sum += f->n_qps * frames * (f->longest + b->s->framing.queue_extra);
}

static void find_windows(struct walk *w)
{
	bool other = compile_has_other_frames(w->b->s);

	for (unsigned c = 0; other && c < PKT_CLASSES; c++)
		w->windows[c] = UINT64_MAX;
	for (unsigned i = 0; i < w->b->n_flows; i++)
		add_windows(w, w->b->flow[i]);
}

int compile_warn_ways(struct draft *b, bool by_switch)
{
	struct walk w = {.b = b,
		.seen = draft_get(b, b->n_nodes * sizeof(*w.seen)),
		.fan = draft_get(b, b->n_nodes * sizeof(*w.fan))};

	if (!w.seen || !w.fan)
		return -ENOMEM;
	find_windows(&w);
	for (unsigned i = 0; i < b->n_flows; i++) {
		w.f = b->flow[i];
		w.asks = asks_of(b, w.f);
		w.found = (struct found){0};
		follow_flow(&w, LOOKS / b->n_flows);
		warn_way(&w, by_switch);
	}
	for (unsigned i = 0; !w.rc && i < b->n_nodes; i++)
		if (b->node[i]->is_switch && !b->node[i]->external && !b->node[i]->elsewhere)
			compile_fan_warn(b, &w.fan[b->node[i]->place], b->node[i]);
	return w.rc;
}
