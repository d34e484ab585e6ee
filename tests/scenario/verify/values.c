// SPDX-License-Identifier: BSD-3-Clause
// Faults of a switch whose values are not the configured ones.
#include "bad.h"

// Calls a function for each class of each set, or for each group of each port.
static void each_class(struct bad_params *p, void (*change)(struct sw_class_params *c))
{
	for (unsigned s = 0; s < p->sw.n_sets; s++)
		for (unsigned c = 0; c < PKT_CLASSES; c++)
			change(&p->set[s].cls[c]);
}

static void each_group(struct bad_params *p, void (*change)(struct mmu_pg_params *g))
{
	for (unsigned i = 0; i < p->sw.n_ports; i++)
		for (unsigned g = 0; g < MMU_PGS; g++)
			change(&p->port[i].pg[g]);
}

static void less_headroom(struct mmu_pg_params *g)
{
	g->headroom_bytes = g->headroom_bytes * 8 / 10;
}

static void headroom_short(struct bad_params *p)
{
	each_group(p, less_headroom);
}

static void pool_half(struct bad_params *p)
{
	p->sw.headroom_pool_bytes /= 2;
}

static void no_reserve(struct mmu_pg_params *g)
{
	g->reserved_bytes = 0;
}

static void reserve_missing(struct bad_params *p)
{
	each_group(p, no_reserve);
}

static void less_alpha(struct mmu_pg_params *g)
{
	g->dynamic_th -= g->lossless && g->threshold == MMU_DYNAMIC;
}

static void alpha_half(struct bad_params *p)
{
	each_group(p, less_alpha);
}

static void less_limit(struct mmu_pg_params *g)
{
	if (g->lossless)
		return;
	g->dynamic_th -= g->threshold == MMU_DYNAMIC;
	g->static_bytes /= 2;
}

static void lossy_limit_half(struct bad_params *p)
{
	each_group(p, less_limit);
}

static void no_offset(struct mmu_pg_params *g)
{
	g->xon_offset_bytes = 0;
}

static void hysteresis_missing(struct bad_params *p)
{
	each_group(p, no_offset);
}

static void cell_larger(struct bad_params *p)
{
	p->sw.cell_bytes = 256;
}

static void buffer_small(struct bad_params *p)
{
	p->sw.buffer_bytes = p->sw.buffer_bytes / 4 * 3;
}

static void queue_short(struct sw_class_params *c)
{
	c->tail_limit_bytes = 60000;
}

static void tail_before_xoff(struct bad_params *p)
{
	each_class(p, queue_short);
}

// A lossy class gets a threshold for XOFF, as a lossless one has.
static void pause_for_lossy(struct bad_params *p)
{
	for (unsigned s = 0; s < p->sw.n_sets; s++) {
		p->set[s].cls[0].pfc = true;
		p->set[s].cls[0].quanta = UINT16_MAX;
		p->set[s].cls[0].refresh_permille = 500;
	}
	for (unsigned i = 0; i < p->sw.n_ports; i++)
		p->port[i].pg[0] = (struct mmu_pg_params){.lossless = true,
			.threshold = MMU_STATIC,
			.static_bytes = 200000,
			.headroom_bytes = 100000};
}

static void obeys_lossy(struct bad_params *p)
{
	for (unsigned i = 0; i < p->sw.n_ports; i++)
		p->port[i].pfc_asym = true;
}

static void obeys_global_pause(struct bad_params *p)
{
	for (unsigned i = 0; i < p->sw.n_ports; i++)
		p->port[i].pause_honour = true;
}

static void obeys_slowly(struct bad_params *p)
{
	for (unsigned i = 0; i < p->sw.n_ports; i++)
		p->port[i].pfc_response = (uint16_t)(3 * p->port[i].pfc_response);
}

static void obeys_without_end(struct bad_params *p)
{
	p->sw.pause_no_expiry = true;
}

static void half_quanta(struct sw_class_params *c)
{
	c->quanta /= 2;
}

static void quanta_half(struct bad_params *p)
{
	each_class(p, half_quanta);
}

static void later(struct sw_class_params *c)
{
	c->refresh_permille = 1300;
}

static void refresh_late(struct bad_params *p)
{
	each_class(p, later);
}

static void never(struct sw_class_params *c)
{
	c->refresh_permille = 0;
}

static void refresh_missing(struct bad_params *p)
{
	each_class(p, never);
}

static void weights_swapped(struct bad_params *p)
{
	for (unsigned s = 0; s < p->sw.n_sets; s++) {
		uint16_t weight = p->set[s].cls[0].weight;

		p->set[s].cls[0].weight = p->set[s].cls[3].weight;
		p->set[s].cls[3].weight = weight;
	}
}

static void plain(struct sw_class_params *c)
{
	c->strict = false;
}

static void strict_missing(struct bad_params *p)
{
	each_class(p, plain);
}

static void dscp_off_by_one(struct bad_params *p)
{
	for (unsigned s = 0; s < p->sw.n_sets; s++) {
		uint8_t *map = p->set[s].dscp_to_class, last = map[63];

		for (unsigned d = 63; d; d--)
			map[d] = map[d - 1];
		map[0] = last;
	}
}

// All classes leave by one egress queue.
static void one_queue(struct bad_params *p)
{
	for (unsigned s = 0; s < p->sw.n_sets; s++)
		for (unsigned c = 0; c < PKT_CLASSES; c++)
			p->set[s].queue_map[c] = 3;
}

static void larger_kmin(struct sw_class_params *c)
{
	c->red.kmin_bytes = c->red.kmin_bytes * 5 / 4;
}

static void kmin_high(struct bad_params *p)
{
	each_class(p, larger_kmin);
}

static void smaller_kmax(struct sw_class_params *c)
{
	c->red.kmax_bytes = c->red.kmax_bytes * 9 / 10;
}

static void kmax_low(struct bad_params *p)
{
	each_class(p, smaller_kmax);
}

static void half_pmax(struct sw_class_params *c)
{
	c->red.pmax /= 2;
}

static void pmax_half(struct bad_params *p)
{
	each_class(p, half_pmax);
}

static void at_enqueue(struct sw_class_params *c)
{
	c->mark = c->mark == SW_MARK_DEQUEUE ? SW_MARK_ENQUEUE : c->mark;
}

static void mark_at_enqueue(struct bad_params *p)
{
	each_class(p, at_enqueue);
}

static void no_mark(struct sw_class_params *c)
{
	c->mark = SW_MARK_NONE;
}

static void never_marks(struct bad_params *p)
{
	each_class(p, no_mark);
}

// Kmin and Kmax are so far up that XOFF comes first.
static void above_xoff(struct sw_class_params *c)
{
	c->red.kmin_bytes *= 10;
	c->red.kmax_bytes *= 10;
}

static void marks_after_xoff(struct bad_params *p)
{
	each_class(p, above_xoff);
}

static void watchdog_late(struct bad_params *p)
{
	for (unsigned i = 0; i < p->sw.n_ports; i++)
		p->port[i].wd.detection += 2 * p->port[i].wd.poll;
}

static void watchdog_restores_late(struct bad_params *p)
{
	for (unsigned i = 0; i < p->sw.n_ports; i++)
		p->port[i].wd.restoration += 2 * p->port[i].wd.poll;
}

static void watchdog_forwards(struct bad_params *p)
{
	for (unsigned i = 0; i < p->sw.n_ports; i++)
		p->port[i].wd.action = PFCWD_FORWARD;
}

static void watchdog_missing(struct bad_params *p)
{
	for (unsigned i = 0; i < p->sw.n_ports; i++)
		p->port[i].wd_off = true;
}

static void port_slow(struct bad_params *p)
{
	for (unsigned i = 0; i < p->sw.n_ports; i++)
		p->port[i].shaper_rate = p->port[i].rate / 100 * 99;
}

const struct bad bad_values[] = {
	{.name = "headroom-short", .make = headroom_short},
	{.name = "headroom-pool-half", .make = pool_half},
	{.name = "reserve-missing", .make = reserve_missing},
	{.name = "alpha-half", .make = alpha_half},
	{.name = "lossy-limit-half", .make = lossy_limit_half},
	{.name = "hysteresis-missing", .make = hysteresis_missing},
	{.name = "cell-larger", .make = cell_larger},
	{.name = "buffer-small", .make = buffer_small},
	{.name = "tail-before-xoff", .make = tail_before_xoff},
	{.name = "pause-for-lossy", .make = pause_for_lossy},
	{.name = "obeys-lossy", .make = obeys_lossy},
	{.name = "obeys-global-pause", .make = obeys_global_pause},
	{.name = "obeys-slowly", .make = obeys_slowly},
	{.name = "obeys-without-end", .make = obeys_without_end},
	{.name = "quanta-half", .make = quanta_half},
	{.name = "refresh-late", .make = refresh_late},
	{.name = "refresh-missing", .make = refresh_missing},
	{.name = "weights-swapped", .make = weights_swapped},
	{.name = "strict-missing", .make = strict_missing},
	{.name = "dscp-off-by-one", .make = dscp_off_by_one},
	{.name = "one-queue", .make = one_queue},
	{.name = "kmin-high", .make = kmin_high},
	{.name = "kmax-low", .make = kmax_low},
	{.name = "pmax-half", .make = pmax_half},
	{.name = "mark-at-enqueue", .make = mark_at_enqueue},
	{.name = "never-marks", .make = never_marks},
	{.name = "marks-after-xoff", .make = marks_after_xoff},
	{.name = "watchdog-late", .make = watchdog_late},
	{.name = "watchdog-restores-late", .make = watchdog_restores_late},
	{.name = "watchdog-forwards", .make = watchdog_forwards},
	{.name = "watchdog-missing", .make = watchdog_missing},
	{.name = "port-slow", .make = port_slow},
	{.name = NULL},
};
