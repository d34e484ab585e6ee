// SPDX-License-Identifier: BSD-3-Clause
// The scenarios that come with quench, by the names that they are run by.
#pragma once

#include "conf/conf.h"

// Calls `see` with each of them, in the order of their names, and the path of its file. Returns how
// many.
typedef void bundled_see(void *arg, const char *name, const char *path);
unsigned bundled_each(bundled_see *see, void *arg);

// Adds to the line of an error `rc` about a scenario that could not be read which name comes
// nearest, where no such file is there.
void bundled_hint(int rc, const char *scenario, struct err *err);
