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

// Collects the QPNs that flows give their senders, for each host in rising order.
static int collect(struct draft *b)
{
	struct scene *s = b->s;
	uint32_t n = 0, *qpn;

	for (unsigned i = 0; i < s->n_flows; i++) {
		n += s->flow[i]->src_qpn != 0;
		s->node[s->flow[i]->from].n_qpns += s->flow[i]->src_qpn != 0;
	}
	qpn = n ? draft_get(b, n * sizeof(*qpn)) : NULL;
	if (!qpn)
		return n ? -ENOMEM : 0;
	for (unsigned i = 0; i < b->n_nodes; i++) {
		struct scene_node *node = &s->node[i];

		node->qpn = qpn;
		qpn += node->n_qpns;
		node->n_qpns = 0;
	}
	for (unsigned i = 0; i < s->n_flows; i++) {
		struct scene_node *node = &s->node[s->flow[i]->from];

		if (s->flow[i]->src_qpn)
			node->qpn[node->n_qpns++] = s->flow[i]->src_qpn;
	}
	for (unsigned i = 0; i < b->n_nodes; i++)
		if (s->node[i].n_qpns)
			qsort(s->node[i].qpn, s->node[i].n_qpns, sizeof(*qpn), by_qpn);
	return 0;
}

// Refuses a QPN that two queue pairs of the host have, at the last flow that says it.
static int taken(struct draft *b, const struct scene_node *n, uint32_t qpn, const char *by)
{
	const struct draft_flow *says = NULL;

	for (unsigned i = 0; i < b->n_flows; i++) {
		const struct draft_flow *f = b->flow[i];

		for (unsigned k = 0; !f->is_open_loop && k < f->n_qps; k++) {
			const struct scene_flow *q = b->s->flow[f->first_qp + k];

			if (q->src_qpn == qpn && &b->s->node[q->from] == n)
				says = f;
		}
	}
	return yamldoc_err(b->err, draft_given(&scene_opts_flow, says->spec, "src_qpn", says->key),
		"flow '%s': %s queue pair of %s has QPN %u, too; give src_qpn another number",
		says->name, by, n->name, qpn);
}

// Whether a queue pair that counts from the host's base has a QPN that the scenario gives another.
static bool meets(const struct scene_node *n, uint32_t number)
{
	uint32_t qpn = n->u.nic.qpn_base + number;

	return bsearch(&qpn, n->qpn, n->n_qpns, sizeof(qpn), by_qpn) != NULL;
}

static int check_given(struct draft *b, const struct draft_node *host)
{
	const struct scene_node *n = &b->s->node[host->index];

	for (unsigned i = 0; i + 1 < n->n_qpns; i++)
		if (n->qpn[i] == n->qpn[i + 1])
			return taken(b, n, n->qpn[i], "another");
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
			rc = taken(b, from, from->u.nic.qpn_base + f->src_qp, "a counted");
		else if (to->n_qpns && meets(to, f->dst_qp))
			rc = taken(b, to, to->u.nic.qpn_base + f->dst_qp, "a counted");
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
