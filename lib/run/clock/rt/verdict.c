// SPDX-License-Identifier: BSD-3-Clause
// How a run in real time went: gaps, losses of the instrument itself, and whether its timing held.
#include <math.h>
#include <stdlib.h>

#include "run.h"
#include "plan/plan.h"
#include "text/text.h"

#define OVER_MAX  0.005 // share of the run that may lie in gaps beyond the tolerance
#define GIVEN_MAX 0.005 // share of its time that a port may have given up
#define SPAN(ps)  text_duration((char[32]){0}, 32, (double)(ps) / PS_PER_US)
#define CLOCK_PPM 100.0 // most that the clock may have run away

static struct hist *gaps_new(const struct rt *rt)
{
	struct hist *h = malloc(sizeof(*h));

	if (!h)
		return NULL;
	hist_init(h);
	for (unsigned i = 0; i < rt->world.n_lcores; i++)
		hist_merge(h, &rt->world.lcore[i]->timing.gap);
	return h;
}

// Wire time that a port gave up; 0 of a replay's, which has no serializer.
static tstamp lost_at(const struct net_node *n, unsigned port)
{
	if (n->kind == SCENE_SW)
		return sw_eport(n->u.sw, port)->lost_ps;
	return n->kind == SCENE_NIC ? nic_eport(n->u.nic)->lost_ps : 0;
}

// The time that all ports gave up, and the port that gave up most; for shapers, the port that did.
struct given_up {
	tstamp all, most, shaped;
	const char *port, *shaper;
};

static void add_shaper(struct given_up *g, const struct net_node *n, unsigned port)
{
	tstamp lost = n->kind == SCENE_SW    ? sw_shaper_lost(n->u.sw, port)
		      : n->kind == SCENE_NIC ? nic_shaper_lost(n->u.nic)
					     : 0;

	if (lost <= g->shaped)
		return;
	g->shaped = lost;
	g->shaper = n->scene->port[port].name;
}

// Time that a port gave up while its device took no more frames is the device's fault.
static struct given_up given_up(const struct rt *rt)
{
	const struct net *net = rt->world.net;
	struct given_up g = {0};

	for (unsigned i = 0; i < net->n_nodes; i++)
		for (unsigned p = 0; p < net_node(net, i)->scene->n_ports; p++) {
			const struct rt_end *e = rt_world_end(&rt->world, i, p);
			tstamp lost = lost_at(net_node(net, i), p);
			tstamp ours = tstamp_since(lost, e->dev ? e->refused_ps : 0);

			add_shaper(&g, net_node(net, i), p);
			g.all += lost;
			if (ours <= g.most)
				continue;
			g.most = ours;
			g.port = net_node(net, i)->scene->port[p].name;
		}
	return g;
}

// The port whose headroom dropped most; NULL: none did.
static const struct scene_port *overrun(const struct net *net)
{
	const struct scene_port *port = NULL;
	uint64_t most = 0;

	for (unsigned i = 0; i < net->n_nodes; i++)
		for (unsigned p = 0;
			net_node(net, i)->kind == SCENE_SW && p < net_node(net, i)->scene->n_ports;
			p++) {
			uint64_t n =
				sw_port_stats(net_node(net, i)->u.sw, p).drop[SW_DROP_HEADROOM];

			if (n > most)
				port = &net_node(net, i)->scene->port[p];
			most = n > most ? n : most;
		}
	return port;
}

// The advice for loops that come too late: the time of a scene in memory, or of all its parts, may
// pass more slowly.
static const char *remedy(const struct rt *rt)
{
	return rt_own_pace(rt->scene) ? "`quench ports` says what this machine lacks"
				      : "a larger --dilate gives loops more time";
}

// Words for a broken timing, or none. Where the clock may slip, it waits for late loops, so these
// break nothing. But a loop still moves the scene on by up to the tolerance. A shaper may hold less
// than passes in that time, a port may want to send more frames than a loop gives it, and headroom
// may be too small, because an XOFF that one loop sends is obeyed in a later one. `ppm` is the
// clock's error; 0 while the run goes on.
static void judge_timing(const struct rt *rt, struct record_run *run, tstamp over, double ppm)
{
	tstamp timer = rt_plan_shortest_timer(rt->scene) / 2;
	double late = run->end ? (double)over / (double)run->end / rt->world.n_lcores : 0;
	bool waits = rt->slips;
	struct given_up given = given_up(rt);
	const struct scene_port *full =
		run->loop_gap_max_ps > rt->tolerance ? overrun(rt->world.net) : NULL;
	char *text = run->timing_text;
	size_t size = sizeof(run->timing_text);

	run->timing_broken = true;
	if (ppm > CLOCK_PPM || ppm < -CLOCK_PPM)
		snprintf(text, size, "the clock ran %.0f ppm from its calibration", ppm);
	else if ((double)given.shaped > GIVEN_MAX * (double)run->end)
		snprintf(text, size,
			"the shaper of %s gave up %.1f %% of its time: "
			"loops come later than its bucket makes up for",
			given.shaper, 100 * (double)given.shaped / (double)run->end);
	else if (!waits && run->loop_gap_p99_ps > timer)
		snprintf(text, size,
			"one loop in a hundred takes %s or more, the shortest timer is %s; %s",
			SPAN(run->loop_gap_p99_ps), SPAN(2 * timer), remedy(rt));
	else if (!waits && run->loop_gap_p99_ps > rt->tolerance)
		snprintf(text, size,
			"one loop in a hundred takes %s or more, the serializers make up for %s; "
			"%s",
			SPAN(run->loop_gap_p99_ps), SPAN(rt->tolerance), remedy(rt));
	else if (!waits && late > OVER_MAX)
		snprintf(text, size, "%.1f %% of the time was lost in loops of up to %s; %s",
			fmin(late, 1) * 100, // the last one may have gone beyond the end
			SPAN(run->loop_gap_max_ps), remedy(rt));
	else if ((double)given.most > GIVEN_MAX * (double)run->end)
		snprintf(text, size,
			"%s gave up %.1f %% of its wire time, for loops came too late or took too "
			"few frames",
			given.port, 100 * (double)given.most / (double)run->end);
	else if (full && waits)
		snprintf(text, size,
			"headroom drops, and loops that took %s of scene time each, in which "
			"senders obey no XOFF",
			SPAN(rt->tolerance));
	else if (full)
		snprintf(text, size,
			"headroom drops at %s, and loops of up to %s, while its headroom allows "
			"for %s (late_loop)",
			full->name, SPAN(run->loop_gap_max_ps), SPAN(full->late_loop));
	else
		run->timing_broken = false;
}

// Adds the frames that wait at one end of a device, or were refused there to the end; lanes have an
// end each.
static void add_end(struct record_device *d, const struct rt_end *e)
{
	d->unsent += e->unsent + e->n_stash;
	d->refused_ps = tstamp_max(d->refused_ps, e->refused_ps);
	d->no_room += e->overrun;
}

// The losses of the devices, as of the last time that each was read.
static void devices(const struct rt *rt, struct record_run *run)
{
	run->process = rt->parts.m.p.nonce;
	run->hellos_signed = rt->opts->parts_key != NULL;
	run->device = rt->device;
	run->n_devices = rt->n_dev;
	for (unsigned i = 0; i < rt->n_dev; i++) {
		struct record_device *d = &rt->device[i];
		const struct rt_end *e;

		*d = rt->dev[i].lost;
		e = rt_world_end(&rt->world, d->node, d->port);
		d->unsent = rt->dev[i].unsent;
		parts_peer(&rt->parts, &rt->dev[i], d);
		add_end(d, e);
		for (unsigned k = 1; k < e->n_lanes; k++)
			add_end(d, e->lane[k]);
		run->imissed += d->ring_full + d->no_descriptor;
		run->rx_nombuf += d->no_mbuf;
		run->ring_drops += d->unfit + d->no_room;
	}
}

// Gaps and losses of the instrument; returns the time in gaps beyond the tolerance.
static tstamp gaps_and_losses(const struct rt *rt, struct record_run *run)
{
	struct hist *h = gaps_new(rt);
	tstamp over = 0;

	run->packet_hops = 0;
	for (unsigned i = 0; i < rt->world.n_lcores; i++) {
		const struct rt_lcore *lc = rt->world.lcore[i];

		run->packet_hops += lc->hops;
		over += lc->timing.over;
	}
	if (h) {
		run->loop_gap_p50_ps = hist_quantile(h, 500);
		run->loop_gap_p99_ps = hist_quantile(h, 990);
		run->loop_gap_p9999_ps = hist_part(h, 9999, 10000);
		run->loop_gap_max_ps = h->n ? h->max : 0;
	}
	free(h);
	devices(rt, run);
	parts_bounds(&rt->parts, rt->recorder.rec);
	run->lost_tx_ps = given_up(rt).all;
	run->events_lost = rt_recorder_lost(&rt->recorder);
	run->captures_lost = rt_recorder_unseen(&rt->recorder);
	run->taps_lost = rt_taps_lost(&rt->recorder.taps);
	return over;
}

void rt_verdict_so_far(const struct rt *rt, struct record_run *run, tstamp now)
{
	*run = (struct record_run){.clock = "real", .end = now, .dilate = rt->clock.dilate};
	for (unsigned i = 0; i < rt->n_dev; i++)
		dev_take(&rt->dev[i]);
	judge_timing(rt, run, gaps_and_losses(rt, run), 0);
}

// Counts frames that other shards had read for a port and that the port's own shard had not taken
// yet.
static void count_handing(const struct rt *rt)
{
	for (unsigned i = 0; i < rt->n_dev; i++) {
		struct record_device *d = &rt->device[i];

		if (rt->dev[i].port->rx_queues > 1)
			d->unread += sw_rx_handing(net_node(rt->world.net, d->node)->u.sw, d->port);
	}
}

void rt_verdict(struct rt *rt)
{
	struct record_run *run = &rt->run;
	tstamp over = gaps_and_losses(rt, run), slipped = 0;
	uint64_t slips = 0;

	for (unsigned i = 0; i < rt->world.n_lcores; i++) {
		const struct rt_lcore *lc = rt->world.lcore[i];

		slips += lc->timing.slips;
		slipped += lc->timing.slipped;
	}
	count_handing(rt);
	judge_timing(rt, run, over, rt_clock_error_ppm(&rt->clock, &rt->begin, &rt->end));
	if (slips)
		rt_say(rt,
			"clock slipped: %lu times it waited for a late loop, %s of scene time in "
			"all; the longest loop took %s of it, and the scene saw no more than %s "
			"of each",
			(unsigned long)slips, SPAN(slipped), SPAN(run->loop_gap_max_ps),
			SPAN(rt->tolerance));
}
