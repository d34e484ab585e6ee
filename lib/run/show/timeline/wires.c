// SPDX-License-Identifier: BSD-3-Clause
// Links between nodes as `resolved` of a manifest has them, ranges of names and all, and the
// shortest ways over them.
#include "wires.h"

#include <stdlib.h>
#include <string.h>

#include "conf/conf.h"

struct wire {
	uint32_t from, to; // nodes
	tstamp delay;
};

struct wires {
	struct lexicon node;
	struct wire *wire; // each link twice, by the node that it leads from
	size_t n, room;
	size_t *first;  // by node: its first wire; one more at the end
	tstamp **ways;  // by destination: ways from each node; NULL: not known yet
	bool *latest;   // by node: its notification point answers the latest CE
	bool no_memory; // while reading
};

enum { RANGE_MOST = 1 << 16 }; // names in a range

static void take_names(struct wires *w, const json_t *names,
	void (*take)(struct wires *, int node, void *), void *arg);

static void take_name(struct wires *w, const char *name, size_t len,
	void (*take)(struct wires *, int node, void *), void *arg)
{
	int node = lexicon_number(&w->node, name, len);

	w->no_memory |= node < 0;
	if (node >= 0)
		take(w, node, arg);
}

// "h1..8" and "s1" alike.
static void take_text(struct wires *w, const char *text,
	void (*take)(struct wires *, int node, void *), void *arg)
{
	const char *dots = strstr(text, ".."), *digits = dots;
	unsigned long first, last;
	char name[64];

	if (!dots) {
		take_name(w, text, strlen(text), take, arg);
		return;
	}
	while (digits > text && digits[-1] >= '0' && digits[-1] <= '9')
		digits--;
	first = strtoul(digits, NULL, 10);
	last = strtoul(dots + 2, NULL, 10);
	for (unsigned long i = first; i <= last && i - first < RANGE_MOST; i++) {
		int n = snprintf(name, sizeof(name), "%.*s%lu", (int)(digits - text), text, i);

		if (n > 0 && (size_t)n < sizeof(name))
			take_name(w, name, (size_t)n, take, arg);
	}
}

static void take_names(struct wires *w, const json_t *names,
	void (*take)(struct wires *, int node, void *), void *arg)
{
	const json_t *one;
	size_t i;

	if (json_is_string(names))
		take_text(w, json_string_value(names), take, arg);
	json_array_foreach(names, i, one) take_names(w, one, take, arg);
}

static void add_wire(struct wires *w, int from, int to, tstamp delay)
{
	if (w->n == w->room) {
		size_t room = w->room ? 2 * w->room : 256;
		struct wire *more = realloc(w->wire, room * sizeof(*more));

		if (!more) {
			w->no_memory = true;
			return;
		}
		w->wire = more;
		w->room = room;
	}
	w->wire[w->n++] = (struct wire){(uint32_t)from, (uint32_t)to, delay};
}

// One end of a link is known, and the other end is wanted.
struct link {
	const json_t *others;
	int node;
	tstamp delay;
};

static void take_other(struct wires *w, int node, void *arg)
{
	const struct link *l = arg;

	if (node == l->node)
		return;
	add_wire(w, l->node, node, l->delay);
	add_wire(w, node, l->node, l->delay);
}

static void take_end(struct wires *w, int node, void *arg)
{
	struct link l = *(const struct link *)arg;

	l.node = node;
	take_names(w, l.others, take_other, &l);
}

// Links that pair nodes of the same place are taken to pair all of them: no way is longer for it.
static void take_link(struct wires *w, const json_t *link)
{
	const json_t *between = json_object_get(link, "between");
	const char *delay = json_string_value(json_object_get(link, "delay"));
	struct link l = {.others = json_array_get(between, 1)};

	if (delay && units_parse(UNITS_TIME, delay, &l.delay) == UNITS_OK)
		take_names(w, json_array_get(between, 0), take_end, &l);
}

static int compare_wires(const void *x, const void *y)
{
	const struct wire *a = x, *b = y;

	return (a->from > b->from) - (a->from < b->from);
}

static void sort_wires(struct wires *w)
{
	uint32_t node = 0;

	w->first = calloc(w->node.n + 1, sizeof(*w->first));
	w->ways = calloc(w->node.n + 1, sizeof(tstamp *));
	if (!w->first || !w->ways) {
		w->no_memory = true;
		return;
	}
	if (w->n)
		qsort(w->wire, w->n, sizeof(*w->wire), compare_wires);
	for (size_t i = 0; i < w->n; i++)
		while (node <= w->wire[i].from)
			w->first[node++] = i;
	while (node <= w->node.n)
		w->first[node++] = w->n;
}

static void take_latest(struct wires *w, int node, void *arg)
{
	(void)arg;
	w->latest[node] = true;
}

static void count_node(struct wires *w, int node, void *arg)
{
	(void)w;
	(void)node;
	(void)arg;
}

// A window's CNP answers the first CE in it (docs/algo/dcqcn.md); that of any other mode, and of a
// notification point that queue pairs share, the latest.
static void take_hosts(struct wires *w, const json_t *hosts)
{
	const json_t *host;
	const char *names;

	json_object_foreach((json_t *)hosts, names, host) take_text(w, names, count_node, NULL);
	w->latest = calloc(w->node.n + 1, sizeof(*w->latest));
	w->no_memory |= !w->latest;
	if (!w->latest)
		return;
	json_object_foreach((json_t *)hosts, names, host)
	{
		const json_t *np = json_object_get(host, "np");
		const char *mode = json_string_value(json_object_get(np, "mode"));
		const char *key = json_string_value(json_object_get(np, "key"));

		if (mode && key && (strcmp(mode, "window") || strcmp(key, "qp")))
			take_text(w, names, take_latest, NULL);
	}
}

struct wires *wires_new(const json_t *manifest)
{
	const json_t *resolved = json_object_get(manifest, "resolved"), *link;
	struct wires *w = calloc(1, sizeof(*w));
	size_t i;

	if (!w)
		return NULL;
	json_array_foreach(json_object_get(resolved, "links"), i, link) take_link(w, link);
	take_hosts(w, json_object_get(resolved, "hosts"));
	sort_wires(w);
	if (w->no_memory) {
		wires_free(w);
		return NULL;
	}
	return w;
}

void wires_free(struct wires *w)
{
	if (!w)
		return;
	for (uint32_t i = 0; w->ways && i < w->node.n; i++)
		free(w->ways[i]);
	lexicon_fini(&w->node);
	free(w->wire);
	free(w->first);
	free(w->ways);
	free(w->latest);
	free(w);
}

static int port_node(const struct wires *w, const char *port)
{
	return lexicon_find(&w->node, port, strcspn(port, ":"));
}

// Finds the least times from all nodes to one: each node whose time has become less updates its
// neighbours.
static tstamp *measure_ways(const struct wires *w, uint32_t to)
{
	uint32_t n = w->node.n, head = 0, waiting = 0;
	tstamp *way = malloc(n * sizeof(*way));
	uint32_t *queue = malloc(n * sizeof(*queue));
	bool *waits = calloc(n, sizeof(*waits));

	if (way && queue && waits) {
		for (uint32_t i = 0; i < n; i++)
			way[i] = TSTAMP_NEVER;
		way[to] = 0;
		queue[waiting++] = to;
		while (waiting) {
			uint32_t near = queue[head];

			head = (head + 1) % n;
			waiting--;
			waits[near] = false;
			for (size_t i = w->first[near]; i < w->first[near + 1]; i++) {
				const struct wire *l = &w->wire[i];

				if (way[near] + l->delay >= way[l->to])
					continue;
				way[l->to] = way[near] + l->delay;
				if (!waits[l->to])
					queue[(head + waiting++) % n] = l->to;
				waits[l->to] = true;
			}
		}
	} else {
		free(way);
		way = NULL;
	}
	free(queue);
	free(waits);
	return way;
}

// TSTAMP_NEVER: there is no way.
static tstamp way_between(struct wires *w, int from, int to)
{
	if (!w->ways[to])
		w->ways[to] = measure_ways(w, (uint32_t)to);
	return w->ways[to] ? w->ways[to][from] : TSTAMP_NEVER;
}

tstamp wires_way(struct wires *w, const char *port, const char *to)
{
	int from = port_node(w, port), end = port_node(w, to), peer;
	const char *colon = strchr(port, ':');
	tstamp delay = TSTAMP_NEVER, rest;

	if (from < 0 || end < 0 || !colon)
		return 0;
	peer = lexicon_find(&w->node, colon + 1, strcspn(colon + 1, "."));
	if (peer < 0)
		return 0;
	for (size_t i = w->first[from]; i < w->first[from + 1]; i++)
		if (w->wire[i].to == (uint32_t)peer && w->wire[i].delay < delay)
			delay = w->wire[i].delay;
	rest = way_between(w, peer, end);
	return delay == TSTAMP_NEVER || rest == TSTAMP_NEVER ? 0 : delay + rest;
}

tstamp wires_between(struct wires *w, const char *from, const char *to)
{
	int begin = port_node(w, from), end = port_node(w, to);
	tstamp way = begin < 0 || end < 0 ? TSTAMP_NEVER : way_between(w, begin, end);

	return way == TSTAMP_NEVER ? 0 : way;
}

bool wires_answers_first(const struct wires *w, const char *port)
{
	int node = port_node(w, port);

	return node < 0 || !w->latest[node];
}
