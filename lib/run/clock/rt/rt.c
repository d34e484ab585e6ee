// SPDX-License-Identifier: BSD-3-Clause
// The real clock from start to end: EAL, pool, ports, plan, run, accounts, everything put back.
#include "rt.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <rte_cycles.h>
#include <rte_launch.h>
#include <rte_lcore.h>
#include <rte_mempool.h>

#include "run.h"
#include "plan/plan.h"
#include "release.h"
#include "self.h"

#define MB            1048576u
#define EAL_BYTES     (24 * MB) // DPDK's own
#define DEVICE_BYTES  (4 * MB)
#define ORDINARY_PAGE 4096u
#define REHEARSAL_NS  40000000u
#define CALIBRATE_NS  50000000u
#define SETTLE_MS     100
#define LINK_WAIT_MS  5000
#define LINK_LOOK_MS  10
#define HOP_PS        (100 * PS_PER_NS) // a packet's work at a real port, for want of a rehearsal

void rt_say(const struct rt *rt, const char *fmt, ...)
{
	char line[400];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	if (rt->opts->say)
		rt->opts->say(rt->opts->arg, line);
	else
		fprintf(stderr, "%s\n", line);
}

static uint64_t memory_available(void)
{
	FILE *f = fopen("/proc/meminfo", "r");
	char line[128];
	unsigned long kb = 0;

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "MemAvailable: %lu kB", &kb) == 1)
			break;
	if (f)
		fclose(f);
	return (uint64_t)kb * 1024;
}

static unsigned devices(const struct scene *s)
{
	unsigned n = 0;

	for (unsigned i = 0; i < s->n_nodes; i++)
		for (unsigned p = 0; p < s->node[i].n_ports; p++)
			n += s->node[i].port[p].device != NULL;
	return n;
}

const struct scene_port *rt_own_pace(const struct scene *s)
{
	for (unsigned i = 0; i < s->n_nodes; i++)
		for (unsigned p = 0; p < s->node[i].n_ports; p++) {
			const struct scene_port *port = &s->node[i].port[p];

			if (port->device && !port->far)
				return port;
		}
	return NULL;
}

// Checks --dilate. Time behind a device can run slower only if other parts of the scenario are
// there, which have agreed on the same dilation.
static int check_dilate(const struct scene *s, const struct rt_opts *opts, struct err *err)
{
	const struct scene_port *port = rt_own_pace(s);

	if (port)
		return err_set(err, -EINVAL,
			"--dilate %u: what is behind the device of port %s runs at its own pace; "
			"--dilate is for scenes wholly in memory, and for parts of one (--nodes) "
			"that agree on it",
			opts->dilate, port->name);
	if (devices(s) && opts->start == RT_START_NOW)
		return err_set(err, -EINVAL,
			"--dilate %u: with --start now no part hears of it from the others; "
			"use --start link",
			opts->dilate);
	return 0;
}

static int check_scene(const struct scene *scene, const struct rt_opts *opts, struct err *err)
{
	static atomic_flag used = ATOMIC_FLAG_INIT;
	int rc;

	if (scene->hpcc_sim)
		return err_set(err, -EINVAL,
			"framing hpcc_sim has frames that no wire carries: use --clock virtual");
	rc = opts->dilate > 1 ? check_dilate(scene, opts, err) : 0;
	if (rc)
		return rc;
	rc = rt_storm_check(scene, opts->allow_storm, err);
	if (rc)
		return rc;
	if (atomic_flag_test_and_set(&used))
		return err_set(err, -EALREADY, "DPDK starts once in a process");
	return 0;
}

// Returns whether the run uses ordinary memory: if there are not enough hugepages, which is told
// because it is slower, or if the user asked for it by our option or EAL's.
static bool choose_memory(struct rt *rt, const struct eal_params *p, uint64_t need)
{
	uint64_t huge = eal_hugepages();

	if (rt->opts->no_huge || eal_given(p, "--no-huge"))
		return true;
	if (huge >= need)
		return false;
	if (huge)
		rt_say(rt,
			"hugepages: %lu MB free of the %lu MB needed: "
			"ordinary memory instead, a little slower",
			(unsigned long)(huge / MB), (unsigned long)(need / MB + 1));
	else
		rt_say(rt, "no hugepages: %lu MB of ordinary memory instead, a little slower",
			(unsigned long)(need / MB + 1));
	return true;
}

// Returns whether a device needs memory of EAL's heap: a PCI device reads memory by itself, and
// another process reads what net_virtio_user sends.
static bool needs_heap(const char *device)
{
	static const char user[] = "net_virtio_user";
	char name[16];

	return eal_pci(device, name, sizeof(name)) || strncmp(device, user, strlen(user)) == 0;
}

static bool any_needs_heap(const struct scene *s)
{
	for (unsigned i = 0; i < s->n_nodes; i++)
		for (unsigned p = 0; p < s->node[i].n_ports; p++)
			if (s->node[i].port[p].device && needs_heap(s->node[i].port[p].device))
				return true;
	return false;
}

static int make_pool(struct rt *rt, enum eal_memory memory, struct err *err)
{
	rt->pool = eal_pool_new(
		"quench", &rt->size, memory, memory == EAL_HEAP ? rt_self_node(rt) : -1, err);
	if (rt->pool && rt->dev_size.packets)
		rt->dev_pool = eal_pool_new("quench_rx", &rt->dev_size, memory,
			memory == EAL_HEAP ? rt_self_node(rt) : -1, err);
	if (!rt->pool || (rt->dev_size.packets && !rt->dev_pool))
		return -ENOMEM;
	if (rt->size.packets < rt->scene->max_packets)
		rt_say(rt,
			"memory for %u packets, the scene may hold %lu at once: "
			"drops for want of one are counted",
			rt->size.packets, (unsigned long)rt->scene->max_packets);
	return 0;
}

static bool has_runtime(const struct rt *rt)
{
	char dir[256];
	bool has = eal_runtime(dir, sizeof(dir));

	if (has)
		eal_sweep(dir);
	else
		rt_say(rt,
			"%s cannot be written, so that registers and counters of this run cannot "
			"be read from outside; XDG_RUNTIME_DIR names another folder",
			dir);
	return has;
}

// The bytes of EAL's heap that the pool takes. Without hugepages no packet lies across two ordinary
// pages.
static uint64_t heap_bytes(const struct eal_pool_size *size, bool no_huge)
{
	uint64_t each = size->packets ? size->bytes / size->packets : 0;

	if (no_huge)
		each = (each + ORDINARY_PAGE - 1) / ORDINARY_PAGE * ORDINARY_PAGE;
	return each * size->packets;
}

static int find_devices(struct rt *rt, struct err *err)
{
	rt->dev = calloc(devices(rt->scene) + 1, sizeof(*rt->dev));
	rt->device = calloc(devices(rt->scene) + 1, sizeof(*rt->device));
	if (!rt->dev || !rt->device)
		return err_set(err, -ENOMEM, "no memory for the devices");
	for (unsigned i = 0; i < rt->scene->n_nodes; i++)
		for (unsigned p = 0; p < rt->scene->node[i].n_ports; p++) {
			const struct scene_port *port = &rt->scene->node[i].port[p];
			int rc;

			if (!port->device)
				continue;
			rc = dev_find(&rt->dev[rt->n_dev++], port, rt->dev_size.packets != 0, err);
			if (rc)
				return rc;
		}
	return 0;
}

static int start_eal(struct rt *rt, struct err *err)
{
	unsigned cpu[RTE_MAX_LCORE];
	struct eal_params p = {
		.program = rt->opts->program,
		.scene = rt->scene,
		.user = rt->opts->eal_argv,
		.n_user = rt->opts->eal_argc,
		.cpu = cpu,
		.n_cpus = eal_cpus(cpu, RTE_MAX_LCORE - 1),
		.pid = (unsigned)getpid(),
	};
	enum eal_memory memory = EAL_HEAP;
	unsigned id;
	int rc;

	if (rt->opts->workers > p.n_cpus)
		return err_set(err, -EINVAL,
			"--workers %u: this process may use %u processor%s, so that %u is the most",
			rt->opts->workers, p.n_cpus, plural(p.n_cpus), p.n_cpus);
	p.n_workers = rt->opts->workers;
	rt->most_workers = eal_given(&p, EAL_LCORES) ? 0 : p.n_cpus;
	eal_pool_size(&rt->size, rt->scene, p.n_cpus, memory_available() / 2);
	if (eal_pools(rt->scene) != EAL_ONE_POOL)
		eal_pool_size_devices(&rt->dev_size, rt->scene, p.n_cpus);
	p.need_bytes = EAL_BYTES + devices(rt->scene) * DEVICE_BYTES +
		       (rt->size.packets + rt->dev_size.packets) * 2ull * sizeof(void *);
	p.no_huge = choose_memory(rt, &p, p.need_bytes + rt->size.bytes + rt->dev_size.bytes);
	if (p.no_huge && !any_needs_heap(rt->scene))
		memory = EAL_ORDINARY;
	else
		p.need_bytes +=
			heap_bytes(&rt->size, p.no_huge) + heap_bytes(&rt->dev_size, p.no_huge);
	rt->has_runtime = has_runtime(rt);
	p.no_telemetry = !rt->has_runtime;
	rc = eal_start(&p, err);
	if (rc)
		return rc;
	rt->eal = true;
	telemetry_register();
	RTE_LCORE_FOREACH_WORKER(id)
	rt->lcore_id[rt->n_lcores++] = id;
	if (!rt->n_lcores)
		return err_set(err, -EINVAL, "no lcore for a worker: give EAL two at least");
	// The devices may refuse the port's MTU or queues; this needs no packet memory.
	rc = find_devices(rt, err);
	return rc ? rc : make_pool(rt, memory, err);
}

static uint64_t packets_in_all(const struct rt *rt)
{
	return (uint64_t)rt->size.packets + rt->dev_size.packets;
}

static int place_nodes(struct rt *rt, struct err *err)
{
	uint16_t *lcore_of = calloc(rt->scene->n_nodes, sizeof(*lcore_of));
	unsigned n = rt->n_lcores < rt->scene->n_nodes ? rt->n_lcores : rt->scene->n_nodes;
	int rc;

	if (!lcore_of)
		return err_set(err, -ENOMEM, "no memory for %u nodes", rt->scene->n_nodes);
	rc = rt_plan_place(rt->scene,
		&(struct rt_workers){rt->lcore_id, rt->n_lcores, rt->most_workers}, lcore_of, err);
	for (unsigned i = 0; i < rt->scene->n_nodes; i++)
		if (rt->scene->node[i].kind == SCENE_SW && rt->scene->node[i].u.sw.shards > 1)
			n = rt->n_lcores; // around which shards go
		else if (lcore_of[i] >= n)
			n = lcore_of[i] + 1u;
	if (!rc && rt_world_init(
			   &rt->world, rt->scene, n, lcore_of, (uint32_t)packets_in_all(rt)) != 0)
		rc = err_set(
			err, -ENOMEM, "no memory for %u packets on %u lcores", rt->size.packets, n);
	free(lcore_of);
	for (unsigned i = 0; !rc && i < n; i++) {
		struct rt_lcore *lc = rt->world.lcore[i];

		lc->id = rt->lcore_id[i];
		lc->pool = rt->pool;
		lc->apart = eal_pools(rt->scene) == EAL_OWN_APART;
		lc->yields = rt->scene->yields;
		lc->clock = &rt->clock;
		lc->stack.room = rt->size.room;
		lc->stack.data_off = rt->size.room ? EAL_PRIV + RTE_PKTMBUF_HEADROOM : 0;
		rt_world_levels(lc, rt->size.packets / n);
		if (eal_pools(rt->scene) == EAL_SHORT_APART)
			rc = rt_world_longer(lc, rt->dev_pool, rt->dev_size.room);
		if (rc)
			return err_set(err, rc, "no memory for copies of long frames");
		rt_lcore_level(lc);
	}
	rt->slips = n == 1 && !devices(rt->scene);
	return rc;
}

static int feed_devices(struct rt *rt, struct err *err)
{
	struct mbuf_pools pools = {.rx = rt->pool};
	struct dev *d = rt->dev;

	if (rt->dev_pool)
		pools = (struct mbuf_pools){.rx = rt->dev_pool,
			.own = rt->pool,
			.moves_short = eal_pools(rt->scene) == EAL_SHORT_APART};
	for (unsigned i = 0; i < rt->scene->n_nodes; i++)
		for (unsigned p = 0; p < rt->scene->node[i].n_ports; p++) {
			int rc;

			if (!rt->scene->node[i].port[p].device)
				continue;
			rc = dev_feed(d, &pools, err);
			if (!rc)
				rc = dev_make_templates(d++, rt->scene, i, err);
			if (rc)
				return rc;
		}
	return 0;
}

// A lane sends by the device of lane 0.
static int join_lane(struct rt *rt, unsigned node, struct err *err)
{
	const struct scene_node *n = &rt->scene->node[node];
	struct rt_lcore *lc = rt->world.lcore[rt_world_lcore(&rt->world, node, 0)];
	struct rt_end *e = rt_world_end(&rt->world, node, 0);

	e->dev = rt_world_end(&rt->world, n->lane_of, 0)->dev;
	e->queue = n->lane;
	lc->side[lc->n_side++] = (uint16_t)(e - lc->end);
	return dev_make_lane_templates(e->dev, rt->scene, node, &e->tmpl, err);
}

// Gives the other shards of a switch a slot each, by which they learn of the port's link.
static void join_shards(struct rt *rt, const struct rt_end *e)
{
	for (unsigned k = 0; e->node->shards > 1 && k < e->node->shards; k++) {
		const struct rt_node *other = rt_world_node(&rt->world, e->node->index, k);
		struct rt_lcore *lc = rt->world.lcore[other->lcore];

		if (other != e->node)
			lc->side[lc->n_side++] = (uint16_t)(other->first + e->port);
	}
}

// Receive queue q of a port is read by the lcore of the q-th shard from the port's own on, around.
static void join_queues(struct rt *rt, const struct rt_end *e)
{
	unsigned shards = e->node->shards;

	for (unsigned q = 1; q < e->dev->port->rx_queues; q++) {
		unsigned k = (e->port + q) % shards;
		const struct rt_node *n = rt_world_node(&rt->world, e->node->index, k);
		struct rt_lcore *lc = rt->world.lcore[n->lcore];

		lc->aside[lc->n_aside++] =
			(struct rt_aside){e->dev, (uint16_t)q, (uint16_t)(n->first + e->port)};
	}
}

static int join_devices(struct rt *rt, struct err *err)
{
	struct dev *d = rt->dev;

	for (unsigned i = 0; i < rt->scene->n_nodes; i++)
		for (unsigned p = 0; p < rt->scene->node[i].n_ports; p++) {
			struct rt_lcore *lc = rt->world.lcore[rt_world_lcore(&rt->world, i, p)];
			struct rt_end *e = rt_world_end(&rt->world, i, p);
			int rc;

			if (!rt->scene->node[i].port[p].device)
				continue;
			rc = dev_start(d, err);
			if (rc)
				return rc;
			d->lost.node = i;
			d->lost.port = p;
			e->dev = d++;
			e->tmpl = e->dev->tmpl;
			lc->dev[lc->n_dev++] = (uint16_t)(e - lc->end);
			join_shards(rt, e);
			join_queues(rt, e);
		}
	for (unsigned i = 0; i < rt->scene->n_nodes; i++) {
		int rc = rt->scene->node[i].lane ? join_lane(rt, i, err) : 0;

		if (rc)
			return rc;
	}
	return 0;
}

static int calibrate(struct rt *rt, unsigned dilate, struct err *err)
{
	struct rt_instant now = rt_instant_get();

	while (now.raw_ns - rt->boot.raw_ns < CALIBRATE_NS) {
		rte_delay_us_sleep(5000);
		now = rt_instant_get();
	}
	if (rt_clock_init(&rt->clock, &rt->boot, &now, dilate) != 0)
		return err_set(err, -EINVAL, "the processor's time stamp counter stands still");
	rt->calibrated = now;
	return 0;
}

// Loop gap to expect, wall ps: what the machine does to an idle loop, and full bursts at real
// ports.
static tstamp warm_up(struct rt *rt)
{
	tstamp p99 = 0;

	for (unsigned i = 0; i < rt->world.n_lcores; i++)
		rte_eal_remote_launch(rt_warm, rt->world.lcore[i], rt->world.lcore[i]->id);
	rte_eal_mp_wait_lcore();
	for (unsigned i = 0; i < rt->world.n_lcores; i++)
		p99 = tstamp_max(p99, rt->world.lcore[i]->timing.idle_p99);
	return p99 + rt->n_dev * EAL_BURST * HOP_PS;
}

// Dilation and tolerance: from a rehearsal in memory, from the loop's own gaps with devices.
static int pace(struct rt *rt, struct err *err)
{
	struct rt_rehearsal r = {0};
	unsigned dilate = rt->opts->dilate;
	tstamp gap;
	int rc;

	if (rt->n_dev) {
		rc = calibrate(rt, 1, err);
		if (rc)
			return rc;
		gap = warm_up(rt) + (rt->scene->yields ? 2 * RT_YIELD : 0); // by the wall
		rt->tolerance = rt_plan_tolerance(rt->scene, gap / (dilate ? dilate : 1));
		return dilate > 1 ? calibrate(rt, dilate, err) : 0;
	}
	rc = rt_rehearse(&r, rt->scene, REHEARSAL_NS, err);
	if (rc)
		return rc;
	if (*r.crash)
		rt_say(rt, "in the rehearsal %s", r.crash);
	if (!dilate) {
		dilate = rt_plan_dilate(r.load, rt->world.n_lcores);
		if (dilate > 1)
			rt_say(rt,
				"dilation %u: the scene's time passes %u times slower than the "
				"wall's, as its busiest stretch takes %.1f times its own time here "
				"(a packet hop %.0f ns)",
				dilate, dilate, r.load,
				r.hops ? (double)r.wall_ns / (double)r.hops : 0.0);
	}
	gap = (tstamp)((double)rt_plan_packet_time(rt->scene) * r.load) / dilate;
	rt->tolerance = rt_plan_tolerance(rt->scene, gap);
	return calibrate(rt, dilate, err);
}

static void say_line(void *rt, const char *line)
{
	rt_say(rt, "%s", line);
}

static int meet_parts(struct rt *rt, struct err *err)
{
	const struct rt_opts *o = rt->opts;
	const struct parts_run run = {.world = &rt->world,
		.dev = rt->dev,
		.n_dev = rt->n_dev,
		.clock = &rt->clock,
		.from = rt->calibrated.tsc,
		.stop = o->stop,
		.wait = o->wait_parts,
		.key = o->parts_key,
		.at = o->start == RT_START_AT,
		.at_ns = o->start_ns,
		.say = say_line,
		.arg = rt};

	if (!rt->scene->n_elsewhere || o->start == RT_START_NOW)
		return 0;
	return parts_begin(&rt->parts, &run, err);
}

// Draws the numbers of queue pairs, or takes those on which the parts have agreed. A part that
// starts without the others cannot know the numbers that they have drawn.
static int number_pairs(struct rt *rt, struct err *err)
{
	struct scene *s = rt->scene;

	if (!s->draws_qp_numbers || (s->part && rt->opts->start == RT_START_NOW))
		return 0;
	scene_number(s, rt->parts.n ? rt->parts.m.numbers : scene_draw_numbers());
	if (net_number(rt->world.net))
		return err_set(err, -ENOMEM, "no memory for the numbers of queue pairs");
	return 0;
}

static int build(struct rt *rt, struct err *err)
{
	int rc = rt_world_build(
		&rt->world, record_events_wanted(rt->scene, &rt->opts->record), rt->tolerance, err);

	if (!rc)
		rc = join_devices(rt, err);
	if (!rc)
		rc = rt_carrier_begin(rt, err);
	if (!rc && rt->n_dev) {
		rt_self_test(rt, rt->carrier.watch);
		rt_self_say(rt);
	}
	if (!rc)
		rc = meet_parts(rt, err);
	if (!rc)
		rc = number_pairs(rt, err);
	if (!rc)
		rc = rt_recorder_init(&rt->recorder, &rt->world, &rt->opts->record,
			rt->clock.dilate, rt->slips, err);
	return rc;
}

// Packets of the pools that are nowhere: neither free nor in a stack, node, link or driver. Less
// than none while a driver has fewer mbufs than it began with.
static int64_t missing(const struct rt *rt)
{
	uint64_t here = rte_mempool_avail_count(rt->pool) + net_held(rt->world.net) +
			rt_world_in_flight(&rt->world);

	if (rt->dev_pool)
		here += rte_mempool_avail_count(rt->dev_pool);
	for (unsigned i = 0; i < rt->world.n_lcores; i++)
		here += rt->world.lcore[i]->stack.n + rt->world.lcore[i]->longer.n;
	for (unsigned i = 0; i < rt->n_dev; i++)
		here += rt->dev[i].kept;
	return (int64_t)(packets_in_all(rt) - here);
}

// Waits until devices have sent the frames that they have taken, which then come back to the pool.
// With some drivers the kernel decides when; others keep frames until they are stopped.
static void settle_devices(struct rt *rt)
{
	for (unsigned ms = 0; rt->n_dev && ms < SETTLE_MS && missing(rt) > 0; ms++) {
		for (unsigned i = 0; i < rt->n_dev; i++)
			if (!rt->dev[i].gone)
				dev_drain(&rt->dev[i]);
		rte_delay_us_sleep(1000);
	}
}

// The frames that a removed device was sending never come back: the kernel has them (net_af_xdp).
static void lose_with_gone(struct rt *rt)
{
	for (unsigned i = 0; i < rt->n_dev; i++) {
		unsigned queues = rt->dev[i].port->lanes ? rt->dev[i].port->lanes : 1;
		int64_t lost = missing(rt), most = (int64_t)queues * SCENE_TX_RING;

		if (!rt->dev[i].gone || lost <= 0)
			continue;
		lost = lost < most ? lost : most;
		rt->dev[i].kept += (uint32_t)lost;
		rt->dev[i].unsent += (uint64_t)lost;
	}
}

// A driver gives what it took back when its device is closed, if at all: this comes after that.
static void account(struct rt *rt)
{
	struct record_run *run = &rt->run;
	struct err why = {0};

	lose_with_gone(rt);
	run->link_frames = rt_world_in_flight(&rt->world);
	rt_recorder_in_flight(&rt->recorder);
	run->pool_size = packets_in_all(rt);
	run->pool_missing = (uint64_t)missing(rt);
	run->conserved = net_conserve(rt->world.net, &why);
	snprintf(run->conserve_text, sizeof(run->conserve_text), "%s", why.text);
}

static void stop_devices(struct rt *rt)
{
	for (unsigned i = 0; i < rt->n_dev; i++)
		dev_settle(&rt->dev[i]);
	for (unsigned i = 0; i < rt->n_dev; i++)
		dev_stop(&rt->dev[i]);
}

static void close_devices(struct rt *rt)
{
	stop_devices(rt);
	for (unsigned i = 0; i < rt->n_dev; i++)
		dev_close(&rt->dev[i]);
}

static void close_all(struct rt *rt)
{
	rt_carrier_end(rt);
	close_devices(rt);
	parts_free(&rt->parts);
	rt_release_close(rt);
	rt_recorder_fini(&rt->recorder);
	control_free(rt->control);
	if (rt->hung) { // the thread that hangs has all else until the process ends
		eal_abandon();
		return;
	}
	rt_bell_close(&rt->bell);
	rt_world_fini(&rt->world);
	free(rt->dev);
	free(rt->device);
	record_finding_free(&rt->self);
	rte_mempool_free(rt->pool);
	rte_mempool_free(rt->dev_pool);
	if (rt->eal)
		eal_stop();
	free(rt);
}

static double cpu_s(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec * 1e-9;
}

static void end_nodes(struct rt *rt)
{
	const struct net_job_say say = {say_line, rt};

	net_end(rt->world.net, rt->run.crash, sizeof(rt->run.crash));
	net_jobs_end(rt->world.net, -1, &say, rt->run.crash, sizeof(rt->run.crash));
}

static int run_and_close(struct rt *rt, struct report **report, struct err *err)
{
	double cpu = cpu_s();
	int rc = rt_main(rt, err);

	if (rc)
		return rc;
	if (!rt->hung) {
		rt_release(rt);
		for (unsigned i = 0; i < rt->n_dev; i++)
			dev_end(&rt->dev[i]);
		settle_devices(rt);
	}
	rt_carrier_end(rt);
	close_devices(rt);
	if (!rt->hung)
		end_nodes(rt);
	net_account(rt->world.net, rt->run.end);
	account(rt);
	rt_verdict(rt);
	rt->run.clock = "real";
	rt->run.dilate = rt->clock.dilate;
	rt->run.cpu_s = cpu_s() - cpu;
	rc = report_close(report, rt->recorder.rec, &rt->run, err);
	rt->recorder.rec = NULL;
	if (rt->lab.rc && rt->lab.rc != -EINTR) {
		*err = rt->lab.err;
		return rt->lab.rc;
	}
	return rc;
}

static int rt_new(struct rt **out, struct scene *scene, const struct rt_opts *opts, struct err *err)
{
	struct rt *rt;
	int rc = check_scene(scene, opts, err);

	if (rc)
		return rc;
	*out = rt = calloc(1, sizeof(*rt));
	if (!rt)
		return err_set(err, -ENOMEM, "no memory");
	rt->scene = scene;
	rt->opts = opts;
	rt->boot = rt_instant_get();
	rt->bell.fd = -1;
	return 0;
}

// EAL, its lcores, and the devices, not yet started.
static int prepare(struct rt *rt, struct err *err)
{
	int rc;

	rt_release_open(rt);
	rc = start_eal(rt, err);
	if (!rc)
		rc = place_nodes(rt, err);
	if (!rc)
		rc = feed_devices(rt, err);
	return rc;
}

// Links that come up soon after the start of their devices are waited for. NULL: no memory.
static struct watch *await_links(const struct rt *rt)
{
	const atomic_bool *stop = rt->opts->stop;
	struct watch *w;
	bool up = false;

	watch_new(&w, rt->dev, rt->n_dev);
	for (unsigned ms = 0; w && !up && ms < LINK_WAIT_MS && !(stop && *stop);
		ms += LINK_LOOK_MS) {
		watch_look(w);
		up = true;
		for (unsigned i = 0; i < rt->n_dev; i++)
			up &= watch_link(w, i) == WATCH_UP;
		if (!up)
			rte_delay_us_sleep(LINK_LOOK_MS * 1000);
	}
	return w;
}

int rt_ports(struct scene *scene, const struct rt_opts *opts, struct record_findings *found,
	struct err *err)
{
	struct watch *links = NULL;
	struct rt *rt;
	int rc = rt_new(&rt, scene, opts, err);

	if (rc)
		return rc;
	rc = prepare(rt, err);
	if (!rc)
		rc = calibrate(rt, 1, err);
	for (unsigned i = 0; !rc && i < rt->n_dev; i++)
		rc = dev_start(&rt->dev[i], err);
	if (!rc) {
		links = await_links(rt);
		if (!links)
			rc = err_set(
				err, -ENOMEM, "no memory for the links of %u ports", rt->n_dev);
	}
	if (!rc) {
		rt_self_test(rt, links);
		*found = rt->self;
		rt->self = (struct record_findings){0};
	}
	watch_free(links);
	close_all(rt);
	return rc;
}

int rt_run(struct scene *scene, const struct rt_opts *opts, struct report **report, struct err *err)
{
	struct rt *rt;
	int rc = rt_new(&rt, scene, opts, err);

	if (rc)
		return rc;
	rc = prepare(rt, err);
	if (!rc)
		rc = pace(rt, err);
	if (!rc)
		rc = build(rt, err);
	if (!rc)
		rc = run_and_close(rt, report, err);
	record_free(rt->recorder.rec); // of a run that did not come to its report
	close_all(rt);
	return rc;
}
