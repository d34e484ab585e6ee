// SPDX-License-Identifier: BSD-3-Clause
// The observers of a world's ports, made by the settings of each.
#include "observer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void map_by(
	uint8_t dscp_to[64], uint8_t pcp_to[8], const uint8_t dscp[64], const uint8_t pcp[8])
{
	memcpy(dscp_to, dscp, 64);
	memcpy(pcp_to, pcp, 8);
}

// The class that a host without maps, or a replay, takes a frame for: its PCP, else the upper bits
// of its DSCP.
static bool map_by_fields(uint8_t dscp_to[64], uint8_t pcp_to[8])
{
	for (unsigned i = 0; i < 64; i++)
		dscp_to[i] = (uint8_t)(i >> 3);
	for (unsigned i = 0; i < 8; i++)
		pcp_to[i] = (uint8_t)i;
	return true;
}

bool net_class_maps(const struct scene_node *n, unsigned port, uint8_t dscp_to_class[64],
	uint8_t pcp_to_class[8])
{
	const struct nic_class_maps *maps = &n->u.nic.maps;

	if (n->kind == SCENE_SW) {
		const struct sw_port_params *p = &n->u.sw.port[port];
		const struct sw_set_params *set = &n->u.sw.set[p->set];

		map_by(dscp_to_class, pcp_to_class, set->dscp_to_class, set->pcp_to_class);
		return p->trust == SW_TRUST_PCP;
	}
	if (n->kind != SCENE_NIC || maps->trust == NIC_TRUST_SENDER)
		return map_by_fields(dscp_to_class, pcp_to_class);
	map_by(dscp_to_class, pcp_to_class, maps->dscp_to_class, maps->pcp_to_class);
	return maps->trust == NIC_TRUST_PCP;
}

static int port_observer(struct net_node *n, unsigned port, const struct net *net, tstamp error)
{
	const struct scene_port *sp = &n->scene->port[port];
	struct outside_params p = {.rate = sp->rate,
		.delay = sp->delay,
		.wire_extra = net->scene->framing.wire_extra,
		.queue_extra = net->scene->framing.queue_extra,
		.np_interval = sp->np_interval,
		.clock_error = error};

	if (!n->outside)
		n->outside = calloc(n->scene->n_ports, sizeof(*n->outside));
	if (!n->outside)
		return -ENOMEM;
	p.by_pcp = net_class_maps(n->scene, port, p.dscp_to_class, p.pcp_to_class);
	return outside_new(&n->outside[port], &p);
}

// All shards of a switch know the observers of all of its ports.
int observers_make(struct net *net, const struct net_opts *opts, struct err *err)
{
	for (unsigned i = 0; i < net->n_nodes; i++) {
		struct net_node *n = net_node(net, i);

		for (unsigned p = 0; p < n->scene->n_ports; p++)
			if (n->scene->port[p].observe &&
				port_observer(n, p, net, opts->tolerance_ps))
				return err_set(err, -ENOMEM, "no memory for the observer of %s",
					n->scene->port[p].name);
		for (unsigned k = 1; n->shard && k < n->scene->u.sw.shards; k++)
			net_shard(n, k)->outside = n->outside;
	}
	return 0;
}

void observers_free(struct net *net)
{
	for (unsigned i = 0; i < net->n_nodes; i++) {
		struct net_node *n = net_node(net, i);

		for (unsigned p = 0; n->outside && p < n->scene->n_ports; p++)
			outside_free(n->outside[p]);
		free(n->outside);
	}
}
