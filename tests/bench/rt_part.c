// SPDX-License-Identifier: BSD-3-Clause
// Where the time of a frame through the switch goes.
#include "rt_part.h"

#include <stdbool.h>
#include <string.h>

#include <rte_cycles.h>
#include <rte_ethdev.h>

#include "dev/dev.h"
#include "fdb/fdb.h"
#include "rt_stand.h"

#define READINGS   10000 // of which the price of one is the mean
#define TRIES      10    // of which the least counts: in the others somebody had the processor
#define LONGEST_US 50    // of a call; beyond it others had the processor

static bool on;
static uint64_t longest; // ticks
static uint64_t ticks[PARTS], calls[PARTS];
static eth_rx_burst_t driver_rx[RTE_MAX_ETHPORTS];
static void *driver_queue[RTE_MAX_ETHPORTS];

// Declares __real_fn, which is the original `fn`, and begins the definition of __wrap_fn, which the
// linker puts in its place.
#define TAKE(type, fn, ...)            \
	type __real_##fn(__VA_ARGS__); \
	type __wrap_##fn(__VA_ARGS__); \
	type __wrap_##fn(__VA_ARGS__)

static inline uint64_t begin(void)
{
	return on ? rte_rdtsc() : 0;
}

// `inner`: what another part has booked since. A call in which others had the processor is not
// booked.
static inline void end_around(enum part p, uint64_t from, uint64_t inner)
{
	uint64_t took;

	if (!on)
		return;
	took = rte_rdtsc() - from - inner;
	if (took > longest)
		return;
	ticks[p] += took;
	calls[p]++;
}

static inline void end(enum part p, uint64_t from)
{
	end_around(p, from, 0);
}

static uint16_t receive(void *queue, struct rte_mbuf **m, uint16_t n)
{
	unsigned id = queue == driver_queue[0] ? 0 : 1;
	uint64_t from = begin();
	uint16_t got = driver_rx[id](queue, m, n);

	end(PART_RECEIVE, from);
	return got;
}

static void open_devices(const struct dev *dev, unsigned n_devs)
{
	for (unsigned i = 0; i < n_devs; i++) {
		struct rte_eth_fp_ops *ops = &rte_eth_fp_ops[dev[i].id];

		driver_rx[i] = ops->rx_pkt_burst;
		driver_queue[i] = ops->rxq.data[0];
		ops->rx_pkt_burst = receive;
	}
}

static void begin_round(void)
{
	memset(ticks, 0, sizeof(ticks));
	memset(calls, 0, sizeof(calls));
	longest = rte_get_tsc_hz() / 1000000 * LONGEST_US;
	on = true;
}

// Ticks from one reading of the counter to the next.
static double price(void)
{
	uint64_t least = UINT64_MAX;

	for (unsigned t = 0; t < TRIES; t++) {
		uint64_t from = rte_rdtsc(), took;

		for (unsigned i = 0; i < READINGS; i++)
			rte_rdtsc();
		took = rte_rdtsc() - from;
		least = took < least ? took : least;
	}
	return (double)least / READINGS;
}

static void end_round(double ns[PARTS], uint64_t frames)
{
	double each = price();

	on = false;
	for (unsigned p = 0; p < PARTS; p++)
		ns[p] = ((double)ticks[p] - each * (double)calls[p]) * 1e9 /
			(double)rte_get_tsc_hz() / (double)frames;
}

static const struct part_timer timer = {
	.open = open_devices,
	.begin = begin_round,
	.end = end_round,
	.name = {"receive", "parse", "fdb", "admission", "egress", "render", "send"},
};
const struct part_timer *const part_timer = &timer;

TAKE(unsigned, dev_rx, struct dev *d, struct pkt **burst, struct hdr *hdr, tstamp now)
{
	uint64_t before = ticks[PART_RECEIVE], from = begin();
	unsigned n = __real_dev_rx(d, burst, hdr, now);

	end_around(PART_PARSE, from, ticks[PART_RECEIVE] - before);
	return n;
}

// A burst of a device that is far.
TAKE(unsigned, dev_rx_parse, struct dev *d, struct rte_mbuf **m, struct pkt **burst,
	struct hdr *hdr, unsigned n, tstamp now)
{
	uint64_t from = begin();
	unsigned out = __real_dev_rx_parse(d, m, burst, hdr, n, now);

	end(PART_PARSE, from);
	return out;
}

TAKE(void, sw_rx, struct sw *sw, unsigned port, struct pkt **burst, unsigned n, tstamp now)
{
	uint64_t before = ticks[PART_FDB], from = begin();

	__real_sw_rx(sw, port, burst, n, now);
	end_around(PART_ADMISSION, from, ticks[PART_FDB] - before);
}

TAKE(unsigned, sw_ways, struct sw *sw, const struct sw_port *in, struct pkt **burst, unsigned n,
	struct sw_way *way, tstamp now)
{
	uint64_t from = begin();
	unsigned known = __real_sw_ways(sw, in, burst, n, way, now);

	end(PART_FDB, from);
	return known;
}

TAKE(unsigned, sw_tx, struct sw *sw, unsigned port, struct pkt **burst, unsigned max, tstamp now)
{
	uint64_t from = begin();
	unsigned n = __real_sw_tx(sw, port, burst, max, now);

	end(PART_EGRESS, from);
	return n;
}

TAKE(void, mbuf_render, struct mbuf_told *told, struct mbuf_tmpl *tmpl, struct pkt **burst,
	struct rte_mbuf **m, unsigned n, uint64_t as_came)
{
	uint64_t from = begin();

	__real_mbuf_render(told, tmpl, burst, m, n, as_came);
	end(PART_RENDER, from);
}

// One thread sends by all ports.
static uint64_t wire_ticks(void)
{
	uint64_t all = 0;

	for (unsigned p = 0; p < STAND_PORTS; p++)
		all += stand_wire_ticks(p);
	return all;
}

TAKE(unsigned, dev_tx, struct dev *d, unsigned queue, struct rte_mbuf **m, unsigned n)
{
	uint64_t before = wire_ticks(), from = begin();
	unsigned sent = __real_dev_tx(d, queue, m, n);

	end_around(PART_SEND, from, wire_ticks() - before);
	return sent;
}
