// SPDX-License-Identifier: BSD-3-Clause
// Changes of a net that runs: which nodes differ between two scenes, and the orders to them.
#include "change.h"
#include "injector.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int add_order(struct net_change *c, unsigned node, uint32_t number, const void *with)
{
	c->order[c->n++] = (struct net_order){(uint16_t)node,
		{.type = CTL_ADOPT, .port = PKT_NO_PORT, .id = number, .with = with}};
	return 0;
}

static int order_to_switch(struct net_change *c, unsigned node, const struct sw_params *from,
	const struct sw_params *to, uint32_t number, struct err *err)
{
	struct sw_change *change;
	char why[160];
	int rc = sw_change_check(from, to, why, sizeof(why));

	if (rc < 0)
		return err_set(err, rc, "%s cannot change %s while it runs", to->name, why);
	if (!rc)
		return 0;
	rc = sw_change_new(&change, net_node(c->net, node)->u.sw, from, to, number);
	return rc ? err_set(err, rc, "%s cannot adopt a change: %s", to->name, strerror(-rc))
		  : add_order(c, node, number, change);
}

// A list belongs to its order, even on error.
static int order_to_nics(struct net_change *c, const struct scene *from, const struct scene *to,
	uint32_t number, struct err *err)
{
	struct change_nics nics = {.net = c->net};
	int rc = change_nics(&nics, from, to, err);

	for (unsigned i = 0; nics.list && i < c->net->n_nodes; i++) {
		if (nics.list[i])
			add_order(c, i, number, nics.list[i]);
	}
	free(nics.list);
	return rc;
}

int net_change_new(struct net_change **out, const struct net *net, const struct scene *from,
	const struct scene *to, uint32_t number, struct err *err)
{
	struct net_change *c = calloc(1, sizeof(*c) + net->n_nodes * sizeof(c->order[0]));
	int rc = 0;

	if (!c)
		return err_set(err, -ENOMEM, "no memory for a change");
	c->net = net;
	rc = order_to_nics(c, from, to, number, err);
	for (unsigned i = 0; !rc && i < net->n_nodes; i++) {
		const struct scene_node *a = &from->node[i], *b = &to->node[i];

		if (a->kind == SCENE_SW)
			rc = order_to_switch(c, i, &a->u.sw, &b->u.sw, number, err);
	}
	if (rc)
		net_change_free(c);
	else
		*out = c;
	return rc;
}

void net_change_free(struct net_change *c)
{
	for (unsigned i = 0; c && i < c->n; i++) {
		void *with = (void *)(uintptr_t)c->order[i].ctl.with;

		if (c->order[i].ctl.type == CTL_FAULT)
			injector_change_free(with);
		else if (net_node(c->net, c->order[i].node)->kind == SCENE_SW)
			sw_change_free(with);
		else
			nic_adopt_free(with);
	}
	free(c);
}

int net_changes_make(struct net *net, struct err *err)
{
	const struct scene *s = net->scene, *from = s;
	int rc = 0;

	if (!s->n_changes)
		return 0;
	net->change = calloc(s->n_changes, sizeof(struct net_change *));
	if (!net->change)
		return err_set(err, -ENOMEM, "no memory for %u changes", s->n_changes);
	for (unsigned i = 0; !rc && i < s->n_changes; i++) {
		rc = net_change_new(&net->change[i], net, from, s->change[i].to, i + 1, err);
		from = s->change[i].to;
	}
	return rc;
}

const struct ctl *net_command(const struct net *net, const struct scene_event *e)
{
	const struct net_change *c = e->ctl.type == CTL_ADOPT ? net->change[e->ctl.id - 1] : NULL;

	for (unsigned i = 0; c && i < c->n; i++)
		if (c->order[i].node == e->node)
			return &c->order[i].ctl;
	return &e->ctl;
}
