// SPDX-License-Identifier: BSD-3-Clause
// PFC and PAUSE that came to observed ports, and how their peers answered to XOFF (measuring.md
// M2).
#include <errno.h>
#include <math.h>

#include "int.h"

#define QUANTUM_BITS 512

struct outside_pause {
	const char *port, *label;
	char cls[8]; // "3"; "link": PAUSE
	uint64_t xoff, xon, refreshes, sources, paused_frames, paused_bytes;
	double quanta_least, quanta_most, before_frames, before_bytes;
	struct kind_dist refresh_us;
	uint64_t xoffs, ignored, idle, holds;
	struct kind_dist after_bytes, t_resp_us, stop_us, silence_us, resume_us;
	double hold_least_us, hold_mean_us, hold_most_us;
	double quanta_resp, quanta_limit;
};

static void fill_asked(struct outside_pause *to, const struct outside_asked *a)
{
	bool any = a->xoff_frames;

	to->xoff = a->xoff_frames;
	to->xon = a->xon_frames;
	to->refreshes = a->refresh_frames;
	to->sources = a->sources;
	to->paused_frames = a->paused_frames;
	to->paused_bytes = a->paused_bytes;
	to->quanta_least = any ? (double)a->quanta_least : NAN;
	to->quanta_most = any ? (double)a->quanta_most : NAN;
	to->before_frames = any ? (double)a->before_frames : NAN;
	to->before_bytes = any ? (double)a->before_bytes : NAN;
	to->refresh_us = kind_dist_look(&a->refresh, 1e6);
}

static void fill_response(struct outside_pause *to, const struct scene_port *p)
{
	struct kind_dist *t = &to->t_resp_us;

	*t = to->after_bytes;
	for (double *q = &t->mean; t->n && q <= &t->max; q++)
		*q = fabric_response_us(p, *q);
	to->quanta_limit = fabric_pfc_limit(p->rate);
	to->quanta_resp =
		to->stop_us.n ? to->stop_us.max * 1e-6 * (double)p->rate / QUANTUM_BITS : NAN;
}

static void fill_answer(struct outside_pause *to, const struct outside_answer *a)
{
	to->xoffs = a->xoffs;
	to->ignored = a->ignored;
	to->idle = a->idle;
	to->holds = a->holds;
	to->after_bytes = kind_dist_look(&a->after, 1);
	to->stop_us = kind_dist_look(&a->stop, 1e6);
	to->silence_us = kind_dist_look(&a->silence, 1e6);
	to->resume_us = kind_dist_look(&a->resume, 1e6);
	to->hold_least_us = a->holds ? (double)a->hold_least / 1e6 : NAN;
	to->hold_most_us = a->holds ? (double)a->hold_most / 1e6 : NAN;
	to->hold_mean_us = a->holds ? (double)a->hold_sum / (double)a->holds / 1e6 : NAN;
}

static bool add_rows(void *arg, const struct scene_port *p, const struct outside *o)
{
	for (unsigned row = 0; row < OUTSIDE_ROWS; row++) {
		const struct outside_asked *a = outside_asked(o, row);
		const struct outside_answer *b = outside_answer(o, row);
		struct outside_pause *to;

		if (!a->xoff_frames && !a->xon_frames && !b->xoffs)
			continue;
		to = set_add(arg);
		to->port = p->name;
		snprintf(to->cls, sizeof(to->cls), row == OUTSIDE_LINK ? "link" : "%u", row);
		to->label = to->cls;
		fill_asked(to, a);
		fill_answer(to, b);
		fill_response(to, p);
	}
	return true;
}

static int make_pauses(struct summary *s, struct set *to)
{
	if (set_room(to, &kind_outside_pause, fabric_n_outside(s) * OUTSIDE_ROWS))
		return -ENOMEM;
	fabric_each_outside(s, add_rows, to);
	return 0;
}

#define N(field, name, unit, ...) ROW_COUNT(struct outside_pause, field, name, unit, __VA_ARGS__)
#define V(field, name, unit, decimals, ...) \
	ROW_VALUE(struct outside_pause, field, name, unit, decimals, __VA_ARGS__)
#define D(field, which, name, unit, ...) \
	ROW_DIST(struct outside_pause, field, which, name, unit, __VA_ARGS__)
// p50, p99 and maximum of a time, which `def` defines behind the first.
#define T(field, name, of, def)                                    \
	D(field, p50, name "_p50_us", "us", "p50 of " of def),     \
		D(field, p99, name "_p99_us", "us", "p99 of " of), \
		D(field, max, name "_max_us", "us", "maximum of " of)

static const struct figure figures[] = {
	ROW_TEXT(struct outside_pause, port, "port", "the observed port"),
	ROW_TEXT(struct outside_pause, label, "class",
		"the class; `link`: 802.3x PAUSE, which stops all classes"),
	N(xoff, "xoff_frames", "frames", "XOFF that arrived"),
	N(xon, "xon_frames", "frames", "XON that arrived"),
	N(refreshes, "refresh_frames", "frames",
		"XOFF that arrived before the quanta of the XOFF before had run out"),
	D(refresh_us, min, "refresh_min_us", "us", "minimum of the time from XOFF to its refresh"),
	D(refresh_us, p50, "refresh_p50_us", "us", "p50 of the time from XOFF to its refresh"),
	D(refresh_us, max, "refresh_max_us", "us", "maximum of the time from XOFF to its refresh"),
	V(quanta_least, "quanta_min", "512 bit times", 0, "minimum of the pause times of XOFF"),
	V(quanta_most, "quanta_max", "512 bit times", 0, "maximum of the pause times of XOFF"),
	N(sources, "sources", "",
		"source addresses of the PFC or PAUSE frames that arrived; 8: eight or more"),
	V(before_frames, "before_xoff_frames", "frames", 0,
		"frames of the class that the port sent before the first XOFF arrived"),
	V(before_bytes, "before_xoff_bytes", "bytes", 0,
		"bytes of the class, with FCS, that the port sent before the first XOFF arrived"),
	N(paused_frames, "in_xoff_frames", "frames",
		"frames of the class that left after an XOFF had arrived and before XON, or "
		"before its quanta had run out"),
	N(paused_bytes, "in_xoff_bytes", "bytes", "bytes of `in_xoff_frames`, with FCS"),
	N(xoffs, "asked", "", "XOFF that the port sent, without refreshes"),
	N(ignored, "ignored", "", "XOFF of the port after which the peer did not stop"),
	N(idle, "idle", "",
		"XOFF of the port to a peer that sent nothing of the class: no time is known"),
	D(after_bytes, p50, "b_after_p50_bytes", "bytes",
		"p50 of B_after: bytes of the class, with FCS, preamble and gap, that arrived "
		"after the first bit of our XOFF had left, until XON left; where the quanta ran "
		"out, until the silence"),
	D(after_bytes, p99, "b_after_p99_bytes", "bytes", "p99 of B_after"),
	D(after_bytes, max, "b_after_max_bytes", "bytes", "maximum of B_after"),
	T(t_resp_us, "t_resp", "the peer's response time by B_after",
		": its time at the link's rate, less XOFF itself (84 bytes), less the cable there "
		"and back"),
	T(stop_us, "stop", "the peer's response time by instants",
		": from the last bit of XOFF to the last bit of the frame before the silence, less "
		"the cable there and back"),
	V(quanta_resp, "quanta_resp_max", "512 bit times", 1, "`stop_max_us` in pause quanta"),
	V(quanta_limit, "quanta_limit", "512 bit times", 0,
		"most that 802.3 allows (31B.3.7); `null` where it names no limit for the rate"),
	T(silence_us, "silence", "the peer's silence",
		": from the last bit before it to the first bit behind it"),
	T(resume_us, "resume", "the peer's time to go on after XON",
		": from its last bit to the first bit of the next frame, less the cable there and "
		"back"),
	N(holds, "holds", "", "silences that one XOFF made and no XON ended"),
	V(hold_least_us, "hold_error_min_us", "us", 3,
		"minimum of the error of a hold: silence, and half a frame, less the quanta"),
	V(hold_mean_us, "hold_error_mean_us", "us", 3, "mean error of a hold"),
	V(hold_most_us, "hold_error_max_us", "us", 3, "maximum of the error of a hold"),
};

static const char *pause_name(const void *object, char *buf)
{
	const struct outside_pause *o = object;

	snprintf(buf, KIND_NAME, "%s.%s", o->port, o->cls);
	return buf;
}

static void could_pause(struct kind_look *l)
{
	for (unsigned i = 0; i < l->s->n_nodes; i++) {
		const struct scene_node *n = &l->s->node[i];

		for (unsigned p = 0; p < n->n_ports && !l->enough; p++)
			if (n->port[p].observe)
				look_tell(l, "%s.link", n->port[p].name);
	}
	look_classes(l, fabric_is_observed);
}

const struct kind kind_outside_pause = {
	.key = "seen_from_outside_pauses",
	.path = "outside_pause",
	.title = "Pauses seen from outside",
	.about = "Each observed port and class, whole run: PFC that came, and the peer's answers "
		 "to XOFF that the port sent. The row `link` has 802.3x PAUSE.",
	.example = "s1:h1.3",
	.if_any = true,
	.size = sizeof(struct outside_pause),
	KIND_FIGURES(figures),
	.make = make_pauses,
	.name = pause_name,
	.could = could_pause,
};
