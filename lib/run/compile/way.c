// SPDX-License-Identifier: BSD-3-Clause
// What a flow should not meet on its way through the switches: a port that takes no frames of its
// length, another class, a switch that is lossy where another is lossless, or one that does not
// mark where another does.
#include <errno.h>
#include <string.h>

#include "int.h"

#define LOOKS 4096 // pairs of hosts that are looked at; each flow has its share, one at least

// The first of each kind that all pairs of a flow have met. NULL: none was.
struct found {
	const struct draft_node *other;    // puts it into class `cls`
	const struct draft_node *lossless; // in its class there
	const struct draft_node *lossy;
	const struct draft_node *marks;
	const struct draft_node *silent; // does not mark, and congestion may begin there
	const struct draft_node *drops;  // by WRED what is Not-ECT in a lossless queue, `queue`
	const struct scene_port *narrow; // takes no frames that are so long
	unsigned cls, queue;
};

struct walk {
	struct draft *b;
	unsigned *seen; // by node: in which walk it was met
	unsigned turn;  // of this walk
	// of this flow
	const struct draft_flow *f;
	const struct draft_node *from, *to; // of the data
	struct found found;
};

// The class that a switch gives the flow's data.
static unsigned class_at(const struct walk *w, const struct draft_node *sw)
{
	const struct spec_flow *f = &w->f->spec;
	bool raw = w->f->is_open_loop && f->open_loop.raw;
	unsigned dscp = f->dscp == OPT_AUTO ? hardware_dscp(w->from, f->cls) : (unsigned)f->dscp;
	unsigned pcp = f->pcp == OPT_AUTO ? hardware_pcp(w->from, f->cls) : (unsigned)f->pcp;

	if (f->vlan != OPT_NONE && (raw || sw->sw->trust == SW_TRUST_PCP))
		return sw->sw->pcp_map[pcp];
	return raw ? sw->sw->default_class : sw->sw->dscp_map[dscp];
}

static const struct sw_fdb_params *entry_of(const struct walk *w, const struct draft_node *sw)
{
	const struct sw_params *p = &w->b->s->node[sw->index].u.sw;
	struct opt_ip ip;
	uint8_t mac[6];

	hardware_address(w->to, mac, &ip);
	for (unsigned i = 0; i < p->n_fdb; i++)
		if (!memcmp(p->fdb[i].mac, mac, 6))
			return &p->fdb[i];
	return NULL;
}

static void note(const struct draft_node **first, const struct draft_node *n, bool is)
{
	if (is && !*first)
		*first = n;
}

static void note_port(struct walk *w, const struct draft_node *n, unsigned port)
{
	const struct scene_port *p = &w->b->s->node[n->index].port[port];

	if (!w->found.narrow && p->mtu < w->f->longest)
		w->found.narrow = p;
}

// RoCE data without ECT in a queue that is lossless but for what WRED drops.
static bool drops_not_ect(const struct walk *w, const struct sw_params *p, unsigned queue)
{
	return w->f->n_qps && !w->f->is_open_loop &&
	       (w->b->s->flow[w->f->first_qp]->req.tos & 3) == ECN_NOT_ECT &&
	       p->port[0].queue[queue].lossless && p->cls[queue].wred != SW_WRED_OFF;
}

// Whether more may come to a switch than leaves it by a port on the way.
static bool may_congest(
	const struct walk *w, const struct draft_node *sw, const struct sw_fdb_params *e)
{
	rate_t sum = 0;
	bool may = false;

	for (unsigned p = 0; p < sw->n_ports; p++)
		sum += sw->port[p]->link->spec.rate;
	for (unsigned p = 0; e && p < sw->n_ports; p++)
		may |= compile_is_way(w->b, sw, e, p) && sum > 2 * sw->port[p]->link->spec.rate;
	return may;
}

static void note_switch(struct walk *w, const struct draft_node *sw, const struct sw_fdb_params *e)
{
	const struct sw_params *p = &w->b->s->node[sw->index].u.sw;
	unsigned cls = class_at(w, sw), queue = sw->sw->queue_map[cls];
	const struct sw_class_params *c = &p->cls[queue];
	bool marks = c->mark != SW_MARK_NONE || c->force_ce;
	bool lossless = hardware_pg_is_lossless(sw->sw, sw->sw->pg_map[cls]);

	if (!w->found.other)
		w->found.cls = cls;
	note(&w->found.other, sw, cls != w->f->spec.cls);
	if (sw->external)
		return;
	note(lossless ? &w->found.lossless : &w->found.lossy, sw, true);
	note(&w->found.marks, sw, marks);
	note(&w->found.silent, sw, !marks && may_congest(w, sw, e));
	if (!w->found.drops)
		w->found.queue = queue;
	note(&w->found.drops, sw, drops_not_ect(w, p, queue));
}

static void follow(struct walk *w, const struct draft_node *sw)
{
	const struct sw_fdb_params *e;

	if (w->seen[sw->place] == w->turn)
		return;
	w->seen[sw->place] = w->turn;
	e = sw->external ? NULL : entry_of(w, sw);
	note_switch(w, sw, e);
	for (unsigned p = 0; e && p < sw->n_ports; p++) {
		const struct draft_node *next = draft_peer(sw, p);

		if (!compile_is_way(w->b, sw, e, p))
			continue;
		note_port(w, sw, p);
		if (!next->external)
			note_port(w, next, sw->port[p]->link->port[!sw->port[p]->end]);
		if (next->is_switch)
			follow(w, next);
	}
}

static void follow_pair(struct walk *w, const struct draft_pair *p)
{
	bool back = !w->f->is_open_loop && w->f->spec.verb == RC_READ;
	const struct draft_node *sw;

	w->from = back ? p->to : p->from;
	w->to = back ? p->from : p->to;
	w->turn++;
	sw = draft_peer(w->from, 0);
	if (w->from->external || !sw->is_switch)
		return;
	if (!sw->external)
		note_port(w, sw, w->from->port[0]->link->port[!w->from->port[0]->end]);
	follow(w, sw);
}

// Follows `most` pairs of the flow, or one, spread over all that it has.
static void follow_flow(struct walk *w, unsigned most)
{
	unsigned n = w->f->n_pairs, looks = most ? most : 1;

	looks = n < looks ? n : looks;
	for (unsigned k = 0; k < looks; k++)
		follow_pair(w, &w->f->pair[(uint64_t)k * n / looks]);
}

// Whether its reaction point hears of congestion by marks, or by the CNPs that they make.
static bool goes_by_marks(const struct walk *w)
{
	const struct scene_flow *q =
		w->f->n_qps && !w->f->is_open_loop ? w->b->s->flow[w->f->first_qp] : NULL;

	return q && q->rp && rp_asks(q->rp) & (RP_ASKS_CNP | RP_ASKS_CE);
}

static void warn_way(const struct walk *w, bool by_switch)
{
	const struct found *x = &w->found;
	const struct draft_flow *f = w->f;

	if (x->other)
		draft_warn(w->b, f->key,
			"flow '%s' has class %u, but switch '%s' puts its frames into class %u",
			f->name, f->spec.cls, x->other->name, x->cls);
	else if (x->lossless && x->lossy && f->n_qps && !f->is_open_loop)
		draft_warn(w->b, f->key,
			"flow '%s' passes '%s', where class %u is lossless, and '%s', where it is "
			"not: frames may be dropped there; write lossless: true",
			f->name, x->lossless->name, f->spec.cls, x->lossy->name);
	if (x->drops)
		draft_warn(w->b, f->key,
			"flow '%s' is Not-ECT: WRED of '%s' class %u drops its frames, lossless or "
			"not",
			f->name, x->drops->name, x->queue);
	if (x->narrow)
		draft_warn(w->b, f->key,
			"flow '%s' has frames of %u bytes, and %s on its way takes %u: they are "
			"dropped (too_long); raise its mtu",
			f->name, f->longest, x->narrow->name, x->narrow->mtu);
	if (x->marks && x->silent && !by_switch && goes_by_marks(w))
		draft_warn(w->b, f->key,
			"flow '%s': '%s' marks its frames, '%s' does not: control '%s' hears "
			"nothing of congestion there; give class %u wred",
			f->name, x->marks->name, x->silent->name,
			w->b->s->flow[f->first_qp]->control, f->spec.cls);
}

int compile_warn_ways(struct draft *b, bool by_switch)
{
	struct walk w = {.b = b, .seen = draft_get(b, b->n_nodes * sizeof(*w.seen))};

	if (!w.seen)
		return -ENOMEM;
	for (unsigned i = 0; i < b->n_flows; i++) {
		w.f = b->flow[i];
		w.found = (struct found){0};
		follow_flow(&w, LOOKS / b->n_flows);
		warn_way(&w, by_switch);
	}
	return 0;
}
