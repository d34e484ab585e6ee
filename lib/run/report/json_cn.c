// SPDX-License-Identifier: BSD-3-Clause
// summary.json: congestion points of QCN, and the CNPs that switches send.
#include "json.h"

#include <math.h>

// Bytes between two samples by the level of the first one's feedback: what the table has, how
// often, the mean.
static void put_spacing(struct jw *w, const struct summary_cp *c)
{
	jw_array(w, "sample_base_bytes", true);
	for (unsigned i = 0; i < QCN_CP_LEVELS; i++)
		jw_num(w, NULL, c->base[i], 0);
	jw_end(w);
	jw_array(w, "spacings_total", true);
	for (unsigned i = 0; i < QCN_CP_LEVELS; i++)
		jw_u64(w, NULL, c->spacing[i].n);
	jw_end(w);
	jw_array(w, "spacing_mean_bytes_total", true);
	for (unsigned i = 0; i < QCN_CP_LEVELS; i++) {
		double n = (double)c->spacing[i].n;

		jw_num(w, NULL, n > 0 ? (double)c->spacing[i].bytes / n : NAN, 1);
	}
	jw_end(w);
}

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
		put_spacing(w, &s->cp[i]);
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

// Only where there were CNPs or reasons for them.
static void put_cnps(struct jw *w, const struct summary *s)
{
	if (!s->n_cnps)
		return;
	jw_array(w, "cnps", false);
	for (unsigned i = 0; i < s->n_cnps; i++) {
		struct figures o = {0};

		jw_object(w, NULL, true);
		jw_str(w, "key", summary_cnp_key(s->cnp[i].rec->key));
		jw_str(w, "name", s->cnp[i].name);
		jw_str(w, "node", s->cnp[i].np->name);
		jw_bool(w, "configured", s->cnp[i].configured);
		figure_cnp(&o, &s->cnp[i]);
		figure_put(w, &o);
		jw_end(w);
	}
	jw_end(w);
}

static void put_nps(struct jw *w, const struct summary *s)
{
	static const char *const mode[] = {[NP_WINDOW] = "window",
		[NP_NEXT_MARKED] = "next_marked",
		[NP_PER_PACKET] = "per_packet"};

	if (!s->n_nps)
		return;
	jw_array(w, "notification_points", false);
	for (unsigned i = 0; i < s->n_nps; i++) {
		const struct scene_node *n = s->np[i].all->np;
		struct figures o = {0};

		jw_object(w, NULL, true);
		jw_str(w, "node", n->name);
		jw_str(w, "mode", mode[n->u.nic.np.mode]);
		jw_str(w, "key", summary_cnp_key(n->u.nic.np.key));
		figure_np(&o, &s->np[i]);
		figure_put(w, &o);
		jw_array(w, "paced_by", true);
		for (unsigned k = 0; k < REC_CNP_KEYS; k++)
			if (s->np[i].paced_by >> k & 1)
				jw_str(w, NULL, summary_cnp_key((enum np_key)k));
		jw_end(w);
		jw_end(w);
	}
	jw_end(w);
}

void summary_json_cn(struct jw *w, const struct summary *s)
{
	put_nps(w, s);
	put_cnps(w, s);
	put_cps(w, s);
	put_iqcn(w, s);
	put_fast_cnp(w, s);
}
