// SPDX-License-Identifier: BSD-3-Clause
// Frames in mbufs: parsed where they enter the process, rendered where they leave it.
#include <rte_prefetch.h>

#include "run/rt_int.h"
#include "wire/frame.h"

#define AHEAD 4 // frames prefetched before the one being parsed

static inline void ahead(struct rte_mbuf *m)
{
	rte_prefetch0(rt_pkt(m));
	rte_prefetch0(rte_pktmbuf_mtod(m, void *));
}

void rt_frame_parse(
	struct rte_mbuf **m, struct pkt **burst, unsigned n, uint16_t max_len, tstamp now)
{
	for (unsigned i = 0; i < n && i < AHEAD; i++)
		ahead(m[i]);
	for (unsigned i = 0; i < n; i++) {
		struct pkt *p = rt_pkt(m[i]);

		if (i + AHEAD < n)
			ahead(m[i + AHEAD]);
		p->next = NULL;
		p->when = p->born = now;
		p->len = m[i]->data_len;
		p->cls = 0;
		p->in_port = PKT_NO_PORT;
		p->data_off = (uint16_t)(RT_PRIV + m[i]->data_off);
		frame_to_pkt(p, max_len);
		burst[i] = p;
	}
}

void rt_frame_render(struct pkt **burst, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		struct pkt *p = burst[i];
		struct rte_mbuf *m = rt_mbuf(p);

		if (!(p->flags & PKT_F_FOREIGN)) {
			p->data_off = RT_PRIV + RTE_PKTMBUF_HEADROOM;
			frame_from_pkt(p, pkt_bytes(p));
		} else if (p->flags & (PKT_F_CE | PKT_F_UNTAG_CN)) {
			frame_patch(p);
		}
		m->data_off = (uint16_t)(p->data_off - RT_PRIV);
		m->data_len = p->len;
		m->pkt_len = p->len;
		m->ol_flags = 0;
	}
}
