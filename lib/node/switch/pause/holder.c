// SPDX-License-Identifier: BSD-3-Clause
// Finds the egress queues that hold an ingress group's bytes when XOFF is sent for the group.
#include "int.h"
#include "shards/shards.h"

struct holding {
	const struct sw *sw;
	unsigned in, group;
	uint32_t bytes;
};

static void add_holding(void *arg, const struct pkt *p)
{
	struct holding *h = arg;
	uint32_t bytes = p->len + h->sw->queue_extra;

	if (p->in_port == h->in && sw_pg(h->sw, p) == h->group)
		h->bytes += h->sw->two_sided ? mmu_cells(h->sw->pools.cfg, bytes) : bytes;
}

// Bytes that an egress queue holds of a group of port `in`.
static uint32_t held_bytes(
	const struct sw *sw, const struct eport_q *q, unsigned in, unsigned group)
{
	struct holding h = {.sw = sw, .in = in, .group = group};

	eport_q_each(q, add_holding, &h);
	return h.bytes;
}

// Inserts a queue into the *n largest ones. Among equal queues the first one stays first.
static void rank(struct ev_holder *largest, unsigned *n, const struct ev_holder *h)
{
	unsigned at = *n;

	while (at && largest[at - 1].bytes < h->bytes)
		at--;
	if (at == SW_HOLDERS)
		return;
	*n += *n < SW_HOLDERS;
	for (unsigned i = *n - 1; i > at; i--)
		largest[i] = largest[i - 1];
	largest[at] = *h;
}

// Returns whether this shard may look at the queues of a port. Shards in threads of their own do
// not read each other's queues.
static bool is_seen(const struct sw *sw, unsigned port)
{
	return !sw->port[port].away || sw->fabric->hop_ps;
}

static unsigned find_largest(
	const struct sw *sw, unsigned in, unsigned group, struct ev_holder *largest)
{
	unsigned first = sw->mapped ? 0 : group, last = sw->mapped ? PKT_CLASSES - 1 : group;
	unsigned n = 0;

	for (unsigned i = 0; i < sw->n_ports; i++)
		for (unsigned c = first; c <= last && is_seen(sw, i); c++) {
			struct ev_holder h = {
				.out = (uint16_t)i,
				.out_cls = (uint8_t)c,
				.bytes = held_bytes(sw, &sw_of(sw, i)->port[i].e.q[c], in, group),
				.group_bytes = sw->mmu.pg[in * MMU_PGS + group].bytes,
			};

			if (h.bytes)
				rank(largest, &n, &h);
		}
	return n;
}

void sw_holders(struct sw *sw, const struct sw_port *in, uint8_t classes, tstamp now)
{
	uint8_t told = 0; // groups

	if (!(sw->events->want >> EV_XOFF_HOLDER & 1))
		return;
	for (unsigned left = classes; left; left &= left - 1) {
		unsigned cls = (unsigned)__builtin_ctz(left), group = in->set->pg_of[cls];
		struct ev_holder largest[SW_HOLDERS];
		unsigned n;

		if (told >> group & 1)
			continue;
		told |= (uint8_t)(1u << group);
		n = find_largest(sw, in->index, group, largest);
		for (unsigned i = 0; i < n; i++) {
			struct ev *ev = ev_put(sw->events, EV_XOFF_HOLDER, now);

			if (!ev)
				return;
			ev->port = in->index;
			ev->cls = (uint8_t)cls;
			// Field by field: what lies between fields stays zero.
			ev->holder.out = largest[i].out;
			ev->holder.out_cls = largest[i].out_cls;
			ev->holder.bytes = largest[i].bytes;
			ev->holder.group_bytes = largest[i].group_bytes;
		}
	}
}
