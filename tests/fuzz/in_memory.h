// SPDX-License-Identifier: BSD-3-Clause
// A file in memory that has a path, so that a run of millions of inputs touches no disk.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"

struct in_memory {
	int fd;
	char path[32];
};

static inline void in_memory_open(struct in_memory *f, const void *data, size_t size)
{
	f->fd = memfd_create("fuzz", MFD_CLOEXEC);
	fuzz_check(f->fd >= 0);
	fuzz_check(write(f->fd, data, size) == (ssize_t)size);
	snprintf(f->path, sizeof(f->path), "/proc/self/fd/%d", f->fd);
}

static inline void in_memory_close(const struct in_memory *f)
{
	close(f->fd);
}
