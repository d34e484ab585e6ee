// SPDX-License-Identifier: BSD-3-Clause
// A device's own flow control: switched off by each of ethdev's ways, and put back.
#define ALLOW_EXPERIMENTAL_API // rte_eth_dev_priority_flow_ctrl_queue_*
#include "pause.h"

#include <errno.h>
#include <stdlib.h>

#include <rte_ethdev.h>

// Switches priority flow control off, by priority or by queue. Returns the driver's answer: 0,
// -errno, or DEV_NOT_ASKED if it has neither.
static int pfc_off(uint16_t id)
{
	struct rte_eth_pfc_queue_conf by_queue = {.mode = RTE_ETH_FC_NONE};
	struct rte_eth_pfc_queue_info info;
	int rc = -ENOTSUP;

	for (uint8_t p = 0; p < PKT_CLASSES; p++) {
		struct rte_eth_pfc_conf by_priority = {
			.fc = {.mode = RTE_ETH_FC_NONE, .mac_ctrl_frame_fwd = 1}, .priority = p};

		rc = rte_eth_dev_priority_flow_ctrl_set(id, &by_priority);
		if (rc)
			break;
	}
	if (rc == -ENOTSUP && rte_eth_dev_priority_flow_ctrl_queue_info_get(id, &info) == 0)
		rc = rte_eth_dev_priority_flow_ctrl_queue_configure(id, &by_queue);
	return rc == -ENOTSUP ? DEV_NOT_ASKED : rc;
}

void dev_pause_off(struct dev *d)
{
	struct rte_eth_fc_conf fc = {0}, none;

	d->asked.pfc = pfc_off(d->id);
	d->asked.flow_control = DEV_NOT_ASKED;
	if (rte_eth_dev_flow_ctrl_get(d->id, &fc) != 0)
		return;
	none = fc;
	none.mode = RTE_ETH_FC_NONE;
	none.mac_ctrl_frame_fwd = 1;
	d->asked.flow_control = rte_eth_dev_flow_ctrl_set(d->id, &none);
	if (d->asked.flow_control)
		return;
	d->fc = malloc(sizeof(*d->fc));
	if (d->fc)
		*d->fc = fc;
}

void dev_pause_back(struct dev *d)
{
	if (d->fc && !d->gone)
		rte_eth_dev_flow_ctrl_set(d->id, d->fc);
	free(d->fc);
	d->fc = NULL;
}
