// SPDX-License-Identifier: BSD-3-Clause
// Circles of switches: ways on which lossless frames may wait for each other, or go round for ever.
#include <errno.h>
#include <string.h>

#include "int.h"

#define NO_TRUNK UINT32_MAX
#define NAMED    4 // ports of a circle that are named

// One direction of a link between switches. The egress queue at its near end waits until the switch
// at its far end has room. There a frame leaves by one of `n` other trunks.
struct trunk {
	const struct draft_node *from, *to;
	unsigned port, in; // of either
	// next[k]: bitmap of the classes in which frames from this trunk leave by the k-th trunk of
	// the switch at its far end.
	uint8_t *next;
	const struct draft_node *host; // to which `seen` is
	uint8_t seen;                  // classes in which frames to the host have come by it
	uint8_t open;                  // classes whose way on is being looked at
	uint8_t done;                  // classes that are in no circle with it
};

// The load of one host on a receiver in a class.
struct load {
	const struct draft_node *from;
	unsigned cls, next; // next: the number of another load of the same receiver, 0: none
};

struct loops {
	struct draft *b;
	struct trunk *trunk;
	unsigned n;
	unsigned *first;         // by switch (place): its first trunk
	unsigned *n_trunks;      // and how many it has
	uint32_t **at;           // by switch: its trunk at a port, NO_TRUNK: none
	struct load *load;       // from 1
	unsigned n_loads, *head; // by host: its first load, 0: none
	// of one host
	const struct draft_node *host;
	uint8_t mac[6];
	const struct sw_fdb_params **entry; // by switch, NULL: none
	const struct draft_node **entry_to; // by switch: the host that `entry` is for
	uint8_t *begun;                     // by switch: classes in which hosts have sent
	const struct draft_node *round;     // frames to the host go round there; NULL: they do not
};

static bool is_trunk(const struct draft_node *n, unsigned port)
{
	return n->is_switch && draft_peer(n, port)->is_switch && !n->external &&
	       !draft_peer(n, port)->external;
}

// The switch that represents all switches joined with it.
static unsigned root(unsigned *join, unsigned i)
{
	while (join[i] != i)
		i = join[i] = join[join[i]];
	return i;
}

// The first link that closes a circle; NULL: switches form trees.
static const struct draft_link *closing(struct draft *b, unsigned *join)
{
	for (unsigned i = 0; i < b->n_nodes; i++)
		join[i] = i;
	for (unsigned i = 0; i < b->n_links; i++) {
		const struct draft_link *l = b->link[i];
		unsigned one = root(join, l->node[0]->place), two;

		two = root(join, l->node[1]->place);
		if (!is_trunk(l->node[0], l->port[0]))
			continue;
		if (one == two)
			return l;
		join[one] = two;
	}
	return NULL;
}

static int switch_trunks(struct loops *l, const struct draft_node *n)
{
	l->first[n->place] = l->n;
	l->at[n->place] = draft_get(l->b, n->n_ports * sizeof(**l->at));
	if (!l->at[n->place])
		return -ENOMEM;
	for (unsigned p = 0; p < n->n_ports; p++) {
		const struct draft_port *bp = n->port[p];

		l->at[n->place][p] = NO_TRUNK;
		if (!is_trunk(n, p))
			continue;
		l->at[n->place][p] = l->n;
		l->trunk[l->n++] = (struct trunk){.from = n,
			.to = draft_peer(n, p),
			.port = p,
			.in = bp->link->port[!bp->end]};
	}
	l->n_trunks[n->place] = l->n - l->first[n->place];
	return 0;
}

static int trunks(struct loops *l)
{
	struct draft *b = l->b;
	int rc = 0;

	l->trunk = draft_get(b, 2 * b->n_links * sizeof(*l->trunk));
	l->first = draft_get(b, b->n_nodes * sizeof(*l->first));
	l->n_trunks = draft_get(b, b->n_nodes * sizeof(*l->n_trunks));
	l->at = draft_get(b, b->n_nodes * sizeof(*l->at));
	l->entry = draft_get(b, b->n_nodes * sizeof(*l->entry));
	l->entry_to = draft_get(b, b->n_nodes * sizeof(*l->entry_to));
	l->head = draft_get(b, b->n_nodes * sizeof(*l->head));
	l->begun = draft_get(b, b->n_nodes);
	if (!l->trunk || !l->first || !l->n_trunks || !l->at || !l->entry || !l->entry_to ||
		!l->begun || !l->head)
		return -ENOMEM;
	for (unsigned i = 0; !rc && i < b->n_nodes; i++)
		if (b->node[i]->is_switch && !b->node[i]->external)
			rc = switch_trunks(l, b->node[i]);
	for (unsigned i = 0; !rc && i < l->n; i++) {
		l->trunk[i].next = draft_get(b, l->n_trunks[l->trunk[i].to->place]);
		rc = l->trunk[i].next ? 0 : -ENOMEM;
	}
	return rc;
}

// Frames of a class to the host, from this switch on; they came by the trunk `in`, or (NULL) from a
// host.
static void follow_class(
	struct loops *l, const struct draft_node *sw, struct trunk *in, unsigned cls)
{
	uint8_t bit = (uint8_t)(1 << cls), *seen = in ? &in->seen : &l->begun[sw->place];
	const struct draft_port *by = in ? sw->port[in->in] : NULL;
	bool stops = in && hardware_pg_has_pfc(by, by->spec->pg_map[cls]);
	const struct sw_fdb_params *e;

	if (l->entry_to[sw->place] != l->host) {
		l->entry_to[sw->place] = l->host;
		l->entry[sw->place] = hardware_entry(l->b, sw, l->host, l->mac);
	}
	if (in && in->host != l->host) {
		in->host = l->host;
		in->seen = 0;
	}
	if (in && in->open & bit)
		l->round = sw;
	if (*seen & bit)
		return;
	*seen |= bit;
	if (in)
		in->open |= bit;
	e = l->entry[sw->place];
	for (unsigned p = e ? compile_way_from(l->b, sw, e, 0) : PKT_NO_PORT; p != PKT_NO_PORT;
		p = compile_way_from(l->b, sw, e, p + 1)) {
		unsigned i = l->at[sw->place][p];

		if (i == NO_TRUNK)
			continue;
		if (stops)
			in->next[i - l->first[sw->place]] |= bit;
		follow_class(l, l->trunk[i].to, &l->trunk[i], cls);
	}
	if (in)
		in->open &= (uint8_t)~bit;
}

static void add_load(
	struct loops *l, const struct draft_node *from, const struct draft_node *to, unsigned cls)
{
	l->load[++l->n_loads] = (struct load){from, cls, l->head[to->place]};
	l->head[to->place] = l->n_loads;
}

// Data, and what answers it.
static int loads(struct loops *l)
{
	const struct draft *b = l->b;
	unsigned n = 0;

	for (unsigned i = 0; i < b->n_flows; i++)
		n += b->flow[i]->n_pairs;
	l->load = draft_get(l->b, (2 * n + 1) * sizeof(*l->load));
	for (unsigned i = 0; l->load && i < b->n_flows; i++) {
		const struct draft_flow *f = b->flow[i];

		for (unsigned k = 0; k < f->n_pairs; k++) {
			const struct draft_pair *p = &f->pair[k];

			add_load(l, p->from, p->to, f->cls);
			if (!f->is_open_loop)
				add_load(l, p->to, p->from, b->s->flow[f->first_qp]->rsp.ack_cls);
			else if (p->to->host->responder == SPEC_RESPONDER_ECHO)
				add_load(l, p->to, p->from, f->cls);
		}
	}
	return l->load ? 0 : -ENOMEM;
}

// Follows all paths to a host, and warns if frames would go round for ever.
static void to_host(struct loops *l)
{
	struct opt_ip ip;

	l->round = NULL;
	memset(l->begun, 0, l->b->n_switches);
	hardware_address(l->host, l->mac, &ip);
	for (unsigned i = l->head[l->host->place]; i; i = l->load[i].next) {
		const struct draft_node *sw = draft_peer(l->load[i].from, 0);

		if (sw->is_switch && !sw->external)
			follow_class(l, sw, NULL, l->load[i].cls);
	}
	if (l->round)
		draft_warn(l->b, l->round->key,
			"frames to '%s' come back to switch '%s' and go round for ever; "
			"mend default_port or fdb",
			l->host->name, l->round->name);
}

// Warns of a circle and names its ports in their order. `stack`: the n trunks of the circle.
static void warn_circle(struct loops *l, const unsigned *stack, unsigned n, unsigned cls)
{
	const struct trunk *t = &l->trunk[stack[0]];
	char ports[NAMED * 64] = "";
	size_t at = 0;

	for (unsigned i = 0; i < n && i < NAMED && at < sizeof(ports); i++) {
		const struct trunk *one = &l->trunk[stack[i]];

		at += (size_t)snprintf(ports + at, sizeof(ports) - at, "%s%s", i ? ", " : "",
			one->from->port[one->port]->name);
	}
	draft_warn(l->b, t->from->key,
		"class %u: the ways of its flows form a circle (%s%s): "
		"lossless queues there can wait for each other for ever; ways up and down cannot",
		cls, ports, n > NAMED ? ", ..." : "");
}

// Depth first from a trunk. Returns whether a circle was told.
static bool circle(struct loops *l, unsigned *stack, unsigned n, unsigned cls)
{
	struct trunk *t = &l->trunk[stack[n - 1]];
	uint8_t bit = (uint8_t)(1 << cls);
	bool told = false;

	t->open |= bit;
	for (unsigned i = 0; !told && i < l->n_trunks[t->to->place]; i++) {
		unsigned next = l->first[t->to->place] + i, k = 0;

		if (!(t->next[i] & bit) || l->trunk[next].done & bit)
			continue;
		stack[n] = next;
		if (l->trunk[next].open & bit) {
			while (stack[k] != next)
				k++;
			warn_circle(l, stack + k, n - k, cls);
			told = true;
		} else {
			told = circle(l, stack, n + 1, cls);
		}
	}
	t->done |= bit;
	return told;
}

static int find_loops(struct loops *l)
{
	struct draft *b = l->b;
	unsigned *stack;
	int rc = trunks(l);

	if (!rc)
		rc = loads(l);
	if (rc)
		return rc;
	for (unsigned i = 0; i < b->n_nodes; i++) {
		l->host = b->node[i];
		if (!l->host->is_switch)
			to_host(l);
	}
	stack = draft_get(b, (l->n + 1) * sizeof(*stack));
	if (!stack)
		return -ENOMEM;
	for (unsigned c = 0; c < PKT_CLASSES; c++) {
		bool told = false;

		for (unsigned i = 0; i < l->n && !told; i++) {
			stack[0] = i;
			if (!(l->trunk[i].done >> c & 1))
				told = circle(l, stack, 1, c);
		}
	}
	return 0;
}

int compile_warn_loops(struct draft *b)
{
	unsigned *join = draft_get(b, b->n_nodes * sizeof(*join));
	const struct draft_link *link = join ? closing(b, join) : NULL;
	struct loops l = {.b = b};

	if (!join)
		return -ENOMEM;
	if (!link)
		return 0;
	if (b->s->needs_bytes)
		draft_warn(b, link->at,
			"%s closes a circle of switches: a frame from a capture or device to an "
			"address that "
			"they do not know goes round for ever; take it out, or name addresses in "
			"fdb",
			link->node[0]->port[link->port[0]]->name);
	return find_loops(&l);
}
