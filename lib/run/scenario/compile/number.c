// SPDX-License-Identifier: BSD-3-Clause
// QPNs and first PSNs: given by the scenario, or drawn by the run.
#include "int.h"

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
	for (unsigned i = 0; i < s->n_flows; i++)
		keep_known(s, s->flow[i]);
	s->draws_qp_numbers = numbers == OPT_AUTO && has_real_ports(s);
	scene_number(s, numbers == OPT_AUTO || numbers == OPT_WORD(0) ? 0 : numbers);
	return 0;
}
