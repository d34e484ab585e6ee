// SPDX-License-Identifier: BSD-3-Clause
// How long a frame takes through a switch or a macswap that is idle, and how long a PFC frame takes
// to stop what leaves a port.
#include "rt_latency.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rte_cycles.h>
#include <rte_mbuf.h>
#include <rte_ring.h>

#include "frame/frame.h"

#define OCTETS_MOST 1600
#define WARM        1000         // samples that do not count
#define LOST_TICKS  (1ull << 35) // after so many a frame is taken for lost
#define IDLE_US     5            // between two frames; half of it is drawn
#define QUIET_US    20  // without a frame the port has stopped; its pause takes 42 us at 800 Gb/s
#define BEFORE      192 // data frames just before a PFC frame
#define CLASS       3

static int by_ticks(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static void print(const char *name, uint64_t *ticks, unsigned n)
{
	double ns = 1e9 / (double)rte_get_tsc_hz();

	qsort(ticks, n, sizeof(*ticks), by_ticks);
	printf("%s_p50_ns %.0f\n%s_p99_ns %.0f\n%s_p999_ns %.0f\n%s_most_ns %.0f\n", name,
		(double)ticks[n / 2] * ns, name, (double)ticks[n - n / 100 - 1] * ns, name,
		(double)ticks[n - n / 1000 - 1] * ns, name, (double)ticks[n - 1] * ns);
}

static void fail(const char *why)
{
	fprintf(stderr, "rt_bench: latency: %s\n", why);
	exit(1);
}

static struct rte_mbuf *data(struct latency *l, unsigned way, unsigned k)
{
	struct rte_mbuf *m = rte_pktmbuf_alloc(l->pool[way]);

	if (!m)
		fail("no mbuf");
	m->data_len = (uint16_t)flow_write(
		l->traffic, way, k, rte_pktmbuf_mtod(m, uint8_t *), OCTETS_MOST);
	m->pkt_len = m->data_len;
	return m;
}

// PFC of one class from the host behind port b.
static struct rte_mbuf *pfc(struct latency *l, uint16_t quanta)
{
	static const uint8_t head[] = {0x01, 0x80, 0xc2, 0, 0, 1, 2, 0, 0, 0, 0, 0x0b, 0x88, 0x08,
		0x01, 0x01, 0, 1 << CLASS};
	struct rte_mbuf *m = rte_pktmbuf_alloc(l->pool[1]);
	uint8_t *o;

	if (!m)
		fail("no mbuf");
	o = rte_pktmbuf_mtod(m, uint8_t *);
	m->data_len = PKT_MIN_LEN;
	m->pkt_len = PKT_MIN_LEN;
	memset(o, 0, PKT_MIN_LEN);
	memcpy(o, head, sizeof(head));
	o[sizeof(head) + 2 * CLASS] = (uint8_t)(quanta >> 8);
	o[sizeof(head) + 2 * CLASS + 1] = (uint8_t)quanta;
	return m;
}

static void wait_us(unsigned us)
{
	uint64_t until = rte_rdtsc() + us * (rte_get_tsc_hz() / 1000000);

	while (rte_rdtsc() < until)
		;
}

// Sends frame number k of this way, and waits for it. Returns how many ticks it took.
static uint64_t send_through(struct latency *l, unsigned way, unsigned k, unsigned idle_us)
{
	struct rte_mbuf *m = data(l, way, k);
	uint64_t from, now;
	void *got;

	wait_us(idle_us);
	from = rte_rdtsc();
	rte_ring_enqueue(l->in[way], m);
	do {
		now = rte_rdtsc();
		if (now - from > LOST_TICKS)
			fail("a frame was lost");
	} while (rte_ring_dequeue(l->out[!way], &got));
	now = rte_rdtsc();
	if (got != m)
		fail("another frame came than the one that was sent");
	rte_pktmbuf_free(got);
	return now - from;
}

void latency_learn(struct latency *l)
{
	for (unsigned way = 0; way < 2; way++)
		for (unsigned k = 0; k < l->traffic->flows; k++)
			send_through(l, way, k, 0);
}

void latency_idle(struct latency *l, const char *name)
{
	uint64_t *ticks = calloc(l->samples, sizeof(*ticks));

	if (!ticks)
		fail("no memory");
	for (unsigned i = 0; i < WARM + l->samples; i++) {
		uint64_t took = send_through(l, 0, i, IDLE_US + (unsigned)rand() % IDLE_US);

		if (i >= WARM)
			ticks[i - WARM] = took;
	}
	print(name, ticks, l->samples);
	free(ticks);
}

// Takes what has left port b; returns how many.
static unsigned take(struct latency *l)
{
	struct rte_mbuf *m[64];
	unsigned n = rte_ring_dequeue_burst(l->out[1], (void **)m, 64, NULL);

	rte_pktmbuf_free_bulk(m, n);
	return n;
}

// Ticks from a PFC frame's arrival to the last frame that was offered after it. So many data frames
// come just before that the loop has to go round several times for them, and it has begun to.
static uint64_t stop(struct latency *l, struct rte_mbuf **m, struct rte_mbuf *xoff, uint64_t quiet,
	unsigned *taken)
{
	uint64_t from, last, waits; // until `quiet` has passed since this
	unsigned before, n;

	if (!rte_ring_enqueue_bulk(l->in[0], (void **)m, BEFORE, NULL))
		fail("the loop stands still");
	while (!rte_ring_count(l->out[1]))
		;
	before = rte_ring_count(l->out[1]);
	from = last = waits = rte_rdtsc();
	rte_ring_enqueue(l->in[1], xoff);
	while (rte_rdtsc() - waits < quiet) {
		n = take(l);
		*taken += n;
		if (n > before)
			last = waits = rte_rdtsc();
		before -= n < before ? n : before;
		if (rte_ring_count(l->in[1])) // others have the loop's processor
			waits = rte_rdtsc();
	}
	return last - from;
}

void latency_pfc(struct latency *l)
{
	uint64_t us = rte_get_tsc_hz() / 1000000, *ticks = calloc(l->stops, sizeof(*ticks));

	if (!ticks)
		fail("no memory");
	for (unsigned i = 0; i < l->stops; i++) {
		struct rte_mbuf *m[BEFORE], *xoff = pfc(l, UINT16_MAX);
		unsigned taken = 0;
		uint64_t from;

		for (unsigned k = 0; k < BEFORE; k++)
			m[k] = data(l, 0, i * BEFORE + k);
		ticks[i] = stop(l, m, xoff, QUIET_US * us, &taken);
		rte_ring_enqueue(l->in[1], pfc(l, 0));
		for (from = rte_rdtsc(); taken < BEFORE; taken += take(l))
			if (rte_rdtsc() - from > LOST_TICKS)
				fail("a frame was lost");
	}
	print("pfc", ticks, l->stops);
	free(ticks);
}
