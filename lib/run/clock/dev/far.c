// SPDX-License-Identifier: BSD-3-Clause
// Whether the memory of received frames is far from the processor, and reading them ahead if so.
// A network card with long receive rings writes into mbufs that have left the caches, or past them,
// and so does any device where more mbufs go round than a cache holds.
#include "dev.h"

#include <rte_branch_prediction.h>
#include <rte_cycles.h>
#include <rte_mbuf.h>
#include <rte_memcpy.h>

#define TIMED 8 // frames of a burst
// If frames keep the processor waiting longer than this on average, for mbuf and first byte, some
// of them come out of the memory, which answers in 70 ns or more. A cache that processors share has
// both in 10 to 40 ns. Reading ahead pays as soon as some come out of the memory, and costs little
// if none does.
#define FAR_NS 45
#define FAR_OF 4 // of the last 8 times, where the memory is far

unsigned dev_far_take(struct dev *d, struct rte_mbuf **m, tstamp now)
{
	unsigned n = d->far.n;

	if (!n) {
		n = dev_rx_mbufs(d, m, now);
	} else {
		rte_memcpy(m, d->far.m, n * sizeof(*m));
		if (unlikely(n < EAL_BURST))
			n += dev_burst_rx(d, d->rx_queue, m + n, EAL_BURST - n);
		if (++d->rx_queue == d->n_turn)
			d->rx_queue = 0;
		d->far.n = 0;
	}
	d->far.backlog = n == EAL_BURST;
	return n;
}

void dev_far_note(struct dev_far *f, bool far)
{
	f->times = (uint8_t)(f->times << 1 | far);
	f->is = __builtin_popcount(f->times) >= FAR_OF;
}

// Ticks for which these frames keep the processor waiting, one after the other.
static uint64_t wait_for(struct rte_mbuf *const m[TIMED])
{
	uint64_t from = rte_rdtsc_precise();
	uintptr_t none = 0;

	for (unsigned i = 0; i < TIMED; i++) {
		const struct rte_mbuf *one;

		__asm__("" : "+r"(none)); // the compiler does not know that it is 0
		one = (const struct rte_mbuf *)((const char *)m[i] + none);
		if (one->data_len)
			none &= *rte_pktmbuf_mtod(one, const volatile uint8_t *);
	}
	__asm__ volatile("" ::"r"(none));
	return rte_rdtsc_precise() - from;
}

// Decides whether the device is far: it times reads of frames that were just received. A near
// buffer is timed first, to subtract the cost of reading the counter. Devices that read a file are
// left out: their frames come as fast as they are asked for, and no wire has a backlog of them.
void dev_far_time(struct dev *d, struct rte_mbuf *const *m, unsigned n)
{
	struct rte_mbuf near = {.buf_addr = &near, .data_len = 1};
	struct rte_mbuf *same[TIMED], *some[TIMED];
	uint64_t least, ticks;

	d->far.is = false;
	if (n < EAL_BURST || d->paced)
		return;
	for (unsigned i = 0; i < TIMED; i++) {
		same[i] = &near;
		some[i] = m[(i + 1) * EAL_BURST / TIMED - 1];
	}
	least = wait_for(same);
	ticks = wait_for(some);
	ticks -= ticks < least ? ticks : least;
	dev_far_note(&d->far, ticks * (uint64_t)1e9 > rte_get_tsc_hz() * TIMED * FAR_NS);
}

void dev_far_read(struct dev *d)
{
	if (d->far.is && d->far.backlog && !d->far.n)
		d->far.n = (uint16_t)dev_burst_rx(d, d->rx_queue, d->far.m, EAL_BURST);
}

void dev_far_fetch(struct dev *d, unsigned part, bool own)
{
	unsigned from = EAL_BURST * part / DEV_FAR_PARTS;
	unsigned to = EAL_BURST * (part + 1) / DEV_FAR_PARTS;

	if (to > d->far.n)
		to = d->far.n;
	if (from < to)
		mbuf_fetch_ahead(d->far.m + from, to - from, own);
}
