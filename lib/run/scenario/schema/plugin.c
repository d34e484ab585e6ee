// SPDX-License-Identifier: BSD-3-Clause
// Controls of a plug-in: the profile is in a shared object, which brings its keys along.
#include <errno.h>
#include <stddef.h>

#include "profile.h"

static const struct guest *guest_of(const struct schema_profile *p)
{
	return ((const struct schema_plugin *)p)->guest;
}

static int plugin_compile(const struct schema_control *c, struct rp_cfg *cfg, const void *spec)
{
	struct guest_control with = {.name = c->name, .line_rate = c->line_rate};
	struct schema_path path;
	char line[32];
	struct err why;
	int rc = c->path(c->scene, &path);

	if (rc)
		return rc;
	with.base_rtt = path.rtt;
	rc = guest_compile(guest_of(c->profile), c->arena, cfg, &with, spec, &why);
	if (!rc)
		return 0;
	return yamldoc_err(c->err, c->key, "%s, at a line rate of %s", why.text,
		units_format(UNITS_RATE, c->line_rate, line, sizeof(line)));
}

int schema_plugin(
	struct schema_plugin **to, struct arena *a, const char *file, bool trusts, struct err *err)
{
	struct schema_plugin *p = arena_get(a, sizeof(*p));
	int rc;

	if (!p)
		return err_set(err, -ENOMEM, "out of memory");
	rc = guest_load(&p->guest, a, file, trusts, err);
	if (rc)
		return rc;
	p->profile = (struct schema_profile){"plugin", RP_PLUGIN, &p->guest->table,
		sizeof(struct guest_spec), plugin_compile, 0, NULL};
	*to = p;
	return 0;
}
