// SPDX-License-Identifier: BSD-3-Clause
// Tracks with their names, units and places, described when something is first to be shown on them.
#include "tracks.h"

#include <stdlib.h>
#include <string.h>

enum { CLASSES = 8 };

enum { // places among the children of a port
	RANK_CNPS,
	RANK_RXBUF,
	RANK_CLASS,
};

// Whole numbers of rates are kb/s.
#define RATE .counter = true, .unit = "b/s", .scale = 1000
#define SIZE .counter = true, .bytes = true, .axis = "queue"

static const struct pftrace_track port_tracks[PORT_TRACKS] = {
	[PORT_SELF] = {.about = "PFC and PAUSE that this port sends: XOFF, XON"},
	[PORT_CNPS] = {.name = "CNPs sent",
		.rank = RANK_CNPS,
		.about = "by the notification point, or by a switch itself"},
	[PORT_RXBUF] = {.name = "receive buffer",
		.rank = RANK_RXBUF,
		.counter = true,
		.bytes = true},
};

static const struct pftrace_track class_tracks[CLASS_TRACKS] = {
	[CLASS_SELF] = {.about = "time in which the peer keeps this class of the port paused"},
	[CLASS_QLEN] = {.name = "queue", SIZE, .about = "length at the end of each period"},
	[CLASS_QLEN_MAX] = {.name = "queue, most in the period", SIZE},
	[CLASS_QLEN_MARKED] = {.name = "queue that the marker saw",
		SIZE,
		.about = "length at each mark"},
	[CLASS_TX] = {.name = "sent",
		RATE,
		.about = "frames with FCS, mean of the period; Gb/s where it says G"},
	[CLASS_MARKS] = {.name = "marks", .about = "CE, CNMs and CNPs of the switch"},
	[CLASS_DROPS] = {.name = "drops"},
	[CLASS_STORMS] = {.name = "storms", .about = "as the PFC watchdog finds them"},
	[CLASS_DEADLOCKS] = {.name = "deadlocks"},
};

static const struct pftrace_track flow_tracks[FLOW_TRACKS] = {
	[FLOW_SELF] = {.about = "CNPs that came, and the reaction point's events"},
	[FLOW_RC] = {.name = "Rc", RATE, .axis = "rate", .about = "current rate"},
	[FLOW_RT] = {.name = "Rt", RATE, .axis = "rate", .about = "target rate"},
	[FLOW_GOODPUT] = {.name = "goodput",
		RATE,
		.axis = "rate",
		.about = "payload that arrived in order, mean of the period"},
	[FLOW_ALPHA] = {.name = "alpha", .counter = true},
	[FLOW_RTT] = {.name = "RTT", .counter = true, .unit = "us"},
	[FLOW_MESSAGES] = {.name = "messages",
		.about = "from when a message could be sent to its last acknowledgement"},
};

struct class
{
	uint32_t track[CLASS_TRACKS];
	uint32_t marks; // sequence
};

struct port {
	uint32_t rank, node;
	uint32_t track[PORT_TRACKS];
	uint32_t cnps;       // sequence
	struct class *class; // CLASSES of them
};

struct node {
	uint32_t track, rank, ports;
};

struct flow {
	uint32_t rank;
	uint32_t track[FLOW_TRACKS];
	uint32_t reaction;           // sequence
	uint32_t alone[FLOW_TRACKS]; // sequences
};

struct tracks {
	struct lexicon ports, nodes, flows;
	struct arena arena;
	struct port *port;
	struct node *node;
	struct flow *flow;
	struct pftrace *trace;
	uint32_t run, all_flows, moments;
};

struct tracks *tracks_new(void)
{
	return calloc(1, sizeof(struct tracks));
}

void tracks_free(struct tracks *t)
{
	if (!t)
		return;
	lexicon_fini(&t->ports);
	lexicon_fini(&t->nodes);
	lexicon_fini(&t->flows);
	arena_free(&t->arena);
	free(t);
}

int tracks_port(struct tracks *t, const char *name, size_t len)
{
	return lexicon_number(&t->ports, name, len);
}

int tracks_flow(struct tracks *t, const char *name)
{
	return lexicon_number(&t->flows, name, strlen(name));
}

// A name and the number of its object, in the order in which people read names: h2 before h10.
struct named {
	const char *name;
	uint32_t i;
	bool last;
};

static int compare_named(const void *x, const void *y)
{
	const struct named *a = x, *b = y;

	return a->last != b->last ? a->last - b->last : strverscmp(a->name, b->name);
}

static struct named *sort_names(const struct lexicon *w)
{
	struct named *n = calloc(w->n + 1, sizeof(*n));

	for (uint32_t i = 0; n && i < w->n; i++)
		n[i] = (struct named){.name = w->text[i], .i = i};
	return n;
}

static bool find_nodes(struct tracks *t)
{
	for (uint32_t i = 0; i < t->ports.n; i++) {
		const char *name = t->ports.text[i];
		int node = lexicon_number(&t->nodes, name, strcspn(name, ":"));

		if (node < 0)
			return false;
		t->port[i].node = (uint32_t)node;
	}
	t->node = arena_get(&t->arena, (t->nodes.n + 1) * sizeof(*t->node));
	for (uint32_t i = 0; t->node && i < t->ports.n; i++)
		t->node[t->port[i].node].ports++;
	return t->node;
}

static bool rank_all(struct tracks *t)
{
	struct named *ports = sort_names(&t->ports), *nodes = sort_names(&t->nodes),
		     *flows = sort_names(&t->flows);
	bool done = ports && nodes && flows;

	if (done) {
		for (uint32_t i = 0; i < t->nodes.n; i++)
			nodes[i].last = t->node[i].ports < 2;
		qsort(ports, t->ports.n, sizeof(*ports), compare_named);
		qsort(nodes, t->nodes.n, sizeof(*nodes), compare_named);
		qsort(flows, t->flows.n, sizeof(*flows), compare_named);
		for (uint32_t i = 0; i < t->ports.n; i++)
			t->port[ports[i].i].rank = i;
		for (uint32_t i = 0; i < t->nodes.n; i++)
			t->node[nodes[i].i].rank = i;
		for (uint32_t i = 0; i < t->flows.n; i++)
			t->flow[flows[i].i].rank = i;
	}
	free(ports);
	free(nodes);
	free(flows);
	return done;
}

uint32_t tracks_begin(struct tracks *t, struct pftrace *p, const char *name, const char *about)
{
	t->trace = p;
	t->port = arena_get(&t->arena, (t->ports.n + 1) * sizeof(*t->port));
	t->flow = arena_get(&t->arena, (t->flows.n + 1) * sizeof(*t->flow));
	if (!t->port || !t->flow || !find_nodes(t) || !rank_all(t))
		return 0;
	t->run = pftrace_track(p, &(struct pftrace_track){.name = name, .about = about});
	return t->run;
}

static uint32_t describe(struct tracks *t, const struct pftrace_track *like, const char *name,
	uint32_t parent, uint32_t rank)
{
	struct pftrace_track track = *like;

	track.name = name;
	track.parent = parent;
	track.rank = (int)rank;
	return pftrace_track(t->trace, &track);
}

uint32_t tracks_of_moments(struct tracks *t)
{
	if (!t->moments)
		t->moments = pftrace_track(
			t->trace, &(struct pftrace_track){.name = "marks and changes",
					  .about = "marks, actions and values that nodes adopted",
					  .parent = t->run,
					  .rank = -1}); // nodes have ranks from 0
	return t->moments;
}

uint32_t tracks_below_run(struct tracks *t, const char *name, unsigned place)
{
	static const struct pftrace_track plain = {0};

	return describe(t, &plain, name, t->run, t->nodes.n + 1 + place);
}

uint32_t tracks_of_port(struct tracks *t, int i, enum port_track which)
{
	static const struct pftrace_track plain = {0};
	struct port *port = &t->port[i];
	struct node *node = &t->node[port->node];

	if (!node->track)
		node->track = describe(t, &plain, t->nodes.text[port->node], t->run, node->rank);
	if (!port->track[PORT_SELF])
		port->track[PORT_SELF] = describe(
			t, &port_tracks[PORT_SELF], t->ports.text[i], node->track, port->rank);
	if (!port->track[which])
		port->track[which] = describe(t, &port_tracks[which], port_tracks[which].name,
			port->track[PORT_SELF], (uint32_t)port_tracks[which].rank);
	return port->track[which];
}

// NULL: no memory.
static struct class *class_of(struct tracks *t, int i, int cls)
{
	struct port *port = &t->port[i];

	if (!port->class)
		port->class = arena_get(&t->arena, CLASSES * sizeof(*port->class));
	return port->class ? &port->class[cls] : NULL;
}

uint32_t tracks_of_class(struct tracks *t, int i, int cls, enum class_track which)
{
	uint32_t port = tracks_of_port(t, i, PORT_SELF);
	struct class *c;
	char name[16];

	if (cls < 0 || cls >= CLASSES)
		return port;
	c = class_of(t, i, cls);
	if (!c)
		return port;
	snprintf(name, sizeof(name), "class %d", cls);
	if (!c->track[CLASS_SELF])
		c->track[CLASS_SELF] = describe(
			t, &class_tracks[CLASS_SELF], name, port, RANK_CLASS + (uint32_t)cls);
	if (!c->track[which])
		c->track[which] = describe(t, &class_tracks[which], class_tracks[which].name,
			c->track[CLASS_SELF], which);
	return c->track[which];
}

static uint32_t more_of_flow(struct tracks *t, int i, enum flow_track which)
{
	return describe(t, &flow_tracks[which], flow_tracks[which].name,
		t->flow[i].track[FLOW_SELF], which);
}

uint32_t tracks_of_flow(struct tracks *t, int i, enum flow_track which)
{
	static const struct pftrace_track plain = {0};
	struct flow *flow = &t->flow[i];

	if (!t->all_flows)
		t->all_flows = describe(t, &plain, "flows", t->run, t->nodes.n);
	if (!flow->track[FLOW_SELF])
		flow->track[FLOW_SELF] = describe(
			t, &flow_tracks[FLOW_SELF], t->flows.text[i], t->all_flows, flow->rank);
	if (!flow->track[which])
		flow->track[which] = more_of_flow(t, i, which);
	return flow->track[which];
}

uint32_t tracks_of_marks(struct tracks *t, int port, int cls)
{
	struct pftrace_shared shared = {.track = tracks_of_class(t, port, cls, CLASS_MARKS)};
	struct class *c = cls < 0 || cls >= CLASSES ? NULL : class_of(t, port, cls);

	if (!c)
		return 0;
	if (!c->marks) {
		shared.values[0] = tracks_of_class(t, port, cls, CLASS_QLEN_MARKED);
		c->marks = pftrace_sequence(t->trace, &shared);
	}
	return c->marks;
}

uint32_t tracks_of_reaction(struct tracks *t, int i)
{
	struct flow *flow = &t->flow[i];

	if (!flow->reaction) {
		struct pftrace_shared shared = {
			.track = tracks_of_flow(t, i, FLOW_SELF),
			.values = {tracks_of_flow(t, i, FLOW_RC), tracks_of_flow(t, i, FLOW_RT)},
			.real = tracks_of_flow(t, i, FLOW_ALPHA),
		};

		flow->reaction = pftrace_sequence(t->trace, &shared);
	}
	return flow->reaction;
}

static uint32_t sequence_of(struct tracks *t, uint32_t track)
{
	struct pftrace_shared shared = {.track = track};

	return pftrace_sequence(t->trace, &shared);
}

uint32_t tracks_of_cnps(struct tracks *t, int i)
{
	struct port *port = &t->port[i];

	if (!port->cnps)
		port->cnps = sequence_of(t, tracks_of_port(t, i, PORT_CNPS));
	return port->cnps;
}

uint32_t tracks_alone(struct tracks *t, int i, enum flow_track which)
{
	uint32_t *sequence = &t->flow[i].alone[which];

	if (!*sequence)
		*sequence = sequence_of(t, tracks_of_flow(t, i, which));
	return *sequence;
}

uint32_t tracks_more_messages(struct tracks *t, int flow)
{
	return sequence_of(t, more_of_flow(t, flow, FLOW_MESSAGES));
}
