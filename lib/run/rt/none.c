// SPDX-License-Identifier: BSD-3-Clause
// The real clock of a build without DPDK: there is none, and it says how to get one.
#include <errno.h>

#include "rt.h"

int rt_run(const struct scene *scene, const struct rt_opts *opts, struct report **report,
	struct err *err)
{
	(void)scene;
	(void)opts;
	(void)report;
	return err_set(err, -ENOTSUP,
		"this build has no real clock: install libdpdk-dev 22.11 or later and build "
		"again; --clock "
		"virtual needs none");
}
