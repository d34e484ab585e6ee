// SPDX-License-Identifier: BSD-3-Clause
// Hellos by a device: taken out of what it has received, and put into frames of the pool.
#include "hello.h"

#include <rte_mbuf.h>

#include "count.h"
#include "eth.h"

#define MOST 64 // looks at a queue in one call: a peer that floods lets us go on

bool dev_hello_get(struct dev *d, struct hello *h)
{
	struct rte_mbuf *m;

	for (unsigned i = 0; i < MOST * d->n_rx; i++) {
		uint16_t queue = (uint16_t)(i % d->n_rx);
		bool found;

		if (rte_eth_rx_burst(d->id, queue, &m, 1) != 1)
			continue;
		found = hello_parse(h, rte_pktmbuf_mtod(m, const uint8_t *), m->data_len) ==
			HELLO_OK;
		d->count->aside_rx++;
		rte_pktmbuf_free(m);
		if (found)
			return true;
	}
	return false;
}

struct rte_mbuf *dev_hello_make(const struct dev *d, const struct hello *h)
{
	struct rte_mbuf *m = rte_pktmbuf_alloc(d->pool);
	uint8_t *bytes = m ? (uint8_t *)rte_pktmbuf_append(m, HELLO_MAX) : NULL;

	if (bytes)
		rte_pktmbuf_trim(m, (uint16_t)(HELLO_MAX - hello_render(h, bytes)));
	if (bytes)
		return m;
	rte_pktmbuf_free(m);
	return NULL;
}

void dev_hello_send(struct dev *d, struct rte_mbuf *m)
{
	if (rte_eth_tx_burst(d->id, 0, &m, 1) == 1)
		d->count->aside_tx++;
	else
		rte_pktmbuf_free(m);
}

uint32_t dev_hello_came(const struct dev *d)
{
	return atomic_load_explicit(&d->parse.hellos, memory_order_relaxed);
}
