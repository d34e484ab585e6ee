// SPDX-License-Identifier: BSD-3-Clause
// Shards of a switch under plain threads: each runs the ports of its own, and the fabric's rings
// and the shared pool are all that they have together. Nothing is lost, and everything is accounted
// for. A shard also receives for ports of the other one. The same test is built with the thread
// sanitizer.
#include <pthread.h>
#include <stdatomic.h>
#include <sched.h>

#include "shards/shards.h"
#include "sw_box.h"

#define SHARDS 2
#define PORTS  4
#define PKTS   4096
#define ROUNDS 10000
#define BURST  16

#define AT_ONCE 256 // frames and credits that a shard takes from another one in one call

// What one thread has: its shard, free packets, events.
struct worker {
	struct sw *sw; // its shard
	struct pkt_stack stack;
	struct ev_ring events;
	struct ev ev[64];
	unsigned shard;
	uint64_t seed, sent, aside, taken;
	struct pkt *slot[SHARDS * PKTS];
};

static pthread_barrier_t at_once;
static _Atomic unsigned sending;
static uint8_t paused[PORTS]; // by each port's own shard: class 3
static struct box *box;

static struct pkt *make(struct worker *w, unsigned from, uint64_t x)
{
	struct pkt *p = pkt_get(&w->stack);
	unsigned to = (unsigned)(x >> 60) % PORTS, cls = x >> 50 & 1 ? 3 : 0;

	if (!p)
		return NULL;
	*p = (struct pkt){
		.hdr = &box->hdr[1 + from * BOX_PORTS + (to == from ? (to + 1) % PORTS : to)],
		.len = (uint16_t)(60 + (x >> 40) % 1400),
		.kind = PKT_DATA,
		.tos = (uint8_t)(cls * 8 << 2 | ECN_ECT0),
	};
	return p;
}

// The host at a port sends some frames, of class 3 only while that is not paused.
static void host_sends(struct worker *w, unsigned port, tstamp now)
{
	struct pkt *burst[BURST];
	unsigned n = 0;

	w->seed = w->seed * 6364136223846793005u + 1442695040888963407u;
	for (uint64_t x = w->seed; n < (w->seed >> 33) % BURST; n++) {
		x = x * 6364136223846793005u + 1442695040888963407u;
		burst[n] = make(w, port, paused[port] ? x & ~(1ull << 50) : x);
		if (!burst[n])
			break;
	}
	w->sent += n;
	if (n)
		sw_rx(w->sw, port, burst, n, now);
}

// By another queue of the port, which is the other shard's: of class 0, for a pause is not known
// here.
static void host_sends_aside(struct worker *w, unsigned port, tstamp now)
{
	struct pkt *burst[BURST];
	unsigned n = 0;

	if (!sw_rx_room(w->sw, port, BURST))
		return;
	w->seed = w->seed * 6364136223846793005u + 1442695040888963407u;
	for (uint64_t x = w->seed; n < (w->seed >> 35) % BURST; n++) {
		x = x * 6364136223846793005u + 1442695040888963407u;
		burst[n] = make(w, port, x & ~(1ull << 50));
		if (!burst[n])
			break;
	}
	w->sent += n;
	w->aside += n;
	sw_rx_for(w->sw, port, burst, n, now);
}

// It takes all that is due, and obeys PFC at once.
static void host_takes(struct worker *w, unsigned port, tstamp now)
{
	struct pkt *burst[BURST];
	unsigned n;

	while ((n = sw_tx(w->sw, port, burst, BURST, now)))
		for (unsigned i = 0; i < n; i++) {
			if (burst[i]->kind == PKT_PFC)
				paused[port] = burst[i]->u.pfc.quanta[3] != 0;
			else
				w->taken++;
			pkt_put(&w->stack, burst[i]);
		}
}

static void step(struct worker *w, tstamp now, bool sends)
{
	sw_fabric_rx(w->sw, now);
	for (unsigned port = w->shard; port < PORTS; port += SHARDS) {
		if (sends)
			host_sends(w, port, now);
		host_takes(w, port, now);
	}
	for (unsigned port = !w->shard; sends && port < PORTS; port += SHARDS)
		host_sends_aside(w, port, now);
	sw_fabric_push(w->sw);
}

// Senders stop first; then the threads go on until what was sent and not dropped has come.
static void *work(void *arg)
{
	struct worker *w = arg;
	tstamp now = PS_PER_US;
	unsigned i = 0;

	pthread_barrier_wait(&at_once);
	for (; i < ROUNDS; i++, now += PS_PER_US) {
		step(w, now, true);
		if (i % 64 == 0)
			sched_yield();
	}
	atomic_fetch_sub(&sending, 1);
	for (unsigned quiet = 0; quiet < 20000; now += PS_PER_US) {
		uint64_t before = w->taken;

		step(w, now, false);
		quiet = atomic_load(&sending) || w->taken != before ? 0 : quiet + 1;
		sched_yield();
	}
	return NULL;
}

static void workers_init(struct worker *w)
{
	struct pkt_stack *stack[SHARDS];
	struct ev_ring *events[SHARDS];

	assert_int_equal(box_try(box), 0); // for its headers
	sw_fini(box->sw);
	for (unsigned k = 0; k < SHARDS; k++) {
		w[k].shard = k;
		w[k].seed = k + 1;
		w[k].stack = (struct pkt_stack){.slot = w[k].slot, .cap = SHARDS * PKTS};
		w[k].events = (struct ev_ring){.slot = w[k].ev, .mask = 63};
		stack[k] = &w[k].stack;
		events[k] = &w[k].events;
	}
	box->params.shards = SHARDS;
	assert_int_equal(sw_cut_init(&box->sw, &box->params, stack, events), 0);
	for (unsigned k = 0; k < SHARDS; k++)
		w[k].sw = sw_shard(box->sw, k);
}

// So small that XOFF is often due: of the shared bytes each shard has only what it leases. With two
// sides lossy queues have limits, too, and the pool of headroom holds what all groups may take.
static void small_buffer(bool two_sides)
{
	box = box_new();
	box->params.buffer_bytes = 400000;
	box->params.tolerance_ps = 4 * PS_PER_US;
	if (two_sides) {
		box->params.cell_bytes = 200;
		box->params.headroom_pool_bytes = PORTS * 60000;
		box->params.egress_bytes[1] = 100000;
	}
	for (unsigned i = 0; i < PORTS; i++)
		for (unsigned c = 0; c < MMU_PGS; c++) {
			box->port[i].pg[c] = (struct mmu_pg_params){
				.lossless = c == 3,
				.threshold = MMU_DYNAMIC,
				.dynamic_th = -1,
				.headroom_bytes = c == 3 ? 60000 : 0,
			};
			box->port[i].queue[c] = (struct mmu_queue_params){
				.lossless = c == 3,
				.limited = two_sides && c != 3,
				.threshold = MMU_DYNAMIC,
				.dynamic_th = -3,
			};
		}
}

static void two_threads(bool two_sides)
{
	struct worker *w = calloc(SHARDS, sizeof(*w));
	struct pkt *pkt = calloc(SHARDS * PKTS, sizeof(*pkt));
	uint64_t sent = 0, aside = 0, taken = 0, dropped = 0, copied = 0, xoff = 0, tail = 0;
	pthread_t thread[SHARDS];
	char why[200];

	assert_true(w && pkt);
	small_buffer(two_sides);
	workers_init(w);
	for (unsigned i = 0; i < SHARDS * PKTS; i++)
		pkt_put(&w[i % SHARDS].stack, &pkt[i]);
	sending = SHARDS;
	pthread_barrier_init(&at_once, NULL, SHARDS);
	for (unsigned k = 0; k < SHARDS; k++)
		assert_int_equal(pthread_create(&thread[k], NULL, work, &w[k]), 0);
	for (unsigned k = 0; k < SHARDS; k++) {
		pthread_join(thread[k], NULL);
		sent += w[k].sent;
		aside += w[k].aside;
		taken += w[k].taken;
	}
	if (sw_conserve(box->sw, why, sizeof(why)))
		fail_msg("%s", why);
	for (unsigned i = 0; i < PORTS; i++) {
		struct sw_port_stats s = sw_port_stats(box->sw, i);

		assert_int_equal(sw_class_stats(box->sw, i, 3).dropped_frames, 0);
		copied += s.copied_frames;
		xoff += s.originated_frames;
		tail += s.drop[SW_DROP_TAIL];
		for (unsigned d = 0; d < SW_DROPS; d++)
			dropped += s.drop[d];
	}
	assert_int_equal(sent + copied, taken + dropped);
	assert_int_equal(sw_buffer(box->sw).used, 0);
	for (unsigned i = 0; two_sides && i < MMU_POOLS; i++)
		assert_int_equal(sw_pool(box->sw, i).used, 0);
	assert_true(!two_sides || tail > 0);
	assert_int_equal(w[0].stack.n + w[1].stack.n, SHARDS * PKTS);
	assert_true(sent > ROUNDS && aside > ROUNDS / 10 && xoff > 0);
	pthread_barrier_destroy(&at_once);
	sw_fini(box->sw);
	free(box);
	free(pkt);
	free(w);
}

static void two_threads_lose_nothing(void **state)
{
	(void)state;
	two_threads(false);
}

static void nor_do_they_where_the_buffer_has_two_sides(void **state)
{
	(void)state;
	two_threads(true);
}

static void shards(struct worker *w, struct pkt *pkt)
{
	small_buffer(false);
	box->params.buffer_bytes = 40000000; // takes all
	workers_init(w);
	for (unsigned i = 0; i < SHARDS * PKTS; i++)
		pkt_put(&w[i % SHARDS].stack, &pkt[i]);
	for (unsigned port = 0; port < PORTS; port++) { // all learn where it is
		struct worker *at = &w[port % SHARDS];
		struct pkt *p = make(at, port, 0);

		sw_rx(at->sw, port, &p, 1, PS_PER_US);
		for (unsigned i = 0; i < 2 * SHARDS; i++)
			step(&w[i % SHARDS], PS_PER_US, false);
	}
}

// Frames of class 3 from one port to another, one by one.
static void send(struct worker *w, unsigned from, unsigned to, unsigned n)
{
	while (n--) {
		struct pkt *p = make(w, from, (uint64_t)to << 60 | 1ull << 50);

		sw_rx(w->sw, from, &p, 1, PS_PER_US);
	}
	sw_fabric_push(w->sw);
}

static uint32_t queued(unsigned port)
{
	return sw_eport(box->sw, port)->q[3].frames;
}

static uint32_t held_from(unsigned port)
{
	return sw_mmu_of(box->sw, port)->pg[port * MMU_PGS + 3].bytes;
}

// The lcore of ports 1 and 3 stands still while that of ports 0 and 2 gives it more frames than a
// ring holds, and sends what has come from port 1. Once it goes on, it gets the credits for that as
// soon as the ring has room, not behind the frames that had no room.
static void credits_do_not_wait_behind_frames(void **state)
{
	struct worker *w = calloc(SHARDS, sizeof(*w));
	struct pkt *pkt = calloc(SHARDS * PKTS, sizeof(*pkt));
	unsigned before;

	(void)state;
	assert_true(w && pkt);
	shards(w, pkt);
	send(&w[1], 1, 0, 100);
	sw_fabric_rx(w[0].sw, PS_PER_US);
	assert_int_equal(queued(0), 100);
	send(&w[0], 2, 3, 3000);
	for (unsigned i = 0; i < 100; i++)
		host_takes(&w[0], 0, (1 + i) * PS_PER_MS);
	sw_fabric_push(w[0].sw);
	assert_int_equal(queued(0), 0);
	assert_true(held_from(1) > 0);
	do {
		before = queued(3);
		sw_fabric_rx(w[1].sw, PS_PER_US);
		assert_in_range(queued(3) - before, 0, AT_ONCE); // ports must not wait longer
	} while (queued(3) > before);
	assert_in_range(before, 500, 2900); // the others wait still
	assert_true(held_from(1) > 0);
	sw_fabric_push(w[0].sw);
	sw_fabric_rx(w[1].sw, PS_PER_US);
	assert_int_equal(held_from(1), 0);
	assert_true(queued(3) < 3000);
	for (unsigned i = 0; i < 200; i++)
		step(&w[i % SHARDS], PS_PER_S * (2 + i), false);
	assert_int_equal(w[0].stack.n + w[1].stack.n, SHARDS * PKTS);
	sw_fini(box->sw);
	free(box);
	free(pkt);
	free(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_threads_lose_nothing),
		cmocka_unit_test(nor_do_they_where_the_buffer_has_two_sides),
		cmocka_unit_test(credits_do_not_wait_behind_frames),
	};

	return cmocka_run_group_tests_name("sw_fabric", tests, NULL, NULL);
}
