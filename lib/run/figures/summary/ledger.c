// SPDX-License-Identifier: BSD-3-Clause
// The ledger of discarded frames, by reason. Rooms sw_terms and nic_terms say which reasons are
// losses.
#include "ledger.h"

#include <errno.h>

#include "int.h"

// Drops by reason; the window's are first in the object, as kind_reasons() wants it.
struct sw_drops {
	uint64_t drop[SW_DROPS], whole[SW_DROPS];
};
struct nic_drops {
	uint64_t drop[NIC_DROPS], whole[NIC_DROPS];
};

static void add_whole(const struct record *r, uint64_t sw[SW_DROPS], uint64_t nic[NIC_DROPS])
{
	for (unsigned i = 0; i < r->n_ports; i++) {
		const struct rec_port *p = &r->port[i];

		for (unsigned d = 0; p->sw && d < SW_DROPS; d++)
			sw[d] += sw_port_rare_stats(p->sw, p->port)->drop[d];
	}
	for (unsigned i = 0; i < r->net->n_nodes; i++) {
		const struct net_node *n = net_node(r->net, i);

		for (unsigned d = 0; n->kind == SCENE_NIC && d < NIC_DROPS; d++)
			nic[d] += nic_stats(n->u.nic)->drop[d];
	}
}

uint64_t summary_lost(const struct record *r)
{
	uint64_t sw[SW_DROPS] = {0}, nic[NIC_DROPS] = {0}, n = 0;

	add_whole(r, sw, nic);
	for (unsigned d = 0; d < SW_DROPS; d++)
		n += sw_drop_fate((enum sw_drop)d) == DROP_FILTERED ? 0 : sw[d];
	for (unsigned d = 0; d < NIC_DROPS; d++)
		n += nic_drop_fate((enum nic_drop)d) == DROP_FILTERED ? 0 : nic[d];
	return n;
}

bool summary_ledger(const struct summary *s, unsigned i, struct ledger_row *row)
{
	const struct sw_drops *sw = set_at(&s->set[KIND_DROP], 0);
	const struct nic_drops *nic = set_at(&s->set[KIND_NIC_DROP], 0);

	if (i >= SW_DROPS + NIC_DROPS)
		return false;
	if (i < SW_DROPS)
		*row = (struct ledger_row){false, sw_drop_name((enum sw_drop)i),
			sw_drop_fate((enum sw_drop)i), sw->drop[i], sw->whole[i]};
	else
		*row = (struct ledger_row){true, nic_drop_name((enum nic_drop)(i - SW_DROPS)),
			nic_drop_fate((enum nic_drop)(i - SW_DROPS)), nic->drop[i - SW_DROPS],
			nic->whole[i - SW_DROPS]};
	return true;
}

// Sums up drops by reason. Each reason is a counter of every port or NIC, with a name of its own.
static void sum_reasons(struct summary *s, uint64_t *drop, const struct kind_reasons *reasons,
	enum kind_id counters)
{
	char name[48];

	kind_set(s, counters);
	for (unsigned d = 0; d < reasons->n; d++) {
		snprintf(name, sizeof(name), "drop_%s", reasons->name(d));
		drop[d] = (uint64_t)summary_sum(s, counters, name);
	}
}

static int make_sw_drops(struct summary *s, struct set *to)
{
	uint64_t of_nics[NIC_DROPS] = {0};
	struct sw_drops *o;

	if (set_room(to, &kind_drop, 1))
		return -ENOMEM;
	o = set_add(to);
	sum_reasons(s, o->drop, &kind_drop.reasons, KIND_PORT);
	add_whole(s->rec, o->whole, of_nics);
	return 0;
}

static int make_nic_drops(struct summary *s, struct set *to)
{
	uint64_t of_switches[SW_DROPS] = {0};
	struct nic_drops *o;

	if (set_room(to, &kind_nic_drop, 1))
		return -ENOMEM;
	o = set_add(to);
	sum_reasons(s, o->drop, &kind_nic_drop.reasons, KIND_NIC);
	add_whole(s->rec, of_switches, o->whole);
	return 0;
}

static const char *sw_reason(unsigned i)
{
	return sw_drop_name((enum sw_drop)i);
}

static const char *nic_reason(unsigned i)
{
	return nic_drop_name((enum nic_drop)i);
}

const struct kind kind_drop = {
	.key = "switch_drops",
	.path = "drop",
	.title = "Frames that switches discarded",
	.about = "By reason, all switches together.",
	.single = true,
	.size = sizeof(struct sw_drops),
	.reasons = {SW_DROPS, sw_reason, "frames", "frames discarded for this reason"},
	.make = make_sw_drops,
};

const struct kind kind_nic_drop = {
	.key = "nic_drops",
	.path = "nic_drop",
	.title = "Frames that NICs discarded",
	.about = "By reason, all NICs together.",
	.single = true,
	.size = sizeof(struct nic_drops),
	.reasons = {NIC_DROPS, nic_reason, "frames", "frames discarded for this reason"},
	.make = make_nic_drops,
};
