// SPDX-License-Identifier: BSD-3-Clause
// Steps of an experiment on the real clock: orders, waits, and how well the instrument did.
#include "lab.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "lab/lab.h"
#include "run.h"

// Wall time from the order of a step to the instant from which its lists count. Some loops are
// added.
#define LEAD       (2 * PS_PER_MS)
#define LEAD_LOOPS 4
#define ANSWER_MS  2000            // within which lcores must take an order
#define LOOK_NS    100000          // between two looks at a step
#define TRIES      100             // for an order while another thread gives one
#define LONGEST    (60 * PS_PER_S) // of a step that does not say
#define SINGLE     20              // usual gaps that a single one may take

struct bench {
	struct lab lab;
	struct rt *rt;
	struct lab_book book;
	struct hist_early *gaps[TESTER_PORTS]; // of the lcore of each port, as the step began
	bool lent;                             // a loop that does not answer may still use the step
};

static void nap(void)
{
	nanosleep(&(struct timespec){.tv_nsec = LOOK_NS}, NULL);
}

static struct rt_lcore *lcore_of(const struct bench *b, unsigned port)
{
	const struct rt *rt = b->rt;

	return rt->world.lcore[rt_world_lcore(&rt->world, rt->scene->tester[port], 0)];
}

static struct rt_end *end_of(const struct bench *b, unsigned port)
{
	return rt_world_end(&b->rt->world, b->rt->scene->tester[port], 0);
}

// The scene time that all lcores with testers have come to.
static tstamp now_of(const struct bench *b)
{
	tstamp now = TSTAMP_NEVER;

	for (unsigned p = 0; p < b->book.ports; p++)
		now = tstamp_min(
			now, atomic_load_explicit(&lcore_of(b, p)->now, memory_order_acquire));
	return now;
}

static bool is_ended(const struct bench *b)
{
	const atomic_bool *stop = b->rt->opts->stop;

	return atomic_load(&b->rt->quit) || (stop && *stop);
}

// Why the run has ended before the step was over.
static int ended(const struct bench *b, const char *name, struct err *err)
{
	const struct rt *rt = b->rt;

	if (now_of(b) >= scene_end(rt->scene))
		return err_set(
			err, -ETIME, "%s: the scenario's duration is over; make it longer", name);
	if (*rt->run.link_loss)
		return err_set(err, -ENETDOWN, "%s: a link has been lost", name);
	return -EINTR;
}

// Gives all testers a command.
static int order(struct bench *b, bool begins, const char *name, struct err *err)
{
	struct rt_order_cmd cmd[TESTER_PORTS];
	struct rt_order *o;
	int rc = -EBUSY;

	for (unsigned p = 0; p < b->book.ports; p++)
		cmd[p] = (struct rt_order_cmd){b->rt->scene->tester[p],
			{.type = CTL_TESTER, .with = begins ? &b->book.step[p] : NULL}};
	o = rt_order_new(&b->rt->world, cmd, b->book.ports);
	if (!o)
		return err_set(err, -ENOMEM, "%s: no memory for an order", name);
	for (unsigned i = 0; rc == -EBUSY && i < TRIES; i++) {
		rc = rt_order_give(o, 0, ANSWER_MS);
		if (rc == -EBUSY)
			nap();
	}
	for (unsigned p = 0; !rc && p < b->book.ports; p++) {
		struct rt_order_result r = {0};

		if (rt_order_result(o, p, 0, &r) && r.rc)
			rc = err_set(err, r.rc, "%s: %s cannot send its list", name,
				b->lab.port[p].name);
	}
	if (rc == -EINPROGRESS) // an lcore still has it
		return err_set(err, rc, "%s: a loop does not answer", name);
	rt_order_free(o);
	if (rc == -ESHUTDOWN)
		return ended(b, name, err);
	return rc == -ETIMEDOUT || rc == -EBUSY
		       ? err_set(err, rc, "%s: a loop does not answer", name)
		       : rc;
}

// Whether the link of a tester's device is not up.
static bool is_down(const struct bench *b, bool *gone)
{
	bool down = false;

	for (unsigned p = 0; p < b->book.ports; p++) {
		uint8_t link = atomic_load(&end_of(b, p)->told);

		down |= end_of(b, p)->dev && link != WATCH_UP;
		*gone |= end_of(b, p)->dev && link == WATCH_GONE;
	}
	return down;
}

// Waits until all links are up, as long as the scenario waits for links.
static int await_links(const struct bench *b, const char *name, struct err *err)
{
	uint64_t looks = b->rt->scene->wait_link / PS_PER_NS / LOOK_NS;
	bool gone = false;

	while (is_down(b, &gone)) {
		if (is_ended(b))
			return ended(b, name, err);
		if (gone || !looks--)
			return err_set(err, -ENETDOWN, "%s: a link is down for good", name);
		nap();
	}
	return 0;
}

// Waits for the end of a step that began at `began`.
static int await_end(struct bench *b, const struct lab_step *step, tstamp began,
	struct lab_sight *sight, struct err *err)
{
	const tstamp last = tstamp_add(began, step->longest ? step->longest : LONGEST);
	bool gone = false;

	for (;;) {
		tstamp now = now_of(b), end = lab_book_ended(&b->book);

		sight->down = is_down(b, &gone);
		if (sight->down)
			return 0;
		if (end != TSTAMP_NEVER && now >= tstamp_max(end, began) + step->tail)
			return 0;
		if (is_ended(b) || atomic_load(&lcore_of(b, 0)->done))
			return ended(b, step->name, err);
		if (now >= last) {
			sight->cut = true;
			return 0;
		}
		nap();
	}
}

// Whether an lcore runs a tester with a lower number than `port`, too.
static bool is_counted(const struct bench *b, unsigned port)
{
	for (unsigned p = 0; p < port; p++)
		if (lcore_of(b, p) == lcore_of(b, port))
			return true;
	return false;
}

static void keep_gaps(struct bench *b)
{
	for (unsigned p = 0; p < b->book.ports; p++) {
		free(b->gaps[p]);
		b->gaps[p] = is_counted(b, p) ? NULL : hist_keep(&lcore_of(b, p)->timing.gap);
	}
}

// The gap up to which all but a thousandth of the time is spent.
static tstamp gap_by_time(const struct hist *all)
{
	const unsigned last = all->n ? hist_index(all->max) : 0;
	double whole = 0, above = 0;

	for (unsigned i = 0; i <= last; i++)
		whole += (double)hist_lower(i + 1) * (double)all->bucket[i];
	for (unsigned i = last; i > 0; i--) {
		above += (double)hist_lower(i + 1) * (double)all->bucket[i];
		if (above > whole / 1000)
			return tstamp_min(hist_lower(i + 1), all->max);
	}
	return 0;
}

// The usual gap. Where loops are interrupted, a few gaps take much of the time, and a wait meets
// them although nearly all loops are short: these are SINGLE times the result at most.
static tstamp usual_gap(const struct hist *all)
{
	return tstamp_max(hist_quantile(all, 990), gap_by_time(all) / SINGLE);
}

// The gaps of the lcores that run testers; `since`: since the step began. A clock that slips goes
// on by no more than its tolerance in a gap.
static void read_gaps(const struct bench *b, bool since, tstamp *p99, tstamp *longest)
{
	struct hist *one = calloc(2, sizeof(*one)), *all = one + 1;
	tstamp most = b->rt->slips ? b->rt->tolerance : TSTAMP_NEVER;

	*p99 = *longest = 0;
	if (!one)
		return;
	hist_init(all);
	for (unsigned p = 0; p < b->book.ports; p++) {
		if (is_counted(b, p))
			continue;
		hist_look(one, &lcore_of(b, p)->timing.gap, UINT64_MAX);
		if (since && b->gaps[p])
			hist_subtract(one, b->gaps[p], UINT64_MAX);
		hist_merge(all, one);
	}
	*p99 = tstamp_min(usual_gap(all), most);
	*longest = all->n ? tstamp_min(all->max, most) : 0;
	free(one);
}

// Frames that the instrument has lost so far, which the main lcore reads.
static uint64_t lost_so_far(const struct bench *b)
{
	struct rt_lab *l = &b->rt->lab;

	if (b->rt->slips)
		return 0;
	atomic_store(&l->asks, true);
	rt_bell_ring(&b->rt->bell);
	while (atomic_load(&l->asks) && !is_ended(b))
		nap();
	return atomic_load(&l->lost);
}

static int step(struct lab *lab, const struct lab_step *s, struct lab_sight *sight, struct err *err)
{
	struct bench *b = (struct bench *)lab;
	tstamp began;
	uint64_t lost;
	int rc = await_links(b, s->name, err), rc_end;

	if (rc)
		return rc;
	lost = lost_so_far(b);
	keep_gaps(b);
	began = now_of(b) + LEAD / b->rt->clock.dilate + LEAD_LOOPS * lab->gap;
	lab_book_open(&b->book, s, lab->steps);
	for (unsigned p = 0; p < b->book.ports; p++)
		b->book.step[p].began = began;
	rc = order(b, true, s->name, err);
	if (!rc)
		rc = await_end(b, s, began, sight, err);
	sight->took = tstamp_since(now_of(b), began); // 0 if a link was lost before
	rc_end = order(b, false, s->name, rc ? &(struct err){0} : err);
	b->lent = rc_end == -ETIMEDOUT || rc_end == -EINPROGRESS;
	if (rc || rc_end)
		return rc ? rc : rc_end;
	lab_book_close(&b->book, began, sight);
	read_gaps(b, true, &sight->gap, &sight->gap_longest);
	read_gaps(b, false, &lab->gap, &lab->gap_longest);
	sight->lost = lost_so_far(b) - lost;
	return 0;
}

static void port_init(struct lab_port *to, const struct scene_node *n)
{
	const struct scene_port *p = &n->port[0];

	*to = (struct lab_port){.name = n->name, .rate = p->rate, .cable = p->delay + n->latency};
	memcpy(to->mac, n->mac, sizeof(to->mac));
}

static void *experiment(void *arg)
{
	struct rt *rt = arg;
	struct bench *b = calloc(1, sizeof(*b));
	struct rt_lab *l = &rt->lab;

	l->rc = b ? lab_book_init(&b->book, rt->scene->n_testers) : -ENOMEM;
	if (l->rc) {
		err_set(&l->err, l->rc, "no memory for the frames of an experiment");
	} else {
		b->rt = rt;
		b->lab.ports = rt->scene->n_testers;
		b->lab.step = step;
		for (unsigned p = 0; p < b->lab.ports; p++)
			port_init(&b->lab.port[p], &rt->scene->node[rt->scene->tester[p]]);
		read_gaps(b, false, &b->lab.gap, &b->lab.gap_longest);
		l->rc = rt->opts->experiment(rt->opts->experiment_arg, &b->lab, &l->err);
		for (unsigned p = 0; p < b->lab.ports; p++)
			free(b->gaps[p]);
		if (!b->lent)
			lab_book_fini(&b->book);
	}
	if (!b || !b->lent)
		free(b);
	atomic_store(&l->over, true);
	rt_bell_ring(&rt->bell);
	return NULL;
}

int rt_lab_begin(struct rt *rt, struct err *err)
{
	sigset_t all, before;
	int rc;

	if (!rt->opts->experiment)
		return 0;
	// Signals are for the main lcore, which waits for them.
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	rc = pthread_create(&rt->lab.thread, NULL, experiment, rt);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (rc)
		return err_set(err, -rc, "no thread for the experiment: %s", strerror(rc));
	rt->lab.runs = true;
	return 0;
}

bool rt_lab_turn(struct rt *rt)
{
	struct rt_lab *l = &rt->lab;
	struct record_run run;

	if (atomic_load(&l->asks)) {
		rt_verdict_so_far(rt, &run, 0);
		atomic_store(&l->lost, run.imissed + run.rx_nombuf + run.ring_drops);
		atomic_store(&l->asks, false);
	}
	return atomic_load(&l->over);
}

bool rt_lab_is_done(const struct rt *rt)
{
	return atomic_load(&rt->lab.over) && rt->lab.rc != -EINTR;
}

void rt_lab_end(struct rt *rt)
{
	atomic_store(&rt->quit, true);
	if (rt->lab.runs)
		pthread_join(rt->lab.thread, NULL);
	rt->lab.runs = false;
}
