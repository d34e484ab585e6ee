// SPDX-License-Identifier: BSD-3-Clause
// Step `watchdog`: the PFC watchdog of an egress queue: whether it acts in a storm, and when.
#include "int.h"

#include <errno.h>
#include <math.h>

#include "estimate/estimate.h"

#define STORMS   12 // so many that their polls are hardly ever all an even number apart
#define XOFF_GAP (40 * PS_PER_US) // a watchdog may count PFC frames between two polls
#define TRIES    3
#define SPARE    30              // frames behind XOFF
#define LOOK     (2 * PS_PER_US) // least time between two frames after a storm
#define RESTORED (2 * PS_PER_MS) // a restoration lasts so much longer than three detections at most
#define REST     (100 * PS_PER_US)
#define ERROR    (4 * PS_PER_US) // of an instant on the poll's grid
#define POLL     (20 * PS_PER_US)
#define LOOKS    500 // frames in the time of a detection

enum action { ACTION_NONE, ACTION_DROP, ACTION_FORWARD }; // words of PROBE_WATCHDOG

struct storm {
	tstamp from, to; // first XOFF, XON
};

// The instants at which storms were detected and queues restored, and how long each took.
struct storms {
	struct storm storm[STORMS];
	unsigned n;
	tstamp length, look; // of each; between two frames after it
	tstamp at[STORMS];   // XON came, in one step
	unsigned seen;
	double detect[STORMS + 1], restore[STORMS]; // ps
	unsigned detected, restored;
};

static uint32_t group_frames(const struct probe *p, unsigned cls)
{
	const struct probe_group *g = &p->group[cls];

	return g->n_xoff + SPARE + (uint32_t)(g->d / probe_wire(p, PROBE_SHORT));
}

static tstamp xoff_gap(const struct probe *p)
{
	return XOFF_GAP > 4 * p->lab->gap ? XOFF_GAP : 4 * p->lab->gap;
}

// XOFF again and again from s->from on, XON at s->to, and a group above XOFF.
static void add_storm(struct probe *p, unsigned cls, const struct storm *s)
{
	struct tester_item xoff = probe_pfc((uint8_t)(1u << cls), 65535);
	struct tester_item xon = probe_pfc((uint8_t)(1u << cls), 0);
	struct tester_item data =
		probe_data(p, p->cfg->in[0], p->cfg->out[0], cls, group_frames(p, cls));

	xoff.at = s->from;
	xoff.gap = xoff_gap(p);
	xoff.count = (uint32_t)((s->to - s->from - 1) / xoff.gap) + 1;
	xon.at = s->to;
	data.at = s->from + probe_tb(p);
	data.len = PROBE_SHORT;
	probe_add(p, p->cfg->out[0], xoff);
	probe_add(p, p->cfg->out[0], xon);
	probe_add(p, p->cfg->in[0], data);
}

// The first XON that came in a storm. NULL: none did.
static const struct tester_seen *detected(
	const struct probe *p, unsigned cls, const struct lab_sight *sight, const struct storm *s)
{
	const struct lab_seen *in = &sight->port[p->cfg->in[0]];
	const struct tester_seen *e;
	uint32_t at = UINT32_MAX;

	while ((e = lab_pfc(in, cls, false, &at)) && e->at <= s->from)
		;
	return e && e->at < s->to ? e : NULL;
}

// From the instant at which a storm's first XOFF stopped the queue to that at which XON left.
static double detection(const struct probe *p, const struct tester_seen *xon, const struct storm *s)
{
	const struct lab_port *in = &p->lab->port[p->cfg->in[0]];
	const struct lab_port *out = &p->lab->port[p->cfg->out[0]];

	return (double)xon->at - (double)s->from - (double)(in->cable + out->cable) -
	       2 * (double)probe_wire(p, PROBE_SHORT) - (double)p->response;
}

// The longest storm that a hold and a step may have.
static tstamp longest_storm(const struct probe *p)
{
	return tstamp_min(p->cfg->most_hold, p->cfg->most_step / 4 * 3);
}

// A storm at the start of a step. Tries are so far apart that the queue is open again. -EAGAIN: our
// instrument was at fault in three tries.
static int try_once(struct probe *p, unsigned cls, const struct storm *s, struct lab_sight *sight,
	const char **why)
{
	struct lab_sight pause;
	const char *none;

	for (unsigned try = 0; try < TRIES; try++) {
		int rc;

		probe_list_new(p, "watchdog");
		add_storm(p, cls, s);
		rc = probe_once(p, sight, why);
		if (rc || !*why || *why == probe_late)
			return rc;
		probe_list_new(p, "watchdog");
		p->list.step.tail = longest_storm(p);
		rc = probe_once(p, &pause, &none);
		if (rc)
			return rc;
	}
	return -EAGAIN;
}

// One storm as long as it may be. 0, and the action and the time until XON came.
static int look_once(struct probe *p, unsigned cls, enum action *action, tstamp *took,
	struct storms *all, const char **why)
{
	struct storm s = {.from = 0, .to = longest_storm(p)};
	const struct tester_seen *xon;
	const struct lab_seen *out;
	struct lab_sight sight;
	uint32_t came;
	int rc;

	rc = try_once(p, cls, &s, &sight, why);
	if (rc)
		return rc;
	out = &sight.port[p->cfg->out[0]];
	xon = detected(p, cls, &sight, &s);
	*action = ACTION_NONE;
	if (!xon)
		return probe_emptied(p, why);
	came = lab_came(out, PROBE_SOURCE(p->cfg->in[0], 0), s.to);
	*action = came > group_frames(p, cls) / 2 ? ACTION_FORWARD : ACTION_DROP;
	*took = xon->at;
	all->detect[all->detected++] = detection(p, xon, &s);
	return 0;
}

// Storms at random phases. After each storm single frames show when the queue is open again.
static void build_storms(struct probe *p, unsigned cls, tstamp took, struct storms *s)
{
	tstamp open = 3 * took + RESTORED, at = open + REST, each;

	s->length = tstamp_min(2 * took + 50 * PS_PER_US, longest_storm(p));
	s->look = took / LOOKS > LOOK ? took / LOOKS : LOOK;
	each = s->length + took + open + REST;
	s->n = STORMS;
	while (s->n && at + s->n * each > p->cfg->most_step)
		s->n--;
	probe_list_new(p, "watchdog");
	for (unsigned k = 0; k < s->n; k++) {
		struct storm *t = &s->storm[k];
		struct tester_item look = probe_data(p, p->cfg->in[0], p->cfg->out[0], cls, 0);

		t->from = at + prng_below(&p->rng, took);
		t->to = t->from + s->length;
		at = t->to + open + REST;
		add_storm(p, cls, t);
		look.at = t->to + PS_PER_US;
		look.count = (uint32_t)(open / s->look);
		look.gap = s->look;
		look.len = PROBE_SHORT;
		look.source = PROBE_SOURCE(p->cfg->in[0], 1);
		probe_add(p, p->cfg->in[0], look);
	}
}

// From the arrival of the last XON of a storm to the first frame that was sent on.
static void read_restoration(const struct probe *p, const struct lab_sight *sight,
	const struct storm *t, struct storms *s)
{
	const struct lab_seen *out = &sight->port[p->cfg->out[0]];
	tstamp cable = p->lab->port[p->cfg->out[0]].cable, f = probe_wire(p, PROBE_SHORT);

	for (uint32_t i = 0; i < out->n; i++) {
		const struct tester_seen *e = &out->entry[i];

		if (e->sent || e->frame != TESTER_OURS || e->at <= t->to + probe_w(p))
			continue;
		if (e->source == PROBE_SOURCE(p->cfg->in[0], 1))
			s->restore[s->restored++] = (double)e->at - (double)t->to -
						    2 * (double)(f + cable) - (double)p->transit;
		return;
	}
}

static void read_storms(const struct probe *p, unsigned cls, enum action action,
	const struct lab_sight *sight, struct storms *s)
{
	for (unsigned k = 0; k < s->n; k++) {
		const struct tester_seen *xon = detected(p, cls, sight, &s->storm[k]);

		if (!xon)
			continue;
		s->at[s->seen++] = xon->at;
		s->detect[s->detected++] = detection(p, xon, &s->storm[k]);
		if (action == ACTION_DROP)
			read_restoration(p, sight, &s->storm[k], s);
	}
}

// The time that fits all storms that were seen: each took this time, and at most a poll and `late`
// more.
static void found_interval(struct probe *p, unsigned cls, enum probe_figure fig, const double *seen,
	unsigned n, tstamp poll, tstamp late)
{
	double least = INFINITY, most = 0, low;

	for (unsigned i = 0; i < n; i++) {
		least = fmin(least, seen[i]);
		most = fmax(most, seen[i]);
	}
	low = fmax(0, most - (double)(poll + late));
	if (!n)
		found_state(p->found, cls, fig, FOUND_NOT, 0, "no storm showed it");
	else if (!poll)
		found_state(p->found, cls, fig, FOUND_AT_MOST, least * 1e-6,
			"the watchdog's poll is not known");
	else
		found_is(p->found, cls, fig, (low + least) / 2e6, fabs(least - low) / 2e6);
}

// The period on whose grid the instants lie best: the least error at which one fits decides.
static tstamp poll_of(struct storms *s, tstamp most)
{
	tstamp poll = 0;

	for (tstamp error = most / 64; !poll && error <= most; error *= 4)
		poll = grid_period(s->at, s->seen, tstamp_max(POLL, 8 * error), error);
	return poll;
}

static void found_storms(struct probe *p, unsigned cls, enum action action, struct storms *s)
{
	tstamp error = (ERROR + p->lab->gap) / 64 * 64;
	tstamp poll = poll_of(s, error);

	if (poll)
		found_is(p->found, cls, PROBE_POLL, (double)poll * 1e-6, (double)error * 1e-6);
	else
		found_state(p->found, cls, PROBE_POLL, FOUND_NOT, 0,
			"the instants of its detections lie on no grid");
	found_interval(p, cls, PROBE_DETECT, s->detect, s->detected, poll, p->lab->gap);
	if (action == ACTION_DROP)
		found_interval(p, cls, PROBE_RESTORE, s->restore, s->restored, poll,
			s->look + p->lab->gap);
	else
		found_state(p->found, cls, PROBE_RESTORE, FOUND_NOT, 0,
			"a queue that is sent in its storm does not show it");
}

static void not_found(struct probe *p, unsigned cls, const char *why)
{
	found_state(p->found, cls, PROBE_WATCHDOG, FOUND_NOT, 0, why);
	for (unsigned k = PROBE_DETECT; k <= PROBE_POLL; k++)
		found_state(p->found, cls, k, FOUND_NOT, 0, why);
}

int probe_watchdog(struct probe *p, unsigned cls)
{
	struct storms s = {0};
	enum action action = ACTION_NONE;
	struct lab_sight sight;
	const char *why = "XOFF is not known";
	tstamp took = 0;
	int rc = p->group[cls].n_xoff ? look_once(p, cls, &action, &took, &s, &why) : -EAGAIN;

	if (!rc && action == ACTION_NONE) {
		not_found(p, cls, "no watchdog acted");
		found_state(p->found, cls, PROBE_WATCHDOG, FOUND_NONE,
			(double)longest_storm(p) * 1e-6, "none within the longest hold");
		return 0;
	}
	if (!rc) {
		build_storms(p, cls, took, &s);
		rc = s.n ? probe_count(p, &sight, &why) : 0;
	}
	if (rc == -EAGAIN)
		not_found(p, cls, why);
	if (action != ACTION_NONE)
		found_is(p->found, cls, PROBE_WATCHDOG, action, 0);
	if (rc)
		return rc == -EAGAIN ? 0 : rc;
	read_storms(p, cls, action, &sight, &s);
	found_storms(p, cls, action, &s);
	return 0;
}
