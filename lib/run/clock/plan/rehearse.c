// SPDX-License-Identifier: BSD-3-Clause
// Rehearsal: runs the beginning of the scene on one lcore, as fast as possible, to measure what it
// costs on this machine.
#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

#include <rte_cycles.h>
#include <rte_pause.h>

#include "plan.h"
#include "lcores/lcores.h"

#define IDLE_PS (20 * PS_PER_MS)
#define WINDOW  (10 * PS_PER_US) // of scene time, over which load is averaged
#define PACKETS (1u << 18)       // at most: what finds none is dropped, which costs about as much
#define MARGIN  1.5              // caches are warmer here than in a long run

struct stage {
	struct rt_world world;
	void *mem;
	size_t bytes;
};

int rt_warm(void *lcore)
{
	struct rt_lcore *lc = lcore;
	tstamp start = rt_clock_ps(lc->clock, rte_rdtsc()), before = start, now = start;

	while (now - start < IDLE_PS) {
		now = rt_clock_ps(lc->clock, rte_rdtsc());
		hist_add(&lc->timing.gap, now - before, 1);
		before = now;
	}
	lc->timing.idle_p99 = hist_quantile(&lc->timing.gap, 990);
	hist_init(&lc->timing.gap);
	return 0;
}

static uint64_t wall_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

// Descriptors without mbufs: the same distances between them, nothing in front.
static int stage_fill(struct stage *st, const struct eal_pool_size *size)
{
	struct pkt_stack *s = &st->world.lcore[0]->stack;
	size_t each = EAL_PRIV + EAL_MBUF + (size->room ? RTE_PKTMBUF_HEADROOM : 0) + size->room;

	st->bytes = each * s->cap;
	st->mem = mmap(NULL, st->bytes, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (st->mem == MAP_FAILED) {
		st->mem = NULL;
		return -ENOMEM;
	}
	for (uint32_t i = s->cap; i-- > 0;)
		s->slot[s->n++] = (void *)((char *)st->mem + i * each);
	s->data_off = size->room ? EAL_PRIV + RTE_PKTMBUF_HEADROOM : 0;
	s->room = size->room;
	return 0;
}

static int stage_build(struct stage *st, const struct scene *scene, struct err *err)
{
	struct eal_pool_size size;
	uint16_t *all_on_0 = calloc(scene->n_nodes, sizeof(*all_on_0));
	int rc = all_on_0 ? 0 : -ENOMEM;

	eal_pool_size(&size, scene, 1, UINT64_MAX);
	if (!rc)
		rc = rt_world_init(&st->world, scene, 1, all_on_0,
			size.packets < PACKETS ? size.packets : PACKETS);
	if (!rc)
		rc = stage_fill(st, &size);
	free(all_on_0);
	if (rc)
		return err_set(err, rc, "no memory for a rehearsal of the scene");
	return rt_world_build(&st->world, 0, rt_plan_tolerance(scene, 0), err);
}

// The busiest two neighbouring windows, of which the lesser counts: a stolen moment hits only one.
static double busiest(uint64_t taken_ns, uint64_t *before_ns, double worst)
{
	uint64_t both = taken_ns < *before_ns ? taken_ns : *before_ns;
	double load = (double)both * PS_PER_NS / WINDOW;

	*before_ns = taken_ns;
	return load > worst ? load : worst;
}

static void stage_play(struct rt_rehearsal *r, struct rt_lcore *lc, tstamp step, uint64_t limit_ns)
{
	uint64_t start = wall_ns(), mark = start, before = 0;
	tstamp window = WINDOW;

	for (tstamp now = 0; now < lc->end_at; now += step) {
		if (now >= window) {
			uint64_t t = wall_ns();

			r->load = busiest(t - mark, &before, r->load);
			mark = t;
			window += WINDOW;
			if (t - start > limit_ns)
				break;
		}
		rt_lcore_step(lc, now);
		r->steps++;
	}
	r->hops = lc->hops;
	r->wall_ns = wall_ns() - start;
}

int rt_rehearse(
	struct rt_rehearsal *r, const struct scene *scene, uint64_t limit_ns, struct err *err)
{
	struct stage st = {0};
	int rc = stage_build(&st, scene, err);

	*r = (struct rt_rehearsal){0};
	if (!rc) {
		stage_play(r, st.world.lcore[0], rt_plan_packet_time(scene), limit_ns);
		r->load *= MARGIN;
		net_end(st.world.net, r->crash, sizeof(r->crash));
	}
	if (st.mem)
		munmap(st.mem, st.bytes);
	rt_world_fini(&st.world);
	return rc;
}
