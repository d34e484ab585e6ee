// SPDX-License-Identifier: BSD-3-Clause
// Headroom for late loops. While the loop of a switch is late, frames gather in the rings of its
// devices, and arrive all at once. The XOFF that they cause waits for the peer, whose loop may be
// late, too. The wire goes on at its rate during both delays. It also goes on while XOFF waits
// behind frames that the device has taken before, and while the peer's device sends its frames.
//
// This memory is added to the buffer of the scenario, so that thresholds and shared bytes are the
// same as in virtual time: a switch of hardware has no loop.
#include "late.h"

#include "headroom.h"

#define LATE (50 * PS_PER_US) // by default
#define ENDS 2                // the switch's own loop and device, and its peer's

// Buffer for the frames that arrive at a port while a loop is late, in bytes. `held`: the part for
// frames that devices hold.
struct late {
	uint64_t bytes, held;
};

static tstamp late_at(const struct draft_node *n, unsigned port)
{
	if (n->sw->late_loop != OPT_AUTO)
		return n->sw->late_loop;
	return n->port[port]->spec->device ? LATE : 0;
}

// The bytes are 0 if no loop may be late.
static struct late late_in(const struct draft *b, const struct draft_port *p, tstamp late)
{
	uint32_t cell = (uint32_t)p->link->node[p->end]->sw->cell;
	unsigned __int128 bits = (unsigned __int128)ENDS * late * p->link->spec.rate;
	uint64_t loops = (uint64_t)((bits + 8 * PS_PER_S - 1) / (8 * PS_PER_S)), held = 0;
	struct late in;

	if (late && p->spec->device)
		held = ENDS * scene_tx_held(p->link->spec.rate, hardware_port_mtu(b, p));
	in.bytes = headroom_in_cells(loops + held, cell);
	in.held = in.bytes - headroom_in_cells(loops, cell);
	return in;
}

// Returns whether a group's headroom is `auto`, so that it grows for late loops. A size that the
// scenario gives stays as it is.
static bool is_auto(const struct draft_node *n, unsigned port, unsigned pg)
{
	return hardware_pg_is_lossless(n->port[port], pg) &&
	       n->port[port]->spec->cls[pg].pfc.headroom == OPT_AUTO;
}

static uint64_t give_headroom(struct sw_port_params *port, const struct draft_node *n, unsigned at,
	uint64_t bytes, bool real)
{
	uint64_t sum = 0;

	for (unsigned pg = 0; pg < MMU_PGS; pg++)
		if (is_auto(n, at, pg)) {
			port->pg[pg].headroom_bytes += real ? bytes : 0;
			sum += bytes;
		}
	return sum;
}

// Pools whose size is given grow with the buffer, except the pool of lossy queues, which needs no
// headroom.
static void grow(struct sw_params *p, uint64_t bytes)
{
	if (sw_has_two_sides(p) && !p->egress_bytes[1])
		p->egress_bytes[1] = p->buffer_bytes;
	if (p->egress_bytes[0])
		p->egress_bytes[0] += bytes;
	if (p->headroom_pool_bytes)
		p->headroom_pool_bytes += bytes;
	else if (p->ingress_bytes)
		p->ingress_bytes += bytes;
	p->buffer_bytes += bytes;
}

int late_loops(struct draft *b, const struct draft_node *n, struct sw_params *p,
	struct sw_port_params *port)
{
	struct scene_node *to = &b->s->node[n->index];
	bool real = b->opts && b->opts->real;
	uint64_t sum = 0;

	for (unsigned i = 0; i < n->n_ports; i++) {
		tstamp late = late_at(n, i);
		struct late in = late_in(b, n->port[i], late);
		uint64_t all = give_headroom(&port[i], n, i, in.bytes, real);

		to->port[i].late_loop = all ? late : 0;
		to->port[i].late_bytes = all ? in.bytes : 0;
		to->port[i].held_bytes = all ? in.held : 0;
		sum += all;
	}
	if (sum > UINT32_MAX - p->buffer_bytes)
		return yamldoc_err(b->err,
			draft_given(&scene_opts_switch, n->sw, "late_loop", n->key),
			"switch '%s': late_loop adds %llu bytes of headroom, and with them its "
			"buffer has more than 4 GiB, which is the most; make late_loop shorter",
			n->name, (unsigned long long)sum);
	to->late_bytes = real ? sum : 0;
	if (to->late_bytes)
		grow(p, sum);
	return 0;
}
