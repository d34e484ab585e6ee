// SPDX-License-Identifier: BSD-3-Clause
// Real ports, the hot half: bursts of mbufs from a device, parsed, and to it.
#include "dev.h"

#include <rte_branch_prediction.h>
#include <rte_ethdev.h>

#include "base/hint.h"

unsigned dev_burst_rx(struct dev *d, unsigned queue, struct rte_mbuf **m, unsigned n)
{
	if (likely(!d->visits))
		return rte_eth_rx_burst(d->id, (uint16_t)queue, m, (uint16_t)n);
	if (!eal_visit_begin())
		return 0;
	n = rte_eth_rx_burst(d->id, (uint16_t)queue, m, (uint16_t)n);
	eal_visit_end();
	return n;
}

unsigned dev_burst_tx(struct dev *d, unsigned queue, struct rte_mbuf **m, unsigned n)
{
	if (likely(!d->visits))
		return rte_eth_tx_burst(d->id, (uint16_t)queue, m, (uint16_t)n);
	if (!eal_visit_begin())
		return 0;
	n = rte_eth_tx_burst(d->id, (uint16_t)queue, m, (uint16_t)n);
	eal_visit_end();
	return n;
}

// How many frames to take from a file, which has them all at once: as many as the wire would have
// carried since the last ones, if they are as long as the last. For a loop that is late, at most
// the bytes of 64 longest frames wait.
static unsigned paced_frames(struct dev *d, tstamp now)
{
	tstamp waits = EAL_BURST * rate_time(d->ps, (uint32_t)d->max_len + PKT_WIRE);
	uint64_t n;

	if (now < d->rx_free)
		return 0;
	if (now - d->rx_free > waits)
		d->rx_free = now - waits;
	n = d->rx_wire ? (now - d->rx_free) / d->rx_wire : 0;
	return n > EAL_BURST ? EAL_BURST : n ? (unsigned)n : 1;
}

INLINE unsigned read_mbufs(struct dev *d, struct rte_mbuf **m, tstamp now)
{
	unsigned n = 0, most = d->paced ? paced_frames(d, now) : EAL_BURST;

	for (uint16_t i = 0; i < d->n_turn && !n && most; i++) {
		n = dev_burst_rx(d, d->rx_queue, m, most);
		if (++d->rx_queue == d->n_turn)
			d->rx_queue = 0;
	}
	return n;
}

INLINE unsigned parse_mbufs(struct dev *d, struct rte_mbuf **m, struct pkt **burst, struct hdr *hdr,
	unsigned n, tstamp now)
{
	unsigned out = mbuf_parse(&d->parse, m, burst, hdr, n, d->max_len, now);

	for (unsigned i = 0; d->paced && i < out; i++) {
		d->rx_wire = rate_time(d->ps, burst[i]->len + PKT_WIRE);
		d->rx_free += d->rx_wire;
	}
	return out;
}

unsigned dev_rx(struct dev *d, struct pkt **burst, struct hdr *hdr, tstamp now)
{
	struct rte_mbuf *m[EAL_BURST];
	unsigned n = read_mbufs(d, m, now);

	return n ? parse_mbufs(d, m, burst, hdr, n, now) : 0;
}

unsigned dev_rx_mbufs(struct dev *d, struct rte_mbuf **m, tstamp now)
{
	return read_mbufs(d, m, now);
}

unsigned dev_rx_parse(struct dev *d, struct rte_mbuf **m, struct pkt **burst, struct hdr *hdr,
	unsigned n, tstamp now)
{
	return parse_mbufs(d, m, burst, hdr, n, now);
}

unsigned dev_rx_aside(struct dev *d, unsigned queue, struct pkt **burst, tstamp now)
{
	struct rte_mbuf *m[EAL_BURST];
	unsigned n = dev_burst_rx(d, queue, m, EAL_BURST);

	return n ? mbuf_parse(&d->aside[queue - d->n_turn], m, burst, NULL, n, d->max_len, now) : 0;
}

unsigned dev_tx(struct dev *d, unsigned queue, struct rte_mbuf **m, unsigned n)
{
	return dev_burst_tx(d, queue, m, n);
}
