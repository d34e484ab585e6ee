// SPDX-License-Identifier: BSD-3-Clause
// When traffic starts: drawn from a range, or spread over one gap of each queue pair or source
// where several begin together.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/fixed.h"
#include "base/prng.h"
#include "int.h"

// The random numbers of a queue pair or source by its name.
static struct prng prng_of(const struct draft *b, const char *name, const char *what)
{
	struct prng g;
	char text[80];

	snprintf(text, sizeof(text), "%s.%s", name, what);
	prng_init(&g, b->s->seed, text);
	return g;
}

uint64_t traffic_draw(const struct draft *b, const char *name, const char *what, uint64_t n)
{
	struct prng g = prng_of(b, name, what);

	return prng_below(&g, n);
}

tstamp traffic_start(const struct draft *b, const struct draft_flow *f, const char *name)
{
	const struct opt_range *start = &f->start;
	struct prng g;

	if (start->low == OPT_AUTO)
		return 0;
	if (start->low == start->high)
		return start->low;
	g = prng_of(b, name, "start");
	return start->low + prng_below(&g, start->high - start->low + 1);
}

// Sorts by host, then by start.
static int compare(const void *one, const void *two)
{
	const struct scene_flow *a = *(struct scene_flow *const *)one;
	const struct scene_flow *b = *(struct scene_flow *const *)two;

	if (a->from != b->from)
		return a->from < b->from ? -1 : 1;
	if (a->req.start != b->req.start)
		return a->req.start < b->req.start ? -1 : 1;
	return 0;
}

static uint32_t phase(const struct draft *b, const char *name)
{
	struct prng g = prng_of(b, name, "phase");

	return prng_u32(&g);
}

// Queue pairs of one host that begin together.
static int spread_pairs(struct draft *b)
{
	unsigned n = b->s->n_flows;
	struct scene_flow **q;

	if (n < 2)
		return 0;
	q = draft_get(b, n * sizeof(struct scene_flow *));
	if (!q)
		return -ENOMEM;
	for (unsigned i = 0; i < n; i++)
		q[i] = b->s->flow[i];
	qsort(q, n, sizeof(*q), compare);
	for (unsigned i = 0; i < n; i++)
		if ((i && !compare(&q[i - 1], &q[i])) || (i + 1 < n && !compare(&q[i], &q[i + 1])))
			q[i]->req.phase = phase(b, q[i]->name);
	return 0;
}

// Returns the mean time from one burst of a source to the next.
static tstamp burst_gap(const struct gen_params *p)
{
	if (p->frames_per_s)
		return p->burst * gen_period(p);
	return p->burst * rate_time(rate_byte_ps(p->rate), gen_dozen(p) / 12);
}

// Whether the flow's sources have no start of their own. The frames of a list, and of an open loop
// that another one precedes, have theirs.
static bool is_spread(const struct draft_flow *f)
{
	return f->is_open_loop && f->start.low == OPT_AUTO && !f->item && !f->spec->open_loop.after;
}

static void spread_sources(struct draft *b)
{
	unsigned together = 0;

	for (unsigned i = 0; i < b->n_flows; i++)
		if (is_spread(b->flow[i]))
			together += b->flow[i]->n_qps;
	for (unsigned i = 0; i < b->n_flows && together > 1; i++) {
		const struct draft_flow *f = b->flow[i];

		if (!is_spread(f))
			continue;
		for (unsigned k = 0; k < f->n_qps; k++) {
			struct scene_source *src = b->s->source[f->first_qp + k];

			src->gen.start = fixed_mul(burst_gap(&src->gen), phase(b, src->name), 32);
		}
	}
}

int traffic_spread(struct draft *b)
{
	// The reference simulator starts all of them at once.
	if (b->s->hpcc_sim)
		return 0;
	spread_sources(b);
	return spread_pairs(b);
}
