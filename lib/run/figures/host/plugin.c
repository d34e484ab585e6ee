// SPDX-License-Identifier: BSD-3-Clause
// Plug-ins of a run: which they were, and how often one asked for a rate that there is not.
#include <errno.h>

#include "int.h"

struct plugin {
	const char *control, *name, *sha256;
	uint64_t clamped; // rates outside of 100 kb/s and the line's, in the whole run
};

static int make_plugins(struct summary *s, struct set *to)
{
	const struct scene *scene = s->rec->scene;

	if (set_room(to, &kind_plugin, scene->n_plugins))
		return -ENOMEM;
	for (unsigned i = 0; i < scene->n_plugins; i++) {
		struct plugin *o = set_add(to);

		o->control = scene->plugin[i]->control;
		o->name = scene->plugin[i]->guest->name;
		o->sha256 = scene->plugin[i]->guest->sha256;
		for (unsigned k = 0; k < s->rec->n_flows; k++) {
			const struct rec_flow *f = &s->rec->flow[k];
			const struct rp *rp = f->rp ? nic_qp_rp(f->nic, f->qp) : NULL;

			if (rp && rp->kind == RP_PLUGIN && !strcmp(f->scene->control, o->control))
				o->clamped += rp->u.plugin->clamped;
		}
	}
	return 0;
}

static const struct figure figures[] = {
	ROW_TEXT(struct plugin, control, "control", "the control that names it"),
	ROW_TEXT(struct plugin, name, "name", "what it calls itself"),
	ROW_TEXT(struct plugin, sha256, "sha256", "of its file"),
	ROW_COUNT(struct plugin, clamped, "rates_clamped", "events",
		"rates below 100 kb/s or above the line's that it asked for, whole run",
		.merge = FIGURE_SUM),
};

static void possible_plugins(struct kind_look *l)
{
	for (unsigned i = 0; i < l->s->n_plugins && !l->enough; i++)
		look_tell(l, "%s", l->s->plugin[i]->control);
}

const struct kind kind_plugin = {
	.key = "plugins",
	.path = "plugin",
	.title = "Plug-ins",
	.about = "Each plug-in that a control names.",
	.example = "mine",
	.if_any = true,
	.one_by = {"control"},
	.size = sizeof(struct plugin),
	KIND_FIGURES(figures),
	.make = make_plugins,
	.name_at = offsetof(struct plugin, control),
	.could = possible_plugins,
};
