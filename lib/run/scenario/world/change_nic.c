// SPDX-License-Identifier: BSD-3-Clause
// Lists for the NICs of a net in a change: the queue pairs, sources and hosts that differ.
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "change.h"

// The list of a node, which is made when it is first needed; NULL: the node is elsewhere.
static int list_of(struct change_nics *c, unsigned node, struct nic_adopt **list)
{
	struct nic *nic = net_nic(c->net, node);

	*list = NULL;
	if (!nic)
		return 0;
	if (!c->list[node]) {
		int rc = nic_adopt_new(&c->list[node], nic);

		if (rc)
			return rc;
	}
	*list = c->list[node];
	return 0;
}

static int adopt_end(struct change_nics *c, const struct scene_flow *a, const struct scene_flow *b,
	bool at_sender)
{
	struct nic_adopt *list;
	int rc;

	if (!scene_flow_differs(a, b, at_sender))
		return 0;
	rc = list_of(c, at_sender ? a->from : a->to, &list);
	return rc || !list ? rc : nic_adopt_qp(list, at_sender ? &b->req : &b->rsp);
}

static int adopt_flows(
	struct change_nics *c, const struct scene *from, const struct scene *to, struct err *err)
{
	for (unsigned i = 0; i < from->n_flows; i++) {
		const struct scene_flow *a = from->flow[i], *b = to->flow[i];
		int rc = adopt_end(c, a, b, true);

		if (!rc)
			rc = adopt_end(c, a, b, false);
		if (rc)
			return err_set(err, rc, "flow %s cannot adopt a change: %s", a->name,
				strerror(-rc));
	}
	return 0;
}

static int adopt_sources(
	struct change_nics *c, const struct scene *from, const struct scene *to, struct err *err)
{
	for (unsigned i = 0; i < from->n_sources; i++) {
		const struct scene_source *a = from->source[i], *b = to->source[i];
		struct nic_adopt *list = NULL;
		int rc = scene_source_differs(a, b) ? list_of(c, a->from, &list) : 0;

		if (!rc && list)
			rc = nic_adopt_gen(list, &b->gen);
		if (rc)
			return err_set(err, rc, "source %s cannot adopt a change: %s", a->name,
				strerror(-rc));
	}
	return 0;
}

static int adopt_host(struct change_nics *c, unsigned node, const struct nic_params *a,
	const struct nic_params *b)
{
	bool np = scene_np_differs(a, b), weights = scene_weights_differ(a, b),
	     max_rate = scene_max_rates_differ(a, b);
	struct nic_adopt *list = NULL;
	int rc = np || weights || max_rate ? list_of(c, node, &list) : 0;

	if (!rc && np)
		rc = nic_adopt_np(list, &b->np, b->np_off);
	if (!rc && weights)
		rc = nic_adopt_weights(list, b->weight);
	if (!rc && max_rate)
		rc = nic_adopt_max_rate(list, b->max_rate);
	return rc;
}

int change_nics(
	struct change_nics *c, const struct scene *from, const struct scene *to, struct err *err)
{
	int rc = 0;

	c->list = calloc(c->net->n_nodes + 1ul, sizeof(*c->list));
	if (!c->list)
		return err_set(err, -ENOMEM, "no memory for a change");
	for (unsigned i = 0; !rc && i < c->net->n_nodes; i++) {
		const struct scene_node *a = &from->node[i];

		if (a->kind == SCENE_NIC)
			rc = adopt_host(c, i, &a->u.nic, &to->node[i].u.nic);
		if (rc)
			err_set(err, rc, "%s cannot adopt a change: %s", a->name, strerror(-rc));
	}
	if (!rc)
		rc = adopt_flows(c, from, to, err);
	return rc ? rc : adopt_sources(c, from, to, err);
}
