// SPDX-License-Identifier: BSD-3-Clause
// Reaction points that several queue pairs share (QCN), and their turns at the shared limiter.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "int.h"

static uint32_t hash_of(uint16_t flow_id, const uint8_t dst[6], unsigned cls)
{
	return flow_id ? index_hash(flow_id, NULL, 0) : index_hash(cls, dst, 6);
}

// The reaction point of a flow ID, or with flow ID 0 the shared one of a destination and class.
struct nic_group *nic_group_find(
	const struct nic *nic, uint16_t flow_id, const uint8_t dst[6], unsigned cls)
{
	const struct nic_qp *qp = nic_by_number(nic, flow_id);
	uint32_t hash = hash_of(flow_id, dst, cls), at = hash, i;

	// A scene gives a queue pair its number as flow ID.
	if (flow_id && qp && qp->joined && nic_group(qp)->flow_id == flow_id)
		return nic_group(qp);
	while ((i = index_next(&nic->group_of, hash, &at)) != INDEX_NONE) {
		struct nic_group *g = nic->group[i];

		if (g->flow_id != flow_id)
			continue;
		if (flow_id || (g->cls == cls && !memcmp(g->dst, dst, 6)))
			return g;
	}
	return NULL;
}

void nic_group_free(struct nic_group *g)
{
	free(g->state);
	free(g);
}

static struct nic_group *add_group(struct nic *nic, const struct nic_qp_params *p, uint16_t flow_id)
{
	uint32_t hash = hash_of(flow_id, p->data_hdr->dst, p->cls);
	struct nic_group *g;
	char name[96];

	if (!nic_room(&nic->group, nic->n_groups))
		return NULL;
	g = calloc(1, sizeof(*g));
	if (!g)
		return NULL;
	g->state = calloc(1, rp_state_size(p->rp));
	if (!g->state || index_add(&nic->group_of, hash, nic->n_groups)) {
		nic_group_free(g);
		return NULL;
	}
	g->number = nic->n_groups;
	g->flow_id = flow_id;
	g->cls = p->cls;
	memcpy(g->dst, p->data_hdr->dst, sizeof(g->dst));
	snprintf(name, sizeof(name), "%s.rp%u", nic->p.name, nic->n_groups);
	prng_init(&g->rng, nic->p.seed, name);
	g->cfg = p->rp;
	rp_init(&g->rp, p->rp, g->state, &g->rng);
	nic->group[nic->n_groups++] = g;
	return g;
}

int nic_group_join(struct nic *nic, struct nic_qp *qp, const struct nic_qp_params *p)
{
	bool tagged = p->data_hdr->flags & HDR_CNTAG;
	uint16_t flow_id = tagged ? p->data_hdr->cntag : 0;
	struct nic_group *g = nic_group_find(nic, flow_id, p->data_hdr->dst, p->cls);
	bool shared = !flow_id || p->rp_shared;

	if (tagged && !flow_id)
		return -EINVAL;
	if (g && (!shared || g->cfg != p->rp))
		return -EEXIST;
	if (!g)
		g = add_group(nic, p, flow_id);
	if (!g)
		return -ENOMEM;
	qp->joined = true;
	qp->req.rp = &g->rp;
	qp->req.more->group = g;
	g->any = qp;
	if (shared)
		qp->req.more->shared = g;
	else
		g->turn = qp;
	return 0;
}

void nic_group_rate(struct nic_group *g, tstamp from)
{
	rate_t rate = rp_rate(&g->rp);

	if (!g->turn) // bytes lost meanwhile belong to nobody
		(void)pacer_set_rate(&g->idle, rate < g->ceiling ? rate : g->ceiling, from);
}

void nic_group_follow(struct nic_qp *qp)
{
	struct nic_req *r = &qp->req;

	if (r->rate == nic_rp_paced(r))
		return;
	r->rate = nic_rp_paced(r);
	pacer_set_next_rate(&r->pacer, r->rate);
}

// Gives the state of the limiter to the queue pair whose turn it is. Each queue pair keeps its own
// count of lost bytes.
static void hand_over(struct pacer *to, const struct pacer *from)
{
	to->next = from->next;
	to->frac = from->frac;
	to->bytes = from->bytes;
}

static void take_turn(struct nic_group *g, struct nic_qp *qp, const struct pacer *from)
{
	g->turn = qp;
	g->served = false;
	nic_group_follow(qp);
	hand_over(&qp->req.pacer, from);
	qp->req.rp_at = rp_deadline(&g->rp);
}

// Returns whether it is this queue pair's turn at the limiter that it shares; if not, it waits. A
// queue pair that has just sent goes behind those that wait.
bool nic_group_turn(struct nic *nic, struct nic_qp *qp, bool sent, tstamp now)
{
	struct nic_group *g = nic_shared(qp);

	g->served |= sent;
	if (!g->turn) {
		// Nobody could send: the schedule begins anew, whatever the rate did meanwhile.
		nic_rp_expire(nic, qp, now);
		pacer_restart(&g->idle, now);
		take_turn(g, qp, &g->idle);
		return true;
	}
	if (g->turn == qp && !(g->served && g->head))
		return true;
	if (qp->state == NIC_QP_GAP)
		wheel_set(&nic->gap, qp->index, TSTAMP_NEVER);
	qp->state = NIC_QP_WAIT;
	qp->next_ready = NULL;
	if (g->head)
		g->tail->next_ready = qp;
	else
		g->head = qp;
	g->tail = qp;
	if (g->turn == qp)
		nic_group_pass(nic, qp, now);
	return false;
}

// The turn goes on, with the gap that is still running.
void nic_group_pass(struct nic *nic, struct nic_qp *qp, tstamp now)
{
	struct nic_group *g = nic_shared(qp);
	struct nic_qp *next = g->head;

	qp->req.rp_at = TSTAMP_NEVER;
	if (!next) {
		g->turn = NULL;
		g->idle = qp->req.pacer;
		g->ceiling = qp->req.ceiling;
		return;
	}
	g->head = next->next_ready;
	take_turn(g, next, &qp->req.pacer);
	next->state = NIC_QP_IDLE;
	nic_req_place(nic, next, now);
}
