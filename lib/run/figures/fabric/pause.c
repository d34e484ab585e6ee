// SPDX-License-Identifier: BSD-3-Clause
// The pause table (measuring.md M1), and how the peer of a switch's port obeyed XOFF (M2), beside
// what 802.3 allows and what headroom that takes.
#include <errno.h>
#include <math.h>
#include <string.h>

#include "int.h"

#define QUANTUM_BITS 512
#define XOFF_BYTES   (PKT_MIN_LEN + PKT_WIRE)

double fabric_pfc_limit(rate_t rate)
{
	// 802.3 31B.3.7, in pause quanta.
	static const struct {
		unsigned gbps, quanta;
	} limit[] = {{1, 2}, {10, 67}, {25, 80}, {40, 118}, {50, 147}, {100, 394}, {200, 453},
		{400, 905}};

	for (unsigned i = 0; i < sizeof(limit) / sizeof(limit[0]); i++)
		if (rate == limit[i].gbps * RATE_GBPS)
			return limit[i].quanta;
	return NAN;
}

double fabric_response_us(const struct scene_port *p, double bytes)
{
	double bits = 8 * (bytes - XOFF_BYTES);
	double us = bits * 1e6 / (double)p->rate - 2 * (double)p->delay / PS_PER_US;

	return us > 0 ? us : 0;
}

// One priority and direction of a port.
struct pause {
	const char *name, *direction;
	const struct rec_port *port;
	unsigned prio;
	bool has_answers;
	struct pause_stats w;
	double ratio; // of the window
	double mean_ps;
	struct kind_dist episode_us;
	// sent by a switch: how the peer obeyed; n of t_resp_us 0: not known
	struct kind_dist after_bytes, t_resp_us; // on the link; less the way there and back
	uint64_t after_max_bytes;                // in the buffer
	double quanta_resp, quanta_limit;        // of the slowest; NAN: no limit for this rate
	uint64_t headroom_needed_bytes;
	bool of_switch;
	uint64_t pauses;      // with a part in the window
	double longest_us;    // the longest such part
	uint64_t still_bytes; // on the link, since an XOFF that no XON has ended
	uint64_t limit_bytes; // on the link, of a peer that stops in time
	double running_us;    // of a pause that goes on at the end, since its begin; 0: none
};

// How the peer of a switch's port obeyed; a NULL: nothing is known.
static void answers(struct pause *o, const struct record *r, const struct rec_answer *a)
{
	const struct kind_dist *d = &o->after_bytes;
	struct kind_dist *t = &o->t_resp_us;

	o->quanta_resp = o->quanta_limit = NAN;
	if (!a || !a->n)
		return;
	o->after_bytes = kind_dist(a->wire, 1);
	o->after_max_bytes = a->max_bytes;
	*t = *d;
	t->from = NULL;
	t->n = a->n;
	for (double *q = &t->mean; q <= &t->max; q++)
		*q = fabric_response_us(o->port->scene, *q);
	o->quanta_resp = t->max * 1e-6 * (double)o->port->scene->rate / QUANTUM_BITS;
	o->quanta_limit = fabric_pfc_limit(o->port->scene->rate);
	// Two longest frames more: the frame that crosses XOFF, and the bytes that come in while
	// XOFF waits for a longest frame to leave.
	o->headroom_needed_bytes =
		o->after_max_bytes +
		2 * (r->scene->max_frame + (uint64_t)r->scene->framing.queue_extra);
}

// The most bytes that a switch reads from a device after XOFF although the peer has stopped in
// time: frames that both devices hold ahead of XOFF and of the pause (real-time.md, PFC and PAUSE
// at a device), and the contents of the receive ring if the switch does not keep up.
static uint64_t held_bytes(const struct scene_port *p)
{
	uint64_t rings = p->rx_queues > 1 ? p->rx_queues : 1;

	return 2 * scene_tx_held(p->rate, p->mtu) +
	       rings * SCENE_RING * (uint64_t)(p->mtu + PKT_WIRE);
}

// Returns the most bytes that can arrive after XOFF from a peer that stops in time. On the real
// clock both ends may be late by the longest loop, or by the delay that headroom allows for.
static uint64_t limit_bytes(const struct summary *s, const struct scene_port *p)
{
	tstamp late = tstamp_max(p->late_loop, s->run.loop_gap_max_ps);
	uint64_t bytes = p->obeyed_bytes;

	if (strcmp(s->run.clock, "real") != 0)
		return bytes;
	bytes += (uint64_t)((unsigned __int128)2 * late * p->rate / (8 * PS_PER_S));
	return p->device ? bytes + held_bytes(p) : bytes;
}

// Whether the window found it paused when it began.
static bool pauses_at_begin(const struct rec_port *p, unsigned prio, bool sent)
{
	const struct pause_stats *warm = sent ? &p->warm->tx[prio] : &p->warm->rx[prio];

	return warm->transitions_on > warm->transitions_off;
}

static void pause_make(const struct summary *s, struct pause *o, const struct rec_port *p,
	unsigned prio, bool sent)
{
	const struct rec_episodes *e =
		p->episodes ? &p->episodes[prio + (sent ? PAUSE_PRIOS : 0)] : NULL;

	*o = (struct pause){
		.port = p,
		.prio = prio,
		.w = fabric_pause_window(p, prio, sent),
		.name = p->scene->name,
		.direction = sent ? "tx" : "rx",
		.pauses = pauses_at_begin(p, prio, sent),
		.episode_us = kind_dist(e ? e->length : NULL, 1e6),
	};
	o->pauses += o->w.transitions_on;
	if (e)
		o->longest_us =
			(double)tstamp_max(e->longest, rec_pause_part(s->rec, e, s->to)) / 1e6;
	o->mean_ps = o->episode_us.n ? o->episode_us.mean * 1e6 : NAN;
	if (e && e->began != TSTAMP_NEVER && s->to < e->until)
		o->running_us = (double)tstamp_since(s->to, e->began) / 1e6;
	answers(o, s->rec, sent && e ? &e->answer : NULL);
	o->has_answers = o->t_resp_us.n;
	o->of_switch = sent && p->sw;
	if (o->of_switch) {
		o->still_bytes = record_still_comes(p, prio, s->to);
		o->limit_bytes = limit_bytes(s, p->scene);
	}
	o->ratio = fabric_percent(s, o->w.pause_effective_ps) / 100;
}

bool fabric_went_on(const struct summary *s, unsigned i, struct fabric_answer *a)
{
	const struct pause *o = set_at(&s->set[KIND_PFC_TX], i);
	uint64_t most = o->has_answers ? (uint64_t)o->after_bytes.max : 0;

	*a = (struct fabric_answer){.port = o->port,
		.prio = o->prio,
		.after_bytes = most > o->still_bytes ? most : o->still_bytes,
		.limit_bytes = o->limit_bytes};
	return o->of_switch && a->after_bytes > a->limit_bytes;
}

static bool has_side(const struct rec_port *p, bool sent)
{
	return sent ? p->tx != NULL : p->rx != NULL;
}

// PAUSE stops a priority without a PFC frame.
static bool is_quiet(const struct rec_port *p, unsigned prio, bool sent)
{
	const struct pause_stats *now = sent ? &p->tx->stats[prio] : &p->rx->stats[prio];

	return !now->xoff_frames && !now->xon_frames && !now->transitions_on;
}

static int make_pauses(struct summary *s, struct set *to, const struct kind *k, bool sent)
{
	const struct record *r = s->rec;

	if (set_room(to, k, (size_t)r->n_ports * PAUSE_PRIOS))
		return -ENOMEM;
	for (unsigned i = 0; i < r->n_ports; i++)
		for (unsigned prio = 0; prio < PAUSE_PRIOS; prio++)
			if (has_side(&r->port[i], sent) && !is_quiet(&r->port[i], prio, sent))
				pause_make(s, set_add(to), &r->port[i], prio, sent);
	return 0;
}

// Makes the row of "s1:r.3", where no pause came or was sent.
static bool make_quiet(
	const struct summary *s, const char *name, size_t len, struct pause *o, bool sent)
{
	const struct record *r = s->rec;
	unsigned prio = len < 2 ? PAUSE_PRIOS : (unsigned)(name[len - 1] - '0');

	if (prio >= PAUSE_PRIOS || name[len - 2] != '.')
		return false;
	for (unsigned i = 0; i < r->n_ports; i++) {
		const struct rec_port *p = &r->port[i];

		if (!has_side(p, sent) || strlen(p->scene->name) != len - 2 ||
			memcmp(p->scene->name, name, len - 2) != 0)
			continue;
		*o = (struct pause){.port = p,
			.prio = prio,
			.name = p->scene->name,
			.direction = sent ? "tx" : "rx",
			.mean_ps = NAN,
			.quanta_resp = NAN,
			.quanta_limit = NAN};
		return true;
	}
	return false;
}

static bool quiet_received(const struct summary *s, const char *name, size_t len, void *object)
{
	return make_quiet(s, name, len, object, false);
}

static bool quiet_sent(const struct summary *s, const char *name, size_t len, void *object)
{
	return make_quiet(s, name, len, object, true);
}

static int make_received(struct summary *s, struct set *to)
{
	return make_pauses(s, to, &kind_pfc, false);
}

static int make_sent(struct summary *s, struct set *to)
{
	return make_pauses(s, to, &kind_pfc_tx, true);
}

#define N(field, name, unit, ...) ROW_COUNT(struct pause, field, name, unit, __VA_ARGS__)
#define V(field, name, unit, decimals, ...) \
	ROW_VALUE(struct pause, field, name, unit, decimals, __VA_ARGS__)
#define ANSWER_N(field, name, unit, ...) \
	ROW_COUNT_IF(struct pause, has_answers, field, name, unit, __VA_ARGS__)
#define ANSWER_V(field, name, unit, decimals, ...) \
	ROW_VALUE_IF(struct pause, has_answers, field, name, unit, decimals, __VA_ARGS__)

static const struct figure figures[] = {
	ROW_TEXT(struct pause, name, "port", "its port"),
	ROW_ID(struct pause, prio, "priority", "its priority"),
	ROW_TEXT(struct pause, direction, "direction",
		"`rx`: the port was told to stop; `tx`: it told its peer"),
	N(pauses, "pauses", "events",
		"pauses of which a part lies in the window, one that began before it, too"),
	V(mean_ps, "mean_ps", "ps", 0, "mean length of the pauses that ended in the window"),
	N(w.xoff_frames, "xoff_frames", "frames",
		"PFC frames that enabled the priority with quanta above 0"),
	N(w.xon_frames, "xon_frames", "frames",
		"PFC frames that enabled the priority with quanta 0"),
	N(w.refresh_frames, "refresh_frames", "frames",
		"XOFF that came while it was paused (by whatever: 802.3x PAUSE, where it is "
		"obeyed, makes pauses without a PFC frame)"),
	N(w.transitions_on, "transitions_on", "events",
		"times that it went into pause in the window"),
	N(w.transitions_off, "transitions_off", "events", "times that it went out of pause"),
	N(w.expired, "expired", "events",
		"times that it went out of pause by the timer, not by XON"),
	ROW_TIME_US(struct pause, w.pause_requested_ps, "pause_requested_us", 6,
		"sum of the quanta asked for (SAI's meaning)"),
	ROW_TIME_US(struct pause, w.pause_effective_ps, "pause_effective_us", 6,
		"time really stopped (mlx5's meaning)"),
	V(ratio, "pause_ratio", "", 6, "`pause_effective_us` over the window"),
	ROW_TIME_US(struct pause, w.longest_pause_ps, "longest_pause_us_total", 6,
		"longest pause of the whole run"),
	V(longest_us, "longest_pause_us", "us", 6,
		"most time in the window of one of the `pauses`"),
	N(episode_us.n, "episodes", "events", "pauses that ended in the window"),
	ROW_DIST(struct pause, episode_us, min, "episode_min_us", "us",
		"minimum of the pauses' length"),
	ROW_SPREAD(struct pause, episode_us, "episode", "_us", "us", "the pauses' length",
		", for pauses that ended in the window"),
	V(running_us, "running_us", "us", 3,
		"for how long a pause has lasted that goes on at the end, or now; 0: none"),
	ANSWER_N(t_resp_us.n, "answers", "",
		"sent by a switch: XOFF that were ended by XON in the window, before their time "
		"ran out or the link went down"),
	ANSWER_V(after_bytes.p50, "b_after_p50_bytes", "bytes", 0,
		"B_after: of the class (PAUSE: of all classes), came in between the instant at "
		"which XOFF's first bit left and XON; with FCS, preamble and gap; median"),
	ANSWER_V(after_bytes.max, "b_after_max_bytes", "bytes", 0, "maximum of B_after"),
	ROW_COUNT_IF(struct pause, of_switch, still_bytes, "b_after_running_bytes", "bytes",
		"B_after up to the end, or now, of an XOFF that no XON has ended; 0: none"),
	ROW_COUNT_IF(struct pause, of_switch, limit_bytes, "b_after_limit_bytes", "bytes",
		"most of a peer that stops in time: 802.1Qbb's sum; on the real clock also what "
		"comes while both ends are late by the longest loop, or by `late_loop` where that "
		"is more, what both devices hold, and a full receive ring"),
	ANSWER_V(t_resp_us.p50, "t_resp_p50_us", "us", 6,
		"B_after less XOFF itself (84 bytes), as time at the link's rate, less the cable "
		"there and back: how long the peer went on. It sent at full rate, or this is less "
		"than its response; median"),
	ANSWER_V(t_resp_us.max, "t_resp_max_us", "us", 6, "maximum of the peer's response time"),
	ANSWER_V(quanta_resp, "quanta_resp_max", "512 bit times", 1,
		"maximum of the peer's response time in pause quanta"),
	ANSWER_V(quanta_limit, "quanta_limit", "512 bit times", 0,
		"what 802.3 allows (31B.3.7): 67 at 10 Gb/s, 80 at 25, 118 at 40, 147 at 50, 394 "
		"at 100, 453 at 200, 905 at 400; `null` at other rates"),
	ANSWER_N(headroom_needed_bytes, "headroom_needed_bytes", "bytes",
		"most that came after XOFF (with FCS), the frame that crossed XOFF, and one that "
		"came while XOFF waited for the port's own (both as longest ones): what headroom "
		"takes where the egress stands still; `headroom_bytes` of the ingress group is "
		"what it has"),
};

static void could_pause(struct kind_look *l)
{
	look_classes(l, NULL);
}

const struct kind kind_pfc = {
	.key = "pauses",
	.path = "pfc",
	.title = "Pauses received",
	.about = "Each port and priority that was told to stop by PFC or PAUSE.",
	.example = "h1:s1.3",
	.size = sizeof(struct pause),
	KIND_FIGURES(figures),
	.make = make_received,
	.name_at = offsetof(struct pause, name),
	.number_at = offsetof(struct pause, prio),
	.could = could_pause,
	.quiet = quiet_received,
};

const struct kind kind_pfc_tx = {
	.key = "pauses",
	.path = "pfc_tx",
	.title = "Pauses sent",
	.about = "Each port and priority that told its peer to stop.",
	.example = "s1:h1.3",
	.size = sizeof(struct pause),
	KIND_FIGURES(figures),
	.make = make_sent,
	.name_at = offsetof(struct pause, name),
	.number_at = offsetof(struct pause, prio),
	.could = could_pause,
	.quiet = quiet_sent,
};
