// SPDX-License-Identifier: BSD-3-Clause
// The selective repeat of a scene's queue pairs as a table.
#include "repair.h"

#include <stdlib.h>

// Queue pairs whose values are the same.
struct same_repair {
	const struct scene_flow *first;
	unsigned n;
};

static bool same_values(const struct rc_params *a, const struct rc_params *b)
{
	return a->recovery == b->recovery && a->window == b->window && a->rto_ps == b->rto_ps &&
	       a->rto_low_ps == b->rto_low_ps && a->nack_threshold == b->nack_threshold;
}

static void print_pairs(const struct same_repair *a, FILE *f)
{
	const struct rc_params *p = &a->first->rc->p;
	char name[96];

	snprintf(name, sizeof(name), a->n > 1 ? "%s and %u more" : "%s", a->first->name, a->n - 1);
	fprintf(f, "%-32s %-4s  %6u  %12.3fus  %12.3fus  %14u\n", name,
		p->recovery == RC_IRN ? "irn" : "skip", p->window,
		(double)p->rto_low_ps / PS_PER_US, (double)p->rto_ps / PS_PER_US,
		p->nack_threshold);
}

void repair_print(const struct scene *s, FILE *f)
{
	struct same_repair *a = calloc(s->n_flows + 1ul, sizeof(*a));
	unsigned n = 0;

	for (unsigned i = 0, k = 0; a && i < s->n_flows; i++) {
		const struct scene_flow *q = s->flow[i];

		if (!q->rc->repairs)
			continue;
		if (k == n || !same_values(&a[k].first->rc->p, &q->rc->p))
			for (k = 0; k < n && !same_values(&a[k].first->rc->p, &q->rc->p);)
				k++;
		if (k == n)
			a[n++].first = q;
		a[k].n++;
	}
	if (n)
		fprintf(f,
			"\nSelective repeat (packets in flight; timeout with 3 of them or fewer, "
			"and with more)\n%-32s %-4s  %6s  %14s  %14s  %14s\n",
			"queue pairs", "kind", "cap", "rto_low", "rto_high", "nack_threshold");
	for (unsigned i = 0; i < n; i++)
		print_pairs(&a[i], f);
	free(a);
}
