// SPDX-License-Identifier: BSD-3-Clause
// Frames per second that one lcore moves through the switch between two ports: net_null or crossed
// rings. Usage: rt_bench SCENARIO null|ring BYTES SECONDS. Prints frames per second, all ports
// together.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <rte_cycles.h>
#include <rte_launch.h>
#include <rte_lcore.h>
#include <rte_ring.h>

#include "dev/eth.h"
#include "eal/eal.h"
#include "dev/known.h"
#include "rt/plan.h"
#include "rt/run.h"
#include "wire/frame.h"

#include <rte_eth_ring.h>

#define IN_FLIGHT 256 // frames that go round a ring

struct bench {
	struct scene *scene;
	struct rt_world world;
	struct rt_clock clock;
	struct dev dev[2];
	struct rte_mempool *pool[2]; // frames of either direction
	atomic_bool quit;
};

struct fill {
	uint8_t bytes[PKT_MAX_LEN];
	int len;
};

static int must(int rc, const struct err *err, const char *what)
{
	if (rc) {
		fprintf(stderr, "rt_bench: %s: %s\n", what, err ? err->text : strerror(-rc));
		exit(1);
	}
	return 0;
}

// A RoCEv2 WRITE middle from one host to the other, DSCP of class 3, ECT(0).
// from: 0 for the host at port 0.
static void fill_init(struct fill *f, unsigned from, unsigned bytes)
{
	struct frame fr = {.kind = PKT_DATA};
	uint8_t payload[PKT_MAX_LEN] = {0};

	memcpy(fr.eth.dst, (uint8_t[]){2, 0, 0, 0, 0, (uint8_t)(from ? 0x0a : 0x0b)}, 6);
	memcpy(fr.eth.src, (uint8_t[]){2, 0, 0, 0, 0, (uint8_t)(from ? 0x0b : 0x0a)}, 6);
	fr.eth.ethertype = ETH_P_IPV4;
	fr.ip.version = 4;
	fr.ip.tos = 24 << 2 | ECN_ECT0;
	fr.ip.ttl = 64;
	fr.ip.proto = 17;
	memcpy(fr.ip.saddr, (uint8_t[]){10, 0, 0, (uint8_t)(1 + from)}, 4);
	memcpy(fr.ip.daddr, (uint8_t[]){10, 0, 0, (uint8_t)(2 - from)}, 4);
	fr.udp.sport = 49152;
	fr.udp.dport = 4791;
	fr.bth.opcode = 0x07;
	fr.bth.pkey = 0xffff;
	fr.bth.qpn = 1;
	fr.payload_len = (uint16_t)(bytes - 58);
	f->len = frame_render(&fr, payload, f->bytes, sizeof(f->bytes), PKT_MIN_LEN);
	must(f->len < 0 ? f->len : 0, NULL, "the frame");
}

static void write_frame(struct rte_mempool *mp, void *arg, void *obj, unsigned i)
{
	const struct fill *f = arg;
	struct rte_mbuf *m = obj;

	(void)mp;
	(void)i;
	memcpy((uint8_t *)m->buf_addr + RTE_PKTMBUF_HEADROOM, f->bytes, (size_t)f->len);
}

static void start_eal(struct bench *b, bool no_huge)
{
	unsigned cpu[RTE_MAX_LCORE];
	struct eal_params p = {.program = "rt_bench",
		.scene = b->scene,
		.no_huge = no_huge,
		.need_bytes = 300u << 20,
		.cpu = cpu,
		.pid = (unsigned)getpid()};
	struct err err;

	p.n_cpus = eal_cpus(cpu, 2);
	must(eal_start(&p, &err), &err, "EAL");
}

// Pools as a run has them.
static struct rte_mempool *pool_new(const char *name, struct fill *f)
{
	struct eal_pool_size size = {.packets = 8191, .room = 2048};
	struct err err;
	struct rte_mempool *mp = eal_pool_new(
		name, &size, rte_eal_has_hugepages() ? EAL_HEAP : EAL_ORDINARY, -1, &err);

	must(mp ? 0 : -ENOMEM, &err, "a pool");
	rte_mempool_obj_iter(mp, write_frame, f);
	return mp;
}

// What leaves at b comes in at a and the other way round: every frame keeps its direction.
static void cross(struct bench *b, const struct fill *fill)
{
	struct rte_ring *r[2];

	for (unsigned i = 0; i < 2; i++) {
		struct rte_mbuf *m[IN_FLIGHT];

		r[i] = rte_ring_create(
			i ? "to_b" : "to_a", 1024, SOCKET_ID_ANY, RING_F_SP_ENQ | RING_F_SC_DEQ);
		must(rte_pktmbuf_alloc_bulk(b->pool[i], m, IN_FLIGHT), NULL, "frames");
		for (unsigned k = 0; k < IN_FLIGHT; k++)
			rte_pktmbuf_append(m[k], (uint16_t)fill[i].len);
		rte_ring_enqueue_bulk(r[i], (void **)m, IN_FLIGHT, NULL);
	}
	for (unsigned i = 0; i < 2; i++)
		if (rte_eth_from_rings(
			    i ? "ring_b" : "ring_a", &r[i], 1, &r[!i], 1, SOCKET_ID_ANY) < 0)
			must(-EIO, NULL, "a ring device");
}

static void open_ports(struct bench *b, bool ring, unsigned bytes)
{
	for (unsigned i = 0; i < 2; i++) {
		struct scene_port *port = &b->scene->node[0].port[i];
		char device[64];
		struct err err;

		if (ring)
			snprintf(device, sizeof(device), "net_ring_ring_%c", i ? 'b' : 'a');
		else
			snprintf(device, sizeof(device), "net_null%u,size=%u", i, bytes);
		port->device = device;
		must(dev_open(&b->dev[i], port, b->pool[i], NULL, &err), &err, "a port");
		must(dev_start(&b->dev[i], &err), &err, "a port");
		port->device = (char *)"";
	}
}

static void build(struct bench *b)
{
	uint16_t at[2] = {0};
	struct rt_lcore *lc;
	struct err err;

	must(rt_world_init(&b->world, b->scene, 1, at, 16384), NULL, "the world");
	lc = b->world.lcore[0];
	lc->pool = b->pool[0];
	lc->stack.data_off = EAL_PRIV + RTE_PKTMBUF_HEADROOM;
	lc->stack.room = 2048;
	lc->id = rte_get_next_lcore(-1, 1, 0);
	lc->clock = &b->clock;
	lc->quit = &b->quit;
	lc->next_turn = TSTAMP_NEVER;
	rt_world_levels(lc, 4096);
	rt_lcore_level(lc);
	must(rt_world_build(&b->world, 0, 2 * PS_PER_US, &err), &err, "the nodes");
	for (uint16_t i = 0; i < 2; i++) {
		rt_world_end(&b->world, 0, i)->dev = &b->dev[i];
		lc->dev[lc->n_dev++] = i;
	}
}

static void run(struct bench *b, double seconds)
{
	struct rt_lcore *lc = b->world.lcore[0];
	struct rt_instant from = rt_instant_get(), to;
	uint64_t frames, sent = 0;

	rte_delay_us_sleep(50000);
	to = rt_instant_get();
	must(rt_clock_init(&b->clock, &from, &to, 1), NULL, "the clock");
	rte_eal_remote_launch(rt_lcore_run, lc, lc->id);
	rte_delay_us_sleep(200000);
	frames = lc->hops;
	from = rt_instant_get();
	rte_delay_us_sleep((unsigned)(seconds * 1e6));
	frames = lc->hops - frames;
	to = rt_instant_get();
	b->quit = true;
	rte_eal_mp_wait_lcore();
	for (unsigned p = 0; p < 2; p++)
		sent += sw_port_stats(b->world.net->node[0].u.sw, p)->tx_frames;
	printf("%.2f Mframes/s, %.1f %% forwarded, loop p50 %.0f ns\n",
		(double)frames * 1e3 / (double)(to.raw_ns - from.raw_ns),
		100.0 * (double)sent / (double)lc->hops,
		(double)hist_quantile(&lc->timing.gap, 500) / PS_PER_NS);
}

int main(int argc, char **argv)
{
	struct bench b = {0};
	struct scene_opts opts = {.real = true};
	static struct fill fill[2];
	unsigned bytes;
	bool ring;
	struct err err;

	if (argc != 5) {
		fprintf(stderr, "usage: rt_bench SCENARIO null|ring BYTES SECONDS\n");
		return 2;
	}
	ring = strcmp(argv[2], "ring") == 0;
	bytes = (unsigned)strtoul(argv[3], NULL, 10);
	must(scene_load(&b.scene, argv[1], &opts, &err), &err, "the scenario");
	start_eal(&b, eal_hugepages() < 300u << 20);
	for (unsigned i = 0; i < 2; i++) {
		fill_init(&fill[i], i, bytes);
		b.pool[i] = pool_new(i ? "from_b" : "from_a", &fill[i]);
	}
	if (ring)
		cross(&b, fill);
	open_ports(&b, ring, bytes);
	build(&b);
	run(&b, strtod(argv[4], NULL));
	eal_stop();
	return 0;
}
