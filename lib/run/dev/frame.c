// SPDX-License-Identifier: BSD-3-Clause
// Real ports, the hot half: bursts of mbufs from and to a device, rendered where they leave.
#include "dev.h"

#include <rte_branch_prediction.h>
#include <rte_mbuf.h>
#include <rte_prefetch.h>

#include "eth.h"
#include "frame/frame.h"
#include "tmpl.h"

// How many frames to take from a file, which has them all at once: those that the wire would have
// carried since the last ones, if they are as long as the last. As much as 64 of the longest frames
// waits for a loop that is late.
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

unsigned dev_rx(struct dev *d, struct pkt **burst, tstamp now)
{
	struct rte_mbuf *m[EAL_BURST];
	unsigned n = 0, out, most = d->paced ? paced_frames(d, now) : EAL_BURST;

	for (uint16_t i = 0; i < d->n_turn && !n && most; i++) {
		n = rte_eth_rx_burst(d->id, d->rx_queue, m, (uint16_t)most);
		if (++d->rx_queue == d->n_turn)
			d->rx_queue = 0;
	}
	if (!n)
		return 0;
	out = dev_parse(&d->parse, m, burst, n, d->max_len, now);
	for (unsigned i = 0; d->paced && i < out; i++) {
		d->rx_wire = rate_time(d->ps, burst[i]->len + PKT_WIRE);
		d->rx_free += d->rx_wire;
	}
	return out;
}

unsigned dev_rx_aside(struct dev *d, unsigned queue, struct pkt **burst, tstamp now)
{
	struct rte_mbuf *m[EAL_BURST];
	unsigned n = rte_eth_rx_burst(d->id, (uint16_t)queue, m, EAL_BURST);

	return n ? dev_parse(&d->aside[queue - d->n_turn], m, burst, n, d->max_len, now) : 0;
}

unsigned dev_tx(struct dev *d, unsigned queue, struct rte_mbuf **m, unsigned n)
{
	return rte_eth_tx_burst(d->id, (uint16_t)queue, m, (uint16_t)n);
}

#define AHEAD 8 // packets whose memory is fetched before they are rendered

// Makes the frame's bytes right, and its mbuf.
static __attribute__((noinline)) void render(
	struct dev_xon *told, struct dev_tmpl *tmpl, struct pkt *p)
{
	struct rte_mbuf *m = eal_mbuf(p);

	if (p->kind == PKT_PFC || p->kind == PKT_PAUSE)
		dev_xon_note(told, p);
	if (!(p->flags & PKT_F_FOREIGN)) {
		p->data_off = EAL_PRIV + RTE_PKTMBUF_HEADROOM;
		if (likely(tmpl != NULL))
			dev_tmpl_render(tmpl, p, pkt_bytes(p));
		else
			frame_from_pkt(p, pkt_bytes(p));
	} else if (p->flags & (PKT_F_CE | PKT_F_UNTAG_CN)) {
		frame_patch(p);
	}
	m->data_off = (uint16_t)(p->data_off - EAL_PRIV);
	m->data_len = p->len;
	m->pkt_len = p->len;
	m->ol_flags = 0;
}

// A packet of ours has its descriptor in the cache; the rest was used long ago.
static inline void ahead(const struct dev_tmpl *tmpl, struct pkt *p)
{
	uint8_t *bytes = (uint8_t *)p + EAL_PRIV + RTE_PKTMBUF_HEADROOM;

	if (p->flags & PKT_F_FOREIGN)
		return;
	__builtin_prefetch(eal_mbuf(p), 1);
	__builtin_prefetch(bytes, 1);
	__builtin_prefetch(bytes + EAL_LINE, 1);
	dev_tmpl_ahead(tmpl, p);
}

void dev_frame_render(struct dev_xon *told, struct dev_tmpl *tmpl, struct pkt **burst,
	struct rte_mbuf **m, unsigned n)
{
	const unsigned change = PKT_F_INTACT | PKT_F_CE | PKT_F_UNTAG_CN;

	if (likely(tmpl != NULL))
		dev_tmpl_renew(tmpl);
	for (unsigned i = 0; tmpl && i < n && i < AHEAD; i++)
		ahead(tmpl, burst[i]);
	for (unsigned i = 0; i < n; i++) {
		if (tmpl && i + AHEAD < n)
			ahead(tmpl, burst[i + AHEAD]);
		if (unlikely((burst[i]->flags & change) != PKT_F_INTACT))
			render(told, tmpl, burst[i]);
		m[i] = eal_mbuf(burst[i]);
	}
}
