// SPDX-License-Identifier: BSD-3-Clause
// The files that may be read as input.
#pragma once

#include "err.h"

// Whether `path` is a regular file that may be read: 0, or -errno and a line that begins with the
// path. -EISDIR: a directory. -EINVAL: a FIFO, a socket or a device, which might never end.
int infile_check(const char *path, struct err *err);

// Like infile_check(). If `path` is neither a file nor a folder, the line ends with `other`, which
// says which other inputs are possible, or why none is.
int infile_check_or(const char *path, const char *other, struct err *err);

#define INFILE_OR_STDIN ", or - for standard input"
