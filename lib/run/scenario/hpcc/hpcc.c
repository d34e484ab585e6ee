// SPDX-License-Identifier: BSD-3-Clause
// Files of the HPCC simulator as a scenario, step by step.
#include "hpcc.h"

#include <errno.h>

#include "int.h"

static int import(struct hpcc *h, struct hpcc_import *to)
{
	int rc = hpcc_topology(h);

	if (!rc)
		rc = hpcc_flows(h);
	if (!rc)
		rc = hpcc_config(h);
	if (rc)
		return rc;
	hpcc_yaml_left(h);
	rc = hpcc_left_lines(h, to);
	if (!rc)
		to->yaml = hpcc_yaml(h, to);
	return rc || !to->yaml || h->no_memory ? -ENOMEM : 0;
}

int hpcc_import(struct hpcc_import *to, const struct hpcc_files *files, struct err *err)
{
	struct hpcc h = {.a = &to->a, .err = err, .files = *files};
	int rc;

	*to = (struct hpcc_import){0};
	rc = import(&h, to);
	return rc == -ENOMEM ? err_set(err, rc, "%s: out of memory", files->topology) : rc;
}

void hpcc_free(struct hpcc_import *to)
{
	arena_free(&to->a);
	*to = (struct hpcc_import){0};
}
