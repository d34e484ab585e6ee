// SPDX-License-Identifier: BSD-3-Clause
// The binary form of the record of events, read: event by event, by type and by time.
#pragma once

#include "names.h"
#include "pick.h"
#include "conf/conf.h"

struct evf_in;

// Opens a file and reads its description and its index. -ENOENT, -EACCES, -EINVAL (not a file of
// events, of a version that is not known, broken), -ENOMEM: one line in err.
int evf_open(struct evf_in **in, const char *path, struct err *err);

// The tables of the file; they stay until it is closed.
const struct evf_names *evf_names(const struct evf_in *in);

// A line that says where a file ends too early, as it does where the run crashed or the disk was
// full; NULL: it is whole.
const char *evf_cut(const struct evf_in *in);

// The next event that is picked, which stays until the next call, and its number (evf_line). 1: it
// is there; 0: the end; -EINVAL: a block is broken, which is passed over, with one line in err.
int evf_next(struct evf_in *in, const struct evf_pick *pick, const struct ev **e, uint64_t *number,
	struct err *err);

void evf_close_in(struct evf_in *in);

// The rest is for the files of this room only.
#pragma GCC visibility push(hidden)

// How many events there are in the blocks that could be found.
uint64_t evf_events(const struct evf_in *in);

#pragma GCC visibility pop
