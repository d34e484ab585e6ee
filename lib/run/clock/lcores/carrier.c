// SPDX-License-Identifier: BSD-3-Clause
// Links of real ports that go down and come up: each lcore tells its own nodes, in the same way as
// link_down and link_up of a scenario.
#include "carrier.h"

#include "injector.h"
#include "stash.h"

static void change(struct rt_lcore *lc, struct rt_end *e, enum watch_link link, tstamp now)
{
	bool was_up = e->link == WATCH_UP, is_up = link == WATCH_UP;
	const struct ctl ctl = {.type = is_up ? CTL_LINK_UP : CTL_LINK_DOWN, .port = e->port};

	e->link = (uint8_t)link;
	if (!is_up) // frames on their way out are lost: the device has given them up
		rt_stash_drop(lc, e, now);
	if (was_up != is_up && !e->shut)
		rt_lcore_ctl(lc, e->node, &ctl, now);
}

static void take_link_states(struct rt_lcore *lc, const uint16_t *slot, unsigned n, tstamp now)
{
	for (unsigned i = 0; i < n; i++) {
		struct rt_end *e = &lc->end[slot[i]];
		uint8_t link = atomic_load_explicit(&e->told, memory_order_relaxed);

		if (link != e->link)
			change(lc, e, link, now);
	}
}

void rt_carrier_take(struct rt_lcore *lc, tstamp now)
{
	lc->links_seen = atomic_load_explicit(&lc->links, memory_order_acquire);
	take_link_states(lc, lc->dev, lc->n_dev, now);
	take_link_states(lc, lc->side, lc->n_side, now);
}

// The main lcore looks when a quiesce is over.
static void tell_quiesce(struct rt_lcore *lc, const struct ctl *ctl)
{
	atomic_store_explicit(&lc->quiesce, ctl->b << 1 | ctl->a, memory_order_relaxed);
	atomic_fetch_add_explicit(&lc->quiesces, 1, memory_order_release);
}

// Each shard of a cut switch has slots for all ports, and frames come to the shard of the port.
static bool has_port(const struct rt_node *n, unsigned port)
{
	const struct sw *sw = n->net->u.sw;

	return n->shards == 1 || sw_owner(sw, port) == sw;
}

int rt_carrier_ctl(struct rt_lcore *lc, const struct rt_cmd *c, tstamp now)
{
	bool is_link = c->ctl->type == CTL_LINK_DOWN || c->ctl->type == CTL_LINK_UP;
	struct rt_end *e = is_link ? &lc->end[c->node->first + c->ctl->port] : NULL;
	int rc;

	if (c->ctl->type == CTL_STOP)
		lc->end_at = tstamp_min(lc->end_at, c->at);
	if (c->ctl->type == CTL_QUIESCE)
		tell_quiesce(lc, c->ctl);
	if (e && e->dev)
		e->shut = c->ctl->type == CTL_LINK_DOWN;
	if (e && e->link != WATCH_UP)
		return 0;
	rc = rt_lcore_ctl(lc, c->node, c->ctl, now);
	if (c->ctl->type == CTL_FAULT && has_port(c->node, c->ctl->port))
		rt_injector_join(lc, &lc->end[c->node->first + c->ctl->port]);
	return rc;
}
