// SPDX-License-Identifier: BSD-3-Clause
// Completion times of messages, of all together and by size (measures.md M7): rows of about a tenth
// of the messages each.
#include <errno.h>
#include <stdlib.h>

#include "figure.h"

struct summary_messages summary_messages(
	const struct hist *fct, const struct hist *posted, const struct hist *slowdown)
{
	return (struct summary_messages){
		.fct_us = summary_dist(fct, 1e6),
		.fct_posted_us = summary_dist(posted, 1e6),
		.slowdown = summary_dist(slowdown, 1e3),
	};
}

// Ends a row: what its sizes have together.
static void end_row(struct summary *s, struct hist *h, uint64_t below, uint64_t all)
{
	struct summary_size *row = &s->size[s->n_sizes++];

	row->messages = summary_messages(&h[0], &h[1], &h[2]);
	row->up_to_percent = 100 * (double)below / (double)all;
	for (unsigned i = 0; i < 3; i++)
		hist_init(&h[i]);
}

// A row takes sizes, smallest first, until the messages so far pass the next tenth of all. A size
// is never divided: where all have one size there is one row.
static void make_rows(struct summary *s, const struct record *r, struct hist *h, uint64_t all)
{
	uint64_t below = 0, tenth = 1;

	for (unsigned i = 0; i < r->n_sizes; i++) {
		const struct rec_size *z = &r->size[i];
		struct summary_size *row = &s->size[s->n_sizes];

		if (!z->fct)
			continue;
		if (!h[0].n)
			row->from_bytes = z->bytes;
		row->to_bytes = z->bytes;
		hist_merge(&h[0], z->fct);
		hist_merge(&h[1], z->fct_posted);
		if (z->slowdown)
			hist_merge(&h[2], z->slowdown);
		below += z->fct->n;
		if (10 * below < tenth * all)
			continue;
		end_row(s, h, below, all);
		tenth = 10 * below / all + 1;
	}
}

int summary_sizes(struct summary *s, const struct record *r)
{
	struct hist *h = malloc(3 * sizeof(*h));
	uint64_t all = 0;

	s->size = calloc(r->n_sizes + 1, sizeof(*s->size));
	if (!h || !s->size) {
		free(h);
		return -ENOMEM;
	}
	for (unsigned i = 0; i < 3; i++)
		hist_init(&h[i]);
	for (unsigned i = 0; i < r->n_sizes; i++)
		all += r->size[i].fct ? r->size[i].fct->n : 0;
	make_rows(s, r, h, all);
	free(h);
	return 0;
}
