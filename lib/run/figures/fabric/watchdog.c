// SPDX-License-Identifier: BSD-3-Clause
// Queues that stood still: the PFC watchdog, and deadlocks.
#include <errno.h>
#include <math.h>

#include "int.h"

struct wd {
	const char *port;
	unsigned cls;
	struct sw_wd_stats w;
	bool storm; // at the end
};

static int make_wds(struct summary *s, struct set *to)
{
	const struct record *r = s->rec;
	unsigned n = 0;

	for (unsigned i = 0; i < r->n_queues; i++)
		n += r->queue[i].wd != NULL;
	if (set_room(to, &kind_wd, n))
		return -ENOMEM;
	for (unsigned i = 0; i < r->n_queues; i++) {
		const struct rec_queue *q = &r->queue[i];
		struct wd *w;

		if (!q->wd)
			continue;
		w = set_add(to);
		w->port = q->port->scene->name;
		w->cls = q->cls;
		w->storm = q->wd->storms > q->wd->restored;
		stat_diff(&sw_wd_stat_table, &w->w, q->wd, &q->warm->wd);
	}
	return 0;
}

#define WD(field, name, unit, ...) ROW_COUNT(struct wd, w.field, name, unit, __VA_ARGS__)

static const struct figure wd_figures[] = {
	ROW_TEXT(struct wd, port, "port", "its port"),
	ROW_ID(struct wd, cls, "class", "its class"),
	ROW_BOOL(struct wd, storm, "storm", "whether a storm goes on at the end of the run"),
	WD(storms, "storms", "events", "storms detected"),
	WD(restored, "restored", "events", "storms that are over"),
	ROW_TIME_US(struct wd, w.storm_ps, "storm_us", 6,
		"length of the storms that are over, from detection to restoration"),
	WD(tx_dropped_frames, "tx_dropped_frames", "frames",
		"frames in the queue when the storm began, frames of it that a device had "
		"refused, and frames for it until its end"),
	WD(rx_dropped_frames, "rx_dropped_frames", "frames",
		"frames of the queue's class that came in by its port meanwhile"),
};

static bool is_watched(const struct scene_node *n, unsigned port, unsigned cls)
{
	return n->kind == SCENE_SW && n->u.sw.port[port].wd_classes >> cls & 1;
}

static void could_wds(struct kind_look *l)
{
	look_classes(l, is_watched);
}

const struct kind kind_wd = {
	.key = "pfc_watchdog",
	.path = "wd",
	.title = "PFC watchdog",
	.about = "Each egress queue that is watched.",
	.example = "s1:r.3",
	.if_any = true,
	.size = sizeof(struct wd),
	KIND_FIGURES(wd_figures),
	.make = make_wds,
	.name_at = offsetof(struct wd, port),
	.number_at = offsetof(struct wd, cls),
	.could = could_wds,
};

struct dead {
	const struct deadlock *d;
	unsigned number, cls;
	double since_us, seen_us, until_us;
	uint64_t stuck, queues;
};

static int make_deadlocks(struct summary *s, struct set *to)
{
	const struct deadlocks *all = &s->rec->dead;

	if (set_room(to, &kind_deadlock, all->n))
		return -ENOMEM;
	for (unsigned i = 0; i < all->n; i++) {
		const struct deadlock *d = &all->d[i];

		*(struct dead *)set_add(to) = (struct dead){
			.d = d,
			.number = i,
			.cls = d->cls,
			.since_us = (double)d->since / 1e6,
			.seen_us = (double)d->seen / 1e6,
			.until_us = d->until == TSTAMP_NEVER ? NAN : (double)d->until / 1e6,
			.stuck = d->stuck,
			.queues = d->n,
		};
	}
	return 0;
}

// The name is a number, in the order in which deadlocks were found.
static const char *dead_name(const void *object, char *buf)
{
	snprintf(buf, KIND_NAME, "%u", ((const struct dead *)object)->number);
	return buf;
}

static void put_loop_ports(
	struct jw *w, const struct summary *s, const void *object, const char *key)
{
	const struct deadlock *d = ((const struct dead *)object)->d;

	jw_array(w, key, true);
	for (unsigned i = 0; i < d->n; i++)
		jw_str(w, NULL, s->rec->scene->node[d->queue[i].node].port[d->queue[i].port].name);
	jw_end(w);
}

static const struct figure_list ports = {
	put_loop_ports, "{\"type\": \"array\", \"items\": {\"type\": \"string\"}}"};

static const struct figure dead_figures[] = {
	ROW_ID(struct dead, cls, "class", "the class of its queues"),
	ROW_VALUE(struct dead, since_us, "since_us", "us", 6,
		"begin of the pause that closed the cycle"),
	ROW_VALUE(struct dead, seen_us, "seen_us", "us", 6, "instant of the sample that found it"),
	ROW_VALUE(struct dead, until_us, "until_us", "us", 6,
		"instant of the sample that found it gone (a watchdog acted, a link went down, a "
		"pause ran out); `null`: it lasts"),
	ROW_COUNT(struct dead, queues, "queues", "", "queues of the cycle"),
	ROW_COUNT(struct dead, stuck, "stuck_queues", "",
		"queues that could not go on when it was seen, those too that only wait for the "
		"cycle"),
	ROW_LIST(&ports, "ports",
		"its egress queues in their order: each is paused from the switch at the other "
		"end of its link, and the last waits for the first"),
};

// No more than queues.
static void could_deadlocks(struct kind_look *l)
{
	unsigned most = 0;

	for (unsigned i = 0; i < l->s->n_nodes; i++)
		most += l->s->node[i].kind == SCENE_SW ? l->s->node[i].n_ports * PKT_CLASSES : 0;
	look_numbers(l, most);
}

const struct kind kind_deadlock = {
	.key = "deadlocks",
	.path = "deadlock",
	.title = "Deadlocks",
	.about = "Each cyclic buffer dependency, by its number from 0.",
	.example = "0",
	.if_any = true,
	.size = sizeof(struct dead),
	KIND_FIGURES(dead_figures),
	.make = make_deadlocks,
	.name = dead_name,
	.could = could_deadlocks,
};
