// SPDX-License-Identifier: BSD-3-Clause
// Which events of a file are wanted: by time, type, port and flow.
#pragma once

#include "names.h"
#include "conf/conf.h"

struct evf_pick {
	tstamp from, to; // from <= t < to
	uint64_t types;  // bitmap of types, by their numbers in the file
	bool by_port;    // of one port only
	uint32_t node;
	uint16_t port;
	const char *flow; // a flow or source, or all with this name before a '['; NULL: all
};

// Everything.
static inline struct evf_pick evf_pick_all(void)
{
	return (struct evf_pick){.to = TSTAMP_NEVER, .types = UINT64_MAX};
}

// Reads "mark,drop", "s1:r" or "incast". -ENOENT: there is none of that name among the tables of
// the file, with a line that tells the nearest.
int evf_pick_types(
	struct evf_pick *p, const struct evf_names *n, const char *text, struct err *err);
int evf_pick_port(struct evf_pick *p, const struct evf_names *n, const char *text, struct err *err);
int evf_pick_flow(struct evf_pick *p, const struct evf_names *n, const char *text, struct err *err);

// The rest is for the files of this room only.
#pragma GCC visibility push(hidden)

bool evf_pick_has(const struct evf_pick *p, const struct evf_names *n, const struct ev *e);

#pragma GCC visibility pop
