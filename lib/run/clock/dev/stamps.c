// SPDX-License-Identifier: BSD-3-Clause
// Stamps that a device gives to received frames: asked for, and told at the end.
#include "stamps.h"

#include <string.h>

#include <rte_ethdev.h>
#include <rte_mbuf_dyn.h>

// net_pcap stamps each frame, although it has no such offload.
static bool gives(const struct rte_eth_dev_info *info)
{
	return info->rx_offload_capa & RTE_ETH_RX_OFFLOAD_TIMESTAMP ||
	       strcmp(info->driver_name, "net_pcap") == 0;
}

// A file has the stamps of another time, so they are used only if the scenario asks for them.
bool dev_stamps_ask(struct dev *d, const struct rte_eth_dev_info *info)
{
	enum scene_stamps wish = d->port->rx_stamps;

	d->has_stamps = wish != SCENE_STAMPS_NONE && (wish == SCENE_STAMPS_DEVICE || !d->paced) &&
			gives(info) &&
			rte_mbuf_dyn_rx_timestamp_register(&d->stamps.offset, &d->stamps.flag) == 0;
	return d->has_stamps;
}

void dev_stamps_take(struct dev *d)
{
	const struct stamp_map *m = &d->stamps.map;
	struct record_device *to = &d->lost;

	to->stamps = d->has_stamps;
	if (!d->has_stamps)
		return;
	to->rx_stamped = d->stamps.stamped;
	to->stamp_resets = m->resets;
	to->stamps_known = m->known;
	if (!m->known)
		return;
	to->stamp_tick_ns = m->tick_ps / PS_PER_NS;
	to->stamp_ppm = stamp_drift_ppm(m);
	to->stamp_bound = m->bound;
}
