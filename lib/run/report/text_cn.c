// SPDX-License-Identifier: BSD-3-Clause
// The summary's lines about CNPs: of receivers; of switches as `display iqcn statistics` has them,
// the switch and its interfaces.
#include "summary.h"

typedef unsigned long long ull;

static void put_iqcn_ports(FILE *f, const struct summary *s, unsigned node)
{
	for (unsigned i = 0; i < s->n_iqcns; i++) {
		const struct summary_iqcn *q = &s->iqcn[i];

		if (q->port->node != node || !(q->rx_cnp + q->foreign_cnp + q->tx_cnp))
			continue;
		fprintf(f,
			"                %-14s RX CNP %8llu, %9.1f /s; TX CNP %8llu, %9.1f /s; %u "
			"flows, "
			"heavy %.1f %%",
			q->port->scene->name, (ull)q->rx_cnp, q->rx_per_s, (ull)q->tx_cnp,
			q->tx_per_s, q->flows, q->heavy_percent);
		if (q->foreign_cnp)
			fprintf(f, "; %llu CNPs from elsewhere not believed", (ull)q->foreign_cnp);
		fputc('\n', f);
	}
}

static void put_iqcn(FILE *f, const struct summary *s)
{
	for (unsigned i = 0; i < s->n_iqcn_tables; i++) {
		const struct summary_iqcn_table *q = &s->iqcn_table[i];

		if (!(q->st.rx_cnps + q->foreign_cnp))
			continue;
		fprintf(f,
			"  iQCN        %s: TX CNP %llu, %.1f /s; %u of %u flows known, %llu aged, "
			"%llu "
			"lost to a full table, %llu CNPs capped\n",
			q->node->name, (ull)q->tx_cnp, q->tx_per_s, q->flows, q->entries,
			(ull)q->st.aged, (ull)q->st.table_full, (ull)q->st.capped);
		put_iqcn_ports(f, s, q->number);
	}
}

static void put_fast_ports(FILE *f, const struct summary *s, unsigned node)
{
	for (unsigned i = 0; i < s->n_fasts; i++) {
		const struct summary_fast_cnp *q = &s->fast[i];

		if (q->port->node != node || !(q->tx_cnp + q->suppressed + q->unknown))
			continue;
		fprintf(f,
			"                %-14s TX CNP %8llu, %9.1f /s; %llu more marked within the "
			"interval, %llu of unknown flows\n",
			q->port->scene->name, (ull)q->tx_cnp, q->tx_per_s, (ull)q->suppressed,
			(ull)q->unknown);
	}
}

static void put_fast_cnp(FILE *f, const struct summary *s)
{
	for (unsigned i = 0; i < s->n_fast_tables; i++) {
		const struct summary_fast_cnp_table *q = &s->fast_table[i];

		fprintf(f,
			"  Fast CNP    %s: TX CNP %llu, %.1f /s; %u of %u flows known, %llu aged, "
			"%llu "
			"lost to a full table, %llu QPNs in doubt\n",
			q->node->name, (ull)q->tx_cnp, q->tx_per_s, q->flows, q->entries,
			(ull)q->st.aged, (ull)q->st.table_full, (ull)q->st.ambiguous);
		put_fast_ports(f, s, q->number);
	}
}

// The keys that what was seen agrees with.
static void put_pacing(FILE *f, const struct summary_np *n)
{
	if (!n->paced) {
		fprintf(f, "; not paced%s\n", n->every_ce ? ", a CNP for every CE" : "");
		return;
	}
	fprintf(f, "; paced by%s", n->paced_by ? "" : " none");
	for (unsigned k = 0; k < REC_CNP_KEYS; k++)
		if (n->paced_by >> k & 1)
			fprintf(f, " %s", summary_cnp_key((enum np_key)k));
	fprintf(f, "\n");
}

static void put_nps(FILE *f, const struct summary *s)
{
	for (unsigned i = 0; i < s->n_nps; i++) {
		const struct summary_np *n = &s->np[i];
		const struct summary_cnp *c = n->all;

		if (!c->rec->cnps)
			continue;
		fprintf(f, "  CNPs        %s: %llu for %llu CE, %llu capped", c->np->name,
			(ull)c->rec->cnps, (ull)c->rec->ce, (ull)n->capped);
		if (c->np_delay_us.n)
			fprintf(f, "; delay p50 %.1f, p99 %.1f us", c->np_delay_us.p50,
				c->np_delay_us.p99);
		if (c->way_us.n)
			fprintf(f, "; way p50 %.1f, p99 %.1f us", c->way_us.p50, c->way_us.p99);
		put_pacing(f, n);
	}
}

void summary_text_cn(FILE *f, const struct summary *s)
{
	put_nps(f, s);
	put_iqcn(f, s);
	put_fast_cnp(f, s);
}
