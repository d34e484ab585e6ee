// SPDX-License-Identifier: BSD-3-Clause
// What may be read as an input file.
#pragma once

#include "err.h"

// Whether `path` is a regular file that may be read: 0, or -errno and a line that begins with the
// path. -EISDIR: a directory. -EINVAL: a FIFO, a socket or a device, which might never end.
int infile_check(const char *path, struct err *err);

#pragma GCC visibility push(hidden)

// The same, where - in place of a path is standard input, which the line then names.
int infile_check_beside_stdin(const char *path, struct err *err);

#pragma GCC visibility pop
