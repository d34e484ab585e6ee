// SPDX-License-Identifier: BSD-3-Clause
// The main lcore: starts the workers, takes the recorder's turns or watches, and ends the run.
#include <errno.h>
#include <string.h>
#include <time.h>

#include <rte_cycles.h>
#include <rte_launch.h>
#include <rte_lcore.h>
#include <rte_pause.h>

#include "hang.h"
#include "nap.h"
#include "run.h"

#define START_US 200 // from now to the clock's time zero, so that all workers have started by then
#define LOOK_S   (RT_LOOK_MS * 1e-3)

static double wall_s(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec * 1e-9;
}

// Scene time 0 by the wall clock, ns since 1970.
static uint64_t begin_ns(const struct rt_clock *c)
{
	struct timespec ts;
	uint64_t tsc = rte_rdtsc(), ns;

	clock_gettime(CLOCK_REALTIME, &ts);
	ns = (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
	return c->tsc0 > tsc ? ns + rt_clock_wall(c, c->tsc0 - tsc) / PS_PER_NS
			     : ns - rt_clock_wall(c, tsc - c->tsc0) / PS_PER_NS;
}

// Answers a question for figures, on the recorder's thread.
static void give_figures(struct rt *rt, tstamp now)
{
	struct live *made;
	struct record_run run;

	if (!telemetry_figures_wanted(&rt->figures))
		return;
	rt_verdict_so_far(rt, &run, now);
	if (live_make(&made, rt->recorder.rec, &run))
		made = NULL;
	telemetry_figures_give(&rt->figures, made);
}

// The recorder's turn, on the worker of a world that may slip.
static void turn_here(struct rt_lcore *lc, tstamp now)
{
	struct rt *rt = lc->turn_arg;

	atomic_store(&rt->turn_wanted, false);
	rt_recorder_turn(&rt->recorder, now, now);
	give_figures(rt, now);
	lc->next_turn = rt_recorder_next(&rt->recorder);
}

// The recorder's turn, on a worker whose clock goes on: it stands still once, at the end of
// warm-up, for a snapshot of all lcores.
static void turn_held(struct rt_lcore *lc, tstamp now)
{
	struct rt *rt = lc->turn_arg;
	uint32_t turn = atomic_load(&lc->held) + 1;

	(void)now;
	atomic_store(&lc->held, turn);
	while (atomic_load(&rt->released) < turn && !atomic_load(&rt->quit))
		rte_pause();
	lc->next_turn = TSTAMP_NEVER;
}

static void arm(struct rt *rt)
{
	for (unsigned i = 0; i < rt->world.n_lcores; i++) {
		struct rt_lcore *lc = rt->world.lcore[i];

		lc->clock = &rt->clock;
		lc->quit = &rt->quit;
		lc->end_at = tstamp_min(lc->end_at, scene_end(rt->scene));
		lc->bell = &rt->bell;
		lc->turn = rt->slips ? turn_here : turn_held;
		lc->turn_arg = rt;
		lc->turn_wanted = rt->slips ? &rt->turn_wanted : NULL;
		lc->next_turn = rt->slips           ? rt_recorder_next(&rt->recorder)
				: rt->recorder.warm ? TSTAMP_NEVER
						    : rt->scene->warmup;
		lc->timing.slip_limit = rt->slips ? rt->tolerance : TSTAMP_NEVER;
	}
}

static bool all(const struct rt *rt, bool (*is)(const struct rt_lcore *))
{
	for (unsigned i = 0; i < rt->world.n_lcores; i++)
		if (!is(rt->world.lcore[i]))
			return false;
	return true;
}

static bool is_done(const struct rt_lcore *lc)
{
	return atomic_load(&lc->done);
}

static bool is_held(const struct rt_lcore *lc)
{
	return atomic_load(&lc->held) > 0;
}

static tstamp world_now(const struct rt *rt)
{
	tstamp now = TSTAMP_NEVER;

	for (unsigned i = 0; i < rt->world.n_lcores; i++)
		now = tstamp_min(
			now, atomic_load_explicit(&rt->world.lcore[i]->now, memory_order_acquire));
	return now;
}

// The recorder's work between two sleeps, where the main lcore is its thread.
static void attend(struct rt *rt, tstamp now)
{
	struct rt_recorder *r = &rt->recorder;

	if (r->warm || now < r->warmup) {
		rt_recorder_turn(r, now, now);
	} else if (all(rt, is_held)) {
		rt_recorder_turn(r, now, now);
		atomic_store(&rt->released, 1);
	}
	give_figures(rt, now);
}

static void notices(struct rt *rt)
{
	char line[300];

	for (unsigned i = 0; i < rt->n_dev; i++)
		while (dev_notice(&rt->dev[i], line, sizeof(line)))
			rt_say(rt, "%s", line);
}

// The main lcore's look at the loops. True: one hangs, and the run has ended.
static bool look_at_loops(struct rt *rt, double *looked)
{
	double now = wall_s();
	struct rt_lcore *lc = rt_hang_look(rt, (uint64_t)((now - *looked) * 1e9));

	*looked = now;
	if (lc)
		rt_hang_end(rt, lc);
	return lc;
}

static void look_at_devices(struct rt *rt)
{
	rt->looks_often = false;
	for (unsigned i = 0; i < rt->n_dev; i++)
		rt->looks_often |= dev_look(&rt->dev[i]);
}

static int news_of_links(const struct rt *rt)
{
	return rt->carrier.watch ? watch_news(rt->carrier.watch) : -1;
}

// The user wants the run to end. With queue pairs their messages end first. True: it ends now.
static bool is_stopped(struct rt *rt, const atomic_bool **soft)
{
	const struct rt_opts *o = rt->opts;
	bool over = rt_quiesce_turn(rt);

	if (*soft && **soft) {
		*soft = NULL;
		rt->interrupted = true;
		rt_say(rt,
			"interrupted: senders finish their messages, at most %g s; "
			"once more ends at once",
			(double)o->quiesce / PS_PER_S);
		rt_quiesce_begin(rt, false, o->quiesce);
	}
	rt->quiesce.ended |= over && !rt->interrupted;
	return over || (o->stop && *o->stop);
}

static const atomic_bool *soften(const struct rt *rt, bool on)
{
	const struct rt_opts *o = rt->opts;

	return o->soften && o->quiesce && rt->scene->n_flows ? o->soften(on) : NULL;
}

static bool is_alone(const struct rt *rt, bool for_good)
{
	return rt->scene->until_alone && net_reaches_nobody(rt->world.net, for_good);
}

static void watch(struct rt *rt)
{
	const atomic_bool *soft = soften(rt, true);
	const struct rt_opts *o = rt->opts;
	struct live_progress last = {0};
	double shown = wall_s(), looked = shown;
	tstamp replayed = TSTAMP_NEVER;

	while (!all(rt, is_done)) {
		tstamp now = world_now(rt);
		uint64_t nap;

		if (!rt->slips)
			attend(rt, now);
		else if (atomic_load(&rt->figures.wanted) || rt_taps_any(&rt->recorder.taps))
			atomic_store(&rt->turn_wanted, true);
		look_at_devices(rt);
		rt_carrier_watch(rt, now);
		if (parts_watch(&rt->parts, rt->recorder.warm, rt->run.link_loss,
			    sizeof(rt->run.link_loss)))
			atomic_store(&rt->quit, true);
		if (is_stopped(rt, &soft) || rt->world.net->crashed ||
			net_ends_after_replay(rt->world.net, now, &replayed) ||
			is_alone(rt, true) || rt_lab_turn(rt))
			atomic_store(&rt->quit, true);
		if (o->progress && wall_s() - shown >= 1.0) {
			shown = wall_s();
			live_progress(rt->recorder.rec, now, &last);
			o->progress(o->arg, &last);
		}
		if (wall_s() - looked >= LOOK_S) {
			if (look_at_loops(rt, &looked))
				return;
			notices(rt);
		}
		nap = rt_nap_ns(rt, now);
		if (nap)
			rt_bell_wait(&rt->bell, news_of_links(rt), nap);
	}
}

static void open_control(struct rt *rt)
{
	const struct control_run run = {.world = &rt->world,
		.scene = rt->scene,
		.record = rt->recorder.rec,
		.allow_storm = rt->opts->allow_storm,
		.stream = &rt->capture};
	struct err err;

	rt->capture =
		(struct control_stream){"capture", rt_taps_ask, rt_taps_begin, &rt->recorder.taps};
	if (rt->has_runtime && control_open(&rt->control, &run, &err))
		rt_say(rt, "nobody can change this run while it goes on: %s", err.text);
}

// The instant up to which the scenario, or an order to stop, has let the lcores run.
static tstamp end_of(const struct rt *rt)
{
	tstamp end = TSTAMP_NEVER;

	for (unsigned i = 0; i < rt->world.n_lcores; i++)
		end = tstamp_min(end, rt->world.lcore[i]->end_at);
	return end;
}

// Starts the loops, or none of them.
static int launch(struct rt *rt, struct err *err)
{
	int rc;

	for (unsigned i = 0; i < rt->world.n_lcores; i++) {
		rc = rte_eal_remote_launch(
			rt_lcore_run, rt->world.lcore[i], rt->world.lcore[i]->id);
		if (rc) {
			atomic_store(&rt->quit, true);
			rte_eal_mp_wait_lcore();
			return err_set(err, rc, "lcore %u does not start", rt->world.lcore[i]->id);
		}
	}
	return 0;
}

int rt_main(struct rt *rt, struct err *err)
{
	struct record_run *run = &rt->run;
	int rc = rt_bell_open(&rt->bell);

	if (rc)
		return err_set(
			err, rc, "no descriptor to wake the main lcore by: %s", strerror(-rc));
	if (!rt->scene->warmup)
		rt_recorder_turn(&rt->recorder, 0, 0);
	arm(rt);
	for (unsigned i = 0; i < rt->n_dev; i++)
		dev_begin(&rt->dev[i]);
	rt->clock.tsc0 = parts_start(&rt->parts, rt->recorder.warm);
	const double wall = wall_s();

	rt->begin = rt_instant_get();
	if (!rt->clock.tsc0)
		rt->clock.tsc0 = rte_rdtsc() + rte_get_tsc_hz() / 1000000 * START_US;
	rt->recorder.taps.begin_ns = begin_ns(&rt->clock);
	rc = record_begin(rt->recorder.rec, rt->recorder.taps.begin_ns, err);
	if (!rc)
		rc = launch(rt, err);
	if (rc)
		return rc;
	telemetry_open(&(struct telemetry_run){.world = &rt->world,
		.instance = rt->opts->instance ? rt->opts->instance : rt->scene->name,
		.dilate = rt->clock.dilate,
		.figures = &rt->figures,
		.bell = &rt->bell});
	open_control(rt);
	rc = rt_lab_begin(rt, err);
	if (rc)
		atomic_store(&rt->quit, true);
	watch(rt);
	soften(rt, false);
	notices(rt);
	if (!rt->hung) {
		rte_eal_mp_wait_lcore();
		rt_quiesce_end(rt);
		parts_end(&rt->parts);
	}
	rt_lab_end(rt);
	telemetry_close();
	control_close(rt->control);
	run->done = control_done(rt->control, &run->n_done);
	rt->end = rt_instant_get();
	run->end = world_now(rt);
	run->alone = is_alone(rt, false);
	run->interrupted = run->end < end_of(rt) && !rt->quiesce.ended && !rt->world.net->crashed &&
			   !rt->hung && !*run->link_loss &&
			   !(rt->scene->until_replayed && net_replayed(rt->world.net)) &&
			   !is_alone(rt, true) && !rt_lab_is_done(rt);
	run->wall_s = wall_s() - wall;
	rt_recorder_turn(&rt->recorder, run->end, run->end);
	rt_taps_end(&rt->recorder.taps, run->end);
	return rc;
}
