// SPDX-License-Identifier: BSD-3-Clause
// Events of a run as slices, instants and counters of the trace, with arrows between them.
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "int.h"
#include "jobs.h"
#include "messages.h"

enum { VALUES_MOST = 4096 }; // texts that are said once, and from then on by number

enum key {
	KEY_DETAIL,
	KEY_BYTES,
	KEY_QUEUE,
	KEY_QUANTA,
	KEY_PSN,
	KEY_RC,
	KEY_FLOW,
	KEY_ENDED_BY,
	KEY_NUMBER,
	KEY_SLOWDOWN,
	KEY_NODE,
	KEYS
};

static const char *const key_name[KEYS] = {
	[KEY_DETAIL] = "detail",
	[KEY_BYTES] = "bytes",
	[KEY_QUEUE] = "queue_bytes",
	[KEY_QUANTA] = "quanta",
	[KEY_PSN] = "psn",
	[KEY_RC] = "rc_gbps",
	[KEY_FLOW] = "flow",
	[KEY_ENDED_BY] = "ended_by",
	[KEY_NUMBER] = "number",
	[KEY_SLOWDOWN] = "slowdown",
	[KEY_NODE] = "node",
};

// Rt and alpha from the last event of a flow's reaction point; NAN: there was none.
struct reaction {
	double rt_gbps, alpha;
};

// The text of one event, and the state that all events share.
struct show {
	struct timeline *t;
	struct messages *messages;
	struct jobs *jobs;
	struct spans open;
	uint32_t category[EV_TYPES], key[KEYS];
	uint32_t *whose;       // by number of saved_flow()
	struct reaction *last; // the same
	uint8_t *arrow_ends;   // by arrow: how many events of it are shown, 2 for more
	unsigned values;
	const struct saved_ev *ev;
	uint32_t arrow[PFTRACE_FLOWS];
	unsigned arrows;
	bool late, no_end;
};

static uint32_t name(struct show *s, const char *text)
{
	return pftrace_text(s->t->trace, PFTRACE_NAME, text);
}

static struct pftrace_event event(struct show *s, enum pftrace_type type, const char *text)
{
	const struct saved_ev *ev = s->ev;

	if (!s->category[ev->type])
		s->category[ev->type] =
			pftrace_text(s->t->trace, PFTRACE_CATEGORY, ev_row[ev->type].name);
	return (struct pftrace_event){.t = ev->t,
		.type = type,
		.name = name(s, text),
		.category = s->category[ev->type],
		.real = NAN,
		.flow = s->arrow,
		.flows = s->arrows};
}

static struct pftrace_note *add_note(struct show *s, struct pftrace_event *e, enum key key)
{
	if (!s->key[key])
		s->key[key] = pftrace_text(s->t->trace, PFTRACE_KEY, key_name[key]);
	e->note[e->n_notes].key = s->key[key];
	return &e->note[e->n_notes++];
}

static void note_number(struct show *s, struct pftrace_event *e, enum key key, uint64_t v)
{
	if (v == SAVED_NONE)
		return;

	struct pftrace_note *n = add_note(s, e, key);

	n->kind = PFTRACE_UINT;
	n->number = v;
}

static void note_real(struct show *s, struct pftrace_event *e, enum key key, double v)
{
	if (isnan(v))
		return;

	struct pftrace_note *n = add_note(s, e, key);

	n->kind = PFTRACE_REAL;
	n->real = v;
}

static void note_text(struct show *s, struct pftrace_event *e, enum key key, const char *text)
{
	char *end;

	if (!*text)
		return;

	struct pftrace_note *n = add_note(s, e, key);

	n->number = strtoull(text, &end, 10);
	if (*text >= '0' && *text <= '9' && !*end) {
		n->kind = PFTRACE_UINT;
	} else if (s->values < VALUES_MOST) {
		n->kind = PFTRACE_WORD;
		n->word = pftrace_text(s->t->trace, PFTRACE_VALUE, text);
		if (n->word > s->values)
			s->values = n->word;
	} else {
		n->kind = PFTRACE_LITERAL;
		n->literal = text;
	}
}

// An arrow leads from one event that is shown to another one.
static void put_event(struct show *s, struct pftrace_event *e)
{
	pftrace_put(s->t->trace, e);
	s->t->shown++;
	for (unsigned i = 0; i < e->flows; i++) {
		uint8_t *ends = &s->arrow_ends[e->flow[i]];

		s->t->arrows_shown += *ends == 1;
		*ends += *ends < 2;
	}
}

static int port(const struct show *s)
{
	return s->t->port[s->ev->object];
}

// Writes the flow of an event. Events of many flows share one track, in which each flow has its own
// colour.
static void say_whose(struct show *s, struct pftrace_event *e)
{
	int flow = s->ev->flow;

	if (flow < 0)
		return;
	if (!s->whose[flow])
		s->whose[flow] = pftrace_text(
			s->t->trace, PFTRACE_WHOSE, saved_flow(s->t->saved, (unsigned)flow));
	e->whose = s->whose[flow];
}

// Frames that a switch chose, with the length of the queue.
static void show_mark(struct show *s, const char *text)
{
	struct pftrace_event e = event(s, PFTRACE_INSTANT, text);

	e.sequence = tracks_of_marks(s->t->tracks, port(s), s->ev->cls);
	if (!e.sequence) {
		e.track = tracks_of_port(s->t->tracks, port(s), PORT_SELF);
		note_number(s, &e, KEY_QUEUE, s->ev->queue_bytes);
	} else if (s->ev->queue_bytes != SAVED_NONE) {
		e.value[e.n_values++] = (int64_t)s->ev->queue_bytes;
	}
	say_whose(s, &e);
	note_number(s, &e, KEY_PSN, s->ev->psn);
	note_text(s, &e, KEY_DETAIL, s->ev->detail);
	put_event(s, &e);
}

static void show_drop(struct show *s)
{
	char text[PFTRACE_TEXT];

	snprintf(text, sizeof(text), "drop: %s", s->ev->detail);

	struct pftrace_event e = event(s, PFTRACE_INSTANT, text);

	e.track = tracks_of_class(s->t->tracks, port(s), s->ev->cls, CLASS_DROPS);
	note_number(s, &e, KEY_BYTES, s->ev->bytes);
	note_number(s, &e, KEY_QUEUE, s->ev->queue_bytes);
	put_event(s, &e);
}

static void show_at_port(struct show *s, const char *text)
{
	struct pftrace_event e = event(s, PFTRACE_INSTANT, text);

	e.track = tracks_of_port(s->t->tracks, port(s), PORT_SELF);
	note_text(s, &e, KEY_DETAIL, s->ev->detail);
	note_number(s, &e, KEY_BYTES, s->ev->bytes);
	note_number(s, &e, KEY_QUEUE, s->ev->queue_bytes);
	note_number(s, &e, KEY_QUANTA, s->ev->quanta);
	put_event(s, &e);
}

// A mark is of the whole run; a change is of the node that adopts it.
static void show_moment(struct show *s)
{
	const char *port = saved_object(s->t->saved, s->ev->object);
	bool is_set = s->ev->type == EV_SET;
	char text[PFTRACE_TEXT], node[PFTRACE_TEXT];

	snprintf(text, sizeof(text), "%s%s", is_set ? "set " : "", s->ev->detail);
	snprintf(node, sizeof(node), "%.*s", is_set ? (int)strcspn(port, ":") : 0, port);

	struct pftrace_event e = event(s, PFTRACE_INSTANT, text);

	e.track = tracks_of_moments(s->t->tracks);
	note_text(s, &e, KEY_NODE, node);
	put_event(s, &e);
}

static void show_cnp(struct show *s, const char *text)
{
	struct pftrace_event e = event(s, PFTRACE_INSTANT, text);

	e.sequence = tracks_of_cnps(s->t->tracks, port(s));
	say_whose(s, &e);
	note_text(s, &e, KEY_DETAIL, s->ev->detail);
	put_event(s, &e);
}

static void show_holder(struct show *s)
{
	char text[PFTRACE_TEXT];

	snprintf(text, sizeof(text), "held in %s", s->ev->detail);

	struct pftrace_event e = event(s, PFTRACE_INSTANT, text);

	e.track = tracks_of_port(s->t->tracks, port(s), PORT_SELF);
	note_number(s, &e, KEY_QUEUE, s->ev->queue_bytes);
	put_event(s, &e);
}

static void show_of_flow(struct show *s, const char *text)
{
	struct pftrace_event e = event(s, PFTRACE_INSTANT, text);
	int flow = s->ev->flow;

	if (flow < 0)
		e.track = tracks_of_port(s->t->tracks, port(s), PORT_SELF);
	else
		e.sequence = tracks_of_reaction(s->t->tracks, s->t->flow[flow]);
	note_number(s, &e, KEY_PSN, s->ev->psn);
	note_text(s, &e, KEY_DETAIL, s->ev->detail);
	put_event(s, &e);
}

// Rates and alpha of a reaction point become values of counters: a note for each would take more
// room. A counter keeps its value, so Rt and alpha are written only if they have changed.
static void show_rp(struct show *s)
{
	const struct saved_ev *ev = s->ev;

	if (ev->flow < 0 || isnan(ev->rc_gbps) || isnan(ev->rt_gbps)) {
		show_of_flow(s, ev->detail);
		return;
	}

	struct pftrace_event e = event(s, PFTRACE_INSTANT, ev->detail);
	struct reaction *last = &s->last[ev->flow];

	e.sequence = tracks_of_reaction(s->t->tracks, s->t->flow[ev->flow]);
	e.value[e.n_values++] = llround(ev->rc_gbps * 1e6);
	if (ev->rt_gbps != last->rt_gbps)
		e.value[e.n_values++] = llround(ev->rt_gbps * 1e6);
	if (ev->alpha != last->alpha)
		e.real = ev->alpha;
	*last = (struct reaction){.rt_gbps = ev->rt_gbps, .alpha = ev->alpha};
	put_event(s, &e);
}

static void show_counter(struct show *s, enum flow_track which, double v)
{
	if (s->ev->flow < 0 || isnan(v)) {
		show_of_flow(s, ev_row[s->ev->type].name);
		return;
	}

	struct pftrace_event e = {.t = s->ev->t,
		.type = PFTRACE_COUNTER,
		.real = v,
		.sequence = tracks_alone(s->t->tracks, s->t->flow[s->ev->flow], which)};

	put_event(s, &e);
}

static void show_alpha(struct show *s)
{
	if (s->ev->flow >= 0)
		s->last[s->ev->flow].alpha = s->ev->alpha;
	show_counter(s, FLOW_ALPHA, s->ev->alpha);
}

// A message is acknowledged. It is a slice where its beginning is known.
static void show_message(struct show *s, const struct message *m)
{
	struct pftrace_event e = event(s, PFTRACE_INSTANT, "message");
	int flow = s->ev->flow < 0 ? -1 : s->t->flow[s->ev->flow];

	note_text(s, &e, KEY_NUMBER, s->ev->detail);
	note_number(s, &e, KEY_BYTES, s->ev->bytes);
	if (!m || flow < 0) {
		e.track = flow < 0 ? tracks_of_port(s->t->tracks, port(s), PORT_SELF)
				   : tracks_of_flow(s->t->tracks, flow, FLOW_MESSAGES);
		put_event(s, &e);
		return;
	}
	note_real(s, &e, KEY_SLOWDOWN, m->slowdown);
	e.type = PFTRACE_BEGIN;
	e.t = m->begin;
	e.sequence = messages_sequence(s->messages, s->t->tracks, flow, m, s->ev->t);
	put_event(s, &e);

	struct pftrace_event end = {
		.t = s->ev->t, .type = PFTRACE_END, .sequence = e.sequence, .real = NAN};

	pftrace_put(s->t->trace, &end);
}

static uint32_t span_track(struct show *s, unsigned object, int cls, enum span_kind kind)
{
	static const enum class_track which[SPAN_KINDS] = {
		[SPAN_PAUSE] = CLASS_SELF,
		[SPAN_STORM] = CLASS_STORMS,
		[SPAN_DEADLOCK] = CLASS_DEADLOCKS,
	};

	return tracks_of_class(s->t->tracks, s->t->port[object], cls, which[kind]);
}

// A record that is broken may have an end before its beginning, and a slice may not.
static void end_span(
	struct show *s, unsigned object, int cls, enum span_kind kind, tstamp t, const char *by)
{
	struct span *span = spans_of(&s->open, object, cls, kind);
	struct pftrace_event e = {.t = t < span->t ? span->t : t,
		.type = PFTRACE_END,
		.real = NAN,
		.track = span_track(s, object, cls, kind)};

	note_text(s, &e, KEY_ENDED_BY, by);
	pftrace_put(s->t->trace, &e);
}

static void begin_span(struct show *s, enum span_kind kind, struct span *span)
{
	static const char *const text[SPAN_KINDS][2] = {
		[SPAN_PAUSE] = {"paused", "paused, and still at the end of the run"},
		[SPAN_STORM] = {"storm", "storm, and still at the end of the run"},
		[SPAN_DEADLOCK] = {"deadlock", "deadlock, and still at the end of the run"},
	};
	const struct saved_ev *ev = s->ev;
	struct pftrace_event e = event(s, PFTRACE_BEGIN, text[kind][s->no_end]);

	if (span->open)
		end_span(s, ev->object, ev->cls, kind, ev->t, "no event of it");
	e.track = span_track(s, ev->object, ev->cls, kind);
	note_number(s, &e, KEY_QUANTA, ev->quanta);
	note_number(s, &e, KEY_QUEUE, ev->queue_bytes);
	note_text(s, &e, KEY_DETAIL, ev->detail);
	put_event(s, &e);
	*span = (struct span){.open = true, .t = ev->t};
}

// False: the event is none of a span, or its other half is not there.
static bool show_span(struct show *s)
{
	const struct saved_ev *ev = s->ev;
	enum span_kind kind;
	bool begins = span_begins(ev->type, &kind);
	struct span *span;

	if (!begins && !span_ends(ev->type, &kind))
		return false;
	span = spans_of(&s->open, ev->object, ev->cls, kind);
	if (!span)
		return false;
	if (begins) {
		if (timeline_shows(s->t, ev->t) || (ev->t < s->t->from && s->late))
			begin_span(s, kind, span);
		return true;
	}
	if (!span->open)
		return false;
	end_span(s, ev->object, ev->cls, kind, ev->t, ev->detail);
	s->t->shown++;
	span->open = false;
	return true;
}

static void end_spans(struct show *s)
{
	for (unsigned object = 0; object < s->open.objects; object++)
		for (int cls = 0; cls < 8; cls++)
			for (unsigned kind = 0; kind < SPAN_KINDS; kind++)
				if (spans_of(&s->open, object, cls, kind)->open)
					end_span(s, object, cls, kind, s->t->end, "end of the run");
}

// Shows an event at its flow; one without a flow at its port.
static void show_where(struct show *s, const char *text)
{
	if (s->ev->flow >= 0)
		show_of_flow(s, text);
	else
		show_at_port(s, text);
}

static void show_fault(struct show *s)
{
	char text[PFTRACE_TEXT];

	snprintf(text, sizeof(text), "fault %s", s->ev->detail);
	show_where(s, text);
}

static void show_instant(struct show *s)
{
	const struct saved_ev *ev = s->ev;

	switch ((int)ev->type) {
	case EV_MARK:
		show_mark(s, "mark");
		break;
	case EV_FAST_CNP_TX:
		show_mark(s, "Fast CNP");
		break;
	case EV_CNM_TX:
		show_mark(s, "CNM");
		break;
	case EV_DROP:
		show_drop(s);
		break;
	case EV_XOFF_TX:
		show_at_port(s, "XOFF");
		break;
	case EV_XON_TX:
		show_at_port(s, "XON");
		break;
	case EV_XOFF_HOLDER:
		show_holder(s);
		break;
	case EV_CNP_TX:
		show_cnp(s, "CNP");
		break;
	case EV_IQCN_TX:
		show_cnp(s, "CNP of iQCN");
		break;
	case EV_FAULT:
		show_fault(s);
		break;
	case EV_CNP_RX:
		show_of_flow(s, "CNP");
		break;
	case EV_CNM_RX:
		show_of_flow(s, "CNM");
		break;
	case EV_RP:
		show_rp(s);
		break;
	case EV_USER_MARK:
	case EV_SET:
		show_moment(s);
		break;
	case EV_RP_ALPHA:
		show_alpha(s);
		break;
	case EV_RTT:
		show_counter(s, FLOW_RTT, *ev->detail ? strtod(ev->detail, NULL) : NAN);
		break;
	default:
		show_where(s, ev_row[ev->type].name);
	}
}

static void show(struct show *s)
{
	const struct saved_ev *ev = s->ev;
	bool shows = timeline_shows(s->t, ev->t);
	struct message m;

	if (show_span(s) || job_tracks_take(s->jobs, ev))
		return;
	if (ev->type == EV_MSG_DONE) {
		bool begun = messages_next(s->messages, ev, &m);

		if (shows || (begun && ev->t >= s->t->from && m.begin < s->t->to))
			show_message(s, begun ? &m : NULL);
		return;
	}
	if (shows)
		show_instant(s);
}

// Adds the findings of the first reading about this event.
static void add_findings(struct show *s, uint64_t number)
{
	const struct found_entry *entry;
	size_t n = found_of(&s->t->found, number, &entry);

	s->arrows = 0;
	s->late = s->no_end = false;
	for (size_t i = 0; i < n; i++) {
		if (entry[i].what == FOUND_ARROW && s->arrows < PFTRACE_FLOWS)
			s->arrow[s->arrows++] = entry[i].id;
		s->late |= entry[i].what == FOUND_LATE;
		s->no_end |= entry[i].what == FOUND_NO_END;
	}
}

int timeline_events(struct timeline *t)
{
	struct show *s;
	unsigned flows = saved_flows(t->saved);
	int code = 0;

	if (!saved_events(t->saved))
		return 0;
	s = calloc(1, sizeof(*s));
	if (!s)
		return -ENOMEM;
	s->t = t;
	s->messages = messages_new(t->saved);
	s->jobs = job_tracks_new(t);
	s->whose = calloc(flows + 1, sizeof(*s->whose));
	s->last = calloc(flows + 1, sizeof(*s->last));
	s->arrow_ends = calloc((size_t)t->arrows + 1, 1);
	if (s->messages && s->jobs && s->whose && s->last && s->arrow_ends) {
		for (unsigned i = 0; i < flows; i++)
			s->last[i] = (struct reaction){NAN, NAN};
		for (uint64_t i = 0; (s->ev = saved_next(t->saved)) != NULL; i++) {
			add_findings(s, i);
			show(s);
		}
		end_spans(s);
		job_tracks_end(s->jobs);
	} else {
		code = -ENOMEM;
	}
	messages_free(s->messages);
	job_tracks_free(s->jobs);
	spans_fini(&s->open);
	free(s->whose);
	free(s->last);
	free(s->arrow_ends);
	free(s);
	return code;
}
