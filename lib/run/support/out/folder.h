// SPDX-License-Identifier: BSD-3-Clause
// A folder for results: made with those above it, and taken only where nothing of value is in it.
#pragma once

#include <stdbool.h>

#include "conf/conf.h"

// Makes `dir`. One that is not empty is refused with -EEXIST, or with `force` loses the n files of
// `names` first, so that nothing of an earlier run stays among what is written now. One that
// another run holds is refused in any case, with -EBUSY. -errno with a line. *lock is given to
// folder_leave.
int folder_take(const char *dir, bool force, const char *const *names, unsigned n, int *lock,
	struct err *err);

// Makes `dir`, or where it is there already DIR.2, DIR.3 ..., the first that is not: two that ask
// at once have two folders. Its name goes to *taken, freed by the caller. -errno with a line. *lock
// is given to folder_leave.
int folder_next(char **taken, const char *dir, int *lock, struct err *err);

// Releases the folder: others may take it from this call on, as when the process ends. `lock` is
// from folder_take() or folder_next(); -1: there is none.
void folder_leave(int lock);

// Lets the symbolic link runs/latest point to `dir`, if that is in runs/. A file or folder of that
// name stays as it is.
void folder_latest(const char *dir);
