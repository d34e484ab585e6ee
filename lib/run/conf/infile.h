// SPDX-License-Identifier: BSD-3-Clause
// What may be read as an input file.
#pragma once

#include "err.h"

// Whether `path` is a regular file that may be read: 0, or -errno and a line that begins with the
// path. -EISDIR: a directory. -EINVAL: a FIFO, a socket or a device, which might never end.
int infile_check(const char *path, struct err *err);

// The same. Of what is neither a file nor a folder the line ends with `other`, which says what may
// be given besides, or why nothing may.
int infile_check_or(const char *path, const char *other, struct err *err);

#define INFILE_OR_STDIN ", or - for standard input"
