// SPDX-License-Identifier: BSD-3-Clause
// A folder for results: made with those above it, and taken only where nothing of value is in it.
#pragma once

#include <stdbool.h>

#include "run/err.h"

// Makes `dir`. One that is not empty is refused with -EEXIST, or with `force` loses the n files of `names`
// first, so that nothing of an earlier run stays among what is written now. -errno with a line.
int folder_take(const char *dir, bool force, const char *const *names, unsigned n, struct err *err);
