// SPDX-License-Identifier: BSD-3-Clause
// The scenes of a sweep's runs, and whether they can have the columns that are asked for.
#include <errno.h>
#include <string.h>

#include "sweep_run_int.h"

int sweep_run_load(const struct sweep_run *s, unsigned i, struct scene **scene, struct err *err)
{
	struct scene_set set[SESSION_SETS + SWEEP_AXES];
	struct scene_opts o = {.set = set, .n_set = s->all.n_set, .one_clock = true};
	const char *name;

	memcpy(set, s->all.set, o.n_set * sizeof(*set));
	name = sweep_pick(&s->plan, i, set + o.n_set);
	o.n_set += s->plan.n_axes;
	o.seed = s->all.has_seed ? &s->all.seed : NULL;
	o.duration = s->all.has_duration ? &s->all.duration : NULL;
	return session_load(scene, name, &o, err);
}

// Runs that do not load say so themselves.
int sweep_run_columns(struct sweep_run *s, struct err *err)
{
	bool any = false, known = false;
	struct err first = {0}, why;

	for (unsigned i = 0; i < s->plan.n_runs && !known; i++) {
		struct scene *scene;

		if (sweep_run_load(s, i, &scene, &why))
			continue;
		known = sweep_knows(&s->plan, scene, any ? &why : &first);
		any = true;
		scene_free(scene);
	}
	if (known || !any)
		return 0;
	*err = first;
	return -EINVAL;
}
