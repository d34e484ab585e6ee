// SPDX-License-Identifier: BSD-3-Clause
// The real clock of a build without DPDK: there is none, and it says how to get one.
#include <errno.h>

#include "rt.h"

#define NO_CLOCK "this build has no real clock: install libdpdk-dev 22.11 or later and build again"

int rt_run(struct scene *scene, const struct rt_opts *opts, struct report **report, struct err *err)
{
	(void)scene;
	(void)opts;
	(void)report;
	return err_set(err, -ENOTSUP, NO_CLOCK "; --clock virtual needs none");
}

int rt_ports(struct scene *scene, const struct rt_opts *opts, struct record_findings *found,
	struct err *err)
{
	(void)scene;
	(void)opts;
	(void)found;
	return err_set(err, -ENOTSUP, NO_CLOCK);
}
