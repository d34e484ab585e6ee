// SPDX-License-Identifier: BSD-3-Clause
// Hellos by a device: taken out of the received frames, and written into frames of the pool.
#include "hello.h"

#include <rte_mbuf.h>

#include "count.h"

#define MOST 64 // looks at a queue in one call: a peer that floods lets us go on

static enum dev_hello read_hello(
	const struct dev *d, struct rte_mbuf *m, struct hello *h, unsigned *version)
{
	const uint8_t *bytes = rte_pktmbuf_mtod(m, const uint8_t *);
	enum hello_verdict v = hello_parse(h, bytes, m->data_len);

	if (v == HELLO_BAD_VERSION) {
		*version = hello_version(bytes);
		*h = (struct hello){.nonce = hello_nonce(bytes, m->data_len)};
	}
	if (v == HELLO_OK && hello_tag_look(bytes, d->hello_key) != HELLO_TAG_RIGHT)
		return DEV_HELLO_KEY;
	return v == HELLO_OK            ? DEV_HELLO_READ
	       : v == HELLO_BAD_VERSION ? DEV_HELLO_OTHER
	       : v == HELLO_OTHER       ? DEV_HELLO_NONE
					: DEV_HELLO_BAD;
}

enum dev_hello dev_hello_get(struct dev *d, struct hello *h, unsigned *version)
{
	struct rte_mbuf *m;

	for (unsigned i = 0; i < MOST * d->n_rx; i++) {
		uint16_t queue = (uint16_t)(i % d->n_rx);
		enum dev_hello found;

		if (dev_burst_rx(d, queue, &m, 1) != 1)
			continue;
		found = read_hello(d, m, h, version);
		d->count->aside_rx++;
		rte_pktmbuf_free(m);
		if (found != DEV_HELLO_NONE)
			return found;
	}
	return DEV_HELLO_NONE;
}

struct rte_mbuf *dev_hello_make(const struct dev *d, const struct hello *h)
{
	struct rte_mbuf *m = rte_pktmbuf_alloc(d->parse.pools.rx);
	uint8_t *bytes = m ? (uint8_t *)rte_pktmbuf_append(m, HELLO_MAX) : NULL;

	if (bytes)
		rte_pktmbuf_trim(m, (uint16_t)(HELLO_MAX - hello_render(h, bytes)));
	if (bytes)
		return m;
	rte_pktmbuf_free(m);
	return NULL;
}

void dev_hello_send(struct dev *d, struct rte_mbuf *m, uint64_t sent_ns)
{
	uint8_t *bytes = rte_pktmbuf_mtod(m, uint8_t *);

	hello_stamp(bytes, sent_ns);
	hello_sign(bytes, d->hello_key);
	if (dev_burst_tx(d, 0, &m, 1) == 1)
		d->count->aside_tx++;
	else
		rte_pktmbuf_free(m);
}

void dev_hello_keep(struct dev *d)
{
	d->parse.keeps_hellos = true;
}

enum dev_hello dev_hello_take(struct dev *d, struct hello *h, uint64_t *tsc)
{
	struct rte_mbuf *m = mbuf_hello_take(&d->parse);
	enum dev_hello found;
	unsigned version;

	if (!m)
		return DEV_HELLO_NONE;
	*tsc = eal_pkt(m)->when;
	found = read_hello(d, m, h, &version);
	rte_pktmbuf_free(m);
	return found;
}

void dev_hello_end(struct dev *d)
{
	struct rte_mbuf *m;

	d->parse.keeps_hellos = false;
	while ((m = mbuf_hello_take(&d->parse)))
		rte_pktmbuf_free(m);
}

uint32_t dev_hello_lost(const struct dev *d)
{
	return atomic_load_explicit(&d->parse.kept.lost, memory_order_relaxed);
}

bool dev_hello_is(const struct rte_mbuf *m)
{
	return hello_is(rte_pktmbuf_mtod(m, const uint8_t *), m->data_len);
}

void dev_hello_add(struct dev *d, unsigned n)
{
	atomic_fetch_add_explicit(&d->parse.hellos, n, memory_order_relaxed);
}

uint32_t dev_hello_came(const struct dev *d)
{
	uint32_t n = atomic_load_explicit(&d->parse.hellos, memory_order_relaxed);

	for (unsigned i = 0; d->aside && i + d->n_turn < d->n_rx; i++)
		n += atomic_load_explicit(&d->aside[i].hellos, memory_order_relaxed);
	return n;
}
