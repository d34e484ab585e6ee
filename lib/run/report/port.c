// SPDX-License-Identifier: BSD-3-Clause
// Counters of switch ports and NICs over the window, kept when their nodes are gone, and frames
// that were discarded by reason.
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "summary.h"

int summary_counters(struct summary *s, const struct record *r)
{
	s->port = calloc(r->n_ports + 1, sizeof(*s->port));
	s->nic = calloc(r->net->n_nodes + 1ul, sizeof(*s->nic));
	if (!s->port || !s->nic)
		return -ENOMEM;
	for (unsigned i = 0; i < r->n_ports; i++)
		if (r->port[i].sw)
			s->port[s->n_ports++] = (struct summary_port){
				.rec = &r->port[i],
				.now = *r->port[i].sw,
				.then = r->port[i].warm.sw,
			};
	for (unsigned i = 0; i < r->net->n_nodes; i++)
		if (r->net->node[i].kind == SCENE_NIC)
			s->nic[s->n_nics++] = (struct summary_nic){
				.node = r->net->node[i].scene,
				.now = *nic_stats(r->net->node[i].u.nic),
				.then = r->node_warm[i].nic,
			};
	return 0;
}

// NAN where the table has no such counter.
static double since(
	const struct stat_table *t, const char *counter, const void *now, const void *then)
{
	int row = stat_find(t, counter);

	return row < 0 ? NAN : (double)(stat_get(t, now, row) - stat_get(t, then, row));
}

double summary_port_counter(const struct summary_port *p, const char *counter)
{
	double v = since(&sw_port_stat_table, counter, &p->now, &p->then);

	return isnan(v) ? since(&sw_malformed_stat_table, counter, &p->now, &p->then) : v;
}

double summary_nic_counter(const struct summary_nic *n, const char *counter)
{
	double v = since(&nic_stat_table, counter, &n->now, &n->then);

	return isnan(v) ? since(&nic_malformed_stat_table, counter, &n->now, &n->then) : v;
}

typedef unsigned long long ull;

// Reasons that are a bridge's or a host's ordinary filtering are no loss.
bool summary_sw_loss(enum sw_drop d)
{
	return d != SW_DROP_RESERVED && d != SW_DROP_SAME_PORT;
}

bool summary_nic_loss(enum nic_drop d)
{
	return d != NIC_DROP_NOT_FOR_US;
}

void summary_drops(struct summary_total *t, const struct record *r)
{
	for (unsigned i = 0; i < r->n_ports; i++)
		for (unsigned d = 0; r->port[i].sw && d < SW_DROPS; d++) {
			t->sw_drop[d] += r->port[i].sw->drop[d] - r->port[i].warm.sw.drop[d];
			t->drops_total += summary_sw_loss(d) ? r->port[i].sw->drop[d] : 0;
		}
	for (unsigned i = 0; i < r->net->n_nodes; i++) {
		const struct net_node *n = &r->net->node[i];

		for (unsigned d = 0; n->kind == SCENE_NIC && d < NIC_DROPS; d++) {
			uint64_t now = nic_stats(n->u.nic)->drop[d];

			t->nic_drop[d] += now - r->node_warm[i].nic.drop[d];
			t->drops_total += summary_nic_loss(d) ? now : 0;
		}
	}
	for (unsigned d = 0; d < SW_DROPS; d++)
		*(summary_sw_loss(d) ? &t->drops : &t->filtered) += t->sw_drop[d];
	for (unsigned d = 0; d < NIC_DROPS; d++)
		*(summary_nic_loss(d) ? &t->drops : &t->filtered) += t->nic_drop[d];
}
