// SPDX-License-Identifier: BSD-3-Clause
// Egress queues of rt_bench that stand at a length: the instants of the lane that has them, the
// pace of two lanes, and the wire to the other host.
#include "rt_stand.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rte_cycles.h>
#include <rte_ethdev.h>
#include <rte_mbuf.h>

#include "base/hint.h"
#include "dev/dev.h"
#include "eal/eal.h"
#include "frame/frame.h"
#include "rt_mixed.h"
#include "sw/sw.h"

#define SENT_MOST  (2 * EAL_BURST) // by a port in one time round the loop
#define LONGEST_US 50 // of a wire's work for a burst; beyond it others had the processor
#define WAITED_US  5  // the same between two looks of a lane that waits

// Behind a port.
struct wire {
	const struct sw *sw; // that sends by the port
	eth_tx_burst_t driver;
	void *queue;
	_Atomic uint64_t ticks; // by the thread that sends
} __rte_cache_aligned;

static struct wire wire[STAND_PORTS];
static struct mixed *lines; // where frames go in place of the drivers, if they are mixed
static bool wires_change;
static uint64_t longest, waited_most; // ticks

const struct eport_q *stand_queue(const struct sw *sw, unsigned port, unsigned cls)
{
	return &sw_eport(sw, port)->q[cls];
}

// How many frames the wire of a port takes. `queued`: frames in its queue; `frames`: the length
// that the queue is to have; `came`: frames that have arrived. If the queue is not too long, the
// wire takes an eighth of a burst less than have arrived. If it is too long, the wire takes an
// eighth of a burst more, or an eighth of the excess if that is more. A loop sends at most two
// bursts of a port.
static uint64_t wire_takes(uint64_t queued, uint64_t frames, uint64_t came)
{
	uint64_t eighth = EAL_BURST / 8, more;

	if (queued <= frames)
		return came < eighth ? 0 : came - eighth;
	more = (queued - frames) / 8;
	came += more > eighth ? more : eighth;
	return came < SENT_MOST ? came : SENT_MOST;
}

tstamp stand_next(struct stand *s)
{
	uint64_t queued = 0, came = 0, fresh;
	unsigned ports = 0;

	for (unsigned p = s->first; p < s->end; p += s->step, ports++)
		for (unsigned c = 0; c < s->classes; c++) {
			const struct eport_q *q = stand_queue(s->sw[p], p, STAND_CLASS - c);

			queued += q->frames;
			came += q->frames + q->tx_frames;
		}
	fresh = (came - s->came) / ports;
	queued /= ports * s->classes;
	s->came = came;
	s->queued += queued;
	s->between += queued >= STAND_FRAMES / 2 && queued <= STAND_FRAMES * 3 / 2;
	return s->now += s->turn * wire_takes(queued, s->frames, fresh) / EAL_BURST;
}

// What lies between two readings is no waiting where others have had the processor.
void stand_keep_pace(
	struct stand_pace *own, const struct stand_pace *other, const atomic_bool *apart)
{
	uint64_t turn = own->turns + 1, last, t;

	atomic_store_explicit(&own->turns, turn, memory_order_release);
	last = rte_rdtsc();
	while (atomic_load_explicit(&other->turns, memory_order_acquire) + 1 < turn &&
		!atomic_load_explicit(apart, memory_order_relaxed)) {
		t = rte_rdtsc();
		if (t - last <= waited_most)
			atomic_store_explicit(
				&own->waited, own->waited + t - last, memory_order_relaxed);
		last = t;
	}
}

// Removes the mark of the switch from a frame.
static void unmark(struct pkt *p)
{
	uint8_t *ip = pkt_bytes(p) + p->l3_off;
	uint32_t sum = (uint32_t)(ip[10] << 8 | ip[11]) + 1; // RFC 1624: CE - 1

	if (ip[0] >> 4 == 6) {
		ip[1] = (uint8_t)((ip[1] & ~0x30) | ECN_ECT0 << 4);
		return;
	}
	sum += sum >> 16;
	ip[1] = (uint8_t)((ip[1] & ~3) | ECN_ECT0);
	ip[10] = (uint8_t)(sum >> 8);
	ip[11] = (uint8_t)sum;
}

// Gives a frame the CN-TAG back that the switch has taken out.
static void retag(struct rte_mbuf *m)
{
	uint8_t *bytes = rte_pktmbuf_mtod(m, uint8_t *);

	memmove(bytes - 4, bytes, 12);
	put_be16(bytes + 8, ETH_P_CNTAG);
	put_be16(bytes + 10, eal_pkt(m)->hdr->cntag);
	m->data_off = RTE_PKTMBUF_HEADROOM;
	m->data_len += 4;
	m->pkt_len += 4;
}

// Leaves alone what leaves as it came, as far as the switch knows that of frames that it has just
// given: such a frame may be in the cache of another lane. Of others it reads descriptors, and the
// frame where that has changed, so the lines that frames are received with are no nearer than
// without a wire. Returns how many are left.
static uint16_t carry(const struct sw *sw, struct rte_mbuf **m, uint16_t n)
{
	uint64_t as_came = sw_as_came(sw);
	uint16_t out = 0;

	for (uint16_t i = 0; i < n; i++) {
		struct pkt *p = eal_pkt(m[i]);

		if (as_came >> i & 1) {
			m[out++] = m[i];
			continue;
		}
		if (unlikely(!(p->flags & PKT_F_FOREIGN))) {
			rte_pktmbuf_free(m[i]);
			continue;
		}
		if (unlikely(p->flags & PKT_F_CE))
			unmark(p);
		if (unlikely(p->data_off != EAL_PRIV + RTE_PKTMBUF_HEADROOM))
			retag(m[i]);
		m[out++] = m[i];
	}
	return out;
}

static struct wire *wire_of(const void *queue)
{
	struct wire *w = wire;

	while (w->queue != queue)
		w++;
	return w;
}

static void add_ticks(struct wire *w, uint64_t took)
{
	if (took <= longest)
		atomic_store_explicit(&w->ticks, w->ticks + took, memory_order_relaxed);
}

void stand_feed(void)
{
	uint64_t from;

	if (!lines)
		return;
	from = rte_rdtsc();
	mixed_feed(lines);
	add_ticks(&wire[0], rte_rdtsc() - from);
}

// In place of a driver's function: n frames leave by its queue.
static uint16_t wire_send(void *queue, struct rte_mbuf **m, uint16_t n)
{
	struct wire *w = wire_of(queue);
	uint16_t left = n;
	uint64_t from;

	if (wires_change || lines) {
		from = rte_rdtsc();
		if (wires_change)
			left = carry(w->sw, m, n);
		if (lines)
			mixed_take(lines, m, left);
		add_ticks(w, rte_rdtsc() - from);
	}
	if (lines || w->driver(queue, m, left) == left)
		return n;
	fprintf(stderr, "rt_bench: a port refuses frames\n");
	exit(1);
}

void stand_open(
	const struct dev *dev, const struct sw *const *sw, unsigned ports, struct mixed *mixed)
{
	lines = mixed;
	longest = rte_get_tsc_hz() / 1000000 * LONGEST_US;
	waited_most = rte_get_tsc_hz() / 1000000 * WAITED_US;
	for (unsigned i = 0; i < ports; i++) {
		struct rte_eth_fp_ops *ops = &rte_eth_fp_ops[dev[i].id];

		wire[i].sw = sw[i];
		wire[i].driver = ops->tx_pkt_burst;
		wire[i].queue = ops->txq.data[0];
		ops->tx_pkt_burst = wire_send;
	}
}

void stand_wires(bool change)
{
	wires_change = change;
}

uint64_t stand_wire_ticks(unsigned port)
{
	return atomic_load_explicit(&wire[port].ticks, memory_order_relaxed);
}
