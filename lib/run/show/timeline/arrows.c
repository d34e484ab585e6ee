// SPDX-License-Identifier: BSD-3-Clause
// Causes, found from earlier events: the marks and CNPs of a flow that are still on their way, and
// the XOFF that a class of a port obeys.
#include "arrows.h"

#include <stdlib.h>
#include <string.h>

#include "wires.h"
#include "conf/conf.h"

enum {
	CLASSES = 8,
	CNPS = 64,           // of a flow that are on their way
	MARKS_UNHEARD = 256, // of a flow that has had no CNP yet
	XOFFS = 4,           // of a port that are remembered
	NO_EVENT = -1,
};

// A frame, CNP or XOFF that left a port at an instant.
struct sent {
	tstamp t;
	int64_t event;
	unsigned object;
};

struct cnp {
	struct sent sent;
	uint32_t id; // of its arrow
	bool shown;  // the arrow goes through it already
};

struct flow {
	struct sent *mark;  // on their way, a ring
	size_t at, n, room; // room is a power of two
	int receiver;       // the port that sends its CNPs; -1: not known yet
	// Marks that may have reached the receiver since its last CNP, and the last mark before it
	// that no CNP has answered; NO_EVENT.
	struct sent first, last, before;
	struct cnp cnp[CNPS]; // oldest first
	unsigned n_cnps;
	uint32_t awaits; // arrow of a CNP that came, and the cut has not; 0: none
	struct {         // the last way that was asked for
		unsigned from, to;
		bool cnp;
		tstamp delay;
	} way;
};

struct port {
	struct {
		struct sent sent;
		uint8_t classes;
	} xoff[XOFFS]; // newest first
	unsigned n_xoffs;
	struct {
		bool paused;
		int64_t cause; // its XOFF, or what it did to this port
	} cls[CLASSES];
	int64_t linked[2]; // the last cause and effect of an arrow upstream
	int node;          // -1: not known yet
};

struct arrows {
	struct saved *saved;
	struct found *found;
	struct wires *wires;
	struct lexicon object; // their numbers are those of `saved`
	struct flow **flow;
	unsigned n_flows;
	struct port *port;
	unsigned n_ports;
	struct lexicon node;
	unsigned *paused; // by node: classes of its ports
	uint32_t n_paused;
	bool miss_holders;
	uint32_t n;
};

struct arrows *arrows_new(struct saved *s, struct found *f)
{
	struct arrows *a = calloc(1, sizeof(*a));

	if (!a)
		return NULL;
	a->saved = s;
	a->found = f;
	a->wires = wires_new(saved_manifest(s));
	if (!a->wires) {
		free(a);
		return NULL;
	}
	return a;
}

void arrows_free(struct arrows *a)
{
	if (!a)
		return;
	for (unsigned i = 0; i < a->n_flows; i++) {
		if (a->flow[i])
			free(a->flow[i]->mark);
		free(a->flow[i]);
	}
	wires_free(a->wires);
	lexicon_fini(&a->object);
	lexicon_fini(&a->node);
	free(a->paused);
	free(a->flow);
	free(a->port);
	free(a);
}

uint32_t arrows_found(const struct arrows *a)
{
	return a->n;
}

static void *no_memory(struct arrows *a)
{
	a->found->no_memory = true;
	return NULL;
}

static struct flow *flow_of(struct arrows *a, int i)
{
	if (i < 0)
		return NULL;
	if ((unsigned)i >= a->n_flows) {
		unsigned n = 2 * ((unsigned)i + 1);
		struct flow **more = realloc(a->flow, n * sizeof(struct flow *));

		if (!more)
			return no_memory(a);
		memset(more + a->n_flows, 0, (n - a->n_flows) * sizeof(struct flow *));
		a->flow = more;
		a->n_flows = n;
	}
	if (!a->flow[i]) {
		a->flow[i] = calloc(1, sizeof(struct flow));
		if (!a->flow[i])
			return no_memory(a);
		a->flow[i]->receiver = -1;
		a->flow[i]->first.event = a->flow[i]->last.event = NO_EVENT;
		a->flow[i]->before.event = NO_EVENT;
	}
	return a->flow[i];
}

static struct port *port_of(struct arrows *a, unsigned i)
{
	if (i >= a->n_ports) {
		unsigned n = 2 * (i + 1);
		struct port *more = realloc(a->port, n * sizeof(*more));

		if (!more)
			return no_memory(a);
		memset(more + a->n_ports, 0, (n - a->n_ports) * sizeof(*more));
		for (unsigned k = a->n_ports; k < n; k++) {
			more[k].linked[0] = more[k].linked[1] = NO_EVENT;
			more[k].node = -1;
		}
		a->port = more;
		a->n_ports = n;
	}
	return &a->port[i];
}

// How many classes of the ports of a port's node are paused; NULL: no memory.
static unsigned *paused_of(struct arrows *a, unsigned object)
{
	struct port *p = port_of(a, object);
	const char *name = saved_object(a->saved, object);

	if (!p)
		return NULL;
	if (p->node < 0)
		p->node = lexicon_number(&a->node, name, strcspn(name, ":"));
	if (p->node < 0)
		return no_memory(a);
	if ((unsigned)p->node >= a->n_paused) {
		unsigned n = 2 * ((unsigned)p->node + 1);
		unsigned *more = realloc(a->paused, n * sizeof(*more));

		if (!more)
			return no_memory(a);
		memset(more + a->n_paused, 0, (n - a->n_paused) * sizeof(*more));
		a->paused = more;
		a->n_paused = n;
	}
	return &a->paused[p->node];
}

static void set_paused(struct arrows *a, unsigned object, int cls, bool paused)
{
	struct port *p = port_of(a, object);
	unsigned *n = paused_of(a, object);

	if (!p || !n || p->cls[cls].paused == paused)
		return;
	p->cls[cls].paused = paused;
	*n = paused ? *n + 1 : *n - 1;
}

bool arrows_miss_holders(const struct arrows *a)
{
	return a->miss_holders;
}

static tstamp way(struct arrows *a, unsigned from, unsigned to)
{
	return wires_way(a->wires, saved_object(a->saved, from), saved_object(a->saved, to));
}

// Whether a frame or a CNP may have reached another port's node. The delays of links only give a
// lower bound: a frame has a length, and it waits in queues. A frame leaves by the port of its
// event. A CNP leaves the node: if a switch sends it, the port is the data's.
static bool can_be_there(
	struct arrows *a, struct flow *f, const struct sent *s, bool cnp, unsigned to, tstamp now)
{
	if (f->way.from != s->object || f->way.to != to || f->way.cnp != cnp || !f->way.delay) {
		f->way.from = s->object;
		f->way.to = to;
		f->way.cnp = cnp;
		f->way.delay = cnp ? wires_between(a->wires, saved_object(a->saved, s->object),
					     saved_object(a->saved, to))
				   : way(a, s->object, to);
	}
	return s->t + f->way.delay < now || (!f->way.delay && s->t == now);
}

// Moves on to the marks that have reached the receiver by now. It answers the first or the last of
// them.
static void marks_arrive(struct arrows *a, struct flow *f, tstamp now)
{
	while (f->n) {
		const struct sent *m = &f->mark[f->at];

		if (!can_be_there(a, f, m, false, (unsigned)f->receiver, now))
			return;
		if (f->first.event == NO_EVENT)
			f->first = *m;
		f->last = *m;
		f->at = (f->at + 1) & (f->room - 1);
		f->n--;
	}
}

static void take_mark(struct arrows *a, const struct saved_ev *ev, int64_t event)
{
	struct flow *f = flow_of(a, ev->flow);

	if (!f)
		return;
	if (f->receiver >= 0) {
		marks_arrive(a, f, ev->t);
	} else if (f->n == MARKS_UNHEARD) {
		f->at = (f->at + 1) & (f->room - 1);
		f->n--;
	}
	if (f->n == f->room) {
		size_t room = f->room ? 2 * f->room : 16;
		struct sent *more = malloc(room * sizeof(*more));

		if (!more) {
			no_memory(a);
			return;
		}
		for (size_t i = 0; i < f->n; i++)
			more[i] = f->mark[(f->at + i) & (f->room - 1)];
		free(f->mark);
		f->mark = more;
		f->room = room;
		f->at = 0;
	}
	f->mark[(f->at + f->n++) & (f->room - 1)] =
		(struct sent){.t = ev->t, .event = event, .object = ev->object};
}

static void forget_cnps(struct flow *f, unsigned n)
{
	f->n_cnps -= n;
	memmove(f->cnp, f->cnp + n, f->n_cnps * sizeof(*f->cnp));
}

static struct cnp *take_cnp(struct arrows *a, const struct saved_ev *ev, int64_t event)
{
	struct flow *f = flow_of(a, ev->flow);
	struct cnp *c;

	if (!f)
		return NULL;
	if (f->n_cnps == CNPS)
		forget_cnps(f, 1);
	c = &f->cnp[f->n_cnps++];
	*c = (struct cnp){.sent = {.t = ev->t, .event = event, .object = ev->object}};
	return c;
}

static void show_cnp(struct arrows *a, struct cnp *c)
{
	if (!c->id)
		c->id = ++a->n;
	if (!c->shown)
		found_add(a->found, (uint64_t)c->sent.event, FOUND_ARROW, c->id);
	c->shown = true;
}

// If no mark can have arrived since the last CNP, one that could have arrived before has waited in
// a queue.
static int64_t cause_of_cnp(const struct arrows *a, struct flow *f, unsigned receiver)
{
	bool first = wires_answers_first(a->wires, saved_object(a->saved, receiver));
	struct sent cause = first ? f->first : f->last;

	if (cause.event == NO_EVENT)
		cause = f->before;
	else
		f->before = f->last;
	if (f->before.event == cause.event)
		f->before.event = NO_EVENT;
	f->first.event = f->last.event = NO_EVENT;
	return cause.event;
}

static void take_np_cnp(struct arrows *a, const struct saved_ev *ev, int64_t event)
{
	struct flow *f = flow_of(a, ev->flow);
	struct cnp *c = take_cnp(a, ev, event);
	int64_t cause;

	if (!c)
		return;
	f->receiver = (int)ev->object;
	marks_arrive(a, f, ev->t);
	cause = cause_of_cnp(a, f, ev->object);
	if (cause == NO_EVENT)
		return;
	show_cnp(a, c);
	found_add(a->found, (uint64_t)cause, FOUND_ARROW, c->id);
}

// Finds the CNP that has arrived: the oldest on its way. An older CNP counts as lost if it has been
// on its way more than twice as long as a later one that may have arrived.
static void take_cnp_rx(struct arrows *a, const struct saved_ev *ev, uint64_t event)
{
	struct flow *f = flow_of(a, ev->flow);
	unsigned n = 0;

	if (!f)
		return;
	f->awaits = 0;
	while (n < f->n_cnps && can_be_there(a, f, &f->cnp[n].sent, true, ev->object, ev->t))
		n++;
	if (!n)
		return;
	for (unsigned i = 1; i < n; i++)
		if (ev->t - f->cnp[0].sent.t > 2 * (ev->t - f->cnp[1].sent.t))
			forget_cnps(f, 1);
	show_cnp(a, &f->cnp[0]);
	found_add(a->found, event, FOUND_ARROW, f->cnp[0].id);
	f->awaits = f->cnp[0].id;
	forget_cnps(f, 1);
}

static void take_rp(struct arrows *a, const struct saved_ev *ev, uint64_t event)
{
	struct flow *f = flow_of(a, ev->flow);

	if (!f || !f->awaits || strcmp(ev->detail, "decrease") != 0)
		return;
	found_add(a->found, event, FOUND_ARROW, f->awaits);
	f->awaits = 0;
}

static void take_xoff(struct arrows *a, const struct saved_ev *ev, int64_t event)
{
	struct port *p = port_of(a, ev->object);
	const unsigned *paused = paused_of(a, ev->object);

	if (!p || !paused)
		return;
	a->miss_holders |= *paused && !saved_recorded(a->saved, EV_XOFF_HOLDER);
	memmove(p->xoff + 1, p->xoff, (XOFFS - 1) * sizeof(*p->xoff));
	p->xoff[0].sent = (struct sent){.t = ev->t, .event = event, .object = ev->object};
	p->xoff[0].classes =
		strcmp(ev->detail, "pause") == 0 ? 0xff : (uint8_t)strtoul(ev->detail, NULL, 16);
	p->n_xoffs += p->n_xoffs < XOFFS;
}

static void add_arrow(struct arrows *a, int64_t from, int64_t to)
{
	a->n++;
	found_add(a->found, (uint64_t)from, FOUND_ARROW, a->n);
	found_add(a->found, (uint64_t)to, FOUND_ARROW, a->n);
}

static void take_pause(struct arrows *a, const struct saved_ev *ev, int64_t event)
{
	int peer = saved_peer(a->saved, ev->object);
	struct port *p = port_of(a, ev->object), *other;
	tstamp delay;

	if (!p || ev->cls < 0 || ev->cls >= CLASSES)
		return;
	set_paused(a, ev->object, ev->cls, true);
	p->cls[ev->cls].cause = event;
	other = peer < 0 ? NULL : port_of(a, (unsigned)peer);
	if (!other)
		return;
	delay = way(a, (unsigned)peer, ev->object);
	p = &a->port[ev->object]; // it may have moved
	for (unsigned i = 0; i < other->n_xoffs; i++) {
		if (!(other->xoff[i].classes >> ev->cls & 1) ||
			other->xoff[i].sent.t + delay > ev->t)
			continue;
		p->cls[ev->cls].cause = other->xoff[i].sent.event;
		add_arrow(a, other->xoff[i].sent.event, event);
		return;
	}
}

static void take_resume(struct arrows *a, const struct saved_ev *ev)
{
	if (ev->cls >= 0 && ev->cls < CLASSES)
		set_paused(a, ev->object, ev->cls, false);
}

// Returns the number of an object by its name, "s1:r" of "s1:r.3"; -1: no event has named it so
// far.
static int object_number(struct arrows *a, const char *name, size_t len)
{
	for (unsigned i = a->object.n; i < saved_objects(a->saved); i++) {
		const char *known = saved_object(a->saved, i);

		if (lexicon_number(&a->object, known, strlen(known)) < 0)
			no_memory(a);
	}
	return lexicon_find(&a->object, name, len);
}

// Frames in a paused queue made the port send XOFF: the arrow starts at the event that paused that
// queue.
static void take_holder(struct arrows *a, const struct saved_ev *ev)
{
	struct port *p = port_of(a, ev->object), *holder;
	const char *dot = strrchr(ev->detail, '.');
	int object = dot ? object_number(a, ev->detail, (size_t)(dot - ev->detail)) : -1;
	unsigned cls = dot ? (unsigned)(dot[1] - '0') : CLASSES;
	int64_t cause, effect;

	if (!p || object < 0 || cls >= CLASSES)
		return;
	holder = port_of(a, (unsigned)object);
	p = &a->port[ev->object]; // it may have moved
	if (!holder || !holder->cls[cls].paused || !p->n_xoffs || p->xoff[0].sent.t != ev->t)
		return;
	cause = holder->cls[cls].cause;
	effect = p->xoff[0].sent.event;
	if (p->linked[0] == cause && p->linked[1] == effect)
		return;
	p->linked[0] = cause;
	p->linked[1] = effect;
	add_arrow(a, cause, effect);
}

void arrows_take(struct arrows *a, const struct saved_ev *ev, uint64_t event)
{
	switch ((int)ev->type) {
	case EV_MARK:
		take_mark(a, ev, (int64_t)event);
		break;
	case EV_CNP_TX:
		take_np_cnp(a, ev, (int64_t)event);
		break;
	case EV_IQCN_TX:
	case EV_FAST_CNP_TX:
		take_cnp(a, ev, (int64_t)event);
		break;
	case EV_CNP_RX:
		take_cnp_rx(a, ev, event);
		break;
	case EV_RP:
		take_rp(a, ev, event);
		break;
	case EV_XOFF_TX:
		take_xoff(a, ev, (int64_t)event);
		break;
	case EV_PAUSE_RX:
		take_pause(a, ev, (int64_t)event);
		break;
	case EV_RESUME_RX:
		take_resume(a, ev);
		break;
	case EV_XOFF_HOLDER:
		take_holder(a, ev);
		break;
	default:
		break;
	}
}
