// SPDX-License-Identifier: BSD-3-Clause
// Which pause caused which, as a page shows it; and its two tables beside the page.
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "int.h"

enum {
	EDGES = 400, // that are drawn, the longest
	BILLS = 2000,
};

static const char *const kinds[] = {
	[LINEAGE_EGRESS] = "congested",
	[LINEAGE_HOST] = "host",
	[LINEAGE_SWITCH] = "switch",
	[LINEAGE_CYCLE] = "cycle",
	[LINEAGE_OTHER] = "other",
	[LINEAGE_UNKNOWN] = "not recorded",
};

static double us(tstamp ps)
{
	return (double)ps / PS_PER_US;
}

// "s1:s2.3"
static const char *queue_name(const struct lineage *l, uint32_t queue, char *buf, size_t size)
{
	snprintf(buf, size, "%s.%u", lineage_port_name(l, lineage_port_of(queue)),
		lineage_class_of(queue));
	return buf;
}

static void put_roots(struct jw *w, const struct lineage *l, uint32_t n)
{
	jw_array(w, "roots", false);
	for (uint32_t i = 0; i < n; i++) {
		const struct lineage_root *r = lineage_root(l, i);

		jw_object(w, NULL, true);
		jw_str(w, "name", r->name);
		jw_str(w, "kind", kinds[r->kind]);
		put_real(w, "us", us(r->ps));
		jw_end(w);
	}
	jw_end(w);
}

// The queues at the ends of edges, each once: `place` has the number of each.
static void put_queue_nodes(struct jw *w, const struct lineage *l, uint32_t edges, uint32_t *place)
{
	uint32_t n = 0;
	char name[256];

	jw_array(w, "nodes", false);
	for (uint32_t i = 0; i < edges; i++) {
		const struct lineage_edge *e = lineage_edge(l, i);
		const uint32_t ends[] = {e->queue, e->to};

		for (unsigned k = 0; k < 2; k++) {
			if (ends[k] == LINEAGE_NONE || place[ends[k]])
				continue;
			place[ends[k]] = ++n;
			jw_object(w, NULL, true);
			jw_str(w, "name", queue_name(l, ends[k], name, sizeof(name)));
			put_real(w, "us", us(lineage_paused_ps(l, ends[k])));
			jw_end(w);
		}
	}
	jw_end(w);
}

static void put_edges(struct jw *w, const struct lineage *l, uint32_t edges, const uint32_t *place)
{
	jw_array(w, "edges", false);
	for (uint32_t i = 0; i < edges; i++) {
		const struct lineage_edge *e = lineage_edge(l, i);

		jw_object(w, NULL, true);
		if (e->to == LINEAGE_NONE)
			jw_u64(w, "root", e->root);
		else
			jw_u64(w, "from", place[e->to] - 1);
		jw_u64(w, "to", place[e->queue] - 1);
		put_real(w, "us", us(e->ps));
		jw_end(w);
	}
	jw_end(w);
}

static void put_bills(struct jw *w, const struct lineage *l, uint32_t n)
{
	char name[256];

	jw_array(w, "bills", false);
	for (uint32_t i = 0; i < n; i++) {
		const struct lineage_bill *b = lineage_bill(l, i);

		jw_array(w, NULL, true);
		jw_str(w, NULL, queue_name(l, b->queue, name, sizeof(name)));
		jw_str(w, NULL, lineage_root(l, b->root)->name);
		put_real(w, NULL, us(b->ps));
		jw_end(w);
	}
	jw_end(w);
}

void data_lineage(struct jw *w, const struct lineage *l)
{
	struct lineage_counts n = l ? lineage_counts(l) : (struct lineage_counts){0};
	uint32_t edges = n.edges < EDGES ? n.edges : EDGES;
	uint32_t *place = n.pauses ? calloc((size_t)n.ports * 8, sizeof(*place)) : NULL;

	if (place) {
		jw_object(w, "lineage", false);
		put_roots(w, l, n.roots);
		put_queue_nodes(w, l, edges, place);
		put_edges(w, l, edges, place);
		put_bills(w, l, n.bills < BILLS ? n.bills : BILLS);
		jw_array(w, "lacks", false);
		for (unsigned i = 0; lineage_lacks(l, i); i++)
			jw_str(w, NULL, lineage_lacks(l, i));
		jw_end(w);
		jw_end(w);
	} else {
		jw_null(w, "lineage");
	}
	free(place);
}

static int write_one(const struct lineage *l, const char *page, const char *file,
	void (*write)(const struct lineage *l, struct out *o), struct err *err)
{
	const char *slash = strrchr(page, '/');
	struct out o;
	char *path;
	int ret;

	if (asprintf(&path, "%.*s%s", slash ? (int)(slash + 1 - page) : 0, page, file) < 0)
		return err_set(err, -ENOMEM, "%s: no memory", file);
	ret = out_open(&o, path, err);
	if (!ret) {
		write(l, &o);
		ret = out_close(&o, err);
	}
	free(path);
	return ret;
}

int page_lineage(const struct lineage *l, const char *page, struct err *err)
{
	int ret;

	if (!lineage_counts(l).pauses)
		return 0;
	ret = write_one(l, page, "lineage.csv", lineage_write, err);
	return ret ? ret : write_one(l, page, "lineage_bills.csv", lineage_write_bills, err);
}
