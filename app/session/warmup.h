// SPDX-License-Identifier: BSD-3-Clause
// The warm-up `auto`: found by a first pass in virtual time.
#pragma once

#include "conf/conf.h"
#include "scene/scene.h"

// A warm-up that was found: the setting that a run of the scenario gets, and a line for the user.
struct warmup {
	char value[32];
	char said[768];
	bool doubt; // no steady part was found, or there is none
};

// Finds the warm-up of a scenario that `scene` is loaded from with these options: runs it in
// virtual time, without files, until summary_steady_pass() has enough. -EINVAL and a line: the real
// clock is asked for, and a host or switch is not ours there. -EINTR: a signal has ended it.
int warmup_find(struct warmup *w, const struct scene *scene, const char *name,
	const struct scene_opts *opts, struct err *err);
