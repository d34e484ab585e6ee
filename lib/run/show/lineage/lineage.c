// SPDX-License-Identifier: BSD-3-Clause
// A lineage as a whole: its ports, nodes and roots by name, its begin and end, its results.
#include "lineage.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "int.h"

void *lineage_grow(struct lineage *l, struct list *list, size_t size)
{
	char *at = list->at;

	if (list->n == list->room) {
		uint32_t room = list->room ? 2 * list->room : 16;

		at = room < TO_ROOT ? realloc(at, room * size) : NULL;
		if (!at) {
			l->failed = true;
			return NULL;
		}
		list->at = at;
		list->room = room;
	}
	return memset(at + list->n++ * size, 0, size);
}

struct lineage *lineage_new(bool holders)
{
	struct lineage *l = calloc(1, sizeof(*l));

	if (!l)
		return NULL;
	l->holders = holders;
	l->fresh_port = LINEAGE_NONE;
	lineage_root_number(l, LINEAGE_UNKNOWN, LINEAGE_NONE, "not recorded");
	lineage_root_number(l, LINEAGE_OTHER, LINEAGE_NONE, "other");
	if (l->failed) {
		lineage_free(l);
		return NULL;
	}
	return l;
}

void lineage_free(struct lineage *l)
{
	if (!l)
		return;
	for (unsigned c = 0; c < CLASSES; c++)
		xoff_put(l->fresh[c]);
	for (uint32_t i = 0; i < l->queues.n; i++) {
		struct queue *q = queue_at(l, i);

		struct ring *r = q->ring;

		if (r)
			ring_open(l, r);
		ring_free(r);
		vertex_fini(&q->v);
		account_put(q->begun);
		xoff_put(q->cause);
		xoff_put(q->sent);
		for (struct xoff *x = q->flight, *next; x; x = next) {
			next = x->next;
			xoff_put(x);
		}
	}
	struct list *lists[] = {&l->ports, &l->nodes, &l->queues, &l->roots, &l->pauses, &l->parts,
		&l->rows, &l->stack, &l->found, &l->came};

	for (unsigned i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
		free(lists[i]->at);
	index_fini(&l->port_by_name);
	index_fini(&l->node_by_name);
	index_fini(&l->root_by_name);
	tally_fini(&l->bills);
	tally_fini(&l->edges);
	free(l->bill);
	free(l->edge);
	arena_free(&l->arena);
	free(l);
}

static uint32_t node_number(struct lineage *l, const char *name, size_t len)
{
	uint32_t hash = index_hash(0, name, len), at = hash, i;
	struct node *n;

	while ((i = index_next(&l->node_by_name, hash, &at)) != INDEX_NONE) {
		n = (struct node *)l->nodes.at + i;
		if (!strncmp(n->name, name, len) && !n->name[len])
			return i;
	}
	name = arena_text(&l->arena, name, len);
	if (!name || index_add(&l->node_by_name, hash, l->nodes.n) ||
		!(n = lineage_grow(l, &l->nodes, sizeof(*n)))) {
		l->failed = true;
		return LINEAGE_NONE;
	}
	*n = (struct node){.name = name, .root = LINEAGE_NONE};
	return l->nodes.n - 1;
}

static uint32_t port_find(const struct lineage *l, const char *name)
{
	uint32_t hash = index_hash(0, name, strlen(name)), at = hash, i;

	while ((i = index_next(&l->port_by_name, hash, &at)) != INDEX_NONE)
		if (!strcmp(port_at(l, i)->name, name))
			return i;
	return LINEAGE_NONE;
}

// Adds the queues of the next port.
static bool add_queues(struct lineage *l)
{
	struct queue *q = arena_get(&l->arena, CLASSES * sizeof(*q));

	for (unsigned c = 0; q && c < CLASSES; c++) {
		struct queue **at = lineage_grow(l, &l->queues, sizeof(*at));

		if (!at)
			return false;
		q[c] = (struct queue){
			.v = {.at = l->now, .edge = q[c].edge},
			.number = l->queues.n - 1,
			.root = LINEAGE_NONE,
			.pause = LINEAGE_NONE,
			.newest = LINEAGE_NONE,
		};
		*at = &q[c];
	}
	return q;
}

// Adds a port, without a peer as yet.
static uint32_t port_add(struct lineage *l, const char *name)
{
	uint32_t hash = index_hash(0, name, strlen(name)), number = l->ports.n;
	uint32_t node = node_number(l, name, (size_t)(strchr(name, ':') - name));
	struct port *p;

	name = arena_text(&l->arena, name, strlen(name));
	if (name && node != LINEAGE_NONE && !add_queues(l))
		name = NULL;
	if (!name || node == LINEAGE_NONE || !(p = lineage_grow(l, &l->ports, sizeof(*p))) ||
		index_add(&l->port_by_name, hash, number)) {
		l->failed = true;
		return LINEAGE_NONE;
	}
	*p = (struct port){.name = name, .node = node, .peer = LINEAGE_NONE, .least = TSTAMP_NEVER};
	return number;
}

uint32_t lineage_port(struct lineage *l, const char *name)
{
	const char *colon = strchr(name, ':'), *point;
	uint32_t port = port_find(l, name), peer;
	char *other;

	if (port != LINEAGE_NONE || !colon || l->failed)
		return port;
	// A name of a node has no point.
	point = strchrnul(colon, '.');
	other = arena_format(&l->arena, "%.*s:%.*s%s", (int)(point - colon - 1), colon + 1,
		(int)(colon - name), name, point);
	port = port_add(l, name);
	if (!other || port == LINEAGE_NONE) {
		l->failed = true;
		return LINEAGE_NONE;
	}
	peer = port_find(l, other);
	if (peer == LINEAGE_NONE)
		peer = port_add(l, other);
	if (peer == LINEAGE_NONE)
		return LINEAGE_NONE;
	port_at(l, port)->peer = peer;
	port_at(l, peer)->peer = port;
	return port;
}

void lineage_host(struct lineage *l, const char *node)
{
	uint32_t i = node_number(l, node, strlen(node));

	if (i != LINEAGE_NONE)
		((struct node *)l->nodes.at)[i].host = true;
}

uint32_t lineage_root_number(
	struct lineage *l, enum lineage_kind kind, uint32_t queue, const char *name)
{
	uint32_t hash = index_hash(0, name, strlen(name)), at = hash, i;
	struct lineage_root *r;

	while ((i = index_next(&l->root_by_name, hash, &at)) != INDEX_NONE)
		if (!strcmp(root_at(l, i)->name, name))
			return i;
	name = arena_text(&l->arena, name, strlen(name));
	i = l->roots.n;
	r = name ? lineage_grow(l, &l->roots, sizeof(*r)) : NULL;
	if (!r || index_add(&l->root_by_name, hash, i)) {
		l->failed = true;
		return ROOT_UNSAID;
	}
	*r = (struct lineage_root){.kind = kind, .queue = queue, .name = name};
	return i;
}

uint32_t lineage_egress_root(struct lineage *l, uint32_t queue)
{
	struct queue *q = queue_at(l, queue);
	char name[256];

	if (q->root == LINEAGE_NONE) {
		snprintf(name, sizeof(name), "egress %s.%u", port_at(l, queue / CLASSES)->name,
			queue % CLASSES);
		q->root = lineage_root_number(l, LINEAGE_EGRESS, queue, name);
	}
	return q->root;
}

uint32_t lineage_node_root(struct lineage *l, uint32_t port)
{
	struct node *n = (struct node *)l->nodes.at + port_at(l, port)->node;
	char name[256];

	if (n->root == LINEAGE_NONE) {
		snprintf(name, sizeof(name), "%s %s", n->host ? "host" : "switch", n->name);
		n->root = lineage_root_number(
			l, n->host ? LINEAGE_HOST : LINEAGE_SWITCH, LINEAGE_NONE, name);
	}
	return n->root;
}

int lineage_finish(struct lineage *l, tstamp end)
{
	int ret;

	xoff_settle(l);
	if (l->failed)
		return -ENOMEM;
	l->now = tstamp_max(l->now, end);
	for (uint32_t i = 0; i < l->queues.n; i++)
		if (queue_at(l, i)->pause != LINEAGE_NONE)
			pause_end(l, queue_at(l, i), LINEAGE_RUNNING);
	ret = bill_finish(l);
	if (!ret)
		ret = tree_finish(l);
	return l->failed ? -ENOMEM : ret;
}

struct lineage_counts lineage_counts(const struct lineage *l)
{
	return (struct lineage_counts){
		.ports = l->ports.n,
		.pauses = l->pauses.n,
		.roots = l->roots.n,
		.bills = l->bills.n,
		.edges = l->edges.n,
		.rows = l->rows.n,
		.ps = l->ps,
		.odd = l->odd,
	};
}

const struct lineage_pause *lineage_pause(const struct lineage *l, uint32_t i)
{
	return pause_at(l, i);
}

const struct lineage_part *lineage_part(const struct lineage *l, uint32_t i)
{
	return part_at(l, i);
}

const struct lineage_root *lineage_root(const struct lineage *l, uint32_t i)
{
	return root_at(l, i);
}

const struct lineage_bill *lineage_bill(const struct lineage *l, uint32_t i)
{
	return &l->bill[i];
}

const struct lineage_edge *lineage_edge(const struct lineage *l, uint32_t i)
{
	return &l->edge[i];
}

const struct lineage_row *lineage_row(const struct lineage *l, uint32_t i)
{
	return (struct lineage_row *)l->rows.at + i;
}

tstamp lineage_paused_ps(const struct lineage *l, uint32_t queue)
{
	return queue_at(l, queue)->ps;
}

const char *lineage_port_name(const struct lineage *l, uint32_t port)
{
	return port_at(l, port)->name;
}

uint32_t lineage_peer(const struct lineage *l, uint32_t port)
{
	return port_at(l, port)->peer;
}
