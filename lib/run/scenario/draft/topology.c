// SPDX-License-Identifier: BSD-3-Clause
// Generated topologies: turns `topology` into switches, hosts and links of the document.
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "draft.h"

// A key of a shape as the file has it; NULL: it is not there.
static const struct yamldoc_node *shape_key(
	const struct spec_topology *t, enum spec_shape s, const char *key)
{
	const struct opt *row = &scene_opts_topology.row[s];

	return opt_row(row->sub, key) ? opt_source(row->sub, &t->net[s], key) : NULL;
}

struct sketch {
	FILE *f;
	const struct spec_net *net;
	const struct yamldoc_node *rate, *delay, *trunk_rate, *trunk_delay;
};

// Writes a link as a line of YAML, as if it stood in the scenario's `links`. `fmt` gives the two
// ports. Rate and delay are the topology's, if it has them; otherwise defaults.links applies.
__attribute__((format(printf, 3, 4))) static void join(
	const struct sketch *k, bool trunk, const char *fmt, ...)
{
	const struct yamldoc_node *rate = trunk && k->trunk_rate ? k->trunk_rate : k->rate;
	const struct yamldoc_node *delay = trunk && k->trunk_delay ? k->trunk_delay : k->delay;
	va_list ap;

	fputs("  - {between: [", k->f);
	va_start(ap, fmt);
	vfprintf(k->f, fmt, ap);
	va_end(ap);
	fputc(']', k->f);
	if (rate)
		fprintf(k->f, ", rate: %s", rate->text);
	if (delay)
		fprintf(k->f, ", delay: %s", delay->text);
	fputs("}\n", k->f);
}

// Hosts of n switches, numbered on from one switch to the next.
static void hosts_of(const struct sketch *k, const char *name, unsigned n)
{
	unsigned hosts = k->net->hosts;

	for (unsigned i = 0; i < n; i++)
		join(k, false, "h%u..%u, %s%u", i * hosts + 1, (i + 1) * hosts, name, i + 1);
}

static void star(const struct sketch *k)
{
	fprintf(k->f, "switches: {s1: }\nhosts: {h1..%u: }\nlinks:\n", k->net->hosts);
	hosts_of(k, "s", 1);
}

static void dumbbell(const struct sketch *k)
{
	unsigned n = k->net->hosts;

	fprintf(k->f, "switches: {s1..2: }\nhosts: {a1..%u: , b1..%u: }\nlinks:\n", n, n);
	join(k, true, "s1, s2");
	join(k, false, "a1..%u, s1", n);
	join(k, false, "b1..%u, s2", n);
}

static void parking_lot(const struct sketch *k)
{
	unsigned n = k->net->switches;

	fprintf(k->f, "switches: {s1..%u: }\nhosts: {h1..%u: }\nlinks:\n", n, n * k->net->hosts);
	for (unsigned i = 1; i < n; i++)
		join(k, true, "s%u, s%u", i, i + 1);
	hosts_of(k, "s", n);
}

static void leaf_spine(const struct sketch *k)
{
	const struct spec_net *net = k->net;

	fprintf(k->f, "switches: {leaf1..%u: , spine1..%u: }\nhosts: {h1..%u: }\nlinks:\n",
		net->leaves, net->spines, net->leaves * net->hosts);
	join(k, true, "leaf1..%u, spine1..%u", net->leaves, net->spines);
	hosts_of(k, "leaf", net->leaves);
}

static void ring(const struct sketch *k)
{
	unsigned n = k->net->switches;

	fputs("switches:\n", k->f);
	for (unsigned i = 1; i <= n; i++)
		fprintf(k->f, "  s%u: {default_port: \"s%u:s%u\"}\n", i, i, i % n + 1);
	fprintf(k->f, "hosts: {h1..%u: }\nlinks:\n", n * k->net->hosts);
	for (unsigned i = 1; i <= n; i++)
		join(k, true, "s%u, s%u", i, i % n + 1);
	hosts_of(k, "s", n);
}

// Gives all generated lines the place of the shape's name in the file, where the user has to
// correct an error.
static void stamp(struct yamldoc_node *n, const struct yamldoc_node *at)
{
	n->made = true;
	n->line = at->line;
	n->column = at->column;
	n->where = at->where;
	for (unsigned i = 0; i < n->n; i++) {
		if (n->item[i].key)
			stamp(n->item[i].key, at);
		stamp(n->item[i].value, at);
	}
}

// Puts the generated items before the items that the file has under the same key.
static int merge_items(struct draft *b, const struct yamldoc_item *made)
{
	struct yamldoc_item *have = (struct yamldoc_item *)yamldoc_find(b->doc, made->key->text);
	unsigned n = have ? have->value->n : 0, more = made->value->n;
	struct yamldoc_item *all = draft_get(b, (more + n) * sizeof(*all));

	if (!all)
		return -ENOMEM;
	if (have && !yamldoc_is_null(have->value) && have->value->type != made->value->type)
		return 0; // its table tells what is wrong with it
	memcpy(all, made->value->item, more * sizeof(*all));
	if (n)
		memcpy(all + more, have->value->item, n * sizeof(*all));
	made->value->item = all;
	made->value->n = made->value->room = more + n;
	if (have) {
		have->value = made->value;
		return 0;
	}
	all = draft_get(b, (b->doc->n + 1) * sizeof(*all));
	if (!all)
		return -ENOMEM;
	memcpy(all, b->doc->item, b->doc->n * sizeof(*all));
	all[b->doc->n++] = *made;
	b->doc->item = all;
	b->doc->room = b->doc->n;
	return 0;
}

static int draw(struct draft *b, const struct spec_topology *t, enum spec_shape shape,
	const struct yamldoc_node *at)
{
	static void (*const shapes[])(const struct sketch *) = {
		[SPEC_STAR] = star,
		[SPEC_DUMBBELL] = dumbbell,
		[SPEC_PARKING_LOT] = parking_lot,
		[SPEC_LEAF_SPINE] = leaf_spine,
		[SPEC_RING] = ring,
	};
	struct sketch k = {.net = &t->net[shape],
		.rate = shape_key(t, shape, "rate"),
		.delay = shape_key(t, shape, "delay"),
		.trunk_rate = shape_key(t, shape, "trunk_rate"),
		.trunk_delay = shape_key(t, shape, "trunk_delay")};
	struct yamldoc_node *tree = NULL;
	char *text = NULL;
	size_t size = 0;
	int rc;

	k.f = open_memstream(&text, &size);
	if (!k.f)
		return err_set(b->err, -ENOMEM, "out of memory");
	shapes[shape](&k);
	rc = fclose(k.f) ? err_set(b->err, -ENOMEM, "out of memory")
			 : yamldoc_parse(b->a, &tree, b->s->path, text, size, b->err);
	free(text);
	if (rc)
		return rc;
	stamp(tree, at);
	for (unsigned i = 0; !rc && i < tree->n; i++)
		rc = merge_items(b, &tree->item[i]);
	return rc;
}

int draft_topology(struct draft *b)
{
	const struct yamldoc_item *item = yamldoc_find(b->doc, "topology");
	struct spec_topology *t = item ? draft_get(b, sizeof(*t)) : NULL;
	const struct opt *row;
	char wants[ERR_HINT];

	if (!item || yamldoc_is_null(item->value))
		return 0;
	if (!t)
		return -ENOMEM;
	opt_init(&scene_opts_topology, t);

	int rc = opt_apply(&scene_opts_topology, t, item->value, b->err);

	if (rc)
		return rc;
	if (!item->value->n)
		return yamldoc_err(b->err, item->value, "topology: name a shape; %s",
			opt_suggest(&scene_opts_topology, "", wants, sizeof(wants)));
	if (item->value->n > 1)
		return yamldoc_err(b->err, item->value->item[1].key,
			"one topology only; '%s' stands here already, more links go under `links`",
			item->value->item[0].key->text);
	item = &item->value->item[0];
	row = opt_row(&scene_opts_topology, item->key->text);

	enum spec_shape shape = (enum spec_shape)(row - scene_opts_topology.row);

	rc = opt_require(row->sub, &t->net[shape], item->key, b->err);
	return rc ? rc : draw(b, t, shape, item->key);
}
