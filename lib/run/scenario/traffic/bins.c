// SPDX-License-Identifier: BSD-3-Clause
// Ranges of message sizes (`bins`), one set for all flows of a group: given by their upper bounds,
// or made so that each has about as many of the group's messages.
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/fixed.h"
#include "int.h"

#define BINS_USUAL 10
#define LOAD_PARTS 100 // sizes of equal share that stand for a load in each bin

// The bins that a flow asks for its group.
struct wish {
	bool equal; // as many messages in each of n bins; else n upper bounds, 0: none
	unsigned n;
	uint32_t bound[SCENE_BINS];
};

// The flows of a group.
struct pool {
	const char *name;
	const struct draft_flow *says; // the first flow that says `bins`; NULL: none does
	struct wish wish;
	bool usual;       // unless a flow says otherwise, the group has BINS_USUAL bins
	uint32_t largest; // message
	const struct scene_bins *bins;
};

// Messages of one size of a group, or a part of a load's with sizes up to this one.
struct sized {
	unsigned pool;
	uint32_t bytes;
	unsigned __int128 messages; // in equal shares of one
};

struct bins {
	struct draft *b;
	struct index known; // pools, by name
	struct pool *pool;
	unsigned n_pools;
	unsigned *of; // the pool of each flow
};

static int wrong(struct draft *b, const struct yamldoc_node *n)
{
	return yamldoc_err(b->err, n,
		"bins: write how many of 1 to %u, none, or a list of sizes that rise, as in [1KB, "
		"100KB, 10MB]",
		SCENE_BINS);
}

static int read_bounds(struct draft *b, struct wish *w, const struct yamldoc_node *list)
{
	uint64_t bytes, before = 0;

	if (!list->n || list->n > SCENE_BINS)
		return wrong(b, list);
	for (unsigned i = 0; i < list->n; i++) {
		const struct yamldoc_node *one = list->item[i].value;

		if (one->type != YAMLDOC_SCALAR || units_parse(UNITS_SIZE, one->text, &bytes) ||
			bytes <= before || bytes > RC_BYTES_MAX)
			return wrong(b, one);
		w->bound[i] = (uint32_t)bytes;
		before = bytes;
	}
	w->n = list->n;
	return 0;
}

static int read_wish(struct draft *b, struct wish *w, const struct yamldoc_node *n)
{
	uint64_t bins;

	memset(w, 0, sizeof(*w));
	if (n->type == YAMLDOC_LIST)
		return read_bounds(b, w, n);
	if (!strcmp(n->text, "none"))
		return 0;
	if (units_parse(UNITS_COUNT, n->text, &bins) || !bins || bins > SCENE_BINS)
		return wrong(b, n);
	w->equal = true;
	w->n = (unsigned)bins;
	return 0;
}

// Takes up what a flow says of the bins of its group.
static int take_wish(struct draft *b, struct pool *p, const struct draft_flow *f)
{
	struct wish w;
	int rc;

	if (p->says && p->says->spec->bins == f->spec->bins)
		return 0;
	rc = read_wish(b, &w, f->spec->bins);
	if (rc)
		return rc;
	if (p->says && memcmp(&p->wish, &w, sizeof(w)) != 0)
		return yamldoc_err(b->err, f->spec->bins,
			"flow '%s' has other bins than flow '%s', and both are of group '%s', "
			"which has one set; give both the same, or only one of them bins",
			f->name, p->says->name, p->name);
	p->wish = w;
	p->says = p->says ? p->says : f;
	return 0;
}

// Returns the pool of a flow, which may be a new one; INDEX_NONE: memory is out.
static uint32_t find_pool(struct bins *x, const char *name)
{
	uint32_t hash = index_hash(0, name, strlen(name)), at = hash, i;

	while ((i = index_next(&x->known, hash, &at)) != INDEX_NONE)
		if (!strcmp(x->pool[i].name, name))
			return i;
	if (index_add(&x->known, hash, x->n_pools))
		return INDEX_NONE;
	x->pool[x->n_pools] = (struct pool){.name = name};
	return x->n_pools++;
}

// How many messages the flow has, or a load is expected to bring. A flow that never ends counts as
// if each queue pair had one.
static uint64_t messages_of(const struct draft *b, const struct draft_flow *f)
{
	double n = 1;

	if (!f->sizes)
		return (uint64_t)f->n_qps * (f->spec->count == OPT_NONE ? 1 : f->spec->count);
	for (unsigned i = 0; i < f->n_streams; i++)
		n += scene_load_messages(f->stream[i], b->s->duration);
	return (uint64_t)n;
}

static int join_pools(struct bins *x)
{
	struct draft *b = x->b;
	int rc = 0;

	for (unsigned i = 0; i < b->n_flows && !rc; i++) {
		const struct draft_flow *f = b->flow[i];
		const char *name = traffic_group_of(f);
		bool as_before = i && x->pool[x->of[i - 1]].name == name;
		struct pool *p;

		x->of[i] = as_before ? x->of[i - 1] : find_pool(x, name);
		if (x->of[i] == INDEX_NONE)
			return err_set(b->err, -ENOMEM, "out of memory");
		p = &x->pool[x->of[i]];
		if (f->is_open_loop)
			continue;
		p->usual |= f->sizes || (f->listed && f->spec->group);
		if (traffic_longest(f) > p->largest)
			p->largest = traffic_longest(f);
		rc = f->spec->bins ? take_wish(b, p, f) : 0;
	}
	return rc;
}

static int by_pool_and_bytes(const void *a, const void *b)
{
	const struct sized *x = a, *y = b;

	if (x->pool != y->pool)
		return x->pool < y->pool ? -1 : 1;
	return (x->bytes > y->bytes) - (x->bytes < y->bytes);
}

// Gives the pool these upper bounds, and one more bin if a message is larger.
static int give(struct draft *b, struct pool *p, const uint32_t *bound, unsigned n)
{
	bool beyond = p->largest > bound[n - 1];
	struct scene_bins *to = draft_get(b, sizeof(*to) + (n + 1ul) * sizeof(to->bound[0]));

	if (!to)
		return -ENOMEM;
	memcpy(to->bound, bound, n * sizeof(*bound));
	to->bound[n] = p->largest;
	to->n = n + beyond;
	p->bins = to;
	return 0;
}

// Makes `want` bins of sizes that rise. A bin ends with the least size up to which its share of the
// messages goes; of several that end with one size there is one.
static int make_equal(
	struct draft *b, struct pool *p, const struct sized *size, unsigned n, unsigned want)
{
	uint32_t bound[SCENE_BINS];
	unsigned __int128 all = 0, below = 0;
	unsigned bins = 0;

	for (unsigned i = 0; i < n; i++)
		all += size[i].messages;
	for (unsigned i = 0, next = 1; i < n; i++) {
		below += size[i].messages;
		if (below * want < all * next)
			continue;
		next = (unsigned)(below * want / all) + 1;
		if (bins && bound[bins - 1] == size[i].bytes)
			continue;
		bound[bins++] = size[i].bytes;
	}
	return give(b, p, bound, bins);
}

static unsigned equal_of(const struct pool *p)
{
	return p->says ? (p->wish.equal ? p->wish.n : 0) : p->usual ? BINS_USUAL : 0;
}

// How many sizes stand for a flow where its group wants as many messages in each bin. A load stands
// for its messages that have queue pairs of their own, too.
static unsigned sizes_of(const struct pool *p, const struct draft_flow *f)
{
	if (f->is_open_loop || f->of)
		return 0;
	return f->sizes ? LOAD_PARTS * equal_of(p) : equal_of(p) != 0;
}

// Adds the sizes of a flow; returns how many.
static unsigned add_sizes(struct bins *x, struct sized *to, unsigned flow)
{
	const struct draft_flow *f = x->b->flow[flow];
	const struct pool *p = &x->pool[x->of[flow]];
	unsigned n = sizes_of(p, f), parts = LOAD_PARTS * equal_of(p);
	uint64_t messages = n ? messages_of(x->b, f) : 0;

	for (unsigned i = 0; i < n; i++)
		to[i] = (struct sized){x->of[flow],
			f->sizes ? dist_quantile(f->sizes, fixed_muldiv(DIST_ONE, i + 1, n))
				 : (uint32_t)f->message,
			(unsigned __int128)messages * (f->sizes ? 1 : parts)};
	return n;
}

// Makes the bins of the pools that want as many messages in each.
static int make_all_equal(struct bins *x)
{
	struct draft *b = x->b;
	struct sized *size;
	unsigned all = 0, n = 0;
	int rc = 0;

	for (unsigned i = 0; i < b->n_flows; i++)
		all += sizes_of(&x->pool[x->of[i]], b->flow[i]);
	if (!all)
		return 0;
	size = draft_scrap(b, all * sizeof(*size));
	if (!size)
		return -ENOMEM;
	for (unsigned i = 0; i < b->n_flows; i++)
		n += add_sizes(x, size + n, i);
	qsort(size, n, sizeof(*size), by_pool_and_bytes);
	for (unsigned i = 0, end; i < n && !rc; i = end) {
		struct pool *p = &x->pool[size[i].pool];

		end = i;
		while (end < n && size[end].pool == size[i].pool)
			end++;
		rc = make_equal(b, p, &size[i], end - i, equal_of(p));
	}
	return rc;
}

static int make_bins(struct bins *x)
{
	struct draft *b = x->b;
	int rc = join_pools(x);

	if (!rc)
		rc = make_all_equal(x);
	for (unsigned i = 0; i < x->n_pools && !rc; i++) {
		struct pool *p = &x->pool[i];

		if (p->says && !p->wish.equal && p->wish.n)
			rc = give(b, p, p->wish.bound, p->wish.n);
	}
	for (unsigned i = 0; i < b->n_flows && !rc; i++) {
		const struct draft_flow *f = b->flow[i];

		for (unsigned q = 0; q < f->n_qps && !f->is_open_loop; q++)
			b->s->flow[f->first_qp + q]->bins = x->pool[x->of[i]].bins;
	}
	return rc;
}

int traffic_bins(struct draft *b)
{
	struct bins x = {.b = b};
	bool any = false;
	int rc;

	for (unsigned i = 0; i < b->n_flows && !any; i++)
		any = b->flow[i]->spec->bins || b->flow[i]->listed || b->flow[i]->sizes;
	if (!any)
		return 0;
	x.pool = draft_scrap(b, b->n_flows * sizeof(*x.pool));
	x.of = draft_scrap(b, b->n_flows * sizeof(*x.of));
	rc = x.pool && x.of ? make_bins(&x) : -ENOMEM;
	index_fini(&x.known);
	return rc;
}
