// SPDX-License-Identifier: BSD-3-Clause
// Whether a run has settled (measuring.md): judged of two series, the length of the bottleneck's
// queue and the goodput of the main group.
#include <errno.h>
#include <math.h>
#include <string.h>

#include "conf/conf.h"
#include "int.h"
#include "steady.h"

#define WHY 512

// One of the two series, in the unit of its figures.
struct series {
	const char *name; // of the queue or group; NULL: there is none
	double cut_us, first, second, interval;
	char room[KIND_NAME];
};

struct steadiness {
	const char *verdict, *why; // why: NULL where the run has settled
	double warmup_us;
	bool late; // a series has no steady part
	struct series queue, goodput;
	char text[WHY];
};

// The part of a run that is judged, in intervals: from the last change of the load before the
// window on.
struct part {
	unsigned begin, window, end;
};

// Changes of the load while they are gone through: the last one by which the window has begun, and
// the first one inside it.
struct changes {
	tstamp from, to; // of the window
	tstamp before, inside;
	const char *what; // inside
};

static void see_change(struct changes *c, tstamp at, const char *what)
{
	if (at <= c->from)
		c->before = tstamp_max(c->before, at);
	else if (at < c->to && at < c->inside) {
		c->inside = at;
		c->what = what;
	}
}

// A storm ends at an instant of its own, and so do frames that are sent again and again.
static void see_event(struct changes *c, const struct scene_event *e)
{
	if (e->ctl.type == CTL_USER_MARK || e->ctl.type == CTL_STOP)
		return;
	see_change(c, e->at, "an event");
	if (e->ctl.type == CTL_PFC_STORM)
		see_change(c, e->ctl.a, "the end of an event");
	if (e->ctl.type == CTL_MAC_FRAMES)
		see_change(c, e->at + e->ctl.a * e->ctl.b, "the end of an event");
}

static void see_flow(struct changes *c, const struct rec_flow *f)
{
	const struct nic_qp_params *req = &f->scene->req;
	const struct rc_tx *rc = rec_flow_rc(f);

	see_change(c, req->start, "a flow starts");
	see_change(c, req->stop, "a flow stops");
	if (req->count && f->messages >= req->count)
		see_change(c, f->done_at, "the messages of a flow end");
	if (rc && rc->failed)
		see_change(c, c->to - 1, "a queue pair gave up");
}

static void see_source(struct changes *c, const struct rec_source *o)
{
	const struct gen_params *g = &o->scene->gen;

	see_change(c, g->start, "an open-loop source starts");
	see_change(c, g->stop, "an open-loop source stops");
	if (g->count && o->gen && o->gen->tx_frames >= g->count)
		see_change(c, c->to - 1, "an open-loop source ends");
}

static void see_job(struct changes *c, const struct rec_job *j)
{
	see_change(c, j->scene->start, "a job starts");
	if (j->ended == j->scene->iterations)
		see_change(c, j->end, "a job ends");
}

static struct changes changes_of(const struct record *r, tstamp from, tstamp to)
{
	struct changes c = {.from = from, .to = to, .inside = TSTAMP_NEVER};

	for (unsigned i = 0; i < r->scene->n_events; i++)
		see_event(&c, &r->scene->event[i]);
	for (unsigned i = 0; i < r->n_flows; i++)
		see_flow(&c, &r->flow[i]);
	for (unsigned i = 0; i < r->n_sources; i++)
		see_source(&c, &r->source[i]);
	for (unsigned i = 0; i < r->n_jobs; i++)
		see_job(&c, &r->job[i]);
	return c;
}

// What sends frames besides flows and sources, so that there is no course to settle; NULL: nothing.
static const char *other_sender(const struct scene *s)
{
	if (s->n_testers)
		return "an experiment is done";
	for (unsigned i = 0; i < s->n_nodes; i++)
		if (s->node[i].kind == SCENE_REPLAY || s->node[i].replay)
			return "a capture is sent";
	return NULL;
}

// Why the run cannot be judged; NULL: it can.
static const char *unjudged(const struct summary *s, struct part *p, char *text, size_t size)
{
	const struct record *r = s->rec;
	const struct rec_steady *st = &r->steady;
	struct changes c;

	if (s->live)
		return "the run goes on";
	if (s->run.interrupted || *s->run.crash || *s->run.link_loss)
		return "the run ended early";
	if (r->scene->part)
		return "it is a part of a scenario";
	if (other_sender(r->scene))
		return other_sender(r->scene);
	if (r->dead.n)
		return "queues were in a deadlock";
	// A change within the first interval of the window still counts as one before it.
	c = changes_of(r, s->from + st->step, st->n * st->step);
	if (c.inside != TSTAMP_NEVER) {
		snprintf(text, size, "%s at %.3f ms, inside the window", c.what,
			(double)c.inside / PS_PER_MS);
		return text;
	}
	p->end = st->n;
	p->window = (unsigned)((s->from + st->step - 1) / st->step);
	p->begin = (unsigned)(c.before / st->step);
	p->begin = p->begin < p->window ? p->begin : p->window;
	if (p->window + STEADY_LEAST <= p->end && st->takes >= STEADY_LEAST / 5)
		return NULL;
	snprintf(text, size, "the window is too short: %u of %u intervals of %.3f us",
		p->end > p->window ? p->end - p->window : 0, REC_STEADY,
		(double)st->step / PS_PER_US);
	return text;
}

// Whether a receiver of each of the group's flows is ours.
static bool group_is_ours(const struct record *r)
{
	for (unsigned i = 0; i < r->n_flows; i++)
		if (r->flow[i].group == r->steady.group && !r->flow[i].to)
			return false;
	return r->n_groups;
}

// Adds words to the reason, behind "; ".
__attribute__((format(printf, 2, 3))) static void add_why(
	struct steadiness *o, const char *fmt, ...)
{
	size_t n = strlen(o->text);
	va_list ap;

	if (n)
		n += (size_t)snprintf(o->text + n, sizeof(o->text) - n, "; ");
	va_start(ap, fmt);
	if (n < sizeof(o->text))
		vsnprintf(o->text + n, sizeof(o->text) - n, fmt, ap);
	va_end(ap);
	o->why = o->text;
}

// A series as judged. `scale`: of its values to `unit`, which is told with so many `decimals`.
struct told {
	const char *what, *unit;
	double scale;
	int decimals;
};

static void judge(struct steadiness *o, struct series *to, const struct summary *s,
	const struct part *p, const float *x, double least, const struct told *t)
{
	const tstamp step = s->rec->steady.step;
	struct steady is;
	double cut_us;

	steady_judge(&is, x + p->begin, p->end - p->begin, p->window - p->begin, least);
	cut_us = (double)((p->begin + is.cut) * step) / PS_PER_US;
	to->first = is.first * t->scale;
	to->second = is.second * t->scale;
	to->interval = is.interval * t->scale;
	o->late |= is.is == STEADY_LATE;
	if (is.is != STEADY_LATE) {
		to->cut_us = cut_us;
		o->warmup_us = cut_us > o->warmup_us ? cut_us : o->warmup_us;
	}
	if (is.is == STEADY_LATE)
		add_why(o, "%s %s is not steady before %.3f ms: %.*f %s until then, %.*f after",
			t->what, to->name, cut_us / 1e3, t->decimals, is.before * t->scale, t->unit,
			t->decimals, is.after * t->scale);
	if (is.is == STEADY_DRIFTS)
		add_why(o,
			"%s %s: mean %.*f and %.*f %s in the halves of the window, by chance at "
			"most %.*f apart (99 %%)",
			t->what, to->name, t->decimals, to->first, t->decimals, to->second, t->unit,
			t->decimals, to->interval);
}

static const struct rec_queue *bottleneck(struct summary *s)
{
	const struct set *queues = kind_set(s, KIND_QUEUE);
	const struct rec_port *p;
	int i;

	kind_set(s, KIND_LINK);
	p = fabric_bottleneck(s);
	i = p ? fabric_deepest(s, p) : -1;
	return i < 0 ? NULL : ((const struct fabric_queue *)set_at(queues, (unsigned)i))->rec;
}

static void judge_both(struct steadiness *o, struct summary *s, const struct part *p)
{
	const struct record *r = s->rec;
	const struct rec_queue *q = bottleneck(s);
	const struct told queue = {"queue", "bytes", 1, 0};
	const struct told group = {"group", "Gb/s", 8e3 / (double)r->steady.step, 3};

	if (q && q->lengths) {
		o->queue.name = o->queue.room;
		snprintf(o->queue.room, sizeof(o->queue.room), "%s.%u", q->port->scene->name,
			q->cls);
		judge(o, &o->queue, s, p, q->lengths->bytes, r->scene->max_frame + PKT_FCS, &queue);
	}
	if (group_is_ours(r)) {
		o->goodput.name = r->group[r->steady.group].name;
		judge(o, &o->goodput, s, p, r->steady.bytes, 0, &group);
	}
}

static int make_steady(struct summary *s, struct set *to)
{
	const struct series none = {.cut_us = NAN, .first = NAN, .second = NAN, .interval = NAN};
	struct steadiness *o;
	struct part p = {0};
	const char *why;

	if (set_room(to, &kind_steady, 1))
		return -ENOMEM;
	o = set_add(to);
	*o = (struct steadiness){.warmup_us = NAN, .queue = none, .goodput = none};
	why = unjudged(s, &p, o->text, sizeof(o->text));
	if (!why) {
		o->warmup_us = 0;
		judge_both(o, s, &p);
		if (!o->queue.name && !o->goodput.name)
			why = "neither a queue nor the receivers of the main group are known";
	}
	if (why)
		o->why = why;
	if (why || o->late)
		o->warmup_us = NAN;
	o->verdict = why ? "not judged" : o->why ? "unsettled" : "settled";
	return 0;
}

// Whether flows, sources or jobs are left that end by themselves, which changes the load then.
static bool some_will_end(const struct record *r)
{
	for (unsigned i = 0; i < r->n_flows; i++)
		if (r->flow[i].messages < r->flow[i].scene->req.count)
			return true;
	for (unsigned i = 0; i < r->n_sources; i++)
		if (r->source[i].gen && r->source[i].gen->tx_frames < r->source[i].scene->gen.count)
			return true;
	for (unsigned i = 0; i < r->n_jobs; i++)
		if (r->job[i].over < r->job[i].here)
			return true;
	return false;
}

// Whether a part is settled, and steady from interval `by` on.
static bool is_steady(struct summary *s, const struct part *p, unsigned by)
{
	struct steadiness o = {0};

	judge_both(&o, s, p);
	return !o.why && (o.queue.name || o.goodput.name) &&
	       o.warmup_us <= (double)(by * s->rec->steady.step) / PS_PER_US;
}

bool summary_steady_pass(const struct record *r, tstamp now)
{
	const struct record_run run = {.clock = "virtual", .end = now};
	const unsigned quarter = REC_STEADY / 4;
	struct part half = {.window = quarter, .end = 2 * quarter},
		    all = {.window = 2 * quarter, .end = REC_STEADY};
	struct summary *s = NULL;
	struct changes c;
	bool is;

	if (r->steady.n < REC_STEADY || record_steady_due(r) == TSTAMP_NEVER)
		return false;
	if (r->dead.n || other_sender(r->scene) || some_will_end(r))
		return false;
	c = changes_of(r, quarter * r->steady.step, r->scene->duration - r->scene->drain);
	if (c.inside != TSTAMP_NEVER)
		return false;
	half.begin = all.begin = (unsigned)(c.before / r->steady.step);
	is = !summary_so_far(&s, r, &run) && is_steady(s, &half, quarter) &&
	     is_steady(s, &all, quarter);
	summary_free(s);
	return is;
}

#define V(field, name, unit, decimals, ...)                                    \
	ROW_VALUE(struct steadiness, field, name, unit, decimals, __VA_ARGS__, \
		.merge = FIGURE_NEVER)

static const struct figure figures[] = {
	ROW_TEXT(struct steadiness, verdict, "verdict", "`settled`, `unsettled` or `not judged`"),
	ROW_TEXT(struct steadiness, why, "why",
		"which series is unsteady and by how much, or why the run is not judged"),
	V(warmup_us, "warmup_us", "us", 6,
		"the warm-up that MSER-5 proposes; `null` where a series has no steady part"),
	ROW_TEXT(struct steadiness, queue.name, "queue", "the bottleneck's deepest queue"),
	V(queue.cut_us, "queue_cut_us", "us", 6, "start that MSER-5 leaves out of its length"),
	V(queue.first, "queue_first_bytes", "bytes", 1,
		"its mean length in the first half of the window, up to the drain"),
	V(queue.second, "queue_second_bytes", "bytes", 1,
		"its mean length in the second half of the window, up to the drain"),
	V(queue.interval, "queue_interval_bytes", "bytes", 1,
		"half of the 99 % interval of the difference of halves with equal means"),
	ROW_TEXT(struct steadiness, goodput.name, "group", "the main group"),
	V(goodput.cut_us, "goodput_cut_us", "us", 6, "start that MSER-5 leaves out of its goodput"),
	V(goodput.first, "goodput_first_gbps", "Gb/s", 6,
		"its goodput in the first half of the window, up to the drain"),
	V(goodput.second, "goodput_second_gbps", "Gb/s", 6,
		"its goodput in the second half of the window, up to the drain"),
	V(goodput.interval, "goodput_interval_gbps", "Gb/s", 6,
		"half of the 99 % interval of the difference of halves with equal means"),
};

const struct kind kind_steady = {
	.key = "steady",
	.path = "steady",
	.title = "Steadiness",
	.about = "Whether the run has settled, by two series: the length of the bottleneck's "
		 "deepest queue and the goodput of the main group.",
	.single = true,
	.size = sizeof(struct steadiness),
	KIND_FIGURES(figures),
	.make = make_steady,
};
