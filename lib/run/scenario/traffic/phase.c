// SPDX-License-Identifier: BSD-3-Clause
// Phases of limiters: queue pairs of one host that begin together are spread over one gap of each.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/prng.h"
#include "int.h"

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

static uint32_t phase(const struct draft *b, const struct scene_flow *q)
{
	struct prng g;
	char name[80];

	snprintf(name, sizeof(name), "%s.phase", q->name);
	prng_init(&g, b->s->seed, name);
	return prng_u32(&g);
}

int traffic_phases(struct draft *b)
{
	unsigned n = b->s->n_flows;
	struct scene_flow **q;

	// The reference simulator starts all of them at once.
	if (b->s->hpcc_sim || n < 2)
		return 0;
	q = draft_get(b, n * sizeof(struct scene_flow *));
	if (!q)
		return -ENOMEM;
	for (unsigned i = 0; i < n; i++)
		q[i] = b->s->flow[i];
	qsort(q, n, sizeof(*q), compare);
	for (unsigned i = 0; i < n; i++)
		if ((i && !compare(&q[i - 1], &q[i])) || (i + 1 < n && !compare(&q[i], &q[i + 1])))
			q[i]->req.phase = phase(b, q[i]);
	return 0;
}
