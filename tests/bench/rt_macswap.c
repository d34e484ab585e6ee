// SPDX-License-Identifier: BSD-3-Clause
// Frames of one port are sent by the other with their MAC addresses swapped, and nothing else.
#include "rt_macswap.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rte_ethdev.h>
#include <rte_prefetch.h>
#include <rte_ring.h>

#include "base/hint.h"
#include "eal/eal.h"

#define SLOTS       2048 // of the rings between two lcores
#define FETCH_MBUF  16   // frames that the mbuf is fetched ahead
#define FETCH_BYTES 8    // and its bytes

int macswap_init(struct macswap *s)
{
	for (unsigned i = 0; i < 2 && s->crosses; i++) {
		s->cross[i] = rte_ring_create(
			i ? "to_1" : "to_0", SLOTS, SOCKET_ID_ANY, RING_F_SP_ENQ | RING_F_SC_DEQ);
		if (!s->cross[i])
			return -ENOMEM;
	}
	return 0;
}

// `fetches` is a constant of each caller's.
INLINE void swap_macs(struct rte_mbuf **m, unsigned n, const bool fetches)
{
	for (unsigned i = 0; fetches && i < n && i < FETCH_MBUF; i++)
		rte_prefetch0(m[i]);
	for (unsigned i = 0; i < n; i++) {
		uint8_t *o = rte_pktmbuf_mtod(m[i], uint8_t *), dst[6];

		if (fetches && i + FETCH_MBUF < n)
			rte_prefetch0(m[i + FETCH_MBUF]);
		if (fetches && i + FETCH_BYTES < n)
			rte_prefetch0(rte_pktmbuf_mtod(m[i + FETCH_BYTES], void *));
		memcpy(dst, o, 6);
		memcpy(o, o + 6, 6);
		memcpy(o + 6, dst, 6);
	}
}

static unsigned receive(const struct macswap *s, unsigned port, struct rte_mbuf **m)
{
	unsigned n = rte_eth_rx_burst(s->port[port], 0, m, EAL_BURST);

	if (s->fetches)
		swap_macs(m, n, true);
	else
		swap_macs(m, n, false);
	return n;
}

static void transmit(const struct macswap *s, unsigned port, struct rte_mbuf **m, unsigned n)
{
	if (rte_eth_tx_burst(s->port[port], 0, m, (uint16_t)n) == n)
		return;
	fprintf(stderr, "rt_bench: macswap: a port refuses frames\n");
	exit(1);
}

static unsigned take_crossed(struct macswap *s, unsigned port)
{
	struct rte_mbuf *m[EAL_BURST];
	unsigned n = rte_ring_dequeue_burst(s->cross[port], (void **)m, EAL_BURST, NULL);

	transmit(s, port, m, n);
	return n;
}

unsigned macswap_turn(struct macswap *s, unsigned port)
{
	struct rte_mbuf *m[EAL_BURST];
	unsigned n, all = 0;

	for (unsigned i = 0; i < 2 && !s->crosses; i++) {
		n = receive(s, i, m);
		transmit(s, !i, m, n);
		all += n;
	}
	if (!s->crosses)
		return all;
	if (rte_ring_free_count(s->cross[!port]) >= EAL_BURST) {
		all = receive(s, port, m);
		rte_ring_enqueue_bulk(s->cross[!port], (void **)m, all, NULL);
	}
	take_crossed(s, port);
	return all;
}

void macswap_empty(struct macswap *s)
{
	for (unsigned i = 0; i < 2 && s->crosses; i++)
		while (take_crossed(s, i))
			;
}
