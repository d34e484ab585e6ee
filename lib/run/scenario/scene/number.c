// SPDX-License-Identifier: BSD-3-Clause
// QPNs and first PSNs of a scene: counted, or drawn so that strangers cannot guess them.
#include "scene.h"

#include <sys/random.h>

#include "base/prng.h"
#include "frame/frame.h"
#include "wire/bth.h"

// Returns the first base from `base` on whose QPNs the scenario gives to no queue pair of the host.
static uint32_t free_base(const struct scene_node *n, uint32_t base)
{
	for (uint32_t i = 0; i < n->n_qpns; i++)
		if (n->qpn[i] > base && n->qpn[i] <= base + n->n_qps)
			base = n->qpn[i];
	return base;
}

static void number_host(struct scene_node *n, uint64_t numbers)
{
	uint32_t base = BTH_QPN_BASE, psn = 0;
	struct prng rng;

	if (numbers) {
		prng_init(&rng, numbers, n->name);
		base += (uint32_t)prng_below(&rng, SCENE_QPN_MOST + 1 - BTH_QPN_BASE - n->n_qps);
		psn = prng_u32(&rng) & BTH_PSN_MASK;
	}
	base = free_base(n, base);
	if (base > SCENE_QPN_MOST - n->n_qps)
		base = free_base(n, 1);
	if (!n->qpn_given)
		n->u.nic.qpn_base = base;
	if (!n->psn_given)
		n->first_psn = psn;
}

static void number_pair(const struct scene *s, struct scene_flow *f)
{
	const struct scene_node *from = &s->node[f->from], *to = &s->node[f->to];
	uint32_t theirs = f->peer ? f->peer->qpn : 0;

	f->req.qpn = f->rsp.peer_qpn = f->src_qpn ? f->src_qpn : from->u.nic.qpn_base + f->src_qp;
	f->req.number = f->src_qpn ? f->src_qp : 0;
	f->rsp.qpn = f->req.peer_qpn = to->u.nic.qpn_base + f->dst_qp;
	if (f->req.peer && theirs)
		f->req.peer_qpn = theirs;
	if (f->rsp.peer && theirs)
		f->rsp.peer_qpn = theirs;
	if (f->peer)
		f->peer->ours = to->external ? f->req.qpn : f->rsp.qpn;
	if (!f->psn_given)
		f->req.psn = f->rsp.psn = from->first_psn;
}

// A forged frame has the numbers of its queue pair.
static void number_forged(const struct scene *s, struct scene_forge *g)
{
	if (g->flow != SCENE_FAULT_GIVEN && g->pkt.kind != PKT_CNM) {
		const struct scene_flow *f = s->flow[g->flow];

		g->pkt.u.rc.qpn = f->rsp.peer_qpn;
		if (g->pkt.kind == PKT_ACK)
			g->pkt.u.rc.psn = (f->req.psn + g->psn) & BTH_PSN_MASK;
	}
	g->pkt.hdr = &g->hdr;
	frame_from_pkt(&g->pkt, g->bytes);
}

void scene_number(struct scene *s, uint64_t numbers)
{
	unsigned n = s->n_nodes + s->n_elsewhere;

	s->qp_numbers = numbers;
	for (unsigned i = 0; i < n; i++)
		if (s->node[i].kind == SCENE_NIC && !s->node[i].lane)
			number_host(&s->node[i], numbers);
	for (unsigned i = 0; i < n; i++) {
		const struct scene_node *host = &s->node[scene_host_of(s, i)];

		s->node[i].first_psn = host->first_psn;
		if (s->node[i].lane)
			s->node[i].u.nic.qpn_base = host->u.nic.qpn_base;
	}
	for (unsigned i = 0; i < s->n_flows; i++)
		number_pair(s, s->flow[i]);
	for (unsigned i = 0; i < s->n_faults; i++)
		if (s->fault[i]->forge)
			number_forged(s, s->fault[i]->forge);
}

uint64_t scene_draw_numbers(void)
{
	uint64_t n = 0;

	if (getrandom(&n, sizeof(n), 0) != sizeof(n))
		return 0;
	n >>= 16;
	return n ? n : 1;
}
