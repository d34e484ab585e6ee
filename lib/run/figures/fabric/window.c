// SPDX-License-Identifier: BSD-3-Clause
// The window: counters over it, shares of it, events in a second of it.
#include <math.h>

#include "int.h"

struct pause_stats fabric_pause_window(const struct rec_port *p, unsigned prio, bool sent)
{
	struct pause_stats w;

	if (sent)
		stat_diff(&pause_stat_table, &w, &p->tx->stats[prio], &p->warm->tx[prio]);
	else
		stat_diff(&pause_stat_table, &w, &p->rx->stats[prio], &p->warm->rx[prio]);
	return w;
}

struct sw_class_stats fabric_class_window(const struct rec_queue *q)
{
	struct sw_class_stats now = rec_class_stats(q), w = now;

	stat_diff(&sw_class_stat_table, &w, &now, &q->warm->cls);
	return w;
}

double fabric_percent(const struct summary *s, tstamp ps)
{
	return s->to > s->from ? 100 * (double)ps / (double)(s->to - s->from) : NAN;
}

double fabric_per_s(const struct summary *s, uint64_t n)
{
	return s->to > s->from ? (double)n * (double)PS_PER_S / (double)(s->to - s->from) : NAN;
}
