// SPDX-License-Identifier: BSD-3-Clause
// Processor time that one lcore takes for a frame through the switch between two ports, and for one
// through a bare macswap on the same rings and mbufs, in turns.
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <rte_cycles.h>
#include <rte_eth_ring.h>
#include <rte_ethdev.h>
#include <rte_launch.h>
#include <rte_lcore.h>
#include <rte_mempool.h>
#include <rte_ring.h>

#include "compile/compile.h"
#include "eal/eal.h"
#include "plan/plan.h"
#include "rt/run.h"
#include "rt_flow.h"
#include "rt_latency.h"
#include "rt_macswap.h"
#include "rt_part.h"
#include "rt_stand.h"

#define IN_FLIGHT   256  // frames that go round each way at least
#define SPARE       8191 // buffers beyond those in flight
#define ROOM        2048 // bytes of a frame, as in a run
#define STACK       16384
#define MACS_EACH   8  // entries of the FDB for each address, so that no set of four is full
#define STEPS_AMONG 64 // steps between two looks at the time
#define WARM        2  // times that all frames go through first, at least
#define WARM_MOST   50 // at most, until shards have told each other where all addresses are
#define WARM_FRAMES 50000
#define ROUNDS_MOST 9
#define SLOTS_LEFT  16384  // of the rings that frames leave by
#define SAMPLES     100000 // of latency
#define STOPS       2000   // by a PFC frame
#define CELL        208    // bytes, of rt_all.yaml
#define CALM_MOST   8e6    // bytes: Kmin of a calm queue, far below XOFF of rt_mark.yaml

#define LANES      2   // lcores at most
#define LANE_APART 128 // bytes: a processor may fetch a line's neighbour with it

struct bench;

// An lcore and its part of the switch.
struct lane {
	struct bench *b;
	struct rt_lcore *lc;
	unsigned index;
	uint64_t swapped, steps; // frames of macswap; turns of the switch's loop
	struct stand stand;      // the queues here, where they stand
	volatile tstamp looked;  // at the clock, where they do
	// As of the last instant that lane 0 has asked for.
	double ns;
	uint64_t frames;
	_Atomic unsigned noted; // number of that instant
	struct stand_pace pace __attribute__((aligned(LANE_APART)));
} __attribute__((aligned(LANE_APART)));

typedef void turn_fn(struct lane *l);

struct bench {
	// what is asked for
	struct flow_traffic traffic;
	const char *scenario;
	enum { DEV_RING, DEV_NULL, DEV_PCAP } device;
	const char *folder; // of the captures that net_pcap reads
	unsigned lanes;
	bool stands; // the queue stands between Kmin and Kmax
	bool no_huge;
	bool latency; // of single frames, not what many cost
	double seconds;
	unsigned rounds;
	// the world
	struct scene *scene;
	struct rt_world world;
	struct rt_clock clock;
	struct lane lane[LANES];
	turn_fn *_Atomic turn_of; // what the lanes do; NULL: nothing
	atomic_bool apart;        // no lane waits for another one
	_Atomic unsigned instant; // that lanes are to note
	atomic_bool quit;
	struct dev dev[2];
	struct rte_mempool *pool[2]; // frames of either direction
	struct rte_mempool *own;     // frames that the switch makes
	struct rte_ring *way[2];     // to the port of this number; NULL without rings
	struct rte_ring *left[2];    // where frames go out of it: the other one, or its own
	struct macswap macswap;
	unsigned in_flight;         // each way
	struct rte_mbuf **frame[2]; // in flight
	// what comes of it
	double switch_ns[ROUNDS_MOST], macswap_ns[ROUNDS_MOST];
	double part_ns[PARTS], parts_ns; // of a last round, and all of that
	double waited_percent;           // in the last round, of all lanes' work
	uint64_t frames;                 // of the last round
	// Frames of the switch's rounds without readings.
	uint64_t counted, flooded, marked;
};

static void must(int rc, const char *what, const char *why)
{
	if (!rc)
		return;
	fprintf(stderr, "rt_bench: %s: %s\n", what, why ? why : strerror(-rc));
	exit(1);
}

static double thread_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

// The scenario, with thresholds around the standing queue and room for the addresses.
static void load(struct bench *b)
{
	static const char *const path[] = {
		"switches.s1.lcores",
		"switches.s1.fdb_entries",
		"switches.s1.classes.3.wred.min",
		"switches.s1.classes.3.wred.max",
		"switches.s1.classes.3.wred.drop_min",
		"switches.s1.classes.3.wred.drop_max",
		"switches.s1.classes.3.pfc.xoff",
		"switches.s1.classes.3.qcn.set_point",
	};
	enum { PATHS = sizeof(path) / sizeof(path[0]) };
	double frame = flow_mean(&b->traffic) + PKT_FCS, queue = STAND_FRAMES * frame;
	// Where an lcore waits for the other one all that goes round may stand in its queue,
	// which is calm, too.
	double all = (b->in_flight + SPARE) * frame, calm = all < CALM_MOST ? all : CALM_MOST;
	double cells = ((unsigned)(flow_mean(&b->traffic) + PKT_FCS) / CELL + 1) * CELL;
	const double value[PATHS] = {b->lanes, 2.0 * MACS_EACH * (b->traffic.flows + 2),
		b->stands ? queue / 2 : calm, b->stands ? queue * 3 / 2 : 2 * calm, queue / 2,
		queue * 3 / 2, STAND_FRAMES * cells, queue / 2};
	bool everything = strstr(b->scenario, "rt_all.yaml");
	struct scene_opts opts = {.real = true, .n_set = everything ? PATHS : 4};
	struct scene_set set[PATHS];
	char text[PATHS][32];
	struct err err;

	if (strstr(b->scenario, "rt_off.yaml")) // nothing marks
		opts.n_set = 2;
	for (unsigned i = 0; i < PATHS; i++) {
		snprintf(text[i], sizeof(text[i]), "%.0f", value[i]);
		set[i] = (struct scene_set){path[i], text[i]};
	}
	opts.set = set;
	must(compile_scene(&b->scene, b->scenario, &opts, &err), "the scenario", err.text);
}

static void start_eal(struct bench *b)
{
	unsigned cpu[RTE_MAX_LCORE];
	struct eal_params p = {.program = "rt_bench",
		.scene = b->scene,
		.no_huge = b->no_huge,
		.need_bytes = 64u << 20,
		.cpu = cpu,
		.pid = (unsigned)getpid()};
	struct err err;

	p.n_cpus = eal_cpus(cpu, 2);
	must(eal_start(&p, &err), "EAL", err.text);
}

// Makes frame number k of a way, as its host sends it.
static void renew(const struct bench *b, unsigned way, unsigned k, struct rte_mbuf *m)
{
	uint8_t *bytes = (uint8_t *)m->buf_addr + RTE_PKTMBUF_HEADROOM;
	unsigned len = flow_write(&b->traffic, way, k, bytes, ROOM);

	eal_pkt(m)->flags = PKT_F_FOREIGN;
	m->data_off = RTE_PKTMBUF_HEADROOM;
	m->data_len = (uint16_t)len;
	m->pkt_len = len;
}

struct refill {
	const struct bench *b;
	unsigned way;
};

static void renew_object(struct rte_mempool *mp, void *arg, void *obj, unsigned k)
{
	const struct refill *r = arg;

	(void)mp;
	renew(r->b, r->way, k, obj);
}

// All frames are again as their hosts sent them.
static void renew_all(struct bench *b)
{
	for (unsigned way = 0; way < 2; way++) {
		struct refill r = {b, way};

		for (unsigned k = 0; b->device == DEV_RING && k < b->in_flight; k++)
			renew(b, way, k, b->frame[way][k]);
		if (b->device == DEV_NULL)
			rte_mempool_obj_iter(b->pool[way], renew_object, &r);
	}
}

static struct rte_mempool *make_pool(const struct bench *b, const char *name, unsigned packets)
{
	struct eal_pool_size size = {.packets = packets, .room = ROOM};
	struct err err;
	struct rte_mempool *pool =
		eal_pool_new(name, &size, b->no_huge ? EAL_ORDINARY : EAL_HEAP, -1, &err);

	must(pool ? 0 : -ENOMEM, "a pool", err.text);
	return pool;
}

// Pools as a run has them, but for one of its own for what the switch makes: a net_null sends what
// stands in the mbufs that it takes out of the pool, and those are the flows' frames. There the
// cache of the pool is left out where there are more flows than it holds, so that all of them come
// in turn.
static void make_pools(struct bench *b)
{
	for (unsigned i = 0; i < 2; i++) {
		b->pool[i] = make_pool(b, i ? "of_b" : "of_a", b->in_flight + SPARE);
		if (b->device == DEV_NULL && b->traffic.flows > EAL_BURST)
			b->pool[i]->cache_size = 0;
	}
	b->own = make_pool(b, "of_switch", SPARE);
}

// What leaves at one port comes in at the other: every frame keeps its direction.
static void make_rings(struct bench *b)
{
	for (unsigned i = 0; i < 2; i++) {
		unsigned slots = IN_FLIGHT;

		while (slots <= b->in_flight)
			slots *= 2;
		b->way[i] = rte_ring_create(
			i ? "to_b" : "to_a", slots, SOCKET_ID_ANY, RING_F_SP_ENQ | RING_F_SC_DEQ);
		b->frame[i] = calloc(b->in_flight, sizeof(*b->frame[i]));
		must(b->way[i] && b->frame[i] ? 0 : -ENOMEM, "the rings", NULL);
		must(rte_pktmbuf_alloc_bulk(b->pool[i], b->frame[i], b->in_flight), "frames", NULL);
		if (!b->latency)
			rte_ring_enqueue_bulk(b->way[i], (void **)b->frame[i], b->in_flight, NULL);
	}
	for (unsigned i = 0; i < 2; i++) {
		b->left[i] = b->way[!i];
		if (b->latency)
			b->left[i] = rte_ring_create(i ? "from_b" : "from_a", SLOTS_LEFT,
				SOCKET_ID_ANY, RING_F_SP_ENQ | RING_F_SC_DEQ);
		must(b->left[i] ? 0 : -ENOMEM, "the rings", NULL);
		if (rte_eth_from_rings(i ? "ring_b" : "ring_a", &b->way[i], 1, &b->left[i], 1,
			    SOCKET_ID_ANY) < 0)
			must(-EIO, "a ring device", NULL);
	}
}

// The device of a port; what net_pcap is to read is written first.
static void name_device(const struct bench *b, unsigned port, char *text, size_t size)
{
	char path[128];

	switch (b->device) {
	case DEV_RING:
		snprintf(text, size, "net_ring_ring_%c", port ? 'b' : 'a');
		break;
	case DEV_NULL:
		snprintf(text, size, "net_null%u,size=%u", port, b->traffic.octets);
		break;
	case DEV_PCAP:
		snprintf(path, sizeof(path), "%s/%c.pcap", b->folder, port ? 'b' : 'a');
		flow_save(&b->traffic, port, b->in_flight, path);
		snprintf(text, size, "net_pcap%u,rx_pcap=%s,infinite_rx=1", port, path);
	}
}

static void open_ports(struct bench *b)
{
	for (unsigned i = 0; i < 2; i++) {
		struct scene_port *port = &b->scene->node[0].port[i];
		char device[192];
		struct err err;

		name_device(b, i, device, sizeof(device));
		port->device = device;
		must(dev_open(&b->dev[i], port, b->pool[i], NULL, &err), "a port", err.text);
		must(dev_start(&b->dev[i], &err), "a port", err.text);
		port->device = (char *)"";
	}
}

static void make_macswap(struct bench *b)
{
	struct macswap *s = &b->macswap;

	*s = (struct macswap){.port = {b->dev[0].id, b->dev[1].id}, .crosses = b->lanes > 1};
	must(macswap_init(s), "the rings", NULL);
}

static void open_lane(struct bench *b, unsigned index, unsigned id)
{
	struct rt_lcore *lc = b->world.lcore[index];

	b->lane[index] = (struct lane){.b = b, .lc = lc, .index = index};
	lc->pool = b->own;
	lc->stack.data_off = EAL_PRIV + RTE_PKTMBUF_HEADROOM;
	lc->stack.room = ROOM;
	lc->id = id;
	lc->clock = &b->clock;
	lc->next_turn = TSTAMP_NEVER;
	rt_world_levels(lc, 4096);
	rt_lcore_level(lc);
}

// The switch, or the shard of it that has this port.
static const struct sw *switch_of(const struct bench *b, unsigned port)
{
	return rt_world_end(&b->world, 0, port)->node->net->u.sw;
}

static void build(struct bench *b)
{
	uint16_t at[2] = {0};
	struct err err;

	must(rt_world_init(&b->world, b->scene, b->lanes, at, STACK), "the world", NULL);
	for (unsigned i = 0; i < b->lanes; i++)
		open_lane(b, i, i ? rte_get_main_lcore() : rte_get_next_lcore(-1, 1, 0));
	must(rt_world_build(&b->world, 0, 2 * PS_PER_US, &err), "the nodes", err.text);
	for (unsigned p = 0; p < 2; p++) {
		struct rt_lcore *lc = b->world.lcore[rt_world_lcore(&b->world, 0, p)];
		struct rt_end *e = rt_world_end(&b->world, 0, p);

		e->dev = &b->dev[p];
		lc->dev[lc->n_dev++] = (uint16_t)(e - lc->end);
	}
	for (unsigned i = 0; i < b->lanes; i++)
		b->lane[i].stand = (struct stand){.sw = {switch_of(b, 0), switch_of(b, 1)},
			.first = i,
			.ports = 2 / b->lanes,
			.frames = STAND_FRAMES + (b->lanes > 1 ? STAND_MORE : 0),
			.turn = rate_time(rt_world_end(&b->world, 0, 0)->ps,
				(uint32_t)((flow_mean(&b->traffic) + PKT_WIRE) * EAL_BURST))};
}

static unsigned standing(const struct bench *b)
{
	return stand_queue(switch_of(b, 0), 0)->frames + stand_queue(switch_of(b, 1), 1)->frames;
}

// One time round the loop, which reads the clock as rt_lcore_run does. Where the queue is to stand
// the instants are the bench's own, and each lane's: a queue is the lane's that sends out of it.
// There both hosts send alike, too.
static void turn_switch(struct lane *l)
{
	struct bench *b = l->b;
	tstamp now;

	if (b->stands && b->lanes > 1)
		stand_keep_pace(&l->pace, &b->lane[!l->index].pace, &b->apart);
	now = rt_clock_ps(&b->clock, rte_rdtsc());
	if (b->stands) {
		l->looked = now;
		now = stand_next(&l->stand);
	}
	l->steps++;
	rt_lcore_step(l->lc, now);
}

static uint64_t flooded(const struct bench *b)
{
	return sw_port_stats(switch_of(b, 0), 0).flooded_frames +
	       sw_port_stats(switch_of(b, 1), 1).flooded_frames;
}

static uint64_t marked(const struct bench *b)
{
	return sw_class_stats(switch_of(b, 0), 0, STAND_CLASS).ecn_marked_frames +
	       sw_class_stats(switch_of(b, 1), 1, STAND_CLASS).ecn_marked_frames;
}

// Ends the program where frames were lost: the rest would be another measurement.
static void check_lost(const struct bench *b, bool missing)
{
	bool lost = missing;

	for (unsigned p = 0; p < 2; p++)
		for (unsigned why = 0; why < SW_DROPS; why++) {
			uint64_t n = sw_port_stats(switch_of(b, p), p).drop[why];

			lost |= n != 0;
			if (n)
				fprintf(stderr, "rt_bench: port %u dropped %llu: %s\n", p,
					(unsigned long long)n, sw_drop_name(why));
		}
	must(lost ? -EPROTO : 0, "the switch", "frames were lost");
}

static bool all_in_rings(const struct bench *b)
{
	return rte_ring_count(b->way[0]) == b->in_flight &&
	       rte_ring_count(b->way[1]) == b->in_flight;
}

// What has been read ahead comes again.
static void put_back_ahead(struct bench *b)
{
	for (unsigned i = 0; i < 2; i++) {
		struct dev_far *far = &b->dev[i].far;

		if (b->device == DEV_RING)
			rte_ring_enqueue_bulk(b->way[i], (void **)far->m, far->n, NULL);
		else
			rte_pktmbuf_free_bulk(far->m, far->n);
		far->n = 0;
	}
}

// The switch's frames leave it, so that all are in the rings; no other lane runs.
static void empty_switch(struct bench *b)
{
	uint16_t n[LANES];
	unsigned turns = 0;

	put_back_ahead(b);
	for (unsigned i = 0; i < b->lanes; i++) {
		n[i] = b->lane[i].lc->n_dev;
		b->lane[i].lc->n_dev = 0;
	}
	while (turns++ < 10000 && (standing(b) || (b->device == DEV_RING && !all_in_rings(b))))
		for (unsigned i = 0; i < b->lanes; i++) {
			struct lane *l = &b->lane[i];

			rt_lcore_step(l->lc, b->stands ? l->stand.now += l->stand.turn
						       : rt_clock_ps(&b->clock, rte_rdtsc()));
		}
	for (unsigned i = 0; i < b->lanes; i++)
		b->lane[i].lc->n_dev = n[i];
	check_lost(b, b->device == DEV_RING && !all_in_rings(b));
}

static void turn_macswap(struct lane *l)
{
	l->swapped += macswap_turn(&l->b->macswap, l->index);
}

static uint64_t frames_of(const struct lane *l)
{
	return l->lc->hops + l->swapped;
}

static double ticks_ns(uint64_t ticks)
{
	return (double)ticks * 1e9 / (double)rte_get_tsc_hz();
}

// What the lane has spent on no work of the switch's: the wires of its ports, and waiting.
static double outside_ns(const struct lane *l)
{
	uint64_t ticks = l->pace.waited;

	for (unsigned p = l->index; p < 2; p += l->b->lanes)
		ticks += stand_wire_ticks(p);
	return ticks_ns(ticks);
}

static void note(struct lane *l, unsigned instant)
{
	l->ns = thread_ns() - outside_ns(l);
	l->frames = frames_of(l);
	atomic_store(&l->noted, instant);
}

// The loop of every lane but 0: the turns that lane 0 wants, on an lcore of its own.
static int follow(void *arg)
{
	struct lane *l = arg;
	struct bench *b = l->b;

	while (!atomic_load(&b->quit)) {
		unsigned instant = atomic_load(&b->instant);
		turn_fn *turn = atomic_load(&b->turn_of);

		if (instant != l->noted)
			note(l, instant);
		for (unsigned i = 0; turn && i < STEPS_AMONG; i++)
			turn(l);
	}
	return 0;
}

// An instant that all lanes note, while lane 0 goes on with its turns.
static void note_all(struct bench *b)
{
	turn_fn *turn = atomic_load(&b->turn_of);
	unsigned instant = atomic_load(&b->instant) + 1;

	note(&b->lane[0], instant);
	atomic_store(&b->instant, instant);
	for (unsigned i = 1; i < b->lanes; i++)
		while (atomic_load(&b->lane[i].noted) != instant)
			if (turn)
				turn(&b->lane[0]);
}

// Processor time and frames of all lanes as of the last instant.
static void noted(const struct bench *b, double *ns, uint64_t *frames)
{
	*ns = 0;
	*frames = 0;
	for (unsigned i = 0; i < b->lanes; i++) {
		*ns += b->lane[i].ns;
		*frames += b->lane[i].frames;
	}
}

// All frames go through until next to none is flooded. A switch that goes on flooding ends the
// program: its frames would cost what flooding costs.
static void warm_up(struct bench *b, turn_fn *turn)
{
	struct lane *l = &b->lane[0];
	uint64_t frames = 2ull * b->in_flight + WARM_FRAMES, turns, until, before;
	unsigned pass = 0;

	do {
		must(pass == WARM_MOST ? -ETIME : 0, "the switch", "it does not stop flooding");
		before = flooded(b);
		turns = 0;
		until = frames_of(l) + frames / b->lanes;
		while (frames_of(l) < until) {
			turn(l);
			must(turns++ > 1000 * frames ? -ETIME : 0, "the lanes",
				"frames stand still");
		}
	} while (++pass < WARM || (flooded(b) - before) * 1000 > frames);
}

// Of all lanes, which may be waiting.
static uint64_t waited_ticks(const struct bench *b)
{
	uint64_t ticks = 0;

	for (unsigned i = 0; i < b->lanes; i++)
		ticks += atomic_load_explicit(&b->lane[i].pace.waited, memory_order_relaxed);
	return ticks;
}

// Runs these turns on all lanes: ns of processor time a frame.
static double run_turns(struct bench *b, turn_fn *turn, bool parts)
{
	struct lane *l = &b->lane[0];
	uint64_t from_frames, frames, before, before_marked, waited;
	double from, to;

	for (unsigned i = 0; i < b->lanes; i++)
		b->lane[i].pace.turns = 0;
	atomic_store(&b->apart, false);
	atomic_store(&b->turn_of, turn);
	warm_up(b, turn);
	l->steps = l->stand.queued = l->stand.between = 0;
	waited = waited_ticks(b);
	before = flooded(b);
	before_marked = marked(b);
	if (parts)
		part_begin();
	note_all(b);
	noted(b, &from, &from_frames);
	do
		for (unsigned i = 0; i < STEPS_AMONG; i++)
			turn(l);
	while (thread_ns() - outside_ns(l) - l->ns < b->seconds * 1e9);
	note_all(b);
	noted(b, &to, &frames);
	frames -= from_frames;
	b->waited_percent = 100 * ticks_ns(waited_ticks(b) - waited) / (to - from);
	if (parts)
		part_end(b->part_ns, frames);
	if (turn == turn_switch && !parts) {
		b->counted += frames;
		b->flooded += flooded(b) - before;
		b->marked += marked(b) - before_marked;
	}
	b->frames = frames;
	atomic_store(&b->turn_of, NULL);
	atomic_store(&b->apart, true);
	note_all(b); // no lane has a turn any more
	return (to - from) / (double)frames;
}

static double run_switch(struct bench *b, bool parts)
{
	double ns;

	renew_all(b);
	stand_wires(true);
	ns = run_turns(b, turn_switch, parts);
	empty_switch(b);
	return ns;
}

static double run_macswap(struct bench *b)
{
	double ns;

	renew_all(b);
	stand_wires(false);
	ns = run_turns(b, turn_macswap, false);
	macswap_empty(&b->macswap);
	return ns;
}

static int work(void *arg)
{
	struct bench *b = arg;

	for (unsigned r = 0; r < b->rounds; r++) {
		b->macswap_ns[r] = run_macswap(b);
		b->switch_ns[r] = run_switch(b, false);
	}
	if (b->lanes == 1) {
		part_open(b->dev, 2);
		b->parts_ns = run_switch(b, true);
	}
	atomic_store(&b->quit, true);
	return 0;
}

static struct latency under_test;

static int macswap_until_quit(void *arg)
{
	while (!under_test.quit)
		turn_macswap(arg);
	return 0;
}

// What one loop makes of frames that this thread sends and takes.
static void with_loop(struct bench *b, const char *name, lcore_function_t *loop, void *arg)
{
	struct rt_lcore *lc = b->world.lcore[0];
	uint64_t before;

	under_test.quit = false;
	rte_eal_remote_launch(loop, arg, lc->id);
	rte_delay_us_sleep(100000);
	latency_learn(&under_test);
	before = flooded(b);
	latency_idle(&under_test, name);
	if (arg == lc)
		latency_pfc(&under_test);
	under_test.quit = true;
	rte_eal_mp_wait_lcore();
	must(flooded(b) != before ? -EPROTO : 0, "the switch", "it floods what is measured");
}

static void run_latency(struct bench *b)
{
	struct rt_lcore *lc = b->world.lcore[0];

	under_test = (struct latency){.traffic = &b->traffic,
		.pool = {b->pool[0], b->pool[1]},
		.in = {b->way[0], b->way[1]},
		.out = {b->left[0], b->left[1]},
		.samples = SAMPLES,
		.stops = STOPS};
	lc->quit = &under_test.quit;
	with_loop(b, "macswap", macswap_until_quit, &b->lane[0]);
	with_loop(b, "switch", rt_lcore_run, lc);
}

static int by_value(const void *x, const void *y)
{
	double a = *(const double *)x, b = *(const double *)y;

	return (a > b) - (a < b);
}

static double median(double *ns, unsigned n)
{
	qsort(ns, n, sizeof(*ns), by_value);
	return n % 2 ? ns[n / 2] : (ns[n / 2 - 1] + ns[n / 2]) / 2;
}

static void run(struct bench *b)
{
	const struct lane *l = &b->lane[0];
	struct rt_instant from = rt_instant_get(), to;
	double ours, bare;

	rte_delay_us_sleep(50000);
	to = rt_instant_get();
	must(rt_clock_init(&b->clock, &from, &to, 1), "the clock", NULL);
	if (b->latency) {
		run_latency(b);
		return;
	}
	rte_eal_remote_launch(work, b, l->lc->id);
	if (b->lanes > 1)
		follow(&b->lane[1]);
	rte_eal_mp_wait_lcore();
	ours = median(b->switch_ns, b->rounds);
	bare = median(b->macswap_ns, b->rounds);
	printf("switch_ns %.2f\nswitch_mfps %.2f\n", ours, 1e3 / ours);
	printf("switch_least_ns %.2f\nswitch_most_ns %.2f\n", b->switch_ns[0],
		b->switch_ns[b->rounds - 1]);
	printf("macswap_ns %.2f\nmacswap_mfps %.2f\nratio %.3f\n", bare, 1e3 / bare, bare / ours);
	printf("hugepages %d\nin_flight %u\n", !b->no_huge, 2 * b->in_flight);
	printf("burst %.1f\n", (double)b->frames / (double)l->steps / 2);
	printf("queued %.1f\nbetween_percent %.1f\n", (double)l->stand.queued / (double)l->steps,
		100 * (double)l->stand.between / (double)l->steps);
	printf("marked_percent %.1f\nwaited_percent %.1f\n",
		100 * (double)b->marked / (double)b->counted, b->waited_percent);
	for (unsigned p = 0; p < PARTS; p++)
		printf("part.%s %.2f\n", part_name(p), b->part_ns[p]);
	printf("parts_ns %.2f\n", b->parts_ns);
	printf("flooded %llu\nflooded_permille %.3f\n", (unsigned long long)b->flooded,
		1e3 * (double)b->flooded / (double)b->counted);
}

static int usage(void)
{
	fprintf(stderr,
		"usage: rt_bench SCENARIO calm|stands ring|null|FOLDER FLOWS two|macs OCTETS|imix\n"
		"                [SECONDS [ROUNDS [huge|ordinary [1|2|latency [FORM]]]]]\n"
		"FLOWS each way; `stands` keeps %d frames in each queue, and sets the thresholds "
		"of the\nscenario around them. FOLDER: net_pcap reads a.pcap and b.pcap in it, "
		"which are\nwritten first. SECONDS of each of ROUNDS, in which switch and macswap "
		"take turns.\n1, 2: lcores. FORM of the frames:%s.\n",
		STAND_FRAMES, flow_form_names());
	return 2;
}

static bool one_of(const char *word, const char *yes, const char *no, bool *is)
{
	*is = !strcmp(word, yes);
	return *is || !strcmp(word, no);
}

static bool read_device(struct bench *b, const char *word)
{
	b->device = DEV_PCAP;
	b->folder = word;
	if (!strcmp(word, "ring"))
		b->device = DEV_RING;
	if (!strcmp(word, "null"))
		b->device = DEV_NULL;
	return b->device != DEV_PCAP || strchr(word, '/');
}

// How many lcores, or what else is measured.
static bool read_lanes(struct bench *b, const char *word)
{
	b->latency = !strcmp(word, "latency");
	b->lanes = b->latency ? 1 : (unsigned)strtoul(word, NULL, 10);
	return b->lanes == 1 || b->lanes == LANES;
}

static bool read_args(struct bench *b, int argc, char **argv)
{
	bool huge = true;

	if (argc < 7 || argc > 12)
		return false;
	b->scenario = argv[1];
	b->traffic.flows = (unsigned)strtoul(argv[4], NULL, 10);
	b->traffic.octets = (unsigned)strtoul(argv[6], NULL, 10);
	b->seconds = argc > 7 ? strtod(argv[7], NULL) : 0.3;
	b->rounds = argc > 8 ? (unsigned)strtoul(argv[8], NULL, 10) : 5;
	if (!one_of(argv[2], "stands", "calm", &b->stands) || !read_device(b, argv[3]) ||
		!one_of(argv[5], "macs", "two", &b->traffic.macs) ||
		(argc > 9 && !one_of(argv[9], "huge", "ordinary", &huge)) ||
		!read_lanes(b, argc > 10 ? argv[10] : "1") ||
		(argc > 11 && !flow_set_forms(&b->traffic, argv[11])))
		return false;
	b->no_huge = !huge;
	if (b->latency && (b->device != DEV_RING || b->stands))
		return false;
	b->in_flight = b->traffic.flows > IN_FLIGHT ? b->traffic.flows : IN_FLIGHT;
	if (strcmp(argv[6], "imix") ? b->traffic.octets < PKT_MIN_LEN || b->traffic.octets > 1514
				    : b->device == DEV_NULL)
		return false;
	if (flow_octets(&b->traffic, 0) < flow_least(&b->traffic))
		return false;
	return b->traffic.flows && b->seconds > 0 && b->rounds && b->rounds <= ROUNDS_MOST;
}

int main(int argc, char **argv)
{
	static struct bench b;

	if (!read_args(&b, argc, argv))
		return usage();
	b.no_huge |= eal_hugepages() < 700u << 20;
	load(&b);
	start_eal(&b);
	make_pools(&b);
	if (b.device == DEV_RING)
		make_rings(&b);
	open_ports(&b);
	make_macswap(&b);
	build(&b);
	if (b.stands)
		stand_open(b.dev, b.lane[0].stand.sw);
	run(&b);
	eal_stop();
	return 0;
}
