// SPDX-License-Identifier: BSD-3-Clause
// A switch cut into shards, as one node for a single thread: each call goes to the shard that owns
// the port, and the fabric of each shard is one more port.
#include <errno.h>
#include <stdlib.h>

#include "int.h"

// Returns whether the switch cannot be cut into this number of shards, or its buffer cannot be
// divided.
static bool undivided(const struct sw_params *p)
{
	struct sw_parts parts;

	if (p->shards > SW_SHARDS || p->shards > p->n_ports || p->n_ports + p->shards > NODE_PORTS)
		return true;
	return sw_has_two_sides(p) && !sw_parts(&parts, p, p->shards);
}

int sw_cut_init(struct sw **out, const struct sw_params *p, struct pkt_stack *const *stack,
	struct ev_ring *const *events)
{
	struct sw_fabric *f;

	if (p->shards < 2 || undivided(p))
		return -EINVAL;
	f = sw_fabric_new(p);
	if (!f)
		return -ENOMEM;
	for (unsigned k = 0; k < f->n; k++) {
		int rc = sw_shard_init(&f->shard[k], f, k, p, stack[k], events[k]);

		if (!rc)
			continue;
		if (k)
			sw_fini(f->shard[0]);
		else
			sw_fabric_free(f);
		return rc;
	}
	sw_iqcn_join(f);
	*out = f->shard[0];
	return 0;
}

unsigned sw_shards(const struct sw *sw)
{
	return sw->fabric ? sw->fabric->n : 1;
}

struct sw *sw_shard(struct sw *sw, unsigned k)
{
	return sw->fabric ? sw->fabric->shard[k] : sw;
}

const struct sw *sw_shard_at(const struct sw *sw, unsigned k)
{
	return sw->fabric ? sw->fabric->shard[k] : sw;
}

const struct sw *sw_owner(const struct sw *sw, unsigned port)
{
	return sw_of(sw, port);
}

static struct sw *owner(struct sw *sw, unsigned port)
{
	return sw->fabric->shard[port % sw->fabric->n];
}

// Shard 0 stands for the node, so the ports that a call touched at another shard are touched at
// shard 0, too. The call may have left messages for any shard, so all ports of the fabric are
// touched.
static void called(struct sw *sw, struct sw *shard)
{
	const struct sw_fabric *f = sw->fabric;

	if (shard != sw)
		for (unsigned w = 0; w < NODE_PORT_WORDS; w++) {
			sw->touched.word[w] |= shard->touched.word[w];
			shard->touched.word[w] = 0;
		}
	sw_fabric_push(shard);
	for (unsigned k = 0; k < f->n; k++)
		node_touch(&sw->touched, sw->n_ports + k);
}

void sw_cut_rx(struct sw *sw, unsigned port, struct pkt **burst, unsigned n, tstamp now)
{
	struct sw *shard = owner(sw, port);

	sw_rx(shard, port, burst, n, now);
	called(sw, shard);
}

// Takes the messages of shard k and hands over what waits for the others. Taking messages makes
// room in the rings, and messages that waited for room may then be due. So it repeats until none is
// due.
static void fabric_tx(struct sw *sw, unsigned k, tstamp now)
{
	struct sw *shard = sw->fabric->shard[k];

	do {
		sw_fabric_ahead(shard);
		sw_fabric_rx(shard, now);
		for (unsigned i = 0; i < sw->fabric->n; i++)
			sw_fabric_push(sw->fabric->shard[i]);
	} while (sw_fabric_deadline(shard) <= now);
	called(sw, shard);
}

unsigned sw_cut_tx(struct sw *sw, unsigned port, struct pkt **burst, unsigned max, tstamp now)
{
	struct sw *shard;
	unsigned n;

	if (port >= sw->n_ports) {
		fabric_tx(sw, port - sw->n_ports, now);
		return 0;
	}
	shard = owner(sw, port);
	n = sw_tx(shard, port, burst, max, now);
	called(sw, shard);
	return n;
}

tstamp sw_cut_deadline(const struct sw *sw, unsigned port)
{
	if (port >= sw->n_ports)
		return sw_fabric_deadline(sw->fabric->shard[port - sw->n_ports]);
	return sw_deadline(sw_of(sw, port), port);
}

// Gives a command to every shard. Returns the first error.
int sw_cut_ctl(struct sw *sw, const struct ctl *ctl, tstamp now)
{
	int rc = 0;

	for (unsigned k = 0; k < sw->fabric->n; k++) {
		int one = sw_ctl(sw->fabric->shard[k], ctl, now);

		rc = rc ? rc : one;
		called(sw, sw->fabric->shard[k]);
	}
	return rc;
}
