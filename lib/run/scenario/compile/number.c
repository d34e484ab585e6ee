// SPDX-License-Identifier: BSD-3-Clause
// QPNs and first PSNs: given by the scenario, or drawn by the run.
#include "int.h"

#include <errno.h>
#include <stdlib.h>

#include "wire/bth.h"

static int given(struct draft *b, const struct draft_node *n)
{
	const struct spec_host *h = n->host;
	struct scene_node *to = &b->s->node[n->index];
	uint64_t room = SCENE_QPN_MOST - h->qpn_base;

	to->n_qps = n->n_qps;
	// The numbers of an external host are its own: RDMA-CM or the scenario says them.
	to->qpn_given = h->qpn_base != OPT_AUTO || h->external;
	to->psn_given = h->first_psn != OPT_AUTO || h->external;
	to->u.nic.qpn_base = h->qpn_base != OPT_AUTO ? (uint32_t)h->qpn_base : BTH_QPN_BASE;
	to->first_psn = h->first_psn != OPT_AUTO ? (uint32_t)h->first_psn : 0;
	if (h->qpn_base == OPT_AUTO || n->n_qps <= room)
		return 0;
	return yamldoc_err(b->err, draft_given(&scene_opts_host, h, "qpn_base", n->key),
		"host '%s' has %u queue pairs, and qpn_base leaves room for %u QPNs; lower it",
		n->name, n->n_qps, (unsigned)room);
}

// Keeps the fixed QPN of our end if the scenario gives the QPN of the external host: somebody has
// told that host our QPN by hand, too.
static void keep_known(struct scene *s, const struct scene_flow *f)
{
	if (f->peer && f->peer->qpn)
		s->node[s->node[f->to].external ? f->from : f->to].qpn_given = true;
}

// Returns whether nodes leave this process by real ports. An external host always does; the command
// line may name its device.
static bool has_real_ports(const struct scene *s)
{
	bool any = false;

	for (unsigned i = 0; i < s->n_nodes; i++) {
		any |= s->node[i].external;
		for (unsigned p = 0; p < s->node[i].n_ports; p++)
			any |= s->node[i].port[p].device != NULL;
	}
	return any;
}

static int by_qpn(const void *one, const void *two)
{
	uint32_t a = *(const uint32_t *)one, b = *(const uint32_t *)two;

	return a < b ? -1 : a > b;
}

// The node that an open-loop source's QPN belongs to; NULL: its frames are no RoCEv2.
static struct scene_node *qpn_of_source(const struct scene *s, const struct scene_source *src)
{
	return src->gen.roce.opcode ? &s->node[src->to] : NULL;
}

// Calls fn for each QPN that a flow gives a queue pair of its sender, or a source to its receiver.
static void each_given(
	const struct scene *s, void (*fn)(struct scene_node *n, uint32_t qpn, void *arg), void *arg)
{
	for (unsigned i = 0; i < s->n_flows; i++)
		if (s->flow[i]->src_qpn)
			fn(&s->node[s->flow[i]->from], s->flow[i]->src_qpn, arg);
	for (unsigned i = 0; i < s->n_sources; i++)
		if (qpn_of_source(s, s->source[i]))
			fn(qpn_of_source(s, s->source[i]), s->source[i]->gen.roce.qpn, arg);
}

static void count_given(struct scene_node *n, uint32_t qpn, void *arg)
{
	uint32_t *all = arg;

	(void)qpn;
	n->n_qpns++;
	++*all;
}

static void put_given(struct scene_node *n, uint32_t qpn, void *arg)
{
	(void)arg;
	n->qpn[n->n_qpns++] = qpn;
}

// Collects these QPNs, for each host in rising order.
static int collect(struct draft *b)
{
	struct scene *s = b->s;
	uint32_t n = 0, *qpn;

	each_given(s, count_given, &n);
	qpn = n ? draft_get(b, n * sizeof(*qpn)) : NULL;
	if (!qpn)
		return n ? -ENOMEM : 0;
	for (unsigned i = 0; i < b->n_nodes; i++) {
		struct scene_node *node = &s->node[i];

		node->qpn = qpn;
		qpn += node->n_qpns;
		node->n_qpns = 0;
	}
	each_given(s, put_given, NULL);
	for (unsigned i = 0; i < b->n_nodes; i++)
		if (s->node[i].n_qpns)
			qsort(s->node[i].qpn, s->node[i].n_qpns, sizeof(*qpn), by_qpn);
	return 0;
}

// Whether a flow gives a QPN to a queue pair of the host, or to a source that sends to it.
static bool gives(
	const struct scene *s, const struct draft_flow *f, const struct scene_node *n, uint32_t qpn)
{
	for (unsigned i = f->first_qp; i < f->first_qp + f->n_qps; i++) {
		const struct scene_source *src = f->is_open_loop ? s->source[i] : NULL;
		const struct scene_flow *q = src ? NULL : s->flow[i];

		if (src ? qpn_of_source(s, src) == n && src->gen.roce.qpn == qpn
			: q->src_qpn == qpn && &s->node[q->from] == n)
			return true;
	}
	return false;
}

// Where a flow gives QPNs.
static const struct yamldoc_node *qpn_at(const struct draft_flow *f)
{
	const struct opt_table *t = opt_row(&scene_opts_flow, "open_loop")->sub;

	if (!f->is_open_loop)
		return draft_given(&scene_opts_flow, f->spec, "src_qpn", f->key);
	return draft_given(opt_row(t, "roce")->sub, &f->spec->open_loop.roce, "qpn", f->key);
}

// Refuses a QPN that two queue pairs of the host have, or sources to it, at the last flow that
// gives it. `counted`: a queue pair that counts from the host's base has it, too.
static int taken(struct draft *b, const struct scene_node *n, uint32_t qpn, bool counted)
{
	const struct draft_flow *says = NULL, *other = NULL;

	for (unsigned i = 0; i < b->n_flows; i++) {
		if (!gives(b->s, b->flow[i], n, qpn))
			continue;
		other = says;
		says = b->flow[i];
	}
	return yamldoc_err(b->err, qpn_at(says),
		"flow '%s': %s %s has QPN %u, too; give %s another number", says->name,
		counted                        ? "a counted queue pair of"
		: other && other->is_open_loop ? "another source to"
					       : "another queue pair of",
		n->name, qpn, says->is_open_loop ? "roce.qpn" : "src_qpn");
}

// Whether a queue pair that counts from the host's base has a QPN that the scenario gives another.
// An external host's queue pairs do not count.
static bool meets(const struct scene_node *n, uint32_t number)
{
	uint32_t qpn = n->u.nic.qpn_base + number;

	return !n->external && bsearch(&qpn, n->qpn, n->n_qpns, sizeof(qpn), by_qpn) != NULL;
}

static int check_given(struct draft *b, const struct draft_node *host)
{
	const struct scene_node *n = &b->s->node[host->index];

	for (unsigned i = 0; i + 1 < n->n_qpns; i++)
		if (n->qpn[i] == n->qpn[i + 1])
			return taken(b, n, n->qpn[i], false);
	if (n->n_qpns && n->u.nic.qpn_base > SCENE_QPN_MOST - n->n_qps)
		return yamldoc_err(b->err, host->key,
			"host '%s': its flows' src_qpn leave no %u QPNs in a row for its other "
			"queue pairs; give them nearer numbers",
			n->name, n->n_qps);
	return 0;
}

static int check_qpns(struct draft *b)
{
	struct scene *s = b->s;
	int rc = 0;

	for (unsigned i = 0; !rc && i < b->n_nodes; i++)
		rc = check_given(b, b->node[i]);
	for (unsigned i = 0; !rc && i < s->n_flows; i++) {
		const struct scene_flow *f = s->flow[i];
		const struct scene_node *from = &s->node[f->from], *to = &s->node[f->to];

		if (from->n_qpns && !f->src_qpn && meets(from, f->src_qp))
			rc = taken(b, from, from->u.nic.qpn_base + f->src_qp, true);
		else if (to->n_qpns && meets(to, f->dst_qp))
			rc = taken(b, to, to->u.nic.qpn_base + f->dst_qp, true);
	}
	return rc;
}

int compile_numbers(struct draft *b)
{
	uint64_t numbers = b->top.qp_numbers;
	struct scene *s = b->s;

	for (unsigned i = 0; i < b->n_nodes; i++) {
		const struct draft_node *n = b->node[i];
		bool is_nic = !n->is_switch && s->node[n->index].kind == SCENE_NIC;
		int rc = is_nic ? given(b, n) : 0;

		if (rc)
			return rc;
	}
	if (collect(b))
		return -ENOMEM;
	for (unsigned i = 0; i < s->n_flows; i++)
		keep_known(s, s->flow[i]);
	s->draws_qp_numbers = numbers == OPT_AUTO && has_real_ports(s);
	scene_number(s, numbers == OPT_AUTO || numbers == OPT_WORD(0) ? 0 : numbers);
	return check_qpns(b);
}
