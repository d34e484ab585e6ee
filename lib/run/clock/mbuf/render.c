// SPDX-License-Identifier: BSD-3-Clause
// Packets as frames in their mbufs, where they leave the process: those of ours are made, others
// patched.
#include "mbuf.h"

#include <assert.h>

#include <rte_branch_prediction.h>
#include <rte_mbuf.h>
#include <rte_prefetch.h>

#include "base/hint.h"
#include "frame/frame.h"

#define AHEAD 8 // packets whose memory is fetched before they are rendered

_Static_assert(EAL_BURST == 64, "a bitmap has a bit for each frame of a burst");

// Makes the frame's bytes right, and its mbuf.
ASIDE void render(struct mbuf_told *told, struct mbuf_tmpl *tmpl, struct pkt *p)
{
	struct rte_mbuf *m = eal_mbuf(p);

	if (p->kind == PKT_PFC || p->kind == PKT_PAUSE)
		mbuf_told_note(told, p);
	if (!(p->flags & PKT_F_FOREIGN)) {
		p->data_off = EAL_PRIV + RTE_PKTMBUF_HEADROOM;
		if (likely(tmpl != NULL))
			mbuf_tmpl_render(tmpl, p, pkt_bytes(p));
		else
			frame_from_pkt(p, pkt_bytes(p));
	} else if (p->flags & (PKT_F_CE | PKT_F_UNTAG_CN)) {
		bool stays = (p->flags & (PKT_F_INTACT | PKT_F_UNTAG_CN)) == PKT_F_INTACT;

		frame_patch(p);
		if (stays) // the frame stands where it came, and its mbuf says so
			return;
	}
	m->data_off = (uint16_t)(p->data_off - EAL_PRIV);
	m->data_len = p->len;
	m->pkt_len = p->len;
	m->ol_flags = 0;
}

// Prefetches the memory from which and into which a packet is rendered. The descriptor of our own
// packet is in the cache, but its other memory was used long ago. Of a foreign frame only the
// beginning of IP changes.
static inline void ahead(const struct mbuf_tmpl *tmpl, struct pkt *p)
{
	uint8_t *bytes = (uint8_t *)p + EAL_PRIV + RTE_PKTMBUF_HEADROOM;

	if (p->flags & PKT_F_FOREIGN) {
		__builtin_prefetch(pkt_bytes(p) + p->l3_off, 1);
		return;
	}
	if (!tmpl)
		return;
	__builtin_prefetch(eal_mbuf(p), 1);
	__builtin_prefetch(bytes, 1);
	__builtin_prefetch(bytes + EAL_LINE, 1);
	mbuf_tmpl_ahead(tmpl, p);
}

// Changed frames stand at places that the processor cannot predict, so they are collected first,
// without a branch.
void mbuf_render(struct mbuf_told *told, struct mbuf_tmpl *tmpl, struct pkt **burst,
	struct rte_mbuf **m, unsigned n, uint64_t as_came)
{
	uint64_t others = ~as_came & (n < EAL_BURST ? (1ull << n) - 1 : UINT64_MAX);
	struct pkt *change[EAL_BURST];
	unsigned changes = 0;

	assert(n <= EAL_BURST);
#pragma GCC unroll 4
	for (unsigned i = 0; i < n; i++)
		m[i] = eal_mbuf(burst[i]);
	if (!others)
		return;
	if (likely(tmpl != NULL))
		mbuf_tmpl_renew(tmpl);
	for (; others; others &= others - 1) {
		struct pkt *p = burst[__builtin_ctzll(others)];

		change[changes] = p;
		changes += !pkt_is_as_came(p);
	}
	for (unsigned i = 0; i < changes && i < AHEAD; i++)
		ahead(tmpl, change[i]);
	for (unsigned i = 0; i < changes; i++) {
		if (i + AHEAD < changes)
			ahead(tmpl, change[i + AHEAD]);
		render(told, tmpl, change[i]);
	}
}
