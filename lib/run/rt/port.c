// SPDX-License-Identifier: BSD-3-Clause
// Real ports, the hot half: bursts of mbufs from and to a device.
#include <rte_branch_prediction.h>

#include "eth.h"
#include "int.h"

#define PACED_BURST 4

unsigned rt_dev_rx(struct rt_dev *d, struct pkt **burst, tstamp now)
{
	struct rte_mbuf *m[RT_BURST];
	unsigned n, out;

	if (d->paced && now < d->rx_free)
		return 0;
	n = rte_eth_rx_burst(d->id, 0, m, d->paced ? PACED_BURST : RT_BURST);
	if (!n)
		return 0;
	out = rt_frame_parse(d->known, m, burst, n, d->max_len, now);
	if (d->paced)
		for (unsigned i = 0; i < out; i++)
			d->rx_free = tstamp_max(d->rx_free, now) +
				     rate_time(d->ps, burst[i]->len + PKT_WIRE);
	return out;
}

unsigned rt_dev_tx(struct rt_dev *d, struct rte_mbuf **m, unsigned n)
{
	return rte_eth_tx_burst(d->id, 0, m, (uint16_t)n);
}
