// SPDX-License-Identifier: BSD-3-Clause
// The ports that have an observer of the nodes behind their link, and the interval by which it
// judges CNPs that come from there.
#include "int.h"

static bool is_real(const struct draft *b)
{
	return b->opts && b->opts->real;
}

// Whether the other end of a device's link is run by nobody of ours.
static bool peer_is_foreign(const struct draft *b, const struct draft_node *n, unsigned port)
{
	const struct draft_node *peer = draft_peer(n, port);

	return is_real(b) && n->port[port]->spec->device && (peer->external || peer->outside);
}

// Several lcores handle the frames of such a port, and an observer sees frames in one order.
static bool has_several_lcores(
	const struct draft *b, const struct draft_node *n, const struct spec_port *p)
{
	return is_real(b) && (p->rx_queues > 1 || (!n->is_switch && n->host->lcores > 1));
}

static int refuse_several(struct draft *b, const struct draft_node *n, const struct draft_port *p)
{
	return yamldoc_err(b->err, draft_given(&scene_opts_port, p->spec, "observe", n->key),
		"port %s: on the real clock one lcore has to handle the frames of a port with "
		"observe: true; set %s to 1",
		p->name, n->is_switch ? "its rx_queues" : "lcores of its host");
}

// The interval of the notification points behind a port: the peer's, if it is a host. Behind a
// switch there may be any other host of the scenario, so they have to agree.
static tstamp np_interval(const struct draft *b, const struct draft_node *n, unsigned port)
{
	const struct draft_node *peer = draft_peer(n, port);
	tstamp found = 0;

	if (!peer->is_switch)
		return peer->host->np.interval;
	for (unsigned i = 0; i < b->n_nodes; i++) {
		const struct draft_node *host = b->node[i];

		if (host->is_switch || host == n)
			continue;
		if (found && found != host->host->np.interval)
			return 0;
		found = host->host->np.interval;
	}
	return found;
}

static int port_observer(struct draft *b, const struct draft_node *n, unsigned port)
{
	struct scene_port *to = &b->s->node[n->index].port[port];
	const struct draft_port *p = n->port[port];
	bool wanted = p->spec->observe == SPEC_OBSERVE_YES;

	if (p->spec->observe == SPEC_OBSERVE_NO)
		return 0;
	if (has_several_lcores(b, n, p->spec))
		return wanted ? refuse_several(b, n, p) : 0;
	to->observe = wanted || peer_is_foreign(b, n, port) || draft_peer(n, port) == b->dut;
	if (to->observe)
		to->np_interval = np_interval(b, n, port);
	return 0;
}

int hardware_observers(struct draft *b)
{
	for (unsigned i = 0; i < b->n_nodes; i++) {
		const struct draft_node *n = b->node[i];

		for (unsigned p = 0; !n->external && p < n->n_ports; p++) {
			int rc = port_observer(b, n, p);

			if (rc)
				return rc;
		}
	}
	return 0;
}
