// SPDX-License-Identifier: BSD-3-Clause
// The messages of groups by their sizes, in the bins that the scene gives a group. Only messages
// posted in the window of posting count: from the start of the window to the drain.
#include <errno.h>
#include <stdlib.h>

#include "base/fixed.h"
#include "int.h"

int record_bins_build(struct record *r)
{
	for (unsigned i = 0; i < r->n_groups; i++) {
		struct rec_group *g = &r->group[i];

		g->bins = r->scene->flow[g->first]->bins;
		if (!g->bins)
			continue;
		r->has_bins = true;
		g->bin = calloc(g->bins->n, sizeof(*g->bin));
		if (!g->bin)
			return -ENOMEM;
	}
	return 0;
}

void record_bins_free(struct record *r)
{
	for (unsigned i = 0; i < r->n_groups; i++)
		free(r->group[i].bin);
}

tstamp record_posting_end(const struct record *r)
{
	return r->scene->drain ? r->scene->duration - r->scene->drain : TSTAMP_NEVER;
}

// The bin of a message; NULL: its group has none, or the message was not posted in the window.
static struct rec_bin *bin_of(
	const struct record *r, const struct rec_flow *f, uint32_t bytes, tstamp posted)
{
	const struct rec_group *g = &r->group[f->group];
	unsigned low = 0, high;

	if (!g->bin || posted < record_window(r) || posted >= record_posting_end(r))
		return NULL;
	high = g->bins->n - 1;
	while (low < high) {
		unsigned middle = (low + high) / 2;

		if (g->bins->bound[middle] < bytes)
			low = middle + 1;
		else
			high = middle;
	}
	return &g->bin[low];
}

void record_bins_done(struct record *r, const struct rec_flow *f, const struct ev *e, tstamp ideal)
{
	struct rec_bin *b = bin_of(r, f, e->message.bytes, e->message.posted);
	tstamp fct = tstamp_since(e->t, e->message.posted);

	if (!b)
		return;
	record_hist_add(r, &b->fct, fct);
	if (ideal)
		record_hist_add(r, &b->slowdown, fixed_muldiv(fct, 1000, ideal));
}

void record_bins_unfinished(struct record *r, uint32_t flow, uint32_t bytes, tstamp posted)
{
	struct rec_bin *b = flow < r->n_flows ? bin_of(r, &r->flow[flow], bytes, posted) : NULL;

	if (b)
		b->unfinished++;
}

static void see(void *record, const struct nic_message *m)
{
	record_bins_unfinished(record, m->flow, m->bytes, m->posted);
}

void record_bins_finish(struct record *r)
{
	for (unsigned i = 0; r->has_bins && i < r->net->n_nodes; i++) {
		const struct nic *nic = net_nic(r->net, i);

		if (nic)
			nic_messages(nic, see, r);
	}
}
