// SPDX-License-Identifier: BSD-3-Clause
// The binary form of the record of events, written: docs/formats.md, events.bin.
#pragma once

#include "names.h"
#include "conf/conf.h"

enum evf_compress { EVF_ZSTD, EVF_NONE };

struct evf_opts {
	enum evf_compress compress;
	bool thread; // another thread compresses and writes; the bytes are the same
};

struct evf_writer;

// Creates or truncates the file and describes in it the records and all names, which stay until it
// is closed. -errno and a line with the path. The thread that the options ask for takes no signals;
// where there can be none, the caller writes.
int evf_create(struct evf_writer **w, const char *path, const struct evf_names *names,
	const struct evf_opts *opts, struct err *err);

// Adds an event, in order of time; `number` as for evf_line(). Waits if the other thread is behind:
// no event is lost. After an error of the disk nothing more is written.
void evf_put(struct evf_writer *w, const struct ev *e, uint64_t number);

const char *evf_path(const struct evf_writer *w);
// The errno of the first write that failed; 0: none is known of yet.
int evf_error(const struct evf_writer *w);

// Writes what is left and the index. -errno of the first failure with a line that says that the
// file is incomplete; NULL is closed already.
int evf_close(struct evf_writer *w, struct err *err);
