// SPDX-License-Identifier: BSD-3-Clause
// A scene's network in words: ports with their links, and the hosts that are reached by them.
#include "topo.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/index.h"
#include "conf/conf.h"

// Hosts by their address.
static int owners(struct index *ix, const struct scene *s)
{
	int rc = 0;

	for (unsigned i = 0; i < s->n_nodes && !rc; i++)
		if (s->node[i].kind != SCENE_SW)
			rc = index_add(ix, index_hash(0, s->node[i].mac, 6), i);
	return rc;
}

static const char *owner_of(const struct scene *s, const struct index *ix, const uint8_t mac[6])
{
	uint32_t hash = index_hash(0, mac, 6), at = hash, i;

	while ((i = index_next(ix, hash, &at)) != INDEX_NONE)
		if (!memcmp(s->node[i].mac, mac, 6))
			return s->node[i].name;
	return NULL;
}

static bool leads(const struct sw_params *p, const struct sw_fdb_params *e, unsigned port)
{
	return e->ecmp ? p->ecmp[e->ecmp - 1].port[port / 64] >> port % 64 & 1 : e->port == port;
}

// Names that are written as a scenario has them: three and more that are numbered in a row are a
// range.
struct run {
	const char *first, *last;
	unsigned n;
	const char *comma;
};

// Whether `b` is the name behind `a`: h9 and h10.
static bool follows(const char *a, const char *b)
{
	char next[64];
	size_t stem = strlen(a);

	while (stem && a[stem - 1] >= '0' && a[stem - 1] <= '9')
		stem--;
	if (!a[stem] || strlen(a) > 32 || a[stem] == '0')
		return false;
	snprintf(next, sizeof(next), "%.*s%lu", (int)stem, a, strtoul(a + stem, NULL, 10) + 1);
	return !strcmp(next, b);
}

static void end_run(struct run *r, FILE *f)
{
	const char *number = r->n ? r->last + strlen(r->last) : "";

	while (r->n && number > r->last && number[-1] >= '0' && number[-1] <= '9')
		number--;
	if (r->n > 2)
		fprintf(f, "%s%s..%s", r->comma, r->first, number);
	else if (r->n == 2)
		fprintf(f, "%s%s, %s", r->comma, r->first, r->last);
	else if (r->n)
		fprintf(f, "%s%s", r->comma, r->first);
	r->comma = r->n ? ", " : r->comma;
	r->n = 0;
}

static void add_to_run(struct run *r, const char *name, FILE *f)
{
	if (r->n && !follows(r->last, name))
		end_run(r, f);
	if (!r->n++)
		r->first = name;
	r->last = name;
}

// The hosts that a switch reaches by a port.
static void print_hosts(const struct scene *s, const struct index *ix, const struct scene_node *n,
	unsigned port, FILE *f)
{
	struct run r = {.comma = "  "};

	for (unsigned i = 0; i < n->u.sw.n_fdb; i++) {
		const struct sw_fdb_params *e = &n->u.sw.fdb[i];
		const char *name =
			leads(&n->u.sw, e, port) && !e->vid ? owner_of(s, ix, e->mac) : NULL;

		if (name)
			add_to_run(&r, name, f);
	}
	end_run(&r, f);
}

static void print_port(const struct scene_port *sp, FILE *f)
{
	char rate[32], delay[32];

	fprintf(f, "%-20s %02x:%02x:%02x:%02x:%02x:%02x  %8s  %8s  mtu %u%s%s", sp->name,
		sp->mac[0], sp->mac[1], sp->mac[2], sp->mac[3], sp->mac[4], sp->mac[5],
		units_format(UNITS_RATE, sp->rate, rate, sizeof(rate)),
		units_format(UNITS_TIME, sp->delay, delay, sizeof(delay)), sp->mtu,
		sp->device ? "  device " : "", sp->device ? sp->device : "");
}

void topo_print(const struct scene *s, FILE *f)
{
	struct index ix = {0};
	bool known = !owners(&ix, s);

	for (unsigned i = 0; i < s->n_nodes; i++) {
		const struct scene_node *n = &s->node[i];

		for (unsigned p = 0; p < n->n_ports; p++) {
			print_port(&n->port[p], f);
			if (n->kind == SCENE_SW && known)
				print_hosts(s, &ix, n, p, f);
			fprintf(f, "\n");
		}
	}
	index_fini(&ix);
}
