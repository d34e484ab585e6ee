// SPDX-License-Identifier: BSD-3-Clause
// Real ports, the hot half: bursts of mbufs from and to a device.
#include <string.h>

#include <rte_branch_prediction.h>

#include "run/rt_eth.h"
#include "run/rt_int.h"

#define PACED_BURST 4

// One segment in a buffer of our own pool that nobody shares. Field by field: a PMD has just written some
// of them, and a load that spans such a store waits for it.
static inline bool plain(const struct rte_mbuf *m, const struct rte_mempool *pool)
{
	return m->pool == pool && m->nb_segs == 1 && rte_mbuf_refcnt_read(m) == 1 &&
	       !(m->ol_flags & (RTE_MBUF_F_EXTERNAL | RTE_MBUF_F_INDIRECT));
}

// A copy in our pool; NULL where there is no mbuf or no room.
static struct rte_mbuf *flat(struct rt_dev *d, struct rte_mbuf *m)
{
	struct rte_mbuf *to = rte_pktmbuf_alloc(d->pool);
	const struct rte_mbuf *s = m;

	if (to && m->pkt_len <= rte_pktmbuf_tailroom(to)) {
		for (; s; s = s->next)
			memcpy(rte_pktmbuf_append(to, s->data_len),
				rte_pktmbuf_mtod(s, const void *), s->data_len);
	} else {
		rte_pktmbuf_free(to);
		to = NULL;
		d->rx_unfit++;
	}
	rte_pktmbuf_free(m);
	return to;
}

unsigned rt_dev_fit(struct rt_dev *d, struct rte_mbuf **m, unsigned n)
{
	unsigned plains = 0, out;

	while (plains < n && likely(plain(m[plains], d->pool)))
		plains++;
	out = plains;
	for (unsigned i = plains; i < n; i++) {
		struct rte_mbuf *b = plain(m[i], d->pool) ? m[i] : flat(d, m[i]);

		if (b)
			m[out++] = b;
	}
	return out;
}

unsigned rt_dev_rx(struct rt_dev *d, struct pkt **burst, tstamp now)
{
	struct rte_mbuf *m[RT_BURST];
	unsigned n, out;

	if (d->paced && now < d->rx_free)
		return 0;
	n = rte_eth_rx_burst(d->id, 0, m, d->paced ? PACED_BURST : RT_BURST);
	if (!n)
		return 0;
	out = rt_dev_fit(d, m, n);
	rt_frame_parse(d->known, m, burst, out, d->max_len, now);
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
