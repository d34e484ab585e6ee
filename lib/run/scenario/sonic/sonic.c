// SPDX-License-Identifier: BSD-3-Clause
// A SONiC switch's config_db.json as a scenario, step by step.
#include "sonic.h"

#include <errno.h>
#include <stdlib.h>

#include "int.h"

static int import(struct sonic *s, struct sonic_import *to)
{
	int rc = sonic_load(s);

	if (!rc)
		rc = sonic_ports(s);
	if (!rc)
		rc = sonic_db_index(s);
	if (!rc)
		rc = sonic_lookup(s);
	if (!rc)
		rc = sonic_groups(s);
	if (rc)
		return rc;
	for (unsigned i = 0; i < s->n_ports; i++) {
		sonic_port_read(s, &s->port[i]);
		sonic_classes(s, &s->port[i]);
	}
	sonic_switch_pools(s);
	sonic_switch_check_maps(s);
	sonic_switch_common(s);
	sonic_flow(s);
	sonic_left_rows(s);
	rc = sonic_left_lines(s, to);
	if (!rc)
		rc = sonic_said(s, to);
	if (!rc)
		to->yaml = sonic_yaml(s, to);
	return rc || !to->yaml || s->no_memory ? -ENOMEM : 0;
}

int sonic_import(struct sonic_import *to, const struct sonic_opts *opts, struct err *err)
{
	*to = (struct sonic_import){0};

	struct sonic *s = calloc(1, sizeof(*s));
	int rc = -ENOMEM;

	if (s) {
		s->a = &to->a;
		s->err = err;
		s->path = opts->paths[0];
		s->opts = opts;
		rc = import(s, to);
		json_decref(s->root);
		json_decref(s->by_name);
		free(s);
	}
	return rc == -ENOMEM ? err_set(err, rc, "%s: out of memory", opts->paths[0]) : rc;
}

void sonic_free(struct sonic_import *to)
{
	arena_free(&to->a);
	*to = (struct sonic_import){0};
}
