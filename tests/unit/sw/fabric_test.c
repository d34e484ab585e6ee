// SPDX-License-Identifier: BSD-3-Clause
// Shards of a switch under plain threads: each runs the ports of its own, and the fabric's rings
// and the shared pool are all that they have together. Nothing is lost, and everything is accounted
// for. A shard also receives for ports of another one. The same test is built with the thread
// sanitizer.
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sched.h>

#include "defaults.h"
#include "sw/int.h"
#include "sw_box.h"

#define SHARDS 3 // at most
#define PORTS  6 // at most
#define PKTS   4096
#define AHEAD  64  // rounds that a thread may be ahead of the others
#define QUIET  100 // rounds in which nothing comes
#define BURST  16

// Fewer where each takes long (tests/unit/meson.build).
#ifndef ROUNDS
#define ROUNDS 10000
#endif

#define CHANGES 8 // that each shard adopts, at equal distances

#define AT_ONCE 256 // frames and credits that a shard takes from another one in one call

// The state of one thread: its shard, free packets, events.
struct worker {
	struct sw *sw; // its shard
	struct pkt_stack stack;
	struct ev_ring events;
	struct ev ev[64];
	unsigned shard;
	uint64_t seed, sent, aside, taken;
	tstamp now;
	struct pkt *slot[SHARDS * PKTS];
};

// Of the switch of a test: nearly all have these.
static unsigned n_shards = 2, n_ports = 4;

static pthread_barrier_t at_once;
static _Atomic unsigned sending, rounds[SHARDS];
static uint8_t paused[PORTS]; // by each port's own shard: class 3
static struct box *box;

static struct sw_change *change[CHANGES]; // NULL: there are none

// Host 1 is reached by ports 1 and 2, and sends by both.
static bool has_ways, forgets;
static const struct sw_ecmp_group ways = {.port = {1 << 1 | 1 << 2}};

// As from outside: with a header of its own, which the switch forgets, and with bytes.
static void make_foreign(struct worker *w, struct pkt *p)
{
	struct pkt short_one = *p;

	short_one.len = 90;
	*pkt_own_hdr(p) = *p->hdr;
	pkt_own_hdr(p)->id = 0;
	p->hdr = pkt_own_hdr(p);
	p->flags = PKT_F_FOREIGN;
	p->data_off = w->stack.data_off;
	p->l3_off = 14;
	frame_from_pkt(&short_one, pkt_bytes(p));
}

static struct pkt *make(struct worker *w, unsigned from, uint64_t x)
{
	struct pkt *p = pkt_get(&w->stack);
	unsigned to = (unsigned)(x >> 60) % n_ports, cls = x >> 50 & 1 ? 3 : 0;

	if (!p)
		return NULL;
	if (has_ways && from == 2 && x >> 30 & 1 && to != 2)
		from = 1;
	*p = (struct pkt){
		.hdr = &box->hdr[1 + from * BOX_PORTS + (to == from ? (to + 2) % n_ports : to)],
		.len = (uint16_t)(60 + (x >> 40) % 1400),
		.kind = PKT_DATA,
		.tos = (uint8_t)(cls * 8 << 2 | ECN_ECT0),
	};
	if (has_ways && !(x >> 20 & 7)) {
		p->kind = x >> 23 & 1 ? PKT_ACK : PKT_CNP;
		p->u.rc.qpn = from;
	}
	if (forgets)
		make_foreign(w, p);
	return p;
}

// The memory of headers that the switch has forgotten belongs to another frame now. A dropped frame
// may be a frame of the switch's own already.
static void poison(struct pkt *const *burst, unsigned n)
{
	for (unsigned i = 0; forgets && i < n; i++)
		if (!burst[i]->hdr)
			memset(pkt_own_hdr(burst[i]), 0xa5, sizeof(struct hdr));
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
	poison(burst, n);
}

// By another queue of the port, which is another shard's: of class 0, for a pause is not known
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

// Takes the frames that other shards have handed over.
static void takes_messages(struct worker *w, tstamp now)
{
	sw_fabric_ahead(w->sw);
	sw_fabric_rx(w->sw, now);
}

static void step(struct worker *w, tstamp now, bool sends)
{
	takes_messages(w, now);
	for (unsigned port = w->shard; port < n_ports; port += n_shards) {
		if (sends)
			host_sends(w, port, now);
		host_takes(w, port, now);
	}
	for (unsigned port = (w->shard + 1) % n_shards; sends && port < n_ports; port += n_shards)
		host_sends_aside(w, port, now);
	sw_fabric_push(w->sw);
}

// A thread that the machine does not run for a while keeps the others waiting, so that all send
// while all take. Nothing is ordered by it.
static void wait_for_others(unsigned shard, unsigned round)
{
	bool ahead;

	atomic_store_explicit(&rounds[shard], round, memory_order_relaxed);
	do {
		ahead = false;
		for (unsigned k = 0; k < n_shards; k++)
			ahead |= atomic_load_explicit(&rounds[k], memory_order_relaxed) < round;
		sched_yield();
	} while (ahead);
}

static void adopt(const struct worker *w, const struct sw_change *c)
{
	const struct ctl ctl = {.type = CTL_ADOPT, .port = PKT_NO_PORT, .with = c};

	assert_int_equal(sw_ctl(w->sw, &ctl, w->now), 0);
}

// Senders stop first; then the threads go on until nothing has come for a while.
static void *work(void *arg)
{
	struct worker *w = arg;

	w->now = PS_PER_US;
	pthread_barrier_wait(&at_once);
	for (unsigned i = 0; i < ROUNDS; i++, w->now += PS_PER_US) {
		if (change[0] && i % (ROUNDS / CHANGES) == 0)
			adopt(w, change[i / (ROUNDS / CHANGES)]);
		step(w, w->now, true);
		if (i % AHEAD == 0)
			wait_for_others(w->shard, i);
	}
	atomic_store_explicit(&rounds[w->shard], UINT_MAX, memory_order_relaxed);
	atomic_fetch_sub(&sending, 1);
	for (unsigned quiet = 0; quiet < QUIET; w->now += PS_PER_US) {
		uint64_t before = w->taken;

		step(w, w->now, false);
		quiet = atomic_load(&sending) || w->taken != before ? 0 : quiet + 1;
		sched_yield();
	}
	return NULL;
}

// A thread that was stopped meanwhile has left something for one that has ended. Here a single
// thread runs all shards until that has come, too, with its credits.
static void all_comes(struct worker *w)
{
	for (unsigned quiet = 0; quiet < QUIET; quiet++)
		for (unsigned k = 0; k < n_shards; k++) {
			uint64_t before = w[k].taken;

			step(&w[k], w[k].now += PS_PER_US, false);
			quiet = w[k].taken != before ? 0 : quiet;
		}
}

static void workers_init(struct worker *w)
{
	struct pkt_stack *stack[SHARDS];
	struct ev_ring *events[SHARDS];

	assert_int_equal(box_try(box), 0); // for its headers
	sw_fini(box->sw);
	for (unsigned k = 0; k < n_shards; k++) {
		w[k].shard = k;
		w[k].seed = k + 1;
		w[k].stack = (struct pkt_stack){.slot = w[k].slot,
			.cap = n_shards * PKTS,
			.data_off = offsetof(struct box_pkt, room),
			.room = BOX_ROOM};
		w[k].events = (struct ev_ring){.slot = w[k].ev, .mask = 63};
		stack[k] = &w[k].stack;
		events[k] = &w[k].events;
	}
	box->params.shards = n_shards;
	assert_int_equal(sw_cut_init(&box->sw, &box->params, stack, events), 0);
	for (unsigned k = 0; k < n_shards; k++) {
		w[k].sw = sw_shard(box->sw, k);
		if (forgets)
			sw_forget_headers(w[k].sw);
	}
}

// So small that XOFF is often due: of the shared bytes each shard has only what it leases. With two
// sides lossy queues have limits, too, and the pool of headroom holds what all groups may take.
static void small_buffer(bool two_sides)
{
	box = box_new();
	box->params.n_ports = n_ports;
	box->params.buffer_bytes = 400000;
	box->params.tolerance_ps = 4 * PS_PER_US;
	box->set->cls[1].weight = 1;
	box->set->cls[1].mark = SW_MARK_DEQUEUE;
	box->set->cls[1].red = (struct red_params){10000, 20000, 0.1};
	if (two_sides) {
		box->params.cell_bytes = 200;
		box->params.headroom_pool_bytes = n_ports * 60000;
		box->params.egress_bytes[1] = 100000;
	}
	for (unsigned i = 0; i < n_ports; i++)
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

// Thresholds, a curve, a weight, quanta and shapers go there and back again.
static void make_changes(void)
{
	struct sw_params other = box->params;
	struct sw_port_params port[PORTS];
	struct sw_set_params set[2] = {box->set[0], box->set[0]};

	memcpy(port, box->port, sizeof(port));
	other.port = port;
	other.set = set;
	other.n_sets = 2;
	set[0].cls[1].red = (struct red_params){2000, 4000, 0.5};
	set[0].cls[1].weight = 7;
	set[0].cls[3].quanta = 30000;
	for (unsigned i = 0; i < n_ports; i++) {
		port[i].set = i % 2;
		port[i].pg[3].dynamic_th = -4;
		port[i].pg[1].dynamic_th = -6;
		port[i].shaper_rate = i % 2 ? 80 * RATE_GBPS : 0;
		port[i].shaper_burst = box->port[i].shaper_burst = 9000;
	}
	for (unsigned i = 0; i < CHANGES; i++)
		assert_int_equal(sw_change_new(&change[i], box->sw, i % 2 ? &other : &box->params,
					 i % 2 ? &box->params : &other, i + 1),
			0);
}

// Class 0 has iQCN and Fast CNP, and everything in it is marked. Class 3 has congestion points.
static void equal_ways(void)
{
	static struct sw_fdb_params fdb[] = {{.port = 0}, {.ecmp = 1}, {.port = 2}, {.port = 3}};
	struct sw_params *p = &box->params;

	for (unsigned i = 0; i < 4; i++)
		box_mac(fdb[i].mac, i);
	p->fdb = fdb;
	p->n_fdb = 4;
	p->ecmp = &ways;
	p->n_ecmp = 1;
	p->iqcn_on = p->fast_cnp_on = true;
	iqcn_defaults(&p->iqcn);
	fast_cnp_defaults(&p->fast_cnp.table);
	p->fast_cnp.table.age_ps = 100 * PS_PER_US;
	box->set->cls[0].force_ce = true;
	box->set->cls[0].mark = SW_MARK_ENQUEUE;
	box->set->cls[0].fast_cnp = SW_FAST_CNP_INSTEAD;
	box->set->cls[0].heavy_bytes = 3000;
	box->set->cls[0].heavy_off_bytes = 2000;
	box->set->cls[3].qcn.on = true;
	box->set->cls[3].qcn.cnm_class = 6;
	qcn_cp_defaults(&box->set->cls[3].qcn.cp);
	box->set->cls[3].qcn.cp.set_point = 1000;
}

// Data of hosts 0 and 3 to host 1 takes different ways.
static void addresses(void)
{
	uint64_t salt = sw_ecmp_salt(box->params.seed, box->params.name);

	for (unsigned i = 1; i <= BOX_PORTS * BOX_PORTS; i++) {
		struct hdr *h = &box->hdr[i];
		unsigned host = h->src[5] - 1u, way = host == 3 ? 2 : 1;

		h->saddr[3] = h->src[5];
		h->daddr[3] = h->dst[5];
		h->dport = 4791;
		while (sw_ecmp_port(&ways, NULL, sw_ecmp_hash(salt, h)) != way && h->dst[5] == 2)
			h->sport++;
	}
	for (unsigned host = 0; host < n_ports; host++)
		box->hdr[1 + BOX_PORTS + host].sport = box->hdr[1 + host * BOX_PORTS + 1].sport;
}

// Both shards have flows whose CNPs and ACKs came to the other one, too, and served them.
static void flows_were_served(void)
{
	for (unsigned port = 1; port < 3; port++) {
		const struct iqcn *q = sw_iqcn(sw_owner(box->sw, port));

		assert_true(q->port[port].rx_cnps > 0);
		assert_true(sw_fast_cnp(sw_owner(box->sw, port))->n_elsewhere > 0);
		assert_true(sw_port_stats(box->sw, port).fast_cnp_tx > 0);
		assert_true(sw_class_stats(box->sw, port, 3).cnm_tx_frames > 0);
	}
}

enum buffer { ONE_SIDE, TWO_SIDES };

// The counters of all ports.
struct counted {
	uint64_t copied, made, dropped, xoff, tail;
};

static struct counted count_ports(void)
{
	struct counted n = {0};

	for (unsigned i = 0; i < n_ports; i++) {
		struct sw_port_stats s = sw_port_stats(box->sw, i);

		// A CNP of the switch's own takes no headroom, and may be dropped.
		assert_int_equal(sw_class_stats(box->sw, i, 3).pg_dropped_frames, 0);
		for (unsigned c = 0; c < PKT_CLASSES; c++)
			n.made += sw_class_stats(box->sw, i, c).originated_frames;
		n.copied += s.copied_frames;
		n.xoff += s.originated_frames;
		n.tail += s.drop[SW_DROP_TAIL];
		for (unsigned d = 0; d < SW_DROPS; d++)
			n.dropped += s.drop[d];
	}
	return n;
}

static unsigned free_packets(const struct worker *w)
{
	unsigned n = 0;

	for (unsigned k = 0; k < n_shards; k++)
		n += w[k].stack.n;
	return n;
}

static void free_changes(void)
{
	for (unsigned i = 0; i < CHANGES; i++) {
		sw_change_free(change[i]);
		change[i] = NULL;
	}
}

enum more { NOTHING_MORE, WAYS, WAYS_FORGETTING, CHANGING };

static void threads(enum buffer sides, enum more more)
{
	struct worker *w = calloc(n_shards, sizeof(*w));
	struct box_pkt *pkt = calloc(n_shards * PKTS, sizeof(*pkt));
	bool two_sides = sides == TWO_SIDES;
	uint64_t sent = 0, aside = 0, taken = 0;
	struct counted n;
	pthread_t thread[SHARDS];
	char why[200];

	assert_true(w && pkt);
	small_buffer(two_sides);
	has_ways = more == WAYS || more == WAYS_FORGETTING;
	forgets = more == WAYS_FORGETTING;
	if (has_ways)
		equal_ways();
	box->params.monitor = more == CHANGING;
	workers_init(w);
	if (has_ways)
		addresses();
	if (more == CHANGING)
		make_changes();
	for (unsigned i = 0; i < n_shards * PKTS; i++)
		pkt_put(&w[i % n_shards].stack, &pkt[i].p);
	sending = n_shards;
	for (unsigned k = 0; k < n_shards; k++)
		rounds[k] = 0;
	pthread_barrier_init(&at_once, NULL, n_shards);
	for (unsigned k = 0; k < n_shards; k++)
		assert_int_equal(pthread_create(&thread[k], NULL, work, &w[k]), 0);
	for (unsigned k = 0; k < n_shards; k++)
		pthread_join(thread[k], NULL);
	all_comes(w);
	for (unsigned k = 0; k < n_shards; k++) {
		sent += w[k].sent;
		aside += w[k].aside;
		taken += w[k].taken;
	}
	if (sw_conserve(box->sw, why, sizeof(why)))
		fail_msg("%s", why);
	n = count_ports();
	assert_int_equal(sent + n.copied + n.made, taken + n.dropped);
	assert_int_equal(sw_buffer(box->sw).used, 0);
	for (unsigned i = 0; two_sides && i < MMU_POOLS; i++)
		assert_int_equal(sw_pool(box->sw, i).used, 0);
	assert_true(!two_sides || n.tail > 0);
	assert_int_equal(free_packets(w), n_shards * PKTS);
	assert_true(sent > ROUNDS && aside > ROUNDS / 10 && n.xoff > 0);
	if (has_ways)
		flows_were_served();
	has_ways = forgets = false;
	free_changes();
	pthread_barrier_destroy(&at_once);
	sw_fini(box->sw);
	free(box);
	free(pkt);
	free(w);
}

static void two_threads_lose_nothing(void **state)
{
	(void)state;
	threads(ONE_SIDE, NOTHING_MORE);
}

static void nor_do_they_where_the_buffer_has_two_sides(void **state)
{
	(void)state;
	threads(TWO_SIDES, NOTHING_MORE);
}

static void nor_where_flows_come_back_another_way(void **state)
{
	(void)state;
	threads(ONE_SIDE, WAYS);
}

static void nor_where_headers_are_forgotten(void **state)
{
	(void)state;
	threads(ONE_SIDE, WAYS_FORGETTING);
}

static void nor_where_they_adopt_other_values(void **state)
{
	(void)state;
	threads(ONE_SIDE, CHANGING);
	threads(TWO_SIDES, CHANGING);
}

// Each shard has two others then, and receives for ports of one of them.
static void nor_do_three(void **state)
{
	(void)state;
	n_shards = 3;
	n_ports = 6;
	threads(ONE_SIDE, NOTHING_MORE);
	threads(TWO_SIDES, NOTHING_MORE);
	threads(ONE_SIDE, CHANGING);
	threads(TWO_SIDES, CHANGING);
	n_shards = 2;
	n_ports = 4;
}

static void shards(struct worker *w, struct pkt *pkt)
{
	small_buffer(false);
	box->params.buffer_bytes = 40000000; // takes all
	workers_init(w);
	for (unsigned i = 0; i < n_shards * PKTS; i++)
		pkt_put(&w[i % n_shards].stack, &pkt[i]);
	for (unsigned port = 0; port < n_ports; port++) { // all learn where it is
		struct worker *at = &w[port % n_shards];
		struct pkt *p = make(at, port, 0);

		sw_rx(at->sw, port, &p, 1, PS_PER_US);
		for (unsigned i = 0; i < 2 * n_shards; i++)
			step(&w[i % n_shards], PS_PER_US, false);
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
	struct worker *w = calloc(n_shards, sizeof(*w));
	struct pkt *pkt = calloc(n_shards * PKTS, sizeof(*pkt));
	unsigned before;

	(void)state;
	assert_true(w && pkt);
	shards(w, pkt);
	send(&w[1], 1, 0, 100);
	takes_messages(&w[0], PS_PER_US);
	assert_int_equal(queued(0), 100);
	send(&w[0], 2, 3, 3000);
	for (unsigned i = 0; i < 100; i++)
		host_takes(&w[0], 0, (1 + i) * PS_PER_MS);
	sw_fabric_push(w[0].sw);
	assert_int_equal(queued(0), 0);
	assert_true(held_from(1) > 0);
	do {
		before = queued(3);
		takes_messages(&w[1], PS_PER_US);
		assert_in_range(queued(3) - before, 0, AT_ONCE); // ports must not wait longer
	} while (queued(3) > before);
	assert_in_range(before, 500, 2900); // the others wait still
	assert_true(held_from(1) > 0);
	sw_fabric_push(w[0].sw);
	takes_messages(&w[1], PS_PER_US);
	assert_int_equal(held_from(1), 0);
	assert_true(queued(3) < 3000);
	for (unsigned i = 0; i < 200; i++)
		step(&w[i % n_shards], PS_PER_S * (2 + i), false);
	assert_int_equal(w[0].stack.n + w[1].stack.n, n_shards * PKTS);
	sw_fini(box->sw);
	free(box);
	free(pkt);
	free(w);
}

// The whole buffer goes to a shard that stands still, in frames of the least length and in a
// framing that counts nothing else. Frames for which the ring has no room wait in a backlog, in
// order, and come later.
#define LEAST 14
static void a_buffer_of_shortest_frames_finds_room(void **state)
{
	struct worker *w = calloc(n_shards, sizeof(*w));
	const unsigned all = 400000 / LEAST;
	struct pkt *pkt = calloc(all, sizeof(*pkt)), *burst[BURST];
	struct sw_fdb_params fdb = {.port = 3};
	unsigned came = 0;

	(void)state;
	assert_true(w && pkt);
	small_buffer(false);
	box_mac(fdb.mac, 3);
	box->params.fdb = &fdb;
	box->params.n_fdb = 1;
	box->params.framing.queue_extra = 0;
	for (unsigned i = 0; i < n_ports; i++)
		for (unsigned c = 0; c < MMU_PGS; c++)
			box->port[i].pg[c] = (struct mmu_pg_params){.static_bytes = 400000};
	workers_init(w);
	for (unsigned i = 0; i < all; i++) {
		struct pkt *p = &pkt[i];

		*p = (struct pkt){.hdr = &box->hdr[1 + 3], .len = LEAST, .kind = PKT_OTHER};
		p->born = i;
		sw_rx(w[0].sw, 0, &p, 1, PS_PER_US);
	}
	assert_int_equal(sw_buffer(box->sw).used, all * LEAST);
	for (tstamp now = PS_PER_MS; now < PS_PER_S; now += PS_PER_MS) {
		sw_fabric_push(w[0].sw);
		takes_messages(&w[1], now);
		for (unsigned n; (n = sw_tx(w[1].sw, 3, burst, BURST, now));)
			for (unsigned i = 0; i < n; i++)
				assert_int_equal(burst[i]->born, came++);
	}
	assert_int_equal(came, all);
	sw_fini(box->sw);
	free(box);
	free(pkt);
	free(w);
}

// A ring of its own: the thread of shard 0 tells where an address lives, that of shard 1 listens,
// and nothing goes back. So nothing but the two indices of the ring orders the two threads. Each
// second time the listener asks first when the next message comes.
#define TOLD (20 * SW_RING_ENTRIES) // so that the ring wraps
#define KEY  0x020000000064u

static void *tells(void *arg)
{
	struct worker *w = arg;

	for (unsigned i = 0; i < TOLD;) {
		// In the end it lives at port 2.
		if (sw_fabric_learn(w->sw, KEY, i % 2 ? 2 : 0, PS_PER_US))
			i++;
		else
			sched_yield();
		sw_fabric_push(w->sw);
	}
	return NULL;
}

// Returns NULL where each message was said to come at its time.
static void *listens(void *arg)
{
	struct worker *w = arg;
	const struct sw_ring *r = w->sw->peer[0].from;
	bool wrong = false;

	for (unsigned i = 0; atomic_load_explicit(&r->tail, memory_order_relaxed) != TOLD; i++) {
		tstamp at = i % 2 ? sw_fabric_deadline(w->sw) : TSTAMP_NEVER;

		wrong |= at != PS_PER_US && at != TSTAMP_NEVER;
		sw_fabric_ahead(w->sw);
		if (!sw_fabric_rx(w->sw, PS_PER_US))
			sched_yield();
	}
	return wrong ? w : NULL;
}

static void a_ring_orders_its_two_threads(void **state)
{
	struct worker *w = calloc(n_shards, sizeof(*w));
	pthread_t teller, listener;
	void *wrong;

	(void)state;
	assert_non_null(w);
	small_buffer(false);
	workers_init(w);
	assert_int_equal(pthread_create(&listener, NULL, listens, &w[1]), 0);
	assert_int_equal(pthread_create(&teller, NULL, tells, &w[0]), 0);
	pthread_join(teller, NULL);
	pthread_join(listener, &wrong);
	assert_null(wrong);
	assert_false(sw_fabric_rx(w[0].sw, PS_PER_US));
	sw_fini(box->sw);
	free(box);
	free(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_threads_lose_nothing),
		cmocka_unit_test(nor_do_they_where_the_buffer_has_two_sides),
		cmocka_unit_test(nor_where_flows_come_back_another_way),
		cmocka_unit_test(nor_where_headers_are_forgotten),
		cmocka_unit_test(nor_where_they_adopt_other_values),
		cmocka_unit_test(nor_do_three),
		cmocka_unit_test(credits_do_not_wait_behind_frames),
		cmocka_unit_test(a_buffer_of_shortest_frames_finds_room),
		cmocka_unit_test(a_ring_orders_its_two_threads),
	};

	return cmocka_run_group_tests_name("sw_fabric", tests, NULL, NULL);
}
