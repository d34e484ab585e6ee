// SPDX-License-Identifier: BSD-3-Clause
// The bytes of a file in their order, unpacked if gzip or Zstandard packed them.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "conf/conf.h"

#pragma GCC visibility push(hidden)

struct unpack;

// Opens a file that may be packed. Its first bytes tell by which program, never its name. "-" is
// standard input. -ENOENT, -EACCES, -EINVAL, -ENOMEM: one line in err.
int unpack_open(struct unpack **u, const char *path, struct err *err);
// Up to `n` bytes; 0: the end; -1: unpack_why says what is wrong, here and in every later call. A
// signal whose handler does not ask for SA_RESTART ends it: who waits for a pipe can be stopped.
ssize_t unpack_read(struct unpack *u, uint8_t *to, size_t n);
// Returns the fault of the file, without its name; NULL: none so far.
const char *unpack_why(const struct unpack *u);
void unpack_close(struct unpack *u);

#pragma GCC visibility pop
