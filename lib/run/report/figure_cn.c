// SPDX-License-Identifier: BSD-3-Clause
// Figures of congestion notification: congestion points, notification points, CNPs of switches.
#include "figure_own.h"

void figure_cp(struct figures *o, const struct summary_cp *c)
{
	count(o, "set_point_bytes", c->set_point);
	put(o, "mean_over_set_point", c->mean_ratio, 6);
	put(o, "std_over_set_point", c->std_ratio, 6);
	count(o, "cnm_tx", c->cnms);
	put(o, "cnm_tx_per_s", c->cnms_per_s, 1);
	count(o, "discarded_frames", c->discarded);
	count(o, "samples_total", c->samples);
	put(o, "fb_mean_total", c->fb_mean, 3);
	put(o, "spacing_ratio_total", c->spacing_ratio, 6);
	put(o, "spacing_sigmas_total", c->spacing_sigmas, 3);
}

void figure_cnp(struct figures *o, const struct summary_cnp *c)
{
	const struct rec_cnp *rec = c->rec;
	const struct summary_dist *gap = &c->gap_us, *np = &c->np_delay_us, *way = &c->way_us;
	bool gaps = rec->gap_min != TSTAMP_NEVER;

	count(o, "ce_rx", rec->ce);
	count(o, "cnp_tx", rec->cnps);
	count(o, "cnp_switch_tx", rec->made);
	count(o, "cnp_rx", c->cnp_rx);
	put(o, "cnp_per_ce", ratio(rec->cnps, rec->ce), 6);
	count(o, "cnp_expected", rec->expected);
	count(o, "cnp_missing", c->missing);
	count(o, "cnp_extra", c->extra);
	count(o, "nak_tx", rec->naks);
	count(o, "cnp_with_nack", rec->nak_cnps);
	put(o, "cnp_gap_min_us", gaps ? instant_us(rec->gap_min) : NAN, 6);
	of(o, "cnp_gap_p1_us", gap, gap->p1);
	of(o, "cnp_gap_p50_us", gap, gap->p50);
	of(o, "cnp_gap_p99_us", gap, gap->p99);
	of(o, "np_delay_p50_us", np, np->p50);
	of(o, "np_delay_p99_us", np, np->p99);
	of(o, "np_delay_max_us", np, np->max);
	of(o, "cnp_delay_p50_us", way, way->p50);
	of(o, "cnp_delay_p99_us", way, way->p99);
	of(o, "cnp_delay_max_us", way, way->max);
	put(o, "pass", c->pass, 0);
}

void figure_np(struct figures *o, const struct summary_np *n)
{
	put(o, "interval_us", instant_us(n->all->np->u.nic.np.interval_ps), 6);
	count(o, "ce_rx", n->all->rec->ce);
	count(o, "cnp_tx", n->all->rec->cnps);
	count(o, "cnp_capped", n->capped);
	put(o, "pass", n->pass, 0);
}

void figure_iqcn(struct figures *o, const struct summary_iqcn *q)
{
	count(o, "rx_cnp", q->rx_cnp);
	put(o, "rx_cnp_per_s", q->rx_per_s, 1);
	count(o, "foreign_cnp", q->foreign_cnp);
	count(o, "tx_cnp", q->tx_cnp);
	put(o, "tx_cnp_per_s", q->tx_per_s, 1);
	put(o, "heavy_percent", q->heavy_percent, 4);
	count(o, "flows_total", q->flows);
}

void figure_fast_cnp(struct figures *o, const struct summary_fast_cnp *q)
{
	count(o, "tx_cnp", q->tx_cnp);
	put(o, "tx_cnp_per_s", q->tx_per_s, 1);
	count(o, "suppressed", q->suppressed);
	count(o, "unknown", q->unknown);
}

void figure_fast_cnp_table(struct figures *o, const struct summary_fast_cnp_table *q)
{
	count(o, "tx_cnp", q->tx_cnp);
	put(o, "tx_cnp_per_s", q->tx_per_s, 1);
	count(o, "entries", q->entries);
	count(o, "flows_total", q->flows);
	count(o, "learned_total", q->st.learned);
	count(o, "aged_total", q->st.aged);
	count(o, "table_full_total", q->st.table_full);
	count(o, "ambiguous_total", q->st.ambiguous);
}

void figure_iqcn_table(struct figures *o, const struct summary_iqcn_table *q)
{
	count(o, "tx_cnp", q->tx_cnp);
	put(o, "tx_cnp_per_s", q->tx_per_s, 1);
	count(o, "foreign_cnp", q->foreign_cnp);
	count(o, "entries", q->entries);
	count(o, "flows_total", q->flows);
	count(o, "rx_cnp_total", q->st.rx_cnps);
	count(o, "tx_cnp_total", q->st.tx_cnps);
	count(o, "learned_total", q->st.learned);
	count(o, "aged_total", q->st.aged);
	count(o, "table_full_total", q->st.table_full);
	count(o, "capped_total", q->st.capped);
}
