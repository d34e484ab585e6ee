// SPDX-License-Identifier: BSD-3-Clause
// How what rt_bench measures is built, filled with frames, and emptied.
#include "rt_rig.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <rte_eth_ring.h>
#include <rte_ethdev.h>
#include <rte_lcore.h>
#include <rte_mempool.h>
#include <rte_ring.h>

#include "compile/compile.h"
#include "eal/eal.h"
#include "plan/plan.h"

#define SPARE       8191 // buffers beyond those in flight
#define ROOM        2048 // bytes of a frame, as in a run
#define STACK       16384
#define MACS_EACH   8 // entries of the FDB for each address, so that hardly a set of four is full
#define SLOTS_LEFT  16384        // of the rings that frames leave by
#define CELL        208          // bytes, of rt_all.yaml
#define CALM_MOST   8e6          // bytes: Kmin of a calm queue, far below XOFF of rt_mark.yaml
#define HUGE_FRAME  2560         // bytes of hugepages that a buffer takes
#define HUGE_LEAST  (350u << 20) // and all else; where that is more than there is, ordinary pages
#define SLOTS_LEAST 256          // of the rings that frames come by

void rig_must(int rc, const char *what, const char *why)
{
	if (!rc)
		return;
	fprintf(stderr, "rt_bench: %s: %s\n", what, why ? why : strerror(-rc));
	exit(1);
}

// The scenario, with thresholds around the standing queue and room for the addresses.
static void load(struct bench *b)
{
	static const char *const path[] = {"lcores", "fdb_entries", "wred.min", "wred.max",
		"wred.drop_min", "wred.drop_max", "pfc.xoff", "qcn.set_point"};
	enum { OF_SWITCH = 2, PATHS = sizeof(path) / sizeof(path[0]) };
	unsigned ways = 1 + b->traffic.more_hosts;
	double frame = flow_mean(&b->traffic) + PKT_FCS, queue = STAND_FRAMES * frame;
	// Where an lcore waits for the other one all that goes round may stand in its queue,
	// which is calm, too.
	double all = (b->in_flight + SPARE) * frame, calm = all < CALM_MOST ? all : CALM_MOST;
	double cells = ((unsigned)(flow_mean(&b->traffic) + PKT_FCS) / CELL + 1) * CELL;
	const double value[PATHS] = {b->lanes, 2.0 * MACS_EACH * (b->traffic.flows + 2),
		b->stands ? queue / 2 : calm, b->stands ? queue * 3 / 2 : 2 * calm, queue / 2,
		queue * 3 / 2, STAND_FRAMES * cells * ways, queue / 2};
	bool everything = strstr(b->scenario, "all.yaml");
	const char *classes = b->mixed.lines ? "1..3" : "3";
	struct scene_opts opts = {.real = true, .n_set = everything ? PATHS : 4};
	struct scene_set set[PATHS];
	char at[PATHS][64], text[PATHS][32];
	struct err err;

	if (strstr(b->scenario, "off.yaml")) // nothing marks
		opts.n_set = 2;
	for (unsigned i = 0; i < PATHS; i++) {
		if (i < OF_SWITCH)
			snprintf(at[i], sizeof(at[i]), "switches.s1.%s", path[i]);
		else
			snprintf(at[i], sizeof(at[i]), "switches.s1.classes.%s.%s", classes,
				path[i]);
		snprintf(text[i], sizeof(text[i]), "%.0f", value[i]);
		set[i] = (struct scene_set){at[i], text[i]};
	}
	opts.set = set;
	rig_must(compile_scene(&b->scene, b->scenario, &opts, &err), "the scenario", err.text);
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
	rig_must(eal_start(&p, &err), "EAL", err.text);
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
void rig_renew(struct bench *b)
{
	unsigned ways = b->mixed.lines ? 1 : 2;

	for (unsigned way = 0; way < ways; way++) {
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

	rig_must(pool ? 0 : -ENOMEM, "a pool", err.text);
	return pool;
}

// Pools as in a run, and one more pool for frames that the switch makes. A net_null takes mbufs out
// of its pool and receives them with their content, so its pool must contain the flows' frames
// only. If there are more flows than the cache of that pool holds, the pool has no cache, so that
// all flows take turns.
static void make_pools(struct bench *b)
{
	for (unsigned i = 0; i < 2; i++) {
		b->pool[i] = make_pool(b, i ? "of_b" : "of_a", b->in_flight + SPARE);
		if (b->device == DEV_NULL && b->traffic.flows > EAL_BURST)
			b->pool[i]->cache_size = 0;
	}
	b->own = make_pool(b, "of_switch", SPARE);
}

static struct rte_ring *make_ring(const char *name, unsigned frames)
{
	unsigned slots = SLOTS_LEAST;
	struct rte_ring *r;

	while (slots <= frames)
		slots *= 2;
	r = rte_ring_create(name, slots, SOCKET_ID_ANY, RING_F_SP_ENQ | RING_F_SC_DEQ);
	rig_must(r ? 0 : -ENOMEM, "the rings", NULL);
	return r;
}

static void make_frames(struct bench *b, unsigned way)
{
	b->frame[way] = calloc(b->in_flight, sizeof(*b->frame[way]));
	rig_must(b->frame[way] ? 0 : -ENOMEM, "the frames", NULL);
	rig_must(rte_pktmbuf_alloc_bulk(b->pool[way], b->frame[way], b->in_flight), "frames", NULL);
}

static void make_ring_device(struct bench *b, unsigned port)
{
	const char name[] = {'r', 'i', 'n', 'g', '_', (char)('a' + port), 0};

	if (rte_eth_from_rings(name, &b->way[port], 1, &b->left[port], 1, SOCKET_ID_ANY) < 0)
		rig_must(-EIO, "a ring device", NULL);
}

// What leaves at one port comes in at the other: every frame keeps its direction.
static void make_rings(struct bench *b)
{
	for (unsigned i = 0; i < 2; i++) {
		b->way[i] = make_ring(i ? "to_b" : "to_a", b->in_flight);
		make_frames(b, i);
		if (!b->latency)
			rte_ring_enqueue_bulk(b->way[i], (void **)b->frame[i], b->in_flight, NULL);
	}
	for (unsigned i = 0; i < 2; i++) {
		b->left[i] = b->way[!i];
		if (b->latency)
			b->left[i] = make_ring(i ? "from_b" : "from_a", SLOTS_LEFT - 1);
		make_ring_device(b, i);
	}
}

// A frame of the receiver at a port, by which the switch learns where it is. It ends at the wire.
static void speak_once(struct bench *b, unsigned port)
{
	struct rte_mbuf *m = rte_pktmbuf_alloc(b->own);
	uint8_t mac[6];

	rig_must(m ? 0 : -ENOMEM, "frames", NULL);
	renew(b, 1, 0, m);
	memcpy(mac, rte_pktmbuf_mtod(m, uint8_t *) + 6, 6);
	mac[5] = (uint8_t)(mac[5] + port - 1);
	memcpy(rte_pktmbuf_mtod(m, uint8_t *) + 6, mac, 6);
	rte_ring_enqueue(b->way[port], m);
}

// Frames come in at port 0 and leave at the others. Then they stand in line.
static void make_lines(struct bench *b)
{
	b->way[0] = make_ring("to_a", EAL_BURST);
	b->mixed.to = b->way[0];
	rig_must(mixed_init(&b->mixed, b->in_flight), "the lines", NULL);
	make_frames(b, 0);
	for (unsigned k = 0; k < b->in_flight; k++)
		mixed_tag(b->frame[0][k], flow_queue(&b->traffic, k));
	mixed_take(&b->mixed, b->frame[0], b->in_flight);
	for (unsigned p = 0; p < b->ports; p++) {
		const char name[] = {'t', 'o', '_', (char)('a' + p), 0};

		if (p) {
			b->way[p] = make_ring(name, 1);
			speak_once(b, p);
		}
		b->left[p] = b->way[p];
		make_ring_device(b, p);
	}
}

// The device of a port; what net_pcap is to read is written first.
static void name_device(const struct bench *b, unsigned port, char *text, size_t size)
{
	char path[128];

	switch (b->device) {
	case DEV_RING:
		snprintf(text, size, "net_ring_ring_%c", 'a' + port);
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
	for (unsigned i = 0; i < b->ports; i++) {
		struct scene_port *port = &b->scene->node[0].port[i];
		char device[192];
		struct err err;

		name_device(b, i, device, sizeof(device));
		port->device = device;
		rig_must(dev_open(&b->dev[i], port, b->pool[i > 0], &err), "a port", err.text);
		rig_must(dev_start(&b->dev[i], &err), "a port", err.text);
		port->device = (char *)"";
	}
}

static void make_macswap(struct bench *b)
{
	struct macswap *s = &b->macswap;

	*s = (struct macswap){.port = {b->dev[0].id, b->dev[1].id}, .crosses = b->lanes > 1};
	rig_must(macswap_init(s), "the rings", NULL);
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

	rig_must(rt_world_init(&b->world, b->scene, b->lanes, at, STACK), "the world", NULL);
	for (unsigned i = 0; i < b->lanes; i++)
		open_lane(b, i, i ? rte_get_main_lcore() : rte_get_next_lcore(-1, 1, 0));
	rig_must(rt_world_build(&b->world, 0, 2 * PS_PER_US, &err), "the nodes", err.text);
	for (unsigned p = 0; p < b->ports; p++) {
		struct rt_lcore *lc = b->world.lcore[rt_world_lcore(&b->world, 0, p)];
		struct rt_end *e = rt_world_end(&b->world, 0, p);

		e->dev = &b->dev[p];
		lc->dev[lc->n_dev++] = (uint16_t)(e - lc->end);
	}
	for (unsigned i = 0; i < b->lanes; i++) {
		b->lane[i].stand = (struct stand){.first = b->mixed.lines ? 1 : i,
			.step = b->lanes,
			.end = b->ports,
			.classes = 1 + b->traffic.more_classes,
			.frames = STAND_FRAMES + (b->lanes > 1 ? STAND_MORE : 0),
			.turn = rate_time(rt_world_end(&b->world, 0, 0)->ps,
				(uint32_t)((flow_mean(&b->traffic) + PKT_WIRE) * EAL_BURST))};
		for (unsigned p = 0; p < b->ports; p++)
			b->lane[i].stand.sw[p] = switch_of(b, p);
	}
}

static unsigned standing(const struct bench *b)
{
	unsigned n = 0;

	for (unsigned p = 0; p < b->ports; p++)
		for (unsigned c = 0; c <= b->traffic.more_classes; c++)
			n += stand_queue(switch_of(b, p), p, STAND_CLASS - c)->frames;
	return n;
}

uint64_t rig_flooded(const struct bench *b)
{
	uint64_t n = 0;

	for (unsigned p = 0; p < b->ports; p++)
		n += sw_port_stats(switch_of(b, p), p).flooded_frames;
	return n;
}

uint64_t rig_marked(const struct bench *b)
{
	uint64_t n = 0;

	for (unsigned p = 0; p < b->ports; p++)
		for (unsigned c = 0; c <= b->traffic.more_classes; c++)
			n += sw_class_stats(switch_of(b, p), p, STAND_CLASS - c).ecn_marked_frames;
	return n;
}

// Ends the program where frames were lost: the rest would be another measurement.
static void check_lost(const struct bench *b, bool missing)
{
	bool lost = missing;

	for (unsigned p = 0; p < b->ports; p++)
		for (unsigned why = 0; why < SW_DROPS; why++) {
			uint64_t n = sw_port_stats(switch_of(b, p), p).drop[why];

			lost |= n != 0;
			if (n)
				fprintf(stderr, "rt_bench: port %u dropped %llu: %s\n", p,
					(unsigned long long)n, sw_drop_name(why));
		}
	rig_must(lost ? -EPROTO : 0, "the switch", "frames were lost");
}

static bool all_in_rings(const struct bench *b)
{
	if (b->mixed.lines)
		return rte_ring_count(b->way[0]) + mixed_waiting(&b->mixed) == b->in_flight;
	return rte_ring_count(b->way[0]) == b->in_flight &&
	       rte_ring_count(b->way[1]) == b->in_flight;
}

// Puts back the frames that were read ahead, so that they are received again.
static void put_back_ahead(struct bench *b)
{
	for (unsigned i = 0; i < b->ports; i++) {
		struct dev_far *far = &b->dev[i].far;

		if (b->device == DEV_RING)
			rte_ring_enqueue_bulk(b->way[i], (void **)far->m, far->n, NULL);
		else
			rte_pktmbuf_free_bulk(far->m, far->n);
		far->n = 0;
	}
}

// The switch's frames leave it, so that all are in the rings; no other lane runs.
void rig_empty(struct bench *b)
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

void rig_open(struct bench *b)
{
	uint64_t buffers = 2ull * (b->in_flight + SPARE);

	b->no_huge |= eal_hugepages() < HUGE_LEAST + buffers * HUGE_FRAME;
	load(b);
	start_eal(b);
	make_pools(b);
	if (b->mixed.lines)
		make_lines(b);
	else if (b->device == DEV_RING)
		make_rings(b);
	open_ports(b);
	make_macswap(b);
	build(b);
	if (b->stands || b->mixed.lines)
		stand_open(
			b->dev, b->lane[0].stand.sw, b->ports, b->mixed.lines ? &b->mixed : NULL);
}
