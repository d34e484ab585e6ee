// SPDX-License-Identifier: BSD-3-Clause
// Frames that were discarded: losses, and what is filtered, by reason.
#include "summary.h"

typedef unsigned long long ull;

// Reasons that are a bridge's or a host's ordinary filtering are no loss.
static bool sw_loss(enum sw_drop d)
{
	return d != SW_DROP_RESERVED && d != SW_DROP_SAME_PORT;
}

static bool nic_loss(enum nic_drop d)
{
	return d != NIC_DROP_NOT_FOR_US;
}

void summary_drops(struct summary_total *t, const struct record *r)
{
	for (unsigned i = 0; i < r->n_ports; i++)
		for (unsigned d = 0; r->port[i].sw && d < SW_DROPS; d++) {
			t->sw_drop[d] += r->port[i].sw->drop[d] - r->port[i].warm.sw.drop[d];
			t->drops_total += sw_loss(d) ? r->port[i].sw->drop[d] : 0;
		}
	for (unsigned i = 0; i < r->net->n_nodes; i++) {
		const struct net_node *n = &r->net->node[i];

		for (unsigned d = 0; n->kind == SCENE_NIC && d < NIC_DROPS; d++) {
			uint64_t now = nic_stats(n->u.nic)->drop[d];

			t->nic_drop[d] += now - r->node_warm[i].nic.drop[d];
			t->drops_total += nic_loss(d) ? now : 0;
		}
	}
	for (unsigned d = 0; d < SW_DROPS; d++)
		*(sw_loss(d) ? &t->drops : &t->filtered) += t->sw_drop[d];
	for (unsigned d = 0; d < NIC_DROPS; d++)
		*(nic_loss(d) ? &t->drops : &t->filtered) += t->nic_drop[d];
}

// The frames discarded for a loss, or for filtering, by reason.
static void put_reasons(FILE *f, const struct summary_total *t, bool loss)
{
	const char *between = ": ";

	fprintf(f, "%llu frames", (ull)(loss ? t->drops : t->filtered));
	for (int i = 0; i < SW_DROPS; i++)
		if (t->sw_drop[i] && sw_loss((enum sw_drop)i) == loss) {
			fprintf(f, "%s%s %llu", between, sw_drop_name((enum sw_drop)i),
				(ull)t->sw_drop[i]);
			between = ", ";
		}
	for (int i = 0; i < NIC_DROPS; i++)
		if (t->nic_drop[i] && nic_loss((enum nic_drop)i) == loss) {
			fprintf(f, "%snic %s %llu", between, nic_drop_name((enum nic_drop)i),
				(ull)t->nic_drop[i]);
			between = ", ";
		}
}

void summary_text_drops(FILE *f, const struct summary_total *t)
{
	fprintf(f, "  drops       ");
	if (t->drops)
		put_reasons(f, t, true);
	else
		fprintf(f, "none");
	if (t->drops_total > t->drops)
		fprintf(f, "; %llu more before the window", (ull)(t->drops_total - t->drops));
	fprintf(f, "\n");
	if (t->filtered) {
		fprintf(f, "  filtered    ");
		put_reasons(f, t, false);
		fprintf(f, ", no loss\n");
	}
	if (t->naks || t->timeouts || t->failed_qps)
		fprintf(f,
			"  repair      %llu frames resent, %llu NAKs, %llu timeouts, %llu QPs "
			"failed\n",
			(ull)t->retransmitted, (ull)t->naks, (ull)t->timeouts, (ull)t->failed_qps);
}
