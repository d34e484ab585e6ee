// SPDX-License-Identifier: BSD-3-Clause
// The values of hosts, queue pairs and sources that differ between two scenes, one of which was
// compiled from the other (compile_change).
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "scene.h"

static bool rc_differs(const struct rc_params *a, const struct rc_params *b)
{
	return a->window != b->window || a->ack_every != b->ack_every || a->rto_ps != b->rto_ps ||
	       memcmp(&a->adaptive, &b->adaptive, sizeof(a->adaptive)) != 0 ||
	       a->retries != b->retries || a->rnr_retries != b->rnr_retries ||
	       a->rto_low_ps != b->rto_low_ps || a->nack_threshold != b->nack_threshold;
}

// A plug-in keeps its parameters, which have no live values.
static bool is_plugin(const struct rp_cfg *a, const struct rp_cfg *b)
{
	return a && b && a->kind == RP_PLUGIN && b->kind == RP_PLUGIN;
}

bool scene_flow_differs(const struct scene_flow *a, const struct scene_flow *b, bool at_sender)
{
	const struct nic_qp_params *p = &a->req, *q = &b->req;
	bool posts = at_sender || p->rc->p.verb == RC_READ;

	if (rc_differs(&p->rc->p, &q->rc->p))
		return true;
	if (posts && (p->message_bytes != q->message_bytes || p->outstanding != q->outstanding))
		return true;
	return at_sender && (p->rate_limit != q->rate_limit || p->catch_up_ps != q->catch_up_ps ||
				    !(is_plugin(p->rp, q->rp) || rp_same(p->rp, q->rp)));
}

bool scene_source_differs(const struct scene_source *a, const struct scene_source *b)
{
	const struct gen_params *p = &a->gen, *q = &b->gen;

	return p->rate != q->rate || p->frames_per_s != q->frames_per_s || p->imix != q->imix ||
	       p->min_len != q->min_len || p->max_len != q->max_len || p->burst != q->burst;
}

bool scene_np_differs(const struct nic_params *a, const struct nic_params *b)
{
	const struct dcqcn_np_params *p = &a->np, *q = &b->np;

	if (a->np_off || b->np_off)
		return a->np_off != b->np_off;
	return p->mode != q->mode || p->interval_ps != q->interval_ps ||
	       p->cnps_per_s != q->cnps_per_s || p->with_nak != q->with_nak;
}

bool scene_weights_differ(const struct nic_params *a, const struct nic_params *b)
{
	return memcmp(a->weight, b->weight, sizeof(a->weight)) != 0;
}

bool scene_max_rates_differ(const struct nic_params *a, const struct nic_params *b)
{
	return a->max_rate != b->max_rate;
}

static int flow_stays(
	const struct scene_flow *a, const struct scene_flow *b, char *why, size_t size)
{
	const struct rp_cfg *p = a->rp, *q = b->rp;

	if (b->req.outstanding > a->room) {
		snprintf(why, size,
			"flow %s cannot have %u messages outstanding: its ring has "
			"room for %u",
			a->name, b->req.outstanding, a->room);
		return -EINVAL;
	}
	if (!is_plugin(p, q) && !rp_may_adopt(p, q)) {
		snprintf(why, size, "the control of flow %s cannot change so while it runs",
			a->name);
		return -EINVAL;
	}
	// Frames are timed where the reference simulator has a stamp in each of its window.
	if (a->rc->p.recovery == RC_ANY_ORDER && rp_asks(p) & RP_ASKS_RTT &&
		b->rc->p.window > a->rc->p.window) {
		snprintf(why, size, "flow %s cannot time the frames of a window beyond %u", a->name,
			a->rc->p.window);
		return -EINVAL;
	}
	return 0;
}

static int source_stays(const struct scene *from, const struct scene_source *a,
	const struct scene_source *b, char *why, size_t size)
{
	uint32_t mtu = from->node[a->from].u.nic.mtu;

	if (b->gen.max_len > mtu) {
		snprintf(why, size, "source %s cannot have frames of %u bytes: its port takes %u",
			a->name, b->gen.max_len + PKT_FCS, mtu + PKT_FCS);
		return -EINVAL;
	}
	if (b->trips > a->trips) {
		snprintf(why, size,
			"source %s would send more frames within rtt_max than the %u "
			"whose instants it keeps",
			a->name, a->trips);
		return -EINVAL;
	}
	return 0;
}

static void note(const struct scene *s, bool *differs, unsigned node, bool does)
{
	if (scene_is_here(s, node))
		differs[node] |= does;
}

int scene_hosts_differ(
	const struct scene *from, const struct scene *to, bool *differs, char *why, size_t size)
{
	int rc = 0;

	for (unsigned i = 0; i < from->n_nodes; i++) {
		const struct nic_params *p = &from->node[i].u.nic, *q = &to->node[i].u.nic;

		if (from->node[i].kind == SCENE_NIC)
			differs[i] = scene_np_differs(p, q) || scene_weights_differ(p, q) ||
				     scene_max_rates_differ(p, q);
	}
	for (unsigned i = 0; !rc && i < from->n_flows; i++) {
		const struct scene_flow *a = from->flow[i], *b = to->flow[i];

		note(from, differs, a->from, scene_flow_differs(a, b, true));
		note(from, differs, a->to, scene_flow_differs(a, b, false));
		rc = flow_stays(a, b, why, size);
	}
	for (unsigned i = 0; !rc && i < from->n_sources; i++) {
		const struct scene_source *a = from->source[i], *b = to->source[i];

		note(from, differs, a->from, scene_source_differs(a, b));
		rc = source_stays(from, a, b, why, size);
	}
	return rc;
}

void scene_keep_room(const struct scene *from, struct scene *to)
{
	to->max_packets = from->max_packets;
	for (unsigned i = 0; i < from->n_flows; i++)
		to->flow[i]->room = from->flow[i]->room;
	for (unsigned i = 0; i < from->n_sources; i++)
		to->source[i]->trips = from->source[i]->trips;
}
