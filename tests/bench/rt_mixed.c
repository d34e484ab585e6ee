// SPDX-License-Identifier: BSD-3-Clause
// Bursts of rt_bench for several egress ports and classes.
#include "rt_mixed.h"

#include <errno.h>
#include <stdlib.h>

#include <rte_mbuf.h>
#include <rte_ring.h>

#include "eal/eal.h"

int mixed_init(struct mixed *m, unsigned frames)
{
	unsigned slots = 1;

	while (slots < frames)
		slots *= 2;
	m->mask = slots - 1;
	for (unsigned i = 0; i < m->lines; i++) {
		m->line[i].slot = calloc(slots, sizeof(*m->line[i].slot));
		if (!m->line[i].slot)
			return -ENOMEM;
	}
	return 0;
}

// In a field that nobody else uses. Frames that the switch made have 0 there.
void mixed_tag(struct rte_mbuf *f, unsigned line)
{
	f->hash.usr = line + 1;
}

void mixed_take(struct mixed *m, struct rte_mbuf **f, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		unsigned tag = f[i]->hash.usr;

		if (tag) {
			struct mixed_line *l = &m->line[tag - 1];

			l->slot[l->tail++ & m->mask] = f[i];
		} else {
			rte_pktmbuf_free(f[i]);
		}
	}
}

static void shuffle(struct mixed *m, struct rte_mbuf **f, unsigned n)
{
	for (; n > 1; n--) {
		unsigned at = ((m->lcg = m->lcg * 1664525 + 1013904223) >> 16) % n;
		struct rte_mbuf *last = f[n - 1];

		f[n - 1] = f[at];
		f[at] = last;
	}
}

void mixed_feed(struct mixed *m)
{
	struct rte_mbuf *f[EAL_BURST];
	unsigned n = 0;

	if (rte_ring_count(m->to))
		return;
	for (unsigned vain = 0; n < EAL_BURST && vain < m->lines;) {
		struct mixed_line *l = &m->line[m->next++ % m->lines];

		vain = l->head == l->tail ? vain + 1 : 0;
		if (!vain)
			f[n++] = l->slot[l->head++ & m->mask];
	}
	if (m->drawn)
		shuffle(m, f, n);
	rte_ring_enqueue_bulk(m->to, (void **)f, n, NULL);
}

unsigned mixed_waiting(const struct mixed *m)
{
	unsigned n = 0;

	for (unsigned i = 0; i < m->lines; i++)
		n += m->line[i].tail - m->line[i].head;
	return n;
}
