// SPDX-License-Identifier: BSD-3-Clause
// Frames in mbufs: rendered where they leave the process.
#include <rte_branch_prediction.h>

#include "int.h"
#include "wire/frame.h"

// Makes the frame's bytes right, and its mbuf.
static __attribute__((noinline)) void render(struct pkt *p)
{
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

void rt_frame_render(struct pkt **burst, struct rte_mbuf **m, unsigned n)
{
	const unsigned change = PKT_F_INTACT | PKT_F_CE | PKT_F_UNTAG_CN;

	for (unsigned i = 0; i < n; i++) {
		if (unlikely((burst[i]->flags & change) != PKT_F_INTACT))
			render(burst[i]);
		m[i] = rt_mbuf(burst[i]);
	}
}
