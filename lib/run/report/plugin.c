// SPDX-License-Identifier: BSD-3-Clause
// Plug-ins of a run: which they were, and how often one asked for a rate that there is not.
#include "summary.h"

#include "out/out.h"

uint64_t summary_clamped(const struct summary *s, const struct scene_plugin *p)
{
	uint64_t n = 0;

	for (unsigned i = 0; i < s->n_flows; i++) {
		const struct rec_flow *f = s->flow[i].rec;

		const struct rp *rp = f->rp ? nic_qp_rp(f->nic, f->qp) : NULL;

		if (rp && rp->kind == RP_PLUGIN && !strcmp(f->scene->control, p->control))
			n += rp->u.plugin->clamped;
	}
	return n;
}

void summary_plugins_put(struct jw *w, const struct summary *s)
{
	const struct scene *scene = s->rec->scene;

	if (!scene->n_plugins)
		return;
	jw_array(w, "plugins", false);
	for (unsigned i = 0; i < scene->n_plugins; i++) {
		const struct scene_plugin *p = scene->plugin[i];

		jw_object(w, NULL, true);
		jw_str(w, "control", p->control);
		jw_str(w, "name", p->guest->name);
		jw_str(w, "sha256", p->guest->sha256);
		jw_u64(w, "rates_clamped", summary_clamped(s, p));
		jw_end(w);
	}
	jw_end(w);
}
