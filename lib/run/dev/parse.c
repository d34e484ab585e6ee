// SPDX-License-Identifier: BSD-3-Clause
// Frames in mbufs: parsed where they enter the process, a burst at a time.
#include "parse.h"

#include <stddef.h>

#include <rte_branch_prediction.h>
#include <rte_cycles.h>
#include <rte_mbuf.h>
#include <rte_prefetch.h>

#include "frame/frame.h"
#include "wire/hello.h"

#define AHEAD 8 // mbufs whose memory is fetched before they are looked at

// One segment in a buffer of our own pools that nobody shares.
static inline bool plain(const struct dev_parse *d, const struct rte_mbuf *m)
{
	return (m->pool == d->pool || (d->own && m->pool == d->own)) && m->nb_segs == 1 &&
	       rte_mbuf_refcnt_read(m) == 1 &&
	       !(m->ol_flags & (RTE_MBUF_F_EXTERNAL | RTE_MBUF_F_INDIRECT));
}

// A copy in our pool; NULL where there is no mbuf or no room.
static __attribute__((noinline)) struct rte_mbuf *flat(struct dev_parse *d, struct rte_mbuf *m)
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
		d->unfit++;
	}
	rte_pktmbuf_free(m);
	return to;
}

// Fetches what is read first and, where the frame's bytes most likely stand, these.
static inline void ahead(struct rte_mbuf *m)
{
	rte_prefetch0(m);
	rte_prefetch0(eal_pkt(m));
}

// One that has not been taken makes room for this one.
static void keep_hello(struct dev_parse *d, struct rte_mbuf *m)
{
	if (!d->keeps_hellos) {
		rte_pktmbuf_free(m);
		return;
	}
	eal_pkt(m)->when = rte_rdtsc();
	rte_pktmbuf_free(atomic_exchange(&d->hello, m));
}

// Hellos are taken out. Returns how many frames are left.
static __attribute__((noinline)) unsigned without_hellos(
	struct dev_parse *d, struct rte_mbuf **m, struct pkt **burst, unsigned n)
{
	unsigned out = 0;

	for (unsigned i = 0; i < n; i++) {
		if (burst[i]->kind == PKT_OTHER && hello_is(pkt_bytes(burst[i]), burst[i]->len)) {
			atomic_fetch_add_explicit(&d->hellos, 1, memory_order_relaxed);
			keep_hello(d, m[i]);
			continue;
		}
		m[out] = m[i];
		burst[out++] = burst[i];
	}
	return out;
}

unsigned dev_parse(struct dev_parse *d, struct rte_mbuf **m, struct pkt **burst, unsigned n,
	uint16_t max_len, tstamp now)
{
	unsigned out = 0;

	for (unsigned i = 0; i < n && i < AHEAD; i++)
		ahead(m[i]);
	for (unsigned i = 0; i < n; i++) {
		struct rte_mbuf *one = m[i];
		struct pkt *p;

		if (i + AHEAD < n)
			ahead(m[i + AHEAD]);
		if (unlikely(!plain(d, one))) {
			one = flat(d, one);
			if (!one)
				continue;
		}
		p = eal_pkt(one);
		p->when = p->born = now;
		p->len = one->data_len;
		p->data_off = (uint16_t)(EAL_PRIV + one->data_off);
		m[out] = one;
		burst[out++] = p;
	}
	if (frame_burst_to_pkt(burst, out, max_len, PKT_F_INTACT) & 1u << PKT_OTHER)
		out = without_hellos(d, m, burst, out);
	if (unlikely(d->sums.skip < out))
		dev_sums_look(&d->sums, burst, out);
	else
		d->sums.skip -= out;
	return out;
}
