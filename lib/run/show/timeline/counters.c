// SPDX-License-Identifier: BSD-3-Clause
// Samples of the series as counters: queue lengths, rates, alpha.
#include <math.h>

#include "int.h"

// A value of a period is drawn from the period's beginning on, a value at its end from there.
enum when { AT_END, FROM_BEGIN };

static void show_value(struct timeline *t, uint32_t track, tstamp at, double v)
{
	struct pftrace_event e = {
		.t = at, .type = PFTRACE_COUNTER, .track = track, .real = NAN, .whole = llround(v)};

	if (timeline_shows(t, at))
		pftrace_put(t->trace, &e);
}

static void show_rate(struct timeline *t, int flow, enum flow_track which, tstamp at, double gbps)
{
	struct pftrace_event e = {
		.t = at, .type = PFTRACE_COUNTER, .real = NAN, .whole = llround(gbps * 1e6)};

	if (!timeline_shows(t, at) || isnan(gbps))
		return;
	e.sequence = tracks_alone(t->tracks, flow, which);
	pftrace_put(t->trace, &e);
}

// Whether a value has changed: a counter keeps its value until the next.
static bool changed(struct timeline_line *l, enum saved_col col, double v)
{
	bool same = v == l->last[col];

	l->last[col] = v;
	return !isnan(v) && !same;
}

static void show_queue(struct timeline *t, const struct saved_sample *v, tstamp begin)
{
	static const struct {
		enum saved_col col;
		enum class_track track;
		enum when when;
		double scale;
	} shown[] = {
		{SAVED_QLEN, CLASS_QLEN, AT_END, 1},
		{SAVED_QLEN_MAX, CLASS_QLEN_MAX, FROM_BEGIN, 1},
		{SAVED_TX_GBPS, CLASS_TX, FROM_BEGIN, 1e6},
	};
	struct timeline_line *l = &t->line[v->object];

	for (unsigned i = 0; i < sizeof(shown) / sizeof(shown[0]); i++) {
		double value = v->value[shown[i].col];

		if (!changed(l, shown[i].col, value))
			continue;
		show_value(t, tracks_of_class(t->tracks, l->port, l->cls, shown[i].track),
			shown[i].when == AT_END ? v->t : begin, value * shown[i].scale);
	}
}

static void show_buffer(struct timeline *t, const struct saved_sample *v)
{
	struct timeline_line *l = &t->line[v->object];

	if (changed(l, SAVED_QLEN, v->value[SAVED_QLEN]))
		show_value(t, tracks_of_port(t->tracks, l->port, PORT_RXBUF), v->t,
			v->value[SAVED_QLEN]);
}

// Rc, Rt and alpha. Each sample is shown, changed or not: events of the reaction point have them,
// too, and may have changed them and changed them back. From its first event on only alpha is left
// to say, and not that where its own events are recorded.
static void show_reaction(struct timeline *t, const struct saved_sample *v)
{
	struct timeline_line *l = &t->line[v->object];
	bool events = v->t >= l->reacts;
	struct pftrace_event e = {
		.t = v->t, .type = PFTRACE_COUNTER, .real = v->value[SAVED_ALPHA]};

	if (!events) {
		show_rate(t, l->flow, FLOW_RC, v->t, v->value[SAVED_RC_GBPS]);
		show_rate(t, l->flow, FLOW_RT, v->t, v->value[SAVED_RT_GBPS]);
	}
	if (!timeline_shows(t, v->t) || isnan(e.real) ||
		(events && saved_recorded(t->saved, EV_RP_ALPHA)))
		return;
	e.sequence = tracks_alone(t->tracks, l->flow, FLOW_ALPHA);
	pftrace_put(t->trace, &e);
}

static void show_flow(struct timeline *t, const struct saved_sample *v, tstamp begin)
{
	struct timeline_line *l = &t->line[v->object];
	double goodput = v->value[SAVED_GOODPUT_GBPS];

	if (changed(l, SAVED_GOODPUT_GBPS, goodput))
		show_rate(t, l->flow, FLOW_GOODPUT, begin, goodput);
	show_reaction(t, v);
}

void timeline_counters(struct timeline *t)
{
	const struct saved_sample *v;
	tstamp begin = 0, end = 0;

	if (!saved_series(t->saved))
		return;
	while ((v = saved_sample(t->saved)) != NULL) {
		const struct timeline_line *l = &t->line[v->object];

		if (v->t != end) {
			begin = end;
			end = v->t;
		}
		if (v->kind != l->kind)
			continue;
		if (v->kind == SAVED_FLOW && l->flow >= 0)
			show_flow(t, v, begin);
		else if (v->kind == SAVED_QUEUE && l->port >= 0)
			show_queue(t, v, begin);
		else if (v->kind == SAVED_RXBUF && l->port >= 0)
			show_buffer(t, v);
	}
}
