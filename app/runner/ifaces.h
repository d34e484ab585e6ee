// SPDX-License-Identifier: BSD-3-Clause
// Network interfaces and PCI functions of this machine that a port could be.
#pragma once

#include <stdio.h>

#include "out/out.h"

#pragma GCC visibility push(hidden)

// A line for each, with what to write as `device`; or an array of objects.
void ifaces_print(const char *sys, FILE *f);
void ifaces_put(const char *sys, struct jw *w, const char *key);

#pragma GCC visibility pop
