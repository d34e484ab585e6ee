// SPDX-License-Identifier: BSD-3-Clause
// Sets: the classes and maps of ports that are alike, compiled once for them all.
#include <errno.h>
#include <stdlib.h>

#include "base/have.h"
#include "int.h"

// force_ce is a marker that always wants: Kmin = Kmax = 0.
static int init_class(struct sw_cls *k, const struct sw_class_params *p)
{
	struct red_params red = p->red;

	if (p->tail_limit_bytes > UINT32_MAX)
		return -EINVAL;
	k->tail_limit = p->tail_limit_bytes ? (uint32_t)p->tail_limit_bytes : UINT32_MAX;
	k->mark = (uint8_t)p->mark;
	k->mark_any = p->mark_any;
	k->excludes_frame = p->red_excludes_frame;
	k->pfc = p->pfc;
	k->quanta = p->quanta;
	k->refresh_permille = p->refresh_permille;
	if (p->force_ce) {
		red.kmin_bytes = red.kmax_bytes = 0;
		k->excludes_frame = false;
		if (k->mark == SW_MARK_NONE)
			k->mark = SW_MARK_ENQUEUE;
	}
	if (p->pfc && !p->quanta)
		return -EINVAL;
	if (k->mark != SW_MARK_NONE) {
		int rc = red_cfg_init(&k->red, &red);

		if (rc)
			return rc;
	}
	return sw_wred_class(k, p);
}

// Returns the kinds of frames that may not be handled in a bundle, as a bitmap: CNPs if iQCN
// records them and ACKs if Fast CNP learns from them, because these may change timers and send
// messages to other shards; CNMs if QCN is on, because QCN does not sample them.
static uint16_t kinds_alone(unsigned hooks)
{
	unsigned kinds = 0;

	kinds |= hooks & SW_HOOK_CNP ? SW_KIND(PKT_CNP) : 0;
	kinds |= hooks & SW_HOOK_ACK ? SW_KIND(PKT_ACK) : 0;
	kinds |= hooks & SW_HOOK_QCN ? SW_KIND(PKT_CNM) : 0;
	return (uint16_t)kinds;
}

// What notifies senders of congestion is the same in all sets.
static bool notifies_alike(const struct sw_class_params *a, const struct sw_class_params *b)
{
	return a->qcn.on == b->qcn.on && a->qcn.cnm_class == b->qcn.cnm_class &&
	       a->qcn.alternate_class == b->qcn.alternate_class &&
	       a->qcn.min_header_octets == b->qcn.min_header_octets &&
	       a->heavy_bytes == b->heavy_bytes && a->heavy_off_bytes == b->heavy_off_bytes &&
	       a->fast_cnp == b->fast_cnp;
}

static int init_set(struct sw *sw, struct sw_set *to, const struct sw_params *p, unsigned i)
{
	const struct sw_set_params *from = &p->set[i];
	int rc = 0;

	for (unsigned c = 0; !rc && c < PKT_CLASSES; c++) {
		struct sw_cls *k = &to->cls[c];
		const struct sw_class_params *q = &from->cls[c];

		if (!notifies_alike(q, &p->set->cls[c]))
			return -EINVAL;
		rc = init_class(k, q);
		if (!rc)
			rc = sw_qcn_class(k, &q->qcn);
		if (!rc && p->iqcn_on)
			rc = sw_iqcn_class(k, q);
		if (!rc && p->fast_cnp_on)
			rc = sw_fast_cnp_class(k, q);
		k->alone = kinds_alone(k->hooks);
	}
	if (!rc)
		rc = sw_map_set(sw, to, from);
	return rc || !sw->pause || sw_pause_can(to) ? rc : -EINVAL;
}

// A port at the edge of a QCN domain has a set of its own kind: see sw_qcn_edge.
static bool has_edges(const struct sw_params *p)
{
	bool edges = false;

	for (unsigned i = 0; i < p->n_ports; i++)
		edges |= sw_qcn_is_edge(p, i);
	return edges;
}

static int init_edges(struct sw *sw, const struct sw_params *p)
{
	int rc = 0;

	for (unsigned i = 0; !rc && i < p->n_sets; i++) {
		sw->set[p->n_sets + i] = sw->set[i];
		rc = sw_qcn_edge(&sw->set[p->n_sets + i], p);
	}
	return rc;
}

int sw_set_init(struct sw *sw, const struct sw_params *p)
{
	bool edges = has_edges(p);
	int rc = 0;

	sw->n_sets = edges ? 2 * p->n_sets : p->n_sets;
	sw->set = have_zeroed(sw->n_sets * sizeof(*sw->set), &sw->set_mem);
	if (!sw->set)
		return -ENOMEM;
	for (unsigned i = 0; !rc && i < p->n_sets; i++)
		rc = init_set(sw, &sw->set[i], p, i);
	if (!rc && edges)
		rc = init_edges(sw, p);
	if (!rc)
		sw_map_groups(sw);
	return rc;
}

struct sw_set *sw_set_of(const struct sw *sw, const struct sw_params *p, unsigned port)
{
	return &sw->set[p->port[port].set + (sw_qcn_is_edge(p, port) ? p->n_sets : 0)];
}
