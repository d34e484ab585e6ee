// SPDX-License-Identifier: BSD-3-Clause
// summary.json: congestion points of QCN, and the CNPs that switches send.
#include "run/summary_json.h"

// Only where queues are congestion points.
static void put_cps(struct jw *w, const struct summary *s)
{
	if (!s->n_cps)
		return;
	jw_array(w, "congestion_points", false);
	for (unsigned i = 0; i < s->n_cps; i++) {
		struct figures o = {0};

		jw_object(w, NULL, true);
		jw_str(w, "port", s->cp[i].rec->port->scene->name);
		jw_u64(w, "class", s->cp[i].rec->cls);
		figure_cp(&o, &s->cp[i]);
		figure_put(w, &o);
		jw_array(w, "samples_by_feedback_total", true);
		for (unsigned k = 0; k < QCN_CP_FB; k++)
			jw_u64(w, NULL, s->cp[i].by_fb[k]);
		jw_end(w);
		jw_end(w);
	}
	jw_end(w);
}

// Only where switches run iQCN.
static void put_iqcn(struct jw *w, const struct summary *s)
{
	if (!s->n_iqcn_tables)
		return;
	jw_array(w, "iqcn", false);
	for (unsigned i = 0; i < s->n_iqcns; i++) {
		struct figures o = {0};

		jw_object(w, NULL, true);
		jw_str(w, "port", s->iqcn[i].port->scene->name);
		figure_iqcn(&o, &s->iqcn[i]);
		figure_put(w, &o);
		jw_end(w);
	}
	jw_end(w);
	jw_array(w, "iqcn_tables", false);
	for (unsigned i = 0; i < s->n_iqcn_tables; i++) {
		struct figures o = {0};

		jw_object(w, NULL, true);
		jw_str(w, "switch", s->iqcn_table[i].node->name);
		figure_iqcn_table(&o, &s->iqcn_table[i]);
		figure_put(w, &o);
		jw_end(w);
	}
	jw_end(w);
}

// Only where switches run Fast CNP.
static void put_fast_cnp(struct jw *w, const struct summary *s)
{
	if (!s->n_fast_tables)
		return;
	jw_array(w, "fast_cnp", false);
	for (unsigned i = 0; i < s->n_fasts; i++) {
		struct figures o = {0};

		jw_object(w, NULL, true);
		jw_str(w, "port", s->fast[i].port->scene->name);
		figure_fast_cnp(&o, &s->fast[i]);
		figure_put(w, &o);
		jw_end(w);
	}
	jw_end(w);
	jw_array(w, "fast_cnp_tables", false);
	for (unsigned i = 0; i < s->n_fast_tables; i++) {
		struct figures o = {0};

		jw_object(w, NULL, true);
		jw_str(w, "switch", s->fast_table[i].node->name);
		figure_fast_cnp_table(&o, &s->fast_table[i]);
		figure_put(w, &o);
		jw_end(w);
	}
	jw_end(w);
}

void summary_json_cn(struct jw *w, const struct summary *s)
{
	put_cps(w, s);
	put_iqcn(w, s);
	put_fast_cnp(w, s);
}
