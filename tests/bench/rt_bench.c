// SPDX-License-Identifier: BSD-3-Clause
// Processor time that one lcore takes for a frame through the switch between two ports, and for one
// through a bare macswap on the same rings and mbufs, in turns.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <rte_cycles.h>
#include <rte_launch.h>
#include <rte_lcore.h>
#include <rte_mempool.h>
#include <rte_prefetch.h>
#include <rte_ring.h>

#include "dev/eth.h"
#include "eal/eal.h"
#include "rt/plan.h"
#include "rt/run.h"
#include "rt_flow.h"
#include "rt_latency.h"
#include "rt_part.h"

#include <rte_eth_ring.h>

#define IN_FLIGHT   256  // frames that go round each way at least
#define STANDING    128  // of them in the queue of either port, where it stands
#define SPARE       8191 // buffers beyond those in flight
#define ROOM        2048 // bytes of a frame, as in a run
#define STACK       16384
#define MACS_EACH   8  // entries of the FDB for each address, so that no set of four is full
#define STEPS_AMONG 64 // steps between two looks at the time
#define WARM        2  // times that all frames go through first
#define ROUNDS_MOST 9
#define SLOTS_LEFT  16384  // of the rings that frames leave by
#define SAMPLES     100000 // of latency
#define STOPS       2000   // by a PFC frame
#define CLASS       3
#define CELL        208 // bytes, of rt_all.yaml

struct bench {
	// what is asked for
	struct flow_traffic traffic;
	const char *scenario;
	bool ring, stands; // devices are rings; the queue stands between Kmin and Kmax
	bool no_huge;
	bool latency; // of single frames, not what many cost
	double seconds;
	unsigned rounds;
	// the world
	struct scene *scene;
	struct rt_world world;
	struct rt_clock clock;
	struct dev dev[2];
	struct rte_mempool *pool[2]; // frames of either direction
	struct rte_ring *way[2];     // to the port of this number; NULL with net_null
	struct rte_ring *left[2];    // where frames go out of it: the other one, or its own
	unsigned in_flight;          // each way
	struct rte_mbuf **frame[2];  // in flight
	tstamp now, turn;       // with a standing queue: the instant, and the wire time of a burst
	volatile tstamp looked; // at the clock
	// what comes of it
	double switch_ns[ROUNDS_MOST], macswap_ns[ROUNDS_MOST];
	double part_ns[PARTS], parts_ns; // of a last round, and all of that
	uint64_t steps, frames, flooded, queued;
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
		"switches.s1.fdb_entries",
		"switches.s1.classes.3.wred.min",
		"switches.s1.classes.3.wred.max",
		"switches.s1.classes.3.wred.drop_min",
		"switches.s1.classes.3.wred.drop_max",
		"switches.s1.classes.3.pfc.xoff",
		"switches.s1.classes.3.qcn.set_point",
	};
	enum { PATHS = sizeof(path) / sizeof(path[0]) };
	double queue = STANDING * (flow_mean(&b->traffic) + PKT_FCS);
	double cells = STANDING * ((unsigned)(flow_mean(&b->traffic) + PKT_FCS) / CELL + 1) * CELL;
	const double value[PATHS] = {2.0 * MACS_EACH * (b->traffic.flows + 2), queue / 2,
		queue * 3 / 2, queue / 2, queue * 3 / 2, cells, queue / 2};
	bool all = strstr(b->scenario, "rt_all.yaml");
	struct scene_opts opts = {.real = true, .n_set = all ? PATHS : b->stands ? 3 : 1};
	struct scene_set set[PATHS];
	char text[PATHS][32];
	struct err err;

	for (unsigned i = 0; i < PATHS; i++) {
		snprintf(text[i], sizeof(text[i]), "%.0f", value[i] < 16 ? 16 : value[i]);
		set[i] = (struct scene_set){path[i], text[i]};
	}
	opts.set = set;
	must(scene_load(&b->scene, b->scenario, &opts, &err), "the scenario", err.text);
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

		for (unsigned k = 0; b->ring && k < b->in_flight; k++)
			renew(b, way, k, b->frame[way][k]);
		if (!b->ring)
			rte_mempool_obj_iter(b->pool[way], renew_object, &r);
	}
}

// Pools as a run has them. A net_null takes each frame out of the pool anew: there the cache of the
// pool is left out where there are more flows than it holds, so that all of them come in turn.
static void make_pools(struct bench *b)
{
	struct eal_pool_size size = {.packets = b->in_flight + SPARE, .room = ROOM};
	struct err err;

	for (unsigned i = 0; i < 2; i++) {
		b->pool[i] = eal_pool_new(
			i ? "of_b" : "of_a", &size, b->no_huge ? EAL_ORDINARY : EAL_HEAP, -1, &err);
		must(b->pool[i] ? 0 : -ENOMEM, "a pool", err.text);
		if (!b->ring && b->traffic.flows > EAL_BURST)
			b->pool[i]->cache_size = 0;
	}
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

// The wire to the other host: frames that the switch made are taken out, since they would come in
// again at the other port, and what it has marked loses its mark.
static uint16_t host(
	uint16_t port, uint16_t queue, struct rte_mbuf **m, uint16_t n, uint16_t most, void *arg)
{
	uint16_t out = 0;

	(void)port;
	(void)queue;
	(void)most;
	(void)arg;
	for (uint16_t i = 0; i < n; i++) {
		struct pkt *p = eal_pkt(m[i]);

		if (unlikely(!(p->flags & PKT_F_FOREIGN))) {
			rte_pktmbuf_free(m[i]);
			continue;
		}
		if (unlikely(p->flags & PKT_F_CE)) {
			uint8_t *ip = rte_pktmbuf_mtod_offset(m[i], uint8_t *, 14);
			uint32_t sum = (uint32_t)(ip[10] << 8 | ip[11]) + 1; // RFC 1624: CE - 1

			sum += sum >> 16;
			ip[1] = (uint8_t)((ip[1] & ~3) | ECN_ECT0);
			ip[10] = (uint8_t)(sum >> 8);
			ip[11] = (uint8_t)sum;
		}
		m[out++] = m[i];
	}
	return out;
}

static void open_ports(struct bench *b)
{
	for (unsigned i = 0; i < 2; i++) {
		struct scene_port *port = &b->scene->node[0].port[i];
		char device[64];
		struct err err;

		if (b->ring)
			snprintf(device, sizeof(device), "net_ring_ring_%c", i ? 'b' : 'a');
		else
			snprintf(
				device, sizeof(device), "net_null%u,size=%u", i, b->traffic.octets);
		port->device = device;
		must(dev_open(&b->dev[i], port, b->pool[i], NULL, &err), "a port", err.text);
		must(dev_start(&b->dev[i], &err), "a port", err.text);
		port->device = (char *)"";
		if (b->stands && !rte_eth_add_rx_callback(b->dev[i].id, 0, host, NULL))
			must(-ENOTSUP, "a callback", NULL);
	}
}

static void build(struct bench *b)
{
	uint16_t at[2] = {0};
	struct rt_lcore *lc;
	struct err err;

	must(rt_world_init(&b->world, b->scene, 1, at, STACK), "the world", NULL);
	lc = b->world.lcore[0];
	lc->pool = b->pool[0];
	lc->stack.data_off = EAL_PRIV + RTE_PKTMBUF_HEADROOM;
	lc->stack.room = ROOM;
	lc->id = rte_get_next_lcore(-1, 1, 0);
	lc->clock = &b->clock;
	lc->next_turn = TSTAMP_NEVER;
	rt_world_levels(lc, 4096);
	rt_lcore_level(lc);
	must(rt_world_build(&b->world, 0, 2 * PS_PER_US, &err), "the nodes", err.text);
	for (uint16_t i = 0; i < 2; i++) {
		rt_world_end(&b->world, 0, i)->dev = &b->dev[i];
		lc->dev[lc->n_dev++] = i;
	}
	b->turn = rate_time(rt_world_end(&b->world, 0, 0)->ps,
		(uint32_t)((flow_mean(&b->traffic) + PKT_WIRE) * EAL_BURST));
}

static unsigned standing(const struct bench *b)
{
	const struct sw *sw = b->world.net->node[0].u.sw;

	return sw_eport(sw, 0)->q[CLASS].frames + sw_eport(sw, 1)->q[CLASS].frames;
}

// One time round the loop, which reads the clock as rt_lcore_run does. Where the queue is to stand
// the instants are the bench's own: the wire takes a little less or more than what comes.
static void step(struct bench *b)
{
	struct rt_lcore *lc = b->world.lcore[0];

	b->looked = rt_clock_ps(&b->clock, rte_rdtsc());
	if (b->stands) {
		unsigned q = standing(b);

		b->now += q > 2 * STANDING ? b->turn + b->turn / 8 : b->turn - b->turn / 8;
		b->queued += q;
	} else {
		b->now = b->looked;
	}
	b->steps++;
	rt_lcore_step(lc, b->now);
}

static uint64_t flooded(const struct bench *b)
{
	const struct sw *sw = b->world.net->node[0].u.sw;

	return sw_port_stats(sw, 0)->flooded_frames + sw_port_stats(sw, 1)->flooded_frames;
}

// Ends the program where frames were lost: the rest would be another measurement.
static void complain(const struct bench *b)
{
	const struct sw *sw = b->world.net->node[0].u.sw;

	for (unsigned p = 0; p < 2; p++)
		for (unsigned why = 0; why < SW_DROPS; why++)
			if (sw_port_stats(sw, p)->drop[why])
				fprintf(stderr, "rt_bench: port %u dropped %llu: %s\n", p,
					(unsigned long long)sw_port_stats(sw, p)->drop[why],
					sw_drop_name(why));
	must(-EPROTO, "the switch", "frames were lost");
}

// The switch's frames leave it, so that all are in the rings.
static void empty_switch(struct bench *b)
{
	struct rt_lcore *lc = b->world.lcore[0];
	uint16_t n = lc->n_dev;

	lc->n_dev = 0;
	for (unsigned i = 0; i < 10000 && standing(b); i++)
		rt_lcore_step(lc, b->now += b->turn);
	lc->n_dev = n;
	for (unsigned way = 0; b->ring && way < 2; way++)
		if (rte_ring_count(b->way[way]) < b->in_flight)
			complain(b);
}

static double run_switch(struct bench *b, bool parts)
{
	struct rt_lcore *lc = b->world.lcore[0];
	uint64_t hops = lc->hops, warm = hops + 2ull * WARM * b->in_flight + 100000;
	double from, to;

	b->steps = 0;
	while (lc->hops < warm) {
		step(b);
		must(b->steps > 1000 * warm / EAL_BURST ? -ETIME : 0, "the switch",
			"frames stand still");
	}
	b->steps = b->queued = 0;
	b->flooded = flooded(b);
	hops = lc->hops;
	if (parts)
		part_begin();
	from = thread_ns();
	do {
		for (unsigned i = 0; i < STEPS_AMONG; i++)
			step(b);
		to = thread_ns();
	} while (to - from < b->seconds * 1e9);
	b->frames = lc->hops - hops;
	if (parts)
		part_end(b->part_ns, b->frames);
	b->flooded = flooded(b) - b->flooded;
	empty_switch(b);
	return (to - from) / (double)b->frames;
}

static void swap_macs(struct rte_mbuf **m, unsigned n)
{
	for (unsigned i = 0; i < n && i < 16; i++)
		rte_prefetch0(m[i]);
	for (unsigned i = 0; i < n; i++) {
		uint8_t *o = rte_pktmbuf_mtod(m[i], uint8_t *), dst[6];

		if (i + 16 < n)
			rte_prefetch0(m[i + 16]);
		if (i + 8 < n)
			rte_prefetch0(rte_pktmbuf_mtod(m[i + 8], void *));
		memcpy(dst, o, 6);
		memcpy(o, o + 6, 6);
		memcpy(o + 6, dst, 6);
	}
}

static unsigned macswap(struct bench *b)
{
	unsigned all = 0;

	for (unsigned i = 0; i < 2; i++) {
		struct rte_mbuf *m[EAL_BURST];
		uint16_t n = rte_eth_rx_burst(b->dev[i].id, 0, m, EAL_BURST), sent;

		swap_macs(m, n);
		sent = rte_eth_tx_burst(b->dev[!i].id, 0, m, n);
		must(sent == n ? 0 : -EPROTO, "macswap", "a port refuses frames");
		all += n;
	}
	return all;
}

static double run_macswap(struct bench *b)
{
	uint64_t frames = 0, warm = 2ull * WARM * b->in_flight + 100000;
	double from, to;

	while (frames < warm)
		frames += macswap(b);
	frames = 0;
	from = thread_ns();
	do {
		for (unsigned i = 0; i < STEPS_AMONG; i++)
			frames += macswap(b);
		to = thread_ns();
	} while (to - from < b->seconds * 1e9);
	return (to - from) / (double)frames;
}

static int work(void *arg)
{
	struct bench *b = arg;

	for (unsigned r = 0; r < b->rounds; r++) {
		renew_all(b);
		b->switch_ns[r] = run_switch(b, false);
		renew_all(b);
		b->macswap_ns[r] = run_macswap(b);
	}
	part_open(b->dev, 2);
	renew_all(b);
	b->parts_ns = run_switch(b, true);
	return 0;
}

static struct latency under_test;

static int macswap_until_quit(void *arg)
{
	while (!under_test.quit)
		macswap(arg);
	return 0;
}

// What one loop makes of frames that this thread sends and takes.
static void with_loop(struct bench *b, const char *name, lcore_function_t *loop, void *arg)
{
	struct rt_lcore *lc = b->world.lcore[0];

	under_test.quit = false;
	rte_eal_remote_launch(loop, arg, lc->id);
	rte_delay_us_sleep(100000);
	latency_idle(&under_test, name);
	if (arg == lc)
		latency_pfc(&under_test);
	under_test.quit = true;
	rte_eal_mp_wait_lcore();
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
	with_loop(b, "macswap", macswap_until_quit, b);
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
	struct rt_lcore *lc = b->world.lcore[0];
	struct rt_instant from = rt_instant_get(), to;
	double ours, bare;

	rte_delay_us_sleep(50000);
	to = rt_instant_get();
	must(rt_clock_init(&b->clock, &from, &to, 1), "the clock", NULL);
	if (b->latency) {
		run_latency(b);
		return;
	}
	rte_eal_remote_launch(work, b, lc->id);
	rte_eal_mp_wait_lcore();
	ours = median(b->switch_ns, b->rounds);
	bare = median(b->macswap_ns, b->rounds);
	printf("switch_ns %.2f\nswitch_mfps %.2f\n", ours, 1e3 / ours);
	printf("switch_least_ns %.2f\nswitch_most_ns %.2f\n", b->switch_ns[0],
		b->switch_ns[b->rounds - 1]);
	printf("macswap_ns %.2f\nmacswap_mfps %.2f\nratio %.3f\n", bare, 1e3 / bare, bare / ours);
	printf("hugepages %d\nin_flight %u\n", !b->no_huge, 2 * b->in_flight);
	printf("burst %.1f\n", (double)b->frames / (double)b->steps / 2);
	printf("queued %.1f\n", (double)b->queued / (double)b->steps / 2);
	for (unsigned p = 0; p < PARTS; p++)
		printf("part.%s %.2f\n", part_name(p), b->part_ns[p]);
	printf("parts_ns %.2f\n", b->parts_ns);
	printf("flooded_permille %.3f\n", 1e3 * (double)b->flooded / (double)b->frames);
}

static int usage(void)
{
	fprintf(stderr,
		"usage: rt_bench SCENARIO calm|stands null|ring FLOWS two|macs OCTETS|imix\n"
		"                [SECONDS [ROUNDS [huge|ordinary [latency]]]]\n"
		"FLOWS each way; `stands` keeps %d frames in each queue, and sets the thresholds "
		"of the\nscenario around them. SECONDS of each of ROUNDS, in which switch and "
		"macswap take turns.\n",
		STANDING);
	return 2;
}

static bool one_of(const char *word, const char *yes, const char *no, bool *is)
{
	*is = !strcmp(word, yes);
	return *is || !strcmp(word, no);
}

static bool read_args(struct bench *b, int argc, char **argv)
{
	bool huge = true;

	if (argc < 7 || argc > 11)
		return false;
	b->scenario = argv[1];
	b->traffic.flows = (unsigned)strtoul(argv[4], NULL, 10);
	b->traffic.octets = (unsigned)strtoul(argv[6], NULL, 10);
	b->seconds = argc > 7 ? strtod(argv[7], NULL) : 0.3;
	b->rounds = argc > 8 ? (unsigned)strtoul(argv[8], NULL, 10) : 5;
	if (!one_of(argv[2], "stands", "calm", &b->stands) ||
		!one_of(argv[3], "ring", "null", &b->ring) ||
		!one_of(argv[5], "macs", "two", &b->traffic.macs) ||
		(argc > 9 && !one_of(argv[9], "huge", "ordinary", &huge)))
		return false;
	b->no_huge = !huge;
	b->latency = argc > 10;
	if (b->latency && (strcmp(argv[10], "latency") || !b->ring || b->stands))
		return false;
	b->in_flight = b->traffic.flows > IN_FLIGHT ? b->traffic.flows : IN_FLIGHT;
	if (strcmp(argv[6], "imix") ? b->traffic.octets < PKT_MIN_LEN || b->traffic.octets > 1514
				    : !b->ring)
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
	if (b.ring)
		make_rings(&b);
	open_ports(&b);
	build(&b);
	run(&b);
	eal_stop();
	return 0;
}
