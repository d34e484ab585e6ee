// SPDX-License-Identifier: BSD-3-Clause
// Curves over time, from the samples of a run: a queue's length, a group's goodput.
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "int.h"

#define STEPS   200      // of a curve at most: more of them hide each other
#define PERIODS 10000000 // of a run at most

// A curve over time while samples are read.
struct course {
	struct overlay *o;
	struct overlay_run *r;
	const char *name; // of the queue or the group
	json_t *flows;    // the members of the group; NULL: a queue is taken
	signed char *is;  // by number of an object: 1 it belongs to it, -1 it does not, 0 not known
	unsigned room_is;
	tstamp period;
	double *sum;    // by period; one without a line has 0: nothing was in use yet
	size_t n, last; // periods there may be; those that there are
	size_t each;    // that are one step
	bool seen;      // a sample was taken
};

// The queue of the bottleneck's port that was longest.
static const char *bottleneck_queue(struct overlay *o, const struct overlay_run *r)
{
	const json_t *all = saved_summary(r->s), *one, *best = NULL;
	const char *port = saved_text(all, "bottleneck");
	size_t i;

	json_array_foreach(json_object_get(all, "queues"), i, one)
	{
		if (strcmp(saved_text(one, "port"), port) != 0)
			continue;
		if (!best || saved_number(one, "max_bytes") > saved_number(best, "max_bytes"))
			best = one;
	}
	return best ? arena_format(&o->arena, "%s.%.0f", port, saved_number(best, "class")) : NULL;
}

// The flows of a group, by their names.
static json_t *members(const struct overlay_run *r, const char *group)
{
	const json_t *one;
	json_t *names = json_object();
	size_t i;

	json_array_foreach(json_object_get(saved_summary(r->s), "flows"), i, one)
	{
		if (strcmp(saved_text(one, "group"), group) == 0)
			json_object_set_new(names, saved_text(one, "flow_name"), json_true());
	}
	return names;
}

static bool belongs(struct course *c, const struct saved_sample *v)
{
	const char *name = saved_line(c->r->s, v->object);

	if (v->kind != (c->flows ? SAVED_FLOW : SAVED_QUEUE))
		return false;
	if (v->object >= c->room_is) {
		unsigned room = 2 * v->object + 64;
		signed char *more = realloc(c->is, room);

		if (!more)
			return false;
		memset(more + c->room_is, 0, room - c->room_is);
		c->is = more;
		c->room_is = room;
	}
	if (!c->is[v->object])
		c->is[v->object] = (c->flows ? json_object_get(c->flows, name) != NULL
					     : strcmp(name, c->name) == 0)
					   ? 1
					   : -1;
	return c->is[v->object] > 0;
}

// The length of a period, ps: as the scenario says, else the instant of the first sample.
static tstamp period_of(const struct overlay_run *r, tstamp first)
{
	const json_t *resolved = json_object_get(saved_manifest(r->s), "resolved");
	uint64_t ps;

	if (units_parse(UNITS_TIME, saved_text(resolved, "sample"), &ps) == UNITS_OK && ps)
		return ps;
	return first ? first : 1;
}

// Room for all periods up to the end of the run, which may have been planned longer than it went
// on.
static int find_periods(struct course *c, tstamp first, struct err *err)
{
	double planned = saved_number(saved_manifest(c->r->s), "duration_us") * PS_PER_US;
	double end = fmax(planned, (double)saved_end(c->r->s));

	c->period = period_of(c->r, first);
	if (!(end / (double)c->period < PERIODS))
		return overlay_lacks(c->r, err, "it has more than %d sampling periods", PERIODS);
	c->n = (size_t)fmax(ceil(end / (double)c->period - 1e-6), 1);
	c->each = (c->n + STEPS - 1) / STEPS;
	c->sum = calloc(c->n, sizeof(*c->sum));
	return c->sum ? 0 : overlay_lacks(c->r, err, "no memory for its samples");
}

// Adds a sample to the sum of its period.
static void take_sample(struct course *c, const struct saved_sample *v)
{
	size_t at = (size_t)llround((double)v->t / (double)c->period);
	double mean = v->value[SAVED_QLEN_MEAN], value = v->value[SAVED_GOODPUT_GBPS];

	if (!at || at > c->n)
		return;
	c->last = at > c->last ? at : c->last;
	if (!belongs(c, v))
		return;
	c->seen = true;
	if (!c->flows)
		value = isfinite(mean) ? mean : v->value[SAVED_QLEN];
	c->sum[at - 1] += isfinite(value) ? value : 0;
}

// Joins periods to at most STEPS steps, whose values are their means.
static int join_periods(struct course *c, struct err *err)
{
	int rc = overlay_room(c->o, c->r, c->n, err);

	for (size_t i = 0; !rc && i < c->last; i += c->each) {
		struct overlay_point *p = &c->r->curve.point[c->r->curve.n++];
		size_t end = i + c->each < c->last ? i + c->each : c->last;

		*p = (struct overlay_point){.key = (double)(i / c->each),
			.x = (double)(end * c->period) / PS_PER_US,
			.half = NAN};
		for (size_t k = i; k < end; k++)
			p->y += c->sum[k] / (double)(end - i);
	}
	c->o->step_us = fmax(c->o->step_us, (double)(c->each * c->period) / PS_PER_US);
	return rc;
}

static int read_course(struct course *c, struct err *err)
{
	const struct saved_sample *v;

	if (!saved_series(c->r->s))
		return overlay_lacks(c->r, err, "it has no samples over time (timeseries.csv)");
	while ((v = saved_sample(c->r->s)) != NULL) {
		int rc = c->sum ? 0 : find_periods(c, v->t, err);

		if (rc)
			return rc;
		take_sample(c, v);
	}
	if (!c->seen && c->flows)
		return overlay_lacks(c->r, err,
			"timeseries.csv has no line of a flow of group %s "
			"(--record flows=all)",
			c->name);
	if (!c->seen)
		return overlay_lacks(c->r, err, "timeseries.csv has no queue %s", c->name);
	return join_periods(c, err);
}

// Whether samples were taken of some flows only.
static bool has_some_flows(const struct overlay_run *r)
{
	const json_t *resolved = json_object_get(saved_manifest(r->s), "resolved");
	const char *flows = saved_text(json_object_get(resolved, "record"), "flows");

	return strncmp(flows, "one", 3) == 0 || strncmp(flows, "top", 3) == 0;
}

int overlay_course(struct overlay *o, struct overlay_run *r, struct err *err)
{
	bool queue = o->want.figure == OVERLAY_QUEUE;
	struct course c = {.o = o, .r = r};
	int rc;

	if (queue) {
		o->queue = o->want.queue ? o->want.queue
			   : o->queue    ? o->queue
					 : bottleneck_queue(o, r);
		c.name = o->queue;
	} else {
		c.name = overlay_group(o, r);
	}
	if (!c.name && queue)
		return overlay_lacks(r, err, "it has no bottleneck; name a queue by --queue");
	if (!c.name)
		return overlay_lacks(
			r, err, "it has no group %s", o->want.group ? o->want.group : "of flows");
	if (!queue && has_some_flows(r))
		return overlay_lacks(r, err,
			"timeseries.csv has some flows only; run it with --record flows=all");
	c.flows = queue ? NULL : members(r, c.name);
	rc = read_course(&c, err);
	json_decref(c.flows);
	free(c.sum);
	free(c.is);
	return rc;
}
