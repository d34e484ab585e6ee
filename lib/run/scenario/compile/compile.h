// SPDX-License-Identifier: BSD-3-Clause
// Room compile makes a scene of a scenario file: the steps in their order, and the last of them,
// which are events, expectations, records, bounds, warnings, digests and what all options came to.
// It needs rooms draft, hardware and traffic.
#pragma once

#include "scene/scene.h"

// Reads, resolves and compiles. 0, or -errno with one line in *err: "file:line:column: what is
// wrong, what would be right". *out is set on success only.
int compile_scene(
	struct scene **out, const char *path, const struct scene_opts *opts, struct err *err);

// Compiles the source of a scene once more, with the values of its changes so far and these, which
// begin to hold together. The scene can be compiled again (scene_opts). -EINVAL with a line where a
// value cannot change while the scene runs, or where the compiler refuses it. `by`: who sets them,
// as messages begin. The new scene has no events.
int compile_change(struct scene **to, const struct scene *s, const char *by,
	const struct scene_set *set, unsigned n, struct err *err);

// Compiles the source of a scene once more, with the values of its changes so far and with other
// events: `yaml` is one action, as in "flow_stop: incast", or a list of them, all at instant `at`.
// Its faults are those of `s`, and behind them the faults among the actions.
int compile_actions(
	struct scene **to, const struct scene *s, const char *yaml, tstamp at, struct err *err);

// The thing that two ports with these devices would share: "one device" or "one interface"; NULL:
// neither.
const char *compile_shared_device(const char *a, const char *b);

// Receive queues that the kernel spreads frames over, of a net_af_packet whose device says how many
// (qpairs=); 0: another device, or it does not say.
unsigned compile_queue_pairs(const char *device);
