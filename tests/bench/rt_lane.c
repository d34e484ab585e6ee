// SPDX-License-Identifier: BSD-3-Clause
// The turns of rt_bench's lcores, which lane 0 leads, and the processor time of a frame.
#include "rt_lane.h"

#include <errno.h>
#include <time.h>

#include <rte_cycles.h>

#define STEPS_AMONG 64 // steps between two looks at the time
#define WARM        2  // times that all frames go through first, at least
#define WARM_MOST   50 // at most, until shards have told each other where all addresses are
#define WARM_FRAMES 50000

static double thread_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
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
	stand_feed();
	rt_lcore_step(l->lc, now);
}

void lane_turn_macswap(struct lane *l)
{
	stand_feed();
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

// The lane's time outside the switch: the wires of its ports, and waiting.
static double outside_ns(const struct lane *l)
{
	uint64_t ticks = l->pace.waited;

	for (unsigned p = l->index; p < l->b->ports; p += l->b->lanes)
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
int lane_follow(void *arg)
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
		rig_must(pass == WARM_MOST ? -ETIME : 0, "the switch", "it does not stop flooding");
		before = rig_flooded(b);
		turns = 0;
		until = frames_of(l) + frames / b->lanes;
		while (frames_of(l) < until) {
			turn(l);
			rig_must(turns++ > 1000 * frames ? -ETIME : 0, "the lanes",
				"frames stand still");
		}
	} while (++pass < WARM || (rig_flooded(b) - before) * 1000 > frames);
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
	if (turn == turn_switch)
		l->steps = l->stand.queued = l->stand.between = 0;
	waited = waited_ticks(b);
	before = rig_flooded(b);
	before_marked = rig_marked(b);
	if (parts)
		part_timer->begin();
	note_all(b);
	noted(b, &from, &from_frames);
	do
		for (unsigned i = 0; i < STEPS_AMONG; i++)
			turn(l);
	while (thread_ns() - outside_ns(l) - l->ns < b->seconds * 1e9);
	note_all(b);
	noted(b, &to, &frames);
	frames -= from_frames;
	if (turn == turn_switch) {
		b->waited_percent = 100 * ticks_ns(waited_ticks(b) - waited) / (to - from);
		b->frames = frames;
	}
	if (parts)
		part_timer->end(b->part_ns, frames);
	if (turn == turn_switch && !parts) {
		b->counted += frames;
		b->flooded += rig_flooded(b) - before;
		b->marked += rig_marked(b) - before_marked;
	}
	atomic_store(&b->turn_of, NULL);
	atomic_store(&b->apart, true);
	note_all(b); // no lane has a turn any more
	return (to - from) / (double)frames;
}

double lane_run_switch(struct bench *b, bool parts)
{
	double ns;

	rig_renew(b);
	stand_wires(true);
	ns = run_turns(b, turn_switch, parts);
	rig_empty(b);
	return ns;
}

double lane_run_macswap(struct bench *b, bool fetches)
{
	double ns;

	b->macswap.fetches = fetches;
	rig_renew(b);
	stand_wires(false);
	ns = run_turns(b, lane_turn_macswap, false);
	macswap_empty(&b->macswap);
	return ns;
}
